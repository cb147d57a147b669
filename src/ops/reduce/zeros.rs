//! Which zero the extreme of all elements is, where zeros of both signs are: the one that PyTorch's vectors come to last.

use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;

/// Elements whose zeros are told apart; PyTorch shares more out among threads.
const MANY: i64 = 1 << 15;

/// Of two elements the one that goes on. Of two that are equal it is the second.
type Better = fn(f64, f64) -> f64;

fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

fn less(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The extreme that was found of all elements, with the sign that PyTorch's has where it is zero.
pub(super) fn signed(found: Tensor, x: &Tensor, greatest: bool) -> Result<Tensor> {
    let plain = matches!(x.dtype(), DType::F16 | DType::BF16 | DType::F32 | DType::F64);
    if !plain || x.device() == DeviceId::Meta || !(2..=MANY).contains(&x.numel()) {
        return Ok(found);
    }
    if exec::item(&found).map(Number::to_f64)? != 0.0 {
        return Ok(found);
    }
    let elements = exec::read_vec::<f64>(x)?;
    let zero = last(&elements, x.dtype(), if greatest { greater } else { less });
    exec::cast(&exec::from_vec(&[zero], &found.sizes())?, x.dtype())
}

/// The better ones of pieces, lane by lane, and then of the lanes.
fn last(elements: &[f64], dtype: DType, better: Better) -> f64 {
    // Vectors of 32 bytes, whatever the processor has; of what is narrow two of float32 are made.
    let (lanes, pair) = match dtype {
        DType::F64 => (4, false),
        DType::F32 => (8, false),
        _ => (8, true),
    };
    let piece = if pair { 2 * lanes } else { lanes };
    let (first, rest) = elements.split_at(piece.min(elements.len()));
    let mut best = first.to_vec();
    for piece in rest.chunks(piece) {
        best.iter_mut().zip(piece).for_each(|(best, x)| *best = better(*best, *x));
    }
    if best.len() > lanes {
        let second = best.split_off(lanes);
        best.iter_mut().zip(second).for_each(|(best, x)| *best = better(*best, x));
    }
    if elements.len() >= piece && dtype != DType::F64 { in_halves(best, better) } else { best.into_iter().fold(first[0], better) }
}

/// Each lane with the one half a vector away, then with that a quarter away, and so on.
fn in_halves(mut lanes: Vec<f64>, better: Better) -> f64 {
    let mut apart = lanes.len() / 2;
    while apart > 0 {
        lanes = (0..lanes.len()).map(|k| better(lanes[k], lanes[k ^ apart])).collect();
        apart /= 2;
    }
    lanes.first().copied().unwrap_or(0.0)
}
