//! Pictures of memory: storages and who reaches their cells, tables of tensors, the steps of a statement.
//!
//! Rules that all of them keep. One grammar: a storage is `#n`, and size, stride and offset come in that order, spelled as the
//! methods are. Nothing is carried by colour alone. Every character has a 7-bit twin of the same width, so that the ASCII
//! picture is the other one with its characters exchanged. No more than the given columns are used, and no more is computed
//! than the cells that are shown, whatever the size of the tensor. Every drawing also brings sentences that say the same.

mod address;
mod arrows;
mod broadcast;
mod bytes;
mod changes;
mod choose;
mod disorder;
mod explained;
mod facets;
mod facts;
mod footer;
mod heat;
mod info;
mod join;
mod layout;
mod origin;
mod outcome;
mod prediction;
mod product;
mod promotion;
mod reading;
mod reduction;
mod shapes;
mod spoken;
mod spread;
mod strip;
mod subscript;
mod table;
mod timeline;
mod trace;
mod tree;
mod verdict;
mod views;
mod who;
mod written;

pub use address::{address, cell};
pub use broadcast::broadcast;
pub use bytes::bytes;
pub use changes::{Change, changes};
pub use disorder::{Disorder, disorder};
pub use explained::{Effect, Operand, failure, sentence};
pub use facets::{DIMS as FACETS, facets};
pub use facts::Named;
pub use footer::footer;
pub use heat::heat;
pub use info::info;
pub use join::{Joining, joining};
pub use layout::layout;
pub use origin::{Ancestor, origin};
pub use outcome::{Memory, outcome};
pub use prediction::{Prediction, predictions};
pub use product::product;
pub use reduction::{Reduction, reduction};
pub use shapes::{Leaf, Shapes, Twig, shapes};
pub use subscript::{Index, Pick, subscript};
pub use timeline::{Moment, timeline};
pub use trace::{Bytes, Deed, Place, Step, meter, trace};
pub use tree::{Entry, What, tree};
pub use verdict::{Reading, verdict};
pub use views::{Way, views, ways};
pub use who::{Variable, operands, storages, who};
pub use written::{Writing, writing};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A number with a comma between each three digits.
pub fn grouped(n: impl TryInto<i128>) -> String {
    let n: i128 = n.try_into().unwrap_or(i128::MAX);
    let digits = n.unsigned_abs().to_string();
    let mut out = String::from(if n < 0 { "-" } else { "" });
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 byte`, `24 bytes`.
pub fn counted(n: impl TryInto<i128>, thing: &str) -> String {
    let text = grouped(n);
    let plural = if text == "1" { "" } else { "s" };
    format!("{text} {thing}{plural}")
}

/// The text of an expression in brackets, unless it can stand before a dot or an index without: `(a + b)`.
pub fn atom(text: &str) -> String {
    let mut depth = 0;
    let is_apart = text.chars().any(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth == 0 && !c.is_alphanumeric() && !"_.)]}".contains(c)
    });
    if is_apart { format!("({text})") } else { text.to_string() }
}

/// A text cut to `room` columns, ` ..` saying that it was.
fn shortened(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_string();
    }
    let mut used = 3;
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect();
    format!("{} ..", kept.trim_end())
}

/// A text in the middle of `width` columns.
fn centered(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    let left = missing / 2;
    format!("{}{text}{}", " ".repeat(left), " ".repeat(missing - left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words() {
        assert_eq!([grouped(0), grouped(999), grouped(1000), grouped(-1_234_567)], ["0", "999", "1,000", "-1,234,567"]);
        assert_eq!([counted(1, "byte"), counted(10_000, "cell")], ["1 byte", "10,000 cells"]);
        assert_eq!([shortened("(3, 224, 224)", 9), shortened("(3,)", 9)], ["(3, 22 ..", "(3,)"]);
        let texts = ["x[0, 1].t()", "-x", "x[0] + 1", "(a + b)", "f(a, b)"];
        assert_eq!(texts.map(atom), ["x[0, 1].t()", "(-x)", "(x[0] + 1)", "(a + b)", "f(a, b)"]);
        assert_eq!([centered("ab", 5), centered("日", 5)], [" ab  ", " 日  "]);
    }
}
