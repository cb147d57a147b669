//! Comprehensions and generator expressions.

use super::{Lower, is};
use crate::diag::Span;
use crate::syntax::ast::{Comprehension, ComprehensionKind, Expr, ExprKind, ForClause};
use crate::syntax::grammar::{Node, Rule, inside};
use crate::syntax::refusal::{Parsed, Refusal};

impl Lower {
    pub(super) fn comprehension(
        &self,
        kind: ComprehensionKind,
        element: &Node,
        value: Option<&Node>,
        clauses: &Node,
        span: Span,
    ) -> Parsed<Expr> {
        if is(element, &[Rule::starred]) {
            return Err(Refusal::new(self.span(element), "iterable unpacking cannot be used in comprehension"));
        }
        let element = self.expr(element)?;
        let value = value.map(|v| self.expr(v)).transpose()?;
        let clauses = inside(clauses).map(|c| self.for_clause(&c)).collect::<Parsed<Vec<_>>>()?;
        let comprehension = Comprehension { kind, element, value, clauses };
        Ok(Expr { kind: ExprKind::Comprehension(Box::new(comprehension)), span })
    }

    fn for_clause(&self, node: &Node) -> Parsed<ForClause> {
        let span = self.span(node);
        let mut inner = inside(node);
        let target = self.targets(&self.child(&mut inner, span)?)?;
        let iter = self.expr(&self.child(&mut inner, span)?)?;
        let tests = inner.map(|c| self.expr(&self.child(&mut inside(&c), span)?)).collect::<Parsed<Vec<_>>>()?;
        Ok(ForClause { target, iter, tests })
    }
}
