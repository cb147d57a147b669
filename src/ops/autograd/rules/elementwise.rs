//! Functions of single elements.

use super::{Rule, of, with};

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
];
