//! What matrices must be, and PyTorch's sentences where they are not: each operation asks in its own way, and what has a kernel asks
//! that first.

use super::batch::last_two;
use crate::dtype::DType;
use crate::layout::real_dim;
use crate::tensor::Tensor;
use anyhow::Result;

/// What is said of integers and bools.
#[derive(Clone, Copy)]
enum Whole {
    /// That floats are expected.
    Expected,
    /// That the kernel does not take them, as of half precision.
    Kernel,
    /// That there are no complex numbers over them.
    Complex,
}

/// How an operation refuses a dtype: its name here and in the sentence, the kernel that refuses half precision, and integers.
type Refusal = (&'static str, &'static str, &'static str, Whole);

/// Operations that are not refused as most are: in their own name, and half precision as such.
#[rustfmt::skip] // one operation a line
const REFUSALS: &[Refusal] = &[
    ("inv", "linalg.inv", "", Whole::Expected),
    ("cholesky_inverse", "cholesky_inverse", "cholesky_inverse_out_cpu", Whole::Kernel),
    ("cholesky_solve", "cholesky_solve", "cholesky_solve_cpu", Whole::Kernel),
    ("linalg.cholesky", "linalg.cholesky", "cholesky_cpu", Whole::Expected),
    ("linalg.cholesky_ex", "linalg.cholesky", "cholesky_cpu", Whole::Expected),
    ("linalg.cond", "linalg.svd", "linalg_svd_cpu", Whole::Expected),
    ("linalg.det", "linalg.det", "lu_cpu", Whole::Expected),
    ("linalg.eig", "linalg.eig", "linalg_eig_out_cpu", Whole::Complex),
    ("linalg.eigvals", "linalg.eigvals", "linalg_eig_out_cpu", Whole::Complex),
    ("linalg.eigh", "linalg.eigh", "linalg_eigh_cpu", Whole::Kernel),
    ("linalg.eigvalsh", "linalg.eigh", "linalg_eigh_cpu", Whole::Kernel),
    ("linalg.inv_ex", "linalg.inv", "", Whole::Expected),
    ("linalg.matrix_rank", "linalg.svd", "linalg_svd_cpu", Whole::Expected),
    ("linalg.polar", "linalg.polar", "linalg_svd_cpu", Whole::Expected),
    ("linalg.qr", "linalg.qr", "geqrf_cpu", Whole::Expected),
    ("linalg.solve", "linalg.solve", "lu_cpu", Whole::Expected),
    ("linalg.solve_ex", "linalg.solve", "lu_cpu", Whole::Expected),
    ("linalg.solve_triangular", "linalg.solve_triangular", "triangular_solve_cpu", Whole::Kernel),
    ("linalg.svd", "linalg.svd", "linalg_svd_cpu", Whole::Expected),
    ("torch.geqrf", "torch.geqrf", "geqrf_cpu", Whole::Kernel),
    ("torch.linalg.householder_product", "torch.linalg.householder_product", "orgqr_cpu", Whole::Kernel),
    ("torch.linalg.ldl_factor", "torch.linalg.ldl_factor_ex", "ldl_factor_kernel_cpu", Whole::Expected),
    ("torch.linalg.ldl_factor_ex", "torch.linalg.ldl_factor_ex", "ldl_factor_kernel_cpu", Whole::Expected),
    ("torch.linalg.ldl_solve", "torch.linalg.ldl_solve", "ldl_solve_kernel_cpu", Whole::Expected),
    ("torch.linalg.lstsq", "torch.linalg.lstsq", "linalg_lstsq_cpu", Whole::Kernel),
    ("torch.linalg.lu_solve", "torch.linalg.lu_solve", "linalg.lu_solve_cpu", Whole::Expected),
    ("torch.lu_factor", "torch.lu_factor", "lu_cpu", Whole::Kernel),
    ("torch.ormqr", "torch.ormqr", "ormqr_cpu", Whole::Kernel),
    ("triangular_solve", "triangular_solve", "triangular_solve_cpu", Whole::Kernel),
];

/// What comes before ` must have at least 2 dimensions.`, where that is not the usual.
const SUBJECTS: &[(&str, &str)] = &[
    ("linalg.cond", "linalg.cond: The input tensor"),
    ("linalg.matrix_rank", "torch.linalg.matrix_rank: The input tensor input"),
    ("torch.geqrf", "torch.geqrf: input"),
    ("torch.linalg.householder_product", "torch.linalg.householder_product: input"),
    ("torch.linalg.lstsq", "torch.linalg.lstsq: input"),
    ("torch.ormqr", "torch.ormqr: input"),
];

fn refusal(name: &str) -> Option<&'static Refusal> {
    REFUSALS.iter().find(|(known, ..)| *known == name)
}

/// The name that sentences about sizes begin with: that of the operation which looks at them.
fn spoken(name: &str) -> &str {
    match refusal(name) {
        Some((_, spoken, ..)) if name.ends_with("_ex") || name.ends_with("ldl_factor") || name.ends_with("eigvalsh") => spoken,
        _ => name,
    }
}

/// Fails with a `RuntimeError` unless the tensor has two dimensions, and with a `NotImplementedError` unless it is of float32,
/// float64 or a complex dtype over them.
pub fn check_matrix(name: &str, x: &Tensor) -> Result<()> {
    check_dims(name, x)?;
    check_field(name, x)
}

/// Fails with a `RuntimeError` unless the tensor has two dimensions.
pub fn check_dims(name: &str, x: &Tensor) -> Result<()> {
    if x.ndim() < 2 {
        match SUBJECTS.iter().find(|(known, _)| *known == name) {
            Some((_, subject)) => fault!(RuntimeError, "{subject} must have at least 2 dimensions."),
            None => fault!(RuntimeError, "{}: The input tensor A must have at least 2 dimensions.", spoken(name)),
        }
    }
    Ok(())
}

/// Fails with a `NotImplementedError` (`eig` of integers with a `RuntimeError`) unless the dtype is float32, float64 or a complex
/// dtype over them.
pub fn check_field(name: &str, x: &Tensor) -> Result<()> {
    let dtype = x.dtype();
    if matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) {
        return Ok(());
    }
    let title = dtype.title();
    let (_, spoken, kernel, whole) = *refusal(name).unwrap_or(&("", "", "", Whole::Expected));
    let spoken = if spoken.is_empty() { name } else { spoken };
    match (dtype.is_integral(true), whole) {
        (true, Whole::Expected) => {
            fault!(NotImplementedError, "{spoken}: Expected a floating point or complex tensor as input. Got {title}")
        }
        (true, Whole::Complex) => fault!(RuntimeError, "Unknown Complex ScalarType for {title}"),
        _ if kernel.is_empty() => fault!(NotImplementedError, "{spoken}: Low precision dtypes not supported. Got {title}"),
        _ => fault!(NotImplementedError, "\"{kernel}\" not implemented for '{title}'"),
    }
}

/// Fails for integers and bools as [`check_field`] does.
pub fn check_numbers(name: &str, x: &Tensor) -> Result<()> {
    if x.dtype().is_integral(true) { check_field(name, x) } else { Ok(()) }
}

/// Fails with a `RuntimeError` unless the right side `b` of an older function for systems has the dtype of `a`, which is square, and
/// as many rows. `name` is what the message calls the function.
pub fn check_old_system(name: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() != b.dtype() {
        fault!(
            RuntimeError,
            "Expected b and A to have the same dtype, but found b of type {} and A of type {} instead.",
            b.dtype().title(),
            a.dtype().title()
        );
    }
    let [n, m] = last_two(a);
    if n != m {
        fault!(RuntimeError, "A must be batches of square matrices, but they are {n} by {m} matrices");
    }
    real_dim(-2, b.ndim())?;
    let [rows, columns] = last_two(b);
    if n != rows {
        fault!(
            RuntimeError,
            "Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b matrix is {rows} by {columns}"
        );
    }
    Ok(())
}

/// As [`check_matrix`], and before it looks at the dtype fails with a `RuntimeError` unless rows and columns are as many.
pub fn check_square(name: &str, x: &Tensor) -> Result<()> {
    if matches!(refusal(name), Some((.., Whole::Complex))) {
        check_numbers(name, x)?;
    }
    check_sides(name, x)?;
    check_field(name, x)
}

/// Fails with a `RuntimeError` unless the tensor has two dimensions, and rows and columns are as many.
pub fn check_sides(name: &str, x: &Tensor) -> Result<()> {
    check_dims(name, x)?;
    let [m, n] = last_two(x);
    if m != n {
        fault!(RuntimeError, "{}: A must be batches of square matrices, but they are {m} by {n} matrices", spoken(name));
    }
    Ok(())
}

/// Fails with a `RuntimeError` where a tolerance is to be found for a dtype whose precision is not known.
pub fn check_precision(x: &Tensor) -> Result<()> {
    match x.dtype() {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(()),
        _ => fault!(RuntimeError, "This function doesn't handle types other than float and double"),
    }
}
