//! Gradients of complex numbers.
//!
//! The gradient of a function that has a derivative is that of the result times the conjugate of the derivative. So the rule that
//! holds for real numbers holds once more, with the conjugates of all that it reads.

use crate::ops::call_method;
use crate::tensor::Tensor;
use crate::value::{Machine, Outcome, Value};
use num_complex::Complex64;

/// What has a derivative, and a rule that says nothing of real numbers alone.
#[rustfmt::skip] // a list of names
const TURNED: &[&str] = &[
    "acos", "acosh", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "asin", "asinh", "atan", "atanh", "baddbmm", "bmm",
    "cos", "cosh", "cross", "cumprod", "det", "div", "dot", "einsum", "exp", "exp2", "expm1", "inner", "inverse", "kron", "lerp",
    "linalg.cross", "linalg.det", "linalg.inv", "linalg.solve", "log", "log10", "log1p", "log2", "matmul", "matrix_power", "mm", "mul",
    "mv", "nn.functional.linear", "outer", "pow", "prod", "reciprocal", "rsqrt", "sigmoid", "sin", "sinc", "sinh", "sqrt", "square",
    "tan", "tanh", "tensordot",
];

/// What reads no elements, or has a rule that holds for complex numbers as it is.
#[rustfmt::skip] // a list of names
const AS_IT_IS: &[&str] = &[
    "T", "__getitem__", "__setitem__", "add", "block_diag", "broadcast_tensors", "broadcast_to", "cat", "chunk", "clone",
    "column_stack", "complex", "conj", "conj_physical", "contiguous", "copy_", "cumsum", "diag", "diag_embed", "diagonal",
    "diagonal_scatter", "dstack", "expand", "expand_as", "fft.fft", "fft.fft2", "fft.fftn", "fft.fftshift", "fft.ifft", "fft.ifft2",
    "fft.ifftn", "fft.ifftshift", "fft.irfft", "fft.rfft", "fft.rfft2", "fft.rfftn", "fill", "fill_", "flatten", "flip", "fliplr", "flipud", "gather", "hstack",
    "index_add", "index_copy", "index_fill", "index_put", "index_select", "linalg.cholesky", "linalg.eigh", "mH", "mT", "masked_fill",
    "masked_scatter", "masked_select", "mean", "meshgrid", "neg", "permute", "polar", "positive", "ravel", "repeat", "reshape",
    "reshape_as", "resolve_conj", "roll", "rot90", "rsub", "scatter_add", "select_scatter", "sgn", "split", "split_with_sizes",
    "squeeze", "stack", "sub", "sum", "t", "take", "tensor_split", "tile", "trace", "transpose", "tril", "triu", "unbind",
    "unflatten", "unsqueeze", "vdot", "view", "view_as", "view_as_complex", "vstack", "where", "zero_",
];

/// True when the rule of an operation is to read conjugates. Fails where there is no gradient of complex numbers.
pub fn turns(name: &str, results: &[Tensor], values: &[Value]) -> Outcome<bool> {
    let complex =
        |value: &Value| matches!(value, Value::Complex(_)) || matches!(value, Value::Tensor(t) if t.dtype().is_complex());
    let made = results.iter().any(|t| t.dtype().is_complex());
    if made && !TURNED.contains(&name) && !AS_IT_IS.contains(&name) {
        fault!(NotImplementedError, "tsr does not have the gradient of {name} of complex numbers yet")
    }
    let inside = |value: &Value| complex(value) || value.sequence().is_some_and(|items| items.iter().any(complex));
    Ok(TURNED.contains(&name) && (made || values.iter().any(inside)))
}

/// The conjugate of a number or a tensor, or of those in a list; what is real as it is.
pub fn conjugated(machine: &mut dyn Machine, value: &Value) -> Outcome {
    match value {
        Value::Complex(z) => Ok(Complex64::new(z.re, -z.im).into()),
        Value::Tensor(t) if t.dtype().is_complex() => call_method(machine, "conj", vec![value.clone()]),
        Value::Tuple(items) => Ok(Value::tuple(items.iter().map(|item| conjugated(machine, item)).collect::<Outcome<_>>()?)),
        Value::List(items) => {
            let items = items.borrow().clone();
            Ok(Value::list(items.iter().map(|item| conjugated(machine, item)).collect::<Outcome<_>>()?))
        }
        other => Ok(other.clone()),
    }
}
