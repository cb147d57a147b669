//! The only door from operations to a device: make, compute, copy, fill and read tensors of any layout.
//!
//! Every function here takes strided, offset, repeated, 0-d and empty tensors, reads through conj and neg marks, refuses
//! mixed devices, and raises the version of a storage it writes.

mod convert;
mod fold;
mod fuse;
mod host;
mod indexed;
mod lines;
mod make;
mod map;
mod matmul;
mod place;
mod scan;
mod soft;
