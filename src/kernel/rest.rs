//! What is computed otherwise behind the last whole vector of a row.
//!
//! PyTorch's loops take a row of elements in whole vectors and leave the rest of it to another loop, which the compiler made of the
//! same function in its own way: with products that are not rounded, or with other signs of zeros. A function that has such a [`Rest`]
//! is run in pieces of the rows, each by the program that its elements get.

use super::isa::follows_avx512;
use super::manner::Manners;
use super::plan::Plan;
use super::program::{Micro, Program};
use super::scalar::{BlockFn, Scalar};
use crate::dtype::DType;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;

/// Two vectors of AVX-512, which are two of AVX2 where there is none: PyTorch has some of its loops for both.
pub const LONG: usize = 128;

/// How the rest of a row differs.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    /// The function as the rest gets it, for the classes in which it differs.
    pub scalar: Scalar,
    /// Bytes of the elements that are taken at a time: two vectors of AVX2, or of the longest that there are ([`LONG`]).
    pub step: usize,
    /// How many of the arguments are operands; the others are numbers that every element gets.
    pub operands: usize,
    /// Which elements of the rest it is for.
    pub whose: Whose,
}

/// The elements of the rest that differ. The compiler takes complex64 in pairs, where it sees that results are not read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// All of them.
    All,
    /// Those of complex64 that go in pairs, and all others. Of complex64 beside one element, four together, after the first of more
    /// than four.
    Pairs,
    /// Those of complex64 that do not go in pairs.
    Lone,
    /// Of elements that follow each other beside one element: behind the first, as many as go in vectors of 16 bytes.
    AfterFirst,
}

/// The loops of a call for the rest of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    pub rest: &'static Rest,
    pub dtype: DType,
    pub run: BlockFn,
    pub manners: Manners<BlockFn>,
}

/// How the operands of a call lie in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    /// The elements of each follow each other.
    One,
    /// The same, but one argument is one element.
    OneOrNone,
    /// Some have gaps.
    Any,
}

/// How the operands of a call lie in a row, and whether the result is written over one that is read.
type Lie = (Steps, bool);

/// Pieces of rows with what is to be run over them.
pub(super) type Pieces<'a> = SmallVec<[(Range<usize>, Cow<'a, Program>); 4]>;

impl Ending {
    /// The part of a row of `n` elements that it is for.
    fn range(&self, lie: Lie, n: usize) -> Range<usize> {
        let is_halved = self.rest.step == LONG && !follows_avx512();
        let step = self.rest.step / (1 + usize::from(is_halved)) / self.dtype.size();
        let whole = if lie.0 == Steps::Any { 0 } else { n - n % step };
        let left = n - whole;
        match (self.rest.whose, lie) {
            (Whose::All, _) => whole..n,
            (Whose::AfterFirst, (Steps::OneOrNone, _)) if left > 0 => {
                let lanes = 16 / self.dtype.size();
                whole + 1..whole + 1 + (left - 1) / lanes * lanes
            }
            (Whose::AfterFirst, _) => n..n,
            (Whose::Pairs, _) if self.dtype != DType::C64 => whole..n,
            (Whose::Pairs, (Steps::OneOrNone, _)) if left > 4 => whole + 1..whole + 5,
            (Whose::Pairs, (Steps::OneOrNone, _) | (Steps::Any, true)) => n..n,
            (Whose::Pairs, _) => whole..n - left % 2,
            (Whose::Lone, (_, true)) => whole..n,
            (Whose::Lone, _) => n - left % 2..n,
        }
    }
}

impl Program {
    /// The pieces of a row of `count` elements that follow each other in every operand.
    pub fn pieces_of_line(&self, count: usize, at: &[*mut u8]) -> Pieces<'_> {
        self.pieces(count, |operands| {
            let steps = if operands.iter().any(|r| self.is_number(*r)) { Steps::OneOrNone } else { Steps::One };
            (steps, operands.iter().any(|r| at[1..].get(*r as usize) == Some(&at[0])))
        })
    }

    /// The pieces of the rows of a plan.
    pub fn pieces_of_rows(&self, plan: &Plan, bases: &[*mut u8]) -> Pieces<'_> {
        let (count, walks) = (plan.sizes()[0], plan.walks());
        let steps = |operand: usize| walks[operand].steps()[0] / walks[operand].size as isize;
        let reach = |operand: usize| {
            let first = bases[operand].wrapping_offset(walks[operand].start()) as isize;
            let last = first + walks[operand].steps()[0] * (count.max(1) - 1) as isize;
            first.min(last)..first.max(last) + walks[operand].size as isize
        };
        let written = reach(0);
        self.pieces(count, |operands| {
            let step = |register: &u16| match *register as usize {
                input if input < self.inputs.len() => steps(input + 1),
                _ if self.is_number(*register) => 0,
                _ => 1,
            };
            let meets = |register: &u16| {
                let read = if (*register as usize) < self.inputs.len() { reach(*register as usize + 1) } else { 0..0 };
                read.start < written.end && written.start < read.end
            };
            let is_even = steps(0) == 1 && operands.iter().all(|r| matches!(step(r), 0 | 1));
            let lie = match operands.iter().filter(|r| step(r) == 0).count() {
                0 if is_even => Steps::One,
                1 if is_even => Steps::OneOrNone,
                _ => Steps::Any,
            };
            (lie, operands.iter().any(meets))
        })
    }

    fn is_number(&self, register: u16) -> bool {
        self.constants.iter().any(|c| c.register == register)
    }

    fn pieces(&self, count: usize, lie: impl Fn(&[u16]) -> Lie) -> Pieces<'_> {
        let range = |micro: &Micro| match &micro.ending {
            Some(ending) => ending.range(lie(&micro.args()[..ending.rest.operands]), count),
            None => count..count,
        };
        let ranges: SmallVec<[Range<usize>; 4]> = self.code.iter().map(range).collect();
        let mut cuts: SmallVec<[usize; 8]> = ranges.iter().flat_map(|range| [range.start, range.end]).collect();
        cuts.extend([0, count]);
        cuts.sort_unstable();
        cuts.dedup();
        let piece = |ends: &[usize]| {
            let ending = |i: usize| ranges[i].contains(&ends[0]);
            (ends[0]..ends[1], self.with_endings(ending))
        };
        cuts.windows(2).map(piece).collect()
    }

    /// The program with the loops for the rest of a row in these calls.
    fn with_endings(&self, is_ending: impl Fn(usize) -> bool) -> Cow<'_, Program> {
        if !(0..self.code.len()).any(&is_ending) {
            return Cow::Borrowed(self);
        }
        let mut program = self.clone();
        let constants = &program.constants;
        for (i, micro) in program.code.iter_mut().enumerate() {
            if let Some(ending) = micro.ending.as_deref().filter(|_| is_ending(i)) {
                (micro.run, micro.manners) = (ending.run, ending.manners);
                let is_one = |r: u16| constants.iter().any(|c| c.register == r && c.is_one);
                micro.run = micro.manner(is_one, false).unwrap_or(micro.run);
            }
        }
        Cow::Owned(program)
    }
}
