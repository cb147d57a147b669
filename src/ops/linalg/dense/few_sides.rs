//! Systems with a real triangular matrix of few rows, as the library behind PyTorch solves them on AMD's processors, and on Intel's
//! those of one right side. Either each unknown is taken from all others as soon as it is known; or two unknowns after each other
//! make a pair, and what is known before a pair comes before what its unknowns know of each other.

use super::Matrix;
use super::few_real::added;
use super::field::Field;
use super::triangular::{Lying, Shape};
use crate::kernel::blas::less;
use crate::kernel::follows_intel;
use crate::kernel::halves::in_halves;
use std::ops::Range;

/// How many unknowns there are at most; in pairs for single and for double precision, and of one right side on Intel's processors.
const MOST: usize = 8;
const MOST_IN_PAIRS: [usize; 2] = [7, 5];
const MOST_ALONE: usize = 12;

/// How known unknowns are taken from a right side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// In the order in which they became known.
    AsKnown,
    /// In the order in which they stand.
    AsTheyStand,
    /// Before a pair in their order, and then the other one of the pair.
    Pairs,
    /// The sum of those before a pair, after the other one of the pair.
    AtOnce,
    /// The sum in lanes of those before a pair, and then the other one of the pair.
    InLanes,
}

impl Manner {
    fn of<T: Field>(columns: usize, lying: Lying) -> Manner {
        match (lying, columns, size_of::<T>()) {
            (Lying::BesideStraight, 1, _) => Manner::Pairs,
            (Lying::BesideStraight, ..) => Manner::AsTheyStand,
            (Lying::Beside, ..) | (Lying::Straight, 1, _) => Manner::AsKnown,
            _ if follows_intel() => Manner::InLanes,
            (_, 1, _) | (_, _, 8) => Manner::Pairs,
            _ => Manner::AtOnce,
        }
    }
}

/// True for so many unknowns and right sides that are solved here.
pub fn takes<T: Field>(unknowns: usize, columns: usize, lying: Lying) -> bool {
    if follows_intel() {
        let is_beside = matches!(lying, Lying::Beside | Lying::BesideStraight);
        return !T::IS_COMPLEX && columns == 1 && !is_beside && unknowns <= MOST_ALONE;
    }
    let [single, double] = MOST_IN_PAIRS;
    let most = match (Manner::of::<T>(columns, lying), lying) {
        (Manner::AsKnown | Manner::AsTheyStand, _) => MOST,
        _ if columns == 1 => MOST,
        (Manner::AtOnce, Lying::Turned) => single,
        _ => double,
    };
    !T::IS_COMPLEX && unknowns <= most
}

/// Solves `T x = b` for every column of `b`, in place. A single one is divided by the diagonal, several are multiplied by its
/// reciprocals.
pub fn solve<T: Field>(a: &Matrix<T>, b: &mut Matrix<T>, shape: Shape, lying: Lying) {
    let (height, columns) = b.shape();
    let n = a.ncols().min(a.nrows());
    let manner = Manner::of::<T>(columns, lying);
    // What lies column by column is added up from its end.
    let from_end = n == 5 && lying == Lying::Straight;
    for x in b.as_mut_slice().chunks_mut(height.max(1)) {
        for step in 0..n {
            let k = if shape.upper { n - 1 - step } else { step };
            let left = less_known(a, x, Row { k, n, upper: shape.upper }, manner, from_end);
            x[k] = match columns {
                _ if shape.unit => left,
                1 => left.over(a[(k, k)]),
                _ => left * T::one().over(a[(k, k)]),
            };
        }
    }
}

/// A row of `n`.
pub(super) struct Row {
    pub k: usize,
    pub n: usize,
    pub upper: bool,
}

impl Row {
    /// The other unknown of its pair, if that is known, and the known ones before the pair.
    pub fn known(&self) -> (Option<usize>, Range<usize>) {
        let Row { k, n, upper } = *self;
        match (upper, if upper { n - 1 - k } else { k } % 2 == 1) {
            (true, true) => (Some(k + 1), k + 2..n),
            (true, false) => (None, k + 1..n),
            (false, true) => (Some(k - 1), 0..k - 1),
            (false, false) => (None, 0..k),
        }
    }

    /// True for the first row of a pair behind one pair: what is known is taken one by one.
    pub fn is_short(&self) -> bool {
        let (partner, before) = self.known();
        self.upper && self.k > 0 && partner.is_none() && before.len() == 2
    }
}

/// A right side less what known unknowns take of it.
fn less_known<T: Field>(a: &Matrix<T>, x: &[T], row: Row, manner: Manner, from_end: bool) -> T {
    let k = row.k;
    let product = |i: usize| a[(k, i)] * x[i];
    let less = |left: T, i: usize| less(left, a[(k, i)], x[i]);
    if matches!(manner, Manner::AsKnown | Manner::AsTheyStand) {
        let known = if row.upper { k + 1..row.n } else { 0..k };
        let from_end = row.upper && manner == Manner::AsKnown;
        return if from_end { known.rev().fold(x[k], less) } else { known.fold(x[k], less) };
    }
    let is_short = row.is_short();
    let (partner, mut before) = row.known();
    let less_partner = |left: T| partner.map_or(left, |i| less(left, i));
    if manner == Manner::Pairs || before.is_empty() || is_short && manner == Manner::AtOnce {
        return less_partner(before.fold(x[k], less));
    }
    if manner == Manner::InLanes {
        let (row, known): (Vec<T>, Vec<T>) = before.map(|i| (a[(k, i)], x[i])).unzip();
        let sum = match size_of::<T>() {
            4 => in_halves(&mut added([T::zero(); 16], &row, &known, T::plus), |a, b| a + b),
            _ => in_halves(&mut added([T::zero(); 8], &row, &known, T::plus), |a, b| a + b),
        };
        return less_partner(x[k] - sum);
    }
    let sum = |sum: T, i: usize| sum + product(i);
    let products = if from_end {
        let last = before.next_back().map_or(T::zero(), product);
        before.rev().fold(last, sum)
    } else {
        let first = before.next().map_or(T::zero(), product);
        before.fold(first, sum)
    };
    less_partner(x[k]) - products
}
