//! Other sizes for the same elements: when `view` can, and why not when it cannot.

use super::dims::wrap_dim;
use super::{Dims, Layout, contiguous_strides};
use anyhow::Result;

/// Why a layout cannot be viewed with other sizes: the strides that the first elements ask for miss a later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The new dimension that would need two strides.
    pub dim: usize,
    /// The old dimension whose stride breaks the even walk.
    pub seam: usize,
    /// The first element out of step, as an index in the new sizes.
    pub index: Dims,
    /// The cell where strides would look for it.
    pub needed: i64,
    /// The cell where it is.
    pub found: i64,
}

/// Fills in a -1 among `shape` so that it holds `numel` elements. Fails with a `RuntimeError` when it cannot.
pub fn infer_sizes(shape: &[i64], numel: i64) -> Result<Dims> {
    let mut unknown = None;
    let mut known = Some(1i64);
    for (place, &size) in shape.iter().enumerate() {
        match size {
            -1 if unknown.is_some() => fault!(RuntimeError, "only one dimension can be inferred"),
            -1 => unknown = Some(place),
            ..0 => fault!(RuntimeError, "invalid shape dimension {size} at index {place} of shape {shape:?}"),
            _ => known = known.and_then(|n| n.checked_mul(size)),
        }
    }
    let mut sizes = Dims::from_slice(shape);
    match (unknown, known) {
        (None, Some(n)) if n == numel => {}
        (Some(place), Some(n)) if n > 0 && numel % n == 0 => sizes[place] = numel / n,
        (Some(_), Some(0)) if numel == 0 => fault!(
            RuntimeError,
            "cannot reshape tensor of 0 elements into shape {shape:?} because the unspecified dimension size -1 can be any value and is ambiguous"
        ),
        _ => fault!(RuntimeError, "shape '{shape:?}' is invalid for input of size {numel}"),
    }
    Ok(sizes)
}

impl Layout {
    /// These sizes over the same cells, or none when no strides can do it and the elements must be copied. `sizes` must have
    /// no -1 and the same number of elements.
    ///
    /// Old dimensions that one stride can walk form a run; every run must be filled exactly by consecutive new dimensions.
    pub fn try_view(&self, sizes: &[i64]) -> Option<Layout> {
        let layout = |strides: Dims| Layout { sizes: Dims::from_slice(sizes), strides, offset: self.offset };
        if self.numel() == 0 {
            return Some(layout(if sizes == &self.sizes[..] { self.strides.clone() } else { contiguous_strides(sizes) }));
        }
        if self.is_row_major() {
            return Some(layout(contiguous_strides(sizes)));
        }
        let mut strides = Dims::from_elem(1, sizes.len());
        let mut next = sizes.len();
        for run in self.runs() {
            let mut filled = 1;
            while next > 0 && (filled < run.cells || sizes[next - 1] == 1) {
                next -= 1;
                strides[next] = filled.wrapping_mul(run.stride);
                filled *= sizes[next];
            }
            if filled != run.cells {
                return None;
            }
        }
        (next == 0 || self.ndim() == 0).then(|| layout(strides))
    }

    /// These sizes over the same cells; one size may be -1. Fails with a `RuntimeError` when the number of elements differs or
    /// the elements would have to be copied.
    pub fn view(&self, shape: &[i64]) -> Result<Layout> {
        let sizes = infer_sizes(shape, self.numel())?;
        match self.try_view(&sizes) {
            Some(layout) => Ok(layout),
            None => fault!(
                RuntimeError,
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead."
            ),
        }
    }

    /// The layout `reshape` gives without copying; none when it must copy into a contiguous layout of
    /// [`infer_sizes`]`(shape)`. Fails with a `RuntimeError` when the number of elements differs.
    pub fn reshape_view(&self, shape: &[i64]) -> Result<Option<Layout>> {
        Ok(self.try_view(&infer_sizes(shape, self.numel())?))
    }

    /// What stands in the way of a view with these sizes (no -1, same number of elements); none when nothing does.
    pub fn view_obstacle(&self, sizes: &[i64]) -> Option<Obstacle> {
        if self.numel() == 0 {
            return None;
        }
        let products = suffix_products(sizes);
        let mut cells = 1;
        for run in self.runs() {
            let (before, after) = (cells, cells * run.cells);
            if products.contains(&after) {
                cells = after;
                continue;
            }
            let dim = products.iter().skip(1).position(|&p| p < after)?;
            let index = Layout::contiguous(sizes).nth_index(after);
            let needed = self.offset + after / before * run.stride;
            return Some(Obstacle { dim, seam: run.first.checked_sub(1)?, index, needed, found: self.nth_cell(after) });
        }
        None
    }

    /// Makes one dimension of `start` to `end`: the sizes, and the layout unless the elements must be copied. Fails with an
    /// `IndexError` out of range, with a `RuntimeError` when `end` comes before `start`.
    pub fn flatten(&self, start: i64, end: i64) -> Result<(Dims, Option<Layout>)> {
        let (start, end) = (wrap_dim(start, self.ndim())?, wrap_dim(end, self.ndim())?);
        if start > end {
            fault!(RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim");
        }
        if start == end && self.ndim() > 0 {
            return Ok((self.sizes.clone(), Some(self.clone())));
        }
        let mut sizes = Dims::from_slice(&self.sizes[..start]);
        sizes.push(self.sizes.iter().skip(start).take(end - start + 1).product());
        sizes.extend(self.sizes.iter().skip(end + 1).copied());
        let view = self.try_view(&sizes);
        Ok((sizes, view))
    }

    /// Splits a dimension into several; one size may be -1. Always a view. Fails with an `IndexError` or a `RuntimeError`.
    pub fn unflatten(&self, dim: i64, sizes: &[i64]) -> Result<Layout> {
        let place = wrap_dim(dim, self.ndim())?;
        if sizes.is_empty() {
            fault!(RuntimeError, "unflatten: sizes must be non-empty");
        }
        let Some(&size) = self.sizes.get(place) else {
            fault!(
                RuntimeError,
                "unflatten got an unexpected error:\nDimension specified as {place} but tensor has no dimensions"
            );
        };
        let parts = match infer_sizes(sizes, size) {
            Ok(parts) => parts,
            Err(error) if error.to_string().starts_with("shape") => fault!(
                RuntimeError,
                "unflatten: Provided sizes {sizes:?} don't multiply up to the size of dim {place} ({size}) in the input tensor"
            ),
            Err(error) => fault!(RuntimeError, "unflatten got an unexpected error:\n{error}"),
        };
        let mut shape = Dims::from_slice(&self.sizes[..place]);
        shape.extend_from_slice(&parts);
        shape.extend_from_slice(&self.sizes[place + 1..]);
        self.view(&shape)
    }

    /// The runs of this non-empty layout from the last dimension to the first.
    fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        let mut place = self.ndim();
        std::iter::from_fn(move || {
            let mut run: Option<Run> = None;
            while place > 0 {
                let (size, stride) = (self.sizes[place - 1], self.strides[place - 1]);
                match &mut run {
                    None => run = Some(Run { cells: size, stride, first: place - 1 }),
                    Some(run) if size == 1 => run.first = place - 1,
                    Some(run) if stride == run.cells.wrapping_mul(run.stride) => {
                        run.cells *= size;
                        run.first = place - 1;
                    }
                    Some(_) => return run,
                }
                place -= 1;
            }
            run
        })
    }
}

/// Neighbouring dimensions that one stride can walk.
struct Run {
    cells: i64,
    stride: i64,
    /// Its first dimension.
    first: usize,
}

/// For each place in `sizes` the product of the sizes from there on, and 1 at the end.
fn suffix_products(sizes: &[i64]) -> Dims {
    let mut products = Dims::from_elem(1, sizes.len() + 1);
    for k in (0..sizes.len()).rev() {
        products[k] = products[k + 1].saturating_mul(sizes[k]);
    }
    products
}
