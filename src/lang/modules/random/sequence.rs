//! Choices from sequences.

use super::with;
use crate::lang::types::call::Call;
use crate::lang::types::{convert, iter, limits, overall};
use crate::syntax::ast::BinaryOp;
use crate::value::{Machine, Outcome, Value};
use std::collections::HashSet;

/// `choice(seq)`
pub fn choice(c: &mut Call<'_>) -> Outcome {
    let items = c.arg(0).clone();
    let len = overall::len(&items)?;
    if len == 0 {
        fault!(IndexError, "Cannot choose from an empty sequence");
    }
    let place = with(c, |state| state.place(len));
    c.machine.get_item(&items, &Value::from(place))
}

/// `shuffle(x)`
pub fn shuffle(c: &mut Call<'_>) -> Outcome {
    let items = c.arg(0).clone();
    let len = overall::len(&items)?;
    for i in (1..len).rev() {
        let j = with(c, |state| state.place(i + 1));
        if let Value::List(list) = &items {
            list.borrow_mut().swap(i, j);
            continue;
        }
        let (i, j) = (Value::from(i), Value::from(j));
        let (a, b) = (c.machine.get_item(&items, &i)?, c.machine.get_item(&items, &j)?);
        c.machine.set_item(&items, &i, b)?;
        c.machine.set_item(&items, &j, a)?;
    }
    Ok(Value::None)
}

fn is_sequence(value: &Value) -> bool {
    matches!(
        value,
        Value::List(_) | Value::Tuple(_) | Value::Str(_) | Value::Bytes(_) | Value::Range(_) | Value::Size(_) | Value::Named(_)
    )
}

/// `sample(population, k, *, counts=None)`
pub fn sample(c: &mut Call<'_>) -> Outcome {
    let population = c.arg(0).clone();
    if !is_sequence(&population) {
        fault!(TypeError, "Population must be a sequence.  For dicts or sets, use sorted(d).");
    }
    let len = overall::len(&population)?;
    let count = convert::to_i64(c.arg(1))?;
    let places = match c.some(2).cloned() {
        None => distinct(c, len, count)?,
        Some(counts) => {
            let sums = sums(c, &counts)?;
            if sums.len() != len {
                fault!(ValueError, "The number of counts does not match the population");
            }
            if let Some(total) = sums.last() {
                overall::binary(c.machine, BinaryOp::Add, total, &Value::Float(0.0))?;
            }
            let sums = sums.iter().map(convert::to_i64).collect::<Outcome<Vec<_>>>()?;
            let total = sums.last().copied().unwrap_or(0);
            if total <= 0 {
                fault!(ValueError, "Total of counts must be greater than zero");
            }
            let drawn = distinct(c, total as usize, count)?;
            drawn.into_iter().map(|s| sums.partition_point(|sum| *sum <= s as i64)).collect()
        }
    };
    let chosen = places.into_iter().map(|place| c.machine.get_item(&population, &Value::from(place)));
    Ok(Value::list(chosen.collect::<Outcome<_>>()?))
}

/// So many different places below a length. A large length keeps what was drawn, a small one what was not: Python draws
/// differently in the two cases.
fn distinct(c: &Call<'_>, len: usize, count: i64) -> Outcome<Vec<usize>> {
    let Some(count) = usize::try_from(count).ok().filter(|k| *k <= len) else {
        fault!(ValueError, "Sample larger than population or is negative");
    };
    limits::check_items(count)?;
    let mut table = 21.0;
    if count > 5 {
        table += 4f64.powf(((count as f64 * 3.0).ln() / 4f64.ln()).ceil());
    }
    if len as f64 <= table {
        let mut pool: Vec<usize> = (0..len).collect();
        return Ok((0..count).map(|i| pool.swap_remove(with(c, |state| state.place(len - i)))).collect());
    }
    let (mut seen, mut chosen) = (HashSet::new(), Vec::with_capacity(count));
    while chosen.len() < count {
        let place = with(c, |state| state.place(len));
        if seen.insert(place) {
            chosen.push(place);
        }
    }
    Ok(chosen)
}

/// The running sums of weights.
fn sums(c: &mut Call<'_>, weights: &Value) -> Outcome<Vec<Value>> {
    let mut sums: Vec<Value> = vec![];
    iter::each(c.machine, weights, |machine, weight| {
        let next = match sums.last() {
            Some(sum) => overall::binary(machine, BinaryOp::Add, sum, &weight)?,
            None => weight,
        };
        sums.push(next);
        Ok(true)
    })?;
    Ok(sums)
}

/// `choices(population, weights=None, *, cum_weights=None, k=1)`
pub fn choices(c: &mut Call<'_>) -> Outcome {
    let population = c.arg(0).clone();
    let len = overall::len(&population)?;
    let count = c.get(3).map_or(Ok(1), convert::to_i64)?.max(0) as usize;
    limits::check_items(count)?;
    let weights = match (c.some(1).cloned(), c.some(2).cloned()) {
        (Some(_), Some(_)) => fault!(TypeError, "Cannot specify both weights and cumulative weights"),
        (Some(Value::Int(k)), None) => fault!(TypeError, "The number of choices must be a keyword argument: k={k}"),
        (Some(weights), None) => Some(sums(c, &weights)?),
        (None, Some(sums)) => Some(iter::collect(c.machine, &sums)?),
        (None, None) => None,
    };
    let places: Vec<usize> = match weights {
        None if len == 0 && count > 0 => {
            with(c, |state| state.unit());
            fault!(IndexError, "list index out of range")
        }
        None => (0..count).map(|_| with(c, |state| (state.unit() * len as f64).floor() as usize)).collect(),
        Some(sums) => weighted(c, len, count, &sums)?,
    };
    let machine: &mut dyn Machine = c.machine;
    let chosen = places.into_iter().map(|place| machine.get_item(&population, &Value::from(place)));
    Ok(Value::list(chosen.collect::<Outcome<_>>()?))
}

fn weighted(c: &mut Call<'_>, len: usize, count: usize, sums: &[Value]) -> Outcome<Vec<usize>> {
    if sums.len() != len {
        fault!(ValueError, "The number of weights does not match the population");
    }
    let sums = sums.iter().map(convert::to_float).collect::<Outcome<Vec<_>>>()?;
    let total = sums.last().copied().unwrap_or(0.0);
    if total <= 0.0 {
        fault!(ValueError, "Total of weights must be greater than zero");
    }
    if !total.is_finite() {
        fault!(ValueError, "Total of weights must be finite");
    }
    let inner = &sums[..len - 1];
    let place = |drawn: f64| inner.partition_point(|sum| *sum <= drawn);
    Ok((0..count).map(|_| place(with(c, |state| state.unit()) * total)).collect())
}
