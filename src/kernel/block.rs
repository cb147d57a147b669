//! Moving elements between tensors and register blocks.
//!
//! A load takes a patch of a tensor (rows of elements with any steps) to a gapless block of lanes, a store the way back.
//! One pair per dtype, so that code grows with the number of dtypes and not with dtypes times operations.

use super::element::Element;
use super::isa::{pick, pick_light, versions};
use super::plan::{LINE, Patch};
use super::turn::{Crossing, turn, turns};
use crate::dtype::DType;
use crate::for_element;

/// Reads a patch of a tensor into a block, or writes a block to a patch.
///
/// # Safety
/// For a load: every element of the patch at `from` is readable, and `to` has room for `len * rows` lanes. For a store:
/// `from` holds that many lanes and every element of the patch at `to` is writable. The two do not overlap.
pub type MoveFn = unsafe fn(to: *mut u8, from: *const u8, patch: &Patch);

/// The load of a dtype into its class.
pub fn load(dtype: DType) -> MoveFn {
    for_element!(dtype, E => if is_lane::<E>() { raw(size_of::<E>()).0 } else { pick(load_versions::<E>()) })
}

/// The store of a dtype from its class.
pub fn store(dtype: DType) -> MoveFn {
    for_element!(dtype, E => if is_lane::<E>() { raw(size_of::<E>()).1 } else { pick(store_versions::<E>()) })
}

/// True when an element is its own lane.
const fn is_lane<E: Element>() -> bool {
    size_of::<E>() == size_of::<E::Lane>()
}

/// The load and the store that move elements of this many bytes without looking at them.
pub fn raw(size: usize) -> (MoveFn, MoveFn) {
    match size {
        1 => (pick_light(load_raw_versions::<u8>()), pick_light(store_raw_versions::<u8>())),
        2 => (pick_light(load_raw_versions::<u16>()), pick_light(store_raw_versions::<u16>())),
        4 => (pick_light(load_raw_versions::<u32>()), pick_light(store_raw_versions::<u32>())),
        8 => (pick_light(load_raw_versions::<u64>()), pick_light(store_raw_versions::<u64>())),
        _ => (pick_light(load_raw_versions::<[u64; 2]>()), pick_light(store_raw_versions::<[u64; 2]>())),
    }
}

/// Copies `rows` rows of `len` bytes, the next of which begin so many bytes further.
///
/// # Safety
/// The rows are readable and writable. A row is copied onto itself or onto memory apart from all rows.
pub unsafe fn copy_rows(to: (*mut u8, isize), from: (*const u8, isize), len: usize, rows: usize) {
    // SAFETY: the caller's promise.
    unsafe { pick_light(copy_rows_versions())(to, from, len, rows) }
}

#[inline(always)]
unsafe fn copy_rows_by(to: (*mut u8, isize), from: (*const u8, isize), len: usize, rows: usize) {
    // SAFETY: the caller's promise is passed on; each way copies a whole row of the lengths that it is chosen for.
    unsafe {
        match len {
            0..4 => each_row(to, from, rows, |to, from| std::ptr::copy(from, to, len)),
            4..8 => each_row(to, from, rows, |to, from| ends::<u32>(to, from, len)),
            8..16 => each_row(to, from, rows, |to, from| ends::<u64>(to, from, len)),
            16..32 => each_row(to, from, rows, |to, from| ends::<[u64; 2]>(to, from, len)),
            32..64 => each_row(to, from, rows, |to, from| ends::<Lanes>(to, from, len)),
            64..=128 => each_row(to, from, rows, |to, from| ends::<[Lanes; 2]>(to, from, len)),
            _ => each_row(to, from, rows, |to, from| copy_long(to, from, len)),
        }
    }
}

/// What one vector register of 256 bits holds.
type Lanes = [u64; 4];

#[inline(always)]
unsafe fn each_row(
    (to, to_step): (*mut u8, isize),
    (from, from_step): (*const u8, isize),
    rows: usize,
    copy: impl Fn(*mut u8, *const u8),
) {
    for row in 0..rows as isize {
        copy(to.wrapping_offset(row * to_step), from.wrapping_offset(row * from_step));
    }
}

/// Copies a row of one to two `T` as its first and its last `T`, which may overlap.
#[inline(always)]
unsafe fn ends<T: Copy>(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's promise: the row holds at least one `T`.
    unsafe {
        let first = from.cast::<T>().read_unaligned();
        let last = from.add(len - size_of::<T>()).cast::<T>().read_unaligned();
        to.cast::<T>().write_unaligned(first);
        to.add(len - size_of::<T>()).cast::<T>().write_unaligned(last);
    }
}

/// Copies a row of more than [`STEP`] bytes. The system's copy of two that lie differently in their cache lines takes up to ten times
/// as long on some processors; where they lie alike it is the fastest for long rows.
#[inline(always)]
unsafe fn copy_long(to: *mut u8, from: *const u8, len: usize) {
    const LONG: usize = 1 << 10;
    // SAFETY: the caller's promise; `done` stays within the row.
    unsafe {
        if len > LONG && to.addr() % LINE == from.addr() % LINE {
            return std::ptr::copy(from, to, len);
        }
        let last = from.add(len - STEP).cast::<[Lanes; 4]>().read_unaligned();
        for done in (0..len - STEP).step_by(STEP) {
            let lanes = from.add(done).cast::<[Lanes; 4]>().read_unaligned();
            to.add(done).cast::<[Lanes; 4]>().write_unaligned(lanes);
        }
        to.add(len - STEP).cast::<[Lanes; 4]>().write_unaligned(last);
    }
}

/// Bytes that a step of [`copy_long`] copies.
const STEP: usize = size_of::<[Lanes; 4]>();

versions! { fn copy_rows_versions<>(to: (*mut u8, isize), from: (*const u8, isize), len: usize, rows: usize) = copy_rows_by }
versions! { fn load_versions<E: Element>(to: *mut u8, from: *const u8, patch: &Patch) = load_patch }
versions! { fn store_versions<E: Element>(to: *mut u8, from: *const u8, patch: &Patch) = store_patch }
versions! { fn load_raw_versions<E: Copy>(to: *mut u8, from: *const u8, patch: &Patch) = load_raw }
versions! { fn store_raw_versions<E: Copy>(to: *mut u8, from: *const u8, patch: &Patch) = store_raw }

#[inline(always)]
unsafe fn load_patch<E: Element>(to: *mut u8, from: *const u8, patch: &Patch) {
    // SAFETY: the caller's promise is passed on.
    unsafe { gather::<E, E::Lane>(to, from, patch, E::widen) }
}

#[inline(always)]
unsafe fn store_patch<E: Element>(to: *mut u8, from: *const u8, patch: &Patch) {
    // SAFETY: the caller's promise is passed on.
    unsafe { scatter::<E::Lane, E>(to, from, patch, E::narrow) }
}

#[inline(always)]
unsafe fn load_raw<E: Copy>(to: *mut u8, from: *const u8, patch: &Patch) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        if crosses::<E>(patch) {
            let to_step = (patch.len * size_of::<E>()) as isize;
            return turn::<E>(to, from, Crossing { lines: patch.rows, len: patch.len, to_step, from_step: patch.step });
        }
        gather::<E, E>(to, from, patch, |e| e)
    }
}

#[inline(always)]
unsafe fn store_raw<E: Copy>(to: *mut u8, from: *const u8, patch: &Patch) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        if crosses::<E>(patch) {
            let from_step = (patch.len * size_of::<E>()) as isize;
            return turn::<E>(to, from, Crossing { lines: patch.len, len: patch.rows, to_step: patch.step, from_step });
        }
        scatter::<E, E>(to, from, patch, |e| e)
    }
}

/// True when the elements of a patch's columns are neighbours, those of its rows others, and there are enough of them.
#[inline(always)]
fn crosses<E>(patch: &Patch) -> bool {
    let apart = patch.step != 0 && patch.step != patch.row_step;
    patch.row_step == size_of::<E>() as isize && apart && patch.rows >= 4 && turns::<E>()
}

/// Patch to block.
#[inline(always)]
unsafe fn gather<S: Copy, D: Copy>(to: *mut u8, from: *const u8, patch: &Patch, convert: impl Fn(S) -> D) {
    for row in 0..patch.rows {
        // SAFETY: the caller promises a readable patch and room in the block; both are aligned for their types, because
        // storages are aligned to 64 bytes and layouts count in elements.
        unsafe {
            let from = from.offset(row as isize * patch.row_step);
            let to = std::slice::from_raw_parts_mut((to as *mut D).add(row * patch.len), patch.len);
            match patch.step {
                step if step == size_of::<S>() as isize => {
                    let from = std::slice::from_raw_parts(from as *const S, patch.len);
                    to.iter_mut().zip(from).for_each(|(t, f)| *t = convert(*f));
                }
                0 => to.fill(convert(*(from as *const S))),
                // Backwards, as `flip` reads.
                step if step == -(size_of::<S>() as isize) && !to.is_empty() => {
                    let first = (from as *const S).sub(patch.len - 1);
                    let from = std::slice::from_raw_parts(first, patch.len);
                    to.iter_mut().zip(from.iter().rev()).for_each(|(t, f)| *t = convert(*f));
                }
                step => to.iter_mut().enumerate().for_each(|(i, t)| *t = convert(*(from.offset(i as isize * step) as *const S))),
            }
        }
    }
}

/// Block to patch.
#[inline(always)]
unsafe fn scatter<S: Copy, D: Copy>(to: *mut u8, from: *const u8, patch: &Patch, convert: impl Fn(S) -> D) {
    for row in 0..patch.rows {
        // SAFETY: as in `gather`.
        unsafe {
            let to = to.offset(row as isize * patch.row_step);
            let from = std::slice::from_raw_parts((from as *const S).add(row * patch.len), patch.len);
            if patch.step == size_of::<D>() as isize {
                let to = std::slice::from_raw_parts_mut(to as *mut D, patch.len);
                to.iter_mut().zip(from).for_each(|(t, f)| *t = convert(*f));
            } else {
                from.iter().enumerate().for_each(|(i, f)| *(to.offset(i as isize * patch.step) as *mut D) = convert(*f));
            }
        }
    }
}
