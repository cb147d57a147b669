//! Short lines of three times as many numbers: the cosine of a third of a turn is -1/2, which a library that computes it misses by its
//! last bit, so that what cancels out does not vanish.

use super::plans::Real;
use num_complex::Complex;
use rustfft::algorithm::MixedRadix;
use rustfft::{Direction, Fft, FftDirection, FftPlannerScalar, Length};
use std::sync::Arc;

/// The plan of a line of `n` numbers, none where `n` is no multiple of three.
pub fn plan<T: Real>(n: usize, direction: FftDirection) -> Option<Arc<dyn Fft<T>>> {
    if n == 0 || !n.is_multiple_of(3) {
        return None;
    }
    Some(match plan(n / 3, direction) {
        Some(rest) => Arc::new(MixedRadix::new(rest, Arc::new(Thirds::new(1, direction)))),
        None => Arc::new(Thirds::new(n / 3, direction)),
    })
}

/// The transform of three times `m` numbers, where `m` is no multiple of three: `m` transforms of three, then three of `m`, which need no
/// factors between them (Good and Thomas).
struct Thirds<T> {
    rest: Arc<dyn Fft<T>>,
    /// The places in a line of each three.
    threes: Vec<[usize; 3]>,
    /// Where each number of the result is found: the remainders of its place by three and by `m` are its places.
    found: Vec<usize>,
    /// Half the square root of three, with the sign of the direction.
    sine: T,
    half: T,
}

impl<T: Real> Thirds<T> {
    fn new(m: usize, direction: FftDirection) -> Thirds<T> {
        let [half, sine] = [0.5, 3f64.sqrt() / 2.0].map(|x| T::from_f64(x).unwrap_or_else(T::zero));
        let sine = if matches!(direction, FftDirection::Forward) { sine } else { -sine };
        let threes = (0..m).map(|b| [0, m, 2 * m].map(|a| (a + 3 * b) % (3 * m))).collect();
        let found = (0..3 * m).map(|k| k % 3 * m + k % m).collect();
        Thirds { rest: FftPlannerScalar::new().plan_fft(m, direction), threes, found, sine, half }
    }

    fn of_three(&self, [first, second, third]: [Complex<T>; 3]) -> [Complex<T>; 3] {
        let (sum, difference) = (second + third, (second - third).scale(self.sine));
        let middle = first - sum.scale(self.half);
        let turned = Complex::new(difference.im, -difference.re);
        [first + sum, middle + turned, middle - turned]
    }

    fn line(&self, line: &mut [Complex<T>], room: &mut [Complex<T>]) {
        let (parts, room) = room.split_at_mut(line.len());
        let (first, others) = parts.split_at_mut(self.threes.len());
        let (second, third) = others.split_at_mut(self.threes.len());
        for (b, places) in self.threes.iter().enumerate() {
            [first[b], second[b], third[b]] = self.of_three(places.map(|place| line[place]));
        }
        self.rest.process_with_scratch(parts, room);
        line.iter_mut().zip(&self.found).for_each(|(value, place)| *value = parts[*place]);
    }
}

impl<T: Real> Fft<T> for Thirds<T> {
    fn process_with_scratch(&self, lines: &mut [Complex<T>], room: &mut [Complex<T>]) {
        lines.chunks_exact_mut(self.len()).for_each(|line| self.line(line, room));
    }

    fn process_outofplace_with_scratch(&self, from: &mut [Complex<T>], to: &mut [Complex<T>], room: &mut [Complex<T>]) {
        self.process_immutable_with_scratch(from, to, room);
    }

    fn process_immutable_with_scratch(&self, from: &[Complex<T>], to: &mut [Complex<T>], room: &mut [Complex<T>]) {
        to.copy_from_slice(from);
        self.process_with_scratch(to, room);
    }

    fn get_inplace_scratch_len(&self) -> usize {
        self.len() + self.rest.get_inplace_scratch_len()
    }

    fn get_outofplace_scratch_len(&self) -> usize {
        self.get_inplace_scratch_len()
    }

    fn get_immutable_scratch_len(&self) -> usize {
        self.get_inplace_scratch_len()
    }
}

impl<T: Real> Length for Thirds<T> {
    fn len(&self) -> usize {
        3 * self.rest.len()
    }
}

impl<T: Real> Direction for Thirds<T> {
    fn fft_direction(&self) -> FftDirection {
        self.rest.fft_direction()
    }
}
