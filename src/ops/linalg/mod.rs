//! Linear algebra: products, decompositions, systems, norms.
//!
//! What is computed for one matrix lives in [`dense`]; `batch` carries tensors there and back.

/// Runs code for the Rust type of a float or complex dtype: `for_field!(dtype, T => expression in T)`.
///
/// Only for dtypes that [`check::check_matrix`] let through; any other takes the last arm.
macro_rules! for_field {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            $crate::dtype::DType::F32 => {
                type $t = f32;
                $body
            }
            $crate::dtype::DType::C64 => {
                type $t = num_complex::Complex<f32>;
                $body
            }
            $crate::dtype::DType::C128 => {
                type $t = num_complex::Complex<f64>;
                $body
            }
            _ => {
                type $t = f64;
                $body
            }
        }
    };
}

mod back;
mod back_spectral;
mod batch;
mod check;
pub mod dense;
mod exponential;
mod exponential_narrow;
pub mod factor;
pub mod function;
pub mod least_squares;
pub mod legacy;
pub mod low_rank;
pub mod measure;
pub mod orthogonal;
pub mod removed;
pub mod solve;
pub mod spectral;
mod unbounded;
