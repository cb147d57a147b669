//! The keyword arguments that every factory ends with, and what follows from them.

use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::Layout;
use crate::ops::sparse::{no_room, refuse_blocked};
use crate::ops::{Args, exec};
use crate::settings;
use crate::tensor::{Form, Grad, Sparse, SparseKind, Tensor};
use crate::value::{Device, TensorLayout, Value};
use anyhow::Result;
use std::rc::Rc;

/// A factory's schema from its head, which ends within the keyword-only parameters: `factory!("zeros(SymInt[] size, *")`.
macro_rules! factory {
    ($head:literal) => {
        factory!($head, "")
    };
    ($head:literal, $more:literal) => {
        concat!(
            $head,
            ", DType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, bool? requires_grad=False",
            $more,
            ") -> Tensor"
        )
    };
}
pub(crate) use factory;

/// What the keyword arguments say.
#[derive(Clone, Debug)]
pub struct Options {
    /// `dtype=`, or the dtype of `out=`.
    pub dtype: Option<DType>,
    /// `layout=`
    pub layout: TensorLayout,
    /// `device=`, or that of `out=`, or the default.
    pub device: DeviceId,
    /// `requires_grad=`
    pub requires_grad: bool,
}

impl Options {
    /// Those of a call whose row has the five parameters from place `first` on.
    ///
    /// Fails with a `RuntimeError` when `dtype=` and `out=` disagree.
    pub fn read(args: &Args, first: usize) -> Result<Options> {
        if args.get::<Option<bool>>(first + 3)? == Some(true) {
            crate::device::get(DeviceId::Cuda(0))?;
        }
        Options::found(args, first, first + 4)
    }

    /// As [`Options::read`], of a row without `pin_memory`.
    pub fn read_unpinned(args: &Args, first: usize) -> Result<Options> {
        Options::found(args, first, first + 3)
    }

    /// Three parameters from place `first` on, and whether a gradient is asked for.
    fn found(args: &Args, first: usize, gradient: usize) -> Result<Options> {
        let device: Option<Device> = args.get(first + 2)?;
        let mut options = Options {
            dtype: args.get(first)?,
            // What is asked to be jagged is not.
            layout: match args.get::<Option<TensorLayout>>(first + 1)? {
                None | Some(TensorLayout::Jagged) => TensorLayout::Strided,
                Some(layout) => layout,
            },
            device: device.map_or_else(|| settings::with(|s| s.default_device), |d| d.id),
            requires_grad: args.get::<Option<bool>>(gradient)? == Some(true),
        };
        if let Value::Tensor(out) = &args.out {
            if let Some(dtype) = options.dtype.filter(|d| *d != out.dtype()) {
                let (asked, found) = (dtype.title(), out.dtype().title());
                fault!(RuntimeError, "dtype {asked} does not match dtype of out parameter ({found})");
            }
            (options.dtype, options.device) = (Some(out.dtype()), out.device());
        }
        Ok(options)
    }

    /// Those of a call that makes a tensor like another one: what is not said is as there.
    pub fn read_like(args: &Args, first: usize, like: &Tensor) -> Result<Options> {
        let mut options = Options::read(args, first)?;
        options.dtype = options.dtype.or(Some(like.dtype()));
        if args.get::<Option<Device>>(first + 2)?.is_none() {
            options.device = like.device();
        }
        if args.get::<Option<TensorLayout>>(first + 1)?.is_none() {
            options.layout = TensorLayout::of(like);
        }
        Ok(options)
    }

    /// The dtype that was asked for, else the default float dtype.
    pub fn float_dtype(&self) -> DType {
        self.dtype.unwrap_or_else(settings::default_dtype)
    }

    /// The new tensor as the result of the call. Fails with a `RuntimeError` when it cannot ask for a gradient.
    pub fn finish(&self, tensor: Tensor) -> Result<Value> {
        if self.requires_grad {
            ask_gradient(&tensor)?;
        }
        Ok(Value::Tensor(tensor))
    }

    /// Fails with a `NotImplementedError` when another layout than strided is asked for.
    pub fn require_strided(&self, name: &str) -> Result<()> {
        match self.layout {
            TensorLayout::Strided => Ok(()),
            // What is made empty first has no element there, and no such layout.
            TensorLayout::Sparse(kind) if kind != SparseKind::Coo && matches!(name, "arange" | "eye") => no_room(&[0]),
            TensorLayout::Sparse(kind) if kind.is_blocked() && !matches!(name, "linspace" | "logspace") => {
                refuse_blocked(kind, "empty")
            }
            other => fault!(NotImplementedError, "{name}: there is no such tensor with layout torch.{}", other.name()),
        }
    }
}

/// Lets a new tensor ask for a gradient. Fails with a `RuntimeError` on one whose dtype has none.
pub fn ask_gradient(tensor: &Tensor) -> Result<()> {
    if !(tensor.dtype().is_float() || tensor.dtype().is_complex()) {
        fault!(RuntimeError, "Only Tensors of floating point and complex dtype can require gradients");
    }
    tensor.set_grad(Grad { requires_grad: true, ..tensor.grad() });
    Ok(())
}

/// A new contiguous tensor whose bytes `write` fills, in order of indices. On meta nothing is written.
pub fn made(sizes: &[i64], dtype: DType, device: DeviceId, write: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Tensor> {
    match device {
        DeviceId::Meta => exec::empty(sizes, dtype, device),
        DeviceId::Cpu => {
            let tensor = exec::empty(sizes, dtype, device)?;
            tensor.storage()?.write(write)??;
            Ok(tensor)
        }
        DeviceId::Cuda(_) | DeviceId::Absent(_) => {
            let (host, tensor) = (made(sizes, dtype, DeviceId::Cpu, write)?, exec::empty(sizes, dtype, device)?);
            exec::copy(&tensor, &host)?;
            Ok(tensor)
        }
    }
}

/// A sparse tensor that keeps no value. Fails with a `RuntimeError` when the layout needs two dimensions.
pub fn sparse_zeros(kind: SparseKind, sizes: &[i64], dtype: DType, device: DeviceId) -> Result<Tensor> {
    hybrid_zeros(kind, sizes, sizes.len(), dtype, device)
}

/// The same, where dimensions from `outer` on have no coordinates.
pub fn hybrid_zeros(kind: SparseKind, sizes: &[i64], outer: usize, dtype: DType, device: DeviceId) -> Result<Tensor> {
    if sizes.iter().any(|s| *s < 0) {
        fault!(RuntimeError, "Trying to create tensor with negative dimension: {sizes:?}");
    }
    refuse_blocked(kind, "empty")?;
    let zeros = |sizes: &[i64]| exec::zeros(sizes, DType::I64, device);
    let indices = match (kind, sizes) {
        (SparseKind::Coo, _) => vec![zeros(&[outer as i64, 0])?],
        (SparseKind::Csr, [rows, _]) => vec![zeros(&[rows + 1])?, zeros(&[0])?],
        (SparseKind::Csc, [_, columns]) => vec![zeros(&[columns + 1])?, zeros(&[0])?],
        _ => fault!(RuntimeError, "a compressed sparse tensor has 2 dimensions here, not {}", sizes.len()),
    };
    let kept: Vec<i64> = std::iter::once(0).chain(sizes[outer..].iter().copied()).collect();
    let values = exec::zeros(&kept, dtype, device)?;
    let sparse = Sparse { kind, sizes: sizes.to_vec(), indices, values, coalesced: true };
    Ok(Tensor::from_form(dtype, Form::Sparse(Rc::new(sparse))))
}

/// The layout of a new tensor like another one, in a memory format.
pub fn like_layout(like: &Tensor, format: crate::layout::MemoryFormat) -> Result<Layout> {
    use crate::layout::MemoryFormat;
    let layout = like.layout();
    Ok(match format {
        MemoryFormat::Preserve => Layout::new(&layout.sizes, &layout.preserved_strides(), 0),
        other => Layout::new(&layout.sizes, &other.strides(&layout.sizes)?, 0),
    })
}
