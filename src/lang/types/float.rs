//! Arithmetic of floats.

use super::{complex, int};
use crate::diag::{Diagnostic, ErrorClass};
use crate::syntax::ast::BinaryOp;
use crate::value::{Exception, Outcome, Raise, Value};
use num_bigint::BigInt;
use num_complex::Complex64;
use num_integer::Integer;
use num_traits::{FromPrimitive, ToPrimitive};
use std::rc::Rc;

/// True for the operators that floats have.
pub fn knows(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Sub | Mul | Div | FloorDiv | Mod | Pow)
}

/// `a op b` of two floats; none when the operator is not theirs.
pub fn binary(op: BinaryOp, a: f64, b: f64) -> Outcome<Option<Value>> {
    Ok(Some(Value::Float(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div if b == 0.0 => fault!(ZeroDivisionError, "float division by zero"),
        BinaryOp::Div => a / b,
        BinaryOp::FloorDiv if b == 0.0 => fault!(ZeroDivisionError, "float floor division by zero"),
        BinaryOp::FloorDiv => divmod(a, b).0,
        BinaryOp::Mod if b == 0.0 => fault!(ZeroDivisionError, "float modulo"),
        BinaryOp::Mod => divmod(a, b).1,
        BinaryOp::Pow => return power(a, b).map(Some),
        _ => return Ok(None),
    })))
}

/// `(a // b, a % b)` for a divisor that is not 0: the rest has the divisor's sign, also when it is zero.
pub fn divmod(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0.0f64.copysign(b);
    } else if (b < 0.0) != (rest < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return (0.0f64.copysign(a / b), rest);
    }
    let whole = quotient.floor();
    (if quotient - whole > 0.5 { whole + 1.0 } else { whole }, rest)
}

/// `a ** b`: complex for a negative base and a broken exponent.
pub fn power(a: f64, b: f64) -> Outcome<Value> {
    if a == 0.0 && b < 0.0 {
        fault!(ZeroDivisionError, "0.0 cannot be raised to a negative power");
    }
    if a < 0.0 && a.is_finite() && b.is_finite() && b.fract() != 0.0 {
        return complex::power(Complex64::new(a, 0.0), Complex64::new(b, 0.0)).map(Value::from);
    }
    let result = a.powf(b);
    if result.is_infinite() && a.is_finite() && b.is_finite() {
        return Err(out_of_range());
    }
    Ok(Value::Float(result))
}

/// The `OverflowError` that carries C's error number.
fn out_of_range() -> Raise {
    let text = "Numerical result out of range";
    let diagnostic = Diagnostic::new(ErrorClass::OverflowError, format!("(34, '{text}')"));
    Raise(Rc::new(Exception::new(diagnostic, vec![Value::Int(34), Value::from(text)])))
}

/// `value * 2**exponent`, rounded once.
pub fn ldexp(mut value: f64, exponent: i64) -> f64 {
    let two_to = |n: i64| f64::from_bits(((n + 1023) as u64) << 52);
    let mut exponent = exponent.clamp(-4000, 4000);
    while exponent > 1023 {
        value *= two_to(1023);
        exponent -= 1023;
    }
    // After a step of this size what is left is below -53: a result that was rounded here is zero in the end, so no result is
    // rounded twice.
    while exponent < -1022 {
        value *= two_to(-969);
        exponent += 969;
    }
    value * two_to(exponent)
}

/// `(mantissa, exponent)` with `value == mantissa * 2**exponent` and the mantissa in `0.5..1`; zero, NaN and infinities as they are.
pub fn frexp(value: f64) -> (f64, i64) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    let bits = value.to_bits();
    match (bits >> 52) & 0x7ff {
        0 => {
            let (mantissa, exponent) = frexp(value * (1u64 << 54) as f64);
            (mantissa, exponent - 54)
        }
        exponent => (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), exponent as i64 - 1022),
    }
}

/// `round(value)`: the nearest int, halves to even.
pub fn round_to_int(value: f64) -> Outcome<Value> {
    int::from_float(value.round_ties_even())
}

/// `round(value, digits)`: the float nearest to the decimal that is nearest to the exact value.
pub fn round_to_digits(value: f64, digits: i64) -> Outcome<f64> {
    if !value.is_finite() || digits > 323 || value == 0.0 {
        return Ok(value);
    }
    if digits < -308 {
        return Ok(0.0f64.copysign(value));
    }
    let text = if digits >= 0 {
        super::digits::fixed(value, digits as usize)
    } else {
        let unit = BigInt::from(10).pow(-digits as u32);
        let whole = round_half_even(value, &unit);
        format!("{}e{}", whole, -digits)
    };
    let rounded: f64 = text.parse().unwrap_or(value);
    if rounded.is_infinite() {
        fault!(OverflowError, "rounded value too large to represent");
    }
    Ok(if rounded == 0.0 { 0.0f64.copysign(value) } else { rounded })
}

/// `value / unit` to the nearest int, halves (of the exact value) to even.
fn round_half_even(value: f64, unit: &BigInt) -> BigInt {
    let whole = BigInt::from_f64(value.trunc()).unwrap_or_default();
    let (floor, rest) = whole.div_mod_floor(unit);
    let twice: BigInt = rest * 2;
    // What stands behind the point moves a tie away from the middle.
    let order = twice.cmp(unit).then(value.fract().partial_cmp(&0.0).unwrap_or(std::cmp::Ordering::Equal));
    match order {
        std::cmp::Ordering::Less => floor,
        std::cmp::Ordering::Greater => floor + 1,
        std::cmp::Ordering::Equal if floor.is_odd() => floor + 1,
        std::cmp::Ordering::Equal => floor,
    }
}

/// The float as a fraction in lowest terms. The value is finite.
pub fn integer_ratio(value: f64) -> (BigInt, BigInt) {
    let (mantissa, exponent) = frexp(value);
    let mut numerator = (mantissa * (1u64 << 53) as f64) as i64;
    let mut exponent = exponent - 53;
    while numerator != 0 && numerator % 2 == 0 && exponent < 0 {
        numerator /= 2;
        exponent += 1;
    }
    let (numerator, one) = (BigInt::from(numerator), BigInt::from(1));
    match exponent {
        _ if numerator == BigInt::ZERO => (numerator, one),
        0.. => (numerator << exponent, one),
        _ => (numerator, one << -exponent),
    }
}

/// `value.hex()`: `0x1.8000000000000p+0`.
pub fn to_hex(value: f64) -> String {
    if !value.is_finite() {
        return crate::show::number::float(value);
    }
    let bits = value.to_bits();
    let (sign, mantissa) = (if value.is_sign_negative() { "-" } else { "" }, bits & ((1 << 52) - 1));
    match (bits >> 52) & 0x7ff {
        0 if mantissa == 0 => format!("{sign}0x0.0p+0"),
        0 => format!("{sign}0x0.{mantissa:013x}p-1022"),
        exponent => format!("{sign}0x1.{mantissa:013x}p{:+}", exponent as i64 - 1023),
    }
}

/// `float.fromhex(text)`, correctly rounded.
pub fn from_hex(text: &str) -> Outcome<f64> {
    let text = text.trim_matches(is_space);
    let (sign, body) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = body.to_ascii_lowercase();
    let size = match lower.as_str() {
        "inf" | "infinity" => f64::INFINITY,
        "nan" => f64::NAN,
        digits => match hex_size(digits) {
            Some(size) if size.is_infinite() => fault!(OverflowError, "hexadecimal value too large to represent as a float"),
            Some(size) => size,
            None => fault!(ValueError, "invalid hexadecimal floating-point string"),
        },
    };
    Ok(sign * size)
}

fn hex_size(text: &str) -> Option<f64> {
    let text = text.strip_prefix("0x").unwrap_or(text);
    let (mantissa, exponent) = match text.split_once('p') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let value = BigInt::parse_bytes(digits.as_bytes(), 16)?;
    Some(int::scale(&value, exponent.saturating_sub(fraction.len() as i64 * 4)))
}

/// Parses the text of a float as `float()` does: blanks around, underscores between digits, `inf`, `nan`; none when it is none.
pub fn parse(text: &str) -> Option<f64> {
    let text = text.trim_matches(is_space);
    let plain = without_underscores(text)?;
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(&plain).to_ascii_lowercase();
    let size = match unsigned.as_str() {
        "inf" | "infinity" => f64::INFINITY,
        "nan" => f64::NAN,
        digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => digits.parse().ok()?,
        _ => return None,
    };
    Some(if plain.starts_with('-') { -size } else { size })
}

/// Drops underscores that stand between digits; none when one stands elsewhere.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
    let wrong = |(i, b): (usize, &u8)| *b == b'_' && !(digit(i.checked_sub(1)) && digit(Some(i + 1)));
    if bytes.iter().enumerate().any(wrong) { None } else { Some(super::digits::to_ascii(&text.replace('_', ""))) }
}

/// Blanks that Python strips around numbers.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}

/// The exact value as an i64 when it has one.
pub fn as_whole(value: f64) -> Option<i64> {
    if value.fract() == 0.0 { value.to_i64() } else { None }
}
