//! Arithmetic on small ints and floats: the cases that loops are made of. Everything else goes through the operators.

use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::Value;

/// Beyond this an int is not exact as a float, and true division takes the slow way.
const EXACT: u64 = 1 << 53;

/// `a op b` where that is a small int again; none when it overflows, divides by zero, or needs rules that are not here.
#[inline(always)]
pub fn int(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
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
pub fn ratio(op: BinaryOp, a: i64, b: i64) -> Option<f64> {
    let exact = op == BinaryOp::Div && b != 0 && a.unsigned_abs() < EXACT && b.unsigned_abs() < EXACT;
    exact.then(|| a as f64 / b as f64)
}

/// `a op b` for the operators that need no more than the processor.
#[inline(always)]
pub fn float(op: BinaryOp, a: f64, b: f64) -> Option<f64> {
    Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div if b != 0.0 => a / b,
        _ => return None,
    })
}

/// Ints and floats in any mix.
#[inline]
pub fn numbers(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let (a, b) = match (left, right) {
        (Value::Int(a), Value::Int(b)) => {
            return match int(op, *a, *b) {
                Some(i) => Some(Value::Int(i)),
                None => ratio(op, *a, *b).map(Value::Float),
            };
        }
        (Value::Float(a), Value::Float(b)) => (*a, *b),
        (Value::Float(a), Value::Int(b)) => (*a, *b as f64),
        (Value::Int(a), Value::Float(b)) => (*a as f64, *b),
        _ => return None,
    };
    float(op, a, b).map(Value::Float)
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
