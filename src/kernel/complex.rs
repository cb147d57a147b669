//! Products of matrices of complex numbers: in which order the four products of parts are added up, as bits told of PyTorch's libraries.
//! Where the parts are summed on their own, what is real by its form (`x @ x.mH`, `vdot(x, x)`) comes out real.

use super::element::{Element, Lane};
use super::halves::in_halves;
use super::isa::{follows_intel, pick, versions};
use super::large;
use super::matmul::{Matrix, Part, Product, multiply, starts};
use num_complex::Complex;
use num_traits::{Float, One, Zero};
use smallvec::smallvec;

/// A part of a complex number.
pub(super) trait Real: Float + Lane + Element {}

impl Real for f32 {}
impl Real for f64 {}

/// How the terms of an entry are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Of one term: the product, whose zeros keep their signs; in other orders it is added to a zero.
    Lone,
    /// Each product is rounded before it is added.
    Rounded,
    /// The same with a sum for every four of them, which is added as a whole, on AMD's processors; what is over comes one by one.
    Fours,
    /// Each product is worked out with one rounding less, and added.
    Products(Kept),
    /// As `Products`, in some sums side by side, then in halves.
    Lanes(Kept, usize),
    /// The four products of parts in sums of their own.
    Parts,
    /// The same, with each product rounded before it is added.
    RoundedParts,
}

/// The halves of a product `a * b` that are added to the others without rounding them before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Those with the real part of `b`.
    ByReal,
    /// Those with the imaginary part of `b`.
    ByImaginary,
    /// Those with the real part of `a`.
    OfReal,
    /// Those with the imaginary part of `a`.
    OfImaginary,
}

/// A product whose parts are rounded once less.
#[inline(always)]
pub fn times<T: Float>(a: Complex<T>, b: Complex<T>, kept: Kept) -> Complex<T> {
    let re = match kept {
        Kept::ByReal | Kept::OfReal => a.re.mul_add(b.re, -(a.im * b.im)),
        Kept::ByImaginary | Kept::OfImaginary => (-a.im).mul_add(b.im, a.re * b.re),
    };
    let im = match kept {
        Kept::ByReal | Kept::OfImaginary => a.im.mul_add(b.re, a.re * b.im),
        Kept::ByImaginary | Kept::OfReal => a.re.mul_add(b.im, a.im * b.re),
    };
    Complex::new(re, im)
}

/// Rows from which on parts are summed on their own.
const MANY: usize = 4;

/// Columns from which on they are so on AMD's processors, of complex128.
const WIDE: usize = 12;

/// Multiplications up to which each entry is worked out by itself.
const TINY: usize = 216;

/// The same where the entries of an entry's terms lie side by side in both matrices, or where one matrix is a vector.
const FEW: usize = 1 << 14;

/// Complex numbers in a vector of 64 bytes.
const fn wide<T>() -> usize {
    64 / size_of::<Complex<T>>()
}

/// The columns of vectors have no step.
fn are_vectors(product: &Product) -> [bool; 2] {
    let [_, left, right] = product.matrices;
    [product.m == 1 && left.row == 0, product.n == 1 && right.column == 0]
}

/// True for a product of two vectors without gaps.
fn is_dot<T: Real>(product: &Product) -> bool {
    let ([_, left, right], size) = (product.matrices, size_of::<Complex<T>>() as isize);
    are_vectors(product) == [true; 2] && left.column == size && right.row == size && !product.is_small_batch()
}

/// The sizes at which the order changes were found by comparing bits.
fn order<T: Real>(product: &Product) -> Order {
    let [_, left, right] = product.matrices;
    let size = size_of::<Complex<T>>() as isize;
    let turned = |matrix: Matrix| matrix.row == size && matrix.column != size;
    let work = product.m * product.n * product.k;
    let [row, column] = are_vectors(product);
    let is_single = size == 8;
    let is_line = !row && !column && (product.m == 1 || product.n == 1);
    let real_if = |real: bool| if real { Kept::OfReal } else { Kept::ByReal };
    match (turned(left), turned(right)) {
        _ if product.is_small_batch() => Order::Rounded,
        _ if !follows_intel() && product.m > 1 && product.n > 1 && product.k == 1 => Order::Lone,
        _ if !follows_intel() && product.m > 1 && product.n > 1 && work <= FEW => match is_single {
            true if product.n < MANY || product.k < MANY => Order::Rounded,
            false if product.n < WIDE || product.m < MANY => Order::Fours,
            _ => Order::Parts,
        },
        // A row or a column that is a matrix; of complex64 that is known for few terms.
        _ if is_line && !follows_intel() && product.k > 1 && work <= FEW && (!is_single || product.k < MANY) => {
            if product.m == 1 && !turned(right) { Order::Rounded } else { Order::RoundedParts }
        }
        _ if row && column && !follows_intel() => Order::RoundedParts,
        _ if row && column => Order::Lanes(Kept::OfReal, 4),
        _ if column && work <= FEW => Order::Rounded,
        _ if product.k == 1 && product.m == 1 && product.n == 1 => match follows_intel() {
            true => Order::Products(Kept::OfReal),
            false => Order::Rounded,
        },
        _ if product.k == 1 => Order::Products(Kept::ByReal),
        (true, _) if product.n == 1 && work <= FEW => Order::Products(real_if(!is_single)),
        (false, _) if product.n == 1 && product.m > 1 && work <= FEW => Order::Lanes(Kept::ByReal, wide::<T>()),
        (false, true) if product.n > 1 && product.n < if is_single { 8 } else { 12 } && work <= FEW => {
            Order::Lanes(Kept::OfReal, wide::<T>())
        }
        (_, true) if product.m < MANY => Order::Products(Kept::OfReal),
        (_, false) if product.m < MANY => Order::Products(real_if(is_single && product.k < 5)),
        _ => Order::Parts,
    }
}

/// Computes a part of one complex product of the batch.
///
/// # Safety
/// As for [`multiply`](super::matmul::multiply), for this type.
pub(super) unsafe fn complex<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3])
where
    Complex<T>: Lane + One + Zero,
{
    // SAFETY: the caller's promise.
    unsafe {
        if is_dot::<T>(product) {
            return pick(dot_versions::<T>())(product, place, part, at);
        }
        let (order, work) = (order::<T>(product), product.m * product.n * product.k);
        match order {
            Order::Parts | Order::Products(_) if work > TINY => match product.m == 1 || product.n == 1 {
                true => large::complex::<T>(product, place, part, at),
                false => by_parts::<T>(product, place, part, at),
            },
            _ => pick(entries_versions::<T>())(product, place, part, at, order),
        }
    }
}

versions! { fn entries_versions<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3], order: Order) = entries }

/// Entry by entry.
#[inline(always)]
unsafe fn entries<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3], order: Order) {
    let [out, left, right] = product.matrices;
    let [to, a, b] = starts(product, place, part, at);
    let is_turned = right.row == size_of::<Complex<T>>() as isize && right.column != right.row && left.column == right.row;
    for i in 0..part.rows.len() as isize {
        for j in 0..part.columns.len() as isize {
            // SAFETY: the caller promises that all entries are there, and the result's cells are writable.
            unsafe {
                let terms = (0..product.k).map(|k| {
                    let x = *(a.wrapping_offset(i * left.row + k as isize * left.column) as *const Complex<T>);
                    (x, *(b.wrapping_offset(k as isize * right.row + j * right.column) as *const Complex<T>))
                });
                // Four columns at a time that lie without gaps are added up one term after the other.
                let in_turn = order == Order::Fours && is_turned && part.columns.start + (j as usize) < product.n / 4 * 4;
                let order = if in_turn { Order::Rounded } else { order };
                *(to.wrapping_offset(i * out.row + j * out.column) as *mut Complex<T>) = sum(terms, order);
            }
        }
    }
}

/// The sum of the products of terms.
#[inline(always)]
fn sum<T: Real>(terms: impl ExactSizeIterator<Item = (Complex<T>, Complex<T>)>, order: Order) -> Complex<T> {
    let zero = Complex::new(T::zero(), T::zero());
    match order {
        Order::Lone => terms.fold(-zero, |sum, (x, y)| sum + x * y),
        Order::Rounded => terms.fold(zero, |sum, (x, y)| sum + x * y),
        Order::Fours => {
            let (mut sum, mut four) = (zero, zero);
            let whole = terms.len() / 4 * 4;
            for (k, (x, y)) in terms.enumerate() {
                match k < whole {
                    true => four = four + x * y,
                    false => sum = sum + x * y,
                }
                if k < whole && k % 4 == 3 {
                    (sum, four) = (sum + four, zero);
                }
            }
            sum
        }
        Order::Products(kept) => terms.fold(zero, |sum, (x, y)| sum + times(x, y, kept)),
        Order::Lanes(kept, width) => {
            let mut lanes = [zero; 8];
            terms.enumerate().for_each(|(k, (x, y))| lanes[k % width] = lanes[k % width] + times(x, y, kept));
            in_halves(&mut lanes[..width], |a, b| a + b)
        }
        Order::Parts => joined(terms.fold([T::zero(); 4], add_parts)),
        Order::RoundedParts => joined(terms.fold([T::zero(); 4], |[rr, ii, ri, ir], (x, y)| {
            [rr + x.re * y.re, ii + x.im * y.im, ri + x.re * y.im, ir + x.im * y.re]
        })),
    }
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

versions! { fn dot_versions<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) = dot }

/// A product of two vectors without gaps.
#[inline(always)]
unsafe fn dot<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let [to, a, b] = starts(product, place, part, at);
    // SAFETY: the caller promises that all entries are there, and the result's cell is writable.
    unsafe {
        let [a, b] = [a, b].map(|line| std::slice::from_raw_parts(line as *const Complex<T>, product.k));
        *(to as *mut Complex<T>) = match (follows_intel(), wide::<T>()) {
            (false, _) if product.k <= FEW => in_short_vectors(a, b),
            (_, 8) => in_vectors::<T, 8, 64>(a, b),
            _ => in_vectors::<T, 4, 32>(a, b),
        };
    }
}

/// The sum of products in four vectors of lanes while there are as many terms, then in the first one. The sums of a lane lie as the
/// parts of its numbers do: `alike` has the products of real and of imaginary parts, `across` those of unlike ones.
#[inline(always)]
fn in_vectors<T: Real, const WIDTH: usize, const PARTS: usize>(a: &[Complex<T>], b: &[Complex<T>]) -> Complex<T> {
    let (mut alike, mut across) = ([T::zero(); PARTS], [T::zero(); PARTS]);
    let (a, b) = (parts(a).as_chunks::<PARTS>(), parts(b).as_chunks::<PARTS>());
    for (x, y) in a.0.iter().zip(b.0) {
        for k in 0..PARTS {
            alike[k] = x[k].mul_add(y[k], alike[k]);
            across[k] = x[k].mul_add(y[k ^ 1], across[k]);
        }
    }
    for k in 0..a.1.len() {
        let lane = k % (2 * WIDTH);
        alike[lane] = a.1[k].mul_add(b.1[k], alike[lane]);
        across[lane] = a.1[k].mul_add(b.1[k ^ 1], across[lane]);
    }
    let total = |sums: [T; PARTS], part: usize| {
        let vector = |v: usize, k: usize| sums[2 * (v * WIDTH + k) + part];
        let mut lanes: [T; WIDTH] = std::array::from_fn(|k| (vector(0, k) + vector(1, k)) + (vector(2, k) + vector(3, k)));
        in_halves(&mut lanes, |a, b| a + b)
    };
    joined([total(alike, 0), total(alike, 1), total(across, 0), total(across, 1)])
}

/// The sum of products on AMD's processors, which are rounded before they are added: in two vectors of 16 bytes while there are
/// enough terms for four of float32, or two of float64, then in the first one. Those of real parts of the left numbers are by
/// themselves, as are those of imaginary ones.
#[inline(always)]
fn in_short_vectors<T: Real>(a: &[Complex<T>], b: &[Complex<T>]) -> Complex<T> {
    let width = 16 / size_of::<Complex<T>>();
    let block = if width == 2 { 8 } else { 2 };
    let whole = a.len() / block * block;
    let zero = Complex::new(T::zero(), T::zero());
    let (mut by_real, mut by_imaginary) = ([zero; 4], [zero; 4]);
    for (k, (x, y)) in a.iter().zip(b).enumerate() {
        let lane = if k < whole { k % (2 * width) } else { (k - whole) % width };
        by_real[lane] = by_real[lane] + y.scale(x.re);
        by_imaginary[lane] = by_imaginary[lane] + y.scale(x.im);
    }
    let lane = |k: usize| {
        let (real, imaginary) = (by_real[k] + by_real[k + width], by_imaginary[k] + by_imaginary[k + width]);
        Complex::new(real.re - imaginary.im, real.im + imaginary.re)
    };
    (1..width).fold(lane(0), |sum, k| sum + lane(k))
}

/// The parts of complex numbers, one after the other.
fn parts<T: Real>(numbers: &[Complex<T>]) -> &[T] {
    // SAFETY: a complex number is its two parts, in this order (`repr(C)`).
    unsafe { std::slice::from_raw_parts(numbers.as_ptr() as *const T, 2 * numbers.len()) }
}

/// As one product of real numbers: the real parts of the rows above the imaginary ones, those of the columns side by side.
unsafe fn by_parts<T: Real>(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let [out, left, right] = product.matrices;
    let [to, a, b] = starts(product, place, part, at);
    let (m, n, k) = (part.rows.len(), part.columns.len(), product.k);
    let (mut rows, mut columns, mut all) = (vec![T::zero(); 2 * m * k], vec![T::zero(); 2 * k * n], vec![T::zero(); 4 * m * n]);
    let matrix = |columns: usize| Matrix { row: (columns * size_of::<T>()) as isize, column: size_of::<T>() as isize };
    let real = Product {
        dtype: T::DTYPE,
        m: 2 * m,
        n: 2 * n,
        k,
        matrices: [matrix(2 * n), matrix(k), matrix(2 * n)],
        batch: smallvec![[0; 3]],
        is_batch: false,
        is_widened: false,
        onto: false,
        piece: None,
        added: false,
    };
    // SAFETY: the caller promises that all entries are there, and the result's cells are writable; the planes are as large as said.
    unsafe {
        planes::<T>(a, left, [m, k], &mut rows, [k, m * k]);
        planes::<T>(b, right, [k, n], &mut columns, [2 * n, n]);
        let whole = Part { rows: 0..2 * m, columns: 0..2 * n };
        multiply(&real, 0, &whole, &[all.as_mut_ptr() as *mut u8, rows.as_mut_ptr() as *mut u8, columns.as_mut_ptr() as *mut u8]);
        let (upper, lower) = all.split_at(2 * m * n);
        for (i, (upper, lower)) in upper.chunks_exact(2 * n).zip(lower.chunks_exact(2 * n)).enumerate() {
            let ((rr, ri), (ir, ii)) = (upper.split_at(n), lower.split_at(n));
            let row = to.wrapping_offset(i as isize * out.row);
            for j in 0..n {
                *(row.wrapping_offset(j as isize * out.column) as *mut Complex<T>) = joined([rr[j], ii[j], ri[j], ir[j]]);
            }
        }
    }
}

/// Writes the real and the imaginary parts of a matrix in row-major order: `row` from one row to the next, the imaginary ones `apart`.
unsafe fn planes<T: Real>(at: *mut u8, matrix: Matrix, [rows, columns]: [usize; 2], to: &mut [T], [row, apart]: [usize; 2]) {
    for i in 0..rows {
        let from = at.wrapping_offset(i as isize * matrix.row);
        let (re, im) = to[i * row..].split_at_mut(apart);
        for (j, (re, im)) in re[..columns].iter_mut().zip(&mut im[..columns]).enumerate() {
            // SAFETY: the caller promises that all entries are there.
            let entry = unsafe { *(from.wrapping_offset(j as isize * matrix.column) as *const Complex<T>) };
            (*re, *im) = (entry.re, entry.im);
        }
    }
}
