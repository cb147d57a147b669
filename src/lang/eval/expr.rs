//! Expressions.

use super::arith;
use crate::interrupt;
use crate::lang::compile::tree::*;
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::operators;
use crate::ops::exec::Scope;
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use crate::value::{Outcome, Value};
use std::rc::Rc;

impl Interp {
    /// The value of an expression.
    pub(in crate::lang) fn eval(&mut self, f: &mut Frame, node: &Node) -> Outcome {
        let mut node = node;
        loop {
            return match &node.op {
                Op::Const(value) => Ok(value.clone()),
                Op::Local(slot) => match self.stack.get(f.base + *slot as usize) {
                    Some(Some(Value::Int(i))) => Ok(Value::Int(*i)),
                    Some(Some(value)) => Ok(value.clone()),
                    _ => Err(self.unbound(f, Place::Local(*slot), node.span)),
                },
                Op::Load(place) => self.load(f, *place, node.span),
                Op::Quick(inner) => match self.quick(f, inner) {
                    Some(number) => Ok(number.value()),
                    None => self.fused(f, inner),
                },
                Op::Fused(inner) => self.fused(f, inner),
                Op::LocalInt(it) => match self.local_int(f, it, false) {
                    Some(number) => Ok(number.value()),
                    None => self.binary(f, it.op, &it.nodes.0, &it.nodes.1, node),
                },
                Op::IntLocal(it) => match self.local_int(f, it, true) {
                    Some(number) => Ok(number.value()),
                    None => self.binary(f, it.op, &it.nodes.0, &it.nodes.1, node),
                },
                Op::CompareInt(it) => match self.compare_int(f, it) {
                    Some(number) => Ok(number.value()),
                    None => self.comparison(f, &it.whole, node),
                },
                Op::Binary(it) => self.binary(f, it.op, &it.left, &it.right, node),
                Op::IfElse(it) => {
                    node = if self.test(f, &it.test)? { &it.body } else { &it.orelse };
                    continue;
                }
                Op::Call(it) => self.call_node(f, it, node),
                Op::Method(it) => self.method_node(f, it, node),
                Op::Attr(it) => self.attr_node(f, it, node),
                Op::Subscript(it) => self.subscript(f, it, node),
                Op::Compare(it) => self.comparison(f, it, node),
                Op::Not(operand) => Ok(Value::Bool(!self.test(f, operand)?)),
                Op::And(_) | Op::Or(_) | Op::Chain(_) | Op::Unary(..) => self.logic(f, node),
                _ => self.display(f, node),
            };
        }
    }

    /// The value of an expression whose operations on large tensors may run as one.
    #[inline(never)]
    fn fused(&mut self, f: &mut Frame, node: &Node) -> Outcome {
        let scope = Scope::open();
        let result = self.eval(f, node);
        match scope.close() {
            Ok(()) => result,
            Err(error) => result.and_then(|_| Err(self.locate(f, node.span, error.into()))),
        }
    }

    /// The value of an operand: calls and variables, which are most, without a further step.
    #[inline(always)]
    fn operand(&mut self, f: &mut Frame, node: &Node) -> Outcome {
        match &node.op {
            Op::Call(it) => self.call_node(f, it, node),
            Op::Local(slot) => match self.stack.get(f.base + *slot as usize) {
                Some(Some(value)) => Ok(value.clone()),
                _ => Err(self.unbound(f, Place::Local(*slot), node.span)),
            },
            _ => self.eval(f, node),
        }
    }

    /// Whether a condition holds.
    #[inline(always)]
    pub(in crate::lang) fn test(&mut self, f: &mut Frame, node: &Node) -> Outcome<bool> {
        match self.quick_operand(f, node) {
            Some(number) => Ok(number.truth()),
            None => self.test_any(f, node),
        }
    }

    #[inline(never)]
    fn test_any(&mut self, f: &mut Frame, node: &Node) -> Outcome<bool> {
        match &node.op {
            Op::Quick(inner) => self.test_any(f, inner),
            Op::Not(operand) => Ok(!self.test(f, operand)?),
            Op::And(it) => Ok(self.test(f, &it.0)? && self.test(f, &it.1)?),
            Op::Or(it) => Ok(self.test(f, &it.0)? || self.test(f, &it.1)?),
            _ => {
                let value = self.eval(f, node)?;
                self.truth(f, node, &value)
            }
        }
    }

    fn truth(&mut self, f: &Frame, node: &Node, value: &Value) -> Outcome<bool> {
        match value {
            Value::Bool(b) => Ok(*b),
            other => operators::truth(other).map_err(|r| self.blame(f, node.span, r, &[(node.span, other)])),
        }
    }

    #[inline(never)]
    fn binary(&mut self, f: &mut Frame, op: BinaryOp, left: &Node, right: &Node, node: &Node) -> Outcome {
        let a = self.operand(f, left)?;
        let b = self.operand(f, right)?;
        match arith::numbers(op, &a, &b) {
            Some(number) => Ok(number.value()),
            None => {
                operators::binary(self, op, &a, &b).map_err(|r| self.blame(f, node.span, r, &[(left.span, &a), (right.span, &b)]))
            }
        }
    }

    #[inline(never)]
    fn comparison(&mut self, f: &mut Frame, it: &Compare, node: &Node) -> Outcome {
        let a = self.eval(f, &it.left)?;
        let b = self.eval(f, &it.right)?;
        self.compare_values(f, it.op, (&it.left, &a), (&it.right, &b), node)
    }

    fn compare_values(
        &mut self,
        f: &Frame,
        op: CompareOp,
        left: (&Node, &Value),
        right: (&Node, &Value),
        node: &Node,
    ) -> Outcome {
        let quick = match (left.1, right.1) {
            (Value::Int(a), Value::Int(b)) => arith::compare(op, a, b),
            (Value::Float(a), Value::Float(b)) => arith::compare(op, a, b),
            (Value::Str(a), Value::Str(b)) => arith::compare(op, a, b),
            _ => None,
        };
        match quick {
            Some(answer) => Ok(Value::Bool(answer)),
            None => operators::compare(self, op, left.1, right.1)
                .map_err(|r| self.blame(f, node.span, r, &[(left.0.span, left.1), (right.0.span, right.1)])),
        }
    }

    #[inline(never)]
    fn logic(&mut self, f: &mut Frame, node: &Node) -> Outcome {
        match &node.op {
            Op::And(it) => {
                let left = self.eval(f, &it.0)?;
                if self.truth(f, &it.0, &left)? { self.eval(f, &it.1) } else { Ok(left) }
            }
            Op::Or(it) => {
                let left = self.eval(f, &it.0)?;
                if self.truth(f, &it.0, &left)? { Ok(left) } else { self.eval(f, &it.1) }
            }
            Op::Chain(it) => self.chain(f, it, node),
            Op::Unary(op, operand) => self.unary(f, *op, operand, node),
            _ => fault!(RuntimeError, "an operation that the evaluator does not know"),
        }
    }

    fn unary(&mut self, f: &mut Frame, op: UnaryOp, operand: &Node, node: &Node) -> Outcome {
        let value = self.eval(f, operand)?;
        match (op, &value) {
            (UnaryOp::Neg, Value::Int(i)) if *i != i64::MIN => Ok(Value::Int(-i)),
            (UnaryOp::Neg, Value::Float(x)) => Ok(Value::Float(-x)),
            _ => operators::unary(self, op, &value).map_err(|r| self.blame(f, node.span, r, &[(operand.span, &value)])),
        }
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
            Op::Tuple(items) => Ok(Value::Tuple(Rc::new(self.items(f, items)?))),
            Op::List(items) => Ok(Value::list(self.items(f, items)?)),
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
