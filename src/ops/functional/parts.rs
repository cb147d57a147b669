//! Sums of the parts of adaptive pools.

use super::piecewise::part;
use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::layout::Dims;
use crate::ops::{Args, Form, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Zero;
use rayon::prelude::*;
use std::ops::{AddAssign, Range};

rows![part(
    "nn.functional._part_sums(Tensor input, int[] starts, int[] lengths, int[] counts) -> Tensor",
    "The sums of parts of the last dimensions: of each dimension in turn where its parts start and how long they are, and how many \
     there are of each. Elements are added one after the other.",
    "torch.nn.functional._part_sums(torch.arange(5.).view(1, 5), [0, 0, 2], [1, 3, 3], [1, 2])\n# tensor([[3., 9.]])",
    Form::Native(part_sums)
)
    .grads(&[(
        "input",
        "found, at = grad, 0
for k, count in enumerate(counts):
    d = k - len(counts)
    line = torch.arange(input.shape[d])
    first = torch.tensor(starts[at:at + count]).unsqueeze(1)
    inside = (line >= first) & (line < first + torch.tensor(lengths[at:at + count]).unsqueeze(1))
    found = (found.movedim(d, -1) @ inside.to(grad.dtype)).movedim(-1, d)
    at += count
found"
    )])];

/// The parts of the planes of a tensor, with dimensions of one element before those of a plane.
struct Parts {
    sizes: [usize; 3],
    along: [Vec<Range<usize>>; 3],
}

impl Parts {
    fn new(sizes: &[i64], starts: &[i64], lengths: &[i64], counts: &[i64]) -> Parts {
        let mut parts = Parts { sizes: [1; 3], along: std::array::from_fn(|_| std::iter::once(0..1).collect()) };
        let (mut bounds, before) = (starts.iter().zip(lengths), 3 - counts.len());
        for (k, count) in counts.iter().enumerate() {
            let ranges = bounds.by_ref().take(*count as usize);
            parts.along[before + k] = ranges.map(|(start, length)| *start as usize..(*start + *length) as usize).collect();
            parts.sizes[before + k] = sizes[k] as usize;
        }
        parts
    }

    /// Sums of one plane. Neighbouring parts are summed beside each other: no sum waits for the one before it.
    fn sum<T: Element + AddAssign>(&self, plane: &[T], to: &mut [T]) {
        let [_, high, wide] = self.sizes;
        let [deep, rows, columns] = &self.along;
        let bands = deep.iter().flat_map(|layers| rows.iter().map(move |rows| (layers, rows)));
        for ((layers, rows), sums) in bands.zip(to.chunks_mut(columns.len())) {
            for line in layers.clone().flat_map(|layer| rows.clone().map(move |row| (layer * high + row) * wide)) {
                for (sum, places) in sums.iter_mut().zip(columns) {
                    plane[line..line + wide][places.clone()].iter().for_each(|x| *sum += *x);
                }
            }
        }
    }
}

fn part_sums(args: &Args) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    match x.dtype() {
        DType::F32 => sums::<f32>(&x, args),
        DType::F64 => sums::<f64>(&x, args),
        other => fault!(NotImplementedError, "\"_part_sums\" not implemented for '{}'", other.title()),
    }
}

/// Fails with a `RuntimeError` when the parts do not lie in the last dimensions.
fn sums<T: Element + AddAssign + Zero>(x: &Tensor, args: &Args) -> Result<Value> {
    let (starts, lengths, counts): (Dims, Dims, Dims) = (args.get(1)?, args.get(2)?, args.get(3)?);
    let sizes = x.sizes();
    let inner = sizes.len().saturating_sub(counts.len());
    let mut ends = starts.iter().zip(&lengths).map(|(start, length)| (*start, start.saturating_add(*length)));
    let lie = counts.iter().zip(&sizes[inner..]).all(|(count, size)| {
        *count > 0 && ends.by_ref().take(*count as usize).all(|(start, end)| 0 <= start && start <= end && end <= *size)
    });
    let total: i64 = counts.iter().fold(0, |total, count| total.saturating_add(*count));
    if !(1..=3).contains(&counts.len()) || counts.len() > sizes.len() || !lie || total != starts.len() as i64 {
        fault!(RuntimeError, "_part_sums(): parts {starts:?} of {lengths:?} do not lie in {:?}", sizes.as_slice());
    }
    let parts = Parts::new(&sizes[inner..], &starts, &lengths, &counts);
    let (plane, results) = (parts.sizes.iter().product::<usize>(), counts.iter().product::<i64>() as usize);
    let shape: Dims = sizes[..inner].iter().chain(&counts).copied().collect();
    let out = exec::read::<T, _>(x, |from| {
        exec::made::<T>(&shape, |to| {
            to.fill(T::zero());
            to.par_chunks_mut(results).zip(from.par_chunks(plane.max(1))).for_each(|(to, from)| parts.sum(from, to));
        })
    })??;
    Ok(out.into())
}
