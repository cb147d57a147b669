//! Functions of ints of any length.

use crate::interrupt;
use crate::lang::types::call::Call;
use crate::lang::types::{convert, limits, long};
use crate::value::{Outcome, Value};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// `factorial(n)`.
pub fn factorial(c: &mut Call<'_>) -> Outcome {
    let n = convert::to_big(c.arg(0))?;
    if n.is_negative() {
        fault!(ValueError, "factorial() not defined for negative values");
    }
    let Some(n) = n.to_i64() else { fault!(OverflowError, "factorial() argument should not exceed {}", i64::MAX) };
    // Stirling: the logarithm to base 2 is about n log2(n / e).
    limits::check_digits((n as f64 * (n as f64 / 2.7).max(1.0).log2()) as usize)?;
    Ok(Value::big(product_of(1, n as u64)?))
}

/// The product of all ints from `low` to `high`, halved again and again so that the factors stay of like length.
fn product_of(low: u64, high: u64) -> Outcome<BigInt> {
    if high.saturating_sub(low) < 16 {
        return Ok((low..=high).map(BigInt::from).product());
    }
    interrupt::check()?;
    let middle = low + (high - low) / 2;
    long::of_two(&product_of(low, middle)?, &product_of(middle + 1, high)?, |a, b| a * b)
}

fn counts(c: &Call<'_>) -> Outcome<(BigInt, BigInt)> {
    let (n, k) = (convert::to_big(c.arg(0))?, convert::to_big(c.arg(1))?);
    for (name, value) in [("n", &n), ("k", &k)] {
        if value.is_negative() {
            fault!(ValueError, "{name} must be a non-negative integer");
        }
    }
    Ok((n, k))
}

/// `comb(n, k)`.
pub fn combinations(c: &mut Call<'_>) -> Outcome {
    let (n, k) = counts(c)?;
    if k > n {
        return Ok(Value::Int(0));
    }
    let k = k.clone().min(&n - &k);
    let k = few(&n, &k, "comb")?;
    let mut result = BigInt::one();
    for i in 0..k {
        if i % 32 == 0 {
            interrupt::check()?;
        }
        result = result * (&n - i) / (i + 1);
    }
    Ok(Value::big(result))
}

/// `perm(n, k=None)`.
pub fn permutations(c: &mut Call<'_>) -> Outcome {
    if c.some(1).is_none() {
        return factorial(c);
    }
    let (n, k) = counts(c)?;
    if k > n {
        return Ok(Value::Int(0));
    }
    let k = few(&n, &k, "perm")?;
    let mut result = BigInt::one();
    for i in 0..k {
        if i % 32 == 0 {
            interrupt::check()?;
        }
        result *= &n - i;
    }
    Ok(Value::big(result))
}

fn few(n: &BigInt, k: &BigInt, function: &str) -> Outcome<u64> {
    let Some(k) = k.to_u64() else { fault!(OverflowError, "k must not exceed {} in {function}()", i64::MAX) };
    limits::check_digits((k as usize).saturating_mul(n.bits() as usize) / 4)?;
    Ok(k)
}

/// `gcd(*ints)`, `lcm(*ints)`.
pub fn fold(c: &mut Call<'_>, name: &str, start: i64, f: fn(&BigInt, &BigInt) -> Outcome<BigInt>) -> Outcome {
    if !c.keyword.is_empty() {
        fault!(TypeError, "math.{name}() takes no keyword arguments");
    }
    let mut result = BigInt::from(start);
    for value in c.args() {
        result = f(&result, &convert::to_big(&value)?)?;
    }
    Ok(Value::big(result))
}

/// The least common multiple, never negative; 0 when one of them is.
pub fn lcm(a: &BigInt, b: &BigInt) -> Outcome<BigInt> {
    if a.is_zero() || b.is_zero() {
        return Ok(BigInt::zero());
    }
    let common = long::gcd(a, b)?;
    Ok((long::of_two(a, &common, |a, b| a / b)? * b).abs())
}

/// `isqrt(n)`.
pub fn square_root(c: &mut Call<'_>) -> Outcome {
    let n = convert::to_big(c.arg(0))?;
    if n.is_negative() {
        fault!(ValueError, "isqrt() argument must be nonnegative");
    }
    Ok(Value::big(long::of_one(&n, BigInt::sqrt)?))
}
