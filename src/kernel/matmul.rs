//! Products of matrices.

use super::aligned::{self, BLOCK};
use super::complex::complex;
use super::halves::in_halves;
use super::isa::{follows_intel, has_avx512, pick, versions};
use super::masked;
#[cfg(target_arch = "x86_64")]
use super::whole;
use super::{large, registers, tile};
use crate::dtype::DType;
use crate::interrupt;
use smallvec::SmallVec;
use std::ops::Range;

/// Where the entries of one matrix are, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    /// From one row to the next.
    pub row: isize,
    /// From one column to the next.
    pub column: isize,
}

impl Matrix {
    /// Of the transpose.
    fn turned(self) -> Matrix {
        Matrix { row: self.column, column: self.row }
    }
}

/// Products of equally sized matrices: for each place of the batch, `out = left @ right`, (m, n) = (m, k) @ (k, n).
#[derive(Clone, Debug)]
pub struct Product {
    /// The dtype of all three: one that is [multiplied](multiplies); int64 wraps.
    pub dtype: DType,
    /// Rows of `left` and `out`.
    pub m: usize,
    /// Columns of `right` and `out`.
    pub n: usize,
    /// Columns of `left` and rows of `right`.
    pub k: usize,
    /// `out`, `left` and `right`; `out`'s entries are all different cells.
    pub matrices: [Matrix; 3],
    /// For each place of the batch, the byte where each matrix starts.
    pub batch: SmallVec<[[isize; 3]; 1]>,
    /// Whether it was asked for as a batch, even as one of a single place.
    pub is_batch: bool,
    /// Whether it is computed in a wider dtype than that of the tensors.
    pub is_widened: bool,
    /// Whether the sums start at what the result's cells hold. So do only products for which [`starts_at_added`] says so.
    pub onto: bool,
    /// Terms that are summed from zero, one after the other, before their sum is added to that of those before them, where a caller knows
    /// better than what is known of products of matrices.
    pub piece: Option<usize>,
    /// Whether the sums of all pieces are added to what the result's cells hold. So do only products that [have pieces](Product::has_pieces).
    pub added: bool,
}

/// Some rows and columns of a result.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its rows.
    pub rows: Range<usize>,
    /// Its columns.
    pub columns: Range<usize>,
}

/// True when [`multiply`] takes matrices of a dtype, with so many multiplications for each place of the batch: 16-bit floats where
/// the processor has instructions for them, and float16 only where pieces of it in float32 cost less than a copy of everything.
pub fn multiplies(dtype: DType, work: usize) -> bool {
    match dtype {
        DType::BF16 => tile::is_available(),
        DType::F16 => has_avx512() && work > registers::MOST && work <= large::ARRANGED,
        _ => matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128 | DType::I64),
    }
}

/// True when the sums of a product start at the numbers to which it is added, and false when it is added to them.
pub fn starts_at_added(product: &Product) -> bool {
    aligned::starts_at_added(product) || masked::starts_at_added(product) || product.takes_up_added()
}

/// Computes a part of one product of the batch. A large part is left unfinished when a stop is asked for.
///
/// # Safety
/// `at` are the starts of the storages of out, left and right; all entries lie in them and are of the product's dtype.
pub unsafe fn multiply(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let small = product.small_order();
    // SAFETY: the caller's promise.
    unsafe {
        match product.dtype {
            DType::F32 if product.is_outer() => pick(small_versions::<f32>())(product, place, part, at),
            DType::F64 if product.is_outer() => pick(small_versions::<f64>())(product, place, part, at),
            _ if is_chain(small, product.onto) && registers::fits(product) => registers::multiply(product, place, part, at),
            DType::F32 if small.is_some() => pick(small_versions::<f32>())(product, place, part, at),
            DType::F64 if small.is_some() => pick(small_versions::<f64>())(product, place, part, at),
            DType::F32 | DType::F64 if registers::fits_large(product) => registers::multiply_large(product, place, part, at),
            DType::F32 => large::float::<f32>(product, place, part, at),
            DType::F64 => large::float::<f64>(product, place, part, at),
            DType::F16 => large::half(product, place, part, at),
            DType::C64 => complex::<f32>(product, place, part, at),
            DType::C128 => complex::<f64>(product, place, part, at),
            DType::BF16 => tile::multiply(product, place, part, at),
            _ => pick(whole_versions())(product, place, part, at),
        }
    }
}

/// True for a product that is summed in one chain, or in pieces. Small ones onto something have a loop of their own.
fn is_chain(small: Option<Order>, onto: bool) -> bool {
    small.is_none_or(|order| order == Order::Chain && !onto)
}

/// Where the matrices of a place start of which a part is the product.
pub(super) fn starts(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) -> [*mut u8; 3] {
    let [out, left, right] = product.matrices;
    let (row, column) = (part.rows.start as isize, part.columns.start as isize);
    let skipped = [row * out.row + column * out.column, row * left.row, column * right.column];
    std::array::from_fn(|i| at[i].wrapping_offset(product.batch[place][i] + skipped[i]))
}

/// How the terms of an entry of a small product are added up. PyTorch's libraries do it in three ways, and the last bits tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// One after the other, each added before it is rounded.
    Chain,
    /// One after the other, each rounded before it is added.
    Rounded,
    /// In as many sums as a vector of 64 bytes has elements, then in halves.
    Lanes,
    /// The same, but for the last four sums, which are joined in pairs of neighbours.
    Pairs,
    /// As in `Chain` in whole blocks of rows and columns, and as in `Rounded` beside them: on AMD's processors.
    Blocks,
}

/// Multiplications up to which a product is not worth the arrangements that make a large one fast.
const TINY: usize = 216;
/// The same where the second matrix is transposed: large products would add up in another order there.
const TURNED: usize = 1 << 12;
/// Multiplications below which a batch of products has a loop of its own in PyTorch.
pub const BATCHED: usize = 400;
/// Terms that are summed from zero at most, before they are added to the sum of those before them.
const TERMS: usize = 384;
/// Rows or columns below which the last terms of a long sum are shared out evenly.
const NARROW: usize = 192;

impl Product {
    /// True for a small product of a column and a row. Its entries are single products, whose zeros keep their signs in PyTorch's
    /// library; other entries, and those of 16-bit floats, are added to a zero first.
    fn is_outer(&self) -> bool {
        let alone = self.batch.len() == 1 && !self.is_small_batch();
        self.k == 1 && self.m > 1 && self.n > 1 && self.m * self.n <= TURNED && alone && !self.is_widened && self.piece.is_none()
    }

    /// True for a batch, even of one, of products so small that PyTorch has a loop of its own for them.
    pub(super) fn is_small_batch(&self) -> bool {
        self.is_batch && self.m * self.n * self.k < BATCHED && self.piece.is_none()
    }

    /// True when the entries of a column of the right matrix are neighbours, and those of a row are not.
    fn is_turned(&self) -> bool {
        let (right, size) = (self.matrices[2], self.dtype.size() as isize);
        right.row == size && right.column != size
    }

    /// The terms of an entry in the pieces in which PyTorch's library adds them up: each from zero, and its sum to that of those
    /// before it. Where the pieces end was found by comparing bits, on one thread. On AMD's processors they are all of one length,
    /// which is half of what would be less than two of them, and float64 is summed in one. On others large products of very many terms are one piece here: sums that are not taken up
    /// again save a tenth of the time.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Range<usize>> {
        let k = self.k;
        let is_even = follows_intel() && self.piece.is_none();
        let most = match (self.piece, is_even, self.dtype) {
            (Some(piece), ..) => piece.max(1),
            (None, true, _) if k >= 2 * TERMS && self.m * self.n * k > registers::MOST => k,
            (None, true, _) => TERMS,
            (None, false, DType::F32) if k > TERMS / 2 && k < TERMS => k / 2,
            (None, false, DType::F32) => TERMS / 2,
            (None, false, _) => k,
        };
        let is_narrow = self.n < NARROW || self.m < NARROW && !self.is_turned();
        let mut start = 0;
        std::iter::from_fn(move || {
            let (first, rest) = (start, k - start);
            let even = is_even && rest > TERMS && rest < 2 * TERMS && (first == 0 || is_narrow);
            start += if even { rest.div_ceil(2) } else { rest.min(most) };
            (rest > 0).then_some(first..start)
        })
    }

    /// True for a product of two matrices of real floats with sums in several pieces, or in pieces that a caller asks for, or with entries
    /// beside blocks.
    pub fn has_pieces(&self) -> bool {
        let is_float = matches!(self.dtype, DType::F32 | DType::F64) && !self.is_widened;
        let is_matrix = self.m > 1 && self.n > 1 && !aligned::is_ordered(self);
        let is_in_pieces = || self.small_order().is_none() && (self.piece.is_some() || self.pieces().nth(1).is_some());
        is_float && is_matrix && (is_in_pieces() || aligned::blocks(self).is_some())
    }

    /// True for an entry of a whole block in [`Order::Blocks`]. For float32 all columns are, where there are enough for one.
    fn is_in_block(&self, row: usize, column: usize) -> bool {
        let [rows, columns] = BLOCK;
        if self.m < rows || self.n < columns {
            return false;
        }
        let single = self.dtype == DType::F32;
        let all_rows = single && aligned::takes_all_rows(self);
        (all_rows || row < self.m / rows * rows) && (single || column < self.n / columns * columns)
    }

    /// True when the sums of a product of matrices start at what it is added to: on Intel's processors those of one term, and in
    /// float64 those of two rows, when both matrices lie row by row; on others those of float64 in blocks.
    fn takes_up_added(&self) -> bool {
        if !follows_intel() {
            let [rows, columns] = BLOCK;
            let is_in_blocks = self.m >= rows && self.n >= columns && self.k > 1 && !self.is_small_batch();
            return self.dtype == DType::F64 && is_in_blocks && self.piece.is_none() && registers::fits(self);
        }
        let size = self.dtype.size() as isize;
        let by_rows =
            self.dtype == DType::F64 && self.m == 2 && self.matrices[1].column == size && self.matrices[2].column == size;
        let is_matrix = self.m > 1 && self.n > 1 && !self.is_batch;
        let is_float = matches!(self.dtype, DType::F32 | DType::F64);
        let is_small = self.is_outer() || self.small_order() == Some(Order::Chain);
        follows_intel() && is_float && is_matrix && (self.k == 1 || by_rows) && is_small
    }

    /// How to add up when the product is small. The sizes at which the order changes were found by comparing bits.
    fn small_order(&self) -> Option<Order> {
        if self.piece.is_some() {
            return None;
        }
        let (work, size) = (self.m * self.n * self.k, self.dtype.size() as isize);
        if self.is_small_batch() {
            return Some(Order::Rounded);
        }
        if !follows_intel() {
            let is_whole = self.m > 0 && self.n > 0 && self.is_in_block(self.m - 1, self.n - 1);
            return (work <= if is_whole { TINY } else { TURNED }).then_some(Order::Blocks);
        }
        let turned = self.is_turned();
        if turned && work <= TURNED && self.matrices[1].column == size && self.m > 1 && self.n > 1 {
            let is_wide = |most: usize| self.n > self.m && self.n <= most && self.k <= self.n;
            match self.dtype {
                DType::F64 if self.m <= 3 => return Some(Order::Pairs),
                DType::F64 if is_wide(7) => return Some(Order::Lanes),
                DType::F32 if is_wide(11) || self.n <= 3 && (self.m < 12 || self.n == 2) => return Some(Order::Lanes),
                _ => {}
            }
        }
        (work <= if turned { TURNED } else { TINY }).then_some(Order::Chain)
    }
}

versions! { fn small_versions<T: num_traits::Float>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) = small }

/// Entry by entry.
#[inline(always)]
unsafe fn small<T: num_traits::Float>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let [out, left, right] = product.matrices;
    let [to, a, b] = starts(product, place, part, at);
    let order = product.small_order().unwrap_or(Order::Chain);
    let zero = if product.is_outer() { T::neg_zero() } else { T::zero() };
    for i in 0..part.rows.len() as isize {
        for j in 0..part.columns.len() as isize {
            // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
            unsafe {
                let terms = (0..product.k as isize).map(|k| {
                    let x = *(a.wrapping_offset(i * left.row + k * left.column) as *const T);
                    (x, *(b.wrapping_offset(k * right.row + j * right.column) as *const T))
                });
                let in_block = || product.is_in_block(part.rows.start + i as usize, part.columns.start + j as usize);
                let order = match order {
                    Order::Blocks if in_block() => Order::Chain,
                    order => order,
                };
                let cell = to.wrapping_offset(i * out.row + j * out.column) as *mut T;
                let (zero, held) = if product.onto { (*cell, None) } else { (zero, product.added.then(|| *cell)) };
                let sum = match order {
                    Order::Chain => terms.fold(zero, |sum, (x, y)| x.mul_add(y, sum)),
                    Order::Rounded | Order::Blocks => terms.fold(zero, |sum, (x, y)| sum + x * y),
                    Order::Lanes | Order::Pairs => sum_of_lanes(terms, order == Order::Pairs),
                };
                *cell = held.map_or(sum, |held| held + sum);
            }
        }
    }
}

/// The sum of products in [`Order::Lanes`], or in [`Order::Pairs`].
#[inline(always)]
fn sum_of_lanes<T: num_traits::Float>(terms: impl Iterator<Item = (T, T)>, in_pairs: bool) -> T {
    let width = 64 / size_of::<T>();
    let mut lanes = [T::zero(); 16];
    for (k, (x, y)) in terms.enumerate() {
        lanes[k % width] = x.mul_add(y, lanes[k % width]);
    }
    if in_pairs {
        let [first, second, third, fourth] =
            std::array::from_fn(|k| (k..width).step_by(4).fold(T::zero(), |sum, l| sum + lanes[l]));
        return (first + second) + (third + fourth);
    }
    in_halves(&mut lanes[..width], |a, b| a + b)
}

versions! { fn whole_versions<>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) = whole }

/// Columns below which the result is worked out entry by entry, or as its transpose where that has gapless rows.
const FEW: usize = 8;

/// Rows from which on columns of the right matrix are worth being gathered.
#[cfg(target_arch = "x86_64")]
const OFTEN: usize = 8;

#[inline(always)]
unsafe fn whole(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let [out, left, right] = product.matrices;
    let [to, a, b] = starts(product, place, part, at);
    let (m, n, k, size) = (part.rows.len(), part.columns.len(), product.k, size_of::<i64>() as isize);
    // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if has_avx512() && n >= FEW && m >= OFTEN {
            return whole::multiply((out, to), (left, a), (right, b), [m, n, k]);
        }
        if n >= FEW {
            by_rows([out, left, right], [to, a, b], [m, n, k]);
        } else if left.row == size && m > n {
            by_rows([out, right, left].map(Matrix::turned), [to, b, a], [n, m, k]);
        } else {
            by_entries([out, left, right], [to, a, b], [m, n, k]);
        }
    }
}

/// Entry by entry: a row of `left`, or what is gathered of it, times a gathered column of `right`. `[m, n, k]` as in [`Product`].
#[inline(always)]
unsafe fn by_entries([out, left, right]: [Matrix; 3], [to, a, b]: [*mut u8; 3], [m, n, k]: [usize; 3]) {
    let (mut row, mut column) = (vec![0; k], vec![0; k]);
    for j in (0..n as isize).take_while(|_| !interrupt::is_raised()) {
        for i in 0..m as isize {
            // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
            unsafe {
                let entry = |from: *mut u8, step: isize, at: usize| *(from.wrapping_offset(step * at as isize) as *const i64);
                if i == 0 {
                    let from = b.wrapping_offset(j * right.column);
                    (0..k).for_each(|at| column[at] = entry(from, right.row, at));
                }
                let from = a.wrapping_offset(i * left.row);
                let line = match left.column == size_of::<i64>() as isize {
                    true => std::slice::from_raw_parts(from as *const i64, k),
                    false => {
                        (0..k).for_each(|at| row[at] = entry(from, left.column, at));
                        &row[..]
                    }
                };
                let mut sum = 0i64;
                for (x, y) in line.iter().zip(&column) {
                    sum = sum.wrapping_add(x.wrapping_mul(*y));
                }
                *(to.wrapping_offset(i * out.row + j * out.column) as *mut i64) = sum;
            }
        }
    }
}

/// Row by row: each entry of a row of `left` times a row of `right` is added to a row of the result. Rows of `right` that are not
/// gapless are gathered first, some columns at a time. `[m, n, k]` as in [`Product`].
#[inline(always)]
unsafe fn by_rows([out, left, right]: [Matrix; 3], [to, a, b]: [*mut u8; 3], [m, n, k]: [usize; 3]) {
    let size = size_of::<i64>() as isize;
    let wide = if right.column == size { n } else { STRIP };
    let mut gathered = vec![0i64; if right.column == size { 0 } else { k * wide.min(n) }];
    let mut sums = vec![0i64; n.min(wide)];
    for start in (0..n).step_by(wide.max(1)) {
        let width = (n - start).min(wide);
        let corner = b.wrapping_offset(start as isize * right.column);
        let sums = &mut sums[..width];
        // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
        unsafe {
            let entry =
                |i: usize, j: usize| *(corner.wrapping_offset(i as isize * right.row + j as isize * right.column) as *const i64);
            if right.column != size {
                (0..width).for_each(|j| (0..k).for_each(|i| gathered[i * width + j] = entry(i, j)));
            }
            for row in (0..m).take_while(|_| !interrupt::is_raised()) {
                sums.fill(0);
                for i in 0..k {
                    let factor = *(a.wrapping_offset(row as isize * left.row + i as isize * left.column) as *const i64);
                    let line = match right.column == size {
                        true => std::slice::from_raw_parts(corner.wrapping_offset(i as isize * right.row) as *const i64, width),
                        false => &gathered[i * width..(i + 1) * width],
                    };
                    sums.iter_mut().zip(line).for_each(|(sum, x)| *sum = sum.wrapping_add(factor.wrapping_mul(*x)));
                }
                for (j, sum) in sums.iter().enumerate() {
                    *(to.wrapping_offset(row as isize * out.row + (start + j) as isize * out.column) as *mut i64) = *sum;
                }
            }
        }
    }
}

/// Columns that are gathered at a time.
const STRIP: usize = 64;
