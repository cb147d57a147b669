//! What makes the first half of the transform of a real line of that of its pairs, taken for complex numbers, and the way back.

use super::super::plans::Real;
use super::super::short::number::float;
use super::circle::circle;
use super::rows::Lanes;
use crate::kernel::isa::{pick, versions};
use num_complex::Complex;

/// What belongs to each pair.
pub struct Ends<T> {
    /// Two factors.
    factors: Vec<[T; 2]>,
    /// Whether the middle one is its conjugate, as where the library does not take it together with others: that shows in zeros.
    middle: bool,
}

impl<T: Real> Ends<T> {
    /// Of lines of `n` real numbers.
    pub fn new(n: usize, of_real: bool) -> Ends<T> {
        let half = float::<T>(0.5);
        let factors = |[cosine, sine]: [T; 2]| if of_real { [half - half * sine, -(half * cosine)] } else { [cosine, sine] };
        let factors = circle(n)[..n / 2].iter().map(|point| factors(point.map(float::<T>))).collect();
        let together = if size_of::<T>() == 4 { n.is_multiple_of(8) } else { n.is_power_of_two() };
        Ends { factors, middle: n.is_multiple_of(4) && !together }
    }

    /// Writes the halves, which are longer by one number, of what pairs became.
    ///
    /// # Panics
    /// When a slice has another length.
    pub fn of_real<L: Lanes<T>>(&self, from: &[L], to: &mut [L]) {
        assert!(from.len() == self.factors.len() && to.len() == from.len() + 1, "lines have their length");
        // SAFETY: the machine has what the version asks for.
        unsafe { pick(of_real_versions::<T, L>())(&self.factors, from, to) }
        let half = from.len() / 2;
        if self.middle {
            (0..L::COUNT).for_each(|lane| to[half].set(lane, from[half].get(lane).conj()));
        }
    }

    /// Writes the pairs of which real lines come back.
    ///
    /// # Panics
    /// As above.
    pub fn to_real<L: Lanes<T>>(&self, from: &[L], to: &mut [L]) {
        assert!(to.len() == self.factors.len() && from.len() == to.len() + 1, "lines have their length");
        // SAFETY: as above.
        unsafe { pick(to_real_versions::<T, L>())(&self.factors, from, to) }
    }
}

versions! { fn of_real_versions<T: Real, L: Lanes<T>>(factors: &[[T; 2]], from: &[L], to: &mut [L]) = halves }
versions! { fn to_real_versions<T: Real, L: Lanes<T>>(factors: &[[T; 2]], from: &[L], to: &mut [L]) = pairs }

#[inline(always)]
unsafe fn halves<T: Real, L: Lanes<T>>(factors: &[[T; 2]], from: &[L], to: &mut [L]) {
    let h = factors.len();
    for lane in 0..L::COUNT {
        let first = from[0].get(lane);
        to[0].set(lane, Complex::new(first.re + first.im, T::zero()));
        to[h].set(lane, Complex::new(first.re - first.im, T::zero()));
    }
    for k in 1..h {
        let [re, im] = factors[k];
        let (near, far, mut made) = (&from[k], &from[h - k], L::zero());
        for lane in 0..L::COUNT {
            let far = far.get(lane).conj();
            let d = near.get(lane) - far;
            let turned = Complex::new(d.re * re - d.im * im, d.re * im + d.im * re);
            made.set(lane, far + turned);
        }
        to[k] = made;
    }
}

#[inline(always)]
unsafe fn pairs<T: Real, L: Lanes<T>>(factors: &[[T; 2]], from: &[L], to: &mut [L]) {
    let h = factors.len();
    for lane in 0..L::COUNT {
        let (first, last) = (from[0].get(lane).re, from[h].get(lane).re);
        to[0].set(lane, Complex::new(first + last, first - last));
    }
    for k in 1..h {
        let [cosine, sine] = factors[k];
        let (near, far, mut made) = (&from[k], &from[h - k], L::zero());
        for lane in 0..L::COUNT {
            let (near, far) = (near.get(lane), far.get(lane).conj());
            let (sum, d) = (near + far, near - far);
            let turned = Complex::new(-d.re * sine - d.im * cosine, d.re * cosine - d.im * sine);
            made.set(lane, sum + turned);
        }
        to[k] = made;
    }
}
