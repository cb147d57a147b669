//! The tree back to text: parsing the printed text gives the same tree (spans and annotations aside).

mod expr;
mod literal;
mod pattern;
mod stmt;

use super::ast::{Expr, Stmt};
use std::fmt;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::default();
        printer.expr(self, expr::Level::Test);
        f.write_str(&printer.out)
    }
}

impl fmt::Display for Stmt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(print(std::slice::from_ref(self)).trim_end_matches('\n'))
    }
}

/// The text of some statements, each on its own lines.
pub fn print(block: &[Stmt]) -> String {
    let mut printer = Printer::default();
    printer.statements(block);
    printer.out
}

/// A text that grows.
#[derive(Default)]
struct Printer {
    out: String,
    /// Blocks the next line stands in.
    indent: usize,
    /// Quotes of the f-strings around, which nothing inside may contain.
    quotes: Vec<&'static str>,
    /// Set when a literal inside an f-string cannot be written without a backslash or one of those quotes.
    failed: bool,
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// The items with a comma between them.
    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut one: impl FnMut(&mut Printer, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            one(self, item);
        }
    }
}
