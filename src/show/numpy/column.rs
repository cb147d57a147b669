//! The format that all elements of an array share: digits are the shortest, columns are aligned at the point.

use super::digits::{large, positional, rounded, scientific};
use crate::dtype::{DType, Kind, Number};
use crate::settings::{self, ArrayPrintOptions};
use crate::show::number::write_number;

/// The format of an array's elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    /// Integers and truth values: characters of the longest.
    Plain(usize),
    /// Real floats.
    Float(FloatColumn),
    /// Real and imaginary parts.
    Complex(FloatColumn, FloatColumn),
}

impl Column {
    /// The format for elements of `dtype`; `walk` calls its argument with every element that will be shown. A truth value in
    /// a `dimensioned` array always has room for `False`.
    pub(super) fn new(dtype: DType, dimensioned: bool, walk: impl FnOnce(&mut dyn FnMut(Number))) -> Column {
        let mut numbers = Vec::new();
        walk(&mut |n| numbers.push(n));
        match dtype.kind() {
            Kind::Float => Column::Float(FloatColumn::new(dtype, numbers.iter().map(|n| n.to_f64()).collect(), false)),
            Kind::Complex => {
                let part = |im: bool| numbers.iter().map(|n| if im { n.to_complex().im } else { n.to_complex().re }).collect();
                let real = dtype.to_real();
                Column::Complex(FloatColumn::new(real, part(false), false), FloatColumn::new(real, part(true), true))
            }
            Kind::Bool => Column::Plain(if dimensioned { 5 } else { 0 }),
            Kind::Signed | Kind::Unsigned => Column::Plain(numbers.iter().map(|n| plain(*n).len()).max().unwrap_or(0)),
        }
    }

    /// Appends an element.
    pub(super) fn write(&self, out: &mut String, number: Number) {
        match self {
            Column::Plain(width) => out.push_str(&format!("{:>width$}", plain(number))),
            Column::Float(column) => out.push_str(&column.text(number.to_f64())),
            Column::Complex(re, im) => {
                let c = number.to_complex();
                let imaginary = im.text(c.im);
                let bare = imaginary.trim_end();
                out.push_str(&format!("{}{bare}j{}", re.text(c.re), &imaginary[bare.len()..]));
            }
        }
    }
}

fn plain(number: Number) -> String {
    let mut out = String::new();
    write_number(&mut out, number);
    out
}

/// A column of real floats.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatColumn {
    dtype: DType,
    /// Decimals, at most.
    precision: usize,
    /// Positive numbers have a sign too.
    signed: bool,
    /// Digits of the exponent; none: without exponents.
    exponent: Option<usize>,
    /// Characters before the point.
    left: usize,
    /// Characters after the point, with an exponent the decimals only.
    right: usize,
}

impl FloatColumn {
    fn new(dtype: DType, values: Vec<f64>, signed: bool) -> FloatColumn {
        let ArrayPrintOptions { precision, suppress, .. } = settings::with(|s| s.arrays);
        let exponent = (!suppress && exponential(dtype, &values)).then_some(0);
        let mut column = FloatColumn { dtype, precision, signed, exponent, left: 0, right: 0 };
        for &f in values.iter().filter(|f| f.is_finite()) {
            let text = column.bare(f);
            let (number, exponent) = text.split_once('e').map_or((text.as_str(), None), |(n, e)| (n, Some(e.len() - 1)));
            let (left, right) = number.split_once('.').unwrap_or((number, ""));
            column.left = column.left.max(left.len());
            column.right = column.right.max(right.len());
            column.exponent = column.exponent.max(exponent);
        }
        for &f in values.iter().filter(|f| !f.is_finite()) {
            let after = column.after() + 1;
            column.left = column.left.max(column.special(f).len().saturating_sub(after));
        }
        column
    }

    /// Characters after the point.
    fn after(&self) -> usize {
        self.right + self.exponent.map_or(0, |digits| digits + 2)
    }

    fn sign(&self, f: f64) -> &'static str {
        if self.signed && !f.is_sign_negative() { "+" } else { "" }
    }

    fn bare(&self, f: f64) -> String {
        let text = match self.exponent {
            Some(_) => scientific(self.dtype, f, self.precision, "."),
            None => positional(self.dtype, f, self.precision, "."),
        };
        format!("{}{text}", self.sign(f))
    }

    /// nan and the infinities.
    fn special(&self, f: f64) -> String {
        match (f.is_nan(), f < 0.0) {
            (true, _) => format!("{}nan", if self.signed { "+" } else { "" }),
            (false, true) => "-inf".to_string(),
            (false, false) => format!("{}inf", self.sign(f)),
        }
    }

    /// The text of a number, padded on both sides so that the points are in one column.
    fn text(&self, f: f64) -> String {
        if !f.is_finite() {
            return format!("{:>width$}", self.special(f), width = self.left + self.after() + 1);
        }
        let (left, right) = (self.left, self.right);
        if let Some(digits) = self.exponent {
            let (sign, exact) = (self.sign(f), format!("{f:.right$e}"));
            let (number, power) = exact.split_once('e').unwrap_or((&exact, "0"));
            let (number, minus) = (format!("{sign}{number}"), power.starts_with('-'));
            let point = if right == 0 { "." } else { "" };
            let (width, power) = (left + right + (right > 0) as usize, power.trim_start_matches('-'));
            return format!("{number:>width$}{point}e{}{power:0>digits$}", if minus { '-' } else { '+' });
        }
        let text = self.bare(f);
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        format!("{whole:>left$}.{decimals:<right$}")
    }
}

/// Whether the numbers are so large, so small or so far apart that they are written with exponents. All arithmetic is in the
/// precision of the dtype.
fn exponential(dtype: DType, values: &[f64]) -> bool {
    let magnitudes = values.iter().filter(|f| f.is_finite() && **f != 0.0).map(|f| f.abs());
    let (low, high) = magnitudes.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), f| (low.min(f), high.max(f)));
    high > 0.0 && (high >= large(dtype) || low < rounded(dtype, 0.0001) || rounded(dtype, high / low) > 1000.0)
}
