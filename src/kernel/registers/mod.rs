//! Products of matrices of floats and systems with a triangular matrix, with all sums in vector registers.
//!
//! A library's product arranges both matrices first, which pays for large ones only. Here six rows of the result, up to four vectors
//! wide, are summed at a time, straight from the left matrix and from the rows of the right one. Every sum adds one product after
//! the other, each before it is rounded, and of many terms piece after piece. Large matrices are moved together a few terms at a
//! time, for as long as these stay in the caches.
//!
//! All is written for AVX-512 and for AVX2; elsewhere nothing [`fits`].

#[cfg(target_arch = "x86_64")]
mod product;
#[cfg(target_arch = "x86_64")]
mod triangle;
#[cfg(target_arch = "x86_64")]
mod wide;

use super::element::Element;
use super::isa::{has_avx2, has_avx512};
use super::matmul::{Part, Product, starts};
use super::team;
use crate::dtype::DType;
use std::ops::Range;

/// Multiplications up to which a product is computed here.
pub const MOST: usize = 1 << 24;

/// The same for sums of fewer than [`LONG`] terms: an arrangement is used less often there.
const MOST_OF_SHORT: usize = 1 << 26;
const LONG: usize = 512;

/// Multiplications from which on several threads are worth waking,
const MANY: usize = 1 << 20;

/// and from which on those of a team are worth asking: less than that goes by in the time it takes to move to another cache.
const SOME: usize = 1 << 19;

/// Rows of the result that are summed at a time.
const ROWS: usize = 6;

/// Columns of a large product that a thread sums at a time.
const COLUMNS: usize = 512;

/// Bytes of them at most: four vectors of AVX-512, and four tiles of AVX2.
const WIDEST: usize = 256;

/// The product `left @ right` of matrices, (m, k) @ (k, n). Steps, in elements, lead to the next row and to the next column; the
/// entries of a row of `out` are neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Sums<T> {
    /// m, n and k.
    pub sizes: [usize; 3],
    /// The first entry of `out`.
    pub out: *mut T,
    /// From one of its rows to the next.
    pub out_step: isize,
    /// The first entry of `left`.
    pub left: *const T,
    /// Its steps.
    pub left_steps: [isize; 2],
    /// The first entry of `right`.
    pub right: *const T,
    /// Its steps.
    pub right_steps: [isize; 2],
}

/// A triangular matrix, column by column, and right sides, which become the solutions.
#[derive(Clone, Copy, Debug)]
pub struct System<T> {
    /// The first entry of the matrix.
    pub matrix: *const T,
    /// From one of its columns to the next.
    pub stride: usize,
    /// Only entries on and above the diagonal are read, else those on and below it.
    pub upper: bool,
    /// The reciprocals of the diagonal; null when it counts as ones.
    pub inverses: *const T,
    /// The first entry of the right sides.
    pub rights: *mut T,
    /// From one of them to the next.
    pub height: usize,
    /// How many there are.
    pub columns: usize,
}

/// True when matrices of a dtype are worked on here.
pub fn takes(dtype: DType) -> bool {
    cfg!(target_arch = "x86_64") && has_avx2() && matches!(dtype, DType::F32 | DType::F64)
}

/// True when [`multiply`] may be called.
pub fn fits(product: &Product) -> bool {
    let size = product.dtype.size() as isize;
    let (work, most) = (product.m * product.n * product.k, if product.k < LONG { MOST_OF_SHORT } else { MOST });
    takes(product.dtype) && product.matrices[0].column == size && work <= most
}

/// True when [`multiply_large`] may be called: where there is no AVX-512, for which a library's arrangement is as good.
pub fn fits_large(product: &Product) -> bool {
    takes(product.dtype) && !has_avx512() && product.matrices[0].column == product.dtype.size() as isize
}

/// Rows and columns of a product that are a piece of work of its own where the product is large: columns for each thread, and rows
/// where there are few of these.
pub fn large_part_size(product: &Product) -> [usize; 2] {
    let Product { m, n, k, dtype, .. } = *product;
    let (threads, columns) = (rayon::current_num_threads(), WIDEST / dtype.size());
    let share = |size: usize, unit: usize| size.div_ceil(threads).next_multiple_of(unit);
    match n >= threads * columns * 2 {
        true => {
            let across = share(n, columns).min(COLUMNS);
            [((1 << 33) / (across * k).max(1)).next_multiple_of(ROWS).clamp(ROWS, m.max(ROWS)), across]
        }
        false => [share(m, ROWS).max(1), n.max(1)],
    }
}

/// Rows and columns of a product that are a piece of work of its own, of some microseconds: rows of tiles, or columns where there are
/// not enough of these for all threads, or where those of the right matrix have to be gathered first.
pub fn part_size(product: &Product) -> [usize; 2] {
    let Product { m, n, k, dtype, .. } = *product;
    let (threads, columns) = (rayon::current_num_threads(), WIDEST / dtype.size());
    if product.matrices[2].column == dtype.size() as isize {
        let rows = ((1 << 17) / (n * k).max(1)).next_multiple_of(ROWS).clamp(ROWS, m.max(ROWS));
        let across = if m.div_ceil(rows) < threads && product.batch.len() == 1 { threads } else { 1 };
        return [rows, n.div_ceil(across).next_multiple_of(columns).clamp(1, n.max(1))];
    }
    let strips = n.div_ceil(columns);
    let share = strips.is_multiple_of(threads) || strips >= 4 * threads;
    let rows = if share { m } else { m.div_ceil(threads).next_multiple_of(ROWS) };
    [rows.max(1), n.clamp(1, columns)]
}

/// Does for the vectors of a dtype that is [taken](takes) what stands after the colon.
macro_rules! wide {
    ($dtype:expr, $w:ident: $work:expr) => {
        #[cfg(target_arch = "x86_64")]
        match ($dtype, has_avx512()) {
            (DType::F32, true) => {
                type $w = wide::Avx512<f32>;
                $work
            }
            (_, true) => {
                type $w = wide::Avx512<f64>;
                $work
            }
            (DType::F32, false) => {
                type $w = wide::Avx2<f32>;
                $work
            }
            (_, false) => {
                type $w = wide::Avx2<f64>;
                $work
            }
        }
    };
}

/// Computes a part of one product of the batch.
///
/// # Safety
/// The product [`fits`]; `at` are the starts of the storages of out, left and right, and all entries lie in them.
pub unsafe fn multiply(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let sums = sums_of(product, place, part, at);
    // SAFETY: the caller's promise; the instructions are there where a product fits.
    wide!(product.dtype, W: unsafe { sums.of().write::<W>(product.pieces(), product.added, product.onto) });
}

/// Computes a part of one product of the batch that does not stay in the caches.
///
/// # Safety
/// The product [fits](fits_large), and as for [`multiply`].
pub unsafe fn multiply_large(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let sums = sums_of(product, place, part, at);
    // SAFETY: the caller's promise; the instructions are there where a product fits.
    wide!(product.dtype, W: unsafe { sums.of().write_large::<W>(product.pieces(), product.added) });
}

/// Where the entries of a part lie.
fn sums_of(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) -> Sums<u8> {
    let size = product.dtype.size() as isize;
    let [out, left, right] = product.matrices.map(|m| [m.row / size, m.column / size]);
    let [to, a, b] = starts(product, place, part, at);
    Sums {
        sizes: [part.rows.len(), part.columns.len(), product.k],
        out: to,
        out_step: out[0],
        left: a as *const u8,
        left_steps: left,
        right: b as *const u8,
        right_steps: right,
    }
}

/// Takes products away from what is there, on several threads when they are many.
///
/// # Safety
/// The dtype is [taken](takes); all entries are there, and those of `out` are not of the others.
pub unsafe fn subtract<E: Element>(sums: Sums<E>) {
    let work = sums.sizes.iter().product();
    let shared = Always(sums);
    in_parts(sums.sizes[0], work, &|rows| {
        let sums = shared.get();
        let part = Sums {
            sizes: [rows.len(), sums.sizes[1], sums.sizes[2]],
            out: sums.out.wrapping_offset(rows.start as isize * sums.out_step),
            left: sums.left.wrapping_offset(rows.start as isize * sums.left_steps[0]),
            ..sums
        };
        // SAFETY: the caller's promise; parts have no rows in common.
        wide!(E::DTYPE, W: unsafe { part.of().subtract::<W>() });
    });
}

/// Solves for `n` unknowns, in place, on several threads when that is much work. What known unknowns take of a right side is taken
/// one by one, in the order in which they become known, each rounded once.
///
/// # Safety
/// The dtype is [taken](takes); all entries are there, and right sides share none with the matrix.
pub unsafe fn solve<E: Element>(system: System<E>, n: usize) {
    let shared = Always(system);
    in_parts(system.columns, n * n / 2 * system.columns, &|columns| {
        let system = shared.get();
        let rights = system.rights.wrapping_add(columns.start * system.height);
        let part = System { rights, columns: columns.len(), ..system };
        // SAFETY: the caller's promise; parts have no right sides in common.
        wide!(E::DTYPE, W: unsafe { part.of().solve::<W>(n) });
    });
}

/// Does something for ranges of rows, on several threads when there is much work.
fn in_parts(rows: usize, work: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    if work > SOME { team::ranges(rows, ROWS, work > MANY, f) } else { f(0..rows) }
}

/// What all threads may read.
struct Always<T>(T);

// SAFETY: users promise that the parts of threads are disjoint.
unsafe impl<T> Sync for Always<T> {}

impl<T: Copy> Always<T> {
    fn get(&self) -> T {
        self.0
    }
}

#[cfg(target_arch = "x86_64")]
impl<E> Sums<E> {
    fn of<T>(self) -> Sums<T> {
        let Sums { sizes, out_step, left_steps, right_steps, .. } = self;
        let (left, right) = (self.left as *const T, self.right as *const T);
        Sums { sizes, out: self.out as *mut T, out_step, left, left_steps, right, right_steps }
    }
}

#[cfg(target_arch = "x86_64")]
impl<E> System<E> {
    fn of<T>(self) -> System<T> {
        let System { stride, upper, height, columns, .. } = self;
        let (matrix, inverses) = (self.matrix as *const T, self.inverses as *const T);
        System { matrix, stride, upper, inverses, rights: self.rights as *mut T, height, columns }
    }
}

#[cfg(test)]
mod tests {
    use crate::dtype::DType;
    use crate::kernel::blas::{Block, Entry, subtract_product};
    use crate::kernel::substitute::substitute;
    use crate::testing::steps;
    use num_traits::Float;

    /// Numbers without a pattern.
    fn scattered<T: Float>(count: usize) -> Vec<T> {
        let at = |i: usize| T::from((i as f64 * 0.618_033_988_749).fract() + 0.25).unwrap();
        (0..count).map(at).collect()
    }

    fn check_system<T: Entry + Float>(n: usize, columns: usize, upper: bool, unit: bool) {
        let (stride, height) = (n + 3, n + 1);
        let (a, mut b) = (scattered::<T>(n * stride), scattered::<T>(columns * height));
        let inverses: Vec<T> = (0..n).map(|k| T::one() / a[k * stride + k]).collect();
        let mut expected = b.clone();
        for x in expected.chunks_mut(height) {
            for step in 0..n {
                let k = if upper { n - 1 - step } else { step };
                if !unit {
                    x[k] = x[k] * inverses[k];
                }
                for i in if upper { 0..k } else { k + 1..n } {
                    x[i] = x[i].less_product(a[k * stride + i], x[k]);
                }
            }
        }
        substitute((&a, stride), n, (!unit).then_some(inverses.as_slice()), upper, (&mut b, height), columns);
        assert!(b == expected, "{n} unknowns, {columns} right sides, upper {upper}, unit {unit}");
    }

    #[test]
    fn systems_of_all_sizes_are_solved_in_the_order_of_their_unknowns() {
        for (n, columns) in
            [(1, 1), (2, 9), (7, 3), (8, 8), (9, 17), (16, 70), (17, 1), (31, 12), (32, 65)].into_iter().take(steps(9, 4))
        {
            for (upper, unit) in [(false, false), (false, true), (true, false), (true, true)] {
                check_system::<f32>(n, columns, upper, unit);
                check_system::<f64>(n, columns, upper, unit);
            }
        }
        if super::takes(DType::F64) {
            check_system::<f32>(130, 40, true, false);
            check_system::<f64>(200, 90, false, false);
        }
    }

    fn check_product<T: Entry + Float>(m: usize, n: usize, k: usize) {
        let (column, left, right) = (m + 2, scattered::<T>((m + 300) * k), scattered::<T>((k + 1) * n));
        let mut to = scattered::<T>(column * n);
        let mut expected = to.clone();
        for j in 0..n {
            for i in 0..m {
                let start = expected[j * column + i];
                let term = |sum: T, p: usize| sum.less_product(left[p * (m + 300) + i], right[j * (k + 1) + p]);
                expected[j * column + i] = (0..k).fold(start, term);
            }
        }
        let (left, right) =
            (Block { cells: left.as_slice(), row: 1, column: m + 300 }, Block { cells: right.as_slice(), row: 1, column: k + 1 });
        subtract_product((&mut to, column), left, right, false, (m, n, k));
        assert!(to == expected, "{m} by {k} times {k} by {n}");
    }

    #[test]
    fn products_are_taken_away_term_by_term() {
        if super::takes(DType::F64) {
            for (m, n, k) in [(1, 1, 1), (32, 6, 8), (33, 7, 5), (65, 20, 40), (7, 64, 129), (70, 80, 300), (130, 130, 130)] {
                check_product::<f32>(m, n, k);
                check_product::<f64>(m, n, k);
            }
        }
    }
}
