//! `io`: files in memory.

use crate::lang::builtins::file;
use crate::lang::types::call::{Row, Table, def, row};
use crate::lang::types::class::ObjectClass;
use crate::value::Value;

static CLASSES: Table = Table {
    owner: "io",
    rows: Table::sorted(&[
        row("BytesIO", def(&["initial_bytes"], 0, 1), |c| file::in_memory(true, c.some(0))),
        row("StringIO", def(&["initial_value", "newline"], 0, 2), |c| file::in_memory(false, c.some(0))),
    ]),
};

/// The functions: none.
pub static FUNCTIONS: Table = Table { owner: "io", rows: Table::sorted(&[]) };

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    let class = |row: &'static Row| ObjectClass::callable(&format!("_io.{}", row.name), &CLASSES, row, None);
    CLASSES.rows.iter().map(|row| (row.name, class(row))).collect()
}
