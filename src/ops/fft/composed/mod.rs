//! Lines of 17 to 1024 numbers whose length has no prime factors but 2, 3, 5 and 7, transformed with the operations of PyTorch's library
//! on processors that are not Intel's, and so with its last bits: transforms of a few numbers one after the other, whose results are
//! turned by a share of a circle (Cooley and Tukey). Of real numbers, pairs are taken for complex ones.

mod circle;
mod ends;
mod rows;
mod sines;
mod small;
mod steps;

use super::plans::Real;
use super::short::{LONGEST, Manner, Short};
use crate::kernel::across::crossed;
use ends::Ends;
use num_complex::Complex;
use rows::{Lanes, transform};
use steps::{Step, steps};

/// Lines that are transformed beside each other.
const BESIDE: usize = 16;
/// So many lines are worth it.
const FEW: usize = 4;
/// So many should come together, so that room for them is not made for each few.
pub const TOGETHER: usize = 4 * BESIDE;

/// The transform of complex lines of one length.
pub struct Composed<T> {
    n: usize,
    steps: Vec<Step<T>>,
    forward: bool,
}

impl<T: Real> Composed<T> {
    /// None where the length is not known.
    pub fn new(n: usize, forward: bool) -> Option<Composed<T>> {
        Composed::within(n, n, forward)
    }

    /// With a circle of `whole` parts.
    fn within(n: usize, whole: usize, forward: bool) -> Option<Composed<T>> {
        let steps = steps(n, whole).filter(|_| n > LONGEST)?;
        Some(Composed { n, steps, forward })
    }

    /// Transforms each of some lines.
    pub fn run(&self, lines: &mut [Complex<T>]) {
        let (mut many, mut alone) = (vec![], vec![]);
        in_groups(lines.len() / self.n, &mut |first, count, beside| {
            let group = &mut lines[first * self.n..][..count * self.n];
            match beside {
                true => self.group::<[Complex<T>; BESIDE]>(group, &mut many),
                false => self.group::<[Complex<T>; 1]>(group, &mut alone),
            }
        });
    }

    /// Transforms as many lines as there are lanes, or fewer.
    fn group<L: Lanes<T>>(&self, lines: &mut [Complex<T>], room: &mut Vec<L>) {
        let count = lines.len() / self.n;
        room.resize(2 * self.n, L::zero());
        let (rows, other) = room.split_at_mut(self.n);
        crossed(lines, self.n, (L::flat_mut(rows), L::COUNT), [self.n, count]);
        let rows = self.rows(rows, other);
        crossed(L::flat(rows), L::COUNT, (lines, self.n), [count, self.n]);
    }

    /// Transforms lines that lie across rows, and tells where they are then.
    fn rows<'a, L: Lanes<T>>(&self, rows: &'a mut [L], other: &'a mut [L]) -> &'a mut [L] {
        self.mirror(rows);
        transform(&self.steps, rows, other);
        let made = if self.steps.len().is_multiple_of(2) { rows } else { other };
        self.mirror(made);
        made
    }

    /// Backward is forward with the parts exchanged.
    fn mirror<L: Lanes<T>>(&self, rows: &mut [L]) {
        if !self.forward {
            L::flat_mut(rows).iter_mut().for_each(|x| *x = Complex::new(x.im, x.re));
        }
    }
}

/// Calls `f` with the first of some lines, their number, and whether they are worked on beside each other.
fn in_groups(lines: usize, f: &mut dyn FnMut(usize, usize, bool)) {
    for first in (0..lines).step_by(BESIDE) {
        match BESIDE.min(lines - first) {
            count if count < FEW => (first..first + count).for_each(|line| f(line, 1, false)),
            count => f(first, count, true),
        }
    }
}

/// What transforms the pairs of a real line.
enum Pairs<T> {
    Short(Short<T>),
    Composed(Composed<T>),
}

/// True for real lines that are transformed in another way where there are several of them.
pub fn differs_among(n: usize) -> bool {
    matches!(n, 32 | 64)
}

/// The transform of real lines of one length, or to such.
pub struct RealLines<T> {
    n: usize,
    pairs: Pairs<T>,
    ends: Ends<T>,
}

impl<T: Real> RealLines<T> {
    /// None where the length is not known: it is even. Lines of 32 and 64 numbers that are among others are transformed in another way.
    pub fn new(n: usize, of_real: bool, among: bool) -> Option<RealLines<T>> {
        let half = n / 2;
        if n <= LONGEST || !n.is_multiple_of(2) || among && differs_among(n) {
            return None;
        }
        let pairs = match half > LONGEST {
            true => Pairs::Composed(Composed::within(half, n, of_real)?),
            false if n == 32 && size_of::<T>() == 8 => return None,
            false => Pairs::Short(Short::complex(half, Manner { factor: 1.0, apart: false, among: false })?),
        };
        Some(RealLines { n, pairs, ends: Ends::new(n, of_real) })
    }

    /// The first half of the transform of each line; `width` numbers lie between where they begin.
    pub fn of_real(&self, from: &[T], (to, width): (&mut [Complex<T>], usize)) {
        let (mut many, mut alone) = (vec![], vec![]);
        in_groups(from.len() / self.n, &mut |first, count, beside| {
            let (from, to) = (&from[first * self.n..][..count * self.n], &mut to[first * width..]);
            match beside {
                true => self.group_of_real::<[Complex<T>; BESIDE]>(from, (to, width), &mut many),
                false => self.group_of_real::<[Complex<T>; 1]>(from, (to, width), &mut alone),
            }
        });
    }

    fn group_of_real<L: Lanes<T>>(&self, from: &[T], (to, width): (&mut [Complex<T>], usize), room: &mut Vec<L>) {
        let (half, count) = (self.n / 2, from.len() / self.n);
        room.resize(3 * half + 1, L::zero());
        let (room, ends) = room.split_at_mut(2 * half);
        let (rows, other) = room.split_at_mut(half);
        crossed(as_pairs(from), half, (L::flat_mut(rows), L::COUNT), [half, count]);
        self.ends.of_real(self.rows(rows, other, true), ends);
        crossed(L::flat(ends), L::COUNT, (to, width), [count, half + 1]);
    }

    /// The real lines whose transforms begin with these numbers.
    pub fn to_real(&self, from: &[Complex<T>], to: &mut [T]) {
        let (half, mut many, mut alone) = (self.n / 2, vec![], vec![]);
        in_groups(to.len() / self.n, &mut |first, count, beside| {
            let (from, to) = (&from[first * (half + 1)..][..count * (half + 1)], &mut to[first * self.n..][..count * self.n]);
            match beside {
                true => self.group_to_real::<[Complex<T>; BESIDE]>(from, to, &mut many),
                false => self.group_to_real::<[Complex<T>; 1]>(from, to, &mut alone),
            }
        });
    }

    fn group_to_real<L: Lanes<T>>(&self, from: &[Complex<T>], to: &mut [T], room: &mut Vec<L>) {
        let (half, count) = (self.n / 2, to.len() / self.n);
        room.resize(3 * half + 1, L::zero());
        let (room, ends) = room.split_at_mut(2 * half);
        let (rows, other) = room.split_at_mut(half);
        crossed(from, half + 1, (L::flat_mut(ends), L::COUNT), [half + 1, count]);
        self.ends.to_real(ends, rows);
        let rows = self.rows(rows, other, false);
        crossed(L::flat(rows), L::COUNT, (as_pairs_mut(to), half), [count, half]);
    }

    /// Transforms pairs that lie across rows, and tells where they are then.
    fn rows<'a, L: Lanes<T>>(&self, rows: &'a mut [L], other: &'a mut [L], forward: bool) -> &'a mut [L] {
        let short = match &self.pairs {
            Pairs::Composed(composed) => return composed.rows(rows, other),
            Pairs::Short(short) => short,
        };
        let mut line = [Complex::new(T::zero(), T::zero()); LONGEST];
        let line = &mut line[..rows.len()];
        for lane in 0..L::COUNT {
            line.iter_mut().zip(rows.iter()).for_each(|(x, row)| *x = row.get(lane));
            short.run(line, forward);
            rows.iter_mut().zip(line.iter()).for_each(|(row, x)| row.set(lane, *x));
        }
        rows
    }
}

/// Real numbers as pairs.
fn as_pairs<T: Real>(x: &[T]) -> &[Complex<T>] {
    // SAFETY: a complex number is two real ones, one after the other, and is aligned as they are.
    unsafe { std::slice::from_raw_parts(x.as_ptr().cast(), x.len() / 2) }
}

/// As above.
fn as_pairs_mut<T: Real>(x: &mut [T]) -> &mut [Complex<T>] {
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len() / 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Number = Complex<f64>;

    fn by_hand(x: &[Number], sign: f64) -> Vec<Number> {
        let (n, turn) = (x.len(), sign * std::f64::consts::TAU / x.len() as f64);
        let term = |k: usize, j: usize| x[j] * Complex::from_polar(1.0, turn * ((j * k) % n) as f64);
        (0..n).map(|k| (0..n).map(|j| term(k, j)).sum()).collect()
    }

    fn close(a: &[Number], b: &[Number]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-9)
    }

    fn lines(n: usize, count: usize) -> Vec<Number> {
        (0..n * count).map(|i| Complex::new(((i * i * 7 + 3 * i) % 11) as f64 - 5.0, (i % 7) as f64)).collect()
    }

    #[test]
    fn every_known_length_is_what_the_sum_says() {
        let mut known = 0;
        for n in (17..=400).chain([512, 640, 768, 1000]) {
            for (forward, sign) in [(true, -1.0), (false, 1.0)] {
                let Some(composed) = Composed::<f64>::new(n, forward) else { continue };
                for count in [1, 6] {
                    let mut data = lines(n, count);
                    let expected: Vec<Number> = data.chunks(n).flat_map(|line| by_hand(line, sign)).collect();
                    composed.run(&mut data);
                    assert!(close(&data, &expected), "{n} {forward} {count}");
                    known += 1;
                }
            }
        }
        assert_eq!(known, 4 * 84);
    }

    #[test]
    fn real_lines_are_transformed_there_and_back() {
        for n in [18, 36, 64, 100, 200, 256, 360] {
            let (there, back) = (RealLines::<f64>::new(n, true, false).unwrap(), RealLines::<f64>::new(n, false, false).unwrap());
            for count in [1, 5] {
                let real: Vec<f64> = lines(n, count).iter().map(|x| x.re).collect();
                let width = n / 2 + 3;
                let mut to = vec![Complex::new(0.0, 0.0); width * count];
                there.of_real(&real, (&mut to, width));
                let halves: Vec<Number> = to.chunks(width).flat_map(|line| line[..n / 2 + 1].to_vec()).collect();
                for (line, half) in real.chunks(n).zip(halves.chunks(n / 2 + 1)) {
                    let whole = by_hand(&line.iter().map(|x| Complex::new(*x, 0.0)).collect::<Vec<_>>(), -1.0);
                    assert!(close(half, &whole[..n / 2 + 1]), "{n} {count}");
                }
                let mut again = vec![0.0; n * count];
                back.to_real(&halves, &mut again);
                assert!(again.iter().zip(&real).all(|(a, b)| (a / n as f64 - b).abs() < 1e-9), "{n} {count}");
            }
        }
    }

    #[test]
    fn a_known_transform_has_its_last_bits() {
        // A ramp of 24 float32 numbers, as PyTorch transforms it on a processor of AMD's.
        let mut line: Vec<Complex<f32>> = (0..24).map(|i| Complex::new(i as f32, 0.0)).collect();
        Composed::new(24, true).unwrap().run(&mut line);
        assert_eq!([1, 23, 5].map(|k| line[k].re), [-12.0, -12.000_001, -11.999_999]);
        assert_eq!([1, 5].map(|k| line[k].im), [91.149_05, 15.638_704]);
    }
}
