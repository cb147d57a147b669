//! From tensors to matrices and back: checks of the input, batches, and how the entries of results lie in memory.

use super::dense::{Field, Matrix};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::kernel::element::Element;
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

/// In which order the entries of a resulting matrix lie: LAPACK writes columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Row after row.
    Rows,
    /// Column after column.
    Columns,
}

/// Fails with a `RuntimeError` unless the tensor has two dimensions, and with a `NotImplementedError` unless it is of float32,
/// float64 or a complex dtype over them.
pub fn check_matrix(name: &str, x: &Tensor) -> Result<()> {
    check_dims(name, x)?;
    check_field(name, x)
}

fn check_dims(name: &str, x: &Tensor) -> Result<()> {
    if x.ndim() < 2 {
        fault!(RuntimeError, "{name}: The input tensor A must have at least 2 dimensions.");
    }
    Ok(())
}

/// Fails with a `NotImplementedError` unless the dtype is float32, float64 or a complex dtype over them.
pub fn check_field(name: &str, x: &Tensor) -> Result<()> {
    match x.dtype() {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(()),
        d if d.is_integral(true) => {
            fault!(NotImplementedError, "{name}: Expected a floating point or complex tensor as input. Got {}", d.title())
        }
        d => fault!(NotImplementedError, "{name}: Low precision dtypes not supported. Got {}", d.title()),
    }
}

/// As [`check_matrix`], and before it looks at the dtype fails with a `RuntimeError` unless rows and columns are as many.
pub fn check_square(name: &str, x: &Tensor) -> Result<()> {
    check_dims(name, x)?;
    let [m, n] = last_two(x);
    if m != n {
        fault!(RuntimeError, "{name}: A must be batches of square matrices, but they are {m} by {n} matrices");
    }
    check_field(name, x)
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
    /// Does something for each matrix.
    pub fn each<R>(&self, mut work: impl FnMut(&Matrix<T>) -> Result<R>) -> Result<Vec<R>> {
        self.each_named("", |_, matrix| work(matrix))
    }

    /// Does something for each matrix, given the beginning of a message about it: `linalg.inv: (Batch element 0): `.
    pub fn each_named<R>(&self, name: &str, mut work: impl FnMut(&str, &Matrix<T>) -> Result<R>) -> Result<Vec<R>> {
        let label = |k: usize| match self.lead.is_empty() {
            true => format!("{name}: "),
            false => format!("{name}: (Batch element {k}): "),
        };
        self.matrices.iter().enumerate().map(|(k, matrix)| work(&label(k), matrix)).collect()
    }

    /// A tensor of the same batch dimensions with another matrix in each place.
    pub fn stack<U: Field>(&self, matrices: &[Matrix<U>], shape: (usize, usize), order: Order) -> Result<Tensor> {
        let (rows, columns) = shape;
        let mut values: Vec<U> = Vec::with_capacity(matrices.len() * rows * columns);
        for matrix in matrices {
            match order {
                Order::Columns => values.extend_from_slice(matrix.as_slice()),
                Order::Rows => values.extend_from_slice(matrix.transpose().as_slice()),
            }
        }
        let turned = order == Order::Columns;
        let last = if turned { [columns as i64, rows as i64] } else { [rows as i64, columns as i64] };
        let stacked = self.tensor(&values, &last)?;
        if turned { stacked.alias(turn(&stacked.layout())) } else { Ok(stacked) }
    }

    /// A tensor of the same batch dimensions with a vector in each place.
    pub fn vectors<U: Element>(&self, vectors: &[Vec<U>], length: usize) -> Result<Tensor> {
        let values: Vec<U> = vectors.iter().flatten().copied().collect();
        self.tensor(&values, &[length as i64])
    }

    /// A tensor of the same batch dimensions with one element in each place.
    pub fn elements<U: Element>(&self, values: &[U]) -> Result<Tensor> {
        self.tensor(values, &[])
    }

    fn tensor<U: Element>(&self, values: &[U], last: &[i64]) -> Result<Tensor> {
        let sizes: Dims = self.lead.iter().chain(last).copied().collect();
        on(exec::from_vec(values, &sizes)?, self.device)
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
