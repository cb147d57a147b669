//! Arithmetic on small ints and floats: the cases that loops are made of. Everything else goes through the operators.

use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::Value;

/// A plain number, small enough for two registers.
#[derive(Clone, Copy)]
pub struct Number {
    kind: Kind,
    bits: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Bool,
    Int,
    Float,
}

impl Number {
    /// The number that a value is.
    #[inline(always)]
    pub fn of(value: &Value) -> Option<Number> {
        match value {
            Value::Int(i) => Some(Number::int(*i)),
            Value::Float(x) => Some(Number::float(*x)),
            Value::Bool(b) => Some(Number::bool(*b)),
            _ => None,
        }
    }

    /// An int.
    #[inline(always)]
    pub fn int(value: i64) -> Number {
        Number { kind: Kind::Int, bits: value as u64 }
    }

    /// A float.
    #[inline(always)]
    pub fn float(value: f64) -> Number {
        Number { kind: Kind::Float, bits: value.to_bits() }
    }

    /// A bool.
    #[inline(always)]
    pub fn bool(value: bool) -> Number {
        Number { kind: Kind::Bool, bits: value as u64 }
    }

    /// As a float; a bool is not one here.
    #[inline(always)]
    fn to_f64(self) -> Option<f64> {
        match self.kind {
            Kind::Bool => None,
            Kind::Int => Some(self.bits as i64 as f64),
            Kind::Float => Some(f64::from_bits(self.bits)),
        }
    }

    /// `-number`; none for a bool and at overflow.
    #[inline(always)]
    pub fn negated(self) -> Option<Number> {
        match self.kind {
            Kind::Int => (self.bits as i64).checked_neg().map(Number::int),
            Kind::Float => Some(Number::float(-f64::from_bits(self.bits))),
            Kind::Bool => None,
        }
    }

    /// As an index: an int.
    #[inline(always)]
    pub fn index(self) -> Option<i64> {
        (self.kind == Kind::Int).then_some(self.bits as i64)
    }

    /// True unless zero.
    #[inline(always)]
    pub fn truth(self) -> bool {
        match self.kind {
            Kind::Float => f64::from_bits(self.bits) != 0.0,
            _ => self.bits != 0,
        }
    }

    /// Writes it into a slot. One store per kind: a value that is put together elsewhere and copied is slow to read again.
    #[inline(always)]
    pub fn store(self, slot: &mut Option<Value>) {
        match self.kind {
            Kind::Bool => *slot = Some(Value::Bool(self.bits != 0)),
            Kind::Int => *slot = Some(Value::Int(self.bits as i64)),
            Kind::Float => *slot = Some(Value::Float(f64::from_bits(self.bits))),
        }
    }

    /// Adds it as a new slot, in the same way.
    #[inline(always)]
    pub fn push(self, slots: &mut Vec<Option<Value>>) {
        match self.kind {
            Kind::Bool => slots.push(Some(Value::Bool(self.bits != 0))),
            Kind::Int => slots.push(Some(Value::Int(self.bits as i64))),
            Kind::Float => slots.push(Some(Value::Float(f64::from_bits(self.bits)))),
        }
    }

    /// As a value.
    #[inline(always)]
    pub fn value(self) -> Value {
        match self.kind {
            Kind::Bool => Value::Bool(self.bits != 0),
            Kind::Int => Value::Int(self.bits as i64),
            Kind::Float => Value::Float(f64::from_bits(self.bits)),
        }
    }
}

/// Beyond this an int is not exact as a float, and true division takes the slow way.
const EXACT: u64 = 1 << 53;

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
        _ => return None,
    })
}

/// `a op b` on numbers of any kind; none when that needs rules that are not here.
#[inline(always)]
pub fn combine(op: BinaryOp, a: Number, b: Number) -> Option<Number> {
    match (a.kind, b.kind) {
        (Kind::Int, Kind::Int) => ints(op, a.bits as i64, b.bits as i64),
        _ => floats(op, a.to_f64()?, b.to_f64()?),
    }
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

/// `a op b` for the operators that order, on two ints or two floats.
#[inline(always)]
pub fn order(op: CompareOp, a: Number, b: Number) -> Option<bool> {
    match (a.kind, b.kind) {
        (Kind::Int, Kind::Int) => compare(op, a.bits as i64, b.bits as i64),
        (Kind::Float, Kind::Float) => compare(op, f64::from_bits(a.bits), f64::from_bits(b.bits)),
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
