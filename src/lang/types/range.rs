//! Ranges and slices as objects.

use super::call::{Table, Takes, check_count, row};
use super::convert;
use super::sequence::{self, Place, Words};
use crate::value::{Outcome, Range, Value};
use std::rc::Rc;

const WORDS: Words = Words { subject: "range indices must be integers or slices", outside: "range object index out of range" };

/// The methods of ranges.
pub static METHODS: Table = Table {
    owner: "range",
    rows: Table::sorted(&[
        row("count", Takes::One, |c| match c.this {
            Value::Range(range) => Ok(Value::Int(place_of(range, c.arg(0)).is_some() as i64)),
            _ => Ok(Value::Int(0)),
        }),
        row("index", Takes::One, |c| match c.this {
            Value::Range(range) => match place_of(range, c.arg(0)) {
                Some(place) => Ok(Value::from(place)),
                None if matches!(c.arg(0), Value::Int(_) | Value::Bool(_)) => {
                    fault!(ValueError, "{} is not in range", super::repr::repr(c.arg(0))?)
                }
                None => fault!(ValueError, "sequence.index(x): x not in sequence"),
            },
            _ => Ok(Value::None),
        }),
    ]),
};

/// The methods of slices.
pub static SLICE_METHODS: Table = Table {
    owner: "slice",
    rows: Table::sorted(&[row("indices", Takes::One, |c| {
        let len = convert::to_i64(c.arg(0))?;
        let Ok(len) = usize::try_from(len) else { fault!(ValueError, "length should not be negative") };
        let Value::Slice(parts) = c.this else { return Ok(Value::None) };
        let fitted = sequence::fit(parts, len)?;
        Ok(Value::tuple([fitted.start, fitted.stop, fitted.step].map(Value::Int).to_vec()))
    })]),
};

/// Attributes of ranges and slices.
pub fn attr(value: &Value, name: &str) -> Option<Value> {
    let place = ["start", "stop", "step"].iter().position(|n| *n == name)?;
    match value {
        Value::Range(range) => Some(Value::Int([range.start, range.stop, range.step][place])),
        Value::Slice(parts) => Some(parts[place].clone()),
        _ => None,
    }
}

/// The place of a number in a range.
pub fn place_of(range: &Range, item: &Value) -> Option<usize> {
    let number = match item {
        Value::Int(i) => *i,
        Value::Bool(b) => *b as i64,
        Value::Float(f) => super::float::as_whole(*f)?,
        _ => return None,
    };
    let distance = number as i128 - range.start as i128;
    let step = range.step as i128;
    let place = distance / step;
    (distance % step == 0 && place >= 0 && place < range.len() as i128).then_some(place as usize)
}

/// `range[key]`.
pub fn index(range: &Range, key: &Value) -> Outcome {
    Ok(match sequence::place(key, range.len(), &WORDS)? {
        Place::At(place) => Value::Int(range.at(place)),
        Place::Slice(slice) => {
            let at = |place: i64| range.start + place * range.step;
            let step = range.step.saturating_mul(slice.step);
            Value::Range(Rc::new(Range { start: at(slice.start), stop: at(slice.stop), step }))
        }
    })
}

/// `range(stop)`, `range(start, stop, step)`.
pub fn construct(args: &[Value]) -> Outcome {
    check_count("range", args.len(), 1, 3)?;
    let number = |value: Option<&Value>, default: i64| value.map_or(Ok(default), convert::to_i64);
    let (start, stop) = match args {
        [stop] => (0, convert::to_i64(stop)?),
        _ => (number(args.first(), 0)?, number(args.get(1), 0)?),
    };
    let step = number(args.get(2), 1)?;
    if step == 0 {
        fault!(ValueError, "range() arg 3 must not be zero");
    }
    Ok(Value::Range(Rc::new(Range { start, stop, step })))
}

/// `slice(stop)`, `slice(start, stop, step)`.
pub fn construct_slice(args: &[Value]) -> Outcome {
    check_count("slice", args.len(), 1, 3)?;
    let part = |place: usize| args.get(place).cloned().unwrap_or(Value::None);
    let parts = if args.len() == 1 { [Value::None, part(0), Value::None] } else { [part(0), part(1), part(2)] };
    Ok(Value::Slice(Rc::new(parts)))
}

/// The numbers from the last to the first.
pub fn reversed(range: &Range) -> Range {
    if range.is_empty() {
        return Range { start: 0, stop: 0, step: 1 };
    }
    let last = range.at(range.len() - 1);
    Range { start: last, stop: range.start.saturating_sub(range.step), step: range.step.saturating_neg() }
}
