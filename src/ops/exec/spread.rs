//! Small operands that do not lie alike: what is repeated or has gaps is written out first, which costs less than a plan.

use super::alike::{Alike, plain};
use crate::device::Address;
use crate::dtype::DType;
use crate::kernel::spread::Spread;
use crate::layout::{Dims, Layout};
use crate::ops::Operand;
use crate::tensor::Form;
use smallvec::SmallVec;
use std::rc::Rc;

/// Elements of a result from which on a plan costs less.
const SMALL: i64 = 256;

/// Room for the elements of one operand, aligned for every dtype.
pub(super) type Room = Vec<u128>;

/// A tensor as it lies: its dtype, layout and first element.
type Operands = SmallVec<[(DType, Rc<Layout>, Address); 4]>;

/// The operands as if they lay alike; none when the result is large, is not laid out row by row beyond doubt, or is refused.
pub(super) fn find(operands: &[Operand]) -> Option<Alike> {
    let mut tensors = Operands::new();
    for operand in operands {
        let Operand::Tensor(tensor) = operand else { continue };
        tensors.push(tensor.look(|dtype, form| match form {
            Form::Strided(form) if form.layout.numel() <= SMALL && descends(&form.layout) => {
                plain(form).then(|| (dtype, form.layout.clone(), form.first(dtype.size())))
            }
            _ => None,
        })?);
    }
    let sizes = common_sizes(&tensors)?;
    let count = sizes.iter().product::<i64>();
    if count == 0 || count > SMALL || sizes.len() > 1 && sizes.contains(&1) {
        return None;
    }
    let mut rooms = SmallVec::new();
    let mut starts: SmallVec<[Address; 5]> = SmallVec::from_slice(&[std::ptr::null_mut()]);
    for (dtype, layout, at) in &tensors {
        let lies_ready = layout.sizes == sizes && layout.is_contiguous();
        starts.push(if lies_ready { *at } else { write_out(layout, *dtype, *at, &sizes, &mut rooms) });
    }
    let dtypes = tensors.iter().map(|(dtype, ..)| *dtype).collect();
    let layout = tensors.into_iter().find(|(_, layout, _)| layout.sizes == sizes && layout.is_row_major());
    let layout = layout.map_or_else(|| Rc::new(Layout::contiguous(&sizes)), |(_, layout, _)| layout);
    Some(Alike { layout, count: count as usize, dtypes, starts, _rooms: rooms })
}

/// True when each dimension has a smaller stride than those before it, repeated and single ones aside: then results are row by row.
fn descends(layout: &Layout) -> bool {
    let mut last = i64::MAX;
    layout.sizes.iter().zip(&layout.strides).filter(|(size, stride)| **size != 1 && **stride != 0).all(|(_, stride)| {
        let less = *stride > 0 && *stride < last;
        last = *stride;
        less
    })
}

/// The sizes that the tensors broadcast to; none when they do not, or when there are none.
fn common_sizes(tensors: &Operands) -> Option<Dims> {
    let mut sizes = tensors.iter().map(|(_, layout, _)| &layout.sizes).max_by_key(|sizes| sizes.len())?.clone();
    for (_, layout, _) in tensors {
        for (size, own) in sizes.iter_mut().rev().zip(layout.sizes.iter().rev()) {
            match (*size, *own) {
                (a, b) if a == b || b == 1 => {}
                (1, b) => *size = b,
                _ => return None,
            }
        }
    }
    Some(sizes)
}

/// Writes the elements of a tensor out as they are repeated along `sizes`, to a room of their own.
fn write_out(layout: &Layout, dtype: DType, at: Address, sizes: &[i64], rooms: &mut SmallVec<[Room; 2]>) -> Address {
    let count = sizes.iter().product::<i64>() as usize;
    let mut room: Room = vec![0; (count * dtype.size()).div_ceil(size_of::<u128>())];
    let lead = sizes.len() - layout.ndim();
    let strides: Dims = (0..sizes.len())
        .map(|dim| match dim.checked_sub(lead) {
            Some(own) if layout.sizes[own] != 1 => layout.strides[own],
            _ => 0,
        })
        .collect();
    let to: Address = room.as_mut_ptr().cast();
    // SAFETY: the layout was checked against its storage, and the room is for as many elements.
    unsafe { Spread { sizes, strides: &strides, size: dtype.size() }.write_out(at, to) };
    rooms.push(room);
    to
}
