//! Python's built-in types: what their values do, to the letter of CPython 3.11.
//!
//! Nothing here knows the evaluator; what runs the user's code is handed a [`Machine`]. Tensors are not Python's: operators that
//! may meet one go through [`overall`].
//!
//! * Operators: [`operate::binary`], [`operate::inplace`], [`operate::unary`], [`compare::compare`], [`compare::contains`],
//!   [`truth::truth`], [`truth::len`]; [`number::binary`] alone is quick and needs no machine.
//! * Texts: [`repr::repr`], [`repr::str`], [`repr::ascii`], [`format()`].
//! * Items: [`get_item`], [`set_item`], [`del_item`], [`iter::iter`], [`iter::collect`].
//! * Attributes: [`method`] finds the row of a method, which [`call::Table::call`] runs without making a bound method; [`attr`]
//!   makes one; [`attributes`] lists the names.
//! * Classes: [`construct()`] is a call of a class, [`class::type_of`] is `type(x)`, [`class::is_instance`] is `isinstance`.

pub mod buffer;
mod byte_text;
pub mod bytes;
pub mod call;
pub mod class;
pub mod class_object;
pub mod compare;
pub mod complex;
pub mod convert;
pub mod dict;
pub mod digits;
mod dunder;
pub mod float;
pub mod format_spec;
pub mod hint;
pub mod int;
pub mod iter;
pub mod lazy;
pub mod limits;
pub mod list;
pub mod long;
pub mod number;
pub mod operate;
pub mod overall;
pub mod own;
pub mod percent;
pub mod range;
pub mod repr;
pub mod sequence;
pub mod set;
pub mod sort;
pub mod special;
pub mod storage;
pub mod str;
pub mod torch_types;
pub mod truth;
pub mod tuple;
pub mod views;
pub mod wrapped;

mod attribute;
pub mod construct;
mod format_str;
mod item;
mod make;
mod number_methods;
mod reused;

pub use attribute::{attr, attributes, find, method, tables, tables_of_class};
pub use construct::{construct, to_float, to_int};
pub use dunder::of_operator;
pub use item::{del_item, get_item, set_item};
pub use make::{is_quickly_made, make_quickly};

use super::classes;
use crate::value::{Machine, Outcome, Value};

/// `format(value, spec)`, as an f-string writes `{value:spec}`.
pub fn format(machine: &mut dyn Machine, value: &Value, spec: &str) -> Outcome<String> {
    match classes::formatted(machine, value, spec)? {
        Some(text) => Ok(text),
        None if spec.is_empty() => format_spec::format_value(value, spec),
        None => format_spec::format_value(&classes::plain(value), spec),
    }
}

/// `chr(code)` as a text, for a code below 0x110000. Fails with a `ValueError` for halves of surrogate pairs, which tsr's texts
/// cannot hold.
pub(super) fn character(code: u32) -> Outcome<String> {
    match char::from_u32(code) {
        Some(c) => Ok(c.to_string()),
        None => fault!(ValueError, "{code:#x} is half of a surrogate pair, which tsr's texts cannot hold"),
    }
}
