//! How data is walked: plans, programs, block loops, folds. Knows layouts and dtypes; no operation, no storage, no language.
//!
//! A [`Plan`](plan::Plan) says which elements to visit in which order and knows only element sizes. A
//! [`Program`](program::Program) says what to compute and knows only blocks of values. They meet in a device.

pub mod across;
pub mod aligned;
pub mod blas;
pub mod block;
pub mod borders;
pub mod cast;
pub mod chase;
mod choice;
pub mod circle;
pub mod complex;
pub mod convolve;
pub mod corners;
pub mod distances;
pub mod element;
pub mod fold;
pub mod half;
pub mod halves;
pub mod in_turn;
pub mod indexed;
pub mod inner;
pub(crate) mod isa;
mod large;
pub mod lines;
pub mod manner;
pub mod masked;
pub mod matmul;
pub mod norms;
pub mod norms_back;
pub mod order;
pub mod overlap;
pub mod pieces;
pub mod places;
pub mod plan;
pub mod poles;
pub mod pools;
pub mod program;
pub mod ramp;
pub mod reduce;
pub mod reflect;
pub mod registers;
pub mod rest;
pub mod rng;
pub mod rowwise;
mod run;
pub mod scalar;
pub mod scan;
mod shared;
pub mod soft;
pub mod soft_back;
pub mod spread;
mod stream;
pub mod substitute;
pub mod team;
pub mod tile;
pub mod truths;
mod turn;
pub mod upright;
pub mod vector;
#[cfg(target_arch = "x86_64")]
mod whole;

pub use isa::{follow_intel, follows_avx512, follows_intel, reciprocal_root_guess};
