//! Cosines and sines of parts of a turn, as far off the true ones as those of PyTorch's library: its angles are rounded, and what is
//! beyond an eighth of a turn is the mirror image of what is not.

use super::sines::SINES;
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// The longest line of a power of two whose sines are known.
pub const LONGEST: usize = 1024;

/// The cosines and sines of all `n`-th parts of a turn. Powers of two are at most [`LONGEST`].
pub fn circle(n: usize) -> Vec<[f64; 2]> {
    (0..n)
        .map(|j| match half(n, j.min(n - j)) {
            [cosine, sine] if 2 * j > n => [cosine, -sine],
            point => point,
        })
        .collect()
}

/// Of `j` parts, at most half a turn.
fn half(n: usize, j: usize) -> [f64; 2] {
    if 4 * j > n && n.is_multiple_of(2) {
        let [cosine, sine] = quarter(n, n / 2 - j);
        return [-cosine, sine];
    }
    quarter(n, j)
}

/// Of `j` parts, at most a quarter of a turn where the length is even.
fn quarter(n: usize, j: usize) -> [f64; 2] {
    match 4 * j {
        0 => [1.0, 0.0],
        quarters if quarters == n => [0.0, 1.0],
        _ if n.is_power_of_two() => [sine_of_power(n, n / 4 - j), sine_of_power(n, j)],
        quarters if n.is_multiple_of(4) && 2 * quarters > n => {
            let [cosine, sine] = quarter(n, n / 4 - j);
            [sine, cosine]
        }
        _ => {
            let (sine, cosine) = (j as f64 * (TAU / n as f64)).sin_cos();
            [cosine, sine]
        }
    }
}

/// The sine of less than a quarter of a turn, in parts that are a power of two. Lines of 32 have a table of
/// their own, which is exact but for its first number.
fn sine_of_power(n: usize, j: usize) -> f64 {
    match (n, j) {
        (32, 1) => 0.195_090_322_016_128_25,
        (32, 2) => 0.382_683_432_365_089_8,
        (32, 4) => FRAC_1_SQRT_2,
        _ => SINES[j * (LONGEST / n) - 1],
    }
}
