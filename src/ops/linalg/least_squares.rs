//! Least squares: the solution of a system with more or fewer equations than unknowns.

use super::batch::{self, Batch, Order, last_two};
use super::check::{check_dims, check_field, check_precision};
use super::dense::triangular::{self, Shape};
use super::dense::{Field, Matrix, Real, adjoint, few, few_trapezoid, pivoted, qr, svd};
use crate::layout::Dims;
use crate::ops::{Args, Form, exec, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use nalgebra::ComplexField;

rows![op(
    "linalg.lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
    "The X for which `A @ X` is nearest to B, the shortest one where there are several. The driver says how: `gels` takes A to \
         be of full rank; `gelsy` (the usual one), `gelsd` and `gelss` find the rank, from singular values above `rcond` times the \
         greatest one.",
    "torch.linalg.lstsq(torch.ones(2, 1), torch.tensor([[1.], [3.]])).solution.shape  # torch.Size([1, 1])",
    Form::Native(lstsq),
)
    .grads(super::back::LSTSQ)
    .complex(),];

/// How the problem is solved, and what is told besides the solution.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Driver {
    /// Full rank, by QR.
    Gels,
    /// With the rank.
    Gelsy,
    /// With the rank and the singular values.
    Gelsd,
    /// As `Gelsd`, but for what counts as a limit.
    Gelss,
}

fn lstsq(args: &Args) -> Result<Value> {
    let name = "torch.linalg.lstsq";
    let (a, b, rcond, driver): (Tensor, Tensor, Option<f64>, Option<String>) = args.take()?;
    check_dims(name, &a)?;
    if b.ndim() == 0 {
        fault!(RuntimeError, "{name}: other must have at least 1 dimension.");
    }
    if a.dtype() != b.dtype() {
        fault!(
            RuntimeError,
            "{name}: Expected input and other to have the same dtype, but got input's dtype {} and other's dtype {}",
            a.dtype().title(),
            b.dtype().title()
        );
    }
    if !(0..=1).contains(&(a.ndim() as i64 - b.ndim() as i64)) {
        fault!(RuntimeError, "{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
    }
    let sizes = a.sizes();
    let is_vector = b.ndim() == 1 || (b.ndim() + 1 == a.ndim() && b.sizes().as_slice() == &sizes[..sizes.len() - 1]);
    let right = if is_vector { b.alias(b.layout().unsqueeze(-1)?)? } else { b.clone() };
    let dim = if is_vector { -1 } else { -2 };
    if last_two(&a)[0] != last_two(&right)[0] {
        fault!(RuntimeError, "{name}: input.size(-2) should match other.size({dim})");
    }
    let driver = match driver.as_deref().unwrap_or("gelsy") {
        "gels" => Driver::Gels,
        "gelsy" => Driver::Gelsy,
        "gelsd" => Driver::Gelsd,
        "gelss" => Driver::Gelss,
        _ => fault!(RuntimeError, "{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"),
    };
    if rcond.is_none() {
        check_precision(&a)?;
    }
    check_field(name, &a)?;
    let right = if b.ndim() < a.ndim() && !is_vector {
        // The leading dimensions of B count as those of a batch, however many it has.
        let lead = sizes.len() - 2;
        let mut joint =
            exec::broadcast(&[&Dims::from_slice(&sizes[..lead]), &Dims::from_slice(&b.sizes()[..lead.min(b.ndim())])])?;
        joint.extend(last_two(&right));
        right.alias(right.layout().expand(&joint)?)?
    } else {
        right
    };
    let mut out = for_field!(a.dtype(), T => solve::<T>(&a, &right, rcond, driver)?);
    if let (true, Some(solution)) = (is_vector, out.first_mut()) {
        *solution = solution.alias(solution.layout().squeeze_dims(&[-1])?)?;
    }
    Ok(out.into())
}

/// What is found for one matrix.
struct Found<T: Field> {
    /// As many rows as the longer side of A; those of the solution come first.
    padded: Matrix<T>,
    residuals: Option<Vec<T::R>>,
    rank: usize,
    values: Vec<T::R>,
}

fn solve<T: Field>(a: &Tensor, b: &Tensor, rcond: Option<f64>, driver: Driver) -> Result<Vec<Tensor>> {
    let lead = |t: &Tensor| Dims::from_slice(&t.sizes()[..t.ndim() - 2]);
    let joint = exec::broadcast(&[&lead(a), &lead(b)])?;
    let expand = |t: &Tensor| {
        let sizes: Dims = joint.iter().copied().chain(last_two(t)).collect();
        t.alias(t.layout().expand(&sizes)?)
    };
    let (mut batch, mut right) = (batch::read::<T>(&expand(a)?)?, batch::read::<T>(&expand(b)?)?);
    let (m, n) = (batch.rows, batch.columns);
    let rcond = T::R::of(rcond.unwrap_or(T::R::EPSILON.wide() * m.max(n) as f64));
    refuse_nan(&batch.matrices, &right.matrices, driver, !joint.is_empty())?;
    let mut rights = std::mem::take(&mut right.matrices).into_iter();
    let found = batch.each(|a| {
        let b = rights.next().unwrap_or_default();
        if driver == Driver::Gels { full_rank(&a, b) } else { any_rank(&a, &b, rcond, driver) }
    })?;
    let mut results = results(&batch, right.columns, found, driver)?;
    // What A alone decides is told once where A was repeated for several B.
    let once = lead(a);
    for told in results.iter_mut().skip(2).filter(|t| t.sizes().starts_with(&joint)) {
        for (dim, _) in once.iter().zip(&joint).enumerate().filter(|(_, (own, joint))| own != joint) {
            *told = exec::contiguous(&told.alias(told.layout().narrow(dim as i64, 0, 1)?)?)?;
        }
    }
    Ok(results)
}

/// What the library behind PyTorch refuses: an A, and then a B, that holds what is no number. `gelsd` takes infinities in A for that.
fn refuse_nan<T: Field>(a: &[Matrix<T>], b: &[Matrix<T>], driver: Driver, is_batch: bool) -> Result<()> {
    let has = |m: &Matrix<T>, is: &dyn Fn(T::R) -> bool| m.iter().any(|x| is(x.real()) || is(x.imaginary()));
    // Where A stands among the arguments of the function of LAPACK; B comes two places later.
    let place = if driver == Driver::Gels { 5 } else { 4 };
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let wrong = if has(a, &|x| x.wide().is_nan()) {
            place
        } else if has(b, &|x| x.wide().is_nan()) {
            place + 2
        } else if driver == Driver::Gelsd && has(a, &|x| !x.is_finite()) {
            place
        } else {
            continue;
        };
        let element = if is_batch { format!("(Batch element {i}): ") } else { String::new() };
        fault!(
            RuntimeError,
            "false INTERNAL ASSERT FAILED at \"/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp\":1648, please report a \
             bug to PyTorch. torch.linalg.lstsq: {element}Argument {wrong} has illegal value. Most certainly there is a bug in the \
             implementation calling the backend library."
        );
    }
    Ok(())
}

fn results<T: Field>(batch: &Batch<T>, columns: usize, found: Vec<Found<T>>, driver: Driver) -> Result<Vec<Tensor>> {
    let (m, n) = (batch.rows, batch.columns);
    let padded: Vec<Matrix<T>> = found.iter().map(|f| f.padded.clone()).collect();
    let solution = batch.stack(&padded, (m.max(n), columns), Order::Columns)?;
    let solution = solution.alias(solution.layout().narrow(-2, 0, n as i64)?)?;
    let residuals: Option<Vec<Vec<T::R>>> = found.iter().map(|f| f.residuals.clone()).collect();
    let residuals = match residuals {
        Some(rows) if m > n => batch.vectors(&rows, columns)?,
        _ => exec::from_vec::<T::R>(&[], &[0])?,
    };
    let ranks: Vec<i64> = found.iter().map(|f| f.rank as i64).collect();
    let rank = if driver == Driver::Gels { exec::from_vec::<i64>(&[], &[0])? } else { batch.elements(&ranks)? };
    let values: Vec<Vec<T::R>> = found.into_iter().map(|f| f.values).collect();
    let values = if matches!(driver, Driver::Gelsd | Driver::Gelss) {
        batch.vectors(&values, m.min(n))?
    } else {
        exec::from_vec::<T::R>(&[], &[0])?
    };
    Ok(vec![solution, residuals, rank, values])
}

/// The solution of a problem of full rank, over what is left of the right side: as many rows as the longer side of A.
pub(super) fn full_rank_padded<T: Field>(a: &Matrix<T>, b: Matrix<T>) -> Result<Matrix<T>> {
    Ok(full_rank(a, b)?.padded)
}

/// By QR of A, or of its adjoint when there are fewer equations than unknowns.
fn full_rank<T: Field>(a: &Matrix<T>, b: Matrix<T>) -> Result<Found<T>> {
    let (m, n) = a.shape();
    if a.iter().all(|x| *x == T::zero()) {
        let residuals = Some(vec![T::R::of(0.0); b.ncols()]);
        return Ok(Found { padded: Matrix::zeros(m.max(n), b.ncols()), residuals, rank: 0, values: vec![] });
    }
    let factored = qr::factor(if m >= n { a.clone() } else { adjoint(a) })?;
    let r = factored.r(m.min(n));
    if let Some(at) = (0..m.min(n)).find(|k| r[(*k, *k)] == T::zero()) {
        fault!(
            LinAlgError,
            "torch.linalg.lstsq: The least squares solution could not be computed because the input matrix does not have full rank \
             (error code: {}).",
            at + 1
        );
    }
    from_factors(&factored, (m, n), b)
}

fn from_factors<T: Field>(factored: &qr::Qr<T>, (m, n): (usize, usize), mut b: Matrix<T>) -> Result<Found<T>> {
    if m >= n {
        factored.apply_q_adjoint(&mut b)?;
        let mut top = b.rows(0, n).into_owned();
        triangular::solve(&factored.r(n), &mut top, Shape { upper: true, unit: false })?;
        let residuals = b.column_iter().map(|c| squares(c.rows(n, m - n).iter())).collect();
        b.rows_mut(0, n).copy_from(&top);
        return Ok(Found { padded: b, residuals: Some(residuals), rank: n, values: vec![] });
    }
    triangular::solve(&adjoint(&factored.r(m)), &mut b, Shape { upper: false, unit: false })?;
    let mut padded = Matrix::zeros(n, b.ncols());
    padded.rows_mut(0, m).copy_from(&b);
    factored.apply_q(&mut padded)?;
    Ok(Found { padded, residuals: None, rank: m, values: vec![] })
}

/// The solution by QR, when the rank is beyond doubt: R's condition, by norms that are never too small, is far from the limit.
fn surely_full_rank<T: Field>(a: &Matrix<T>, b: &Matrix<T>, rcond: T::R) -> Result<Option<Found<T>>> {
    let (m, n) = a.shape();
    let k = m.min(n);
    if k == 0 {
        return Ok(None);
    }
    let factored = qr::factor(if m >= n { a.clone() } else { adjoint(a) })?;
    let r = factored.r(k);
    let mut inverse = Matrix::identity(k, k);
    triangular::solve(&r, &mut inverse, Shape { upper: true, unit: false })?;
    let size = |m: &Matrix<T>| squares(m.iter()).sqrt();
    let doubt = size(&r) * size(&inverse) * rcond;
    // Neither small nor large: nan.
    if doubt.partial_cmp(&T::R::of(0.01)) != Some(std::cmp::Ordering::Less) {
        return Ok(None);
    }
    let found = from_factors(&factored, (m, n), b.clone())?;
    Ok(Some(Found { residuals: None, ..found }))
}

/// The shortest solution, from the singular values that count.
fn any_rank<T: Field>(a: &Matrix<T>, b: &Matrix<T>, rcond: T::R, driver: Driver) -> Result<Found<T>> {
    let (m, n) = a.shape();
    if driver == Driver::Gelsy {
        let (m, n) = a.shape();
        let sure = if few::takes(m, n) { None } else { surely_full_rank(a, b, rcond)? };
        return sure.map_or_else(|| of_rank(a, b, rcond), Ok);
    }
    let Some(found) = svd::svd(a, false)? else {
        fault!(LinAlgError, "torch.linalg.lstsq: The algorithm failed to converge");
    };
    let greatest = found.s.first().copied().unwrap_or(T::R::of(0.0));
    // A limit that makes no sense is the precision, of which `gelss` says that of negative ones alone.
    let usual = match driver {
        Driver::Gelsd => rcond <= T::R::of(0.0) || rcond >= T::R::of(1.0),
        _ => rcond < T::R::of(0.0),
    };
    let rcond = if usual { T::R::EPSILON * T::R::of(0.5) } else { rcond };
    let rank = found.s.iter().filter(|s| **s > rcond * greatest).count();
    if rank == 0 {
        let padded = Matrix::zeros(m.max(n), b.ncols());
        let residuals = (m > n && n == 0).then(|| b.column_iter().map(|c| squares(c.iter())).collect());
        return Ok(Found { padded, residuals, rank, values: found.s });
    }
    let mut inner = adjoint(&found.u) * b;
    for (i, mut row) in inner.row_iter_mut().enumerate() {
        let by = if i < rank { T::R::of(1.0) / found.s[i] } else { T::R::of(0.0) };
        row.iter_mut().for_each(|x| *x = x.scale(by));
    }
    let solution = adjoint(&found.vh) * inner;
    let rest = b - a * &solution;
    let residuals =
        (driver != Driver::Gelsy && m > n && rank == n).then(|| rest.column_iter().map(|c| squares(c.iter())).collect());
    let mut padded = Matrix::zeros(m.max(n), b.ncols());
    padded.rows_mut(0, n).copy_from(&solution);
    Ok(Found { padded, residuals, rank, values: found.s })
}

/// The shortest solution of what counts of a QR decomposition with the longest column first.
fn of_rank<T: Field>(a: &Matrix<T>, b: &Matrix<T>, rcond: T::R) -> Result<Found<T>> {
    let (m, n) = a.shape();
    let mut padded = Matrix::zeros(m.max(n), b.ncols());
    let (factored, order) = pivoted::factor(a.clone())?;
    let r = factored.r(m.min(n));
    let rank = pivoted::rank(&r, rcond);
    if rank > 0 {
        let mut right = b.clone();
        factored.apply_q_adjoint(&mut right)?;
        let (r, mut solved) = (r.rows(0, rank).into_owned(), right.rows(0, rank).into_owned());
        if rank == n {
            triangular::solve(&r, &mut solved, Shape { upper: true, unit: false })?;
        } else if few::takes(m, n) && !T::IS_COMPLEX {
            solved = few_trapezoid::solve(r, &solved)?;
        } else {
            solved = full_rank(&r, solved)?.padded;
        }
        order.iter().enumerate().for_each(|(i, place)| padded.row_mut(*place).copy_from(&solved.row(i)));
    }
    Ok(Found { padded, residuals: None, rank, values: vec![] })
}

fn squares<'a, T: Field>(cells: impl Iterator<Item = &'a T>) -> T::R {
    cells.fold(T::R::of(0.0), |sum, x| sum + x.modulus_squared())
}
