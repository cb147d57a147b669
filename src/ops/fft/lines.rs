//! Fourier transforms of gapless data, along one axis or several.

use num_complex::Complex;
use num_traits::{Float, FromPrimitive, Zero};
use rayon::prelude::*;
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

/// Transforms row-major data of these sizes along some neighbouring axes, the last one first.
pub fn complex_along<T: Real>(data: &mut [Complex<T>], sizes: &[usize], axes: Range<usize>, forward: bool) {
    for axis in axes.rev() {
        let (n, inner) = (sizes[axis], sizes[axis + 1..].iter().product::<usize>());
        if data.is_empty() || n == 1 {
            continue;
        }
        let fft = plan::<T>(n, forward);
        data.par_chunks_mut(n * inner).for_each(|block| along(block, n, inner, &*fft));
    }
}

/// Transforms the first of two axes.
fn along<T: Real>(block: &mut [Complex<T>], n: usize, inner: usize, fft: &dyn Fft<T>) {
    let mut scratch = vec![Complex::zero(); fft.get_inplace_scratch_len()];
    if inner == 1 {
        return fft.process_with_scratch(block, &mut scratch);
    }
    let mut line = vec![Complex::zero(); n];
    for column in 0..inner {
        for (k, place) in line.iter_mut().enumerate() {
            *place = block[k * inner + column];
        }
        fft.process_with_scratch(&mut line, &mut scratch);
        for (k, value) in line.iter().enumerate() {
            block[k * inner + column] = *value;
        }
    }
}

/// The transform of each real line of length `n`: as many numbers as `out` has room for, all or the first `n / 2 + 1`.
pub fn from_real<T: Real>(data: &[T], n: usize, out: &mut [Complex<T>]) {
    let (fft, few, half) = (plan::<T>(n, true), few_real(n), n / 2 + 1);
    let room = || (vec![Complex::zero(); n], vec![Complex::zero(); fft.get_inplace_scratch_len()]);
    let lines = out.par_chunks_mut((out.len() / (data.len() / n).max(1)).max(1)).zip(data.par_chunks(n));
    lines.with_min_len(FEW / n + 1).for_each_init(room, |(line, scratch), (to, from)| {
        match few {
            Some(few) => few(from, &mut to[..half]),
            None => {
                line.iter_mut().zip(from).for_each(|(place, x)| *place = Complex::new(*x, T::zero()));
                fft.process_with_scratch(line, scratch);
                to[..half].copy_from_slice(&line[..half]);
                be_sure(to, n);
            }
        }
        if to.len() > half {
            mirror(to);
        }
    });
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

/// The real lines of length `n` whose transform begins with these numbers; not divided by `n`.
pub fn to_real<T: Real>(halves: &[Complex<T>], n: usize, out: &mut [T]) {
    let (fft, half) = (plan::<T>(n, false), n / 2 + 1);
    let room = || (vec![Complex::zero(); n], vec![Complex::zero(); fft.get_inplace_scratch_len()]);
    let lines = out.par_chunks_mut(n).zip(halves.par_chunks(half));
    lines.with_min_len(FEW / n + 1).for_each_init(room, |(line, scratch), (to, from)| {
        line[..half].copy_from_slice(from);
        mirror(line);
        be_sure(line, n);
        fft.process_with_scratch(line, scratch);
        for (place, value) in to.iter_mut().zip(line) {
            *place = value.re;
        }
    });
}

/// Multiplies by a factor that may be 1.
pub fn scale<T: Real>(data: &mut [Complex<T>], factor: f64) {
    let factor = T::from_f64(factor).unwrap_or_else(T::one);
    if !factor.is_one() {
        data.iter_mut().for_each(|x| *x = Complex::new(x.re * factor, x.im * factor));
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
        for n in 1..40 {
            let real: Vec<f64> = (0..n).map(|i| ((i * i * 7 + 3 * i) % 11) as f64 - 5.0).collect();
            let signal: Vec<Complex<f64>> = real.iter().map(|x| Complex::new(*x, x * x - 2.0)).collect();
            let close = |a: &[Complex<f64>], b: &[Complex<f64>]| a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-10);
            for forward in [true, false] {
                let mut data = signal.clone();
                complex_along(&mut data, &[1, n], 1..2, forward);
                assert!(close(&data, &by_hand(&signal, forward)), "{n}");
                let mut data = signal.clone();
                complex_along(&mut data, &[n, 1], 0..2, forward);
                assert!(close(&data, &by_hand(&signal, forward)), "{n}");
            }
            let plain: Vec<Complex<f64>> = real.iter().map(|x| Complex::new(*x, 0.0)).collect();
            let (mut half, mut whole) = (vec![Complex::zero(); n / 2 + 1], vec![Complex::zero(); n]);
            from_real(&real, n, &mut half);
            from_real(&real, n, &mut whole);
            assert!(close(&half, &by_hand(&plain, true)) && close(&whole, &by_hand(&plain, true)), "{n}");
            let mut back = vec![0.0; n];
            to_real(&half, n, &mut back);
            assert!(back.iter().zip(&real).all(|(a, b)| (a / n as f64 - b).abs() < 1e-10), "{n}");
        }
    }
}
