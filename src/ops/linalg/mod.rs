//! Linear algebra: products, decompositions, systems, norms.

pub mod dense;
