//! Systems of equations with a triangular matrix, for many right sides.

use super::wide::Wide;
use super::{Sums, System};
use num_traits::Float;

/// Right sides that are solved for at a time when there are a vector of unknowns.
const BESIDE: usize = 8;

impl<T: Float> System<T> {
    /// Solves for the first `n` unknowns, in place. What known unknowns take of a right side is taken one by one, in the order in
    /// which they become known, each rounded once.
    ///
    /// # Safety
    /// There are the instructions of the vectors, all entries are there, and right sides share none with the matrix.
    pub(super) unsafe fn solve<W: Wide<Float = T>>(&self, n: usize) {
        if n > W::WIDTH {
            let half = (n / 2).next_multiple_of(W::WIDTH);
            let (known, rest) = if self.upper { (half..n, 0..half) } else { (0..half, half..n) };
            // SAFETY: the caller's promise; both parts lie in the system, and have no right sides' entry in common.
            unsafe {
                self.from(known.start).solve::<W>(known.len());
                self.notice::<W>(known, rest.clone());
                self.from(rest.start).solve::<W>(rest.len());
            }
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            match (self.upper, self.inverses.is_null()) {
                (true, true) => W::corner::<true, true>(self, n),
                (true, false) => W::corner::<true, false>(self, n),
                (false, true) => W::corner::<false, true>(self, n),
                (false, false) => W::corner::<false, false>(self, n),
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
    unsafe fn notice<W: Wide<Float = T>>(&self, known: std::ops::Range<usize>, rest: std::ops::Range<usize>) {
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
        unsafe { sums.subtract::<W>() }
    }

    /// Solves for at most a vector of unknowns. To be called as [`Wide::corner`].
    ///
    /// # Safety
    /// As for [`solve`](System::solve).
    #[inline(always)]
    pub(super) unsafe fn corner<W: Wide<Float = T>, const UPPER: bool, const UNIT: bool>(&self, n: usize) {
        let all = u16::MAX >> (16 - n);
        // SAFETY: the caller's promise; entries beyond the masks are not touched.
        unsafe {
            let inverses = if UNIT { W::nothing() } else { W::load(all, self.inverses) };
            for first in (0..self.columns).step_by(BESIDE) {
                let count = BESIDE.min(self.columns - first);
                let mut x = [W::nothing(); BESIDE];
                for (j, x) in x.iter_mut().enumerate() {
                    *x = W::load(all, self.side(first + j.min(count - 1)));
                }
                for step in 0..n {
                    let k = if UPPER { n - 1 - step } else { step };
                    let others = if UPPER { (1u32 << k) - 1 } else { u32::MAX << (k + 1) } as u16;
                    let column = W::load(all & others, self.matrix.wrapping_add(k * self.stride));
                    for x in &mut x {
                        if !UNIT {
                            *x = W::times_some(1 << k, *x, inverses);
                        }
                        *x = W::less_product_some(others, *x, W::element(*x, k), column);
                    }
                }
                for (j, x) in x.iter().enumerate().take(count) {
                    W::store(self.side(first + j), all, *x);
                }
            }
        }
    }

    /// Where a right side begins.
    #[inline(always)]
    fn side(&self, j: usize) -> *mut T {
        self.rights.wrapping_add(j * self.height)
    }
}
