//! Walking the resolved tree.

mod arith;
mod assign;
mod attribute;
mod bind;
mod build;
mod call;
mod expr;
mod handle;
mod import;
mod loops;
mod quick;
pub mod site;
mod stmt;
mod subscript;
mod trouble;
mod variable;

pub(in crate::lang) use call::captures;
