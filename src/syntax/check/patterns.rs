//! Patterns that can be read but make no sense: names bound twice, keys asked for twice, cases that nothing can reach.

use crate::syntax::ast::{Expr, ExprKind, Ident, Name, Pattern, PatternKind, UnaryOp};
use crate::syntax::refusal::{Parsed, Refusal};

/// Refuses a pattern that makes no sense; `may_match_all` when it is guarded or the last.
pub(super) fn check(pattern: &Pattern, may_match_all: bool) -> Parsed<()> {
    Walk { bound: vec![], may_match_all }.pattern(pattern)
}

/// A pattern as it is walked.
struct Walk {
    /// The names it has bound so far.
    bound: Vec<Name>,
    /// Nothing that follows would be out of reach.
    may_match_all: bool,
}

impl Walk {
    fn pattern(&mut self, pattern: &Pattern) -> Parsed<()> {
        match &pattern.kind {
            PatternKind::Value(value) if !is_constant(value) => {
                Err(Refusal::new(pattern.span, "patterns may only match literals and attribute lookups"))
            }
            PatternKind::Value(_) | PatternKind::Singleton(_) | PatternKind::Star(None) => Ok(()),
            PatternKind::Capture(name) if !self.may_match_all => Err(unreachable(name.as_ref(), pattern)),
            PatternKind::Capture(name) => name.iter().try_for_each(|n| self.bind(n, pattern)),
            PatternKind::As(inner, name) => {
                self.pattern(inner)?;
                self.bind(name, pattern)
            }
            PatternKind::Or(options) => self.options(options, pattern),
            PatternKind::Sequence(items) => self.sequence(items, pattern),
            PatternKind::Star(Some(name)) => self.bind(name, pattern),
            PatternKind::Mapping { items, rest } => self.mapping(items, rest.as_ref(), pattern),
            PatternKind::Class { positional, keywords, .. } => {
                for (i, (name, value)) in keywords.iter().enumerate() {
                    if keywords[..i].iter().any(|(other, _)| other.name == name.name) {
                        let message = format!("attribute name repeated in class pattern: {}", name.name);
                        return Err(Refusal::new(value.span, message));
                    }
                }
                self.parts(positional.iter().chain(keywords.iter().map(|(_, p)| p)))
            }
        }
    }

    /// The parts of a pattern, which may each take anything.
    fn parts<'a>(&mut self, parts: impl IntoIterator<Item = &'a Pattern>) -> Parsed<()> {
        let before = std::mem::replace(&mut self.may_match_all, true);
        parts.into_iter().try_for_each(|p| self.pattern(p))?;
        self.may_match_all = before;
        Ok(())
    }

    fn bind(&mut self, name: &Ident, pattern: &Pattern) -> Parsed<()> {
        if self.bound.contains(&name.name) {
            let message = format!("multiple assignments to name '{}' in pattern", name.name);
            return Err(Refusal::new(pattern.span, message));
        }
        self.bound.push(name.name.clone());
        Ok(())
    }

    /// Every option must bind the same names, and only the last may take anything.
    fn options(&mut self, options: &[Pattern], whole: &Pattern) -> Parsed<()> {
        let mut control: Option<Vec<Name>> = None;
        for (i, option) in options.iter().enumerate() {
            let mut walk = Walk { bound: vec![], may_match_all: self.may_match_all && i + 1 == options.len() };
            walk.pattern(option)?;
            let control = control.get_or_insert_with(|| walk.bound.clone());
            if control.len() != walk.bound.len() || !walk.bound.iter().all(|n| control.contains(n)) {
                return Err(Refusal::new(option.span, "alternative patterns bind different names"));
            }
        }
        for name in control.unwrap_or_default() {
            self.bind(&Ident { name, span: whole.span }, whole)?;
        }
        Ok(())
    }

    fn sequence(&mut self, items: &[Pattern], whole: &Pattern) -> Parsed<()> {
        if items.iter().filter(|i| matches!(i.kind, PatternKind::Star(_))).count() > 1 {
            return Err(Refusal::new(whole.span, "multiple starred names in sequence pattern"));
        }
        self.parts(items)
    }

    fn mapping(&mut self, items: &[(Expr, Pattern)], rest: Option<&Ident>, whole: &Pattern) -> Parsed<()> {
        let mut seen: Vec<String> = vec![];
        for (key, _) in items {
            if matches!(key.kind, ExprKind::Attr(..)) {
                continue;
            }
            if !is_constant(key) {
                let message = "mapping pattern keys may only match literals and attribute lookups";
                return Err(Refusal::new(whole.span, message));
            }
            let text = key.to_string();
            if seen.contains(&text) {
                return Err(Refusal::new(whole.span, format!("mapping pattern checks duplicate key ({text})")));
            }
            seen.push(text);
        }
        self.parts(items.iter().map(|(_, p)| p))?;
        rest.iter().try_for_each(|name| self.bind(name, whole))
    }
}

/// True for what is known before the program runs, and for attributes.
fn is_constant(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::FString(_) => false,
        ExprKind::Unary(UnaryOp::Neg, inner) => is_constant(inner),
        _ => true,
    }
}

fn unreachable(name: Option<&Ident>, pattern: &Pattern) -> Box<Refusal> {
    let what = name.map_or("wildcard".to_string(), |n| format!("name capture '{}'", n.name));
    Refusal::new(pattern.span, format!("{what} makes remaining patterns unreachable"))
}
