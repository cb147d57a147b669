//! Orthogonal polynomials by their recurrences, whose first product is added unrounded as PyTorch's is;
//! inside [-1, 1] and from some degree on Chebyshev's by their cosines.

use crate::interrupt;
use num_traits::Float;

/// What Chebyshev's polynomials of the four kinds differ in.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// `cos(n t)` at `cos(t)`.
    First,
    /// `sin((n + 1) t) / sin(t)`.
    Second,
    /// `cos((n + 1/2) t) / cos(t / 2)`.
    Third,
    /// `sin((n + 1/2) t) / sin(t / 2)`.
    Fourth,
}

fn real<T: Float>(n: i64) -> T {
    T::from(n).unwrap_or_else(T::nan)
}

/// The degree that an argument means; it is truncated.
fn degree<T: Float>(n: T) -> Option<i64> {
    n.to_i64().filter(|n| *n >= 0)
}

/// The values at the ends 1 and -1.
fn at_end<T: Float>(kind: Kind, right: bool, n: i64) -> T {
    let sign = if right || n % 2 == 0 { 1 } else { -1 };
    real(match kind {
        Kind::First => sign,
        Kind::Second => sign * (n + 1),
        Kind::Third => sign * (if right { 1 } else { 2 * n + 1 }),
        Kind::Fourth => sign * (if right { 2 * n + 1 } else { 1 }),
    })
}

fn by_angle<T: Float>(kind: Kind, x: T, n: i64) -> T {
    let (t, half) = (x.acos(), T::from(0.5).unwrap_or_else(T::nan));
    match kind {
        Kind::First => (real::<T>(n) * t).cos(),
        Kind::Second => (real::<T>(n + 1) * t).sin() / t.sin(),
        Kind::Third => ((real::<T>(n) + half) * t).cos() / (t * half).cos(),
        Kind::Fourth => ((real::<T>(n) + half) * t).sin() / (t * half).sin(),
    }
}

/// Chebyshev's polynomial of a kind and degree; above degree `steps`, by its cosines where `x` is inside.
pub fn chebyshev<T: Float>(kind: Kind, steps: i64, x: T, n: T) -> T {
    let Some(n) = degree(n) else { return T::zero() };
    let one = T::one();
    if x.abs() == one {
        return at_end(kind, x > T::zero(), n);
    }
    if n > steps && x.abs() < one {
        return by_angle(kind, x, n);
    }
    let first = match kind {
        Kind::First => x,
        Kind::Second => x + x,
        Kind::Third => x + x - one,
        Kind::Fourth => x + x + one,
    };
    recur(n, one, first, |_, q, p| (x + x).mul_add(q, -p))
}

/// Degree 0, degree 1, and from there each from the two before: `step(k, q, p)` gives degree `k + 1`.
fn recur<T: Float>(n: i64, zeroth: T, first: T, step: impl Fn(T, T, T) -> T) -> T {
    if n == 0 {
        return zeroth;
    }
    let (mut p, mut q) = (zeroth, first);
    for k in 1..n {
        (p, q) = (q, step(real(k), q, p));
        if q.is_nan() || interrupt::is_raised() {
            break;
        }
    }
    q
}

/// Hermite's polynomial as physicists take it.
pub fn hermite_h<T: Float>(x: T, n: T) -> T {
    let Some(n) = degree(n) else { return T::zero() };
    recur(n, T::one(), x + x, |k, q, p| (x + x).mul_add(q, -((k + k) * p)))
}

/// Hermite's polynomial as probabilists take it.
pub fn hermite_he<T: Float>(x: T, n: T) -> T {
    let Some(n) = degree(n) else { return T::zero() };
    recur(n, T::one(), x, |k, q, p| x.mul_add(q, -(k * p)))
}

/// Laguerre's polynomial.
pub fn laguerre<T: Float>(x: T, n: T) -> T {
    let (Some(n), one) = (degree(n), T::one()) else { return T::zero() };
    if x == T::zero() {
        return one;
    }
    recur(n, one, one - x, |k, q, p| ((k + k) + (one - x)).mul_add(q, -(k * p)) / (k + one))
}

/// Legendre's polynomial.
pub fn legendre<T: Float>(x: T, n: T) -> T {
    let (Some(n), one) = (degree(n), T::one()) else { return T::zero() };
    if x.abs() == one {
        return at_end(Kind::First, x > T::zero(), n);
    }
    recur(n, one, x, |k, q, p| ((k + k + one) * x).mul_add(q, -(k * p)) / (k + one))
}
