//! `fractions`: quotients of whole numbers.

use crate::dtype::Number;
use crate::lang::operators;
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, row};
use crate::lang::types::class::ObjectClass;
use crate::lang::types::{convert, float, limits, long, repr};
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::{Machine, Object, Outcome, Value, python_hash};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Pow, Signed, Zero};
use std::any::Any;
use std::cmp::Ordering;
use std::rc::Rc;

static CLASS: Table =
    Table { owner: "Fraction", rows: Table::sorted(&[row("Fraction", def(&["numerator", "denominator"], 0, 2), construct)]) };

/// The class.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("Fraction", ObjectClass::callable("Fraction", &CLASS, &CLASS.rows[0], None))]
}

/// A quotient in lowest terms; the lower number is above 0.
#[derive(Clone, PartialEq, Eq)]
struct Fraction {
    above: BigInt,
    below: BigInt,
}

static METHODS: Table = Table {
    owner: "Fraction",
    rows: Table::sorted(&[
        row("__abs__", Takes::Nothing, |c| own(c).map(|own| own.with(|above| above.abs()))),
        row("__ceil__", Takes::Nothing, |c| own(c).map(|own| Value::big(own.above.div_ceil(&own.below)))),
        row("__float__", Takes::Nothing, to_float),
        row("__floor__", Takes::Nothing, |c| own(c).map(|own| Value::big(own.above.div_floor(&own.below)))),
        row("__format__", Takes::One, |c| Ok(Value::from(own(c)?.text()))),
        row("__int__", Takes::Nothing, |c| own(c).map(|own| Value::big(&own.above / &own.below))),
        row("__round__", Takes::Between(0, 1), round),
        row("__trunc__", Takes::Nothing, |c| own(c).map(|own| Value::big(&own.above / &own.below))),
        row("as_integer_ratio", Takes::Nothing, |c| {
            let own = own(c)?;
            Ok(Value::tuple(vec![Value::big(own.above.clone()), Value::big(own.below.clone())]))
        }),
        row("conjugate", Takes::Nothing, |c| Ok(c.this.clone())),
        row("limit_denominator", def(&["max_denominator"], 0, 1), limit),
    ]),
};

fn own<'c>(c: &Call<'c>) -> Outcome<&'c Fraction> {
    match c.this.downcast::<Fraction>() {
        Some(fraction) => Ok(fraction),
        None => fault!(TypeError, "a Fraction is needed, not {}", c.this.type_name()),
    }
}

/// `Fraction(numerator=0, denominator=None)`
fn construct(c: &mut Call<'_>) -> Outcome {
    let Some(below) = c.some(1) else { return whole(c.get(0).unwrap_or(&Value::Int(0))).map(Value::object) };
    match (rational(c.arg(0)), rational(below)) {
        (Some(above), Some(below)) => {
            if below.above.is_zero() {
                fault!(ZeroDivisionError, "Fraction({}, 0)", above.above);
            }
            Ok(Value::object(above.divided(&below)))
        }
        _ => fault!(TypeError, "both arguments should be Rational instances"),
    }
}

/// The fraction that equals an int or a fraction.
fn rational(value: &Value) -> Option<Fraction> {
    if let Some(fraction) = value.downcast::<Fraction>() {
        return Some(fraction.clone());
    }
    match value {
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => {
            Some(Fraction { above: convert::to_big(value).ok()?, below: BigInt::one() })
        }
        _ => None,
    }
}

/// The fraction of an only argument.
fn whole(value: &Value) -> Outcome<Fraction> {
    match value {
        Value::Float(x) if x.is_nan() => fault!(ValueError, "cannot convert NaN to integer ratio"),
        Value::Float(x) if x.is_infinite() => fault!(OverflowError, "cannot convert Infinity to integer ratio"),
        Value::Float(x) => {
            let (above, below) = float::integer_ratio(*x);
            Ok(Fraction::new(above, below))
        }
        Value::Str(text) => match read(text.trim()) {
            Some(fraction) if fraction.below.is_zero() => fault!(ZeroDivisionError, "Fraction({}, 0)", fraction.above),
            Some(fraction) => Ok(Fraction::new(fraction.above, fraction.below)),
            None => fault!(ValueError, "Invalid literal for Fraction: {}", repr::repr(value)?),
        },
        other => match rational(other) {
            Some(fraction) => Ok(fraction),
            None => fault!(TypeError, "argument should be a string or a Rational instance"),
        },
    }
}

/// `3/4`, `-1.25e-3`, not in lowest terms.
fn read(text: &str) -> Option<Fraction> {
    let whole = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| digits.parse::<BigInt>().ok()).flatten()
    };
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some((above, below)) = text.split_once('/') {
        return Some(Fraction { above: whole(above)? * sign, below: whole(below)? });
    }
    let (digits, power) = match text.split_once(['e', 'E']) {
        Some((digits, power)) => (digits, power.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (before, behind) = digits.split_once('.').unwrap_or((digits, ""));
    let above = whole(&[before, behind].concat())? * sign;
    let power = power.checked_sub(i32::try_from(behind.len()).ok()?)?;
    let scale = ten_to(power.unsigned_abs()).ok()?;
    Some(match power < 0 {
        true => Fraction { above, below: scale },
        false => Fraction { above: above * scale, below: BigInt::one() },
    })
}

/// A power of ten, as long as tsr computes with ints so long.
fn ten_to(power: u32) -> Outcome<BigInt> {
    limits::check_digits((power as usize).saturating_mul(10) / 3)?;
    long::power(&BigInt::from(10), power)
}

fn to_float(c: &mut Call<'_>) -> Outcome {
    let own = own(c)?;
    operators::binary(c.machine, BinaryOp::Div, &Value::big(own.above.clone()), &Value::big(own.below.clone()))
}

/// `round(x)` to the nearest int, halves to even ones; with digits, to a fraction.
fn round(c: &mut Call<'_>) -> Outcome {
    let own = own(c)?;
    let Some(digits) = c.some(0) else { return Ok(Value::big(own.rounded())) };
    let digits = convert::to_i32(digits)?;
    let shift = ten_to(digits.unsigned_abs())?;
    let shift = match digits < 0 {
        true => Fraction { above: BigInt::one(), below: shift },
        false => Fraction { above: shift, below: BigInt::one() },
    };
    let rounded = Fraction { above: own.times(&shift).rounded(), below: BigInt::one() };
    Ok(Value::object(rounded.divided(&shift)))
}

/// `limit_denominator(max_denominator=1000000)`: the closest fraction with no larger lower number, by continued fractions.
fn limit(c: &mut Call<'_>) -> Outcome {
    let most = c.get(0).map_or(Ok(BigInt::from(1_000_000)), convert::to_big)?;
    if !most.is_positive() {
        fault!(ValueError, "max_denominator should be at least 1");
    }
    let own = own(c)?;
    if own.below <= most {
        return Ok(c.this.clone());
    }
    let (mut p0, mut q0, mut p1, mut q1) = (BigInt::zero(), BigInt::one(), BigInt::one(), BigInt::zero());
    let (mut n, mut d) = (own.above.clone(), own.below.clone());
    loop {
        let a = n.div_floor(&d);
        let q2 = &q0 + &a * &q1;
        if q2 > most {
            break;
        }
        let p2 = &p0 + &a * &p1;
        (p0, q0, p1, q1) = (p1, q1, p2, q2);
        let rest = &n - &a * &d;
        (n, d) = (d, rest);
    }
    let k = (&most - &q0).div_floor(&q1);
    let near = Fraction::new(&p0 + &k * &p1, &q0 + &k * &q1);
    let nearer = Fraction::new(p1, q1);
    let off = |other: &Fraction| other.minus(own).absolute();
    Ok(Value::object(if off(&nearer).order(&off(&near)).is_le() { nearer } else { near }))
}

impl Fraction {
    /// In lowest terms; the lower number is not 0.
    fn new(above: BigInt, below: BigInt) -> Fraction {
        let common = above.gcd(&below) * below.signum();
        match common.is_zero() || common.is_one() {
            true => Fraction { above, below },
            false => Fraction { above: above / &common, below: below / &common },
        }
    }

    fn with(&self, f: impl FnOnce(&BigInt) -> BigInt) -> Value {
        Value::object(Fraction { above: f(&self.above), below: self.below.clone() })
    }

    fn text(&self) -> String {
        if self.below.is_one() { self.above.to_string() } else { format!("{}/{}", self.above, self.below) }
    }

    fn plus(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.above * &other.below + &other.above * &self.below, &self.below * &other.below)
    }

    fn minus(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.above * &other.below - &other.above * &self.below, &self.below * &other.below)
    }

    fn times(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.above * &other.above, &self.below * &other.below)
    }

    /// The quotient by what is not 0.
    fn divided(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.above * &other.below, &self.below * &other.above)
    }

    fn absolute(&self) -> Fraction {
        Fraction { above: self.above.abs(), below: self.below.clone() }
    }

    fn rounded(&self) -> BigInt {
        let (floor, rest) = self.above.div_mod_floor(&self.below);
        let up = match (rest * 2u32).cmp(&self.below) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => floor.is_odd(),
        };
        if up { floor + 1 } else { floor }
    }

    fn order(&self, other: &Fraction) -> Ordering {
        (&self.above * &other.below).cmp(&(&other.above * &self.below))
    }

    /// `self op other`; none for an operator that fractions do not have.
    fn arithmetic(&self, op: BinaryOp, other: &Fraction) -> Option<Outcome> {
        let divides = matches!(op, BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod);
        if divides && other.above.is_zero() {
            let refusal = match op {
                BinaryOp::Div => format!("Fraction({}, 0)", &self.above * &other.below),
                _ => "integer division or modulo by zero".to_string(),
            };
            return Some(Err(err!(ZeroDivisionError, "{refusal}").into()));
        }
        let floor = || (&self.above * &other.below).div_floor(&(&self.below * &other.above));
        Some(Ok(Value::object(match op {
            BinaryOp::Add => self.plus(other),
            BinaryOp::Sub => self.minus(other),
            BinaryOp::Mul => self.times(other),
            BinaryOp::Div => self.divided(other),
            BinaryOp::FloorDiv => return Some(Ok(Value::big(floor()))),
            BinaryOp::Mod => self.minus(&Fraction { above: floor(), below: BigInt::one() }.times(other)),
            BinaryOp::Pow if other.below.is_one() => return self.power(&other.above),
            _ => return None,
        })))
    }

    fn power(&self, exponent: &BigInt) -> Option<Outcome> {
        let size = u32::try_from(exponent.magnitude()).ok()?;
        let (above, below) = (Pow::pow(&self.above, size), Pow::pow(&self.below, size));
        if !exponent.is_negative() {
            return Some(Ok(Value::object(Fraction::new(above, below))));
        }
        if above.is_zero() {
            return Some(Err(err!(ZeroDivisionError, "Fraction({below}, 0)").into()));
        }
        Some(Ok(Value::object(Fraction::new(below, above))))
    }
}

impl Object for Fraction {
    fn type_name(&self) -> String {
        "Fraction".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("Fraction({}, {})", self.above, self.below)
    }
    fn str(&self) -> String {
        self.text()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "numerator" => Some(Value::big(self.above.clone())),
            "denominator" => Some(Value::big(self.below.clone())),
            "real" => Some(Value::shared(self)),
            "imag" => Some(Value::Int(0)),
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::shared(self))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.names().into_iter().chain(["denominator", "numerator"].map(String::from)).collect()
    }
    fn truth(&self) -> Option<Outcome<bool>> {
        Some(Ok(!self.above.is_zero()))
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        let other = if matches!(other, Value::Float(_)) { whole(other).ok() } else { rational(other) };
        Some(other.as_ref() == Some(self))
    }
    fn hash(&self) -> Option<u64> {
        // As a float of the same value, if there is one, and as any other key otherwise.
        let value = if self.below.is_one() { Value::big(self.above.clone()) } else { Value::Float(self.near()) };
        Some(python_hash(&value) as u64)
    }
    fn number(&self) -> Option<Number> {
        Some(Number::Float(self.near()))
    }
    fn unary(self: Rc<Self>, _: &mut dyn Machine, op: &'static str) -> Option<Outcome> {
        Some(Ok(match op {
            "-" => self.with(|above| -above),
            "+" => Value::shared(self),
            "abs" => self.with(|above| above.abs()),
            _ => return None,
        }))
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        if let Value::Float(_) | Value::Complex(_) = other {
            return self.with_float(machine, op, other, reflected);
        }
        let other = rational(other)?;
        let (left, right) = if reflected { (&other, &*self) } else { (&*self, &other) };
        match CompareOp::from_symbol(op) {
            Some(CompareOp::Lt) => Some(Ok(Value::Bool(left.order(right).is_lt()))),
            Some(CompareOp::Le) => Some(Ok(Value::Bool(left.order(right).is_le()))),
            Some(CompareOp::Gt) => Some(Ok(Value::Bool(left.order(right).is_gt()))),
            Some(CompareOp::Ge) => Some(Ok(Value::Bool(left.order(right).is_ge()))),
            Some(_) => None,
            None => left.arithmetic(BinaryOp::from_symbol(op)?, right),
        }
    }
}

impl Fraction {
    /// The nearest float.
    fn near(&self) -> f64 {
        let quotient =
            crate::lang::types::number::binary(BinaryOp::Div, &Value::big(self.above.clone()), &Value::big(self.below.clone()));
        match quotient {
            Ok(Some(Value::Float(x))) => x,
            _ => f64::INFINITY,
        }
    }

    /// With a float or a complex number: as a float.
    fn with_float(&self, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        let own = Value::Float(self.near());
        let (left, right) = if reflected { (other, &own) } else { (&own, other) };
        match (BinaryOp::from_symbol(op), CompareOp::from_symbol(op)) {
            (Some(op), _) => Some(operators::binary(machine, op, left, right)),
            (None, Some(CompareOp::Eq | CompareOp::Ne)) | (None, None) => None,
            (None, Some(op)) => Some(operators::compare(machine, op, left, right)),
        }
    }
}
