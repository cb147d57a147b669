//! Patterns.

use super::Printer;
use super::expr::Level;
use crate::syntax::ast::{Ident, Pattern, PatternKind};

impl Printer {
    /// A pattern, in parentheses where it could not stand without.
    fn inner_pattern(&mut self, pattern: &Pattern) {
        let loose = matches!(pattern.kind, PatternKind::As(..) | PatternKind::Or(_));
        if loose {
            self.text("(");
        }
        self.pattern(pattern);
        if loose {
            self.text(")");
        }
    }

    /// A pattern.
    pub(super) fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Value(value) | PatternKind::Singleton(value) => self.expr(value, Level::Test),
            PatternKind::Capture(name) => self.bound(name.as_ref()),
            PatternKind::Star(name) => {
                self.text("*");
                self.bound(name.as_ref());
            }
            PatternKind::As(inner, name) => {
                self.inner_pattern(inner);
                self.text(&format!(" as {}", name.name));
            }
            PatternKind::Or(options) => {
                for (i, option) in options.iter().enumerate() {
                    self.text(if i > 0 { " | " } else { "" });
                    self.inner_pattern(option);
                }
            }
            PatternKind::Sequence(items) => {
                self.text("[");
                self.list(items, Printer::pattern);
                self.text("]");
            }
            PatternKind::Mapping { items, rest } => {
                self.text("{");
                self.list(items, |p, (key, value)| {
                    p.expr(key, Level::Test);
                    p.text(": ");
                    p.pattern(value);
                });
                if let Some(rest) = rest {
                    let comma = if items.is_empty() { "" } else { ", " };
                    self.text(&format!("{comma}**{}", rest.name));
                }
                self.text("}");
            }
            PatternKind::Class { class, positional, keywords } => {
                self.expr(class, Level::Test);
                self.text("(");
                let named = keywords.iter().map(|(name, p)| (Some(name), p));
                self.list(positional.iter().map(|p| (None, p)).chain(named), |printer, (name, p)| {
                    if let Some(name) = name {
                        printer.text(&format!("{}=", name.name));
                    }
                    printer.pattern(p);
                });
                self.text(")");
            }
        }
    }

    fn bound(&mut self, name: Option<&Ident>) {
        self.text(name.map_or("_", |n| &n.name));
    }
}
