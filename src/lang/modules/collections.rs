//! `collections`: containers beyond the built-in ones.

mod chain;
mod counter;
pub mod deque;
mod mapping;
pub mod named_tuple;

use crate::lang::types::call::{Row, Table, Takes, def, named, row};
use crate::lang::types::class::ObjectClass;
use crate::value::Value;

static CLASSES: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("ChainMap", Takes::Any, chain::construct),
        row("Counter", Takes::Any, counter::construct),
        row("OrderedDict", Takes::Any, mapping::ordered),
        row("defaultdict", Takes::Any, mapping::with_default),
        row("deque", named(&["iterable", "maxlen"], 0), deque::construct),
    ]),
};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "collections",
    rows: Table::sorted(&[row(
        "namedtuple",
        def(&["typename", "field_names", "rename", "defaults", "module"], 2, 2),
        named_tuple::define,
    )]),
};

/// An `OrderedDict` of these entries.
pub fn ordered_dict(entries: crate::value::Dict) -> Value {
    mapping::ordered_dict(entries)
}

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    let full = |row: &'static Row| {
        if matches!(row.name, "ChainMap" | "Counter") { row.name.to_string() } else { format!("collections.{}", row.name) }
    };
    CLASSES.rows.iter().map(|row| (row.name, ObjectClass::callable(&full(row), &CLASSES, row, None))).collect()
}
