//! `dataclasses`: classes whose functions follow from their fields. The functions are texts of the language, run once for each class.

use super::{UserClass, as_class, class_of};
use crate::diag::ErrorClass;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::repr;
use crate::value::{CallArgs, Class, Dict, Key, Machine, Object, Outcome, TextScope, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// The functions of the module.
pub static FUNCTIONS: Table = Table {
    owner: "dataclasses",
    rows: Table::sorted(&[
        row("asdict", def(&["obj"], 1, 1), |c| {
            let this = c.arg(0).clone();
            as_dict(c.machine, &this)
        }),
        row("astuple", def(&["obj"], 1, 1), |c| {
            let this = c.arg(0).clone();
            let names = names_of(&this)?;
            Ok(Value::tuple(names.iter().map(|name| c.machine.attr(&this, name)).collect::<Outcome<_>>()?))
        }),
        row("dataclass", Takes::Any, dataclass),
        row("field", def(&["default", "default_factory", "init", "repr", "compare"], 0, 0), field),
        row("fields", def(&["class_or_instance"], 1, 1), |c| {
            let names = names_of(c.arg(0))?;
            Ok(Value::tuple(
                names.into_iter().map(|name| Value::object(Field { name: Some(name), ..Field::default() })).collect(),
            ))
        }),
        row("is_dataclass", def(&["obj"], 1, 1), |c| Ok(Value::Bool(names_of(c.arg(0)).is_ok()))),
        row("replace", Takes::Any, replace),
    ]),
};

/// The exception that an object which never changes raises.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("FrozenInstanceError", Value::Class(Class::Exception(ErrorClass::FrozenInstanceError)))]
}

/// Where a class keeps the names of its fields.
const FIELDS: &str = "__dataclass_fields__";

/// `field(…)`: what a field begins as, and where it takes part.
#[derive(Default)]
struct Field {
    name: Option<Rc<str>>,
    default: Option<Value>,
    factory: Option<Value>,
    /// Not taken when an object is made, not shown, not compared.
    without: [bool; 3],
}

impl Object for Field {
    fn type_name(&self) -> String {
        "Field".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok((name == "name").then(|| self.name.as_deref().map_or(Value::None, Value::from)))
    }
}

fn field(c: &mut Call<'_>) -> Outcome {
    let is_off = |place: usize| matches!(c.get(place), Some(Value::Bool(false)));
    Ok(Value::object(Field {
        name: None,
        default: c.get(0).cloned(),
        factory: c.get(1).cloned(),
        without: [is_off(2), is_off(3), is_off(4)],
    }))
}

/// What a decorator was given: whether objects are shown, compared, ordered, and never change.
#[derive(Clone, Copy)]
struct Options {
    repr: bool,
    eq: bool,
    order: bool,
    frozen: bool,
}

/// `@dataclass`, `@dataclass(frozen=True)`.
fn dataclass(c: &mut Call<'_>) -> Outcome {
    let mut flag = |name: &str, unless: bool| c.take_keyword(name).map_or(unless, |value| matches!(value, Value::Bool(true)));
    let options =
        Options { repr: flag("repr", true), eq: flag("eq", true), order: flag("order", false), frozen: flag("frozen", false) };
    match c.args().first() {
        Some(class) => decorate(c.machine, class, options),
        None => Ok(Value::method_of(move |machine, args: CallArgs| match args.positional.first() {
            Some(class) => decorate(machine, class, options),
            None => fault!(TypeError, "dataclass() takes a class"),
        })),
    }
}

/// Gives a class the functions that follow from its fields, unless it has its own.
fn decorate(machine: &mut dyn Machine, value: &Value, options: Options) -> Outcome {
    let Some(class) = as_class(value) else { fault!(TypeError, "dataclass() takes a class, not {}", repr::repr(value)?) };
    let fields = fields_of(&class)?;
    let names = Value::tuple(fields.iter().filter_map(|field| field.name.as_deref().map(Value::from)).collect());
    let mut scope = Dict::default();
    let text = text_of(&class, &fields, options, &mut scope)?;
    let (globals, locals) = (Rc::new(RefCell::new(scope)), Rc::new(RefCell::new(Dict::default())));
    machine.exec_text(&text, TextScope::Given { globals, locals: Some(locals.clone()) })?;
    let made = locals.borrow().get(&Key::from(class.name())).and_then(as_class);
    for (name, function) in made.iter().flat_map(|made| made.members.borrow().clone()) {
        if !class.members.borrow().contains_key(&name) {
            class.set(&name, function);
        }
    }
    for field in &fields {
        let Some(name) = &field.name else { continue };
        match &field.default {
            Some(default) => class.set(name, default.clone()),
            None if field.factory.is_some() => drop(class.members.borrow_mut().shift_remove(name)),
            None => {}
        }
    }
    class.set(FIELDS, names);
    Ok(value.clone())
}

/// The fields of the classes that it inherits from, then its own.
fn fields_of(class: &UserClass) -> Outcome<Vec<Field>> {
    let mut names: Vec<Rc<str>> = vec![];
    if let Some(known) = class.find(FIELDS) {
        names.extend(known.items().unwrap_or_default().iter().filter_map(|name| repr::str(name).ok()).map(Rc::from));
    }
    for name in &class.annotated {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let mut fields: Vec<Field> = vec![];
    for name in names {
        let found = class.find(&name);
        let field = match (found.as_ref().and_then(Value::downcast::<Field>), &found) {
            (Some(field), _) => {
                Field { name: Some(name), default: field.default.clone(), factory: field.factory.clone(), without: field.without }
            }
            (None, Some(default @ (Value::List(_) | Value::Dict(_) | Value::Set(_)))) => {
                let class = default.class().map(|class| class.name()).unwrap_or_default();
                fault!(ValueError, "mutable default <class '{class}'> for field {name} is not allowed: use default_factory")
            }
            (None, _) => Field { name: Some(name), default: found, ..Field::default() },
        };
        let is_optional = |field: &Field| field.default.is_some() || field.factory.is_some();
        if let Some(before) = fields.iter().rev().find(|before| is_optional(before)).filter(|_| !is_optional(&field)) {
            let (name, before) = (field.name.as_deref().unwrap_or_default(), before.name.as_deref().unwrap_or_default());
            fault!(TypeError, "non-default argument '{name}' follows default argument '{before}'");
        }
        fields.push(field);
    }
    Ok(fields)
}

/// The functions as a class of the language; what they need by value is put into the scope.
fn text_of(class: &UserClass, fields: &[Field], options: Options, scope: &mut Dict) -> Outcome<String> {
    let name = |field: &Field| field.name.as_deref().unwrap_or_default().to_string();
    let with = |place: usize| fields.iter().filter(move |field| !field.without[place]);
    let (mut params, mut body) = (String::new(), String::new());
    scope.insert(Key::from("_set"), Value::method_of(set_raw));
    for field in fields {
        let name = name(field);
        let mut value = name.clone();
        if let Some(factory) = &field.factory {
            scope.insert(Key::from(&*format!("_make_{name}")), factory.clone());
            value = format!("_make_{name}() if {name} is _unset else {name}");
        }
        if let Some(default) = &field.default {
            scope.insert(Key::from(&*format!("_default_{name}")), default.clone());
        }
        match (field.without[0], &field.default, &field.factory) {
            (true, Some(_), _) => value = format!("_default_{name}"),
            (true, None, Some(_)) => value = format!("_make_{name}()"),
            (true, None, None) => continue,
            (false, Some(_), _) => params += &format!(", {name}=_default_{name}"),
            (false, None, Some(_)) => params += &format!(", {name}=_unset"),
            (false, None, None) => params += &format!(", {name}"),
        }
        body += &format!("        _set(self, '{name}', {value})\n");
    }
    scope.insert(Key::from("_unset"), Value::object(Field::default()));
    if class.find("__post_init__").is_some() {
        body += "        self.__post_init__()\n";
    }
    let mut text = format!("class {}:\n    def __init__(self{params}):\n{body}        return None\n", class.name());
    if options.repr {
        let shown: Vec<String> = with(1).map(|field| format!("{0}={{self.{0}!r}}", name(field))).collect();
        text += &format!("    def __repr__(self):\n        return f'{{type(self).__qualname__}}({})'\n", shown.join(", "));
    }
    let values = |of: &str| with(2).map(|field| format!("{of}.{}, ", name(field))).collect::<String>();
    let mut compared = |function: &str, op: &str| {
        text += &format!(
            "    def {function}(self, other):\n        return ({}) {op} ({}) if type(other) is type(self) else NotImplemented\n",
            values("self"),
            values("other")
        );
    };
    if options.eq {
        compared("__eq__", "==");
    }
    if options.order {
        [("__lt__", "<"), ("__le__", "<="), ("__gt__", ">"), ("__ge__", ">=")].iter().for_each(|(name, op)| compared(name, op));
    }
    if options.frozen {
        text += &format!("    def __hash__(self):\n        return hash(({}))\n", values("self"));
        text += "    def __setattr__(self, name, value):\n        from dataclasses import FrozenInstanceError\n";
        text += "        raise FrozenInstanceError(f'cannot assign to field {name!r}')\n";
    }
    Ok(text)
}

/// Sets an attribute whatever the class says.
fn set_raw(_machine: &mut dyn Machine, args: CallArgs) -> Outcome {
    if let [Value::Object(object), Value::Str(name), value] = &args.positional[..] {
        object.set_attr(name, value.clone())?;
    }
    Ok(Value::None)
}

/// The names of the fields of an object or a class.
fn names_of(value: &Value) -> Outcome<Vec<Rc<str>>> {
    match as_class(value).or_else(|| class_of(value)).and_then(|class| class.find(FIELDS)) {
        Some(names) => names.items().unwrap_or_default().iter().map(|name| Ok(repr::str(name)?.into())).collect(),
        None => fault!(TypeError, "must be called with a dataclass type or instance"),
    }
}

/// `asdict(object)`: fields by name, those of objects inside too.
fn as_dict(machine: &mut dyn Machine, value: &Value) -> Outcome {
    let mut entries = Dict::default();
    for name in names_of(value)? {
        let held = machine.attr(value, &name)?;
        let held = if class_of(&held).is_some() && names_of(&held).is_ok() { as_dict(machine, &held)? } else { held };
        entries.insert(Key::from(&*name), held);
    }
    Ok(Value::dict(entries))
}

/// `replace(object, field=value)`: another object with other values.
fn replace(c: &mut Call<'_>) -> Outcome {
    let this = c.arg(0).clone();
    let Some(class) = class_of(&this) else { fault!(TypeError, "replace() should be called on dataclass instances") };
    let mut keyword = std::mem::take(&mut c.keyword);
    for name in names_of(&this)? {
        if !keyword.iter().any(|(given, _)| *given == name) {
            keyword.push((name.clone(), c.machine.attr(&this, &name)?));
        }
    }
    c.machine.call(&class.value(), CallArgs { positional: vec![], keyword })
}
