//! New tensors: of given sizes, like another tensor, from data, from ranges.

pub mod data;
pub mod filled;
pub mod legacy;
pub mod like;
mod nested;
pub mod options;
pub mod range;
pub mod spoken;

pub use legacy::construct;
