//! Products of several matrices.

use super::matrix::matmul_of;
use crate::ops::{Args, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// The product of one or more matrices.
pub(super) fn chain(args: &Args) -> Result<Value> {
    let (tensors,): (Vec<Tensor>,) = args.take()?;
    if let Some(other) = tensors.iter().find(|t| t.ndim() != 2) {
        fault!(RuntimeError, "Tensor dimension is {}, expected 2 instead.", other.ndim());
    }
    match tensors.as_slice() {
        [] => no_chain(args),
        [one] => Ok(exec::clone(one)?.into()),
        _ => multi_dot(args),
    }
}

pub(super) fn no_chain(_: &Args) -> Result<Value> {
    fault!(RuntimeError, "chain_matmul(): Expected one or more matrices")
}

pub(super) fn multi_dot(args: &Args) -> Result<Value> {
    let (tensors,): (Vec<Tensor>,) = args.take()?;
    if tensors.len() < 2 {
        fault!(RuntimeError, "multi_dot(): expected at least 2 tensors but got {}", tensors.len());
    }
    // The ends are looked at before what is between them.
    let last = tensors.len() - 1;
    for n in [0, last].into_iter().chain(1..last) {
        let tensor = &tensors[n];
        let inner = n > 0 && n + 1 < tensors.len();
        let place = match n {
            0 => "the first tensor".to_string(),
            _ if n + 1 == tensors.len() => "the last tensor".to_string(),
            _ => format!("tensor {n}"),
        };
        match tensor.ndim() {
            2 => {}
            1 if !inner => {}
            ndim if inner => fault!(RuntimeError, "multi_dot(): {place} must be 2D but got {ndim}D"),
            ndim => fault!(RuntimeError, "multi_dot(): {place} must be 1D or 2D but got {ndim}D"),
        }
    }
    for (n, pair) in tensors.windows(2).enumerate() {
        if pair[1].dtype() != tensors[0].dtype() {
            fault!(
                RuntimeError,
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is {} and tensor {} {}",
                tensors[0].dtype().c_name(),
                n + 1,
                pair[1].dtype().c_name()
            );
        }
        let (a, b) = (pair[0].sizes(), pair[1].sizes());
        if a.last() != b.first() {
            let (a, b) = (a.as_slice(), b.as_slice());
            fault!(RuntimeError, "multi_dot(): tensors {n} and {} with shapes {a:?} and {b:?} cannot be multiplied", n + 1);
        }
    }
    Ok(cheapest(&tensors)?.into())
}

/// The product of matrices in the order that takes the fewest multiplications; of equal ones the one PyTorch takes.
fn cheapest(tensors: &[Tensor]) -> Result<Tensor> {
    if let [a, b] = tensors {
        return matmul_of(a, b);
    }
    let last = tensors.len() - 1;
    let mut sizes: Vec<i64> = tensors.iter().map(|t| t.sizes()[0]).collect();
    if tensors[0].ndim() == 1 {
        sizes[0] = 1;
    }
    sizes.push(if tensors[last].ndim() == 1 { 1 } else { tensors[last].sizes()[1] });
    if let [a, b, c] = tensors {
        let (left, right) = (sizes[0] * sizes[2] * (sizes[1] + sizes[3]), sizes[1] * sizes[3] * (sizes[0] + sizes[2]));
        return if left > right { matmul_of(a, &matmul_of(b, c)?) } else { matmul_of(&matmul_of(a, b)?, c) };
    }
    let count = tensors.len();
    let (mut cost, mut cut) = (vec![vec![0i64; count]; count], vec![vec![0usize; count]; count]);
    for length in 1..count {
        for first in 0..count - length {
            let end = first + length;
            cost[first][end] = i64::MAX;
            for k in first..end {
                let price = cost[first][k] + cost[k + 1][end] + sizes[first] * sizes[k + 1] * sizes[end + 1];
                if price < cost[first][end] {
                    (cost[first][end], cut[first][end]) = (price, k);
                }
            }
        }
    }
    part_of(tensors, &cut, 0, last)
}

/// The product of the matrices from `first` to `last`, cut where `cut` says.
fn part_of(tensors: &[Tensor], cut: &[Vec<usize>], first: usize, last: usize) -> Result<Tensor> {
    if first == last {
        return Ok(tensors[first].clone());
    }
    let at = cut[first][last];
    matmul_of(&part_of(tensors, cut, first, at)?, &part_of(tensors, cut, at + 1, last)?)
}
