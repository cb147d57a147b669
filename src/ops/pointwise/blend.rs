//! Choosing between values: where, clamp, lerp, nan_to_num.

use crate::dtype::{DType, Kind, Number, general};
use crate::kernel::element::Choose;
use crate::kernel::rest::{Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::ops::Form::{Code, Native};
use crate::ops::map::{BOOL, Map, NOTHING, elementwise};
use crate::ops::{Args, FromValue, Operand, exec, op, out, rare};
use crate::scalar;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

const CLAMP: Map = elementwise!(BOOL; light clamp(a, low, high), Promote Aside, "min(max(a, low), high)";
    whole: a.max(low).min(high);
    float: { let v = if a < low { low } else { a }; let v = if v > high { high } else { v }; if low.is_nan() | high.is_nan() { T::NAN } else { v } });
/// Between bounds that are tensors: of zeros the bound in whole vectors, the element behind them.
const CLAMP_BETWEEN: Map = Map { scalar: &BETWEEN, refuses: BOOL };
static BETWEEN: Scalar = scalar! { light clamp(a, low, high), Promote Aside, "min(max(a, low), high)";
    whole: a.max(low).min(high);
    float: { let v = if a > low { a } else { low }; let v = if v < high { v } else { high }; if a.is_nan() | low.is_nan() | high.is_nan() { T::NAN } else { v } } }
.with_rest(const { &Rest { scalar: *CLAMP.scalar, step: 64, operands: 3, whose: Whose::All } });
const CLAMP_MIN: Map = elementwise!(BOOL; light clamp_min(a, low), Promote Aside, "max(a, low)"; whole: a.max(low); float: if a < low || low.is_nan() { low } else { a });
const CLAMP_MAX: Map = elementwise!(BOOL; light clamp_max(a, high), Promote Aside, "min(a, high)"; whole: a.min(high); float: if a > high || high.is_nan() { high } else { a });
/// The first value where a truth value is true, else the second.
pub const WHERE: Map =
    elementwise!(where(c: bool, a, b), Promote, "c ? a : b"; any: a.or(c, b); narrow: a.or(c, b); truth: a.or(c, b));
const FINITE: Map = elementwise!(nan_to_num(a, nan, high, low), Promote Like, "nan_to_num(a)";
    float: finite(a, nan, high, low);
    complex: T::new(finite(a.re, nan.re, high.re, low.re), finite(a.im, nan.re, high.re, low.re)));
const LERP: Map = Map { scalar: &BLEND, refuses: NOTHING };
/// Complex numbers are blended with less one than the weight in whole vectors, and with one less the weight behind them.
static BLEND: Scalar = scalar! { light lerp(a, b, w), Promote, "w < 0.5 ? a + w * (b - a) : b - (b - a) * (1 - w)";
float: if w.abs() < 0.5 { w.mul_add(b - a, a) } else { (b - a).mul_add(-(1.0 - w), b) };
complex: if w.norm() < 0.5 { a + w * (b - a) } else { b + (w - T::new(1.0, 0.0)) * (b - a) } }
.with_rest(
    const {
        &Rest {
            scalar: scalar! { light lerp(a, b, w), Promote, "w < 0.5 ? a + w * (b - a) : b - (b - a) * (1 - w)";
            complex: if w.norm() < 0.5 { a + w * (b - a) } else { b - (b - a) * (T::new(1.0, 0.0) - w) } },
            step: 64,
            operands: 3,
            whose: Whose::All,
        }
    },
);

fn finite<F: num_traits::Float>(a: F, nan: F, high: F, low: F) -> F {
    if a.is_nan() {
        nan
    } else if a.is_infinite() {
        if a > F::zero() { high } else { low }
    } else {
        a
    }
}

/// At a bound that is a number nothing comes through, at one that is a tensor half.
const CLAMP_GRADIENT: &str = "found = grad
if isinstance(min, torch.Tensor) or isinstance(max, torch.Tensor):
    if min is not None:
        found = torch.where(self == min, found / 2, torch.where(self < min, 0., found))
    if max is not None:
        found = torch.where(self == max, found / 2, torch.where(self > max, 0., found))
    if min is not None and max is not None:
        found = torch.where(max < min, 0., torch.where((self == min) & (self == max), grad, found))
else:
    if min is not None:
        found = torch.where(self > min, found, 0.)
    if max is not None:
        found = torch.where(self < max, found, 0.)
found";

/// Of the lower bound: what lies below it, and half of what lies on it, unless the upper bound wins.
const CLAMP_MIN_GRADIENT: &str = "found = torch.where(self > min, 0., torch.where(self == min, grad / 2, grad))
if max is not None:
    found = torch.where(self < min, found, torch.where(self == min, found, 0.))
found if max is None else torch.where(max < min, 0., torch.where((self == min) & (self == max), 0., found))";

/// As `CLAMP_MIN_GRADIENT`, of the upper one.
const CLAMP_MAX_GRADIENT: &str = "found = torch.where(self < max, 0., torch.where(self == max, grad / 2, grad))
if min is not None:
    found = torch.where(self > max, found, torch.where(self == max, found, 0.))
found if min is None else torch.where(max < min, grad, torch.where((self == min) & (self == max), 0., found))";

rows![
    op(
        "where(Tensor condition, Tensor self, Tensor other) -> Tensor",
        "`self` where the condition holds, `other` elsewhere. With the condition alone: the indices where it holds, as `nonzero(as_tuple=True)`.",
        "torch.where(torch.tensor([True, False]), 1, 2)  # tensor([1, 2])",
        Native(select),
    )
    .function_only()
        .grads(&[("self", "torch.where(condition, grad, 0.)"), ("other", "torch.where(condition, 0., grad)")]).complex(),
    op("where(Tensor condition, Operand self, Operand other) -> Tensor", "", "", Native(select)).function_only().no_out()
        .grads(&[("self", "torch.where(condition, grad, 0.)"), ("other", "torch.where(condition, 0., grad)")]).complex(),
    op("where(Tensor condition) -> Any", "", "", Code("condition.nonzero(as_tuple=True)")).function_only().no_out(),
    op("where(Tensor self, Tensor condition, Operand other) -> Tensor", "", "", Native(select_method)).method_only()
        .grads(&[("self", "torch.where(condition, grad, 0.)"), ("other", "torch.where(condition, 0., grad)")]).complex(),
    op(
        "clamp(Tensor self, Operand? min=None, Operand? max=None) -> Tensor",
        "Each element, but not below `min` and not above `max`. When `min` is the greater of the two, `max` wins.",
        "torch.tensor([1, 5, 9]).clamp(2, 6)  # tensor([2, 5, 6])",
        Native(clamp),
    )
    .inplace()
    .alias(&["clip"])
        .grads(&[
            ("self", CLAMP_GRADIENT),
            ("min", CLAMP_MIN_GRADIENT),
            ("max", CLAMP_MAX_GRADIENT),
        ]),
    op("clamp_min(Tensor self, Operand min) -> Tensor", "Each element, but not below `min`.", "torch.tensor([1, 5]).clamp_min(2)  # tensor([2, 5])",
        Native(clamp)).inplace()
        .grads(&[("self", "torch.where(self < min, 0., torch.where(self == min, grad / 2, grad)) if isinstance(min, torch.Tensor) else torch.where(self > min, grad, 0.)"),
            ("min", "torch.where(self > min, 0., torch.where(self == min, grad / 2, grad))")]),
    op("clamp_max(Tensor self, Operand max) -> Tensor", "Each element, but not above `max`.", "torch.tensor([1, 5]).clamp_max(2)  # tensor([1, 2])",
        Native(|a| bounded(a, None, Operand::from_value(a.value(1))))).inplace()
        .grads(&[("self", "torch.where(self > max, 0., torch.where(self == max, grad / 2, grad)) if isinstance(max, torch.Tensor) else torch.where(self < max, grad, 0.)"),
            ("max", "torch.where(self < max, 0., torch.where(self == max, grad / 2, grad))")]),
    op(
        "lerp(Tensor self, Tensor end, Operand weight) -> Tensor",
        "The point between `self` and `end` at the share `weight` of the way.",
        "torch.lerp(torch.tensor([0.]), torch.tensor([10.]), 0.3)  # tensor([3.])",
        Native(lerp),
    )
    .inplace()
        .grads(&[("self", "grad * (1 - weight)"), ("end", "grad * weight"), ("weight", "grad * (end - self)")]).conjugated(),
    op(
        "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
        "NaN becomes `nan` (0), the infinities `posinf` and `neginf` (the largest and least number of the dtype).",
        "torch.tensor([float('nan'), 1.]).nan_to_num()  # tensor([0., 1.])",
        Native(nan_to_num),
    )
    .inplace()
        .grads(&[("self", "grad * self.isfinite()")])
    .complex(),
];

fn select(args: &Args) -> Result<Value> {
    let (condition, x, other): (Tensor, Operand, Operand) = args.take()?;
    choose(args, condition, x, other)
}

fn select_method(args: &Args) -> Result<Value> {
    let (x, condition, other): (Operand, Tensor, Operand) = args.take()?;
    choose(args, condition, x, other)
}

fn choose(args: &Args, condition: Tensor, x: Operand, other: Operand) -> Result<Value> {
    let common = exec::common_dtype(&[x.clone(), other.clone()])?;
    if let Value::Tensor(target) = &args.out {
        out::check(args, common, target)?;
    }
    if !matches!(condition.dtype(), DType::Bool | DType::U8) {
        fault!(
            RuntimeError,
            "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
            condition.dtype().title()
        );
    }
    for operand in [&x, &other] {
        if let (Operand::Number(number), true) = (operand, common.is_integral(false)) {
            exec::check_fits(*number, common)?;
        }
    }
    let condition = exec::cast(&condition, DType::Bool)?;
    Ok(WHERE.answer(args, &[Operand::Tensor(condition), x, other], &[])?.into())
}

fn clamp(args: &Args) -> Result<Value> {
    bounded(args, Operand::from_value(args.value(1)), Operand::from_value(args.value(2)))
}

fn bounded(args: &Args, low: Option<Operand>, high: Option<Operand>) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    let real = |bound: Option<Operand>| match bound {
        Some(Operand::Number(Number::Complex(c))) if x.dtype().is_float() && c.im == 0.0 => {
            Some(Operand::Number(Number::Float(c.re)))
        }
        // Beside an int it would be of another dtype than that.
        Some(Operand::Number(Number::Unsigned(n))) if x.dtype().is_float() => Some(Operand::Number(Number::Float(n as f64))),
        other => other,
    };
    let bounds = (real(low), real(high));
    let (low, high) = limits(x.dtype());
    // Beside a float bound the other one is a float, too, and a complex one is refused.
    let whole = ![&bounds.0, &bounds.1].iter().any(|b| matches!(b, Some(Operand::Number(Number::Float(_) | Number::Complex(_)))));
    let beyond = |which: &str, bound: &Option<Operand>, is_beyond: &dyn Fn(i128) -> bool| -> Result<()> {
        let number = match bound {
            Some(Operand::Number(Number::Int(n))) => *n as i128,
            Some(Operand::Number(Number::Unsigned(n))) if x.dtype() != DType::U64 => *n as i128,
            _ => return Ok(()),
        };
        if whole && x.dtype().is_integral(true) && is_beyond(number) {
            let (bound, title) = (general(number as f64, 6), x.dtype().title());
            fault!(RuntimeError, "Clamp {which} value {bound} is outside the representable range of {title}")
        }
        Ok(())
    };
    beyond("min", &bounds.0, &|n| n > high as i128)?;
    beyond("max", &bounds.1, &|n| n < low as i128)?;
    refuse_complex(args, x.dtype(), [&bounds.0, &bounds.1])?;
    for bound in [&bounds.0, &bounds.1].into_iter().flatten() {
        match bound {
            Operand::Number(number) if x.dtype().is_float() => exec::check_fits(*number, x.dtype())?,
            _ => {}
        }
    }
    let is_alone = bounds.0.is_none();
    let fit = |bound: Operand| match bound {
        Operand::Number(Number::Int(n)) if whole && x.dtype().is_integral(false) => {
            Operand::Number(Number::Int(n.clamp(low, high)))
        }
        Operand::Number(Number::Unsigned(_)) if is_alone && x.dtype() != DType::U64 && x.dtype().is_integral(false) => {
            Operand::Number(Number::Int(high))
        }
        other => other,
    };
    let x = Operand::Tensor(x.clone());
    let result = match (bounds.0.map(fit), bounds.1.map(fit)) {
        // Two truth values have an order, though the functions of one number refuse them.
        (Some(Operand::Tensor(low)), None) if all_bool(&[&x, &Operand::Tensor(low.clone())]) => {
            super::compare::MAXIMUM.answer(args, &[x, Operand::Tensor(low)], &[])?
        }
        (None, Some(Operand::Tensor(high))) if all_bool(&[&x, &Operand::Tensor(high.clone())]) => {
            super::compare::MINIMUM.answer(args, &[x, Operand::Tensor(high)], &[])?
        }
        (Some(low @ Operand::Tensor(_)), Some(high @ Operand::Tensor(_))) => CLAMP_BETWEEN.answer(args, &[x, low, high], &[])?,
        (Some(low), Some(high)) => CLAMP.answer(args, &[x, low, high], &[])?,
        (Some(low), None) => by_one(args, CLAMP_MIN, super::compare::MAXIMUM, &[x, low])?,
        (None, Some(high)) => by_one(args, CLAMP_MAX, super::compare::MINIMUM, &[x, high])?,
        (None, None) => fault!(RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None"),
    };
    Ok(result.into())
}

/// A bound alone, which has a kernel of its own; of tensors it is the greater or the lesser of two.
fn by_one(args: &Args, by_number: Map, by_tensor: Map, operands: &[Operand]) -> Result<Tensor> {
    by_number.check_as(by_number.scalar.name, args, operands)?;
    let of_tensors = operands.iter().all(|o| matches!(o, Operand::Tensor(_)));
    exec::map_new(if of_tensors { by_tensor } else { by_number }.scalar, operands, &[])
}

fn all_bool(operands: &[&Operand]) -> bool {
    operands.iter().all(|o| matches!(o, Operand::Tensor(t) if t.dtype() == DType::Bool))
}

/// The least and the greatest number of an integer dtype, as far as an int64 holds them.
fn limits(dtype: DType) -> (i64, i64) {
    let bits = dtype.size() as u32 * 8;
    match dtype.kind() {
        Kind::Signed if bits < 64 => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Kind::Unsigned if bits < 64 => (0, (1 << bits) - 1),
        Kind::Unsigned => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    }
}

/// The weight of `lerp`: one number in a tensor of another dtype is rounded to that of what is blended.
fn share(x: &Tensor, weight: Operand) -> Result<Operand> {
    Ok(match weight {
        Operand::Tensor(w) if w.ndim() == 0 && w.dtype() != x.dtype() => Operand::Tensor(exec::cast(&w, x.dtype())?),
        other => other,
    })
}

fn lerp(args: &Args) -> Result<Value> {
    let (x, end, weight): (Tensor, Tensor, Operand) = args.take()?;
    if let Some(blend) = promoted(args, &x, &end, &weight)? {
        return Ok(blend.into());
    }
    let weight = share(&x, weight)?;
    let weight_dtype = match &weight {
        Operand::Tensor(w) => w.dtype(),
        Operand::Number(_) => x.dtype(),
    };
    if end.dtype() != x.dtype() || weight_dtype != x.dtype() {
        fault!(
            RuntimeError,
            "expected dtype {} for `{}` but got dtype {}",
            x.dtype().c_name(),
            if end.dtype() != x.dtype() { "end" } else { "weight" },
            if end.dtype() != x.dtype() { end.dtype() } else { weight_dtype }.c_name()
        );
    }
    if x.dtype().is_integral(true) || rare::is_float8(x.dtype()) {
        exec::sizes_of(&[Operand::Tensor(x.clone()), Operand::Tensor(end.clone())])?;
        let kind = if matches!(weight, Operand::Tensor(_)) { "tensor" } else { "scalar" };
        fault!(NotImplementedError, "\"lerp_kernel_{kind}\" not implemented for '{}'", x.dtype().title());
    }
    if let Operand::Number(number) = weight {
        // Half precision is blended in float32, in which the number stays what it is.
        let wide = if matches!(x.dtype(), DType::F16 | DType::BF16) { DType::F32 } else { x.dtype() };
        exec::check_fits(number, wide)?;
        return Ok(LERP.answer(args, &[Operand::Tensor(x), Operand::Tensor(end)], &[number])?.into());
    }
    Ok(LERP.answer(args, &[Operand::Tensor(x), Operand::Tensor(end), weight], &[])?.into())
}

/// The blend by one number in a tensor, where that is of a higher kind than what is blended: in the dtype of both.
fn promoted(args: &Args, x: &Tensor, end: &Tensor, weight: &Operand) -> Result<Option<Tensor>> {
    let kind = |dtype: DType| (dtype.is_integral(true), dtype.is_complex());
    let higher = |w: &Tensor| w.ndim() == 0 && kind(w.dtype()) != kind(x.dtype()) && !w.dtype().is_integral(true);
    let Operand::Tensor(weight) = weight else { return Ok(None) };
    if !higher(weight) || x.dtype().is_complex() || end.dtype() != x.dtype() || rare::is_rare(x.dtype()) {
        return Ok(None);
    }
    let common = exec::common_dtype(&[Operand::Tensor(x.clone()), Operand::Tensor(weight.clone())])?;
    let parts = [exec::cast(x, common)?, exec::cast(end, common)?, exec::cast(weight, common)?];
    LERP.answer(args, &parts.map(Operand::Tensor), &[]).map(Some)
}

fn nan_to_num(args: &Args) -> Result<Value> {
    let (x, nan, high, low): (Tensor, Option<f64>, Option<f64>, Option<f64>) = args.take()?;
    if x.dtype().is_integral(true) {
        return Ok(exec::clone(&x)?.into());
    }
    Ok(FINITE.answer(args, &[Operand::Tensor(x.clone())], &replacements(x.dtype(), [nan, high, low]))?.into())
}

/// The elements, with other numbers for NaN and the infinities: by default 0 and the greatest and least of the dtype.
pub fn finite_numbers(x: &Tensor, others: [Option<f64>; 3]) -> Result<Tensor> {
    FINITE.of("nan_to_num", &[Operand::Tensor(x.clone())], &replacements(x.dtype(), others))
}

fn replacements(dtype: DType, [nan, high, low]: [Option<f64>; 3]) -> [Number; 3] {
    let most = match dtype.to_real() {
        DType::F16 => half::f16::MAX.to_f64(),
        DType::BF16 => half::bf16::MAX.to_f64(),
        DType::F32 => f32::MAX as f64,
        _ => f64::MAX,
    };
    [nan.unwrap_or(0.0), high.unwrap_or(most), low.unwrap_or(-most)].map(Number::Float)
}

/// Fails for complex numbers, which have no order, as elements and as bounds.
fn refuse_complex(args: &Args, dtype: DType, bounds: [&Option<Operand>; 2]) -> Result<()> {
    let name = args.op.name();
    let imaginary = bounds.iter().any(|b| matches!(b, Some(Operand::Number(Number::Complex(_)))));
    let by_tensor = bounds.iter().any(|b| matches!(b, Some(Operand::Tensor(_))));
    if imaginary && name == "clamp" && dtype.is_float() {
        fault!(RuntimeError, "value cannot be converted to type double without overflow");
    }
    if imaginary && name == "clamp" && args.inplace && !dtype.is_complex() && !dtype.is_float() {
        let name = dtype.c_name();
        fault!(RuntimeError, "result type ComplexFloat can't be cast to the desired output type {name}");
    }
    let refused = dtype.is_complex() && bounds.iter().any(|b| b.is_some()) && !(by_tensor && name != "clamp");
    if imaginary || refused {
        fault!(NotImplementedError, "clamp is not supported for complex types");
    }
    Ok(())
}
