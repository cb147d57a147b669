//! Systems with a triangular matrix.

use super::Matrix;
use super::field::Field;
use crate::interrupt;
use crate::kernel::blas::{Block, subtract_product, subtract_scaled};
use anyhow::Result;

/// Which triangle is read, and whether its diagonal counts as ones.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// On and above the diagonal, else on and below it.
    pub upper: bool,
    /// The diagonal is not read.
    pub unit: bool,
}

/// Unknowns that are solved for before the others take notice.
const PANEL: usize = 48;

/// Solves `T x = b` for every column of `b`, in place, by multiplying with the reciprocals of the diagonal, as the library behind
/// PyTorch does. A zero there gives infinities.
pub fn solve<T: Field>(a: &Matrix<T>, b: &mut Matrix<T>, shape: Shape) -> Result<()> {
    let n = a.ncols().min(a.nrows());
    if n < 2 * PANEL || b.ncols() < 4 {
        interrupt::check()?;
        solve_few(a, b, shape);
        return Ok(());
    }
    let (rows, height, columns) = (a.nrows(), b.nrows(), b.ncols());
    for step in 0..n.div_ceil(PANEL) {
        interrupt::check()?;
        let panel = if shape.upper { n.div_ceil(PANEL) - 1 - step } else { step };
        let (first, last) = (panel * PANEL, (panel * PANEL + PANEL).min(n));
        let k = last - first;
        let mut part = b.view((first, 0), (k, columns)).into_owned();
        solve_few(&a.view((first, first), (k, k)).into_owned(), &mut part, shape);
        b.view_mut((first, 0), (k, columns)).copy_from(&part);
        let rest = if shape.upper { 0..first } else { last..n };
        if rest.is_empty() {
            continue;
        }
        let beside = Block { cells: &a.as_slice()[first * rows + rest.start..], row: 1, column: rows };
        let part = Block { cells: part.as_slice(), row: 1, column: k };
        subtract_product((&mut b.as_mut_slice()[rest.start..], height), beside, part, false, (rest.len(), columns, k));
    }
    Ok(())
}

/// As [`solve`], column by column.
pub fn solve_few<T: Field>(a: &Matrix<T>, b: &mut Matrix<T>, shape: Shape) {
    let (n, rows) = (a.ncols().min(a.nrows()), a.nrows());
    let height = b.nrows();
    let inverses: Vec<T> = (0..if shape.unit { 0 } else { n }).map(|k| T::one().over(a[(k, k)])).collect();
    for column in b.as_mut_slice().chunks_exact_mut(height.max(1)) {
        for step in 0..n {
            let k = if shape.upper { n - 1 - step } else { step };
            let cells = &a.as_slice()[k * rows..(k + 1) * rows];
            if !shape.unit {
                column[k] *= inverses[k];
            }
            let (by, rest) = (column[k], if shape.upper { 0..k } else { k + 1..n });
            subtract_scaled(&mut column[rest.clone()], &cells[rest], by);
        }
    }
}
