//! Systems with a complex triangular matrix of few rows, with the signs of zeros of the library behind PyTorch, and on AMD's processors
//! with its last bits.

use super::Matrix;
use super::few_sides::Row;
use super::field::Field;
use super::triangular::{Lying, Shape};
use crate::kernel::follows_intel;

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

/// In which order known unknowns are taken from a right side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// As they stand.
    AsTheyStand,
    /// As they became known.
    AsKnown,
    /// Before a pair of unknowns in their order, and then the other one of the pair.
    Pairs,
    /// The sum of those before a pair, after the other one of the pair.
    AtOnce,
    /// The sum of all.
    Together,
}

/// Up to how many unknowns the order is known on AMD's processors, in single and in double precision.
const MOST: [usize; 2] = [5, 8];

impl Order {
    /// Found by comparing bits on AMD's processors.
    fn of<T: Field>(n: usize, columns: usize, lying: Lying, upper: bool) -> Order {
        let single = size_of::<T>() == 8;
        if follows_intel() || n > MOST[usize::from(!single)] {
            return Order::AsTheyStand;
        }
        match (columns, lying) {
            (1, Lying::Turned | Lying::BesideStraight) if single && upper => Order::Pairs,
            (1, _) => Order::AsKnown,
            (_, Lying::Beside | Lying::BesideStraight) => Order::Together,
            _ => Order::AtOnce,
        }
    }

    /// A right side less the products with known unknowns, each of which `less` takes away.
    fn less_known<T: Field>(self, row: &Row, start: T, product: impl Fn(usize) -> T, less: impl Fn(T, usize) -> T) -> T {
        let all = if row.upper { row.k + 1..row.n } else { 0..row.k };
        let (partner, before) = row.known();
        match self {
            Order::AsTheyStand => all.fold(start, less),
            Order::AsKnown if row.upper => all.rev().fold(start, less),
            Order::AsKnown => all.fold(start, less),
            Order::Pairs => before.chain(partner).fold(start, less),
            Order::AtOnce if row.is_short() => before.fold(start, less),
            Order::AtOnce => {
                let start = partner.map_or(start, |i| less(start, i));
                before.map(product).reduce(|sum, x| sum + x).map_or(start, |sum| start - sum)
            }
            Order::Together => all.map(product).reduce(|sum, x| sum + x).map_or(start, |sum| start - sum),
        }
    }
}

/// Solves `T x = b` for every column of `b`, in place.
pub fn solve<T: Field>(a: &Matrix<T>, b: &mut Matrix<T>, shape: Shape, lying: Lying) {
    let (height, columns) = b.shape();
    let n = a.ncols().min(a.nrows());
    let (manner, order) = (Manner::of::<T>(columns, lying), Order::of::<T>(n, columns, lying, shape.upper));
    let divides = columns == 1 && order != Order::AsTheyStand;
    let inverses: Vec<T> = if shape.unit { vec![] } else { (0..n).map(|k| a[(k, k)].reciprocal(false)).collect() };
    for x in b.as_mut_slice().chunks_mut(height) {
        x[..n].iter_mut().for_each(|x| match manner {
            Manner::Plain => {}
            Manner::Cleared => *x += T::zero(),
            Manner::Scaled => *x *= T::one(),
        });
        for step in 0..n {
            let k = if shape.upper { n - 1 - step } else { step };
            let less = |left: T, i: usize| match manner {
                Manner::Plain => left - a[(k, i)] * x[i],
                _ => left.less_product(a[(k, i)], x[i]),
            };
            let row = Row { k, n, upper: shape.upper };
            let left = order.less_known(&row, x[k], |i| a[(k, i)] * x[i], less);
            x[k] = match (shape.unit, divides) {
                (true, _) => left,
                (_, true) => left.divided(a[(k, k)]),
                _ => left * inverses[k],
            };
        }
    }
}
