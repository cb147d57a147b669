//! Steps of the reductions of matrices to two or three diagonals: what the last step changes and what the next one has to know in one
//! pass over memory. Matrices lie in slices column by column.

use super::blas::Entry;
use super::halves::in_halves;
use super::isa::{pick, versions};

/// Columns that are worked on together: what is read of a row serves all of them.
const BESIDE: usize = 4;

/// A change of a matrix: entry (i, j) loses `left[0][i] * right[0][j] + left[1][i] * right[1][j]`.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a, T> {
    /// Two columns.
    pub left: [&'a [T]; 2],
    /// Two rows.
    pub right: [&'a [T]; 2],
}

impl<'a, T> Change<'a, T> {
    /// The change of the matrix without its first rows and columns.
    pub fn after(&self, rows: usize, columns: usize) -> Change<'a, T> {
        Change { left: self.left.map(|x| &x[rows..]), right: self.right.map(|x| &x[columns..]) }
    }
}

/// Addresses and sizes for a pass.
#[repr(C)]
struct Pass<T> {
    cells: *mut T,
    /// From one column to the next.
    stride: usize,
    rows: usize,
    columns: usize,
    left: [*const T; 2],
    right: [*const T; 2],
    v: *const T,
    out: *mut T,
}

/// Changes a matrix of `v.len()` rows and `dots.len()` columns, which begin `stride` apart, and gives `vᴴ` times each of its new
/// columns.
///
/// # Panics
/// When a slice is too short.
pub fn change_and_dot<T: Entry>(cells: &mut [T], stride: usize, change: &Change<T>, v: &[T], dots: &mut [T]) {
    let (rows, columns) = (v.len(), dots.len());
    if rows == 0 || columns == 0 {
        return dots.fill(T::default());
    }
    assert!((columns - 1) * stride + rows <= cells.len(), "columns lie in their slice");
    assert!(change.left.iter().all(|x| x.len() >= rows) && change.right.iter().all(|x| x.len() >= columns), "the change reaches");
    let (left, right) = (change.left.map(<[T]>::as_ptr), change.right.map(<[T]>::as_ptr));
    let pass = Pass { cells: cells.as_mut_ptr(), stride, rows, columns, left, right, v: v.as_ptr(), out: dots.as_mut_ptr() };
    // SAFETY: everything the pass reaches lies in the slices, as was just checked.
    unsafe { pick(full_versions::<T>())(&raw const pass as *const u8) }
}

/// Changes the lower triangle of a Hermitian matrix, whose diagonal is real and whose columns begin `stride` apart, and multiplies it
/// by `v`: the product is added to `out`.
///
/// # Panics
/// When a slice is too short.
pub fn change_and_multiply<T: Entry>(cells: &mut [T], stride: usize, change: &Change<T>, v: &[T], out: &mut [T]) {
    let rows = v.len();
    if rows == 0 {
        return;
    }
    assert!((rows - 1) * stride + rows <= cells.len() && out.len() >= rows, "columns lie in their slice");
    assert!(change.left.iter().chain(&change.right).all(|x| x.len() >= rows), "the change reaches");
    let (left, right) = (change.left.map(<[T]>::as_ptr), change.right.map(<[T]>::as_ptr));
    let pass = Pass { cells: cells.as_mut_ptr(), stride, rows, columns: rows, left, right, v: v.as_ptr(), out: out.as_mut_ptr() };
    // SAFETY: everything the pass reaches lies in the slices, as was just checked.
    unsafe { pick(lower_versions::<T>())(&raw const pass as *const u8) }
}

/// Adds a matrix, whose columns begin `stride` apart, times `v` to `out`.
///
/// # Panics
/// When a slice is too short.
pub fn multiply<T: Entry>(cells: &[T], stride: usize, v: &[T], out: &mut [T]) {
    let (rows, columns) = (out.len(), v.len());
    if rows == 0 || columns == 0 {
        return;
    }
    assert!((columns - 1) * stride + rows <= cells.len(), "columns lie in their slice");
    let none = [std::ptr::null(); 2];
    let cells = cells.as_ptr().cast_mut();
    let pass = Pass { cells, stride, rows, columns, left: none, right: none, v: v.as_ptr(), out: out.as_mut_ptr() };
    // SAFETY: everything the pass reaches lies in the slices, as was just checked; the cells are only read.
    unsafe { pick(product_versions::<T>())(&raw const pass as *const u8) }
}

versions! { fn full_versions<T: Entry>(pass: *const u8) = full }

#[inline(always)]
unsafe fn full<T: Entry>(pass: *const u8) {
    // SAFETY: the caller passes a pass over cells that are there.
    unsafe {
        let pass = &*(pass as *const Pass<T>);
        let whole = pass.columns / BESIDE * BESIDE;
        for j in (0..whole).step_by(BESIDE) {
            *(pass.out.add(j) as *mut [T; BESIDE]) = changed::<T, BESIDE, false>(pass, j, 0).map(T::conj);
        }
        for j in whole..pass.columns {
            *pass.out.add(j) = changed::<T, 1, false>(pass, j, 0)[0].conj();
        }
    }
}

versions! { fn lower_versions<T: Entry>(pass: *const u8) = lower }

#[inline(always)]
unsafe fn lower<T: Entry>(pass: *const u8) {
    // SAFETY: the caller passes a pass over cells that are there.
    unsafe {
        let pass = &*(pass as *const Pass<T>);
        let (n, [a, b], [c, d]) = (pass.rows, pass.left, pass.right);
        let mut first = 0;
        while first < n {
            // The first columns are fewer, so that below the others whole steps of rows are left.
            let last = if n % BESIDE > 0 && first == 0 { n % BESIDE } else { first + BESIDE };
            for j in first..last {
                for i in j..last {
                    let cell = pass.cells.add(j * pass.stride + i);
                    let x = (*cell).less_product(*a.add(i), *c.add(j)).less_product(*b.add(i), *d.add(j));
                    *cell = x;
                    *pass.out.add(i) = *pass.out.add(i) + x * *pass.v.add(j);
                    if i != j {
                        *pass.out.add(j) = *pass.out.add(j) + x.conj() * *pass.v.add(i);
                    }
                }
            }
            if last - first == BESIDE {
                let dots = changed::<T, BESIDE, true>(pass, first, last);
                for (k, dot) in dots.iter().enumerate() {
                    *pass.out.add(first + k) = *pass.out.add(first + k) + *dot;
                }
            } else {
                for j in first..last {
                    *pass.out.add(j) = *pass.out.add(j) + changed::<T, 1, true>(pass, j, last)[0];
                }
            }
            first = last;
        }
    }
}

versions! { fn product_versions<T: Entry>(pass: *const u8) = product }

#[inline(always)]
unsafe fn product<T: Entry>(pass: *const u8) {
    // SAFETY: the caller passes a pass over cells that are there.
    unsafe {
        let pass = &*(pass as *const Pass<T>);
        let whole = pass.columns / BESIDE * BESIDE;
        for j in (0..whole).step_by(BESIDE) {
            added::<T, BESIDE>(pass, j);
        }
        for j in whole..pass.columns {
            added::<T, 1>(pass, j);
        }
    }
}

/// Some entries of a vector from `at` on.
#[inline(always)]
unsafe fn entries<T: Entry, const N: usize>(vector: *const T, at: usize) -> [T; N] {
    // SAFETY: the caller promises that they are there.
    unsafe { *(vector.add(at) as *const [T; N]) }
}

/// Rows that go together; the rest in smaller steps.
const ROWS: [usize; 3] = [16, 4, 1];

/// The row to begin with so that those up to `height` can be taken in whole steps: `row`, or one above it.
pub fn first_row(row: usize, height: usize) -> usize {
    height.checked_sub((height - row).next_multiple_of(ROWS[0])).unwrap_or(row)
}

/// Changes `N` columns from row `first` on; the dot products of the new ones, conjugated, with `v`. With `OUT` the columns times their
/// entries of `v` are added to the result.
#[inline(always)]
unsafe fn changed<T: Entry, const N: usize, const OUT: bool>(pass: &Pass<T>, column: usize, first: usize) -> [T; N] {
    // SAFETY: the caller's promise; the parts are rows from `first` on.
    unsafe {
        let mut dots = [T::default(); N];
        let at = changed_rows::<T, N, { ROWS[0] }, OUT>(pass, column, first, &mut dots);
        let at = changed_rows::<T, N, { ROWS[1] }, OUT>(pass, column, at, &mut dots);
        changed_rows::<T, N, { ROWS[2] }, OUT>(pass, column, at, &mut dots);
        dots
    }
}

/// As many rows from `at` on as there are whole steps of `L`; the first row that is left.
#[inline(always)]
unsafe fn changed_rows<T: Entry, const N: usize, const L: usize, const OUT: bool>(
    pass: &Pass<T>,
    column: usize,
    mut at: usize,
    dots: &mut [T; N],
) -> usize {
    // SAFETY: the caller passes columns, rows and factors that are there; vectors of `L` rows are read where so many are left.
    unsafe {
        let (by_a, by_b): ([T; N], [T; N]) = (entries(pass.right[0], column), entries(pass.right[1], column));
        let less_v = if OUT { entries::<T, N>(pass.v, column).map(|x| -x) } else { [T::default(); N] };
        let mut sums = [[T::default(); L]; N];
        while pass.rows - at >= L {
            let (a, b, v): ([T; L], [T; L], [T; L]) = (entries(pass.left[0], at), entries(pass.left[1], at), entries(pass.v, at));
            let mut out: [T; L] = if OUT { entries(pass.out, at) } else { [T::default(); L] };
            for j in 0..N {
                let cells = &mut *(pass.cells.add((column + j) * pass.stride + at) as *mut [T; L]);
                let mut x = *cells;
                for k in 0..L {
                    x[k] = x[k].less_product(a[k], by_a[j]).less_product(b[k], by_b[j]);
                    sums[j][k] = sums[j][k].less_product(-x[k].conj(), v[k]);
                    if OUT {
                        out[k] = out[k].less_product(x[k], less_v[j]);
                    }
                }
                *cells = x;
            }
            if OUT {
                *(pass.out.add(at) as *mut [T; L]) = out;
            }
            at += L;
        }
        for j in 0..N {
            dots[j] = dots[j] + in_halves(&mut sums[j], |a, b| a + b);
        }
        at
    }
}

/// Adds `N` columns times their entries of `v` to the result.
#[inline(always)]
unsafe fn added<T: Entry, const N: usize>(pass: &Pass<T>, column: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let less_v = entries::<T, N>(pass.v, column).map(|x| -x);
        let out = std::slice::from_raw_parts_mut(pass.out, pass.rows);
        let columns: [&[T]; N] =
            std::array::from_fn(|j| std::slice::from_raw_parts(pass.cells.add((column + j) * pass.stride), pass.rows));
        for (i, out) in out.iter_mut().enumerate() {
            let mut sum = *out;
            for j in 0..N {
                sum = sum.less_product(*columns[j].get_unchecked(i), less_v[j]);
            }
            *out = sum;
        }
    }
}
