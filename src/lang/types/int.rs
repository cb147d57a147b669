//! Arithmetic of ints: 64 bits while they fit, any length beyond.

use super::{float, limits, long};
use crate::syntax::ast::BinaryOp;
use crate::value::{Outcome, Value};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, One, Signed, ToPrimitive, Zero};

/// `a op b` of two small ints; none when the operator is not theirs.
pub fn small(op: BinaryOp, a: i64, b: i64) -> Outcome<Option<Value>> {
    let fits = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::FloorDiv if b != 0 => floor_div(a, b),
        BinaryOp::Mod if b != 0 => Some(floor_mod(a, b)),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Div if b != 0 && is_exact(a) && is_exact(b) => return Ok(Some(Value::Float(a as f64 / b as f64))),
        BinaryOp::Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        BinaryOp::LShift if (0..63).contains(&b) => a.checked_mul(1 << b),
        BinaryOp::RShift if b >= 0 => Some(a >> b.min(63)),
        _ => None,
    };
    match fits {
        Some(value) => Ok(Some(Value::Int(value))),
        None => large(op, &BigInt::from(a), &BigInt::from(b)),
    }
}

/// True when the int is a float without rounding.
fn is_exact(a: i64) -> bool {
    a.unsigned_abs() <= 1 << 53
}

/// Floor division of small ints; none on overflow or by zero.
fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// The rest with the divisor's sign; the divisor is not 0.
fn floor_mod(a: i64, b: i64) -> i64 {
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

/// `a op b` of two ints of any length; none when the operator is not theirs.
pub fn large(op: BinaryOp, a: &BigInt, b: &BigInt) -> Outcome<Option<Value>> {
    Ok(Some(Value::big(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => {
            limits::check_digits(a.bits().min(b.bits()) as usize)?;
            long::of_two(a, b, |a, b| a * b)?
        }
        BinaryOp::Div => return divide(a, b).map(|f| Some(Value::Float(f))),
        BinaryOp::FloorDiv => divmod(a, b)?.0,
        BinaryOp::Mod if b.is_zero() => fault!(ZeroDivisionError, "integer modulo by zero"),
        BinaryOp::Mod => long::of_two(a, b, BigInt::mod_floor)?,
        BinaryOp::Pow => return power(a, b).map(Some),
        BinaryOp::LShift => shift_left(a, b)?,
        BinaryOp::RShift => shift_right(a, b)?,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::MatMul => return Ok(None),
    })))
}

/// `(a // b, a % b)`.
pub fn divmod(a: &BigInt, b: &BigInt) -> Outcome<(BigInt, BigInt)> {
    if b.is_zero() {
        fault!(ZeroDivisionError, "integer division or modulo by zero");
    }
    long::of_two(a, b, BigInt::div_mod_floor)
}

/// `a / b`, correctly rounded even where neither fits a float.
fn divide(a: &BigInt, b: &BigInt) -> Outcome<f64> {
    if b.is_zero() {
        fault!(ZeroDivisionError, "division by zero");
    }
    // A quotient of 66 bits or more, its last bit made sticky, rounds as the exact quotient does.
    let shift = 66 + b.bits() as i64 - a.bits() as i64;
    let (quotient, rest) = if shift >= 0 { (a.abs() << shift).div_rem(&b.abs()) } else { a.abs().div_rem(&(b.abs() << -shift)) };
    let sticky = if rest.is_zero() { quotient } else { quotient | BigInt::one() };
    let size = scale(&sticky, -shift);
    if size.is_infinite() {
        fault!(OverflowError, "integer division result too large for a float");
    }
    Ok(if a.is_negative() != b.is_negative() { -size } else { size })
}

/// `value * 2**exponent` rounded once, half to even, infinite when too large; the value is not negative.
pub fn scale(value: &BigInt, exponent: i64) -> f64 {
    let bits = value.bits() as i64;
    // The place of the last bit that a float of this size keeps.
    let last = (bits + exponent - 53).max(-1074);
    let drop = last - exponent;
    if drop <= 0 {
        return float::ldexp(value.to_f64().unwrap_or(0.0), exponent);
    }
    let kept: BigInt = value >> drop;
    let rest = value - (&kept << drop);
    let half = BigInt::one() << (drop - 1);
    let up = rest > half || (rest == half && kept.is_odd());
    float::ldexp((kept + up as u8).to_f64().unwrap_or(0.0), last)
}

/// The nearest float. Fails with an `OverflowError` when there is none.
pub fn to_float(value: &BigInt) -> Outcome<f64> {
    let size = scale(&value.abs(), 0);
    if size.is_infinite() {
        fault!(OverflowError, "int too large to convert to float");
    }
    Ok(if value.is_negative() { -size } else { size })
}

fn power(a: &BigInt, b: &BigInt) -> Outcome<Value> {
    if b.is_negative() {
        return float::power(to_float(a)?, to_float(b)?);
    }
    if a.is_zero() || a.is_one() || b.is_zero() {
        return Ok(Value::Int(if b.is_zero() { 1 } else { a.is_one() as i64 }));
    }
    if a.abs().is_one() {
        return Ok(Value::Int(if b.is_odd() { -1 } else { 1 }));
    }
    let Some(exponent) = b.to_u32() else { return limits::refuse_memory() };
    limits::check_digits((a.bits() as usize).saturating_mul(exponent as usize))?;
    Ok(Value::big(long::power(a, exponent)?))
}

/// `pow(a, b, modulus)` of ints.
pub fn power_modulo(a: &BigInt, b: &BigInt, modulus: &BigInt) -> Outcome<Value> {
    if modulus.is_zero() {
        fault!(ValueError, "pow() 3rd argument cannot be 0");
    }
    if b.is_negative() {
        let size = modulus.abs();
        let Some(inverse) = a.mod_floor(&size).modinv(&size) else {
            fault!(ValueError, "base is not invertible for the given modulus");
        };
        return Ok(Value::big(long::power_modulo(&inverse, &-b, modulus)?));
    }
    Ok(Value::big(long::power_modulo(a, b, modulus)?))
}

/// `pow(a, b, modulus)` of small ints; `b` is not negative and the modulus not zero.
pub fn small_power_modulo(a: i64, b: i64, modulus: i64) -> i64 {
    let size = modulus.unsigned_abs() as u128;
    let (mut base, mut left, mut power) = ((a as i128).rem_euclid(size as i128) as u128, b, 1 % size);
    while left > 0 {
        if left & 1 == 1 {
            power = power * base % size;
        }
        base = base * base % size;
        left >>= 1;
    }
    // The result has the sign of the modulus.
    if modulus < 0 && power > 0 { (power as i128 - size as i128) as i64 } else { power as i64 }
}

fn shift_left(a: &BigInt, b: &BigInt) -> Outcome<BigInt> {
    if b.is_negative() {
        fault!(ValueError, "negative shift count");
    }
    if a.is_zero() {
        return Ok(BigInt::zero());
    }
    let Some(places) = b.to_usize().filter(|p| *p < usize::MAX / 16) else {
        fault!(OverflowError, "too many digits in integer");
    };
    limits::check_bytes((a.bits() as usize).saturating_add(places) / 8)?;
    Ok(a << places)
}

fn shift_right(a: &BigInt, b: &BigInt) -> Outcome<BigInt> {
    if b.is_negative() {
        fault!(ValueError, "negative shift count");
    }
    match b.to_usize() {
        Some(places) => Ok(a >> places),
        None if a.is_negative() => Ok(-BigInt::one()),
        None => Ok(BigInt::zero()),
    }
}

/// The int that a finite float is after truncation. Fails for NaN and infinities.
pub fn from_float(f: f64) -> Outcome<Value> {
    if f.is_nan() {
        fault!(ValueError, "cannot convert float NaN to integer");
    }
    if f.is_infinite() {
        fault!(OverflowError, "cannot convert float infinity to integer");
    }
    if f.abs() < 9.2e18 {
        return Ok(Value::Int(f as i64));
    }
    Ok(BigInt::from_f64(f.trunc()).map_or(Value::Int(0), Value::big))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_correctly_rounded() {
        let ten = |n: u32| BigInt::from(10).pow(n);
        assert_eq!(divide(&ten(400), &ten(399)).ok(), Some(10.0));
        assert_eq!(divide(&BigInt::one(), &ten(400)).ok(), Some(0.0));
        assert_eq!(divide(&BigInt::from(9007199254740993i64), &BigInt::one()).ok(), Some(9007199254740992.0));
        assert_eq!(divide(&BigInt::from(-7), &(ten(322) * 3)).ok(), Some(-2.3e-322));
        assert!(divide(&ten(400), &BigInt::from(3)).is_err());
    }
}
