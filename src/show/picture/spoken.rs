//! The words of tables: each row is a sentence, each cell says what its column is about.

use super::table::Column;
use crate::show::narrate::{ended, size, stride};

/// How the cell of a column with this title is said.
type Say = fn(&str) -> String;

/// The columns whose cells are not said as `title cell`.
const SAYINGS: &[(&str, Say)] = &[
    ("", |cell| cell.replace('→', "becomes").replace("← ", "").replace(" * ", " times ")),
    ("size", size),
    ("stride", stride),
    ("stride used", |cell| match cell {
        "-" => String::new(),
        "new" => "in a new storage".to_string(),
        cell => format!("used with {}", stride(cell)),
    }),
    ("on", storage),
    ("where", storage),
    ("storage", storage),
    ("cells", reached),
    ("contiguous", |cell| if cell == "yes" { "contiguous".into() } else { "not contiguous".into() }),
    ("what", |cell| cell.to_lowercase()),
    ("does", |cell| cell.to_string()),
    ("bytes", |cell| format!("{cell} bytes")),
    ("new", |cell| format!("{cell} bytes new")),
    ("copied", |cell| format!("{cell} bytes copied")),
    ("written", |cell| format!("{cell} bytes written")),
    ("device", |cell| format!("on {cell}")),
    ("type", |cell| format!("of type {cell}")),
    ("name", |cell| cell.to_string()),
    ("reaches", |cell| format!("reaches {cell} bytes")),
    ("shared by", |cell| if cell.contains(',') { format!("shared by {cell}") } else { format!("used by {cell}") }),
    ("gives", |cell| if cell == "failed" { cell.to_string() } else { format!("gives {cell}") }),
    ("dtype", |cell| cell.to_string()),
    ("index", |cell| if cell == "·" { "does not reach it".into() } else { format!("index {cell}") }),
    ("step", step),
];

/// First columns that are said without their title: the rows' names, and numbers of steps.
const NAMES: [&str; 10] = ["", " ", "way on", "name", "storage", "index", "dim", "part", "step", "operand"];

/// The rows of a table as sentences, a line each. Nothing is cut here, however narrow the table is drawn.
pub(super) fn rows(columns: &[Column], rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| sentence(columns, row) + "\n").collect()
}

fn sentence(columns: &[Column], row: &[String]) -> String {
    if row == [".."] {
        return "And so on.".to_string();
    }
    let mut cells = columns.iter().zip(row).map(|(column, cell)| (column.title, cell.trim()));
    let (title, name) = cells.next().unwrap_or_default();
    let name = match title {
        _ if name.starts_with('#') => storage(name),
        _ if NAMES.contains(&title) => name.to_string(),
        title => format!("{title} {name}"),
    };
    let facts: Vec<String> =
        cells.filter(|(_, cell)| !cell.is_empty() && *cell != "?").map(|(title, cell)| said(title, cell)).collect();
    let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    // A slice such as `1:` has its colon.
    let name = if name.ends_with(':') { format!("index {name}") } else { name };
    let colon = match name.as_str() {
        "" => "",
        _ if facts.is_empty() => "",
        slice if slice.ends_with(':') => " ",
        _ => ": ",
    };
    ended(format!("{name}{colon}{}", facts.join(", ")))
}

fn said(title: &str, cell: &str) -> String {
    match SAYINGS.iter().find(|(known, _)| *known == title.trim()) {
        Some((_, say)) => say(cell),
        None if title.starts_with("dim ") => match cell.split_once(" → ") {
            Some(("-", new)) => format!("no {title}, becomes {new}"),
            Some((old, new)) => format!("{title} is {old}, becomes {new}"),
            None if cell == "-" => format!("no {title}"),
            None => format!("{title} is {cell}"),
        },
        None if ["-", "()"].contains(&cell) => format!("{title} none"),
        None => format!("{title} {cell}"),
    }
}

/// `#1` is storage 1.
fn storage(cell: &str) -> String {
    match cell.strip_prefix('#') {
        Some(number) => format!("storage {number}"),
        None if cell == "new" => "in a new storage".to_string(),
        None if cell == "the same" => "in the same storage".to_string(),
        None => cell.to_string(),
    }
}

/// `all`, `6/20`, `?/20`.
fn reached(cell: &str) -> String {
    match cell.split_once('/') {
        Some(("?", whole)) => format!("reaches some of {whole} cells"),
        Some((part, whole)) => format!("reaches {part} of {whole} cells"),
        None => "reaches every cell".to_string(),
    }
}

/// The operation of a trace, or the distance from one cell to the next.
fn step(cell: &str) -> String {
    let far = cell.get(1..).unwrap_or_default();
    match cell.chars().next() {
        Some('+') if far.parse::<i64>().is_ok() => format!("step plus {far}"),
        Some('-') if far.parse::<i64>().is_ok() => format!("step minus {far}"),
        _ => cell.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_a_sentence() {
        let columns = ["name", "size", "stride", "offset", "cells", "contiguous", ""].map(Column::new);
        let row = ["x", "(3, 2)", "(4, 1)", "5", "6/20", "no", "expanded"].map(String::from).to_vec();
        let expected = "x: size 3 by 2, stride 4 and 1, offset 5, reaches 6 of 20 cells, not contiguous, expanded.\n";
        assert_eq!(rows(&columns, &[row]), expected);
        let columns = ["element", "cell", "step", ""].map(Column::new);
        let row = ["3", "1", "-7", "← cell 12 is needed here"].map(String::from).to_vec();
        let expected = "element 3: cell 1, step minus 7, cell 12 is needed here.\nAnd so on.\n";
        assert_eq!(rows(&columns, &[row, vec!["..".into()]]), expected);
    }
}
