//! Functions of float64 that [`fine`](super::fine) does not have, in its width. What a step loses is carried along, so the
//! results are within a unit of those of the system's library, and nearly always the same.

use super::fine::Fine;
use super::{bounded, poly, select};
use std::f64::consts::FRAC_PI_4;

/// What is missing in `FRAC_PI_4`, a quarter of what is missing in `PI`.
const FRAC_PI_4_REST: f64 = 3.061616997868383e-17;

/// `(atan t - t) / t³` in t² for |t| a little more than tan(π / 8).
const ATAN: [f64; 12] = [
    -0.3333333333333333,
    0.199999999999998,
    -0.14285714285658824,
    0.11111111105057618,
    -0.09090908748637679,
    0.07692296234562104,
    -0.06666422365298535,
    0.058789000468626215,
    -0.05230241257513991,
    0.04550622525030452,
    -0.03454562257510452,
    0.016258145857267047,
];

/// `(asin z - z) / z³` in z² for |z| <= 1/2.
const ASIN: [f64; 14] = [
    0.16666666666666666,
    0.07500000000000119,
    0.04464285714255019,
    0.030381944475693704,
    0.022372157435623815,
    0.017352816768546473,
    0.013963775787848137,
    0.011566511821890942,
    0.00962140274734483,
    0.009322101501082774,
    0.0030350071727267623,
    0.019579201619744684,
    -0.019277545928584557,
    0.02963502626354855,
];

/// `(sinh x - x) / x³` in x² for |x| <= 1.
const SINH: [f64; 8] = [
    0.16666666666666666,
    0.008333333333333333,
    0.00019841269841269773,
    2.755731922404061e-06,
    2.5052108363972185e-08,
    1.6059048410081293e-10,
    7.646624280324513e-13,
    2.8445596736423237e-15,
];

/// 2^600 and its inverse, between which and 1 squares of all numbers can be kept in range.
const UP: f64 = f64::from_bits((1023 + 600) << 52);
const DOWN: f64 = f64::from_bits((1023 - 600) << 52);

/// The sum of numbers of which the first is no smaller, and what its rounding lost.
#[inline(always)]
pub(super) fn sum(more: f64, less: f64) -> (f64, f64) {
    let sum = more + less;
    (sum, (more - sum) + less)
}

/// The quotient of numbers in two parts each, in two parts.
#[inline(always)]
pub(super) fn quotient(above: (f64, f64), below: (f64, f64)) -> (f64, f64) {
    let share = 1.0 / below.0;
    let most = above.0 * share;
    (most, (most.mul_add(-below.0, above.0) + (above.1 - most * below.1)) * share)
}

/// e^x - 1. Half of it is worked out, which does not overflow before the whole does.
#[inline(always)]
pub fn expm1(x: f64) -> f64 {
    let (a, b, n) = bounded(x, -50.0, 710.0).exp_parts();
    let scale = f64::power_of_two(n.wrapping_sub(1));
    let grown = a * scale;
    let most = grown - 0.5;
    let back = most - grown;
    let lost = (grown - (most - back)) - (0.5 + back);
    select(x == 0.0, x, 2.0 * (most + b.mul_add(scale, lost)))
}

/// A quarter of e^x and of e^-x for positive x, each in two parts.
#[inline(always)]
fn quarters(x: f64) -> ((f64, f64), (f64, f64)) {
    let (a, b, n) = bounded(x, 0.0, 710.6).exp_parts();
    let up = sum(a, b);
    let down = quotient((1.0, 0.0), up);
    let (grow, shrink) = (f64::power_of_two(n.wrapping_sub(2)), f64::power_of_two(n.min(60).wrapping_add(2).wrapping_neg()));
    ((up.0 * grow, up.1 * grow), (down.0 * shrink, down.1 * shrink))
}

/// The hyperbolic sine: a polynomial near zero, else half the difference of exponentials.
#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let (size, square) = (x.abs(), x * x);
    let near = (x * square).mul_add(poly(square, &SINH), x);
    let (up, down) = quarters(size);
    let (most, lost) = sum(up.0, -down.0);
    let far = 2.0 * (most + (lost + (up.1 - down.1)));
    select(size < 1.0, near, far.copysign(x))
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let (up, down) = quarters(x.abs());
    let (most, lost) = sum(up.0, down.0);
    2.0 * (most + (lost + (up.1 + down.1)))
}

/// The number that is not negative and whose hyperbolic cosine it is.
#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// The angle whose tangent it is.
#[inline(always)]
pub fn atan(x: f64) -> f64 {
    atan2(x, 1.0)
}

/// The angle of the point (x, y) against the x axis: the nearest of the eighths of half a turn, and how far the angle is from it.
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    /// tan(π / 8), half way between two eighths.
    const BETWEEN: f64 = 0.41421356237309503;
    let (across, up) = (x.abs(), y.abs());
    let steep = up > across;
    let (low, high) = (select(steep, across, up), select(steep, up, across));
    let scale =
        select(high > 1e300, f64::from_bits((1023 - 100) << 52), select(high < 1e-290, f64::from_bits((1023 + 100) << 52), 1.0));
    let (low, high) = (low * scale, high * scale);
    let near = low >= BETWEEN * high && low > 0.0;
    let ((apart, apart_lost), (both, both_lost)) = (sum(high, -low), sum(high, low));
    let above = (select(near, -apart, low), select(near, -apart_lost, 0.0));
    let below = (select(near, both, high), select(near, both_lost, 0.0));
    let (ratio, lost) = quotient(above, below);
    let whole = high == 0.0 || high == f64::INFINITY;
    let (ratio, lost) = (select(whole, 0.0, ratio), select(whole, 0.0, lost));
    let square = ratio * ratio;
    let lost = (square * ratio).mul_add(poly(square, &ATAN), lost - lost * square);
    let left = x.is_sign_negative();
    let eighths = select(near, 1.0, 0.0);
    let eighths = select(steep, 2.0 - eighths, eighths);
    let eighths = select(left, 4.0 - eighths, eighths);
    let turns = steep != left;
    let (ratio, lost) = (select(turns, -ratio, ratio), select(turns, -lost, lost));
    let base = eighths * FRAC_PI_4;
    let base_lost = eighths.mul_add(FRAC_PI_4_REST, eighths.mul_add(FRAC_PI_4, -base));
    let (most, rest) = sum(base, ratio);
    let angle = most + (rest + (base_lost + lost));
    select(x.is_nan() || y.is_nan(), f64::NAN, angle.copysign(y))
}

/// For |x| <= 1/2 the angle whose sine it is; else half of what is missing to a right angle: in two parts, and which of them.
#[inline(always)]
fn half_angle(x: f64) -> ((f64, f64), bool) {
    let size = x.abs();
    let steep = size > 0.5;
    let square = select(steep, 0.5 - 0.5 * size, size * size);
    let root = square.sqrt();
    let root_lost = select(root == 0.0, 0.0, root.mul_add(-root, square) / (2.0 * root));
    let (z, lost) = (select(steep, root, size), select(steep, root_lost, 0.0));
    ((z, (z * square).mul_add(poly(square, &ASIN), lost)), steep)
}

/// A multiple of π / 4 less twice the angle in two parts.
#[inline(always)]
fn without_twice(eighths: f64, angle: (f64, f64)) -> f64 {
    let (most, lost) = sum(eighths * FRAC_PI_4, -2.0 * angle.0);
    most + (lost + eighths.mul_add(FRAC_PI_4_REST, -2.0 * angle.1))
}

/// The angle whose sine it is.
#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let (angle, steep) = half_angle(x);
    select(steep, without_twice(2.0, angle), angle.0 + angle.1).copysign(x)
}

/// The angle whose cosine it is.
#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let (angle, steep) = half_angle(x);
    let far = select(x < 0.0, without_twice(4.0, angle), 2.0 * (angle.0 + angle.1));
    let half = (0.5 * angle.0.copysign(x), 0.5 * angle.1.copysign(x));
    select(steep, far, without_twice(2.0, half))
}

/// The length of the hypotenuse over these legs; infinite where one of them is, whatever the other.
#[inline(always)]
pub fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let larger = x > y;
    let (low, high) = (select(larger, y, x), select(larger, x, y));
    let scale = select(high > 1e150, DOWN, select(high < 1e-140, UP, 1.0));
    let back = select(high > 1e150, UP, select(high < 1e-140, DOWN, 1.0));
    let (low, high) = (low * scale, high * scale);
    let root = high.mul_add(high, low * low).sqrt();
    let (square, of_high) = (root * root, high * high);
    let over = low.mul_add(-low, square - of_high) + root.mul_add(root, -square) - high.mul_add(high, -of_high);
    let length = select(root == 0.0, 0.0, root - over / (2.0 * root)) * back;
    select(x == f64::INFINITY || y == f64::INFINITY, f64::INFINITY, length)
}
