//! The text of numpy arrays and scalars, as numpy 2 writes them.

mod column;
mod digits;

use super::elements::{Shown, View};
use super::number::{float, write_non_finite, write_number};
use super::object;
use crate::dtype::{DType, Number};
use crate::interrupt;
use crate::layout::Layout;
use crate::settings::{self, ArrayPrintOptions};
use crate::tensor::{Strided, Tensor};
use anyhow::Result;
use column::Column;

/// What `repr` begins with.
const HEAD: &str = "array(";

fn options() -> ArrayPrintOptions {
    settings::with(|s| s.arrays)
}

/// Which elements of an array are shown.
fn shown(layout: &Layout) -> Shown {
    let options = options();
    Shown::new(layout, options.threshold, options.edgeitems)
}

/// `repr(a)` of the array over a tensor's elements: `array([[1., 2.], [3., 4.]], dtype=float32)`. Fails on a sparse tensor
/// and with `KeyboardInterrupt` when a stop was asked for.
pub fn repr(array: &Tensor) -> Result<String> {
    let (strided, dtype) = (array.strided()?, array.dtype());
    let mut out = HEAD.to_string();
    write_body(
        &mut out,
        &strided,
        dtype,
        Frame { comma: true, indent: HEAD.len(), line: options().linewidth.saturating_sub(1) },
    )?;
    let (sizes, mut extras) = (&strided.layout.sizes, Vec::new());
    let empty = sizes.contains(&0);
    if (empty && sizes.as_slice() != [0]) || shown(&strided.layout).is_summary() {
        extras.push(format!("shape={}", object::tuple(sizes)));
    }
    if empty || !matches!(dtype, DType::Bool | DType::I64 | DType::F64 | DType::C128) {
        extras.push(format!("dtype={}", dtype.name()));
    }
    let extras = extras.join(", ");
    if !extras.is_empty() {
        out.push(',');
        let last = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
        out.push_str(&if last + " ".len() + extras.len() + ")".len() > options().linewidth {
            format!("\n{}", " ".repeat(HEAD.len()))
        } else {
            " ".to_string()
        });
        out.push_str(&extras);
    }
    out.push(')');
    Ok(out)
}

/// `str(a)`: `[[1. 2.] [3. 4.]]`; of an array without dimensions, its number. Fails as [`repr`] does.
pub fn str(array: &Tensor) -> Result<String> {
    let (strided, dtype) = (array.strided()?, array.dtype());
    if strided.layout.ndim() == 0 {
        let shown = shown(&strided.layout);
        return View::open(&strided, dtype, shown, |view| Ok(scalar_str(dtype, view.at(strided.layout.offset))));
    }
    let mut out = String::new();
    write_body(&mut out, &strided, dtype, Frame { comma: false, indent: 0, line: options().linewidth })?;
    Ok(out)
}

/// `repr(x)` of a scalar: `np.float32(0.1)`, `np.True_`.
pub fn scalar_repr(dtype: DType, number: Number) -> String {
    let text = scalar_str(dtype, number);
    match dtype {
        DType::Bool => format!("np.{text}_"),
        _ if dtype.is_complex() => format!("np.{}({})", dtype.name(), text.trim_start_matches('(').trim_end_matches(')')),
        _ => format!("np.{}({text})", dtype.name()),
    }
}

/// `str(x)` of a scalar: the shortest digits that read back to the same number of its dtype.
pub fn scalar_str(dtype: DType, number: Number) -> String {
    let mut out = String::new();
    match number {
        Number::Float(f) => out = real(dtype, f, true),
        Number::Complex(c) => {
            let part = |f| real(dtype.to_real(), f, false);
            let imaginary = part(c.im);
            if c.re == 0.0 && c.re.is_sign_positive() {
                return format!("{imaginary}j");
            }
            let plus = if imaginary.starts_with('-') { "" } else { "+" };
            out = format!("({}{plus}{imaginary}j)", part(c.re));
        }
        other => write_number(&mut out, other),
    }
    out
}

/// A real scalar; whole numbers end in `.0` when `point` is set.
fn real(dtype: DType, f: f64, point: bool) -> String {
    let mut out = String::new();
    if write_non_finite(&mut out, f) {
        return out;
    }
    if dtype == DType::F64 {
        out = float(f);
    } else if f != 0.0 && (f.abs() < 1e-4 || f.abs() >= digits::large(dtype)) {
        return digits::scientific(dtype, f, usize::MAX, "");
    } else {
        out = digits::positional(dtype, f, usize::MAX, ".0");
    }
    match out.strip_suffix(".0") {
        Some(whole) if !point => whole.to_string(),
        _ => out,
    }
}

/// How the brackets are laid out.
#[derive(Clone, Copy)]
struct Frame {
    /// Items are separated by commas.
    comma: bool,
    /// The column of the first bracket.
    indent: usize,
    /// Characters per line.
    line: usize,
}

fn write_body(out: &mut String, strided: &Strided, dtype: DType, frame: Frame) -> Result<()> {
    if strided.layout.sizes.contains(&0) {
        out.push_str("[]");
        return Ok(());
    }
    View::open(strided, dtype, shown(&strided.layout), |view| {
        let column = Column::new(dtype, view.layout.ndim() > 0, |add| view.walk(add));
        Writer { view, column, frame, out }.write(0, strided.layout.offset)
    })
}

/// Writes brackets, rows and breaks.
struct Writer<'a> {
    view: &'a View<'a>,
    column: Column,
    frame: Frame,
    out: &'a mut String,
}

impl Writer<'_> {
    fn write(&mut self, dim: usize, cell: i64) -> Result<()> {
        let layout = self.view.layout;
        let Some((&size, &stride)) = layout.sizes.get(dim).zip(layout.strides.get(dim)) else {
            self.column.write(self.out, self.view.at(cell));
            return Ok(());
        };
        let left = layout.ndim() - dim;
        self.out.push('[');
        if left == 1 {
            self.row(size, stride, cell, dim)?;
        } else {
            for (k, item) in self.view.shown.items(size).enumerate() {
                if k > 0 {
                    self.line_break(left - 1, dim);
                }
                match item {
                    Some(i) => self.write(dim + 1, cell + i * stride)?,
                    None => self.out.push_str("..."),
                }
            }
        }
        self.out.push(']');
        Ok(())
    }

    /// The innermost dimension: cells until the line is full, room kept for a separator and the closing brackets.
    fn row(&mut self, size: i64, stride: i64, cell: i64, dim: usize) -> Result<()> {
        interrupt::check()?;
        let (start, room) = (self.frame.indent + dim + 1, self.frame.line.saturating_sub(dim + 1));
        let separator = if self.frame.comma { ", " } else { " " };
        let (mut used, mut word) = (start, String::new());
        for (k, item) in self.view.shown.items(size).enumerate() {
            if k > 0 {
                self.out.push_str(separator);
                used += separator.len();
            }
            word.clear();
            match item {
                Some(i) => self.column.write(&mut word, self.view.at(cell + i * stride)),
                None => word.push_str("..."),
            }
            if used + word.len() > room && used > start {
                self.out.truncate(self.out.trim_end().len());
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n(' ', start));
                used = start;
            }
            self.out.push_str(&word);
            used += word.len();
        }
        Ok(())
    }

    fn line_break(&mut self, lines: usize, dim: usize) {
        if self.frame.comma {
            self.out.push(',');
        }
        self.out.extend(std::iter::repeat_n('\n', lines));
        self.out.extend(std::iter::repeat_n(' ', self.frame.indent + dim + 1));
    }
}
