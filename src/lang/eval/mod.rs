//! Walking the resolved tree.

mod arith;
mod assign;
mod attribute;
mod bind;
mod build;
mod call;
mod class;
mod expr;
mod handle;
mod import;
mod loops;
mod number;
mod pattern;
mod quick;
mod raised;
mod resume;
pub mod site;
mod stmt;
mod subscript;
mod trouble;
mod variable;

pub(in crate::lang) use trouble::forget_place;

pub(in crate::lang) use arith::numbers;
pub(in crate::lang) use call::captures;
pub(in crate::lang) use expr::hand;
pub(in crate::lang) use number::{Given, Number};
pub(in crate::lang) use raised::{Swift, WithRaise};
pub(in crate::lang) use resume::{Resume, leaving};
pub(in crate::lang) use stmt::Flow;
