//! Tensors of given sizes: without contents, with one number everywhere, the identity.

use super::options::{Options, factory, sparse_zeros};
use crate::dtype::{DType, Number};
use crate::layout::{Dims, Layout, MemoryFormat};
use crate::ops::sparse::refuse_blocked;
use crate::ops::{Args, Form, Op, exec, op};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::{TensorLayout, Value};
use anyhow::Result;
use std::rc::Rc;

/// A function that makes a tensor.
pub(super) const fn maker(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).function_only().no_grad()
}

rows![
    maker(
        factory!("empty(SymInt[] size, *", ", MemoryFormat? memory_format=None"),
        "A tensor whose elements are whatever the memory held.",
        "torch.empty(2, 3).shape\n# torch.Size([2, 3])",
        |a| {
            let (size, options): (Rc<Dims>, _) = (a.get(0)?, Options::read(a, 1)?);
            let format: Option<MemoryFormat> = a.get(6)?;
            if format.is_some() && !matches!(a.out, Value::None) {
                fault!(RuntimeError, "'memory_format' argument is incompatible with 'out' tensor argument");
            }
            let format = format.unwrap_or_default();
            let dtype = options.float_dtype();
            if let TensorLayout::Sparse(kind) = options.layout {
                return options.finish(sparse_zeros(kind, &size, dtype, options.device)?);
            }
            let layout = Layout::new(&size, &format.strides(&size)?, 0);
            options.finish(exec::empty_layout(layout, dtype, options.device)?)
        },
    ),
    maker(
        factory!("empty_strided(SymInt[] size, SymInt[] stride, *"),
        "A tensor with these strides, in a storage that just holds it, whose elements are whatever the memory held.",
        "torch.empty_strided((2, 3), (1, 2)).stride()\n# (1, 2)",
        |a| {
            let (size, stride, options): (Dims, Dims, _) = (a.get(0)?, a.get(1)?, Options::read(a, 2)?);
            options.require_strided("empty_strided")?;
            options.finish(exec::empty_strided(&size, &stride, options.float_dtype(), options.device)?)
        },
    )
    .no_out(),
    maker(
        factory!("empty_permuted(SymInt[] size, int[] physical_layout, *"),
        "A dense tensor whose dimensions lie in memory in the given order, outermost first.",
        "torch.empty_permuted((2, 3, 4), (1, 0, 2)).stride()\n# (4, 8, 1)",
        |a| {
            let (size, order, options): (Dims, Dims, _) = (a.get(0)?, a.get(1)?, Options::read(a, 2)?);
            options.require_strided("empty_permuted")?;
            let layout = Layout::new(&size, &permuted_strides(&size, &order)?, 0);
            options.finish(exec::empty_layout(layout, options.float_dtype(), options.device)?)
        },
    )
    .no_out(),
    maker(
        factory!("zeros(SymInt[] size, *"),
        "A tensor of zeros.",
        "torch.zeros(2, 3)\n# tensor([[0., 0., 0.],\n#         [0., 0., 0.]])",
        |a| {
            let (size, options): (Rc<Dims>, _) = (a.get(0)?, Options::read(a, 1)?);
            let dtype = options.float_dtype();
            if size.iter().any(|s| *s < 0) {
                fault!(RuntimeError, "zeros: Dimension size must be non-negative.");
            }
            options.finish(match options.layout {
                TensorLayout::Strided | TensorLayout::Jagged => exec::zeros(&size, dtype, options.device)?,
                TensorLayout::Sparse(kind) => {
                    refuse_blocked(kind, "zeros")?;
                    sparse_zeros(kind, &size, dtype, options.device)?
                }
            })
        },
    ),
    maker(factory!("ones(SymInt[] size, *"), "A tensor of ones.", "torch.ones(3)\n# tensor([1., 1., 1.])", |a| {
        let (size, options): (Rc<Dims>, _) = (a.get(0)?, Options::read(a, 1)?);
        full(&size, Number::Int(1), options.float_dtype(), &options)
    }),
    maker(
        factory!("full(SymInt[] size, Scalar fill_value, *"),
        "A tensor with one number in every element. Its dtype follows from the number unless one is given.",
        "torch.full((2, 2), 7)\n# tensor([[7, 7],\n#         [7, 7]])",
        |a| {
            let (size, number, options): (Dims, Number, _) = (a.get(0)?, a.get(1)?, Options::read(a, 2)?);
            full(&size, number, options.dtype.unwrap_or_else(|| dtype_of(number)), &options)
        },
    ),
    maker(
        factory!("scalar_tensor(Scalar s, *"),
        "A tensor without dimensions that holds a number, of the default dtype unless one is given.",
        "torch.scalar_tensor(3)\n# tensor(3.)",
        |a| {
            let (number, options): (Number, _) = (a.get(0)?, Options::read(a, 1)?);
            full(&[], number, options.float_dtype(), &options)
        },
    )
    .no_out(),
    maker(
        factory!("eye(SymInt n, *"),
        "The identity: ones on the diagonal, zeros elsewhere.",
        "torch.eye(2)\n# tensor([[1., 0.],\n#         [0., 1.]])",
        |a| {
            let (n, options): (i64, _) = (a.get(0)?, Options::read(a, 1)?);
            eye(n, n, &options)
        },
    ),
    maker(factory!("eye(SymInt n, SymInt m, *"), "", "", |a| {
        let (n, m, options): (i64, i64, _) = (a.get(0)?, a.get(1)?, Options::read(a, 2)?);
        eye(n, m, &options)
    }),
];

/// The dtype of a tensor made of a Python number.
pub(super) fn dtype_of(number: Number) -> DType {
    match number {
        Number::Bool(_) => DType::Bool,
        Number::Int(_) | Number::Unsigned(_) => DType::I64,
        Number::Float(_) => settings::default_dtype(),
        Number::Complex(_) if settings::default_dtype() == DType::F64 => DType::C128,
        Number::Complex(_) => DType::C64,
    }
}

/// Fails with a `NotImplementedError` for the dtypes that have no identity.
fn refuse_wide(dtype: DType) -> Result<()> {
    if matches!(dtype, DType::U16 | DType::U32 | DType::U64 | DType::C32 | DType::BC32) {
        fault!(NotImplementedError, "\"eye\" not implemented for '{}'", dtype.title());
    }
    Ok(())
}

fn full(size: &[i64], number: Number, dtype: DType, options: &Options) -> Result<Value> {
    if let TensorLayout::Sparse(kind) = options.layout {
        refuse_blocked(kind, "empty")?;
        fault!(RuntimeError, "full(...) is not implemented for sparse layout");
    }
    let tensor = exec::empty(size, dtype, options.device)?;
    exec::fill(&tensor, number)?;
    options.finish(tensor)
}

fn eye(n: i64, m: i64, options: &Options) -> Result<Value> {
    for (name, size) in [("n", n), ("m", m)] {
        if size < 0 {
            fault!(RuntimeError, "{name} must be greater or equal to 0, got {size}");
        }
    }
    options.require_strided("eye")?;
    refuse_wide(options.float_dtype())?;
    let tensor = exec::zeros(&[n, m], options.float_dtype(), options.device)?;
    exec::fill(&diagonal(&tensor, n, m)?, Number::Int(1))?;
    options.finish(tensor)
}

/// The diagonal of a contiguous matrix, as a view.
fn diagonal(matrix: &Tensor, n: i64, m: i64) -> Result<Tensor> {
    matrix.alias(Layout::new(&[n.min(m)], &[m.saturating_add(1)], 0))
}

/// Dense strides for dimensions that lie in this order, outermost first. Fails with a `RuntimeError` when that is no order.
fn permuted_strides(size: &[i64], order: &[i64]) -> Result<Dims> {
    if size.len() != order.len() {
        fault!(
            RuntimeError,
            "Number of dimensions in size does not match the length of the physical_layout; \
             i.e. len(size) = {} is not equal to len(physical_layout) = {}",
            size.len(),
            order.len()
        );
    }
    let (mut strides, mut seen, mut next) = (Dims::from_elem(0, size.len()), vec![false; size.len()], 1i64);
    for (place, &dim) in order.iter().enumerate().rev() {
        let Some(seen) = usize::try_from(dim).ok().and_then(|dim| seen.get_mut(dim)) else {
            fault!(
                RuntimeError,
                "Dimension out of range (expected to be between 0 and {}, but got {dim} at index {place}).  NB: negative dims not currently supported; file an issue if you want it.",
                size.len() as i64 - 1
            );
        };
        if std::mem::replace(seen, true) {
            fault!(RuntimeError, "Duplicate dim not allowed");
        }
        strides[dim as usize] = next;
        next = next.saturating_mul(size[dim as usize].max(1));
    }
    Ok(strides)
}
