//! `x[…] = v` and `index_put`.

use super::advanced::Selection;
use super::items::{Found, Pick};
use super::sequence::is_mask;
use super::{SETITEM, Tensor, Value};
use crate::diag::{ErrorClass, Fault};
use crate::dtype::{DType, Number};
use crate::kernel::indexed::Combine;
use crate::layout::Layout;
use crate::ops::convert::c_type_name;
use crate::ops::gather::write_where;
use crate::ops::pointwise::blend::WHERE;
use crate::ops::{Args, FromValue, Operand, exec, rare, run};
use anyhow::Result;

/// `x[index] = value`.
///
/// Fails as [`get`](super::get) does, with a `TypeError` for a value that is neither a tensor nor a number, and with a
/// `RuntimeError` when its size or dtype does not fit.
pub fn set(x: &Tensor, index: &Value, value: &Value) -> Result<()> {
    let node = write(x, index, value)?;
    run::note_changed(x);
    run::conclude(SETITEM, x, &[index, value], &Value::Tensor(x.clone()), node)
}

/// Writes, and gives the name of the gradient node.
pub(super) fn write(x: &Tensor, index: &Value, value: &Value) -> Result<&'static str> {
    let value = operand_of(x, value)?;
    let mut found = Found::all(x);
    found.apply(index)?;
    if let Value::Bool(true) = index {
        // A view with one more dimension, as of `None`.
        found = Found::all(x);
        found.apply(&Value::None)?;
    }
    let is_view = found.layout != *x.layout();
    let view = x.alias(found.layout)?;
    let value = match value {
        Operand::Tensor(value) if found.picks.is_empty() => Operand::Tensor(spread(&value, &view)?),
        other => other,
    };
    run::refuse_leaf_write(x, is_view)?;
    match (value, found.picks.is_empty()) {
        // One element takes a number as a conversion does, beyond what its dtype holds too.
        (Operand::Number(number), true)
            if is_element(x, index) && matches!(x.dtype(), DType::F16 | DType::BF16 | DType::F8E5M2) =>
        {
            let wide = exec::empty(&[], DType::F64, x.device())?;
            exec::fill(&wide, number)?;
            exec::copy(&view, &wide)?;
        }
        (Operand::Number(number), true) => {
            if view.numel() == 1 {
                exec::check_stored(number, x.dtype())?;
            }
            exec::fill(&view, number)?;
        }
        (Operand::Tensor(value), true) => exec::copy(&view, &value)?,
        // `x[False] = v` writes nothing, whatever v is.
        _ if matches!(index, Value::Bool(false)) => {}
        (Operand::Number(Number::Complex(_)), _)
            if !x.dtype().is_complex() && found.picks.len() == 1 && !is_mask(&found.picks[0].index) =>
        {
            fault!(RuntimeError, "index_fill_(): Converting complex Scalar to non-complex type is not supported")
        }
        (Operand::Number(_), _) if fills_mask(&found.picks) && rare::is_rare(x.dtype()) => lacks_masked_fill(x)?,
        (Operand::Tensor(value), _)
            if fills_mask(&found.picks) && value.numel() == 1 && rare::is_rare(x.dtype()) && view.numel() > 0 =>
        {
            lacks_masked_fill(x)?;
        }
        (Operand::Number(number), _) => {
            let value = exec::empty(&[], x.dtype(), x.device())?;
            exec::fill(&value, number)?;
            if matches!(x.dtype(), DType::U16 | DType::U32 | DType::U64) {
                let kernel = match found.picks.len() {
                    1 => "index_fill_cpu",
                    _ => "index_put",
                };
                fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", x.dtype().title());
            }
            let done = index_put(&view, &found.picks, &value, false);
            // Of an index that cannot be right PyTorch says so; of elements that are not there, only that they are not.
            let missing = |error: &anyhow::Error| match error.downcast_ref::<Fault>() {
                Some(fault) if fault.class == ErrorClass::IndexError => fault.message.starts_with("index is out of bounds"),
                _ => true,
            };
            if done.as_ref().is_err_and(missing) && view.numel() == 0 {
                if found.picks.len() > 1 {
                    fault!(IndexError, "index is out of bounds for dimension with size 0");
                }
                fault!(RuntimeError, "a number was assigned to elements of a tensor that has none");
            }
            done.map_err(|error| say_dim(error, &found.picks))?;
        }
        (Operand::Tensor(value), _)
            if value.dtype() == x.dtype() && matches!(x.dtype(), DType::U16 | DType::U32 | DType::U64) =>
        {
            fault!(NotImplementedError, "\"index_put\" not implemented for '{}'", x.dtype().title())
        }
        (Operand::Tensor(value), _) => index_put(&view, &found.picks, &without_leading_ones(&value)?, false)?,
    }
    Ok(if found.picks.is_empty() { "CopySlices" } else { "IndexPutBackward0" })
}

/// True for a mask alone, which PyTorch fills with one value.
fn fills_mask(picks: &[Pick]) -> bool {
    matches!(picks, [only] if is_mask(&only.index))
}

fn lacks_masked_fill(x: &Tensor) -> Result<()> {
    fault!(NotImplementedError, "\"masked_fill\" not implemented for '{}'", x.dtype().title())
}

/// A value with the sizes of the view that it is written to.
fn spread(value: &Tensor, view: &Tensor) -> Result<Tensor> {
    if value.sizes() == view.sizes() {
        return Ok(value.clone());
    }
    if value.ndim() == 0 {
        // A number, wherever it lies.
        let number = exec::clone(value)?;
        return number.alias(number.layout().expand(&view.sizes())?);
    }
    let value = without_leading_ones(value)?;
    if value.ndim() > view.ndim() {
        fault!(
            RuntimeError,
            "expand({}{{{:?}}}, size={:?}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor ({})",
            c_type_name(value.dtype()),
            value.sizes().as_slice(),
            view.sizes().as_slice(),
            view.ndim(),
            value.ndim()
        );
    }
    value.alias(value.layout().expand(&view.sizes())?)
}

/// The `IndexError` of the only index that picks, whose dimension it names.
fn say_dim(error: anyhow::Error, picks: &[Pick]) -> anyhow::Error {
    let [only] = picks else { return error };
    match error.downcast_ref::<Fault>() {
        Some(fault) if fault.class == ErrorClass::IndexError => {
            let told = fault.message.replace("for dimension 0 with", &format!("for dimension {} with", only.dim));
            Fault::new(ErrorClass::IndexError, told).into()
        }
        _ => error,
    }
}

/// True for an index of as many ints as there are dimensions.
fn is_element(x: &Tensor, index: &Value) -> bool {
    match index {
        Value::Int(_) => x.ndim() == 1,
        Value::Tuple(items) => items.len() == x.ndim() && items.iter().all(|i| matches!(i, Value::Int(_))),
        _ => false,
    }
}

/// Leading sizes of 1 of a value do not count.
fn without_leading_ones(value: &Tensor) -> Result<Tensor> {
    let sizes = value.sizes();
    let ones = sizes.iter().take_while(|s| **s == 1).count();
    if ones == 0 { Ok(value.clone()) } else { value.alias(value.layout().view(&sizes[ones..])?) }
}

/// What is written: a tensor or a number.
fn operand_of(x: &Tensor, value: &Value) -> Result<Operand> {
    if let Value::BigInt(_) = value {
        fault!(ValueError, "Overflow when unpacking long long");
    }
    match Operand::from_value(value) {
        Some(operand) => Ok(operand),
        None => fault!(TypeError, "can't assign a {} to a {}", value.type_name(), type_text(x.dtype())),
    }
}

/// `torch.LongTensor`.
fn type_text(dtype: DType) -> String {
    format!("torch.{}", if dtype.info().tensor.is_empty() { "Tensor" } else { dtype.info().tensor })
}

/// `index_put_(indices, values, accumulate)`.
pub(super) fn index_put_row(x: &Tensor, args: &Args) -> Result<()> {
    let (_, indices, values, accumulate): (Tensor, Vec<Option<Tensor>>, Tensor, bool) = args.take()?;
    let mut picks = vec![];
    let mut dim = 0;
    for index in indices {
        let width = index.as_ref().filter(|i| is_mask(i)).map_or(1, Tensor::ndim);
        picks.extend(index.map(|index| Pick { dim, index }));
        dim += width;
    }
    if dim > x.ndim() {
        fault!(IndexError, "too many indices for tensor of dimension {} (got {dim})", x.ndim());
    }
    index_put(x, &picks, &values, accumulate)
}

/// Writes `values` where the picks point, or adds them there.
fn index_put(x: &Tensor, picks: &[Pick], values: &Tensor, accumulate: bool) -> Result<()> {
    if let ([Pick { dim, index: mask }], false, 1) = (picks, accumulate, values.numel())
        && is_mask(mask)
    {
        return fill_masked(x, *dim, mask, values);
    }
    for tensor in picks.iter().map(|p| &p.index).chain([values]) {
        exec::refuse_shared(x, tensor)?;
    }
    exec::through_marks(x, |x| {
        let selection = Selection::new(x, picks)?;
        let values = exec::resolve(values)?;
        let Ok(layout) = values.layout().expand(&selection.places.sizes) else {
            fault!(
                RuntimeError,
                "shape mismatch: value tensor of shape {:?} cannot be broadcast to indexing result of shape {:?}",
                values.sizes().as_slice(),
                selection.places.sizes.as_slice()
            )
        };
        if values.dtype() != x.dtype() {
            fault!(
                RuntimeError,
                "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.",
                x.dtype().title(),
                values.dtype().title()
            );
        }
        // What comes before a place out of range is written, as in PyTorch.
        let (places, outside) = selection.until_outside()?;
        let values = match &outside {
            Some((rows, _)) => values.alias(layout.narrow(0, 0, *rows)?)?,
            None => values.alias(layout)?,
        };
        if !places.sizes.contains(&0) {
            match accumulate {
                true => exec::combine_at(x, &places, &values, Combine::Add)?,
                false => exec::write_at(x, &places, &values)?,
            }
        }
        outside.map_or(Ok(()), |(_, error)| Err(error))
    })
}

/// Writes one value where a mask over the dimensions from `dim` on is true.
fn fill_masked(x: &Tensor, dim: usize, mask: &Tensor, value: &Tensor) -> Result<()> {
    if mask.dtype() != DType::Bool {
        fault!(RuntimeError, "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char");
    }
    let (sizes, masked) = (x.sizes(), mask.sizes());
    if let Some(k) = (0..masked.len()).find(|&k| sizes.get(dim + k) != Some(&masked[k])) {
        fault!(
            IndexError,
            "The shape of the mask {:?} at index {k} does not match the shape of the indexed tensor {:?} at index {}",
            masked.as_slice(),
            sizes.as_slice(),
            dim + k
        );
    }
    let behind = x.ndim() - dim - masked.len();
    let layout = mask.layout();
    let strides = layout.strides.iter().copied().chain(std::iter::repeat_n(0, behind)).collect();
    let mask = mask.alias(Layout { sizes: sizes[dim..].into(), strides, offset: layout.offset })?;
    let number = exec::item(value)?;
    let value = exec::empty(&[], x.dtype(), x.device())?;
    exec::fill(&value, number)?;
    if exec::refuse_overlap(x).is_err() {
        return write_where(x, &mask.alias(mask.layout().expand(&x.sizes())?)?, &value);
    }
    exec::map_into(WHERE.scalar, x, &[Operand::Tensor(mask), Operand::Tensor(value), Operand::Tensor(x.clone())], &[])
}
