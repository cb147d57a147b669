//! `match` and the patterns of its cases.

use super::expr::LONE_STAR;
use super::{Form, Header, Lower, is};
use crate::diag::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Ident, Pattern, PatternKind, Stmt, UnaryOp};
use crate::syntax::grammar::{Node, Rule, has_comma, inside};
use crate::syntax::refusal::{Parsed, Refusal};

/// The line of a `case`: pattern, guard, where the colon stands, and the statements behind it.
pub(in crate::syntax) struct CaseLine {
    pub pattern: Pattern,
    pub guard: Option<Expr>,
    pub colon: Span,
    pub suite: Option<Vec<Stmt>>,
}

fn invalid<T>(span: Span) -> Parsed<T> {
    Err(Refusal::new(span, "invalid syntax"))
}

impl Lower {
    /// `match subject:`.
    pub(super) fn match_head(&self, node: &Node) -> Parsed<Form> {
        let span = self.span(node);
        let colon = node.clone().into_inner().find(|n| is(n, &[Rule::colon]));
        let given = self.child(&mut inside(node), span)?;
        let subject = self.stars(&given)?;
        if let ExprKind::Starred(_) = subject.kind {
            return Err(Refusal::new(self.behind(given.as_str(), &given), "invalid syntax").label(LONE_STAR));
        }
        let colon = colon.map_or(span, |c| self.span(&c));
        Ok(Form::Header { header: Header::Match(subject), colon, suite: None })
    }

    /// `case patterns if guard: …`.
    pub(in crate::syntax) fn case(&self, node: &Node) -> Parsed<CaseLine> {
        let span = self.span(node);
        let colon = node.clone().into_inner().find(|n| is(n, &[Rule::colon]));
        let mut inner = inside(node).peekable();
        let pattern = self.patterns(&self.child(&mut inner, span)?)?;
        let guard = inner.next_if(|n| is(n, &[Rule::guard]));
        let guard = guard.map(|g| self.expr(&self.child(&mut inside(&g), span)?)).transpose()?;
        let suite = inner.next().map(|s| self.statements(&s)).transpose()?;
        Ok(CaseLine { pattern, guard, colon: colon.map_or(span, |c| self.span(&c)), suite })
    }

    /// One pattern, or with a comma a sequence without brackets.
    fn patterns(&self, node: &Node) -> Parsed<Pattern> {
        let mut items = self.items_of(node)?;
        match (items.len(), has_comma(node)) {
            (1, false) => self.alone(items.pop(), node),
            _ => Ok(Pattern { kind: PatternKind::Sequence(items), span: self.span(node) }),
        }
    }

    fn items_of(&self, node: &Node) -> Parsed<Vec<Pattern>> {
        inside(node).map(|item| self.pattern(&item)).collect()
    }

    /// What stands without a comma is no sequence, so it has no star: Python stumbles over what follows instead of a comma.
    fn alone(&self, pattern: Option<Pattern>, node: &Node) -> Parsed<Pattern> {
        match pattern {
            Some(pattern) if !matches!(pattern.kind, PatternKind::Star(_)) => Ok(pattern),
            _ => invalid(self.behind(node.as_str(), node)),
        }
    }

    /// The letter that follows some text at the beginning of a node, blanks aside.
    fn behind(&self, text: &str, node: &Node) -> Span {
        let rest = &node.get_input()[node.as_span().start() + text.trim_end().len()..];
        let next = rest.trim_start();
        let start = self.base + node.get_input().len() - next.len();
        Span::new(start, start + next.chars().next().map_or(0, char::len_utf8))
    }

    fn pattern(&self, node: &Node) -> Parsed<Pattern> {
        let span = self.span(node);
        let kind = match node.as_rule() {
            Rule::as_pattern => return self.deeper(1, span, || self.as_pattern(node)),
            Rule::star_pattern => PatternKind::Star(named(self.ident(&self.child(&mut inside(node), span)?))),
            Rule::named_pattern => return self.named_pattern(node),
            Rule::number_pattern => PatternKind::Value(self.pattern_number(node)?),
            Rule::strings => PatternKind::Value(self.atom(node)?),
            Rule::constant => PatternKind::Singleton(self.atom(node)?),
            Rule::list_pattern => PatternKind::Sequence(self.items_of(node)?),
            Rule::mapping_pattern => self.mapping(node)?,
            Rule::group_pattern => {
                let mut items = self.items_of(node)?;
                if items.len() == 1 && !has_comma(node) {
                    return self.alone(items.pop(), node);
                }
                PatternKind::Sequence(items)
            }
            _ => return invalid(span),
        };
        Ok(Pattern { kind, span })
    }

    /// `a | b as name`.
    fn as_pattern(&self, node: &Node) -> Parsed<Pattern> {
        let span = self.span(node);
        let mut inner = inside(node);
        let options = self.child(&mut inner, span)?;
        let mut patterns = self.items_of(&options)?;
        let pattern = match patterns.len() {
            1 => self.alone(patterns.pop(), &options)?,
            _ => Pattern { kind: PatternKind::Or(patterns), span: self.span(&options) },
        };
        let Some(target) = inner.next() else { return Ok(pattern) };
        let name = self.as_name(&target)?;
        Ok(Pattern { kind: PatternKind::As(Box::new(pattern), name), span })
    }

    fn as_name(&self, node: &Node) -> Parsed<Ident> {
        let target = self.expr(node)?;
        let name = &node.as_str()
            [..node.as_str().len() - node.as_str().trim_start_matches(|c: char| c == '_' || c.is_alphanumeric()).len()];
        let begins_with_name = node.as_str().starts_with(|c: char| c == '_' || c.is_alphabetic());
        match target.kind {
            ExprKind::Name(name) if &*name == "_" => Err(Refusal::new(target.span, "cannot use '_' as a target")),
            ExprKind::Name(name) => Ok(Ident { name, span: target.span }),
            ExprKind::None | ExprKind::Bool(_) => Err(Refusal::new(target.span, "invalid pattern target")),
            _ if begins_with_name => invalid(self.behind(name, node)),
            _ => Err(Refusal::new(target.span, "invalid pattern target")),
        }
    }

    /// `-1`, `2.5`, `1 + 2j`.
    fn pattern_number(&self, node: &Node) -> Parsed<Expr> {
        let span = self.span(node);
        let mut parts = inside(node).peekable();
        let sign = parts.next_if(|n| is(n, &[Rule::complex_sign]));
        let number = self.child(&mut parts, span)?;
        let second = parts.next().zip(parts.next());
        if let Some(sign) = sign.as_ref().filter(|s| s.as_str() == "+") {
            return invalid(self.span(sign));
        }
        let real = Expr { kind: self.number(&number)?, span: self.span(&number) };
        let is_imaginary = |e: &Expr| matches!(e.kind, ExprKind::Imaginary(_));
        if second.is_some() && is_imaginary(&real) {
            return Err(Refusal::new(real.span, "real number required in complex literal"));
        }
        let place = Span { start: span.start, end: real.span.end };
        let kind = if sign.is_some() { ExprKind::Unary(UnaryOp::Neg, Box::new(real)) } else { real.kind };
        let real = Expr { kind, span: place };
        let Some((infix, imaginary)) = second else { return Ok(real) };
        let second = Expr { kind: self.number(&imaginary)?, span: self.span(&imaginary) };
        if !is_imaginary(&second) {
            return Err(Refusal::new(second.span, "imaginary number required in complex literal"));
        }
        let op = if infix.as_str() == "-" { BinaryOp::Sub } else { BinaryOp::Add };
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(real), Box::new(second)), span })
    }

    /// A name to be bound, a dotted name to be compared with, or a class.
    fn named_pattern(&self, node: &Node) -> Parsed<Pattern> {
        let span = self.span(node);
        let mut names: Vec<Node> = inside(node).collect();
        let args = names.pop_if(|n| is(n, &[Rule::class_args]));
        if let ([only], None) = (&names[..], &args) {
            return Ok(Pattern { kind: PatternKind::Capture(named(self.ident(only))), span });
        }
        let value = self.dotted_value(&names, span)?;
        let kind = match args {
            Some(args) => self.class_pattern(value, &args)?,
            None => PatternKind::Value(value),
        };
        Ok(Pattern { kind, span })
    }

    /// `a.b.c`; `_` is no name here.
    fn dotted_value(&self, names: &[Node], span: Span) -> Parsed<Expr> {
        let Some((first, rest)) = names.split_first() else { return invalid(span) };
        let Some(first) = named(self.ident(first)) else { return invalid(span) };
        let start = Expr { kind: ExprKind::Name(first.name), span: first.span };
        Ok(rest.iter().fold(start, |object, name| {
            let name = self.ident(name);
            let span = object.span.to(name.span);
            Expr { kind: ExprKind::Attr(Box::new(object), name), span }
        }))
    }

    fn class_pattern(&self, class: Expr, args: &Node) -> Parsed<PatternKind> {
        let (mut positional, mut keywords) = (vec![], vec![]);
        for arg in inside(args) {
            if is(&arg, &[Rule::keyword_pattern]) {
                let mut inner = inside(&arg);
                let name = self.ident(&self.child(&mut inner, self.span(&arg))?);
                keywords.push((name, self.pattern(&self.child(&mut inner, self.span(&arg))?)?));
            } else if keywords.is_empty() {
                positional.push(self.pattern(&arg)?);
            } else {
                return Err(Refusal::new(self.span(&arg), "positional patterns follow keyword patterns"));
            }
        }
        Ok(PatternKind::Class { class, positional, keywords })
    }

    fn mapping(&self, node: &Node) -> Parsed<PatternKind> {
        let (mut items, mut rest) = (vec![], None);
        for part in inside(node) {
            let span = self.span(&part);
            let mut inner = inside(&part);
            let first = self.child(&mut inner, span)?;
            match (part.as_rule(), &rest) {
                (_, Some(_)) => return invalid(span),
                (Rule::rest_pattern, None) => match named(self.ident(&first)) {
                    Some(name) => rest = Some(name),
                    None => return invalid(self.span(&first)),
                },
                _ => items.push((self.key(&first)?, self.pattern(&self.child(&mut inner, span)?)?)),
            }
        }
        Ok(PatternKind::Mapping { items, rest })
    }

    fn key(&self, node: &Node) -> Parsed<Expr> {
        match node.as_rule() {
            Rule::dotted_value => self.dotted_value(&inside(node).collect::<Vec<_>>(), self.span(node)),
            Rule::number_pattern => self.pattern_number(node),
            _ => self.atom(node),
        }
    }
}

/// A name to be bound; `_` binds nothing.
fn named(ident: Ident) -> Option<Ident> {
    (&*ident.name != "_").then_some(ident)
}
