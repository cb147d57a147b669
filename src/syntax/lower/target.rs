//! What may be assigned to, deleted or annotated.

use super::Lower;
use crate::syntax::ast::{ComprehensionKind, Expr, ExprKind};
use crate::syntax::grammar::{Node, has_comma, inside};
use crate::syntax::refusal::{Parsed, Refusal};

impl Lower {
    /// The targets of a `for`: one, or a tuple when there is a comma.
    pub(super) fn targets(&self, node: &Node) -> Parsed<Expr> {
        let mut items = inside(node).map(|item| self.target(&item)).collect::<Parsed<Vec<_>>>()?;
        let expr = match (items.len(), has_comma(node)) {
            (1, false) => items.pop().ok_or_else(|| Refusal::new(self.span(node), "invalid syntax"))?,
            _ => Expr { kind: ExprKind::Tuple(items), span: self.span(node) },
        };
        assignable(&expr)?;
        Ok(expr)
    }

    /// One target, starred or not, not yet judged.
    pub(super) fn target(&self, node: &Node) -> Parsed<Expr> {
        let parts: Vec<Node> = inside(node).collect();
        let last = parts.last().ok_or_else(|| Refusal::new(self.span(node), "invalid syntax"))?;
        let value = self.expr(last)?;
        if parts.len() == 1 {
            return Ok(value);
        }
        Ok(Expr { kind: ExprKind::Starred(Box::new(value)), span: self.span(node) })
    }
}

/// Refuses what cannot stand left of `=`.
pub(super) fn assignable(target: &Expr) -> Parsed<()> {
    if let ExprKind::Starred(_) = target.kind {
        return Err(Refusal::new(target.span, "starred assignment target must be in a list or tuple"));
    }
    element(target)
}

fn element(target: &Expr) -> Parsed<()> {
    match &target.kind {
        ExprKind::Name(_) | ExprKind::Attr(..) | ExprKind::Subscript(..) => Ok(()),
        ExprKind::Starred(inner) => element(inner),
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            let mut stars = items.iter().filter(|i| matches!(i.kind, ExprKind::Starred(_)));
            items.iter().try_for_each(element)?;
            match (stars.next(), stars.next()) {
                (Some(_), Some(second)) => Err(Refusal::new(second.span, "multiple starred expressions in assignment")),
                _ => Ok(()),
            }
        }
        _ => Err(Refusal::new(target.span, format!("cannot assign to {}", noun(target)))),
    }
}

/// Refuses what cannot be deleted.
pub(super) fn deletable(target: &Expr) -> Parsed<()> {
    match &target.kind {
        ExprKind::Name(_) | ExprKind::Attr(..) | ExprKind::Subscript(..) => Ok(()),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().try_for_each(deletable),
        _ => Err(Refusal::new(target.span, format!("cannot delete {}", noun(target)))),
    }
}

/// What Python's messages call an expression.
pub(in crate::syntax) fn noun(expr: &Expr) -> &'static str {
    match &expr.kind {
        ExprKind::None => "None",
        ExprKind::Bool(true) => "True",
        ExprKind::Bool(false) => "False",
        ExprKind::Ellipsis => "ellipsis",
        ExprKind::Int(_) | ExprKind::BigInt(_) | ExprKind::Float(_) | ExprKind::Imaginary(_) => "literal",
        ExprKind::Str(_) | ExprKind::Bytes(_) => "literal",
        ExprKind::FString(_) => "f-string expression",
        ExprKind::Name(_) => "name",
        ExprKind::Tuple(_) => "tuple",
        ExprKind::List(_) => "list",
        ExprKind::Set(_) => "set display",
        ExprKind::Dict(_) => "dict literal",
        ExprKind::Starred(_) => "starred",
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::And(..) | ExprKind::Or(..) => "expression",
        ExprKind::Compare(..) => "comparison",
        ExprKind::IfElse { .. } => "conditional expression",
        ExprKind::Lambda(_) => "lambda",
        ExprKind::Attr(..) => "attribute",
        ExprKind::Subscript(..) | ExprKind::Slice { .. } => "subscript",
        ExprKind::Call { .. } => "function call",
        ExprKind::Comprehension(c) => match c.kind {
            ComprehensionKind::List => "list comprehension",
            ComprehensionKind::Set => "set comprehension",
            ComprehensionKind::Dict => "dict comprehension",
            ComprehensionKind::Generator => "generator expression",
        },
        ExprKind::Walrus(..) => "named expression",
        ExprKind::Yield(_) | ExprKind::YieldFrom(_) => "yield expression",
    }
}
