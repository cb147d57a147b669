//! Euclidean norms of short lines, with the last bits that PyTorch has.

use super::plain_norm::{is_line, lines};
use super::reduced_sizes;
use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;
use num_traits::Float;

/// Longer lines are folded as others are.
const LONGEST: usize = 64;

/// As are more elements than this.
const MOST: i64 = 1 << 12;

/// The norms along dimensions that are lines without gaps; none for others, and for long or many ones.
pub fn euclidean(x: &Tensor, dims: &[usize], keepdim: bool) -> Result<Option<Tensor>> {
    let length = dims.iter().map(|d| x.sizes()[*d]).product::<i64>() as usize;
    if !is_line(x, dims) || !(1..=LONGEST).contains(&length) || x.numel() > MOST {
        return Ok(None);
    }
    let (result, x) = (reduced_sizes(x, dims, keepdim), lines(x, dims)?);
    Ok(match x.dtype() {
        DType::F32 => Some(exec::from_vec(&norms::<f32>(&x, length, 8)?, &result)?),
        DType::F64 => Some(exec::from_vec(&norms::<f64>(&x, length, 4)?, &result)?),
        _ => None,
    })
}

fn norms<T: Element + Float>(x: &Tensor, length: usize, lanes: usize) -> Result<Vec<T>> {
    Ok(exec::read_vec::<T>(x)?.chunks(length).map(|line| norm(line, lanes)).collect())
}

/// Squares in lanes, the lanes one after the other, then the rest: four of eight lanes side by side, the others one by one.
fn norm<T: Float>(line: &[T], lanes: usize) -> T {
    let (whole, mut rest) = line.split_at(line.len() / lanes * lanes);
    let mut sums = [T::zero(); 8];
    whole.iter().enumerate().for_each(|(i, x)| sums[i % lanes] = sums[i % lanes] + *x * *x);
    let mut sum = sums[..lanes].iter().fold(T::zero(), |sum, lane| sum + *lane);
    if lanes == 8 && rest.len() >= 4 {
        let (four, others) = rest.split_at(4);
        (sum, rest) = (four.iter().fold(sum, |sum, x| sum + *x * *x), others);
    }
    rest.iter().fold(sum, |sum, x| x.mul_add(*x, sum)).sqrt()
}
