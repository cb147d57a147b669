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
    pub cells: &'a mut [Cell],
    /// The cells it borrows.
    pub free: &'a [Cell],
}

impl Frame<'_> {
    /// A cell that it owns.
    pub fn cell(&self, place: u32) -> Option<&Cell> {
        self.cells.get(place as usize)
    }
}

/// New cells for a frame of this body.
pub fn new_cells(code: &Code) -> Box<[Cell]> {
    code.cell_names.iter().map(|_| Cell::default()).collect()
}
