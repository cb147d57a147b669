//! The mean and spread of each row, or column, added up as PyTorch's norms do.

use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::kernel::norms;
use crate::kernel::rowwise::{self, Spread};
use crate::ops::Form::Native;
use crate::ops::{Args, exec, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

rows![
    op(
        "nn.functional._rowwise(Tensor rows) -> (Tensor mean, Tensor var)",
        "The mean and the variance of each row of a matrix.",
        "torch.nn.functional._rowwise(torch.tensor([[1., 3.]])).var  # tensor([1.])",
        Native(rowwise),
    )
    .function_only()
    .no_out()
    .grads(&[(
        "rows",
        "n = rows.shape[-1]\n(grads[0].unsqueeze(-1) + 2 * grads[1].unsqueeze(-1) * (rows - rows.mean(-1, True))) / n"
    )]),
    op(
        "nn.functional._columnwise(Tensor rows) -> (Tensor mean, Tensor total)",
        "The mean of each column of a matrix, and the sum of the squares of the distances from it.",
        "torch.nn.functional._columnwise(torch.tensor([[1.], [3.]])).total  # tensor([2.])",
        Native(columnwise),
    )
    .function_only()
    .no_out()
    .grads(&[("rows", "grads[0] / rows.shape[0] + 2 * grads[1] * (rows - rows.mean(0, True))")]),
];

/// The rows and the columns of a matrix.
fn matrix(rows: &Tensor) -> Result<[i64; 2]> {
    match rows.sizes().as_slice() {
        [count, length] => Ok([*count, *length]),
        sizes => fault!(RuntimeError, "expected a matrix, but got {} dimensions", sizes.len()),
    }
}

fn columnwise(args: &Args) -> Result<Value> {
    let (rows,): (Tensor,) = args.take()?;
    Ok(match rows.dtype() {
        DType::F64 => of_columns::<f64>(&rows)?,
        _ => of_columns::<f32>(&rows)?,
    }
    .into())
}

fn of_columns<T: Element + Spread>(rows: &Tensor) -> Result<Vec<Tensor>> {
    let [_, count] = matrix(rows)?;
    let (means, totals) = exec::read::<T, _>(rows, |from| norms::channels(from, count as usize, 1))?;
    Ok(vec![exec::from_vec(&means, &[count])?, exec::from_vec(&totals, &[count])?])
}

fn rowwise(args: &Args) -> Result<Value> {
    let (rows,): (Tensor,) = args.take()?;
    Ok(match rows.dtype() {
        DType::F64 => of::<f64>(&rows)?,
        _ => of::<f32>(&rows)?,
    }
    .into())
}

fn of<T: Element + Spread>(rows: &Tensor) -> Result<Vec<Tensor>> {
    let [count, length] = matrix(rows)?;
    let length = length as usize;
    if length == 0 {
        let nan = exec::from_vec(&vec![T::nan(); count as usize], &[count])?;
        return Ok(vec![exec::zeros(&[count], rows.dtype(), rows.device())?, nan]);
    }
    let (means, variances) = exec::read::<T, _>(rows, |rows| rowwise::rowwise(rows, length))?;
    Ok(vec![exec::from_vec(&means, &[count])?, exec::from_vec(&variances, &[count])?])
}
