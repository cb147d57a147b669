//! Systems with a triangular matrix.

use super::Matrix;
use super::field::Field;
use crate::interrupt;
use anyhow::Result;

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
    let (n, rows) = (a.ncols().min(a.nrows()), a.nrows());
    let height = b.nrows();
    for column in b.as_mut_slice().chunks_exact_mut(height.max(1)) {
        interrupt::check()?;
        for step in 0..n {
            let k = if shape.upper { n - 1 - step } else { step };
            let cells = &a.as_slice()[k * rows..(k + 1) * rows];
            if !shape.unit {
                column[k] *= T::one().over(cells[k]);
            }
            let (by, rest) = (column[k], if shape.upper { 0..k } else { k + 1..n });
            column[rest.clone()].iter_mut().zip(&cells[rest]).for_each(|(x, l)| *x -= *l * by);
        }
    }
    Ok(())
}
