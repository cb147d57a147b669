//! The integration tests, in one binary.

mod goldens;
mod language;
mod tidy;
