//! Comparisons that only choose: `where(a < b, x, y)` as one instruction, without truth values in between.

use super::element::Choose;
use super::program::{Instruction, Source};
use super::scalar::Scalar;
use crate::dtype::DType;
use crate::scalar;
use smallvec::SmallVec;

/// The instruction that chooses, by its name: a truth value and two others.
const CHOOSER: &str = "where";

/// Comparisons by their names, with what chooses by them.
static CHOICES: [(&str, Scalar); 6] = [
    ("lt", scalar! { where_lt(a, b, x, y), Promote, "a < b ? x : y"; real: x.or(a < b, y) }),
    ("le", scalar! { where_le(a, b, x, y), Promote, "a <= b ? x : y"; real: x.or(a <= b, y) }),
    ("gt", scalar! { where_gt(a, b, x, y), Promote, "a > b ? x : y"; real: x.or(a > b, y) }),
    ("ge", scalar! { where_ge(a, b, x, y), Promote, "a >= b ? x : y"; real: x.or(a >= b, y) }),
    ("eq", scalar! { where_eq(a, b, x, y), Promote, "a == b ? x : y"; real: x.or(a == b, y) }),
    ("ne", scalar! { where_ne(a, b, x, y), Promote, "a != b ? x : y"; real: x.or(a != b, y) }),
];

/// The instructions with each comparison whose result does nothing but choose, at the same dtype, joined to the instruction that it
/// chooses for. None when there is no such comparison. The last instruction stays the last.
pub(super) fn joined(instructions: &[Instruction]) -> Option<Vec<Instruction>> {
    let choices: SmallVec<[_; 8]> = (0..instructions.len()).map(|i| choice(instructions, i)).collect();
    if choices.iter().all(Option::is_none) {
        return None;
    }
    // Where each instruction's result is found in the new list; a comparison that is gone is asked for by nobody.
    let mut places: SmallVec<[usize; 8]> = SmallVec::new();
    let mut list: Vec<Instruction> = Vec::with_capacity(instructions.len());
    for (i, instruction) in instructions.iter().enumerate() {
        places.push(list.len());
        if choices.iter().flatten().any(|(comparison, _)| *comparison == i) {
            continue;
        }
        let mut next = instruction.clone();
        if let Some((comparison, scalar)) = choices[i] {
            next.scalar = scalar;
            next.args = instructions[comparison].args.iter().chain(&instruction.args[1..]).copied().collect();
        }
        for source in &mut next.args {
            if let Source::Step(step) = source {
                *step = places[*step];
            }
        }
        list.push(next);
    }
    Some(list)
}

/// The comparison that the instruction at `place` chooses by, and the function that does both.
fn choice(instructions: &[Instruction], place: usize) -> Option<(usize, &'static Scalar)> {
    let chooser = &instructions[place];
    let (CHOOSER, Some(Source::Step(step))) = (chooser.scalar.name, chooser.args.first()) else { return None };
    let comparison = &instructions[*step];
    let readers = instructions.iter().flat_map(|i| &i.args).filter(|source| **source == Source::Step(*step)).count();
    let is_plain = |dtype: DType| dtype.size() == dtype.class().size();
    let fits = comparison.compute == chooser.compute && is_plain(chooser.compute) && comparison.result == DType::Bool;
    let (_, scalar) = CHOICES.iter().find(|(name, _)| *name == comparison.scalar.name)?;
    (readers == 1 && fits && scalar.block(chooser.compute).is_some()).then_some((*step, scalar))
}
