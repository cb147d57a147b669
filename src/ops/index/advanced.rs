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

/// Along each dimension of the walk, where a box begins and how far it goes.
type Ranges = SmallVec<[(i64, i64); 4]>;

/// A box of the walk.
pub(super) struct Part {
    /// The walk over the box.
    pub places: Places,
    ranges: Ranges,
}

impl Part {
    /// Of a layout of the size of the walk what is in the box.
    pub fn of(&self, whole: &Layout) -> Result<Layout> {
        narrowed(whole, &self.ranges)
    }
}

fn narrowed(layout: &Layout, ranges: &Ranges) -> Result<Layout> {
    ranges.iter().enumerate().try_fold(layout.clone(), |layout, (d, (from, count))| layout.narrow(d as i64, *from, *count))
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
        Ok(Selection { places: Places { sizes, strides, start: 0, picks }, indices })
    }

    /// The places, every index of which is in range. Fails with an `IndexError` for the first that is not.
    pub fn checked(mut self) -> Result<Places> {
        match self.put_in_range()? {
            None => Ok(self.places),
            Some((_, error)) => Err(error),
        }
    }

    /// The places in the order of the walk, to the end or to the first one with an index out of range: in boxes, and the `IndexError`
    /// where there is one.
    pub fn until_outside(mut self) -> Result<(Vec<Part>, Option<anyhow::Error>)> {
        match self.put_in_range()? {
            None => {
                Ok((vec![Part { ranges: self.places.sizes.iter().map(|&size| (0, size)).collect(), places: self.places }], None))
            }
            Some((place, error)) => Ok((self.before(place)?, Some(error))),
        }
    }

    /// Counts indices from the front. Where one is out of range, nothing is changed, and it gives the number of the first such place
    /// and what is said of it.
    fn put_in_range(&mut self) -> Result<Option<(i64, anyhow::Error)>> {
        if self.places.sizes.contains(&0) {
            return Ok(None);
        }
        let in_range = |pick: &exec::Pick| exec::checked_indices(&pick.index, -pick.size, pick.size, |i| err!(IndexError, "{i}"));
        match self.places.picks.iter().map(in_range).collect::<Result<Vec<Tensor>>>() {
            Ok(indices) => {
                self.places.picks.iter_mut().zip(indices).for_each(|(pick, index)| pick.index = index);
                Ok(None)
            }
            Err(error) => Ok(Some(self.first_outside()?.unwrap_or((0, error)))),
        }
    }

    /// The first place with an index out of range, which is said of the first such index there.
    fn first_outside(&self) -> Result<Option<(i64, anyhow::Error)>> {
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
        Ok(first.map(|(place, error)| (place as i64, error)))
    }

    /// The places before the one of this number: whole rows, then what is before it in its row, in boxes.
    fn before(&self, place: i64) -> Result<Vec<Part>> {
        let sizes = &self.places.sizes;
        let (mut ranges, mut left, mut parts) = (sizes.iter().map(|&size| (0, size)).collect::<Ranges>(), place, vec![]);
        for d in 0..sizes.len() {
            let row: i64 = sizes[d + 1..].iter().product();
            let at = left / row;
            left %= row;
            ranges[d] = (0, at);
            if at > 0 {
                parts.push(self.part(ranges.clone())?);
            }
            ranges[d] = (at, 1);
        }
        Ok(parts)
    }

    /// The places in a box.
    fn part(&self, ranges: Ranges) -> Result<Part> {
        let picks = self.places.picks.iter().map(|pick| {
            let inside = pick.index.alias(narrowed(&pick.index.layout(), &ranges)?)?;
            let index = exec::checked_indices(&inside, -pick.size, pick.size, |i| err!(IndexError, "{i}"))?;
            Ok(exec::Pick { index, size: pick.size, stride: pick.stride })
        });
        let strides = self.places.strides.clone();
        let start = ranges.iter().zip(&strides).map(|((from, _), stride)| from * stride).sum();
        let places = Places {
            sizes: ranges.iter().map(|(_, count)| *count).collect(),
            strides,
            start,
            picks: picks.collect::<Result<_>>()?,
        };
        Ok(Part { places, ranges })
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
