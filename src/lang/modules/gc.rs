//! `gc`: nothing is to be collected here, for what nobody holds is given up at once.

use crate::lang::types::call::{Table, Takes, row};
use crate::value::Value;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "gc",
    rows: Table::sorted(&[
        row("collect", Takes::Between(0, 1), |_| Ok(Value::Int(0))),
        row("disable", Takes::Nothing, |_| Ok(Value::None)),
        row("enable", Takes::Nothing, |_| Ok(Value::None)),
        row("isenabled", Takes::Nothing, |_| Ok(Value::Bool(true))),
    ]),
};
