//! Mistakes in the headers of compound statements and in imports.

use super::clue::Clue;
use crate::syntax::ast::{CompareOp, Expr, ExprKind};
use crate::syntax::lower;
use crate::syntax::refusal::Refusal;

/// Words whose header ends right before its colon, so that anything else there is a missing colon.
const COLON_OR_NOTHING: [&str; 4] = ["def", "try", "else", "finally"];

/// Words that open a header.
const HEADERS: [&str; 13] =
    ["if", "elif", "else", "for", "while", "with", "def", "class", "try", "except", "finally", "match", "case"];

/// A header without its colon.
pub(super) fn missing_colon(clue: &Clue) -> Option<Box<Refusal>> {
    let opens = HEADERS.contains(&clue.word(0)) && clue.at > 0;
    let complete = clue.ends_value(clue.at.checked_sub(1)?) || (clue.at == 1 && clue.word(0) != "for");
    let bare = matches!(clue.word(0), "if" | "elif" | "while" | "with" | "for" | "case") && clue.at == 1;
    if !opens || !complete || bare || clue.in_brackets(clue.at) || clue.word(clue.at) == ":" {
        return None;
    }
    let for_lacks_in = clue.word(0) == "for" && clue.back_to(clue.at, |w| w == "in").is_none();
    let choice = clue.back_to(clue.at, |w| w == "if").is_some_and(|i| i > 0);
    let at_end = clue.at == clue.tokens.len() && !for_lacks_in && !choice && clue.back_to(clue.at, |w| w == ":").is_none();
    let forced = COLON_OR_NOTHING.contains(&clue.word(0)) && clue.back_to(clue.at, |w| w == ":").is_none();
    let named = clue.word(0) != "def" || clue.back_to(clue.at, |_| true).is_some() && clue.at > 3;
    if !(at_end || forced) || !named {
        return None;
    }
    let refusal = Refusal::new(clue.place(), "expected ':'");
    let elif = clue.word(0) == "else" && clue.word(clue.at) == "if";
    Some(if elif { refusal.help("Python writes elif for else if.") } else { refusal })
}

/// A header whose statement follows without a colon: CPython has no sentence for it, so only the way out is added.
pub(super) fn colon_before(clue: &Clue) -> Option<Box<Refusal>> {
    let opens = HEADERS.contains(&clue.word(0)) && clue.at > 1 && clue.at < clue.tokens.len();
    let header_done = clue.ends_value(clue.at - usize::from(clue.at > 0)) && !clue.in_brackets(clue.at);
    let colon = clue.back_to(clue.at, |w| w == ":").is_some();
    let for_lacks_in = clue.word(0) == "for" && clue.back_to(clue.at, |w| w == "in").is_none();
    if !opens || !header_done || colon || for_lacks_in || !clue.begins_value(clue.at) {
        return None;
    }
    Some(
        Refusal::new(clue.place(), "invalid syntax")
            .help(format!("If the block begins here, put a ':' before '{}'.", clue.word(clue.at))),
    )
}

/// `def f:`.
pub(super) fn missing_parenthesis(clue: &Clue) -> Option<Box<Refusal>> {
    (clue.word(0) == "def" && clue.at == 2).then(|| {
        let refusal = Refusal::new(clue.place(), "expected '('");
        if clue.word(2) == ":" {
            refusal.help(format!("A function without parameters is def {}():.", clue.word(1)))
        } else {
            refusal
        }
    })
}

/// `except A, B:`.
pub(super) fn exception_types(clue: &Clue) -> Option<Box<Refusal>> {
    if clue.word(0) != "except" || clue.word(clue.at) != "," || clue.in_brackets(clue.at) {
        return None;
    }
    let end = (clue.at..clue.tokens.len()).find(|&i| matches!(clue.word(i), "as" | ":")).unwrap_or(clue.tokens.len());
    let span = clue.span(1..end);
    let types = clue.text.get(span.range()).unwrap_or("");
    Some(Refusal::new(span, "multiple exception types must be parenthesized").help(format!("except ({types})")))
}

/// `from a import b,`.
pub(super) fn trailing_comma(clue: &Clue) -> Option<Box<Refusal>> {
    let ends = clue.at == clue.tokens.len() && clue.before(1) == "," && !clue.in_brackets(clue.at);
    (clue.word(0) == "from" && ends)
        .then(|| Refusal::new(clue.place(), "trailing comma not allowed without surrounding parentheses"))
}

/// `for a + 1 in b`, in a statement or a comprehension.
pub(super) fn loop_target(clue: &Clue) -> Option<Box<Refusal>> {
    let start = clue.back_to(clue.at + 1, |w| matches!(w, "for" | "in")).filter(|&i| clue.word(i) == "for")? + 1;
    let end = forward(clue, start, |w| matches!(w, "in" | ":" | "for"));
    let target = clue.parse(start..end)?;
    bad_target(&target).map(|bad| Refusal::new(bad.span, format!("cannot assign to {}", lower::noun(bad))))
}

/// `with a as b + 1:`.
pub(super) fn with_target(clue: &Clue) -> Option<Box<Refusal>> {
    let start = clue.back_to(clue.at, |w| w == "as").filter(|_| clue.word(0) == "with")? + 1;
    let end = forward(clue, start, |w| matches!(w, "," | ":"));
    let target = clue.parse(start..end)?;
    bad_target(&target).map(|bad| Refusal::new(bad.span, format!("cannot assign to {}", lower::noun(bad))))
}

/// The first token from `start` on, outside inner brackets, that `wanted` accepts or that closes the bracket around.
fn forward(clue: &Clue, start: usize, wanted: impl Fn(&str) -> bool) -> usize {
    let mut depth = 0usize;
    for i in start..clue.tokens.len() {
        match clue.word(i) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return i,
            ")" | "]" | "}" => depth -= 1,
            word if depth == 0 && wanted(word) => return i,
            _ => {}
        }
    }
    clue.tokens.len()
}

/// The part of a target that cannot be assigned to.
fn bad_target(target: &Expr) -> Option<&Expr> {
    match &target.kind {
        ExprKind::Name(_) | ExprKind::Attr(..) | ExprKind::Subscript(..) => None,
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().find_map(bad_target),
        ExprKind::Starred(inner) => bad_target(inner),
        ExprKind::Compare(first, rest) if rest.first().is_some_and(|(op, _)| *op == CompareOp::In) => bad_target(first),
        ExprKind::Compare(..) => None,
        _ => Some(target),
    }
}
