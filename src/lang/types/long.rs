//! Ints so long that an operation takes a while, and still leaves off when Ctrl-C comes.

use super::limits;
use crate::interrupt;
use crate::value::Outcome;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Operations on two ints of more bits take longer than some milliseconds.
const LONG: u64 = 1 << 20;
/// A common divisor takes as long as that from here on: its time grows with the square of the length.
const LONG_DIVISOR: u64 = 1 << 15;
/// How often to look for Ctrl-C meanwhile.
const EVERY: Duration = Duration::from_millis(20);

/// What `work` gives, which is done by a thread of its own: a product of long ints knows no Ctrl-C on its way, so that the thread is
/// left alone when that comes, and ends by itself.
pub fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Outcome<T> {
    let (sender, result) = channel();
    // When nobody waits any more, there is nobody to be told.
    let thread = std::thread::Builder::new().name("int".to_string()).spawn(move || drop(sender.send(work())));
    if thread.is_err() {
        return limits::refuse_memory();
    }
    loop {
        match result.recv_timeout(EVERY) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => interrupt::check()?,
            Err(RecvTimeoutError::Disconnected) => return limits::refuse_memory(),
        }
    }
}

/// `f(a, b)`, where the time grows with the shorter one.
pub fn of_two<T: Send + 'static>(a: &BigInt, b: &BigInt, f: fn(&BigInt, &BigInt) -> T) -> Outcome<T> {
    if a.bits().min(b.bits()) <= LONG {
        return Ok(f(a, b));
    }
    let (a, b) = (a.clone(), b.clone());
    apart(move || f(&a, &b))
}

/// `f(a)`.
pub fn of_one<T: Send + 'static>(a: &BigInt, f: fn(&BigInt) -> T) -> Outcome<T> {
    if a.bits() <= LONG {
        return Ok(f(a));
    }
    let a = a.clone();
    apart(move || f(&a))
}

/// `a ** exponent`.
pub fn power(a: &BigInt, exponent: u32) -> Outcome<BigInt> {
    if a.bits().saturating_mul(u64::from(exponent)) <= LONG {
        return Ok(a.pow(exponent));
    }
    let a = a.clone();
    apart(move || a.pow(exponent))
}

/// `pow(a, exponent, modulus)`: the exponent is not negative, and the modulus not zero. A long exponent is taken some bits at a time.
pub fn power_modulo(a: &BigInt, exponent: &BigInt, modulus: &BigInt) -> Outcome<BigInt> {
    let step = (LONG / modulus.bits().max(1)).max(1);
    if exponent.bits() <= step && a.bits() <= LONG {
        return Ok(a.modpow(exponent, modulus));
    }
    let base = of_two(a, modulus, BigInt::mod_floor)?;
    let (whole, mask) = (BigInt::one() << step, (BigInt::one() << step) - 1);
    let mut power = BigInt::one().mod_floor(modulus);
    for part in (0..exponent.bits().div_ceil(step)).rev() {
        interrupt::check()?;
        let some = (exponent >> (part * step)) & &mask;
        power = (power.modpow(&whole, modulus) * base.modpow(&some, modulus)).mod_floor(modulus);
    }
    Ok(power)
}

/// The greatest common divisor, never negative.
pub fn gcd(a: &BigInt, b: &BigInt) -> Outcome<BigInt> {
    let (mut a, mut b) = (a.abs(), b.abs());
    while a.bits().min(b.bits()) > LONG_DIVISOR {
        interrupt::check()?;
        let rest = of_two(&a, &b, |a, b| a % b)?;
        (a, b) = (b, rest);
    }
    // A division makes the longer one as short as the other.
    Ok(if b.is_zero() { a } else { (a % &b).gcd(&b) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_exponent_is_taken_in_parts() {
        let power = |n: u32| BigInt::from(10).pow(n);
        let (modulus, exponent) = (power(6_000) + 7, power(60) + 1);
        assert_eq!(power_modulo(&BigInt::from(-3), &exponent, &modulus).ok(), Some(BigInt::from(-3).modpow(&exponent, &modulus)));
        let modulus = -modulus;
        assert_eq!(power_modulo(&BigInt::from(3), &exponent, &modulus).ok(), Some(BigInt::from(3).modpow(&exponent, &modulus)));
    }

    #[test]
    fn long_ints_have_common_divisors() {
        let (a, b, common) = (BigInt::from(3).pow(9_000), BigInt::from(7).pow(8_000), BigInt::from(-11).pow(9_001));
        assert_eq!(gcd(&(a * &common), &(b * &common)).ok(), Some(-common));
        assert_eq!(gcd(&BigInt::zero(), &BigInt::from(-4)).ok(), Some(BigInt::from(4)));
    }

    #[test]
    fn what_is_done_apart_comes_back() {
        let long = BigInt::one() << (LONG + 5);
        assert_eq!(of_two(&long, &long, |a, b| a * b).ok(), Some(BigInt::one() << (2 * LONG + 10)));
        assert_eq!(power(&BigInt::from(4), LONG as u32).ok(), Some(BigInt::one() << (2 * LONG)));
    }
}
