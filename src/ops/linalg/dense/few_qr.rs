//! The QR decomposition of a complex matrix of few rows and columns, with the roundings of the library behind PyTorch, which has
//! loops of its own for it.

use super::Matrix;
use super::few_complex::in_lanes;
use super::field::{Field, Real};
use super::parts::{Kept, Parts};
use super::reflector::{Direction, Reflector, enlarged};
use crate::kernel::follows_intel;
use nalgebra::ComplexField;

/// Makes column `i` upper triangular.
pub fn step<T: Field>(a: &mut Matrix<T>, i: usize) -> Reflector<T> {
    let shape @ (m, n) = a.shape();
    let (step, beta) = enlarged(&a.as_slice()[i * m + i..(i + 1) * m], |x| reflector(x, shape));
    if step.tau != T::zero() {
        let factor = -step.tau.conjugate();
        for column in a.as_mut_slice()[(i + 1) * m..].chunks_mut(m).take(n - i - 1) {
            let column = &mut column[i..];
            let term = |(x, v): (&T, &T)| x.conjugate().times(*v, Kept::ByImaginary);
            let terms: Vec<T> = column.iter().zip(&step.v).map(term).collect();
            let sum = if follows_intel() { in_lanes(&terms) } else { rearranged(&terms, shape) };
            let by = factor.times(sum.conjugate(), Kept::ByImaginary);
            column.iter_mut().zip(&step.v).for_each(|(x, v)| *x = x.reflected(*v, by));
        }
    }
    a[(i, i)] = T::from_real(beta);
    a.as_mut_slice()[i * m + i + 1..(i + 1) * m].fill(T::zero());
    step
}

/// The sum of the terms of a column of a matrix of some shape, in the order that a compiler made of it on AMD's processors.
fn rearranged<T: Field>(terms: &[T], (m, n): (usize, usize)) -> T {
    let serial = |terms: &[T]| terms[1..].iter().fold(terms[0], |sum, term| sum + *term);
    if m == n && (3..=5).contains(&m) {
        return match *terms {
            [a, b, c] if m == 3 => a + (b + c),
            [a, b, c, d] if m == 4 => (a + b) + (c + d),
            [a, b, c, d, e] => {
                let sum = ((a + b) + (c + d)) + e;
                let is_split = size_of::<T>() == 8;
                T::of_parts(if is_split { serial(terms).real() } else { sum.real() }, sum.imaginary())
            }
            _ => serial(terms),
        };
    }
    let (fours, rest) = terms.as_chunks::<4>();
    let sum = fours.iter().fold(T::zero(), |sum, [a, b, c, d]| ((sum + *a) + (*b + *c)) + *d);
    rest.iter().rev().fold(sum, |sum, term| sum + *term)
}

/// The reflection of what is left of a column of a matrix of some shape, and what it makes of the first entry.
fn reflector<T: Field>(x: &[T], shape: (usize, usize)) -> (Reflector<T>, T::R) {
    let (alpha, zero, one) = (x[0], T::R::of(0.0), T::R::of(1.0));
    let below = below::<T>(&x[1..]);
    let mut v = Direction::from_slice(x);
    v[0] = T::one();
    if below == zero && alpha.imaginary() == zero {
        return (Reflector { tau: T::zero(), v, at: None }, alpha.real());
    }
    let beta = -length(alpha, below, shape).signed(alpha.real());
    let rest = alpha - T::from_real(beta);
    let scale = rest.scaled_reciprocal(true);
    let kept = if size_of::<T>() == 16 || is_crossed(x.len(), shape) { Kept::OfReal } else { Kept::ByReal };
    v.iter_mut().skip(1).for_each(|x| *x = x.times(scale, kept));
    (Reflector { tau: (-rest).scale(one / beta), v, at: None }, beta)
}

/// True where columns in single precision are scaled as those in double precision are.
fn is_crossed(len: usize, (m, n): (usize, usize)) -> bool {
    if m == n && m <= 5 { m != 4 } else { len > 5 }
}

/// The norm by one pass that keeps the largest part so far as a scale.
fn below<T: Field>(x: &[T]) -> T::R {
    let (zero, one) = (T::R::of(0.0), T::R::of(1.0));
    let parts = x.iter().flat_map(|x| [x.real().abs(), x.imaginary().abs()]).filter(|x| *x != zero);
    let (scale, sum) = parts.fold((zero, one), |(scale, sum), x| {
        if scale < x {
            let ratio = scale / x;
            (x, one.plus(ratio * ratio, sum))
        } else {
            let ratio = x / scale;
            (scale, sum.plus(ratio, ratio))
        }
    });
    scale * ComplexField::sqrt(sum)
}

/// The length of a vector of a first entry and others of a norm.
fn length<T: Field>(first: T, below: T::R, shape: (usize, usize)) -> T::R {
    let sizes = [first.real().abs(), first.imaginary().abs(), below];
    let largest = sizes.into_iter().fold(T::R::of(0.0), |most, x| if x > most { x } else { most });
    let inverse = T::R::of(1.0) / largest;
    let [re, mut im, below] = sizes.map(|x| x * inverse);
    let sum = if size_of::<T>() == 8 {
        (re * re + im * im).plus(below, below)
    } else if shape == (1, 1) && follows_intel() {
        re * re + im * im
    } else {
        im = sizes[1] / largest;
        (re * re).plus(im, im) + below * below
    };
    largest * ComplexField::sqrt(sum)
}
