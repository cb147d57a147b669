//! Stable sorting whose comparison may fail or run the user's code.

use super::overall;
use crate::interrupt;
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::cmp::Ordering;

/// Up to this many items are sorted by binary insertion alone, as in CPython, which shows when the order is no order (NaN).
const RUN: usize = 64;

/// Items with plain keys that are sorted at once, before Ctrl-C is looked for again.
const PLAIN_RUN: usize = 1 << 16;

/// Sorts like `list.sort(key=…, reverse=…)`. The items stay complete, in some order, when a comparison fails.
pub fn sort(machine: &mut dyn Machine, items: &mut Vec<Value>, key: Option<&Value>, reverse: bool) -> Outcome<()> {
    let mut pairs = Vec::with_capacity(items.len());
    for item in items.iter() {
        let by = match key {
            Some(key) => machine.call(key, CallArgs::positional(vec![item.clone()]))?,
            None => item.clone(),
        };
        pairs.push((by, item.clone()));
    }
    // Reversed twice, equal items keep their order.
    if reverse {
        pairs.reverse();
    }
    let result = sort_pairs(machine, &mut pairs);
    if reverse {
        pairs.reverse();
    }
    *items = pairs.into_iter().map(|(_, item)| item).collect();
    result
}

type Pair = (Value, Value);

fn sort_pairs(machine: &mut dyn Machine, pairs: &mut Vec<Pair>) -> Outcome<()> {
    let Some(order) = order_of(pairs) else {
        let width = least_run(pairs.len());
        for run in pairs.chunks_mut(width.max(1)) {
            insertion_sort(machine, run)?;
        }
        return merge_runs(machine, pairs, width);
    };
    for run in pairs.chunks_mut(PLAIN_RUN) {
        interrupt::check()?;
        run.sort_by(|(a, _), (b, _)| order(a, b));
    }
    merge_runs(machine, pairs, PLAIN_RUN)
}

/// The order of keys that are all integers, all strings or all floats without NaN: it cannot fail, and runs no user's code.
fn order_of(pairs: &[Pair]) -> Option<fn(&Value, &Value) -> Ordering> {
    let all = |fits: fn(&Value) -> bool| pairs.iter().all(|(key, _)| fits(key));
    if all(|key| matches!(key, Value::Int(_))) {
        return Some(|a, b| if let (Value::Int(a), Value::Int(b)) = (a, b) { a.cmp(b) } else { Ordering::Equal });
    }
    if all(|key| matches!(key, Value::Str(_))) {
        return Some(|a, b| if let (Value::Str(a), Value::Str(b)) = (a, b) { a.cmp(b) } else { Ordering::Equal });
    }
    if all(|key| matches!(key, Value::Float(f) if !f.is_nan())) {
        return Some(|a, b| match (a, b) {
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        });
    }
    None
}

/// Merges neighbouring runs of `width` sorted items until one is left.
fn merge_runs(machine: &mut dyn Machine, pairs: &mut Vec<Pair>, mut width: usize) -> Outcome<()> {
    let len = pairs.len();
    while width < len {
        let mut merged = Vec::with_capacity(len);
        for start in (0..len).step_by(width * 2) {
            let (middle, end) = ((start + width).min(len), (start + width * 2).min(len));
            merge(machine, &pairs[start..middle], &pairs[middle..end], &mut merged)?;
        }
        *pairs = merged;
        width *= 2;
    }
    Ok(())
}

/// The length of runs: all of a short list, else a half of [`RUN`] to [`RUN`].
fn least_run(mut len: usize) -> usize {
    let mut odd = 0;
    while len >= RUN {
        odd |= len & 1;
        len >>= 1;
    }
    len + odd
}

/// Finds the run the items begin with, and puts each later item behind those that are not greater.
fn insertion_sort(machine: &mut dyn Machine, pairs: &mut [Pair]) -> Outcome<()> {
    let mut sorted = run_at_start(machine, pairs)?;
    while sorted < pairs.len() {
        let (mut low, mut high) = (0, sorted);
        while low < high {
            let middle = (low + high) / 2;
            if overall::less(machine, &pairs[sorted].0, &pairs[middle].0)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        pairs[low..=sorted].rotate_right(1);
        sorted += 1;
    }
    Ok(())
}

/// How many items at the start are in order; a strictly descending start is turned round first.
fn run_at_start(machine: &mut dyn Machine, pairs: &mut [Pair]) -> Outcome<usize> {
    if pairs.len() < 2 {
        return Ok(pairs.len());
    }
    let descending = overall::less(machine, &pairs[1].0, &pairs[0].0)?;
    let mut len = 2;
    while len < pairs.len() && overall::less(machine, &pairs[len].0, &pairs[len - 1].0)? == descending {
        len += 1;
    }
    if descending {
        pairs[..len].reverse();
    }
    Ok(len)
}

fn merge(machine: &mut dyn Machine, a: &[Pair], b: &[Pair], out: &mut Vec<Pair>) -> Outcome<()> {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        interrupt::check()?;
        if overall::less(machine, &b[j].0, &a[i].0)? {
            out.push(b[j].clone());
            j += 1;
        } else {
            out.push(a[i].clone());
            i += 1;
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    Ok(())
}
