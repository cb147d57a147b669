//! Simple statements.

use super::Lower;
use super::expr::LONE_STAR;
use super::target::{assignable, deletable, noun};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Stmt, StmtKind};
use crate::syntax::explain::compared_perhaps;
use crate::syntax::grammar::{Node, Rule, inside};
use crate::syntax::refusal::{Parsed, Refusal};

impl Lower {
    /// Statements with semicolons between them.
    pub(super) fn statements(&self, node: &Node) -> Parsed<Vec<Stmt>> {
        inside(node).map(|s| self.statement(&s)).collect()
    }

    fn statement(&self, node: &Node) -> Parsed<Stmt> {
        let span = self.span(node);
        let mut inner = inside(node);
        let kind = match node.as_rule() {
            Rule::pass_stmt => StmtKind::Pass,
            Rule::break_stmt => StmtKind::Break,
            Rule::continue_stmt => StmtKind::Continue,
            Rule::return_stmt => StmtKind::Return(inner.next().map(|v| self.exprs(&v)).transpose()?),
            Rule::raise_stmt => {
                let exc = inner.next().map(|v| self.expr(&v)).transpose()?;
                StmtKind::Raise { exc, cause: inner.next().map(|v| self.expr(&v)).transpose()? }
            }
            Rule::assert_stmt => {
                let test = self.expr(&self.child(&mut inner, span)?)?;
                StmtKind::Assert { test, message: inner.next().map(|v| self.expr(&v)).transpose()? }
            }
            Rule::del_stmt => self.delete(&self.child(&mut inner, span)?)?,
            Rule::global_stmt => StmtKind::Global(inner.map(|n| self.ident(&n)).collect()),
            Rule::nonlocal_stmt => StmtKind::Nonlocal(inner.map(|n| self.ident(&n)).collect()),
            Rule::import_stmt => StmtKind::Import(inner.map(|n| self.alias(&n)).collect()),
            Rule::from_stmt => self.import_from(node)?,
            Rule::yielded => StmtKind::Expr(self.yielded(node)?),
            _ => self.assignment(node)?,
        };
        Ok(Stmt { kind, span })
    }

    /// `del a, b`, or `del (a, b)`, which is the same.
    fn delete(&self, node: &Node) -> Parsed<StmtKind> {
        let parts: Vec<Node> = inside(node).collect();
        let targets = parts.iter().map(|p| self.expr(p)).collect::<Parsed<Vec<_>>>()?;
        targets.iter().try_for_each(deletable)?;
        Ok(StmtKind::Del(targets))
    }

    fn assignment(&self, node: &Node) -> Parsed<StmtKind> {
        let span = self.span(node);
        let mut inner = inside(node);
        let first = self.child(&mut inner, span)?;
        let rest: Vec<Node> = inner.collect();
        match rest.first().map(Node::as_rule) {
            None => Ok(StmtKind::Expr(self.exprs(&first)?)),
            Some(Rule::augmented) => self.augmented(&first, &rest),
            Some(Rule::annotated) => self.annotated(&first, &rest),
            Some(_) => self.assigned(&first, &rest),
        }
    }

    /// `a = b = value`.
    fn assigned(&self, first: &Node, rest: &[Node]) -> Parsed<StmtKind> {
        let mut values = vec![self.stars(first)?];
        for part in rest {
            let value = self.child(&mut inside(part), self.span(part))?;
            values.push(if value.as_rule() == Rule::yielded { self.yielded(&value)? } else { self.stars(&value)? });
        }
        let value = values.pop().ok_or_else(|| Refusal::new(self.span(first), "invalid syntax"))?;
        for target in &values {
            assignable(target).map_err(|r| if values.len() == 1 { maybe_comparison(r, target) } else { r })?;
        }
        if let ExprKind::Starred(_) = value.kind {
            return Err(Refusal::new(value.span, LONE_STAR));
        }
        Ok(StmtKind::Assign { targets: values, value })
    }

    /// What is assigned: an expression list, or `yield`.
    fn right_side(&self, node: &Node) -> Parsed<Expr> {
        if node.as_rule() == Rule::yielded { self.yielded(node) } else { self.exprs(node) }
    }

    /// `yield value`, `yield from iterable`.
    pub(super) fn yielded(&self, node: &Node) -> Parsed<Expr> {
        let kind = match inside(node).next() {
            None => ExprKind::Yield(None),
            Some(from) if from.as_rule() == Rule::yield_from => {
                ExprKind::YieldFrom(Box::new(self.expr(&self.child(&mut inside(&from), self.span(&from))?)?))
            }
            Some(value) => ExprKind::Yield(Some(Box::new(self.exprs(&value)?))),
        };
        Ok(Expr { kind, span: self.span(node) })
    }

    fn augmented(&self, first: &Node, rest: &[Node]) -> Parsed<StmtKind> {
        let target = self.stars(first)?;
        if !matches!(target.kind, ExprKind::Name(_) | ExprKind::Attr(..) | ExprKind::Subscript(..)) {
            let message = format!("'{}' is an illegal expression for augmented assignment", noun(&target));
            return Err(Refusal::new(target.span, message));
        }
        assignable(&target)?;
        let span = self.span(first);
        let mut inner = inside(rest.first().unwrap_or(first));
        let op = self.child(&mut inner, span)?;
        let symbol = BinaryOp::from_symbol(op.as_str().trim_end_matches('='));
        let op = symbol.ok_or_else(|| Refusal::new(self.span(&op), "invalid syntax"))?;
        let value = self.right_side(&self.child(&mut inner, span)?)?;
        Ok(StmtKind::AugAssign { target, op, value })
    }

    fn annotated(&self, first: &Node, rest: &[Node]) -> Parsed<StmtKind> {
        let target = self.stars(first)?;
        let message = match &target.kind {
            ExprKind::Name(_) | ExprKind::Attr(..) | ExprKind::Subscript(..) => None,
            ExprKind::List(_) | ExprKind::Tuple(_) => {
                Some(format!("only single target (not {}) can be annotated", noun(&target)))
            }
            _ => Some("illegal target for annotation".into()),
        };
        if let Some(message) = message {
            let refusal = Refusal::new(target.span, message);
            let counts = matches!(target.kind, ExprKind::Int(_));
            return Err(if counts { refusal.help("numbers in a row are torch.arange(1, 6), without the last") } else { refusal });
        }
        assignable(&target)?;
        let mut inner = inside(rest.first().unwrap_or(first));
        let annotation = self.expr(&self.child(&mut inner, target.span)?)?;
        let value = inner.next().map(|v| self.right_side(&v)).transpose()?;
        Ok(StmtKind::AnnAssign { target, annotation, value })
    }
}

/// `f() = 1` may have meant a comparison, and so may the last of `a, f() = 1`.
fn maybe_comparison(refusal: Box<Refusal>, target: &Expr) -> Box<Refusal> {
    let last = match &target.kind {
        ExprKind::Tuple(items) => items.last().filter(|l| l.span.end == target.span.end).unwrap_or(target),
        _ => target,
    };
    if !compared_perhaps(last) || last.span != refusal.span {
        return refusal;
    }
    let message = format!("cannot assign to {} here. Maybe you meant '==' instead of '='?", noun(last));
    Refusal::new(refusal.span, message)
}
