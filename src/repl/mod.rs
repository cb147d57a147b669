//! What sits on top of the language: sessions, the prompt, its commands and help.
//!
//! A [`Session`] runs texts, whoever typed them: the prompt, a file, a transcript under test. The [`command`] table holds the
//! shell commands, one row each. The prompt proper is [`prompt`].

pub mod command;
pub mod lessons;
pub mod prompt;
mod rewind;
pub mod session;
mod shell;
pub mod source;

pub use session::{Ended, Session, keep_panics, prompted};
