//! Which steps a transform takes, and the numbers of each.

use super::super::plans::Real;
use super::super::short::number::float;
use super::circle::{LONGEST, circle};
use super::small::{Constants, Eighths, SIXTEENTH};
use num_complex::Complex;
use std::ops::Range;

/// A transform of a few numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Small {
    Two,
    Three,
    Four,
    /// Whether the first number is added first.
    Five(bool),
    Six,
    Seven,
    Eight(Eighths),
    SixteenByParts,
    /// Of four, the third of which is turned by a quarter.
    FourOfSixteen,
}

/// Some of the transforms of a step: of these numbers of the result so far, and of these of the lines that are left.
#[derive(Clone, Debug)]
pub struct Part {
    pub small: Small,
    pub done: Range<usize>,
    pub rest: Range<usize>,
}

/// A step: of each `radix` transforms of `done` numbers one of their product is made, `rest` times.
pub struct Step<T> {
    pub radix: usize,
    pub done: usize,
    pub rest: usize,
    pub parts: Vec<Part>,
    /// Cosines and sines by which numbers are turned first, `radix` for each of the `done`.
    pub turns: Vec<Complex<T>>,
}

/// The lengths of the steps of a transform, none where they are not known.
fn radices(n: usize, double: bool) -> Option<Vec<usize>> {
    let twos = n.trailing_zeros();
    let (mut odd, mut primes) = (n >> twos, Vec::new());
    for prime in [7, 5, 3] {
        while odd.is_multiple_of(prime) {
            (odd, _) = (odd / prime, primes.push(prime));
        }
    }
    if odd != 1 || n > LONGEST {
        return None;
    }
    if primes.is_empty() {
        return Some(match (n, double) {
            (32, _) => vec![4, 8],
            (64, false) => vec![16, 4],
            (64, true) => vec![8, 8],
            (128, _) => vec![16, 8],
            (256, _) => vec![4, 8, 8],
            (512, false) => vec![16, 4, 8],
            (512, true) => vec![8, 8, 8],
            (1024, false) => vec![16, 8, 8],
            _ => return None,
        });
    }
    // What is even comes first, and the largest prime is kept to the end then.
    let (first, fours) = match twos {
        0 => return Some(primes),
        1 if primes.last() == Some(&3) => (primes.pop().map_or(2, |three: usize| 2 * three), 0),
        1..=4 => (1 << twos, 0),
        _ => (16 >> (twos % 2), twos as usize / 2 - 2 + twos as usize % 2),
    };
    let last = (!primes.is_empty()).then(|| primes.remove(0));
    Some([first].into_iter().chain(primes).chain(vec![4; fours]).chain(last).collect())
}

/// The steps of a transform of `n` numbers whose circle is that of a line of `whole` ones.
pub fn steps<T: Real>(n: usize, whole: usize) -> Option<Vec<Step<T>>> {
    let double = size_of::<T>() == 8;
    let radices = radices(n, double).filter(|radices| radices.len() > 1)?;
    let (whole, mut done, mut steps) = (if n.is_power_of_two() { n } else { whole }, 1, vec![]);
    let points = circle(whole);
    for (number, &radix) in radices.iter().enumerate() {
        let rest = n / done / radix;
        if radix == 16 && (!double || n.is_power_of_two()) {
            steps.extend(sixteen(n, if double { Constants::Below } else { Constants::Near }));
        } else {
            let turn = |place: usize| {
                let [cosine, sine] = points[place % radix * (place / radix) * rest * (whole / n) % whole].map(float::<T>);
                Complex::new(cosine, sine)
            };
            let parts = parts([n, radix, done, rest], radices.get(1).copied().filter(|_| number == 0), double);
            steps.push(Step { radix, done, rest, parts, turns: (0..done * radix).map(turn).collect() });
        }
        done *= radix;
    }
    Some(steps)
}

/// Transforms of sixteen, as the first steps: fours, turned, and fours across them.
fn sixteen<T: Real>(n: usize, constants: Constants) -> [Step<T>; 2] {
    let (near, far, eighth) = (float(SIXTEENTH), constants.sixteenth(), constants.eighth());
    let (zero, one) = (T::zero(), T::one());
    let sines = [[one, zero], [near, far], [eighth, eighth], [far, near], [zero, one], [zero, zero], [-eighth, eighth]];
    let turn = |place: usize| match place % 4 * (place / 4) {
        9 => Complex::new(-near, -far),
        sixteenths => Complex::new(sines[sixteenths][0], sines[sixteenths][1]),
    };
    let part = |small, done, rest| Part { small, done, rest: 0..rest };
    let fours = |done, rest| part(Small::Four, done, rest);
    let second = vec![fours(0..2, n / 16), part(Small::FourOfSixteen, 2..3, n / 16), fours(3..4, n / 16)];
    [
        Step { radix: 4, done: 1, rest: n / 4, parts: vec![fours(0..1, n / 4)], turns: vec![Complex::new(one, zero); 4] },
        Step { radix: 4, done: 4, rest: n / 16, parts: second, turns: (0..16).map(turn).collect() },
    ]
}

/// The transforms of a step; `next` is the length of the second one where this is the first.
fn parts([n, radix, done, rest]: [usize; 4], next: Option<usize>, double: bool) -> Vec<Part> {
    // The library does four float32 lines at a time, or two.
    let (beside, power) = (if next.is_some() { rest } else { done }, n.is_power_of_two());
    let by_fours = beside.is_multiple_of(4);
    let small = match radix {
        2 => Small::Two,
        3 => Small::Three,
        4 => Small::Four,
        5 => Small::Five(if double { next.is_some() } else { !by_fours }),
        6 => Small::Six,
        7 => Small::Seven,
        8 => Small::Eight(match (double, power && n > 32) {
            (_, false) => Eighths::Apart,
            (true, _) if next.is_some() => Eighths::Sums(Constants::Below),
            (true, _) => Eighths::Products(Constants::Below),
            (false, _) => Eighths::Products(Constants::Above),
        }),
        _ => Small::SixteenByParts,
    };
    let part = |small, done, rest| Part { small, done, rest };
    match (small, next) {
        // The last of each odd number of lines is done on its own.
        (Small::Eight(Eighths::Apart), Some(next)) if !double && !next.is_multiple_of(2) => {
            let last = rest - rest / next;
            let alone = Small::Eight(Eighths::Products(Constants::Near));
            vec![part(small, 0..done, 0..last), part(alone, 0..done, last..rest)]
        }
        (Small::Five(false), None) if double && !done.is_multiple_of(2) => {
            vec![part(Small::Five(true), 0..1, 0..rest), part(small, 1..done, 0..rest)]
        }
        _ => vec![part(small, 0..done, 0..rest)],
    }
}
