//! The language: from syntax to values.
//!
//! A text is parsed by [`crate::syntax`], compiled to a tree without names, and that tree is walked.

pub mod builtins;
pub mod compile;
pub mod eval;
pub mod globals;
pub mod modules;
pub mod types;
