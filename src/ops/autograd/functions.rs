//! `x.backward()`, `torch.autograd.grad`, hooks.

use super::engine::{self, Collect, Way};
use super::graph::{self, Target};
use crate::ops::Form::{Code, Hosted};
use crate::ops::scoped::scoped;
use crate::ops::{Args, Op, call_function, call_method, op};
use crate::ops::{Form, FromValue};
use crate::settings;
use crate::tensor::{Grad, Tensor};
use crate::value::{Machine, Outcome, Value};
use anyhow::Result;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What is called for a leaf.
pub struct Hook {
    /// Its number.
    id: u64,
    /// What is called.
    pub call: Value,
    /// With the leaf, once its gradient was added; else with the gradient, before.
    pub after: bool,
}

/// What is called for a leaf, in turn.
pub type Hooks = RefCell<Vec<Hook>>;

/// A row that takes and gives tensors with their history.
const fn hosted(
    schema: &'static str,
    doc: &'static str,
    example: &'static str,
    run: fn(&mut dyn Machine, &Args) -> Result<Value>,
) -> Op {
    op(schema, doc, example, Hosted(run)).marked().no_grad().no_out()
}

/// A row that is text.
pub(super) const fn text(schema: &'static str, doc: &'static str, example: &'static str, code: &'static str) -> Op {
    op(schema, doc, example, Code(code)).function_only().no_grad().no_out()
}

rows![
    hosted(
        "backward(Tensor self, Any gradient=None, Any retain_graph=None, Any create_graph=False, Any inputs=None) -> ()",
        "Adds to every leaf that the result was made of, how much the result changes with it. What was saved for that is given up, unless `retain_graph` says otherwise.",
        "x = torch.tensor([1., 2.], requires_grad=True)\n(x ** 2).sum().backward()\nx.grad\n# tensor([2., 4.])",
        |machine, a| {
            let x: Tensor = a.get(0)?;
            let given = [a.value(1).clone(), a.value(2).clone(), a.value(3).clone(), a.value(4).clone()];
            backward(machine, &[x.into()], given).map_err(Into::into)
        },
    )
    .method_only(),
    hosted(
        "autograd.backward(Any tensors, Any grad_tensors=None, Any retain_graph=None, Any create_graph=False, Any grad_variables=None, Any inputs=None) -> ()",
        "As `backward` of several results at once.",
        "x = torch.tensor([1., 2.], requires_grad=True)\ntorch.autograd.backward([x.sum(), x.prod()])\nx.grad\n# tensor([3., 2.])",
        |machine, a| {
            let given = [a.value(1).clone(), a.value(2).clone(), a.value(3).clone(), a.value(5).clone()];
            let results = all_of(machine, a.value(0))?;
            backward(machine, &results, given).map_err(Into::into)
        },
    )
    .function_only(),
    hosted(
        "autograd.grad(Any outputs, Any inputs, Any grad_outputs=None, Any retain_graph=None, Any create_graph=False, bool only_inputs=True, bool? allow_unused=None, bool is_grads_batched=False, bool materialize_grads=False) -> Any",
        "How much results change with some tensors, as a tuple; the leaves' `grad` stays as it is.",
        "x = torch.tensor(3., requires_grad=True)\ntorch.autograd.grad(x ** 2, x)\n# (tensor(6.),)",
        |machine, a| grad(machine, a).map_err(Into::into),
    )
    .function_only()
    .sparse(),
    hosted(
        "retain_grad(Tensor self) -> ()",
        "Asks a recorded result to keep its gradient; a leaf keeps its own anyway.",
        "x = torch.ones(2, requires_grad=True)\ny = x * 3\ny.retain_grad()\ny.sum().backward()\ny.grad\n# tensor([1., 1.])",
        |_, a| {
            keep_gradient(&a.get(0)?)?;
            Ok(Value::None)
        },
    )
    .method_only(),
    hosted(
        "register_hook(Tensor self, Any hook) -> Any",
        "Has a function called with the gradient of the tensor whenever one is computed; what it returns, unless None, takes the gradient's place.",
        "x = torch.ones(2, requires_grad=True)\nhandle = x.register_hook(lambda grad: grad * 10)\nx.sum().backward()\nx.grad\n# tensor([10., 10.])",
        |_, a| {
            let x: Tensor = a.get(0)?;
            register(&x, a.value(1).clone(), false)
        },
    )
    .method_only(),
    hosted(
        "register_post_accumulate_grad_hook(Tensor self, Any hook) -> Any",
        "Has a function called with the leaf itself whenever its gradient was added to.",
        "x = torch.ones(2, requires_grad=True)\nhandle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))\nx.sum().backward()\n# tensor([1., 1.])",
        |_, a| {
            let x: Tensor = a.get(0)?;
            if x.requires_grad() && x.grad().made_by.is_some() {
                fault!(RuntimeError, "post accumulate grad hooks cannot be registered on non-leaf tensors");
            }
            register(&x, a.value(1).clone(), true)
        },
    )
    .method_only(),
    hosted(
        "_asks_besides(Any outs, Any inputs) -> bool",
        "True where results were made of leaves besides some inputs.",
        "x = torch.ones(1, requires_grad=True)\ntorch._asks_besides([x * 2], [x])\n# False",
        |_, a| {
            let roots = several(a.value(0)).iter().filter_map(|out| graph::target(&Tensor::from_value(out)?)).collect();
            let inputs: Vec<Target> = several(a.value(1)).iter().filter_map(|x| graph::target(&Tensor::from_value(x)?)).collect();
            Ok(Value::Bool(engine::asks_besides(roots, &inputs)))
        },
    )
    .function_only(),
    text(
        "autograd.gradgradcheck(Any func, Any inputs, Any grad_outputs=None, *, float eps=1e-06, float atol=1e-05, float rtol=0.001, bool gen_non_contig_grad_outputs=False, bool raise_exception=True, float nondet_tol=0.0, bool check_undefined_grad=True, bool check_grad_dtypes=False, bool check_batched_grad=False, bool fast_mode=False) -> Any",
        "As `autograd.gradcheck`, of the gradients of the function.",
        "torch.autograd.gradgradcheck(lambda x: x ** 3, torch.ones(2, dtype=torch.float64, requires_grad=True))\n# True",
        "xs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
made = func(*xs)
outs = [out for out in (made if isinstance(made, (tuple, list)) else [made]) if isinstance(out, torch.Tensor) and out.requires_grad]
given = [torch.randn_like(out).requires_grad_() for out in outs] if grad_outputs is None else list(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else [grad_outputs]
wanted = [k for k, x in enumerate(xs) if isinstance(x, torch.Tensor) and x.requires_grad]
def slopes(*args):
    values, towards = list(args[:len(xs)]), args[len(xs):]
    with torch.enable_grad():
        for k in wanted:
            values[k] = values[k] if values[k].requires_grad else values[k].detach().requires_grad_()
        made = func(*values)
        outs = [out for out in (made if isinstance(made, (tuple, list)) else [made]) if isinstance(out, torch.Tensor) and out.requires_grad]
        asked = [values[k] for k in wanted]
        return tuple(g for g in torch.autograd.grad(outs, asked, towards, create_graph=True, allow_unused=True) if g is not None)
torch.autograd.gradcheck(slopes, xs + tuple(given), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)",
    ),
    text(
        "autograd.Variable(Tensor data, bool requires_grad=False, bool volatile=False) -> Tensor",
        "The tensor, asked for a gradient or not: an old name.",
        "torch.autograd.Variable(torch.ones(2), requires_grad=True)\n# tensor([1., 1.], requires_grad=True)",
        "data.detach().requires_grad_(requires_grad)",
    ),
    anomaly(
        "autograd.set_detect_anomaly(bool mode, bool check_nan=True) -> Any",
        "From now on, or inside a `with`, `backward` fails where a function gives a gradient that is NaN.",
        "with torch.autograd.set_detect_anomaly(True):\n    print(torch.is_anomaly_enabled())\n# True",
        |a| {
            let (mode, check_nan): (bool, bool) = a.take()?;
            let before = set_anomaly(mode.then_some(check_nan));
            Ok(scoped(move || Some(before), |before| {
                set_anomaly(before);
            }))
        },
    ),
    anomaly(
        "autograd.detect_anomaly(bool check_nan=True) -> Any",
        "Inside a `with`, `backward` fails where a function gives a gradient that is NaN.",
        "with torch.autograd.detect_anomaly():\n    print(torch.is_anomaly_enabled())\n# True",
        |a| {
            let check_nan: bool = a.get(0)?;
            Ok(scoped(move || Some(set_anomaly(Some(check_nan))), |before| {
                set_anomaly(before);
            }))
        },
    ),
    anomaly("is_anomaly_enabled() -> bool", "True where anomalies are looked for.", "torch.is_anomaly_enabled()  # False", |_| {
        Ok(Value::Bool(settings::with(|s| s.anomaly.is_some())))
    }),
    anomaly(
        "is_anomaly_check_nan_enabled() -> bool",
        "True unless anomalies are looked for without a look for NaN.",
        "torch.is_anomaly_check_nan_enabled()  # True",
        |_| Ok(Value::Bool(settings::with(|s| s.anomaly != Some(false)))),
    ),
];

const fn anomaly(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).function_only().no_out().no_grad()
}

/// Whether anomalies are looked for from now on; gives what held before.
fn set_anomaly(wanted: Option<bool>) -> Option<bool> {
    settings::change(|s| std::mem::replace(&mut s.anomaly, wanted))
}

/// A tensor, or the items of a list.
fn several(value: &Value) -> Vec<Value> {
    match value {
        Value::Tensor(_) => vec![value.clone()],
        other => other.items().unwrap_or_else(|| vec![other.clone()]),
    }
}

/// A tensor, or what anything gives that can be gone through.
fn all_of(machine: &mut dyn Machine, value: &Value) -> Outcome<Vec<Value>> {
    if matches!(value, Value::Tensor(_)) || value.items().is_some() {
        return Ok(several(value));
    }
    let (items, mut found) = (machine.iter(value)?, vec![]);
    while let Some(item) = machine.next(&items)? {
        found.push(item);
    }
    Ok(found)
}

/// Where to begin, and with which gradients.
fn beginning(machine: &mut dyn Machine, results: &[Value], given: &Value) -> Outcome<Vec<(Target, Tensor)>> {
    let given = if matches!(given, Value::None) { None } else { Some(all_of(machine, given)?) };
    if results.iter().any(|result| !matches!(result, Value::Tensor(_))) {
        fault!(AssertionError, "Expected output to be a torch.Tensor");
    }
    let grads = given.as_deref().unwrap_or_default();
    if let Some(other) = grads.iter().find(|value| !matches!(value, Value::Tensor(_) | Value::None)) {
        let name = other.type_name();
        fault!(TypeError, "gradients can be either Tensors or None, but got {}", name.rsplit('.').next().unwrap_or(&name));
    }
    if given.is_some() && grads.len() < results.len() {
        fault!(RuntimeError, "got {} tensors and {} gradients", results.len(), grads.len());
    }
    let mut from = vec![];
    for (k, result) in results.iter().enumerate() {
        let Value::Tensor(x) = result else {
            fault!(TypeError, "element {k} of tensors has to be a tensor, not {}", result.type_name())
        };
        let grad = match grads.get(k) {
            Some(Value::Tensor(grad)) => {
                if grad.sizes() != x.sizes() {
                    fault!(
                        RuntimeError,
                        "Mismatch in shape: grad_output[{k}] has a shape of torch.Size({:?}) and output[{k}] has a shape of torch.Size({:?}).",
                        grad.sizes().as_slice(),
                        x.sizes().as_slice()
                    );
                }
                if grad.dtype().is_complex() != x.dtype().is_complex() {
                    fault!(
                        RuntimeError,
                        "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: grad_output[{k}] has a dtype of {} and output[{k}] has a dtype of {}.",
                        grad.dtype(),
                        x.dtype()
                    );
                }
                engine::cast(machine, grad.clone(), x.dtype())?
            }
            None | Some(Value::None) => {
                refuse_implicit(x)?;
                if x.requires_grad() && x.dtype().is_complex() {
                    let dtype = x.dtype().info().name;
                    fault!(RuntimeError, "grad can be implicitly created only for real scalar outputs but got torch.{dtype}");
                }
                engine::tensor(call_function(machine, "ones_like", vec![Value::Tensor(x.twin())])?)?
            }
            Some(other) => fault!(TypeError, "gradients can be either Tensors or None, but got {}", other.type_name()),
        };
        let Some(to) = graph::target(x) else {
            fault!(RuntimeError, "element {k} of tensors does not require grad and does not have a grad_fn")
        };
        from.push((to, grad));
    }
    Ok(from)
}

fn flag(value: &Value, otherwise: bool) -> bool {
    if let Value::Bool(flag) = value { *flag } else { otherwise }
}

/// A flag as PyTorch's engine takes it: any number of one byte.
fn byte(value: &Value) -> Result<bool> {
    Ok(match value {
        Value::Bool(flag) => *flag,
        Value::Int(number) if *number < 0 => fault!(OverflowError, "unsigned byte integer is less than minimum"),
        Value::Int(number) if *number > 255 => fault!(OverflowError, "unsigned byte integer is greater than maximum"),
        Value::Int(number) => *number != 0,
        Value::Tensor(x) if x.numel() == 1 && x.dtype().is_integral(true) => crate::ops::exec::item(x)?.to_bool(),
        Value::Tensor(_) => fault!(TypeError, "only integer tensors of a single element can be converted to an index"),
        other => fault!(TypeError, "'{}' object cannot be interpreted as an integer", other.type_name()),
    })
}

/// Whether the graph stays, which is so where a new one is made unless it is said, and whether one is made.
fn stays_and_creates(retain: &Value, create: &Value) -> Result<(bool, bool)> {
    let stays = byte(if matches!(retain, Value::None) { create } else { retain })?;
    Ok((stays, byte(create)?))
}

/// Has a recorded result keep its gradient from now on.
fn keep_gradient(x: &Tensor) -> Result<()> {
    if let Some((node, output)) = graph::require_maker(x, "can't retain_grad")?.filter(|_| !graph::retains(x)) {
        node.retained.borrow_mut().push((output, x.downgrade()));
    }
    Ok(())
}

/// `gradient`, `retain_graph`, `create_graph`, `inputs`.
fn backward(machine: &mut dyn Machine, results: &[Value], [given, retain, create, inputs]: [Value; 4]) -> Outcome {
    let asked = if matches!(inputs, Value::None) { vec![] } else { all_of(machine, &inputs)? };
    let collect = match &inputs {
        Value::None => Collect::Leaves,
        _ => {
            if asked.is_empty() {
                fault!(RuntimeError, "`inputs` argument to `backward()` cannot be empty.");
            }
            Collect::Only(asked.iter().filter_map(|x| graph::target(&Tensor::from_value(x)?)).collect())
        }
    };
    let from = beginning(machine, results, &given)?;
    let (keep, create) = stays_and_creates(&retain, &create)?;
    for x in &asked {
        require_input(x)?;
        if !matches!(x, Value::Tensor(x) if x.requires_grad()) {
            fault!(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False");
        }
        Tensor::from_value(x).map_or(Ok(()), |x| keep_gradient(&x))?;
    }
    engine::run(machine, &Way { keep, create, collect }, from)?;
    Ok(Value::None)
}

fn grad(machine: &mut dyn Machine, a: &Args) -> Outcome {
    if flag(a.value(7), false) {
        return grad_of_each(machine, a);
    }
    let results = all_of(machine, a.value(0))?;
    let inputs = all_of(machine, a.value(1))?;
    let materialize = flag(a.value(8), false);
    if inputs.is_empty() {
        fault!(RuntimeError, "`inputs` argument to `grad()` cannot be empty.");
    }
    if materialize && matches!(a.value(6), Value::Bool(false)) {
        fault!(
            ValueError,
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        );
    }
    let unused = flag(a.value(6), materialize);
    let from = beginning(machine, &results, a.value(2))?;
    let (keep, create) = stays_and_creates(a.value(3), a.value(4))?;
    let mut asked = vec![];
    for input in &inputs {
        require_input(input)?;
        match Tensor::from_value(input).and_then(|x| graph::target(&x)) {
            Some(to) => asked.push(to),
            None => fault!(RuntimeError, "One of the differentiated Tensors does not require grad"),
        }
    }
    let way = Way { keep, create, collect: Collect::Asked(asked) };
    let found = engine::run(machine, &way, from)?;
    let mut grads = vec![];
    for (k, (grad, input)) in found.into_iter().zip(&inputs).enumerate() {
        grads.push(match grad {
            Some(grad) => Value::Tensor(grad),
            None if materialize => call_function(machine, "zeros_like", vec![input.clone()])?,
            None if unused => Value::None,
            None => fault!(
                RuntimeError,
                "The differentiated Tensor at index {k} appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior."
            ),
        });
    }
    Ok(Value::tuple(grads))
}

/// Fails where something else stands among the tensors that gradients are asked of.
fn require_input(input: &Value) -> Result<()> {
    match input {
        Value::Tensor(_) => Ok(()),
        other => fault!(RuntimeError, "all inputs have to be Tensors or GradientEdges, but got {}", other.type_name()),
    }
}

/// Fails where a result of several elements would have to be given a gradient.
fn refuse_implicit(x: &Tensor) -> Result<()> {
    if x.requires_grad() && x.numel() != 1 {
        fault!(RuntimeError, "grad can be implicitly created only for scalar outputs");
    }
    Ok(())
}

/// What is said of a batch of gradients that is left out, of one number each.
const BATCHED_NUMBER: &str = "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0.";

/// What is said of a single number as a batch of gradients.
const NO_NUMBER_INDEX: &str = "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number";

/// The gradients for each of a batch of gradients of the results, stacked: `is_grads_batched`.
fn grad_of_each(machine: &mut dyn Machine, a: &Args) -> Outcome {
    let given = several(a.value(2));
    let Some(Value::Tensor(first)) = given.iter().find(|grad| matches!(grad, Value::Tensor(_))) else {
        for out in several(a.value(0)).iter().filter_map(Tensor::from_value).filter(|out| out.numel() != 1) {
            refuse_implicit(&out)?;
        }
        fault!(ValueError, "{BATCHED_NUMBER}");
    };
    let Some(&count) = first.sizes().first() else {
        fault!(IndexError, "{NO_NUMBER_INDEX}");
    };
    let mut found: Vec<Vec<Value>> = vec![];
    for place in 0..count {
        let mut parts = vec![];
        for grad in &given {
            parts.push(match grad {
                Value::Tensor(_) => call_method(machine, "select", vec![grad.clone(), Value::Int(0), Value::Int(place)])?,
                other => other.clone(),
            });
        }
        let mut values = a.values.clone();
        values[2] = Value::tuple(parts);
        values[7] = Value::Bool(false);
        if place + 1 < count {
            values[3] = Value::Bool(true);
        }
        let grads = grad(machine, &Args { op: a.op, values, out: Value::None, inplace: false })?;
        found.push(grads.items().unwrap_or_default());
    }
    let inputs = found.first().map_or(0, Vec::len);
    let stacked = (0..inputs).map(|k| {
        let parts: Vec<Value> = found.iter().map(|grads| grads[k].clone()).collect();
        if parts.iter().any(|part| matches!(part, Value::None)) {
            Ok(Value::None)
        } else {
            call_function(machine, "stack", vec![Value::list(parts)])
        }
    });
    Ok(Value::tuple(stacked.collect::<Outcome<Vec<_>>>()?))
}

thread_local! {
    static HOOKS: Cell<u64> = const { Cell::new(0) };
}

/// Hangs a function on a tensor; gives what takes it off again. One that is called `after` hangs on a leaf.
fn register(x: &Tensor, hook: Value, after: bool) -> Result<Value> {
    let id = HOOKS.with(|n| n.replace(n.get() + 1));
    if !x.requires_grad() {
        fault!(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient");
    }
    let node = graph::require_maker(x, "cannot register a hook")?;
    if let Some((node, output)) = node {
        node.hooks.borrow_mut().push((output, id, hook));
        return Ok(handle(move || node.hooks.borrow_mut().retain(|(_, known, _)| *known != id)));
    }
    let slot = x.grad();
    let hooks: Rc<Hooks> = slot.hooks.clone().and_then(|hooks| hooks.downcast().ok()).unwrap_or_default();
    hooks.borrow_mut().push(Hook { id, call: hook, after });
    x.set_grad(Grad { hooks: Some(hooks.clone()), ..slot });
    Ok(handle(move || hooks.borrow_mut().retain(|hook| hook.id != id)))
}

/// What `register_hook` gives: it can be asked to take the function off again.
fn handle(remove: impl Fn() + 'static) -> Value {
    Value::object(super::shown::Handle(Box::new(remove)))
}
