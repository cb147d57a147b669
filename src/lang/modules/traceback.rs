//! `traceback`: exceptions as texts, and the places that they came through.

use crate::diag::{Source, Span};
use crate::lang::exceptions;
use crate::lang::interp::Interp;
use crate::lang::types::call::{Call, Table, def, row};
use crate::value::{CallArgs, Exception, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "traceback",
    rows: Table::sorted(&[
        row("format_exc", def(&["limit", "chain"], 0, 2), |c| {
            let exception = current(c.machine);
            Ok(Value::from(parts(c.machine, exception)?.concat()))
        }),
        row("format_exception", def(&["exc", "value", "tb", "limit", "chain"], 1, 5), |c| {
            let exception = given(c);
            Ok(texts(parts(c.machine, exception)?))
        }),
        row("format_exception_only", def(&["exc", "value"], 1, 2), |c| {
            let exception = given(c);
            Ok(texts(last_lines(c.machine, exception.as_ref())?))
        }),
        row("format_tb", def(&["tb", "limit"], 1, 2), |c| Ok(texts(of_trace(c.arg(0))))),
        row("print_exc", def(&["limit", "file", "chain"], 0, 3), |c| {
            let (exception, file) = (current(c.machine), c.some(1).cloned());
            let text = parts(c.machine, exception)?.concat();
            print(c, file, &text)
        }),
        row("print_exception", def(&["exc", "value", "tb", "limit", "file", "chain"], 1, 6), |c| {
            let (exception, file) = (given(c), c.some(4).cloned());
            let text = parts(c.machine, exception)?.concat();
            print(c, file, &text)
        }),
        row("print_tb", def(&["tb", "limit", "file"], 1, 3), |c| {
            let (text, file) = (of_trace(c.arg(0)).concat(), c.some(2).cloned());
            print(c, file, &text)
        }),
    ]),
};

/// The exception that is being handled.
pub fn current(machine: &mut dyn Machine) -> Option<Rc<Exception>> {
    machine.as_any().downcast_mut::<Interp>()?.handling.last().cloned()
}

/// The exception of a call: the second argument where there are two.
fn given(c: &Call<'_>) -> Option<Rc<Exception>> {
    match c.some(1).unwrap_or(c.arg(0)) {
        Value::Exception(exception) => Some(exception.clone()),
        _ => None,
    }
}

fn texts(parts: Vec<String>) -> Value {
    Value::list(parts.into_iter().map(|part| Value::from(part.as_str())).collect())
}

/// Writes to a file, or to standard error.
fn print(c: &mut Call<'_>, file: Option<Value>, text: &str) -> Outcome {
    match file.filter(|file| !matches!(file, Value::None)) {
        Some(file) => {
            let write = c.machine.attr(&file, "write")?;
            c.machine.call(&write, CallArgs::positional(vec![Value::from(text)]))?;
        }
        None => c.machine.write_error(text),
    }
    Ok(Value::None)
}

/// An exception as CPython prints it, with those that it followed before it.
fn parts(machine: &mut dyn Machine, exception: Option<Rc<Exception>>) -> Outcome<Vec<String>> {
    let Some(exception) = exception else { return Ok(vec!["NoneType: None\n".into()]) };
    let before = {
        let trace = exception.trace.borrow();
        match (&trace.cause, &trace.context) {
            (Some(cause), _) => {
                Some((cause.clone(), "\nThe above exception was the direct cause of the following exception:\n\n"))
            }
            (None, Some(context)) if !trace.suppress_context => {
                Some((context.clone(), "\nDuring handling of the above exception, another exception occurred:\n\n"))
            }
            _ => None,
        }
    };
    let mut found = match before {
        Some((earlier, joint)) => {
            let mut found = parts(machine, Some(earlier))?;
            found.push(joint.into());
            found
        }
        None => vec![],
    };
    let places = places(&exception);
    if !places.is_empty() {
        found.push("Traceback (most recent call last):\n".into());
        found.extend(places.iter().map(Place::text));
    }
    found.extend(last_lines(machine, Some(&exception))?);
    Ok(found)
}

/// `ValueError: what is wrong`, and the notes that were added.
fn last_lines(machine: &mut dyn Machine, exception: Option<&Rc<Exception>>) -> Outcome<Vec<String>> {
    let Some(exception) = exception else { return Ok(vec!["NoneType: None\n".into()]) };
    let (class, message) = (exception.diagnostic.class.title(), machine.str(&Value::Exception(exception.clone()))?);
    let mut lines = vec![if message.is_empty() { format!("{class}\n") } else { format!("{class}: {message}\n") }];
    if let Some(Value::List(notes)) = exceptions::attr(exception, "__notes__") {
        for note in notes.borrow().iter() {
            lines.push(format!("{}\n", machine.str(note)?));
        }
    }
    Ok(lines)
}

/// A place that an exception came through.
struct Place {
    source: Arc<Source>,
    span: Span,
    function: String,
}

impl Place {
    fn line(&self) -> usize {
        self.source.line_column(self.span.start as usize).0
    }

    fn text(&self) -> String {
        let line = self.line();
        let code = self.source.text.lines().nth(line - self.source.first_line).map_or("", str::trim);
        let shown = if code.is_empty() { String::new() } else { format!("    {code}\n") };
        format!("  File \"{}\", line {line}, in {}\n{shown}", self.source.name, self.function)
    }
}

/// The places, outermost first; none for an exception that was not raised.
fn places(exception: &Exception) -> Vec<Place> {
    let trace = exception.trace.borrow();
    let Some(source) = trace.source.clone() else { return vec![] };
    let mut found = vec![];
    let mut at = (source, trace.span);
    for frame in &trace.frames {
        found.push(Place { source: at.0, span: at.1, function: frame.function.clone() });
        at = (frame.source.clone(), frame.span);
    }
    found.push(Place { source: at.0, span: at.1, function: "<module>".into() });
    found.reverse();
    found
}

/// `e.__traceback__`: the places of an exception from one of them on.
struct Traceback {
    of: Rc<Exception>,
    from: usize,
}

/// The places of an exception; None for one that was not raised.
pub fn of(exception: &Rc<Exception>) -> Value {
    from(exception, 0)
}

fn from(exception: &Rc<Exception>, from: usize) -> Value {
    match places(exception).len() > from {
        true => Value::object(Traceback { of: exception.clone(), from }),
        false => Value::None,
    }
}

/// True for what `__traceback__` may be set to.
pub fn is(value: &Value) -> bool {
    matches!(value, Value::None) || value.downcast::<Traceback>().is_some()
}

fn of_trace(value: &Value) -> Vec<String> {
    let Some(trace) = value.downcast::<Traceback>() else { return vec![] };
    places(&trace.of).iter().skip(trace.from).map(Place::text).collect()
}

impl Object for Traceback {
    fn type_name(&self) -> String {
        "traceback".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "tb_lineno" => places(&self.of).get(self.from).map(|place| Value::from(place.line())),
            "tb_next" => Some(from(&self.of, self.from + 1)),
            _ => None,
        })
    }
    fn attributes(&self) -> Vec<String> {
        ["tb_lineno", "tb_next"].map(String::from).to_vec()
    }
}
