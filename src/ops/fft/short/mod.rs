//! Lines of up to 16 numbers, transformed with the operations of PyTorch's library, and so with its zeros and last bits. The library has a
//! loop of its own for each length, kind and float, some of them others for processors of Intel, and others again where it scales by the
//! length or reads numbers that are not next to each other.

pub(super) mod angles;
pub(super) mod complex;
pub(super) mod number;
mod of_real;
mod orders;
pub(super) mod prime;
mod to_real;
mod zeros;

use super::plans::Real;
use crate::kernel::follows_intel;
use complex::{Turning, by_parts, fours, primes, turned, twelve_fused, twos};
use num_complex::Complex;
use number::float;
use orders::Wanted;
use prime::Prime;

/// The longest short line.
pub const LONGEST: usize = 16;

/// How a line is met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manner {
    /// What the result is multiplied by.
    pub factor: f64,
    /// Whether the numbers of a line are not next to each other, or are those of one axis of several.
    pub apart: bool,
    /// Whether it is one of several lines of real numbers that are next to each other.
    pub among: bool,
}

impl Manner {
    /// Of one axis of several, not scaled.
    pub const AMONG: Manner = Manner { factor: 1.0, apart: true, among: false };

    /// That of real lines of length `n`, of which several are scaled as if they lay apart. One that is scaled by a root is transformed as
    /// if there were others.
    pub fn of_real_lines(self, n: usize, lines: usize) -> Manner {
        let by_root = self.factor != 1.0 && self.factor != 1.0 / n as f64;
        Manner { apart: self.apart || lines > 1, among: self.among || !self.apart && (lines > 1 || by_root), ..self }
    }

    /// The factor where the library has a loop for just it.
    fn of_length<T: Real>(self, n: usize) -> Option<T> {
        (!self.apart && n > 1 && !n.is_power_of_two() && self.factor == 1.0 / n as f64).then(|| float(self.factor))
    }
}

/// The transforms of lines of one length.
pub struct Short<T> {
    n: usize,
    manner: Manner,
    factor: T,
    /// What is scaled within the transform.
    within: Option<T>,
    parts: Vec<Prime<T>>,
    three: Prime<T>,
}

/// The largest prime factor of a length that is met in this way, and the rest.
fn factors(n: usize) -> Option<[usize; 2]> {
    [13, 11, 7, 5, 3].into_iter().find(|p| n.is_multiple_of(*p)).map(|p| [p, n / p]).filter(|_| n != 9)
}

impl<T: Real> Short<T> {
    /// The transform of complex numbers, none where lines are longer.
    pub fn complex(n: usize, manner: Manner) -> Option<Short<T>> {
        Short::new("complex", n, manner)
    }

    /// The transform of real numbers.
    pub fn of_real(n: usize, manner: Manner) -> Option<Short<T>> {
        Short::new("of-real", n, manner)
    }

    /// The transform to real numbers, none of fifteen.
    pub fn to_real(n: usize, manner: Manner) -> Option<Short<T>> {
        if n == 15 { None } else { Short::new("to-real", n, manner) }
    }

    fn new(kind: &'static str, n: usize, manner: Manner) -> Option<Short<T>> {
        if n > LONGEST {
            return None;
        }
        let (within, wanted) = (manner.of_length(n), Wanted { kind, n, part: 0, scaled: false });
        let scale = within.filter(|_| kind != "complex");
        let [p, count] = factors(n).unwrap_or([3, 0]);
        let parts = (0..count).map(|part| Prime::new(p, Wanted { part, ..wanted }, scale)).collect();
        let three = Prime::new(3, Wanted { kind: "complex", n: 3, ..wanted }, None);
        Some(Short { n, manner, factor: float(manner.factor), within, parts, three })
    }

    /// Transforms a line of complex numbers.
    pub fn run(&self, line: &mut [Complex<T>], forward: bool) {
        let (intel, double) = (follows_intel(), size_of::<T>() == 8);
        let turning = Turning { fused: None, sums_eighths: false };
        match self.n {
            1 => {}
            2 if !double && !intel && !self.manner.apart => {
                self.scale(line);
                return twos(line);
            }
            2 => twos(line),
            4 => fours(forward)(line),
            8 | 16 if double && !intel => by_parts(line, forward, |x| self.power_of_two(x, true, turning)),
            8 | 16 => {
                let fused = [self.n == 8 || double && self.manner.apart; 2];
                let turning = Turning { fused: intel.then_some(fused), sums_eighths: self.n == 8 && !double };
                self.power_of_two(line, forward, turning);
            }
            9 => {
                let turning = Turning { fused: intel.then_some([false, false]), ..turning };
                turned(line, [3, 3], turning, forward, primes(&self.three, forward), primes(&self.three, forward));
            }
            12 if intel && !self.manner.apart => return twelve_fused(line, forward, self.factor),
            _ => return self.prime_parts(line, forward),
        }
        self.scale(line);
    }

    /// The transform of eight or sixteen.
    fn power_of_two(&self, line: &mut [Complex<T>], forward: bool, turning: Turning) {
        let second = move |x: &mut [Complex<T>]| if x.len() == 2 { twos(x) } else { fours(forward)(x) };
        turned(line, [4, self.n / 4], turning, forward, fours(forward), second);
    }

    /// The transform of eight or sixteen real numbers of one of several lines: it is that of complex ones.
    fn one_of_several(&self, line: &mut [Complex<T>]) {
        let turning = Turning { fused: None, sums_eighths: false };
        match size_of::<T>() {
            8 => by_parts(line, true, |x| self.power_of_two(x, true, turning)),
            _ => self.power_of_two(line, true, turning),
        }
    }

    /// The transform of a line whose length has an odd prime factor once.
    fn prime_parts(&self, line: &mut [Complex<T>], forward: bool) {
        let (p, b) = (self.parts[0].p, self.parts.len());
        if b == 1 {
            primes(&self.parts[0], forward)(line);
            return self.scale(line);
        }
        // The doubled odd lengths scale before the last additions.
        let early = self.within.filter(|_| b == 2 && size_of::<T>() == 4);
        let first = |q: usize, x: &mut [Complex<T>]| {
            primes(&self.parts[q], forward)(x);
            if let Some(factor) = early {
                x.iter_mut().for_each(|x| *x = x.scale(factor));
            }
        };
        complex::unturned(line, [p, b], first, self.across(b, forward));
        if early.is_none() {
            self.scale(line);
        }
    }

    /// What transforms two, three or four.
    fn across(&self, b: usize, forward: bool) -> impl Fn(&mut [Complex<T>]) {
        move |x| match b {
            2 => twos(x),
            3 => primes(&self.three, forward)(x),
            _ => fours(forward)(x),
        }
    }

    fn scale(&self, line: &mut [Complex<T>]) {
        if self.manner.factor != 1.0 {
            line.iter_mut().for_each(|x| *x = x.scale(self.factor));
        }
    }

    /// The first half of the transform of a real line.
    pub fn run_of_real(&self, from: &[T], to: &mut [Complex<T>]) {
        match (self.n, self.parts.len()) {
            (9, _) => of_real::nine(from, to, self.within),
            (_, 0) => {
                let mut line = of_real::as_complex(from);
                let line = &mut line[..self.n];
                let fused = (self.n == 16 && follows_intel()).then_some([true, false]);
                match self.n {
                    1 => {}
                    2 => twos(line),
                    4 => fours(true)(line),
                    _ if self.manner.among && !follows_intel() => self.one_of_several(line),
                    _ => self.power_of_two(line, true, Turning { fused, sums_eighths: true }),
                }
                to.copy_from_slice(&line[..to.len()]);
            }
            (_, 1) => self.parts[0].of_real(from, to),
            (_, b) => of_real::unturned(from, to, &self.parts, self.across(b, true)),
        }
        if !follows_intel() {
            zeros::settle(from, to, self.manner.among);
        }
        if self.within.is_none() {
            self.scale(to);
        }
    }

    /// The real line whose transform begins with these numbers.
    pub fn run_to_real(&self, from: &[Complex<T>], to: &mut [T]) {
        match (self.n, self.parts.len()) {
            (1, _) => to[0] = from[0].re,
            (2, _) => to.copy_from_slice(&complex::two([from[0].re, from[1].re])),
            (4, _) => to_real::four(from, to),
            (8, _) => to_real::eight(from, to),
            (9, _) => to_real::nine(from, to, self.within),
            (12, _) => to_real::twelve(from, to, self.within),
            (16, _) => to_real::sixteen(from, to),
            (_, 1) => self.parts[0].to_real(from, to),
            _ => to_real::unturned(from, to, &self.parts),
        }
        if self.within.is_none() && self.manner.factor != 1.0 {
            to.iter_mut().for_each(|x| *x = *x * self.factor);
        }
    }
}
