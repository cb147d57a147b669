//! Mistakes inside expressions.

use super::clue::Clue;
use super::notation;
use crate::diag::Span;
use crate::syntax::ast::{ComprehensionKind, Expr, ExprKind, UnaryOp};
use crate::syntax::lex::Lexeme;
use crate::syntax::lower;
use crate::syntax::refusal::Refusal;

/// `(**a)` and `f(*a for a in b)`.
pub(super) fn spread(clue: &Clue) -> Option<Box<Refusal>> {
    if clue.word(clue.at) == "**" && clue.before(1) == "(" {
        let end = clue.at + 2;
        return Some(Refusal::new(clue.span(clue.at..end), "cannot use double starred expression here"));
    }
    let opener = clue.opener(clue.at)?;
    if clue.word(clue.at) == "for" && matches!(clue.word(opener + 1), "*" | "**") && clue.expression_start(clue.at) == opener + 1
    {
        let what = if clue.word(opener + 1) == "*" { "iterable unpacking" } else { "dict unpacking" };
        return Some(Refusal::new(clue.span(opener + 1..clue.at), format!("{what} cannot be used in comprehension")));
    }
    None
}

/// `{a: *b}` and `{a:}`.
pub(super) fn dict_value(clue: &Clue) -> Option<Box<Refusal>> {
    let opener = clue.opener(clue.at).filter(|&o| clue.word(o) == "{")?;
    if clue.before(1) != ":" || clue.at < opener + 3 {
        return None;
    }
    match clue.word(clue.at) {
        "*" => Some(Refusal::new(clue.place(), "cannot use a starred expression in a dictionary value")),
        "}" | "," => {
            let colon = clue.span(clue.at - 1..clue.at);
            Some(Refusal::new(colon, "expression expected after dictionary key and ':'"))
        }
        _ => None,
    }
}

/// `{a: 1, b 2}`.
pub(super) fn dict_colon(clue: &Clue) -> Option<Box<Refusal>> {
    let opener = clue.opener(clue.at).filter(|&o| clue.word(o) == "{")?;
    let start = clue.back_to(clue.at, |w| matches!(w, "," | ":")).filter(|&i| clue.word(i) == ",")? + 1;
    let pairs = clue.back_to(start, |w| w == ":").is_some() && start > opener + 1;
    if !pairs || !clue.begins_value(clue.at) {
        return None;
    }
    let key = clue.parse(start..clue.at)?;
    let end = key.span.end as usize;
    Some(Refusal::new(Span::new(end.saturating_sub(1), end), "':' expected after dictionary key"))
}

/// `[a, b for …]`.
pub(super) fn comprehension_target(clue: &Clue) -> Option<Box<Refusal>> {
    let opener = clue.opener(clue.at)?;
    let comma = clue.back_to(clue.at, |w| w == ",").is_some();
    if clue.word(clue.at) != "for" || !comma || !matches!(clue.word(opener), "[" | "{") {
        return None;
    }
    if clue.back_to(clue.at, |w| w == ":").is_some() {
        return None;
    }
    let span = clue.span(opener + 1..clue.at);
    let tuple = clue.text.get(span.range()).unwrap_or("");
    Some(Refusal::new(span, "did you forget parentheses around the comprehension target?").help(format!("({tuple})")))
}

/// `x.a := 1`.
pub(super) fn walrus_target(clue: &Clue) -> Option<Box<Refusal>> {
    if clue.word(clue.at) != ":=" {
        return None;
    }
    let target = clue.parse(clue.expression_start(clue.at)..clue.at)?;
    if let ExprKind::Name(_) = target.kind {
        let refusal = Refusal::new(clue.place(), "invalid syntax");
        return Some(if clue.in_brackets(clue.at) { refusal } else { refusal.help("As a statement, write = for :=.") });
    }
    Some(Refusal::new(target.span, format!("cannot use assignment expressions with {}", lower::noun(&target))))
}

/// `a if b` without `else`.
pub(super) fn missing_else(clue: &Clue) -> Option<Box<Refusal>> {
    if matches!(clue.word(clue.at), "else" | ":") {
        return None;
    }
    let choice = clue.back_to(clue.at, |w| matches!(w, "if" | "else" | "," | ";" | "=" | ":=" | ":" | "for"));
    let choice = choice.filter(|&i| clue.word(i) == "if")?;
    let in_comprehension = clue.back_to(choice, |w| matches!(w, "for" | ",")).is_some_and(|i| clue.word(i) == "for");
    if in_comprehension && clue.in_brackets(choice) {
        return None;
    }
    let start = clue.start_after(choice, |w| {
        matches!(w, "," | ";" | ":" | "=" | ":=" | "return" | "if" | "else" | "elif" | "while" | "in" | "assert" | "raise")
            || w.len() > 1 && w.ends_with('=') && !matches!(w, "==" | "!=" | "<=" | ">=")
    });
    clue.parse(start..choice)?;
    let test_end = (choice + 1..=clue.at).rev().find(|&end| clue.parse(choice + 1..end).is_some())?;
    Some(
        Refusal::new(clue.span(start..test_end), "expected 'else' after 'if' expression")
            .help("A choice has both values: a if test else b."),
    )
}

/// `=` where a value is expected: `if x = 3`, `(a.b = 1)`.
pub(super) fn assignment(clue: &Clue) -> Option<Box<Refusal>> {
    if clue.word(clue.at) != "=" {
        return None;
    }
    let start = clue.start_after(clue.at, |w| {
        matches!(
            w,
            "," | ";" | ":" | ":=" | "=" | "if" | "elif" | "while" | "else" | "in" | "not" | "and" | "or" | "assert" | "return"
        )
    });
    let target = clue.parse(start..clue.at)?;
    if let ExprKind::Name(_) = target.kind {
        let span = clue.span(start..(clue.at + 2).min(clue.tokens.len()));
        return Some(Refusal::new(span, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"));
    }
    let message = format!("cannot assign to {} here. Maybe you meant '==' instead of '='?", lower::noun(&target));
    compared_perhaps(&target).then(|| Refusal::new(target.span, message))
}

/// True for what Python suggests a comparison for when it is assigned to.
pub(in crate::syntax) fn compared_perhaps(target: &Expr) -> bool {
    match &target.kind {
        ExprKind::None | ExprKind::Bool(_) | ExprKind::Tuple(_) | ExprKind::List(_) | ExprKind::Name(_) => false,
        ExprKind::Starred(_) | ExprKind::Lambda(_) | ExprKind::IfElse { .. } | ExprKind::Compare(..) => false,
        ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Unary(UnaryOp::Not, _) => false,
        ExprKind::Comprehension(c) => c.kind != ComprehensionKind::Generator,
        _ => true,
    }
}

/// Two values side by side in brackets.
pub(super) fn missing_comma(clue: &Clue) -> Option<Box<Refusal>> {
    let before = clue.at.checked_sub(1)?;
    let side_by_side = clue.begins_value(clue.at) && clue.ends_value(before);
    if !side_by_side || !clue.in_brackets(clue.at) || matches!(clue.word(clue.at), "-" | "+") {
        return None;
    }
    let start =
        clue.start_after(clue.at, |w| matches!(w, "," | ";" | ":" | "=" | ":=" | "for" | "if" | "else" | "in" | "lambda"));
    let opened_by = start.checked_sub(1).map_or("", |i| clue.word(i));
    let parameters = clue.word(0) == "def" && clue.opener(clue.at) == Some(2) && matches!(opened_by, "(" | ",");
    if parameters || matches!(opened_by, "if" | "in" | "lambda") {
        return None;
    }
    let start = start + usize::from(matches!(clue.word(start), "*" | "**"));
    let lone_name = start == before && clue.lexeme(before) == Some(Lexeme::Name);
    let prefix = lone_name && clue.lexeme(clue.at) == Some(Lexeme::String);
    let soft = lone_name && matches!(clue.word(before), "match" | "case" | "_");
    if prefix || soft {
        return None;
    }
    clue.parse(start..clue.at)?;
    let refusal = Refusal::new(clue.span(start..clue.at + 1), "invalid syntax. Perhaps you forgot a comma?");
    let numbers = [before, clue.at].iter().all(|&i| clue.lexeme(i) == Some(Lexeme::Number));
    let in_list = clue.opener(clue.at).is_some_and(|o| clue.word(o) == "[");
    Some(if numbers && in_list { refusal.help(notation::ROWS) } else { refusal })
}

/// `f(a=1 for a in b)`.
pub(super) fn keyword_comprehension(clue: &Clue) -> Option<Box<Refusal>> {
    let equals = clue.back_to(clue.at, |w| matches!(w, "=" | ",")).filter(|&i| clue.word(i) == "=" && i > 0)?;
    let fits = clue.word(clue.at) == "for" && clue.in_brackets(clue.at) && clue.lexeme(equals - 1) == Some(Lexeme::Name);
    fits.then(|| Refusal::new(clue.span(equals - 1..clue.at), "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"))
}
