//! The Cholesky decomposition of a real matrix of few rows, as the library behind PyTorch computes it on AMD's processors. In single
//! precision columns are divided by their roots by way of the processor's guess of a reciprocal root.

use super::Matrix;
use super::field::{Field, Real};
use crate::kernel::follows_intel;
use nalgebra::ComplexField;
use std::cmp::Ordering;

/// Rows up to which the library's loops are known.
const MOST: usize = 8;

/// Rows up to which its loops are written out: products are added up before they are taken away.
const WRITTEN_OUT: usize = 5;

/// True for a matrix of so many rows that is factored here.
pub fn takes<T: Field>(rows: usize) -> bool {
    !T::IS_COMPLEX && !follows_intel() && rows <= MOST
}

/// L in the lower triangle, in place; or the order of the first leading minor that is not positive-definite, counted from 1.
pub fn factor<T: Field>(l: &mut Matrix<T>) -> Option<usize> {
    let n = l.nrows();
    for j in 0..n {
        let pivot = less_products(l, j, j);
        // Neither positive nor negative: nan.
        if pivot.real().partial_cmp(&T::R::of(0.0)) != Some(Ordering::Greater) {
            l[(j, j)] = pivot;
            return Some(j + 1);
        }
        let root = ComplexField::sqrt(pivot.real());
        for i in j + 1..n {
            let left = less_products(l, i, j);
            let is_last = n <= WRITTEN_OUT && j + 2 == n;
            l[(i, j)] = match pivot.root_guess() {
                Some([half, correction]) if is_last && n > 2 => (left * half) * correction,
                Some([half, correction]) => left * (half * correction),
                None if is_last => left.unscale(root),
                None => left.scale(T::R::of(1.0) / root),
            };
        }
        l[(j, j)] = T::from_real(root);
    }
    None
}

/// An entry of the lower triangle less the products of the columns before.
fn less_products<T: Field>(l: &Matrix<T>, i: usize, j: usize) -> T {
    let products: Vec<T> = (0..j).map(|k| l[(i, k)] * l[(j, k)]).collect();
    let from = l[(i, j)];
    match products[..] {
        [] => from,
        [a, b, c, d] if l.nrows() <= WRITTEN_OUT && i == j => from - ((a + c) + (b + d)),
        [first, ref others @ ..] if l.nrows() <= WRITTEN_OUT => from - others.iter().fold(first, |sum, product| sum + *product),
        _ if i == j => products.iter().rev().fold(from, |left, product| left - *product),
        _ => products.iter().fold(from, |left, product| left - *product),
    }
}
