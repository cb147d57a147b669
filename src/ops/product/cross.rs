//! Products of vectors in space.

use crate::dtype::DType;
use crate::layout::{broadcast_sizes, wrap_dim};
use crate::ops::map::{Map, elementwise};
use crate::ops::{Args, Operand, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Complex products are rounded part by part, so that what is parallel gives zeros.
const MULTIPLY: Map = elementwise!(mul(a, b), Promote, "a * b"; integer: a.wrapping_mul(b); float: a * b; complex: a * b);
const MULTIPLY_LESS: Map = elementwise!(mul(a, b, c), Promote, "a * b - c"; float: a.mul_add(b, -c));
const SUBTRACT: Map = elementwise!(sub(a, b), Promote, "a - b"; integer: a.wrapping_sub(b); float: a - b; complex: a - b);
pub(super) fn cross(args: &Args) -> Result<Value> {
    let (a, b, dim): (Tensor, Tensor, i64) = args.take()?;
    cross_of(&a, &b, dim)
}

pub(super) fn cross_somewhere(args: &Args) -> Result<Value> {
    let (a, b, dim): (Tensor, Tensor, Option<i64>) = args.take()?;
    let dim = match dim {
        Some(dim) => dim,
        None => match a.sizes().iter().position(|n| *n == 3) {
            Some(dim) => dim as i64,
            None => fault!(RuntimeError, "no dimension of size 3 in input"),
        },
    };
    cross_of(&a, &b, dim)
}

fn cross_of(a: &Tensor, b: &Tensor, given: i64) -> Result<Value> {
    if a.ndim() != b.ndim() {
        fault!(RuntimeError, "linalg.cross: inputs must have the same number of dimensions.");
    }
    if a.ndim() == 0 {
        fault!(IndexError, "Dimension specified as {given} but tensor has no dimensions");
    }
    let dim = wrap_dim(given, a.ndim())?;
    if a.sizes()[dim] != 3 || b.sizes()[dim] != 3 {
        let (one, other) = (a.sizes()[dim], b.sizes()[dim]);
        fault!(RuntimeError, "linalg.cross: inputs dimension {given} must have length 3. Got {one} and {other}");
    }
    let sizes = broadcast_sizes(&a.sizes(), &b.sizes())?;
    if a.dtype() == DType::Bool {
        fault!(NotImplementedError, "\"cross\" not implemented for 'Bool'");
    }
    if a.dtype() != b.dtype() {
        fault!(RuntimeError, "expected scalar type {} but found {}", a.dtype().title(), b.dtype().title());
    }
    let (a, b) = (a.alias(a.layout().broadcast_to(&sizes)?)?, b.alias(b.layout().broadcast_to(&sizes)?)?);
    let part = |x: &Tensor, n: i64| -> Result<Operand> {
        let mut layout = (*x.layout()).clone();
        layout.offset += layout.strides[dim] * n;
        layout.sizes[dim] = 1;
        Ok(Operand::Tensor(x.alias(layout)?))
    };
    let result = exec::empty(&sizes, a.dtype(), a.device())?;
    for n in 0..3 {
        let (next, last) = ((n + 1) % 3, (n + 2) % 3);
        let minus = Operand::Tensor(MULTIPLY.of("cross", &[part(&a, last)?, part(&b, next)?], &[])?);
        let plus = [part(&a, next)?, part(&b, last)?];
        // Of wide floats only one product is rounded.
        let difference = if matches!(a.dtype(), DType::F32 | DType::F64) {
            let [x, y] = plus;
            MULTIPLY_LESS.of("cross", &[x, y, minus], &[])?
        } else {
            SUBTRACT.of("cross", &[Operand::Tensor(MULTIPLY.of("cross", &plus, &[])?), minus], &[])?
        };
        if let Operand::Tensor(target) = part(&result, n)? {
            exec::copy(&target, &difference)?;
        }
    }
    Ok(result.into())
}
