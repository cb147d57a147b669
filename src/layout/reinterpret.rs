//! The same bytes as elements of another size: `x.view(dtype)`, complex numbers as pairs.

use super::Layout;
use anyhow::Result;

/// An element type as far as sizes go: bytes and the name in messages (`Float`).
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// Bytes of one element.
    pub bytes: i64,
    /// What PyTorch's messages call it.
    pub title: &'static str,
}

impl Layout {
    /// The layout over the same bytes for elements of another size: the last dimension grows or shrinks. Fails with a
    /// `RuntimeError` when elements would straddle, or the last dimension is not dense.
    pub fn reinterpret(&self, old: Element, new: Element) -> Result<Layout> {
        if old.bytes == new.bytes {
            return Ok(self.clone());
        }
        let what = || format!("to view {} as {} (different element sizes)", old.title, new.title);
        let Some(last) = self.ndim().checked_sub(1) else { fault!(RuntimeError, "self.dim() cannot be 0 {}", what()) };
        let need_dense = || -> Result<()> {
            match self.strides[last] {
                1 => Ok(()),
                stride => fault!(RuntimeError, "self.stride(-1) must be 1 {}, but got {stride}", what()),
            }
        };
        let mut layout = self.clone();
        if old.bytes > new.bytes {
            need_dense()?;
            let ratio = old.bytes / new.bytes;
            layout.sizes[last] = self.sizes[last].wrapping_mul(ratio);
            layout.strides[..last].iter_mut().for_each(|s| *s = s.wrapping_mul(ratio));
            layout.offset = self.offset.wrapping_mul(ratio);
            return Ok(layout);
        }
        let ratio = new.bytes / old.bytes;
        let divide = |name: &str, number: i64| -> Result<i64> {
            match number % ratio {
                0 => Ok(number / ratio),
                _ => fault!(RuntimeError, "self.{name} must be divisible by {ratio} {}, but got {number}", what()),
            }
        };
        layout.sizes[last] = divide("size(-1)", self.sizes[last])?;
        layout.offset = divide("storage_offset()", self.offset)?;
        need_dense()?;
        for k in 0..last {
            layout.strides[k] = divide(&format!("stride({k})"), self.strides[k])?;
        }
        Ok(layout)
    }

    /// Complex elements as pairs of reals, in a new last dimension of size 2.
    pub fn view_as_real(&self) -> Layout {
        self.complex_part(0).with_last(2, 1)
    }

    /// The real (0) or imaginary (1) parts of complex elements, in real elements.
    pub fn complex_part(&self, part: i64) -> Layout {
        let strides = self.strides.iter().map(|s| s.wrapping_mul(2)).collect();
        Layout { sizes: self.sizes.clone(), strides, offset: self.offset.wrapping_mul(2).wrapping_add(part) }
    }

    /// Pairs of reals in the last dimension as complex elements. Fails with a `RuntimeError` when they are not such pairs.
    pub fn view_as_complex(&self) -> Result<Layout> {
        let Some(last) = self.ndim().checked_sub(1) else {
            fault!(RuntimeError, "Input tensor must have one or more dimensions")
        };
        if self.sizes[last] != 2 {
            fault!(RuntimeError, "Tensor must have a last dimension of size 2");
        }
        if self.strides[last] != 1 {
            fault!(RuntimeError, "Tensor must have a last dimension with stride 1");
        }
        let odd = |k: usize| self.strides[k] % 2 != 0 && self.sizes[k] != 1;
        if (0..last).any(odd) {
            fault!(RuntimeError, "Tensor must have a stride divisible by 2 for all but last dimension");
        }
        if self.offset % 2 != 0 {
            fault!(RuntimeError, "Tensor must have a storage_offset divisible by 2");
        }
        let mut layout = self.drop_dim(last, self.offset / 2);
        layout.strides.iter_mut().for_each(|s| *s /= 2);
        Ok(layout)
    }
}
