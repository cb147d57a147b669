//! Exponentials along lines, with the greatest element taken out so that nothing overflows: softmax and its relatives.
//!
//! A line is read twice, the second time from the cache.

use super::fold::Spread;
use super::halves::in_halves;
use super::isa::{follows_avx512, pick, versions};
use super::vector::fine::Fine;
use crate::dtype::DType;
use anyhow::Result;
use half::{bf16, f16};
use num_traits::Float;
use std::ops::Range;

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soft {
    /// Each element's share of the sum of exponentials.
    Share,
    /// The logarithm of the share.
    LogShare,
    /// One result per line: the logarithm of the sum of exponentials.
    LogSum,
}

/// Lines ready to be worked on. They lie without gaps: `outer` slabs of `length` rows of `inner` elements, and a line is a
/// column of a slab.
pub struct Task {
    /// What is done.
    pub work: Soft,
    /// float32 or float64.
    pub dtype: DType,
    /// The dtype that the results will be cast to.
    pub narrow: DType,
    /// How many slabs.
    pub outer: usize,
    /// Elements of a line.
    pub length: usize,
    /// Lines of a slab.
    pub inner: usize,
    /// True for lines along the last dimension. One column of a slab is not a line: PyTorch goes through it another way.
    pub is_last: bool,
    /// The first element.
    pub input: *const u8,
    /// The first result.
    pub output: *mut u8,
}

impl Task {
    /// True for lines of neighbours that are shorter than a vector.
    fn is_short(&self) -> bool {
        self.is_last && self.inner == 1 && self.length < if self.dtype == DType::F64 { f64::vector() } else { f32::vector() }
    }

    /// Columns that PyTorch works on in one of its vectors, which widens to two of a narrow dtype; what is over at the end of a slab it
    /// takes one by one.
    fn block<T: Soften>(&self) -> usize {
        T::vector() * if matches!(self.narrow, DType::F16 | DType::BF16) { 2 } else { 1 }
    }

    /// Results of a line.
    fn results(&self) -> usize {
        if self.work == Soft::LogSum { 1 } else { self.length }
    }

    /// The logarithm of the sum of a line; PyTorch keeps both in the narrow dtype, but not those of columns.
    #[inline(always)]
    fn log<T: Soften>(&self, sum: T) -> T {
        sum.rounded(self.narrow).log_in_line().rounded(self.narrow)
    }
}

// SAFETY: the addresses belong to the launch that made the task; lines write their own results.
unsafe impl Sync for Task {}

/// Columns that are worked on side by side.
pub(super) const BESIDE: usize = 64;

/// Lines of neighbours that are shorter than a vector are worked on side by side, too; so many elements have the longest.
const SHORT: usize = 16;

/// Runs a task, lines side by side.
///
/// # Safety
/// The elements are readable and the results writable, of the dtype given.
pub unsafe fn run(task: &Task, spread: Spread) -> Result<()> {
    let run = match (task.dtype, follows_avx512()) {
        (DType::F64, true) => pick(line_versions::<f64, Long>()),
        (DType::F64, false) => pick(line_versions::<f64, Short>()),
        (_, true) => pick(line_versions::<f32, Long>()),
        (_, false) => pick(line_versions::<f32, Short>()),
    };
    let (units, beside) = match task.is_short() {
        true => (task.outer.div_ceil(BESIDE), BESIDE),
        false => (task.outer * task.inner.div_ceil(BESIDE), task.inner.min(BESIDE)),
    };
    // SAFETY: the caller's promise; units are disjoint lines.
    spread(units, task.length * beside * 4, &|range| unsafe { run(task, range) })
}

versions! { fn line_versions<T: Soften, V: Vectors<T>>(task: &Task, units: Range<usize>) = some_lines }

#[inline(always)]
unsafe fn some_lines<T: Soften, V: Vectors<T>>(task: &Task, units: Range<usize>) {
    let (n, inner, results) = (task.length, task.inner, task.results());
    if task.is_short() {
        for unit in units {
            // SAFETY: the caller's promise.
            unsafe { short_lines::<T>(task, unit * BESIDE) };
        }
        return;
    }
    let groups = inner.div_ceil(BESIDE);
    for unit in units {
        let (slab, column) = (unit / groups, unit % groups * BESIDE);
        let first = slab * n * inner + column;
        // SAFETY: the caller's promise; the rows of a group of columns lie in the slab.
        unsafe {
            let from = (task.input as *const T).add(first);
            let to = (task.output as *mut T).add(slab * results * inner + column);
            if inner == 1 && (task.is_last || task.work == Soft::LogSum) {
                // The elements of the lines that follow may be read too.
                let all = std::slice::from_raw_parts(from, (task.outer - slab) * n);
                V::row(task, all, std::slice::from_raw_parts_mut(to, results));
            } else {
                columns::<T, false>(task, inner, from, to, BESIDE.min(inner - column));
            }
        }
    }
}

/// Short lines from the one with this number on, turned into columns and back.
#[inline(always)]
unsafe fn short_lines<T: Soften>(task: &Task, first: usize) {
    let (n, results, lines) = (task.length, task.results(), BESIDE.min(task.outer - first));
    let (mut from, mut to) = ([T::zero(); SHORT * BESIDE], [T::zero(); SHORT * BESIDE]);
    // SAFETY: the caller's promise; the columns have room for as many lines.
    unsafe {
        let (input, output) = ((task.input as *const T).add(first * n), (task.output as *mut T).add(first * results));
        for (i, column) in from.chunks_exact_mut(BESIDE).enumerate().take(n) {
            column.iter_mut().enumerate().take(lines).for_each(|(k, x)| *x = *input.add(k * n + i));
        }
        columns::<T, true>(task, BESIDE, from.as_ptr(), to.as_mut_ptr(), lines);
        for k in 0..lines {
            (0..results).for_each(|i| *output.add(k * results + i) = to[i * BESIDE + k]);
        }
    }
}

/// The first `n` of some elements, a line of neighbours, `C` at a time; what the line lacks in its last piece are infinitely small. The
/// exponentials are added in vectors of `V`, of which a piece is one or two: the compiler makes vectors of 64 bytes only.
#[inline(always)]
fn row<T: Soften, const C: usize, const V: usize>(task: &Task, from: &[T], to: &mut [T]) {
    let (work, n) = (task.work, task.length);
    let (line, count) = (&from[..n], n % C);
    let whole = line.as_chunks::<C>().0;
    let last = last_vector(&from[n - count..], count);
    let most = match work {
        // Only here a nan does not come out of the exponentials.
        Soft::LogSum => greatest(whole, last, |a, b| if b > a || b.is_nan() { b } else { a }),
        _ => greatest(whole, last, |a, b| if b > a { b } else { a }),
    };
    let sum = exponentials::<T, C, V>(work, (whole, &last, count), to, most);
    match work {
        Soft::Share => {
            let share = T::one() / sum;
            to.iter_mut().for_each(|x| *x = *x * share);
        }
        Soft::LogShare => {
            let log = task.log(sum);
            to.iter_mut().zip(line).for_each(|(to, x)| *to = *x - most - log);
        }
        Soft::LogSum => to[0] = unless_infinite(most, sum.ln() + most),
    }
}

/// The vectors that lines of neighbours are worked on in. Each has versions of its own: a loop is not inlined in two places.
trait Vectors<T> {
    /// See [`row`].
    fn row(task: &Task, from: &[T], to: &mut [T]);
}

/// Those of 64 bytes.
struct Long;

/// Those of 32 bytes.
struct Short;

impl Vectors<f32> for Long {
    #[inline(always)]
    fn row(task: &Task, from: &[f32], to: &mut [f32]) {
        row::<f32, 16, 16>(task, from, to)
    }
}

impl Vectors<f32> for Short {
    #[inline(always)]
    fn row(task: &Task, from: &[f32], to: &mut [f32]) {
        row::<f32, 16, 8>(task, from, to)
    }
}

impl Vectors<f64> for Long {
    #[inline(always)]
    fn row(task: &Task, from: &[f64], to: &mut [f64]) {
        row::<f64, 8, 8>(task, from, to)
    }
}

impl Vectors<f64> for Short {
    #[inline(always)]
    fn row(task: &Task, from: &[f64], to: &mut [f64]) {
        row::<f64, 8, 4>(task, from, to)
    }
}

/// The first `count` elements, a vector's others infinitely small.
#[inline(always)]
fn last_vector<T: Soften, const V: usize>(from: &[T], count: usize) -> [T; V] {
    let mut last = [T::neg_infinity(); V];
    match (from.first_chunk::<V>(), COUNTS[WIDEST - count..].first_chunk::<V>()) {
        (Some(xs), Some(counts)) => {
            for k in 0..V {
                last[k] = xs[k].if_set(counts[k]);
            }
        }
        _ => last[..count].copy_from_slice(&from[..count]),
    }
    last
}

/// Elements of the widest vector.
const WIDEST: usize = 16;

/// All bits, as many times as there are elements in the widest vector, and then as often none.
const COUNTS: [i32; 2 * WIDEST] = {
    let mut counts = [0; 2 * WIDEST];
    let mut k = 0;
    while k < WIDEST {
        counts[k] = -1;
        k += 1;
    }
    counts
};

#[inline(always)]
fn greatest<T: Soften, const V: usize>(whole: &[[T; V]], last: [T; V], greater: impl Fn(T, T) -> T) -> T {
    let mut lanes = last;
    for xs in whole {
        for k in 0..V {
            lanes[k] = greater(lanes[k], xs[k]);
        }
    }
    in_halves(&mut lanes, greater)
}

/// The sum of the exponentials of a line, of whole pieces and one of which some elements count, in the order in which PyTorch's
/// vectors add them up: a lane for each element of a vector, then as [`Soften::joined`] says. With [`Soft::Share`] the exponentials stay in `to`.
#[inline(always)]
fn exponentials<T: Soften, const C: usize, const V: usize>(
    work: Soft,
    line: (&[[T; C]], &[T; C], usize),
    to: &mut [T],
    most: T,
) -> T {
    let (whole, last, count) = line;
    let mut sums = [T::zero(); V];
    if work == Soft::Share {
        let (to, rest) = to.as_chunks_mut::<C>();
        for (xs, to) in whole.iter().zip(to) {
            *to = powers(xs, most, &mut sums, T::exp_in_line);
        }
        if count > 0 {
            rest.copy_from_slice(&powers(last, most, &mut sums, T::exp_in_line)[..count]);
        }
    } else if work == Soft::LogSum {
        add_powers(line, most, &mut sums, T::exp_in_sum);
    } else {
        add_powers(line, most, &mut sums, T::exp_in_line);
    }
    T::joined(&mut sums)
}

/// Adds the vectors of all exponentials to the sums.
#[inline(always)]
fn add_powers<T: Soften, const C: usize, const V: usize>(
    (whole, last, count): (&[[T; C]], &[T; C], usize),
    most: T,
    sums: &mut [T; V],
    exp: impl Fn(T) -> T,
) {
    for xs in whole {
        powers(xs, most, sums, &exp);
    }
    if count > 0 {
        powers(last, most, sums, &exp);
    }
}

/// The exponentials of a piece, whose vectors are added to the sums.
#[inline(always)]
fn powers<T: Soften, const C: usize, const V: usize>(xs: &[T; C], most: T, sums: &mut [T; V], exp: impl Fn(T) -> T) -> [T; C] {
    let mut powers = *xs;
    for power in &mut powers {
        *power = exp(*power - most);
    }
    for vector in powers.as_chunks::<V>().0 {
        for k in 0..V {
            sums[k] = sums[k] + vector[k];
        }
    }
    powers
}

/// `width` neighbouring columns of a slab whose rows are `inner` elements. With `LINE` they are lines laid side by side, and have
/// the bits of lines.
#[inline(always)]
unsafe fn columns<T: Soften, const LINE: bool>(task: &Task, inner: usize, from: *const T, to: *mut T, width: usize) {
    let n = task.length;
    let whole = if LINE { width } else { width / task.block::<T>() * task.block::<T>() };
    // SAFETY: the caller passes columns of a slab, and their results.
    let line = |i: usize| unsafe { std::slice::from_raw_parts(from.add(i * inner), width) };
    let (mut most, mut sums) = ([T::neg_infinity(); BESIDE], [T::zero(); BESIDE]);
    for i in 0..n {
        for (most, x) in most.iter_mut().zip(line(i)) {
            *most = if *x > *most || x.is_nan() { *x } else { *most };
        }
    }
    let results = task.results();
    // SAFETY: as above.
    let result = |i: usize| unsafe { std::slice::from_raw_parts_mut(to.add(i * inner), width) };
    for i in 0..n {
        let x = line(i);
        match task.work {
            Soft::Share => {
                let ((full, rest), (sums, others)) = (result(i).split_at_mut(whole), sums.split_at_mut(whole));
                for (((x, to), most), sum) in x.iter().zip(full).zip(&most).zip(sums) {
                    *to = (*x - *most).exp_in_line();
                    *sum = *sum + *to;
                }
                for (((x, to), most), sum) in x[whole..].iter().zip(rest).zip(&most[whole..]).zip(others) {
                    *to = Float::exp(*x - *most);
                    *sum = *sum + *to;
                }
            }
            Soft::LogShare => {
                for ((x, most), sum) in x[..whole].iter().zip(&most).zip(&mut sums) {
                    *sum = *sum + (*x - *most).exp_in_line();
                }
                for ((x, most), sum) in x[whole..].iter().zip(&most[whole..]).zip(&mut sums[whole..]) {
                    *sum = *sum + Float::exp(*x - *most);
                }
            }
            Soft::LogSum => {
                for ((x, most), sum) in x.iter().zip(&most).zip(&mut sums) {
                    *sum = *sum + if LINE { (*x - *most).exp_in_sum() } else { Fine::exp(*x - *most) };
                }
            }
        }
    }
    match task.work {
        Soft::Share => {}
        Soft::LogShare if LINE => sums.iter_mut().take(width).for_each(|sum| *sum = task.log(*sum)),
        Soft::LogShare => sums.iter_mut().take(width).for_each(|sum| *sum = sum.log_in_line()),
        Soft::LogSum => sums.iter_mut().take(width).for_each(|sum| *sum = sum.ln()),
    }
    for i in 0..results {
        let places = result(i).iter_mut().zip(&most).zip(&sums);
        match task.work {
            Soft::Share if LINE => places.for_each(|((to, _), sum)| *to = *to * (T::one() / *sum)),
            // PyTorch keeps the exponentials in the narrow dtype where they do not fill vectors.
            Soft::Share if whole < width => places.enumerate().for_each(|(k, ((to, _), sum))| {
                *to = if k < whole { *to } else { to.rounded(task.narrow) } / *sum;
            }),
            Soft::Share => places.for_each(|((to, _), sum)| *to = *to / *sum),
            Soft::LogShare => places.zip(line(i)).for_each(|(((to, most), log), x)| *to = *x - *most - *log),
            Soft::LogSum => places.for_each(|((to, most), log)| *to = unless_infinite(*most, *log + *most)),
        }
    }
}

/// The first when it is infinite, else the other.
#[inline(always)]
fn unless_infinite<T: Float>(most: T, sum: T) -> T {
    if most.is_infinite() { most } else { sum }
}

/// float32 and float64.
pub(super) trait Soften: Float + Fine + Send + Sync + 'static {
    /// Elements of the vectors that PyTorch works with: of 64 bytes with AVX-512, else of 32.
    fn vector() -> usize {
        64 / size_of::<Self>() / if follows_avx512() { 1 } else { 2 }
    }

    /// The sum of the lanes of a vector.
    fn joined(lanes: &mut [Self]) -> Self {
        in_halves(lanes, |a, b| a + b)
    }

    /// The exponential of a number that is not positive, with the bits that PyTorch has for the elements of a line: float32 by
    /// a shorter polynomial than elsewhere.
    fn exp_in_line(self) -> Self;

    /// The same for [`Soft::LogSum`].
    #[inline(always)]
    fn exp_in_sum(self) -> Self {
        self.exp_in_line()
    }

    /// The logarithm of a sum, with the bits that PyTorch has there.
    fn log_in_line(self) -> Self;

    /// The number where `bits` are all set, negative infinity where none is; without a branch, which would cost a vector.
    fn if_set(self, bits: i32) -> Self;

    /// The nearest number of a narrow dtype.
    fn rounded(self, narrow: DType) -> Self;
}

impl Soften for f32 {
    #[inline(always)]
    fn exp_in_line(self) -> f32 {
        short_exp(self)
    }

    #[inline(always)]
    fn log_in_line(self) -> f32 {
        if self.is_normal() { carried_log(self) } else { self.ln() }
    }

    #[inline(always)]
    fn if_set(self, bits: i32) -> f32 {
        let bits = bits as u32;
        f32::from_bits(self.to_bits() & bits | f32::NEG_INFINITY.to_bits() & !bits)
    }

    #[inline(always)]
    fn rounded(self, narrow: DType) -> f32 {
        match narrow {
            DType::F16 => f16::from_f32(self).to_f32(),
            DType::BF16 => bf16::from_f32(self).to_f32(),
            _ => self,
        }
    }
}

impl Soften for f64 {
    // PyTorch's vectors of float64 have no instructions of their own for that.
    #[inline(always)]
    fn joined(lanes: &mut [f64]) -> f64 {
        lanes.iter().fold(0.0, |all, lane| all + lane)
    }

    #[inline(always)]
    fn exp_in_line(self) -> f64 {
        self.vector_exp()
    }

    #[inline(always)]
    fn exp_in_sum(self) -> f64 {
        Fine::exp(self)
    }

    #[inline(always)]
    fn log_in_line(self) -> f64 {
        self.ln()
    }

    #[inline(always)]
    fn if_set(self, bits: i32) -> f64 {
        let bits = bits as i64 as u64;
        f64::from_bits(self.to_bits() & bits | f64::NEG_INFINITY.to_bits() & !bits)
    }

    #[inline(always)]
    fn rounded(self, _narrow: DType) -> f64 {
        self
    }
}

/// The exponential of a number that is not positive, by the polynomial of degree 7 that vector libraries take, with its bits.
#[inline(always)]
#[allow(clippy::excessive_precision, reason = "the digits as they are published")]
fn short_exp(x: f32) -> f32 {
    const MAGIC: f32 = 12_582_912.0;
    let low = x < -104.0;
    let x = if low { -104.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + MAGIC;
    let n = shifted - MAGIC;
    let r = n.mul_add(-1.428606765330187045e-06, n.mul_add(-0.693145751953125, x));
    let sum = 0.000198527617612853646278381_f32;
    let sum = sum.mul_add(r, 0.00139304355252534151077271);
    let sum = sum.mul_add(r, 0.00833336077630519866943359);
    let sum = sum.mul_add(r, 0.0416664853692054748535156);
    let sum = sum.mul_add(r, 0.166666671633720397949219);
    let sum = sum.mul_add(r, 0.5);
    let sum = (r * r).mul_add(sum, r) + 1.0;
    let whole = (shifted.to_bits() as i32).wrapping_sub(MAGIC.to_bits() as i32);
    let half = whole >> 1;
    let power = |n: i32| f32::from_bits(((n + 127) << 23) as u32);
    let result = sum * power(half) * power(whole - half);
    if low { 0.0 } else { result }
}

/// The logarithm of a positive normal number, with the bits that vector libraries have: `ln x = e ln 2 + 2 artanh((m - 1) / (m + 1))`,
/// where what each step loses is carried along.
#[inline(always)]
fn carried_log(x: f32) -> f32 {
    const LN_2: (f32, f32) = (std::f32::consts::LN_2, -1.904_654_3e-9);
    // The exponent for which the rest is in 0.75..1.5.
    let e = ((x * (1.0 / 0.75)).to_bits() >> 23) as i32 - 127;
    let m = f32::from_bits((x.to_bits() as i32 - (e << 23)) as u32);
    let e = e as f32;
    let whole = LN_2.0 * e;
    let whole = (whole, LN_2.1.mul_add(e, LN_2.0.mul_add(e, -whole)));
    let (up, down) = (exact_sum(-1.0, m), exact_sum(1.0, m));
    let inverse = 1.0 / down.0;
    let ratio = up.0 * inverse;
    let lost = inverse.mul_add(up.0, -ratio);
    let error = (-down.1).mul_add(inverse, (-down.0).mul_add(inverse, 1.0));
    let ratio = (ratio, ratio.mul_add(error, up.1.mul_add(inverse, lost)));
    let square = ratio.0 * ratio.0;
    let curve = 0.302_729_5_f32.mul_add(square, 0.399_610_82).mul_add(square, 0.666_669_5);
    let twice = (2.0 * ratio.0, 2.0 * ratio.1);
    let sum = whole.0 + twice.0;
    let lost = whole.0 - sum + twice.0 + whole.1 + twice.1;
    let last = square * ratio.0 * curve;
    let total = sum + last;
    total + (sum - total + last + lost)
}

/// A sum and what rounding took from it.
#[inline(always)]
fn exact_sum(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    let back = sum - a;
    (sum, (a - (sum - back)) + (b - back))
}
