//! The language: from syntax to values.
//!
//! A text is parsed by [`crate::syntax`], compiled to a tree without names ([`compile`]), and that tree is walked ([`eval`]).
//! [`Interp`] is a session; [`run_text`] and [`transcript`] are for those who need no more than an answer.

mod advice;
mod builtins;
pub mod classes;
pub mod compile;
pub mod eval;
mod exceptions;
mod frame;
mod function;
mod generator;
pub mod globals;
mod interp;
mod iterate;
mod left;
pub mod library;
mod machine;
pub mod modules;
mod operation;
pub mod operators;
mod overrides;
mod shell;
pub mod stack;
mod text;
mod transcript;
pub mod types;

pub use advice::{elsewhere, report};
pub use function::Function;
pub use generator::Generator;
pub use interp::Interp;
pub use operation::Operation;
pub use shell::Shell;
pub use transcript::{Answer, Pad, Step, run_text, transcript};
