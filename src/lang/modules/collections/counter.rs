//! `Counter`: how often each item was seen.

use super::mapping::{Kind, Mapping};
use crate::lang::operators;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::dict::Entries;
use crate::lang::types::{convert, dict, iter, overall};
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::{Dict, Key, Machine, Outcome, Value};
use std::rc::Rc;

/// The methods beyond those of a dict.
pub static METHODS: Table = Table {
    owner: "Counter",
    rows: Table::sorted(&[
        row("elements", def(&[], 0, 0), elements),
        row("most_common", def(&["n"], 0, 1), |c| {
            let pairs = most_common(&entries(c).borrow());
            if let Some(text @ Value::Str(_)) = c.some(0).cloned() {
                overall::compare(c.machine, CompareOp::Ge, &text, &Value::from(pairs.len()))?;
            }
            let count = c.some(0).map_or(Ok(pairs.len() as i64), convert::to_i64)?.max(0) as usize;
            let pairs = pairs.into_iter().take(count);
            Ok(Value::list(pairs.map(|(key, n)| Value::tuple(vec![key.into_value(), n])).collect()))
        }),
        row("subtract", Takes::Any, |c| change(c, BinaryOp::Sub)),
        row("total", def(&[], 0, 0), |c| {
            let counts: Vec<Value> = entries(c).borrow().values().cloned().collect();
            counts.iter().try_fold(Value::Int(0), |sum, n| overall::binary(c.machine, BinaryOp::Add, &sum, n))
        }),
        row("update", Takes::Any, |c| change(c, BinaryOp::Add)),
    ]),
};

fn entries(c: &Call<'_>) -> Entries {
    c.this.downcast::<Mapping>().map(|m| m.entries.clone()).unwrap_or_default()
}

/// `Counter(iterable)`, `Counter(mapping)`, `Counter(a=1)`.
pub fn construct(c: &mut Call<'_>) -> Outcome {
    if c.count() > 1 {
        fault!(TypeError, "Counter.__init__() takes from 1 to 2 positional arguments but {} were given", c.count() + 1);
    }
    let entries = Entries::default();
    add(c, &entries, BinaryOp::Add)?;
    Ok(Value::object(Mapping { kind: Kind::Counter, entries, factory: Value::None }))
}

fn change(c: &mut Call<'_>, op: BinaryOp) -> Outcome {
    let entries = entries(c);
    add(c, &entries, op)?;
    Ok(Value::None)
}

/// Adds or subtracts the counts of the arguments.
fn add(c: &mut Call<'_>, entries: &Entries, op: BinaryOp) -> Outcome<()> {
    let mut counts: Vec<(Key, Value)> = vec![];
    if let Some(source) = c.some(0).cloned() {
        match dict::entries_of(&source) {
            Some(source) => counts.extend(source.borrow().iter().map(|(k, v)| (k.clone(), v.clone()))),
            None => iter::each(c.machine, &source, |machine, item| {
                counts.push((Key::of(machine, item)?, Value::Int(1)));
                Ok(true)
            })?,
        }
    }
    counts.extend(std::mem::take(&mut c.keyword).into_iter().map(|(name, n)| (Key::from(&*name), n)));
    for (key, n) in counts {
        let old = entries.borrow().get(&key).cloned().unwrap_or(Value::Int(0));
        let new = overall::binary(c.machine, op, &old, &n)?;
        entries.borrow_mut().insert(key, new);
    }
    Ok(())
}

fn elements(c: &mut Call<'_>) -> Outcome {
    let mut pairs: Vec<(Value, i64)> = vec![];
    for (key, n) in entries(c).borrow().iter() {
        pairs.push((key.value().clone(), convert::to_i64(n)?));
    }
    let mut pairs = pairs.into_iter();
    let mut current: Option<(Value, i64)> = None;
    Ok(iter::Walk::value("itertools.chain", move |_| {
        loop {
            if let Some((value, left)) = &mut current
                && *left > 0
            {
                *left -= 1;
                return Ok(Some(value.clone()));
            }
            current = pairs.next();
            if current.is_none() {
                return Ok(None);
            }
        }
    }))
}

/// The entries, the most frequent first, equal ones in order of first sight.
pub fn most_common(entries: &Dict) -> Vec<(Key, Value)> {
    let mut pairs: Vec<(Key, Value)> = entries.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let count = |n: &Value| convert::as_float(n).ok().flatten().unwrap_or(0.0);
    pairs.sort_by(|a, b| count(&b.1).total_cmp(&count(&a.1)));
    pairs
}

/// `a + b`, `a - b`, `a | b`, `a & b`, without counts below 1.
pub fn combine(machine: &mut dyn Machine, op: BinaryOp, a: &Dict, b: &Dict) -> Option<Outcome> {
    if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::BitOr | BinaryOp::BitAnd) {
        return None;
    }
    Some(combined(machine, op, a, b))
}

fn combined(machine: &mut dyn Machine, op: BinaryOp, a: &Dict, b: &Dict) -> Outcome {
    let (zero, mut result) = (Value::Int(0), Dict::default());
    let more = b.keys().filter(|key| !a.contains_key(*key));
    for key in a.keys().chain(more) {
        let (x, y) = (a.get(key).unwrap_or(&zero), b.get(key).unwrap_or(&zero));
        let n = match op {
            BinaryOp::Add | BinaryOp::Sub => overall::binary(machine, op, x, y)?,
            BinaryOp::BitOr if overall::less(machine, x, y)? => y.clone(),
            BinaryOp::BitAnd if overall::less(machine, y, x)? => y.clone(),
            _ => x.clone(),
        };
        if overall::greater(machine, &n, &zero)? {
            result.insert(key.clone(), n);
        }
    }
    Ok(Value::object(Mapping { kind: Kind::Counter, entries: Rc::new(result.into()), factory: Value::None }))
}

/// `a == b`, `a <= b` and so on, count by count; what is missing counts 0.
pub fn compare(machine: &mut dyn Machine, op: CompareOp, a: &Dict, b: &Dict) -> Outcome<bool> {
    let zero = Value::Int(0);
    // The strict orders ask for a difference beside the order.
    let (each, strict) = match op {
        CompareOp::Lt => (CompareOp::Le, true),
        CompareOp::Gt => (CompareOp::Ge, true),
        CompareOp::Ne => (CompareOp::Eq, false),
        other => (other, false),
    };
    let (mut all, mut same) = (true, true);
    for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
        let (x, y) = (a.get(key).unwrap_or(&zero), b.get(key).unwrap_or(&zero));
        all &= operators::truth(&operators::compare(machine, each, x, y)?)?;
        same &= overall::equal(machine, x, y)?;
    }
    Ok(if op == CompareOp::Ne { !all } else { all && !(strict && same) })
}

/// `+a` and `-a`: the counts above 0, of `a` or of what it lacks.
pub fn unary(machine: &mut dyn Machine, op: &str, a: &Dict) -> Option<Outcome> {
    let none = Dict::default();
    match op {
        "+" => Some(combined(machine, BinaryOp::Add, a, &none)),
        "-" => Some(combined(machine, BinaryOp::Sub, &none, a)),
        _ => None,
    }
}
