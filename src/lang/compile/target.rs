//! What can be assigned to.

use super::tree::*;
use super::{Compiler, Result};
use crate::lang::eval::site::AttrSite;
use crate::syntax::ast::{Expr, ExprKind, Ident, Name};

impl Compiler<'_> {
    /// An assignment target.
    pub fn target(&mut self, target: &Expr) -> Result<Target> {
        Ok(match &target.kind {
            ExprKind::Name(name) => self.name_target(name),
            ExprKind::Attr(object, name) => Target::Attr(Box::new(AttrTarget {
                object: self.expr(object)?,
                name: self.member(&name.name),
                span: target.span,
                site: AttrSite::default(),
            })),
            ExprKind::Subscript(object, index) => {
                Target::Subscript(Box::new((self.expr(object)?, self.expr(index)?, target.span)))
            }
            ExprKind::Tuple(items) | ExprKind::List(items) => self.unpack(items, target)?,
            ExprKind::Starred(_) => {
                return self.syntax_error(target.span, "starred assignment target must be in a list or tuple");
            }
            _ => return self.syntax_error(target.span, "cannot assign to expression here"),
        })
    }

    /// A variable as a target.
    pub fn name_target(&mut self, name: &Name) -> Target {
        match self.scopes.resolve(name) {
            Place::Local(slot) => Target::Local(slot),
            place => Target::Place(place),
        }
    }

    /// The name of a walrus. A comprehension's own variable cannot be one.
    pub fn walrus_target(&mut self, name: &Ident) -> Result<Target> {
        if self.scopes.is_comprehension_variable(&name.name) {
            let text = format!("assignment expression cannot rebind comprehension iteration variable '{}'", name.name);
            return self.syntax_error(name.span, text);
        }
        Ok(self.name_target(&name.name))
    }

    fn unpack(&mut self, items: &[Expr], whole: &Expr) -> Result<Target> {
        let is_star = |e: &Expr| matches!(e.kind, ExprKind::Starred(_));
        let at = items.iter().position(is_star).unwrap_or(items.len());
        let (before, rest) = items.split_at(at);
        let mut star = None;
        if let Some(Expr { kind: ExprKind::Starred(inner), .. }) = rest.first() {
            star = Some(self.target(inner)?);
        }
        let after = rest.get(1..).unwrap_or_default();
        if let Some(second) = after.iter().find(|e| is_star(e)) {
            return self.syntax_error(second.span, "multiple starred expressions in assignment");
        }
        let before = self.targets(before)?;
        Ok(Target::Unpack(Box::new(Unpack { before, star, after: self.targets(after)?, span: whole.span })))
    }

    /// Several targets.
    pub fn targets(&mut self, targets: &[Expr]) -> Result<Box<[Target]>> {
        targets.iter().map(|t| self.target(t)).collect()
    }
}
