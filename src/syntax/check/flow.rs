//! `return`, `break` and `continue` where there is something to leave.

use super::patterns;
use crate::diag::Span;
use crate::syntax::ast::{Block, Stmt, StmtKind};
use crate::syntax::refusal::{Parsed, Refusal};

/// What a statement stands in.
#[derive(Clone, Copy, Default)]
struct Within {
    function: bool,
    /// A loop of the same function.
    repeat: bool,
}

/// Refuses the first statement that leaves something it does not stand in.
pub(super) fn check(block: &Block) -> Parsed<()> {
    visit(block, Within::default())
}

fn visit(block: &Block, within: Within) -> Parsed<()> {
    let mut block = block;
    loop {
        // A chain of elif nests deeply in the last statement's else, so that one is followed without recursion.
        let Some((last, rest)) = block.split_last() else { return Ok(()) };
        rest.iter().try_for_each(|s| statement(s, within))?;
        match &last.kind {
            StmtKind::If { body, orelse, .. } => {
                visit(body, within)?;
                block = orelse;
            }
            _ => return statement(last, within),
        }
    }
}

fn statement(stmt: &Stmt, within: Within) -> Parsed<()> {
    match &stmt.kind {
        StmtKind::Return(_) if !within.function => refuse(stmt.span, "'return' outside function"),
        StmtKind::Break if !within.repeat => refuse(stmt.span, "'break' outside loop"),
        StmtKind::Continue if !within.repeat => refuse(stmt.span, "'continue' not properly in loop"),
        StmtKind::If { body, orelse, .. } => {
            visit(body, within)?;
            visit(orelse, within)
        }
        StmtKind::While { body, orelse, .. } | StmtKind::For { body, orelse, .. } => {
            visit(body, Within { repeat: true, ..within })?;
            visit(orelse, within)
        }
        StmtKind::With { body, .. } => visit(body, within),
        StmtKind::Try { body, handlers, orelse, finally } => {
            visit(body, within)?;
            handlers.iter().try_for_each(|h| visit(&h.body, within))?;
            visit(orelse, within)?;
            visit(finally, within)
        }
        StmtKind::Match { cases, .. } => cases.iter().enumerate().try_for_each(|(i, case)| {
            patterns::check(&case.pattern, case.guard.is_some() || i + 1 == cases.len())?;
            visit(&case.body, within)
        }),
        StmtKind::Class { class, .. } => visit(&class.body, Within::default()),
        StmtKind::Def { function, .. } => visit(&function.body, Within { function: true, repeat: false }),
        _ => Ok(()),
    }
}

fn refuse(span: Span, message: &str) -> Parsed<()> {
    Err(Refusal::new(span, message))
}
