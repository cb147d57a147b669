//! What every layer can do besides being called.

use super::hooks::{self, When};
use super::kinds::Kind;
use super::state::{self, state_of};
use super::whole;
use super::{Layer, Names, class_name, container, is_parameter, joined, layer, with_dtype};
use crate::lang::library::construct::{self, Unless};
use crate::lang::operators;
use crate::lang::types::call::{Call, Row, Table, Takes, def, row};
use crate::lang::types::{dict, iter, limits};
use crate::layout::MemoryFormat;
use crate::ops;
use crate::value::{CallArgs, Key, Machine, Outcome, Value};
use std::rc::Rc;

/// The methods of layers.
pub(super) static METHODS: Table = Table {
    owner: "Module",
    rows: Table::sorted(&[
        row("__getstate__", Takes::Nothing, |c| Ok(own(c).map_or(Value::None, whole::of))),
        row("__setstate__", def(&["state"], 1, 1), whole::set),
        row("_called_with", def(&["held", "args", "kwargs"], 3, 3), called_with),
        row("_exchange", Takes::Between(2, 2), |c| {
            let (name, value) = (text(c, 0)?, c.arg(1).clone());
            Ok(own(c).and_then(|layer| layer.exchange(&name, value)).unwrap_or(Value::None))
        }),
        row("_get_name", def(&[], 0, 0), |c| Ok(Value::from(c.this.type_name()))),
        row("add_module", def(&["name", "module"], 2, 2), add_module),
        row("apply", def(&["fn"], 1, 1), |c| {
            let function = c.arg(0).clone();
            apply(c.machine, &c.this.clone(), &function)?;
            Ok(c.this.clone())
        }),
        row("bfloat16", def(&[], 0, 0), |c| convert(c, "torch.bfloat16")),
        row("buffers", def(&["recurse"], 0, 1), |c| {
            let recurse = c.get(0).map_or(Ok(true), operators::truth)?;
            values(held(c, Held::Buffers, "", recurse, true))
        }),
        row("children", def(&[], 0, 0), |c| values(children(c))),
        row("compile", Takes::Any, |_| Ok(Value::None)),
        row("cpu", def(&[], 0, 0), |c| change(c, vec![Value::from("cpu")], true)),
        row("cuda", def(&["device"], 0, 1), |c| {
            let device = match c.some(0) {
                Some(Value::Int(place)) => Value::from(format!("cuda:{place}")),
                Some(device) => device.clone(),
                None => Value::from("cuda"),
            };
            change(c, vec![device], true)
        }),
        row("double", def(&[], 0, 0), |c| convert(c, "torch.float64")),
        row("eval", def(&[], 0, 0), |c| train(c, false)),
        row("extra_repr", def(&[], 0, 0), |c| Ok(Value::from(own(c).map(Layer::extra).unwrap_or_default()))),
        row("float", def(&[], 0, 0), |c| convert(c, "torch.float32")),
        row("get_buffer", def(&["target"], 1, 1), |c| by_path(c, Held::Buffers)),
        row("get_parameter", def(&["target"], 1, 1), |c| by_path(c, Held::Parameters)),
        row("get_submodule", def(&["target"], 1, 1), |c| {
            let target = text(c, 0)?;
            at_path(c, &target)
        }),
        row("half", def(&[], 0, 0), |c| convert(c, "torch.float16")),
        row("load_state_dict", def(&["state_dict", "strict", "assign"], 1, 3), state::load),
        row("modules", def(&[], 0, 0), |c| values(modules(c, "", true))),
        row("named_buffers", def(&["prefix", "recurse", "remove_duplicate"], 0, 3), |c| {
            let (prefix, recurse) = path_arguments(c)?;
            let once = is_once(c)?;
            pairs(held(c, Held::Buffers, &prefix, recurse, once))
        }),
        row("named_children", def(&[], 0, 0), |c| pairs(children(c))),
        row("named_modules", def(&["memo", "prefix", "remove_duplicate"], 0, 3), |c| {
            let prefix = text(c, 1)?;
            let once = is_once(c)?;
            pairs(modules(c, &prefix, once))
        }),
        row("named_parameters", def(&["prefix", "recurse", "remove_duplicate"], 0, 3), |c| {
            let (prefix, recurse) = path_arguments(c)?;
            let once = is_once(c)?;
            pairs(held(c, Held::Parameters, &prefix, recurse, once))
        }),
        row("parameters", def(&["recurse"], 0, 1), |c| {
            let recurse = c.get(0).map_or(Ok(true), operators::truth)?;
            values(held(c, Held::Parameters, "", recurse, true))
        }),
        row("register_backward_hook", def(&["hook"], 1, 1), |c| hooks::register(c, When::OnNode)),
        row("register_buffer", def(&["name", "tensor", "persistent"], 2, 3), |c| register(c, Held::Buffers)),
        row("register_forward_hook", def(&["hook", "prepend", "with_kwargs", "always_call"], 1, 4), |c| {
            hooks::register(c, When::Behind)
        }),
        row("register_forward_pre_hook", def(&["hook", "prepend", "with_kwargs"], 1, 3), |c| hooks::register(c, When::Before)),
        row("register_full_backward_hook", def(&["hook", "prepend"], 1, 2), |c| hooks::register(c, When::Backward)),
        row("register_full_backward_pre_hook", def(&["hook", "prepend"], 1, 2), |c| hooks::register(c, When::BeforeBackward)),
        row("register_load_state_dict_post_hook", def(&["hook"], 1, 1), |c| hooks::register(c, When::Loaded)),
        row("register_load_state_dict_pre_hook", def(&["hook"], 1, 1), |c| hooks::register(c, When::BeforeLoading)),
        row("register_module", def(&["name", "module"], 2, 2), add_module),
        row("register_parameter", def(&["name", "param"], 2, 2), |c| register(c, Held::Parameters)),
        row("register_state_dict_post_hook", def(&["hook"], 1, 1), |c| hooks::register(c, When::Kept)),
        row("register_state_dict_pre_hook", def(&["hook"], 1, 1), |c| hooks::register(c, When::BeforeKeeping)),
        row("requires_grad_", def(&["requires_grad"], 0, 1), |c| {
            let wanted = c.get(0).cloned().unwrap_or(Value::Bool(true));
            for (_, parameter) in held(c, Held::Parameters, "", true, true) {
                ops::call_method(c.machine, "requires_grad_", vec![parameter, wanted.clone()])?;
            }
            Ok(c.this.clone())
        }),
        row("reset_parameters", Takes::Nothing, reset),
        row("reset_running_stats", Takes::Nothing, |c| {
            let names = [("self", c.this.clone())];
            c.machine.eval_code(RESET_STATS, &names)
        }),
        row("share_memory", def(&[], 0, 0), |c| Ok(c.this.clone())),
        row("state_dict", Takes::Any, state::of),
        row("to", Takes::Any, to),
        row("to_empty", def(&["device", "recurse"], 1, 0), |c| {
            let device = c.arg(0).clone();
            change(c, vec![device], true)
        }),
        row("train", def(&["mode"], 0, 1), |c| match c.get(0) {
            None => train(c, true),
            Some(Value::Bool(mode)) => train(c, *mode),
            Some(_) => fault!(ValueError, "training mode is expected to be boolean"),
        }),
        row("type", def(&["dst_type"], 1, 1), |c| {
            let dtype = c.arg(0).clone();
            change(c, vec![dtype], false)
        }),
        row("zero_grad", def(&["set_to_none"], 0, 1), |c| {
            let to_none = c.get(0).map_or(Ok(true), operators::truth)?;
            for (_, parameter) in held(c, Held::Parameters, "", true, true) {
                let kept = match c.machine.attr(&parameter, "grad")? {
                    grad @ Value::Tensor(_) if !to_none => c.machine.eval_code("torch.zeros_like(grad)", &[("grad", grad)])?,
                    _ => Value::None,
                };
                c.machine.set_attr(&parameter, "grad", kept)?;
            }
            Ok(Value::None)
        }),
    ]),
};

/// The method of a layer by its name, with its table: those of containers, then those of every layer.
pub(super) fn of(kind: &Kind, name: &str) -> Option<(&'static Table, &'static Row)> {
    let in_table = |table: &'static Table| table.find(name).map(|row| (table, row));
    let starts_anew = !kind.holds.is_empty() || kind.module == "rnn";
    match name {
        _ if kind.has_method(name) => in_table(&container::METHODS),
        "reset_parameters" if !starts_anew => None,
        "reset_running_stats" if kind.buffers.is_empty() => None,
        _ => in_table(&METHODS),
    }
}

/// What a layer holds of its own.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Parameters,
    Buffers,
}

fn own<'c>(c: &'c Call<'_>) -> Option<&'c Layer> {
    layer(c.this)
}

/// An argument as text; empty when it is left out.
fn text(c: &mut Call<'_>, place: usize) -> Outcome<String> {
    match c.some(place).cloned() {
        Some(value) => c.machine.str(&value),
        None => Ok(String::new()),
    }
}

/// What is held, each tensor once, with its path.
/// Whether what is shared is named once: `remove_duplicate`.
fn is_once(c: &mut Call<'_>) -> Outcome<bool> {
    c.get(2).map_or(Ok(true), operators::truth)
}

fn held(c: &Call<'_>, what: Held, prefix: &str, recurse: bool, once: bool) -> Vec<(String, Value)> {
    let mut found: Vec<(String, Value)> = vec![];
    let Some(own) = own(c) else { return found };
    own.walk(c.this, prefix, once, &mut |path, _, layer| {
        if !recurse && path != prefix {
            return;
        }
        let held = if what == Held::Parameters { &layer.parameters } else { &layer.buffers };
        for (name, value) in held.borrow().iter() {
            if matches!(value, Value::Tensor(_)) && !(once && found.iter().any(|(_, before)| before.is(value))) {
                found.push((joined(path, name), value.clone()));
            }
        }
    });
    found
}

fn modules(c: &Call<'_>, prefix: &str, once: bool) -> Vec<(String, Value)> {
    let mut found = vec![];
    if let Some(own) = own(c) {
        own.walk(c.this, prefix, once, &mut |path, value, _| found.push((path.to_string(), value.clone())));
    }
    found
}

fn children(c: &Call<'_>) -> Vec<(String, Value)> {
    let inside = own(c).map(|own| own.children.borrow().clone()).unwrap_or_default();
    let mut found: Vec<(String, Value)> = vec![];
    for (name, part) in inside {
        if layer(&part).is_some() && !found.iter().any(|(_, before)| before.is(&part)) {
            found.push((name.to_string(), part));
        }
    }
    found
}

fn values(found: Vec<(String, Value)>) -> Outcome {
    Ok(iter::from_vec("generator", found.into_iter().map(|(_, value)| value).collect()))
}

fn pairs(found: Vec<(String, Value)>) -> Outcome {
    let pair = |(name, value)| Value::tuple(vec![Value::from(name), value]);
    Ok(iter::from_vec("generator", found.into_iter().map(pair).collect()))
}

/// The arguments `prefix` and `recurse`.
fn path_arguments(c: &mut Call<'_>) -> Outcome<(String, bool)> {
    let prefix = text(c, 0)?;
    Ok((prefix, c.get(1).map_or(Ok(true), operators::truth)?))
}

/// What a layer has under a name. Fails with an `AttributeError` where it has nothing, or something that is no `what`.
fn part(c: &mut Call<'_>, owner: &Value, name: &str, what: &str, fits: fn(&Value) -> bool) -> Outcome {
    match c.machine.attr(owner, name) {
        Ok(found) if fits(&found) => Ok(found),
        Ok(_) => fault!(AttributeError, "`{name}` is not {what}"),
        Err(_) => fault!(AttributeError, "{} has no attribute `{name}`", owner.type_name()),
    }
}

fn at_path(c: &mut Call<'_>, path: &str) -> Outcome {
    let names = path.split('.').filter(|name| !name.is_empty());
    let this = c.this.clone();
    names.into_iter().try_fold(this, |found, name| part(c, &found, name, "an nn.Module", |value| layer(value).is_some()))
}

fn by_path(c: &mut Call<'_>, what: Held) -> Outcome {
    if !matches!(c.arg(0), Value::Str(_)) {
        fault!(AttributeError, "'{}' object has no attribute 'rpartition'", c.arg(0).type_name());
    }
    let target = text(c, 0)?;
    let (path, name) = target.rsplit_once('.').unwrap_or(("", &target));
    let owner = at_path(c, path)?;
    if what == Held::Parameters {
        return part(c, &owner, name, "an nn.Parameter", is_parameter);
    }
    let found = part(c, &owner, name, "a buffer", |_| true)?;
    match layer(&owner).is_some_and(|owner| owner.buffers.borrow().contains_key(name)) {
        true => Ok(found),
        false => fault!(AttributeError, "`{name}` is not a buffer"),
    }
}

/// The name that something is to be held by.
///
/// Fails with a `TypeError` on what is no text, with a `KeyError` on a name that nothing can be held by, or that something else has.
pub(super) fn checked_name(machine: &mut dyn Machine, this: &Value, what: &str, name: &Value) -> Outcome<Rc<str>> {
    let Value::Str(text) = name else {
        fault!(TypeError, "{what} name should be a string. Got {}", class_name(name));
    };
    let held = layer(this).map(|own| match what {
        "parameter" => &own.parameters,
        "buffer" => &own.buffers,
        _ => &own.children,
    });
    let name = text.as_str();
    let is_own = held.is_some_and(|held| held.borrow().contains_key(name));
    let problem = match name {
        _ if name.contains('.') && what == "module" => format!("module name can't contain \".\", got: {name}"),
        _ if name.contains('.') => format!("{what} name can't contain \".\""),
        "" => format!("{what} name can't be empty string \"\""),
        _ if !is_own && machine.attr(this, name).is_ok() => format!("attribute '{name}' already exists"),
        _ => return Ok(name.into()),
    };
    Err(dict::key_error(&Value::from(problem)))
}

/// Calls the layer while parameters and buffers, by their paths, are others.
fn called_with(c: &mut Call<'_>) -> Outcome {
    let given: Vec<(String, Value)> = match dict::entries_of(c.arg(0)) {
        Some(entries) => {
            entries.borrow().iter().map(|(name, value)| (container::name_of(name).to_string(), value.clone())).collect()
        }
        None => vec![],
    };
    let before = exchange(c, given);
    let keyword = match dict::entries_of(c.arg(2)) {
        Some(entries) => entries.borrow().iter().map(|(name, value)| (container::name_of(name), value.clone())).collect(),
        None => vec![],
    };
    let args = CallArgs { positional: c.arg(1).items().unwrap_or_default().into_iter().collect(), keyword };
    let result = c.machine.call(&c.this.clone(), args);
    exchange(c, before);
    result
}

/// Puts values where others are, by their paths; gives what was there.
fn exchange(c: &mut Call<'_>, given: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let mut before = vec![];
    for (target, value) in given {
        let (path, name) = target.rsplit_once('.').unwrap_or(("", &target));
        let Ok(owner) = at_path(c, path) else { continue };
        let Some(owner) = layer(&owner) else { continue };
        for held in [&owner.parameters, &owner.buffers] {
            if let Some(place) = held.borrow_mut().get_mut(name) {
                before.push((target.clone(), std::mem::replace(place, value.clone())));
            }
        }
    }
    before
}

fn add_module(c: &mut Call<'_>) -> Outcome {
    let (name, part) = (c.arg(0).clone(), c.arg(1).clone());
    container::check(&part)?;
    let name = checked_name(c.machine, c.this, "module", &name)?;
    if let Some(own) = own(c) {
        own.children.borrow_mut().insert(name, part);
    }
    Ok(Value::None)
}

fn register(c: &mut Call<'_>, what: Held) -> Outcome {
    let (name, value) = (c.arg(0).clone(), c.arg(1).clone());
    let name = checked_name(c.machine, c.this, if what == Held::Parameters { "parameter" } else { "buffer" }, &name)?;
    let fits = match what {
        Held::Parameters => is_parameter(&value),
        Held::Buffers => matches!(value, Value::Tensor(_)),
    };
    if !fits && !matches!(value, Value::None) {
        let class = class_name(&value);
        match what {
            Held::Parameters => {
                fault!(TypeError, "cannot assign '{class}' object to parameter '{name}' (torch.nn.Parameter or None required)")
            }
            Held::Buffers => {
                fault!(TypeError, "cannot assign '{class}' object to buffer '{name}' (torch Tensor or None required)")
            }
        }
    }
    if let Some(own) = own(c) {
        let held = if what == Held::Parameters { &own.parameters } else { &own.buffers };
        own.passing.borrow_mut().retain(|passing| **passing != *name);
        if what == Held::Buffers && !c.get(2).map_or(Ok(true), operators::truth)? {
            own.passing.borrow_mut().push(name.clone());
        }
        held.borrow_mut().insert(name, value);
    }
    Ok(Value::None)
}

/// Calls a function with the layers inside, then with the layer.
fn apply(machine: &mut dyn Machine, this: &Value, function: &Value) -> Outcome<()> {
    for part in layer(this).map(Layer::parts).unwrap_or_default() {
        limits::deeper("", || apply(machine, &part, function))?;
    }
    machine.call(function, CallArgs::positional(vec![this.clone()]))?;
    Ok(())
}

fn train(c: &Call<'_>, training: bool) -> Outcome {
    if let Some(own) = own(c) {
        own.walk(c.this, "", true, &mut |_, _, layer| layer.training.set(training));
    }
    Ok(c.this.clone())
}

const RESET_STATS: &str = "\
if self.track_running_stats:
    self.running_mean.zero_()
    self.running_var.fill_(1)
    self.num_batches_tracked.zero_()
None";

/// What it holds is made anew, and written where the old is.
fn reset(c: &mut Call<'_>) -> Outcome {
    let this = c.this.clone();
    let Some(own) = layer(&this).filter(|own| own.kind().becomes().is_none()) else { return Ok(Value::None) };
    let fresh = Layer { settings: own.settings.clone(), ..Layer::bare(own.kind(), Names::new()) };
    let settings = own.settings.borrow().clone();
    let dtype = own.parameters.borrow().values().find_map(|value| match value {
        Value::Tensor(x) => Some(Value::DType(x.dtype())),
        _ => None,
    });
    fresh.hold(with_dtype(dtype, || c.machine.eval_code(own.kind().make, &settings))?);
    for (of, held) in [(&fresh.parameters, &own.parameters), (&fresh.buffers, &own.buffers)] {
        for (name, value) in of.borrow().iter().filter(|(_, value)| matches!(value, Value::Tensor(_))) {
            if let Some(old @ Value::Tensor(_)) = held.borrow().get(name) {
                let data = c.machine.attr(old, "data")?;
                ops::call_method(c.machine, "copy_", vec![data, value.clone()])?;
            }
        }
    }
    Ok(Value::None)
}

fn convert(c: &mut Call<'_>, dtype: &'static str) -> Outcome {
    let dtype = c.machine.eval_code(dtype, &[])?;
    change(c, vec![dtype], false)
}

/// `layer.to(…)`: a device, a dtype or both.
fn to(c: &mut Call<'_>) -> Outcome {
    let mut arguments = c.args();
    arguments.extend(["device", "dtype"].into_iter().filter_map(|name| c.take_keyword(name)));
    if let Some(Value::DType(dtype)) = arguments.iter().find(|value| matches!(value, Value::DType(_)))
        && !dtype.is_float()
        && !dtype.is_complex()
    {
        let title = dtype.info().name;
        fault!(TypeError, "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.{title}");
    }
    let format = c.take_keyword("memory_format");
    change(c, arguments, true)?;
    if let Some(format) = format.filter(|format| format.downcast::<MemoryFormat>().is_some()) {
        lay(c, &format)?;
    }
    Ok(c.this.clone())
}

/// Lays all tensors of images and of volumes in a memory format.
fn lay(c: &mut Call<'_>, format: &Value) -> Outcome<()> {
    for (_, value) in state_of(c) {
        if matches!(&value, Value::Tensor(tensor) if matches!(tensor.ndim(), 4 | 5)) {
            let data = c.machine.attr(&value, "data")?;
            let (method, keyword) = (c.machine.attr(&data, "contiguous")?, vec![("memory_format".into(), format.clone())]);
            let laid = c.machine.call(&method, CallArgs { positional: vec![], keyword })?;
            c.machine.set_attr(&value, "data", laid)?;
        }
    }
    Ok(())
}

/// Changes all floating-point tensors as `tensor.to` does; the parameters stay the same objects. Others only move, where `moves`.
fn change(c: &mut Call<'_>, arguments: Vec<Value>, moves: bool) -> Outcome {
    let moving: Vec<Value> = arguments.iter().filter(|value| !matches!(value, Value::DType(_))).cloned().collect();
    for (_, value) in state_of(c) {
        let Value::Tensor(tensor) = &value else { continue };
        let floats = tensor.dtype().is_float() || tensor.dtype().is_complex();
        let how = if floats { &arguments } else { &moving };
        if how.is_empty() || (!floats && !moves) {
            continue;
        }
        let grad = tensor.grad().grad.map(Value::Tensor);
        for own in std::iter::once(value.clone()).chain(grad) {
            let data = c.machine.attr(&own, "data")?;
            let changed = ops::call_method(c.machine, "to", std::iter::once(data).chain(how.iter().cloned()).collect())?;
            c.machine.set_attr(&own, "data", changed)?;
        }
    }
    Ok(c.this.clone())
}

/// `Transformer.generate_square_subsequent_mask(sz, …)`: each step sees itself and those before it.
pub(super) fn causal_mask(machine: &mut dyn Machine, args: CallArgs) -> Outcome {
    const TAKES: construct::Settings = &[("sz", Unless::Required), ("device", Unless::None), ("dtype", Unless::None)];
    let given = construct::bind("Transformer.generate_square_subsequent_mask()", TAKES, args)?;
    machine.eval_code("torch.full((sz, sz), -math.inf, dtype=dtype, device=device).triu(1)", &given)
}

/// `Embedding.from_pretrained(embeddings, freeze=True, …)`, and the same of `EmbeddingBag`.
pub(super) fn pretrained(machine: &mut dyn Machine, kind: &'static Kind, args: CallArgs) -> Outcome {
    const MAKE: &str = "\
if embeddings.dim() != 2:
    raise AssertionError('Embeddings parameter is expected to be 2-dimensional')
made = make(*embeddings.shape, _weight=embeddings, **options)
made.weight.requires_grad = not freeze
made";
    let takes = if kind.name == "Embedding" { PRETRAINED } else { PRETRAINED_BAG };
    let mut given = construct::bind(&format!("{}.from_pretrained()", kind.name), takes, args)?;
    let options = given.split_off(2).into_iter().map(|(name, value)| (Key::from(name), value)).collect();
    given.extend([("make", construct::class(kind)), ("options", Value::dict(options))]);
    machine.eval_code(MAKE, &given)
}

const PRETRAINED: construct::Settings = &[
    ("embeddings", Unless::Required),
    ("freeze", Unless::Bool(true)),
    ("padding_idx", Unless::None),
    ("max_norm", Unless::None),
    ("norm_type", Unless::Float(2.0)),
    ("scale_grad_by_freq", Unless::Bool(false)),
    ("sparse", Unless::Bool(false)),
];
const PRETRAINED_BAG: construct::Settings = &[
    ("embeddings", Unless::Required),
    ("freeze", Unless::Bool(true)),
    ("max_norm", Unless::None),
    ("norm_type", Unless::Float(2.0)),
    ("scale_grad_by_freq", Unless::Bool(false)),
    ("mode", Unless::Str("mean")),
    ("sparse", Unless::Bool(false)),
    ("include_last_offset", Unless::Bool(false)),
    ("padding_idx", Unless::None),
];
