//! Exponentials along lines, with the greatest element taken out so that nothing overflows: softmax and its relatives.
//!
//! A line is read twice, the second time from the cache.

use super::fold::Spread;
use super::isa::{pick, versions};
use crate::dtype::DType;
use anyhow::Result;
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
    /// How many slabs.
    pub outer: usize,
    /// Elements of a line.
    pub length: usize,
    /// Lines of a slab.
    pub inner: usize,
    /// The first element.
    pub input: *const u8,
    /// The first result.
    pub output: *mut u8,
}

// SAFETY: the addresses belong to the launch that made the task; lines write their own results.
unsafe impl Sync for Task {}

/// Columns that are worked on side by side.
const BESIDE: usize = 64;

/// Runs a task, lines side by side.
///
/// # Safety
/// The elements are readable and the results writable, of the dtype given.
pub unsafe fn run(task: &Task, spread: Spread) -> Result<()> {
    let run = if task.dtype == DType::F64 { pick(line_versions::<f64>()) } else { pick(line_versions::<f32>()) };
    let beside = task.inner.min(BESIDE);
    let units = task.outer * task.inner.div_ceil(beside);
    // SAFETY: the caller's promise; units are disjoint lines.
    spread(units, task.length * beside * 4, &|range| unsafe { run(task, range) })
}

versions! { fn line_versions<T: Soften>(task: &Task, units: Range<usize>) = some_lines }

#[inline(always)]
unsafe fn some_lines<T: Soften>(task: &Task, units: Range<usize>) {
    let (n, inner) = (task.length, task.inner);
    let groups = inner.div_ceil(inner.min(BESIDE));
    let results = if task.work == Soft::LogSum { 1 } else { n };
    for unit in units {
        let (slab, column) = (unit / groups, unit % groups * BESIDE);
        let first = slab * n * inner + column;
        // SAFETY: the caller's promise; the rows of a group of columns lie in the slab.
        unsafe {
            let from = (task.input as *const T).add(first);
            let to = (task.output as *mut T).add(slab * results * inner + column);
            if inner == 1 {
                row(task.work, std::slice::from_raw_parts(from, n), std::slice::from_raw_parts_mut(to, results));
            } else {
                columns(task, from, to, BESIDE.min(inner - column));
            }
        }
    }
}

/// One line whose elements are neighbours.
#[inline(always)]
fn row<T: Soften>(work: Soft, from: &[T], to: &mut [T]) {
    const LANES: usize = 64;
    let greater = |a: T, b: T| if b > a || b.is_nan() { b } else { a };
    let mut lanes = [T::neg_infinity(); LANES];
    let (chunks, rest) = from.as_chunks::<LANES>();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, x)| *lane = greater(*lane, *x));
    }
    let most = lanes.iter().chain(rest).fold(T::neg_infinity(), |most, x| greater(most, *x));
    let sum = exponentials(work, from, to, most);
    match work {
        Soft::Share => {
            let share = T::one() / sum;
            to.iter_mut().for_each(|x| *x = *x * share);
        }
        Soft::LogShare => {
            let log = sum.ln();
            to.iter_mut().zip(from).for_each(|(to, x)| *to = *x - most - log);
        }
        Soft::LogSum => to[0] = unless_infinite(most, sum.ln() + most),
    }
}

/// The sum of the exponentials of a line, in the order in which PyTorch's vectors of 64 bytes add them up: a lane for each
/// element of a vector, then halves; a line shorter than a vector from left to right. With [`Soft::Share`] the exponentials stay
/// in `to`.
#[inline(always)]
fn exponentials<T: Soften>(work: Soft, from: &[T], to: &mut [T], most: T) -> T {
    let width = T::VECTOR;
    let mut sums = [T::zero(); 16];
    let sums = &mut sums[..width];
    if work == Soft::Share {
        for (from, to) in from.chunks(width).zip(to.chunks_mut(width)) {
            for ((x, to), sum) in from.iter().zip(to).zip(sums.iter_mut()) {
                *to = (*x - most).exp_in_line();
                *sum = *sum + *to;
            }
        }
    } else {
        for from in from.chunks(width) {
            for (x, sum) in from.iter().zip(sums.iter_mut()) {
                *sum = *sum + (*x - most).exp_in_line();
            }
        }
    }
    if from.len() < width {
        return sums[..from.len()].iter().fold(T::zero(), |all, x| all + *x);
    }
    let mut half = width / 2;
    while half > 0 {
        for k in 0..half {
            sums[k] = sums[k] + sums[k + half];
        }
        half /= 2;
    }
    sums[0]
}

/// `width` neighbouring columns of a slab.
#[inline(always)]
unsafe fn columns<T: Soften>(task: &Task, from: *const T, to: *mut T, width: usize) {
    let (n, inner) = (task.length, task.inner);
    // SAFETY: the caller passes columns of a slab, and their results.
    let line = |i: usize| unsafe { std::slice::from_raw_parts(from.add(i * inner), width) };
    let (mut most, mut sums) = ([T::neg_infinity(); BESIDE], [T::zero(); BESIDE]);
    for i in 0..n {
        for (most, x) in most.iter_mut().zip(line(i)) {
            *most = if *x > *most || x.is_nan() { *x } else { *most };
        }
    }
    let results = if task.work == Soft::LogSum { 1 } else { n };
    // SAFETY: as above.
    let result = |i: usize| unsafe { std::slice::from_raw_parts_mut(to.add(i * inner), width) };
    for i in 0..n {
        if task.work == Soft::Share {
            for (((x, to), most), sum) in line(i).iter().zip(result(i)).zip(&most).zip(&mut sums) {
                *to = (*x - *most).exp_below();
                *sum = *sum + *to;
            }
        } else {
            for ((x, most), sum) in line(i).iter().zip(&most).zip(&mut sums) {
                *sum = *sum + (*x - *most).exp_below();
            }
        }
    }
    if task.work != Soft::Share {
        sums.iter_mut().take(width).for_each(|sum| *sum = sum.ln());
    }
    for i in 0..results {
        let places = result(i).iter_mut().zip(&most).zip(&sums);
        match task.work {
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
trait Soften: Float + Send + Sync + 'static {
    /// Elements of a vector of 64 bytes.
    const VECTOR: usize;

    /// The exponential of a number that is not positive. Within one unit in the last place.
    fn exp_below(self) -> Self;

    /// The same for the elements of a line, with the bits that PyTorch has there: float32 by a shorter polynomial.
    fn exp_in_line(self) -> Self;
}

/// How numbers and their bits correspond, the least exponent worth a result, `ln 2` in two parts, and `1 / n!` from the highest on.
macro_rules! soften {
    ($($t:ident $bits:ident $magic:literal $bias:literal $shift:literal $low:literal $ln2:literal $ln2_rest:literal $line:path [$($c:literal),*];)*) => { $(
        #[allow(clippy::excessive_precision, reason = "one list of digits for both widths")]
        impl Soften for $t {
            const VECTOR: usize = 64 / std::mem::size_of::<$t>();

            /// A power of two times a polynomial; the power in two steps, for results too small to be normal.
            #[inline(always)]
            fn exp_below(self) -> $t {
                const MAGIC: $t = $magic;
                let x = if self < $low { $low } else { self };
                let shifted = x.mul_add(std::$t::consts::LOG2_E, MAGIC);
                let n = shifted - MAGIC;
                let r = n.mul_add(-$ln2_rest, n.mul_add(-$ln2, x));
                let sum: $t = 0.0;
                $(let sum = sum.mul_add(r, $c);)*
                let whole = (shifted.to_bits() as $bits).wrapping_sub(MAGIC.to_bits() as $bits);
                let half = whole >> 1;
                let power = |n: $bits| $t::from_bits(((n + $bias) << $shift) as _);
                sum * power(half) * power(whole - half)
            }

            #[inline(always)]
            fn exp_in_line(self) -> $t {
                $line(self)
            }
        }
    )* };
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

soften! {
    f32 i32 12582912.0 127 23 -104.0 0.693359375 -2.121_944_4e-4 short_exp
        [1.984_127e-4, 1.388_888_9e-3, 8.333_333_4e-3, 4.166_666_6e-2, 1.666_666_7e-1, 0.5, 1.0, 1.0];
    f64 i64 6755399441055744.0 1023 52 -746.0 0.693147180369123816490 1.90821492927058770002e-10 Soften::exp_below
        [1.6059043836821613e-10, 2.08767569878681e-9, 2.505210838544172e-8, 2.755731922398589e-7, 2.755731922398589e-6,
         2.48015873015873e-5, 1.984126984126984e-4, 1.388888888888889e-3, 8.333333333333333e-3, 4.1666666666666664e-2,
         1.6666666666666666e-1, 0.5, 1.0, 1.0];
}

#[cfg(test)]
mod tests {
    use super::Soften;

    #[test]
    fn exponentials_are_within_one_unit_in_the_last_place() {
        for i in 0..=104_000 {
            let x = i as f32 * -1e-3;
            let (fine, ours) = ((x as f64).exp(), Soften::exp_below(x) as f64);
            let unit = (fine * 2f64.powi(-23)).max(2f64.powi(-149));
            assert!((ours - fine).abs() <= unit, "exp({x}): {ours} and not {fine}");
        }
        for i in 0..=70_000 {
            let x = i as f64 * -1e-2;
            let (fine, ours) = (x.exp(), Soften::exp_below(x));
            assert!((ours - fine).abs() <= fine * f64::EPSILON, "exp({x}): {ours} and not {fine}");
        }
        assert_eq!(Soften::exp_below(f32::NEG_INFINITY), 0.0);
        assert_eq!(Soften::exp_below(f64::NEG_INFINITY), 0.0);
        assert!(Soften::exp_below(f32::NAN).is_nan() && Soften::exp_below(f64::NAN).is_nan());
    }
}
