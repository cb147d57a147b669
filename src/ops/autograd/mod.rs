//! Gradients: what is recorded of operations, and how gradients are computed from it.
//!
//! An operation on tensors that ask for a gradient leaves a [`Node`]: its arguments, its results, and an edge to what made each argument.
//! Going backward ([`engine`]) walks the nodes from the last made to the first. How the gradients of a node's arguments follow from those
//! of its results is text of the language ([`rules`]), so that it can be recorded itself; a view needs none, and an operation that is
//! written in the language is recorded step by step.

mod complex;
mod engine;
pub mod functional;
mod functions;
mod graph;
mod kept;
mod packed;
mod rules;
mod shown;
mod slopes;
mod steps;
pub mod texts;

pub use complex::refuse as refuse_complex;
pub use engine::awaited;
pub use functions::ROWS;
pub use graph::{
    apart, before, made_view, needs_steps, note_unseen, one_of_several, outdated_of_several, record, record_as, record_own,
    renamed, retains, write_recorded,
};
pub use packed::{begin as begin_packing, end as end_packing, pack};
pub use rules::{any_reads as reads, has as has_rules, shown as gradient_rules};

pub(super) use graph::refresh;
pub(super) use shown::shown;
pub use shown::{Handle, is_node};
