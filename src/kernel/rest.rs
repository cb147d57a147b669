//! What is computed otherwise behind the last whole vector of a row.
//!
//! PyTorch's loops take a row of elements in whole vectors and leave the rest of it to another loop, which the compiler made of the
//! same function in its own way: with products that are not rounded, or with other signs of zeros. A function that has such a [`Rest`]
//! is run in pieces of the rows, each by the program that its elements get.

use super::manner::Manners;
use super::plan::Plan;
use super::program::{Micro, Program};
use super::scalar::{BlockFn, Scalar};
use crate::dtype::DType;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;

/// How the rest of a row differs.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    /// The function as the rest gets it, for the classes in which it differs.
    pub scalar: Scalar,
    /// Bytes of the elements that are taken at a time.
    pub step: usize,
    /// How many of the arguments are operands; the others are numbers that every element gets.
    pub operands: usize,
    /// The rest of complex64 goes on in pairs.
    pub pairs: bool,
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
enum Lie {
    /// The elements of each follow each other.
    Together,
    /// The same, but one argument is one element.
    Beside,
    /// Some have gaps.
    Apart,
    /// The same, and the result is written over what is read.
    Over,
}

type Ranges = SmallVec<[Range<usize>; 2]>;

/// Pieces of rows with what is to be run over them.
pub(super) type Pieces<'a> = SmallVec<[(Range<usize>, Cow<'a, Program>); 4]>;

impl Ending {
    /// The parts of a row of `n` elements that it is for.
    fn ranges(&self, lie: Lie, n: usize) -> Ranges {
        let step = self.rest.step / self.dtype.size();
        let whole = if matches!(lie, Lie::Together | Lie::Beside) { n - n % step } else { 0 };
        let (left, pairs) = (n - whole, self.rest.pairs && self.dtype == DType::C64);
        let ranges: &[Range<usize>] = match lie {
            _ if !pairs => &[whole..n],
            Lie::Together | Lie::Apart => &[whole..n - left % 2],
            // One element is taken alone first, then four, if there are as many.
            Lie::Beside if left > 4 => &[whole + 1..whole + 5],
            Lie::Beside | Lie::Over => &[],
        };
        ranges.iter().filter(|range| !range.is_empty()).cloned().collect()
    }
}

impl Program {
    /// The pieces of a row of `count` elements that follow each other in every operand.
    pub fn pieces_of_line(&self, count: usize) -> Pieces<'_> {
        let is_number = |register: &u16| self.constants.iter().any(|c| c.register == *register);
        self.pieces(count, |operands| if operands.iter().any(is_number) { Lie::Beside } else { Lie::Together })
    }

    /// The pieces of the rows of a plan.
    pub fn pieces_of_rows(&self, plan: &Plan, bases: &[*mut u8]) -> Pieces<'_> {
        let count = plan.sizes()[0];
        let walks = plan.walks();
        let steps = |operand: usize| walks[operand].steps()[0] / walks[operand].size as isize;
        let reach = |operand: usize| {
            let first = bases[operand].wrapping_offset(walks[operand].start()) as isize;
            let last = first + walks[operand].steps()[0] * (count.max(1) - 1) as isize;
            first.min(last)..first.max(last) + walks[operand].size as isize
        };
        let written = reach(0);
        self.pieces(count, |operands| {
            let is_input = |register: &u16| (*register as usize) < self.inputs.len();
            let step = |register: &u16| match self.constants.iter().any(|c| c.register == *register) {
                true => 0,
                false if is_input(register) => steps(*register as usize + 1),
                false => 1,
            };
            let ones = operands.iter().filter(|r| step(r) == 0).count();
            let meets = |register: &u16| {
                let read = reach(*register as usize + 1);
                read.start < written.end && written.start < read.end
            };
            match steps(0) == 1 && operands.iter().all(|r| matches!(step(r), 0 | 1)) {
                true if ones == 0 => Lie::Together,
                true if ones == 1 => Lie::Beside,
                _ if operands.iter().filter(|r| is_input(r)).any(meets) => Lie::Over,
                _ => Lie::Apart,
            }
        })
    }

    fn pieces(&self, count: usize, lie: impl Fn(&[u16]) -> Lie) -> Pieces<'_> {
        let ranges = |micro: &Micro| match &micro.ending {
            Some(ending) => ending.ranges(lie(&micro.args()[..ending.rest.operands]), count),
            None => Ranges::new(),
        };
        let ranges: SmallVec<[Ranges; 4]> = self.code.iter().map(ranges).collect();
        let mut cuts: SmallVec<[usize; 8]> = ranges.iter().flatten().flat_map(|range| [range.start, range.end]).collect();
        cuts.extend([0, count]);
        cuts.sort_unstable();
        cuts.dedup();
        let piece = |ends: &[usize]| {
            let ending = |i: usize| ranges[i].iter().any(|range| range.contains(&ends[0]));
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
