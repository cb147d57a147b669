//! A plain number on its way: ints, floats and bools travel between the parts of the evaluator in two registers.
//!
//! A [`Value`] is two words that are written one by one and often copied as a whole, and a processor waits for the words before it
//! can copy them. So what loops are made of never becomes a value between two operations.

use super::arith::EXACT;
use super::raised::Swift;
use crate::value::Value;

/// What an expression gave: a plain number; none: anything else, which then lies in the evaluator's `given` until it is taken.
pub(in crate::lang) type Given = Swift<Option<Number>>;

/// A plain number, small enough for two registers.
#[derive(Clone, Copy)]
pub struct Number {
    pub(super) kind: Kind,
    pub(super) bits: u64,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
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
    pub(super) fn to_f64(self) -> Option<f64> {
        match self.kind {
            Kind::Bool => None,
            Kind::Int => Some(self.bits as i64 as f64),
            Kind::Float => Some(f64::from_bits(self.bits)),
        }
    }

    /// True unless it is an int that a float would round.
    #[inline(always)]
    pub fn is_exact(&self) -> bool {
        self.kind != Kind::Int || (self.bits as i64).unsigned_abs() <= EXACT
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
        match (self.kind, &mut *slot) {
            (Kind::Int, Some(Value::Int(old))) => *old = self.bits as i64,
            (Kind::Float, Some(Value::Float(old))) => *old = f64::from_bits(self.bits),
            _ => self.with(|value| *slot = Some(value)),
        }
    }

    /// Hands it to `put` as a value, which is made where it goes, as in [`Number::store`].
    #[inline(always)]
    pub fn with<T>(self, put: impl FnOnce(Value) -> T) -> T {
        match self.kind {
            Kind::Bool => put(Value::Bool(self.bits != 0)),
            Kind::Int => put(Value::Int(self.bits as i64)),
            Kind::Float => put(Value::Float(f64::from_bits(self.bits))),
        }
    }

    /// As a value.
    #[inline(always)]
    pub fn value(self) -> Value {
        self.with(|value| value)
    }
}
