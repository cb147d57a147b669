//! `%explain x.t().view(-1)`, `%explain a + b`: why memory allows it, or does not.

use super::{Call, source, usage};
use crate::diag::{Diagnostic, ErrorClass, Source, Span};
use crate::layout::{Layout, infer_sizes};
use crate::show::picture::{self, Named, Operand, Reading};
use crate::syntax;
use crate::syntax::ast::{Arg, BinaryOp, Expr, ExprKind};
use crate::tensor::Tensor;
use crate::value::{Outcome, Raise, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Methods that ask for other sizes, and whether they copy when a view is not possible.
const READINGS: &[(&str, bool)] = &[("view", false), ("reshape", true), ("flatten", true)];

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if call.rest.is_empty() {
        return Err(usage("explain", "%explain needs an expression"));
    }
    let source = source("explain", call.rest);
    let whole = syntax::parse_expression(&source, Span::new(0, source.text.len()))?;
    let doc = match &whole.kind {
        ExprKind::Call { callee, args } => match &callee.kind {
            ExprKind::Attr(base, name) => {
                let Some((method, may_copy)) = READINGS.iter().find(|(method, _)| *method == &*name.name) else {
                    return Err(nothing_to_say());
                };
                let base = tensor(call, &source, base)?;
                let sizes = sizes(call, &source, method, &base.tensor, args)?;
                let reading = Reading { base: &base, text: &source.text, sizes: &sizes, may_copy: *may_copy };
                picture::verdict(&reading, call.width())?
            }
            _ => return Err(nothing_to_say()),
        },
        ExprKind::Binary(op, a, b) if *op != BinaryOp::MatMul => {
            let (a, b) = (operand(call, &source, a)?, operand(call, &source, b)?);
            let operands = [Operand { name: &a.0, layout: &a.1 }, Operand { name: &b.0, layout: &b.1 }];
            picture::broadcast(&source.text, &operands, call.width())
        }
        _ => return Err(nothing_to_say()),
    };
    call.print(&doc);
    Ok(())
}

fn nothing_to_say() -> Raise {
    let message = "%explain knows views (x.view(...), x.reshape(...), x.flatten()) and broadcasting (a + b)";
    Diagnostic::new(ErrorClass::ValueError, message).help("%trace shows what any statement does to memory").into()
}

/// The value of a part of an expression, evaluated by itself.
fn value(call: &mut Call, source: &Source, expr: &Expr) -> Outcome {
    let text = source.text.get(expr.span.range()).unwrap_or_default();
    call.interp.evaluate(&Source::new(source.name.as_str(), text))
}

/// The text and the layout of an operand; a number is a tensor without dimensions.
fn operand(call: &mut Call, source: &Arc<Source>, expr: &Expr) -> Outcome<(String, Rc<Layout>)> {
    if matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_)) {
        let name = source.text.get(expr.span.range()).unwrap_or_default();
        return Ok((name.to_string(), Rc::new(Layout::contiguous(&[]))));
    }
    let named = tensor(call, source, expr)?;
    Ok((named.name, named.tensor.layout()))
}

fn tensor(call: &mut Call, source: &Arc<Source>, expr: &Expr) -> Outcome<Named> {
    let name = source.text.get(expr.span.range()).unwrap_or_default().to_string();
    match value(call, source, expr)? {
        Value::Tensor(tensor) => Ok(Named { name, tensor }),
        other => {
            let message = format!("%explain needs tensors, and {name} is of type {}", other.type_name());
            Err(Diagnostic::new(ErrorClass::TypeError, message).at(source, expr.span, "").into())
        }
    }
}

/// The sizes that a call asks for, -1 filled in.
fn sizes(call: &mut Call, source: &Source, method: &str, base: &Tensor, args: &[Arg]) -> Outcome<Vec<i64>> {
    let mut numbers = vec![];
    for arg in args {
        let Arg::Positional(expr) = arg else { return Err(usage("explain", "%explain reads sizes by place only")) };
        let value = value(call, source, expr)?;
        for item in value.items().unwrap_or_else(|| vec![value.clone()]) {
            match item {
                Value::Int(n) => numbers.push(n),
                _ => return Err(usage("explain", "%explain reads sizes that are ints")),
            }
        }
    }
    let layout = base.layout();
    if method == "flatten" {
        let (start, end) = (numbers.first().copied().unwrap_or(0), numbers.get(1).copied().unwrap_or(-1));
        return Ok(flattened(&layout, start, end)?);
    }
    Ok(infer_sizes(&numbers, layout.numel())?.to_vec())
}

fn flattened(layout: &Layout, start: i64, end: i64) -> anyhow::Result<Vec<i64>> {
    Ok(layout.flatten(start, end)?.0.to_vec())
}
