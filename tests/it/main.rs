//! The integration tests, in one binary.

mod tidy;
