//! Text to syntax tree. Knows no tensor and no operation; no parser type leaves this folder.

pub mod ast;
