//! What the operands of products must be, in the words of each operation.

use crate::dtype::DType;
use crate::layout::real_dim;
use crate::ops::convert::c_type_name;
use crate::tensor::Tensor;
use anyhow::Result;

/// Fails where two matrices differ in dtype, or cannot be multiplied.
pub(super) fn same_dtype(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() != b.dtype() {
        fault!(
            RuntimeError,
            "expected m1 and m2 to have the same dtype, but got: {} != {}",
            a.dtype().c_name(),
            b.dtype().c_name()
        );
    }
    if b.numel() == 0 { Ok(()) } else { multiplies(a) }
}

/// Fails for a dtype that has no products of matrices, unless the product is empty.
pub(super) fn multiplies(a: &Tensor) -> Result<()> {
    has_kernel("addmm_impl_cpu_", a)
}

/// Fails with a `NotImplementedError` that names the kernel, for a dtype that has no products, unless the product is empty.
pub(super) fn has_kernel(kernel: &str, a: &Tensor) -> Result<()> {
    if a.dtype() == DType::Bool && a.numel() > 0 {
        fault!(NotImplementedError, "\"{kernel}\" not implemented for 'Bool'");
    }
    Ok(())
}

/// A view of what is added to a product or written somewhere, with the sizes of that. Fails with a `RuntimeError` that names it by
/// its type.
pub(in crate::ops) fn stretched(x: &Tensor, sizes: &[i64]) -> Result<Tensor> {
    if x.ndim() > sizes.len() {
        fault!(
            RuntimeError,
            "expand({}{{{:?}}}, size={sizes:?}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor ({})",
            c_type_name(x.dtype()),
            x.sizes().as_slice(),
            sizes.len(),
            x.ndim()
        );
    }
    x.alias(x.layout().expand(sizes)?)
}

/// `2x3`.
fn shape_text(x: &Tensor) -> String {
    x.sizes().iter().map(i64::to_string).collect::<Vec<_>>().join("x")
}

/// Fails where two tensors are not matrices that can be multiplied.
pub(super) fn check_matrices(name: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    let (left, right) = (a.layout(), b.layout());
    match (&left.sizes[..], &right.sizes[..]) {
        ([_, columns], [rows, _]) if columns == rows => Ok(()),
        ([_, _], [_, _]) => {
            fault!(RuntimeError, "{name}: mat1 and mat2 shapes cannot be multiplied ({} and {})", shape_text(a), shape_text(b))
        }
        ([_, _], other) => fault!(RuntimeError, "{name}: mat2 must be a matrix, got {}-D tensor", other.len()),
        (other, _) => fault!(RuntimeError, "{name}: self must be a matrix, got {}-D tensor", other.len()),
    }
}

/// Fails where a matrix, a vector and what is added to their product, a vector as well, do not fit.
pub(super) fn check_vector(x: Option<&Tensor>, m: &Tensor, v: &Tensor) -> Result<()> {
    if x.is_none() && m.ndim() == 0 {
        fault!(IndexError, "Dimension specified as 0 but tensor has no dimensions");
    }
    let dims = x.map_or(1, Tensor::ndim);
    if dims > 1 || m.ndim() != 2 || v.ndim() != 1 {
        fault!(RuntimeError, "vector + matrix @ vector expected, got {dims}, {}, {}", m.ndim(), v.ndim());
    }
    let rows = x.map_or(m.sizes()[0], Tensor::numel);
    if let (true, Some(x)) = (m.sizes()[1] != v.sizes()[0], x) {
        // The sentence asks for the size.
        real_dim(0, x.ndim())?;
    }
    if m.sizes()[1] != v.sizes()[0] || (rows != m.sizes()[0] && rows != 1) {
        fault!(RuntimeError, "size mismatch, got input ({rows}), mat ({}), vec ({})", shape_text(m), shape_text(v));
    }
    let added = x.map_or(v.dtype(), Tensor::dtype);
    if added != m.dtype() || v.dtype() != m.dtype() {
        fault!(
            RuntimeError,
            "addmv input tensors must have the same dtype, but got {}, {}, and {}",
            added.title(),
            m.dtype().title(),
            v.dtype().title()
        );
    }
    Ok(())
}

/// Fails where two batches of matrices do not fit.
pub(super) fn check_batches(a: &Tensor, b: &Tensor) -> Result<()> {
    for (name, m) in [("batch1", a), ("batch2", b)] {
        if m.ndim() != 3 {
            fault!(RuntimeError, "{name} must be a 3D tensor");
        }
    }
    let (s, t) = (a.sizes(), b.sizes());
    if s[0] != t[0] || s[2] != t[1] {
        fault!(
            RuntimeError,
            "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
            s[0],
            s[2],
            t[0],
            t[1]
        );
    }
    Ok(())
}

/// Fails where the operands of `addmm` and its kin do not fit, in that operation's own words.
pub(super) fn check_added(name: &str, inplace: bool, x: &Tensor, a: &Tensor, b: &Tensor) -> Result<()> {
    if let ("addbmm" | "baddbmm", [batch, rows, ..], [_, _, columns, ..]) = (name, &a.sizes()[..], &b.sizes()[..]) {
        // What is added takes the sizes of the result first of all.
        let sizes = [*batch, *rows, *columns];
        stretched(x, if name == "addbmm" { &sizes[1..] } else { &sizes })?;
    }
    match name {
        // Dtypes are asked for last of the others, and first here.
        "addmm" => {}
        "addmv" => return check_vector(Some(x), a, b),
        _ => {
            // Sizes are asked for before dimensions are counted.
            real_dim(if name == "baddbmm" { 0 } else { 1 }, a.ndim())?;
            real_dim(1, a.ndim())?;
            real_dim(2, b.ndim())?;
        }
    }
    if name == "baddbmm" {
        if x.dtype() != a.dtype() {
            fault!(
                RuntimeError,
                "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}",
                x.dtype().c_name(),
                a.dtype().c_name(),
                b.dtype().c_name()
            );
        }
        if a.ndim() == 3 {
            if b.ndim() == 3 {
                check_batches(a, b)?;
            }
            has_kernel("baddbmm", a)?;
        }
        if a.dtype() != b.dtype() {
            check_batches(a, b)?;
            fault!(RuntimeError, "expected scalar type {} but found {}", a.dtype().title(), b.dtype().title());
        }
        return Ok(());
    }
    if let ("addbmm", 3, 3) = (name, a.ndim(), b.ndim()) {
        let (s, t) = (a.sizes(), b.sizes());
        if s[0] != t[0] {
            fault!(RuntimeError, "batch1 and batch2 must have same number of batches, got {} and {}", s[0], t[0]);
        }
        if s[2] != t[1] {
            fault!(RuntimeError, "Incompatible matrix sizes for bmm ({}x{} and {}x{})", s[1], s[2], t[1], t[2]);
        }
        if s[0] == 0 {
            return Ok(());
        }
    }
    let pairs = [(a, b, "mat1 and mat2"), (x, b, "self and mat2")];
    let order = if matches!(name, "addmm" | "addbmm") { [1, 0] } else { [0, 1] };
    for (one, other, names) in order.map(|k| pairs[k]) {
        if one.dtype() != other.dtype() {
            let (one, other) = (one.dtype().title(), other.dtype().title());
            fault!(RuntimeError, "{names} must have the same dtype, but got {one} and {other}");
        }
    }
    if name == "addmm" {
        if let ([rows, inner], [other, columns]) = (&a.sizes()[..], &b.sizes()[..])
            && inner == other
            && !inplace
        {
            stretched(x, &[*rows, *columns])?;
        }
        check_matrices(name, a, b)?;
    }
    Ok(())
}

/// Fails with a `RuntimeError` unless both arguments are vectors.
pub(super) fn check_vectors(function: &str, arguments: [(&str, &Tensor); 2]) -> Result<()> {
    for (name, v) in arguments {
        if v.ndim() != 1 {
            fault!(RuntimeError, "{function}: Expected 1-D argument {name}, but got {}-D", v.ndim());
        }
    }
    Ok(())
}
