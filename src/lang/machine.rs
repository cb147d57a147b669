//! What values and operations may ask of the evaluator.

use super::classes;
use super::compile;
use super::eval::forget_place;
use super::exceptions;
use super::interp::Interp;
use super::iterate::Cursor;
use super::library::layers;
use super::types;
use crate::diag::{ErrorClass, Source};
use crate::ops::exec::Scope;
use crate::syntax::{self, Options};
use crate::value::{CallArgs, Key, Machine, Outcome, TextScope, Value};
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

impl Machine for Interp {
    fn call(&mut self, callee: &Value, args: CallArgs) -> Outcome {
        self.call_value(callee, args)
    }

    fn iter(&mut self, value: &Value) -> Outcome {
        let found = match value {
            Value::Tensor(_) => match Cursor::new(self, value)? {
                Cursor::Tuple(rows, _) => types::iter::iter(self, &Value::Tuple(rows))?,
                _ => None,
            },
            other => types::iter::iter(self, other)?,
        };
        match found {
            Some(iterator) => Ok(iterator),
            None => fault!(TypeError, "'{}' object is not iterable", value.type_name()),
        }
    }

    fn next(&mut self, iterator: &Value) -> Outcome<Option<Value>> {
        match iterator {
            Value::Object(object) if object.is_iterator() => object.next(self),
            other => fault!(TypeError, "'{}' object is not an iterator", other.type_name()),
        }
    }

    fn attr(&mut self, object: &Value, name: &str) -> Outcome {
        Interp::attr(self, object, name)
    }

    fn set_attr(&mut self, object: &Value, name: &str, value: Value) -> Outcome<()> {
        Interp::set_attr(self, object, name, value)
    }

    fn del_attr(&mut self, object: &Value, name: &str) -> Outcome<()> {
        Interp::del_attr(self, object, name)
    }

    fn attributes(&mut self, object: &Value) -> Vec<String> {
        Interp::attributes(self, object)
    }

    fn get_item(&mut self, object: &Value, index: &Value) -> Outcome {
        Interp::get_item(self, object, index)
    }

    fn set_item(&mut self, object: &Value, index: &Value, value: Value) -> Outcome<()> {
        Interp::set_item(self, object, index, value)
    }

    fn del_item(&mut self, object: &Value, index: &Value) -> Outcome<()> {
        Interp::del_item(self, object, index)
    }

    fn repr(&mut self, value: &Value) -> Outcome<String> {
        classes::settle(self, value, false)?;
        types::repr::repr(value)
    }

    fn str(&mut self, value: &Value) -> Outcome<String> {
        classes::settle(self, value, true)?;
        types::repr::str(value)
    }

    fn settle_key(&mut self, value: &Value) -> Outcome<()> {
        classes::settle_key(self, value)
    }

    fn eval_code(&mut self, text: &'static str, names: &[(&'static str, Value)]) -> Outcome {
        let key = (text.as_ptr() as usize, text.len());
        // One text may serve several callers that name different things.
        let fits = |known: &[&str]| known.iter().eq(names.iter().map(|(name, _)| name));
        let known = self.snippets.get(&key).and_then(|list| list.iter().find(|(known, _)| fits(known)));
        let code = match known {
            Some((_, code)) => code.clone(),
            None => {
                let source = Source::new("<operation>", text);
                let block = syntax::parse(&source, &Options::default())?;
                let slots: Vec<Rc<str>> = names.iter().map(|(name, _)| (*name).into()).collect();
                let code = compile::snippet(&block, &slots, &source, &mut self.globals)?;
                let names = names.iter().map(|(name, _)| *name).collect();
                self.snippets.entry(key).or_default().push((names, code.clone()));
                code
            }
        };
        let scope = Scope::open();
        let result = self.run_code(&code, names.iter().map(|(_, value)| value.clone()).collect());
        scope.close()?;
        // Where the text failed says nothing to the user; the call that ran it does.
        result.inspect_err(|raise| {
            let own = raise.0.trace.borrow().source.as_ref().is_some_and(|source| Arc::ptr_eq(source, &code.source));
            if own {
                forget_place(raise);
            }
        })
    }

    fn write(&mut self, text: &str) {
        self.print(text);
    }

    fn write_error(&mut self, text: &str) {
        self.print_error(text);
    }

    fn flush(&mut self) {
        Interp::flush(self);
    }

    fn warn(&mut self, class: ErrorClass, text: &str) -> Outcome<()> {
        let warning = exceptions::new(self, class, vec![Value::from(text)])?;
        self.warn_of(warning)
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn blank(&mut self, class: &Value) -> Outcome {
        match layers::bare(class) {
            Some(layer) => Ok(layer),
            None => {
                let new = self.attr(class, "__new__")?;
                self.call(&new, CallArgs::positional(vec![class.clone()]))
            }
        }
    }

    fn eval_text(&mut self, text: &str, scope: TextScope) -> Outcome {
        self.eval_in(text, scope)
    }

    fn exec_text(&mut self, text: &str, scope: TextScope) -> Outcome {
        self.exec_in(text, scope)
    }

    fn names(&mut self, local: bool) -> Vec<(Rc<str>, Value)> {
        self.visible_names(local)
    }

    fn scope(&mut self, local: bool) -> Value {
        match &self.visible {
            Some(names) if local => Value::dict(names.iter().map(|(name, value)| (Key::from(&**name), value.clone())).collect()),
            _ => self.handed_out.give(&mut self.globals),
        }
    }

    fn help(&mut self, value: Option<&Value>) -> Outcome<()> {
        self.show_help(value)
    }
}
