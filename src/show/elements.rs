//! Which elements of a tensor are shown, and reading them from its storage.

use crate::dtype::{DType, Number};
use crate::interrupt;
use crate::layout::Layout;
use crate::tensor::Strided;
use anyhow::Result;
use std::ops::Range;

/// Which items of a dimension are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// Long dimensions show this many items at each end; none: all are shown.
    edge: Option<i64>,
}

impl Shown {
    /// Summarised when there are more than `threshold` elements: `edge` items at each end.
    pub(super) fn new(layout: &Layout, threshold: f64, edge: i64) -> Shown {
        let numel = layout.sizes.iter().map(|s| *s as f64).product::<f64>();
        Shown { edge: (numel > threshold).then_some(edge.max(0)) }
    }

    /// All of them.
    pub(super) fn all() -> Shown {
        Shown { edge: None }
    }

    /// True when there is more than is shown, or would be if the dimensions were longer.
    pub(super) fn is_summary(self) -> bool {
        self.edge.is_some()
    }

    /// True when a dimension of this size leaves items out.
    fn has_gap(self, size: i64) -> bool {
        self.edge.is_some_and(|edge| size > edge.saturating_mul(2))
    }

    /// The items before and after the gap of a dimension; without a gap the second range is empty.
    fn ranges(self, size: i64) -> (Range<i64>, Range<i64>) {
        match self.edge {
            Some(edge) if self.has_gap(size) => (0..edge, size - edge..size),
            _ => (0..size, size..size),
        }
    }

    /// The items of a dimension in order; none stands for the gap.
    pub(super) fn items(self, size: i64) -> impl Iterator<Item = Option<i64>> {
        let (head, tail) = self.ranges(size);
        head.map(Some).chain(self.has_gap(size).then_some(None)).chain(tail.map(Some))
    }

    /// How many elements are shown.
    pub(super) fn cells(self, layout: &Layout) -> f64 {
        let items = layout.sizes.iter().map(|&size| {
            let (head, tail) = self.ranges(size);
            (head.end - head.start + tail.end - tail.start) as f64
        });
        items.product()
    }
}

/// The elements of a strided tensor, ready to be read.
pub(super) struct View<'a> {
    bytes: &'a [u8],
    /// Where they are.
    pub(super) layout: &'a Layout,
    /// What they are.
    pub(super) dtype: DType,
    conj: bool,
    neg: bool,
    /// Which of them are shown.
    pub(super) shown: Shown,
}

impl View<'_> {
    /// Lets `f` look at the elements of a tensor. Fails with a `RuntimeError` when the storage was made too small for the
    /// tensor after they were joined, and on a storage without memory (meta).
    pub(super) fn open<T>(strided: &Strided, dtype: DType, shown: Shown, f: impl FnOnce(&View) -> Result<T>) -> Result<T> {
        let Strided { storage, layout, conj, neg } = strided;
        storage.read(|bytes| {
            let last = layout.extent().map_or(-1, |(_, high)| high as i128);
            if (last + 1) * dtype.size() as i128 > bytes.len() as i128 {
                fault!(RuntimeError, "the tensor reaches cell {last} of a storage of {} bytes, which was resized", bytes.len());
            }
            f(&View { bytes, layout, dtype, conj: *conj, neg: *neg, shown })
        })?
    }

    /// The element at a cell that the layout reaches.
    pub(super) fn at(&self, cell: i64) -> Number {
        let number = Number::read(self.dtype, &self.bytes[cell as usize * self.dtype.size()..]);
        if self.conj || self.neg { self.resolve(number) } else { number }
    }

    /// Applies the marks that are resolved on reading.
    fn resolve(&self, number: Number) -> Number {
        let number = match number {
            Number::Complex(c) if self.conj => Number::Complex(c.conj()),
            other => other,
        };
        match number {
            Number::Complex(c) if self.neg => Number::Complex(-c),
            Number::Float(f) if self.neg => Number::Float(-f),
            Number::Int(i) if self.neg => Number::Int(i.wrapping_neg()),
            other => other,
        }
    }

    /// Calls `add` with every element that is shown. Ends early when a stop was asked for.
    pub(super) fn walk(&self, add: &mut dyn FnMut(Number)) {
        self.walk_from(0, self.layout.offset, add);
    }

    fn walk_from(&self, dim: usize, cell: i64, add: &mut dyn FnMut(Number)) {
        let Some((&size, &stride)) = self.layout.sizes.get(dim).zip(self.layout.strides.get(dim)) else {
            return add(self.at(cell));
        };
        for i in self.shown.items(size).flatten() {
            if interrupt::is_raised() {
                return;
            }
            self.walk_from(dim + 1, cell + i * stride, add);
        }
    }
}
