//! Systems of equations with a triangular matrix, for many right sides.

use super::wide::Wide;
use super::{Sums, System};

/// Right sides that are solved for at a time when there are a vector of unknowns.
const BESIDE: usize = 8;

impl<T: Wide> System<T> {
    /// Solves for the first `n` unknowns, in place. What known unknowns take of a right side is taken one by one, in the order in
    /// which they become known, each rounded once.
    ///
    /// # Safety
    /// There is AVX-512, all entries are there, and right sides share none with the matrix.
    pub unsafe fn solve(&self, n: usize) {
        if n > T::WIDTH {
            let half = (n / 2).next_multiple_of(T::WIDTH);
            let (known, rest) = if self.upper { (half..n, 0..half) } else { (0..half, half..n) };
            // SAFETY: the caller's promise; both parts lie in the system, and have no right sides' entry in common.
            unsafe {
                self.from(known.start).solve(known.len());
                self.notice(known, rest.clone());
                self.from(rest.start).solve(rest.len());
            }
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            match (self.upper, self.inverses.is_null()) {
                (true, true) => self.corner::<true, true>(n),
                (true, false) => self.corner::<true, false>(n),
                (false, true) => self.corner::<false, true>(n),
                (false, false) => self.corner::<false, false>(n),
            }
        }
    }

    /// The system of the unknowns from one on.
    fn from(&self, first: usize) -> System<T> {
        let inverses = if self.inverses.is_null() { self.inverses } else { self.inverses.wrapping_add(first) };
        let matrix = self.matrix.wrapping_add(first * (self.stride + 1));
        System { matrix, inverses, rights: self.rights.wrapping_add(first), ..*self }
    }

    /// Takes what known unknowns contribute from the right sides of the others.
    unsafe fn notice(&self, known: std::ops::Range<usize>, rest: std::ops::Range<usize>) {
        let (first, step) = if self.upper { (known.end - 1, -1) } else { (known.start, 1) };
        let sums = Sums {
            sizes: [self.columns, rest.len(), known.len()],
            out: self.rights.wrapping_add(rest.start),
            out_step: self.height as isize,
            left: self.rights.wrapping_add(first),
            left_steps: [self.height as isize, step],
            right: self.matrix.wrapping_add(first * self.stride + rest.start),
            right_steps: [step * self.stride as isize, 1],
        };
        // SAFETY: the caller's promise.
        unsafe { sums.subtract() }
    }

    /// Solves for at most a vector of unknowns.
    #[target_feature(enable = "avx512f")]
    unsafe fn corner<const UPPER: bool, const UNIT: bool>(&self, n: usize) {
        let all = u16::MAX >> (16 - n);
        let others = |k: usize| if UPPER { (1u32 << k) - 1 } else { u32::MAX << (k + 1) } as u16;
        // SAFETY: the caller's promise; entries beyond the masks are not touched.
        unsafe {
            let inverses = if UNIT { T::nothing() } else { T::load(all, self.inverses) };
            for first in (0..self.columns).step_by(BESIDE) {
                let count = BESIDE.min(self.columns - first);
                let at = |j: usize| self.rights.wrapping_add((first + j.min(count - 1)) * self.height);
                let mut x = [T::nothing(); BESIDE];
                (0..BESIDE).for_each(|j| x[j] = T::load(all, at(j)));
                for step in 0..n {
                    let k = if UPPER { n - 1 - step } else { step };
                    let column = T::load(all & others(k), self.matrix.wrapping_add(k * self.stride));
                    for x in &mut x {
                        if !UNIT {
                            *x = T::times_some(1 << k, *x, inverses);
                        }
                        *x = T::less_product_some(others(k), *x, T::element(*x, k), column);
                    }
                }
                (0..count).for_each(|j| T::store(at(j), all, x[j]));
            }
        }
    }
}
