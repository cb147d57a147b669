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
    let mut sums = [[T::zero(); 2]; 2];
    for (k, (x, v)) in column.iter().zip(v).enumerate() {
        // The first one is before the lanes.
        let lane = if is_single { k.saturating_sub(1) % 2 } else { 0 };
        let [real, imaginary] = &mut sums[lane];
        *real += v.scale(x.real());
        *imaginary += v.scale(x.imaginary());
    }
    let [real, imaginary] = [0, 1].map(|part| sums[0][part] + sums[1][part]);
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

/// `x + factor product` for the first entry of a row: on AMD's processors double precision adds one half of each part after the other.
pub fn first_of_row<T: Field>(x: T, factor: T, product: T) -> T {
    if follows_intel() || size_of::<T>() == 8 {
        return x.plus(product, factor);
    }
    let (re, im) = (factor.real(), factor.imaginary());
    T::of_parts(
        (x.real() + re * product.real()) - im * product.imaginary(),
        (x.imaginary() + re * product.imaginary()) + im * product.real(),
    )
}
