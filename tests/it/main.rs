//! The integration tests, in one binary.

mod cli;
mod goldens;
mod language;
mod pictures;
mod random;
mod terminal;
mod tidy;
