//! The integration tests, in one binary.

#![allow(clippy::unwrap_used)] // A test that cannot go on should stop.

mod calls;
mod cli;
mod commands;
mod fusion;
mod gallery;
mod goldens;
mod gradients;
mod language;
mod lessons;
mod mistakes;
mod mutations;
mod operations;
mod pictures;
mod products;
mod random;
mod rows;
mod support;
mod svg;
mod syntax;
mod table;
mod teaching;
mod terminal;
mod threads;
mod tidy;
