//! The integration tests, in one binary.

mod goldens;
mod language;
mod pictures;
mod random;
mod table;
mod terminal;
mod tidy;
