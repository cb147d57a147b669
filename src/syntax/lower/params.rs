//! The parameters of functions and lambdas.

use super::Lower;
use crate::diag::Span;
use crate::syntax::ast::{Expr, Ident, Param, Params};
use crate::syntax::grammar::{Node, Rule, inside};
use crate::syntax::refusal::{Parsed, Refusal};
use std::collections::HashSet;

impl Lower {
    /// The parameters of a lambda, from its head.
    pub(super) fn lambda_params(&self, head: &Node) -> Parsed<Params> {
        match inside(head).find(|n| n.as_rule() == Rule::lambda_params) {
            Some(params) => self.params(&params),
            None => Ok(Params::default()),
        }
    }

    /// A list of parameters.
    pub(super) fn params(&self, node: &Node) -> Parsed<Params> {
        let mut building = Building::default();
        for part in inside(node) {
            let span = self.span(&part);
            let mut inner = inside(&part);
            let ident = inner.next().filter(|n| n.as_rule() == Rule::name).map(|n| self.ident(&n));
            match part.as_rule() {
                Rule::slash => building.slash(span)?,
                Rule::star_param | Rule::lambda_star => building.star(ident, span)?,
                Rule::double_star_param | Rule::lambda_double_star => building.double_star(ident, span)?,
                _ => {
                    let rest: Vec<Node> = inner.collect();
                    let part = |rule: Rule| rest.iter().find(|n| n.as_rule() == rule).map(|n| self.default(n)).transpose();
                    let (annotation, default) = (part(Rule::annotation)?, part(Rule::default)?);
                    let ident = ident.ok_or_else(|| Refusal::new(span, "invalid syntax"))?;
                    building.plain(Param { ident, annotation, default }, span)?;
                }
            }
        }
        building.finish()
    }

    /// The expression of a default or of an annotation.
    fn default(&self, node: &Node) -> Parsed<Expr> {
        let value = self.child(&mut inside(node), self.span(node))?;
        self.expr(&value)
    }
}

/// Parameters so far.
#[derive(Default)]
struct Building {
    params: Params,
    seen: HashSet<crate::syntax::ast::Name>,
    /// Where a `*` stood, with or without a name.
    star: Option<Span>,
    /// A `*` without a name is waiting for a keyword-only parameter.
    bare: Option<Span>,
    slash: bool,
    defaults: bool,
    /// The first name that was there before; refused after everything else.
    duplicate: Option<Ident>,
}

impl Building {
    fn name(&mut self, ident: &Ident) -> Parsed<()> {
        if self.params.double_star.is_some() {
            return Err(Refusal::new(ident.span, "arguments cannot follow var-keyword argument"));
        }
        if !self.seen.insert(ident.name.clone()) && self.duplicate.is_none() {
            self.duplicate = Some(ident.clone());
        }
        Ok(())
    }

    fn plain(&mut self, param: Param, span: Span) -> Parsed<()> {
        self.name(&param.ident)?;
        if self.star.is_none() {
            if param.default.is_none() && self.defaults {
                return Err(Refusal::new(span, "non-default argument follows default argument"));
            }
            self.defaults |= param.default.is_some();
        }
        self.bare = None;
        self.params.names.push(param);
        Ok(())
    }

    fn slash(&mut self, span: Span) -> Parsed<()> {
        let message = if self.params.double_star.is_some() {
            "arguments cannot follow var-keyword argument"
        } else if self.slash {
            "/ may appear only once"
        } else if self.star.is_some() {
            "/ must be ahead of *"
        } else if self.params.names.is_empty() {
            "at least one argument must precede /"
        } else {
            self.slash = true;
            self.params.positional_only = self.params.names.len();
            return Ok(());
        };
        Err(Refusal::new(span, message))
    }

    fn star(&mut self, ident: Option<Ident>, span: Span) -> Parsed<()> {
        if self.params.double_star.is_some() {
            return Err(Refusal::new(span, "arguments cannot follow var-keyword argument"));
        }
        if self.star.is_some() {
            return Err(Refusal::new(span, "* argument may appear only once"));
        }
        self.star = Some(span);
        self.params.keyword_only_from = self.params.names.len();
        match &ident {
            Some(ident) => self.name(ident)?,
            None => self.bare = Some(span),
        }
        self.params.star = ident;
        Ok(())
    }

    fn double_star(&mut self, ident: Option<Ident>, span: Span) -> Parsed<()> {
        if let Some(bare) = self.bare {
            return Err(Refusal::new(bare, "named arguments must follow bare *"));
        }
        let ident = ident.ok_or_else(|| Refusal::new(span, "invalid syntax"))?;
        self.name(&ident)?;
        self.params.double_star = Some(ident);
        Ok(())
    }

    fn finish(mut self) -> Parsed<Params> {
        if let Some(bare) = self.bare {
            return Err(Refusal::new(bare, "named arguments must follow bare *"));
        }
        if let Some(ident) = &self.duplicate {
            let message = format!("duplicate argument '{}' in function definition", ident.name);
            return Err(Refusal::new(ident.span, message));
        }
        if self.star.is_none() {
            self.params.keyword_only_from = self.params.names.len();
        }
        Ok(self.params)
    }
}
