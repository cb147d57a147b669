//! `torch.autograd.Function`: operations whose gradient the program gives itself, in a class with `forward` and `backward`.

use super::construct;
use super::written::{self, Written};
use crate::lang::classes::{self, UserClass};
use crate::lang::operators;
use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::ops;
use crate::settings;
use crate::tensor::Tensor;
use crate::value::{CallArgs, Dict, Key, Machine, NameRef, Object, ObjectRef, Outcome, Value};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What only marks a class as one that gives a gradient.
static FUNCTION: Written = Written {
    name: "Function",
    module: "torch.autograd.function",
    base: None,
    settings: &[],
    holds: &[],
    make: "[]",
    members: &[],
};

static FUNCTIONS: Table =
    Table { owner: "", rows: Table::sorted(&[row("once_differentiable", Takes::One, |c| Ok(c.arg(0).clone()))]) };

/// What is in the modules; none for another one.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    let class = (FUNCTION.name, construct::class(&FUNCTION));
    let functions = || FUNCTIONS.rows.iter().map(|row| (row.name, Builtin::function(&FUNCTIONS, row)));
    match module {
        "torch.autograd" => Some(vec![class]),
        "torch.autograd.function" => Some(std::iter::once(class).chain(functions()).collect()),
        _ => None,
    }
}

/// `Class.apply` of a class that gives a gradient; none of other classes.
pub fn apply_of(class: &Rc<UserClass>) -> Option<Value> {
    let native = class.native()?;
    let class = class.clone();
    written::is(native, &FUNCTION).then(|| Value::method_of(move |machine, args| apply(machine, &class, args.positional)))
}

/// What `forward` and `backward` tell each other: `ctx`.
struct Context {
    class: Rc<UserClass>,
    own: RefCell<Dict>,
    saved: RefCell<Vec<Value>>,
    /// Results that have no gradient, and arguments that are written to.
    without: RefCell<Vec<Value>>,
    written: RefCell<Vec<Value>>,
    /// Which arguments ask for a gradient.
    needs: Vec<bool>,
    /// True where gradients that nobody asked for are zeros.
    fills: Cell<bool>,
}

static METHODS: Table = Table {
    owner: "FunctionCtx",
    rows: Table::sorted(&[
        row("mark_dirty", Takes::Any, |c| keep(c, |ctx| &ctx.written)),
        row("mark_non_differentiable", Takes::Any, |c| keep(c, |ctx| &ctx.without)),
        row("save_for_backward", Takes::Any, |c| {
            for (place, value) in c.args().into_iter().enumerate() {
                if !matches!(value, Value::Tensor(_) | Value::None) {
                    fault!(
                        TypeError,
                        "save_for_backward can only save variables, but argument {place} is of type {}",
                        value.type_name()
                    );
                }
            }
            keep(c, |ctx| &ctx.saved)
        }),
        row("set_materialize_grads", Takes::One, |c| {
            let fills = operators::truth(c.arg(0))?;
            if let Some(ctx) = c.this.downcast::<Context>() {
                ctx.fills.set(fills);
            }
            Ok(Value::None)
        }),
    ]),
};

fn keep(c: &mut Call<'_>, place: fn(&Context) -> &RefCell<Vec<Value>>) -> Outcome {
    let values = c.args();
    if let Some(ctx) = c.this.downcast::<Context>() {
        place(ctx).replace(values);
    }
    Ok(Value::None)
}

impl Object for Context {
    fn type_name(&self) -> String {
        format!("{}Backward", self.class.name())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if let Some(found) = self.own.borrow().get(&NameRef(name)).cloned() {
            return Ok(Some(found));
        }
        Ok(match name {
            "saved_tensors" | "saved_variables" => Some(Value::tuple(self.saved.borrow().clone())),
            "needs_input_grad" => Some(Value::tuple(self.needs.iter().map(|needs| Value::Bool(*needs)).collect())),
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::Object(ObjectRef::new(self)))),
        })
    }
    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        self.own.borrow_mut().insert(Key::from(name), value);
        Ok(true)
    }
}

/// `Class.apply(…)`: runs `forward` without a record, and notes that the results' gradients go through `backward`.
fn apply(machine: &mut dyn Machine, class: &Rc<UserClass>, args: Vec<Value>) -> Outcome {
    let records = settings::with(|s| s.grad_enabled);
    let needs: Vec<bool> = args.iter().map(|arg| matches!(arg, Value::Tensor(x) if x.requires_grad())).collect();
    let asks = records && needs.contains(&true);
    let ctx = Rc::new(Context {
        class: class.clone(),
        own: RefCell::default(),
        saved: RefCell::default(),
        without: RefCell::default(),
        written: RefCell::default(),
        needs,
        fills: Cell::new(true),
    });
    let this = Value::Object(ObjectRef::new(ctx.clone()));
    settings::change(|s| s.grad_enabled = false);
    let result = forward(machine, class, &this, &args);
    settings::change(|s| s.grad_enabled = records);
    let result = result?;
    if !asks {
        return Ok(result);
    }
    let (several, outputs) = match &result {
        Value::Tuple(items) => (true, items.to_vec()),
        one => (false, vec![one.clone()]),
    };
    let outputs: Vec<Value> = outputs.into_iter().map(|output| apart(&ctx, &args, output)).collect();
    let tensors: Vec<Option<Tensor>> = outputs.iter().map(|output| ctx.differentiable(output)).collect();
    let inputs: Vec<(usize, Tensor)> = args
        .iter()
        .enumerate()
        .filter_map(|(place, arg)| if let Value::Tensor(x) = arg { Some((place, x.clone())) } else { None })
        .collect();
    let (name, count, saves) = (this.type_name(), args.len(), !ctx.saved.borrow().is_empty());
    let back = Value::method_of(move |machine, grads| backward(machine, &ctx, count, grads.positional));
    ops::record_own(&name, &inputs, &tensors, back, saves);
    Ok(if several { Value::tuple(outputs) } else { outputs.into_iter().next().unwrap_or(Value::None) })
}

/// Calls `forward`, which sees `ctx` unless `setup_context` does.
fn forward(machine: &mut dyn Machine, class: &Rc<UserClass>, ctx: &Value, args: &[Value]) -> Outcome {
    let Some(forward) = class.find("forward") else {
        fault!(NotImplementedError, "You must implement the forward function for custom autograd.Function.")
    };
    let forward = classes::bind(&forward, ctx, class);
    let Some(setup) = class.find("setup_context") else {
        let args = std::iter::once(ctx.clone()).chain(args.iter().cloned()).collect();
        return machine.call(&forward, CallArgs::positional(args));
    };
    let result = machine.call(&forward, CallArgs::positional(args.to_vec()))?;
    let told = vec![ctx.clone(), Value::tuple(args.to_vec()), result.clone()];
    machine.call(&classes::bind(&setup, ctx, class), CallArgs::positional(told))?;
    Ok(result)
}

/// A result that is an argument, unless that was written to, is a view of it.
fn apart(ctx: &Context, args: &[Value], output: Value) -> Value {
    let is_same = args.iter().any(|arg| arg.is(&output));
    let is_written = ctx.written.borrow().iter().any(|written| written.is(&output));
    match &output {
        Value::Tensor(x) if is_same && !is_written => Value::Tensor(x.twin()),
        _ => output,
    }
}

impl Context {
    /// A result as a tensor that has a gradient.
    fn differentiable(&self, output: &Value) -> Option<Tensor> {
        let without = self.without.borrow();
        match output {
            Value::Tensor(x) if !without.iter().any(|other| other.is(output)) => Some(x.clone()),
            _ => None,
        }
    }
}

/// The gradients of all arguments from those of the results.
fn backward(machine: &mut dyn Machine, ctx: &Rc<Context>, count: usize, grads: Vec<Value>) -> Outcome {
    let class = &ctx.class;
    let Some(rule) = class.find("backward").or_else(|| class.find("vjp")) else {
        fault!(
            NotImplementedError,
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
        )
    };
    let this = Value::Object(ObjectRef::new(ctx.clone()));
    let grads = grads.into_iter().map(|grad| filled(machine, ctx, grad)).collect::<Outcome<Vec<_>>>()?;
    let args = std::iter::once(this.clone()).chain(grads).collect();
    let found = match machine.call(&classes::bind(&rule, &this, class), CallArgs::positional(args))? {
        Value::Tuple(items) => items.to_vec(),
        one => vec![one],
    };
    let given = found.len();
    let too_many_are_none = given > count && found[count..].iter().all(|value| matches!(value, Value::None));
    if given != count && !too_many_are_none {
        fault!(
            RuntimeError,
            "function {}Backward returned an incorrect number of gradients (expected {count}, got {given})",
            class.name()
        );
    }
    Ok(Value::tuple(found.into_iter().take(count).collect()))
}

/// Zeros for a gradient that nobody gave: a result stands for it.
fn filled(machine: &mut dyn Machine, ctx: &Context, grad: Value) -> Outcome {
    match &grad {
        Value::List(like) => match like.borrow().first() {
            Some(like) if ctx.fills.get() => machine.eval_code("torch.zeros_like(like)", &[("like", like.clone())]),
            _ => Ok(Value::None),
        },
        _ => Ok(grad),
    }
}
