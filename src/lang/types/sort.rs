//! Stable sorting whose comparison may fail or run the user's code.

use super::overall;
use crate::interrupt;
use crate::value::{CallArgs, Machine, Outcome, Raise, Value};
use std::cmp::Ordering;

/// Up to this many items are sorted by binary insertion alone, as in CPython, which shows when the order is no order (NaN).
const RUN: usize = 64;

/// Items with plain keys that are sorted at once, before Ctrl-C is looked for again.
const PLAIN_RUN: usize = 1 << 18;

/// A key and the item that it belongs to.
type Pair = (Value, Value);

/// `a < b`, which may fail.
type Less<'a> = dyn FnMut(&Value, &Value) -> Outcome<bool> + 'a;

/// Sorts like `list.sort(key=…, reverse=…)`. The items stay complete, in some order, when a comparison fails.
pub fn sort(machine: &mut dyn Machine, items: &mut Vec<Value>, key: Option<&Value>, reverse: bool) -> Outcome<()> {
    let mut keys = Vec::with_capacity(items.len());
    for item in items.iter() {
        interrupt::check()?;
        keys.push(match key {
            Some(key) => machine.call(key, CallArgs::positional(vec![item.clone()]))?,
            None => item.clone(),
        });
    }
    let mut pairs: Vec<Pair> = keys.into_iter().zip(std::mem::take(items)).collect();
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

fn sort_pairs(machine: &mut dyn Machine, pairs: &mut Vec<Pair>) -> Outcome<()> {
    if let Some(order) = order_of(pairs) {
        for run in pairs.chunks_mut(PLAIN_RUN) {
            interrupt::check()?;
            run.sort_by(|(a, _), (b, _)| order(a, b));
        }
        return merge_runs(pairs, PLAIN_RUN, &mut |a, b| Ok(order(a, b) == Ordering::Less));
    }
    let width = least_run(pairs.len());
    for run in pairs.chunks_mut(width.max(1)) {
        insertion_sort(machine, run)?;
    }
    merge_runs(pairs, width, &mut |a, b| overall::less(machine, a, b))
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
fn merge_runs(pairs: &mut Vec<Pair>, mut width: usize, less: &mut Less) -> Outcome<()> {
    while width < pairs.len() {
        let mut merged = Vec::with_capacity(pairs.len());
        let mut rest = std::mem::take(pairs).into_iter();
        let mut result = Ok(());
        while result.is_ok() && rest.len() > 0 {
            let [a, b] = [(); 2].map(|()| rest.by_ref().take(width).collect::<Vec<Pair>>());
            result = merge(a, b, less, &mut merged);
        }
        merged.extend(rest);
        *pairs = merged;
        result?;
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

/// Merges two runs; what is left of them when a comparison fails follows as it is.
fn merge(a: Vec<Pair>, b: Vec<Pair>, less: &mut Less, out: &mut Vec<Pair>) -> Outcome<()> {
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    let mut result = Ok(());
    while let (Some(first), Some(second)) = (a.peek(), b.peek()) {
        let comes_first = interrupt::check().map_err(Raise::from).and_then(|()| less(&second.0, &first.0));
        match comes_first {
            Ok(true) => out.extend(b.next()),
            Ok(false) => out.extend(a.next()),
            Err(raise) => {
                result = Err(raise);
                break;
            }
        }
    }
    out.extend(a);
    out.extend(b);
    result
}
