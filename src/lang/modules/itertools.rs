//! `itertools`: iterators made of iterators.

mod choose;
mod group;

use crate::interrupt;
use crate::lang::types::call::{Call, Row, Table, Takes, check_count, named, row};
use crate::lang::types::class::ObjectClass;
use crate::lang::types::iter::Walk;
use crate::lang::types::{convert, iter, limits, overall};
use crate::syntax::ast::BinaryOp;
use crate::value::{CallArgs, Machine, Outcome, Value};

/// What a call of each class runs.
static CLASSES: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("accumulate", named(&["iterable", "func", "initial"], 1), accumulate),
        row("chain", Takes::Any, |c| {
            no_keywords(c, "chain")?;
            Ok(chain(iter::from_vec("tuple_iterator", c.args())))
        }),
        row("combinations", named(&["iterable", "r"], 2), |c| choose::combinations(c, false)),
        row("combinations_with_replacement", named(&["iterable", "r"], 2), |c| choose::combinations(c, true)),
        row("compress", named(&["data", "selectors"], 2), compress),
        row("count", named(&["start", "step"], 0), count),
        row("cycle", Takes::Between(1, 1), cycle),
        row("dropwhile", Takes::Between(2, 2), |c| while_true(c, "itertools.dropwhile", true)),
        row("filterfalse", Takes::Between(2, 2), filter_false),
        row("groupby", named(&["iterable", "key"], 1), group::group_by),
        row("islice", Takes::Between(2, 4), slice),
        row("pairwise", Takes::Between(1, 1), pairwise),
        row("permutations", named(&["iterable", "r"], 1), choose::permutations),
        row("product", Takes::Any, choose::product),
        row("repeat", named(&["object", "times"], 1), repeat),
        row("starmap", Takes::Between(2, 2), star_map),
        row("takewhile", Takes::Between(2, 2), |c| while_true(c, "itertools.takewhile", false)),
        row("zip_longest", Takes::Any, zip_longest),
    ]),
};

static CHAIN_FUNCTIONS: Table = Table {
    owner: "chain",
    rows: Table::sorted(&[row("from_iterable", Takes::One, |c| {
        let sources = c.arg(0).clone();
        Ok(chain(c.machine.iter(&sources)?))
    })]),
};

/// The functions.
pub static FUNCTIONS: Table = Table { owner: "itertools", rows: Table::sorted(&[row("tee", Takes::Between(1, 2), group::tee)]) };

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    let functions = |row: &Row| (row.name == "chain").then_some(&CHAIN_FUNCTIONS);
    let class = |row: &'static Row| ObjectClass::callable(&format!("itertools.{}", row.name), &CLASSES, row, functions(row));
    CLASSES.rows.iter().map(|row| (row.name, class(row))).collect()
}

fn no_keywords(c: &Call<'_>, name: &str) -> Outcome<()> {
    if !c.keyword.is_empty() {
        fault!(TypeError, "{name}() takes no keyword arguments");
    }
    Ok(())
}

/// An iterator over an argument.
fn source(c: &mut Call<'_>, place: usize) -> Outcome {
    let value = c.arg(place).clone();
    c.machine.iter(&value)
}

fn call_one(machine: &mut dyn Machine, function: &Value, item: &Value) -> Outcome {
    machine.call(function, CallArgs::positional(vec![item.clone()]))
}

fn accumulate(c: &mut Call<'_>) -> Outcome {
    let (items, function, mut initial) = (source(c, 0)?, c.some(1).cloned(), c.some(2).cloned());
    let mut total: Option<Value> = None;
    Ok(Walk::value("itertools.accumulate", move |machine| {
        if let Some(first) = initial.take() {
            total = Some(first.clone());
            return Ok(Some(first));
        }
        let Some(item) = machine.next(&items)? else { return Ok(None) };
        let next = match (&total, &function) {
            (None, _) => item,
            (Some(sum), None) => overall::binary(machine, BinaryOp::Add, sum, &item)?,
            (Some(sum), Some(function)) => machine.call(function, CallArgs::positional(vec![sum.clone(), item]))?,
        };
        total = Some(next.clone());
        Ok(Some(next))
    }))
}

fn chain(sources: Value) -> Value {
    let mut current: Option<Value> = None;
    Walk::value("itertools.chain", move |machine| {
        loop {
            interrupt::check()?;
            if let Some(items) = &current
                && let Some(item) = machine.next(items)?
            {
                return Ok(Some(item));
            }
            let Some(next) = machine.next(&sources)? else { return Ok(None) };
            current = Some(machine.iter(&next)?);
        }
    })
}

fn compress(c: &mut Call<'_>) -> Outcome {
    let (items, selectors) = (source(c, 0)?, source(c, 1)?);
    Ok(Walk::value("itertools.compress", move |machine| {
        loop {
            interrupt::check()?;
            let (Some(item), Some(selector)) = (machine.next(&items)?, machine.next(&selectors)?) else { return Ok(None) };
            if overall::truth(&selector)? {
                return Ok(Some(item));
            }
        }
    }))
}

fn count(c: &mut Call<'_>) -> Outcome {
    let (mut next, step) = (c.get(0).cloned().unwrap_or(Value::Int(0)), c.get(1).cloned().unwrap_or(Value::Int(1)));
    for value in [&next, &step] {
        if !crate::lang::types::number::is_number(value) && !matches!(value, Value::Tensor(_)) {
            fault!(TypeError, "a number is required");
        }
    }
    Ok(Walk::value("itertools.count", move |machine| {
        let after = overall::binary(machine, BinaryOp::Add, &next, &step)?;
        Ok(Some(std::mem::replace(&mut next, after)))
    }))
}

fn cycle(c: &mut Call<'_>) -> Outcome {
    let items = source(c, 0)?;
    let (mut seen, mut place, mut ended) = (vec![], 0, false);
    Ok(Walk::value("itertools.cycle", move |machine| {
        if !ended {
            if let Some(item) = machine.next(&items)? {
                limits::check_items(seen.len())?;
                seen.push(item.clone());
                return Ok(Some(item));
            }
            ended = true;
        }
        let item: Option<Value> = seen.get(place).cloned();
        place = if place + 1 >= seen.len() { 0 } else { place + 1 };
        Ok(item)
    }))
}

/// `takewhile`, or `dropwhile`.
fn while_true(c: &mut Call<'_>, name: &'static str, drops: bool) -> Outcome {
    let (test, items) = (c.arg(0).clone(), source(c, 1)?);
    let mut started = false;
    Ok(Walk::value(name, move |machine| {
        loop {
            interrupt::check()?;
            let Some(item) = machine.next(&items)? else { return Ok(None) };
            if started {
                return Ok(Some(item));
            }
            let answer = call_one(machine, &test, &item)?;
            match (overall::truth(&answer)?, drops) {
                (true, true) => {}
                (false, true) => {
                    started = true;
                    return Ok(Some(item));
                }
                (true, false) => return Ok(Some(item)),
                (false, false) => return Ok(None),
            }
        }
    }))
}

fn filter_false(c: &mut Call<'_>) -> Outcome {
    let (test, items) = (c.arg(0).clone(), source(c, 1)?);
    Ok(Walk::value("itertools.filterfalse", move |machine| {
        loop {
            interrupt::check()?;
            let Some(item) = machine.next(&items)? else { return Ok(None) };
            let answer = if matches!(test, Value::None) { item.clone() } else { call_one(machine, &test, &item)? };
            if !overall::truth(&answer)? {
                return Ok(Some(item));
            }
        }
    }))
}

fn slice(c: &mut Call<'_>) -> Outcome {
    let items = source(c, 0)?;
    let bound = |value: Option<&Value>, refused: &str| -> Outcome<Option<usize>> {
        let Some(value) = value.filter(|v| !matches!(v, Value::None)) else { return Ok(None) };
        match convert::as_int(value)? {
            Some(Value::Int(i)) if i >= 0 => Ok(Some(i as usize)),
            _ => fault!(ValueError, "{refused}"),
        }
    };
    let place = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
    let (start, stop) = match c.count() {
        2 => (0, bound(c.get(1), "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")?),
        _ => (bound(c.get(1), place)?.unwrap_or(0), bound(c.get(2), place)?),
    };
    let step = bound(c.get(3), "Step for islice() must be a positive integer or None.")?.unwrap_or(1);
    if step == 0 {
        fault!(ValueError, "Step for islice() must be a positive integer or None.");
    }
    let (mut at, mut wanted) = (0, start);
    Ok(Walk::value("itertools.islice", move |machine| {
        if stop.is_some_and(|stop| wanted >= stop) {
            // What lies before the end is taken from the source all the same.
            while at < stop.unwrap_or(0) && machine.next(&items)?.is_some() {
                at += 1;
            }
            return Ok(None);
        }
        loop {
            interrupt::check()?;
            let Some(item) = machine.next(&items)? else { return Ok(None) };
            at += 1;
            if at > wanted {
                wanted = wanted.saturating_add(step);
                return Ok(Some(item));
            }
        }
    }))
}

fn pairwise(c: &mut Call<'_>) -> Outcome {
    let items = source(c, 0)?;
    let mut before: Option<Value> = None;
    Ok(Walk::value("itertools.pairwise", move |machine| {
        if before.is_none() {
            before = machine.next(&items)?;
        }
        let Some(next) = machine.next(&items)? else { return Ok(None) };
        Ok(before.replace(next.clone()).map(|first| Value::tuple(vec![first, next])))
    }))
}

fn repeat(c: &mut Call<'_>) -> Outcome {
    let value = c.arg(0).clone();
    let mut left = c.get(1).map(convert::to_i64).transpose()?.map(|n| n.max(0));
    Ok(Walk::value("itertools.repeat", move |_| {
        if let Some(left) = &mut left {
            if *left == 0 {
                return Ok(None);
            }
            *left -= 1;
        }
        Ok(Some(value.clone()))
    }))
}

fn star_map(c: &mut Call<'_>) -> Outcome {
    let (function, items) = (c.arg(0).clone(), source(c, 1)?);
    Ok(Walk::value("itertools.starmap", move |machine| {
        let Some(item) = machine.next(&items)? else { return Ok(None) };
        let args = iter::collect(machine, &item)?;
        machine.call(&function, CallArgs::positional(args)).map(Some)
    }))
}

fn zip_longest(c: &mut Call<'_>) -> Outcome {
    let fill = c.take_keyword("fillvalue").unwrap_or(Value::None);
    if !c.keyword.is_empty() {
        fault!(TypeError, "zip_longest() got an unexpected keyword argument");
    }
    let args = c.args();
    check_count("zip_longest", args.len(), 0, usize::MAX)?;
    let mut sources = args.iter().map(|v| c.machine.iter(v).map(Some)).collect::<Outcome<Vec<_>>>()?;
    Ok(Walk::value("itertools.zip_longest", move |machine| {
        let mut row = Vec::with_capacity(sources.len());
        for source in &mut sources {
            let item = match source {
                Some(items) => machine.next(items)?,
                None => None,
            };
            if item.is_none() {
                *source = None;
            }
            row.push(item.unwrap_or_else(|| fill.clone()));
        }
        Ok(sources.iter().any(Option::is_some).then(|| Value::tuple(row)))
    }))
}
