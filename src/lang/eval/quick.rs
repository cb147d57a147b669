//! Expressions of local variables and constants that turn out to be ints, floats and bools.
//!
//! They are most of what loops do. They have no side effects, so they can be tried on plain numbers that travel in registers,
//! and evaluated the general way when an operand is anything else.

use super::arith::{self, combine};
use super::number::Number;
use crate::lang::compile::tree::{Binary, Compare, CompareInt, IfElse, LocalInt, Node, Op, Place};
use crate::lang::frame::Frame;
use crate::lang::globals::Globals;
use crate::lang::interp::Interp;
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::value::Value;

impl Interp {
    /// The number that a node gives; none when an operand is no plain number or the result is not.
    pub(in crate::lang) fn quick(&self, f: &Frame, node: &Node) -> Option<Number> {
        match &node.op {
            Op::Binary(it) => self.quick_binary(f, it),
            Op::Compare(it) => self.quick_compare(f, it),
            Op::IfElse(it) => self.quick_if(f, it),
            Op::Not(operand) => Some(Number::bool(!self.quick_part(f, operand)?.truth())),
            Op::And(it) => {
                let left = self.quick_part(f, &it.0)?;
                if left.truth() { self.quick_part(f, &it.1) } else { Some(left) }
            }
            Op::Or(it) => {
                let left = self.quick_part(f, &it.0)?;
                if left.truth() { Some(left) } else { self.quick_part(f, &it.1) }
            }
            Op::Unary(UnaryOp::Neg, operand) => {
                let number = self.quick_part(f, operand)?;
                number.negated()
            }
            Op::Subscript(it) => self.quick_item(f, it),
            _ => self.quick_leaf(f, node),
        }
    }

    /// The number that a node of any kind gives, if it is known to be quick.
    #[inline(always)]
    pub(in crate::lang) fn quick_operand(&self, f: &Frame, node: &Node) -> Option<Number> {
        match &node.op {
            Op::LocalInt(it) => self.local_int(f, it, false),
            Op::CompareInt(it) => self.compare_int(f, it),
            Op::Quick(inner) => self.quick(f, inner),
            _ => self.quick_leaf(f, node),
        }
    }

    /// An operand inside a quick expression: a leaf without a further call, anything else with one.
    #[inline(always)]
    fn quick_part(&self, f: &Frame, node: &Node) -> Option<Number> {
        match &node.op {
            Op::LocalInt(it) => self.local_int(f, it, false),
            Op::Local(_) | Op::Const(_) => self.quick_leaf(f, node),
            _ => self.quick(f, node),
        }
    }

    /// `local op value` on plain numbers.
    #[inline]
    pub(in crate::lang) fn quick_augment(&self, f: &Frame, slot: u32, op: BinaryOp, value: &Node) -> Option<Number> {
        let b = self.quick_operand(f, value)?;
        let a = self.stack.get(f.base + slot as usize)?.as_ref().and_then(Number::of)?;
        combine(op, a, b)
    }

    #[inline(always)]
    fn quick_leaf(&self, f: &Frame, node: &Node) -> Option<Number> {
        let value = match &node.op {
            Op::Local(slot) => self.stack.get(f.base + *slot as usize)?.as_ref()?,
            Op::Const(value) => value,
            Op::Load(place) => return self.quick_load(f, *place),
            Op::LocalInt(it) => return self.local_int(f, it, false),
            Op::IntLocal(it) => return self.local_int(f, it, true),
            Op::CompareInt(it) => return self.compare_int(f, it),
            _ => return None,
        };
        Number::of(value)
    }

    pub(super) fn quick_load(&self, f: &Frame, place: Place) -> Option<Number> {
        match place {
            Place::Global(global) => Number::of(self.globals.at(global.slot)?),
            Place::Local(slot) => Number::of(self.stack.get(f.base + slot as usize)?.as_ref()?),
            Place::Cell(_) | Place::Free(_) => Number::of(super::variable::cell(f, place)?.borrow().as_ref()?),
        }
    }

    /// `variable[index]` and `variable[row][index]` of lists and tuples, where that is a number.
    fn quick_item(&self, f: &Frame, it: &(Node, Node)) -> Option<Number> {
        let index = self.quick_part(f, &it.1)?.index()?;
        match &it.0.op {
            Op::Subscript(outer) => {
                let row = self.quick_part(f, &outer.1)?.index()?;
                self.with_variable(f, &outer.0, |rows| item_of(rows, row, |columns| item_of(columns, index, Number::of)))
            }
            _ => self.with_variable(f, &it.0, |items| item_of(items, index, Number::of)),
        }
    }

    /// Lets `look` see the value of a variable.
    #[inline(always)]
    pub(super) fn with_variable(&self, f: &Frame, node: &Node, look: impl FnOnce(&Value) -> Option<Number>) -> Option<Number> {
        match &node.op {
            Op::Local(slot) => look(self.stack.get(f.base + *slot as usize)?.as_ref()?),
            Op::Load(Place::Global(global)) => look(self.globals.at(global.slot)?),
            Op::Load(place) => look(super::variable::cell(f, *place)?.borrow().as_ref()?),
            _ => None,
        }
    }

    /// `local < 3`.
    #[inline(always)]
    pub(super) fn compare_int(&self, f: &Frame, it: &CompareInt) -> Option<Number> {
        match self.stack.get(f.base + it.slot as usize)?.as_ref()? {
            Value::Int(i) => arith::compare(it.whole.op, *i, it.int).map(Number::bool),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn local_int(&self, f: &Frame, it: &LocalInt, swapped: bool) -> Option<Number> {
        match self.stack.get(f.base + it.slot as usize)?.as_ref()? {
            Value::Int(i) => arith::ints(it.op, if swapped { it.int } else { *i }, if swapped { *i } else { it.int }),
            Value::Float(x) if swapped => arith::floats(it.op, it.int as f64, *x),
            Value::Float(x) => arith::floats(it.op, *x, it.int as f64),
            _ => None,
        }
    }

    fn quick_binary(&self, f: &Frame, it: &Binary) -> Option<Number> {
        let a = self.quick_part(f, &it.left)?;
        let b = self.quick_part(f, &it.right)?;
        combine(it.op, a, b)
    }

    fn quick_compare(&self, f: &Frame, it: &Compare) -> Option<Number> {
        let a = self.quick_part(f, &it.left)?;
        let b = self.quick_part(f, &it.right)?;
        arith::order(it.op, a, b).map(Number::bool)
    }

    fn quick_if(&self, f: &Frame, it: &IfElse) -> Option<Number> {
        let branch = if self.quick_part(f, &it.test)?.truth() { &it.body } else { &it.orelse };
        self.quick_part(f, branch)
    }
}

/// Lets `look` see an item of a list or tuple; a negative index counts from the end.
#[inline(always)]
fn item_of(items: &Value, index: i64, look: impl FnOnce(&Value) -> Option<Number>) -> Option<Number> {
    let place = |len: usize| if index < 0 { index.wrapping_add(len as i64) as usize } else { index as usize };
    match items {
        Value::List(items) => {
            let items = items.borrow();
            look(items.get(place(items.len()))?)
        }
        Value::Tuple(items) => look(items.get(place(items.len()))?),
        _ => None,
    }
}

/// The value of a constant or a variable, where it stands; none for anything else and for variables that functions share.
#[inline(always)]
pub(super) fn peek<'a>(stack: &'a [Option<Value>], globals: &'a Globals, f: &Frame, node: &'a Node) -> Option<&'a Value> {
    match &node.op {
        Op::Local(slot) => stack.get(f.base + *slot as usize)?.as_ref(),
        Op::Const(value) => Some(value),
        Op::Load(Place::Global(global)) => globals.at(global.slot),
        _ => None,
    }
}
