//! The singular value decomposition of a dense matrix, by the route and in the signs of `gesdd`.

use super::field::Field;
use super::{Matrix, bidiagonal, qr};
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
    if is_tall::<T>(m, n) {
        tall(a, full)
    } else if T::IS_COMPLEX && is_tall::<T>(n, m) {
        // The adjoint of a wide complex matrix goes the same way, with its bidiagonal form kept upper.
        wide(a, full)
    } else {
        direct(a.clone(), full)
    }
}

/// The singular values alone.
pub fn values<T: Field>(a: &Matrix<T>) -> Result<Option<Vec<T::R>>> {
    let (m, n) = a.shape();
    if m.min(n) == 0 {
        return Ok(Some(vec![]));
    }
    let reduced =
        if is_tall::<T>(m, n) { bidiagonal::reduce(qr::factor(a.clone())?.r(n))? } else { bidiagonal::reduce(a.clone())? };
    Ok(bidiagonal::solve(&reduced.d, &reduced.e, reduced.lower, false)?.map(|solved| solved.s))
}

/// True when a QR decomposition first is worth it: the crossover of the library behind PyTorch.
fn is_tall<T: Field>(m: usize, n: usize) -> bool {
    m > n && m >= if T::IS_COMPLEX { n * 17 / 9 } else { n * 8 / 5 }
}

fn tall<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let factored = qr::factor(a.clone())?;
    let Some(inner) = direct(factored.r(n), false)? else { return Ok(None) };
    let mut u = Matrix::identity(m, if full { m } else { n });
    u.view_mut((0, 0), (n, n)).copy_from(&inner.u);
    factored.apply_q(&mut u)?;
    Ok(Some(Svd { u, ..inner }))
}

fn wide<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let factored = qr::factor(a.adjoint())?;
    let Some(inner) = direct(factored.r(m).adjoint(), false)? else { return Ok(None) };
    let mut v = Matrix::identity(n, if full { n } else { m });
    v.view_mut((0, 0), (m, m)).copy_from(&inner.vh.adjoint());
    factored.apply_q(&mut v)?;
    Ok(Some(Svd { vh: v.adjoint(), ..inner }))
}

fn direct<T: Field>(a: Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let k = m.min(n);
    let reduced = bidiagonal::reduce(a)?;
    let Some(inner) = bidiagonal::solve(&reduced.d, &reduced.e, reduced.lower, true)? else { return Ok(None) };
    let mut u = Matrix::identity(m, if full { m } else { k });
    u.view_mut((0, 0), (k, k)).copy_from(&inner.u.map(T::from_real));
    reduced.apply_q(&mut u)?;
    let mut v = Matrix::identity(n, if full { n } else { k });
    v.view_mut((0, 0), (k, k)).copy_from(&inner.vt.transpose().map(T::from_real));
    reduced.apply_p(&mut v)?;
    Ok(Some(Svd { u, s: inner.s, vh: v.adjoint() }))
}
