//! The sentence for a dtype that an elementwise operation has no kernel for.

use crate::dtype::DType;

/// Kernels that are not called as their operation is with `_cpu` behind.
#[rustfmt::skip] // one name a line
const KERNELS: &[(&str, &str)] = &[
    ("add", "add_stub"),
    ("addcdiv", "addcdiv_cpu_out"),
    ("addcmul", "addcmul_cpu_out"),
    ("bitwise_left_shift", "lshift_cpu"),
    ("bitwise_right_shift", "rshift_cpu"),
    ("clamp_max", "minimum_cpu"),
    ("clamp_min", "maximum_cpu"),
    ("ceil", "ceil_vml_cpu"),
    ("digamma", "digamma"),
    ("erf", "erf_vml_cpu"),
    ("erfc", "erfc_vml_cpu"),
    ("erfinv", "erfinv_vml_cpu"),
    ("floor", "floor_vml_cpu"),
    ("floor_divide", "div_floor_cpu"),
    ("i0", "i0_vml_cpu"),
    ("lgamma", "lgamma_vml_cpu"),
    ("max", "maximum_cpu"),
    ("min", "minimum_cpu"),
    ("pow", "pow"),
    ("round", "round_vml_cpu"),
    ("rsub", "add_stub"),
    ("sgn", "sign_cpu"),
    ("square", "pow"),
    ("sub", "add_stub"),
    ("subtract", "add_stub"),
    ("trunc", "trunc_vml_cpu"),
];

/// Sentences about complex numbers.
#[rustfmt::skip] // one name a line
const COMPLEX: &[(&str, &str)] = &[
    ("ceil", "ceil is not supported for complex inputs"),
    ("deg2rad", "deg2rad is not supported for complex tensors."),
    ("floor", "floor is not supported for complex inputs"),
    ("rad2deg", "rad2deg is not supported for complex tensors."),
    ("relu", "clamp is not supported for complex types"),
    ("sign", "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."),
    ("signbit", "signbit is not implemented for complex tensors."),
    ("trunc", "trunc is not supported for complex inputs"),
];

/// Sentences about truth values.
#[rustfmt::skip] // one name a line
const BOOL: &[(&str, &str)] = &[
    ("clamp", "\"clamp_scalar_cpu\" not implemented for 'Bool'"),
    ("clamp_max", "\"clamp_max_scalar_cpu\" not implemented for 'Bool'"),
    ("clamp_min", "\"clamp_min_scalar_cpu\" not implemented for 'Bool'"),
    ("neg", "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."),
    ("relu", "Boolean inputs not supported for relu"),
];

/// The name of the kernel of a function of elements that is not called as it is.
pub(super) fn kernel(name: &str) -> Option<&'static str> {
    KERNELS.iter().find(|(known, _)| *known == name).map(|(_, kernel)| *kernel)
}

/// The sentence about a dtype that comes before anything said about where the result is written.
pub(super) fn refuses_first(name: &str, dtype: DType) -> Option<&'static str> {
    let table = match dtype {
        DType::Bool if matches!(name, "neg" | "relu") => BOOL,
        _ if dtype.is_complex() => COMPLEX,
        _ => return None,
    };
    table.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// What PyTorch says when `name` meets a dtype it has no kernel for.
pub(super) fn sentence(name: &str, dtype: DType) -> String {
    let name = name.trim_start_matches("special.").trim_start_matches("nn.functional._");
    let find = |table: &[(&str, &'static str)]| table.iter().find(|(n, _)| *n == name).map(|(_, text)| *text);
    let own = match dtype {
        DType::Bool => find(BOOL),
        _ if dtype.is_complex() => find(COMPLEX),
        _ => None,
    };
    match (own, find(KERNELS)) {
        (Some(text), _) => text.to_string(),
        (None, Some(kernel)) => format!("\"{kernel}\" not implemented for '{}'", dtype.title()),
        (None, None) => format!("\"{name}_cpu\" not implemented for '{}'", dtype.title()),
    }
}
