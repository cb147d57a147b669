//! What is special about writing into `out=`: [`rules`] tells it for each function, the other files do what it tells.

pub mod cells;
pub mod dtypes;
pub mod itself;
pub mod order;
pub mod recorded;
pub mod rules;
pub mod shape;
pub mod sharing;

pub use dtypes::{check, check_targets, require_cast, require_same};
pub use sharing::is_elementwise;
