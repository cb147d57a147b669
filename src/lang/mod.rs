//! The language: from syntax to values.
//!
//! A text is parsed by [`crate::syntax`], compiled to a tree without names, and that tree is walked.

pub mod compile;
pub mod eval;
pub mod globals;
pub mod types;
