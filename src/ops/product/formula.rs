//! What a formula of `einsum` says: which dimension of an operand is which dimension of the product.

use crate::layout::{Dims, Layout};
use crate::tensor::Tensor;
use anyhow::Result;

/// Letters that a formula may use: capitals come first.
const LETTERS: usize = 52;

/// What stands for dimensions in a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subscript {
    /// One dimension, by the number of its letter.
    Letter(usize),
    /// All the dimensions that letters leave.
    Ellipsis,
}

/// Who has the subscripts that are read, for sentences about them.
#[derive(Clone, Copy)]
enum Owner {
    Operand(usize),
    Output,
}

/// A formula together with operands that it fits. Their common dimensions are those of the result, then those that are summed.
pub(super) struct Formula {
    subscripts: Vec<Vec<Subscript>>,
    /// The common dimension of each letter.
    places: [Option<usize>; LETTERS],
    /// The first common dimension of the ellipsis.
    spread: usize,
    /// The most dimensions that an ellipsis stands for.
    spans: usize,
    /// How many dimensions the result has.
    pub kept: usize,
    /// How many common dimensions there are.
    pub all: usize,
}

/// The operands with all the common dimensions, and how many of them are longer than 1 in each.
pub(super) type Aligned = (Vec<Tensor>, Vec<usize>);

/// The subscripts of `text` one by one; it begins at `start` in the formula.
fn subscripts(text: &str, start: usize, owner: Owner) -> impl Iterator<Item = Result<Subscript>> {
    let bytes = text.as_bytes();
    let (mut at, mut seen) = (0, false);
    std::iter::from_fn(move || {
        at += bytes[at..].iter().take_while(|byte| **byte == b' ').count();
        let found = match bytes.get(at)? {
            b'.' if seen => Err(second_ellipsis(owner)),
            b'.' if bytes[at..].starts_with(b"...") => {
                (at, seen) = (at + 2, true);
                Ok(Subscript::Ellipsis)
            }
            b'.' => Err(stray_dot(owner)),
            byte => match number_of(*byte) {
                Some(letter) => Ok(Subscript::Letter(letter)),
                None => Err(err!(
                    RuntimeError,
                    "einsum(): invalid subscript given at index {} in the equation string, subscripts must be in [a-zA-Z]",
                    start + at
                )),
            },
        };
        at += 1;
        Some(found)
    })
}

fn second_ellipsis(owner: Owner) -> anyhow::Error {
    match owner {
        Owner::Operand(n) => err!(RuntimeError, "einsum(): found '.' for operand {n} for which an ellipsis was already found"),
        Owner::Output => err!(RuntimeError, "einsum(): found '.' for output but an ellipsis (...) was already found"),
    }
}

fn stray_dot(owner: Owner) -> anyhow::Error {
    match owner {
        Owner::Operand(n) => err!(RuntimeError, "einsum(): found '.' for operand {n} that is not part of any ellipsis"),
        Owner::Output => err!(RuntimeError, "einsum(): found '.' for output that is not part of any ellipsis (...)"),
    }
}

fn number_of(byte: u8) -> Option<usize> {
    match byte {
        b'A'..=b'Z' => Some(usize::from(byte - b'A')),
        b'a'..=b'z' => Some(usize::from(byte - b'a') + 26),
        _ => None,
    }
}

fn letter_of(number: usize) -> char {
    let first = if number < 26 { b'A' } else { b'a' - 26 };
    char::from(first + number as u8)
}

fn described(subscript: &Subscript) -> String {
    match subscript {
        Subscript::Letter(letter) => format!("subscript {}", letter_of(*letter)),
        Subscript::Ellipsis => "subscript ...".to_string(),
    }
}

impl Formula {
    /// Reads a formula for these operands.
    ///
    /// Fails with a `RuntimeError` when it is none, or does not fit the operands' numbers of dimensions.
    pub fn read(equation: &str, operands: &[Tensor]) -> Result<Formula> {
        if operands.is_empty() {
            fault!(RuntimeError, "einsum(): must provide at least one operand");
        }
        let (inputs, output) = match equation.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (equation, None),
        };
        let (mut read, mut start) = (vec![], 0);
        for (n, text) in inputs.split(',').enumerate() {
            if n == operands.len() {
                fault!(RuntimeError, "einsum(): fewer operands were provided than specified in the equation");
            }
            read.push(subscripts(text, start, Owner::Operand(n)).collect::<Result<Vec<_>>>()?);
            start += text.len() + 1;
        }
        if read.len() < operands.len() {
            fault!(RuntimeError, "einsum(): more operands were provided than specified in the equation");
        }
        let mut formula = Formula { subscripts: read, places: [None; LETTERS], spread: 0, spans: 0, kept: 0, all: 0 };
        let counts = formula.count(operands)?;
        match output {
            Some(output) => formula.place_output(output, inputs.len() + 2, &counts)?,
            None => {
                formula.kept = formula.spans;
                (0..LETTERS).filter(|letter| counts[*letter] == 1).for_each(|letter| formula.keep(letter));
                formula.all = formula.kept;
            }
        }
        for letter in (0..LETTERS).filter(|letter| counts[*letter] > 0) {
            if formula.places[letter].is_none() {
                formula.places[letter] = Some(formula.all);
                formula.all += 1;
            }
        }
        Ok(formula)
    }

    /// How often each letter is there.
    fn count(&mut self, operands: &[Tensor]) -> Result<[usize; LETTERS]> {
        let mut counts = [0; LETTERS];
        for (n, (subscripts, operand)) in self.subscripts.iter().zip(operands).enumerate() {
            let letters = subscripts.iter().filter_map(|subscript| match subscript {
                Subscript::Letter(letter) => Some(*letter),
                Subscript::Ellipsis => None,
            });
            let (given, ndim) = (letters.clone().count(), operand.ndim());
            letters.for_each(|letter| counts[letter] += 1);
            match subscripts.contains(&Subscript::Ellipsis) {
                true if given > ndim => fault!(
                    RuntimeError,
                    "einsum(): the number of subscripts in the equation ({given}) is more than the number of dimensions ({ndim}) for operand {n}"
                ),
                false if given != ndim => fault!(
                    RuntimeError,
                    "einsum(): the number of subscripts in the equation ({given}) does not match the number of dimensions ({ndim}) for operand {n} and no ellipsis was given"
                ),
                true => self.spans = self.spans.max(ndim - given),
                false => {}
            }
        }
        Ok(counts)
    }

    /// The next dimension of the result is this letter's.
    fn keep(&mut self, letter: usize) {
        self.places[letter] = Some(self.kept);
        self.kept += 1;
    }

    /// Gives the dimensions of the result their places, as `output` has them, and those of a summed ellipsis.
    fn place_output(&mut self, output: &str, start: usize, counts: &[usize; LETTERS]) -> Result<()> {
        let mut is_spread = false;
        for subscript in subscripts(output, start, Owner::Output) {
            match subscript? {
                Subscript::Ellipsis => {
                    (self.spread, is_spread) = (self.kept, true);
                    self.kept += self.spans;
                }
                Subscript::Letter(letter) if self.places[letter].is_some() => {
                    fault!(RuntimeError, "einsum(): output subscript {} appears more than once in the output", letter_of(letter))
                }
                Subscript::Letter(letter) if counts[letter] == 0 => fault!(
                    RuntimeError,
                    "einsum(): output subscript {} does not appear in the equation for any input operand",
                    letter_of(letter)
                ),
                Subscript::Letter(letter) => self.keep(letter),
            }
        }
        self.all = self.kept;
        if !is_spread {
            self.spread = self.kept;
            self.all += self.spans;
        }
        Ok(())
    }

    /// Views of the operands that have all the common dimensions, of size 1 where one has them not; equal letters of one operand run
    /// together along its diagonal.
    ///
    /// Fails with a `RuntimeError` when sizes do not fit.
    pub fn align(&self, operands: &[Tensor]) -> Result<Aligned> {
        let (mut sizes, mut long) = (vec![1; self.all], vec![0; self.all]);
        let mut aligned = vec![];
        for (n, operand) in operands.iter().enumerate() {
            aligned.push(self.align_one(n, operand, &mut sizes)?);
            let seen = aligned[n].sizes();
            long.iter_mut().zip(seen).for_each(|(count, size)| *count += usize::from(size != 1));
        }
        Ok((aligned, long))
    }

    fn align_one(&self, n: usize, operand: &Tensor, known: &mut [i64]) -> Result<Tensor> {
        let layout = operand.layout();
        let subscripts = &self.subscripts[n];
        let spans = layout.ndim() + 1 - subscripts.len().min(layout.ndim() + 1);
        let (mut sizes, mut strides) = (Dims::from_elem(1, self.all), Dims::from_elem(1, self.all));
        let mut placed = vec![false; self.all];
        let (mut dim, mut shown) = (0, 0);
        for subscript in subscripts {
            let places = match subscript {
                Subscript::Letter(letter) => self.places[*letter].map_or(0..0, |place| place..place + 1),
                Subscript::Ellipsis => self.spread + self.spans - spans..self.spread + self.spans,
            };
            for place in places {
                let (size, stride) = (layout.sizes[dim], layout.strides[dim]);
                dim += 1;
                if placed[place] {
                    if size != sizes[place] {
                        let what = described(subscript);
                        fault!(
                            RuntimeError,
                            "einsum(): {what} is repeated for operand {n} but the sizes don't match, {size} != {}",
                            sizes[place]
                        );
                    }
                    strides[place] += stride;
                    continue;
                }
                if size != 1 && known[place] != 1 && known[place] != size {
                    Formula::refuse_size(subscript, n, (shown, size), known[place])?;
                }
                known[place] = if size == 1 { known[place] } else { size };
                (sizes[place], strides[place], placed[place]) = (size, stride, true);
                shown += 1;
            }
        }
        operand.alias(Layout::new(&sizes, &strides, layout.offset))
    }

    /// The `RuntimeError` for a dimension of operand `n` whose size is not `known`.
    fn refuse_size(subscript: &Subscript, n: usize, (dim, size): (usize, i64), known: i64) -> Result<()> {
        match subscript {
            Subscript::Letter(_) => {
                let what = described(subscript);
                fault!(
                    RuntimeError,
                    "einsum(): {what} has size {size} for operand {n} which does not broadcast with previously seen size {known}"
                )
            }
            Subscript::Ellipsis => fault!(
                RuntimeError,
                "einsum(): dimension {dim} covered by ellipsis in operand {n}has size {size} which does not broadcast with previously seen ellipsis with size {known} for the respective dimension"
            ),
        }
    }
}
