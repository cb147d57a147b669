//! Angles from their tangent, sine and cosine.

use super::{poly, select};
use std::f64::consts::{FRAC_PI_2, PI};

/// `atan(z) / z` in z² for |z| <= 1, off by 2^-46.
const ATAN: [f64; 17] = [
    0.9999999999999925,
    -0.3333333333289398,
    0.19999999957481826,
    -0.142857126460504,
    0.11111077584971772,
    -0.09090489647799033,
    0.07688811662401294,
    -0.06646145790221254,
    0.05794192316881845,
    -0.04977996675955047,
    0.04051778977125066,
    -0.029589012194344372,
    0.018198570485395787,
    -0.008792435542217635,
    0.0030659957028108006,
    -0.0006774105399645076,
    7.063142635888046e-05,
];

/// `asin(z) / z` in z² for |z| <= 1/2, off by 2^-47.
const ASIN: [f64; 11] = [
    1.000000000000003,
    0.16666666666358818,
    0.07500000049006507,
    0.04464282684121142,
    0.030382900648501007,
    0.02235466600279815,
    0.01755055251226643,
    0.01254734684017323,
    0.017935292063160056,
    -0.007331066687908798,
    0.031519483177476125,
];

/// The angle whose tangent it is.
#[inline(always)]
pub fn atan(x: f64) -> f64 {
    let size = x.abs();
    let steep = size > 1.0;
    let z = select(steep, 1.0 / size, size);
    let angle = z * poly(z * z, &ATAN);
    select(steep, FRAC_PI_2 - angle, angle).copysign(x)
}

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

/// For |x| <= 1/2 the angle whose sine it is; else half of what is missing to a right angle. And which of them.
#[inline(always)]
fn half_angle(x: f64) -> (f64, bool) {
    let size = x.abs();
    let steep = size > 0.5;
    let square = select(steep, 0.5 - 0.5 * size, size * size);
    let z = select(steep, square.sqrt(), size);
    (z * poly(square, &ASIN), steep)
}

/// The angle whose sine it is.
#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let (angle, steep) = half_angle(x);
    select(steep, FRAC_PI_2 - 2.0 * angle, angle).copysign(x)
}

/// The angle whose cosine it is.
#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let (angle, steep) = half_angle(x);
    let double = 2.0 * angle;
    select(steep, select(x < 0.0, PI - double, double), FRAC_PI_2 - angle.copysign(x))
}
