//! One index per element, along one dimension: gather and the scatters.

use super::before::{first_outside, walk_order, write_before};
use super::reduce::{Reduce, Rounding, combine_at, reduce_at};
use super::slices::at_least_1d;
use crate::dtype::{DType, Number};
use crate::kernel::indexed::Combine;
use crate::layout::{Dims, Layout, broadcast_sizes, real_dim, wrap_dim};
use crate::ops::exec::{self, Places};
use crate::ops::{Args, Operand};
use crate::scalar;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// The dimension and the index of a gather or scatter on `x`, of a dtype and sizes that fit; none when the index is empty.
fn fitting(name: &str, what: &str, x: &Tensor, dim: i64, index: &Tensor) -> Result<(usize, Option<Tensor>)> {
    let dim = wrap_dim(dim, x.ndim())?;
    if index.numel() == 0 {
        return Ok((dim, None));
    }
    require_index(name, index)?;
    let (table, index) = (at_least_1d(x)?, at_least_1d(index)?);
    let (sizes, walked) = (table.sizes(), index.sizes());
    if sizes.len() != walked.len() {
        fault!(RuntimeError, "Index tensor must have the same number of dimensions as {what} tensor");
    }
    Ok((dim, Some(index)))
}

/// The first dimension but `dim` along which an index is longer than the tensor.
fn beyond(x: &Tensor, dim: usize, index: &Tensor) -> Option<usize> {
    let (sizes, walked) = (x.sizes(), index.sizes());
    (0..sizes.len()).find(|&k| k != dim && walked[k] > sizes[k])
}

/// The index, all of whose places are there in `x`.
fn in_range(x: &Tensor, dim: usize, index: &Tensor) -> Result<Tensor> {
    let size = x.sizes().get(dim).copied().unwrap_or(1);
    exec::checked_indices(index, 0, size, |i| outside(x, dim, i))
}

fn outside(x: &Tensor, dim: usize, index: i64) -> anyhow::Error {
    let size = x.sizes().get(dim).copied().unwrap_or(1);
    err!(RuntimeError, "index {index} is out of bounds for dimension {dim} with size {size}")
}

fn require_index(name: &str, index: &Tensor) -> Result<()> {
    match index.dtype() {
        DType::I64 | DType::I32 => Ok(()),
        _ => fault!(RuntimeError, "{name}(): Expected dtype int32/int64 for index"),
    }
}

pub(super) fn gather(args: &Args) -> Result<Value> {
    let (x, dim, index): (Tensor, i64, Tensor) = args.take()?;
    Ok(gathered(&x, dim, &index)?.into())
}

fn gathered(x: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    let out = exec::empty(&index.sizes(), x.dtype(), x.device())?;
    if let (dim, Some(index)) = fitting("gather", "input", x, dim, index)? {
        let table = at_least_1d(x)?;
        if let Some(k) = beyond(&table, dim, &index) {
            fault!(
                RuntimeError,
                "Size does not match at dimension {k} expected index {:?} to be no larger than self {:?} apart from dimension {dim}",
                index.sizes().as_slice(),
                x.sizes().as_slice()
            );
        }
        let (fitted, to) = (in_range(x, dim, &index), at_least_1d(&out)?);
        let index = fitted.or_else(|refused| {
            let order = walk_order(dim, &index.sizes(), &[&to.layout(), &table.layout(), &index.layout()]);
            Err(first_outside(&index, &order, table.sizes()[dim])?.map_or(refused, |i| outside(x, dim, i)))
        })?;
        exec::read_at(&table, &Places::along(&table.layout(), dim, index), &to)?;
    }
    Ok(out)
}

static REMAINDER: crate::kernel::scalar::Scalar =
    scalar! { remainder(a, b), Promote, "a % b"; i64: if b == 0 { 0 } else { num_integer::Integer::mod_floor(&a, &b) } };

pub(super) fn take_along_dim(args: &Args) -> Result<Value> {
    let (x, index, dim): (Tensor, Tensor, Option<i64>) = args.take()?;
    let Some(dim) = dim else {
        let flat = |t: &Tensor| t.alias(t.layout().view(&[-1])?);
        let (x, index) = (flat(&x)?, flat(&index)?);
        if !index.dtype().is_integral(false) && index.numel() > 0 {
            fault!(RuntimeError, "gather(): Expected dtype int32/int64 for index");
        }
        return Ok(gathered(&x, 0, &index)?.into());
    };
    if x.ndim() != index.ndim() {
        fault!(
            RuntimeError,
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions for input, and {} dimensions for indices",
            x.ndim(),
            index.ndim()
        );
    }
    if index.dtype() != DType::I64 {
        fault!(RuntimeError, "torch.take_along_dim(): dtype of indices should be Long but got {}", index.dtype().title());
    }
    let dim = real_dim(wrap_dim(dim, x.ndim())? as i64, x.ndim())?;
    let without = |t: &Tensor| {
        let mut sizes = t.sizes();
        sizes[dim] = 1;
        sizes
    };
    let common = broadcast_sizes(&without(&x), &without(&index))?;
    let stretch = |t: &Tensor| {
        let sizes: Dims = common.iter().enumerate().map(|(k, n)| if k == dim { t.sizes()[dim] } else { *n }).collect();
        t.alias(t.layout().expand(&sizes)?)
    };
    let (x, index) = (stretch(&x)?, stretch(&index)?);
    if x.sizes()[dim] == 0 && index.numel() > 0 {
        fault!(RuntimeError, "ZeroDivisionError");
    }
    let size = Operand::Number(Number::Int(x.sizes()[dim]));
    let index = exec::map_new(&REMAINDER, &[Operand::Tensor(index), size], &[])?;
    Ok(gathered(&x, dim as i64, &index)?.into())
}

/// The part of `src` that an index of these sizes walks; `far` where it leaves the tensor that is written to.
fn part(src: &Tensor, walked: &[i64], x: &Tensor, dim: usize, far: bool) -> Result<Tensor> {
    let (sizes, src) = (src.sizes(), at_least_1d(src)?);
    let layout = src.layout();
    let fits = !far && layout.sizes.iter().zip(walked).all(|(have, need)| need <= have);
    if fits && !sizes.is_empty() && layout.ndim() < walked.len() {
        wrap_dim(layout.ndim() as i64, layout.ndim())?;
    }
    if layout.ndim() != walked.len() {
        fault!(RuntimeError, "Index tensor must have the same number of dimensions as src tensor");
    }
    if !fits {
        fault!(
            RuntimeError,
            "Expected index {walked:?} to be no larger than self {:?} apart from dimension {dim} and to be no larger size than src {:?}",
            x.sizes().as_slice(),
            sizes.as_slice()
        );
    }
    src.alias(Layout { sizes: walked.into(), ..(*layout).clone() })
}

/// What the row names as source: a tensor like x, or one number for all places.
enum Source {
    Tensor(Tensor),
    Number(Number),
}

/// Writes or reduces the source into the places that the index names. How that is done is read when the sizes are known to fit.
fn scatter_into<How>(
    x: &Tensor,
    args: &Args,
    source: Source,
    how: impl FnOnce() -> Result<How>,
    write: impl Fn(&How, &Tensor, usize, Tensor, &Tensor) -> Result<()>,
) -> Result<()> {
    let (_, dim, index): (Tensor, i64, Tensor) = args.take()?;
    wrap_dim(dim, x.ndim())?;
    if index.numel() > 0 {
        require_index("scatter", &index)?;
    }
    if let Source::Tensor(src) = &source
        && x.dtype() != src.dtype()
    {
        fault!(RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype");
    }
    let refuse_shared = || {
        exec::refuse_overlap(x)?;
        exec::refuse_shared(x, &index)?;
        if let Source::Tensor(src) = &source { exec::refuse_shared(x, src) } else { Ok(()) }
    };
    let (dim, fitted) = fitting("scatter", "self", x, dim, &index)?;
    let Some(index) = fitted else {
        refuse_shared()?;
        return how().map(drop);
    };
    let walked = index.sizes();
    let far = beyond(&at_least_1d(x)?, dim, &index).is_some();
    let values = match &source {
        Source::Tensor(src) => part(src, &walked, x, dim, far)?,
        Source::Number(_) if far => fault!(
            RuntimeError,
            "Expected index {:?} to be no larger than self {:?} apart from dimension {dim}",
            walked.as_slice(),
            x.sizes().as_slice()
        ),
        Source::Number(number) => {
            let value = exec::number(*number, x.dtype(), x.device())?;
            value.alias(value.layout().expand(&walked)?)?
        }
    };
    refuse_shared()?;
    let how = how()?;
    let write = |x: &Tensor, dim, index, values: &Tensor| write(&how, x, dim, index, values);
    let table = at_least_1d(x)?;
    match in_range(x, dim, &index) {
        Ok(index) => write(&table, dim, index, &values),
        Err(_) => {
            let (table_layout, index_layout, values_layout) = (table.layout(), index.layout(), values.layout());
            let operands = match source {
                Source::Tensor(_) => &[&*table_layout, &values_layout, &index_layout][..],
                Source::Number(_) => &[&*table_layout, &index_layout],
            };
            let order = walk_order(dim, &walked, operands);
            Err(outside(x, dim, write_before(&table, dim, &index, &values, &order, &write)?))
        }
    }
}

/// Writes: the last value for a place stays.
fn assign((): &(), x: &Tensor, dim: usize, index: Tensor, values: &Tensor) -> Result<()> {
    exec::write_at(x, &Places::along(&x.layout(), dim, index), values)
}

pub(super) fn scatter(x: &Tensor, args: &Args) -> Result<()> {
    scatter_into(x, args, Source::Tensor(args.get(3)?), || Ok(()), assign)
}

pub(super) fn scatter_value(x: &Tensor, args: &Args) -> Result<()> {
    scatter_into(x, args, Source::Number(args.get(3)?), || Ok(()), assign)
}

/// The form that takes `reduce='add'` or `'multiply'`.
fn scatter_combining(x: &Tensor, args: &Args, source: Source) -> Result<()> {
    let how = || match args.get::<String>(4)?.as_str() {
        "add" => Ok(Combine::Add),
        "multiply" => Ok(Combine::Multiply),
        _ => fault!(RuntimeError, "reduce argument must be either add or multiply."),
    };
    scatter_into(x, args, source, how, |how, x, dim, index, values| {
        combine_at(x, |layout| Places::along(layout, dim, index.clone()), values, *how, Rounding::Once)
    })
}

pub(super) fn scatter_reducing(x: &Tensor, args: &Args) -> Result<()> {
    scatter_combining(x, args, Source::Tensor(args.get(3)?))
}

pub(super) fn scatter_value_reducing(x: &Tensor, args: &Args) -> Result<()> {
    scatter_combining(x, args, Source::Number(args.get(3)?))
}

pub(super) fn scatter_add(x: &Tensor, args: &Args) -> Result<()> {
    scatter_into(
        x,
        args,
        Source::Tensor(args.get(3)?),
        || Ok(()),
        |(), x, dim, index, values| {
            combine_at(x, |layout| Places::along(layout, dim, index.clone()), values, Combine::Add, Rounding::Once)
        },
    )
}

pub(super) fn scatter_reduce(x: &Tensor, args: &Args) -> Result<()> {
    let (reduce, include_self): (String, bool) = (args.get(4)?, args.get(5)?);
    let reduce = match &*reduce {
        "max" => "amax",
        "min" => "amin",
        other => other,
    };
    let how = || match Reduce::named(reduce) {
        Some(how) => Ok(how),
        None => fault!(RuntimeError, "reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"),
    };
    scatter_into(x, args, Source::Tensor(args.get(3)?), how, |how, x, dim, index, values| {
        let (how, dtype) = (*how, x.dtype());
        if dtype.is_complex() && matches!(how, Reduce::Amax | Reduce::Amin) || dtype == DType::Bool && how == Reduce::Mean {
            fault!(NotImplementedError, "\"scatter_gather_tensor_cpu_reduce_{reduce}\" not implemented for '{}'", dtype.title());
        }
        reduce_at(x, |layout| Places::along(layout, dim, index.clone()), values, how, include_self, Rounding::Once)
    })
}
