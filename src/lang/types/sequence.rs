//! What str, bytes, list, tuple and range share: places, slices, repetition.

use super::{convert, limits};
use crate::value::{Outcome, Value};

/// How a sequence type words its complaints about indices.
pub struct Words {
    /// After "indices must be": `list indices must be integers or slices, not str`.
    pub subject: &'static str,
    /// What it is when outside: `list index out of range`.
    pub outside: &'static str,
}

/// A place or a slice.
pub enum Place {
    /// One item.
    At(usize),
    /// Several.
    Slice(Slice),
}

/// A slice fitted to a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// Where it starts.
    pub start: i64,
    /// Where it ends, exclusive; as `slice.indices` gives it.
    pub stop: i64,
    /// From one item to the next; not 0.
    pub step: i64,
    /// How many items.
    pub count: usize,
}

impl Slice {
    /// The places of the items, in order.
    pub fn places(self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        (0..self.count).map(move |i| (self.start + i as i64 * self.step) as usize)
    }

    /// The span of a slice with step 1.
    pub fn span(self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + self.count
    }
}

/// What an index means for a sequence of a length.
pub fn place(key: &Value, len: usize, words: &Words) -> Outcome<Place> {
    if let Value::Slice(parts) = key {
        return fit(parts, len).map(Place::Slice);
    }
    let index = match convert::as_int(key)? {
        Some(Value::Int(i)) => i,
        Some(_) => fault!(IndexError, "cannot fit 'int' into an index-sized integer"),
        None => fault!(TypeError, "{}, not {}", words.subject, shown_type(key, words)),
    };
    match wrap(index, len) {
        Some(place) => Ok(Place::At(place)),
        None => fault!(IndexError, "{}", words.outside),
    }
}

/// A str quotes the type that it cannot be indexed with, the others do not.
fn shown_type(key: &Value, words: &Words) -> String {
    let name = key.type_name();
    if words.subject.starts_with("string") { format!("'{name}'") } else { name }
}

/// A place from an index that may count from the end; none when outside.
pub fn wrap(index: i64, len: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add(len as i64)? } else { index };
    usize::try_from(index).ok().filter(|i| *i < len)
}

/// Fits start, stop and step to a length, as `slice.indices` does.
pub fn fit(parts: &[Value; 3], len: usize) -> Outcome<Slice> {
    let [start, stop, step] = parts;
    let len = len as i64;
    let step = part(step)?.unwrap_or(1).max(-i64::MAX);
    if step == 0 {
        fault!(ValueError, "slice step cannot be zero");
    }
    let (low, high) = if step < 0 { (-1, len - 1) } else { (0, len) };
    let clamp = |bound: Option<i64>, default: i64| match bound {
        Some(b) if b < 0 => b.saturating_add(len).max(low),
        Some(b) => b.min(high),
        None => default,
    };
    let start = clamp(part(start)?, if step < 0 { high } else { low });
    let stop = clamp(part(stop)?, if step < 0 { low } else { high });
    let span = if step < 0 { start - stop } else { stop - start };
    let count = if span <= 0 { 0 } else { ((span - 1) / step.abs() + 1) as usize };
    Ok(Slice { start, stop, step, count })
}

fn part(value: &Value) -> Outcome<Option<i64>> {
    match value {
        Value::None => Ok(None),
        Value::Float(_) | Value::Complex(_) | Value::Str(_) => refuse_part(),
        other => match convert::as_int(other)? {
            Some(_) => convert::to_i64_clamped(other).map(Some),
            None => refuse_part(),
        },
    }
}

fn refuse_part() -> Outcome<Option<i64>> {
    fault!(TypeError, "slice indices must be integers or None or have an __index__ method")
}

/// `start` and `stop` arguments of `index`, `find`, `count`: fitted to a length, as a slice would.
pub fn bounds(start: Option<&Value>, stop: Option<&Value>, len: usize) -> Outcome<std::ops::Range<usize>> {
    let fitted = |value: Option<&Value>, default: usize| -> Outcome<usize> {
        let Some(value) = value.filter(|v| !matches!(v, Value::None)) else { return Ok(default) };
        let Some(bound) = part(value)? else { return Ok(default) };
        let bound = if bound < 0 { bound.saturating_add(len as i64).max(0) } else { bound };
        Ok(bound as usize)
    };
    Ok(fitted(start, 0)?..fitted(stop, len)?.min(len))
}

/// `count` times the items, within memory.
pub fn repeat<T: Clone>(items: &[T], count: usize) -> Outcome<Vec<T>> {
    limits::gathered(items.len().saturating_mul(count), items.iter().cycle().cloned())
}
