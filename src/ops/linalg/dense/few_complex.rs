//! Sums for complex matrices of few rows, in the order of the library behind PyTorch.

use super::few::First;
use super::field::Field;
use super::parts::Kept;
use crate::kernel::follows_intel;

/// The sum of the products of a column, conjugated, and a vector. On Intel's processors in lanes, or in double precision one by one for
/// a column that is `alone`; on AMD's the products of the column's real parts and those of its imaginary ones have sums by themselves,
/// of which single precision has two each.
pub fn inner<T: Field>(column: &[T], v: &[T], alone: bool) -> T {
    if !follows_intel() {
        return by_parts(column, v);
    }
    let terms: Vec<T> = column.iter().zip(v).map(|(x, v)| x.conjugate().times(*v, Kept::ByReal)).collect();
    match size_of::<T>() == 16 && alone {
        true => terms.iter().fold(T::zero(), |sum, term| sum + *term),
        false => in_lanes(&terms),
    }
}

/// The sum of terms in four lanes.
pub fn in_lanes<T: Field>(terms: &[T]) -> T {
    let mut lanes = [T::zero(); 4];
    terms.iter().enumerate().for_each(|(i, term)| lanes[i % 4] += *term);
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

fn by_parts<T: Field>(column: &[T], v: &[T]) -> T {
    let is_single = size_of::<T>() == 8;
    // The first one is before the lanes.
    let [first, second] = in_two_lanes(column, v, |k| if is_single { k.saturating_sub(1) % 2 } else { 0 });
    joined([first[0] + second[0], first[1] + second[1]])
}

/// The sum of the products of a vector, conjugated, and another on AMD's processors, in two lanes. In single precision as many terms as
/// `before` says are in the first lane before there are two.
pub fn conjugated<T: Field>(x: &[T], y: &[T], before: usize) -> T {
    let lanes = in_two_lanes(x, y, |k| k.checked_sub(before).map_or(0, |k| k % 2));
    match size_of::<T>() {
        16 => joined([lanes[0][0] + lanes[1][0], lanes[0][1] + lanes[1][1]]),
        _ => joined(lanes[0]) + joined(lanes[1]),
    }
}

/// Sums of the products of a vector's real parts, and of its imaginary ones, in the lane that a term is in.
fn in_two_lanes<T: Field>(x: &[T], y: &[T], lane: impl Fn(usize) -> usize) -> [[T; 2]; 2] {
    let mut sums = [[T::zero(); 2]; 2];
    for (k, (x, y)) in x.iter().zip(y).enumerate() {
        let [real, imaginary] = &mut sums[lane(k)];
        *real += y.scale(x.real());
        *imaginary += y.scale(x.imaginary());
    }
    sums
}

/// The sum of what real parts and what imaginary parts of a conjugated vector give.
fn joined<T: Field>([real, imaginary]: [T; 2]) -> T {
    T::of_parts(real.real() + imaginary.imaginary(), real.imaginary() - imaginary.real())
}

/// The sum of the products of a row and a vector. On AMD's processors single precision takes them in fours, of which the third comes
/// first; on Intel's each has a part that is `kept`.
pub fn across<T: Field>(row: &[T], v: &[T], first: First, kept: impl Fn(usize) -> Kept) -> T {
    let add = |sum: T, k: usize| sum + row[k].times(v[k], kept(k));
    let apart = usize::from(first == First::Apart);
    let whole = if follows_intel() || size_of::<T>() == 16 { 0 } else { (v.len() - apart) / 4 * 4 };
    let fours = (apart..apart + whole).step_by(4).flat_map(|k| [k + 2, k, k + 1, k + 3]);
    (0..apart).chain(fours).chain(apart + whole..v.len()).fold(T::zero(), add)
}

/// `x + factor product`: on AMD's processors double precision adds one half of each part after the other.
pub fn plus_in_turn<T: Field>(x: T, factor: T, product: T) -> T {
    if follows_intel() || size_of::<T>() == 8 {
        return x.plus(product, factor);
    }
    let (re, im) = (factor.real(), factor.imaginary());
    T::of_parts(
        (x.real() + re * product.real()) - im * product.imaginary(),
        (x.imaginary() + re * product.imaginary()) + im * product.real(),
    )
}
