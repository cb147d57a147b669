//! What an expression or a statement does last, with the values it does it to.

use super::super::reader::Reader;
use super::super::{Call, step};
use crate::lang::{Operation, operators};
use crate::ops::schema::Base;
use crate::ops::{self, OpSet};
use crate::syntax::ast::{Arg, BinaryOp, CompareOp, Expr, ExprKind, Stmt, StmtKind, UnaryOp};
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::rc::Rc;

/// The operation.
pub(super) enum Verb {
    Binary(BinaryOp),
    Compare(CompareOp),
    Unary(UnaryOp),
    /// `x += y`.
    InPlace(BinaryOp),
    /// `x[i]`.
    Index,
    /// `x[i] = value`.
    Write,
    /// An operation of the table; true for a method.
    Call(&'static OpSet, bool),
}

/// A value and the text that gives it.
pub(super) struct Part {
    pub name: String,
    pub value: Value,
}

/// An operation about to run.
pub(super) struct Act {
    pub verb: Verb,
    /// In the order of the text, the object of a method first.
    pub parts: Vec<Part>,
    pub keywords: Vec<(Rc<str>, Value)>,
}

impl Act {
    /// The name of the row that does it, if it is one.
    pub fn name(&self) -> &'static str {
        match &self.verb {
            Verb::Binary(BinaryOp::MatMul) => "matmul",
            Verb::Call(set, _) => set.rows.first().map_or(set.name, |row| row.name()),
            _ => "",
        }
    }

    /// True unless it is a call that is there for something else than the tensors it takes or gives: a file, a setting, a seed.
    pub fn is_of_tensors(&self) -> bool {
        let Verb::Call(set, _) = &self.verb else { return true };
        let is_tensor = |base: Base| matches!(base, Base::Tensor | Base::Operand);
        set.rows.iter().filter_map(|row| row.schema().ok()).any(|schema| {
            let mut kinds = schema.params.iter().map(|p| &p.kind).chain(schema.returns.iter().map(|r| &r.kind));
            !schema.returns.is_empty() && kinds.any(|kind| is_tensor(kind.base))
        })
    }

    /// True when an operation is there to copy, or copies because it could not give a view.
    pub fn copies(&self) -> bool {
        let may_view = |set: &OpSet| set.rows.iter().filter_map(|row| row.schema().ok()).any(|schema| schema.is_view);
        matches!(&self.verb, Verb::Call(set, _) if may_view(set) || step::COPYING.contains(&self.name()))
    }

    /// Does it to other values.
    pub fn perform(&self, machine: &mut dyn Machine, mut values: Vec<Value>, keywords: Vec<(Rc<str>, Value)>) -> Outcome {
        match (&self.verb, values.as_slice()) {
            (Verb::Binary(op), [a, b]) => operators::binary(machine, *op, a, b),
            (Verb::InPlace(op), [a, b]) => operators::inplace(machine, *op, a, b),
            (Verb::Compare(op), [a, b]) => operators::compare(machine, *op, a, b),
            (Verb::Unary(op), [a]) => operators::unary(machine, *op, a),
            (Verb::Index, [x, index]) => machine.get_item(x, index),
            (Verb::Write, [x, index, value]) => machine.set_item(x, index, value.clone()).map(|()| Value::None),
            (Verb::Call(set, method), _) => {
                let args = CallArgs { positional: std::mem::take(&mut values), keyword: keywords };
                ops::call(machine, set, *method, args)
            }
            _ => fault!(RuntimeError, "an operation with other operands than it takes"),
        }
    }
}

/// What a statement does last; none when that is nothing of tensors. Its parts are evaluated, the operation is not done.
pub(super) fn of_statement(call: &mut Call, reader: &Reader, statement: &Stmt) -> Outcome<Option<Act>> {
    match &statement.kind {
        StmtKind::Expr(expr) => of_expression(call, reader, expr),
        StmtKind::Assign { targets, value } => match targets.as_slice() {
            [Expr { kind: ExprKind::Subscript(base, index), .. }] => {
                // What is written is evaluated first, as the language does.
                let written = Part { name: reader.text(value).to_string(), value: reader.value(call, value)? };
                let mut parts = subscript(call, reader, base, index)?;
                parts.push(written);
                Ok(Some(Act { verb: Verb::Write, parts, keywords: vec![] }))
            }
            _ => of_expression(call, reader, value),
        },
        StmtKind::AugAssign { target, op, value } => {
            let parts = parts(call, reader, &[target, value])?;
            Ok(Some(Act { verb: Verb::InPlace(*op), parts, keywords: vec![] }))
        }
        _ => Ok(None),
    }
}

/// The same for an expression.
pub(super) fn of_expression(call: &mut Call, reader: &Reader, expr: &Expr) -> Outcome<Option<Act>> {
    let (verb, operands): (Verb, Vec<&Expr>) = match &expr.kind {
        ExprKind::Binary(op, a, b) => (Verb::Binary(*op), vec![a, b]),
        ExprKind::Compare(a, rest) => match rest.as_slice() {
            [(op, b)] => (Verb::Compare(*op), vec![a, b]),
            _ => return Ok(None),
        },
        ExprKind::Unary(op, a) => (Verb::Unary(*op), vec![a]),
        ExprKind::Subscript(base, index) => match reader.kept.and_then(|k| k.written.clone()) {
            Some(value) => {
                let mut parts = subscript(call, reader, base, index)?;
                parts.push(Part { name: "the value".to_string(), value });
                return Ok(Some(Act { verb: Verb::Write, parts, keywords: vec![] }));
            }
            None => return Ok(Some(Act { verb: Verb::Index, parts: subscript(call, reader, base, index)?, keywords: vec![] })),
        },
        ExprKind::Attr(base, name) => match ops::property(&name.name) {
            Some(set) => (Verb::Call(set, true), vec![base]),
            None => return Ok(None),
        },
        ExprKind::Call { callee, args } => return of_call(call, reader, callee, args),
        _ => return Ok(None),
    };
    Ok(Some(Act { verb, parts: parts(call, reader, &operands)?, keywords: vec![] }))
}

fn parts(call: &mut Call, reader: &Reader, exprs: &[&Expr]) -> Outcome<Vec<Part>> {
    exprs.iter().map(|expr| Ok(Part { name: reader.text(expr).to_string(), value: reader.value(call, expr)? })).collect()
}

/// The parts of `base[index]`.
fn subscript(call: &mut Call, reader: &Reader, base: &Expr, index: &Expr) -> Outcome<Vec<Part>> {
    let base = Part { name: reader.text(base).to_string(), value: reader.value(call, base)? };
    Ok(vec![base, Part { name: reader.text(index).to_string(), value: reader.index(call, index)? }])
}

/// `x.f(…)`, `torch.f(…)`, `f(…)` where `f` is an operation.
fn of_call(call: &mut Call, reader: &Reader, callee: &Expr, args: &[Arg]) -> Outcome<Option<Act>> {
    let mut found = vec![];
    let (set, method) = match &callee.kind {
        // The object of a method is a part of its own, with a text and maybe a kept value.
        ExprKind::Attr(base, name) => {
            let object = reader.value(call, base)?;
            match (&object, ops::method(&name.name)) {
                (Value::Tensor(_), Some(set)) => {
                    found.push(Part { name: reader.text(base).to_string(), value: object });
                    (set, true)
                }
                _ => match operation(&call.interp.attr(&object, &name.name)?) {
                    Some((set, method, _)) => (set, method),
                    None => return Ok(None),
                },
            }
        }
        _ => match operation(&reader.value(call, callee)?) {
            Some((set, method, receiver)) => {
                found.extend(receiver.map(|value| Part { name: reader.text(callee).to_string(), value }));
                (set, method)
            }
            None => return Ok(None),
        },
    };
    let mut keywords = vec![];
    for arg in args {
        match arg {
            Arg::Positional(expr) => found.push(Part { name: reader.text(expr).to_string(), value: reader.value(call, expr)? }),
            Arg::Keyword(name, expr) => keywords.push((name.name.clone(), reader.value(call, expr)?)),
            Arg::Star(expr) => {
                let value = reader.value(call, expr)?;
                let text = reader.text(expr);
                let items = value.items().unwrap_or_default().into_iter().enumerate();
                found.extend(items.map(|(k, value)| Part { name: format!("{text}[{k}]"), value }));
            }
            Arg::DoubleStar(_) => return Ok(None),
        }
    }
    Ok(Some(Act { verb: Verb::Call(set, method), parts: found, keywords }))
}

/// The operation that a value is, whether it is a method, and what it is bound to.
fn operation(value: &Value) -> Option<(&'static OpSet, bool, Option<Value>)> {
    let Value::Object(object) = value else { return None };
    let operation = object.as_any().downcast_ref::<Operation>()?;
    Some((operation.set(), operation.is_method(), operation.receiver().cloned()))
}
