//! The error function by formula 7.1.26 of Abramowitz and Stegun, "Handbook of Mathematical Functions", right to 1.5e-7: what stands for
//! it in some loops of PyTorch and of oneDNN.

/// The coefficients, the highest degree first, and what multiplies the argument.
const CURVE: [f32; 5] = [1.061_405_4, -1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6];
const P: f32 = 0.327_591_1;

/// The error function with an exponential for arguments that are not above 0.
#[inline(always)]
pub fn erf(x: f32, exp: impl Fn(f32) -> f32) -> f32 {
    let t = 1.0 / P.mul_add(x.abs(), 1.0);
    let sum = CURVE[1..].iter().fold(CURVE[0], |sum, c| sum.mul_add(t, *c));
    let size = (-exp(-(x * x)) * t).mul_add(sum, 1.0);
    f32::from_bits(size.to_bits() ^ (x.to_bits() & (-0.0f32).to_bits()))
}
