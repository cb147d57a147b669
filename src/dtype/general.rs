//! A float in a few significant digits.

/// More digits than this are zeros in every `f64`.
const MOST: usize = 1100;

/// C's `%.{precision}g`: so many significant digits, in the shorter of both forms, without trailing zeros.
pub fn general(f: f64, precision: usize) -> String {
    if f.is_nan() {
        return "nan".into();
    }
    let precision = precision.clamp(1, MOST);
    let scientific = format!("{f:.*e}", precision - 1);
    // An infinity has no exponent.
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..precision as i32).contains(&exponent) {
        return without_zeros(&format!("{f:.*}", (precision as i32 - 1 - exponent) as usize)).into();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(digits), exponent.unsigned_abs())
}

/// Without the zeros that end decimals.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_are_those_of_c() {
        let cases = [
            (6.10352e-05, "6.10352e-05"),
            (65504.0, "65504"),
            (1e6, "1e+06"),
            (999999.5, "1e+06"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (300.0, "300"),
            (-0.0, "-0"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ];
        for (f, text) in cases {
            assert_eq!(general(f, 6), text);
        }
    }
}
