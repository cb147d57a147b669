//! The singular value decomposition of a complex matrix of few rows and columns, by the route that `gesdd` takes for its shape.

use super::bidiagonal::{self, Bidiagonal, Values};
use super::few;
use super::field::Field;
use super::svd::Svd;
use super::{Matrix, adjoint, qr, reflections};
use anyhow::Result;

/// Decomposes a matrix; `full` completes `u` and `vh` to square matrices. None when the iteration does not converge.
pub fn svd<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let (short, long) = (m.min(n), m.max(n));
    if long >= short * 17 / 9 {
        return if m >= n { tall(a, full) } else { wide(a, full) };
    }
    let reduced = few::bidiagonal(a.clone());
    let Some(inner) = bidiagonal::solve(&reduced.d, &reduced.e, reduced.lower, true)? else { return Ok(None) };
    if long >= short * 5 / 3 { multiplied(&reduced, inner, (m, n), full) } else { reflected(&reduced, inner, (m, n), full) }
        .map(Some)
}

/// By QR, and the SVD of R.
fn tall<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let factored = qr::factor(a.clone())?;
    let Some(inner) = square(factored.r(n))? else { return Ok(None) };
    let mut u = factored.q(if full { m } else { n })?;
    let turned = few::product(&u.columns(0, n).into_owned(), &inner.u);
    u.view_mut((0, 0), (m, n)).copy_from(&turned);
    Ok(Some(Svd { u, ..inner }))
}

/// By QR of the adjoint, and the SVD of the adjoint of R.
fn wide<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let factored = qr::factor(adjoint(a))?;
    let mut l = adjoint(&factored.r(m));
    l.fill_upper_triangle(T::zero(), 1);
    let Some(inner) = square(l)? else { return Ok(None) };
    let mut vh = few::adjoint_product(factored.steps(), 0, if full { n } else { m }, n);
    let turned = few::product(&inner.vh, &vh.rows(0, m).into_owned());
    vh.view_mut((0, 0), (m, n)).copy_from(&turned);
    Ok(Some(Svd { vh, ..inner }))
}

fn square<T: Field>(a: Matrix<T>) -> Result<Option<Svd<T>>> {
    let shape = a.shape();
    let reduced = few::bidiagonal(a);
    match bidiagonal::solve(&reduced.d, &reduced.e, reduced.lower, true)? {
        Some(inner) => reflected(&reduced, inner, shape, false).map(Some),
        None => Ok(None),
    }
}

/// With the reflections done to the vectors of the bidiagonal matrix.
fn reflected<T: Field>(reduced: &Bidiagonal<T>, inner: Values<T::R>, (m, n): (usize, usize), full: bool) -> Result<Svd<T>> {
    let k = m.min(n);
    let mut u = Matrix::identity(m, if full { m } else { k });
    u.view_mut((0, 0), (k, k)).copy_from(&inner.u.map(T::from_real));
    reduced.apply_q(&mut u)?;
    let mut vh = Matrix::identity(if full { n } else { k }, n);
    vh.view_mut((0, 0), (k, k)).copy_from(&inner.vt.map(T::from_real));
    few::times_adjoint(&reduced.right, usize::from(!reduced.lower), &mut vh);
    Ok(Svd { u, s: inner.s, vh })
}

/// With the products of the reflections times the vectors of the bidiagonal matrix, their real and imaginary parts apart.
fn multiplied<T: Field>(reduced: &Bidiagonal<T>, inner: Values<T::R>, (m, n): (usize, usize), full: bool) -> Result<Svd<T>> {
    let k = m.min(n);
    let (left, right) = (usize::from(reduced.lower), usize::from(!reduced.lower));
    let mut u = reflections::product(&reduced.left, left, m, if full { m } else { k })?;
    let mut vh = few::adjoint_product(&reduced.right, right, if full { n } else { k }, n);
    let (q, p) = (u.columns(0, k).into_owned(), vh.rows(0, k).into_owned());
    let sum = |term: &dyn Fn(usize) -> T| (0..k).fold(T::zero(), |sum, l| sum + term(l));
    u.view_mut((0, 0), (m, k)).copy_from(&Matrix::from_fn(m, k, |i, j| sum(&|l| q[(i, l)].scale(inner.u[(l, j)]))));
    vh.view_mut((0, 0), (k, n)).copy_from(&Matrix::from_fn(k, n, |i, j| sum(&|l| p[(l, j)].scale(inner.vt[(i, l)]))));
    Ok(Svd { u, s: inner.s, vh })
}
