//! Systems with a complex triangular matrix of few rows, with the signs of zeros of the library behind PyTorch.

use super::Matrix;
use super::field::Field;
use super::triangular::{Lying, Shape};

/// What is done to right sides before anything else, and how products are taken from them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Nothing is done before, and products are subtracted.
    Plain,
    /// Negative zeros become zeros; the products by negative numbers are added.
    Cleared,
    /// Right sides are multiplied by a complex one; the products by negative numbers are added.
    Scaled,
}

impl Manner {
    fn of<T: Field>(columns: usize, lying: Lying) -> Manner {
        let single = size_of::<T>() == 8;
        match (columns, lying) {
            (1, _) => Manner::Plain,
            _ if !single => Manner::Cleared,
            (_, Lying::Turned) => Manner::Scaled,
            _ => Manner::Plain,
        }
    }
}

/// Solves `T x = b` for every column of `b`, in place.
pub fn solve<T: Field>(a: &Matrix<T>, b: &mut Matrix<T>, shape: Shape, lying: Lying) {
    let (height, columns) = b.shape();
    let n = a.ncols().min(a.nrows());
    let manner = Manner::of::<T>(columns, lying);
    let inverses: Vec<T> = if shape.unit { vec![] } else { (0..n).map(|k| a[(k, k)].reciprocal(false)).collect() };
    for x in b.as_mut_slice().chunks_mut(height) {
        x[..n].iter_mut().for_each(|x| match manner {
            Manner::Plain => {}
            Manner::Cleared => *x += T::zero(),
            Manner::Scaled => *x *= T::one(),
        });
        for step in 0..n {
            let k = if shape.upper { n - 1 - step } else { step };
            for i in if shape.upper { k + 1..n } else { 0..k } {
                x[k] = match manner {
                    Manner::Plain => x[k] - a[(k, i)] * x[i],
                    _ => x[k].less_product(a[(k, i)], x[i]),
                };
            }
            if !shape.unit {
                x[k] *= inverses[k];
            }
        }
    }
}
