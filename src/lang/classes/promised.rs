//! `abc`: classes that promise methods which others must have.

use super::member::PROMISED;
use crate::lang::library::construct;
use crate::lang::library::written::Written;
use crate::lang::types::call::{Table, Takes, row};
use crate::value::{Class, Value};

/// The functions of the module.
pub static FUNCTIONS: Table = Table {
    owner: "abc",
    rows: Table::sorted(&[row("abstractmethod", Takes::One, |c| {
        let function = c.arg(0).clone();
        c.machine.set_attr(&function, PROMISED, Value::Bool(true))?;
        Ok(function)
    })]),
};

/// What only marks a class as one that may promise methods.
static ABC: Written = Written { name: "ABC", module: "abc", base: None, settings: &[], holds: &[], make: "[]", members: &[] };

/// The classes of the module.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("ABC", construct::class(&ABC)), ("ABCMeta", Value::Class(Class::Type))]
}
