//! Repeating without copying: a stride of 0 makes one cell serve a whole dimension.

use super::dims::checked_numel;
use super::{Dims, Layout};
use anyhow::Result;

/// The sizes that both broadcast to: aligned at the last dimension, equal or one of them 1. Fails with a `RuntimeError`.
pub fn broadcast_sizes(a: &[i64], b: &[i64]) -> Result<Dims> {
    let ndim = a.len().max(b.len());
    let at = |sizes: &[i64], dim: usize| (dim + sizes.len()).checked_sub(ndim).map_or(1, |k| sizes[k]);
    let mut joint = Dims::from_elem(1, ndim);
    for dim in (0..ndim).rev() {
        joint[dim] = match (at(a, dim), at(b, dim)) {
            (1, size) | (size, 1) => size,
            (p, q) if p == q => p,
            (p, q) => fault!(
                RuntimeError,
                "The size of tensor a ({p}) must match the size of tensor b ({q}) at non-singleton dimension {dim}"
            ),
        };
    }
    Ok(joint)
}

/// The sizes that all of a list broadcast to; none at all broadcast to a 0-d tensor. Fails with a `RuntimeError`.
pub fn broadcast_all<'a>(shapes: impl IntoIterator<Item = &'a [i64]>) -> Result<Dims> {
    shapes.into_iter().try_fold(Dims::new(), |joint, sizes| broadcast_sizes(&joint, sizes))
}

impl Layout {
    /// Repeats dimensions of size 1 up to `sizes`, adding leading ones; -1 keeps a size. Fails with a `RuntimeError`.
    pub fn expand(&self, sizes: &[i64]) -> Result<Layout> {
        let Some(leading) = sizes.len().checked_sub(self.ndim()) else {
            fault!(
                RuntimeError,
                "expand(Tensor{{{:?}}}, size={sizes:?}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor ({})",
                self.sizes.as_slice(),
                sizes.len(),
                self.ndim()
            );
        };
        let mut layout = Layout { sizes: Dims::from_slice(sizes), strides: Dims::from_elem(0, sizes.len()), offset: self.offset };
        for (dim, &wanted) in sizes.iter().enumerate().rev() {
            if let Some(old) = dim.checked_sub(leading) {
                let size = self.sizes[old];
                if wanted == -1 || wanted == size {
                    layout.sizes[dim] = size;
                    layout.strides[dim] = self.strides[old];
                } else if size != 1 {
                    return self.refuse_expansion(dim, wanted, size, sizes);
                }
            } else if wanted == -1 && self.ndim() > 0 {
                fault!(
                    RuntimeError,
                    "The expanded size of the tensor ({wanted}) isn't allowed in a leading, non-existing dimension {dim}"
                );
            } else if wanted == 1 && self.ndim() > 0 {
                // PyTorch lets an added dimension of size 1 lie around the next one; only its stride shows it.
                layout.strides[dim] = layout.sizes[dim + 1].wrapping_mul(layout.strides[dim + 1]);
            }
        }
        // Other negative sizes are found out when the elements are counted.
        checked_numel(&layout.sizes)?;
        Ok(layout)
    }

    fn refuse_expansion(&self, dim: usize, wanted: i64, size: i64, sizes: &[i64]) -> Result<Layout> {
        fault!(
            RuntimeError,
            "The expanded size of the tensor ({wanted}) must match the existing size ({size}) at non-singleton dimension {dim}.  Target sizes: {sizes:?}.  Tensor sizes: {:?}",
            self.sizes.as_slice()
        )
    }

    /// This layout as one operand of an operation over `sizes`, which its own must broadcast to. Unlike [`Layout::expand`], a
    /// size of -1 means nothing.
    pub fn broadcast_to(&self, sizes: &[i64]) -> Result<Layout> {
        match sizes.iter().find(|s| **s < 0) {
            Some(size) => fault!(RuntimeError, "cannot broadcast to a negative size: {size} in {sizes:?}"),
            None => self.expand(sizes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sizes_that_do_not_meet_are_named() {
        let message = broadcast_sizes(&[2, 3], &[3, 4]).unwrap_err().to_string();
        assert_eq!(message, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
        let message = broadcast_sizes(&[2, 3], &[2, 4]).unwrap_err().to_string();
        assert_eq!(message, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
        let message = broadcast_all([&[3, 1][..], &[4], &[2, 1, 1], &[5]]).unwrap_err().to_string();
        assert_eq!(message, "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 2");
    }

    #[test]
    fn joint_sizes() {
        assert_eq!(broadcast_all([&[3, 1][..], &[4], &[2, 1, 1]]).unwrap().as_slice(), [2, 3, 4]);
        assert_eq!(broadcast_sizes(&[0], &[1]).unwrap().as_slice(), [0]);
        assert_eq!(broadcast_all([]).unwrap().as_slice(), [0i64; 0]);
    }
}
