//! The singular value decomposition of a dense matrix, by the route and in the signs of `gesdd`.

use super::bidiagonal;
use super::field::Field;
use super::range::Ranged;
use super::{Matrix, adjoint, few, few_svd, qr, transpose};
use anyhow::Result;

/// `A = U diag(s) Vᴴ`.
pub struct Svd<T: Field> {
    /// Left vectors, as columns.
    pub u: Matrix<T>,
    /// Singular values, descending.
    pub s: Vec<T::R>,
    /// Right vectors, as rows.
    pub vh: Matrix<T>,
}

/// Decomposes a matrix; `full` completes `u` and `vh` to square matrices. None when the iteration does not converge.
pub fn svd<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    if m.min(n) == 0 {
        let (left, right) = if full { (m, n) } else { (0, 0) };
        return Ok(Some(Svd { u: Matrix::identity(m, left), s: vec![], vh: Matrix::identity(right, n) }));
    }
    let ranged = Ranged::new(a);
    let a = &*ranged.matrix;
    let mut found = if few::takes(m, n) {
        few_svd::svd(a, full)?
    } else if is_tall::<T>(m, n) {
        tall(a, full)?
    } else if T::IS_COMPLEX && is_tall::<T>(n, m) {
        // The adjoint of a wide complex matrix goes the same way, with its bidiagonal form kept upper.
        wide(a, full)?
    } else {
        direct(a.clone(), full)?
    };
    found.iter_mut().for_each(|found| ranged.restore(&mut found.s));
    Ok(found)
}

/// The singular values alone.
pub fn values<T: Field>(a: &Matrix<T>) -> Result<Option<Vec<T::R>>> {
    let (m, n) = a.shape();
    if m.min(n) == 0 {
        return Ok(Some(vec![]));
    }
    let ranged = Ranged::new(a);
    let a = ranged.matrix.clone().into_owned();
    let is_number = T::IS_COMPLEX && (m, n) == (1, 1);
    let reduced = match is_tall::<T>(m, n) || is_number {
        true if few::takes(m, n) => few::bidiagonal(qr::factor(a)?.upper().clone(), n),
        true => bidiagonal::reduce(qr::factor(a)?.r(n))?,
        false if T::IS_COMPLEX && is_tall::<T>(n, m) && few::takes(m, n) => few::bidiagonal(lower_factor(&a)?, m),
        false => bidiagonal::reduce(a)?,
    };
    let mut values = bidiagonal::values(&reduced)?;
    values.iter_mut().for_each(|values| ranged.restore(values));
    Ok(values)
}

/// L of `A = L Q`.
pub(super) fn lower_factor<T: Field>(a: &Matrix<T>) -> Result<Matrix<T>> {
    let mut l = adjoint(&qr::factor(adjoint(a))?.r(a.nrows()));
    l.fill_upper_triangle(T::zero(), 1);
    Ok(l)
}

/// True when a QR decomposition first is worth it: the crossover of the library behind PyTorch.
pub(super) fn is_tall<T: Field>(m: usize, n: usize) -> bool {
    m > n && m >= if T::IS_COMPLEX { n * 17 / 9 } else { n * 3 / 2 }
}

fn tall<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let factored = qr::factor(a.clone())?;
    let Some(inner) = direct(factored.r(n), false)? else { return Ok(None) };
    let columns = if full { m } else { n };
    let mut u = Matrix::identity(m, columns);
    u.view_mut((0, 0), (n, n)).copy_from(&inner.u);
    factored.apply_q(&mut u)?;
    Ok(Some(Svd { u, ..inner }))
}

fn wide<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let factored = qr::factor(adjoint(a))?;
    let Some(inner) = direct(adjoint(&factored.r(m)), false)? else { return Ok(None) };
    let mut v = Matrix::identity(n, if full { n } else { m });
    v.view_mut((0, 0), (m, m)).copy_from(&adjoint(&inner.vh));
    factored.apply_q(&mut v)?;
    Ok(Some(Svd { vh: adjoint(&v), ..inner }))
}

fn direct<T: Field>(a: Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let k = m.min(n);
    let reduced = bidiagonal::reduce(a)?;
    let Some(inner) = bidiagonal::solve(&reduced)? else { return Ok(None) };
    let mut u = Matrix::identity(m, if full { m } else { k });
    u.view_mut((0, 0), (k, k)).copy_from(&inner.u.map(T::from_real));
    reduced.apply_q(&mut u)?;
    let mut v = Matrix::identity(n, if full { n } else { k });
    v.view_mut((0, 0), (k, k)).copy_from(&transpose(&inner.vt).map(T::from_real));
    reduced.apply_p(&mut v)?;
    let mut vh = adjoint(&v);
    if T::IS_COMPLEX && !reduced.lower {
        // The reflections leave this column real, and the adjoint has turned the signs of its zeros.
        vh.column_mut(0).apply(|x| *x = T::from_real(x.real()));
    }
    Ok(Some(Svd { u, s: inner.s, vh }))
}
