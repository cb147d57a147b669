//! Sums and reflections of real matrices of few rows, in the order of the library behind PyTorch. On Intel's processors products are
//! added without rounding them before, in lanes of a vector; on AMD's every operation rounds, and where a column lies in memory
//! decides about the order.

use super::Matrix;
use super::few::First;
use super::field::Field;
use crate::kernel::aligned::{Member, sum_of_member};
use crate::kernel::follows_intel;
use crate::kernel::halves::in_halves;
use std::ops::Range;

/// Columns that are multiplied by a vector at a time.
const GROUP: usize = 4;

/// The sum of the products of a column and a vector.
pub fn beside<T: Field>(x: &[T], v: &[T], member: Member) -> T {
    if !follows_intel() {
        return sum_of_member(x.len().min(v.len()), |k| x[k] * v[k], member);
    }
    match size_of::<T>() {
        4 => beside_single(x, v, member.index < member.count / GROUP * GROUP),
        _ => {
            let mut lanes = added([T::zero(); 8], x, v, T::plus);
            let (low, high) = lanes.split_at_mut(4);
            in_halves(low, |a, b| a + b) + in_halves(high, |a, b| a + b)
        }
    }
}

/// In single precision the first product is apart: columns in fours start with it, and those that are over end with it.
fn beside_single<T: Field>(x: &[T], v: &[T], in_fours: bool) -> T {
    let [Some((x0, x)), Some((v0, v))] = [x.split_first(), v.split_first()] else { return T::zero() };
    let first = *x0 * *v0;
    if x.is_empty() {
        return first;
    }
    let mut lanes = [T::zero(); 16];
    lanes[0] = if in_fours { first } else { T::zero() };
    let mut lanes = added(lanes, x, v, T::plus);
    let others = in_halves(&mut lanes, |a, b| a + b);
    if in_fours { others } else { first + others }
}

/// The products of two vectors added to so many lanes in turn, by a function of a sum and two factors.
pub fn added<T: Field, const N: usize>(mut lanes: [T; N], x: &[T], v: &[T], plus: impl Fn(T, T, T) -> T) -> [T; N] {
    x.iter().zip(v).enumerate().for_each(|(k, (x, v))| lanes[k % N] = plus(lanes[k % N], *x, *v));
    lanes
}

/// `start` and the products of a row and a vector. Where the entries of that lie apart, as those of a row do, Intel's processors take
/// single precision in fours, the odd ones of which have a sum of their own.
fn across<T: Field>(start: T, x: &[T], v: &[T], is_apart: bool) -> T {
    let in_fours = if is_apart && follows_intel() && size_of::<T>() == 4 { x.len() / GROUP * GROUP } else { 0 };
    let ((x, other_x), (v, other_v)) = (x.split_at(in_fours), v.split_at(in_fours));
    let fours = x.chunks(GROUP).zip(v.chunks(GROUP)).fold(start, |sum, (x, v)| {
        let odd = (x[3] * v[3]).plus(x[1], v[1]);
        sum.plus(x[2], v[2]).plus(x[0], v[0]) + odd
    });
    other_x.iter().zip(other_v).fold(fours, |sum, (x, v)| sum.plus(*x, *v))
}

/// The product of a row and a direction, whose entries may lie apart.
pub fn row_product<T: Field>(x: &[T], v: &[T], first: First, is_apart: bool) -> T {
    match first {
        First::Among => across(T::zero(), x, v, is_apart),
        First::Apart => across(x[0], &x[1..], &v[1..], is_apart),
    }
}

/// `column -= v factor (vᵀ column)` for the columns of a matrix from a row on.
pub fn reflect_columns<T: Field>(
    v: &[T],
    at: Option<usize>,
    factor: T,
    a: &mut Matrix<T>,
    row: usize,
    columns: Range<usize>,
    first: First,
) {
    let height = a.nrows();
    let apart = usize::from(first == First::Apart);
    let count = columns.len();
    for (index, column) in a.as_mut_slice().chunks_mut(height).skip(columns.start).take(count).enumerate() {
        let x = &mut column[row..][..v.len()];
        let last = (columns.start + index / GROUP * GROUP + GROUP - 1) * height + row + apart;
        let member = Member { index, count, last, vector: at.map(|at| at + apart) };
        let sum = beside(&x[apart..], &v[apart..], member);
        let product = x[..apart].iter().fold(sum, |sum, x| sum + *x);
        let by = -factor * product;
        x[..apart].iter_mut().for_each(|x| *x = x.plus(-factor, product));
        x[apart..].iter_mut().zip(&v[apart..]).for_each(|(x, v)| *x = x.plus(*v, by));
    }
}
