//! Turning, shifting and repeating the elements of a tensor: results are copies.

use super::reshape::reshape;
use super::{Args, Form, Op, exec, op, rare};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::for_element;
use crate::kernel::element::Element;
use crate::kernel::pieces::each;
use crate::layout::{Dims, Layout, real_dim, wrap_dim};
use crate::ops::autograd::texts;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A row that copies.
const fn copying(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).no_out()
}

const REPEAT_INTERLEAVE: &str = "at = 0 if dim is None else dim
flat = self.new_zeros(self.numel() if dim is None else self.shape)
places = torch.arange(flat.shape[at]).repeat_interleave(repeats)
flat.index_add(at, places, grad).reshape(self.shape)";

const REPEAT: &str = "sizes = [1] * (len(repeats) - self.ndim) + list(self.shape)
grad.reshape([n for pair in zip(repeats, sizes) for n in pair]).sum(list(range(0, 2 * len(sizes), 2)))";

rows![
    copying(
        "flip(Tensor self, int[] dims) -> Tensor",
        "Reverses the order of the elements along the dimensions named. A copy: PyTorch has no negative strides.",
        "torch.arange(4).flip(0)\n# tensor([3, 2, 1, 0])",
        |a| Ok(flip(&a.get(0)?, &a.get::<Dims>(1)?)?.into()),
    )
    .grads(&[("self", "grad.flip(dims)")])
    .complex(),
    copying(
        "fliplr(Tensor self) -> Tensor",
        "Reverses the order of the columns.",
        "torch.arange(4).view(2, 2).fliplr().tolist()\n# [[1, 0], [3, 2]]",
        |a| {
            let (x,): (Tensor,) = a.take()?;
            if x.ndim() < 2 {
                fault!(RuntimeError, "Input must be >= 2-d.");
            }
            Ok(flip(&x, &[1])?.into())
        },
    )
    .grads(&[("self", "grad.fliplr()")])
    .complex(),
    copying(
        "flipud(Tensor self) -> Tensor",
        "Reverses the order of the rows.",
        "torch.arange(4).view(2, 2).flipud().tolist()\n# [[2, 3], [0, 1]]",
        |a| {
            let (x,): (Tensor,) = a.take()?;
            if x.ndim() < 1 {
                fault!(RuntimeError, "Input must be >= 1-d.");
            }
            Ok(flip(&x, &[0])?.into())
        },
    )
    .grads(&[("self", "grad.flipud()")])
    .complex(),
    copying(
        "rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor",
        "Turns the plane of two dimensions by `k` quarter turns, from the first dimension towards the second.",
        "torch.arange(4).view(2, 2).rot90().tolist()\n# [[1, 3], [0, 2]]",
        rot90,
    )
    .grads(&[("self", "grad.rot90(-k, dims)")])
    .complex(),
    copying(
        "roll(Tensor self, SymInt[1] shifts, int[1]? dims=[]) -> Tensor",
        "Shifts the elements along dimensions; those that leave at one end come back at the other. Without dimensions, the \
         elements are shifted in their order.",
        "torch.arange(5).roll(2)\n# tensor([3, 4, 0, 1, 2])",
        roll,
    )
    .grads(&[("self", "grad.roll([-n for n in shifts] if isinstance(shifts, (tuple, list)) else -shifts, dims)")])
    .complex(),
    copying(
        "repeat(Tensor self, SymInt[] repeats) -> Tensor",
        "Copies the tensor as many times along each dimension; more numbers than dimensions add leading ones.",
        "torch.tensor([1, 2]).repeat(2, 2).tolist()\n# [[1, 2, 1, 2], [1, 2, 1, 2]]",
        |a| Ok(repeat(&a.get(0)?, &a.get::<Dims>(1)?)?.into()),
    )
    .method_only()
    .grads(&[("self", REPEAT)])
    .complex(),
    copying(
        "tile(Tensor self, SymInt[] dims) -> Tensor",
        "Copies the tensor as many times along each dimension; fewer numbers than dimensions count from the last dimension.",
        "torch.tensor([[1, 2]]).tile(2).tolist()\n# [[1, 2, 1, 2]]",
        |a| {
            let (x, dims): (Tensor, Dims) = a.take()?;
            let missing = x.ndim().saturating_sub(dims.len());
            let repeats: Dims = std::iter::repeat_n(1, missing).chain(dims).collect();
            Ok(repeat(&x, &repeats)?.into())
        },
    )
    .grads(&[("self", texts::again!("self", "self.repeat([1] * (self.ndim - len(dims)) + list(dims))", ""))])
    .complex()
    .of_form(),
    copying("repeat_interleave(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
        "Repeats each element (or each slice along `dim`) in place, as often as `repeats` says: one number for all, or a tensor \
         with one per element. A tensor alone gives its places, each as often as the number there.",
        "torch.tensor([1, 2]).repeat_interleave(2)\n# tensor([1, 1, 2, 2])",
        |a| {
        let (x, repeats, dim): (Tensor, Tensor, Option<i64>) = a.take()?;
        if let (0, Some(dim)) = (x.ndim(), dim) {
            fault!(IndexError, "Dimension specified as {dim} but tensor has no dimensions");
        }
        if repeats.ndim() > 1 {
            fault!(RuntimeError, "repeats must be 0-dim or 1-dim tensor");
        }
        let (x, dim, size) = flat_unless(x, dim)?;
        if repeats.numel() != 1 && repeats.numel() != size {
            fault!(
                RuntimeError,
                "repeats must have the same size as input along dim, but got repeats.size(0) = {} and input.size({dim}) = {size}",
                repeats.numel()
            );
        }
        Ok(repeat_slices(&x, dim, &repeats.alias(repeats.layout().view(&[-1])?.expand(&[size])?)?, a.get(3)?)?.into())
    },)
    .grads(&[("self", REPEAT_INTERLEAVE)])
    .complex(),
    copying(
        "repeat_interleave(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
        "",
        "",
        |a| {
            let (x, repeats, dim): (Tensor, i64, Option<i64>) = a.take()?;
            if repeats < 0 {
                fault!(RuntimeError, "Repeats must be non-negative");
            }
            if let (0, Some(dim)) = (x.ndim(), dim) {
                let beyond = if matches!(dim, 0 | -1) { 1 } else { dim };
                fault!(IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got {beyond})");
            }
            let (x, dim, size) = flat_unless(x, dim)?;
            let total = size.saturating_mul(repeats);
            if let Some(all) = a.get::<Option<i64>>(3)?.filter(|all| *all != total) {
                fault!(RuntimeError, "repeat_interleave: Invalid output_size, expected {total} but got {all}");
            }
            Ok(repeat_each(&x, real_dim(dim, x.ndim())?, repeats)?.into())
        },
    )
    .ends_in_view()
    .grads(&[("self", REPEAT_INTERLEAVE)])
    .complex(),
    copying("repeat_interleave(Tensor repeats, *, SymInt? output_size=None) -> Tensor", "", "", |a| {
        let (repeats, size): (Tensor, Option<i64>) = a.take()?;
        if repeats.ndim() != 1 {
            require_counts(&repeats)?;
            fault!(RuntimeError, "repeat_interleave only accept 1D vector as repeat");
        }
        Ok(exec::cast(&places(&repeats, size, repeats.device())?, repeats.dtype())?.into())
    })
    .function_only(),
];

/// The elements in reverse order along dimensions.
pub fn flip(x: &Tensor, dims: &[i64]) -> Result<Tensor> {
    let layout = x.layout();
    // Those that lie closest in memory are what there is no kernel for.
    let closest =
        || layout.strides.iter().enumerate().filter(|(dim, _)| layout.sizes[*dim] > 1).min_by_key(|(_, stride)| stride.abs());
    let turns_closest = || closest().is_some_and(|(dim, _)| dims.iter().any(|d| wrap_dim(*d, x.ndim()).is_ok_and(|d| d == dim)));
    let is_lacking = rare::is_float8(x.dtype()) || x.dtype().is_half_complex();
    if is_lacking && x.numel() > 0 && turns_closest() {
        fault!(NotImplementedError, "\"flip_cpu\" not implemented for '{}'", x.dtype().title());
    }
    let out = exec::empty_strided(&layout.sizes, &layout.preserved_strides(), x.dtype(), x.device())?;
    exec::copy(&out, &x.alias(layout.flip(dims)?)?)?;
    Ok(out)
}

fn rot90(args: &Args) -> Result<Value> {
    let (x, k, dims): (Tensor, i64, Dims) = args.take()?;
    let ndim = x.ndim() as i64;
    let &[first, second] = dims.as_slice() else {
        fault!(RuntimeError, "expected total rotation dims == 2, but got dims = {}", dims.len())
    };
    if ndim < 2 {
        fault!(RuntimeError, "expected total dims >= 2, but got total dims = {ndim}");
    }
    wrap_dim(first, x.ndim())?;
    wrap_dim(second, x.ndim())?;
    if first == second || first.abs_diff(second) == ndim as u64 {
        fault!(RuntimeError, "expected rotation dims to be different, but got dim0 = {first} and dim1 = {second}");
    }
    let turned = |dim: i64| -> Result<Tensor> {
        let flipped = flip(&x, &[dim])?;
        flipped.alias(flipped.layout().transpose(first, second)?)
    };
    Ok(match k.rem_euclid(4) {
        1 => turned(second)?,
        2 => flip(&x, &dims)?,
        3 => turned(first)?,
        _ => exec::clone_in(&x, Default::default())?,
    }
    .into())
}

fn roll(args: &Args) -> Result<Value> {
    let (x, shifts, dims): (Tensor, Dims, Option<Dims>) = args.take()?;
    let dims = dims.unwrap_or_default();
    if shifts.is_empty() {
        fault!(RuntimeError, "`shifts` required");
    }
    if dims.is_empty() && shifts.len() == 1 {
        let flat = roll_dim(&reshape(&x, &[-1])?, shifts[0], 0)?;
        return Ok(reshape(&flat, &x.sizes())?.into());
    }
    if dims.len() != shifts.len() {
        fault!(RuntimeError, "shifts and dimensions must align. shifts: {}, dims:{}", shifts.len(), dims.len());
    }
    let mut rolled = x;
    for (&shift, &dim) in shifts.iter().zip(&dims) {
        rolled = roll_dim(&rolled, shift, dim)?;
    }
    Ok(rolled.into())
}

fn roll_dim(x: &Tensor, shift: i64, dim: i64) -> Result<Tensor> {
    if x.numel() == 0 {
        return exec::clone(x);
    }
    let layout = x.layout();
    let size = layout.sizes[real_dim(dim, layout.ndim())?];
    let start = (size - shift.rem_euclid(size)) % size;
    let parts = [x.alias(layout.narrow(dim, start, size - start)?)?, x.alias(layout.narrow(dim, 0, start)?)?];
    super::join::cat(&parts, dim)
}

/// Copies along each dimension, leading ones added.
pub fn repeat(x: &Tensor, repeats: &[i64]) -> Result<Tensor> {
    let layout = x.layout();
    let Some(leading) = repeats.len().checked_sub(layout.ndim()) else {
        fault!(RuntimeError, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    };
    let padded: Dims = std::iter::repeat_n(1, leading).chain(layout.sizes.iter().copied()).collect();
    let sizes: Dims = padded.iter().zip(repeats).map(|(size, times)| size.saturating_mul(*times)).collect();
    let out = exec::empty(&sizes, x.dtype(), x.device())?;
    if out.numel() > 0 {
        // Each dimension of the result seen as (times, size): the copy broadcasts along `times`.
        let split: Dims = repeats.iter().zip(&padded).flat_map(|(times, size)| [*times, *size]).collect();
        let once: Dims = padded.iter().flat_map(|size| [1, *size]).collect();
        exec::copy(&out.alias(Layout::contiguous(&split))?, &x.alias(layout.view(&once)?)?)?;
    }
    Ok(out)
}

/// A flattened tensor and dimension 0 unless a dimension was given, and the size of the dimension.
fn flat_unless(x: Tensor, dim: Option<i64>) -> Result<(Tensor, i64, i64)> {
    let (x, dim) = match dim {
        Some(dim) => (x, dim),
        None => (reshape(&x, &[-1])?, 0),
    };
    let size = x.sizes()[real_dim(dim, x.ndim())?];
    Ok((x, dim, size))
}

/// Each place in turn, as often as the number there, on a device. Fails with a `RuntimeError` when they are not `size` in all, or more than
/// memory holds.
fn places(repeats: &Tensor, size: Option<i64>, device: DeviceId) -> Result<Tensor> {
    require_counts(repeats)?;
    let counts: Vec<i64> = exec::read_vec(repeats)?;
    if counts.iter().any(|count| *count < 0) {
        fault!(RuntimeError, "repeats can not be negative");
    }
    let total = counts.iter().fold(0i64, |sum, count| sum.wrapping_add(*count));
    if size.is_some_and(|size| size != total && !counts.is_empty()) {
        fault!(RuntimeError, "allocated size does not match required size");
    }
    // Asked for first: it refuses what does not fit.
    let index = exec::empty(&[total], DType::I64, device)?;
    let places: Vec<i64> =
        counts.iter().enumerate().flat_map(|(place, count)| std::iter::repeat_n(place as i64, *count as usize)).collect();
    exec::copy(&index, &exec::from_vec(&places, &[total])?)?;
    Ok(index)
}

/// Fails with a `NotImplementedError` for numbers that are not whole.
fn require_counts(repeats: &Tensor) -> Result<()> {
    if !repeats.dtype().is_integral(false) || matches!(repeats.dtype(), DType::U16 | DType::U32 | DType::U64) {
        fault!(NotImplementedError, "\"repeat_interleave_cpu\" not implemented for '{}'", repeats.dtype().title());
    }
    Ok(())
}

/// Each slice along a dimension as often as a number says: copied along a dimension of that many behind it.
fn repeat_each(x: &Tensor, dim: usize, times: i64) -> Result<Tensor> {
    let layout = x.layout();
    let (mut sizes, mut split) = (layout.sizes.clone(), layout.sizes.clone());
    sizes[dim] = sizes[dim].saturating_mul(times);
    let out = exec::empty(&sizes, x.dtype(), x.device())?;
    if out.numel() > 0 && x.device() == DeviceId::Cpu && layout.is_row_major() {
        let inner = sizes[dim + 1..].iter().product::<i64>() as usize;
        for_element!(x.dtype(), E => repeated::<E>(x, inner, times as usize, &out))?;
    } else if out.numel() > 0 {
        split.insert(dim + 1, times);
        exec::copy(&out.alias(Layout::contiguous(&split))?, &x.alias(layout.unsqueeze(dim as i64 + 1)?)?)?;
    }
    Ok(out)
}

/// Fills `out` with slices of `inner` elements that lie one after the other, each so many times.
fn repeated<E: Element>(x: &Tensor, inner: usize, times: usize, out: &Tensor) -> Result<()> {
    let wide = inner * times;
    let together = (STRETCH / wide).max(1);
    exec::read::<E, _>(x, |from| {
        exec::change::<E, _>(out, |to| {
            each(to, together * wide, together * wide / 4, |part, to| {
                let from = &from[part * together * inner..];
                match (inner, times) {
                    (1, 2) => each_so_often::<E, 2>(from, to),
                    (1, 3) => each_so_often::<E, 3>(from, to),
                    (1, 4) => each_so_often::<E, 4>(from, to),
                    (1, _) => to.chunks_mut(wide).zip(from).for_each(|(block, x)| block.fill(*x)),
                    _ => {
                        for (block, from) in to.chunks_mut(wide).zip(from.chunks(inner)) {
                            block.chunks_mut(inner).for_each(|to| to.copy_from_slice(from));
                        }
                    }
                }
            });
        })
    })?
}

/// Fills `to` with each element `N` times.
fn each_so_often<E: Copy, const N: usize>(from: &[E], to: &mut [E]) {
    to.as_chunks_mut::<N>().0.iter_mut().zip(from).for_each(|(to, x)| *to = [*x; N]);
}

/// Elements that a thread writes in one go.
const STRETCH: usize = 1 << 13;

/// Each slice along a dimension as often as its number says.
fn repeat_slices(x: &Tensor, dim: i64, repeats: &Tensor, size: Option<i64>) -> Result<Tensor> {
    super::gather::select_slices(x, dim, &places(repeats, size, x.device())?)
}
