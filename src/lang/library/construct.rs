//! Classes of the library that are written in Python there and are rows of a table here: the class as a value, and how it takes its
//! arguments.

use crate::lang::types::call::plural;
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// A row of a table of classes.
pub trait Row: Sized + 'static {
    /// The class's name.
    fn name(&self) -> &'static str;
    /// The module that it is shown in.
    fn module(&self) -> String;
    /// A new object of the class.
    fn make(&'static self, machine: &mut dyn Machine, args: CallArgs) -> Outcome;
    /// The row that a value was made by, if it is an object of one of these classes.
    fn of(value: &Value) -> Option<&'static Self>;
}

/// The class of a row.
struct RowClass<R: Row>(&'static R);

/// The class of a row as a value.
pub fn class<R: Row>(row: &'static R) -> Value {
    Value::object(RowClass(row))
}

impl<R: Row> Object for RowClass<R> {
    fn type_name(&self) -> String {
        "type".into()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::Type)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<class '{}.{}'>", self.0.module(), self.0.name())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(matches!(name, "__name__" | "__qualname__").then(|| Value::from(self.0.name())))
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.0.make(machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn is_class_of(&self, value: &Value) -> Option<bool> {
        Some(R::of(value).is_some_and(|row| std::ptr::eq(row, self.0)))
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(std::ptr::eq(other.downcast::<RowClass<R>>()?.0, self.0))
    }
    fn hash(&self) -> Option<u64> {
        Some(self.0 as *const R as u64)
    }
}

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
