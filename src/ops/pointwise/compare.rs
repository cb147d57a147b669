//! Comparisons, and which of two elements is greater.

use crate::dtype::{DType, Number, general};
use crate::kernel::rest::{Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::ops::Form::{Code, Native};
use crate::ops::autograd::texts;
use crate::ops::map::{Map, NOTHING, WIDE, elementwise, map};
use crate::ops::{Args, Form, Gradients, Operand, exec, op};
use crate::scalar;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Whether the elements of two tensors are equal.
pub const EQ: Map =
    elementwise!(light eq(a, b), Truth, "a == b"; any => bool: a == b; narrow => bool: a == b; truth => bool: a == b);

const LESS: &str = "torch.where(self > other, 0., torch.where(self == other, grad / 2, grad))";

/// The greater of two; both have half where they are equal.
const MORE: &str = "torch.where(self < other, 0., torch.where(self == other, grad / 2, grad))";

/// Of what a comparison in place leaves of its target and of what that was compared with.
const TRUTHS: Gradients = &[("self", texts::FLAT), ("other", "other.new_zeros(other.shape)")];

rows![
    op("eq(Tensor self, Operand other) -> Tensor", "Whether the elements are equal.", "torch.tensor([1, 2]).eq(2)  # tensor([False,  True])",
        Form::Map(EQ)).inplace().alias(&["__eq__"]).no_grad().grads(TRUTHS).complex(),
    op("ne(Tensor self, Operand other) -> Tensor", "Whether the elements differ.", "torch.tensor([1, 2]).ne(2)  # tensor([ True, False])",
        map!(light ne(a, b), Truth, "a != b"; any => bool: a != b; narrow => bool: a != b; truth => bool: a != b)).inplace().alias(&["not_equal", "__ne__"]).no_grad().grads(TRUTHS).complex(),
    op("lt(Tensor self, Operand other) -> Tensor", "Whether `self` is less.", "torch.tensor([1, 2]).lt(2)  # tensor([ True, False])",
        map!(WIDE; light lt(a, b), Truth, "a < b"; real => bool: a < b; narrow => bool: a < b)).inplace().alias(&["less", "__lt__"]).no_grad().grads(TRUTHS),
    op("le(Tensor self, Operand other) -> Tensor", "Whether `self` is less or equal.", "torch.tensor([1, 3]).le(2)  # tensor([ True, False])",
        map!(WIDE; light le(a, b), Truth, "a <= b"; real => bool: a <= b; narrow => bool: a <= b)).inplace().alias(&["less_equal", "__le__"]).no_grad().grads(TRUTHS),
    op("gt(Tensor self, Operand other) -> Tensor", "Whether `self` is greater.", "torch.tensor([1, 3]).gt(2)  # tensor([False,  True])",
        map!(WIDE; light gt(a, b), Truth, "a > b"; real => bool: a > b; narrow => bool: a > b)).inplace().alias(&["greater", "__gt__"]).no_grad().grads(TRUTHS),
    op("ge(Tensor self, Operand other) -> Tensor", "Whether `self` is greater or equal.", "torch.tensor([1, 2]).ge(2)  # tensor([False,  True])",
        map!(WIDE; light ge(a, b), Truth, "a >= b"; real => bool: a >= b; narrow => bool: a >= b)).inplace().alias(&["greater_equal", "__ge__"]).no_grad().grads(TRUTHS),
    op("maximum(Tensor self, Tensor other) -> Tensor", "The greater of each pair; NaN if either is NaN.", "torch.maximum(torch.tensor([1, 5]), torch.tensor(3))  # tensor([3, 5])",
        Native(|a| ordered(a, MAXIMUM)))
        .grads(&[("self", MORE), ("other", LESS)]),
    op("minimum(Tensor self, Tensor other) -> Tensor", "The lesser of each pair; NaN if either is NaN.", "torch.minimum(torch.tensor([1, 5]), torch.tensor(3))  # tensor([1, 3])",
        Native(|a| ordered(a, MINIMUM)))
        .grads(&[("self", LESS), ("other", MORE)]),
    op("max(Tensor self, Tensor other) -> Tensor", "", "", Native(|a| ordered(a, MAXIMUM)))
        .grads(&[
            ("self", "torch.where(self < other, 0., torch.where(self == other, grad / 2, grad))"),
            ("other", "torch.where(self > other, 0., torch.where(self == other, grad / 2, grad))"),
        ]),
    op("min(Tensor self, Tensor other) -> Tensor", "", "", Native(|a| ordered(a, MINIMUM)))
        .grads(&[
            ("self", "torch.where(self > other, 0., torch.where(self == other, grad / 2, grad))"),
            ("other", "torch.where(self < other, 0., torch.where(self == other, grad / 2, grad))"),
        ]),
    op("fmax(Tensor self, Tensor other) -> Tensor", "The greater of each pair; a NaN gives way to a number.", "torch.fmax(torch.tensor([1., float('nan')]), torch.tensor(0.5))  # tensor([1.0000, 0.5000])",
        Native(|a| ordered(a, FMAX)))
        .grads(&[
            ("self", "torch.where(self == other, grad / 2, torch.where((self >= other) | other.isnan(), grad, 0.))"),
            ("other", "torch.where(self == other, grad / 2, torch.where((self >= other) | other.isnan(), 0., grad))"),
        ]),
    op("fmin(Tensor self, Tensor other) -> Tensor", "The lesser of each pair; a NaN gives way to a number.", "torch.fmin(torch.tensor([1., float('nan')]), torch.tensor(0.5))  # tensor([0.5000, 0.5000])",
        Native(|a| ordered(a, FMIN)))
        .grads(&[
            ("self", "torch.where(self == other, grad / 2, torch.where((self <= other) | other.isnan(), grad, 0.))"),
            ("other", "torch.where(self == other, grad / 2, torch.where((self <= other) | other.isnan(), 0., grad))"),
        ]),
    op("isclose(Tensor self, Tensor other, float rtol=1e-5, float atol=1e-8, bool equal_nan=False) -> Tensor",
        "Whether `|self - other| <= atol + rtol * |other|`.", "torch.isclose(torch.tensor([1., 2.]), torch.tensor([1., 2.1]))  # tensor([ True, False])",
        Native(isclose)).no_out().no_grad(),
    op("allclose(Tensor self, Tensor other, float rtol=1e-5, float atol=1e-8, bool equal_nan=False) -> bool",
        "Whether all elements are close; see `isclose`.", "torch.allclose(torch.ones(2), torch.ones(2) + 1e-9)  # True",
        Code("torch.isclose(self, other, rtol, atol, equal_nan).all().item()")).no_out().no_grad(),
    op("isnan(Tensor self) -> Tensor", "Whether an element is NaN.", "torch.tensor([1., float('nan')]).isnan()  # tensor([False,  True])",
        map!(isnan(a), Truth, "a != a"; bits => bool: false; float => bool: a.is_nan(); complex => bool: a.re.is_nan() || a.im.is_nan())).no_out().no_grad(),
    op("isinf(Tensor self) -> Tensor", "Whether an element is infinite.", "torch.tensor([1., float('inf')]).isinf()  # tensor([False,  True])",
        map!(isinf(a), Truth LikeWholeOrCompared, "isinf(a)"; bits => bool: false; float => bool: a.is_infinite(); complex => bool: a.re.is_infinite() || a.im.is_infinite())).no_out().no_grad(),
    op("isfinite(Tensor self) -> Tensor", "Whether an element is neither infinite nor NaN.", "torch.tensor([1., float('inf')]).isfinite()  # tensor([ True, False])",
        map!(isfinite(a), Truth LikeWhole, "isfinite(a)"; bits => bool: true; float => bool: a.is_finite(); complex => bool: a.re.is_finite() && a.im.is_finite())).no_out().no_grad(),
    op("isposinf(Tensor self) -> Tensor", "Whether an element is positive infinity.", "torch.isposinf(torch.tensor([1., float('inf')]))  # tensor([False,  True])",
        Native(|a| infinite(a, f64::INFINITY))).no_grad(),
    op("isneginf(Tensor self) -> Tensor", "Whether an element is negative infinity.", "torch.isneginf(torch.tensor([1., -float('inf')]))  # tensor([False,  True])",
        Native(|a| infinite(a, f64::NEG_INFINITY))).no_grad(),
    op("isreal(Tensor self) -> Tensor", "Whether an element has no imaginary part.", "torch.isreal(torch.tensor([1 + 0j, 2j]))  # tensor([ True, False])",
        map!(isreal(a), Truth LikeRealOrCompared, "true"; bits => bool: true; float => bool: true; complex => bool: a.im == 0.0)).no_out().no_grad(),
    op("signbit(Tensor self) -> Tensor", "Whether the sign bit is set, as it is for -0.", "torch.signbit(torch.tensor([-0., 2.]))  # tensor([ True, False])",
        map!(signbit(a), Truth, "signbit(a)"; i64 => bool: a < 0; signed => bool: a < 0; u64 => bool: false; unsigned => bool: false; truth => bool: false; float => bool: a.is_sign_negative())).no_grad(),
];

/// The greater of two; of zeros the second in whole vectors, the first behind them.
pub(super) const MAXIMUM: Map = Map { scalar: &GREATER, refuses: NOTHING };
static GREATER: Scalar =
    scalar! { light maximum(a, b), Promote, "max(a, b)"; bits: a.max(b); float: if a.is_nan() || a > b { a } else { b } }
        .with_rest(
            const {
                let scalar =
                    scalar! { light maximum(a, b), Promote, "max(a, b)"; float: if a.is_nan() || a >= b { a } else { b } };
                &Rest { scalar, step: 64, operands: 2, whose: Whose::All }
            },
        );
/// The lesser of two, likewise.
pub(super) const MINIMUM: Map = Map { scalar: &LESSER, refuses: NOTHING };
static LESSER: Scalar =
    scalar! { light minimum(a, b), Promote, "min(a, b)"; bits: a.min(b); float: if a.is_nan() || a < b { a } else { b } }
        .with_rest(
            const {
                let scalar =
                    scalar! { light minimum(a, b), Promote, "min(a, b)"; float: if a.is_nan() || a <= b { a } else { b } };
                &Rest { scalar, step: 64, operands: 2, whose: Whose::All }
            },
        );
const FMAX: Map =
    elementwise!(light fmax(a, b), Promote, "fmax(a, b)"; whole: a.max(b); float: if b.is_nan() || a >= b { a } else { b });
const FMIN: Map =
    elementwise!(light fmin(a, b), Promote, "fmin(a, b)"; whole: a.min(b); float: if b.is_nan() || a <= b { a } else { b });
const CLOSE: Map = elementwise!(isclose(a, b, rtol, atol), Truth, "fabs(a - b) <= atol + fabs(rtol * b)";
    float => bool: a == b || ((a - b).abs() <= atol + (rtol * b).abs() && b.is_finite() && a.is_finite());
    complex => bool: a == b || ((a - b).norm() <= atol.re + (rtol * b).norm() && b.re.is_finite() && b.im.is_finite()));
const CLOSE_NAN: Map = elementwise!(isclose(a, b, rtol, atol), Truth, "fabs(a - b) <= atol + fabs(rtol * b) || (isnan(a) && isnan(b))";
    float => bool: a == b || (a.is_nan() && b.is_nan()) || ((a - b).abs() <= atol + (rtol * b).abs() && b.is_finite() && a.is_finite());
    complex => bool: a == b || (a.is_nan() && b.is_nan()) || ((a - b).norm() <= atol.re + (rtol * b).norm() && b.re.is_finite() && b.im.is_finite()));
const IS: Map = elementwise!(isposinf(a, v), Truth, "a == v"; bits => bool: false; float => bool: a == v);

fn ordered(args: &Args, map: Map) -> Result<Value> {
    let (x, other): (Tensor, Tensor) = args.take()?;
    if x.dtype().is_complex() || other.dtype().is_complex() {
        let name = match args.op.name() {
            "max" => "maximum",
            "min" => "minimum",
            name => name,
        };
        fault!(TypeError, "{name} not implemented for complex tensors.");
    }
    Ok(map.answer(args, &[Operand::Tensor(x), Operand::Tensor(other)], &[])?.into())
}

fn isclose(args: &Args) -> Result<Value> {
    let (x, other, rtol, atol, equal_nan): (Tensor, Tensor, f64, f64, bool) = args.take()?;
    if x.dtype() != other.dtype() {
        fault!(RuntimeError, "{} did not match {}", x.dtype().title(), other.dtype().title());
    }
    for (name, tolerance) in [("rtol", rtol), ("atol", atol)] {
        if tolerance.is_nan() || tolerance < 0.0 {
            fault!(RuntimeError, "{name} must be greater than or equal to zero, but got {}", general(tolerance, 6));
        }
    }
    let (x, other) =
        if x.dtype().is_integral(true) { (exec::cast(&x, DType::F64)?, exec::cast(&other, DType::F64)?) } else { (x, other) };
    let map = if equal_nan { CLOSE_NAN } else { CLOSE };
    let operands = [Operand::Tensor(x), Operand::Tensor(other)];
    Ok(map.answer(args, &operands, &[Number::Float(rtol), Number::Float(atol)])?.into())
}

fn infinite(args: &Args, which: f64) -> Result<Value> {
    let (x,): (Tensor,) = args.take()?;
    if x.dtype().is_complex() {
        fault!(TypeError, "{} does not support complex inputs.", args.op.name());
    }
    let which = if x.dtype().is_float() { Number::Float(which) } else { Number::Int(0) };
    Ok(IS.answer(args, &[Operand::Tensor(x)], &[which])?.into())
}
