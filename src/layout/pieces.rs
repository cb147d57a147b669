//! Cutting a tensor into a list of parts.

use super::Layout;
use super::dims::{real_dim, wrap_dim};
use anyhow::Result;

/// Most parts of one cut; more would fill the memory with layouts.
const MAX_PARTS: i64 = 1 << 24;

/// Fails with a `MemoryError` for more parts than can be held.
fn check_parts(parts: i64) -> Result<()> {
    if parts > MAX_PARTS {
        fault!(MemoryError, "{parts} parts are more than tsr holds at once, {MAX_PARTS}");
    }
    Ok(())
}

impl Layout {
    /// One layout per index of a dimension, without it. Fails with an `IndexError` out of range or on a 0-d layout.
    pub fn unbind(&self, dim: i64) -> Result<Vec<Layout>> {
        let place = wrap_dim(dim, self.ndim())?;
        let place = real_dim(place as i64, self.ndim())?;
        check_parts(self.sizes[place])?;
        let parts = 0..self.sizes[place];
        Ok(parts.map(|k| self.drop_dim(place, self.offset.wrapping_add(self.steps(place, k)))).collect())
    }

    /// Parts of `split_size` along a dimension, the last one smaller when it does not divide. Fails with a `RuntimeError` for
    /// a size below 1 (0 is allowed on an empty dimension), with an `IndexError` out of range.
    pub fn split(&self, split_size: i64, dim: i64) -> Result<Vec<Layout>> {
        self.need_dims(|| "split expects at least a 1-dimensional tensor".to_string())?;
        if split_size < 0 {
            fault!(RuntimeError, "split expects split_size be non-negative, but got split_size={split_size}");
        }
        let place = wrap_dim(dim, self.ndim())?;
        let size = self.sizes[place];
        if split_size == 0 && size != 0 {
            fault!(RuntimeError, "split_size can only be 0 if dimension size is 0, but got dimension size of {size}");
        }
        let parts = if size == 0 { 1 } else { (size - 1) / split_size + 1 };
        check_parts(parts)?;
        Ok((0..parts).map(|k| self.piece(place, k * split_size, (size - k * split_size).min(split_size))).collect())
    }

    /// Parts of the given sizes along a dimension. Fails with a `RuntimeError` unless they are not negative and add up to it,
    /// with an `IndexError` out of range.
    pub fn split_with_sizes(&self, sizes: &[i64], dim: i64) -> Result<Vec<Layout>> {
        self.need_dims(|| "split expects at least a 1-dimensional tensor".to_string())?;
        let place = wrap_dim(dim, self.ndim())?;
        if sizes.iter().any(|s| *s < 0) {
            fault!(
                RuntimeError,
                "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes:?}"
            );
        }
        let total = sizes.iter().try_fold(0i64, |sum, s| sum.checked_add(*s));
        if total != Some(self.sizes[place]) {
            fault!(
                RuntimeError,
                "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at dimension {dim}), but got split_sizes={sizes:?}",
                self.sizes[place]
            );
        }
        let mut start = 0;
        let piece = |&size: &i64| {
            let piece = self.piece(place, start, size);
            start += size;
            piece
        };
        Ok(sizes.iter().map(piece).collect())
    }

    /// At most `chunks` parts of one size along a dimension, the last one smaller: five in four chunks gives 2, 2, 1. Fails
    /// with a `RuntimeError` for fewer than one chunk, with an `IndexError` out of range.
    pub fn chunk(&self, chunks: i64, dim: i64) -> Result<Vec<Layout>> {
        self.need_dims(|| "chunk expects at least a 1-dimensional tensor".to_string())?;
        if chunks <= 0 {
            fault!(RuntimeError, "chunk expects `chunks` to be greater than 0, got: {chunks}");
        }
        let place = wrap_dim(dim, self.ndim())?;
        match self.sizes[place] {
            0 => check_parts(chunks).map(|()| (0..chunks).map(|_| self.clone()).collect()),
            size => self.split((size - 1) / chunks + 1, dim),
        }
    }

    /// Exactly `sections` parts along a dimension, the first ones larger by one when it does not divide. Fails with a
    /// `RuntimeError` for fewer than one section, with an `IndexError` out of range.
    pub fn tensor_split(&self, sections: i64, dim: i64) -> Result<Vec<Layout>> {
        let place = self.tensor_split_dim(dim)?;
        if sections <= 0 {
            fault!(RuntimeError, "number of sections must be larger than 0, got {sections}");
        }
        check_parts(sections)?;
        let (least, larger) = (self.sizes[place] / sections, self.sizes[place] % sections);
        let part = |k: i64| self.piece(place, k * least + k.min(larger), least + (k < larger) as i64);
        Ok((0..sections).map(part).collect())
    }

    /// The slices between the given indices of a dimension, each clamped as Python clamps slices. Fails with a `RuntimeError`
    /// on a 0-d layout, with an `IndexError` out of range.
    pub fn tensor_split_at(&self, indices: &[i64], dim: i64) -> Result<Vec<Layout>> {
        self.tensor_split_dim(dim)?;
        let starts = std::iter::once(None).chain(indices.iter().copied().map(Some));
        let stops = indices.iter().copied().map(Some).chain(std::iter::once(None));
        starts.zip(stops).map(|(start, stop)| self.slice(dim, start, stop, 1)).collect()
    }

    fn tensor_split_dim(&self, dim: i64) -> Result<usize> {
        let text = || "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims".to_string();
        self.need_dims(text)?;
        wrap_dim(dim, self.ndim())
    }

    /// The dimension that `hsplit`, `vsplit` or `dsplit` cuts. Fails with a `RuntimeError` when there are too few dimensions,
    /// or when `sections` (none for a list of indices) does not divide it.
    pub fn axis_split_dim(&self, axis: Axis, sections: Option<i64>) -> Result<i64> {
        let (name, needed, dim) = match axis {
            Axis::Horizontal => ("hsplit", 1, (self.ndim() > 1) as i64),
            Axis::Vertical => ("vsplit", 2, 0),
            Axis::Depth => ("dsplit", 3, 2),
        };
        if self.ndim() < needed {
            fault!(
                RuntimeError,
                "torch.{name} requires a tensor with at least {needed} dimension, but got a tensor with {} dimensions!",
                self.ndim()
            );
        }
        let size = self.sizes[dim as usize];
        match sections {
            Some(n) if n == 0 || size % n != 0 => fault!(
                RuntimeError,
                "torch.{name} attempted to split along dimension {dim}, but the size of the dimension {size} is not divisible by the split_size {n}!"
            ),
            _ => Ok(dim),
        }
    }

    fn need_dims(&self, text: impl Fn() -> String) -> Result<()> {
        if self.ndim() == 0 {
            fault!(RuntimeError, "{}", text());
        }
        Ok(())
    }

    /// `length` indices from `start`, both known to lie inside.
    fn piece(&self, place: usize, start: i64, length: i64) -> Layout {
        let mut layout = self.clone();
        layout.offset = self.offset.wrapping_add(self.steps(place, start));
        layout.sizes[place] = length;
        layout
    }
}

/// The directions of NumPy's three named splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// `hsplit`: columns, or the only dimension.
    Horizontal,
    /// `vsplit`: rows.
    Vertical,
    /// `dsplit`: the third dimension.
    Depth,
}
