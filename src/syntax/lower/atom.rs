//! Names, constants, brackets.

use super::{Lower, is};
use crate::syntax::ast::{ComprehensionKind, Expr, ExprKind};
use crate::syntax::grammar::{Node, Rule, has_comma, inside};
use crate::syntax::refusal::{Parsed, Refusal};

impl Lower {
    pub(super) fn atom(&self, node: &Node) -> Parsed<Expr> {
        let span = self.span(node);
        let kind = match node.as_rule() {
            Rule::strings => return self.strings(node),
            Rule::paren => return self.deeper(1, span, || self.paren(node)),
            Rule::list => return self.deeper(1, span, || self.list(node)),
            Rule::braces => return self.deeper(1, span, || self.braces(node)),
            Rule::number => self.number(node)?,
            Rule::ellipsis => ExprKind::Ellipsis,
            Rule::constant => match node.as_str() {
                "True" => ExprKind::Bool(true),
                "False" => ExprKind::Bool(false),
                _ => ExprKind::None,
            },
            Rule::name => ExprKind::Name(self.ident(node).name),
            _ => return Err(Refusal::new(span, "invalid syntax")),
        };
        Ok(Expr { kind, span })
    }

    /// `()`, `(a)`, `(a, b)`, `(a for …)`. A lone expression keeps its own place.
    fn paren(&self, node: &Node) -> Parsed<Expr> {
        let span = self.span(node);
        let parts: Vec<Node> = inside(node).collect();
        match parts.as_slice() {
            [element, clauses] if is(clauses, &[Rule::clauses]) => {
                self.comprehension(ComprehensionKind::Generator, element, None, clauses, span)
            }
            [only] if is(only, &[Rule::yielded]) => self.yielded(only),
            [only] if !has_comma(node) => {
                let expr = self.expr(only)?;
                match expr.kind {
                    ExprKind::Starred(_) => Err(Refusal::new(expr.span, "cannot use starred expression here")
                        .help("A tuple of one needs a comma: (*a,).")),
                    _ => Ok(expr),
                }
            }
            _ => Ok(Expr { kind: ExprKind::Tuple(self.items(&parts)?), span }),
        }
    }

    fn list(&self, node: &Node) -> Parsed<Expr> {
        let span = self.span(node);
        let parts: Vec<Node> = inside(node).collect();
        match parts.as_slice() {
            [element, clauses] if is(clauses, &[Rule::clauses]) => {
                self.comprehension(ComprehensionKind::List, element, None, clauses, span)
            }
            _ => Ok(Expr { kind: ExprKind::List(self.items(&parts)?), span }),
        }
    }

    fn items(&self, parts: &[Node]) -> Parsed<Vec<Expr>> {
        parts.iter().map(|p| self.expr(p)).collect()
    }

    /// A dict or a set, by its first entry.
    fn braces(&self, node: &Node) -> Parsed<Expr> {
        let span = self.span(node);
        let mut entries: Vec<Node> = inside(node).collect();
        let clauses = entries.pop_if(|e| is(e, &[Rule::clauses]));
        let mut dict = Vec::new();
        let mut set = Vec::new();
        for entry in &entries {
            let parts: Vec<Node> = inside(entry).collect();
            match (self.entry(entry, &parts)?, set.is_empty(), dict.is_empty()) {
                (Entry::Pair(key, value), true, _) => dict.push((key, value)),
                (Entry::Item(item), _, true) => set.push(item),
                (Entry::Item(_), ..) => return Err(self.no_value(entry)),
                (Entry::Pair(..), ..) => return Err(self.stray_value(&parts)),
            }
            if let Some(clauses) = &clauses {
                return self.braced_comprehension(&parts, clauses, span);
            }
        }
        let kind = if set.is_empty() { ExprKind::Dict(dict) } else { ExprKind::Set(set) };
        Ok(Expr { kind, span })
    }

    fn entry(&self, entry: &Node, parts: &[Node]) -> Parsed<Entry> {
        match parts {
            [spread] if is(spread, &[Rule::double_starred]) => {
                let value = self.child(&mut inside(spread), self.span(spread))?;
                Ok(Entry::Pair(None, self.expr(&value)?))
            }
            [item] => Ok(Entry::Item(self.expr(item)?)),
            [key, value] if is(key, &[Rule::walrus, Rule::starred]) => Err(Refusal::new(self.span(value), "invalid syntax")),
            [key, value] => {
                let key = self.expr(key)?;
                let value = self.child(&mut inside(value), self.span(value))?;
                Ok(Entry::Pair(Some(key), self.expr(&value)?))
            }
            _ => Err(Refusal::new(self.span(entry), "invalid syntax")),
        }
    }

    /// `{a: 1, b}`.
    fn no_value(&self, entry: &Node) -> Box<Refusal> {
        Refusal::new(self.span(entry), "':' expected after dictionary key")
    }

    /// `{a, b: 1}`.
    fn stray_value(&self, parts: &[Node]) -> Box<Refusal> {
        let place = parts.last().map(|p| self.span(p)).unwrap_or_default();
        Refusal::new(place, "invalid syntax").help("The entries before this one make it a set; a dict has key: value throughout.")
    }

    fn braced_comprehension(&self, parts: &[Node], clauses: &Node, span: crate::diag::Span) -> Parsed<Expr> {
        match parts {
            [spread] if is(spread, &[Rule::double_starred]) => {
                Err(Refusal::new(self.span(spread), "dict unpacking cannot be used in dict comprehension"))
            }
            [element] => self.comprehension(ComprehensionKind::Set, element, None, clauses, span),
            [key, value] => {
                let value = self.child(&mut inside(value), span)?;
                self.comprehension(ComprehensionKind::Dict, key, Some(&value), clauses, span)
            }
            _ => Err(Refusal::new(span, "invalid syntax")),
        }
    }
}

/// One entry of a dict or a set.
enum Entry {
    Pair(Option<Expr>, Expr),
    Item(Expr),
}
