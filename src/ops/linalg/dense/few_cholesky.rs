//! The Cholesky decomposition of a matrix of few rows, as the library behind PyTorch computes it on AMD's processors and on
//! Intel's. In single precision columns are divided by their roots by way of the processor's guess of a reciprocal root.

use super::field::{Field, Real};
use super::{Matrix, few_cholesky_complex};
use crate::kernel::follows_intel;
use crate::kernel::masked::in_one_vector;
use nalgebra::ComplexField;
use std::cmp::Ordering;

/// Rows up to which the library's loops are known, on processors of AMD and of Intel.
const MOST: [usize; 2] = [8, 16];

/// Rows up to which its loops are written out: products are added up before they are taken away.
const WRITTEN_OUT: usize = 5;

/// Columns whose diagonal entries lose one product after the other on Intel's processors; later ones lose an inner product.
const BY_ONE: usize = 6;

/// True for a matrix of so many rows that is factored here.
pub fn takes<T: Field>(rows: usize) -> bool {
    rows <= MOST[follows_intel() as usize] && !(T::IS_COMPLEX && follows_intel())
}

/// L in the lower triangle, in place; or the order of the first leading minor that is not positive-definite, counted from 1.
pub fn factor<T: Field>(l: &mut Matrix<T>) -> Option<usize> {
    let n = l.nrows();
    let less_products = match (T::IS_COMPLEX, follows_intel()) {
        (true, _) => few_cholesky_complex::less_products,
        (false, true) => less_products_fused,
        (false, false) => less_products_rounded,
    };
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
            let is_last = !T::IS_COMPLEX && n <= WRITTEN_OUT && j + 2 == n;
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

/// An entry of the lower triangle less the products of the columns before, each of which is rounded.
fn less_products_rounded<T: Field>(l: &Matrix<T>, i: usize, j: usize) -> T {
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

/// The same on Intel's processors, where products are not rounded.
fn less_products_fused<T: Field>(l: &Matrix<T>, i: usize, j: usize) -> T {
    let (n, from) = (l.nrows(), l[(i, j)]);
    let pair = |k: usize| (l[(i, k)], l[(j, k)]);
    if n > WRITTEN_OUT && i == j && j >= BY_ONE {
        let row: Vec<T> = (0..j).map(|k| l[(i, k)]).collect();
        return from - in_one_vector(&row, &row);
    }
    if n > WRITTEN_OUT || j < 2 {
        return (0..j).map(pair).fold(from, |left, (a, b)| left.less_product(a, b));
    }
    // An odd number of rows has the first two products of its diagonal the other way round.
    let is_turned = i == j && n % 2 == 1 && j < 4;
    let [first, second] = if is_turned { [1, 0] } else { [0, 1] };
    let (a, b) = pair(first);
    from - std::iter::once(second).chain(2..j).map(pair).fold(a * b, |sum, (a, b)| sum.less_product(-a, b))
}
