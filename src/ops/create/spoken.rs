//! A tensor inside a sentence: the form PyTorch's errors show one in, which is not that of `print`.

use crate::dtype::{DType, general};
use crate::ops::exec;
use crate::tensor::Tensor;
use anyhow::Result;
use std::fmt::Write;

/// How wide a line may be.
const LINE: usize = 80;

/// How a number is written.
#[derive(Clone, Copy)]
enum Form {
    Whole,
    Fixed,
    Scientific,
}

/// How all numbers of a matrix are written: their form, their width, and what they are divided by.
#[derive(Clone, Copy)]
struct Style {
    form: Form,
    width: usize,
    scale: f64,
}

/// The elements of a tensor of two dimensions or more, matrix by matrix, and its type.
pub fn spoken(x: &Tensor) -> Result<String> {
    let sizes = x.sizes();
    let elements: Vec<f64> = exec::read_vec(x)?;
    let mut text = String::new();
    if let ([lead @ .., rows, columns], false) = (&sizes[..], elements.is_empty()) {
        let (rows, columns) = (*rows as usize, *columns as usize);
        let count: i64 = lead.iter().product();
        for number in 0..count {
            // The first dimension runs fastest.
            let (mut rest, mut place, mut title) = (number, 0, String::new());
            for size in lead {
                place = place * size + rest % size;
                title += &format!("{},", rest % size + 1);
                rest /= size;
            }
            if !lead.is_empty() {
                let gap = if number == 0 { "" } else { "\n" };
                text += &format!("{gap}({title}.,.) = \n");
            }
            let start = place as usize * rows * columns;
            matrix(&mut text, &elements[start..start + rows * columns], columns, usize::from(!lead.is_empty()));
        }
    }
    let listed: Vec<String> = sizes.iter().map(i64::to_string).collect();
    Ok(text + &format!("[ {}{{{}}} ]", type_name(x.dtype()), listed.join(",")))
}

fn matrix(text: &mut String, elements: &[f64], columns: usize, indent: usize) {
    let style = style(elements);
    let indent = " ".repeat(indent);
    let at_once = ((LINE - indent.len()) / (style.width + 1)).max(1);
    for first in (0..columns).step_by(at_once) {
        let last = (first + at_once).min(columns);
        if at_once < columns {
            let gap = if first > 0 { "\n" } else { "" };
            *text += &format!("{gap}Columns {} to {last}{indent}", first + 1);
        }
        if style.scale != 1.0 {
            *text += &format!("{} *\n{indent}", general(style.scale, 6));
        }
        let lines: Vec<String> = elements
            .chunks(columns)
            .map(|row| row[first..last].iter().map(|v| number(*v, style)).collect::<Vec<_>>().join(" "))
            .collect();
        *text += &(lines.join(&format!("\n{indent}")) + "\n");
    }
}

/// How numbers are written that reach from the least to the greatest of these.
fn style(elements: &[f64]) -> Style {
    let finite = || elements.iter().filter(|v| v.is_finite());
    let digits = |v: f64| if v == 0.0 { 1 } else { v.log10().floor() as i32 + 1 };
    let least = finite().map(|v| v.abs()).reduce(f64::min).map_or(1, digits);
    let most = finite().map(|v| v.abs()).reduce(f64::max).map_or(1, digits);
    let scientific = |width| Style { form: Form::Scientific, width, scale: 1.0 };
    if finite().all(|v| v.ceil() == *v) {
        return match most {
            10.. => scientific(11),
            _ => Style { form: Form::Whole, width: (most + 1) as usize, scale: 1.0 },
        };
    }
    if most - least > 4 {
        return scientific(if most.abs() > 99 || least.abs() > 99 { 12 } else { 11 });
    }
    match most {
        0 => Style { form: Form::Fixed, width: 7, scale: 1.0 },
        1..=5 => Style { form: Form::Fixed, width: (most + 6) as usize, scale: 1.0 },
        _ => Style { form: Form::Fixed, width: 7, scale: 10f64.powi(most - 1) },
    }
}

fn number(value: f64, style: Style) -> String {
    let value = value / style.scale;
    let text = match style.form {
        _ if value.is_nan() => "nan".to_string(),
        _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_string(),
        Form::Whole => general(value, 6),
        Form::Fixed => format!("{value:.4}"),
        Form::Scientific => scientific(value),
    };
    format!("{text:>width$}", width = style.width)
}

/// `1.0000e+05`.
fn scientific(value: f64) -> String {
    let text = format!("{value:.4e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mut out = digits.to_string();
    let sign = if exponent < 0 { '-' } else { '+' };
    // A String takes whatever is written.
    let _ = write!(out, "e{sign}{:02}", exponent.abs());
    out
}

/// The name of a type of tensors: newer dtypes have none of the old form.
pub fn type_name(dtype: DType) -> String {
    match dtype {
        DType::F16 | DType::F32 | DType::F64 | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            format!("torch.{}Tensor", dtype.title())
        }
        _ => format!("CPU{}Type", dtype.title()),
    }
}
