//! The usual calls of functions of networks in one pass over memory: floats on the CPU and arguments that fit. The texts of the
//! functions look at all others, and say what is wrong with them.

pub mod attention;
pub mod borders;
pub mod convolutions;
pub mod norms;
pub mod pools;
pub mod rows;
mod shares;
pub mod sizes;
mod unbounded;

use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::Dims;
use crate::tensor::Tensor;
use crate::value::Value;

/// True for a tensor of float32 or float64 in the memory of the CPU that has elements.
fn is_plain(x: &Tensor) -> bool {
    matches!(x.dtype(), DType::F32 | DType::F64) && is_here(x) && x.numel() > 0
}

/// True for a tensor with strides in the memory of the CPU.
fn is_here(x: &Tensor) -> bool {
    !x.is_sparse() && x.device() == DeviceId::Cpu
}

/// True for what is left out, and for a tensor of these sizes and the dtype of `x`.
fn goes_with(given: &Option<Tensor>, x: &Tensor, sizes: &[i64]) -> bool {
    given.as_ref().is_none_or(|t| is_here(t) && t.dtype() == x.dtype() && t.sizes().as_slice() == sizes)
}

/// A whole number for each of `n` dimensions, from one for all or a list.
pub(in crate::ops) fn each(value: &Value, n: usize) -> Option<[i64; 3]> {
    let mut all = [1; 3];
    match value {
        Value::Int(one) => all[..n].fill(*one),
        Value::List(_) | Value::Tuple(_) | Value::Size(_) => {
            let items = value.items()?;
            if items.len() != n && items.len() != 1 {
                return None;
            }
            for (place, item) in all[..n].iter_mut().zip(items.iter().cycle()) {
                let Value::Int(item) = item else { return None };
                *place = *item;
            }
        }
        _ => return None,
    }
    Some(all)
}

/// The number of elements of some dimensions.
fn count(sizes: &[i64]) -> usize {
    sizes.iter().product::<i64>() as usize
}

/// The sizes of all dimensions but the last ones, and of those.
fn sizes_of(front: &[i64], last: &[i64]) -> Dims {
    front.iter().chain(last).copied().collect()
}

/// Calls a function with the element type of a float dtype that [`is_plain`].
macro_rules! by_float {
    ($x:expr, $f:ident($($arg:expr),* $(,)?)) => {
        match $x.dtype() {
            crate::dtype::DType::F64 => $f::<f64>($($arg),*),
            _ => $f::<f32>($($arg),*),
        }
    };
}
use by_float;
