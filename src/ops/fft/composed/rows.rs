//! The steps of transforms, of one line or of several that lie across their rows.

use super::super::plans::Real;
use super::super::short::complex::{four, two};
use super::super::short::prime::quarter;
use super::small::{Eighths, eight_apart, eight_turned, five, product, seven, six, sixteen_by_parts, three};
use super::steps::{Part, Small, Step};
use crate::kernel::isa::{pick, versions};
use num_complex::Complex;

/// The numbers of some lines that have the same place in them.
pub trait Lanes<T>: Copy {
    /// How many.
    const COUNT: usize;
    /// Zeros.
    fn zero() -> Self;
    /// That of a line.
    fn get(&self, lane: usize) -> Complex<T>;
    /// Writes that of a line.
    fn set(&mut self, lane: usize, to: Complex<T>);
    /// Rows as the numbers in them.
    fn flat(rows: &[Self]) -> &[Complex<T>];
    /// As above.
    fn flat_mut(rows: &mut [Self]) -> &mut [Complex<T>];
}

impl<T: Real, const N: usize> Lanes<T> for [Complex<T>; N] {
    const COUNT: usize = N;

    #[inline(always)]
    fn zero() -> Self {
        [Complex::new(T::zero(), T::zero()); N]
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> Complex<T> {
        self[lane]
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, to: Complex<T>) {
        self[lane] = to;
    }

    fn flat(rows: &[Self]) -> &[Complex<T>] {
        rows.as_flattened()
    }

    fn flat_mut(rows: &mut [Self]) -> &mut [Complex<T>] {
        rows.as_flattened_mut()
    }
}

/// Transforms the lines in `rows` forward, which come to lie in `other` where the number of steps is odd.
///
/// # Panics
/// When a slice is not as long as the lines.
pub fn transform<T: Real, L: Lanes<T>>(steps: &[Step<T>], rows: &mut [L], other: &mut [L]) {
    for (number, step) in steps.iter().enumerate() {
        let (from, to): (&[L], &mut [L]) = if number % 2 == 0 { (rows, other) } else { (other, rows) };
        assert!(from.len() == to.len() && from.len() == step.radix * step.done * step.rest, "lines have their length");
        // SAFETY: the machine has what the version asks for.
        unsafe { pick(versions::<T, L>())(step, from, to) }
    }
}

versions! { fn versions<T: Real, L: Lanes<T>>(step: &Step<T>, from: &[L], to: &mut [L]) = take }

#[inline(always)]
unsafe fn take<T: Real, L: Lanes<T>>(step: &Step<T>, from: &[L], to: &mut [L]) {
    for part in &step.parts {
        // What differs between the numbers of a loop is decided before it.
        match part.small {
            Small::Two => part_of(step, part, from, to, two),
            Small::Three => part_of(step, part, from, to, three),
            Small::Four => part_of(step, part, from, to, |x| four(x, true)),
            Small::Five(true) => part_of(step, part, from, to, |x| five(x, true)),
            Small::Five(false) => part_of(step, part, from, to, |x| five(x, false)),
            Small::Six => part_of(step, part, from, to, six),
            Small::Seven => part_of(step, part, from, to, seven),
            Small::Eight(Eighths::Apart) => part_of(step, part, from, to, eight_apart),
            Small::Eight(Eighths::Products(constants)) => {
                part_of(step, part, from, to, |x| eight_turned(x, constants.eighth(), false))
            }
            Small::Eight(Eighths::Sums(constants)) => {
                part_of(step, part, from, to, |x| eight_turned(x, constants.eighth(), true))
            }
            Small::FourOfSixteen => {
                let [_, first, _, last] = step.turns[8..12] else { continue };
                beside(step, part, 2, from, to, |x| {
                    let (second, last) = (product(x[1], first.re, first.im), product(x[3], last.re, last.im));
                    four([x[0], second, quarter(x[2], true), last], true)
                });
            }
            Small::SixteenByParts => part_of(step, part, from, to, sixteen_by_parts),
        }
    }
}

/// Some transforms of a step.
#[inline(always)]
fn part_of<T: Real, L: Lanes<T>, const R: usize>(
    step: &Step<T>,
    part: &Part,
    from: &[L],
    to: &mut [L],
    small: impl Fn([Complex<T>; R]) -> [Complex<T>; R],
) {
    for k in part.done.clone() {
        let turns = &step.turns[k * R..][..R];
        // The first are not turned.
        if k == 0 {
            beside(step, part, k, from, to, &small);
        } else {
            beside(step, part, k, from, to, |mut x| {
                for j in 1..R {
                    x[j] = product(x[j], turns[j].re, turns[j].im);
                }
                small(x)
            });
        }
    }
}

/// Those that have one place in what is done so far.
#[inline(always)]
fn beside<T: Real, L: Lanes<T>, const R: usize>(
    step: &Step<T>,
    part: &Part,
    k: usize,
    from: &[L],
    to: &mut [L],
    small: impl Fn([Complex<T>; R]) -> [Complex<T>; R],
) {
    for line in part.rest.clone() {
        let rows: [&L; R] = std::array::from_fn(|j| &from[(k * R + j) * step.rest + line]);
        let mut made = [L::zero(); R];
        for lane in 0..L::COUNT {
            let mut x = [Complex::new(T::zero(), T::zero()); R];
            for j in 0..R {
                x[j] = rows[j].get(lane);
            }
            let x = small(x);
            for j in 0..R {
                made[j].set(lane, x[j]);
            }
        }
        for j in 0..R {
            to[(j * step.done + k) * step.rest + line] = made[j];
        }
    }
}
