//! Exception objects: made from a class and arguments, matched by `except`, and what they have as attributes.

use super::classes;
use super::interp::Interp;
use super::modules::traceback;
use super::types;
use super::types::call::{Builtin, Table, Takes, row};
use crate::diag::{Diagnostic, ErrorClass};
use crate::value::{CallArgs, Class, Exception, Outcome, Value};
use std::rc::Rc;

/// `ValueError("text", 1)`.
pub fn construct(machine: &mut Interp, class: ErrorClass, args: CallArgs) -> Outcome {
    if let Some(own) = classes::as_class(&Value::Class(Class::Exception(class))) {
        return classes::call(machine, &own, args);
    }
    if !args.keyword.is_empty() {
        fault!(TypeError, "{}() takes no keyword arguments", class.name());
    }
    new(machine, class, args.positional).map(Value::Exception)
}

/// The classes that `OSError` gives instead of itself for an error number.
const OS_ERRORS: &[(i64, ErrorClass)] = &[
    (1, ErrorClass::PermissionError),
    (2, ErrorClass::FileNotFoundError),
    (13, ErrorClass::PermissionError),
    (17, ErrorClass::FileExistsError),
    (20, ErrorClass::NotADirectoryError),
    (21, ErrorClass::IsADirectoryError),
];

/// An exception of a class with arguments.
pub fn new(machine: &mut Interp, class: ErrorClass, args: Vec<Value>) -> Outcome<Rc<Exception>> {
    let class = match (class, args.as_slice()) {
        (ErrorClass::OSError, [Value::Int(number), _, ..]) => {
            OS_ERRORS.iter().find(|(known, _)| known == number).map_or(class, |(_, named)| *named)
        }
        _ => class,
    };
    let message = message(machine, class, &args)?;
    Ok(Rc::new(Exception::new(Diagnostic::new(class, message), args)))
}

/// `str(exception)`: its argument, or all of them as a tuple; a missing key is shown as it would be written.
fn message(machine: &mut Interp, class: ErrorClass, args: &[Value]) -> Outcome<String> {
    args.iter().try_for_each(|arg| classes::settle(machine, arg, true))?;
    plain_message(class, args)
}

/// The same where what objects say of themselves is settled, or asked later.
pub fn plain_message(class: ErrorClass, args: &[Value]) -> Outcome<String> {
    match args {
        [] => Ok(String::new()),
        [one] if class.is_a(ErrorClass::KeyError) => types::repr::repr(one),
        [one] => types::repr::str(one),
        [number, text] if class.is_a(ErrorClass::OSError) => {
            Ok(format!("[Errno {}] {}", types::repr::str(number)?, types::repr::str(text)?))
        }
        several => types::repr::repr(&Value::tuple(several.to_vec())),
    }
}

/// True when an `except` clause for a class, or a tuple of classes, catches an exception of `raised`.
pub fn matches(clause: &Value, raised: ErrorClass) -> Outcome<bool> {
    match clause {
        Value::Class(Class::Exception(class)) => Ok(raised.is_a(*class) || builds_on(raised, clause)),
        Value::Tuple(items) => {
            for item in items.iter() {
                if matches(item, raised)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ => fault!(TypeError, "catching classes that do not inherit from BaseException is not allowed"),
    }
}

/// True for a class of the program that builds on several, among them this one.
fn builds_on(raised: ErrorClass, clause: &Value) -> bool {
    classes::as_class(&Value::Class(Class::Exception(raised))).is_some_and(|class| class.is_a(clause))
}

/// Classes of exceptions with the name that was not found.
const NAMING: [ErrorClass; 3] = [ErrorClass::ImportError, ErrorClass::NameError, ErrorClass::AttributeError];

/// The attributes that every exception has, and those of a few classes.
pub fn attr(exception: &Rc<Exception>, name: &str) -> Option<Value> {
    let trace = exception.trace.borrow();
    let linked = |other: &Option<Rc<Exception>>| other.clone().map_or(Value::None, Value::Exception);
    let at = |place: usize| exception.args.borrow().get(place).cloned().unwrap_or(Value::None);
    let is_system = exception.diagnostic.class.is_a(ErrorClass::OSError) && exception.args.borrow().len() > 1;
    if let Some((_, value)) = trace.own.iter().find(|(own, _)| **own == *name) {
        return Some(value.clone());
    }
    if let Some(row) = METHODS.find(name) {
        return Some(Builtin::method(&METHODS, row, Value::Exception(exception.clone())));
    }
    Some(match (name, exception.diagnostic.class) {
        ("args", _) => Value::tuple(exception.args.borrow().clone()),
        ("__cause__", _) => linked(&trace.cause),
        ("__context__", _) => linked(&trace.context),
        ("__suppress_context__", _) => Value::Bool(trace.suppress_context),
        ("__traceback__", _) => traceback::of(exception),
        ("code", ErrorClass::SystemExit) | ("value", ErrorClass::StopIteration) => at(0),
        ("errno", _) if is_system => at(0),
        ("strerror", _) if is_system => at(1),
        ("filename", _) if is_system => {
            let path = exception.diagnostic.message.split_once(": '").and_then(|(_, rest)| rest.strip_suffix('\''));
            path.map_or(Value::None, Value::from)
        }
        ("errno" | "strerror" | "filename", class) if class.is_a(ErrorClass::OSError) => Value::None,
        ("msg", class) if class.is_a(ErrorClass::SyntaxError) || class.is_a(ErrorClass::ImportError) => at(0),
        ("name", class) if NAMING.iter().any(|naming| class.is_a(*naming)) => {
            let message = &exception.diagnostic.message;
            let of_module = class.is_a(ErrorClass::ImportError) && message.starts_with("cannot import name");
            // What has no such name, or gives none, is told before it or behind it.
            let place = if class.is_a(ErrorClass::AttributeError) || of_module { 3 } else { 1 };
            Value::from(message.split('\'').nth(place).unwrap_or_default())
        }
        _ => return None,
    })
}

/// What an exception can do.
static METHODS: Table = Table {
    owner: "BaseException",
    rows: Table::sorted(&[
        row("add_note", Takes::One, |c| {
            let (Value::Exception(exception), Value::Str(_)) = (c.this, c.arg(0)) else {
                fault!(TypeError, "note must be a str, not '{}'", c.arg(0).type_name());
            };
            let notes = match attr(exception, "__notes__") {
                Some(Value::List(notes)) => notes,
                _ => Rc::default(),
            };
            notes.borrow_mut().push(c.arg(0).clone());
            give(exception, "__notes__", Value::List(notes));
            Ok(Value::None)
        }),
        row("with_traceback", Takes::One, |c| match c.arg(0) {
            given if traceback::is(given) => Ok(c.this.clone()),
            _ => fault!(TypeError, "__traceback__ must be a traceback or None"),
        }),
    ]),
};

/// Keeps a value under a name of the program's.
fn give(exception: &Exception, name: &str, value: Value) {
    let mut trace = exception.trace.borrow_mut();
    match trace.own.iter_mut().find(|(own, _)| **own == *name) {
        Some((_, old)) => *old = value,
        None => trace.own.push((name.into(), value)),
    }
}

/// Sets an attribute.
pub fn set_attr(machine: &mut Interp, exception: &Rc<Exception>, name: &str, value: Value) -> Outcome<()> {
    match (name, value) {
        ("args", value) => {
            let args = types::iter::collect(machine, &value)?;
            let text = message(machine, exception.diagnostic.class, &args)?;
            exception.trace.borrow_mut().message = Some(text);
            *exception.args.borrow_mut() = args;
        }
        ("__cause__" | "__context__", value @ (Value::None | Value::Exception(_))) => link(exception, name, value),
        ("__cause__", _) => fault!(TypeError, "exception cause must be None or derive from BaseException"),
        ("__context__", _) => fault!(TypeError, "exception context must be None or derive from BaseException"),
        (name, value) => give(exception, name, value),
    }
    Ok(())
}

/// Says which exception another followed.
fn link(exception: &Exception, name: &str, other: Value) {
    let linked = if let Value::Exception(other) = other { Some(other) } else { None };
    let mut trace = exception.trace.borrow_mut();
    match name {
        "__cause__" => {
            trace.cause = linked;
            trace.suppress_context = true;
        }
        _ => trace.context = linked,
    }
}
