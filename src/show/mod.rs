//! Values as text: what a user sees of a tensor, a storage, a number, a dtype.
//!
//! Everything that is shown becomes a [`Doc`] (styled text), and a renderer turns that into plain text, coloured text, ASCII,
//! sentences to be read aloud or SVG, so that each picture has one source. The texts themselves are PyTorch's, Python's and
//! numpy's, to the byte.

pub mod doc;
pub mod lines;
pub mod narrate;
pub mod number;
pub mod numpy;
pub mod object;
pub mod picture;
pub mod report;
pub mod shade;
pub mod storage;
pub mod svg;
pub mod tensor;

mod column;
mod elements;
mod frames;
mod shorten;
mod survey;

pub use doc::{Doc, Render, Style};
