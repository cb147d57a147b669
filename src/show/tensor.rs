//! The text of a tensor, as PyTorch's `repr`: columns, wrapped rows, summaries and suffixes.
//!
//! Only the elements that are shown are read, so a tensor of any size is shown in constant time once it is summarised.

use super::column::Column;
use super::doc::{Doc, Style};
use super::elements::{Shown, View};
use super::number;
use super::object;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::interrupt;
use crate::settings::PrintOptions;
use crate::tensor::{Form, Sparse, SparseKind, Strided, Tensor};
use anyhow::Result;

/// `tensor(`: what continuation lines are indented by.
const HEAD: &str = "tensor(";
/// A text longer than this many characters is refused: it would fill the memory before it could be read.
const LONGEST: f64 = 1e9;

/// The text of a tensor.
///
/// `default` is the default float dtype, which is not mentioned. Fails with a `ValueError` for a precision that is none, with a `TypeError` for another option that is no number, with a
/// `MemoryError` when the text would not fit in memory, and with `KeyboardInterrupt` when a stop was asked for.
pub fn repr(tensor: &Tensor, options: &PrintOptions, default: DType) -> Result<String> {
    Ok(doc(tensor, options, default)?.into_text())
}

/// [`repr`] with styles.
pub fn doc(tensor: &Tensor, options: &PrintOptions, default: DType) -> Result<Doc> {
    let mut doc = Doc::new();
    let marks = tensor.grad();
    if marks.waits {
        doc.push(Style::Plain, if marks.parameter { "<UninitializedParameter>" } else { "<UninitializedBuffer>" });
        return Ok(doc);
    }
    if marks.parameter {
        doc.push(Style::Plain, "Parameter containing:\n");
    }
    doc.push(Style::Plain, HEAD);
    match tensor.form()? {
        Form::Sparse(sparse) => write_parts(&mut doc, &sparse, options)?,
        Form::Strided(_) if tensor.device() == DeviceId::Meta => {
            doc.push(Style::Plain, "...");
        }
        Form::Strided(strided) => {
            let text = body(&strided, tensor.dtype(), HEAD.len(), options)?;
            doc.extend(Style::Plain, |out| out.push_str(&text));
        }
    }
    let break_first = tensor.sparse().is_some_and(|s| s.kind == SparseKind::Coo);
    write_suffixes(&mut doc, &suffixes(tensor, options, default), options.linewidth, break_first);
    doc.push(Style::Plain, ")");
    Ok(doc)
}

/// The tensors a sparse one is made of: `indices=tensor(…)`, `values=tensor(…)`.
fn write_parts(doc: &mut Doc, sparse: &Sparse, options: &PrintOptions) -> Result<()> {
    for (k, (name, part)) in sparse.kind.parts().iter().zip(sparse.indices.iter().chain([&sparse.values])).enumerate() {
        if k > 0 {
            doc.push(Style::Plain, ",\n").push(Style::Plain, &" ".repeat(HEAD.len()));
        }
        let head = format!("{name}={HEAD}");
        let text = body(&part.strided()?, part.dtype(), HEAD.len() + head.len(), options)?;
        doc.push(Style::Plain, &head).push(Style::Plain, &text);
        if part.numel() == 0 {
            doc.push(Style::Note, &format!(", size={}", object::tuple(&part.sizes())));
        }
        doc.push(Style::Plain, ")");
    }
    Ok(())
}

/// What is said after the elements, in order.
fn suffixes(tensor: &Tensor, options: &PrintOptions, default: DType) -> Vec<String> {
    let (sizes, dtype, device) = (tensor.sizes(), tensor.dtype(), tensor.device());
    let (meta, empty, sparse) = (device == DeviceId::Meta, tensor.numel() == 0, tensor.sparse());
    let mut list = Vec::new();
    if device != DeviceId::Cpu {
        list.push(format!("device='{device}'"));
    }
    let sized = if empty { sizes.len() != 1 } else { options.edgeitems == 0 };
    if sparse.is_some() || meta || sized {
        list.push(format!("size={}", object::tuple(&sizes)));
    }
    if let Some(sparse) = &sparse {
        list.push(format!("nnz={}", sparse.stored()));
    }
    let expected = if (empty || meta) && sparse.is_none() {
        dtype == default
    } else {
        let complex = if default == DType::F64 { DType::C128 } else { DType::C64 };
        dtype == default || dtype == complex || matches!(dtype, DType::I64 | DType::Bool)
    };
    if !expected {
        list.push(format!("dtype={dtype}"));
    }
    if let Some(sparse) = &sparse {
        list.push(format!("layout={}", object::sparse_layout(sparse.kind)));
    }
    match tensor.maker_name() {
        Some(name) => list.push(format!("grad_fn=<{name}>")),
        None if tensor.requires_grad() => list.push("requires_grad=True".to_string()),
        None => {}
    }
    list
}

/// Appends suffixes, each on the line if it fits.
fn write_suffixes(doc: &mut Doc, list: &[String], linewidth: i64, mut break_next: bool) {
    let last = doc.text().rsplit('\n').next().unwrap_or_default();
    let mut used = last.chars().count() as i64 + 2;
    for suffix in list {
        let length = suffix.len() as i64;
        if break_next || used + length + 2 > linewidth {
            doc.push(Style::Plain, ",\n").push(Style::Plain, &" ".repeat(HEAD.len()));
            used = HEAD.len() as i64 + length;
            break_next = false;
        } else {
            doc.push(Style::Plain, ", ");
            used += length + 2;
        }
        doc.push(Style::Note, suffix);
    }
}

/// The elements in their brackets. `indent` is the column of the first bracket.
fn body(strided: &Strided, dtype: DType, indent: usize, options: &PrintOptions) -> Result<String> {
    if strided.layout.sizes.contains(&0) {
        return Ok("[]".to_string());
    }
    if let Some(odd) = &options.odd_threshold {
        fault!(TypeError, "'>' not supported between instances of 'int' and '{odd}'");
    }
    if let (Some(odd), true) = (&options.odd_linewidth, strided.layout.ndim() > 0) {
        fault!(TypeError, "unsupported operand type(s) for -: '{odd}' and 'int'");
    }
    if let (Some(width), true) = (options.endless_linewidth, strided.layout.ndim() > 0) {
        match width.is_nan() {
            true => fault!(ValueError, "cannot convert float NaN to integer"),
            false => fault!(OverflowError, "cannot convert float infinity to integer"),
        }
    }
    let shown = Shown::new(&strided.layout, options.threshold, options.edgeitems);
    View::open(strided, dtype, shown, |view| {
        let column = Column::new(dtype, options, |add| view.walk(add));
        if let (Some(odd), Some(form)) = (options.odd_precision, column.decimal_form()) {
            fault!(ValueError, "Invalid format specifier '.{}{form}' for object of type 'float'", number::float(odd));
        }
        if column.decimal_form().is_some() && options.precision < 0 {
            fault!(ValueError, "Format specifier missing precision");
        }
        if column.decimal_form().is_some() && options.precision > i32::MAX as i64 {
            fault!(ValueError, "Too many decimal digits in format string");
        }
        if shown.cells(view.layout) * (column.width() + 2) as f64 > LONGEST {
            fault!(MemoryError, "the text of this tensor would not fit in memory");
        }
        let mut writer = Writer { view, column, linewidth: options.linewidth, out: String::new() };
        writer.write(0, strided.layout.offset, indent)?;
        Ok(writer.out)
    })
}

/// Writes brackets, rows and breaks.
struct Writer<'a> {
    view: &'a View<'a>,
    column: Column,
    linewidth: i64,
    out: String,
}

impl Writer<'_> {
    fn write(&mut self, dim: usize, cell: i64, indent: usize) -> Result<()> {
        let sizes = &self.view.layout.sizes;
        let Some(&size) = sizes.get(dim) else {
            self.column.write(&mut self.out, self.view.at(cell));
            return Ok(());
        };
        let (stride, left) = (self.view.layout.strides[dim], sizes.len() - dim);
        if left == 1 {
            return self.row(size, stride, cell, indent);
        }
        self.out.push('[');
        for (k, item) in self.view.shown.items(size).enumerate() {
            if k > 0 {
                self.line_break(left - 1, indent);
            }
            match item {
                Some(i) => self.write(dim + 1, cell + i * stride, indent + 1)?,
                None => self.out.push_str("..."),
            }
        }
        self.out.push(']');
        Ok(())
    }

    /// The innermost dimension: as many cells on a line as fit, the gap counting as one.
    fn row(&mut self, size: i64, stride: i64, cell: i64, indent: usize) -> Result<()> {
        interrupt::check()?;
        let room = self.linewidth.saturating_sub(indent as i64).div_euclid(self.column.width() as i64 + 2);
        let per_line = room.max(1) as usize;
        self.out.push('[');
        for (k, item) in self.view.shown.items(size).enumerate() {
            if k > 0 && k.is_multiple_of(per_line) {
                self.line_break(1, indent);
            } else if k > 0 {
                self.out.push_str(", ");
            }
            match item {
                Some(i) => self.column.write(&mut self.out, self.view.at(cell + i * stride)),
                // After a cell the gap has a second space before it; alone it has none.
                None => self.out.push_str(if k > 0 { " ..." } else { "..." }),
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn line_break(&mut self, lines: usize, indent: usize) {
        self.out.push(',');
        self.out.extend(std::iter::repeat_n('\n', lines));
        self.out.extend(std::iter::repeat_n(' ', indent + 1));
    }
}
