//! The singular value decomposition of a dense matrix, by the route and in the signs of `gesdd`.

use super::bidiagonal::{self, Bidiagonal};
use super::field::Field;
use super::range::Ranged;
use super::rotation::rotation;
use super::small::SIDE;
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
    let mut found = if few::takes::<T>(m, n) {
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
    let reduced = if is_tall::<T>(m, n) { bidiagonal::reduce(qr::factor(a)?.r(n))? } else { bidiagonal::reduce(a)? };
    let mut values = values_of(&reduced)?;
    values.iter_mut().for_each(|values| ranged.restore(values));
    Ok(values)
}

fn values_of<T: Field>(reduced: &Bidiagonal<T>) -> Result<Option<Vec<T::R>>> {
    if let ([f, h], [g]) = (&reduced.d[..], &reduced.e[..]) {
        let turn = rotation(*f, *g);
        let [f, g, h] = if reduced.lower { [turn.r, turn.s * *h, turn.c * *h] } else { [*f, *g, *h] };
        let (small, large) = bidiagonal::singular_pair(f, g, h);
        return Ok(Some(vec![large, small]));
    }
    Ok(bidiagonal::solve(&reduced.d, &reduced.e, reduced.lower, false)?.map(|solved| solved.s))
}

/// True when a QR decomposition first is worth it: the crossover of the library behind PyTorch.
fn is_tall<T: Field>(m: usize, n: usize) -> bool {
    m > n && m >= if T::IS_COMPLEX { n * 17 / 9 } else { n * 3 / 2 }
}

fn tall<T: Field>(a: &Matrix<T>, full: bool) -> Result<Option<Svd<T>>> {
    let (m, n) = a.shape();
    let factored = qr::factor(a.clone())?;
    let Some(inner) = direct(factored.r(n), false)? else { return Ok(None) };
    let columns = if full { m } else { n };
    if !T::IS_COMPLEX && m <= SIDE {
        let mut u = factored.q(columns)?;
        let q = u.columns(0, n).into_owned();
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let first = q[(i, 0)] * inner.u[(0, j)];
            u[(i, j)] = (1..n).fold(first, |sum, k| sum.less_product(-q[(i, k)], inner.u[(k, j)]));
        }
        return Ok(Some(Svd { u, ..inner }));
    }
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
    let Some(inner) = bidiagonal::solve(&reduced.d, &reduced.e, reduced.lower, true)? else { return Ok(None) };
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
