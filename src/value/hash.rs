//! `hash(x)`: Python's hash of every hashable value, so that equal values hash alike and sets keep CPython's order.

use super::{Key, Set, Value, hasher};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

/// The Mersenne prime modulo which CPython hashes numbers.
const MODULUS: u64 = (1 << BITS) - 1;
const BITS: u32 = 61;

/// Python's `hash(value)`. The value must be hashable: what [`Key::new`] refuses gives its identity.
///
/// Numbers, tuples, ranges and frozen sets of them hash as in CPython; a str, whose hash CPython draws anew in each process,
/// hashes the same in every session.
pub fn python_hash(value: &Value) -> i64 {
    match value {
        Value::Bool(b) => *b as i64,
        Value::Int(i) => int(*i),
        Value::BigInt(b) => big(b),
        Value::Float(f) => float(*f, value),
        Value::Complex(c) => not_minus_one(float(c.re, value).wrapping_add(float(c.im, value).wrapping_mul(1_000_003))),
        Value::Str(s) => text(s.as_bytes()),
        Value::Bytes(b) => text(b),
        Value::Tuple(items) => tuple(items.len(), items.iter().map(python_hash)),
        Value::Size(sizes) => tuple(sizes.len(), sizes.iter().map(|s| int(*s))),
        Value::Named(named) => tuple(named.values.len(), named.values.iter().map(python_hash)),
        Value::Range(range) => {
            let (none, len) = (python_hash(&Value::None), range.len() as i64);
            let start = if len > 0 { int(range.start) } else { none };
            let step = if len > 1 { int(range.step) } else { none };
            tuple(3, [int(len), start, step].into_iter())
        }
        Value::Object(o) => o.hash().map_or_else(|| value.identity() as i64, |h| not_minus_one(h as i64)),
        other => not_minus_one(other.identity() as i64),
    }
}

/// The hash of a str.
pub(super) fn text_hash(value: &str) -> i64 {
    text(value.as_bytes())
}

/// True when CPython gives this value the same hash in every process.
pub(super) fn is_reproducible(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Complex(_) | Value::Size(_) => true,
        Value::Float(f) => !f.is_nan(),
        Value::Tuple(items) => items.iter().all(is_reproducible),
        Value::Range(range) => range.len() > 1,
        _ => false,
    }
}

/// The hash of a frozen set: it does not depend on the order.
pub fn frozenset(set: &Set) -> i64 {
    let shuffle = |h: u64| ((h ^ 89_869_747) ^ (h << 16)).wrapping_mul(3_644_798_167);
    let mut hash = set.iter().fold(0, |h, key: &Key| h ^ shuffle(key.hash() as u64));
    hash ^= (set.len() as u64 + 1).wrapping_mul(1_927_868_237);
    hash ^= (hash >> 11) ^ (hash >> 25);
    hash = hash.wrapping_mul(69_069).wrapping_add(907_133_923);
    if hash == u64::MAX { 590_923_713 } else { hash as i64 }
}

/// -1 means an error inside CPython, so no hash is -1.
fn not_minus_one(hash: i64) -> i64 {
    if hash == -1 { -2 } else { hash }
}

fn int(value: i64) -> i64 {
    if (0..MODULUS as i64).contains(&value) {
        return value;
    }
    let rest = (value.unsigned_abs() % MODULUS) as i64;
    not_minus_one(if value < 0 { -rest } else { rest })
}

fn big(value: &BigInt) -> i64 {
    let rest = (value.magnitude() % MODULUS).to_i64().unwrap_or(0);
    not_minus_one(if value.is_negative() { -rest } else { rest })
}

/// The float's exact value modulo [`MODULUS`], so that `hash(2.0 ** 70) == hash(2 ** 70)`.
fn float(value: f64, owner: &Value) -> i64 {
    if value.is_infinite() {
        return if value > 0.0 { 314_159 } else { -314_159 };
    }
    if value.is_nan() {
        return not_minus_one(owner.identity() as i64);
    }
    let (mantissa, exponent) = split(value.abs());
    let turn = exponent.rem_euclid(BITS as i32) as u32;
    let rest = mantissa % MODULUS;
    let rest = (((rest as u128) << turn) % MODULUS as u128) as i64;
    not_minus_one(if value < 0.0 { -rest } else { rest })
}

/// `value == mantissa * 2**exponent` for a finite value that is not negative.
fn split(value: f64) -> (u64, i32) {
    let (bits, hidden) = (value.to_bits(), 1u64 << 52);
    let (exponent, mantissa) = ((bits >> 52) as i32, bits & (hidden - 1));
    if exponent == 0 { (mantissa, -1074) } else { (mantissa | hidden, exponent - 1075) }
}

fn text(bytes: &[u8]) -> i64 {
    not_minus_one(hasher::bytes(bytes) as i64)
}

fn tuple(len: usize, hashes: impl Iterator<Item = i64>) -> i64 {
    const P1: u64 = 11_400_714_785_074_694_791;
    const P2: u64 = 14_029_467_366_897_019_727;
    const P5: u64 = 2_870_177_450_012_600_261;
    let mut acc = P5;
    for lane in hashes {
        acc = acc.wrapping_add((lane as u64).wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1);
    }
    acc = acc.wrapping_add(len as u64 ^ (P5 ^ 3_527_539));
    if acc == u64::MAX { 1_546_275_796 } else { acc as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Range;
    use std::rc::Rc;

    /// Recorded from CPython 3.11.
    #[test]
    fn hashes_are_cpythons() {
        let tuple = |items: &[i64]| Value::tuple(items.iter().map(|i| Value::Int(*i)).collect());
        let cases: &[(Value, i64)] = &[
            (Value::Int(-1), -2),
            (Value::Int(i64::MIN), -4),
            (Value::Int(1 << 61), 1),
            (Value::big(BigInt::from(3).pow(100)), 1175369268131054105),
            (Value::Float(1.0), 1),
            (Value::Float(0.1), 230584300921369408),
            (Value::Float(-2.5), -1152921504606846978),
            (Value::Float(1e300), 1224995262755759164),
            (Value::Float(5e-324), 16777216),
            (Value::Float(f64::NEG_INFINITY), -314159),
            (Value::from(num_complex::Complex64::new(1.5, -2.0)), 1152921504604846971),
            (tuple(&[]), 5740354900026072187),
            (tuple(&[1, 2, 3]), 529344067295497451),
            (Value::Range(Rc::new(Range { start: 0, stop: 5, step: 1 })), 5795932985296280846),
        ];
        for (value, expected) in cases {
            assert_eq!(python_hash(value), *expected, "{}", value.type_name());
        }
        let three = [1, 2, 3].map(Key::from).into_iter().collect();
        assert_eq!(frozenset(&three), -272375401224217160);
        assert_eq!(frozenset(&Set::new()), 133146708735736);
    }
}
