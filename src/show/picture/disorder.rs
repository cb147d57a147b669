//! What `%timeit` says of an operand whose elements do not follow each other in memory.

use super::explained::sentence;
use super::grouped;
use crate::layout::Layout;
use crate::show::object::tuple;
use crate::show::{Doc, Style};
use std::rc::Rc;

/// An operation that takes longer because of the order of its operand.
pub struct Disorder {
    /// The operation.
    pub name: String,
    /// Its operand.
    pub layout: Rc<Layout>,
    /// Bytes of an element.
    pub element: usize,
    /// How many times longer it takes than with a contiguous copy.
    pub ratio: f64,
    /// How long making that copy took.
    pub copying: String,
}

/// Bytes that a processor reads at once.
const LINE: usize = 64;

/// How much longer, and why: how many bytes of each line of the cache a walk along the last dimension uses.
pub fn disorder(it: &Disorder, width: usize) -> Doc {
    let layout = &it.layout;
    let (size, stride) = (tuple(&layout.sizes), tuple(&layout.strides));
    let mut doc = Doc::new();
    let text = format!("memory order: {} takes {:.1} times as long here as over a contiguous copy", it.name, it.ratio);
    sentence(&mut doc, Style::Warning, &text, width);
    let last = layout.sizes.iter().zip(&layout.strides).enumerate().rev().find(|(_, (size, _))| **size > 1);
    let why = last.map(|(dim, (_, step))| {
        let apart = step.unsigned_abs() as usize * it.element;
        let used = if apart >= LINE { it.element } else { LINE / apart.max(1) * it.element };
        let lines = match apart {
            0..LINE => format!("{used} of the {LINE} bytes of a cache line are used"),
            _ => format!("each is in a cache line of its own, {} of {LINE} bytes used", it.element),
        };
        format!("; along dim {dim} neighbours lie {} bytes apart: {lines}", grouped(apart))
    });
    sentence(&mut doc, Style::Note, &format!("size {size}, stride {stride}{}", why.unwrap_or_default()), width);
    let bytes = grouped(layout.numel().unsigned_abs() as usize * it.element);
    sentence(&mut doc, Style::Note, &format!("a contiguous copy takes {bytes} bytes and took {}, once", it.copying), width);
    doc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_in_the_cache_lines() {
        let of = |strides: [i64; 2]| Disorder {
            name: "sum".into(),
            layout: Rc::new(Layout::new(&[1000, 500], &strides, 0)),
            element: 4,
            ratio: 2.46,
            copying: "1.20 ms".into(),
        };
        let expected = "
 memory order: sum takes 2.5 times as long here as over a contiguous copy
 size (1000, 500), stride (1, 1000); along dim 1 neighbours lie 4,000 bytes
 apart: each is in a cache line of its own, 4 of 64 bytes used
 a contiguous copy takes 2,000,000 bytes and took 1.20 ms, once
";
        assert_eq!(disorder(&of([1, 1000]), 80).text(), &expected[1..]);
        let near = disorder(&of([2000, 2]), 80);
        assert!(near.text().contains("8 bytes apart:\n 32 of the 64 bytes of a cache line are used"), "{near}");
    }
}
