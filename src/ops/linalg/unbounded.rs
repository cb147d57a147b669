//! What LAPACK's iterations leave of the eigenvalues of Hermitian matrices with infinities or nans.

use super::dense::tridiagonal::Triangle;
use super::dense::{Field, Matrix, Real, symmetric};
use anyhow::Result;
use std::ops::Range;

/// Eigenvalues, and eigenvectors as columns.
pub(super) type Eigen<T> = (Vec<<T as Field>::R>, Matrix<T>);

/// What is found of a Hermitian matrix whose triangle has infinities or nans; none for any other. `vectors` says whether they are asked
/// for: the values alone come from another iteration. Fails as the iteration does where it meets nans again and again.
pub(super) fn found<T: Field>(label: &str, a: &Matrix<T>, triangle: Triangle, vectors: bool) -> Result<Option<Eigen<T>>> {
    let n = a.nrows();
    let read = |i: usize, j: usize| if matches!(triangle, Triangle::Lower) { a[(i, j)] } else { a[(j, i)] };
    let cells = || (0..n).flat_map(|j| (j..n).map(move |i| (i, j)));
    if cells().all(|(i, j)| read(i, j).is_finite()) {
        return Ok(None);
    }
    if n == 1 {
        return Ok(Some((vec![read(0, 0).real()], Matrix::identity(1, 1))));
    }
    let has_nan = cells().any(|(i, j)| is_nan(&read(i, j)));
    // A matrix with infinities is made smaller before, which leaves nans of them and nothing of the others.
    let shrunk = |x: T| if x.is_finite() { 0.0 } else { f64::NAN };
    let entry = |i: usize, j: usize| match (has_nan, read(i, j)) {
        (false, x) => shrunk(x),
        (true, x) if T::IS_COMPLEX && i != j && x != T::zero() => f64::NAN,
        (true, x) => x.real().wide(),
    };
    let lost = |first: usize| n - 1 - first - usize::from(!vectors);
    if let Some(first) = (0..n).find(|j| (j + 2..n).any(|i| entry(i, *j) != 0.0)) {
        return Err(not_converged(label, lost(first)));
    }
    let mut solved = Solved {
        values: (0..n).map(|i| entry(i, i)).collect(),
        beside: (1..n).map(|i| entry(i, i - 1)).collect(),
        vectors: Matrix::identity(n, n),
    };
    solved.solve(label, vectors)?;
    solved.sort(vectors);
    let grown = if has_nan { 1.0 } else { f64::INFINITY };
    Ok(Some((solved.values.iter().map(|x| T::R::of(x * grown)).collect(), solved.vectors.map(|x| T::from_real(T::R::of(x))))))
}

fn is_nan<T: Field>(x: &T) -> bool {
    x.real().wide().is_nan() || x.imaginary().wide().is_nan()
}

fn not_converged(label: &str, code: usize) -> anyhow::Error {
    err!(
        LinAlgError,
        "{label}The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated \
         eigenvalues (error code: {code})."
    )
}

/// A tridiagonal matrix on its way to its eigenvalues.
struct Solved {
    values: Vec<f64>,
    beside: Vec<f64>,
    vectors: Matrix<f64>,
}

impl Solved {
    /// The blocks that nothing joins. The iteration for the values alone does not see a zero beside a nan.
    fn blocks(&self, vectors: bool) -> Vec<Range<usize>> {
        let n = self.values.len();
        let is_apart = |i: usize| match self.beside[i] {
            0.0 if vectors => true,
            beside => beside.abs() <= (self.values[i].abs().sqrt() * self.values[i + 1].abs().sqrt()) * f64::EPSILON,
        };
        let ends: Vec<usize> = (1..n).filter(|end| is_apart(end - 1)).chain([n]).collect();
        ends.iter().scan(0, |start, end| Some(std::mem::replace(start, *end)..*end)).collect()
    }

    fn solve(&mut self, label: &str, vectors: bool) -> Result<()> {
        for block in self.blocks(vectors) {
            let is_bounded =
                self.values[block.clone()].iter().chain(&self.beside[block.start..block.end - 1]).all(|x| x.is_finite());
            match block.len() {
                1 => {}
                _ if is_bounded => self.solve_bounded(block)?,
                2 => self.solve_pair(block.start),
                length => return Err(not_converged(label, length - 1 - usize::from(!vectors))),
            }
        }
        Ok(())
    }

    fn solve_bounded(&mut self, block: Range<usize>) -> Result<()> {
        let (first, length) = (block.start, block.len());
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => self.values[first + i],
            1 => self.beside[first + i.min(j)],
            _ => 0.0,
        };
        if let Some(found) = symmetric::eigen(&Matrix::from_fn(length, length, entry), Triangle::Lower)? {
            self.values[block].copy_from_slice(&found.values);
            self.vectors.view_mut((first, first), (length, length)).copy_from(&found.vectors);
        }
        Ok(())
    }

    /// Two rows with a nan by the formula for two, which turns their vectors into nans.
    fn solve_pair(&mut self, first: usize) {
        let half = self.beside[first].abs() * 2f64.sqrt();
        (self.values[first], self.values[first + 1]) = (half, -half);
        (0..2).for_each(|k| self.vectors.column_mut(first + k).fill(f64::NAN));
    }

    /// Into ascending order, as far as nans have one: vectors are exchanged with the smallest that is left, values alone inserted.
    fn sort(&mut self, vectors: bool) {
        let n = self.values.len();
        for i in 0..n {
            if vectors {
                let least = (i + 1..n).fold(i, |least, j| if self.values[j] < self.values[least] { j } else { least });
                self.values.swap(i, least);
                self.vectors.swap_columns(i, least);
                continue;
            }
            let mut place = i;
            while place > 0 && self.values[place] < self.values[place - 1] {
                self.values.swap(place, place - 1);
                place -= 1;
            }
        }
    }
}
