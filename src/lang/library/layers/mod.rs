//! `torch.nn.Linear` and its kin: layers that are ready to be called. What one makes and what it computes are texts of the language,
//! in [`kinds`]; several together are a [`container`].

mod buffer;
mod class;
mod container;
mod hooks;
mod kinds;
mod lazy;
mod methods;
mod own;
mod state;
mod whole;

pub use own::{bare, begin, blank, call, is_class, is_layer, parts, show_as};

use super::{construct, packed};
use crate::diag::ErrorClass;
use crate::lang::classes;
use crate::lang::operators;
use crate::lang::types::class::class_text;
use crate::lang::types::{dict, limits};
use crate::ops::warning;
use crate::settings;
use crate::value::{CallArgs, Key, Machine, Object, ObjectRef, Outcome, Value};
use class::AnyLayer;
use indexmap::IndexMap;
use kinds::Kind;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Values by name, in order.
type Names = IndexMap<Rc<str>, Value>;

/// Every kind of layer.
fn every_kind() -> impl Iterator<Item = &'static Kind> {
    kinds::every().chain(container::KINDS)
}

/// The classes of layers, by name.
pub fn classes() -> impl Iterator<Item = (&'static str, Value)> {
    let others = [("Module", Value::object(AnyLayer)), ("Buffer", Value::object(buffer::BufferClass))];
    every_kind().map(|kind| (kind.name, construct::class(kind))).chain(others)
}

/// What is in the modules that the classes are from; none for another module.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    if module == "torch.nn.modules" {
        return Some(classes().collect());
    }
    if module.starts_with("torch.nn.utils.") {
        let kinds = kinds::parametrized::KINDS.iter().chain([&container::PARAMETRIZATIONS]);
        let kinds = kinds.filter(|kind| {
            format!("torch.nn.utils.{}", kind.module.trim_start_matches("utils.")) == module
                || kind.module == "container" && module.ends_with("parametrize")
        });
        let found: Vec<_> = kinds.map(|kind| (kind.name, construct::class(kind))).collect();
        return Some(found).filter(|found| !found.is_empty());
    }
    let from = module.strip_prefix("torch.nn.modules.")?;
    let kinds = every_kind().filter(|kind| kind.module == from).map(|kind| (kind.name, construct::class(kind)));
    let any = (from == "module").then(|| ("Module", Value::object(AnyLayer)));
    Some(kinds.chain(any).collect::<Vec<_>>()).filter(|found| !found.is_empty())
}

/// A layer, or several.
struct Layer {
    /// One that waits for its first input becomes another then.
    kind: Cell<&'static Kind>,
    /// What it was made with.
    settings: RefCell<Vec<(&'static str, Value)>>,
    parameters: RefCell<Names>,
    buffers: RefCell<Names>,
    /// Names of buffers that are no part of the state that is kept.
    passing: RefCell<Vec<Rc<str>>>,
    children: RefCell<Names>,
    /// What the user put there besides.
    others: RefCell<Names>,
    training: Cell<bool>,
    hooks: hooks::Hooks,
    own: own::Own,
    /// The dict that the program was handed last, into which it may have put something.
    handed: RefCell<Option<Value>>,
}

/// A value as a layer, if it is one.
fn layer(value: &Value) -> Option<&Layer> {
    value.downcast::<Layer>()
}

impl Layer {
    /// Puts a tensor where a parameter or a buffer is, whatever it is; gives what was there.
    fn exchange(&self, name: &str, value: Value) -> Option<Value> {
        let held = [&self.parameters, &self.buffers].into_iter().find(|held| held.borrow().contains_key(name))?;
        held.borrow_mut().insert(name.into(), value)
    }

    fn kind(&self) -> &'static Kind {
        self.kind.get()
    }

    /// One without parameters of its own.
    fn bare(kind: &'static Kind, children: Names) -> Layer {
        Layer {
            kind: Cell::new(kind),
            settings: RefCell::default(),
            parameters: RefCell::default(),
            buffers: RefCell::default(),
            passing: RefCell::default(),
            children: RefCell::new(children),
            others: RefCell::default(),
            training: Cell::new(true),
            hooks: hooks::Hooks::default(),
            own: own::Own::default(),
            handed: RefCell::default(),
        }
    }

    fn value(self) -> Value {
        Value::object(self)
    }

    fn this(self: &Rc<Self>) -> Value {
        Value::Object(ObjectRef::new(self.clone()))
    }

    fn make(machine: &mut dyn Machine, kind: &'static Kind, args: CallArgs) -> Outcome {
        if kind.module == "container" {
            let held = container::held(machine, kind, args)?;
            let layer = Layer::bare(kind, Names::new());
            layer.inside().replace(held);
            return Ok(layer.value());
        }
        // `Identity` takes anything, and leaves it.
        let args = if kind.name == "Identity" { CallArgs::default() } else { args };
        let title = format!("{}.__init__()", kind.maker());
        let (takes, places) = kind.takes_when_made();
        let mut settings = construct::bind_places(&title, &takes, places, args)?;
        let mut apart = |name: &str| {
            let own = kind.settings.iter().any(|(own, _)| *own == name);
            let place = settings.iter().position(|(given, _)| *given == name && !own)?;
            Some(settings.remove(place).1).filter(|value| !matches!(value, Value::None))
        };
        let (device, dtype) = (apart("device"), apart("dtype"));
        if let Some((inferred, _)) = kind.becomes().and_then(|kind| kind.settings.first()) {
            settings.insert(0, (inferred, Value::Int(0)));
        }
        kind.spread(&mut settings);
        settle_reduction(machine, &mut settings)?;
        kind.check(&settings)?;
        let held = match kind.make {
            "" => Value::None,
            make => with_dtype(dtype, || machine.eval_code(make, &settings))?,
        };
        let layer = Layer { settings: RefCell::new(settings), ..Layer::bare(kind, Names::new()) };
        layer.hold(held);
        layer.wait();
        let this = layer.value();
        match device {
            Some(device) => {
                let to = machine.attr(&this, "to")?;
                machine.call(&to, CallArgs::positional(vec![device]))
            }
            None => Ok(this),
        }
    }

    /// Puts what was made for it in its place: a list in the order of its row's names, or a dict by name.
    fn hold(&self, held: Value) {
        if let Some(entries) = dict::entries_of(&held) {
            for (name, value) in entries.borrow().iter() {
                let place = match value {
                    value if layer(value).is_some() => &self.children,
                    value if is_parameter(value) || matches!(value, Value::None) => &self.parameters,
                    _ => &self.others,
                };
                place.borrow_mut().insert(container::name_of(name), value.clone());
            }
            return;
        }
        let mut held = held.items().unwrap_or_default().into_iter();
        for (names, place) in [(self.kind().holds, &self.parameters), (self.kind().buffers, &self.buffers)] {
            place.replace(names.iter().map(|name| Rc::from(*name)).zip(held.by_ref()).collect());
        }
    }

    fn forward(self: &Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        if let Some(result) = self.own_forward(machine, &args) {
            return result;
        }
        self.native_forward(machine, args)
    }

    /// What one of the layer's kind computes, whatever a class of the program's says.
    fn native_forward(self: &Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        limits::deeper("", || self.forward_here(machine, args))
    }

    fn forward_here(self: &Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let kind = self.kind();
        if kind.run.is_empty() && kind.name != "Sequential" && !kind.holds_parameters() {
            fault!(NotImplementedError, "Module [{}] is missing the required \"forward\" function", self.class_title());
        }
        if kind.holds_parameters() {
            fault!(RuntimeError, "{} should not be called.", kind.name);
        }
        let mut names = construct::bind(&format!("{}.forward()", kind.caller()), kind.takes, args)?;
        if let [(_, input)] = &names[..]
            && kind.name == "Sequential"
        {
            return self.chained(machine, input.clone());
        }
        for (own, held) in [(kind.holds, &self.parameters), (kind.buffers, &self.buffers)] {
            for name in own {
                let value = held.borrow().get(*name).or(self.others.borrow().get(*name)).cloned();
                let value = match value {
                    None => self.parametrized(machine, name)?,
                    found => found,
                };
                match value {
                    Some(value) => names.push((name, value)),
                    None => fault!(AttributeError, "'{}' object has no attribute '{name}'", kind.name),
                }
            }
        }
        let is_held = |name: &str| kind.holds.contains(&name) || kind.buffers.contains(&name);
        names.extend(self.settings.borrow().iter().filter(|(name, _)| !is_held(name)).cloned());
        names.push(("training", Value::Bool(self.training.get())));
        // What has no names for what it holds looks there itself.
        if kind.holds.is_empty() && !kind.make.is_empty() {
            names.push(("self", self.this()));
        }
        let is_packed = kind.module == "rnn" && packed::is_packed(&names[0].1);
        machine.eval_code(if is_packed { kind.run_packed().unwrap_or(kind.run) } else { kind.run }, &names)
    }

    /// A parameter that is computed of others; none where there is none of this name.
    fn parametrized(&self, machine: &mut dyn Machine, name: &str) -> Outcome<Option<Value>> {
        let children = self.children.borrow().clone();
        let of = |value: &Value, name: &str| layer(value).and_then(|layer| layer.children.borrow().get(name).cloned());
        let Some(list) = children.get("parametrizations").and_then(|all| of(all, name)) else { return Ok(None) };
        let Some(own) = layer(&list) else { return Ok(None) };
        let held: Vec<Value> = own.parameters.borrow().values().chain(own.buffers.borrow().values()).cloned().collect();
        let mut parts = own.parts().into_iter();
        let first = match parts.next() {
            Some(first) => machine.call(&first, CallArgs::positional(held))?,
            None => held.into_iter().next().unwrap_or(Value::None),
        };
        parts.try_fold(first, |value, part| machine.call(&part, CallArgs::positional(vec![value]))).map(Some)
    }

    /// The name of its class, which is another one where parameters are computed.
    fn class_title(&self) -> String {
        if let Some(class) = &self.own.class {
            return class.name().into();
        }
        let is_other = self.children.borrow().contains_key("parametrizations");
        format!("{}{}", if is_other { "Parametrized" } else { "" }, self.kind().name)
    }

    /// The parameters of a recurrent layer: a list for each layer and direction.
    fn weights(&self) -> Value {
        let mut groups: IndexMap<String, Vec<Value>> = IndexMap::new();
        for (name, value) in self.parameters.borrow().iter() {
            if let Some((_, end)) = name.split_once("_l") {
                groups.entry(end.into()).or_default().push(value.clone());
            }
        }
        Value::list(groups.into_values().map(Value::list).collect())
    }

    /// The same of copies of all that it holds.
    fn copied(&self, copy: &mut dyn FnMut(&Value) -> Outcome) -> Outcome<Layer> {
        let mut copies = |names: &RefCell<Names>| -> Outcome<RefCell<Names>> {
            let pairs = names.borrow().clone().into_iter();
            Ok(RefCell::new(pairs.map(|(name, value)| Ok((name, copy(&value)?))).collect::<Outcome<_>>()?))
        };
        let (parameters, buffers) = (copies(&self.parameters)?, copies(&self.buffers)?);
        let (children, others) = (copies(&self.children)?, copies(&self.others)?);
        let (settings, training) = (self.settings.clone(), self.training.clone());
        let (passing, hooks) = (self.passing.clone(), hooks::Hooks::new(RefCell::clone(&self.hooks)));
        let (own, handed) = (self.own.clone(), RefCell::default());
        Ok(Layer {
            kind: self.kind.clone(),
            settings,
            parameters,
            buffers,
            passing,
            children,
            others,
            training,
            hooks,
            own,
            handed,
        })
    }

    /// As text, whose lines but the first are indented where it is inside another one.
    fn shown(&self) -> String {
        self.shown_inside(&mut vec![])
    }

    /// The same, inside the layers `above`; one of them is not shown again.
    fn shown_inside(&self, above: &mut Vec<*const Layer>) -> String {
        if let Some(text) = self.own.whole() {
            return text;
        }
        let extra = self.own.extra().unwrap_or_else(|| self.extra());
        let name = self.class_title();
        if above.contains(&std::ptr::from_ref(self)) {
            return format!("{name}(...)");
        }
        above.push(self);
        let mut lines = if self.kind().holds_parameters() { self.parameter_lines() } else { self.lines(above) };
        above.pop();
        if lines.is_empty() && !extra.contains('\n') {
            return format!("{name}({extra})");
        }
        if !extra.is_empty() {
            lines.insert(0, format!("  {}\n", extra.replace('\n', "\n  ")));
        }
        match &lines[..] {
            // A single line of its own stands behind the name.
            [only] if self.kind().holds_parameters() => format!("{name}({})", only.trim_end().replacen("  ", "", 1)),
            lines => format!("{name}(\n{})", lines.concat()),
        }
    }

    /// What it shows of its settings.
    fn extra(&self) -> String {
        let mut settings = self.settings.borrow().clone();
        for (name, value) in settings.iter_mut().filter(|(name, _)| *name == "bias") {
            if let Some(held) = self.parameters.borrow().get(*name) {
                *value = Value::Bool(!matches!(held, Value::None));
            }
        }
        self.kind().shown(&settings)
    }

    /// A line for each layer inside; a list shows equal neighbours once.
    fn lines(&self, above: &mut Vec<*const Layer>) -> Vec<String> {
        let children = self.children.borrow();
        let mut text = |part: &Value| layer(part).map_or("None".into(), |part| part.shown_inside(above)).replace('\n', "\n  ");
        let mut lines: Vec<(String, String, usize)> = vec![];
        for (name, part) in children.iter() {
            let text = text(part);
            match lines.last_mut() {
                Some((_, before, count)) if *before == text && self.kind().is_list_of_layers() => *count += 1,
                _ => lines.push((name.to_string(), text, 1)),
            }
        }
        let line = |(name, text, count): (String, String, usize)| match (count, name.parse::<usize>()) {
            (2.., Ok(first)) => format!("  ({first}-{}): {count} x {text}\n", first + count - 1),
            _ => format!("  ({name}): {text}\n"),
        };
        lines.into_iter().map(line).collect()
    }

    /// Calls this with itself and each layer inside, every one `once` or as often as it is there, with its path.
    fn walk(&self, this: &Value, path: &str, once: bool, visit: &mut dyn FnMut(&str, &Value, &Layer)) {
        type Visit<'a> = &'a mut dyn FnMut(&str, &Value, &Layer);
        // Those that were met, or those that this one is inside of: a layer may hold itself.
        fn inner(value: &Value, path: &str, once: bool, seen: &mut Vec<u64>, visit: Visit) {
            let Some(layer) = layer(value).filter(|_| !seen.contains(&value.identity())) else { return };
            seen.push(value.identity());
            visit(path, value, layer);
            for (name, part) in layer.children.borrow().iter() {
                inner(part, &joined(path, name), once, seen, visit);
            }
            if !once {
                seen.pop();
            }
        }
        inner(this, path, once, &mut vec![], visit);
    }
}

/// The two flags of old that say how a loss is reduced, where one of them is given.
fn settle_reduction(machine: &mut dyn Machine, settings: &mut [(&'static str, Value)]) -> Outcome<()> {
    let flag = |name: &str| settings.iter().find(|(own, _)| *own == name).map(|(_, value)| value);
    let (Some(average), Some(reduce)) = (flag("size_average"), flag("reduce")) else { return Ok(()) };
    if matches!((average, reduce), (Value::None, Value::None)) {
        return Ok(());
    }
    let is_set = |flag: &Value| if matches!(flag, Value::None) { Ok(true) } else { operators::truth(flag) };
    let (reduction, text) = warning::reduction_of_old(is_set(average)?, is_set(reduce)?);
    machine.warn(ErrorClass::UserWarning, &text)?;
    for (_, value) in settings.iter_mut().filter(|(own, _)| *own == "reduction") {
        *value = Value::from(reduction);
    }
    Ok(())
}

/// Does this while a dtype, if any, is that of new tensors.
fn with_dtype(dtype: Option<Value>, make: impl FnOnce() -> Outcome) -> Outcome {
    let Some(Value::DType(dtype)) = dtype else { return make() };
    let before = settings::default_dtype();
    settings::change(|s| s.default_dtype = dtype);
    let made = make();
    settings::change(|s| s.default_dtype = before);
    made
}

/// `layer.name = value` for a parameter that is computed of others, which become such that it is computed to be that value; false
/// for any other name.
pub fn assign_computed(machine: &mut dyn Machine, object: &Value, name: &str, value: &Value) -> Outcome<bool> {
    let Some(own) = layer(object) else { return Ok(false) };
    let all = own.children.borrow().get("parametrizations").cloned();
    let of = |all: &Value| layer(all).and_then(|all| all.children.borrow().get(name).cloned());
    let Some(list) = all.as_ref().and_then(of) else { return Ok(false) };
    machine.eval_code("torch.nn.utils.parametrize._assign(list, value)", &[("list", list), ("value", value.clone())])?;
    Ok(true)
}

/// A path with a name behind it.
fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

/// The class of what does not fit, as `torch.typename` has it; of a class, its own name.
fn class_name(value: &Value) -> String {
    let of = |kind: &'static Kind| format!("{}.{}", construct::Row::module(kind), kind.name);
    match (value, value.downcast::<construct::RowClass<Kind>>()) {
        (Value::Tensor(t), _) => format!("torch.{}", t.dtype().info().tensor),
        (_, Some(class)) => of(class.row()),
        (other, _) => layer(other).map_or_else(|| class_text(other), |layer| of(layer.kind())),
    }
}

fn is_parameter(value: &Value) -> bool {
    matches!(value, Value::Tensor(t) if t.grad().parameter)
}

impl Object for Layer {
    fn type_name(&self) -> String {
        self.class_title()
    }
    fn own_class(&self) -> Option<Rc<dyn Any>> {
        Some(self.own.class.clone()?)
    }
    fn class_object(&self) -> Option<Value> {
        if let Some(class) = &self.own.class {
            return Some(class.value());
        }
        if self.kind().name == "Module" {
            return Some(Value::object(AnyLayer));
        }
        Some(construct::class(self.kind()))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        self.shown()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        whole::take_back(&self);
        match self.own_member(name) {
            own::Found::Computed => Ok(None),
            own::Found::Member(found) => Ok(Some(self.others.borrow().get(name).cloned().unwrap_or(found))),
            own::Found::Nothing => self.native_attr(name),
        }
    }
    fn native_attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        whole::take_back(&self);
        for held in [&self.parameters, &self.buffers, &self.children, &self.others] {
            if let Some(value) = held.borrow().get(name) {
                return Ok(Some(value.clone()));
            }
        }
        let dict_of = |held: &Names| Value::dict(held.iter().map(|(name, value)| (Key::from(&**name), value.clone())).collect());
        match name {
            "training" => return Ok(Some(Value::Bool(self.training.get()))),
            "_parameters" => return Ok(Some(dict_of(&self.parameters.borrow()))),
            "_buffers" => return Ok(Some(dict_of(&self.buffers.borrow()))),
            "_modules" => return Ok(Some(dict_of(&self.children.borrow()))),
            "_forward_hooks" => return Ok(Some(hooks::waiting(&self.hooks, hooks::When::Behind))),
            "_forward_pre_hooks" => return Ok(Some(hooks::waiting(&self.hooks, hooks::When::Before))),
            "__dict__" => return Ok(Some(whole::handed(&self))),
            "all_weights" if self.kind().module == "rnn" && self.kind().holds.is_empty() => return Ok(Some(self.weights())),
            _ => (),
        }
        // Where and of what dtype it is made is not kept, and what is held stands for itself.
        let is_kept = |own: &str| own == name && self.kind().keeps(own) && !self.kind().holds.contains(&own);
        let setting = self.settings.borrow().iter().find(|(own, _)| is_kept(own)).map(|(_, value)| value.clone());
        let setting = setting.or_else(|| self.kind().constant(name, &self.settings.borrow()));
        Ok(setting.or_else(|| construct::Row::function(self.kind(), name)).or_else(|| {
            let kind = self.kind();
            let this = self.this();
            if name == "forward" {
                let run = move |machine: &mut dyn Machine, args| self.native_forward(machine, args);
                return Some(construct::bound(kind.caller(), "forward", this, run));
            }
            let (table, row) = methods::of(kind, name)?;
            let (owner, own) = (if kind.has_method(name) { kind.name } else { table.owner }, this.clone());
            let run = move |machine: &mut dyn Machine, args| table.call(row, machine, &own, args);
            Some(construct::bound(owner, row.name, this, run))
        }))
    }
    fn computed(self: Rc<Self>, machine: &mut dyn Machine, name: &str) -> Option<Outcome> {
        self.own_computed(machine, name).or_else(|| self.parametrized(machine, name).transpose())
    }
    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        self.must_have_begun(&value)?;
        if self.parameters.borrow().contains_key(name) && !is_parameter(&value) && !matches!(value, Value::None) {
            let class = class_name(&value);
            fault!(TypeError, "cannot assign '{class}' as parameter '{name}' (torch.nn.Parameter or None expected)");
        }
        for (held, what, wanted) in [
            (&self.children, "child module", "torch.nn.Module or None"),
            (&self.buffers, "buffer", "torch.nn.Buffer, torch.Tensor or None"),
        ] {
            let fits = matches!(value, Value::None | Value::Tensor(_)) && what == "buffer" || container::fits(&value);
            if held.borrow().contains_key(name) && !fits {
                let class = class_name(&value);
                fault!(TypeError, "cannot assign '{class}' as {what} '{name}' ({wanted} expected)");
            }
        }
        if name == "training" {
            self.training.set(matches!(value, Value::Bool(true)));
            return Ok(true);
        }
        if let Some(is_kept) = buffer::is_kept(&value) {
            self.passing.borrow_mut().retain(|passing| **passing != *name);
            if !is_kept {
                self.passing.borrow_mut().push(name.into());
            }
            self.buffers.borrow_mut().insert(name.into(), value);
            return Ok(true);
        }
        let mut settings = self.settings.borrow_mut();
        let setting = settings.iter_mut().find(|(own, _)| *own == name && !self.kind().holds.contains(own));
        let place = match (&value, setting) {
            (_, Some((_, setting))) => {
                *setting = value;
                return Ok(true);
            }
            (value, _) if is_parameter(value) || self.parameters.borrow().contains_key(name) => &self.parameters,
            (_, _) if self.buffers.borrow().contains_key(name) => &self.buffers,
            (value, _) if layer(value).is_some() || self.children.borrow().contains_key(name) => &self.children,
            _ => &self.others,
        };
        place.borrow_mut().insert(name.into(), value);
        Ok(true)
    }
    fn del_attr(&self, name: &str) -> bool {
        let held = [&self.parameters, &self.buffers, &self.children, &self.others];
        held.into_iter().any(|held| held.borrow_mut().shift_remove(name).is_some())
    }
    fn attributes(&self) -> Vec<String> {
        let own: Vec<String> = self.settings.borrow().iter().map(|(name, _)| name.to_string()).collect();
        let held = [&self.parameters, &self.buffers, &self.children, &self.others];
        let held = held.into_iter().flat_map(|held| held.borrow().keys().map(|name| name.to_string()).collect::<Vec<_>>());
        methods::METHODS.names().into_iter().chain(own).chain(held).collect()
    }
    fn deep_copy(&self, copy: &mut dyn FnMut(&Value) -> Outcome) -> Option<Outcome> {
        Some(self.copied(copy).map(Layer::value))
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        if let Some(class) = &self.own.class
            && let Some(call) = class.find("__call__")
        {
            return Some(machine.call(&classes::bind(&call, &self.this(), class), args));
        }
        Some(hooks::between(self, machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn length(&self) -> Option<usize> {
        (self.kind().module == "container").then(|| self.inside().borrow().len())
    }
    fn truth(&self) -> Option<Outcome<bool>> {
        (self.kind().module != "container").then_some(Ok(true))
    }
    fn iter(self: Rc<Self>, machine: &mut dyn Machine) -> Option<Outcome> {
        if let Some(found) = self.ask(machine, "__iter__", vec![]) {
            return Some(found.and_then(|iterator| machine.iter(&iterator)));
        }
        let items = match (self.kind().module, self.kind().name) {
            ("container", "ModuleDict" | "ParameterDict") => {
                self.inside().borrow().keys().map(|name| Value::from(&**name)).collect()
            }
            ("container", _) => self.parts(),
            _ => return None,
        };
        Some(machine.iter(&Value::list(items)))
    }
    fn contains(&self, _machine: &mut dyn Machine, item: &Value) -> Option<Outcome<bool>> {
        match (self.kind().name, item) {
            ("ModuleDict" | "ParameterDict", Value::Str(name)) => Some(Ok(self.inside().borrow().contains_key(name.as_str()))),
            _ => None,
        }
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        if let Some(found) = classes::operate(machine, &self.this(), op, other, reflected) {
            return Some(found);
        }
        match op {
            "+" if !reflected && self.kind().module == "container" => Some(self.joined_with(machine, other)),
            "*" if self.kind().name == "Sequential" => Some(self.times(other)),
            _ => None,
        }
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        let asked = self.ask(machine, "__getitem__", vec![key.clone()]);
        asked.or_else(|| (self.kind().module == "container").then(|| self.picked(machine, key)))
    }
    fn set_index(&self, machine: &mut dyn Machine, key: &Value, value: Option<Value>) -> Option<Outcome<()>> {
        (self.kind().module == "container").then(|| match value {
            Some(part) => self.put(machine, key, part),
            None => self.remove(key),
        })
    }
}
