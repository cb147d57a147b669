//! Sums and products of many numbers, and distances.

use crate::lang::types::call::Call;
use crate::lang::types::{convert, iter, overall};
use crate::syntax::ast::BinaryOp;
use crate::value::{Outcome, Value};

/// `prod(iterable, start=1)`.
pub fn product(c: &mut Call<'_>) -> Outcome {
    let (items, mut total) = (c.arg(0).clone(), c.get(1).cloned().unwrap_or(Value::Int(1)));
    iter::each(c.machine, &items, |machine, item| {
        total = overall::binary(machine, BinaryOp::Mul, &total, &item)?;
        Ok(true)
    })?;
    Ok(total)
}

/// `fsum(iterable)`: rounded once, by Shewchuk's exact partial sums.
pub fn exact_sum(c: &mut Call<'_>) -> Outcome {
    let items = c.arg(0).clone();
    let (mut parts, mut special, mut infinite) = (Vec::<f64>::new(), 0.0, 0.0);
    iter::each(c.machine, &items, |_, item| {
        let mut x = convert::to_float(&item)?;
        let given = x;
        let mut kept = 0;
        for i in 0..parts.len() {
            let (high, low) = two_sum(x, parts[i]);
            if low != 0.0 {
                parts[kept] = low;
                kept += 1;
            }
            x = high;
        }
        parts.truncate(kept);
        if x != 0.0 && !x.is_finite() {
            if given.is_finite() {
                fault!(OverflowError, "intermediate overflow in fsum");
            }
            special += given;
            infinite += if given.is_infinite() { given } else { 0.0 };
            parts.clear();
        } else if x != 0.0 {
            parts.push(x);
        }
        Ok(true)
    })?;
    if special != 0.0 {
        if infinite.is_nan() {
            fault!(ValueError, "-inf + inf in fsum");
        }
        return Ok(Value::Float(special));
    }
    Ok(Value::Float(rounded(&parts)))
}

/// The sum of two floats, and what it lost by rounding.
fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let (large, small) = if x.abs() < y.abs() { (y, x) } else { (x, y) };
    let high = large + small;
    (high, small - (high - large))
}

/// The partial sums, which do not overlap, as one float: halves are decided by what lies below.
fn rounded(parts: &[f64]) -> f64 {
    let mut rest = parts.iter().rev();
    let Some(&first) = rest.next() else { return 0.0 };
    let (mut high, mut low) = (first, 0.0);
    for &part in rest.by_ref() {
        let before = high;
        high = before + part;
        low = part - (high - before);
        if low != 0.0 {
            break;
        }
    }
    if let Some(&next) = rest.next()
        && (low < 0.0 && next < 0.0 || low > 0.0 && next > 0.0)
    {
        let twice = low * 2.0;
        let moved = high + twice;
        if twice == moved - high {
            high = moved;
        }
    }
    high
}

/// `hypot(*coordinates)`.
pub fn hypotenuse(c: &mut Call<'_>) -> Outcome {
    if !c.keyword.is_empty() {
        fault!(TypeError, "math.hypot() takes no keyword arguments");
    }
    let coordinates = c.args().iter().map(convert::to_float).collect::<Outcome<Vec<_>>>()?;
    Ok(Value::Float(norm(&coordinates)))
}

/// `dist(p, q)`.
pub fn distance(c: &mut Call<'_>) -> Outcome {
    let (p, q) = (c.arg(0).clone(), c.arg(1).clone());
    let (p, q) = (iter::collect(c.machine, &p)?, iter::collect(c.machine, &q)?);
    if p.len() != q.len() {
        fault!(ValueError, "both points must have the same number of dimensions");
    }
    let steps = p.iter().zip(&q).map(|(a, b)| Ok(convert::to_float(a)? - convert::to_float(b)?));
    Ok(Value::Float(norm(&steps.collect::<Outcome<Vec<_>>>()?)))
}

/// The length of a vector, correct to the last bit but in rare cases: squares and their sum are kept in two floats each, and
/// the root is corrected by what it lost.
fn norm(vector: &[f64]) -> f64 {
    let largest = vector.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if largest.is_infinite() {
        return f64::INFINITY;
    }
    if vector.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    if largest == 0.0 {
        return 0.0;
    }
    let exponent = libm::frexp(largest).1 as i64;
    let scaled = |x: f64, by: i64| crate::lang::types::float::ldexp(x, by);
    let (mut high, mut low) = (0.0, 0.0);
    for &x in vector {
        let x = scaled(x, -exponent);
        let square = x * x;
        let (sum, lost) = two_sum(high, square);
        low += lost + x.mul_add(x, -square);
        high = sum;
    }
    let root = (high + low).sqrt();
    let rest = (-root).mul_add(root, high) + low;
    scaled(root + rest / (2.0 * root), exponent)
}
