//! Products of blocks of matrices and of columns that lie in slices, for decompositions.

use super::element::Element;
use super::halves::in_halves;
use super::isa::{follows_intel, pick, versions};
use super::registers::{self, Sums};
use super::shared::Shared;
use super::team;
use super::turn::in_rows;
use gemm::Parallelism;
use num_complex::Complex;
use num_traits::Num;
use std::ops::Neg;

/// float32, float64 and complex numbers over them.
pub trait Entry: Element + Default + Num + Neg<Output = Self> {
    /// The conjugate; itself for a real number.
    fn conj(self) -> Self;

    /// `self - a * b`; for real numbers rounded once. For complex ones it is the sum with the product by `-b`, which is another
    /// zero where all is zero.
    fn less_product(self, a: Self, b: Self) -> Self;
    /// The same, for real numbers with the product rounded first.
    fn less_rounded(self, a: Self, b: Self) -> Self;
}

macro_rules! entries {
    ($($r:ty),*) => { $(
        impl Entry for $r {
            #[inline(always)]
            fn conj(self) -> $r {
                self
            }

            #[inline(always)]
            fn less_product(self, a: $r, b: $r) -> $r {
                (-a).mul_add(b, self)
            }

            #[inline(always)]
            fn less_rounded(self, a: $r, b: $r) -> $r {
                self - a * b
            }
        }
        impl Entry for Complex<$r> {
            #[inline(always)]
            fn conj(self) -> Complex<$r> {
                Complex::conj(&self)
            }

            #[inline(always)]
            fn less_product(self, a: Complex<$r>, b: Complex<$r>) -> Complex<$r> {
                self + a * -b
            }

            #[inline(always)]
            fn less_rounded(self, a: Complex<$r>, b: Complex<$r>) -> Complex<$r> {
                self.less_product(a, b)
            }
        }
    )* };
}

entries!(f32, f64);

/// Rows up to which PyTorch's library rounds products of small matrices before it adds them, on AMD's processors.
const SHORT: usize = 16;

/// True for a matrix of so many rows, or columns if these are more, whose products are rounded before they are taken away.
pub fn is_rounded(rows: usize) -> bool {
    rows <= SHORT && !follows_intel()
}

/// `x - a * b` in a small matrix: for real numbers rounded as PyTorch's library does on this processor.
#[inline]
pub fn less<T: Entry>(x: T, a: T, b: T) -> T {
    if follows_intel() { x.less_product(a, b) } else { x.less_rounded(a, b) }
}

/// `to -= from * by`, as far as both reach.
pub fn subtract_scaled<T: Entry>(to: &mut [T], from: &[T], by: T) {
    let n = to.len().min(from.len());
    // SAFETY: both hold `n` entries, and the machine has what the version asks for.
    unsafe {
        pick(scaled_versions::<T>())(to.as_mut_ptr() as *mut u8, from.as_ptr() as *const u8, &by as *const T as *const u8, n)
    }
}

/// As [`subtract_scaled`] in a matrix of so many rows, with the roundings of [`less`] in a small one.
pub fn subtract_scaled_of<T: Entry>(rows: usize, to: &mut [T], from: &[T], by: T) {
    if !is_rounded(rows) {
        return subtract_scaled(to, from, by);
    }
    for (to, from) in to.iter_mut().zip(from) {
        *to = to.less_rounded(*from, by);
    }
}

versions! { fn scaled_versions<T: Entry>(to: *mut u8, from: *const u8, by: *const u8, n: usize) = scaled }

#[inline(always)]
unsafe fn scaled<T: Entry>(to: *mut u8, from: *const u8, by: *const u8, n: usize) {
    // SAFETY: the caller passes `n` entries of each, and a factor.
    let (to, from, by) = unsafe {
        (std::slice::from_raw_parts_mut(to as *mut T, n), std::slice::from_raw_parts(from as *const T, n), *(by as *const T))
    };
    to.iter_mut().zip(from).for_each(|(to, from)| *to = to.less_product(*from, by));
}

/// The sum of `conj(a) * b`, as far as both reach; in several sums side by side when they are many.
pub fn dot<T: Entry>(a: &[T], b: &[T]) -> T {
    let (n, mut sum) = (a.len().min(b.len()), T::default());
    // SAFETY: both hold `n` entries, and the machine has what the version asks for.
    unsafe { pick(dot_versions::<T>())(a.as_ptr() as *const u8, b.as_ptr() as *const u8, &mut sum as *mut T as *mut u8, n) };
    sum
}

versions! { fn dot_versions<T: Entry>(a: *const u8, b: *const u8, sum: *mut u8, n: usize) = dot_side_by_side }

#[inline(always)]
unsafe fn dot_side_by_side<T: Entry>(a: *const u8, b: *const u8, sum: *mut u8, n: usize) {
    // SAFETY: the caller passes `n` entries of each, and room for the sum.
    unsafe {
        let (a, b) = (std::slice::from_raw_parts(a as *const T, n), std::slice::from_raw_parts(b as *const T, n));
        *(sum as *mut T) = sum_of_products(a, b);
    }
}

/// The sum of `conj(a) * b` for slices of one length, for loops that are compiled for an instruction set.
#[inline(always)]
pub(super) fn sum_of_products<T: Entry>(a: &[T], b: &[T]) -> T {
    const BESIDE: usize = 32;
    let n = a.len().min(b.len());
    let whole = if n < BESIDE { 0 } else { n / BESIDE * BESIDE };
    let mut sums = [T::default(); BESIDE];
    for (a, b) in a[..whole].as_chunks::<BESIDE>().0.iter().zip(b[..whole].as_chunks::<BESIDE>().0) {
        for k in 0..BESIDE {
            sums[k] = sums[k] + a[k].conj() * b[k];
        }
    }
    if whole == 0 {
        return a[..n].iter().zip(&b[..n]).fold(T::default(), |sum, (a, b)| sum + a.conj() * *b);
    }
    let (eights, last) = (a[whole..n].as_chunks::<8>(), b[whole..n].as_chunks::<8>());
    for (a, b) in eights.0.iter().zip(last.0) {
        for k in 0..8 {
            sums[k] = sums[k] + a[k].conj() * b[k];
        }
    }
    let rest = eights.1.iter().zip(last.1).fold(T::default(), |sum, (a, b)| sum + a.conj() * *b);
    in_halves(&mut sums, |a, b| a + b) + rest
}

/// `to -= a * by_a + b * by_b`, as far as all reach.
pub fn subtract_two<T: Entry>(to: &mut [T], (a, by_a): (&[T], T), (b, by_b): (&[T], T)) {
    let n = to.len().min(a.len()).min(b.len());
    let by = [by_a, by_b];
    let run = pick(two_versions::<T>());
    // SAFETY: all hold `n` entries.
    unsafe { run(to.as_mut_ptr() as *mut u8, a.as_ptr() as *const u8, b.as_ptr() as *const u8, by.as_ptr() as *const u8, n) }
}

versions! { fn two_versions<T: Entry>(to: *mut u8, a: *const u8, b: *const u8, by: *const u8, n: usize) = two }

#[inline(always)]
unsafe fn two<T: Entry>(to: *mut u8, a: *const u8, b: *const u8, by: *const u8, n: usize) {
    // SAFETY: the caller passes `n` entries of each, and two factors.
    unsafe {
        let (to, by) = (std::slice::from_raw_parts_mut(to as *mut T, n), *(by as *const [T; 2]));
        let (a, b) = (std::slice::from_raw_parts(a as *const T, n), std::slice::from_raw_parts(b as *const T, n));
        to.iter_mut().zip(a).zip(b).for_each(|((to, a), b)| *to = *to - (*a * by[0] + *b * by[1]));
    }
}

/// A matrix in a slice: entry `(i, j)` at `i * row + j * column`.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a, T> {
    /// Begins with the first entry.
    pub cells: &'a [T],
    /// Distance of neighbours in a column.
    pub row: usize,
    /// Distance of neighbours in a row.
    pub column: usize,
}

impl<T> Block<'_, T> {
    fn holds(&self, rows: usize, columns: usize) -> bool {
        (rows - 1) * self.row + (columns - 1) * self.column < self.cells.len()
    }
}

/// The transpose of a matrix of `rows` rows, column by column, in squares.
///
/// # Panics
/// When there are not as many entries.
pub fn transposed<T: Entry>(cells: &[T], rows: usize, columns: usize) -> Vec<T> {
    assert_eq!(cells.len(), rows * columns, "a matrix has all its entries");
    let mut to = Vec::new();
    // SAFETY: all entries are there, as was just checked.
    unsafe { in_rows(&mut to, cells.as_ptr(), [1, rows as isize], [rows, columns], columns) };
    to
}

/// Multiplications from which on several threads are worth waking.
const MANY: usize = 1 << 20;

/// Columns that are a part of the work: a quarter of them within bounds, whoever takes it, since the library adds up as sizes are.
const COLUMNS: std::ops::RangeInclusive<usize> = 64..=256;

/// `to -= left * right`, or `left * conj(right)`: `m` by `n` entries in columns `column` apart, sums of `k` products.
///
/// # Panics
/// When a slice is too short.
pub fn subtract_product<T: Entry>(
    (to, column): (&mut [T], usize),
    left: Block<T>,
    right: Block<T>,
    conjugate: bool,
    (m, n, k): (usize, usize, usize),
) {
    if m == 0 || n == 0 || k == 0 {
        return;
    }
    assert!((n - 1) * column + m <= to.len() && left.holds(m, k) && right.holds(k, n), "blocks lie in their slices");
    if m * n * k <= registers::MOST && left.row == 1 && registers::takes(T::DTYPE) {
        // Transposed, so that columns are rows.
        let sums = Sums {
            sizes: [n, m, k],
            out: to.as_mut_ptr(),
            out_step: column as isize,
            left: right.cells.as_ptr(),
            left_steps: [right.column as isize, right.row as isize],
            right: left.cells.as_ptr(),
            right_steps: [left.column as isize, 1],
        };
        // SAFETY: all entries lie in their slices, as was just checked, and what is written is borrowed alone.
        return unsafe { registers::subtract(sums) };
    }
    let start = Shared(to.as_mut_ptr());
    let len = n.div_ceil(4).next_multiple_of(32).clamp(*COLUMNS.start(), *COLUMNS.end());
    team::each(n.div_ceil(len), m * n * k > MANY, &|i| {
        let columns = i * len..n.min((i + 1) * len);
        // SAFETY: all entries lie in their slices, as was just checked; what is written is borrowed alone, and parts have no columns
        // in common.
        unsafe {
            gemm::gemm(
                m,
                columns.len(),
                k,
                start.at(columns.start * column),
                column as isize,
                1,
                true,
                left.cells.as_ptr(),
                left.column as isize,
                left.row as isize,
                right.cells.as_ptr().wrapping_add(columns.start * right.column),
                right.column as isize,
                right.row as isize,
                T::one(),
                -T::one(),
                false,
                false,
                conjugate,
                Parallelism::None,
            );
        }
    });
}
