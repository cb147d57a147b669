//! All that a layer has as one dict, as PyTorch's objects keep it: `__dict__`, which pickles hold.

use super::{Layer, Names};
use crate::lang::modules::collections;
use crate::lang::types::{dict, set};
use crate::value::{Dict, Key, Set, Value};
use std::rc::Rc;

/// What stands there before what is inside; functions that were hung there are not kept.
const HOOKS: [&str; 12] = [
    "_backward_pre_hooks",
    "_backward_hooks",
    "_is_full_backward_hook",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
];

/// What is held, by the name of the dict that holds it.
fn held(layer: &Layer) -> [(&'static str, &std::cell::RefCell<Names>); 3] {
    [("_parameters", &layer.parameters), ("_buffers", &layer.buffers), ("_modules", &layer.children)]
}

/// A layer as a dict.
pub(super) fn of(layer: &Layer) -> Value {
    let dict_of = |held: &Names| Value::dict(held.iter().map(|(name, value)| (Key::from(&**name), value.clone())).collect());
    let mut all = Dict::default();
    let mut put = |name: &str, value: Value| drop(all.insert(Key::from(name), value));
    put("training", Value::Bool(layer.training.get()));
    let [parameters, buffers, children] = held(layer).map(|(name, held)| (name, dict_of(&held.borrow())));
    put(parameters.0, parameters.1);
    put(buffers.0, buffers.1);
    let passing: Set = layer.passing.borrow().iter().map(|name| Key::from(&**name)).collect();
    put("_non_persistent_buffers_set", set::value(passing));
    for hooks in HOOKS {
        put(hooks, if hooks.starts_with("_is") { Value::None } else { collections::ordered_dict(Dict::default()) });
    }
    put(children.0, children.1);
    let is_held = |name: &str| held(layer).iter().any(|(_, held)| held.borrow().contains_key(name));
    for (name, value) in layer.settings.borrow().iter() {
        if layer.kind().keeps(name) && !is_held(name) {
            put(name, value.clone());
        }
    }
    for (name, value) in layer.others.borrow().iter() {
        put(name, value.clone());
    }
    Value::dict(all)
}

/// Makes a layer what such a dict says.
pub(super) fn restore(layer: &Layer, state: &Value) {
    let Some(entries) = dict::entries_of(state) else { return };
    let entries = entries.borrow().clone();
    let names: Vec<(Rc<str>, Value)> = entries
        .iter()
        .filter_map(
            |(name, value)| {
                if let Value::Str(name) = name.value() { Some((Rc::from(name.as_str()), value.clone())) } else { None }
            },
        )
        .collect();
    let find = |wanted: &str| names.iter().find(|(name, _)| **name == *wanted).map(|(_, value)| value.clone());
    for (name, place) in held(layer) {
        let Some(inside) = find(name).and_then(|inside| dict::entries_of(&inside)) else { continue };
        let inside = inside.borrow().iter().map(|(name, value)| (super::container::name_of(name), value.clone())).collect();
        place.replace(inside);
    }
    if let Some(Value::Bool(training)) = find("training") {
        layer.training.set(training);
    }
    if let Some(Value::Set(passing)) = find("_non_persistent_buffers_set") {
        layer.passing.replace(passing.borrow().iter().map(super::container::name_of).collect());
    }
    // Whether there is an offset, or the like, is what is held by its name.
    let parameters = layer.parameters.borrow().clone();
    let has = |name: &str| parameters.get(name).map(|held| Value::Bool(!matches!(held, Value::None)));
    let settings = layer
        .kind()
        .settings
        .iter()
        .map(|(name, unless)| (*name, find(name).or_else(|| has(name)).or_else(|| unless.value()).unwrap_or(Value::None)));
    layer.settings.replace(settings.collect());
    let is_known = |name: &str| {
        let is_setting = layer.kind().settings.iter().any(|(own, _)| *own == name);
        is_setting || HOOKS.contains(&name) || matches!(name, "training" | "_non_persistent_buffers_set")
    };
    let is_held = |name: &str| held(layer).iter().any(|(own, _)| *own == name);
    layer.others.replace(names.into_iter().filter(|(name, _)| !is_known(name) && !is_held(name)).collect());
}
