//! Decompositions into reflections: QR, in full and in LAPACK's compact form.

use super::batch::{self, Batch, Order};
use super::check::check_matrix;
use super::dense::{Field, Matrix, qr};
use crate::dtype::DType;
use crate::ops::{Form, exec, op};
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
    ),
    op(
        "geqrf(Tensor self) -> (Tensor a, Tensor tau)",
        "The QR decomposition in LAPACK's compact form: R above the diagonal, the reflections below it and in `tau`.",
        "torch.geqrf(torch.tensor([[3., 1.], [4., 2.]])).tau  # tensor([1.6000, 0.0000])",
        Form::Native(|a| {
            let x: Tensor = a.get(0)?;
            check_matrix("torch.geqrf", &x)?;
            for_field!(x.dtype(), T => compact::<T>(&x))
        }),
    ),
    op(
        "linalg.householder_product(Tensor input, Tensor tau) -> Tensor",
        "The first columns of the product of reflections that `geqrf` gives.",
        "torch.linalg.householder_product(*torch.geqrf(torch.tensor([[3.], [4.]])))  # tensor([[-0.6000],\n#         [-0.8000]])",
        Form::Native(|a| {
            let (x, tau): (Tensor, Tensor) = a.take()?;
            check_matrix("torch.linalg.householder_product", &x)?;
            for_field!(x.dtype(), T => product_of_reflections::<T>(&x, &tau))
        }),
    )
    .alias(&["orgqr"]),
    op(
        "orgqr(Tensor self, Tensor input2) -> Tensor",
        "The first columns of the product of Householder reflections: Q from what `geqrf` gives.",
        "",
        Form::Native(|a| {
            let (x, tau): (Tensor, Tensor) = a.take()?;
            check_matrix("torch.linalg.householder_product", &x)?;
            for_field!(x.dtype(), T => product_of_reflections::<T>(&x, &tau))
        }),
    )
    .method_only(),
    op(
        "ormqr(Tensor self, Tensor tau, Tensor other, bool left=True, bool transpose=False) -> Tensor",
        "Multiplies a matrix by the product of reflections that `geqrf` gives.",
        "torch.ormqr(*torch.geqrf(torch.tensor([[3.], [4.]])), torch.tensor([[1.], [0.]]))  # tensor([[-0.6000],\n#         [-0.8000]])",
        Form::Native(|a| {
            let (x, tau, other, left, transpose): (Tensor, Tensor, Tensor, bool, bool) = a.take()?;
            check_matrix("torch.ormqr", &x)?;
            for_field!(x.dtype(), T => times_reflections::<T>(&x, &tau, &other, left, transpose))
        }),
    ),
];

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
    let factored = batch.each(|a| qr::factor(a))?;
    let rs: Vec<Matrix<T>> = factored.iter().map(|f| f.r(columns)).collect();
    let r = batch.stack(&rs, (columns, batch.columns), Order::Columns)?;
    let q = if wanted {
        let qs: Vec<Matrix<T>> = factored.iter().map(|f| f.q(columns)).collect::<Result<_>>()?;
        batch.stack(&qs, (m, columns), Order::Columns)?
    } else {
        exec::empty(&[0], x.dtype(), x.device())?
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

/// The reflections of each matrix of a batch. Fails with a `RuntimeError` when the factors do not fit.
fn reflections<T: Field>(name: &str, batch: &Batch<T>, dtype: DType, tau: &Tensor) -> Result<Vec<qr::Qr<T>>> {
    if tau.ndim() == 0 {
        fault!(IndexError, "Dimension specified as -1 but tensor has no dimensions");
    }
    if tau.dtype() != dtype {
        fault!(RuntimeError, "{name}: tau dtype {} does not match input dtype {}", tau.dtype().title(), dtype.title());
    }
    let factors = batch::read_columns::<T>(tau)?;
    if factors.rows > batch.columns {
        fault!(RuntimeError, "{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]");
    }
    if factors.lead != batch.lead {
        fault!(RuntimeError, "{name}: Expected batch dimensions of tau to be equal to input.shape[:-2]");
    }
    Ok(batch.matrices.iter().zip(&factors.matrices).map(|(a, tau)| qr::Qr::from_compact(a, tau.as_slice())).collect())
}

fn product_of_reflections<T: Field>(x: &Tensor, tau: &Tensor) -> Result<Value> {
    let batch = batch::read::<T>(x)?;
    if batch.rows < batch.columns {
        fault!(
            RuntimeError,
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"
        );
    }
    let factored = reflections("torch.linalg.householder_product", &batch, x.dtype(), tau)?;
    let qs: Vec<Matrix<T>> = factored.iter().map(|f| f.q(batch.columns)).collect::<Result<_>>()?;
    Ok(batch.stack(&qs, (batch.rows, batch.columns), Order::Columns)?.into())
}

fn times_reflections<T: Field>(x: &Tensor, tau: &Tensor, other: &Tensor, left: bool, transpose: bool) -> Result<Value> {
    let (batch, others) = (batch::read::<T>(x)?, batch::read::<T>(other)?);
    let factored = reflections("torch.ormqr", &batch, x.dtype(), tau)?;
    let side = if left { others.rows } else { others.columns };
    if side != batch.rows || others.lead != batch.lead {
        fault!(RuntimeError, "torch.ormqr: other.shape[{}] must be equal to input.shape[-2]", if left { -2 } else { -1 });
    }
    let products: Vec<Matrix<T>> = factored
        .iter()
        .zip(&others.matrices)
        .map(|(q, c)| {
            // C Q is the adjoint of Qᴴ Cᴴ.
            let mut product = if left { c.clone() } else { c.adjoint() };
            if left == transpose {
                q.apply_q_adjoint(&mut product)?;
            } else {
                q.apply_q(&mut product)?;
            }
            Ok(if left { product } else { product.adjoint() })
        })
        .collect::<Result<_>>()?;
    Ok(others.stack(&products, (others.rows, others.columns), Order::Columns)?.into())
}
