//! `%explain x.t().view(-1)`, `%explain a + b`, `%explain x[1, ::2]`: why memory allows it, or does not.

use super::{Call, source, usage};
use crate::diag::{Diagnostic, ErrorClass, Source, Span};
use crate::layout::{Layout, infer_sizes};
use crate::show::picture::{self, Index, Named, Operand, Pick, Reading, Variable};
use crate::syntax;
use crate::syntax::ast::{Arg, BinaryOp, Expr, ExprKind};
use crate::tensor::Tensor;
use crate::value::{Outcome, Raise, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Methods that ask for other sizes, and whether they copy when a view is not possible.
const READINGS: &[(&str, bool)] = &[("view", false), ("reshape", true), ("flatten", true)];

/// Functions and methods that multiply matrices.
const PRODUCTS: &[&str] = &["matmul", "mm", "mv", "bmm", "dot"];

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    match call.rest {
        "" => Err(usage("explain", "%explain needs an expression")),
        text => expression(call, text),
    }
}

/// Explains an expression.
pub(super) fn expression(call: &mut Call, text: &str) -> Outcome<()> {
    let source = source("explain", text);
    let whole = syntax::parse_expression(&source, Span::new(0, source.text.len()))?;
    let doc = match &whole.kind {
        ExprKind::Binary(BinaryOp::MatMul, a, b) => {
            let (a, b) = (operand(call, &source, a)?, operand(call, &source, b)?);
            picture::product(&source.text, &pair(&a, &b), call.width())
        }
        ExprKind::Binary(_, a, b) => {
            let (a, b) = (operand(call, &source, a)?, operand(call, &source, b)?);
            picture::broadcast(&source.text, &pair(&a, &b), call.width())
        }
        ExprKind::Subscript(base, index) => {
            let base = tensor(call, &source, base)?;
            let indices = indices(call, &source, index)?;
            picture::subscript(&base, &source.text, &indices, call.width())?
        }
        ExprKind::Call { callee, args } => return called(call, &source, callee, args),
        _ => return Err(nothing_to_say()),
    };
    call.print(&doc);
    Ok(())
}

fn pair<'a>(a: &'a (String, Rc<Layout>), b: &'a (String, Rc<Layout>)) -> [Operand<'a>; 2] {
    [Operand { name: &a.0, layout: &a.1 }, Operand { name: &b.0, layout: &b.1 }]
}

/// A call: a reading with other sizes, a product, or else its operands in a table.
fn called(call: &mut Call, source: &Arc<Source>, callee: &Expr, args: &[Arg]) -> Outcome<()> {
    let ExprKind::Attr(base, name) = &callee.kind else { return Err(nothing_to_say()) };
    let is_method = !matches!(value(call, source, base)?, Value::Module(_));
    let positional = args.iter().filter_map(|a| if let Arg::Positional(e) = a { Some(e) } else { None });
    let operands: Vec<&Expr> = is_method.then_some(&**base).into_iter().chain(positional).collect();
    let doc = match (READINGS.iter().find(|(method, _)| *method == &*name.name), operands.as_slice()) {
        (Some((method, may_copy)), _) if is_method => {
            let base = tensor(call, source, base)?;
            let sizes = sizes(call, source, method, &base.tensor, args)?;
            picture::verdict(&Reading { base: &base, text: &source.text, sizes: &sizes, may_copy: *may_copy }, call.width())?
        }
        (_, [a, b]) if PRODUCTS.contains(&&*name.name) => {
            let (a, b) = (operand(call, source, a)?, operand(call, source, b)?);
            picture::product(&source.text, &pair(&a, &b), call.width())
        }
        (_, operands) => {
            let mut found = vec![];
            for expr in operands {
                let name = text_of(source, expr);
                collect(&mut found, name, &value(call, source, expr)?);
            }
            if found.is_empty() {
                return Err(nothing_to_say());
            }
            picture::who(&found, call.width())?
        }
    };
    call.print(&doc);
    Ok(())
}

/// The tensors in a value, each with the text that gives it.
fn collect(found: &mut Vec<Variable>, name: String, value: &Value) {
    match value {
        Value::Tensor(tensor) => found.push(Variable::Tensor(Named { name, tensor: tensor.clone() })),
        other => {
            for (k, item) in other.items().unwrap_or_default().iter().enumerate() {
                collect(found, format!("{name}[{k}]"), item);
            }
        }
    }
}

fn nothing_to_say() -> Raise {
    let message = "%explain knows views (x.view(...)), indices (x[1, ::2]), broadcasting (a + b), products (a @ b) and calls";
    Diagnostic::new(ErrorClass::ValueError, message).help("%trace shows what any statement does to memory").into()
}

fn text_of(source: &Source, expr: &Expr) -> String {
    source.text.get(expr.span.range()).unwrap_or_default().to_string()
}

/// The value of a part of an expression, evaluated by itself.
pub(super) fn value(call: &mut Call, source: &Source, expr: &Expr) -> Outcome {
    call.interp.evaluate(&Source::new(source.name.as_str(), text_of(source, expr)))
}

/// The text and the layout of an operand; a number is a tensor without dimensions.
fn operand(call: &mut Call, source: &Arc<Source>, expr: &Expr) -> Outcome<(String, Rc<Layout>)> {
    if matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_)) {
        return Ok((text_of(source, expr), Rc::new(Layout::contiguous(&[]))));
    }
    let named = tensor(call, source, expr)?;
    Ok((named.name, named.tensor.layout()))
}

/// A part of an expression that has to be a tensor.
pub(super) fn tensor(call: &mut Call, source: &Arc<Source>, expr: &Expr) -> Outcome<Named> {
    let name = text_of(source, expr);
    match value(call, source, expr)? {
        Value::Tensor(tensor) => Ok(Named { name, tensor }),
        other => {
            let message = format!("a tensor is needed here, and {name} is of type {}", other.type_name());
            Err(Diagnostic::new(ErrorClass::TypeError, message).at(source, expr.span, "").into())
        }
    }
}

/// What each index of a subscript does.
fn indices<'a>(call: &mut Call, source: &'a Arc<Source>, index: &Expr) -> Outcome<Vec<Index<'a>>> {
    let parts = match &index.kind {
        ExprKind::Tuple(parts) => parts.as_slice(),
        _ => std::slice::from_ref(index),
    };
    let mut found = vec![];
    for part in parts {
        let pick = match &part.kind {
            ExprKind::None => Pick::New,
            ExprKind::Ellipsis => Pick::Rest,
            ExprKind::Slice { lower, upper, step } => {
                let mut bound = |expr: &Option<Box<Expr>>| match expr {
                    None => Ok(None),
                    Some(expr) => value(call, source, expr).map(|v| if let Value::Int(i) = v { Some(i) } else { None }),
                };
                Pick::Some(bound(lower)?, bound(upper)?, bound(step)?.unwrap_or(1))
            }
            _ => match value(call, source, part)? {
                Value::Int(i) => Pick::One(i),
                Value::None => Pick::New,
                _ => Pick::Elements,
            },
        };
        found.push(Index { text: source.text.get(part.span.range()).unwrap_or_default(), pick });
    }
    Ok(found)
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
        return Ok(layout.flatten(start, end)?.0.to_vec());
    }
    Ok(infer_sizes(&numbers, layout.numel())?.to_vec())
}
