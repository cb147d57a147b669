//! What a wrong prediction may come from: usual mistakes with sizes and strides, in the order in which they are looked for.

use crate::layout::{Layout, broadcast_sizes};
use crate::show::object::tuple;
use crate::show::picture::Named;
use crate::tensor::Tensor;

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Size,
    Stride,
    /// A tuple of numbers, which may be either.
    Value,
}

impl About {
    pub fn word(self) -> &'static str {
        match self {
            About::Size => "size",
            About::Stride => "stride",
            About::Value => "result",
        }
    }
}

/// A question with its answer.
pub(super) struct Case<'a> {
    pub about: About,
    pub found: Vec<i64>,
    /// The variables that it is about.
    pub operands: &'a [Named],
    /// The tensor whose size or stride it is.
    pub result: Option<&'a Tensor>,
}

/// A mistake: what it comes to, if it was made.
type Slip = fn(&[i64], &Case) -> Option<String>;

const SLIPS: &[Slip] = &[own, exchanged, reversed, of_a_copy, in_bytes, lined_up_left, kept, count];

/// The first mistake that explains a prediction.
pub(super) fn of(given: &[i64], case: &Case) -> Option<String> {
    SLIPS.iter().find_map(|slip| slip(given, case))
}

/// The size or stride of an operand.
fn own(given: &[i64], case: &Case) -> Option<String> {
    let own = |named: &Named| {
        let layout = named.tensor.layout();
        let word = match case.about {
            About::Size | About::Value if *layout.sizes == *given => "size",
            About::Stride | About::Value if *layout.strides == *given => "stride",
            _ => return None,
        };
        Some(format!("{} is the {word} of {} itself", tuple(given), named.name))
    };
    case.operands.iter().find_map(own)
}

/// The size where the stride was asked for, or the other way round.
fn exchanged(given: &[i64], case: &Case) -> Option<String> {
    let layout = case.result?.layout();
    match case.about {
        About::Size if layout.strides.as_slice() == given => Some("that is its stride".to_string()),
        About::Stride if layout.sizes.as_slice() == given => Some("that is its size".to_string()),
        _ => None,
    }
}

fn reversed(given: &[i64], case: &Case) -> Option<String> {
    given.iter().rev().eq(&case.found).then(|| format!("{}: the right numbers, in the other order", case.about.word()))
}

fn of_a_copy(given: &[i64], case: &Case) -> Option<String> {
    let is_stride = case.about == About::Stride && *Layout::contiguous(&case.result?.sizes()).strides == *given;
    is_stride.then(|| "a copy in the order of its indices would have that stride; this is a view".to_string())
}

fn in_bytes(given: &[i64], case: &Case) -> Option<String> {
    let size = case.result?.dtype().size() as i64;
    let is_bytes = case.about == About::Stride && size > 1 && given.iter().copied().eq(case.found.iter().map(|n| n * size));
    is_bytes.then(|| "strides count elements here; numpy counts bytes".to_string())
}

/// Operands lined up at the first dim.
fn lined_up_left(given: &[i64], case: &Case) -> Option<String> {
    let [a, b] = case.operands else { return None };
    let turned = |named: &Named| named.tensor.sizes().iter().rev().copied().collect::<Vec<i64>>();
    let sizes = broadcast_sizes(&turned(a), &turned(b)).ok()?;
    let is_left = case.about == About::Size && sizes.iter().rev().eq(given);
    is_left.then(|| "sizes are lined up at the last dim, not at the first".to_string())
}

/// Dims of size 1 that went, or did not.
fn kept(given: &[i64], case: &Case) -> Option<String> {
    let without_ones = |sizes: &[i64]| sizes.iter().copied().filter(|n| *n != 1).collect::<Vec<_>>();
    let is_slip = case.about == About::Size && without_ones(given) == without_ones(&case.found);
    match given.len() < case.found.len() {
        true if is_slip => Some("a dim of size 1 stays until squeeze or an index takes it".to_string()),
        false if is_slip => Some("the dim that an int or a reduction takes is gone; keepdim=True keeps it as 1".to_string()),
        _ => None,
    }
}

fn count(given: &[i64], case: &Case) -> Option<String> {
    let dims = case.result?.ndim();
    (given.len() != dims).then(|| format!("{}: it has {dims} dims, and a number for each", case.about.word()))
}
