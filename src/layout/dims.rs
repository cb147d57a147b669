//! Dimension numbers: negative ones count from the end, and lists name each dimension once.

use super::Dims;
use anyhow::Result;
use smallvec::SmallVec;

/// A set of dimensions, as places in `sizes`.
pub type DimList = SmallVec<[usize; 5]>;

/// A dimension number of an `ndim`-dimensional tensor as a place in `sizes`. A 0-d tensor counts as one dimension, so 0 and
/// -1 name the dimension it has not; use [`real_dim`] before touching `sizes`. Fails with an `IndexError`.
pub fn wrap_dim(dim: i64, ndim: usize) -> Result<usize> {
    let count = ndim.max(1) as i64;
    if dim < -count || dim >= count {
        fault!(IndexError, "Dimension out of range (expected to be in range of [{}, {}], but got {dim})", -count, count - 1);
    }
    Ok(if dim < 0 { dim + count } else { dim } as usize)
}

/// As [`wrap_dim`], for an operation that needs the dimension to exist: a 0-d tensor has none, whatever the number.
pub fn real_dim(dim: i64, ndim: usize) -> Result<usize> {
    if ndim == 0 {
        fault!(IndexError, "Dimension specified as {dim} but tensor has no dimensions");
    }
    wrap_dim(dim, ndim)
}

/// Each dimension number of a list, wrapped. Fails with an `IndexError` out of range, with a `RuntimeError` when one is named
/// twice.
pub fn wrap_dims(dims: &[i64], ndim: usize) -> Result<DimList> {
    let mut wrapped = DimList::new();
    let places: Result<DimList> = dims.iter().map(|dim| wrap_dim(*dim, ndim)).collect();
    for place in places? {
        if wrapped.contains(&place) {
            fault!(RuntimeError, "dim {place} appears multiple times in the list of dims");
        }
        wrapped.push(place);
    }
    Ok(wrapped)
}

/// As [`wrap_dims`], where one dimension after the other is looked at: what is named twice is told before what comes behind it.
pub fn wrap_dims_in_turn(dims: &[i64], ndim: usize) -> Result<DimList> {
    for count in 1..dims.len() {
        wrap_dims(&dims[..count], ndim)?;
    }
    wrap_dims(dims, ndim)
}

/// Number of elements of these sizes. Fails with a `RuntimeError` when it does not fit 63 bits or a size is negative.
pub fn checked_numel(sizes: &[i64]) -> Result<i64> {
    let mut numel = Some(1i64);
    for &size in sizes {
        if size < 0 {
            fault!(RuntimeError, "numel: integer multiplication overflow");
        }
        numel = numel.and_then(|n| n.checked_mul(size));
    }
    match numel {
        Some(n) => Ok(n),
        None => fault!(RuntimeError, "numel: integer multiplication overflow"),
    }
}

/// `from` with the entry at `place` taken out.
pub(super) fn without(from: &Dims, place: usize) -> Dims {
    let mut rest = Dims::from_slice(from);
    rest.remove(place);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_dims_count_from_the_end() {
        assert_eq!(wrap_dim(-1, 3).ok(), Some(2));
        assert_eq!(wrap_dim(-1, 0).ok(), Some(0));
        let message = wrap_dim(2, 2).unwrap_err().to_string();
        assert_eq!(message, "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    }

    #[test]
    fn a_list_names_each_dim_once() {
        assert_eq!(wrap_dims(&[1, -3], 3).unwrap().as_slice(), [1, 0]);
        assert_eq!(wrap_dims(&[0, -2], 2).unwrap_err().to_string(), "dim 0 appears multiple times in the list of dims");
    }

    #[test]
    fn sizes_that_overflow_are_refused() {
        assert_eq!(checked_numel(&[3, 0, 2]).unwrap(), 0);
        assert!(checked_numel(&[1 << 40, 1 << 40]).is_err());
        assert!(checked_numel(&[2, -1]).is_err());
    }
}
