//! A running body: its slots on the evaluator's stack, the cells it owns and those it borrows.

use super::compile::tree::Code;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// A variable that functions share.
pub type Cell = Rc<RefCell<Option<Value>>>;

/// What a body needs while it runs.
pub struct Frame<'a> {
    /// The body.
    pub code: &'a Code,
    /// Where its slots begin on the stack.
    pub base: usize,
    /// The cells it owns; most frames have none.
    pub cells: Option<Box<[Cell]>>,
    /// The cells it borrows.
    pub free: &'a [Cell],
}

impl<'a> Frame<'a> {
    /// A frame whose slots begin at `base`, with empty cells.
    #[inline]
    pub fn new(code: &'a Code, base: usize, free: &'a [Cell]) -> Frame<'a> {
        let cells = (!code.cell_names.is_empty()).then(|| code.cell_names.iter().map(|_| Cell::default()).collect());
        Frame { code, base, cells, free }
    }

    /// A cell that it owns.
    pub fn cell(&self, place: u32) -> Option<&Cell> {
        self.cells.as_ref()?.get(place as usize)
    }
}
