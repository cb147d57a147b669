//! The shortest digits of a float in its own precision, cut to a number of decimals.

use crate::dtype::DType;
use crate::show::number::{push_exponent, push_zeros, shortest_digits, split_exponent};
use half::f16;

/// From this magnitude on, a float of this dtype is written with an exponent.
pub(super) fn large(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e8,
        DType::F32 => 1e6,
        _ => 1e3,
    }
}

/// The nearest value of a dtype, widened again.
pub(super) fn rounded(dtype: DType, f: f64) -> f64 {
    match dtype {
        DType::F64 => f,
        DType::F32 => f as f32 as f64,
        _ => f16::from_f64(f).to_f64(),
    }
}

/// The shortest digits that read back to the same float of this dtype, and the power of ten of the first. The sign is left out.
fn shortest(dtype: DType, f: f64) -> (String, i32) {
    if dtype == DType::F64 {
        return shortest_digits(f);
    }
    let candidates = (0..9).map(|decimals| format!("{:.decimals$e}", f.abs()));
    let reads_back = |text: &String| text.parse().is_ok_and(|read| rounded(dtype, read) == f.abs());
    let text = candidates.into_iter().find(reads_back).unwrap_or_else(|| format!("{:e}", f.abs()));
    let (digits, exponent) = split_exponent(&text);
    let kept = digits.trim_end_matches('0');
    (if kept.is_empty() { "0".to_string() } else { kept.to_string() }, exponent)
}

/// A finite float without an exponent, of at most `precision` decimals; `whole` follows a whole number.
pub(super) fn positional(dtype: DType, f: f64, precision: usize, whole: &str) -> String {
    let mut out = if f.is_sign_negative() { "-".to_string() } else { String::new() };
    let (digits, exponent) = shortest(dtype, f);
    let decimals = (digits.len() as i32 - 1 - exponent).max(0) as usize;
    if decimals > precision {
        out.push_str(&format!("{:.precision$}", f.abs()));
        let kept = out.trim_end_matches('0').trim_end_matches('.').len();
        out.truncate(kept);
    } else if exponent < 0 {
        out.push_str("0.");
        push_zeros(&mut out, (-exponent - 1) as usize);
        out.push_str(&digits);
    } else {
        let places = exponent as usize + 1;
        out.push_str(&digits[..places.min(digits.len())]);
        push_zeros(&mut out, places.saturating_sub(digits.len()));
        if digits.len() > places {
            out.push('.');
            out.push_str(&digits[places..]);
        }
    }
    if !out.contains('.') {
        out.push_str(whole);
    }
    out
}

/// A finite float with an exponent, of at most `precision` decimals; `whole` follows a single digit.
pub(super) fn scientific(dtype: DType, f: f64, precision: usize, whole: &str) -> String {
    let mut out = if f.is_sign_negative() { "-".to_string() } else { String::new() };
    let (mut digits, mut exponent) = shortest(dtype, f);
    if digits.len() - 1 > precision {
        let (cut, power) = split_exponent(&format!("{:.precision$e}", f.abs()));
        (digits, exponent) = (cut.trim_end_matches('0').to_string(), power);
    }
    let (first, rest) = digits.split_at(1);
    out.push_str(first);
    if rest.is_empty() {
        out.push_str(whole);
    } else {
        out.push('.');
        out.push_str(rest);
    }
    push_exponent(&mut out, exponent);
    out
}
