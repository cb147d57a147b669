//! Dict keys and set elements: hashable values that compare as Python's `==`.

use super::hash::{python_hash, text_hash};
use super::{Machine, Outcome, Raise, Value};
use crate::diag::ErrorClass;
use indexmap::Equivalent;
use num_bigint::BigInt;
use num_traits::FromPrimitive;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A hashable value as a dict key or set element: `1`, `1.0` and `True` are one key.
#[derive(Clone)]
pub struct Key(Value);

/// Tuples nested deeper than this are refused as keys: hashing them would exhaust the stack.
const DEPTH: usize = 2000;

impl Key {
    /// Wraps a hashable value. Fails with a `TypeError` for lists, dicts and sets.
    #[inline(always)]
    pub fn new(value: Value) -> Outcome<Key> {
        if KeyRef::new(&value).is_none() {
            check(&value, 0)?;
        }
        Ok(Key(value))
    }

    /// Wraps a value of which the program's own classes may be asked: objects whose class says how they hash do so now.
    #[inline(always)]
    pub fn of(machine: &mut dyn Machine, value: Value) -> Outcome<Key> {
        if KeyRef::new(&value).is_none() {
            machine.settle_key(&value)?;
            check(&value, 0)?;
        }
        Ok(Key(value))
    }

    /// The value.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// The value, for good.
    pub fn into_value(self) -> Value {
        self.0
    }

    /// Python's hash of the value.
    pub fn hash(&self) -> i64 {
        python_hash(&self.0)
    }
}

/// A key that is only looked up, for which nothing is cloned.
pub struct KeyRef<'a>(&'a Value);

impl<'a> KeyRef<'a> {
    /// A number, str or bytes; none for other values, which might not be hashable.
    #[inline(always)]
    pub fn new(value: &'a Value) -> Option<KeyRef<'a>> {
        use Value::{BigInt, Bool, Bytes, Float, Int, None, Str};
        matches!(value, Bool(_) | Int(_) | BigInt(_) | Float(_) | Str(_) | Bytes(_) | None).then_some(KeyRef(value))
    }
}

impl Hash for KeyRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        python_hash(self.0).hash(state);
    }
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        key_eq(self.0, &key.0)
    }
}

/// The name of an attribute that is only looked up.
pub struct NameRef<'a>(pub &'a str);

impl Hash for NameRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        text_hash(self.0).hash(state);
    }
}

impl Equivalent<Key> for NameRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        matches!(&key.0, Value::Str(text) if text.as_str() == self.0)
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Key {
        Key(Value::from(text))
    }
}

impl From<i64> for Key {
    fn from(number: i64) -> Key {
        Key(Value::Int(number))
    }
}

fn check(value: &Value, depth: usize) -> Outcome<()> {
    match value {
        Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Slice(_) => {
            Err(Raise::new(ErrorClass::TypeError, format!("unhashable type: '{}'", value.type_name())))
        }
        Value::Object(o) if !o.is_hashable() => {
            Err(Raise::new(ErrorClass::TypeError, format!("unhashable type: '{}'", value.type_name())))
        }
        Value::Tuple(_) if depth > DEPTH => {
            Err(Raise::new(ErrorClass::RecursionError, "maximum recursion depth exceeded while hashing a tuple"))
        }
        Value::Tuple(items) => items.iter().try_for_each(|item| check(item, depth + 1)),
        Value::Named(named) => named.values.iter().try_for_each(|item| check(item, depth + 1)),
        _ => Ok(()),
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        key_eq(&self.0, &other.0)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        python_hash(&self.0).hash(state);
    }
}

/// Whether two values are one key.
pub fn key_eq(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Str(x), Value::Str(y)) => Rc::ptr_eq(x, y) || x == y,
        (Value::Bytes(x), Value::Bytes(y)) => x == y,
        (Value::Range(x), Value::Range(y)) => x.same_numbers(y),
        (Value::Tuple(x), Value::Tuple(y)) => x.len() == y.len() && x.iter().zip(y.iter()).all(|(p, q)| key_eq(p, q)),
        (Value::Object(x), y) if let Some(same) = x.same_key(y) => same,
        (x, Value::Object(y)) if let Some(same) = y.same_key(x) => same,
        _ => match (a.sequence(), b.sequence()) {
            (Some(x), Some(y)) => x.len() == y.len() && x.iter().zip(&y).all(|(p, q)| key_eq(p, q)),
            (None, None) => a.is(b) || number_eq(a, b).unwrap_or(false),
            _ => false,
        },
    }
}

/// `a == b` of two Python numbers, exact even between large ints and floats; none when one of them is no number.
pub fn number_eq(a: &Value, b: &Value) -> Option<bool> {
    use Value::{BigInt as Big, Bool, Complex, Float, Int};
    let exact = |i: i64, f: f64| i as f64 == f && (f < 9.3e18 && f as i128 == i as i128);
    let eq_float = |v: &Value, f: f64| match v {
        Bool(x) => Some(exact(*x as i64, f)),
        Int(x) => Some(exact(*x, f)),
        Big(x) => Some(f.fract() == 0.0 && BigInt::from_f64(f).is_some_and(|f| **x == f)),
        Float(x) => Some(*x == f),
        _ => None,
    };
    match (a, b) {
        (Int(x), Int(y)) => Some(x == y),
        (Big(x), Big(y)) => Some(x == y),
        (Bool(x), Bool(y)) => Some(x == y),
        (Bool(x), Int(y)) | (Int(y), Bool(x)) => Some(*x as i64 == *y),
        (Int(_) | Bool(_), Big(_)) | (Big(_), Int(_) | Bool(_)) => Some(false),
        (Complex(x), Complex(y)) => Some(x == y),
        (Complex(c), v) | (v, Complex(c)) => eq_float(v, c.re).map(|re| re && c.im == 0.0),
        (Float(f), v) | (v, Float(f)) => eq_float(v, *f),
        _ => None,
    }
}
