//! `torch.nn.functional`: the functions networks are made of, as text of the language.

pub mod activation;
pub mod attention;
pub mod convolution;
pub mod loss;
pub mod normalize;
pub mod pool;
pub mod resize;

use super::Form::Code;
use super::{Op, op};

/// A function of `torch.nn.functional`.
const fn function(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Code(text)).function_only().no_out()
}
