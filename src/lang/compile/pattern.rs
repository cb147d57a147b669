//! Patterns of `match`.

use super::tree::*;
use super::{Compiler, Result};
use crate::syntax::ast::{self, Ident, PatternKind};
use crate::value::Value;

impl Compiler<'_> {
    /// A pattern.
    pub fn pattern(&mut self, pattern: &ast::Pattern) -> Result<Pattern> {
        Ok(match &pattern.kind {
            PatternKind::Value(value) => Pattern::Value(self.expr(value)?),
            PatternKind::Singleton(value) => Pattern::Singleton(match value.kind {
                ast::ExprKind::Bool(b) => Value::Bool(b),
                _ => Value::None,
            }),
            PatternKind::Capture(None) | PatternKind::Star(_) => Pattern::Any,
            PatternKind::Capture(Some(name)) => Pattern::Bind(Box::new(Pattern::Any), self.name_target(&name.name)),
            PatternKind::As(inner, name) => Pattern::Bind(Box::new(self.pattern(inner)?), self.name_target(&name.name)),
            PatternKind::Or(options) => Pattern::Or(self.patterns(options)?),
            PatternKind::Sequence(items) => Pattern::Sequence(Box::new(self.sequence(items)?)),
            PatternKind::Mapping { items, rest } => {
                let items = items.iter().map(|(key, value)| Ok((self.expr(key)?, self.pattern(value)?)));
                let items = items.collect::<Result<_>>()?;
                Pattern::Mapping(Box::new(MappingPattern { items, rest: self.bound(rest.as_ref()) }))
            }
            PatternKind::Class { class, positional, keywords } => {
                let keywords = keywords.iter().map(|(name, value)| Ok((name.name.clone(), self.pattern(value)?)));
                Pattern::Class(Box::new(ClassPattern {
                    keywords: keywords.collect::<Result<_>>()?,
                    class: self.expr(class)?,
                    positional: self.patterns(positional)?,
                    span: pattern.span,
                }))
            }
        })
    }

    fn patterns(&mut self, patterns: &[ast::Pattern]) -> Result<Box<[Pattern]>> {
        patterns.iter().map(|p| self.pattern(p)).collect()
    }

    fn bound(&mut self, name: Option<&Ident>) -> Option<Target> {
        name.map(|n| self.name_target(&n.name))
    }

    fn sequence(&mut self, items: &[ast::Pattern]) -> Result<SequencePattern> {
        let star = items.iter().position(|p| matches!(p.kind, PatternKind::Star(_)));
        let (before, rest) = items.split_at(star.unwrap_or(items.len()));
        let star = rest.first().map(|p| match &p.kind {
            PatternKind::Star(name) => self.bound(name.as_ref()),
            _ => None,
        });
        let after = rest.get(1..).unwrap_or_default();
        Ok(SequencePattern { before: self.patterns(before)?, star, after: self.patterns(after)? })
    }
}
