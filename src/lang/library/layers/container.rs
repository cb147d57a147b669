//! `torch.nn.Sequential`, `ModuleList`, `ModuleDict`: layers that hold layers; `ParameterList`, `ParameterDict`: the same of parameters.

use super::kinds::{self, Kind};
use super::methods::checked_name;
use super::{Layer, Names, class_name, layer};
use crate::lang::library::construct::Unless;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::class::class_text;
use crate::lang::types::{dict, iter};
use crate::value::{CallArgs, Dict, Key, Machine, Outcome, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// How what is inside is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// By place, and called one after the other.
    Chain,
    /// By place.
    List,
    /// By name.
    Dict,
}

/// What is inside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Layers,
    Parameters,
}

/// What each container is: its name, how what is inside is asked for, and what that is.
const INSIDE: &[(&str, Order, Of)] = &[
    ("Sequential", Order::Chain, Of::Layers),
    ("ModuleList", Order::List, Of::Layers),
    ("ModuleDict", Order::Dict, Of::Layers),
    ("ParameterList", Order::List, Of::Parameters),
    ("ParameterDict", Order::Dict, Of::Parameters),
    ("ParametrizationList", Order::List, Of::Layers),
];

impl Kind {
    /// How what is inside is asked for; none for what is no container.
    fn order(&self) -> Option<Order> {
        INSIDE.iter().find(|(name, ..)| *name == self.name).map(|(_, order, _)| *order)
    }

    /// True for a method that this container has besides those of every layer.
    pub(super) fn has_method(&self, name: &str) -> bool {
        let of_lists = ["append", "extend", "insert"].contains(&name);
        match self.order() {
            None => false,
            Some(_) if name == "pop" => true,
            Some(Order::Dict) => !of_lists && METHODS.find(name).is_some(),
            Some(_) => of_lists,
        }
    }

    fn is_dict(&self) -> bool {
        self.order() == Some(Order::Dict)
    }

    /// True where layers stand by their place and are not called: equal ones are shown as one.
    pub(super) fn is_list_of_layers(&self) -> bool {
        self.order() == Some(Order::List) && !self.holds_parameters()
    }

    /// True where parameters are inside, not layers.
    pub(super) fn holds_parameters(&self) -> bool {
        INSIDE.iter().any(|(name, _, of)| *name == self.name && *of == Of::Parameters)
    }
}

/// Layers by name.
static DICT: Kind = kinds::container("ModuleDict", &[]);
/// What holds only what is put there by name, as attributes.
pub(super) static MODULE: Kind = Kind { module: "module", ..kinds::container("Module", &[]) };
/// What a parameter is computed by.
pub(super) static PARAMETRIZATIONS: Kind = kinds::container("ParametrizationList", &[]);
/// Layers one after the other, lists and dicts.
pub(super) static KINDS: &[Kind] = &[
    kinds::container("Sequential", &[("input", Unless::Required)]),
    kinds::container("ModuleList", &[]),
    kinds::container("ModuleDict", &[]),
    kinds::container("ParameterList", &[]),
    kinds::container("ParameterDict", &[]),
];

/// What a container is made with, by name.
pub(super) fn held(machine: &mut dyn Machine, kind: &'static Kind, mut args: CallArgs) -> Outcome<Names> {
    const BY_NAME: [(&str, &str); 4] =
        [("ModuleList", "modules"), ("ModuleDict", "modules"), ("ParameterList", "values"), ("ParameterDict", "parameters")];
    for (name, value) in std::mem::take(&mut args.keyword) {
        match BY_NAME.iter().any(|(own, known)| *own == kind.name && **known == *name) && args.positional.is_empty() {
            true => args.positional.push(value),
            false => fault!(TypeError, "{}.__init__() got an unexpected keyword argument '{name}'", kind.name),
        }
    }
    let parts = args.positional;
    let named = match &parts[..] {
        [only] if kind.order() != Some(Order::List) => dict::entries_of(only),
        _ => None,
    };
    let numbered = |parts: Vec<Value>| numbered(parts).into_iter().map(|(name, part)| (Key::from(&*name), part)).collect();
    let pairs: Vec<(Key, Value)> = match (named, kind.order()) {
        (Some(entries), _) => entries.borrow().iter().map(|(key, part)| (key.clone(), part.clone())).collect(),
        (None, Some(Order::Chain)) => numbered(parts),
        (None, order) => match &parts[..] {
            [] | [Value::None] => vec![],
            [items] if order == Some(Order::List) => numbered(items_of(machine, kind, items)?),
            [items] => pairs_of(machine, kind, items)?,
            more => {
                let (name, given) = (kind.name, more.len() + 1);
                fault!(TypeError, "{name}.__init__() takes from 1 to 2 positional arguments but {given} were given")
            }
        },
    };
    let this = Layer::bare(kind, Names::new()).value();
    let mut held = Names::new();
    for (name, part) in pairs {
        let part = fitting(machine, kind, part)?;
        let name = if kind.holds_parameters() { name_of(&name) } else { checked_name(machine, &this, "module", name.value())? };
        held.insert(name, part);
    }
    Ok(held)
}

/// What a list is made of, or made longer by.
fn items_of(machine: &mut dyn Machine, kind: &Kind, items: &Value) -> Outcome<Vec<Value>> {
    if machine.attr(items, "__iter__").is_err() {
        let class = items.type_name();
        if kind.order() == Some(Order::Chain) {
            fault!(TypeError, "'{class}' object is not iterable");
        }
        fault!(TypeError, "{}.extend should be called with an iterable, but got {class}", kind.name);
    }
    iter::collect(machine, items)
}

/// The names and parts that a dict is made of.
fn pairs_of(machine: &mut dyn Machine, kind: &'static Kind, items: &Value) -> Outcome<Vec<(Key, Value)>> {
    const PAIRS: &str = "\
if not hasattr(given, '__iter__'):
    owner = 'ParametersDict' if name == 'ParameterDict' else name
    raise TypeError(f'{owner}.update should be called with an iterable of key/value pairs, but got {type(given).__name__}')
pairs = []
for place, pair in enumerate(given):
    if not hasattr(pair, '__iter__'):
        raise TypeError(f'{name} update sequence element #{place} should be Iterable; is{type(pair).__name__}')
    if len(pair) != 2:
        raise ValueError(f'{name} update sequence element #{place} has length {len(pair)}; 2 is required')
    pairs.append((pair[0], pair[1]))
dict(pairs)";
    let pairs = machine.eval_code(PAIRS, &[("name", Value::from(kind.name)), ("given", items.clone())])?;
    let entries = dict::entries_of(&pairs).map(|entries| entries.borrow().clone()).unwrap_or_default();
    Ok(entries.into_iter().collect())
}

/// What is put into a container: a layer, or a parameter, which a tensor becomes.
fn fitting(machine: &mut dyn Machine, kind: &Kind, part: Value) -> Outcome {
    match part {
        Value::Tensor(_) if kind.holds_parameters() && !super::is_parameter(&part) => {
            machine.eval_code("torch.nn.Parameter(part)", &[("part", part)])
        }
        part if kind.holds_parameters() => Ok(part),
        part => check(&part).map(|()| part),
    }
}

pub(super) fn name_of(key: &Key) -> Rc<str> {
    match key.value() {
        Value::Str(name) => name.as_str().into(),
        _ => "".into(),
    }
}

fn pair(item: &Value) -> Option<(Rc<str>, Value)> {
    match &item.items()?[..] {
        [Value::Str(name), part] => Some((name.as_str().into(), part.clone())),
        _ => None,
    }
}

fn numbered(parts: Vec<Value>) -> Vec<(Rc<str>, Value)> {
    parts.into_iter().enumerate().map(|(place, part)| (place.to_string().into(), part)).collect()
}

/// Fails with a `TypeError` on what is no layer.
pub(super) fn check(part: &Value) -> Outcome<()> {
    if !fits(part) {
        fault!(TypeError, "{} is not a Module subclass", class_name(part));
    }
    Ok(())
}

/// True for a layer, and for none.
pub(super) fn fits(part: &Value) -> bool {
    layer(part).is_some() || matches!(part, Value::None)
}

/// The methods of containers, besides those of every layer.
pub(super) static METHODS: Table = Table {
    owner: "Sequential",
    rows: Table::sorted(&[
        row("append", def(&["module"], 1, 1), |c| {
            let part = c.arg(0).clone();
            add(c, vec![part])
        }),
        row("clear", Takes::Nothing, |c| {
            own(c)?.inside().borrow_mut().clear();
            Ok(Value::None)
        }),
        row("extend", def(&["modules"], 1, 1), |c| {
            let source = c.arg(0).clone();
            let kind = own(c)?.kind();
            let parts = items_of(c.machine, kind, &source)?;
            add(c, parts)
        }),
        row("insert", def(&["index", "module"], 2, 2), |c| {
            let part = c.arg(1).clone();
            if layer(&part).is_none() && own(c)?.kind().order() == Some(Order::Chain) {
                fault!(AssertionError, "module should be of type: <class 'torch.nn.modules.module.Module'>");
            }
            check(&part)?;
            let mut parts = own(c)?.parts();
            let place = match c.arg(0) {
                Value::Int(place) if *place < 0 => (parts.len() as i64 + place).max(0) as usize,
                Value::Int(place) => (*place as usize).min(parts.len()),
                other => fault!(TypeError, "'{}' object cannot be interpreted as an integer", other.type_name()),
            };
            parts.insert(place, part);
            let owner = own(c)?;
            owner.children.replace(numbered(parts).into_iter().collect());
            Ok(if owner.kind().is_list_of_layers() { Value::None } else { c.this.clone() })
        }),
        row("items", Takes::Nothing, |c| view(c, "items")),
        row("keys", Takes::Nothing, |c| view(c, "keys")),
        row("pop", def(&["key"], 1, 1), |c| {
            let key = c.arg(0).clone();
            let part = own(c)?.part(&key)?;
            own(c)?.remove(&key)?;
            Ok(part)
        }),
        row("update", def(&["modules"], 1, 1), |c| {
            let given = CallArgs::positional(vec![c.arg(0).clone()]);
            let kind = own(c)?.kind();
            let more = held(c.machine, if kind.holds_parameters() { kind } else { &DICT }, given)?;
            own(c)?.inside().borrow_mut().extend(more);
            Ok(Value::None)
        }),
        row("values", Takes::Nothing, |c| view(c, "values")),
    ]),
};

/// Puts parts behind the others.
fn add(c: &mut Call<'_>, parts: Vec<Value>) -> Outcome {
    let kind = own(c)?.kind();
    for part in parts {
        let part = fitting(c.machine, kind, part)?;
        let mut inside = own(c)?.inside().borrow_mut();
        let name = inside.len().to_string();
        inside.insert(name.into(), part);
    }
    Ok(c.this.clone())
}

fn own<'c>(c: &'c Call<'_>) -> Outcome<&'c Layer> {
    match layer(c.this) {
        Some(layer) => Ok(layer),
        None => fault!(TypeError, "a container of layers is needed, not {}", c.this.type_name()),
    }
}

/// What a dict of the layers gives.
fn view(c: &mut Call<'_>, what: &str) -> Outcome {
    let entries: Dict = own(c)?.inside().borrow().iter().map(|(name, part)| (Key::from(&**name), part.clone())).collect();
    let method = c.machine.attr(&Value::dict(entries), what)?;
    c.machine.call(&method, CallArgs::default())
}

impl Layer {
    /// What a container holds, by name.
    pub(super) fn inside(&self) -> &RefCell<Names> {
        if self.kind().holds_parameters() { &self.parameters } else { &self.children }
    }

    /// `layers + others`: a new container of the same kind with both.
    pub(super) fn joined_with(&self, machine: &mut dyn Machine, other: &Value) -> Outcome {
        if self.kind().name == "Sequential" && layer(other).is_none_or(|other| other.kind().name != "Sequential") {
            fault!(
                ValueError,
                "add operator supports only objects of Sequential class, but <class '{}'> is given.",
                class_text(other)
            );
        }
        let parts =
            self.parts().into_iter().chain(iter::collect(machine, other)?).map(|part| fitting(machine, self.kind(), part));
        let parts = numbered(parts.collect::<Outcome<_>>()?);
        let whole = Layer::bare(self.kind(), Names::new());
        whole.inside().replace(parts.into_iter().collect());
        Ok(whole.value())
    }

    /// `layers * count`: a new container with the same layers as many times.
    pub(super) fn times(&self, count: &Value) -> Outcome {
        let class = "<class 'torch.nn.modules.container.Sequential'>";
        let count = match count {
            Value::Int(count) if *count > 0 => *count as usize,
            Value::Bool(true) => 1,
            Value::Int(count) => fault!(ValueError, "Non-positive multiplication factor {count} for {class}"),
            Value::Bool(false) => fault!(ValueError, "Non-positive multiplication factor False for {class}"),
            other => fault!(TypeError, "unsupported operand type(s) for *: {class} and <class '{}'>", class_text(other)),
        };
        let parts: Vec<Value> = std::iter::repeat_n(self.parts(), count).flatten().collect();
        let whole = Layer::bare(self.kind(), Names::new());
        whole.inside().replace(numbered(parts).into_iter().collect());
        Ok(whole.value())
    }

    /// A line for each parameter inside.
    pub(super) fn parameter_lines(&self) -> Vec<String> {
        let line = |(name, value): (&Rc<str>, &Value)| match value {
            Value::Tensor(t) => {
                let info = t.dtype().info();
                let kind = if self.kind().is_dict() { info.tensor } else { info.name };
                let sizes: Vec<String> = t.sizes().iter().map(i64::to_string).collect();
                let class = if super::is_parameter(value) { "Parameter containing" } else { "Tensor" };
                format!("    ({name}): {class}: [torch.{kind} of size {}]\n", sizes.join("x"))
            }
            other => format!("    ({name}): Object of type: {}\n", class_text(other)),
        };
        self.parameters.borrow().iter().map(line).collect()
    }

    /// What is inside, in order.
    pub(super) fn parts(&self) -> Vec<Value> {
        self.inside().borrow().values().cloned().collect()
    }

    /// The name of a layer inside by what stands between brackets.
    fn named(&self, key: &Value) -> Outcome<Rc<str>> {
        let children = self.inside().borrow();
        match key {
            Value::Str(name) if self.kind().is_dict() && children.contains_key(name.as_str()) => Ok(name.as_str().into()),
            Value::Int(place) if !self.kind().is_dict() => {
                let count = children.len() as i64;
                let at = if *place < 0 { place + count } else { *place };
                match usize::try_from(at).ok().and_then(|at| children.get_index(at)) {
                    Some((name, _)) => Ok(name.clone()),
                    None => fault!(IndexError, "index {place} is out of range"),
                }
            }
            Value::Str(name) if self.kind().is_dict() && self.kind().holds_parameters() => {
                fault!(AttributeError, "'ParameterDict' object has no attribute '{}'", name.as_str())
            }
            other if self.kind().is_dict() => Err(dict::key_error(other)),
            other => fault!(TypeError, "'{}' object cannot be interpreted as an integer", other.type_name()),
        }
    }

    /// `layers[key]` for a single one.
    fn part(&self, key: &Value) -> Outcome {
        let name = self.named(key)?;
        Ok(self.inside().borrow().get(&name).cloned().unwrap_or(Value::None))
    }

    /// `layers[key]`, which may be a slice.
    pub(super) fn picked(&self, machine: &mut dyn Machine, key: &Value) -> Outcome {
        if !matches!(key, Value::Slice(_)) {
            return self.part(key);
        }
        let pairs: Vec<Value> =
            self.inside().borrow().iter().map(|(name, part)| Value::tuple(vec![Value::from(&**name), part.clone()])).collect();
        let picked = machine.get_item(&Value::list(pairs), key)?.items().unwrap_or_default();
        let picked: Vec<(Rc<str>, Value)> = picked.iter().filter_map(pair).collect();
        let children = match self.kind().order() {
            Some(Order::List) => numbered(picked.into_iter().map(|(_, part)| part).collect()),
            _ => picked,
        };
        let whole = Layer::bare(self.kind(), Names::new());
        whole.inside().replace(children.into_iter().collect());
        Ok(whole.value())
    }

    /// `layers[key] = part`.
    pub(super) fn put(&self, machine: &mut dyn Machine, key: &Value, part: Value) -> Outcome<()> {
        let name = match key {
            Value::Str(name) if self.kind().holds_parameters() && self.kind().is_dict() => name.as_str().into(),
            Value::Str(name) if self.kind().is_dict() && self.children.borrow().contains_key(name.as_str()) => {
                name.as_str().into()
            }
            other if self.kind().is_dict() => {
                check(&part)?;
                checked_name(machine, &Layer::bare(self.kind(), Names::new()).value(), "module", other)?
            }
            other => self.named(other)?,
        };
        if !self.kind().holds_parameters() && !fits(&part) {
            fault!(
                TypeError,
                "cannot assign '{}' as child module '{name}' (torch.nn.Module or None expected)",
                class_name(&part)
            );
        }
        let part = fitting(machine, self.kind(), part)?;
        self.inside().borrow_mut().insert(name, part);
        Ok(())
    }

    /// `del layers[key]`.
    pub(super) fn remove(&self, key: &Value) -> Outcome<()> {
        let name = self.named(key)?;
        self.inside().borrow_mut().shift_remove(&name);
        if !self.kind().is_dict() {
            let parts = self.parts();
            self.inside().replace(numbered(parts).into_iter().collect());
        }
        Ok(())
    }

    /// What each layer makes of what the one before gave.
    pub(super) fn chained(&self, machine: &mut dyn Machine, input: Value) -> Outcome {
        self.parts().iter().try_fold(input, |value, part| machine.call(part, CallArgs::positional(vec![value])))
    }
}
