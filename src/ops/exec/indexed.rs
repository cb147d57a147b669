//! Elements at places that tensors of indices name.

use super::convert::{cast, contiguous, copy, resolve};
use super::host::{bytes, from_vec, made, read_vec};
use super::make::empty;
use super::place::{common_device, plan};
use crate::device::{self, Address, DeviceId, Kernel};
use crate::dtype::DType;
use crate::kernel::indexed::{Action, Axis, Combine, Task, all_between};
use crate::kernel::truths;
use crate::layout::{Dims, Layout};
use crate::tensor::{Strided, Tensor};
use anyhow::{Error, Result};
use smallvec::SmallVec;
use std::rc::Rc;

/// A dimension of a table, and the tensor of indices that walks it.
#[derive(Clone, Debug)]
pub struct Pick {
    /// int64, of the size of the walk; its numbers lie in `-size..size`.
    pub index: Tensor,
    /// The size of the dimension.
    pub size: i64,
    /// Its stride, in elements.
    pub stride: i64,
}

/// Where a walk over `sizes` goes in a table: along its own strides, and where each index moves it.
#[derive(Clone, Debug)]
pub struct Places {
    /// The size of the walk.
    pub sizes: Dims,
    /// The strides of the table, 0 along the dimensions of the walk that only the picks follow.
    pub strides: Dims,
    /// Where in the table the walk begins, in cells from its first element.
    pub start: i64,
    /// The indexed dimensions.
    pub picks: SmallVec<[Pick; 2]>,
}

impl Places {
    /// Follows one dimension of a table by an index of as many dimensions, and the other dimensions by themselves.
    pub fn along(table: &Layout, dim: usize, index: Tensor) -> Places {
        let mut strides = table.strides.clone();
        strides[dim] = 0;
        let sizes = index.sizes();
        let pick = Pick { index, size: table.sizes[dim], stride: table.strides[dim] };
        Places { sizes, strides, start: 0, picks: SmallVec::from_iter([pick]) }
    }
}

/// Reads the elements of `table` at `places` into `out`, of the same dtype and of the size of the walk.
pub fn read_at(table: &Tensor, places: &Places, out: &Tensor) -> Result<()> {
    launch(table, places, out, Action::Read)
}

/// Writes `values`, of the same dtype and expanded to the size of the walk, to `table` at `places`. Where several meet, the
/// last one in the order of the walk stays.
pub fn write_at(table: &Tensor, places: &Places, values: &Tensor) -> Result<()> {
    launch(table, places, values, Action::Write)
}

/// As [`write_at`], but combines each value with what is there.
pub fn combine_at(table: &Tensor, places: &Places, values: &Tensor, how: Combine) -> Result<()> {
    launch(table, places, values, Action::Combine(how))
}

/// Tables and values without marks; indices in range.
fn launch(table: &Tensor, places: &Places, values: &Tensor, action: Action) -> Result<()> {
    let indices = places.picks.iter().map(|p| &p.index);
    let device = common_device([table, values].into_iter().chain(indices))?;
    let (form, dtype) = (table.strided()?, table.dtype());
    let layout =
        Layout { sizes: places.sizes.clone(), strides: places.strides.clone(), offset: form.layout.offset + places.start };
    let walked = Strided { layout: Rc::new(layout), ..form };
    let values = values.strided()?;
    let indices = places.picks.iter().map(|p| p.index.strided()).collect::<Result<SmallVec<[Strided; 4]>>>()?;
    let mut forms: SmallVec<[(&Strided, usize); 6]> = SmallVec::from_iter([(&values, dtype.size()), (&walked, dtype.size())]);
    if action != Action::Read {
        forms.swap(0, 1);
    }
    forms.extend(indices.iter().map(|f| (f, DType::I64.size())));
    let plan = plan(&places.sizes, &forms);
    let at: SmallVec<[Address; 6]> = forms.iter().map(|(form, _)| form.storage.as_ptr()).collect();
    let axis = |p: &Pick| Axis { size: p.size, stride: (p.stride as isize).wrapping_mul(dtype.size() as isize) };
    let axes: SmallVec<[Axis; 4]> = places.picks.iter().map(axis).collect();
    let task = Task { plan: &plan, at: &at, axes: &axes, action, dtype };
    forms[0].0.storage.bump_version();
    // SAFETY: values and indices are layouts that were checked against their storages; the table is one too, and is walked
    // along its own strides and to indices that were checked against its sizes; this thread, which waits, is the only one
    // that has tensors.
    unsafe { device::get(device)?.launch(&Kernel::Indexed(&task)) }
}

/// Lets `write` work on a tensor without conj and neg marks: the tensor itself, or a copy that is written back.
pub fn through_marks(tensor: &Tensor, write: impl FnOnce(&Tensor) -> Result<()>) -> Result<()> {
    let plain = resolve(tensor)?;
    write(&plain)?;
    if plain.same(tensor) { Ok(()) } else { copy(tensor, &plain) }
}

/// The indices as int64, each of them in `low..high`. Fails with `refuse(index)` for the first that is not. Nothing is known
/// of indices on meta.
pub fn checked_indices(index: &Tensor, low: i64, high: i64, refuse: impl FnOnce(i64) -> Error) -> Result<Tensor> {
    if index.device() == DeviceId::Meta || index.numel() == 0 {
        return cast(index, DType::I64);
    }
    // Repeated cells are looked at, and cast, only once.
    let layout = index.layout();
    let once = cast(&index.alias(layout.without_repeats())?, DType::I64)?;
    if are_between(&once, low, high)? {
        return once.alias(once.layout().expand(&layout.sizes)?);
    }
    let numbers = read_vec::<i64>(&once)?;
    Err(refuse(numbers.into_iter().find(|n| *n < low || *n >= high).unwrap_or(low)))
}

fn are_between(index: &Tensor, low: i64, high: i64) -> Result<bool> {
    if index.device() != DeviceId::Cpu || !index.layout().is_contiguous() {
        return Ok(all_between(bytes(&contiguous(index)?)?.as_chunks().0, low, high));
    }
    let (start, count) = (index.layout().offset as usize, index.numel() as usize);
    index.strided()?.storage.read(|bytes| count == 0 || all_between(&bytes.as_chunks().0[start..start + count], low, high))
}

/// Hands `f` the elements of a tensor as truth values in index order, one byte each, 0 or 1.
fn with_truths<T>(x: &Tensor, f: impl FnOnce(&[u8]) -> T) -> Result<T> {
    let truths = contiguous(&cast(x, DType::Bool)?)?;
    if truths.device() != DeviceId::Cpu {
        return Ok(f(&bytes(&truths)?));
    }
    let (start, count) = (truths.layout().offset as usize, truths.numel() as usize);
    // A tensor of no elements may begin behind the end of its storage.
    truths.strided()?.storage.read(|all| f(if count == 0 { &[] } else { &all[start..start + count] }))
}

/// The coordinates of the elements that are not zero, one row per element, in index order. As PyTorch lays them out, column by
/// column.
pub fn nonzero(x: &Tensor) -> Result<Tensor> {
    let sizes = x.sizes();
    let found = with_truths(x, truths::places)?;
    let count = found.len();
    let length = sizes.last().copied().unwrap_or(1).max(1);
    let outer = Layout::contiguous(&sizes[..sizes.len().saturating_sub(1)]);
    let (dims, shape) = (sizes.len(), [sizes.len() as i64, count as i64]);
    let by_column = match dims {
        0 | 1 => from_vec(&found[..dims * count], &shape)?,
        _ => made::<i64>(&shape, |columns| {
            let mut start = 0;
            while let Some(first) = found.get(start) {
                let row = first / length;
                let most = count.min(start + length as usize);
                let end = start + found[start..most].partition_point(|place| *place < (row + 1) * length);
                for (dim, at) in outer.nth_index(row).into_iter().enumerate() {
                    columns[dim * count + start..dim * count + end].fill(at);
                }
                let last = &mut columns[(dims - 1) * count..][start..end];
                last.iter_mut().zip(&found[start..end]).for_each(|(at, place)| *at = place - row * length);
                start = end;
            }
        })?,
    };
    let [dims, count] = shape;
    by_column.alias(Layout::new(&[count, dims], &[1, count], 0))
}

/// The elements where a mask of the same size is not zero, in index order.
pub fn select_masked(x: &Tensor, mask: &Tensor) -> Result<Tensor> {
    let found = with_truths(mask, truths::places)?;
    let (table, sizes) = (contiguous(x)?, Dims::from_slice(&[found.len() as i64]));
    let pick = Pick { index: from_vec(&found, &sizes)?, size: x.numel(), stride: 1 };
    let out = empty(&sizes, x.dtype(), x.device())?;
    read_at(&table, &Places { strides: Dims::from_slice(&[0]), start: 0, picks: SmallVec::from_iter([pick]), sizes }, &out)?;
    Ok(out)
}
