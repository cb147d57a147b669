//! All that a layer has as one dict, as PyTorch's objects keep it: `__dict__`, which pickles hold.

use super::{Layer, Names};
use crate::lang::modules::collections;
use crate::lang::types::call::Call;
use crate::lang::types::{dict, set};
use crate::value::{Dict, Key, Outcome, Set, Value};
use indexmap::IndexMap;
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

/// What PyTorch's layers keep besides, which follows from other things here.
const FOLLOWING: [&str; 14] = [
    "_all_weights",
    "_flat_weight_refs",
    "_flat_weights",
    "_flat_weights_names",
    "_reversed_padding_repeated_twice",
    "align_corners",
    "max_val",
    "min_val",
    "mode",
    "name",
    "norm",
    "output_padding",
    "recompute_scale_factor",
    "transposed",
];

/// One of those by its name; none where a layer has no such thing, or has it itself.
fn following(layer: &Layer, name: &str) -> Option<Value> {
    let (kind, settings) = (layer.kind(), layer.settings.borrow());
    if settings.iter().any(|(own, _)| *own == name) || layer.others.borrow().contains_key(name) {
        return None;
    }
    match name {
        "_all_weights" if kind.module == "rnn" && kind.holds.is_empty() => {
            let mut groups: IndexMap<String, Vec<Value>> = IndexMap::new();
            for name in layer.parameters.borrow().keys() {
                let group = name.split_once("_l").map_or_else(String::new, |(_, end)| end.into());
                groups.entry(group).or_default().push(Value::from(&**name));
            }
            Some(Value::list(groups.into_values().map(Value::list).collect()))
        }
        "_flat_weights" if kind.module == "rnn" && kind.holds.is_empty() => {
            Some(Value::list(layer.parameters.borrow().values().cloned().collect()))
        }
        "_reversed_padding_repeated_twice" if kind.stem().starts_with("Conv") => {
            let padding = settings.iter().find(|(own, _)| *own == "padding")?.1.sequence()?;
            Some(Value::list(padding.iter().rev().flat_map(|pad| [pad.clone(), pad.clone()]).collect()))
        }
        _ => kind.constant(name, &settings),
    }
}

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
    for name in FOLLOWING {
        if let Some(value) = following(layer, name) {
            put(name, value);
        }
    }
    // Functions that its kind put there are no part of it.
    let is_own = |value: &Value| layer.own.class.is_none() && matches!(value, Value::Object(object) if object.is_function());
    for (name, value) in layer.others.borrow().iter().filter(|(_, value)| !is_own(value)) {
        put(name, value.clone());
    }
    Value::dict(all)
}

/// A layer as a dict that the program is handed: what it puts there becomes the layer's.
pub(super) fn handed(layer: &Layer) -> Value {
    let all = of(layer);
    layer.handed.replace(Some(all.clone()));
    all
}

/// Makes what the program put into the dict that it was handed the layer's.
pub(super) fn take_back(layer: &Layer) {
    if layer.handed.borrow().is_none() {
        return;
    }
    let Some(entries) = layer.handed.take().and_then(|all| dict::entries_of(&all)) else { return };
    let known = dict::entries_of(&of(layer)).unwrap_or_default();
    for (name, value) in entries.borrow().iter() {
        if known
            .borrow()
            .get(name)
            .is_none_or(|old| layer.others.borrow().contains_key(&*super::container::name_of(name)) && !old.is(value))
        {
            layer.others.borrow_mut().insert(super::container::name_of(name), value.clone());
        }
    }
}

/// `layer.__setstate__(state)`: makes a layer what such a dict says.
pub(super) fn set(c: &mut Call<'_>) -> Outcome {
    let this = c.this.clone();
    let Some(layer) = super::layer(&this) else { return Ok(Value::None) };
    restore(layer, c.arg(0));
    if layer.kind().module == "rnn" && !layer.kind().holds_parameters() {
        let nothing = c.machine.eval_code("lambda: None", &[])?;
        layer.others.borrow_mut().insert("flatten_parameters".into(), nothing);
    }
    Ok(Value::None)
}

fn restore(layer: &Layer, state: &Value) {
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
    // What waits for its first input has the number of what comes in, too.
    let inferred = layer.kind().becomes().and_then(|kind| kind.settings.first());
    let inferred = inferred.and_then(|(name, _)| Some((*name, find(name)?)));
    layer.settings.replace(inferred.into_iter().chain(settings).collect());
    let is_known = |name: &str| {
        let is_setting = layer.settings.borrow().iter().any(|(own, _)| *own == name);
        let follows = following(layer, name).is_some() || FOLLOWING[..5].contains(&name);
        is_setting || follows || HOOKS.contains(&name) || matches!(name, "training" | "_non_persistent_buffers_set")
    };
    let is_held = |name: &str| held(layer).iter().any(|(own, _)| *own == name);
    layer.others.replace(names.into_iter().filter(|(name, _)| !is_known(name) && !is_held(name)).collect());
}
