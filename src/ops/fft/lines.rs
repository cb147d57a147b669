//! Fourier transforms of gapless data, along one axis or several.

use crate::kernel::pieces::each;
use num_complex::Complex;
use num_traits::{Float, FromPrimitive, Zero};
use rustfft::{Fft, FftDirection, FftNum, FftPlanner, FftPlannerScalar};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// A float that is transformed.
pub trait Real: FftNum + Float + FromPrimitive {
    /// Hands `f` the plans that were made on this thread.
    fn with_plans<R>(f: impl FnOnce(&mut Plans<Self>) -> R) -> R;
}

/// Plans, whose tables of sines take longer to make than a transform takes, kept for the next one of the same length.
pub struct Plans<T: FftNum> {
    planner: FftPlanner<T>,
    /// For short lines: its quarter turns are turns of the parts and not products with a cosine that is nearly 0.
    exact: FftPlannerScalar<T>,
    /// The lengths asked for so far, added up.
    numbers: usize,
}

impl<T: FftNum> Plans<T> {
    fn new() -> Plans<T> {
        Plans { planner: FftPlanner::new(), exact: FftPlannerScalar::new(), numbers: 0 }
    }
}

macro_rules! real {
    ($($t:ident),*) => { $(impl Real for $t {
        fn with_plans<R>(f: impl FnOnce(&mut Plans<$t>) -> R) -> R {
            thread_local! {
                static PLANS: RefCell<Plans<$t>> = RefCell::new(Plans::new());
            }
            PLANS.with_borrow_mut(f)
        }
    })* };
}

real!(f32, f64);

/// Plans are forgotten when more numbers than this were asked for, so that they do not fill the memory.
const MOST: usize = 1 << 24;

/// The longest line whose transform is written out, number by number.
const SHORT: usize = 32;

/// Forwards as engineers write it: `exp(-2πi jk/n)`.
fn plan<T: Real>(n: usize, forward: bool) -> Arc<dyn Fft<T>> {
    T::with_plans(|plans| {
        if plans.numbers > MOST {
            *plans = Plans::new();
        }
        plans.numbers += n;
        let direction = if forward { FftDirection::Forward } else { FftDirection::Inverse };
        if n <= SHORT { plans.exact.plan_fft(n, direction) } else { plans.planner.plan_fft(n, direction) }
    })
}

/// Columns that are brought together in one go.
const TILE: usize = 8;

/// A line of at least so many numbers is transformed by all threads.
const LONG: usize = 1 << 16;

/// Steps that a transform of one number takes.
fn cost(n: usize) -> usize {
    n.ilog2() as usize + 1
}

/// Transforms row-major data of these sizes along some neighbouring axes, the last one first; `beside` is as large. True when the
/// result lies there.
pub fn complex_along<T: Real>(
    data: &mut [Complex<T>],
    beside: &mut [Complex<T>],
    sizes: &[usize],
    axes: Range<usize>,
    forward: bool,
) -> bool {
    let several = axes.len() > 1;
    for axis in axes.rev() {
        let (n, inner) = (sizes[axis], sizes[axis + 1..].iter().product::<usize>());
        if data.is_empty() || n == 1 {
            continue;
        }
        if n >= LONG
            && data.len() == n
            && !several
            && let Some(split) = halves(n)
        {
            long(data, beside, split, forward);
            return true;
        }
        let fft = plan::<T>(n, forward);
        if inner == 1 {
            let lines = (FEW / n).max(1);
            each(data, n * lines, n * lines * cost(n), |_, lines| run(&*fft, lines));
        } else {
            columns(data, beside, [n, inner], &|_, lines| run(&*fft, lines));
        }
    }
    false
}

/// Whether [`complex_along`] needs room beside the data.
pub fn needs_room(sizes: &[usize], axes: &Range<usize>) -> bool {
    let many = axes.clone().any(|axis| sizes[axis] > 1 && sizes[axis + 1..].iter().product::<usize>() > 1);
    many || axes.clone().any(|axis| sizes[axis] >= LONG)
}

/// Transforms each of some lines.
fn run<T: Real>(fft: &dyn Fft<T>, lines: &mut [Complex<T>]) {
    fft.process_with_scratch(lines, &mut vec![Complex::zero(); fft.get_inplace_scratch_len()]);
}

/// Lets `f` change the columns of blocks of `n` rows of `inner` numbers; it gets some at a time, one after the other, and the number
/// of the first one.
fn columns<T: Real>(
    data: &mut [Complex<T>],
    beside: &mut [Complex<T>],
    [n, inner]: [usize; 2],
    f: &(dyn Fn(usize, &mut [Complex<T>]) + Sync),
) {
    let (block, work) = (n * inner, n * inner * cost(n));
    let from = &*data;
    each(beside, block, work, |number, to| {
        let from = &from[number * block..][..block];
        each(to, TILE * n, TILE * n * cost(n), |tile, lines| {
            turn(&from[tile * TILE..], inner, lines, n);
            f(tile * TILE, lines);
        });
    });
    let from = &*beside;
    each(data, block, block, |number, to| {
        let from = &from[number * block..][..block];
        each(to, TILE * inner, TILE * inner, |tile, rows| turn(&from[tile * TILE..], n, rows, inner));
    });
}

/// Fills lines of `length` numbers with the first columns of rows that are `step` apart.
fn turn<T: Copy>(rows: &[T], step: usize, lines: &mut [T], length: usize) {
    let count = lines.len() / length;
    for (place, row) in rows.chunks(step).take(length).enumerate() {
        for (line, x) in row[..count].iter().enumerate() {
            lines[line * length + place] = *x;
        }
    }
}

/// Two factors of a length that are about as large; none where one would be short.
fn halves(n: usize) -> Option<[usize; 2]> {
    let root = n.isqrt();
    let first = (root / 4..=root).rev().find(|first| *first > 0 && n.is_multiple_of(*first))?;
    Some([first, n / first])
}

/// Transforms one line as a matrix: its columns, which are then turned by their share of a circle, and its rows. The result lies
/// beside, with rows and columns exchanged.
fn long<T: Real>(data: &mut [Complex<T>], beside: &mut [Complex<T>], [rows, wide]: [usize; 2], forward: bool) {
    let (n, first, second) = (rows * wide, plan::<T>(rows, forward), plan::<T>(wide, forward));
    let turn_of = std::f64::consts::TAU / n as f64 * if forward { -1.0 } else { 1.0 };
    let at = |k: usize| Complex::from_polar(1.0, turn_of * k as f64);
    let (fine, coarse): (Vec<_>, Vec<_>) = ((0..wide).map(at).collect(), (0..rows).map(|k| at(k * wide)).collect());
    columns(data, beside, [rows, wide], &|column, lines| {
        run(&*first, lines);
        for (line, numbers) in lines.chunks_mut(rows).enumerate() {
            // The share of a row is its number times this; its whole lines and its rest follow from those of the row before.
            let step = column + line;
            let (mut whole, mut rest) = (0, 0);
            for x in numbers {
                let by: Complex<f64> = coarse[whole] * fine[rest];
                let narrow = |x: f64| T::from_f64(x).unwrap_or_else(T::zero);
                *x = *x * Complex::new(narrow(by.re), narrow(by.im));
                rest += step;
                while rest >= wide {
                    (whole, rest) = (whole + 1, rest - wide);
                }
            }
        }
    });
    let lines = (FEW / wide).max(1);
    each(data, wide * lines, wide * lines * cost(wide), |_, lines| run(&*second, lines));
    let from = &*data;
    each(beside, TILE * rows, TILE * rows, |tile, to| turn(&from[tile * TILE..], wide, to, rows));
}

/// The transform of each real line of length `n`: as many numbers as `out` has room for, all or the first `n / 2 + 1`.
pub fn from_real<T: Real>(data: &[T], n: usize, out: &mut [Complex<T>]) {
    let half = n / 2 + 1;
    let lines = data.len() / n;
    let (width, together) = (out.len() / lines.max(1), (FEW / n).max(1));
    let way = Halved::of(n, true);
    each(out, width * together, n * together * cost(n), |part, to| {
        let mut room = way.room();
        for (line, to) in to.chunks_mut(width).enumerate() {
            let from = &data[(part * together + line) * n..][..n];
            match (few_real(n), &way) {
                (Some(few), _) => few(from, &mut to[..half]),
                (None, way) => way.of_real(from, &mut to[..half], &mut room),
            }
            if to.len() > half {
                mirror(to);
            }
        }
    });
}

/// How real lines of one length are transformed: an even one as half as many complex numbers, where that is worth the turns.
struct Halved<T: Real> {
    fft: Arc<dyn Fft<T>>,
    n: usize,
    /// The first half of a circle, if lines are halved.
    circle: Option<Vec<Complex<T>>>,
}

/// A line, and what its transform needs.
type Room<T> = (Vec<Complex<T>>, Vec<Complex<T>>);

impl<T: Real> Halved<T> {
    fn of(n: usize, forward: bool) -> Halved<T> {
        let even = n > SHORT && n.is_multiple_of(2);
        let turn = std::f64::consts::TAU / n as f64 * if forward { -1.0 } else { 1.0 };
        let at = |k: usize| {
            let (sin, cos) = if 4 * k == n { (turn.signum(), 0.0) } else { (turn * k as f64).sin_cos() };
            Complex::new(T::from_f64(cos).unwrap_or_else(T::zero), T::from_f64(sin).unwrap_or_else(T::zero))
        };
        let circle = even.then(|| (0..=n / 4).map(at).collect());
        Halved { fft: plan::<T>(if even { n / 2 } else { n }, forward), n, circle }
    }

    fn room(&self) -> Room<T> {
        (vec![Complex::zero(); self.fft.len()], vec![Complex::zero(); self.fft.get_inplace_scratch_len()])
    }

    /// The first half of the transform of a real line.
    fn of_real(&self, from: &[T], to: &mut [Complex<T>], (line, scratch): &mut Room<T>) {
        let Some(circle) = &self.circle else {
            line.iter_mut().zip(from).for_each(|(place, x)| *place = Complex::new(*x, T::zero()));
            self.fft.process_with_scratch(line, scratch);
            to.copy_from_slice(&line[..to.len()]);
            return be_sure(to, self.n);
        };
        let m = self.n / 2;
        let inner = &mut to[..m];
        inner.iter_mut().zip(from.as_chunks::<2>().0).for_each(|(place, [even, odd])| *place = Complex::new(*even, *odd));
        self.fft.process_with_scratch(inner, scratch);
        let half = T::from_f64(0.5).unwrap_or_else(T::zero);
        let first = to[0];
        to[0] = Complex::new(first.re + first.im, T::zero());
        to[m] = Complex::new(first.re - first.im, T::zero());
        for k in 1..=m / 2 {
            let (a, b) = (to[k], to[m - k].conj());
            let (even, odd) = ((a + b) * half, (a - b) * half);
            // Divided by i, and turned.
            let odd = Complex::new(odd.im, -odd.re) * circle[k];
            to[k] = even + odd;
            to[m - k] = (even - odd).conj();
        }
    }

    /// The real line whose transform begins with these numbers.
    fn to_real(&self, from: &[Complex<T>], to: &mut [T], (line, scratch): &mut Room<T>) {
        let Some(circle) = &self.circle else {
            line[..from.len()].copy_from_slice(from);
            mirror(line);
            be_sure(line, self.n);
            self.fft.process_with_scratch(line, scratch);
            return to.iter_mut().zip(line).for_each(|(place, value)| *place = value.re);
        };
        let m = self.n / 2;
        line[0] = Complex::new(from[0].re + from[m].re, from[0].re - from[m].re);
        for k in 1..=m / 2 {
            let (a, b) = (from[k], from[m - k].conj());
            let (even, odd) = (a + b, (a - b) * circle[k]);
            // Times i.
            let odd = Complex::new(-odd.im, odd.re);
            line[k] = even + odd;
            line[m - k] = (even - odd).conj();
        }
        self.fft.process_with_scratch(line, scratch);
        to.as_chunks_mut::<2>().0.iter_mut().zip(line).for_each(|(pair, x)| *pair = [x.re, x.im]);
    }
}

/// Numbers that are not worth a thread of their own.
const FEW: usize = 1 << 12;

/// What a real line leaves no doubt about in its transform.
fn be_sure<T: Real>(transform: &mut [Complex<T>], n: usize) {
    transform[0].im = T::zero();
    if n.is_multiple_of(2) {
        transform[n / 2].im = T::zero();
    }
}

/// From a real line to the first half of its transform.
type Few<T> = fn(&[T], &mut [Complex<T>]);

/// The transform of three or five real numbers with the operations, and so the zeros and last bits, of PyTorch's library.
fn few_real<T: Real>(n: usize) -> Option<Few<T>> {
    match n {
        3 => Some(three),
        5 => Some(five),
        _ => None,
    }
}

/// The cosines and the sines of a fifth and two fifths of a turn, as far off the true ones as those of PyTorch's library.
const FIFTHS: [f64; 4] = [0.309_016_994_374_947_45, 0.951_056_516_295_153_5, -0.809_016_994_374_947_3, 0.587_785_252_292_473_2];

fn three<T: Real>(x: &[T], to: &mut [Complex<T>]) {
    let sum = x[1] + x[2];
    let [half, sin] = [0.5, 3f64.sqrt() / 2.0].map(|x| T::from_f64(x).unwrap_or_else(T::zero));
    to[0] = Complex::new(x[0] + sum, T::zero());
    to[1] = Complex::new(x[0] - half * sum, -(sin * (x[1] - x[2])));
}

fn five<T: Real>(x: &[T], to: &mut [Complex<T>]) {
    let [c1, s1, c2, s2] = FIFTHS.map(|x| T::from_f64(x).unwrap_or_else(T::zero));
    let (outer, inner) = (x[1] + x[4], x[2] + x[3]);
    let (rise, step) = (x[1] - x[4], x[2] - x[3]);
    to[0] = Complex::new(x[0] + (outer + inner), T::zero());
    to[1] = Complex::new(c2.mul_add(inner, c1.mul_add(outer, x[0])), -(s1.mul_add(rise, s2 * step)));
    to[2] = Complex::new(c1.mul_add(inner, c2.mul_add(outer, x[0])), s1.mul_add(step, -(s2 * rise)));
}

/// Writes the second half of the transform of a real line, the mirror image of the first.
fn mirror<T: Real>(transform: &mut [Complex<T>]) {
    let n = transform.len();
    for k in n / 2 + 1..n {
        transform[k] = transform[n - k].conj();
    }
}

/// The real lines of length `n` whose transform begins with these numbers, times a factor.
pub fn to_real<T: Real>(halves: &[Complex<T>], n: usize, factor: T, out: &mut [T]) {
    let (way, half, together) = (Halved::of(n, false), n / 2 + 1, (FEW / n).max(1));
    each(out, n * together, n * together * cost(n), |part, to| {
        let mut room = way.room();
        for (line, to) in to.chunks_mut(n).enumerate() {
            way.to_real(&halves[(part * together + line) * half..][..half], to, &mut room);
            to.iter_mut().for_each(|x| *x = *x * factor);
        }
    });
}

/// Multiplies by a factor that may be 1.
pub fn scale<T: Real>(data: &mut [Complex<T>], factor: f64) {
    let factor = T::from_f64(factor).unwrap_or_else(T::one);
    if !factor.is_one() {
        each(data, FEW, FEW, |_, part| part.iter_mut().for_each(|x| *x = Complex::new(x.re * factor, x.im * factor)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_hand(x: &[Complex<f64>], forward: bool) -> Vec<Complex<f64>> {
        let n = x.len();
        let turn = std::f64::consts::TAU / n as f64 * if forward { -1.0 } else { 1.0 };
        let at = |k: usize| x.iter().enumerate().map(|(j, x)| x * Complex::from_polar(1.0, turn * ((j * k) % n) as f64)).sum();
        (0..n).map(at).collect()
    }

    #[test]
    fn every_length_is_what_the_sum_says() {
        for n in 1..80 {
            let real: Vec<f64> = (0..n).map(|i| ((i * i * 7 + 3 * i) % 11) as f64 - 5.0).collect();
            let signal: Vec<Complex<f64>> = real.iter().map(|x| Complex::new(*x, x * x - 2.0)).collect();
            let close = |a: &[Complex<f64>], b: &[Complex<f64>]| a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-10);
            for forward in [true, false] {
                let mut data = signal.clone();
                complex_along(&mut data, &mut signal.clone(), &[1, n], 1..2, forward);
                assert!(close(&data, &by_hand(&signal, forward)), "{n}");
                let mut data = signal.clone();
                complex_along(&mut data, &mut signal.clone(), &[n, 1], 0..2, forward);
                assert!(close(&data, &by_hand(&signal, forward)), "{n}");
            }
            let plain: Vec<Complex<f64>> = real.iter().map(|x| Complex::new(*x, 0.0)).collect();
            let (mut half, mut whole) = (vec![Complex::zero(); n / 2 + 1], vec![Complex::zero(); n]);
            from_real(&real, n, &mut half);
            from_real(&real, n, &mut whole);
            assert!(close(&half, &by_hand(&plain, true)) && close(&whole, &by_hand(&plain, true)), "{n}");
            let mut back = vec![0.0; n];
            to_real(&half, n, 1.0, &mut back);
            assert!(back.iter().zip(&real).all(|(a, b)| (a / n as f64 - b).abs() < 1e-10), "{n}");
        }
    }
}
