//! Rounding.

use crate::dtype::Number;
use crate::ops::Form::Native;
use crate::ops::autograd::texts;
use crate::ops::map::{BOOL, BOOL_WIDE, Map, elementwise, map};
use crate::ops::refusal::{ALL, kernel};
use crate::ops::{Args, Operand, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

const SCALED_UP: Map = elementwise!(round(a, t), Promote, "rint(a * t) / t"; float: (a * t).round_ties_even() / t);
const SCALED_DOWN: Map = elementwise!(round(a, t), Promote, "rint(a / t) * t"; float: (a / t).round_ties_even() * t);

rows![
    op(
        "floor(Tensor self) -> Tensor",
        "The greatest whole number that is not above each element.",
        "torch.tensor([1.7, -1.2]).floor()  # tensor([ 1., -2.])",
        map!(BOOL; light floor(a), Promote, "floor(a)"; whole: a; float: a.floor())
    )
    .inplace()
    .grads(&[("self", texts::FLAT)]),
    op(
        "ceil(Tensor self) -> Tensor",
        "The least whole number that is not below each element.",
        "torch.tensor([1.2, -1.7]).ceil()  # tensor([ 2., -1.])",
        map!(BOOL; light ceil(a), Promote, "ceil(a)"; whole: a; float: a.ceil())
    )
    .inplace()
    .grads(&[("self", texts::FLAT)]),
    op(
        "trunc(Tensor self) -> Tensor",
        "Each element without its fraction.",
        "torch.tensor([1.7, -1.7]).trunc()  # tensor([ 1., -1.])",
        map!(BOOL; light trunc(a), Promote, "trunc(a)"; whole: a; float: a.trunc())
    )
    .inplace()
    .alias(&["fix"])
    .grads(&[("self", texts::FLAT)]),
    op(
        "round(Tensor self) -> Tensor",
        "The nearest whole number, ties to even; with `decimals`, the nearest number with so many digits.",
        "torch.tensor([0.5, 1.5]).round()  # tensor([0., 2.])",
        map!(BOOL; light round(a), Promote, "rint(a)"; whole: a; float: a.round_ties_even())
    )
    .inplace()
    .grads(&[("self", texts::FLAT)]),
    op("round(Tensor self, *, int decimals) -> Tensor", "", "", Native(decimals)).inplace().grads(&[("self", texts::FLAT)]),
    op(
        "special.round(Tensor self, *, int decimals=0) -> Tensor",
        "As `round`, of floats alone.",
        "torch.special.round(torch.tensor([0.5, 1.5]))  # tensor([0., 2.])",
        Native(decimals)
    )
    .grads(&[("self", texts::FLAT)])
    .refuses(&[kernel(ALL, "round_vml_cpu")]),
    op(
        "frac(Tensor self) -> Tensor",
        "The fraction of each element, with its sign.",
        "torch.tensor([1.25, -1.25]).frac()  # tensor([ 0.2500, -0.2500])",
        map!(BOOL_WIDE; light frac(a), Promote, "a - trunc(a)"; float: a - a.trunc())
    )
    .inplace()
    .grads(&[("self", "grad")]),
];

fn decimals(args: &Args) -> Result<Value> {
    let (x, decimals): (Tensor, i64) = args.take()?;
    if decimals != 0 && (x.dtype().is_integral(true) || x.dtype().is_complex() || x.dtype().is_float8()) {
        fault!(NotImplementedError, "\"round_cpu\" not implemented for '{}'", x.dtype().title());
    }
    let power = Number::Float(10f64.powi(decimals.unsigned_abs().min(400) as i32));
    let map = if decimals >= 0 { SCALED_UP } else { SCALED_DOWN };
    Ok(map.answer(args, &[Operand::Tensor(x)], &[power])?.into())
}
