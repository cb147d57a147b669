//! Steps of the reductions of matrices to two or three diagonals: what the last step changes and what the next one has to know in one
//! pass over memory. Matrices lie in slices column by column.

use super::blas::Entry;
use super::halves::in_halves;
use super::isa::{pick, versions};
use super::shared::Shared;
use super::team;

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

impl<T> Change<'_, T> {
    fn pointers(&self) -> ([*const T; 2], [*const T; 2]) {
        (self.left.map(<[T]>::as_ptr), self.right.map(<[T]>::as_ptr))
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
    /// What columns are multiplied by, where they are.
    by: *const T,
    out: *mut T,
    dots: *mut T,
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
    let (cells, dots) = (Shared(cells.as_mut_ptr()), Shared(dots.as_mut_ptr()));
    in_parts(rows * columns, columns, BESIDE, &|part| {
        let (left, right) = change.after(0, part.start).pointers();
        let (cells, dots) = (cells.at(part.start * stride), dots.at(part.start));
        let pass = Pass {
            cells,
            stride,
            rows,
            columns: part.len(),
            left,
            right,
            v: v.as_ptr(),
            by: std::ptr::null(),
            out: std::ptr::null_mut(),
            dots,
        };
        // SAFETY: everything the pass reaches lies in the slices, as was just checked; parts have no columns in common.
        unsafe { pick(full_versions::<T>())(&raw const pass as *const u8) }
    });
}

/// Cells from which on the threads of a team are worth asking: fewer are read sooner than they move to another cache.
const SOME: usize = 1 << 16;

/// Does both parts of so many cells.
fn halves(cells: usize, work: &(dyn Fn(usize) + Sync)) {
    if cells > SOME { team::each(2, false, work) } else { (0..2).for_each(work) }
}

/// Shares out columns or rows, so many at a time, when there are many cells.
fn in_parts(cells: usize, count: usize, unit: usize, work: &(dyn Fn(std::ops::Range<usize>) + Sync)) {
    if cells > SOME { team::ranges(count, unit, false, work) } else { work(0..count) }
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
    // A large triangle is two parts of about the same size, whoever works on them, with a sum each.
    let first = if rows < HALVED { 0 } else { rows % BESIDE + rows * 3 / 10 / BESIDE * BESIDE };
    let mut others = vec![T::default(); if first == 0 { 0 } else { rows - first }];
    let (starts, cells) = ([Shared(out.as_mut_ptr()), Shared(others.as_mut_ptr())], Shared(cells.as_mut_ptr()));
    let pass = |skipped: usize, columns: usize, out: *mut T| {
        let (left, right) = change.after(skipped, skipped).pointers();
        let (cells, v) = (cells.at(skipped * (stride + 1)), v.as_ptr().wrapping_add(skipped));
        let pass = Pass { cells, stride, rows: rows - skipped, columns, left, right, v, by: v, out, dots: out };
        // SAFETY: everything the pass reaches lies in the slices, as was just checked; parts have no columns in common.
        unsafe { pick(lower_versions::<T>())(&raw const pass as *const u8) }
    };
    if first == 0 {
        return pass(0, rows, starts[0].at(0));
    }
    let sizes = [(0, first), (first, rows - first)];
    halves(rows * rows / 2, &|i| pass(sizes[i].0, sizes[i].1, starts[i].at(0)));
    out[first..rows].iter_mut().zip(&others).for_each(|(out, other)| *out = *out + *other);
}

/// Changes a matrix of `v.len()` rows and `by.len()` columns, which begin `stride` apart. Gives `vᴴ` times each of its new columns in
/// `dots`, and adds the new matrix times `by` to `out`.
///
/// # Panics
/// When a slice is too short.
pub fn change_and_multiply_both<T: Entry>(
    cells: &mut [T],
    stride: usize,
    change: &Change<T>,
    [v, by]: [&[T]; 2],
    [dots, out]: [&mut [T]; 2],
) {
    let (rows, columns) = (v.len(), by.len());
    if rows == 0 || columns == 0 {
        return dots.fill(T::default());
    }
    assert!(
        (columns - 1) * stride + rows <= cells.len() && dots.len() >= columns && out.len() >= rows,
        "columns lie in their slice"
    );
    assert!(change.left.iter().all(|x| x.len() >= rows) && change.right.iter().all(|x| x.len() >= columns), "the change reaches");
    let (sums, cells, dots) = (Sums::new(out, columns), Shared(cells.as_mut_ptr()), Shared(dots.as_mut_ptr()));
    sums.share(|part, out| {
        let (left, right) = change.after(0, part.start).pointers();
        let (cells, dots, by) = (cells.at(part.start * stride), dots.at(part.start), by[part.start..].as_ptr());
        let pass = Pass { cells, stride, rows, columns: part.len(), left, right, v: v.as_ptr(), by, out, dots };
        // SAFETY: everything the pass reaches lies in the slices, as was just checked; parts have no columns in common.
        unsafe { pick(both_versions::<T>())(&raw const pass as *const u8) }
    });
}

/// Rows of a triangle, or columns, from which on it is worked on in two parts.
const HALVED: usize = 128;

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
    let (sums, cells) = (Sums::new(out, columns), Shared(cells.as_ptr().cast_mut()));
    sums.share(|part, out| {
        let (cells, none) = (cells.at(part.start * stride), [std::ptr::null(); 2]);
        let v = v[part.clone()].as_ptr();
        let pass = Pass { cells, stride, rows, columns: part.len(), left: none, right: none, v, by: v, out, dots: out };
        // SAFETY: everything the pass reaches lies in the slices, as was just checked; the cells are only read.
        unsafe { pick(product_versions::<T>())(&raw const pass as *const u8) }
    });
}

/// What the columns of a matrix are summed to. Those of a large one are two parts, whoever works on them, with a sum each.
struct Sums<'a, T> {
    out: &'a mut [T],
    others: Vec<T>,
    columns: usize,
}

impl<T: Entry> Sums<'_, T> {
    fn new(out: &mut [T], columns: usize) -> Sums<'_, T> {
        let others = vec![T::default(); if columns < HALVED { 0 } else { out.len() }];
        Sums { out, others, columns }
    }

    /// Does something with each part of the columns and its sum. Parts are those of [`in_parts`], so that columns stay in the cache
    /// they are in.
    fn share(mut self, work: impl Fn(std::ops::Range<usize>, *mut T) + Sync) {
        let middle = if self.others.is_empty() { self.columns } else { self.columns.div_ceil(2).next_multiple_of(BESIDE) };
        let (parts, sums) =
            ([0..middle, middle..self.columns], [Shared(self.out.as_mut_ptr()), Shared(self.others.as_mut_ptr())]);
        let one = |i: usize| work(parts[i].clone(), sums[i].at(0));
        if self.others.is_empty() {
            one(0)
        } else {
            halves(self.out.len() * self.columns, &one)
        }
        self.out.iter_mut().zip(&self.others).for_each(|(out, other)| *out = *out + *other);
    }
}

versions! { fn full_versions<T: Entry>(pass: *const u8) = full_dots }
versions! { fn both_versions<T: Entry>(pass: *const u8) = full_both }

#[inline(always)]
unsafe fn full_dots<T: Entry>(pass: *const u8) {
    // SAFETY: the caller's promise is passed on.
    unsafe { full::<T, false>(pass) }
}

#[inline(always)]
unsafe fn full_both<T: Entry>(pass: *const u8) {
    // SAFETY: the caller's promise is passed on.
    unsafe { full::<T, true>(pass) }
}

#[inline(always)]
unsafe fn full<T: Entry, const OUT: bool>(pass: *const u8) {
    // SAFETY: the caller passes a pass over cells that are there.
    unsafe {
        let pass = &*(pass as *const Pass<T>);
        let whole = pass.columns / BESIDE * BESIDE;
        for j in (0..whole).step_by(BESIDE) {
            *(pass.dots.add(j) as *mut [T; BESIDE]) = changed::<T, BESIDE, OUT>(pass, j, 0).map(T::conj);
        }
        for j in whole..pass.columns {
            *pass.dots.add(j) = changed::<T, 1, OUT>(pass, j, 0)[0].conj();
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
        while first < pass.columns {
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
        let less_v = if OUT { entries::<T, N>(pass.by, column).map(|x| -x) } else { [T::default(); N] };
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
        let less_v = entries::<T, N>(pass.by, column).map(|x| -x);
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
