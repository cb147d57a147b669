//! Sums for complex matrices of few rows, in the order of the library behind PyTorch.

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
    let lanes = 16 / size_of::<T>();
    let mut sums = [[T::zero(); 2]; 2];
    for (k, (x, v)) in column.iter().zip(v).enumerate() {
        let [real, imaginary] = &mut sums[k % lanes];
        *real += v.scale(x.real());
        *imaginary += v.scale(x.imaginary());
    }
    let [real, imaginary] = [0, 1].map(|part| sums[0][part] + sums[1][part]);
    T::of_parts(real.real() + imaginary.imaginary(), real.imaginary() - imaginary.real())
}
