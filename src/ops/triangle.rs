//! Triangles and diagonals of matrices.

use super::{Args, Form, Op, Operand, exec, op};
use crate::device::{DeviceId, NO_GPU};
use crate::dtype::{DType, Number};
use crate::interrupt;
use crate::layout::{Dims, Layout, MemoryFormat, wrap_dim};
use crate::ops::create::options::ask_gradient;
use crate::ops::pointwise::blend::WHERE;
use crate::tensor::Tensor;
use crate::value::{Device, Value};
use anyhow::Result;

/// A row that copies.
const fn copying(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run))
}

rows![
    copying(
        "tril(Tensor self, SymInt diagonal=0) -> Tensor",
        "The lower triangle: elements above the given diagonal become zero.",
        "torch.ones(2, 2, dtype=torch.int64).tril().tolist()\n# [[1, 0], [1, 1]]",
        |a| Ok(triangle(&a.get(0)?, a.get(1)?, "tril")?.into()),
    )
    .inplace()
        .grads(&[("self", "grad.tril(diagonal)")]).complex(),
    copying(
        "triu(Tensor self, SymInt diagonal=0) -> Tensor",
        "The upper triangle: elements below the given diagonal become zero.",
        "torch.ones(2, 2, dtype=torch.int64).triu().tolist()\n# [[1, 1], [0, 1]]",
        |a| Ok(triangle(&a.get(0)?, a.get(1)?, "triu")?.into()),
    )
    .inplace()
        .grads(&[("self", "grad.triu(diagonal)")]).complex(),
    copying(
        "diag(Tensor self, int diagonal=0) -> Tensor",
        "Of a matrix, a copy of a diagonal; of a 1-d tensor, the matrix that has it as a diagonal.",
        "torch.diag(torch.tensor([1, 2])).tolist()\n# [[1, 0], [0, 2]]",
        diag,
    )
        .grads(&[("self", "grad.diag(diagonal) if self.ndim == 1 else self.new_zeros(self.shape).diagonal_scatter(grad, diagonal)")]).complex(),
    copying(
        "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
        "Matrices that have the last dimension as a diagonal and are zero elsewhere, in dimensions `dim1` and `dim2`.",
        "torch.diag_embed(torch.tensor([[1, 2], [3, 4]])).tolist()\n# [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]",
        |a| Ok(diag_embed(&a.get(0)?, a.get(1)?, a.get(2)?, a.get(3)?)?.into()),
    )
    .no_out()
        .grads(&[("self", "grad.diagonal(offset, dim1, dim2)")]).complex(),
    copying(
        "diagflat(Tensor self, int offset=0) -> Tensor",
        "The matrix that has all elements, in their order, as a diagonal.",
        "torch.diagflat(torch.tensor([[1], [2]])).tolist()\n# [[1, 0], [0, 2]]",
        |a| Ok(diag_embed(&super::reshape::reshape(&a.get(0)?, &[-1])?, a.get(1)?, 0, 1)?.into()),
    )
    .no_out()
        .grads(&[("self", "grad.diagonal(offset).reshape(self.shape)")])
    .complex(),
    copying(
        "tril_indices(int row, int col, int offset=0, *, DType? dtype=None, Device? device=None, Layout? layout=None, bool? pin_memory=None, bool requires_grad=False) -> Tensor",
        "The indices of the lower triangle of a matrix: a row of row numbers and a row of column numbers.",
        "torch.tril_indices(2, 2).tolist()\n# [[0, 1, 1], [0, 0, 1]]",
        |a| triangle_indices(a, "tril_indices", false),
    )
    .function_only()
    .no_out(),
    copying(
        "triu_indices(int row, int col, int offset=0, *, DType? dtype=None, Device? device=None, Layout? layout=None, bool? pin_memory=None, bool requires_grad=False) -> Tensor",
        "The indices of the upper triangle of a matrix: a row of row numbers and a row of column numbers.",
        "torch.triu_indices(2, 2).tolist()\n# [[0, 0, 1], [0, 1, 1]]",
        |a| triangle_indices(a, "triu_indices", true),
    )
    .function_only()
    .no_out(),
];

/// The elements on one side of a diagonal, the others zero.
///
/// Whether an element is kept depends on `column - row` only, so the mask is one short row of truth values that is walked
/// backwards along rows and forwards along columns.
fn triangle(x: &Tensor, diagonal: i64, name: &str) -> Result<Tensor> {
    if x.ndim() < 2 {
        fault!(RuntimeError, "{name}: input tensor must have at least 2 dimensions");
    }
    let sizes = x.sizes();
    let out = exec::empty(&sizes, x.dtype(), x.device())?;
    if out.numel() == 0 {
        return Ok(out);
    }
    let (rows, columns) = (sizes[sizes.len() - 2], sizes[sizes.len() - 1]);
    let keep = |difference: i64| if name == "tril" { difference <= diagonal } else { difference >= diagonal };
    let truths: Vec<u8> = (1 - rows..columns).map(|difference| keep(difference) as u8).collect();
    let row = exec::from_bytes(&truths, &[truths.len() as i64], DType::Bool)?;
    let mask = on_device(&row, x.device())?.alias(Layout::new(&[rows, columns], &[-1, 1], rows - 1))?;
    let operands = [Operand::Tensor(mask), Operand::Tensor(x.clone()), Operand::Number(Number::Bool(false))];
    exec::map_into(WHERE.scalar, &out, &operands, &[])?;
    Ok(out)
}

/// Makes a matrix some of whose elements are one cell a triangle in place: only zeros are written, row by row.
pub(super) fn clear_beside(x: &Tensor, diagonal: i64, name: &str) -> Result<()> {
    if x.ndim() > 2 {
        return (0..x.sizes()[0]).try_for_each(|k| clear_beside(&x.alias(x.layout().select(0, k)?)?, diagonal, name));
    }
    let (rows, columns) = (x.sizes()[0], x.sizes()[1]);
    for row in 0..rows {
        let edge = row.saturating_add(diagonal);
        let (start, end) = if name == "tril" { (edge.saturating_add(1), columns) } else { (0, edge) };
        let (start, end) = (start.clamp(0, columns), end.clamp(0, columns));
        let line = x.layout().select(0, row)?.narrow(0, start, (end - start).max(0))?;
        exec::fill(&x.alias(line)?, Number::Int(0))?;
    }
    Ok(())
}

/// A host tensor where it is needed.
fn on_device(tensor: &Tensor, device: DeviceId) -> Result<Tensor> {
    if device == DeviceId::Cpu {
        return Ok(tensor.clone());
    }
    let there = exec::empty(&tensor.sizes(), tensor.dtype(), device)?;
    exec::copy(&there, tensor)?;
    Ok(there)
}

fn diag(args: &Args) -> Result<Value> {
    let (x, diagonal): (Tensor, i64) = args.take()?;
    Ok(match x.ndim() {
        1 => diag_embed(&x, diagonal, 0, 1)?,
        2 => exec::clone_in(&x.alias(x.layout().diagonal(diagonal, 0, 1)?)?, MemoryFormat::Contiguous)?,
        n if args.target().is_some() => fault!(RuntimeError, "Supports 1D or 2D tensors. Got {n}D"),
        n => fault!(RuntimeError, "diag(): Supports 1D or 2D tensors. Got {n}D"),
    }
    .into())
}

fn diag_embed(x: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    let ndim = x.ndim() + 1;
    let (first, second) = (wrap_dim(dim1, ndim)?, wrap_dim(dim2, ndim)?);
    if first == second {
        fault!(RuntimeError, "diagonal dimensions cannot be identical {dim1}, {dim2}");
    }
    let mut sizes: Dims = x.sizes();
    let Some(length) = sizes.pop() else { fault!(RuntimeError, "diag_embed needs a tensor with a dimension") };
    let side = length.saturating_add(offset.saturating_abs());
    sizes.insert(first.min(second), side);
    sizes.insert(first.max(second), side);
    let out = exec::zeros(&sizes, x.dtype(), x.device())?;
    exec::copy(&out.alias(out.layout().diagonal(offset, dim1, dim2)?)?, x)?;
    Ok(out)
}

/// How many entries the first `rows` rows have on and below the diagonal `offset`, in closed form: a matrix that cannot be held
/// may have more rows than anyone waits for.
fn entries_below(rows: i64, columns: i64, offset: i64) -> i128 {
    let columns = i128::from(columns);
    let before = |row: i128| match row.max(0) {
        row if row <= columns => row * (row - 1) / 2,
        row => (columns * (columns - 1) / 2).saturating_add(columns.saturating_mul(row - columns)),
    };
    let first = i128::from(offset) + 1;
    before(first + i128::from(rows)) - before(first)
}

/// Row and column numbers of the entries on and below a diagonal or, `upper`, on and above it.
fn triangle_indices(args: &Args, name: &str, upper: bool) -> Result<Value> {
    let (rows, columns, offset, dtype, device): (i64, i64, i64, Option<DType>, Option<Device>) = args.take()?;
    for (what, size) in [("row", rows), ("col", columns)] {
        if size < 0 {
            fault!(RuntimeError, "{what} must be non-negative, got{size}");
        }
    }
    if matches!(args.named("pin_memory"), Value::Bool(true)) {
        fault!(RuntimeError, "{NO_GPU}");
    }
    let dtype = dtype.unwrap_or(DType::I64);
    if !matches!(dtype, DType::I32 | DType::I64) {
        fault!(NotImplementedError, "\"{name}\" not implemented for '{}'", dtype.title());
    }
    let below = |offset| entries_below(rows, columns, offset);
    let entries = if upper { i128::from(rows) * i128::from(columns) - below(offset.saturating_sub(1)) } else { below(offset) };
    let Ok(count) = i64::try_from(entries) else {
        fault!(RuntimeError, "Storage size calculation overflowed with sizes=[2, {entries}]");
    };
    exec::require_room(&[2, count], dtype)?;
    // Only rows that have entries are walked over, so that the walk is as long as the result.
    let filled = match columns {
        0 => 0..0,
        _ if upper => 0..columns.saturating_sub(offset).clamp(0, rows),
        _ => offset.saturating_neg().clamp(0, rows)..rows,
    };
    let in_row = |row: i64| match upper {
        true => row.saturating_add(offset).max(0)..columns,
        false => 0..row.saturating_add(offset).saturating_add(1).min(columns),
    };
    let mut stopped = Ok(());
    let indices = exec::made::<i64>(&[2, count], |numbers| {
        let (mut of_rows, mut of_columns) = numbers.split_at_mut(count as usize);
        for row in filled {
            let columns = in_row(row);
            let length = (columns.end - columns.start).max(0) as usize;
            let (now, later) = std::mem::take(&mut of_rows).split_at_mut(length);
            now.fill(row);
            of_rows = later;
            let (now, later) = std::mem::take(&mut of_columns).split_at_mut(length);
            now.iter_mut().zip(columns).for_each(|(to, column)| *to = column);
            of_columns = later;
            stopped = interrupt::check();
            if stopped.is_err() {
                break;
            }
        }
    })?;
    stopped?;
    let indices = exec::cast(&indices, dtype)?;
    if matches!(args.values.last(), Some(Value::Bool(true))) {
        ask_gradient(&indices)?;
    }
    Ok(on_device(&indices, device.map_or(DeviceId::Cpu, |d| d.id))?.into())
}
