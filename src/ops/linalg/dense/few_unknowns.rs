//! Systems of few unknowns with a complex decomposition, as the library behind PyTorch solves them on AMD's processors. Every product is
//! rounded. In the first triangle the real part is lessened by one product after the other and the imaginary part by their sum, as its
//! compiler has it; of eight unknowns, and in the second triangle, both are lessened one by one.

use super::Matrix;
use super::field::Field;

/// Unknowns from which on both parts are lessened one by one.
const MANY: usize = 8;

/// A right side `x[k]` less what the first unknowns take of it.
pub fn less_first<T: Field>(a: &Matrix<T>, x: &[T], k: usize) -> T {
    let n = a.nrows();
    let products: Vec<T> = (0..k).map(|i| a[(k, i)] * x[i]).collect();
    let one_by_one = |order: &[usize]| order.iter().fold(x[k], |left, i| left - products[*i]).real();
    match products[..] {
        [first, ref others @ ..] if n < MANY => {
            let at_once = x[k] - others.iter().fold(first, |sum, product| sum + *product);
            match is_odd::<T>(n, k) {
                true if k == 2 => T::of_parts(one_by_one(&[0, 1]), imaginary_of_halves(a, x, k)),
                true => T::of_parts(one_by_one(&[0, 2, 1]), imaginary_of_halves(a, x, k)),
                false => T::of_parts(products.iter().fold(x[k], |left, product| left - *product).real(), at_once.imaginary()),
            }
        }
        _ => products.iter().fold(x[k], |left, product| left - *product),
    }
}

/// A right side `x[k]` less what the last unknowns take of it.
pub fn less_last<T: Field>(a: &Matrix<T>, x: &[T], k: usize) -> T {
    (k + 1..a.nrows()).rev().fold(x[k], |left, i| left - a[(k, i)] * x[i])
}

/// The row of double precision that the compiler has taken together with no other one.
fn is_odd<T: Field>(n: usize, k: usize) -> bool {
    size_of::<T>() == 16 && matches!((n, k), (4, 2) | (5..=7, 3))
}

/// The imaginary part there: halves of products are added to each other before they are to their others.
fn imaginary_of_halves<T: Field>(a: &Matrix<T>, x: &[T], k: usize) -> T::R {
    let half = |i: usize| (a[(k, i)].real() * x[i].imaginary(), a[(k, i)].imaginary() * x[i].real());
    let ((r0, i0), (r1, i1)) = (half(0), half(1));
    if k == 2 {
        return x[k].imaginary() - ((r0 + r1) + (i0 + i1));
    }
    let (r2, i2) = half(2);
    x[k].imaginary() - (((r0 + r1) + (i1 + i2)) + (i0 + r2))
}
