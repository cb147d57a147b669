//! The syntax against what CPython 3.11 said of the same texts, and against its own laws.

mod api;
mod fuzz;
mod laws;
mod limits;
mod recorded;
mod sexpr;

use std::sync::Arc;
use tsr::diag::{Diagnostic, Source};
use tsr::syntax::ast::Block;
use tsr::syntax::{Options, parse};

fn source(text: &str) -> Arc<Source> {
    Source::new("<test>", text)
}

fn parsed(text: &str) -> Result<Block, Diagnostic> {
    parse(&source(text), &Options::default())
}

/// The tree of a text that must be valid, in compact form.
fn tree(text: &str) -> String {
    match parsed(text) {
        Ok(block) => sexpr::block_lines(&block),
        Err(refusal) => panic!("{text:?}: {}", refusal.headline()),
    }
}

/// Class, line, column and sentence of the error of a text that must be refused.
fn refusal(text: &str) -> String {
    match parsed(text) {
        Ok(block) => panic!("{text:?} was taken for {}", sexpr::block_lines(&block)),
        Err(refusal) => describe(text, &refusal),
    }
}

fn describe(text: &str, refusal: &Diagnostic) -> String {
    let start = refusal.labels[0].span.start as usize;
    let (line, column) = source(text).line_column(start);
    format!("{} {line} {column} {}", refusal.class.name(), refusal.message)
}
