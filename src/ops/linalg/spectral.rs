//! Singular values and eigenvalues, with their vectors.

use super::back_spectral as back;
use super::batch::{self, Order};
use super::check::{check_matrix, check_sides, check_square};
use super::dense::eigen::Eigenproblem;
use super::dense::tridiagonal::Triangle;
use super::dense::{Field, Matrix, Real, svd, symmetric};
use super::unbounded;
use crate::dtype::DType;
use crate::ops::{Args, Form, exec, op};
use crate::settings;
use crate::tensor::{Form as TensorForm, Strided, Tensor};
use crate::value::Value;
use anyhow::Result;

use num_complex::Complex;
use std::rc::Rc;

rows![
    op(
        "linalg.svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
        "Writes a matrix as `U @ diag(S) @ Vh`: orthonormal columns, singular values from the largest down, orthonormal rows.",
        "torch.linalg.svd(torch.tensor([[0., 2.], [1., 0.]])).S  # tensor([2., 1.])",
        Form::Native(|a| {
            let (x, full, driver): (Tensor, bool, Option<String>) = a.take()?;
            check_matrix("linalg.svd", &x)?;
            refuse_driver(driver)?;
            for_field!(x.dtype(), T => Ok(singular::<T>(&x, full)?.to_vec().into()))
        }),
    )
    .grads(back::SVD)
    .complex(),
    op(
        "svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)",
        "As `linalg.svd`, with V itself instead of its adjoint, reduced unless `some` is false.",
        "torch.svd(torch.tensor([[0., 2.], [1., 0.]])).S  # tensor([2., 1.])",
        Form::Native(|a| {
            let (x, some, vectors): (Tensor, bool, bool) = a.take()?;
            if x.ndim() < 2 {
                let ndim = x.ndim();
                fault!(RuntimeError, "linalg.svd: input should have at least 2 dimensions, but has {ndim} dimensions instead");
            }
            check_matrix("linalg.svd", &x)?;
            for_field!(x.dtype(), T => old_svd::<T>(&x, some, vectors))
        }),
    )
    .grads(back::OLD_SVD)
    .complex()
    .ends_in_view(),
    op(
        "linalg.svdvals(Tensor A, *, str? driver=None) -> Tensor",
        "The singular values, from the largest down.",
        "torch.linalg.svdvals(torch.tensor([[0., 2.], [1., 0.]]))  # tensor([2., 1.])",
        Form::Native(|a| {
            let (x, driver): (Tensor, Option<String>) = a.take()?;
            check_matrix("linalg.svd", &x)?;
            refuse_driver(driver.filter(|_| x.numel() > 0))?;
            Ok(singular_values(&x)?.into())
        }),
    )
    .grads(back::SVDVALS)
    .complex(),
    op(
        "linalg.eigh(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)",
        "Real eigenvalues, ascending, and orthonormal eigenvectors (as columns) of a Hermitian matrix, of which only the lower or \
         the upper triangle is read.",
        "torch.linalg.eigh(torch.tensor([[2., 1.], [1., 2.]])).eigenvalues  # tensor([1., 3.])",
        Form::Native(|a| {
            let (x, triangle) = hermitian(a, "linalg.eigh")?;
            Ok(symmetric_eigen("linalg.eigh", &x, triangle)?.to_vec().into())
        }),
    )
    .grads(back::EIGH)
    .complex(),
    op(
        "linalg.eigvalsh(Tensor self, str UPLO=\"L\") -> Tensor",
        "The real eigenvalues of a Hermitian matrix, ascending.",
        "torch.linalg.eigvalsh(torch.tensor([[2., 1.], [1., 2.]]))  # tensor([1., 3.])",
        Form::Native(|a| {
            let (x, triangle) = hermitian(a, "linalg.eigvalsh")?;
            Ok(symmetric_values("linalg.eigh", &x, triangle)?.into())
        }),
    )
    .grads(back::EIGVALSH)
    .complex(),
    op(
        "linalg.eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)",
        "Eigenvalues and unit eigenvectors (as columns) of a square matrix; complex whatever the matrix is.",
        "torch.linalg.eig(torch.tensor([[0., 1.], [-1., 0.]])).eigenvalues  # tensor([0.+1.j, 0.-1.j])",
        Form::Native(|a| Ok(general("linalg.eig", &a.get(0)?, true)?.into())),
    )
    .grads(back::EIG)
    .complex(),
    op(
        "linalg.eigvals(Tensor self) -> Tensor",
        "The eigenvalues of a square matrix; complex whatever the matrix is.",
        "torch.linalg.eigvals(torch.tensor([[0., 1.], [-1., 0.]]))  # tensor([0.+1.j, 0.-1.j])",
        Form::Native(|a| {
            let x: Tensor = a.get(0)?;
            // Values that ask for a gradient are made together with their vectors.
            let asks = x.requires_grad() && settings::with(|s| s.grad_enabled);
            let found = general(if asks { "linalg.eig" } else { "linalg.eigvals" }, &x, false)?;
            Ok(found.into_iter().next().map_or(Value::None, Value::Tensor))
        }),
    )
    .grads(back::EIGVALS)
    .complex(),
];

fn refuse_driver(driver: Option<String>) -> Result<()> {
    match driver {
        None => Ok(()),
        Some(_) => fault!(
            RuntimeError,
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        ),
    }
}

/// True of a matrix with infinities, which come out of the iteration as nan. Fails with a `LinAlgError` on nans.
fn is_infinite<T: Field>(label: &str, a: &Matrix<T>) -> Result<bool> {
    if a.iter().any(is_nan) {
        fault!(LinAlgError, "{label}The algorithm failed to converge because the input matrix contained non-finite values.");
    }
    Ok(a.iter().any(|x| !x.is_finite()))
}

fn is_nan<T: Field>(x: &T) -> bool {
    x.real().wide().is_nan() || x.imaginary().wide().is_nan()
}

fn not_converged<T>(label: &str, what: &str) -> Result<T> {
    fault!(
        LinAlgError,
        "{label}The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated {what}."
    )
}

/// U, S and Vh.
pub(super) fn singular<T: Field>(x: &Tensor, full: bool) -> Result<[Tensor; 3]> {
    let mut batch = batch::read::<T>(x)?;
    let (m, n) = (batch.rows, batch.columns);
    let k = m.min(n);
    let parts = batch.each_named("linalg.svd", |label, a| {
        if is_infinite(label, &a)? {
            let nan = T::from_real(T::R::of(f64::NAN));
            let (left, right) = if full { (m, n) } else { (k, k) };
            return Ok((Matrix::from_element(m, left, nan), (vec![nan.real(); k], Matrix::from_element(right, n, nan))));
        }
        match svd::svd(&a, full)? {
            Some(found) => Ok((found.u, (found.s, found.vh))),
            None => not_converged(label, "singular values"),
        }
    })?;
    let (us, rest): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let (values, vhs): (Vec<_>, Vec<_>) = rest.into_iter().unzip();
    let (left, right) = if full { (m, n) } else { (k, k) };
    Ok([batch.stack(&us, (m, left), Order::Columns)?, batch.vectors(&values, k)?, batch.stack(&vhs, (right, n), Order::Columns)?])
}

/// The singular values of each matrix.
pub(super) fn singular_values(x: &Tensor) -> Result<Tensor> {
    fn of<T: Field>(x: &Tensor) -> Result<Tensor> {
        let mut batch = batch::read::<T>(x)?;
        let values = batch.each_named("linalg.svd", |label, a| {
            if is_infinite(label, &a)? {
                return Ok(vec![T::R::of(f64::NAN); a.nrows().min(a.ncols())]);
            }
            match svd::values(&a)? {
                Some(values) => Ok(values),
                None => not_converged(label, "singular values"),
            }
        })?;
        batch.vectors(&values, batch.rows.min(batch.columns))
    }
    for_field!(x.dtype(), T => of::<T>(x))
}

fn old_svd<T: Field>(x: &Tensor, some: bool, vectors: bool) -> Result<Value> {
    if vectors {
        let [u, s, vh] = singular::<T>(x, !some)?;
        return Ok(vec![u, s, adjoint(&vh)?].into());
    }
    let batch = batch::read::<T>(x)?;
    let zeros = |n: usize| batch.stack(&vec![Matrix::<T>::zeros(n, n); batch.matrices.len()], (n, n), Order::Rows);
    Ok(vec![zeros(batch.rows)?, singular_values(x)?, adjoint(&zeros(batch.columns)?)?].into())
}

/// The conjugate transpose, as a view.
pub(super) fn adjoint(x: &Tensor) -> Result<Tensor> {
    let form = x.strided()?;
    let layout = Rc::new(batch::turn(&form.layout));
    let conj = form.conj != x.dtype().is_complex();
    Ok(Tensor::from_form(x.dtype(), TensorForm::Strided(Strided { layout, conj, ..form })))
}

/// The matrix and the triangle to read. Fails with a `RuntimeError` unless that is `L` or `U`.
fn hermitian(args: &Args, name: &str) -> Result<(Tensor, Triangle)> {
    let (x, triangle): (Tensor, String) = args.take()?;
    check_sides(name, &x)?;
    let triangle = match triangle.to_uppercase().as_str() {
        "L" => Triangle::Lower,
        "U" => Triangle::Upper,
        _ => fault!(RuntimeError, "Expected UPLO argument to be 'L' or 'U', but got {triangle}"),
    };
    check_square(name, &x)?;
    Ok((x, triangle))
}

/// Eigenvalues and eigenvectors of Hermitian matrices.
pub(super) fn symmetric_eigen(name: &str, x: &Tensor, triangle: Triangle) -> Result<[Tensor; 2]> {
    fn of<T: Field>(name: &str, x: &Tensor, triangle: Triangle) -> Result<[Tensor; 2]> {
        let mut batch = batch::read::<T>(x)?;
        let n = batch.rows;
        let parts = batch.each_named(name, |label, a| {
            if let Some(found) = unbounded::found(label, &a, triangle, true)? {
                return Ok(found);
            }
            match symmetric::eigen(&a, triangle)? {
                Some(found) => Ok((found.values, found.vectors)),
                None => not_converged(label, "eigenvalues"),
            }
        })?;
        let (values, vectors): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok([batch.vectors(&values, n)?, batch.stack(&vectors, (n, n), Order::Columns)?])
    }
    for_field!(x.dtype(), T => of::<T>(name, x, triangle))
}

/// Eigenvalues of Hermitian matrices.
pub(super) fn symmetric_values(name: &str, x: &Tensor, triangle: Triangle) -> Result<Tensor> {
    fn of<T: Field>(name: &str, x: &Tensor, triangle: Triangle) -> Result<Tensor> {
        let mut batch = batch::read::<T>(x)?;
        let n = batch.rows;
        let values = batch.each_named(name, |label, a| {
            if let Some((values, _)) = unbounded::found(label, &a, triangle, false)? {
                return Ok(values);
            }
            match symmetric::values(&a, triangle)? {
                Some(values) => Ok(values),
                None => not_converged(label, "eigenvalues"),
            }
        })?;
        batch.vectors(&values, n)
    }
    for_field!(x.dtype(), T => of::<T>(name, x, triangle))
}

/// Eigenvalues and, when asked for, eigenvectors of general matrices.
pub(super) fn general(name: &str, x: &Tensor, vectors: bool) -> Result<Vec<Tensor>> {
    if x.numel() == 0 && x.dtype().is_integral(true) {
        fault!(RuntimeError, "Unknown Complex ScalarType for {}", x.dtype().title());
    }
    fn of<T: Eigenproblem>(name: &str, x: &Tensor, vectors: bool) -> Result<Vec<Tensor>>
    where
        Complex<T::R>: Field<R = T::R>,
    {
        let mut batch = batch::read::<T>(x)?;
        let n = batch.rows;
        let parts = batch.each_named(name, |label, a| {
            if a.iter().any(|x| !x.is_finite()) {
                // Values alone are not a number then.
                let lost = Complex::new(T::R::of(f64::NAN), T::R::of(f64::NAN));
                if !vectors {
                    return Ok((vec![lost; n], Matrix::default()));
                }
                fault!(RuntimeError, "torch.{name}: input tensor should not contain infs or NaNs.");
            }
            match T::eigen(a.clone(), vectors)? {
                Some(found) => Ok((found.values, found.vectors)),
                None => not_converged(label, "eigenvalues"),
            }
        })?;
        let (values, found): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let mut out = vec![batch.vectors(&values, n)?];
        if vectors {
            out.push(batch.stack(&found, (n, n), Order::Columns)?);
        }
        Ok(out)
    }
    let checked = check_square(name, x);
    // Numbers are looked at before sizes; of what fits, with the rest.
    let is_field = matches!(x.dtype(), DType::F32 | DType::F64 | DType::C64 | DType::C128);
    if vectors && (checked.is_err() || !is_field) && !x.dtype().is_integral(true) && !x.is_sparse() {
        let numbers = exec::read_vec::<Complex<f64>>(&exec::cast(x, DType::C128)?)?;
        if numbers.iter().any(|x| !(x.re.is_finite() && x.im.is_finite())) {
            fault!(RuntimeError, "torch.{name}: input tensor should not contain infs or NaNs.");
        }
    }
    checked?;
    for_field!(x.dtype(), T => of::<T>(name, x, vectors))
}
