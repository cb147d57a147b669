//! The line of classes that a class inherits from: C3, as Python orders it.

use super::as_class;
use crate::lang::modules::collections::named_tuple;
use crate::lang::types::class::{self, ObjectClass};
use crate::value::{Class, Machine, Outcome, Value};

/// All classes that one with these bases inherits from, nearest first. Fails with a `TypeError` when they have no order.
pub(super) fn line(machine: &mut dyn Machine, bases: &[Value]) -> Outcome<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> = bases.iter().map(whole).collect();
    rows.push(bases.to_vec());
    let mut line = vec![];
    loop {
        rows.retain(|row| !row.is_empty());
        if rows.is_empty() {
            return Ok(line);
        }
        // The first that no other line has behind its head.
        let waits = |class: &Value| rows.iter().any(|row| row.iter().skip(1).any(|other| other.is(class)));
        let Some(next) = rows.iter().filter_map(|row| row.first()).find(|class| !waits(class)).cloned() else {
            let heads = rows.iter().filter_map(|row| row.first());
            let mut names: Vec<String> = vec![];
            for head in heads {
                let name = machine.attr(head, "__name__")?;
                let name = machine.str(&name)?;
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            fault!(TypeError, "Cannot create a consistent method resolution\norder (MRO) for bases {}", names.join(", "));
        };
        for row in &mut rows {
            if row.first().is_some_and(|class| class.is(&next)) {
                row.remove(0);
            }
        }
        line.push(next);
    }
}

/// A class with all that it inherits from.
fn whole(class: &Value) -> Vec<Value> {
    if let Some(own) = as_class(class) {
        return own.whole_line();
    }
    match class {
        Value::Class(own) => class::ancestors(*own).into_iter().map(Value::Class).collect(),
        other => {
            let within = match other.downcast::<ObjectClass>() {
                Some(class) if class.is_of_dicts() => Some(Class::Dict),
                _ => named_tuple::is_class(other).then_some(Class::Tuple),
            };
            let behind = within.into_iter().chain([Class::Object]).map(Value::Class);
            std::iter::once(other.clone()).chain(behind).collect()
        }
    }
}
