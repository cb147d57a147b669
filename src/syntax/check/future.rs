//! `from __future__ import …`: only at the beginning, and only what Python knows.

use crate::diag::Span;
use crate::syntax::ast::{Alias, Block, Expr, ExprKind, StmtKind};
use crate::syntax::refusal::{Parsed, Refusal};

/// What can be imported; all of it is Python's present state, or changes nothing here.
pub const FEATURES: [&str; 10] = [
    "nested_scopes",
    "generators",
    "division",
    "absolute_import",
    "with_statement",
    "print_function",
    "unicode_literals",
    "barry_as_FLUFL",
    "generator_stop",
    "annotations",
];

/// Where the beginning of a text ends: behind its documentation and the imports from the future that follow.
pub(super) fn prologue_end(block: &Block) -> u32 {
    let documentation = block.first().filter(|s| matches!(&s.kind, StmtKind::Expr(Expr { kind: ExprKind::Str(_), .. })));
    let rest = block.iter().skip(usize::from(documentation.is_some()));
    let imports = rest.take_while(|s| matches!(&s.kind, StmtKind::FromImport { module, .. } if &*module.name == "__future__"));
    imports.last().or(documentation).map_or(0, |s| s.span.end)
}

/// Judges one import from the future.
pub(super) fn check(names: &[Alias], span: Span, prologue_end: u32) -> Parsed<()> {
    if span.start >= prologue_end {
        return Err(Refusal::new(span, "from __future__ imports must occur at the beginning of the file"));
    }
    let unknown = |name: &str| Err(Refusal::new(span, format!("future feature {name} is not defined")));
    if names.is_empty() {
        return unknown("*");
    }
    match names.iter().find(|n| !FEATURES.contains(&&*n.name.name)) {
        Some(joke) if &*joke.name.name == "braces" => Err(Refusal::new(span, "not a chance")),
        Some(name) => unknown(&name.name.name),
        None => Ok(()),
    }
}
