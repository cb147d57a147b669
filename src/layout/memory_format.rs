//! In which order dimensions lie in memory: row-major, channels last, or as another tensor has it.

use super::{Dims, Layout, contiguous_strides};
use anyhow::Result;

/// What `memory_format=` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemoryFormat {
    /// `torch.contiguous_format`: row-major.
    #[default]
    Contiguous,
    /// `torch.preserve_format`: as the input lies.
    Preserve,
    /// `torch.channels_last`: (N, C, H, W) with C innermost.
    ChannelsLast,
    /// `torch.channels_last_3d`: (N, C, D, H, W) with C innermost.
    ChannelsLast3d,
}

impl MemoryFormat {
    /// The name in `torch.`.
    pub fn name(self) -> &'static str {
        match self {
            MemoryFormat::Contiguous => "contiguous_format",
            MemoryFormat::Preserve => "preserve_format",
            MemoryFormat::ChannelsLast => "channels_last",
            MemoryFormat::ChannelsLast3d => "channels_last_3d",
        }
    }

    /// The strides of a new tensor in this format. Fails with a `RuntimeError` when the number of dimensions does not fit, or
    /// for `preserve_format`, which needs something to preserve.
    pub fn strides(self, sizes: &[i64]) -> Result<Dims> {
        let order = match self {
            MemoryFormat::Contiguous => return Ok(contiguous_strides(sizes)),
            MemoryFormat::Preserve => fault!(RuntimeError, "unsupported memory format Preserve"),
            MemoryFormat::ChannelsLast | MemoryFormat::ChannelsLast3d => self.channels_last_order(),
        };
        if sizes.len() != order.len() {
            fault!(RuntimeError, "required rank {} tensor to use {} format", order.len(), self.name());
        }
        let mut strides = Dims::from_elem(0, sizes.len());
        let mut stride = 1i64;
        for &dim in order {
            strides[dim] = stride;
            stride = stride.wrapping_mul(sizes[dim]);
        }
        Ok(strides)
    }

    /// Dimensions from the innermost to the outermost.
    fn channels_last_order(self) -> &'static [usize] {
        if self == MemoryFormat::ChannelsLast { &[1, 3, 2, 0] } else { &[1, 4, 3, 2, 0] }
    }
}

impl Layout {
    /// `x.is_contiguous(memory_format=…)`: walking the dimensions in the format's order walks neighbouring cells.
    pub fn is_contiguous_in(&self, format: MemoryFormat) -> bool {
        match format {
            MemoryFormat::Contiguous | MemoryFormat::Preserve => self.is_contiguous(),
            MemoryFormat::ChannelsLast | MemoryFormat::ChannelsLast3d => {
                let order = format.channels_last_order();
                let mut expected = 1;
                self.ndim() == order.len()
                    && order.iter().all(|&dim| {
                        let fits = self.sizes[dim] == 1 || self.strides[dim] == expected;
                        expected *= if fits { self.sizes[dim] } else { 1 };
                        fits
                    })
            }
        }
    }

    /// The format in which a tensor seems to lie, gaps allowed: channels last when its strides rise in that order, else
    /// row-major. Ambiguous strides count as row-major, as PyTorch has it.
    pub fn suggested_format(&self) -> MemoryFormat {
        let formats = [MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d];
        formats.into_iter().find(|f| self.rises_in(f.channels_last_order())).unwrap_or_default()
    }

    /// True when strides rise along `order`, each stepping over what the ones before it span.
    fn rises_in(&self, order: &[usize]) -> bool {
        if self.ndim() != order.len() || self.strides[1] == 0 || self.sizes.contains(&0) {
            return false;
        }
        let mut least = 0;
        order.iter().all(|&dim| {
            let (size, stride) = (self.sizes[dim], self.strides[dim]);
            let ambiguous = dim == 0 && least == self.strides[1];
            let rises = stride >= least && !ambiguous;
            least = stride.saturating_mul(size);
            rises
        })
    }

    /// True when the elements fill a block of cells without gaps or repeats, in any order of dimensions.
    pub fn is_dense(&self) -> bool {
        if self.is_contiguous() {
            return true;
        }
        let mut dims: super::DimList = (0..self.ndim()).filter(|&k| self.sizes[k] > 1).collect();
        dims.sort_by_key(|&k| self.strides[k]);
        let mut expected = 1;
        dims.iter().all(|&k| {
            let fits = self.strides[k] == expected;
            expected *= if fits { self.sizes[k] } else { 1 };
            fits
        })
    }

    /// The strides of a copy that keeps this layout's order of dimensions (`clone`, `empty_like`, results of elementwise
    /// operations): the same strides when dense, else dense ones in the same order.
    pub fn preserved_strides(&self) -> Dims {
        if self.is_dense() { self.strides.clone() } else { dense_strides(&self.sizes, &self.strides) }
    }
}

/// Dense strides that keep the order of dimensions that `strides` has, innermost the smallest. A stride of 0 says nothing
/// about order; of equal strides the smaller size lies inside.
pub fn dense_strides(sizes: &[i64], strides: &[i64]) -> Dims {
    let mut dims: super::DimList = (0..sizes.len()).rev().collect();
    for i in 1..dims.len() {
        let mut moving = i;
        for other in (0..i).rev() {
            match swaps(sizes, strides, dims[other], dims[moving]) {
                Some(true) => {
                    dims.swap(other, moving);
                    moving = other;
                }
                Some(false) => break,
                None => {}
            }
        }
    }
    let mut dense = Dims::from_elem(1, sizes.len());
    let mut stride = 1i64;
    for &dim in &dims {
        dense[dim] = stride;
        stride = stride.saturating_mul(sizes[dim].max(1));
    }
    dense
}

/// Whether dimension `inner` must move outside dimension `outer`; none when the strides do not say.
fn swaps(sizes: &[i64], strides: &[i64], inner: usize, outer: usize) -> Option<bool> {
    let (a, b) = (strides[inner].abs(), strides[outer].abs());
    match a.cmp(&b) {
        _ if a == 0 || b == 0 => None,
        std::cmp::Ordering::Less => Some(false),
        std::cmp::Ordering::Greater => Some(true),
        std::cmp::Ordering::Equal => (sizes[inner] > sizes[outer]).then_some(true),
    }
}
