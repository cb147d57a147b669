//! Eigenvalues and eigenvectors of a general square matrix, in the order and phases of `geev`.

use super::compiled::Compiled;
use super::few_eigenvectors::Schur;
use super::field::{Field, Real, norm};
use super::range::Ranged;
use super::{Matrix, eigenvectors, few, few_eigenvectors_complex, hessenberg, schur_complex, schur_real};
use anyhow::Result;
use nalgebra::ComplexField;
use num_complex::Complex;

/// Eigenvalues and, when asked for, unit eigenvectors as columns.
pub struct Eigen<R: Real> {
    /// In the order of the Schur form; a complex pair has the one above the real axis first.
    pub values: Vec<Complex<R>>,
    /// Empty when not asked for.
    pub vectors: Matrix<Complex<R>>,
}

/// A field whose matrices have an eigenvalue iteration of their own.
pub trait Eigenproblem: Field {
    /// Solves the problem. None when the iteration does not converge.
    fn eigen(a: Matrix<Self>, vectors: bool) -> Result<Option<Eigen<Self::R>>>;
}

macro_rules! eigenproblem {
    ($($r:ident),*) => { $(
        impl Eigenproblem for $r {
            fn eigen(a: Matrix<$r>, vectors: bool) -> Result<Option<Eigen<$r>>> {
                in_range(a, |a| real(a, vectors))
            }
        }
        impl Eigenproblem for Complex<$r> {
            fn eigen(a: Matrix<Complex<$r>>, vectors: bool) -> Result<Option<Eigen<$r>>> {
                in_range(a, |a| complex(a, vectors))
            }
        }
    )* };
}

eigenproblem!(f32, f64);

/// The eigenvalues of a matrix of very small or very large entries are those of one within range, scaled back.
fn in_range<T: Field>(a: Matrix<T>, solve: impl Fn(Matrix<T>) -> Result<Option<Eigen<T::R>>>) -> Result<Option<Eigen<T::R>>> {
    let ranged = Ranged::new(&a);
    let mut found = solve(ranged.matrix.clone().into_owned())?;
    for value in found.iter_mut().flat_map(|found| &mut found.values) {
        let mut parts = [value.re, value.im];
        ranged.restore(&mut parts);
        (value.re, value.im) = (parts[0], parts[1]);
    }
    Ok(found)
}

fn real<R: Real>(mut a: Matrix<R>, vectors: bool) -> Result<Option<Eigen<R>>>
where
    Complex<R>: Field<R = R>,
{
    let n = a.nrows();
    let balance = hessenberg::balance(&mut a);
    let q = hessenberg::reduce(&mut a, balance.low, balance.high)?;
    let mut schur = schur_real::Schur::new(a, if vectors { q } else { Matrix::zeros(0, n) });
    if n > 0 && !schur.run(balance.low, balance.high)? {
        return Ok(None);
    }
    if !vectors {
        return Ok(Some(Eigen { values: schur.values, vectors: Matrix::zeros(0, 0) }));
    }
    if few::takes(n, n) {
        let vectors = Schur { t: &schur.h, z: &schur.z, values: &schur.values }.vectors(&balance);
        return Ok(Some(Eigen { values: schur.values, vectors }));
    }
    let widen = |m: &Matrix<R>| m.map(Complex::<R>::from_real);
    let mut found = eigenvectors::vectors(&widen(&schur.h), &widen(&schur.z), &schur.values);
    balance.undo(&mut found);
    normalize(&mut found, |j, largest| {
        if schur.values[j].im == R::of(0.0) {
            return None;
        }
        let turn = R::pair_rotation(largest.re, largest.im);
        Some(Complex::new(turn.c, -turn.s))
    });
    for (mut column, value) in found.column_iter_mut().zip(&schur.values) {
        if value.im == R::of(0.0) {
            column.iter_mut().for_each(|x| *x = Complex::new(x.re, R::of(0.0)));
        }
    }
    // Of a pair, the vector below the real axis mirrors the one above.
    for j in (1..n).filter(|j| schur.values[*j].im < R::of(0.0)) {
        let mirrored = found.column(j - 1).conjugate();
        found.set_column(j, &mirrored);
    }
    Ok(Some(Eigen { values: schur.values, vectors: found }))
}

fn complex<R: Real + Compiled>(mut a: Matrix<Complex<R>>, vectors: bool) -> Result<Option<Eigen<R>>>
where
    Complex<R>: Field<R = R>,
{
    let n = a.nrows();
    let balance = hessenberg::balance(&mut a);
    let q = hessenberg::reduce(&mut a, balance.low, balance.high)?;
    let mut schur = schur_complex::Schur { h: a, z: if vectors { q } else { Matrix::zeros(0, n) } };
    if n > 0 && !schur.run(balance.low, balance.high)? {
        return Ok(None);
    }
    let values: Vec<Complex<R>> = schur.h.diagonal().iter().copied().collect();
    if !vectors {
        return Ok(Some(Eigen { values, vectors: Matrix::zeros(0, 0) }));
    }
    if few::takes(n, n) {
        let vectors = few_eigenvectors_complex::vectors(&schur.h, &schur.z, &balance);
        return Ok(Some(Eigen { values, vectors }));
    }
    let mut found = eigenvectors::vectors(&schur.h, &schur.z, &values);
    balance.undo(&mut found);
    normalize(&mut found, |_, largest| Some(largest.conjugate().unscale(largest.modulus())));
    Ok(Some(Eigen { values, vectors: found }))
}

/// Makes every column a unit vector; `phase` says by what to turn it, given its largest entry, which becomes real.
fn normalize<R: Real>(vectors: &mut Matrix<Complex<R>>, phase: impl Fn(usize, Complex<R>) -> Option<Complex<R>>)
where
    Complex<R>: Field<R = R>,
{
    for (j, mut column) in vectors.column_iter_mut().enumerate() {
        let size = norm(column.as_slice());
        column.iter_mut().for_each(|x| *x = x.unscale(size));
        let mut largest = 0;
        for (i, x) in column.iter().enumerate() {
            if x.modulus_squared() > column[largest].modulus_squared() {
                largest = i;
            }
        }
        if let Some(phase) = phase(j, column[largest]) {
            column.iter_mut().for_each(|x| *x *= phase);
            column[largest] = Complex::from_real(column[largest].re);
        }
    }
}
