//! Decompositions of one dense matrix, with LAPACK's conventions: the signs of its reflections and rotations, its pivots and
//! the order of its results. PyTorch prints what LAPACK gives, so these conventions are what a user sees.
//!
//! Pure arithmetic on [`nalgebra::DMatrix`]; tensors and batches are the business of the parent.

pub mod bidiagonal;
pub mod cholesky;
pub mod eigen;
pub mod eigenvectors;
pub mod field;
pub mod hessenberg;
pub mod indefinite;
pub mod lu;
pub mod qr;
pub mod reflector;
pub mod rotation;
pub mod schur_complex;
pub mod schur_real;
pub mod svd;
pub mod symmetric;
pub mod triangular;
pub mod tridiagonal;

pub use field::{Field, Real};

/// A matrix, column by column.
pub type Matrix<T> = nalgebra::DMatrix<T>;
