//! The format that all elements of one tensor share: fixed, scientific or whole numbers, and the width of a column.

use super::number::{EXACT_DECIMALS, write_fixed, write_non_finite, write_scientific};
use crate::dtype::{DType, Kind, Number};
use crate::settings::PrintOptions;
use std::fmt::Write;

/// The smallest and largest of the numbers looked at, by sign: all that the format depends on.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    const EMPTY: Range = Range { low: f64::INFINITY, high: 0.0 };

    fn add(&mut self, magnitude: f64) {
        self.low = self.low.min(magnitude);
        self.high = self.high.max(magnitude);
    }

    fn is_empty(self) -> bool {
        self.high == 0.0
    }
}

/// What is learnt from a first walk over real floats; zeros, nan and infinities do not count.
#[derive(Clone, Copy, Debug)]
struct Survey {
    positive: Range,
    negative: Range,
    integral: bool,
}

impl Survey {
    const NEW: Survey = Survey { positive: Range::EMPTY, negative: Range::EMPTY, integral: true };

    fn add(&mut self, f: f64) {
        if !f.is_finite() || f == 0.0 {
            return;
        }
        let side = if f < 0.0 { &mut self.negative } else { &mut self.positive };
        side.add(f.abs());
        self.integral &= f == f.floor();
    }

    fn finish(self, options: &PrintOptions) -> FloatColumn {
        let precision = options.precision.max(0) as usize;
        let mut column = FloatColumn { form: Form::Whole, precision, width: 1 };
        if self.positive.is_empty() && self.negative.is_empty() {
            return column;
        }
        let low = self.positive.low.min(self.negative.low);
        let high = self.positive.high.max(self.negative.high);
        let scientific = options.sci_mode.unwrap_or(high / low > 1000.0 || high > 1e8 || low < 1e-4);
        column.form = match (scientific, self.integral) {
            (true, _) => Form::Scientific,
            (false, true) => Form::Whole,
            (false, false) => Form::Fixed,
        };
        column.width = self.longest(column);
        column
    }

    /// The length of the longest text. Within one sign it belongs to the largest number or, through its exponent, to the
    /// smallest. Decimals that can only be zeros are counted, not written.
    fn longest(self, column: FloatColumn) -> usize {
        let exact = FloatColumn { precision: column.precision.min(EXACT_DECIMALS), ..column };
        let zeros = if column.form == Form::Whole { 0 } else { column.precision - exact.precision };
        let ends = [(self.positive, 1.0), (self.negative, -1.0)];
        let candidates = ends.iter().filter(|(range, _)| !range.is_empty()).flat_map(|(r, sign)| [r.low * sign, r.high * sign]);
        candidates.map(|f| exact.bare(f).len() + zeros).max().unwrap_or(1)
    }
}

/// How floats are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// No decimals and a point: `3.`
    Whole,
    /// `3.1416`
    Fixed,
    /// `3.1416e+00`
    Scientific,
}

impl Form {
    fn letter(self) -> Option<char> {
        match self {
            Form::Whole => None,
            Form::Fixed => Some('f'),
            Form::Scientific => Some('e'),
        }
    }
}

/// A column of real floats.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatColumn {
    form: Form,
    precision: usize,
    width: usize,
}

impl FloatColumn {
    fn bare(&self, f: f64) -> String {
        let mut out = String::new();
        self.write(&mut out, f);
        out
    }

    /// Appends a number without padding.
    fn write(&self, out: &mut String, f: f64) {
        if write_non_finite(out, f) {
            return;
        }
        match self.form {
            Form::Whole => {
                write_fixed(out, f, 0);
                out.push('.');
            }
            Form::Fixed => write_fixed(out, f, self.precision),
            Form::Scientific => write_scientific(out, f, self.precision),
        }
    }
}

/// The format of a tensor's elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    /// Integers and truth values.
    Plain {
        /// Characters of the longest.
        width: usize,
    },
    /// Real floats.
    Float(FloatColumn),
    /// Real and imaginary parts, each with a format of its own.
    Complex(FloatColumn, FloatColumn),
}

impl Column {
    /// The format for elements of `dtype`; `walk` calls its argument with every element that will be shown.
    pub(super) fn new(dtype: DType, options: &PrintOptions, walk: impl FnOnce(&mut dyn FnMut(Number))) -> Column {
        match dtype.kind() {
            Kind::Float => {
                let mut survey = Survey::NEW;
                walk(&mut |n| survey.add(n.to_f64()));
                Column::Float(survey.finish(options))
            }
            Kind::Complex => {
                let (mut re, mut im) = (Survey::NEW, Survey::NEW);
                walk(&mut |n| {
                    let c = n.to_complex();
                    re.add(c.re);
                    im.add(c.im);
                });
                Column::Complex(re.finish(options), im.finish(options))
            }
            Kind::Bool | Kind::Unsigned | Kind::Signed => {
                let (mut low, mut high) = (None, None);
                walk(&mut |n| {
                    let value = whole(n);
                    low = Some(low.map_or(value, |v: i128| v.min(value)));
                    high = Some(high.map_or(value, |v: i128| v.max(value)));
                });
                let text = |value: i128| match dtype {
                    DType::Bool => truth(value != 0).len(),
                    _ => value.to_string().len(),
                };
                Column::Plain { width: low.map_or(1, text).max(high.map_or(1, text)) }
            }
        }
    }

    /// The letter of the format whose number of decimals matters; none where there are no decimals.
    pub(super) fn decimal_form(&self) -> Option<char> {
        match self {
            Column::Plain { .. } => None,
            Column::Float(f) => f.form.letter(),
            Column::Complex(re, im) => re.form.letter().or(im.form.letter()),
        }
    }

    /// Characters of a cell, as line breaking counts them.
    pub(super) fn width(&self) -> usize {
        match self {
            Column::Plain { width } => *width,
            Column::Float(f) => f.width,
            Column::Complex(re, im) => re.width + im.width + 1,
        }
    }

    /// Appends an element, aligned to the right.
    pub(super) fn write(&self, out: &mut String, number: Number) {
        let start = out.len();
        match self {
            Column::Plain { width } => {
                write_plain(out, number);
                pad(out, start, *width);
            }
            Column::Float(column) => {
                column.write(out, number.to_f64());
                pad(out, start, column.width);
            }
            Column::Complex(re, im) => {
                let c = number.to_complex();
                re.write(out, c.re);
                pad(out, start, re.width);
                let at = out.len();
                im.write(out, c.im);
                if !out[at..].starts_with('-') {
                    out.insert(at, '+');
                }
                out.push('j');
            }
        }
    }
}

/// Shifts what was written since `start` to the right, up to a width.
fn pad(out: &mut String, start: usize, width: usize) {
    const SPACES: &str = "                                ";
    let mut missing = width.saturating_sub(out.len() - start);
    while missing > 0 {
        let some = missing.min(SPACES.len());
        out.insert_str(start, &SPACES[..some]);
        missing -= some;
    }
}

fn write_plain(out: &mut String, number: Number) {
    match number {
        Number::Bool(b) => out.push_str(truth(b)),
        other => {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", whole(other));
        }
    }
}

fn truth(b: bool) -> &'static str {
    if b { "True" } else { "False" }
}

fn whole(number: Number) -> i128 {
    match number {
        Number::Unsigned(u) => u as i128,
        other => other.to_i64() as i128,
    }
}
