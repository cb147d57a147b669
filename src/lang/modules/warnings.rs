//! `warnings`: which warnings are shown, kept, or raised.

use crate::diag::ErrorClass;
use crate::lang::exceptions;
use crate::lang::interp::Interp;
use crate::lang::operators;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::class_object::ClassObject;
use crate::lang::types::convert;
use crate::value::{CallArgs, Class, Exception, Machine, Named, Object, Outcome, Raise, Value};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "warnings",
    rows: Table::sorted(&[
        row("filterwarnings", def(&["action", "message", "category", "module", "lineno", "append"], 1, 6), filter),
        row("resetwarnings", Takes::Nothing, |c| change(c, |filters| filters.rules.clear())),
        row("simplefilter", def(&["action", "category", "lineno", "append"], 1, 4), simple_filter),
        row("warn", def(&["message", "category", "stacklevel", "source"], 1, 4), warn),
    ]),
};

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("catch_warnings", Value::object(Catch))]
}

/// What becomes of a warning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Always,
    Once,
    Ignore,
    Raise,
}

/// The actions by name; the three that differ in where "once" counts are one here.
const ACTIONS: [(&str, Action); 6] = [
    ("default", Action::Once),
    ("module", Action::Once),
    ("once", Action::Once),
    ("always", Action::Always),
    ("ignore", Action::Ignore),
    ("error", Action::Raise),
];

/// One filter: for warnings of a class that begin with a text, in small letters.
#[derive(Clone)]
struct Rule {
    action: Action,
    start: String,
    category: ErrorClass,
}

/// What a session does with warnings.
#[derive(Clone, Default)]
pub struct Filters {
    /// The first that fits counts.
    rules: Vec<Rule>,
    shown: HashSet<String>,
    /// Where warnings are kept instead of shown.
    log: Option<Value>,
}

impl Filters {
    fn action(&self, class: ErrorClass, text: &str) -> Action {
        let text = text.to_lowercase();
        let fits = |rule: &&Rule| class.is_a(rule.category) && text.starts_with(&rule.start);
        self.rules.iter().find(fits).map_or(Action::Once, |rule| rule.action)
    }

    fn add(&mut self, rule: Rule, last: bool) {
        let place = if last { self.rules.len() } else { 0 };
        self.rules.insert(place, rule);
    }
}

impl Interp {
    /// Shows, keeps or drops a warning, as the filters say. Fails with the warning where they make it an error.
    pub(in crate::lang) fn warn_of(&mut self, warning: Rc<Exception>) -> Outcome<()> {
        let (class, text) = (warning.diagnostic.class, warning.diagnostic.message.clone());
        match self.warnings.action(class, &text) {
            Action::Ignore => return Ok(()),
            Action::Raise => return Err(Raise(warning)),
            Action::Once if !self.warnings.shown.insert(format!("{}: {text}", class.name())) => return Ok(()),
            Action::Once | Action::Always => {}
        }
        match &self.warnings.log {
            Some(Value::List(log)) => log.borrow_mut().push(kept(warning)),
            _ => self.show_warning(class, shown(&text)),
        }
        Ok(())
    }
}

/// A warning's text without the line of PyTorch's sources that says it there.
fn shown(text: &str) -> &str {
    text.split_once(" (Triggered internally at ").map_or(text, |(said, _)| said)
}

/// A warning as a list of caught ones holds it.
fn kept(warning: Rc<Exception>) -> Value {
    let class = Value::Class(Class::Exception(warning.diagnostic.class));
    let fields = &["message", "category", "filename", "lineno", "file", "line", "source"];
    let mut values = vec![Value::Exception(warning), class, Value::from("<stdin>"), Value::Int(1)];
    values.resize(fields.len(), Value::None);
    Value::Named(Rc::new(Named { type_name: "WarningMessage", fields, values }))
}

/// Changes the filters of the session. Warnings that were shown may be shown again then.
fn change(c: &mut Call<'_>, edit: impl FnOnce(&mut Filters)) -> Outcome {
    if let Some(interp) = c.machine.as_any().downcast_mut::<Interp>() {
        edit(&mut interp.warnings);
        interp.warnings.shown.clear();
    }
    Ok(Value::None)
}

/// The class of warnings that an argument names.
fn category(value: Option<&Value>, default: ErrorClass) -> Outcome<ErrorClass> {
    match value {
        None | Some(Value::None) => Ok(default),
        Some(Value::Class(Class::Exception(class))) if class.is_a(ErrorClass::Warning) => Ok(*class),
        Some(other) => fault!(TypeError, "category must be a Warning subclass, not '{}'", other.type_name()),
    }
}

fn action(value: &Value) -> Outcome<Action> {
    let name = convert::to_str(value, "filterwarnings", "action")?;
    match ACTIONS.iter().find(|(known, _)| *known == name.as_str()) {
        Some((_, action)) => Ok(*action),
        None => fault!(AssertionError, "invalid action: '{name}'"),
    }
}

fn filter(c: &mut Call<'_>) -> Outcome {
    let start = match c.some(1) {
        Some(text) => convert::to_str(text, "filterwarnings", "message")?.as_str().to_lowercase(),
        None => String::new(),
    };
    let start = start.trim_end_matches(".*").to_string();
    if start.contains(['*', '+', '?', '[', '(', '|', '\\', '^', '$', '{']) {
        fault!(
            NotImplementedError,
            "filterwarnings(): tsr compares how warnings begin and has no regular expressions: {start:?}"
        );
    }
    let (rule, last) = (
        Rule { action: action(c.arg(0))?, start, category: category(c.some(2), ErrorClass::Warning)? },
        c.some(5).map_or(Ok(false), operators::truth)?,
    );
    change(c, |filters| filters.add(rule, last))
}

fn simple_filter(c: &mut Call<'_>) -> Outcome {
    let rule = Rule { action: action(c.arg(0))?, start: String::new(), category: category(c.some(1), ErrorClass::Warning)? };
    let last = c.some(3).map_or(Ok(false), operators::truth)?;
    change(c, |filters| filters.add(rule, last))
}

fn warn(c: &mut Call<'_>) -> Outcome {
    let (message, class) = (c.arg(0).clone(), category(c.some(1), ErrorClass::UserWarning)?);
    if let Some(interp) = c.machine.as_any().downcast_mut::<Interp>() {
        let warning = match message {
            Value::Exception(warning) if warning.diagnostic.class.is_a(ErrorClass::Warning) => warning,
            text => exceptions::new(interp, class, vec![text])?,
        };
        interp.warn_of(warning)?;
    }
    Ok(Value::None)
}

/// `warnings.catch_warnings`.
struct Catch;

/// `warnings.catch_warnings(record=…)`: inside, filters may be changed; they are what they were after it.
struct Caught {
    records: bool,
    before: RefCell<Option<Filters>>,
}

impl Caught {
    /// Keeps the filters; the list of what will be recorded, if it is.
    fn enter(&self, now: &mut Filters) -> Value {
        self.before.replace(Some(now.clone()));
        now.shown.clear();
        now.log = self.records.then(|| Value::list(vec![]));
        now.log.clone().unwrap_or(Value::None)
    }
}

fn filters(machine: &mut dyn Machine) -> Option<&mut Filters> {
    machine.as_any().downcast_mut::<Interp>().map(|interp| &mut interp.warnings)
}

impl ClassObject for Catch {
    fn full_name(&self) -> String {
        "warnings.catch_warnings".into()
    }
    fn make(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        caught(&args)
    }
    fn has(&self, value: &Value) -> bool {
        value.downcast::<Caught>().is_some()
    }
}

fn caught(args: &CallArgs) -> Outcome {
    if !args.positional.is_empty() {
        fault!(TypeError, "catch_warnings.__init__() takes 1 positional argument but {} were given", args.positional.len() + 1);
    }
    let mut records = false;
    for (name, value) in &args.keyword {
        match &**name {
            "record" => records = operators::truth(value)?,
            other => fault!(TypeError, "catch_warnings.__init__() got an unexpected keyword argument '{other}'"),
        }
    }
    Ok(Value::object(Caught { records, before: RefCell::new(None) }))
}

impl Object for Caught {
    fn type_name(&self) -> String {
        "catch_warnings".into()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__enter__" => Some(Value::method(move |machine| Ok(filters(machine).map_or(Value::None, |now| self.enter(now))))),
            "__exit__" => Some(Value::method(move |machine| {
                if let (Some(now), Some(before)) = (filters(machine), self.before.take()) {
                    *now = before;
                }
                Ok(Value::None)
            })),
            _ => None,
        })
    }
}
