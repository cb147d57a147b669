//! Systems with a triangular matrix.

use super::field::Field;
use super::{Matrix, few, few_sides, few_triangles, small};
use crate::interrupt;
use crate::kernel::blas::{Block, subtract_product, subtract_scaled_of};
use crate::kernel::substitute::{most, substitute};
use anyhow::Result;
use std::ops::Range;

/// Which triangle is read, and whether its diagonal counts as ones.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// On and above the diagonal, else on and below it.
    pub upper: bool,
    /// The diagonal is not read.
    pub unit: bool,
}

/// Solves `T x = b` for every column of `b`, in place, by multiplying with the reciprocals of the diagonal, as the library behind
/// PyTorch does. A zero there gives infinities.
pub fn solve<T: Field>(a: &Matrix<T>, b: &mut Matrix<T>, shape: Shape) -> Result<()> {
    solve_lying(a, b, shape, Lying::Straight)
}

/// How the library is given the matrix that is solved with, which decides its loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lying {
    /// As it is.
    Straight,
    /// As the transpose, or the adjoint, of a matrix.
    Turned,
    /// On the other side of the unknowns.
    Beside,
    /// On the other side of the unknowns, as it is: of a lower one the unknowns are then known from the last one on.
    BesideStraight,
}

/// As [`solve`], for a matrix that the library has from memory like this.
pub fn solve_lying<T: Field>(a: &Matrix<T>, b: &mut Matrix<T>, shape: Shape, lying: Lying) -> Result<()> {
    let n = a.ncols().min(a.nrows());
    let (rows, height, columns) = (a.nrows(), b.nrows(), b.ncols());
    if T::IS_COMPLEX && few::takes(n, columns) && n > 0 {
        few_triangles::solve(a, b, shape, lying);
        return Ok(());
    }
    if few_sides::takes::<T>(n, columns, lying) {
        few_sides::solve(a, b, shape, lying);
        return Ok(());
    }
    solve_part((a.as_slice(), rows), n, (b.as_mut_slice(), height), columns, shape)
}

/// Solves `U x = b`, dividing by the diagonal where [`solve`] multiplies, as the library does after an LU decomposition of few rows.
pub fn divide<T: Field>(a: &Matrix<T>, b: &mut Matrix<T>) -> Result<()> {
    let n = a.nrows();
    if n > SMALL {
        return solve(a, b, Shape { upper: true, unit: false });
    }
    for x in b.as_mut_slice().chunks_mut(n.max(1)) {
        for k in (0..n).rev() {
            x[k] = x[k].over(a[(k, k)]);
            let by = x[k];
            subtract_scaled_of(n, &mut x[..k], &a.as_slice()[k * n..][..k], by);
        }
    }
    Ok(())
}

/// As [`solve`], for matrices that begin at the start of slices, with the distance of their columns: `n` unknowns and `columns`
/// right sides.
pub fn solve_part<T: Field>(
    (a, rows): (&[T], usize),
    n: usize,
    (b, height): (&mut [T], usize),
    columns: usize,
    shape: Shape,
) -> Result<()> {
    if columns == 0 || n == 0 {
        return Ok(());
    }
    let inverses: Option<Vec<T>> = (!shape.unit).then(|| (0..n).map(|k| a[k * rows + k].reciprocal(false)).collect());
    let system = System { a, rows, inverses: inverses.as_deref(), upper: shape.upper };
    if columns > 1 && n <= SMALL && !n.is_multiple_of(4) && !T::IS_COMPLEX {
        b.chunks_mut(height)
            .take(columns)
            .for_each(|x| small::substitute((a, rows), inverses.as_deref(), shape.upper, &mut x[..n]));
        return Ok(());
    }
    if columns < FEW {
        interrupt::check()?;
        b.chunks_mut(height).take(columns).for_each(|column| system.one(&mut column[..n]));
        return Ok(());
    }
    system.solve(0..n, (b, height), columns, most::<T>())
}

/// Solves `L x = b` for the columns of an identity, in place, where L is lower triangular with ones on its diagonal. What stays
/// zero is left out.
pub fn invert_unit_lower<T: Field>(a: &Matrix<T>, identity: &mut Matrix<T>) -> Result<()> {
    let n = a.nrows();
    let system = System { a: a.as_slice(), rows: n, inverses: None, upper: false };
    system.invert(0..n, (identity.as_mut_slice(), n))
}

/// Unknowns of an inverse that are not halved.
const STEP: usize = 32;

/// Unknowns of a system that PyTorch's library solves in steps of its own.
const SMALL: usize = 32;

/// Right sides up to which each is solved for by itself.
const FEW: usize = 4;

/// A triangular matrix in a slice.
struct System<'a, T> {
    a: &'a [T],
    rows: usize,
    inverses: Option<&'a [T]>,
    upper: bool,
}

impl<T: Field> System<'_, T> {
    fn one(&self, x: &mut [T]) {
        let n = x.len();
        for step in 0..n {
            let k = if self.upper { n - 1 - step } else { step };
            if let Some(inverses) = self.inverses {
                x[k] *= inverses[k];
            }
            let (by, rest) = (x[k], if self.upper { 0..k } else { k + 1..n });
            subtract_scaled_of(n, &mut x[rest.clone()], &self.a[k * self.rows..][rest], by);
        }
    }

    /// As [`System::solve`], for a lower triangle and the columns of an identity: the unknowns of a column before its one are zeros.
    fn invert(&self, unknowns: Range<usize>, (b, height): (&mut [T], usize)) -> Result<()> {
        let n = unknowns.len();
        if n <= STEP {
            return self.solve(unknowns.clone(), (b, height), unknowns.end, STEP);
        }
        let middle = unknowns.start + (n / 2).next_multiple_of(16);
        self.invert(unknowns.start..middle, (&mut *b, height))?;
        self.notice(unknowns.start..middle, middle..unknowns.end, (&mut *b, height), middle);
        self.invert(middle..unknowns.end, (b, height))
    }

    /// Solves for some unknowns: for one half, then, when the other half's right sides took notice, for that.
    fn solve(&self, unknowns: Range<usize>, (b, height): (&mut [T], usize), columns: usize, most: usize) -> Result<()> {
        interrupt::check()?;
        let (first, n) = (unknowns.start, unknowns.len());
        if n <= most {
            let corner = (&self.a[first * self.rows + first..], self.rows);
            let inverses = self.inverses.map(|i| &i[unknowns]);
            substitute(corner, n, inverses, self.upper, (&mut b[first..], height), columns);
            return Ok(());
        }
        let middle = first + (n / 2).next_multiple_of(16);
        let (known, rest) =
            if self.upper { (middle..unknowns.end, first..middle) } else { (first..middle, middle..unknowns.end) };
        self.solve(known.clone(), (&mut *b, height), columns, most)?;
        self.notice(known, rest.clone(), (&mut *b, height), columns);
        self.solve(rest, (b, height), columns, most)
    }

    /// Takes what known unknowns contribute from the right sides of the others.
    fn notice(&self, known: Range<usize>, rest: Range<usize>, (b, height): (&mut [T], usize), columns: usize) {
        let k = known.len();
        let mut part = Vec::with_capacity(k * columns);
        b.chunks(height).take(columns).for_each(|column| part.extend_from_slice(&column[known.clone()]));
        let beside = Block { cells: &self.a[known.start * self.rows + rest.start..], row: 1, column: self.rows };
        let part = Block { cells: &part, row: 1, column: k };
        subtract_product((&mut b[rest.start..], height), beside, part, false, (rest.len(), columns, k));
    }
}
