//! What is grammatical but still refused: a `return` outside a function, a name both parameter and global, and the like.

mod flow;
mod future;
mod parts;
mod patterns;
mod scopes;

pub use future::FEATURES;

use super::ast::{Block, Expr};
use super::refusal::Parsed;

/// Checks the statements of a whole text.
pub(super) fn block(block: &Block) -> Parsed<()> {
    scopes::check_block(block)?;
    flow::check(block)
}

/// Checks an expression on its own.
pub(super) fn expression(expr: &Expr) -> Parsed<()> {
    scopes::check_expression(expr)
}
