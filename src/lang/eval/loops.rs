//! `while`, `for`, and the step that all loops over items take.

use super::number::Number;
use super::raised::{Swift, WithRaise};
use super::stmt::Flow;
use crate::diag::Span;
use crate::lang::compile::tree::{Block, For, Node, Target};
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::iterate::Cursor;
use crate::value::Outcome;

impl Interp {
    pub(super) fn while_loop(&mut self, f: &mut Frame, it: &(Node, Block, Block)) -> Swift<Flow> {
        while self.test(f, &it.0)? {
            self.breathe().map_err(|r| self.locate(f, it.0.span, r))?;
            match self.block(f, &it.1)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                leave => return Ok(leave),
            }
        }
        self.block(f, &it.2)
    }

    pub(super) fn for_loop(&mut self, f: &mut Frame, it: &For) -> Swift<Flow> {
        let mut cursor = self.cursor(f, &it.iter)?;
        while self.step(f, it.iter.span, &mut cursor, &it.target)? {
            match self.block(f, &it.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                leave => return Ok(leave),
            }
        }
        self.block(f, &it.orelse)
    }

    /// Begins an iteration over the value of a node.
    pub(in crate::lang) fn cursor(&mut self, f: &mut Frame, node: &Node) -> Outcome<Cursor> {
        let iterable = self.eval(f, node)?;
        Cursor::new(self, &iterable).map_err(|r| self.blame(f, node.span, r, &[(node.span, &iterable)]))
    }

    /// Gives the target the next item; false at the end.
    #[inline]
    pub(in crate::lang) fn step(&mut self, f: &mut Frame, span: Span, cursor: &mut Cursor, target: &Target) -> Outcome<bool> {
        self.breathe().map_err(|r| self.locate(f, span, r))?;
        match (&mut *cursor, target) {
            (Cursor::Range(_, _, 0), _) => Ok(false),
            (Cursor::Range(next, step, left), Target::Local(slot)) => {
                let item = *next;
                *left -= 1;
                *next = item.wrapping_add(*step);
                self.set_number(f, *slot, Number::int(item));
                Ok(true)
            }
            (Cursor::List(items, place), Target::Local(slot)) => {
                let items = items.borrow();
                let found = items.get(*place).map(|item| self.set_clone(f, *slot, item));
                *place = if found.is_some() { *place + 1 } else { usize::MAX };
                Ok(found.is_some())
            }
            _ => match cursor.give(self).with_raise().map_err(|r| self.locate(f, span, r))? {
                Some(given) => self.assign_given(f, target, given).map(|()| true),
                None => Ok(false),
            },
        }
    }
}
