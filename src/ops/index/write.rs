//! `x[…] = v` and `index_put`.

use super::advanced::{Selection, require_mask};
use super::items::{Found, Pick};
use super::sequence::is_mask;
use super::{SETITEM, Tensor, Value};
use crate::dtype::{DType, Number};
use crate::kernel::indexed::Combine;
use crate::layout::{Layout, wrap_dim};
use crate::ops::bind::too_big;
use crate::ops::gather::{fill_slices, write_where};
use crate::ops::pointwise::blend::WHERE;
use crate::ops::product::stretched;
use crate::ops::{Args, FromValue, Operand, autograd, exec, guard, rare, run};
use crate::settings;
use crate::value::Class;
use anyhow::Result;

/// `x[index] = value`.
///
/// Fails as [`get`](super::get) does, with a `TypeError` for a value that is neither a tensor nor a number, and with a
/// `RuntimeError` when its size or dtype does not fit.
pub fn set(x: &Tensor, index: &Value, value: &Value) -> Result<()> {
    let Some(node) = write(x, index, value)? else { return Ok(()) };
    run::note_changed(x);
    run::conclude(SETITEM, x, &[index, value], &Value::Tensor(x.clone()), node)
}

/// `x.__setitem__(index, value)`: as [`set`], for a call that is noted as every other is.
pub(super) fn by_method(args: &Args) -> Result<()> {
    let x: Tensor = args.get(0)?;
    let node = write(&x, args.value(1), args.value(2))?;
    let asks = args.any_tensor(Tensor::requires_grad) && settings::with(|s| s.grad_enabled);
    if let Some(node) = node.filter(|_| asks && (x.dtype().is_float() || x.dtype().is_complex())) {
        autograd::write_recorded(args, node);
    }
    Ok(())
}

/// Writes, and gives the name of the gradient node; none where nothing is to be written.
pub(super) fn write(x: &Tensor, index: &Value, value: &Value) -> Result<Option<&'static str>> {
    if x.is_sparse() {
        fault!(TypeError, "Cannot assign to a sparse tensor");
    }
    let value = operand_of(x, value)?;
    let mut found = Found::all(x);
    found.apply(index)?;
    if let Value::Bool(true) = index {
        // A view with one more dimension, as of `None`.
        found = Found::all(x);
        found.apply(&Value::None)?;
    }
    // Of one element a view may lie as the tensor does.
    let is_view = found.layout != *x.layout() || matches!(found.node, "SelectBackward0" | "UnsqueezeBackward0");
    let view = if is_view { x.alias(found.layout)? } else { x.clone() };
    let is_number = matches!(&value, Operand::Tensor(t) if t.ndim() == 0);
    let value = match value {
        Operand::Tensor(value) if found.picks.is_empty() => Operand::Tensor(spread(&value, &view)?),
        other => other,
    };
    if let Value::Bool(false) = index {
        return Ok(None);
    }
    match (&value, &found.picks[..]) {
        (Operand::Number(_), [Pick { dim, index }]) if is_mask(index) => require_mask(&view.sizes(), *dim, index)?,
        (Operand::Number(_), [Pick { index, .. }]) if fills_slices(&view, index) => {}
        (Operand::Number(number), [_, ..]) if x.requires_grad() => exec::check_fits(*number, x.dtype())?,
        _ => {}
    }
    guard::refuse_leaf_write(x, is_view.then(|| found.node.trim_end_matches("Backward0")))?;
    let node = match (&value, &found.picks[..]) {
        _ if is_view => "CopySlices",
        (Operand::Number(_), []) => "FillBackward2",
        (Operand::Tensor(_), []) if is_number && x.ndim() > 0 => "FillBackward3",
        (_, []) => "torch::autograd::CopyBackwards",
        (Operand::Number(_), [Pick { index, .. }]) if is_mask(index) => "MaskedFillBackward0",
        (Operand::Number(_), [Pick { index, .. }]) if fills_slices(&view, index) => "IndexFillBackward0",
        _ => "IndexPutBackward0",
    };
    match (value, found.picks.is_empty()) {
        (Operand::Number(number), true) => exec::fill(&view, number)?,
        (Operand::Tensor(value), true) => exec::copy(&view, &value)?,
        (Operand::Number(number), _) => put_number(&view, &found.picks, number)?,
        (Operand::Tensor(value), _) => index_put(&view, &found.picks, &without_leading_ones(&value)?, false)?,
    }
    Ok(Some(node))
}

/// True where a number is written to whole slices, which are named by one index.
fn fills_slices(x: &Tensor, index: &Tensor) -> bool {
    index.dtype() == DType::I64 && !rare::is_float8(x.dtype())
}

/// Writes a number where the picks point. PyTorch has ways of its own for one mask and for one tensor of int64.
fn put_number(x: &Tensor, picks: &[Pick], number: Number) -> Result<()> {
    match picks {
        [Pick { dim, index: mask }] if is_mask(mask) => fill_masked(x, *dim, mask, Operand::Number(number)),
        [Pick { dim, index }] if fills_slices(x, index) => {
            let line = exec::contiguous(index)?;
            let line = line.alias(line.layout().view(&[line.numel()])?)?;
            exec::through_marks(x, |x| fill_slices(x, *dim, &line, number))
        }
        _ => {
            let value = exec::empty(&[], x.dtype(), x.device())?;
            exec::fill(&value, number)?;
            index_put(x, picks, &value, false)
        }
    }
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
    stretched(&value, &view.sizes())
}

/// Leading sizes of 1 of a value do not count.
fn without_leading_ones(value: &Tensor) -> Result<Tensor> {
    let sizes = value.sizes();
    let ones = sizes.iter().take_while(|s| **s == 1).count();
    if ones == 0 { Ok(value.clone()) } else { value.alias(value.layout().view(&sizes[ones..])?) }
}

/// What is written: a tensor or a number.
fn operand_of(x: &Tensor, value: &Value) -> Result<Operand> {
    match value {
        Value::Int(..0) if x.dtype() == DType::U64 => fault!(OverflowError, "can't convert negative int to unsigned"),
        Value::BigInt(n) if x.dtype() == DType::U64 => match u64::try_from(&**n) {
            Ok(n) => return Ok(Operand::Number(Number::Unsigned(n))),
            Err(_) => return Err(too_big(n)),
        },
        Value::BigInt(_) => fault!(ValueError, "Overflow when unpacking long long"),
        _ => {}
    }
    // Numbers of numpy's that are Python's too, and all that are whole.
    if let Value::Object(object) = value
        && object.class() != Some(Class::NdArray)
        && let Some(number) = object.as_array()
        && (number.dtype().is_integral(false) || matches!(number.dtype(), DType::F64 | DType::C128))
    {
        return Ok(Operand::Number(exec::item(&number)?));
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
    if indices.len() > x.ndim() {
        fault!(IndexError, "too many indices for tensor of dimension {} (got {})", x.ndim(), indices.len());
    }
    if indices.is_empty() {
        refuse_no_indices(x, accumulate)?;
    }
    let mut picks = vec![];
    let mut dim = 0;
    for index in indices {
        let width = index.as_ref().filter(|i| is_mask(i)).map_or(1, Tensor::ndim);
        picks.extend(index.map(|index| Pick { dim, index }));
        dim += width;
    }
    if dim > x.ndim() {
        // The first size that does not fit comes before the dimension that is not there.
        let mut masks = picks.iter().filter(|pick| is_mask(&pick.index));
        masks.try_for_each(|pick| require_mask(&x.sizes(), pick.dim, &pick.index))?;
        wrap_dim(x.ndim() as i64, x.ndim())?;
    }
    index_put(x, &picks, &values, accumulate)
}

/// Without any indices PyTorch stumbles over the tensor that it makes of them.
fn refuse_no_indices(x: &Tensor, accumulate: bool) -> Result<()> {
    match (accumulate, x.ndim()) {
        (true, _) => fault!(
            RuntimeError,
            "ntensor >= 3 INTERNAL ASSERT FAILED at \"/__w/pytorch/pytorch/aten/src/ATen/native/cpu/IndexKernelUtils.h\":8, please report a bug to PyTorch."
        ),
        (false, 0) => {
            fault!(RuntimeError, "masked_fill_ only supports boolean masks, but got mask with dtype nullptr (uninitialized)")
        }
        (false, _) => fault!(RuntimeError, "sym_strides() called on an undefined Tensor"),
    }
}

/// Writes `values` where the picks point, or adds them there.
fn index_put(x: &Tensor, picks: &[Pick], values: &Tensor, accumulate: bool) -> Result<()> {
    if let ([Pick { dim, index: mask }], false, 1) = (picks, accumulate, values.numel())
        && is_mask(mask)
    {
        return fill_masked(x, *dim, mask, Operand::Tensor(values.clone()));
    }
    let values = &exec::resolve(values)?;
    for tensor in picks.iter().map(|p| &p.index).chain([values]) {
        exec::refuse_shared(x, tensor)?;
    }
    exec::through_marks(x, |x| {
        let selection = Selection::new(x, picks)?;
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
        if matches!(x.dtype(), DType::U16 | DType::U32 | DType::U64) {
            fault!(NotImplementedError, "\"index_put\" not implemented for '{}'", x.dtype().title());
        }
        // What comes before a place out of range is written, as in PyTorch.
        let (parts, outside) = selection.until_outside()?;
        for part in parts.iter().filter(|part| !part.places.sizes.contains(&0)) {
            let values = values.alias(part.of(&layout)?)?;
            match accumulate {
                true => exec::combine_at(x, &part.places, &values, Combine::Add)?,
                false => exec::write_at(x, &part.places, &values)?,
            }
        }
        outside.map_or(Ok(()), Err)
    })
}

/// Writes one value where a mask over the dimensions from `dim` on is true.
fn fill_masked(x: &Tensor, dim: usize, mask: &Tensor, value: Operand) -> Result<()> {
    let sizes = x.sizes();
    require_mask(&sizes, dim, mask)?;
    if mask.dtype() != DType::Bool {
        fault!(RuntimeError, "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char");
    }
    if rare::is_rare(x.dtype()) && (x.numel() > 0 || matches!(value, Operand::Number(_))) {
        fault!(NotImplementedError, "\"masked_fill\" not implemented for '{}'", x.dtype().title());
    }
    let behind = x.ndim() - dim - mask.ndim();
    let layout = mask.layout();
    let strides = layout.strides.iter().copied().chain(std::iter::repeat_n(0, behind)).collect();
    let mask = mask.alias(Layout { sizes: sizes[dim..].into(), strides, offset: layout.offset })?;
    let number = match value {
        Operand::Number(number) => number,
        Operand::Tensor(value) => exec::item(&value)?,
    };
    let value = exec::number(number, x.dtype(), x.device())?;
    if exec::refuse_overlap(x).is_err() {
        return write_where(x, &mask.alias(mask.layout().expand(&x.sizes())?)?, &value);
    }
    exec::map_into(WHERE.scalar, x, &[Operand::Tensor(mask), Operand::Tensor(value), Operand::Tensor(x.clone())], &[])
}
