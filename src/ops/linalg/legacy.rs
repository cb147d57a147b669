//! A name that PyTorch has given up and that old lessons use. It works as it did, and says once what it is called today. Names that
//! PyTorch keeps for a sentence alone are in [`super::removed`].

use super::batch::{self, Order, last_two};
use super::check::check_matrix;
use super::dense::{Field, Matrix, qr};
use crate::diag::ErrorClass;
use crate::ops::{Form, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

rows![op(
    "gels(Tensor self, Tensor A) -> (Tensor solution, Tensor QR)",
    "The X for which `A @ X` is nearest to B, with B first, and the QR decomposition of A in compact form. Below the solution \
     stand rows whose squares add up to the residuals. `torch.linalg.lstsq(A, B)` is its name today.",
    "torch.gels(torch.tensor([[1.], [3.]]), torch.ones(2, 1)).solution[:1].shape  # torch.Size([1, 1])",
    Form::Hosted(|machine, a| {
        machine.warn(ErrorClass::UserWarning, "torch.gels(B, A) is torch.linalg.lstsq(A, B) today")?;
        let (b, x): (Tensor, Tensor) = a.take()?;
        least_squares(&b, &x)
    }),
)];

/// The solution over the rest of `Qᴴ b`, and the compact QR. A 1-d B counts as one column.
fn least_squares(b: &Tensor, a: &Tensor) -> Result<Value> {
    fn of<T: Field>(b: &Tensor, a: &Tensor) -> Result<Value> {
        let (batch, right) = (batch::read::<T>(a)?, batch::read::<T>(b)?);
        let (m, n) = (batch.rows, batch.columns);
        let (Some(a), Some(b)) = (batch.matrices.first(), right.matrices.first()) else { return Ok(Value::None) };
        let solution: Matrix<T> = super::least_squares::full_rank_padded(a, b.clone())?;
        let (packed, _) = qr::factor(a.clone())?.compact();
        let solution = batch.stack(&[solution], (m.max(n), right.columns), Order::Columns)?;
        Ok(vec![solution, batch.stack(&[packed], (m, n), Order::Columns)?].into())
    }
    check_matrix("lstsq", a)?;
    let b = if b.ndim() == 1 { b.alias(b.layout().unsqueeze(-1)?)? } else { b.clone() };
    if a.ndim() != 2 || b.ndim() != 2 || a.dtype() != b.dtype() || last_two(a)[0] != last_two(&b)[0] {
        fault!(
            RuntimeError,
            "Expected A and b to have same size at dim 0 and one dtype, but A has {:?} ({}) and b {:?} ({})",
            a.sizes().as_slice(),
            a.dtype().name(),
            b.sizes().as_slice(),
            b.dtype().name()
        );
    }
    for_field!(a.dtype(), T => of::<T>(&b, a))
}
