//! The mean and spread of each row of a matrix, added up as PyTorch's norms of layers and groups do.

#[cfg(target_arch = "x86_64")]
use super::isa::has_avx2;
use super::isa::{pick, versions};
use num_traits::Float;
use rayon::prelude::*;

/// The mean and the variance of each row of `length` elements; none of rows without elements.
pub fn rowwise<T: Spread>(values: &[T], length: usize) -> (Vec<T>, Vec<T>) {
    let run = pick(rows_versions::<T>());
    let count = values.len().checked_div(length).unwrap_or(0);
    let (mut means, mut variances) = (vec![T::zero(); count], vec![T::zero(); count]);
    let at_once = (PIECE / length.max(1)).max(1);
    let pieces = values.par_chunks(at_once * length.max(1)).zip(means.par_chunks_mut(at_once));
    pieces.zip(variances.par_chunks_mut(at_once)).for_each(|((values, means), variances)| {
        // SAFETY: slices, each of the other pieces' threads has others.
        unsafe { run(values, length, means, variances) }
    });
    (means, variances)
}

/// Elements that one thread takes in one go.
const PIECE: usize = 1 << 14;

versions! { fn rows_versions<T: Spread>(values: &[T], length: usize, means: &mut [T], variances: &mut [T]) = rows }

#[inline(always)]
unsafe fn rows<T: Spread>(values: &[T], length: usize, means: &mut [T], variances: &mut [T]) {
    let count = number::<T>(length);
    for ((row, mean), variance) in values.chunks_exact(length).zip(means).zip(variances) {
        let all = T::of_row(row);
        (*mean, *variance) = (all.mean, all.squares / count);
    }
}

/// A float whose rows are taken in as many lanes as fit a vector of 32 bytes.
pub trait Spread: Float + Send + Sync + 'static {
    /// All elements of a row.
    fn of_row(row: &[Self]) -> Moments<Self>;

    /// Lines taken by fresh lanes, one after the other.
    #[inline(always)]
    fn steps<const L: usize>(lines: &[[Self; L]], lanes: &mut Lanes<Self, L>) {
        lines.iter().for_each(|line| lanes.step(line));
    }
}

impl Spread for f32 {
    #[inline(always)]
    fn of_row(row: &[f32]) -> Moments<f32> {
        Moments::of::<8>(row)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn steps<const L: usize>(lines: &[[f32; L]], lanes: &mut Lanes<f32, L>) {
        if L == 8 && has_avx2() {
            // SAFETY: the machine has the instructions; lines and lanes are of eight numbers.
            unsafe { vector::steps_f32(lines.as_ptr() as *const f32, lines.len(), &mut lanes.mean[..], &mut lanes.squares[..]) };
            lanes.count = lines.len();
        } else {
            lines.iter().for_each(|line| lanes.step(line));
        }
    }
}

impl Spread for f64 {
    #[inline(always)]
    fn of_row(row: &[f64]) -> Moments<f64> {
        Moments::of::<4>(row)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn steps<const L: usize>(lines: &[[f64; L]], lanes: &mut Lanes<f64, L>) {
        if L == 4 && has_avx2() {
            // SAFETY: the machine has the instructions; lines and lanes are of four numbers.
            unsafe { vector::steps_f64(lines.as_ptr() as *const f64, lines.len(), &mut lanes.mean[..], &mut lanes.squares[..]) };
            lanes.count = lines.len();
        } else {
            lines.iter().for_each(|line| lanes.step(line));
        }
    }
}

#[inline(always)]
fn number<T: Float>(value: usize) -> T {
    T::from(value).unwrap_or_else(T::nan)
}

/// How many elements, their mean, and the sum of the squares of their distances from it.
#[derive(Clone, Copy)]
pub struct Moments<T> {
    count: usize,
    mean: T,
    squares: T,
}

/// The moments of lanes that have taken equally many elements.
#[derive(Clone, Copy)]
pub struct Lanes<T, const L: usize> {
    count: usize,
    mean: [T; L],
    squares: [T; L],
}

/// Steps of the lanes that make a chunk; chunks are joined in pairs, pairs in fours.
const CHUNK: usize = 16;

/// Levels that no row fills, and those that a row of fewer than `2^8` chunks does not.
const LEVELS: usize = 48;
const FEW_LEVELS: usize = 8;

impl<T: Float, const L: usize> Lanes<T, L> {
    #[inline(always)]
    fn none() -> Self {
        Lanes { count: 0, mean: [T::zero(); L], squares: [T::zero(); L] }
    }

    /// One element more for each lane.
    #[inline(always)]
    fn step(&mut self, line: &[T; L]) {
        self.count += 1;
        let share = T::one() / number(self.count);
        for (x, (mean, squares)) in line.iter().zip(self.mean.iter_mut().zip(&mut self.squares)) {
            let apart = *x - *mean;
            *mean = apart.mul_add(share, *mean);
            *squares = apart.mul_add(*x - *mean, *squares);
        }
    }

    /// `more` added, lane by lane.
    #[inline(always)]
    fn join(&mut self, more: &Self) {
        let share = share::<T>(self.count, more.count);
        let before = number::<T>(self.count);
        for k in 0..L {
            let apart = more.mean[k] - self.mean[k];
            self.mean[k] = self.mean[k] + share * apart;
            self.squares[k] = apart.mul_add(apart * (share * before), self.squares[k] + more.squares[k]);
        }
        self.count += more.count;
    }
}

/// The share of the second count in both.
#[inline(always)]
fn share<T: Float>(first: usize, second: usize) -> T {
    if first + second == 0 { T::zero() } else { number::<T>(second) / number(first + second) }
}

impl<T: Spread> Moments<T> {
    /// The mean, and the mean of the squares of the distances from it.
    #[inline(always)]
    pub fn mean_and_variance(&self) -> (T, T) {
        (self.mean, self.squares / number(self.count))
    }

    /// Lanes that take every element of theirs in turn, then what is left over alone, then lane by lane.
    #[inline(always)]
    fn of<const L: usize>(row: &[T]) -> Self {
        let (lines, rest) = row.as_chunks::<L>();
        let mut lanes = Lanes::none();
        if lines.len() <= CHUNK {
            T::steps(lines, &mut lanes);
        } else if lines.len() < CHUNK << FEW_LEVELS {
            lanes = Self::in_chunks::<L, FEW_LEVELS>(lines);
        } else {
            lanes = Self::in_chunks::<L, LEVELS>(lines);
        }
        let mut all = Moments { count: 0, mean: T::zero(), squares: T::zero() };
        for x in rest {
            all.step(*x);
        }
        for k in 0..L {
            all.add(&Moments { count: lanes.count, mean: lanes.mean[k], squares: lanes.squares[k] });
        }
        all
    }

    /// Lines taken in chunks, which are joined in pairs. Making many levels ready takes longer than the steps of a short row.
    #[inline(always)]
    fn in_chunks<const L: usize, const N: usize>(lines: &[[T; L]]) -> Lanes<T, L> {
        let mut levels = [Lanes::<T, L>::none(); N];
        let mut used = 0;
        for (n, chunk) in lines.chunks(CHUNK).enumerate() {
            let mut joined = Lanes::none();
            T::steps(chunk, &mut joined);
            // As many levels are full as the number of chunks before has ones at its end.
            let full = n.trailing_ones() as usize;
            for level in &mut levels[..full] {
                let mut both = *level;
                both.join(&joined);
                (joined, *level) = (both, Lanes::none());
            }
            levels[full] = joined;
            used = used.max(full + 1);
        }
        let mut lanes = levels[0];
        for level in &levels[1..used.max(1)] {
            lanes.join(level);
        }
        lanes
    }

    #[inline(always)]
    fn step(&mut self, x: T) {
        self.count += 1;
        let apart = x - self.mean;
        self.mean = self.mean + apart / number(self.count);
        self.squares = self.squares + apart * (x - self.mean);
    }

    #[inline(always)]
    fn add(&mut self, other: &Self) {
        let (share, apart) = (share::<T>(self.count, other.count), other.mean - self.mean);
        self.mean = share.mul_add(apart, self.mean);
        self.squares = self.squares + (apart * apart * share).mul_add(number(self.count), other.squares);
        self.count += other.count;
    }
}

/// Steps of lanes that fill a register, which the compiler takes apart otherwise.
#[cfg(target_arch = "x86_64")]
mod vector {
    use super::CHUNK;
    use std::arch::x86_64::*;

    macro_rules! steps {
        ($name:ident, $t:ty, $lanes:literal, $load:ident, $store:ident, $set:ident, $sub:ident, $fma:ident, $zero:ident) => {
            /// Takes lines into fresh lanes.
            ///
            /// # Safety
            /// There are so many lines, not more than a chunk has, and both results have room for a line.
            #[target_feature(enable = "avx2,fma")]
            #[inline]
            pub unsafe fn $name(lines: *const $t, count: usize, mean: &mut [$t], squares: &mut [$t]) {
                const SHARES: [$t; CHUNK] = {
                    let mut shares = [1.0; CHUNK];
                    let mut k = 0;
                    while k < CHUNK {
                        shares[k] = 1.0 / (k + 1) as $t;
                        k += 1;
                    }
                    shares
                };
                let (mut sum, mut more) = ($zero(), $zero());
                for (k, share) in SHARES.iter().enumerate().take(count) {
                    // SAFETY: one of the lines.
                    let x = unsafe { $load(lines.add(k * $lanes)) };
                    let apart = $sub(x, sum);
                    sum = $fma(apart, $set(*share), sum);
                    more = $fma(apart, $sub(x, sum), more);
                }
                // SAFETY: the caller promises room.
                unsafe {
                    $store(mean.as_mut_ptr(), sum);
                    $store(squares.as_mut_ptr(), more);
                }
            }
        };
    }

    steps!(
        steps_f32,
        f32,
        8,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_sub_ps,
        _mm256_fmadd_ps,
        _mm256_setzero_ps
    );
    steps!(
        steps_f64,
        f64,
        4,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_sub_pd,
        _mm256_fmadd_pd,
        _mm256_setzero_pd
    );
}
