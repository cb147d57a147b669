//! The singular value decomposition of a matrix of few rows and columns, by the route that `gesdd` takes for its shape.

use super::bidiagonal::{self, Bidiagonal, Values};
use super::few;
use super::field::Field;
use super::svd::{Svd, is_tall};
use super::{Matrix, adjoint, qr, reflections};
use anyhow::Result;

/// Decomposes a matrix; `full` completes `u` and `vh` to square matrices. None when the iteration does not converge.
pub fn svd<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let (short, long) = (m.min(n), m.max(n));
    if is_tall::<T>(m, n) || T::IS_COMPLEX && m == n && n == 1 {
        return tall(a, full);
    }
    if T::IS_COMPLEX && is_tall::<T>(n, m) {
        return wide(a, full);
    }
    let reduced = few::bidiagonal(a.clone(), m);
    let Some(inner) = bidiagonal::solve(&reduced)? else { return Ok(None) };
    match T::IS_COMPLEX && long >= short * 5 / 3 {
        true => multiplied(&reduced, inner, (m, n), full).map(Some),
        false => reflected(&reduced, inner, (m, n), full).map(Some),
    }
}

/// By QR, and the SVD of R.
fn tall<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let factored = qr::factor(a.clone())?;
    // R stays where it is when all of Q is asked for, and its vectors have a place of their own; else it is the other way round.
    let (r, height) = if full { (factored.upper().clone(), n) } else { (factored.r(n), m) };
    let Some(inner) = square(r, height)? else { return Ok(None) };
    let mut u = factored.q(if full { m } else { n })?;
    let turned = few::product(&u.columns(0, n).into_owned(), &inner.u.rows(0, n).into_owned());
    u.view_mut((0, 0), (m, n)).copy_from(&turned);
    Ok(Some(Svd { u, ..inner }))
}

/// By QR of the adjoint, and the SVD of the adjoint of R.
fn wide<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let factored = qr::factor(adjoint(a))?;
    let mut l = adjoint(&factored.r(m));
    l.fill_upper_triangle(T::zero(), 1);
    let Some(inner) = square(l, m)? else { return Ok(None) };
    let mut vh = few::adjoint_product(factored.steps(), 0, if full { n } else { m }, n);
    let turned = few::product(&inner.vh, &vh.rows(0, m).into_owned());
    vh.view_mut((0, 0), (m, n)).copy_from(&turned);
    Ok(Some(Svd { vh, ..inner }))
}

/// Of the first rows of a matrix, as many as it has columns; the left vectors in a matrix of this height.
fn square<T: Field>(a: Matrix<T>, height: usize) -> Result<Option<Svd<T>>> {
    let n = a.ncols();
    let reduced = few::bidiagonal(a, n);
    match bidiagonal::solve(&reduced)? {
        Some(inner) => reflected(&reduced, inner, (height, n), false).map(Some),
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
