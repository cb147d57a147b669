//! `%rewind`: the statements that can be taken back, and where the session is among them.

use super::table::{Column, table};
use crate::show::{Doc, Style};

/// A statement that was run.
pub struct Moment {
    /// Its number.
    pub n: usize,
    /// Its text.
    pub text: String,
}

/// Statements that are listed.
const SHOWN: usize = 20;

/// A row per statement; `place` is how many of them, counted by their numbers, are done.
pub fn timeline(moments: &[Moment], place: usize, width: usize) -> Doc {
    let mut doc = Doc::new();
    if moments.is_empty() {
        doc.push(Style::Note, " no statement was run since %rewind on").newline();
        return doc;
    }
    let here = moments.iter().position(|moment| moment.n >= place).unwrap_or(0);
    let start = (here + SHOWN / 2).min(moments.len()).saturating_sub(SHOWN);
    let row = |moment: &Moment| {
        let mark = match moment.n {
            n if n == place => "← here",
            n if n > place => "taken back",
            _ => "",
        };
        let text = moment.text.split_whitespace().collect::<Vec<_>>().join(" ");
        vec![moment.n.to_string(), text, mark.to_string()]
    };
    let rows: Vec<Vec<String>> = moments.iter().skip(start).take(SHOWN).map(row).collect();
    let columns = [Column::new("").right(), Column::new("statement").cut(12), Column::new("")];
    doc.append(&table(&columns, &rows, width));
    if place < moments[0].n {
        doc.push(Style::Note, &format!(" here: before statement {}", moments[0].n)).newline();
    }
    doc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_marked() {
        let moments: Vec<Moment> = (3..6).map(|n| Moment { n, text: format!("x = {n}") }).collect();
        let expected = "
    statement
 3  x = 3
 4  x = 4      ← here
 5  x = 5      taken back
";
        assert_eq!(timeline(&moments, 4, 80).text(), &expected[1..]);
        assert!(timeline(&moments, 2, 80).text().ends_with("\n here: before statement 3\n"));
    }
}
