//! `contextlib`: what stands behind `with`.

use crate::diag::ErrorClass;
use crate::lang::builtins::redirect;
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, row};
use crate::lang::types::class::{self, ObjectClass};
use crate::lang::types::overall;
use crate::lang::types::wrapped::wrapped;
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "contextlib",
    rows: Table::sorted(&[
        row("closing", def(&["thing"], 1, 1), |c| Ok(Value::object(Closing(c.arg(0).clone())))),
        row("contextmanager", def(&["func"], 1, 1), |c| Ok(wrapped(c.arg(0).clone(), managed))),
        row("nullcontext", def(&["enter_result"], 0, 1), |c| Ok(Value::object(Nothing(c.arg(0).clone())))),
        row("redirect_stdout", def(&["new_target"], 1, 1), |c| Ok(Value::object(Redirect(c.arg(0).clone())))),
        row("suppress", Takes::Any, |c| Ok(Value::object(Suppress(Value::tuple(c.args()))))),
    ]),
};

/// The class that is called: a stack of contexts.
static CLASSES: Table = Table {
    owner: "contextlib",
    rows: Table::sorted(&[row("ExitStack", Takes::Nothing, |_| Ok(Value::object(ExitStack(RefCell::default()))))]),
};

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("ExitStack", ObjectClass::callable("contextlib.ExitStack", &CLASSES, &CLASSES.rows[0], None))]
}

/// `closing(x)`: gives `x` and closes it at the end.
struct Closing(Value);

impl Object for Closing {
    fn type_name(&self) -> String {
        "closing".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__enter__" => Some(Value::method(move |_| Ok(self.0.clone()))),
            "__exit__" => Some(Value::method_of(move |machine, _| {
                let close = machine.attr(&self.0, "close")?;
                machine.call(&close, CallArgs::default())?;
                Ok(Value::None)
            })),
            "thing" => Some(self.0.clone()),
            _ => None,
        })
    }
}

/// `redirect_stdout(file)`: what is printed goes to the file.
struct Redirect(Value);

impl Object for Redirect {
    fn type_name(&self) -> String {
        "redirect_stdout".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__enter__" => Some(Value::method(move |_| {
                redirect(Some(self.0.clone()));
                Ok(self.0.clone())
            })),
            "__exit__" => Some(Value::method_of(|_, _| {
                redirect(None);
                Ok(Value::None)
            })),
            _ => None,
        })
    }
}

/// `ExitStack()`: what is to be done at the end, the last thing first.
struct ExitStack(RefCell<Vec<Exit>>);

/// Something to be done at the end.
enum Exit {
    /// A function that gets the exception.
    Function(Value),
    /// A function and its arguments.
    Call(Value, CallArgs),
}

static STACK: Table = Table {
    owner: "ExitStack",
    rows: Table::sorted(&[
        row("__enter__", Takes::Nothing, |c| Ok(c.this.clone())),
        row("__exit__", Takes::Any, |c| {
            let raised = c.args();
            unwind(c, raised)
        }),
        row("callback", Takes::Any, |c| {
            let mut args = c.args();
            if args.is_empty() {
                fault!(TypeError, "ExitStack.callback() missing 1 required positional argument: 'callback'");
            }
            let function = args.remove(0);
            let args = CallArgs { positional: args, keyword: std::mem::take(&mut c.keyword) };
            exits(c)?.borrow_mut().push(Exit::Call(function.clone(), args));
            Ok(function)
        }),
        row("close", Takes::Nothing, |c| unwind(c, vec![Value::None; 3])),
        row("enter_context", Takes::One, |c| {
            let manager = c.arg(0).clone();
            let found = (c.machine.attr(&manager, "__enter__"), c.machine.attr(&manager, "__exit__"));
            let (Ok(enter), Ok(exit)) = found else {
                let class = manager.type_name();
                fault!(TypeError, "'{class}' object does not support the context manager protocol");
            };
            let entered = c.machine.call(&enter, CallArgs::default())?;
            exits(c)?.borrow_mut().push(Exit::Function(exit));
            Ok(entered)
        }),
        row("pop_all", Takes::Nothing, |c| {
            let all = exits(c)?.take();
            Ok(Value::object(ExitStack(RefCell::new(all))))
        }),
        row("push", Takes::One, |c| {
            let given = c.arg(0).clone();
            let exit = c.machine.attr(&given, "__exit__").unwrap_or_else(|_| given.clone());
            exits(c)?.borrow_mut().push(Exit::Function(exit));
            Ok(given)
        }),
    ]),
};

fn exits<'c>(c: &Call<'c>) -> Outcome<&'c RefCell<Vec<Exit>>> {
    match c.this.downcast::<ExitStack>() {
        Some(stack) => Ok(&stack.0),
        None => fault!(TypeError, "an ExitStack is needed, not {}", c.this.type_name()),
    }
}

/// Does what is to be done, with the class, the exception and the traceback that end the block. True where the exception was dealt
/// with; one that is raised meanwhile takes its place.
fn unwind(c: &mut Call<'_>, mut raised: Vec<Value>) -> Outcome {
    let stack = exits(c)?;
    let (mut new, mut is_dealt_with) = (None, false);
    while let Some(exit) = { stack.borrow_mut().pop() } {
        let result = match exit {
            Exit::Call(function, args) => c.machine.call(&function, args).map(|_| Value::None),
            Exit::Function(function) => c.machine.call(&function, CallArgs::positional(raised.clone())),
        };
        match result {
            Ok(answer) => {
                if overall::truth(&answer)? {
                    (new, is_dealt_with) = (None, true);
                    raised = vec![Value::None; 3];
                }
            }
            Err(raise) => {
                let exception = Value::Exception(raise.0.clone());
                raised = vec![Value::Class(Class::Exception(raise.0.diagnostic.class)), exception, Value::None];
                new = Some(raise);
            }
        }
    }
    new.map_or(Ok(Value::Bool(is_dealt_with)), Err)
}

impl Object for ExitStack {
    fn type_name(&self) -> String {
        "contextlib.ExitStack".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(STACK.find(name).map(|row| Builtin::method(&STACK, row, Value::shared(self))))
    }
    fn attributes(&self) -> Vec<String> {
        STACK.names()
    }
}

/// `nullcontext(x)`: gives `x` and does nothing.
struct Nothing(Value);

impl Object for Nothing {
    fn type_name(&self) -> String {
        "nullcontext".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__enter__" => Some(Value::method(move |_| Ok(self.0.clone()))),
            "__exit__" => Some(Value::method(|_| Ok(Value::None))),
            "enter_result" => Some(self.0.clone()),
            _ => None,
        })
    }
}

/// `suppress(A, B)`: ends its block where one of these exceptions is raised.
struct Suppress(Value);

impl Object for Suppress {
    fn type_name(&self) -> String {
        "suppress".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__enter__" => Some(Value::method(|_| Ok(Value::None))),
            "__exit__" => Some(Value::method_of(move |_, args| match args.positional.get(1) {
                Some(raised @ Value::Exception(_)) => class::is_instance(raised, &self.0).map(Value::Bool),
                _ => Ok(Value::None),
            })),
            _ => None,
        })
    }
}

/// `@contextmanager`: what a function with one `yield` does before it and behind it, around a `with`.
fn managed(machine: &mut dyn Machine, function: &Value, args: CallArgs) -> Outcome {
    machine.call(function, args).map(|generator| Value::object(Managed(generator)))
}

/// A call of such a function: the generator.
struct Managed(Value);

impl Object for Managed {
    fn type_name(&self) -> String {
        "_GeneratorContextManager".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__enter__" => Some(Value::method(move |machine| match machine.next(&self.0)? {
                Some(value) => Ok(value),
                None => fault!(RuntimeError, "generator didn't yield"),
            })),
            "__exit__" => Some(Value::method_of(move |machine, args| self.leave(machine, args.positional.get(1)))),
            _ => None,
        })
    }
}

impl Managed {
    /// Goes on behind the `yield`; an exception is thrown in there. True where the generator has dealt with it.
    fn leave(&self, machine: &mut dyn Machine, raised: Option<&Value>) -> Outcome {
        let Some(Value::Exception(raised)) = raised else {
            return match machine.next(&self.0)? {
                None => Ok(Value::Bool(false)),
                Some(_) => fault!(RuntimeError, "generator didn't stop"),
            };
        };
        let throw = machine.attr(&self.0, "throw")?;
        match machine.call(&throw, CallArgs::positional(vec![Value::Exception(raised.clone())])) {
            Ok(_) => fault!(RuntimeError, "generator didn't stop after throw()"),
            Err(raise) if Rc::ptr_eq(&raise.0, raised) => Ok(Value::Bool(false)),
            Err(raise) if raise.0.diagnostic.class == ErrorClass::StopIteration => Ok(Value::Bool(true)),
            Err(raise) => Err(raise),
        }
    }
}
