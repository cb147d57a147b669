//! Products of matrices of complex numbers: in which order the four products of parts are added up, as bits told of PyTorch's libraries.
//! Where the parts are summed on their own, what is real by its form (`x @ x.mH`, `vdot(x, x)`) comes out real.

use super::element::{Element, Lane};
use super::halves::in_halves;
use super::isa::{pick, versions};
use super::matmul::{Matrix, Part, Product, multiply, starts};
use num_complex::Complex;
use num_traits::Float;
use smallvec::smallvec;

/// A part of a complex number.
pub trait Real: Float + Lane + Element {}

impl Real for f32 {}
impl Real for f64 {}

/// How the terms of an entry are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Each product is rounded before it is added.
    Rounded,
    /// Each product is worked out with one rounding less, and added; `real_first` tells which of the two products of an imaginary part
    /// is not rounded.
    Products { real_first: bool },
    /// As `Products`, in `width` sums side by side, then in halves.
    Lanes { real_first: bool, width: usize },
    /// The four products of parts in sums of their own.
    Parts,
    /// The same in lanes.
    Dot,
}

/// Rows from which on parts are summed on their own.
const MANY: usize = 4;

/// Multiplications up to which each entry is worked out by itself.
const TINY: usize = 216;

/// The same where the entries of an entry's terms lie side by side in both matrices, or where one matrix is a vector.
const FEW: usize = 1 << 14;

/// Complex numbers in a vector of 64 bytes.
const fn wide<T>() -> usize {
    64 / size_of::<Complex<T>>()
}

/// The sizes at which the order changes were found by comparing bits.
fn order<T: Real>(product: &Product) -> Order {
    let [_, left, right] = product.matrices;
    let size = size_of::<Complex<T>>() as isize;
    let turned = |matrix: Matrix| matrix.row == size && matrix.column != size;
    let work = product.m * product.n * product.k;
    // The columns of vectors have no step.
    let (row, column) = (product.m == 1 && left.row == 0, product.n == 1 && right.column == 0);
    let is_single = size == 8;
    let lanes = |real_first| Order::Lanes { real_first, width: wide::<T>() };
    match (turned(left), turned(right)) {
        _ if product.is_small_batch() => Order::Rounded,
        _ if row && column && left.column == size && right.row == size => Order::Dot,
        _ if row && column => Order::Lanes { real_first: true, width: 4 },
        _ if column && work <= FEW => Order::Rounded,
        _ if product.k == 1 => Order::Products { real_first: false },
        (true, _) if product.n == 1 && work <= FEW => Order::Products { real_first: !is_single },
        (false, _) if product.n == 1 && product.m > 1 && work <= FEW => lanes(false),
        (false, true) if product.n > 1 && product.n < if is_single { 8 } else { 12 } && work <= FEW => lanes(true),
        (_, true) if product.m < MANY => Order::Products { real_first: true },
        (_, false) if product.m < MANY => Order::Products { real_first: is_single && product.k < 5 },
        _ => Order::Parts,
    }
}

/// Computes a part of one complex product of the batch.
///
/// # Safety
/// As for [`multiply`](super::matmul::multiply), for this type.
pub unsafe fn complex<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let order = order::<T>(product);
    let is_one_by_one = match order {
        Order::Parts | Order::Products { .. } => product.m * product.n * product.k <= TINY,
        _ => true,
    };
    // SAFETY: the caller's promise.
    unsafe {
        match is_one_by_one {
            true => pick(entries_versions::<T>())(product, place, part, at, order),
            false => by_parts::<T>(product, place, part, at),
        }
    }
}

versions! { fn entries_versions<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3], order: Order) = entries }

/// Entry by entry.
#[inline(always)]
unsafe fn entries<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3], order: Order) {
    let [out, left, right] = product.matrices;
    let [to, a, b] = starts(product, place, part, at);
    for i in 0..part.rows.len() as isize {
        for j in 0..part.columns.len() as isize {
            // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
            unsafe {
                let terms = (0..product.k as isize).map(|k| {
                    let x = *(a.wrapping_offset(i * left.row + k * left.column) as *const Complex<T>);
                    (x, *(b.wrapping_offset(k * right.row + j * right.column) as *const Complex<T>))
                });
                *(to.wrapping_offset(i * out.row + j * out.column) as *mut Complex<T>) = sum(terms, product.k, order);
            }
        }
    }
}

/// The sum of the products of `count` terms.
#[inline(always)]
fn sum<T: Real>(terms: impl Iterator<Item = (Complex<T>, Complex<T>)>, count: usize, order: Order) -> Complex<T> {
    let zero = Complex::new(T::zero(), T::zero());
    match order {
        Order::Rounded => terms.fold(zero, |sum, (x, y)| sum + x * y),
        Order::Products { real_first } => terms.fold(zero, |sum, (x, y)| sum + fused(x, y, real_first)),
        Order::Lanes { real_first, width } => {
            let mut lanes = [zero; 8];
            terms.enumerate().for_each(|(k, (x, y))| lanes[k % width] = lanes[k % width] + fused(x, y, real_first));
            in_halves(&mut lanes[..width], |a, b| a + b)
        }
        Order::Parts => {
            let sums = terms.fold([T::zero(); 4], add_parts);
            joined(sums)
        }
        Order::Dot => dot(terms, count),
    }
}

/// A product whose parts are rounded once less.
#[inline(always)]
fn fused<T: Real>(x: Complex<T>, y: Complex<T>, real_first: bool) -> Complex<T> {
    let across = if real_first { x.re.mul_add(y.im, x.im * y.re) } else { x.im.mul_add(y.re, x.re * y.im) };
    Complex::new(x.re.mul_add(y.re, -(x.im * y.im)), across)
}

/// The sums of the products of real, of imaginary, and of unlike parts, with those of one more term.
#[inline(always)]
fn add_parts<T: Real>([rr, ii, ri, ir]: [T; 4], (x, y): (Complex<T>, Complex<T>)) -> [T; 4] {
    [x.re.mul_add(y.re, rr), x.im.mul_add(y.im, ii), x.re.mul_add(y.im, ri), x.im.mul_add(y.re, ir)]
}

#[inline(always)]
fn joined<T: Real>([rr, ii, ri, ir]: [T; 4]) -> Complex<T> {
    Complex::new(rr - ii, ri + ir)
}

/// In four vectors of lanes while there are as many terms, then in the first one.
#[inline(always)]
fn dot<T: Real>(terms: impl Iterator<Item = (Complex<T>, Complex<T>)>, count: usize) -> Complex<T> {
    let width = wide::<T>();
    let whole = count / (4 * width) * (4 * width);
    let mut lanes = [[T::zero(); 4]; 32];
    for (k, term) in terms.enumerate() {
        let lane = if k < whole { k % (4 * width) } else { k % width };
        lanes[lane] = add_parts(lanes[lane], term);
    }
    let add = |a: [T; 4], b: [T; 4]| std::array::from_fn(|i| a[i] + b[i]);
    for k in 0..width {
        lanes[k] = add(add(lanes[k], lanes[k + width]), add(lanes[k + 2 * width], lanes[k + 3 * width]));
    }
    joined(in_halves(&mut lanes[..width], add))
}

/// As products of the parts: four of real numbers.
unsafe fn by_parts<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let [out, left, right] = product.matrices;
    let [to, a, b] = starts(product, place, part, at);
    let (m, n, k) = (part.rows.len(), part.columns.len(), product.k);
    let row = |columns: usize| Matrix { row: (columns * size_of::<T>()) as isize, column: size_of::<T>() as isize };
    let real =
        Product { dtype: T::DTYPE, m, n, k, matrices: [row(n), row(k), row(n)], batch: smallvec![[0; 3]], is_batch: false };
    let all = Part { rows: 0..m, columns: 0..n };
    // SAFETY: the caller promises that all entries are there, and the result's cells are writable; the planes are as large as said.
    unsafe {
        let [mut left, mut right] = [planes::<T>(a, left, [m, k]), planes::<T>(b, right, [k, n])];
        let mut times = |i: usize, j: usize| {
            let mut plane = vec![T::zero(); m * n];
            let planes = [&mut plane, &mut left[i], &mut right[j]].map(|plane| plane.as_mut_ptr() as *mut u8);
            multiply(&real, 0, &all, &planes);
            plane
        };
        let [rr, ii, ri, ir] = [times(0, 0), times(1, 1), times(0, 1), times(1, 0)];
        for i in 0..m {
            for j in 0..n {
                let cell = to.wrapping_offset(i as isize * out.row + j as isize * out.column) as *mut Complex<T>;
                let at = i * n + j;
                *cell = joined([rr[at], ii[at], ri[at], ir[at]]);
            }
        }
    }
}

/// The real and the imaginary parts of a matrix, each in row-major order.
unsafe fn planes<T: Real>(at: *mut u8, matrix: Matrix, [rows, columns]: [usize; 2]) -> [Vec<T>; 2] {
    let mut planes = [Vec::with_capacity(rows * columns), Vec::with_capacity(rows * columns)];
    for i in 0..rows as isize {
        for j in 0..columns as isize {
            // SAFETY: the caller promises that all entries are there.
            let entry = unsafe { *(at.wrapping_offset(i * matrix.row + j * matrix.column) as *const Complex<T>) };
            planes[0].push(entry.re);
            planes[1].push(entry.im);
        }
    }
    planes
}
