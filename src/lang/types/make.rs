//! The calls of classes that programs make most, without binding: `range(n)`, `int("12")`, `str(3)`.

use super::call::Slots;
use crate::value::{Class, Range, Value};
use std::rc::Rc;

/// Ints of so many digits are small.
const DIGITS: usize = 18;

/// True for the classes that [`make_quickly`] knows.
pub fn is_quickly_made(class: Class) -> bool {
    matches!(class, Class::Range | Class::Int | Class::Float | Class::Str | Class::Bool)
}

/// What a class makes of these arguments, in the simplest cases.
pub fn make_quickly(class: Class, args: &Slots) -> Option<Value> {
    use Value::{Bool, Float, Int, Str};
    let range = |start: i64, stop: i64, step: i64| Some(Value::Range(Rc::new(Range { start, stop, step })));
    match (class, args.as_slice()) {
        (Class::Range, [Some(Int(stop))]) => range(0, *stop, 1),
        (Class::Range, [Some(Int(start)), Some(Int(stop))]) => range(*start, *stop, 1),
        (Class::Range, [Some(Int(start)), Some(Int(stop)), Some(Int(step))]) if *step != 0 => range(*start, *stop, *step),
        (Class::Int, [Some(Int(i))]) => Some(Int(*i)),
        (Class::Int, [Some(Bool(b))]) => Some(Int(*b as i64)),
        (Class::Int, [Some(Float(x))]) if x.abs() < (1u64 << 62) as f64 => Some(Int(*x as i64)),
        (Class::Int, [Some(Str(text))]) if text.len() <= DIGITS && text.bytes().all(|b| b.is_ascii_digit()) => {
            text.parse().ok().map(Int)
        }
        (Class::Float, [Some(Float(x))]) => Some(Float(*x)),
        (Class::Float, [Some(Int(i))]) => Some(Float(*i as f64)),
        (Class::Str, [Some(Str(text))]) => Some(Str(text.clone())),
        (Class::Str, [Some(Int(i))]) => Some(Value::from(i.to_string())),
        (Class::Bool, [Some(Bool(b))]) => Some(Bool(*b)),
        (Class::Bool, [Some(Int(i))]) => Some(Bool(*i != 0)),
        _ => None,
    }
}
