//! Parts of a tensor: one index, a range, a diagonal, sliding windows, any strides.

use super::dims::{checked_numel, wrap_dim};
use super::{Dims, Layout};
use anyhow::Result;

impl Layout {
    /// The part at one index of a dimension, which disappears; a negative index counts from the end. Fails with an
    /// `IndexError` out of range or on a 0-d layout.
    pub fn select(&self, dim: i64, index: i64) -> Result<Layout> {
        if self.ndim() == 0 {
            fault!(IndexError, "select() cannot be applied to a 0-dim tensor.");
        }
        let place = wrap_dim(dim, self.ndim())?;
        let size = self.sizes[place];
        if index < -size || index >= size {
            fault!(
                IndexError,
                "select(): index {index} out of range for tensor of size {:?} at dimension {place}",
                self.sizes.as_slice()
            );
        }
        let index = if index < 0 { index + size } else { index };
        Ok(self.drop_dim(place, self.offset.wrapping_add(self.steps(place, index))))
    }

    /// Every `step`-th index of a dimension from `start` up to `stop`, clamped as Python clamps slices. Fails with a
    /// `ValueError` for a step below 1, with an `IndexError` out of range or on a 0-d layout.
    pub fn slice(&self, dim: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> Result<Layout> {
        if step <= 0 {
            fault!(ValueError, "step must be greater than zero");
        }
        if self.ndim() == 0 {
            fault!(IndexError, "slice() cannot be applied to a 0-dim tensor.");
        }
        let place = wrap_dim(dim, self.ndim())?;
        let size = self.sizes[place];
        let clamp = |bound: i64| if bound < 0 { bound.saturating_add(size).max(0) } else { bound.min(size) };
        let start = clamp(start.unwrap_or(0));
        let stop = clamp(stop.unwrap_or(size)).max(start);
        let mut layout = self.clone();
        layout.offset = self.offset.wrapping_add(self.steps(place, start));
        layout.sizes[place] = if stop > start { (stop - start - 1) / step + 1 } else { 0 };
        layout.strides[place] = self.steps(place, step);
        Ok(layout)
    }

    /// `length` indices of a dimension from `start`, not clamped. Fails with a `RuntimeError` or an `IndexError` when they do
    /// not lie inside.
    pub fn narrow(&self, dim: i64, start: i64, length: i64) -> Result<Layout> {
        if self.ndim() == 0 {
            fault!(RuntimeError, "narrow() cannot be applied to a 0-dim tensor.");
        }
        if length < 0 {
            fault!(RuntimeError, "narrow(): length must be non-negative.");
        }
        let size = self.sizes[wrap_dim(dim, self.ndim())?];
        if start < -size || start > size {
            fault!(IndexError, "start out of range (expected to be in range of [{}, {size}], but got {start})", -size);
        }
        let start = if start < 0 { start + size } else { start };
        if length > size - start {
            fault!(RuntimeError, "start ({start}) + length ({length}) exceeds dimension size ({size}).");
        }
        self.slice(dim, Some(start), Some(start + length), 1)
    }

    /// The elements whose index in `dim2` is `offset` more than in `dim1`, as a new last dimension instead of the two. Fails
    /// with an `IndexError` out of range, with a `RuntimeError` when both name one dimension.
    pub fn diagonal(&self, offset: i64, dim1: i64, dim2: i64) -> Result<Layout> {
        let (first, second) = (wrap_dim(dim1, self.ndim())?, wrap_dim(dim2, self.ndim())?);
        if first == second {
            fault!(RuntimeError, "diagonal dimensions cannot be identical {dim1}, {dim2}");
        }
        let (rows, columns) = (self.sizes[first], self.sizes[second]);
        let size = match offset {
            0.. => rows.min(columns.saturating_sub(offset)),
            _ => rows.saturating_add(offset).min(columns),
        }
        .max(0);
        let start = match offset {
            _ if size == 0 => self.offset,
            0.. => self.offset.wrapping_add(self.steps(second, offset)),
            _ => self.offset.wrapping_sub(self.steps(first, offset)),
        };
        let stride = self.strides[first].wrapping_add(self.strides[second]);
        let (high, low) = (first.max(second), first.min(second));
        Ok(self.drop_dim(high, start).drop_dim(low, start).with_last(size, stride))
    }

    /// Windows of `size` neighbours in a dimension, one every `step` indices: the dimension counts windows, a new last one
    /// walks inside. Fails with a `RuntimeError` for a size or step that does not fit, with an `IndexError` out of range.
    pub fn unfold(&self, dim: i64, size: i64, step: i64) -> Result<Layout> {
        let place = wrap_dim(dim, self.ndim())?;
        let (room, stride) = (self.sizes.get(place).map_or(1, |s| *s), self.strides.get(place).map_or(1, |s| *s));
        if size < 0 {
            fault!(RuntimeError, "size is {size} but must be >= 0");
        }
        if size > room {
            fault!(RuntimeError, "maximum size for tensor at dimension {place} is {room} but size is {size}");
        }
        if step <= 0 {
            fault!(RuntimeError, "step is {step} but must be > 0");
        }
        let mut layout = self.clone();
        if self.ndim() > 0 {
            layout.sizes[place] = (room - size) / step + 1;
            layout.strides[place] = self.steps(place, step);
        }
        Ok(layout.with_last(size, stride))
    }

    /// Any sizes and strides over the same storage; the offset stays when none is given. Fails with a `RuntimeError` when the
    /// lists differ in length, anything is negative, or the numbers overflow. Whether the storage is long enough is checked
    /// where layout and storage are joined.
    pub fn as_strided(&self, sizes: &[i64], strides: &[i64], offset: Option<i64>) -> Result<Layout> {
        if sizes.len() != strides.len() {
            fault!(RuntimeError, "mismatch in length of strides and shape");
        }
        if strides.iter().any(|s| *s < 0) {
            fault!(RuntimeError, "as_strided: Negative strides are not supported at the moment, got strides: {strides:?}");
        }
        let offset = offset.unwrap_or(self.offset);
        if offset < 0 {
            fault!(RuntimeError, "Tensor: invalid storage offset {offset}");
        }
        let reach = |(size, stride): (&i64, &i64)| size.checked_sub(1)?.checked_mul(*stride);
        let empty = sizes.contains(&0) && sizes.iter().all(|s| *s >= 0);
        let span = sizes.iter().zip(strides).map(reach).try_fold(offset, |sum, reach| sum.checked_add(reach?));
        if !empty && (span.is_none() || sizes.iter().any(|s| *s < 0)) {
            fault!(RuntimeError, "Storage size calculation overflowed with sizes={sizes:?} and strides={strides:?}");
        }
        checked_numel(sizes)?;
        Ok(Layout { sizes: Dims::from_slice(sizes), strides: Dims::from_slice(strides), offset })
    }
}
