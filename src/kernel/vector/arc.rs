//! The angle of a point and the length of a hypotenuse, of what were float32.

use super::{poly, select};
use std::f64::consts::{FRAC_PI_2, PI};

/// `atan(z) / z` in z² for |z| <= 1, off by 2^-36.
const ATAN: [f64; 13] = [
    0.9999999999887381,
    -0.3333333295165722,
    0.19999978336217084,
    -0.1428522560816021,
    0.11105306732424464,
    -0.09049179093720577,
    0.07495262378099696,
    -0.06022196387937433,
    0.04364658944281667,
    -0.02600599597760862,
    0.011427633277375594,
    -0.0031954252407363944,
    0.00041922786011272897,
];

/// The angle of the point (x, y), of what were float32, against the x axis. A quotient of zeros or infinities is that of equals,
/// or zero where only the ordinate is zero.
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    let (across, up) = (x.abs(), y.abs());
    let steep = up > across;
    let (low, high) = (select(steep, across, up), select(steep, up, across));
    let ratio = low / high;
    let z = select(low == high, select(low == 0.0, 0.0, 1.0), ratio);
    let angle = z * poly(z * z, &ATAN);
    let angle = select(steep, FRAC_PI_2 - angle, angle);
    // The sign bit, since -0 lies on the left, too.
    let angle = select(x.is_sign_negative(), PI - angle, angle);
    select(x.is_nan() || y.is_nan(), f64::NAN, angle.copysign(y))
}

/// The length of the hypotenuse over legs that were float32; infinite where one of them is.
#[inline(always)]
pub fn hypot(x: f64, y: f64) -> f64 {
    select(x.is_infinite() || y.is_infinite(), f64::INFINITY, (x * x + y * y).sqrt())
}
