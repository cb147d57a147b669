//! The expressions directly inside an expression.

use crate::syntax::ast::{Expr, ExprKind, FPart};
use crate::syntax::refusal::Parsed;

/// Calls `visit` for each part in the order it is written. Lambdas and comprehensions, which open a scope, have none here.
pub(super) fn each(expr: &Expr, visit: &mut dyn FnMut(&Expr) -> Parsed<()>) -> Parsed<()> {
    match &expr.kind {
        ExprKind::FString(parts) => each_value(parts, visit),
        ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => items.iter().try_for_each(visit),
        ExprKind::Dict(items) => items.iter().try_for_each(|(key, value)| {
            key.iter().try_for_each(&mut *visit)?;
            visit(value)
        }),
        ExprKind::Starred(value)
        | ExprKind::Unary(_, value)
        | ExprKind::Attr(value, _)
        | ExprKind::Walrus(_, value)
        | ExprKind::YieldFrom(value) => visit(value),
        ExprKind::Yield(value) => value.iter().try_for_each(|value| visit(value)),
        ExprKind::Binary(_, left, right)
        | ExprKind::And(left, right)
        | ExprKind::Or(left, right)
        | ExprKind::Subscript(left, right) => {
            visit(left)?;
            visit(right)
        }
        ExprKind::Compare(first, rest) => {
            visit(first)?;
            rest.iter().try_for_each(|(_, value)| visit(value))
        }
        ExprKind::IfElse { test, body, orelse } => [body, test, orelse].into_iter().try_for_each(|e| visit(e)),
        ExprKind::Slice { lower, upper, step } => [lower, upper, step].into_iter().flatten().try_for_each(|e| visit(e)),
        ExprKind::Call { callee, args } => {
            visit(callee)?;
            args.iter().try_for_each(|arg| visit(arg.value()))
        }
        _ => Ok(()),
    }
}

fn each_value(parts: &[FPart], visit: &mut dyn FnMut(&Expr) -> Parsed<()>) -> Parsed<()> {
    for part in parts {
        if let FPart::Value { value, spec, .. } = part {
            visit(value)?;
            each_value(spec.as_deref().unwrap_or_default(), visit)?;
        }
    }
    Ok(())
}
