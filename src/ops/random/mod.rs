//! Random numbers: generators, tensors of random numbers, fills in place, samples.

pub mod factory;
pub mod fill;
mod fork;
mod generator;
pub mod init;
pub mod sample;
pub mod seed;
pub mod specimen;

pub use generator::{TorchGenerator, construct, default_generator, undisturbed, with_generator};
