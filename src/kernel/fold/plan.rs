//! Which elements are folded together, and in which order they are walked.

use crate::kernel::order::order;
use crate::layout::Dims;
use smallvec::{SmallVec, smallvec};

/// Byte steps of the inputs along one dimension.
pub type Steps = SmallVec<[isize; 2]>;

/// One dimension of the walk.
#[derive(Clone, Debug)]
pub struct Dim {
    /// How many elements.
    pub size: usize,
    /// From one to the next, for each input.
    pub steps: Steps,
    /// From one result to the next, for each output; 0 in a reduced dimension.
    pub outs: [isize; 2],
}

/// One operand: strides in elements (one per dimension), bytes of an element, byte of the first element.
#[derive(Clone, Debug)]
pub struct Operand {
    /// In elements.
    pub strides: Dims,
    /// Bytes of an element.
    pub size: usize,
    /// In bytes.
    pub start: isize,
}

/// A walk over inputs of one common size, some of whose dimensions are folded.
#[derive(Clone, Debug)]
pub struct FoldPlan {
    /// The innermost reduced dimension.
    pub inner: Dim,
    /// The next dimension, walked together with the inner one; reduced or kept.
    pub next: Dim,
    /// True when `next` is kept: each of its places has a result of its own.
    pub next_is_kept: bool,
    /// Further reduced dimensions, innermost first.
    pub reduced: SmallVec<[Dim; 4]>,
    /// Further kept dimensions, innermost first.
    pub kept: SmallVec<[Dim; 4]>,
    /// Byte of the first element of each input.
    pub starts: Steps,
    /// Byte of the first result of each output.
    pub outs: [isize; 2],
    /// Bytes of an element of each input.
    pub sizes: SmallVec<[usize; 2]>,
    /// Elements per result.
    pub count: usize,
}

impl FoldPlan {
    /// Plans the walk of `sizes`, of which the dimensions marked in `reduced` are folded. The outputs have the same number of
    /// dimensions; their strides in reduced dimensions do not matter.
    pub fn new(sizes: &[i64], reduced: &[bool], inputs: &[Operand], outputs: &[Operand]) -> FoldPlan {
        let dims = |folded: bool| {
            let picked: SmallVec<[usize; 6]> = (0..sizes.len()).filter(|k| reduced[*k] == folded).collect();
            walk(sizes, &picked, inputs, if folded { &[] } else { outputs })
        };
        let count = (0..sizes.len()).filter(|k| reduced[*k]).map(|k| sizes[k] as usize).product();
        let (mut folded, mut kept) = (dims(true), dims(false));
        if count == 0 {
            // There is nothing to walk over, however large the other reduced dimensions are.
            folded = smallvec![Dim { size: 0, ..Dim::single(inputs.len()) }];
        }
        let inner = if folded.is_empty() { Dim::single(inputs.len()) } else { folded.remove(0) };
        let next_is_kept = folded.is_empty();
        let rest = if next_is_kept { &mut kept } else { &mut folded };
        let next = if rest.is_empty() { Dim::single(inputs.len()) } else { rest.remove(0) };
        let outs = std::array::from_fn(|i| outputs.get(i).map_or(0, |o| o.start));
        let starts = inputs.iter().map(|o| o.start).collect();
        let sizes = inputs.iter().map(|o| o.size).collect();
        FoldPlan { inner, next, next_is_kept, reduced: folded, kept, starts, outs, sizes, count }
    }
}

impl Dim {
    /// A dimension of one element.
    pub fn single(inputs: usize) -> Dim {
        Dim { size: 1, steps: SmallVec::from_elem(0, inputs), outs: [0, 0] }
    }

    /// True when this dimension and the next outer one can be walked as one.
    fn joins(&self, outer: &Dim) -> bool {
        let n = self.size as isize;
        let continues = |inner: &[isize], outer: &[isize]| inner.iter().zip(outer).all(|(i, o)| *o == i.wrapping_mul(n));
        continues(&self.steps, &outer.steps) && continues(&self.outs, &outer.outs)
    }
}

/// The picked dimensions, innermost first, those of size 1 dropped and neighbours joined where all operands allow it.
pub fn walk(sizes: &[i64], picked: &[usize], inputs: &[Operand], outputs: &[Operand]) -> SmallVec<[Dim; 4]> {
    let own: Dims = picked.iter().map(|k| sizes[*k]).collect();
    let strides: SmallVec<[Dims; 4]> =
        outputs.iter().chain(inputs).map(|o| picked.iter().map(|k| o.strides[*k]).collect()).collect();
    let bytes = |o: &Operand, k: usize| o.strides[k] as isize * o.size as isize;
    let mut dims: SmallVec<[Dim; 4]> = SmallVec::new();
    for k in order(&own, strides.iter().map(|s| s.as_slice())) {
        let k = picked[k];
        if sizes[k] == 1 {
            continue;
        }
        let dim = Dim {
            size: sizes[k] as usize,
            steps: inputs.iter().map(|o| bytes(o, k)).collect(),
            outs: std::array::from_fn(|i| outputs.get(i).map_or(0, |o| bytes(o, k))),
        };
        match dims.last_mut() {
            Some(last) if last.joins(&dim) => last.size *= dim.size,
            _ => dims.push(dim),
        }
    }
    dims
}
