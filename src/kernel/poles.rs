//! Sums of fractions, for functions with poles.

use super::halves::in_halves;
use super::isa::{pick, versions};

/// Fractions that are summed side by side.
const BESIDE: usize = 16;

/// `Σ wᵢ / (gᵢ - at)` and its slope `Σ wᵢ / (gᵢ - at)²`, as far as both reach.
pub fn fractions(weights: &[f64], gaps: &[f64], at: f64) -> [f64; 2] {
    let (n, mut sums) = (weights.len().min(gaps.len()), [0.0; 2]);
    let (to, at) = (&mut sums as *mut [f64; 2] as *mut u8, &at as *const f64 as *const u8);
    // SAFETY: both hold `n` numbers, and the machine has what the version asks for.
    unsafe { pick(fractions_versions())(weights.as_ptr() as *const u8, gaps.as_ptr() as *const u8, n, at, to) };
    sums
}

versions! { fn fractions_versions<>(weights: *const u8, gaps: *const u8, n: usize, at: *const u8, to: *mut u8) = both }

#[inline(always)]
unsafe fn both(weights: *const u8, gaps: *const u8, n: usize, at: *const u8, to: *mut u8) {
    // SAFETY: the caller passes `n` numbers of each, a place, and room for two sums.
    unsafe {
        let (weights, gaps) =
            (std::slice::from_raw_parts(weights as *const f64, n), std::slice::from_raw_parts(gaps as *const f64, n));
        let at = *(at as *const f64);
        let (mut sums, mut slopes) = ([0.0; BESIDE], [0.0; BESIDE]);
        let (whole, rest) = weights.as_chunks::<BESIDE>();
        for (weights, gaps) in whole.iter().zip(gaps.as_chunks::<BESIDE>().0) {
            for k in 0..BESIDE {
                let gap = gaps[k] - at;
                let fraction = weights[k] / gap;
                sums[k] += fraction;
                slopes[k] += fraction / gap;
            }
        }
        for (k, weight) in rest.iter().enumerate() {
            let gap = gaps[n - rest.len() + k] - at;
            let fraction = *weight / gap;
            sums[k] += fraction;
            slopes[k] += fraction / gap;
        }
        *(to as *mut [f64; 2]) = [in_halves(&mut sums, |a, b| a + b), in_halves(&mut slopes, |a, b| a + b)];
    }
}
