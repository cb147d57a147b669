//! The integration tests, in one binary.

mod goldens;
mod pictures;
mod random;
mod tidy;
