//! Arithmetic of complex numbers, with CPython's rounding.

use super::float;
use crate::syntax::ast::BinaryOp;
use crate::value::{Outcome, Value};
use num_complex::Complex64;

/// True for the operators that complex numbers have.
pub fn knows(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Sub | Mul | Div | Pow)
}

/// `a op b` of two complex numbers; none when the operator is not theirs.
pub fn binary(op: BinaryOp, a: Complex64, b: Complex64) -> Outcome<Option<Value>> {
    Ok(Some(Value::from(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => multiply(a, b),
        BinaryOp::Div => match divide(a, b) {
            Some(quotient) => quotient,
            None => fault!(ZeroDivisionError, "complex division by zero"),
        },
        BinaryOp::Pow => power(a, b)?,
        _ => return Ok(None),
    })))
}

fn multiply(a: Complex64, b: Complex64) -> Complex64 {
    Complex64::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

/// `a / b` by Smith's method, which scales by the larger part; none for a zero divisor.
pub fn divide(a: Complex64, b: Complex64) -> Option<Complex64> {
    if b.re.abs() >= b.im.abs() {
        if b.re == 0.0 {
            return None;
        }
        let ratio = b.im / b.re;
        let scale = b.re + b.im * ratio;
        return Some(Complex64::new((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale));
    }
    if b.im.is_nan() || b.re.is_nan() {
        return Some(Complex64::new(f64::NAN, f64::NAN));
    }
    let ratio = b.re / b.im;
    let scale = b.re * ratio + b.im;
    Some(Complex64::new((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale))
}

/// `a ** b`.
pub fn power(a: Complex64, b: Complex64) -> Outcome<Complex64> {
    let whole = b.im == 0.0 && b.re == b.re.floor() && b.re.abs() <= 100.0;
    let result = if whole { integer_power(a, b.re as i32) } else { general_power(a, b) };
    let Some(result) = result else { fault!(ZeroDivisionError, "0.0 to a negative or complex power") };
    if result.re.is_infinite() || result.im.is_infinite() {
        fault!(OverflowError, "complex exponentiation");
    }
    Ok(result)
}

/// By repeated squaring, more accurate than logarithms; none for zero to a negative power.
fn integer_power(a: Complex64, exponent: i32) -> Option<Complex64> {
    let one = Complex64::new(1.0, 0.0);
    let (mut result, mut square, mut left) = (one, a, exponent.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        left >>= 1;
    }
    if exponent > 0 { Some(result) } else { divide(one, result) }
}

fn general_power(a: Complex64, b: Complex64) -> Option<Complex64> {
    if a.re == 0.0 && a.im == 0.0 {
        return (b.im == 0.0 && b.re >= 0.0).then(Complex64::default);
    }
    let (size, angle) = (a.re.hypot(a.im), a.im.atan2(a.re));
    let (mut length, mut phase) = (size.powf(b.re), angle * b.re);
    if b.im != 0.0 {
        length /= (angle * b.im).exp();
        phase += b.im * size.ln();
    }
    Some(Complex64::new(length * phase.cos(), length * phase.sin()))
}

/// Parses the text of a complex number as `complex()` does: `1+2j`, `(3-j)`, blanks only around; none when it is malformed.
pub fn parse(text: &str) -> Option<Complex64> {
    let mut text = text.trim_matches(float::is_space);
    if let Some(inner) = text.strip_prefix('(') {
        text = inner.strip_suffix(')')?.trim_matches(float::is_space);
    }
    let Some(body) = text.strip_suffix(['j', 'J']) else { return Some(Complex64::new(part(text)?, 0.0)) };
    let split = (1..body.len()).rev().find(|i| {
        let before = body.as_bytes()[i - 1];
        matches!(body.as_bytes()[*i], b'+' | b'-') && !matches!(before, b'e' | b'E')
    });
    let (re, im) = split.map_or(("", body), |i| body.split_at(i));
    let im = match im {
        "" | "+" => 1.0,
        "-" => -1.0,
        number => part(number)?,
    };
    Some(Complex64::new(if re.is_empty() { 0.0 } else { part(re)? }, im))
}

fn part(text: &str) -> Option<f64> {
    let inner_blank = text.contains(float::is_space);
    if inner_blank { None } else { float::parse(text) }
}
