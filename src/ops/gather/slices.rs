//! Slices along one dimension by their numbers, and elements by their place in the flattened tensor.

use super::before::{slice_order, walk_order, write_before};
use super::reduce::{Reduce, Rounding, combine_at, reduce_at, scaled};
use super::rows;
use crate::dtype::{DType, Number};
use crate::kernel::indexed::Combine;
use crate::kernel::order::order;
use crate::layout::{Dims, Layout, wrap_dim};
use crate::ops::exec::{self, Places};
use crate::ops::reshape::reshape;
use crate::ops::{Args, Operand, rare};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A 0-d tensor as one of one element, over the same storage.
pub(super) fn at_least_1d(x: &Tensor) -> Result<Tensor> {
    if x.ndim() > 0 { Ok(x.clone()) } else { x.alias(x.layout().unsqueeze(0)?) }
}

/// The 1-d `index` of slices along `dim`, repeated for every element of the slices of a table of this layout.
fn across(table: &Layout, dim: usize, index: &Tensor) -> Result<Tensor> {
    let own = index.layout();
    let mut layout = Layout { sizes: table.sizes.clone(), strides: Dims::from_elem(0, table.ndim()), offset: own.offset };
    layout.sizes[dim] = own.numel();
    layout.strides[dim] = own.strides.first().copied().unwrap_or(0);
    index.alias(layout)
}

/// The walk over a table of this layout whose slices along `dim` are those that the 1-d `index` names.
fn walk(table: &Layout, dim: usize, index: &Tensor) -> Result<Places> {
    Ok(Places::along(table, dim, across(table, dim, index)?))
}

pub(super) fn index_select(args: &Args) -> Result<Value> {
    let (x, dim, index): (Tensor, i64, Tensor) = args.take()?;
    Ok(select_slices(&x, dim, &index)?.into())
}

/// The slices along a dimension that the 1-d `index` names, as a new tensor.
pub fn select_slices(x: &Tensor, dim: i64, index: &Tensor) -> Result<Tensor> {
    let dim = wrap_dim(dim, x.ndim())?;
    if index.ndim() > 1 {
        fault!(IndexError, "index_select(): Index is supposed to be a vector");
    }
    if x.ndim() == 0 && index.numel() != 1 {
        fault!(RuntimeError, "index_select(): Index to scalar can have only 1 value, got {} value(s)", index.numel());
    }
    if !matches!(index.dtype(), DType::I64 | DType::I32) {
        fault!(RuntimeError, "index_select(): Expected dtype int32 or int64 for index");
    }
    let table = at_least_1d(x)?;
    let size = table.sizes()[dim];
    let outside = |i: i64| match table.numel() {
        _ if x.ndim() <= 1 => err!(IndexError, "index out of range in self"),
        0 if size == 0 => err!(RuntimeError, "index_select(): self indexing axis dim should be positive"),
        numel if numel == 0 || dim == 1 => err!(RuntimeError, "INDICES element is out of DATA bounds, id={i} axis_dim={size}"),
        _ => err!(IndexError, "index out of range in self"),
    };
    let index = exec::checked_indices(index, 0, size, outside)?;
    let places = walk(&table.layout(), dim, &at_least_1d(&index)?)?;
    let out = exec::empty(&places.sizes, x.dtype(), x.device())?;
    exec::read_at(&table, &places, &out)?;
    if x.ndim() == 0 { out.alias(out.layout().squeeze()) } else { Ok(out) }
}

/// What a row that writes slices has been given, checked.
struct Slices {
    dim: usize,
    index: Tensor,
    source: Tensor,
}

/// The index and the source of `index_add` and `index_reduce`, which check alike.
fn slices(name: &str, x: &Tensor, args: &Args) -> Result<Slices> {
    let (_, dim, index, source): (Tensor, i64, Tensor, Tensor) = args.take()?;
    let dim = wrap_dim(dim, x.ndim())?;
    if index.ndim() > 1 {
        fault!(
            IndexError,
            "{name}_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {:?}",
            index.ndim(),
            index.dtype().title(),
            index.sizes().as_slice()
        );
    }
    if !matches!(index.dtype(), DType::I64 | DType::I32) {
        fault!(RuntimeError, "{name}_(): Expected dtype int32/int64 for index but got: {}", index.dtype().title());
    }
    if x.dtype() != source.dtype() {
        fault!(
            RuntimeError,
            "{name}_(): self ({}) and source ({}) must have the same scalar type",
            x.dtype().title(),
            source.dtype().title()
        );
    }
    if dim > 0 && dim >= source.ndim() {
        fault!(RuntimeError, "{name}_(): Indexing dim {dim} is out of bounds of the source tensor with dim {}", source.ndim());
    }
    if source.ndim() == 0 && index.numel() != 1 {
        fault!(IndexError, "Dimension specified as 0 but tensor has no dimensions");
    }
    let (to, from) = (x.sizes(), source.sizes());
    let count = from.get(dim).copied().unwrap_or(1);
    if index.numel() != count {
        fault!(
            RuntimeError,
            "{name}_(): Number of indices ({}) should be equal to source.size(dim): ({count}), for dim: {dim}",
            index.numel()
        );
    }
    let rest = |sizes: &Dims| sizes.iter().enumerate().filter(|(k, _)| *k != dim).map(|(_, n)| *n).collect::<Dims>();
    if rest(&to) != rest(&from) || to.len() != from.len() {
        fault!(
            RuntimeError,
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {:?} source.shape = {:?}",
            to.as_slice(),
            from.as_slice()
        );
    }
    exec::refuse_overlap(x)?;
    for read in [&index, &source] {
        exec::refuse_shared(x, read)?;
    }
    Ok(Slices { dim, index: at_least_1d(&index)?, source: at_least_1d(&source)? })
}

pub(super) fn index_add(x: &Tensor, args: &Args) -> Result<()> {
    let Slices { dim, index, source } = slices("index_add", x, args)?;
    let table = at_least_1d(x)?;
    let size = table.sizes()[dim];
    let alpha: Number = args.get(4)?;
    // PyTorch adds along an outer dimension by scattering, which says it in its own words.
    let outer = x.ndim() > 1 && (dim == 0 || dim + 1 == x.ndim());
    let scatters = outer && index.dtype() == DType::I64 && matches!(alpha, Number::Int(1));
    let outside = |i: i64| match scatters {
        true => err!(RuntimeError, "index {i} is out of bounds for dimension {dim} with size {size}"),
        false => err!(IndexError, "index out of range in self"),
    };
    if x.ndim() > 1 && (source.numel() == 0 || table.numel() == 0) {
        return Ok(());
    }
    match (x.ndim() > 1, scatters) {
        (true, true) if rare::is_float8(x.dtype()) => lacks("scatter_gather_tensor_cpu", x)?,
        (true, false) if rare::is_rare(x.dtype()) => lacks("add_stub", x)?,
        (false, _) if rare::is_rare(x.dtype()) && x.numel() > 0 => lacks("index_add_", x)?,
        _ => {}
    }
    let rounding = if scatters { Rounding::Once } else { Rounding::Each };
    let checked = exec::checked_indices(&index, 0, size, outside);
    let values = match (scaled(&source, alpha), &checked) {
        // Of one dimension the factor is looked at first.
        (Err(_), Err(_)) if x.ndim() > 1 => return checked.map(|_| ()),
        (values, _) => values?,
    };
    let add = |x: &Tensor, dim: usize, index: Tensor, values: &Tensor| {
        combine_at(x, |layout| Places::along(layout, dim, index.clone()), values, Combine::Add, rounding)
    };
    let spread = across(&table.layout(), dim, &index)?;
    match checked {
        Ok(index) if matches!(alpha, Number::Int(1)) && rows::add(&table, dim, &index, &source)? => Ok(()),
        Ok(index) => add(&table, dim, across(&table.layout(), dim, &index)?, &values),
        Err(_) => {
            let operands = [&*table.layout(), &values.layout(), &spread.layout()];
            let order = if scatters { walk_order(dim, &spread.sizes(), &operands) } else { slice_order(table.ndim(), dim) };
            Err(outside(write_before(&table, dim, &spread, &values, &order, &add)?))
        }
    }
}

pub(super) fn index_reduce(x: &Tensor, args: &Args) -> Result<()> {
    let (reduce, include_self): (String, bool) = (args.get(4)?, args.get(5)?);
    let how = match Reduce::named(&reduce) {
        Some(how) if how != Reduce::Sum => how,
        _ => fault!(RuntimeError, "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."),
    };
    let Slices { dim, index, source } = slices("index_reduce", x, args)?;
    if !include_self && (x.dtype().is_complex() || x.dtype() == DType::Bool) {
        fault!(NotImplementedError, "\"index_reduce_func_exclude_input_init\" not implemented for '{}'", x.dtype().title());
    }
    if x.ndim() <= 1 && (x.dtype().is_complex() || x.dtype() == DType::Bool) {
        fault!(NotImplementedError, "\"index_func_\" not implemented for '{}'", x.dtype().title());
    }
    if index.numel() == 0 {
        return Ok(());
    }
    if how == Reduce::Mean && x.ndim() > 1 && matches!(x.dtype(), DType::U16 | DType::U32 | DType::U64) {
        lacks("add_stub", x)?;
    }
    if x.dtype().is_complex() && matches!(how, Reduce::Amax | Reduce::Amin) {
        let name = if how == Reduce::Amax { "maximum" } else { "minimum" };
        fault!(NotImplementedError, "\"{name}_cpu\" not implemented for '{}'", x.dtype().title());
    }
    if x.dtype() == DType::Bool && how == Reduce::Mean {
        fault!(NotImplementedError, "\"div_floor_cpu\" not implemented for 'Bool'");
    }
    let table = at_least_1d(x)?;
    if !include_self {
        walked_in_place(&table, dim, index.numel())?;
    }
    let size = table.sizes()[dim];
    if size == 0 && x.ndim() > 1 {
        fault!(IndexError, "select(): index 0 out of range for tensor of size {:?} at dimension {dim}", x.sizes().as_slice());
    }
    let reduce = |x: &Tensor, dim: usize, index: Tensor, values: &Tensor| {
        reduce_at(x, |layout| Places::along(layout, dim, index.clone()), values, how, include_self, Rounding::Each)
    };
    let spread = across(&table.layout(), dim, &index)?;
    let outside = |_| err!(IndexError, "index out of range in self");
    if !include_self && table.numel() > 0 {
        // What is there is filled before, where places may be counted from the end.
        let beyond = |i: i64| err!(IndexError, "index {i} is out of bounds for dimension {dim} with size {size}");
        exec::checked_indices(&index, -size, size, beyond)?;
    }
    match exec::checked_indices(&index, 0, size, outside) {
        Ok(index) => reduce(&table, dim, across(&table.layout(), dim, &index)?, &source),
        Err(error) if how == Reduce::Mean || !include_self => Err(error),
        Err(error) => {
            write_before(&table, dim, &spread, &source, &slice_order(table.ndim(), dim), &reduce)?;
            Err(error)
        }
    }
}

pub(super) fn index_copy(x: &Tensor, args: &Args) -> Result<()> {
    let (_, dim, index, source): (Tensor, i64, Tensor, Tensor) = args.take()?;
    let dim = wrap_dim(dim, x.ndim())?;
    exec::refuse_overlap(x)?;
    for read in [&index, &source] {
        exec::refuse_shared(x, read)?;
    }
    check_copy(x, dim, &index, &source)?;
    let (table, source, index) = (at_least_1d(x)?, at_least_1d(&source)?, at_least_1d(&index)?);
    if source.numel() == 0 {
        return Ok(());
    }
    walked_in_place(&table, dim, index.numel())?;
    let size = table.sizes()[dim];
    let outside = |i: i64| err!(IndexError, "index_copy_(): index {i} is out of bounds for dimension {dim} with size {size}");
    let assign = |x: &Tensor, dim: usize, index: Tensor, values: &Tensor| {
        exec::write_at(x, &Places::along(&x.layout(), dim, index), values)
    };
    let spread = across(&table.layout(), dim, &index)?;
    match exec::checked_indices(&index, 0, size, outside) {
        Ok(index) if rows::copy(&table, dim, &index, &source)? => Ok(()),
        Ok(index) => exec::write_at(&table, &walk(&table.layout(), dim, &index)?, &source),
        Err(_) => {
            let order: Vec<usize> = (0..table.ndim()).collect();
            Err(outside(write_before(&table, dim, &spread, &source, &order, &assign)?))
        }
    }
}

/// Sizes as PyTorch streams them.
fn spoken(sizes: &Dims) -> String {
    sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
}

fn check_copy(x: &Tensor, dim: usize, index: &Tensor, source: &Tensor) -> Result<()> {
    let (to, from) = (x.sizes(), source.sizes());
    if index.ndim() >= 2 {
        fault!(IndexError, "index_copy_(): Index should have dimension 1 or 0 (got {})", index.ndim());
    }
    if source.ndim() == 0 && index.numel() != 1 {
        fault!(IndexError, "index_copy_(): When source is scalar, index should have one element (got {})", index.numel());
    }
    if source.ndim() != x.ndim() && source.ndim() != 0 && x.ndim() != 0 {
        fault!(
            IndexError,
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality ({}), destination dimensionality ({})",
            source.ndim(),
            x.ndim()
        );
    }
    if index.dtype() != DType::I64 {
        fault!(RuntimeError, "index_copy_(): Expected a long tensor for index, but got {}", index.dtype().title());
    }
    if x.dtype() != source.dtype() {
        fault!(
            RuntimeError,
            "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
            x.dtype().title(),
            source.dtype().title()
        );
    }
    let rest = |sizes: &Dims| sizes.iter().enumerate().filter(|(k, _)| *k != dim).map(|(_, n)| *n).collect::<Dims>();
    if rest(&to) != rest(&from) {
        fault!(
            RuntimeError,
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {} at dimension {dim} and source slice shape: {} at dimension 0.",
            spoken(&rest(&to)),
            spoken(&rest(&from))
        );
    }
    match from.get(dim) {
        Some(size) if *size != index.numel() => fault!(
            IndexError,
            "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({size})",
            index.numel()
        ),
        _ => Ok(()),
    }
}

pub(super) fn index_fill(x: &Tensor, args: &Args) -> Result<()> {
    let (_, dim, index, value): (Tensor, i64, Tensor, Operand) = args.take()?;
    let value = number_of("index_fill_", value)?;
    if index.dtype() != DType::I64 {
        fault!(IndexError, "index_fill_(): Expected dtype int64 for index.");
    }
    refuse_complex(x, value)?;
    let dim = wrap_dim(dim, x.ndim())?;
    if index.ndim() > 1 {
        fault!(RuntimeError, "Index has to be a vector/scalar");
    }
    fill_slices(&at_least_1d(x)?, dim, &at_least_1d(&index)?, value)
}

/// The table as PyTorch walks it to write `count` slices along `dim`: all of them in one place. Fails with a `RuntimeError` where the
/// storage has no room for that one.
fn walked_in_place(table: &Tensor, dim: usize, count: i64) -> Result<Tensor> {
    let mut rows = Layout::clone(&table.layout());
    rows.sizes[dim] = count;
    rows.strides[dim] = 0;
    table.alias(rows)
}

/// Fails with a `RuntimeError` for a complex number where numbers are not complex.
fn refuse_complex(table: &Tensor, value: Number) -> Result<()> {
    if matches!(value, Number::Complex(_)) && !table.dtype().is_complex() {
        fault!(RuntimeError, "index_fill_(): Converting complex Scalar to non-complex type is not supported");
    }
    Ok(())
}

/// Writes a number to the slices along `dim` that the 1-d `index` names.
///
/// Fails with a `RuntimeError` for a number that the dtype cannot hold and for more slices than the storage has room for, with an
/// `IndexError` for a slice that is not there.
pub fn fill_slices(table: &Tensor, dim: usize, index: &Tensor, value: Number) -> Result<()> {
    exec::refuse_shared(table, index)?;
    refuse_complex(table, value)?;
    let (size, walked) = (table.sizes()[dim], walked_in_place(table, dim, index.numel())?);
    if rare::is_rare(table.dtype()) {
        lacks("index_fill_cpu", table)?;
    }
    let number = exec::number(value, table.dtype(), table.device())?;
    if walked.numel() == 0 {
        return Ok(());
    }
    let outside = |i: i64| err!(IndexError, "index {i} is out of bounds for dimension {dim} with size {size}");
    let write = |table: &Tensor, index: &Tensor| {
        let places = walk(&table.layout(), dim, index)?;
        exec::write_at(table, &places, &number.alias(number.layout().expand(&places.sizes)?)?)
    };
    let error = match exec::checked_indices(index, -size, size, outside) {
        Ok(index) => return write(table, &index),
        Err(error) => error,
    };
    // What comes before a place out of range is written, as in PyTorch.
    let inside = exec::read_vec::<i64>(index)?.iter().take_while(|i| (-size..size).contains(*i)).count();
    let mut first = Layout::clone(&table.layout());
    first.sizes[..dim].fill(1);
    let before = exec::checked_indices(&index.alias(index.layout().narrow(0, 0, inside as i64)?)?, -size, size, outside)?;
    write(&table.alias(first)?, &before)?;
    Err(error)
}

fn lacks(kernel: &str, x: &Tensor) -> Result<()> {
    fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", x.dtype().title())
}

/// The number an operand stands for; a tensor must be 0-d.
pub(super) fn number_of(name: &str, value: Operand) -> Result<Number> {
    match value {
        Operand::Number(n) => Ok(n),
        Operand::Tensor(t) if t.ndim() == 0 => exec::item(&t),
        Operand::Tensor(t) => fault!(
            RuntimeError,
            "{name} only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            t.ndim()
        ),
    }
}

/// The walk over the elements that `index` names in the flattened form of a tensor, were it contiguous.
fn flat(name: &str, x: &Tensor, index: &Tensor) -> Result<Places> {
    if index.dtype() != DType::I64 {
        fault!(RuntimeError, "{name}(): Expected a long tensor for index, but got {}", index.dtype().title());
    }
    let numel = x.numel();
    if numel == 0 && index.numel() > 0 {
        match name {
            "put_" => fault!(IndexError, "put_(): Tried to put elements into an empty tensor"),
            _ => fault!(IndexError, "{name}(): tried to take from an empty tensor"),
        }
    }
    let outside = |i: i64| err!(IndexError, "out of range: tried to access index {i} on a tensor of {numel} elements.");
    let index = exec::checked_indices(index, -numel, numel, outside)?;
    let strides = Dims::from_elem(0, index.ndim());
    let sizes = index.sizes();
    Ok(Places { sizes, strides, start: 0, picks: [exec::Pick { index, size: numel, stride: 1 }].into_iter().collect() })
}

/// The cells behind a view as one line, and in `places` where its elements are in it.
fn line(x: &Tensor, places: &mut Places) -> Result<Tensor> {
    let (layout, numel) = (x.layout(), x.numel());
    let mut size = 0;
    for pick in &mut places.picks {
        let cell = |i: i64| layout.nth_cell(i.rem_euclid(numel)) - layout.offset;
        let cells: Vec<i64> = exec::read_vec::<i64>(&pick.index)?.into_iter().map(cell).collect();
        size = cells.iter().max().map_or(0, |last| last + 1);
        *pick = exec::Pick { index: exec::from_vec(&cells, &pick.index.sizes())?, size, stride: 1 };
    }
    x.alias(Layout::new(&[size], &[1], layout.offset))
}

pub(super) fn take(args: &Args) -> Result<Value> {
    let (x, index): (Tensor, Tensor) = args.take()?;
    let mut places = flat("take", &x, &index)?;
    // Where few are taken from a view, nothing is copied to find them.
    let few = index.numel() < x.numel() / 16 && !x.layout().is_contiguous();
    let table = if few { line(&x, &mut places)? } else { exec::contiguous(&x)? };
    let out = exec::empty(&places.sizes, x.dtype(), x.device())?;
    exec::read_at(&table, &places, &out)?;
    Ok(out.into())
}

/// Sources and their places as two lines, in the order in which elementwise operations walk them: of two for one place the last one
/// stays.
fn in_order_of_source(source: &Tensor, index: &Tensor) -> Result<[Tensor; 2]> {
    let layouts = [source.layout(), index.layout()];
    let inner_first = order(&layouts[0].sizes, layouts.iter().map(|l| l.strides.as_slice()));
    let order: Vec<i64> = inner_first.iter().rev().map(|dim| *dim as i64).collect();
    let line = |t: &Tensor| reshape(&t.alias(t.layout().permute(&order)?)?, &[-1]);
    Ok([line(source)?, line(index)?])
}

pub(super) fn put(x: &Tensor, args: &Args) -> Result<()> {
    let (_, index, source, accumulate): (Tensor, Tensor, Tensor, bool) = args.take()?;
    if index.dtype() != DType::I64 {
        fault!(RuntimeError, "put_(): Expected a long tensor for index, but got {}", index.dtype().title());
    }
    if x.dtype() != source.dtype() {
        fault!(
            RuntimeError,
            "put_(): self and source expected to have the same dtype, but got self.dtype = {} and source.dtype = {}",
            x.dtype().title(),
            source.dtype().title()
        );
    }
    if index.numel() != source.numel() {
        fault!(
            IndexError,
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = {}, index.numel() = {}",
            source.numel(),
            index.numel()
        );
    }
    exec::refuse_overlap(x)?;
    exec::refuse_shared(x, &source)?;
    exec::refuse_shared(x, &index)?;
    let [source, index] = in_order_of_source(&source, &reshape(&index, &source.sizes())?)?;
    let write = |count: i64| {
        let part = |t: &Tensor| t.alias(t.layout().narrow(0, 0, count)?);
        let (mut places, source) = (flat("put_", x, &part(&index)?)?, part(&source)?);
        let table = if x.layout().is_contiguous() { x.clone() } else { line(x, &mut places)? };
        match accumulate {
            true => exec::combine_at(&table, &places, &source, Combine::Add),
            false => exec::write_at(&table, &places, &source),
        }
    };
    let numel = x.numel();
    match flat("put_", x, &index) {
        Err(error) if numel > 0 => {
            // What comes before a place out of range is written, as in PyTorch.
            let inside = exec::read_vec::<i64>(&index)?.iter().take_while(|i| (-numel..numel).contains(*i)).count();
            write(inside as i64)?;
            Err(error)
        }
        Err(error) => Err(error),
        Ok(_) => write(index.numel()),
    }
}
