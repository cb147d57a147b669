//! The inverse of the error function, of what was float32.

use super::{log, poly, select};

/// `erfinv(y) / y` in `-ln(1 - y²) - 2.5` below 2.5 and in the root of `-ln(1 - y²)` less 3 up to 4.02, off by 2^-35.
const ROOTS_NEAR: [f64; 15] = [
    1.501409351110792,
    0.24664027673055933,
    -0.00417731772599164,
    -0.0012527078260762582,
    0.000218250273934182,
    -4.9962227613667115e-06,
    -3.416636103077881e-06,
    4.788369412627382e-07,
    1.3429287142216358e-08,
    -1.0906655743110653e-08,
    9.024881447909744e-10,
    1.2982446043371449e-10,
    -3.0122346021629576e-11,
    -3.388817519066577e-13,
    4.384995311926027e-13,
];
/// The same beyond.
const ROOTS_FAR: [f64; 14] = [
    2.832976798733146,
    1.0016752765208037,
    0.009445521774137227,
    -0.0076437975361805,
    0.005685177665082003,
    -0.003558896864150894,
    0.0014838710785803934,
    -0.00014837420628061187,
    -0.00028408707873181087,
    0.0002044560261685374,
    -4.349237603546021e-05,
    -2.2718461225443395e-05,
    1.789624169103812e-05,
    -3.83410060505743e-06,
];

/// The number whose error function it is.
#[inline(always)]
pub fn erfinv(y: f32) -> f32 {
    let size = (y as f64).abs();
    let depth = -log::brief(1.0 - size * size);
    let found = size * select(depth < 5.0, poly(depth - 2.5, &ROOTS_NEAR), poly(depth.sqrt() - 3.0, &ROOTS_FAR));
    let found = select(size < 1.0, found, select(size == 1.0, f64::INFINITY, f64::NAN));
    (found as f32).copysign(y)
}
