//! Numbers turned by equal shares of a circle, one after the other.

use super::isa::{pick, versions};
use num_complex::Complex;
use num_traits::{Float, FromPrimitive};

/// The shares of a circle that is cut into `rows * wide` parts, as products of a coarse and a fine one.
pub struct Circle {
    coarse: Vec<Complex<f64>>,
    fine: Vec<Complex<f64>>,
}

/// Numbers whose shares follow from those of as many before them,
const BESIDE: usize = 8;

/// as long as little is lost by it.
const BLOCK: usize = 4 * BESIDE;

impl Circle {
    /// Forwards as engineers write it, `exp(-2πi k/n)`, or backwards.
    pub fn new(rows: usize, wide: usize, forward: bool) -> Circle {
        let part = std::f64::consts::TAU / (rows * wide) as f64 * if forward { -1.0 } else { 1.0 };
        let at = |k: usize| Complex::from_polar(1.0, part * k as f64);
        Circle { fine: (0..wide).map(at).collect(), coarse: (0..rows).map(|k| at(k * wide)).collect() }
    }

    /// Share `k`, less than all.
    #[inline(always)]
    fn share(&self, k: usize) -> Complex<f64> {
        self.coarse[k / self.fine.len()] * self.fine[k % self.fine.len()]
    }

    /// Turns number `i` by share `i * step`.
    ///
    /// # Panics
    /// When the last share would be more than a circle.
    pub fn turn<T: Float + FromPrimitive>(&self, step: usize, numbers: &mut [Complex<T>]) {
        // SAFETY: the instructions are those of this machine.
        unsafe { pick(turn_versions::<T>())(self, step, numbers) }
    }
}

/// A float that can be rounded from float64.
trait Rounded: Float + FromPrimitive {}
impl<T: Float + FromPrimitive> Rounded for T {}

versions! { fn turn_versions<T: Rounded>(circle: &Circle, step: usize, numbers: &mut [Complex<T>]) = turn }

#[inline(always)]
unsafe fn turn<T: Rounded>(circle: &Circle, step: usize, numbers: &mut [Complex<T>]) {
    let all = circle.coarse.len() * circle.fine.len();
    let ahead = circle.share(BESIDE * step % all);
    for (block, numbers) in numbers.chunks_mut(BLOCK).enumerate() {
        let (mut re, mut im) = ([0f64; BESIDE], [0f64; BESIDE]);
        for k in 0..BESIDE.min(numbers.len()) {
            let share = circle.share((block * BLOCK + k) * step);
            (re[k], im[k]) = (share.re, share.im);
        }
        let (eights, rest) = numbers.as_chunks_mut::<BESIDE>();
        for eight in eights {
            for k in 0..BESIDE {
                eight[k] = turned(eight[k], re[k], im[k]);
            }
            for k in 0..BESIDE {
                let was = re[k];
                re[k] = was * ahead.re - im[k] * ahead.im;
                im[k] = was * ahead.im + im[k] * ahead.re;
            }
        }
        for (k, x) in rest.iter_mut().enumerate() {
            *x = turned(*x, re[k], im[k]);
        }
    }
}

#[inline(always)]
fn turned<T: Rounded>(x: Complex<T>, re: f64, im: f64) -> Complex<T> {
    let [re, im] = [re, im].map(|part| T::from_f64(part).unwrap_or_else(T::nan));
    Complex::new(x.re * re - x.im * im, x.re * im + x.im * re)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_turned_by_its_share() {
        let (rows, wide) = (70, 90);
        for step in [0, 1, 7, 89] {
            let mut numbers = vec![Complex::new(1.0, 0.0); rows];
            Circle::new(rows, wide, true).turn(step, &mut numbers);
            for (i, x) in numbers.iter().enumerate() {
                let expected = Complex::from_polar(1.0, -std::f64::consts::TAU * (i * step) as f64 / (rows * wide) as f64);
                assert!((x - expected).norm() < 1e-14, "number {i} of step {step}");
            }
        }
    }
}
