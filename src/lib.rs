//! tsr: an interactive shell and scripting language for tensors that shows their memory.

#[macro_use]
pub mod diag;
pub mod device;
pub mod dtype;
pub mod interrupt;
pub mod kernel;
pub mod lang;
pub mod layout;
pub mod ops;
pub mod settings;
pub mod show;
pub mod syntax;
pub mod tensor;
pub mod value;
