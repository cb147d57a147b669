//! Arithmetic on small ints and floats: the cases that loops are made of. Everything else goes through the operators.

use super::number::{Kind, Number};
use crate::lang::types::float;
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::Value;

/// Beyond this an int is not exact as a float, and true division takes the slow way.
pub(super) const EXACT: u64 = 1 << 53;

/// `a op b` where that is a small int again; none when it overflows, divides by zero, or needs rules that are not here.
#[inline(always)]
fn int(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::FloorDiv => {
            let quotient = a.checked_div(b)?;
            Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
        }
        BinaryOp::Mod => {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        BinaryOp::Pow => a.checked_pow(u32::try_from(b).ok()?),
        BinaryOp::LShift if (0..63).contains(&b) => (a << b >> b == a).then_some(a << b),
        BinaryOp::RShift if b >= 0 => Some(a >> b.min(63)),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        _ => None,
    }
}

/// `a / b`; none for other operators, for zero, and for ints that are not exact as floats.
#[inline(always)]
fn ratio(op: BinaryOp, a: i64, b: i64) -> Option<f64> {
    let exact = op == BinaryOp::Div && b != 0 && a.unsigned_abs() < EXACT && b.unsigned_abs() < EXACT;
    exact.then(|| a as f64 / b as f64)
}

/// `a op b` for the operators that need no more than the processor.
#[inline(always)]
fn float(op: BinaryOp, a: f64, b: f64) -> Option<f64> {
    Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div if b != 0.0 => a / b,
        BinaryOp::FloorDiv if b != 0.0 => float::divmod(a, b).0,
        BinaryOp::Mod if b != 0.0 => float::divmod(a, b).1,
        // What overflows, has no real value, or began so, is for the rules of Python.
        BinaryOp::Pow => Some(a.powf(b)).filter(|power| power.is_finite())?,
        _ => return None,
    })
}

/// `a op b` on numbers of any kind; none when that needs rules that are not here.
#[inline(always)]
pub fn combine(op: BinaryOp, a: Number, b: Number) -> Option<Number> {
    match (a.kind, b.kind) {
        (Kind::Int, Kind::Int) => ints(op, a.bits as i64, b.bits as i64),
        (Kind::Bool, Kind::Bool) => bools(op, a.bits as i64, b.bits as i64),
        (Kind::Bool | Kind::Int, Kind::Bool | Kind::Int) => ints(op, a.bits as i64, b.bits as i64),
        _ => floats(op, a.to_f64()?, b.to_f64()?),
    }
}

/// `a op b` on bools, which are ints but for the operators of bits.
fn bools(op: BinaryOp, a: i64, b: i64) -> Option<Number> {
    let number = ints(op, a, b)?;
    let is_of_bits = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
    Some(if is_of_bits { Number::bool(number.truth()) } else { number })
}

/// `a op b` on ints.
#[inline(always)]
pub fn ints(op: BinaryOp, a: i64, b: i64) -> Option<Number> {
    match int(op, a, b) {
        Some(int) => Some(Number::int(int)),
        None => ratio(op, a, b).map(Number::float),
    }
}

/// `a op b` on floats.
#[inline(always)]
pub fn floats(op: BinaryOp, a: f64, b: f64) -> Option<Number> {
    float(op, a, b).map(Number::float)
}

/// `a op b` for the operators that order, on ints and floats.
#[inline(always)]
pub fn order(op: CompareOp, a: Number, b: Number) -> Option<bool> {
    match (a.kind, b.kind) {
        (Kind::Int, Kind::Int) => compare(op, a.bits as i64, b.bits as i64),
        (Kind::Float, Kind::Float) => compare(op, f64::from_bits(a.bits), f64::from_bits(b.bits)),
        _ if [a, b].iter().all(Number::is_exact) => compare(op, a.to_f64()?, b.to_f64()?),
        _ => None,
    }
}

/// `left op right` when both are numbers.
#[inline(always)]
pub fn numbers(op: BinaryOp, left: &Value, right: &Value) -> Option<Number> {
    combine(op, Number::of(left)?, Number::of(right)?)
}

/// `a op b` for the operators that order.
#[inline(always)]
pub fn compare<T: PartialOrd>(op: CompareOp, a: T, b: T) -> Option<bool> {
    Some(match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Lt => a < b,
        CompareOp::Le => a <= b,
        CompareOp::Gt => a > b,
        CompareOp::Ge => a >= b,
        _ => return None,
    })
}
