//! The logarithm of the gamma function.

use super::log::brief;
use super::{poly, select};

/// `ln Γ(x) / ((x - 1) (x - 2))` in x - 1.5 for x between 0.5 and 2.5, off by 2^-32.
const NEAR: [f64; 21] = [
    0.4831289505409809,
    -0.14595989473524787,
    0.06291140031462529,
    -0.03130857347491572,
    0.0167971540433397,
    -0.009423790575539041,
    0.005445277196276761,
    -0.0032298106855288603,
    0.0019343468675173372,
    -0.0010710761370885103,
    0.0006513729272705792,
    -0.0007287968446689098,
    0.0004586562071156042,
    0.0003863461293186412,
    -0.0002520925717006078,
    -0.0007113183818427678,
    0.0004572296277564061,
    0.0004011231353854795,
    -0.00025854100543366035,
    -0.00014225663474250785,
    9.145472182760483e-05,
];

/// What Stirling's formula lacks, times x, in 1 / x² for x above 7.5, off by 2^-37.
const TAIL: [f64; 4] = [0.08333333333272569, -0.0027777766826861208, 0.0007933407652871351, -0.0005668681612184711];

/// The logarithm of the gamma function of what was a positive finite float32, to 2^-32 of itself: a polynomial between the zeros
/// at 1 and 2, to which what lies before is led back, and Stirling's formula of x + 5 beyond.
#[inline(always)]
pub fn lgamma(x: f64) -> f64 {
    const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_7;
    let (is_small, is_far) = (x < 0.5, x > 2.5);
    let between = select(is_small, x + 1.0, select(is_far, 1.5, x));
    // At the zeros it is no negative zero.
    let near = (between - 1.0) * (between - 2.0) * poly(between - 1.5, &NEAR) + 0.0;
    let steps = brief(select(is_far, x * (x + 1.0) * (x + 2.0) * (x + 3.0) * (x + 4.0), x));
    let beyond = x + 5.0;
    let inverse = 1.0 / beyond;
    let stirling = (beyond - 0.5).mul_add(brief(beyond), HALF_LOG_TAU - beyond) + inverse * poly(inverse * inverse, &TAIL);
    select(is_far, stirling - steps, select(is_small, near - steps, near))
}
