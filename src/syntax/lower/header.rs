//! Lines and the headers of compound statements.

use super::target::assignable;
use super::{Form, Header, Lower, is};
use crate::diag::Span;
use crate::syntax::ast::{Expr, ExprKind};
use crate::syntax::grammar::{Node, Rule, inside};
use crate::syntax::refusal::{Parsed, Refusal};

impl Lower {
    /// A whole logical line.
    pub fn line(&self, line: &Node) -> Parsed<Form> {
        let span = self.span(line);
        let node = self.child(&mut inside(line), span)?;
        match node.as_rule() {
            Rule::decorator => {
                let value = self.child(&mut inside(&node), span)?;
                Ok(Form::Decorator(self.expr(&value)?))
            }
            Rule::header => self.header_line(&node),
            Rule::match_head => self.match_head(&node),
            _ => Ok(Form::Simple(self.statements(&node)?)),
        }
    }

    /// The text of one expression list.
    pub fn expression(&self, node: &Node) -> Parsed<Expr> {
        let stars = self.child(&mut inside(node), self.span(node))?;
        self.exprs(&stars)
    }

    fn header_line(&self, node: &Node) -> Parsed<Form> {
        let span = self.span(node);
        let colon = node.clone().into_inner().find(|n| is(n, &[Rule::colon]));
        let colon = colon.map_or(span, |c| self.span(&c));
        let mut inner = inside(node);
        let header = self.header(&self.child(&mut inner, span)?)?;
        let suite = inner.next().map(|s| self.statements(&s)).transpose()?;
        Ok(Form::Header { header, colon, suite })
    }

    fn header(&self, node: &Node) -> Parsed<Header> {
        let span = self.span(node);
        let mut inner = inside(node);
        let mut next = || self.child(&mut inner, span);
        Ok(match node.as_rule() {
            Rule::if_head => Header::If(self.expr(&next()?)?),
            Rule::elif_head => Header::Elif(self.expr(&next()?)?),
            Rule::while_head => Header::While(self.expr(&next()?)?),
            Rule::else_head => Header::Else,
            Rule::try_head => Header::Try,
            Rule::finally_head => Header::Finally,
            Rule::for_head => Header::For(self.targets(&next()?)?, self.for_iter(&next()?)?),
            Rule::except_head => self.except(node)?,
            Rule::with_head => self.with(node)?,
            Rule::def_head => {
                let (name, mut params) = (self.ident(&next()?), self.params(&next()?)?);
                if let Some(returns) = inner.next() {
                    params.returns = Some(self.expr(&self.child(&mut inside(&returns), span)?)?);
                }
                Header::Def(name, params)
            }
            Rule::class_head => {
                let name = self.ident(&next()?);
                Header::Class(name, inner.next().map_or(Ok(vec![]), |bases| self.arguments(&bases))?)
            }
            _ => return Err(Refusal::new(span, "invalid syntax")),
        })
    }

    fn for_iter(&self, node: &Node) -> Parsed<Expr> {
        self.exprs(node)
    }

    fn except(&self, node: &Node) -> Parsed<Header> {
        let mut inner = inside(node);
        let class = inner.next().map(|c| self.expr(&c)).transpose()?;
        Ok(Header::Except(class, inner.next().map(|n| self.ident(&n))))
    }

    fn with(&self, node: &Node) -> Parsed<Header> {
        let mut items = Vec::new();
        for item in inside(node) {
            let mut inner = inside(&item);
            let value = self.expr(&self.child(&mut inner, self.span(&item))?)?;
            let target = inner.next().map(|t| self.with_target(&t)).transpose()?;
            items.push((value, target));
        }
        Ok(Header::With(items))
    }

    fn with_target(&self, node: &Node) -> Parsed<Expr> {
        let target = self.target(node)?;
        assignable(&target)?;
        Ok(target)
    }
}

impl Header {
    /// What messages call the block of this header.
    pub fn noun(&self) -> &'static str {
        match self {
            Header::If(_) => "'if' statement",
            Header::Elif(_) => "'elif' statement",
            Header::Else => "'else' statement",
            Header::While(_) => "'while' statement",
            Header::For(..) => "'for' statement",
            Header::With(_) => "'with' statement",
            Header::Try => "'try' statement",
            Header::Except(..) => "'except' statement",
            Header::Finally => "'finally' statement",
            Header::Match(_) => "'match' statement",
            Header::Def(..) => "function definition",
            Header::Class(..) => "class definition",
        }
    }
}

/// A string alone, to be a function's documentation.
pub(in crate::syntax) fn doc_of(body: &[crate::syntax::ast::Stmt]) -> Option<std::rc::Rc<str>> {
    match body.first().map(|s| &s.kind) {
        Some(crate::syntax::ast::StmtKind::Expr(Expr { kind: ExprKind::Str(text), span: Span { .. } })) => Some(text.clone()),
        _ => None,
    }
}
