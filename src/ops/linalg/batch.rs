//! From tensors to matrices and back: checks of the input, batches, and how the entries of results lie in memory.

use super::dense::{Field, Matrix, transpose};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::kernel::team;
use crate::layout::{Dims, Layout};
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;

/// The matrices in the last two dimensions of a tensor.
pub struct Batch<T: Field> {
    /// The dimensions before the last two.
    pub lead: Dims,
    /// Rows of each matrix.
    pub rows: usize,
    /// Columns of each matrix.
    pub columns: usize,
    /// In order.
    pub matrices: Vec<Matrix<T>>,
    device: DeviceId,
}

/// Entries of a matrix whose decomposition has steps that are worth sharing.
const LARGE: usize = 128 * 128;

/// In which order the entries of a resulting matrix lie: LAPACK writes columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Row after row.
    Rows,
    /// Column after column.
    Columns,
}

/// Rows and columns of a tensor of at least two dimensions.
pub fn last_two(x: &Tensor) -> [i64; 2] {
    match x.sizes().as_slice() {
        [.., m, n] => [*m, *n],
        _ => [1, 1],
    }
}

/// Reads the matrices of a tensor of at least two dimensions, converted to `T`.
pub fn read<T: Field>(x: &Tensor) -> Result<Batch<T>> {
    let [rows, columns] = last_two(x);
    let (rows, columns) = (rows as usize, columns as usize);
    let lead = Dims::from_slice(&x.sizes()[..x.ndim().saturating_sub(2)]);
    let count = lead.iter().product::<i64>() as usize;
    // Matrices without entries need room too.
    exec::require_room(&[count as i64, size_of::<Matrix<T>>() as i64], DType::U8)?;
    // Column by column, as the matrices are kept.
    let values = exec::read_vec::<T>(&x.alias(turn(&x.layout()))?)?;
    let size = rows * columns;
    let matrices = match count {
        1 => vec![Matrix::from_vec(rows, columns, values)],
        _ => (0..count).map(|k| Matrix::from_column_slice(rows, columns, &values[k * size..(k + 1) * size])).collect(),
    };
    Ok(Batch { lead, rows, columns, matrices, device: x.device() })
}

/// Reads the vectors in the last dimension of a tensor as matrices of one column, converted to `T`.
pub fn read_columns<T: Field>(x: &Tensor) -> Result<Batch<T>> {
    let mut layout = (*x.layout()).clone();
    layout.sizes.push(1);
    layout.strides.push(1);
    read(&x.alias(layout)?)
}

impl<T: Field> Batch<T> {
    /// Does something with each matrix, which is taken out of the batch.
    pub fn each<R>(&mut self, mut work: impl FnMut(Matrix<T>) -> Result<R>) -> Result<Vec<R>> {
        self.each_named("", |_, matrix| work(matrix))
    }

    /// As [`each`](Batch::each), given the beginning of a message about the matrix: `linalg.inv: (Batch element 0): `.
    pub fn each_named<R>(&mut self, name: &str, mut work: impl FnMut(&str, Matrix<T>) -> Result<R>) -> Result<Vec<R>> {
        let label = |k: usize| match self.lead.is_empty() {
            true => format!("{name}: "),
            false => format!("{name}: (Batch element {k}): "),
        };
        let matrices = std::mem::take(&mut self.matrices);
        let all = || matrices.into_iter().enumerate().map(|(k, matrix)| work(&label(k), matrix)).collect();
        if self.rows * self.columns >= LARGE { team::together(all) } else { all() }
    }

    /// Changes each matrix, given its place.
    pub fn change(&mut self, mut work: impl FnMut(usize, &mut Matrix<T>) -> Result<()>) -> Result<()> {
        let is_large = self.rows * self.columns >= LARGE;
        let mut all = || self.matrices.iter_mut().enumerate().try_for_each(|(k, matrix)| work(k, matrix));
        if is_large { team::together(all) } else { all() }
    }

    /// A tensor of the same batch dimensions with another matrix in each place.
    pub fn stack<U: Field>(&self, matrices: &[Matrix<U>], shape: (usize, usize), order: Order) -> Result<Tensor> {
        let (rows, columns) = shape;
        let stacked = match order {
            Order::Columns => self.tensor(matrices.iter().map(Matrix::as_slice), &[columns as i64, rows as i64])?,
            Order::Rows => {
                let turned: Vec<Matrix<U>> = matrices.iter().map(transpose).collect();
                return self.tensor(turned.iter().map(Matrix::as_slice), &[rows as i64, columns as i64]);
            }
        };
        stacked.alias(turn(&stacked.layout()))
    }

    /// A tensor of the same batch dimensions with a vector in each place.
    pub fn vectors<U: Element>(&self, vectors: &[Vec<U>], length: usize) -> Result<Tensor> {
        self.tensor(vectors.iter().map(Vec::as_slice), &[length as i64])
    }

    /// A tensor of the same batch dimensions with one element in each place.
    pub fn elements<U: Element>(&self, values: &[U]) -> Result<Tensor> {
        self.tensor([values].into_iter(), &[])
    }

    fn tensor<'a, U: Element>(&self, parts: impl Iterator<Item = &'a [U]>, last: &[i64]) -> Result<Tensor> {
        let sizes: Dims = self.lead.iter().chain(last).copied().collect();
        on(exec::from_parts(parts, &sizes)?, self.device)
    }
}

/// The tensor on a device.
pub fn on(x: Tensor, device: DeviceId) -> Result<Tensor> {
    if x.device() == device {
        return Ok(x);
    }
    let moved = exec::empty_layout((*x.layout()).clone(), x.dtype(), device)?;
    exec::copy(&moved, &x)?;
    Ok(moved)
}

/// The last two dimensions exchanged.
pub fn turn(layout: &Layout) -> Layout {
    let mut turned = layout.clone();
    let n = turned.ndim();
    if n >= 2 {
        turned.sizes.swap(n - 2, n - 1);
        turned.strides.swap(n - 2, n - 1);
    }
    turned
}
