//! Text that runs while a program runs: `eval` and `exec`, with namespaces of their own where the call gives some.

use super::compile::{self, Mode};
use super::interp::Interp;
use crate::diag::{Diagnostic, Source};
use crate::syntax::{self, Options};
use crate::value::{Key, Names, Outcome, Raise, TextScope, Value};
use std::rc::Rc;

impl Interp {
    /// `eval(text)`: the value of an expression.
    pub(super) fn eval_in(&mut self, text: &str, scope: TextScope) -> Outcome {
        let source = Source::new("<string>", text.trim_start_matches([' ', '\t']));
        let block = syntax::parse(&source, &Options::default()).map_err(|refused| in_text(in_expression(refused), &source))?;
        self.with_scope(scope, false, |interp, locals| {
            let (names, values): (Vec<_>, Vec<_>) = locals.into_iter().unzip();
            let code = compile::expression(&block, &names, &source, &mut interp.globals).map_err(|r| in_text(r, &source))?;
            interp.run_code(&code, values)
        })
    }

    /// Runs the text of a module.
    pub(super) fn run_text(&mut self, name: &str, text: &str, scope: TextScope) -> Outcome {
        self.exec_named(&format!("<{name}>"), text, scope)
    }

    /// `exec(text)`: runs statements. What they assign is lost when a function's scope is running, as in CPython.
    pub(super) fn exec_in(&mut self, text: &str, scope: TextScope) -> Outcome {
        self.exec_named("<string>", text, scope)
    }

    fn exec_named(&mut self, name: &str, text: &str, scope: TextScope) -> Outcome {
        let source = Source::new(name, text);
        let block = syntax::parse(&source, &Options::default()).map_err(|refused| in_text(refused, &source))?;
        self.with_scope(scope, true, |interp, _| {
            let code = compile::module(&block, &source, &mut interp.globals, Mode::Program)?;
            interp.run_code(&code, vec![]).map(|_| Value::None)
        })
    }

    /// Runs with the names of a scope as globals, and hands on the names of the running function. For statements these are globals,
    /// too.
    fn with_scope(
        &mut self,
        scope: TextScope,
        is_statements: bool,
        run: impl FnOnce(&mut Interp, Vec<(Rc<str>, Value)>) -> Outcome,
    ) -> Outcome {
        let around = self.visible.take();
        match scope {
            TextScope::Running if is_statements && around.is_some() => {
                let globals = self.visible_names(false);
                let both = globals.into_iter().chain(around.into_iter().flatten());
                self.in_namespace(both.collect(), |interp| run(interp, vec![])).0
            }
            TextScope::Running => run(self, around.unwrap_or_default()),
            TextScope::Given { globals, locals } => {
                let before: Vec<(Rc<str>, Value)> = named(&globals).into_iter().chain(locals.iter().flat_map(named)).collect();
                let (result, after) = self.in_namespace(before.clone(), |interp| run(interp, vec![]));
                globals.borrow_mut().entry(Key::from("__builtins__")).or_insert_with(|| self.built_in_names());
                if is_statements {
                    write_back(&before, after, &locals.unwrap_or(globals));
                }
                result
            }
        }
    }

    /// Runs with these names alone as globals; gives their values afterwards.
    fn in_namespace(
        &mut self,
        names: Vec<(Rc<str>, Value)>,
        run: impl FnOnce(&mut Interp) -> Outcome,
    ) -> (Outcome, Vec<(Rc<str>, Value)>) {
        let outside = self.globals.enter();
        names.into_iter().for_each(|(name, value)| self.globals.set(&name, value));
        let result = run(self);
        let after = self.globals.variables().map(|(name, value)| (name.clone(), value.clone())).collect();
        self.globals.leave(outside);
        (result, after)
    }

    fn built_in_names(&self) -> Value {
        Value::dict(self.globals.builtins().map(|(name, value)| (Key::from(&**name), value.clone())).collect())
    }
}

/// What is wrong with a text that can only be an expression: assignments are none, whatever they assign to.
fn in_expression(mut refused: Diagnostic) -> Diagnostic {
    if refused.message.starts_with("cannot assign to") {
        refused.message = "invalid syntax".into();
    }
    refused
}

/// The refusal of a text with the place in it, which its attributes tell.
fn in_text(refused: impl Into<Raise>, source: &Source) -> Raise {
    let raise: Raise = refused.into();
    let mut trace = raise.0.trace.borrow_mut();
    let start = raise.0.diagnostic.labels.iter().chain(&trace.labels).next().map_or(0, |label| label.span.start);
    let (line, column) = source.line_column(start as usize);
    // Nothing at all has no first line.
    let line = if source.text.is_empty() { 0 } else { line };
    let place = [
        ("filename", Value::from(source.name.as_str())),
        ("lineno", Value::from(line)),
        ("offset", Value::from(column)),
        ("text", source.text.lines().nth(line.saturating_sub(1)).map_or(Value::None, Value::from)),
    ];
    trace.own.extend(place.map(|(name, value)| (name.into(), value)));
    drop(trace);
    raise
}

/// The entries whose keys are texts; others are no names.
fn named(names: &Names) -> Vec<(Rc<str>, Value)> {
    let entries = names.borrow();
    let pairs = entries.iter().filter_map(|(key, value)| match key.value() {
        Value::Str(name) => Some((Rc::from(name.as_str()), value.clone())),
        _ => None,
    });
    pairs.collect()
}

/// Takes over what changed: names that are new or stand for another object, and those that are gone.
fn write_back(before: &[(Rc<str>, Value)], after: Vec<(Rc<str>, Value)>, to: &Names) {
    let mut to = to.borrow_mut();
    for (name, _) in before.iter().filter(|(name, _)| !after.iter().any(|(other, _)| other == name)) {
        to.shift_remove(&Key::from(&**name));
    }
    for (name, value) in after {
        let is_known = before.iter().rev().find(|(other, _)| *other == name).is_some_and(|(_, old)| old.is(&value));
        if !is_known {
            to.insert(Key::from(&*name), value);
        }
    }
}
