//! Views of the parts of complex tensors, and conjugation, which is a mark on a view until somebody needs the values.

use super::{Args, Form, Op, exec, op, sparse};
use crate::dtype::DType;
use crate::layout::Layout;
use crate::tensor::{Form as TensorForm, SparseKind, Strided, Tensor};
use crate::value::Value;
use anyhow::Result;
use std::rc::Rc;

/// A row that looks at the marks of its argument itself.
const fn marked(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).marked().no_out()
}

rows![
    marked(
        "real(Tensor(a) self) -> Tensor(a)",
        "The real parts as a view; a real tensor is its own.",
        "torch.real(torch.tensor([1 + 2j, 3 + 4j]))\n# tensor([1., 3.])",
        |a| real(&a.get(0)?),
    )
    .function_only()
        .grads(&[("self", "torch.complex(grad, torch.zeros_like(grad))")]),
    marked(
        "real(Tensor(a) self) -> Tensor(a)",
        "The real parts as a view; a real tensor is its own.",
        "torch.tensor([1 + 2j, 3 + 4j]).real.stride()\n# (2,)",
        |a| real(&a.get(0)?),
    )
    .property()
        .grads(&[("self", "torch.complex(grad, torch.zeros_like(grad))")]),
    marked(
        "imag(Tensor(a) self) -> Tensor(a)",
        "The imaginary parts of a complex tensor as a view.",
        "torch.imag(torch.tensor([1 + 2j, 3 + 4j]))\n# tensor([2., 4.])",
        |a| imag(&a.get(0)?),
    )
    .function_only()
        .grads(&[("self", "torch.complex(torch.zeros_like(grad), grad)")]),
    marked(
        "imag(Tensor(a) self) -> Tensor(a)",
        "The imaginary parts of a complex tensor as a view.",
        "torch.tensor([1 + 2j, 3 + 4j]).imag.storage_offset()\n# 1",
        |a| imag(&a.get(0)?),
    )
    .property()
        .grads(&[("self", "torch.complex(torch.zeros_like(grad), grad)")]),
    marked(
        "view_as_real(Tensor(a) self) -> Tensor(a)",
        "Complex numbers as pairs of reals, in a new last dimension of size 2.",
        "torch.view_as_real(torch.tensor([1 + 2j])).tolist()\n# [[1.0, 2.0]]",
        |a| view_as_real(&a.get(0)?),
    )
    .function_only()
        .grads(&[("self", "torch.view_as_complex(grad.contiguous())")]),
    marked(
        "view_as_complex(Tensor(a) self) -> Tensor(a)",
        "Pairs of reals, in a last dimension of size 2, as complex numbers.",
        "torch.view_as_complex(torch.tensor([[1., 2.]]))\n# tensor([1.+2.j])",
        |a| view_as_complex(&a.get(0)?),
    )
    .function_only()
        .grads(&[("self", "torch.view_as_real(grad.resolve_conj())")]).complex(),
    marked(
        "conj(Tensor(a) self) -> Tensor(a)",
        "The complex conjugate: a view that is marked to be read with the sign of its imaginary part turned. A real tensor is its \
         own conjugate.",
        "torch.tensor([1 + 2j]).conj()\n# tensor([1.-2.j])",
        |a| Ok(conj(&a.get(0)?)?.into()),
    )
        .grads(&[("self", "grad.conj()")]).complex(),
    marked(
        "resolve_conj(Tensor(a) self) -> Tensor(a)",
        "A tensor without the mark of `conj`: a copy when it bears it, else the tensor itself.",
        "torch.tensor([1 + 2j]).conj().resolve_conj().is_conj()\n# False",
        |a| {
            let (x,): (Tensor,) = a.take()?;
            Ok(if x.is_conj() { exec::resolve(&x)? } else { x }.into())
        },
    )
        .grads(&[("self", "grad")]).complex(),
    marked(
        "resolve_neg(Tensor(a) self) -> Tensor(a)",
        "A tensor without the mark of a negative view: a copy when it bears it, else the tensor itself.",
        "torch.tensor([1 + 2j]).conj().imag.resolve_neg().is_neg()\n# False",
        |a| {
            let (x,): (Tensor,) = a.take()?;
            Ok(if x.is_neg() { exec::resolve(&x)? } else { x }.into())
        },
    ),
    marked(
        "adjoint(Tensor(a) self) -> Tensor(a)",
        "Swaps the last two dimensions and conjugates.",
        "torch.tensor([[1j, 2.]]).adjoint().tolist()\n# [[-1j], [(2-0j)]]",
        |a| matrix_transpose(&a.get(0)?, "tensor.adjoint()", true),
    )
        .grads(&[("self", "grad.mH")]).complex(),
    marked(
        "mH(Tensor(a) self) -> Tensor(a)",
        "Swaps the last two dimensions and conjugates.",
        "torch.zeros(4, 2, 3).mH.shape\n# torch.Size([4, 3, 2])",
        |a| matrix_transpose(&a.get(0)?, "tensor.mH", true),
    )
    .property()
        .grads(&[("self", "grad.mH")]).complex(),
    marked(
        "mT(Tensor(a) self) -> Tensor(a)",
        "Swaps the last two dimensions.",
        "torch.zeros(4, 2, 3).mT.stride()\n# (6, 1, 3)",
        |a| matrix_transpose(&a.get(0)?, "tensor.mT", false),
    )
    .property()
        .grads(&[("self", "grad.mT")]).complex(),
    marked(
        "H(Tensor(a) self) -> Tensor(a)",
        "The transpose of a matrix, conjugated.",
        "torch.zeros(2, 3).H.shape\n# torch.Size([3, 2])",
        |a| {
            let (x,): (Tensor,) = a.take()?;
            let layout = x.layout().hermitian()?;
            Ok(conj(&if x.ndim() == 0 { x } else { x.alias(layout)? })?.into())
        },
    )
    .property()
        .grads(&[("self", "grad.mH")]).complex(),
    marked(
        "indices(Tensor(a) self) -> Tensor(a)",
        "The coordinates of a coalesced sparse COO tensor, as a view.",
        "torch.eye(2).to_sparse().indices().tolist()\n# [[0, 1], [0, 1]]",
        |a| sparse_part(&a.get(0)?, "indices"),
    )
    .method_only()
    .sparse(),
    marked(
        "values(Tensor(a) self) -> Tensor(a)",
        "The values that a coalesced sparse tensor keeps, as a view.",
        "torch.eye(2).to_sparse().values()\n# tensor([1., 1.])",
        |a| sparse_part(&a.get(0)?, "values"),
    )
    .method_only()
    .sparse()
    .grads(&[("self", sparse::VALUES)])
    .complex(),
];

/// The same storage read with other marks, or in another dtype.
fn marked_alias(dtype: DType, strided: Strided, layout: Layout, conj: bool, neg: bool) -> Tensor {
    Tensor::from_form(dtype, TensorForm::Strided(Strided { layout: Rc::new(layout), conj, neg, ..strided }))
}

/// The conjugate as a view; a real tensor itself.
pub fn conj(x: &Tensor) -> Result<Tensor> {
    if !x.dtype().is_complex() {
        return Ok(x.clone());
    }
    let strided = x.strided()?;
    let layout = (*strided.layout).clone();
    let (conj, neg) = (!strided.conj, strided.neg);
    Ok(marked_alias(x.dtype(), strided, layout, conj, neg))
}

/// The real parts, as a view.
pub fn real(x: &Tensor) -> Result<Value> {
    if !x.dtype().is_complex() {
        return Ok(x.clone().into());
    }
    let strided = x.strided()?;
    let (layout, neg) = (strided.layout.complex_part(0), strided.neg);
    Ok(marked_alias(x.dtype().to_real(), strided, layout, false, neg).into())
}

/// The imaginary parts, as a view.
pub fn imag(x: &Tensor) -> Result<Value> {
    if !x.dtype().is_complex() {
        fault!(TypeError, "imag is not implemented for tensors with non-complex dtypes.");
    }
    let strided = x.strided()?;
    let (layout, neg) = (strided.layout.complex_part(1), strided.neg != strided.conj);
    Ok(marked_alias(x.dtype().to_real(), strided, layout, false, neg).into())
}

fn view_as_real(x: &Tensor) -> Result<Value> {
    if !x.dtype().is_complex() {
        fault!(TypeError, "view_as_real is only supported for complex tensors");
    }
    let strided = x.strided()?;
    if strided.conj {
        fault!(
            RuntimeError,
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original."
        );
    }
    let (layout, neg) = (strided.layout.view_as_real(), strided.neg);
    Ok(marked_alias(x.dtype().to_real(), strided, layout, false, neg).into())
}

fn view_as_complex(x: &Tensor) -> Result<Value> {
    if x.dtype().is_complex() {
        fault!(TypeError, "view_as_complex is not supported for complex tensors");
    }
    if !matches!(x.dtype(), DType::F16 | DType::F32 | DType::F64) {
        fault!(
            NotImplementedError,
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {}",
            x.dtype().title()
        );
    }
    let strided = x.strided()?;
    let (layout, neg) = (strided.layout.view_as_complex()?, strided.neg);
    Ok(marked_alias(x.dtype().to_complex(), strided, layout, false, neg).into())
}

/// Swaps the last two dimensions and conjugates on request; a 0-d tensor stays itself, conjugated.
fn matrix_transpose(x: &Tensor, name: &str, conjugate: bool) -> Result<Value> {
    let layout = x.layout().matrix_transpose(name)?;
    let turned = if x.ndim() == 0 { x.clone() } else { x.alias(layout)? };
    Ok(if conjugate { conj(&turned)? } else { turned }.into())
}

/// `indices` or `values` of a coalesced COO tensor.
fn sparse_part(x: &Tensor, part: &str) -> Result<Value> {
    let wanted = if part == "indices" { "sparse coordinate tensor" } else { "sparse tensor" };
    let Some(sparse) = x.sparse() else { fault!(RuntimeError, "{part} expected {wanted} layout but got Strided") };
    if sparse.kind == SparseKind::Coo && !sparse.coalesced {
        fault!(RuntimeError, "Cannot get {part} on an uncoalesced tensor, please call .coalesce() first");
    }
    let tensor = match (part, sparse.kind) {
        ("values", _) => &sparse.values,
        (_, SparseKind::Coo) => match sparse.indices.first() {
            Some(indices) => indices,
            None => fault!(RuntimeError, "the sparse tensor has no indices"),
        },
        (_, kind) => fault!(RuntimeError, "indices expected sparse coordinate tensor layout but got Sparse{kind:?}"),
    };
    Ok(tensor.alias((*tensor.layout()).clone())?.into())
}
