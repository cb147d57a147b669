//! The state of layers by name: what `state_dict` gives and `load_state_dict` takes.

use super::hooks::{self, When};
use super::{Layer, joined, layer};
use crate::lang::modules::collections;
use crate::lang::operators;
use crate::lang::types::call::Call;
use crate::ops;
use crate::value::{Dict, Key, Object, Outcome, Value};
use std::any::Any;

/// Everything that is held, under the names of a state dict: parameters and buffers of a layer, then those of the layers inside. What
/// is held twice has both names.
pub(super) fn state_of(c: &Call<'_>) -> Vec<(String, Value)> {
    // A layer may hold itself: inside of itself it is not entered again.
    fn collect(own: &Layer, path: &str, above: &mut Vec<*const Layer>, found: &mut Vec<(String, Value)>) {
        if above.contains(&std::ptr::from_ref(own)) {
            return;
        }
        above.push(own);
        for held in [&own.parameters, &own.buffers] {
            let tensors = held.borrow();
            let is_kept = |name: &str, value: &Value| {
                matches!(value, Value::Tensor(_)) && !own.passing.borrow().iter().any(|passing| **passing == *name)
            };
            let tensors = tensors.iter().filter(|(name, value)| is_kept(name, value));
            found.extend(tensors.map(|(name, value)| (joined(path, name), value.clone())));
        }
        for (name, part) in own.children.borrow().iter() {
            if let Some(part) = layer(part) {
                collect(part, &joined(path, name), above, found);
            }
        }
        above.pop();
    }
    let mut found = vec![];
    if let Some(own) = layer(c.this) {
        collect(own, "", &mut vec![], &mut found);
    }
    found
}

/// `layer.state_dict(…)`.
pub(super) fn of(c: &mut Call<'_>) -> Outcome {
    let prefix = match c.take_keyword("prefix") {
        Some(prefix) => c.machine.str(&prefix)?,
        None => String::new(),
    };
    let keeps = c.take_keyword("keep_vars").map_or(Ok(false), |keeps| operators::truth(&keeps))?;
    if let Some((name, _)) = c.keyword.iter().find(|(name, _)| &**name != "destination") {
        fault!(TypeError, "Module.state_dict() got an unexpected keyword argument '{name}'");
    }
    let this = c.this.clone();
    hooks::tell(c.machine, &this, When::BeforeKeeping, &[Value::from(&*prefix), Value::Bool(keeps)])?;
    let mut entries = Dict::default();
    for (name, value) in state_of(c) {
        let waits = matches!(&value, Value::Tensor(x) if x.grad().waits);
        let value = if keeps || waits { value } else { ops::call_method(c.machine, "detach", vec![value])? };
        entries.insert(Key::from(&*format!("{prefix}{name}")), value);
    }
    let state = collections::ordered_dict(entries);
    let about = [(Key::from("version"), Value::Int(1))].into_iter().collect();
    hooks::tell(c.machine, &this, When::Kept, &[state.clone(), Value::from(&*prefix), Value::dict(about)])?;
    Ok(state)
}

const LOAD: &str = "\
if not hasattr(given, 'keys'):
    raise TypeError(f'Expected state_dict to be dict-like, got {type(given)}.')
missing, problems = [], []
for name, tensor in own.items():
    if name not in given:
        # States of before did not count batches.
        if not name.endswith('num_batches_tracked') or hasattr(given, 'move_to_end'):
            missing.append(name)
    elif not isinstance(given[name], torch.Tensor):
        problems.append(f'While copying the parameter named \"{name}\", expected torch.Tensor or Tensor-like object from checkpoint but received {type(given[name])}')
    elif given[name].shape != tensor.shape:
        problems.append(f'size mismatch for {name}: copying a param with shape {given[name].shape} from checkpoint, the shape in current model is {tensor.shape}.')
    elif assign:
        tensor.data = given[name].detach()
    else:
        with torch.no_grad():
            tensor.copy_(given[name])
unexpected = []
for path, layer in layers:
    start = path + '.' if path else ''
    for name in given:
        first, *rest = name[len(start):].split('.', 1)
        if name.startswith(start) and (first not in layer._modules if rest else start + first not in own):
            unexpected.append(name)
quoted = lambda names: ', '.join(f'\"{name}\"' for name in names)
if strict and unexpected:
    problems.insert(0, f'Unexpected key(s) in state_dict: {quoted(unexpected)}. ')
if strict and missing:
    problems.insert(0, f'Missing key(s) in state_dict: {quoted(missing)}. ')
if problems:
    raise RuntimeError(f'Error(s) in loading state_dict for {title}:\\n\\t' + '\\n\\t'.join(problems))
[missing, unexpected]";

/// `layer.load_state_dict(…)`.
pub(super) fn load(c: &mut Call<'_>) -> Outcome {
    let own: Dict = state_of(c).into_iter().map(|(name, value)| (Key::from(&*name), value)).collect();
    let strict = c.get(1).cloned().unwrap_or(Value::Bool(true));
    let assign = c.get(2).cloned().unwrap_or(Value::Bool(false));
    let title = Value::from(c.this.type_name());
    let given = c.arg(0).clone();
    let this = c.this.clone();
    let empty = || Value::list(vec![]);
    let about = [Value::from(""), Value::dict(Dict::default()), strict.clone(), empty(), empty(), empty()];
    let before: Vec<Value> = std::iter::once(given.clone()).chain(about).collect();
    hooks::tell(c.machine, &this, When::BeforeLoading, &before)?;
    let names = [("own", Value::dict(own)), ("given", given), ("strict", strict), ("assign", assign), ("title", title)];
    let layers = c.machine.eval_code("list(self.named_modules(remove_duplicate=False))", &[("self", this.clone())])?;
    let names: Vec<_> = names.into_iter().chain([("layers", layers)]).collect();
    let keys = c.machine.eval_code(LOAD, &names)?.items().unwrap_or_default();
    let [missing, unexpected] = &keys[..] else { return Ok(Value::None) };
    let found = Value::object(Incompatible { missing: missing.clone(), unexpected: unexpected.clone() });
    hooks::tell(c.machine, &this, When::Loaded, std::slice::from_ref(&found))?;
    Ok(found)
}

/// What `load_state_dict` gives: names that were missing or too many.
struct Incompatible {
    missing: Value,
    unexpected: Value,
}

impl Object for Incompatible {
    fn type_name(&self) -> String {
        "_IncompatibleKeys".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let text = |value: &Value| crate::lang::types::repr::repr(value).unwrap_or_default();
        match (text(&self.missing).as_str(), text(&self.unexpected).as_str()) {
            ("[]", "[]") => "<All keys matched successfully>".into(),
            (missing, unexpected) => format!("_IncompatibleKeys(missing_keys={missing}, unexpected_keys={unexpected})"),
        }
    }
    fn attr(self: std::rc::Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "missing_keys" => Some(self.missing.clone()),
            "unexpected_keys" => Some(self.unexpected.clone()),
            _ => None,
        })
    }
}
