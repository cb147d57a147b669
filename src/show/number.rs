//! Numbers as Python writes them, and the C formats `%e`, `%f` and `%g`.

use crate::dtype::Number;
use num_complex::Complex64;
use std::fmt::Write;

/// More decimals than this are zeros in every `f64`; Rust's formatter need not be asked for them.
pub(super) const EXACT_DECIMALS: usize = 1100;

/// `repr(f)`: the shortest digits that read back to the same float, `1e+16`, `nan`, `-0.0`.
pub fn float(f: f64) -> String {
    let mut out = String::new();
    write_float(&mut out, f);
    out
}

/// Appends `repr(f)`.
pub fn write_float(out: &mut String, f: f64) {
    if !write_non_finite(out, f) {
        write_shortest(out, f, ".0");
    }
}

/// `repr(c)`: `(1+2j)`, `2j` when the real part is a positive zero.
pub fn complex(c: Complex64) -> String {
    let mut out = String::new();
    write_complex(&mut out, c);
    out
}

/// Appends `repr(c)`.
pub fn write_complex(out: &mut String, c: Complex64) {
    let part = |out: &mut String, f: f64| {
        if !write_non_finite(out, f) {
            write_shortest(out, f, "");
        }
    };
    if c.re == 0.0 && c.re.is_sign_positive() {
        part(out, c.im);
        out.push('j');
        return;
    }
    out.push('(');
    part(out, c.re);
    if c.im.is_nan() || c.im.is_sign_positive() {
        out.push('+');
    }
    part(out, c.im);
    out.push_str("j)");
}

/// Appends `repr` of a number of any kind.
pub fn write_number(out: &mut String, number: Number) {
    // Writing to a String cannot fail.
    let _ = match number {
        Number::Bool(true) => write!(out, "True"),
        Number::Bool(false) => write!(out, "False"),
        Number::Int(i) => write!(out, "{i}"),
        Number::Unsigned(u) => write!(out, "{u}"),
        Number::Float(f) => return write_float(out, f),
        Number::Complex(c) => return write_complex(out, c),
    };
}

/// Appends `nan`, `inf` or `-inf`; false when the number is finite.
pub fn write_non_finite(out: &mut String, f: f64) -> bool {
    if f.is_finite() {
        return false;
    }
    out.push_str(if f.is_nan() {
        "nan"
    } else if f > 0.0 {
        "inf"
    } else {
        "-inf"
    });
    true
}

/// The shortest decimal digits of a finite float and the power of ten of the first: `1.5e-7` is `("15", -7)`. The sign is
/// left out. Of two shortest candidates that are equally near it is the even one, as in Python.
pub fn shortest_digits(f: f64) -> (String, i32) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(f.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, part].concat();
    let digits = all.trim_start_matches('0');
    let first = whole.len() as i32 - 1 - (all.len() - digits.len()) as i32;
    match digits.trim_end_matches('0') {
        "" => ("0".to_string(), 0),
        digits => (digits.to_string(), first + exponent.parse::<i32>().unwrap_or(0)),
    }
}

/// `1.5e-7` as its digits and its exponent.
pub(super) fn split_exponent(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// Appends a finite float by its shortest digits; `whole` follows a plain whole number.
fn write_shortest(out: &mut String, f: f64, whole: &str) {
    if f.is_sign_negative() {
        out.push('-');
    }
    let (digits, exponent) = shortest_digits(f);
    if !(-4..16).contains(&exponent) {
        push_mantissa(out, &digits);
        push_exponent(out, exponent);
        return;
    }
    let places = digits.len() as i32;
    if exponent < 0 {
        out.push_str("0.");
        push_zeros(out, (-exponent - 1) as usize);
        out.push_str(&digits);
    } else if places <= exponent + 1 {
        out.push_str(&digits);
        push_zeros(out, (exponent + 1 - places) as usize);
        out.push_str(whole);
    } else {
        let (left, right) = digits.split_at(exponent as usize + 1);
        out.push_str(left);
        out.push('.');
        out.push_str(right);
    }
}

/// Appends `1` or `1.5` for the digits `1` or `15`.
fn push_mantissa(out: &mut String, digits: &str) {
    let (first, rest) = digits.split_at(1.min(digits.len()));
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
}

/// Appends an exponent as C does: a sign and at least two digits.
pub(super) fn push_exponent(out: &mut String, exponent: i32) {
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
}

pub(super) fn push_zeros(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n('0', count));
}

/// Appends a finite float as C's `%.{precision}f`: rounded by its exact binary value, ties to even.
pub fn write_fixed(out: &mut String, f: f64, precision: usize) {
    let exact = precision.min(EXACT_DECIMALS);
    let _ = write!(out, "{f:.exact$}");
    push_zeros(out, precision - exact);
}

/// Appends a finite float as C's `%.{precision}e`: `1.5000e+00`.
pub fn write_scientific(out: &mut String, f: f64, precision: usize) {
    let exact = precision.min(EXACT_DECIMALS);
    let start = out.len();
    let _ = write!(out, "{f:.exact$e}");
    let Some(at) = out[start..].rfind('e') else { return };
    let exponent = out[start + at + 1..].parse().unwrap_or(0);
    out.truncate(start + at);
    push_zeros(out, precision - exact);
    push_exponent(out, exponent);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_python_writes_them() {
        // (bits, repr) recorded from CPython 3.11.
        let cases: &[(u64, &str)] = &[
            (0x3fb9_9999_a000_0000, "0.10000000149011612"),
            (0x8000_0000_0000_0000, "-0.0"),
            (0x4341_c379_37e0_8000, "1e+16"),
            (0x4341_c379_37e0_7fff, "9999999999999998.0"),
            (0x3ee4_f8b5_88e3_68f1, "1e-05"),
            (0x3f1a_36e2_eb1c_432d, "0.0001"),
            (0xc023_ba42_0000_0000, "-9.863784790039062"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4014_0000_0000_0000, "5.0"),
            (0x40fe_2408_0000_0000, "123456.5"),
            (0x7ff8_0000_0000_0000, "nan"),
            (0xfff0_0000_0000_0000, "-inf"),
        ];
        for (bits, text) in cases {
            assert_eq!(float(f64::from_bits(*bits)), *text);
        }
    }

    #[test]
    fn complex_as_python_writes_them() {
        let text = |re, im| complex(Complex64::new(re, im));
        assert_eq!(text(1.0, 2.0), "(1+2j)");
        assert_eq!(text(1.5, -0.5), "(1.5-0.5j)");
        assert_eq!(text(0.0, -0.0), "-0j");
        assert_eq!(text(-0.0, 1.0), "(-0+1j)");
        assert_eq!(text(f64::NAN, f64::NEG_INFINITY), "(nan-infj)");
        assert_eq!(text(1e16, 1e-5), "(1e+16+1e-05j)");
    }

    #[test]
    fn formats_of_c() {
        let scientific = |f, p| {
            let mut out = String::new();
            write_scientific(&mut out, f, p);
            out
        };
        assert_eq!(scientific(-1.5e-7, 2), "-1.50e-07");
        assert_eq!(scientific(1e300, 0), "1e+300");
        assert_eq!(scientific(0.0, 4), "0.0000e+00");
        let mut long = String::new();
        write_fixed(&mut long, 0.5, 70_000);
        assert_eq!(long.len(), 70_002);
    }
}
