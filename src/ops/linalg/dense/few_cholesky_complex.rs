//! What a complex matrix of few rows loses to the columns before while it is decomposed after Cholesky, as the library behind PyTorch
//! computes it on AMD's processors. Its loops for up to five rows are written out, and a compiler has rearranged them: real parts,
//! imaginary parts and squares are added up in orders of their own. These are the only ones of all orders of so few additions that
//! give its bits.

use super::Matrix;
use super::field::{Field, Real};

/// Rows up to which the loops are written out.
const WRITTEN_OUT: usize = 5;

/// An entry of the lower triangle less the products of the columns before.
pub fn less_products<T: Field>(l: &Matrix<T>, i: usize, j: usize) -> T {
    let (n, from) = (l.nrows(), l[(i, j)]);
    match (i == j, n > WRITTEN_OUT || j < 2) {
        (true, true) => {
            let square = |k: usize| l[(j, k)].real() * l[(j, k)].real() + l[(j, k)].imaginary() * l[(j, k)].imaginary();
            T::from_real((0..j).rev().fold(from.real(), |left, k| left - square(k)))
        }
        (true, false) => T::from_real(from.real() - squares(l, j)),
        (false, true) => (0..j).fold(from, |left, k| left - l[(i, k)] * l[(j, k)].conjugate()),
        (false, false) => {
            let terms: Vec<Halves<T::R>> = (0..j).map(|k| halves(l[(i, k)], l[(j, k)])).collect();
            let is_crossed = size_of::<T>() == 16 || n == WRITTEN_OUT && (i, j) == (3, 2);
            T::of_parts(from.real() - real_parts(&terms, is_crossed), imaginary_part(from.imaginary(), &terms))
        }
    }
}

/// The squares of the parts of two to four entries.
fn squares<T: Field>(l: &Matrix<T>, j: usize) -> T::R {
    let r = |k: usize| l[(j, k)].real() * l[(j, k)].real();
    let i = |k: usize| l[(j, k)].imaginary() * l[(j, k)].imaginary();
    match j {
        2 => (r(0) + i(1)) + (i(0) + r(1)),
        3 if size_of::<T>() == 8 && l.nrows() == WRITTEN_OUT => (((r(0) + r(1)) + (i(0) + i(1))) + i(2)) + r(2),
        3 => (((r(0) + r(1)) + (i(0) + i(1))) + r(2)) + i(2),
        _ => ((r(0) + r(2)) + (r(1) + i(3))) + ((i(0) + i(2)) + (i(1) + r(3))),
    }
}

/// The products of the parts of two numbers: of both real ones, both imaginary ones, the imaginary one of the first with the real one
/// of the second, and the other way round.
struct Halves<R> {
    rr: R,
    ii: R,
    ir: R,
    ri: R,
}

fn halves<T: Field>(a: T, b: T) -> Halves<T::R> {
    let ([a, x], [b, y]) = ([a.real(), a.imaginary()], [b.real(), b.imaginary()]);
    Halves { rr: a * b, ii: x * y, ir: x * b, ri: a * y }
}

/// One after the other; of the last product the imaginary parts come first where that is `crossed`.
fn real_parts<R: Real>(terms: &[Halves<R>], is_crossed: bool) -> R {
    let last = terms.len() - 1;
    let add = |sum: R, (k, term): (usize, &Halves<R>)| match k == last && is_crossed {
        true => (sum + term.ii) + term.rr,
        false => (sum + term.rr) + term.ii,
    };
    terms.iter().enumerate().skip(1).fold(terms[0].rr + terms[0].ii, add)
}

/// The products of two columns, or of two and then of a third, are taken from a part.
fn imaginary_part<R: Real>(from: R, terms: &[Halves<R>]) -> R {
    let taken = match terms {
        [a, _] => (from + a.ri) - a.ir,
        [a, b, ..] => ((from + a.ri) + b.ri) - (a.ir + b.ir),
        _ => from,
    };
    terms.last().map_or(taken, |last| taken + (last.ri - last.ir))
}
