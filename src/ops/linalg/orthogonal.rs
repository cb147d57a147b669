//! Decompositions into reflections: QR, in full and in LAPACK's compact form.

use super::back_spectral as back;
use super::batch::{self, Batch, Order};
use super::check::{check_dims, check_field, check_matrix};
use super::dense::{Field, Matrix, adjoint, few, qr};
use crate::layout::wrap_dim;
use crate::ops::autograd::texts;
use crate::ops::{Args, Form, exec, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

rows![
    op(
        "linalg.qr(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)",
        "Writes a matrix as a product of one with orthonormal columns and an upper triangular one. The mode says whether Q is \
         `reduced` to the columns that count, `complete`, or left out (`r`).",
        "Q, R = torch.linalg.qr(torch.tensor([[3., 1.], [4., 2.]]))\nR  # tensor([[-5.0000, -2.2000],\n#         [ 0.0000,  0.4000]])",
        Form::Native(|a| {
            let (x, mode): (Tensor, String) = a.take()?;
            check_matrix("linalg.qr", &x)?;
            for_field!(x.dtype(), T => orthogonal::<T>(&x, &mode))
        }),
    )
    .grads(back::QR)
    .complex(),
    op(
        "geqrf(Tensor self) -> (Tensor a, Tensor tau)",
        "The QR decomposition in LAPACK's compact form: R above the diagonal, the reflections below it and in `tau`.",
        "torch.geqrf(torch.tensor([[3., 1.], [4., 2.]])).tau  # tensor([1.6000, 0.0000])",
        Form::Native(|a| {
            let x: Tensor = a.get(0)?;
            check_matrix("torch.geqrf", &x)?;
            for_field!(x.dtype(), T => compact::<T>(&x))
        }),
    )
    .grads(&[("self", texts::unknown!("geqrf"))]),
    op(
        "linalg.householder_product(Tensor input, Tensor tau) -> Tensor",
        "The first columns of the product of reflections that `geqrf` gives.",
        "torch.linalg.householder_product(*torch.geqrf(torch.tensor([[3.], [4.]])))  # tensor([[-0.6000],\n#         [-0.8000]])",
        Form::Native(householder_product),
    )
    .grads(back::REFLECTIONS)
    .complex(),
    op(
        "orgqr(Tensor self, Tensor input2) -> Tensor",
        "The first columns of the product of Householder reflections: Q from what `geqrf` gives.",
        "torch.orgqr(*torch.geqrf(torch.tensor([[3.], [4.]])))  # tensor([[-0.6000],\n#         [-0.8000]])",
        Form::Code("torch.linalg.householder_product(self, input2)"),
    )
    .stepwise(),
    op(
        "ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor",
        "Multiplies a matrix by the product of reflections that `geqrf` gives.",
        "torch.ormqr(*torch.geqrf(torch.tensor([[3.], [4.]])), torch.tensor([[1.], [0.]]))  # tensor([[-0.6000],\n#         [-0.8000]])",
        Form::Native(|a| {
            let (x, tau, other, left, transpose): (Tensor, Tensor, Tensor, bool, bool) = a.take()?;
            check_product(&x, &tau, &other, left)?;
            for_field!(x.dtype(), T => times_reflections::<T>(&x, &tau, &other, left, transpose))
        }),
    )
    .grads(back::REFLECTED)
    .complex(),
];

fn householder_product(args: &Args) -> Result<Value> {
    let (x, tau): (Tensor, Tensor) = args.take()?;
    check_reflections(&x, &tau)?;
    for_field!(x.dtype(), T => product_of_reflections::<T>(&x, &tau))
}

fn orthogonal<T: Field>(x: &Tensor, mode: &str) -> Result<Value> {
    let mut batch = batch::read::<T>(x)?;
    let (m, k) = (batch.rows, batch.rows.min(batch.columns));
    let (columns, wanted) = match mode {
        "reduced" => (k, true),
        "complete" => (m, true),
        "r" => (k, false),
        _ => fault!(
            RuntimeError,
            "qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        ),
    };
    let factors = batch.each(|a| {
        let factored = qr::factor(a)?;
        let q = if wanted { factored.q(columns)? } else { Matrix::zeros(0, 0) };
        Ok((q, factored.r(columns)))
    })?;
    let (qs, rs): (Vec<_>, Vec<_>) = factors.into_iter().unzip();
    let r = batch.stack(&rs, (columns, batch.columns), Order::Columns)?;
    let q = match wanted {
        true => batch.stack(&qs, (m, columns), Order::Columns)?,
        false => exec::empty(&[0], x.dtype(), x.device())?,
    };
    Ok(vec![q, r].into())
}

fn compact<T: Field>(x: &Tensor) -> Result<Value> {
    let mut batch = batch::read::<T>(x)?;
    let packed = batch.each(|a| Ok(qr::factor(a)?.compact()))?;
    let (matrices, taus): (Vec<_>, Vec<_>) = packed.into_iter().unzip();
    let a = batch.stack(&matrices, (batch.rows, batch.columns), Order::Columns)?;
    let tau = batch.vectors(&taus, batch.rows.min(batch.columns))?;
    Ok(vec![a, tau].into())
}

/// The last size of the factors. Fails with an `IndexError` when they are a number.
fn last_size(tau: &Tensor) -> Result<i64> {
    wrap_dim(-1, tau.ndim())?;
    match tau.sizes().last() {
        Some(size) => Ok(*size),
        None => fault!(IndexError, "Dimension specified as -1 but tensor has no dimensions"),
    }
}

/// Fails with a `RuntimeError` where `tau` has other batches than `x`.
fn check_batches(name: &str, whose: &str, x: &Tensor, other: &Tensor, dims: usize) -> Result<()> {
    let (lead, own) = (x.sizes(), other.sizes());
    let (lead, own) = (&lead[..x.ndim() - 2], &own[..other.ndim() - dims]);
    if lead != own {
        fault!(RuntimeError, "{name}: Expected batch dimensions of {whose} to be equal to input.shape[:-2], but got {own:?}");
    }
    Ok(())
}

/// Fails where `tau` has not one dimension less than `x`.
fn check_factors(name: &str, x: &Tensor, tau: &Tensor) -> Result<()> {
    if x.ndim() != tau.ndim() + 1 {
        fault!(
            RuntimeError,
            "{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {} and input.ndim is equal to {}",
            tau.ndim(),
            x.ndim()
        );
    }
    Ok(())
}

/// Fails unless `x` and `tau` are reflections in compact form.
fn check_reflections(x: &Tensor, tau: &Tensor) -> Result<()> {
    let name = "torch.linalg.householder_product";
    check_dims(name, x)?;
    let [rows, columns] = batch::last_two(x);
    if rows < columns {
        fault!(RuntimeError, "{name}: input.shape[-2] must be greater than or equal to input.shape[-1]");
    }
    if last_size(tau)? > columns {
        fault!(RuntimeError, "{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]");
    }
    check_factors(name, x, tau)?;
    check_batches(name, "tau", x, tau, 1)?;
    if tau.dtype() != x.dtype() {
        let (own, other) = (x.dtype().title(), tau.dtype().title());
        fault!(RuntimeError, "{name}: tau dtype {other} does not match input dtype {own}");
    }
    check_field(name, x)
}

/// Fails unless `x` and `tau` are reflections that `other` can be multiplied by.
fn check_product(x: &Tensor, tau: &Tensor, other: &Tensor, left: bool) -> Result<()> {
    let name = "torch.ormqr";
    check_dims(name, x)?;
    if other.ndim() < 2 {
        fault!(RuntimeError, "{name}: other must have at least 2 dimensions.");
    }
    let ([rows, columns], sides) = (batch::last_two(x), batch::last_two(other));
    let (dim, side) = if left { (-2, sides[0]) } else { (-1, sides[1]) };
    if side != rows {
        fault!(RuntimeError, "{name}: other.shape[{dim}] must be equal to input.shape[-2]");
    }
    if last_size(tau)? != side.min(columns) {
        fault!(RuntimeError, "{name}: tau.shape[-1] must be equal to min(other.shape[{dim}], input.shape[-1])");
    }
    check_factors(name, x, tau)?;
    if x.ndim() != other.ndim() {
        fault!(
            RuntimeError,
            "{name}: Expected other to have the same number of dimensions as input, but got other.ndim equal to {} and input.ndim is \
             equal to {}",
            other.ndim(),
            x.ndim()
        );
    }
    check_batches(name, "tau", x, tau, 1)?;
    check_batches(name, "other", x, other, 2)?;
    for (whose, t) in [("tau", tau), ("other", other)] {
        if t.dtype() != x.dtype() {
            let (own, other) = (x.dtype().title(), t.dtype().title());
            fault!(
                RuntimeError,
                "{name}: Expected input and {whose} to have the same dtype, but input has dtype{own} and {whose} has dtype {other}"
            );
        }
    }
    check_field(name, x)
}

/// The reflections of each matrix of a batch, of which no more than `tau` says are read.
fn reflections<T: Field>(batch: &Batch<T>, tau: &Tensor) -> Result<Vec<qr::Qr<T>>> {
    let factors = batch::read_columns::<T>(tau)?;
    Ok(batch.matrices.iter().zip(&factors.matrices).map(|(a, tau)| qr::Qr::from_compact(a, tau.as_slice())).collect())
}

fn product_of_reflections<T: Field>(x: &Tensor, tau: &Tensor) -> Result<Value> {
    let batch = batch::read::<T>(x)?;
    let factored = reflections(&batch, tau)?;
    let qs: Vec<Matrix<T>> = factored.iter().map(|f| f.q(batch.columns)).collect::<Result<_>>()?;
    Ok(batch.stack(&qs, (batch.rows, batch.columns), Order::Columns)?.into())
}

fn times_reflections<T: Field>(x: &Tensor, tau: &Tensor, other: &Tensor, left: bool, transpose: bool) -> Result<Value> {
    let (batch, others) = (batch::read::<T>(x)?, batch::read::<T>(other)?);
    let factored = reflections(&batch, tau)?;
    let products: Vec<Matrix<T>> = factored
        .iter()
        .zip(&others.matrices)
        .map(|(q, c)| {
            if few::takes(c.nrows(), c.ncols()) && !left {
                let mut product = c.clone();
                q.apply_from_right(&mut product, transpose);
                return Ok(product);
            }
            // C Q is the adjoint of Qᴴ Cᴴ.
            let mut product = if left { c.clone() } else { adjoint(c) };
            if left == transpose {
                q.apply_q_adjoint(&mut product)?;
            } else {
                q.apply_q(&mut product)?;
            }
            Ok(if left { product } else { adjoint(&product) })
        })
        .collect::<Result<_>>()?;
    Ok(others.stack(&products, (others.rows, others.columns), Order::Columns)?.into())
}
