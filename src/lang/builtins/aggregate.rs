//! `sum`, `min`, `max`, `any`, `all`, `sorted`: one value or list from many.

use crate::lang::classes;
use crate::lang::eval::numbers;
use crate::lang::types::call::{Call, check_count};
use crate::lang::types::{convert, iter, overall, sort, truth};
use crate::syntax::ast::BinaryOp;
use crate::value::{CallArgs, Machine, Outcome, Value};

/// True when an item's truth is `wanted`.
pub fn any_is(c: &mut Call<'_>, wanted: bool) -> Outcome<bool> {
    let (items, mut found) = (c.arg(0).clone(), false);
    iter::each(c.machine, &items, |machine, item| {
        found = classes::truth(machine, &item)? == wanted;
        Ok(!found)
    })?;
    Ok(found)
}

/// `sum(iterable, start)`.
pub fn sum(c: &mut Call<'_>) -> Outcome {
    let (items, mut total) = (c.arg(0).clone(), c.get(1).cloned().unwrap_or(Value::Int(0)));
    let refused = match &total {
        Value::Str(_) => Some("sum() can't sum strings [use ''.join(seq) instead]"),
        Value::Bytes(_) => Some("sum() can't sum bytes [use b''.join(seq) instead]"),
        _ => None,
    };
    if let Some(refused) = refused {
        fault!(TypeError, "{refused}");
    }
    iter::each(c.machine, &items, |machine, item| {
        if let Some(sum) = numbers(BinaryOp::Add, &total, &item) {
            total = sum.value();
            return Ok(true);
        }
        total = overall::binary(machine, BinaryOp::Add, &total, &item)?;
        Ok(true)
    })?;
    Ok(total)
}

/// `min(…)` and `max(…)`: of an iterable, or of several arguments.
pub fn extreme(c: &mut Call<'_>, name: &str) -> Outcome {
    let (key, default) = (c.take_keyword("key"), c.take_keyword("default"));
    let args = c.args();
    check_count(name, args.len(), 1, usize::MAX)?;
    c.no_more_keywords(name)?;
    let items = match args.as_slice() {
        [only] => only.clone(),
        _ if default.is_some() => fault!(TypeError, "Cannot specify a default for {name}() with multiple positional arguments"),
        _ => Value::tuple(args),
    };
    let key = key.filter(|k| !matches!(k, Value::None));
    let mut best: Option<(Value, Value)> = None;
    iter::each(c.machine, &items, |machine, item| {
        let by = key_of(machine, key.as_ref(), &item)?;
        let better = match &best {
            None => true,
            Some((top, _)) if name == "max" => overall::greater(machine, &by, top)?,
            Some((top, _)) => overall::less(machine, &by, top)?,
        };
        if better {
            best = Some((by, item));
        }
        Ok(true)
    })?;
    match (best, default) {
        (Some((_, item)), _) => Ok(item),
        (None, Some(default)) => Ok(default),
        (None, None) => fault!(ValueError, "{name}() arg is an empty sequence"),
    }
}

fn key_of(machine: &mut dyn Machine, key: Option<&Value>, item: &Value) -> Outcome {
    match key {
        Some(key) => machine.call(key, CallArgs::positional(vec![item.clone()])),
        None => Ok(item.clone()),
    }
}

/// `sorted(iterable, key=None, reverse=False)`.
pub fn sorted(c: &mut Call<'_>) -> Outcome {
    check_count("sorted", c.count(), 1, 1)?;
    let key = c.take_keyword("key").filter(|k| !matches!(k, Value::None));
    let reverse = match c.take_keyword("reverse") {
        Some(value) => truth::truth(&convert::to_int(&value)?)?,
        None => false,
    };
    c.no_more_keywords("sort")?;
    let mut items = super::items(c)?;
    sort::sort(c.machine, &mut items, key.as_ref(), reverse)?;
    Ok(Value::list(items))
}
