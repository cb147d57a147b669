//! The dtypes that functions of networks refuse: most have kernels for floats alone.

use crate::dtype::DType;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Kinds of dtypes.
const LONG: u8 = 1;
const BYTE: u8 = 2;
const OTHER_INTEGERS: u8 = 4;
const BOOL: u8 = 8;
const COMPLEX: u8 = 16;
const INTEGERS: u8 = LONG | BYTE | OTHER_INTEGERS;
const ALL: u8 = INTEGERS | BOOL | COMPLEX;

/// A function, the kinds that its first argument may not have, and the kernel that PyTorch names then.
const REFUSED: &[(&str, u8, &str)] = &[
    ("adaptive_avg_pool1d", ALL, "adaptive_avg_pool2d"),
    ("adaptive_avg_pool2d", ALL, "adaptive_avg_pool2d"),
    ("adaptive_avg_pool3d", ALL, "adaptive_avg_pool3d_cpu"),
    ("adaptive_max_pool1d", ALL, "adaptive_max_pool2d"),
    ("adaptive_max_pool2d", ALL, "adaptive_max_pool2d"),
    ("adaptive_max_pool3d", ALL, "adaptive_max_pool3d_cpu"),
    ("avg_pool1d", ALL - LONG, "avg_pool2d"),
    ("avg_pool2d", ALL - LONG, "avg_pool2d"),
    ("avg_pool3d", ALL - LONG, "avg_pool3d_out_frame"),
    ("batch_norm", ALL, "batch_norm"),
    ("binary_cross_entropy", ALL, "binary_cross_entropy"),
    ("binary_cross_entropy_with_logits", ALL, "log_sigmoid_cpu"),
    ("glu", ALL, "glu_cpu"),
    ("group_norm", ALL, "GroupNormKernelImpl"),
    ("hardsigmoid", ALL, "hardsigmoid_cpu"),
    ("hardswish", ALL, "hardswish_cpu"),
    ("hardtanh", BOOL, "hardtanh"),
    ("huber_loss", COMPLEX, "huber_cpu"),
    ("instance_norm", ALL, "batch_norm"),
    ("interpolate", ALL - BYTE, "upsample_nearest2d_channels_last"),
    ("layer_norm", ALL, "LayerNormKernelImpl"),
    ("local_response_norm", ALL - LONG, "avg_pool2d"),
    ("logsigmoid", ALL, "log_sigmoid_cpu"),
    ("lp_pool1d", ALL - LONG, "avg_pool2d"),
    ("lp_pool2d", ALL - LONG, "avg_pool2d"),
    ("max_pool1d", COMPLEX, "max_pool1d_impl"),
    ("max_pool2d", BOOL | COMPLEX, "max_pool2d"),
    ("max_pool3d", BOOL | COMPLEX, "max_pool3d"),
    ("max_unpool1d", ALL, "max_unpool2d"),
    ("max_unpool2d", ALL, "max_unpool2d"),
    ("max_unpool3d", ALL, "max_unpool3d"),
    ("mish", ALL, "mish_cpu"),
    ("mse_loss", COMPLEX, "mse_cpu"),
    ("multi_margin_loss", ALL, "multi_margin_loss_cpu_kernel"),
    ("nll_loss", ALL, "nll_loss_out_frame"),
    ("relu6", BOOL, "hardtanh"),
    ("silu", ALL - COMPLEX, "silu_cpu"),
    ("smooth_l1_loss", COMPLEX, "smooth_l1_cpu"),
    ("softplus", ALL, "softplus_cpu"),
    ("softshrink", ALL, "softshrink_check"),
    ("threshold", BOOL | COMPLEX, "threshold_cpu"),
    ("unfold", INTEGERS, "im2col_out_cpu"),
];

/// The same for those that say it in their own words, as `RuntimeError`.
const REFUSED_IN_WORDS: &[(&str, u8, &str)] = &[
    ("cosine_similarity", ALL, "expected common dtype to be floating point, yet common dtype is another"),
    ("kl_div", INTEGERS | BOOL, "kl_div: Integral inputs not supported."),
    ("kl_div", COMPLEX, "kl_div: Complex inputs not supported."),
    ("pdist", ALL, "pdist only supports floating-point dtypes"),
];

fn kind(dtype: DType) -> u8 {
    match dtype {
        DType::I64 => LONG,
        DType::U8 => BYTE,
        DType::Bool => BOOL,
        _ if dtype.is_complex() => COMPLEX,
        _ if dtype.is_integral(false) => OTHER_INTEGERS,
        _ => 0,
    }
}

/// Fails when a function of `torch.nn.functional` refuses the dtype of its first argument.
pub fn check(name: &str, values: &[Value]) -> Result<()> {
    let (Some(name), Some(Value::Tensor(x))) = (name.strip_prefix("nn.functional."), values.first()) else { return Ok(()) };
    let dtype = Tensor::dtype(x);
    let find = |rows: &'static [(&str, u8, &str)]| rows.iter().find(|row| row.0 == name && row.1 & kind(dtype) != 0);
    if let Some((.., kernel)) = find(REFUSED) {
        fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", dtype.title());
    }
    if let Some((.., words)) = find(REFUSED_IN_WORDS) {
        fault!(RuntimeError, "{words}");
    }
    Ok(())
}
