//! Reordering, adding and dropping dimensions. No cell moves.

use super::dims::{without, wrap_dim, wrap_dims_in_turn};
use super::{DimList, Layout};
use anyhow::Result;

impl Layout {
    /// Dimension `k` of the result is dimension `dims[k]`. Fails with a `RuntimeError` unless every dimension is named once,
    /// with an `IndexError` out of range.
    pub fn permute(&self, dims: &[i64]) -> Result<Layout> {
        if dims.len() != self.ndim() {
            fault!(
                RuntimeError,
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
                self.ndim(),
                dims.len()
            );
        }
        let mut order = DimList::new();
        for &dim in dims {
            let place = wrap_dim(dim, self.ndim())?;
            if order.contains(&place) {
                fault!(RuntimeError, "permute(): duplicate dims are not allowed.");
            }
            order.push(place);
        }
        Ok(self.reordered(order))
    }

    /// Dimensions in another order; `order` must be a permutation.
    fn reordered(&self, order: impl IntoIterator<Item = usize>) -> Layout {
        let (sizes, strides) = order.into_iter().map(|k| (self.sizes[k], self.strides[k])).unzip();
        Layout { sizes, strides, offset: self.offset }
    }

    /// Swaps two dimensions; a 0-d layout stays as it is. Fails with an `IndexError` out of range.
    pub fn transpose(&self, dim0: i64, dim1: i64) -> Result<Layout> {
        let (dim0, dim1) = (wrap_dim(dim0, self.ndim())?, wrap_dim(dim1, self.ndim())?);
        let mut layout = self.clone();
        if self.ndim() > 0 {
            layout.sizes.swap(dim0, dim1);
            layout.strides.swap(dim0, dim1);
        }
        Ok(layout)
    }

    /// Swaps rows and columns of a matrix; 0-d and 1-d layouts stay as they are. Fails with a `RuntimeError` on more.
    pub fn t(&self) -> Result<Layout> {
        if self.ndim() > 2 {
            fault!(RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is {}D", self.ndim());
        }
        Ok(self.reversed())
    }

    /// All dimensions in reverse order: `x.T`.
    pub fn reversed(&self) -> Layout {
        let mut layout = self.clone();
        layout.sizes.reverse();
        layout.strides.reverse();
        layout
    }

    /// Swaps the last two dimensions, for `property` (`tensor.mT`, `tensor.mH`, `tensor.adjoint()`). A 0-d layout stays as it
    /// is. Fails with a `RuntimeError` on a 1-d layout.
    pub fn matrix_transpose(&self, property: &str) -> Result<Layout> {
        match self.ndim() {
            0 => Ok(self.clone()),
            1 => fault!(RuntimeError, "{property} is only supported on matrices or batches of matrices. Got 1-D tensor."),
            _ => self.transpose(-2, -1),
        }
    }

    /// Swaps rows and columns of one matrix, for `x.H`. A 0-d layout stays as it is. Fails with a `RuntimeError` on others.
    pub fn hermitian(&self) -> Result<Layout> {
        match self.ndim() {
            0 | 2 => Ok(self.reversed()),
            n => {
                let hint = if n > 2 { " For batches of matrices, consider using tensor.mH" } else { "" };
                fault!(RuntimeError, "tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor.{hint}")
            }
        }
    }

    /// Moves dimension `source[k]` to place `destination[k]`; the others keep their order. Fails with a `RuntimeError` for
    /// lists of different length or with repeats, with an `IndexError` out of range.
    pub fn movedim(&self, source: &[i64], destination: &[i64]) -> Result<Layout> {
        if source.len() != destination.len() {
            fault!(
                RuntimeError,
                "movedim: Invalid source or destination dims: source ({source:?} dims) should contain the same number of dims as destination ({destination:?} dims)"
            );
        }
        let from = source.iter().map(|&d| wrap_dim(d, self.ndim())).collect::<Result<DimList>>()?;
        let to = destination.iter().map(|&d| wrap_dim(d, self.ndim())).collect::<Result<DimList>>()?;
        for (name, given, places) in [("source", source, &from), ("destination", destination, &to)] {
            if places.iter().enumerate().any(|(k, place)| places[..k].contains(place)) {
                fault!(RuntimeError, "movedim: repeated dim in `{name}` ({given:?})");
            }
        }
        let mut rest = (0..self.ndim()).filter(|k| !from.contains(k));
        let order = (0..self.ndim()).filter_map(|place| match to.iter().position(|&t| t == place) {
            Some(k) => Some(from[k]),
            None => rest.next(),
        });
        Ok(self.reordered(order))
    }

    /// A new dimension of size 1 at `dim`, which may be `ndim`. Fails with an `IndexError` out of range.
    pub fn unsqueeze(&self, dim: i64) -> Result<Layout> {
        let place = wrap_dim(dim, self.ndim() + 1)?;
        let stride = match self.sizes.get(place) {
            Some(size) => size.wrapping_mul(self.strides[place]),
            None => 1,
        };
        let mut layout = self.clone();
        layout.sizes.insert(place, 1);
        layout.strides.insert(place, stride);
        Ok(layout)
    }

    /// Drops every dimension of size 1.
    pub fn squeeze(&self) -> Layout {
        self.reordered((0..self.ndim()).filter(|&k| self.sizes[k] != 1))
    }

    /// Drops those of the named dimensions that have size 1. Fails with an `IndexError` out of range, with a `RuntimeError`
    /// when one is named twice.
    pub fn squeeze_dims(&self, dims: &[i64]) -> Result<Layout> {
        let dims = wrap_dims_in_turn(dims, self.ndim())?;
        Ok(self.reordered((0..self.ndim()).filter(|k| self.sizes[*k] != 1 || !dims.contains(k))))
    }

    /// Walks the named dimensions backwards, with negative strides. PyTorch has no such views: `flip` copies from this one.
    /// Fails with an `IndexError` out of range, with a `RuntimeError` when a dimension is named twice.
    pub fn flip(&self, dims: &[i64]) -> Result<Layout> {
        let mut layout = self.clone();
        for place in wrap_dims_in_turn(dims, self.ndim())? {
            if let Some(&size) = self.sizes.get(place) {
                let last = (size - 1).max(0);
                layout.offset = layout.offset.wrapping_add(last.wrapping_mul(self.strides[place]));
                layout.strides[place] = self.strides[place].wrapping_neg();
            }
        }
        Ok(layout)
    }

    /// Dimension `place` taken out, starting at another cell.
    pub(super) fn drop_dim(&self, place: usize, offset: i64) -> Layout {
        Layout { sizes: without(&self.sizes, place), strides: without(&self.strides, place), offset }
    }

    /// The cells that `count` steps in a dimension lead away; wraps, since an empty layout may hold any stride.
    pub(super) fn steps(&self, place: usize, count: i64) -> i64 {
        count.wrapping_mul(self.strides[place])
    }

    /// This layout with one more dimension at the end.
    pub(super) fn with_last(mut self, size: i64, stride: i64) -> Layout {
        self.sizes.push(size);
        self.strides.push(stride);
        self
    }
}
