//! Decimal digits: of floats to a given precision, of ints of any length, and of other scripts.

use super::{limits, long};
use crate::value::Outcome;
use num_bigint::BigInt;

/// No float has more digits behind the point, so further ones are zeros.
const MOST: usize = 1100;

/// `%.{places}f`: correctly rounded, halves of the exact value to even.
pub fn fixed(value: f64, places: usize) -> String {
    let mut text = format!("{value:.*}", places.min(MOST));
    text.extend(std::iter::repeat_n('0', places.saturating_sub(MOST)));
    text
}

/// The digits and the exponent of `%.{places}e`: `1250` and 3 for 1250.0 to 3 places. The value is finite and not negative.
pub fn scientific(value: f64, places: usize) -> (String, i32) {
    let text = format!("{value:.*e}", places.min(MOST));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits = mantissa.replace('.', "");
    digits.extend(std::iter::repeat_n('0', places.saturating_sub(MOST)));
    (digits, exponent.parse().unwrap_or(0))
}

/// The decimal text of an int. Fails with a `ValueError` when it is longer than `sys.get_int_max_str_digits()`.
pub fn of_big(value: &BigInt) -> Outcome<String> {
    let limit = limits::max_digits();
    let refuse = || {
        err!(
            ValueError,
            "Exceeds the limit ({limit} digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit"
        )
    };
    // A digit takes more than 3.32 bits, so this is surely too long, and nothing needs computing.
    if limit > 0 && value.bits() as usize > limit.saturating_mul(4) {
        return Err(refuse().into());
    }
    let text = long::of_one(value, BigInt::to_string)?;
    if limit > 0 && text.trim_start_matches('-').len() > limit {
        return Err(refuse().into());
    }
    Ok(text)
}

/// The digits zero of the scripts that have decimal digits, in order; nine more follow each.
const ZEROS: &[u32] = &[
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040,
    0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0,
    0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec,
    0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// The value of a decimal digit of any script.
pub fn value_of(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let place = ZEROS.partition_point(|zero| *zero <= c as u32);
    let zero = ZEROS.get(place.checked_sub(1)?)?;
    Some(c as u32 - zero).filter(|d| *d < 10)
}

/// The text with the digits of other scripts replaced by ASCII ones.
pub fn to_ascii(text: &str) -> String {
    text.chars().map(|c| value_of(c).and_then(|d| char::from_digit(d, 10)).unwrap_or(c)).collect()
}
