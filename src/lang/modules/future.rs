//! `__future__`: features that Python has since. What may be imported is judged with the syntax; here are the names.

use crate::lang::types::call::Table;
use crate::syntax::FEATURES;
use crate::value::Value;

/// The functions: none.
pub static FUNCTIONS: Table = Table { owner: "__future__", rows: Table::sorted(&[]) };

/// The features, all there.
pub fn values() -> Vec<(&'static str, Value)> {
    FEATURES.iter().map(|name| (*name, Value::Bool(true))).collect()
}
