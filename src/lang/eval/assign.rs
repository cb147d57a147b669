//! Assignment: to variables, attributes, elements, and to several at once.

use super::arith;
use super::expr::hand;
use super::number::Number;
use super::quick::peek;
use crate::diag::{ErrorClass, Span};
use crate::lang::compile::tree::*;
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::iterate::Cursor;
use crate::lang::{operators, types};
use crate::syntax::ast::BinaryOp;
use crate::value::{Outcome, Raise, Text, Value};
use std::rc::Rc;

impl Interp {
    /// `target = value`.
    pub(in crate::lang) fn assign(&mut self, f: &mut Frame, target: &Target, value: Value) -> Outcome<()> {
        match target {
            Target::Local(slot) => self.set_local(f, *slot, value),
            Target::Place(place) => drop(self.store(f, *place, Some(value))),
            Target::Attr(it) => {
                let object = self.eval(f, &it.object)?;
                self.set_attr(&object, &it.name, value).map_err(|r| self.blame(f, it.span, r, &[(it.object.span, &object)]))?;
            }
            Target::Subscript(it) => {
                let Err(value) = self.put_quickly(f, it, value) else { return Ok(()) };
                let object = self.eval(f, &it.0)?;
                let index = self.eval(f, &it.1)?;
                self.put_item(f, it, &object, &index, value)?;
            }
            Target::Unpack(it) => self.unpack(f, it, value)?,
        }
        Ok(())
    }

    /// `items[i] = value` of a list in a variable, where there is such an item; else gives the value back.
    fn put_quickly(&mut self, f: &Frame, it: &(Node, Node, Span), value: Value) -> Result<(), Value> {
        let Some(index) = self.quick_operand(f, &it.1).and_then(Number::index) else { return Err(value) };
        let Some(Value::List(items)) = peek(&self.stack, &self.globals, f, &it.0) else { return Err(value) };
        let mut items = items.borrow_mut();
        match usize::try_from(index).ok().and_then(|place| items.get_mut(place)) {
            Some(item) => *item = value,
            None => return Err(value),
        }
        Ok(())
    }

    fn put_item(&mut self, f: &Frame, it: &(Node, Node, Span), object: &Value, index: &Value, value: Value) -> Outcome<()> {
        // What was to be written has no place in the target; whoever explains the failure wants it all the same.
        let written = matches!(object, Value::Tensor(_)).then(|| value.clone());
        self.set_item(object, index, value).map_err(|r| {
            let raise = self.blame(f, it.2, r, &[(it.0.span, object), (it.1.span, index)]);
            raise.0.trace.borrow_mut().operands.extend(written.map(|value| (Span::default(), value)));
            raise
        })
    }

    /// Gives a variable in a slot a value.
    #[inline]
    pub(in crate::lang) fn set_local(&mut self, f: &Frame, slot: u32, value: Value) {
        if let Some(place) = self.stack.get_mut(f.base + slot as usize) {
            *place = Some(value);
        }
    }

    /// `target = value`, the value having been given.
    #[inline(always)]
    pub(in crate::lang) fn assign_given(&mut self, f: &mut Frame, target: &Target, given: Option<Number>) -> Outcome<()> {
        match (target, given) {
            (Target::Local(slot), _) => {
                self.set_given(f, *slot, given);
                Ok(())
            }
            (_, Some(number)) => number.with(|value| self.assign(f, target, value)),
            (_, None) => {
                let value = self.taken();
                self.assign(f, target, value)
            }
        }
    }

    /// Gives a variable in a slot what was given.
    #[inline(always)]
    pub(in crate::lang) fn set_given(&mut self, f: &Frame, slot: u32, given: Option<Number>) {
        self.set_slot(f.base + slot as usize, given);
    }

    /// Gives a slot of the stack what was given.
    #[inline(always)]
    pub(super) fn set_slot(&mut self, place: usize, given: Option<Number>) {
        let Some(slot) = self.stack.get_mut(place) else { return };
        match given {
            Some(number) => number.store(slot),
            None => *slot = Some(std::mem::replace(&mut self.given, Value::None)),
        }
    }

    /// Gives a variable in a slot the same value as another place has. A number, and the reference that most others are, is written
    /// where it stays, as in [`Number::store`].
    #[inline(always)]
    pub(in crate::lang) fn set_clone(&mut self, f: &Frame, slot: u32, value: &Value) {
        let Some(slot) = self.stack.get_mut(f.base + slot as usize) else { return };
        match (Number::of(value), value) {
            (Some(number), _) => number.store(slot),
            (None, Value::Str(text)) => drop(slot.replace(Value::Str(text.clone()))),
            (None, Value::Tensor(tensor)) => drop(slot.replace(Value::Tensor(tensor.clone()))),
            (None, Value::Tuple(items)) => drop(slot.replace(Value::Tuple(items.clone()))),
            (None, Value::List(items)) => drop(slot.replace(Value::List(items.clone()))),
            (None, other) => drop(slot.replace(other.clone())),
        }
    }

    /// Gives a variable in a slot a number.
    #[inline(always)]
    pub(in crate::lang) fn set_number(&mut self, f: &Frame, slot: u32, number: Number) {
        if let Some(place) = self.stack.get_mut(f.base + slot as usize) {
            number.store(place);
        }
    }

    /// `a, b = x, y`: the values are all there before the first is assigned, and no tuple is made. They wait on the stack.
    pub(in crate::lang) fn assign_each(&mut self, f: &mut Frame, targets: &[Target], nodes: &[Node]) -> Outcome<()> {
        if let ([first, second], [left, right]) = (targets, nodes)
            && let (Some(left), Some(right)) = (self.quick_operand(f, left), self.quick_operand(f, right))
        {
            self.assign_given(f, first, Some(left))?;
            return self.assign_given(f, second, Some(right));
        }
        let base = self.push_args(f, nodes)?;
        let result = targets.iter().enumerate().try_for_each(|(i, target)| self.assign_waiting(f, target, base + i));
        self.drop_slots(base);
        result
    }

    /// `target = value`, the value waiting on the stack.
    #[inline(always)]
    fn assign_waiting(&mut self, f: &mut Frame, target: &Target, place: usize) -> Outcome<()> {
        let Some(waiting) = self.stack.get_mut(place) else { return Ok(()) };
        let number = waiting.as_ref().and_then(Number::of);
        if number.is_none() {
            self.given = waiting.take().unwrap_or(Value::None);
        }
        self.assign_given(f, target, number)
    }

    /// `a, *b, c = value`.
    fn unpack(&mut self, f: &mut Frame, it: &Unpack, value: Value) -> Outcome<()> {
        if let (Value::Tuple(items), None) = (&value, &it.star)
            && items.len() == it.before.len()
        {
            return it.before.iter().zip(items.iter()).try_for_each(|(target, item)| self.assign_item(f, target, item));
        }
        let mut items = self.unpacked(it, &value).map_err(|r| self.blame(f, it.span, r, &[]))?.into_iter();
        for (target, item) in it.before.iter().zip(items.by_ref()) {
            self.assign(f, target, item)?;
        }
        if let Some(star) = &it.star {
            let count = items.len() - it.after.len();
            let middle: Vec<Value> = items.by_ref().take(count).collect();
            self.assign(f, star, Value::list(middle))?;
        }
        for (target, item) in it.after.iter().zip(items) {
            self.assign(f, target, item)?;
        }
        Ok(())
    }

    /// `target = item`, the item staying where it is, too.
    #[inline(always)]
    pub(super) fn assign_item(&mut self, f: &mut Frame, target: &Target, item: &Value) -> Outcome<()> {
        let given = hand(&mut self.given, item);
        self.assign_given(f, target, given)
    }

    /// The items to unpack, at least as many as there are targets.
    fn unpacked(&mut self, it: &Unpack, value: &Value) -> Outcome<Vec<Value>> {
        let wanted = it.before.len() + it.after.len();
        let Some(cursor) = Cursor::find(self, value)? else {
            fault!(TypeError, "cannot unpack non-iterable {} object", value.type_name());
        };
        let limit = if it.star.is_some() { usize::MAX } else { wanted + 1 };
        let items = self.drain(cursor, limit)?;
        match (&it.star, items.len()) {
            (Some(_), n) if n >= wanted => Ok(items),
            (None, n) if n == wanted => Ok(items),
            (Some(_), n) => fault!(ValueError, "not enough values to unpack (expected at least {wanted}, got {n})"),
            (None, n) if n < wanted => fault!(ValueError, "not enough values to unpack (expected {wanted}, got {n})"),
            _ => fault!(ValueError, "too many values to unpack (expected {wanted})"),
        }
    }

    /// `local op= value`.
    pub(in crate::lang) fn augment_local(&mut self, f: &mut Frame, it: &(u32, BinaryOp, Node), span: Span) -> Outcome<()> {
        let (slot, op, node) = it;
        if let Some(number) = self.quick_augment(f, *slot, *op, node) {
            self.set_number(f, *slot, number);
            return Ok(());
        }
        let Some(Some(before)) = self.stack.get(f.base + *slot as usize) else {
            return Err(self.unbound(f, Place::Local(*slot), span));
        };
        if let (BinaryOp::Add, Value::Str(text)) = (op, before) {
            let text = text.clone();
            let operand = self.eval(f, node)?;
            return self.append(f, Place::Local(*slot), text, (&operand, node.span), span);
        }
        let before = before.clone();
        let operand = self.eval(f, node)?;
        let after = self.combine(f, *op, (&before, span), (&operand, node.span), span)?;
        self.set_local(f, *slot, after);
        Ok(())
    }

    /// `target op= value`: the target's parts are evaluated once.
    pub(in crate::lang) fn augment(&mut self, f: &mut Frame, it: &Augment, span: Span) -> Outcome<()> {
        if let Target::Place(place) = &it.target
            && let Some(before) = self.quick_load(f, *place)
            && let Some(after) = self.quick_operand(f, &it.value).and_then(|operand| arith::combine(it.op, before, operand))
        {
            drop(self.store(f, *place, Some(after.value())));
            return Ok(());
        }
        match &it.target {
            Target::Attr(target) => {
                let object = self.eval(f, &target.object)?;
                let before = self.attr_at(&object, &target.name, &target.site).map_err(|r| self.blame(f, target.span, r, &[]))?;
                let after = self.augmented(f, it, before, span)?;
                self.set_attr(&object, &target.name, after).map_err(|r| self.blame(f, target.span, r, &[]))
            }
            Target::Subscript(target) => {
                let object = self.eval(f, &target.0)?;
                let index = self.eval(f, &target.1)?;
                let operands = [(target.0.span, &object), (target.1.span, &index)];
                let before = self.get_item(&object, &index).map_err(|r| self.blame(f, target.2, r, &operands))?;
                let after = self.augmented(f, it, before, span)?;
                self.put_item(f, target, &object, &index, after)
            }
            Target::Place(place)
                if it.op == BinaryOp::Add
                    && let Some(text) = self.text_in(f, *place) =>
            {
                let operand = self.eval(f, &it.value)?;
                self.append(f, *place, text, (&operand, it.value.span), span)
            }
            target => {
                let before = match &it.load {
                    Some(load) => self.eval(f, load)?,
                    None => return Err(self.locate(f, span, Raise::new(ErrorClass::SyntaxError, "illegal target"))),
                };
                let after = self.augmented(f, it, before, span)?;
                self.assign(f, target, after)
            }
        }
    }

    /// The text that a variable outside the slots has.
    fn text_in(&self, f: &Frame, place: Place) -> Option<Rc<Text>> {
        let text = |value: &Value| if let Value::Str(text) = value { Some(text.clone()) } else { None };
        match place {
            Place::Global(global) => text(self.globals.at(global.slot)?),
            Place::Cell(_) | Place::Free(_) => text(super::variable::cell(f, place)?.borrow().as_ref()?),
            Place::Local(_) => None,
        }
    }

    /// `variable += operand` where the variable was a text: nobody else having it, it grows where it is, so that a loop that builds
    /// a text takes time as its length.
    fn append(&mut self, f: &Frame, place: Place, mut text: Rc<Text>, operand: (&Value, Span), span: Span) -> Outcome<()> {
        let Value::Str(more) = operand.0 else {
            let after = self.combine(f, BinaryOp::Add, (&Value::Str(text), span), operand, span)?;
            self.store(f, place, Some(after));
            return Ok(());
        };
        types::limits::check_bytes(text.len().saturating_add(more.len())).map_err(|r| self.locate(f, span, r))?;
        // The variable lets go of the text, so that it need not be copied.
        drop(self.store(f, place, None));
        Rc::make_mut(&mut text).push_str(more);
        self.store(f, place, Some(Value::Str(text)));
        Ok(())
    }

    fn augmented(&mut self, f: &mut Frame, it: &Augment, before: Value, span: Span) -> Outcome {
        let operand = self.eval(f, &it.value)?;
        self.combine(f, it.op, (&before, it.target_span), (&operand, it.value.span), span)
    }

    /// `before op= operand`, both with their places.
    fn combine(&mut self, f: &Frame, op: BinaryOp, before: (&Value, Span), operand: (&Value, Span), span: Span) -> Outcome {
        match arith::numbers(op, before.0, operand.0) {
            Some(number) => Ok(number.value()),
            None => operators::inplace(self, op, before.0, operand.0)
                .map_err(|r| self.blame(f, span, r, &[(before.1, before.0), (operand.1, operand.0)])),
        }
    }

    /// `del target`.
    pub(in crate::lang) fn delete(&mut self, f: &mut Frame, target: &Target, span: Span) -> Outcome<()> {
        match target {
            Target::Local(slot) => self.forget(f, Place::Local(*slot), span),
            Target::Place(place) => self.forget(f, *place, span),
            Target::Attr(it) => {
                let object = self.eval(f, &it.object)?;
                self.del_attr(&object, &it.name).map_err(|r| self.locate(f, it.span, r))
            }
            Target::Subscript(it) => {
                let object = self.eval(f, &it.0)?;
                let index = self.eval(f, &it.1)?;
                self.del_item(&object, &index).map_err(|r| self.locate(f, it.2, r))
            }
            Target::Unpack(it) => it.before.iter().chain(&it.star).chain(&it.after).try_for_each(|t| self.delete(f, t, span)),
        }
    }

    fn forget(&mut self, f: &Frame, place: Place, span: Span) -> Outcome<()> {
        match self.store(f, place, None) {
            Some(_) => Ok(()),
            None => Err(self.unbound(f, place, span)),
        }
    }
}
