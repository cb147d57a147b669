//! `raise`, `try` and `with`.

use super::raised::WithRaise;
use super::stmt::Flow;
use super::trouble::forget_place;
use crate::diag::{ErrorClass, Span};
use crate::lang::compile::tree::*;
use crate::lang::exceptions;
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::operators;
use crate::value::{CallArgs, Class, Exception, Outcome, Raise, Value};
use std::rc::Rc;

impl Interp {
    /// `raise exc from cause`. Without an exception, the one being handled goes on.
    pub(in crate::lang) fn raise(&mut self, f: &mut Frame, it: &(Option<Node>, Option<Node>), span: Span) -> Outcome<()> {
        let Some(node) = &it.0 else {
            return Err(match self.handling.last() {
                Some(handled) => Raise(handled.clone()),
                None => self.locate(f, span, Raise::new(ErrorClass::RuntimeError, "No active exception to reraise")),
            });
        };
        let value = self.eval(f, node)?;
        let exception = self.exception_of(&value).map_err(|r| self.locate(f, node.span, r))?;
        let raise = Raise(exception);
        if !self.handling.iter().any(|h| Rc::ptr_eq(h, &raise.0)) {
            forget_place(&raise);
        }
        if let Some(cause) = &it.1 {
            let value = self.eval(f, cause)?;
            self.set_cause(&raise, &value).map_err(|r| self.locate(f, cause.span, r))?;
        }
        Err(self.locate(f, span, raise))
    }

    /// An exception object, or a class that is called without arguments.
    fn exception_of(&mut self, value: &Value) -> Outcome<Rc<Exception>> {
        match value {
            Value::Exception(exception) => Ok(exception.clone()),
            Value::Class(Class::Exception(class)) => match exceptions::construct(self, *class, CallArgs::default())? {
                Value::Exception(exception) => Ok(exception),
                other => fault!(
                    TypeError,
                    "calling {} should have returned an instance of BaseException, not {}",
                    class.name(),
                    other.type_name()
                ),
            },
            _ => fault!(TypeError, "exceptions must derive from BaseException"),
        }
    }

    fn set_cause(&mut self, raise: &Raise, cause: &Value) -> Outcome<()> {
        let cause = match cause {
            Value::None => None,
            Value::Exception(_) | Value::Class(Class::Exception(_)) => Some(self.exception_of(cause)?),
            _ => fault!(TypeError, "exception causes must derive from BaseException"),
        };
        let mut trace = raise.0.trace.borrow_mut();
        trace.cause = cause;
        trace.suppress_context = true;
        Ok(())
    }

    /// `try`: whatever way the rest ends, `finally` runs, and if it leaves by itself, that is the way.
    pub(in crate::lang) fn try_statement(&mut self, f: &mut Frame, it: &Try) -> Outcome<Flow> {
        let result = self.guarded(f, it);
        let Some(finally) = &it.finally else { return result };
        // What a `return` gave waits here, since the rest gives values of its own.
        let returned = self.taken();
        let handled = result.as_ref().err().map(|raise| raise.0.clone());
        let depth = self.handling.len();
        self.handling.extend(handled);
        let last = self.block(f, finally).with_raise();
        self.handling.truncate(depth);
        match last? {
            Flow::Next => {
                self.given = returned;
                result
            }
            leave => Ok(leave),
        }
    }

    fn guarded(&mut self, f: &mut Frame, it: &Try) -> Outcome<Flow> {
        match self.block(f, &it.body).with_raise() {
            Ok(Flow::Next) => self.block(f, &it.orelse).with_raise(),
            Ok(leave) => Ok(leave),
            Err(raise) => self.handlers(f, &it.handlers, raise),
        }
    }

    fn handlers(&mut self, f: &mut Frame, handlers: &[Handler], raise: Raise) -> Outcome<Flow> {
        let Some(handler) = self.handler_of(f, handlers, &raise)?.and_then(|place| handlers.get(place)) else {
            return Err(raise);
        };
        let depth = self.handling.len();
        self.handling.push(raise.0.clone());
        let result = self.handler(f, handler, &raise);
        self.handling.truncate(depth);
        result
    }

    /// The first clause that catches an exception.
    pub(super) fn handler_of(&mut self, f: &mut Frame, handlers: &[Handler], raise: &Raise) -> Outcome<Option<usize>> {
        let depth = self.handling.len();
        for (place, handler) in handlers.iter().enumerate() {
            self.handling.push(raise.0.clone());
            let catches = handler.class.as_ref().map_or(Ok(true), |node| self.catches(f, node, raise));
            self.handling.truncate(depth);
            if catches? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn catches(&mut self, f: &mut Frame, node: &Node, raise: &Raise) -> Outcome<bool> {
        let class = self.eval(f, node)?;
        exceptions::matches(&class, raise.0.diagnostic.class).map_err(|r| self.locate(f, node.span, r))
    }

    /// `except … as name`: the name is gone afterwards.
    fn handler(&mut self, f: &mut Frame, handler: &Handler, raise: &Raise) -> Outcome<Flow> {
        let Some(name) = &handler.name else { return self.block(f, &handler.body).with_raise() };
        self.assign(f, name, Value::Exception(raise.0.clone()))?;
        let result = self.block(f, &handler.body).with_raise();
        self.forget_name(f, handler);
        result
    }

    /// Takes the name of a clause away.
    pub(super) fn forget_name(&mut self, f: &mut Frame, handler: &Handler) {
        match &handler.name {
            Some(Target::Local(slot)) => drop(self.store(f, Place::Local(*slot), None)),
            Some(Target::Place(place)) => drop(self.store(f, *place, None)),
            _ => {}
        }
    }

    /// `with item as target: body`.
    pub(in crate::lang) fn with(&mut self, f: &mut Frame, it: &With) -> Outcome<Flow> {
        let (exit, entered) = self.enter_with(f, it)?;
        let bound = it.target.as_ref().map_or(Ok(()), |target| self.assign(f, target, entered));
        let result = bound.and_then(|()| self.block(f, &it.body).with_raise());
        self.leave_with(f, it.item.span, &exit, result)
    }

    /// Begins a `with`: what leaves it, and what its target gets.
    pub(super) fn enter_with(&mut self, f: &mut Frame, it: &With) -> Outcome<(Value, Value)> {
        let manager = self.eval(f, &it.item)?;
        let span = it.item.span;
        let (enter, exit) = self.protocol(&manager).map_err(|r| self.locate(f, span, r))?;
        let entered = self.call_value(&enter, CallArgs::default()).map_err(|r| self.locate(f, span, r))?;
        Ok((exit, entered))
    }

    /// Ends a `with` whose body ended so.
    pub(super) fn leave_with(&mut self, f: &mut Frame, span: Span, exit: &Value, result: Outcome<Flow>) -> Outcome<Flow> {
        let returned = self.taken();
        let mut args = vec![Value::None; 3];
        if let Err(raise) = &result {
            args = vec![Value::Class(Class::Exception(raise.0.diagnostic.class)), Value::Exception(raise.0.clone()), Value::None];
            self.handling.push(raise.0.clone());
        }
        let left = self.call_value(exit, CallArgs::positional(args));
        if result.is_err() {
            self.handling.pop();
        }
        let swallow = left.map_err(|r| self.locate(f, span, r))?;
        match result {
            Err(_) if operators::truth(&swallow)? => Ok(Flow::Next),
            result => {
                self.given = returned;
                result
            }
        }
    }

    /// The two methods of a context manager.
    fn protocol(&mut self, manager: &Value) -> Outcome<(Value, Value)> {
        let name = manager.type_name();
        let Ok(enter) = self.attr(manager, "__enter__") else {
            fault!(TypeError, "'{name}' object does not support the context manager protocol");
        };
        let Ok(exit) = self.attr(manager, "__exit__") else {
            fault!(TypeError, "'{name}' object does not support the context manager protocol (missed __exit__ method)");
        };
        Ok((enter, exit))
    }
}
