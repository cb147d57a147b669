//! The only door from operations to a device: make, compute, copy, fill and read tensors of any layout.
//!
//! Every function here takes strided, offset, repeated, 0-d and empty tensors, reads through conj and neg marks, refuses
//! mixed devices, and raises the version of a storage it writes.

pub(super) mod alike;
mod convert;
mod fold;
mod fuse;
mod host;
mod in_turn;
mod indexed;
mod kept;
mod lines;
mod make;
mod map;
mod matmul;
mod place;
mod scan;
mod soft;
mod spread;
#[cfg(test)]
mod tests;

pub use convert::{cast, check_fits, clone, clone_in, contiguous, copy, fill, number, resolve};
pub use fold::{Reduction, fold};
pub use fuse::{Scope, fuse_from, is_open, keep_all, outside};
pub use host::{bytes, change, from_bytes, from_parts, from_vec, item, made, read, read_vec};
pub use in_turn::{block, each_block, is_few, meets};
pub use indexed::{Pick, Places, checked_indices, combine_at, nonzero, read_at, select_masked, through_marks, write_at};
pub use lines::{distinct, lines};
pub use make::{empty, empty_layout, empty_strided, require_room, require_sizes, resize, zeros};
pub use map::{
    common_dtype, common_dtype_for, dtypes_of, map, map_into, map_new, number_dtype, refuse_misfit, refuse_misfits,
    refuse_promotion, require_cast, sizes_of,
};
pub use matmul::{Added, matmul, matmul_each, matmul_onto};
pub use place::{broadcast, common_device, refuse_overlap, refuse_partial, refuse_shared, shares_storage};
pub use scan::scan;
pub use soft::{soft, soft_back};
