//! The arguments of a call.

use super::{Lower, is};
use crate::diag::Span;
use crate::syntax::ast::{Arg, ComprehensionKind, ExprKind};
use crate::syntax::grammar::{Node, Rule, has_comma, inside};
use crate::syntax::refusal::{Parsed, Refusal};
use std::collections::HashSet;

impl Lower {
    /// The arguments between the parentheses of a call, in Python's order.
    pub(super) fn arguments(&self, node: &Node) -> Parsed<Vec<Arg>> {
        let parts: Vec<Node> = inside(node).collect();
        let mut order = Order::default();
        let mut args = Vec::with_capacity(parts.len());
        self.deeper(1, self.span(node), || {
            for part in &parts {
                let arg = self.argument(part, (parts.len() == 1 && !has_comma(node)).then(|| self.span(node)))?;
                order.admit(&arg, self.span(part))?;
                args.push(arg);
            }
            Ok(args)
        })
    }

    /// One argument; `alone` is the place of the call's parentheses when there is no other.
    fn argument(&self, node: &Node, alone: Option<Span>) -> Parsed<Arg> {
        let span = self.span(node);
        let mut inner = inside(node);
        let value = self.child(&mut inner, span)?;
        match (node.as_rule(), inner.next()) {
            (Rule::star_arg, _) => Ok(Arg::Star(self.expr(&value)?)),
            (Rule::double_star_arg, _) => Ok(Arg::DoubleStar(self.expr(&value)?)),
            (_, None) => Ok(Arg::Positional(self.expr(&value)?)),
            (_, Some(tail)) if is(&tail, &[Rule::clauses]) => {
                let Some(parentheses) = alone else {
                    return Err(Refusal::new(span, "Generator expression must be parenthesized"));
                };
                let generator = self.comprehension(ComprehensionKind::Generator, &value, None, &tail, parentheses)?;
                Ok(Arg::Positional(generator))
            }
            (_, Some(tail)) => self.keyword(&value, &tail),
        }
    }

    fn keyword(&self, name: &Node, value: &Node) -> Parsed<Arg> {
        let span = self.span(name);
        let key = self.expr(name)?;
        let constant = match &key.kind {
            ExprKind::Name(_) if key.span == span => {
                let value = self.expr(&self.child(&mut inside(value), span)?)?;
                let ExprKind::Name(name) = key.kind else { return Err(Refusal::new(span, "invalid syntax")) };
                return Ok(Arg::Keyword(crate::syntax::ast::Ident { name, span }, value));
            }
            ExprKind::None => Some("None"),
            ExprKind::Bool(true) => Some("True"),
            ExprKind::Bool(false) => Some("False"),
            _ => None,
        };
        let place = span.to(self.span(value));
        Err(match constant {
            Some(word) => Refusal::new(place, format!("cannot assign to {word}")),
            None => Refusal::new(place, "expression cannot contain assignment, perhaps you meant \"==\"?"),
        })
    }
}

/// What has been seen of a call's arguments, to refuse a wrong order.
#[derive(Default)]
struct Order {
    keyword: bool,
    unpacked: bool,
    names: HashSet<crate::syntax::ast::Name>,
}

impl Order {
    fn admit(&mut self, arg: &Arg, span: Span) -> Parsed<()> {
        match arg {
            Arg::Positional(_) if self.unpacked => {
                return Err(Refusal::new(span, "positional argument follows keyword argument unpacking"));
            }
            Arg::Positional(_) if self.keyword => {
                return Err(Refusal::new(span, "positional argument follows keyword argument"));
            }
            Arg::Star(_) if self.unpacked => {
                return Err(Refusal::new(span, "iterable argument unpacking follows keyword argument unpacking"));
            }
            Arg::Keyword(name, _) => {
                self.keyword = true;
                if !self.names.insert(name.name.clone()) {
                    return Err(Refusal::new(span, format!("keyword argument repeated: {}", name.name)));
                }
            }
            Arg::DoubleStar(_) => self.unpacked = true,
            Arg::Positional(_) | Arg::Star(_) => {}
        }
        Ok(())
    }
}
