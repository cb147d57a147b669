//! Random numbers, bit for bit those of PyTorch on the CPU.
//!
//! A [`Generator`] gives 32-bit words; [`fill`] turns them into elements of a distribution. Elements are drawn in memory
//! order, which [`scatter`] maps to a layout. All of it is serial, so results do not depend on the number of threads.

mod bounds;
mod choose;
mod count;
mod dist;
mod fill;
mod gamma;
mod mt19937;
mod normal;
mod place;
mod uniform;

pub use choose::{multinomial, permutation};
pub use count::{binomial, poisson};
pub use dist::Dist;
pub use fill::{fill, trials};
pub use gamma::gamma;
pub use mt19937::{Generator, STATE_BYTES};
pub use place::{drawing_order, scatter};
