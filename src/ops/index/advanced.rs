//! Tensors of indices over a view: which places they name, and in which order of dimensions the result comes.

use super::items::Pick;
use super::sequence::is_mask;
use crate::dtype::DType;
use crate::kernel::order::{expanded_strides, output_layout};
use crate::layout::{Dims, Layout, broadcast_all, wrap_dim};
use crate::ops::exec::{self, Places};
use crate::tensor::Tensor;
use anyhow::Result;
use smallvec::SmallVec;

/// What masks and tensors of indices pick from a tensor.
pub(super) struct Selection {
    /// The walk over the result.
    pub places: Places,
    /// How the indices lie, before they are repeated along the other dimensions.
    indices: SmallVec<[Layout; 2]>,
}

/// One dimension and its indices.
struct Axis {
    dim: usize,
    index: Tensor,
}

impl Selection {
    /// Works out which places of `x` the picks name; each dimension is picked at most once. Fails with an `IndexError` when sizes
    /// do not fit.
    pub fn new(x: &Tensor, picks: &[Pick]) -> Result<Selection> {
        let layout = x.layout();
        let axes = axes(&layout, picks)?;
        let joint = joint_sizes(&axes)?;
        let (before, after) = around(&layout, &axes);
        let kept = |dims: &[usize], of: &Dims| dims.iter().map(|&k| of[k]).collect::<Dims>();
        let sizes: Dims = [kept(&before, &layout.sizes), joint.clone(), kept(&after, &layout.sizes)].concat().into();
        let still = Dims::from_elem(0, joint.len());
        let strides: Dims = [kept(&before, &layout.strides), still, kept(&after, &layout.strides)].concat().into();
        if axes.iter().any(|a| layout.sizes[a.dim] == 0) && !joint.contains(&0) {
            fault!(IndexError, "index is out of bounds for dimension with size 0");
        }
        let ones = |dims: &[usize]| Dims::from_elem(1, dims.len());
        let alone: Dims = [ones(&before), joint.clone(), ones(&after)].concat().into();
        let (mut picks, mut indices) = (SmallVec::new(), SmallVec::new());
        for Axis { dim, index } in axes {
            let walk = index.layout().expand(&joint)?.view(&alone)?;
            let strides = expanded_strides(&walk, &sizes);
            let index = index.alias(Layout { sizes: sizes.clone(), strides, offset: walk.offset })?;
            picks.push(exec::Pick { index, size: layout.sizes[dim], stride: layout.strides[dim] });
            indices.push(walk);
        }
        Ok(Selection { places: Places { sizes, strides, picks }, indices })
    }

    /// The places, every index of which is in range. Fails with an `IndexError` for the first that is not.
    pub fn checked(self) -> Result<Places> {
        match self.until_outside()? {
            (places, None) => Ok(places),
            (_, Some((_, error))) => Err(error),
        }
    }

    /// The places whose indices are in range, to the end or to the row of the first place that is not: with it come how many rows
    /// there are before and the `IndexError`.
    pub fn until_outside(mut self) -> Result<(Places, Option<(i64, anyhow::Error)>)> {
        if self.places.sizes.contains(&0) {
            return Ok((self.places, None));
        }
        let sizes = self.places.sizes.clone();
        for pick in &mut self.places.picks {
            let size = pick.size;
            match exec::checked_indices(&pick.index, -size, size, |i| err!(IndexError, "{i}")) {
                Ok(index) => pick.index = index,
                Err(error) => return self.before_outside(&sizes, error),
            }
        }
        Ok((self.places, None))
    }

    /// The rows before the first place with an index out of range, which is said of the first such index there.
    fn before_outside(mut self, sizes: &Dims, error: anyhow::Error) -> Result<(Places, Option<(i64, anyhow::Error)>)> {
        let mut first: Option<(usize, anyhow::Error)> = None;
        for (number, pick) in self.places.picks.iter().enumerate() {
            let (size, index) = (pick.size, exec::read_vec::<i64>(&pick.index)?);
            let found = index.iter().enumerate().find(|(_, i)| **i < -size || **i >= size);
            if let Some((place, i)) = found
                && first.as_ref().is_none_or(|(least, _)| place < *least)
            {
                first = Some((place, err!(IndexError, "index {i} is out of bounds for dimension {number} with size {size}")));
            }
        }
        let (place, error) = first.unwrap_or((0, error));
        let row: i64 = sizes.iter().skip(1).product();
        let rows = place as i64 / row.max(1);
        if let Some(count) = self.places.sizes.first_mut() {
            *count = rows;
        }
        for pick in &mut self.places.picks {
            let before = pick.index.alias(pick.index.layout().narrow(0, 0, rows)?)?;
            pick.index = exec::checked_indices(&before, -pick.size, pick.size, |i| err!(IndexError, "{i}"))?;
        }
        Ok((self.places, Some((rows, error))))
    }

    /// The layout PyTorch gives the result: dense, in the order of dimensions of the table and the indices.
    pub fn output_layout(&self) -> Layout {
        let table = Layout { sizes: self.places.sizes.clone(), strides: self.places.strides.clone(), offset: 0 };
        let walked: SmallVec<[&Layout; 4]> = std::iter::once(&table).chain(&self.indices).collect();
        output_layout(&self.places.sizes, &walked)
    }
}

/// One axis per dimension: a mask becomes the coordinates of its true elements.
fn axes(layout: &Layout, picks: &[Pick]) -> Result<Vec<Axis>> {
    let mut axes = vec![];
    for Pick { dim, index } in picks {
        if !is_mask(index) {
            if !matches!(index.dtype(), DType::I64 | DType::I32) {
                fault!(IndexError, "tensors used as indices must be long, int, byte or bool tensors");
            }
            axes.push(Axis { dim: *dim, index: index.clone() });
            continue;
        }
        require_mask(&layout.sizes, *dim, index)?;
        let found = exec::nonzero(index)?;
        for k in 0..index.ndim() {
            axes.push(Axis { dim: dim + k, index: found.alias(found.layout().select(1, k as i64)?)? });
        }
    }
    Ok(axes)
}

/// Fails with an `IndexError` where a mask over the dimensions from `dim` on has other sizes than they.
pub(super) fn require_mask(sizes: &[i64], dim: usize, mask: &Tensor) -> Result<()> {
    let masked = mask.sizes();
    for (k, size) in masked.iter().enumerate() {
        if sizes[wrap_dim((dim + k) as i64, sizes.len())?] != *size {
            fault!(
                IndexError,
                "The shape of the mask {:?} at index {k} does not match the shape of the indexed tensor {sizes:?} at index {}",
                masked.as_slice(),
                dim + k
            );
        }
    }
    Ok(())
}

/// The sizes that all indices broadcast to.
fn joint_sizes(axes: &[Axis]) -> Result<Dims> {
    let sizes: Vec<Dims> = axes.iter().map(|a| a.index.sizes()).collect();
    broadcast_all(sizes.iter().map(|s| s.as_slice())).map_err(|_| {
        let shapes: Vec<String> = sizes.iter().map(|s| format!("{:?}", s.as_slice())).collect();
        err!(IndexError, "shape mismatch: indexing tensors could not be broadcast together with shapes {}", shapes.join(", "))
    })
}

/// The dimensions that stay, before and after those of the indices: theirs come where the indices stand when those stand side by
/// side, else first.
fn around(layout: &Layout, axes: &[Axis]) -> (Vec<usize>, Vec<usize>) {
    let side_by_side = axes.windows(2).all(|w| w[1].dim == w[0].dim + 1);
    let first = if side_by_side { axes.first().map_or(0, |a| a.dim) } else { 0 };
    (0..layout.ndim()).filter(|k| axes.iter().all(|a| a.dim != *k)).partition(|k| *k < first)
}
