//! Concrete syntax to syntax tree: one small function per node, and the refusals the grammar leaves open.

mod argument;
mod atom;
mod comprehension;
mod expr;
mod fstring;
mod header;
mod import;
mod literal;
mod params;
mod pattern;
mod statement;
mod target;

use super::ast::{Arg, Expr, Ident, Name, Params, Stmt};
use super::grammar::{Node, Rule};
use super::refusal::{Parsed, Refusal};
use crate::diag::{ErrorClass, Span};
use std::cell::Cell;
use unicode_normalization::UnicodeNormalization;

pub(super) use header::doc_of;
pub use literal::character_named;
pub(super) use target::noun;

/// How deep an expression may nest; as deep as CPython's compiler goes.
pub(super) const MAX_DEPTH: usize = 3000;

/// What one logical line says.
pub(super) enum Form {
    /// Simple statements.
    Simple(Vec<Stmt>),
    /// `@expression`.
    Decorator(Expr),
    /// The header of a compound statement, where its colon stands, and the statements behind it on the same line.
    Header { header: Header, colon: Span, suite: Option<Vec<Stmt>> },
}

/// The header of a compound statement.
pub(super) enum Header {
    If(Expr),
    Elif(Expr),
    Else,
    While(Expr),
    For(Expr, Expr),
    With(Vec<(Expr, Option<Expr>)>),
    Try,
    Except(Option<Expr>, Option<Ident>),
    Finally,
    Match(Expr),
    Def(Ident, Params),
    Class(Ident, Vec<Arg>),
}

/// Turns the nodes of one parsed piece of text into the tree.
pub(super) struct Lower {
    /// Where the parsed piece begins in the whole text.
    base: usize,
    /// How deep the node at hand is nested.
    depth: Cell<usize>,
    /// How many f-strings the piece stands in.
    fstrings: usize,
}

/// An expression and its place with the parentheses around it.
struct Placed {
    expr: Expr,
    outer: Span,
}

impl Lower {
    /// For a piece of text that begins at byte `base`.
    pub fn new(base: usize) -> Lower {
        Lower { base, depth: Cell::new(0), fstrings: 0 }
    }

    /// The node's place, without the blanks the grammar may have taken at its end.
    fn span(&self, node: &Node) -> Span {
        let start = self.base + node.as_span().start();
        Span::new(start, start + node.as_str().trim_end().len())
    }

    /// Runs `work` some levels deeper; refuses when that is too deep.
    fn deeper<T>(&self, levels: usize, span: Span, work: impl FnOnce() -> Parsed<T>) -> Parsed<T> {
        let before = self.depth.get();
        if before + levels > MAX_DEPTH {
            return Err(too_deep(span));
        }
        self.depth.set(before + levels);
        let result = work();
        self.depth.set(before);
        result
    }

    /// The identifier of a `name` node.
    fn ident(&self, node: &Node) -> Ident {
        Ident { name: normal(node.as_str()), span: self.span(node) }
    }

    fn child<'i>(&self, nodes: &mut impl Iterator<Item = Node<'i>>, span: Span) -> Parsed<Node<'i>> {
        nodes.next().ok_or_else(|| Refusal::new(span, "invalid syntax"))
    }
}

/// A name in the normal form Python compares names in.
fn normal(name: &str) -> Name {
    if name.is_ascii() { name.into() } else { name.nfkc().collect::<String>().into() }
}

/// The refusal of something nested too deeply.
pub(super) fn too_deep(span: Span) -> Box<Refusal> {
    Refusal::of(ErrorClass::RecursionError, span, "maximum recursion depth exceeded during compilation")
        .label(format!("nested more than {MAX_DEPTH} levels deep"))
}

/// True when a node is one of these.
fn is(node: &Node, rules: &[Rule]) -> bool {
    rules.contains(&node.as_rule())
}
