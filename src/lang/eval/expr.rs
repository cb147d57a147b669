//! Expressions.

use super::arith::{self, combine, order};
use super::number::{Given, Number};
use super::quick::peek;
use super::raised::Swift;
use crate::interrupt;
use crate::lang::classes;
use crate::lang::compile::tree::*;
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::operators;
use crate::ops::exec::Scope;
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use crate::value::{KeyRef, Outcome, Value};
use std::rc::Rc;

/// Texts up to this length need no look at the limits of memory.
const SHORT_TEXT: usize = 1 << 20;

impl Interp {
    /// The value of an expression.
    pub(in crate::lang) fn eval(&mut self, f: &mut Frame, node: &Node) -> Outcome {
        match &node.op {
            Op::Const(value) => Ok(value.clone()),
            Op::Local(slot) => match self.stack.get(f.base + *slot as usize) {
                Some(Some(value)) => Ok(value.clone()),
                _ => Err(self.unbound(f, Place::Local(*slot), node.span)),
            },
            Op::Load(place) => self.load(f, *place, node.span),
            Op::Member(slot, global) => match self.stack.get(f.base + *slot as usize) {
                Some(Some(value)) => Ok(value.clone()),
                _ => self.load(f, Place::Global(*global), node.span),
            },
            Op::Attr(it) => self.attr_node(f, it, node),
            Op::Method(it) => self.method_node(f, it, node),
            op if op.is_display() => self.display(f, node),
            _ => {
                let given = self.give(f, node)?;
                Ok(self.received(given))
            }
        }
    }

    /// The value of an expression: a plain number at once; none: the value is there to be [taken](Interp::taken).
    pub(in crate::lang) fn give(&mut self, f: &mut Frame, node: &Node) -> Given {
        let mut node = node;
        loop {
            return match &node.op {
                Op::Const(value) => Ok(hand(&mut self.given, value)),
                Op::Local(slot) => match self.stack.get(f.base + *slot as usize) {
                    Some(Some(value)) => Ok(hand(&mut self.given, value)),
                    _ => Err(self.unbound(f, Place::Local(*slot), node.span).into()),
                },
                Op::Quick(inner) => match self.quick(f, inner) {
                    None => self.fused(f, inner),
                    number => Ok(number),
                },
                Op::Fused(inner) => self.fused(f, inner),
                Op::LocalInt(it) => match self.local_int(f, it, false) {
                    None => self.binary(f, it.op, &it.nodes.0, &it.nodes.1, node),
                    number => Ok(number),
                },
                Op::IntLocal(it) => match self.local_int(f, it, true) {
                    None => self.binary(f, it.op, &it.nodes.0, &it.nodes.1, node),
                    number => Ok(number),
                },
                Op::CompareInt(it) => match self.compare_int(f, it) {
                    None => self.comparison(f, &it.whole, node),
                    number => Ok(number),
                },
                Op::Binary(it) => self.binary(f, it.op, &it.left, &it.right, node),
                Op::IfElse(it) => {
                    node = if self.test(f, &it.test)? { &it.body } else { &it.orelse };
                    continue;
                }
                Op::Call(it) => self.call_node(f, it, node),
                Op::Subscript(it) => self.subscript(f, it, node),
                Op::Compare(it) => self.comparison(f, it, node),
                Op::Not(operand) => Ok(Some(Number::bool(!self.test(f, operand)?))),
                Op::And(_) | Op::Or(_) | Op::Chain(_) | Op::Unary(..) => self.logic(f, node),
                _ => {
                    let value = self.eval(f, node)?;
                    Ok(self.pass(value))
                }
            };
        }
    }

    /// The value that was given last, for good.
    #[inline(always)]
    pub(in crate::lang) fn taken(&mut self) -> Value {
        std::mem::replace(&mut self.given, Value::None)
    }

    /// What was given, as a value.
    #[inline(always)]
    pub(in crate::lang) fn received(&mut self, given: Option<Number>) -> Value {
        match given {
            Some(number) => number.value(),
            None => self.taken(),
        }
    }

    /// Gives a value.
    #[inline(always)]
    pub(in crate::lang) fn pass(&mut self, value: Value) -> Option<Number> {
        let number = Number::of(&value);
        if number.is_none() {
            self.given = value;
        }
        number
    }

    /// The value of an expression whose operations on large tensors may run as one.
    #[inline(never)]
    fn fused(&mut self, f: &mut Frame, node: &Node) -> Given {
        if let Op::Compare(it) = &node.op
            && let Some(answer) = self.compare_in_place(f, it)
        {
            return Ok(Some(Number::bool(answer)));
        }
        if is_alone(&node.op) {
            return self.give(f, node);
        }
        let scope = Scope::open();
        let result = self.give(f, node);
        match scope.close() {
            Ok(()) => result,
            Err(error) => {
                self.taken();
                result.and_then(|_| Err(self.locate(f, node.span, error.into()).into()))
            }
        }
    }

    /// Whether a condition holds.
    #[inline(always)]
    pub(in crate::lang) fn test(&mut self, f: &mut Frame, node: &Node) -> Swift<bool> {
        match self.quick_operand(f, node) {
            Some(number) => Ok(number.truth()),
            None => self.test_any(f, node),
        }
    }

    #[inline(never)]
    fn test_any(&mut self, f: &mut Frame, node: &Node) -> Swift<bool> {
        match &node.op {
            Op::Quick(inner) => self.test_any(f, inner),
            Op::Not(operand) => Ok(!self.test(f, operand)?),
            Op::And(it) => Ok(self.test(f, &it.0)? && self.test(f, &it.1)?),
            Op::Or(it) => Ok(self.test(f, &it.0)? || self.test(f, &it.1)?),
            _ => match self.give(f, node)? {
                Some(number) => Ok(number.truth()),
                None => {
                    let value = self.taken();
                    Ok(self.truth(f, node, &value)?)
                }
            },
        }
    }

    fn truth(&mut self, f: &Frame, node: &Node, value: &Value) -> Outcome<bool> {
        match value {
            Value::Bool(b) => Ok(*b),
            other => classes::truth(self, other).map_err(|r| self.blame(f, node.span, r, &[(node.span, other)])),
        }
    }

    #[inline(never)]
    fn binary(&mut self, f: &mut Frame, op: BinaryOp, left: &Node, right: &Node, node: &Node) -> Given {
        let a = self.operand(f, left)?.ok_or_else(|| self.taken());
        let b = self.operand(f, right)?;
        let number = a.as_ref().ok().and_then(|a| combine(op, *a, b?));
        if number.is_some() {
            return Ok(number);
        }
        let b = self.received(b);
        self.operate(f, op, (left, a.map_or_else(|value| value, Number::value)), (right, b), node)
    }

    /// What an operand gives. A call, which what recurs is made of, needs no further step on the thread's stack.
    #[inline(always)]
    fn operand(&mut self, f: &mut Frame, node: &Node) -> Given {
        match &node.op {
            Op::Call(it) => self.call_node(f, it, node),
            _ => self.give(f, node),
        }
    }

    /// `left op right` of values that are not both plain numbers, or whose result is none.
    #[inline(never)]
    fn operate(&mut self, f: &Frame, op: BinaryOp, left: (&Node, Value), right: (&Node, Value), node: &Node) -> Given {
        let ((left, mut a), (right, b)) = (left, right);
        if op == BinaryOp::Add
            && let (Value::Str(text), Value::Str(more)) = (&mut a, &b)
            && let Some(text) = Rc::get_mut(text).filter(|text| text.len() + more.len() < SHORT_TEXT)
        {
            // Nobody else has the left text, so it grows where it is.
            text.push_str(more);
            self.given = a;
            return Ok(None);
        }
        let result = operators::binary(self, op, &a, &b);
        let value = result.map_err(|r| self.blame(f, node.span, r, &[(left.span, &a), (right.span, &b)]))?;
        Ok(self.pass(value))
    }

    #[inline(never)]
    fn comparison(&mut self, f: &mut Frame, it: &Compare, node: &Node) -> Given {
        if let Some(answer) = self.compare_in_place(f, it) {
            return Ok(Some(Number::bool(answer)));
        }
        let a = self.give(f, &it.left)?.ok_or_else(|| self.taken());
        let b = self.give(f, &it.right)?;
        if let Some(answer) = a.as_ref().ok().and_then(|a| order(it.op, *a, b?)) {
            return Ok(Some(Number::bool(answer)));
        }
        let (a, b) = (a.map_or_else(|value| value, Number::value), self.received(b));
        let result = self.compare_values(f, it.op, (&it.left, &a), (&it.right, &b), node)?;
        Ok(self.pass(result))
    }

    /// The comparison of variables and constants where they stand, when that needs no more than a look.
    #[inline(always)]
    fn compare_in_place(&self, f: &Frame, it: &Compare) -> Option<bool> {
        let left = peek(&self.stack, &self.globals, f, &it.left)?;
        compare_at_once(it.op, left, peek(&self.stack, &self.globals, f, &it.right)?)
    }

    fn compare_values(
        &mut self,
        f: &Frame,
        op: CompareOp,
        left: (&Node, &Value),
        right: (&Node, &Value),
        node: &Node,
    ) -> Outcome {
        match compare_at_once(op, left.1, right.1) {
            Some(answer) => Ok(Value::Bool(answer)),
            None => operators::compare(self, op, left.1, right.1)
                .map_err(|r| self.blame(f, node.span, r, &[(left.0.span, left.1), (right.0.span, right.1)])),
        }
    }

    #[inline(never)]
    fn logic(&mut self, f: &mut Frame, node: &Node) -> Given {
        match &node.op {
            Op::And(it) => self.either(f, &it.0, &it.1, false),
            Op::Or(it) => self.either(f, &it.0, &it.1, true),
            Op::Chain(it) => {
                let value = self.chain(f, it, node)?;
                Ok(self.pass(value))
            }
            Op::Unary(op, operand) => self.unary(f, *op, operand, node),
            _ => fault!(RuntimeError, "an operation that the evaluator does not know"),
        }
    }

    /// The left value when its truth is the one that decides, else the right one.
    fn either(&mut self, f: &mut Frame, left: &Node, right: &Node, decides: bool) -> Given {
        let value = match self.give(f, left)? {
            Some(number) if number.truth() == decides => return Ok(Some(number)),
            Some(_) => return self.give(f, right),
            None => self.taken(),
        };
        if self.truth(f, left, &value)? == decides { Ok(self.pass(value)) } else { self.give(f, right) }
    }

    fn unary(&mut self, f: &mut Frame, op: UnaryOp, operand: &Node, node: &Node) -> Given {
        let given = self.give(f, operand)?;
        if let (UnaryOp::Neg, Some(number)) = (op, given)
            && let Some(negated) = number.negated()
        {
            return Ok(Some(negated));
        }
        let value = self.received(given);
        let result = operators::unary(self, op, &value);
        let value = result.map_err(|r| self.blame(f, node.span, r, &[(operand.span, &value)]))?;
        Ok(self.pass(value))
    }

    /// `a < b < c`: each operand is evaluated once, and no further than the first that is false.
    fn chain(&mut self, f: &mut Frame, it: &Chain, node: &Node) -> Outcome {
        let (mut left_node, mut left) = (&it.first, self.eval(f, &it.first)?);
        let mut result = Value::Bool(true);
        for (i, (op, right_node)) in it.links.iter().enumerate() {
            let right = self.eval(f, right_node)?;
            result = self.compare_values(f, *op, (left_node, &left), (right_node, &right), node)?;
            if i + 1 < it.links.len() && !self.truth(f, node, &result)? {
                break;
            }
            (left_node, left) = (right_node, right);
        }
        Ok(result)
    }

    /// Displays, slices, and what makes functions and generators.
    #[inline(never)]
    fn display(&mut self, f: &mut Frame, node: &Node) -> Outcome {
        match &node.op {
            Op::Tuple(items) => Ok(Value::Tuple(Rc::new(self.items(f, items, false)?))),
            Op::List(items) => Ok(Value::list(self.items(f, items, false)?)),
            Op::Set(items) => self.set_display(f, items),
            Op::Dict(items) => self.dict_display(f, items),
            Op::Slice(parts) => {
                let mut part = |p: &Option<Node>| p.as_ref().map_or(Ok(Value::None), |n| self.eval(f, n));
                Ok(Value::Slice(Rc::new([part(&parts[0])?, part(&parts[1])?, part(&parts[2])?])))
            }
            Op::Lambda(it) => self.make_function(f, it),
            Op::Comprehension(it) => self.comprehension(f, it),
            Op::Generator(it) => self.make_generator(f, it),
            Op::Format(pieces) => Ok(Value::from(self.format_pieces(f, pieces)?)),
            Op::Walrus(it) => {
                let value = self.eval(f, &it.1)?;
                self.assign(f, &it.0, value.clone())?;
                Ok(value)
            }
            Op::Starred(inner) => self.eval(f, inner),
            _ => fault!(RuntimeError, "an operation that the evaluator does not know"),
        }
    }

    /// Fails with `KeyboardInterrupt` when the user asked for a stop. Called in every loop and call.
    #[inline]
    pub(in crate::lang) fn breathe(&self) -> Outcome<()> {
        if interrupt::is_raised() { Ok(interrupt::check()?) } else { Ok(()) }
    }
}

/// `a op b` of two texts or numbers of one kind, of a plain key and a dict for `in`, and of any two values for `is`; none when that needs the rules of the types.
#[inline(always)]
fn compare_at_once(op: CompareOp, a: &Value, b: &Value) -> Option<bool> {
    match (op, a, b) {
        (CompareOp::Is, _, _) => Some(a.is(b)),
        (CompareOp::IsNot, _, _) => Some(!a.is(b)),
        (CompareOp::In, Value::Str(a), Value::Str(b)) => Some(b.contains(a.as_str())),
        (CompareOp::In, key, Value::Dict(entries)) => Some(entries.borrow().contains_key(&KeyRef::new(key)?)),
        (CompareOp::NotIn, key, Value::Dict(entries)) => Some(!entries.borrow().contains_key(&KeyRef::new(key)?)),
        (_, Value::Str(a), Value::Str(b)) => arith::compare(op, a, b),
        (_, Value::Int(a), Value::Int(b)) => arith::compare(op, a, b),
        (_, Value::Float(a), Value::Float(b)) => arith::compare(op, a, b),
        _ => None,
    }
}

/// Gives a copy of a value that stays where it is.
#[inline(always)]
pub(in crate::lang) fn hand(given: &mut Value, value: &Value) -> Option<Number> {
    let number = Number::of(value);
    if number.is_none() {
        *given = value.clone();
    }
    number
}

/// True for one operation on variables and constants.
#[inline(always)]
fn is_alone(op: &Op) -> bool {
    let is_leaf = |node: &Node| matches!(node.op, Op::Local(_) | Op::Load(_) | Op::Const(_));
    match op {
        Op::Binary(it) => is_leaf(&it.left) && is_leaf(&it.right),
        Op::Compare(it) => is_leaf(&it.left) && is_leaf(&it.right),
        _ => false,
    }
}
