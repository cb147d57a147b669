//! How classes of the library that are written in Python there take their arguments.

use crate::lang::types::call::plural;
use crate::value::{CallArgs, Outcome, Value};

/// The arguments of a call by the names of parameters, of which the first `required` must be given; none where one was left out.
///
/// Fails with a `TypeError`, as a function of Python's does, on arguments that do not fit.
pub fn bind(class: &str, names: &[&'static str], required: usize, args: CallArgs) -> Outcome<Vec<Option<Value>>> {
    let title = format!("{class}.__init__()");
    let given = args.positional.len() + 1;
    if given > names.len() + 1 {
        let (least, most) = (required + 1, names.len() + 1);
        let range = if least == most { most.to_string() } else { format!("from {least} to {most}") };
        fault!(TypeError, "{title} takes {range} positional argument{} but {given} were given", plural(most));
    }
    let mut values: Vec<Option<Value>> = args.positional.into_iter().map(Some).collect();
    values.resize(names.len(), None);
    for (name, value) in args.keyword {
        match names.iter().position(|own| **own == *name) {
            Some(place) if values[place].is_some() => fault!(TypeError, "{title} got multiple values for argument '{name}'"),
            Some(place) => values[place] = Some(value),
            None => fault!(TypeError, "{title} got an unexpected keyword argument '{name}'"),
        }
    }
    let missing: Vec<String> =
        (0..required).filter(|place| values[*place].is_none()).map(|place| format!("'{}'", names[place])).collect();
    if !missing.is_empty() {
        let count = missing.len();
        fault!(TypeError, "{title} missing {count} required positional argument{}: {}", plural(count), missing.join(" and "));
    }
    Ok(values)
}
