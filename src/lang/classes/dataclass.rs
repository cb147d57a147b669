//! `dataclasses`: classes whose functions follow from their fields. The functions are texts of the language, run once for each class.

use super::{UserClass, as_class};
use crate::diag::ErrorClass;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::hint::{self, Form};
use crate::lang::types::repr;
use crate::value::{CallArgs, Class, Dict, Key, Machine, Object, Outcome, TextScope, Value};
use indexmap::IndexMap;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// The functions of the module that are not texts of the language.
pub static FUNCTIONS: Table = Table {
    owner: "dataclasses",
    rows: Table::sorted(&[row("dataclass", Takes::Any, dataclass), row("field", def(PARAMETERS, 0, 0), field)]),
};

/// What `field` takes.
const PARAMETERS: &[&str] = &["default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only"];

/// The exception that an object which never changes raises, and what annotations say.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![
        ("FrozenInstanceError", Value::Class(Class::Exception(ErrorClass::FrozenInstanceError))),
        ("InitVar", Form::value(INIT_VAR)),
        ("KW_ONLY", Form::value(KEYWORD_ONLY)),
        ("MISSING", Form::value("MISSING")),
    ]
}

const INIT_VAR: &str = "InitVar";
const KEYWORD_ONLY: &str = "KW_ONLY";

/// Where a class keeps its fields.
const FIELDS: &str = "__dataclass_fields__";

/// Where a class keeps whether its objects never change.
const PARAMS: &str = "__dataclass_params__";

/// `field(…)`: what a field begins as, and where it takes part.
#[derive(Clone)]
struct Field {
    name: Rc<str>,
    kind: Value,
    default: Option<Value>,
    factory: Option<Value>,
    /// Taken when an object is made.
    init: bool,
    /// Shown.
    repr: bool,
    compare: bool,
    /// Hashed; none: as compared.
    hash: Option<bool>,
    metadata: Value,
    /// Taken by name only; none: as the class says.
    by_name: Option<bool>,
    /// Handed on to `__post_init__`, and no attribute.
    is_init_only: bool,
}

impl Default for Field {
    fn default() -> Field {
        Field {
            name: Rc::from(""),
            kind: Value::None,
            default: None,
            factory: None,
            init: true,
            repr: true,
            compare: true,
            hash: None,
            metadata: Value::dict(Dict::default()),
            by_name: None,
            is_init_only: false,
        }
    }
}

impl Object for Field {
    fn type_name(&self) -> String {
        "Field".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("Field(name='{}')", self.name)
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let missing = || Form::value("MISSING");
        Ok(Some(match name {
            "name" => Value::from(&*self.name),
            "type" => self.kind.clone(),
            "default" => self.default.clone().unwrap_or_else(missing),
            "default_factory" => self.factory.clone().unwrap_or_else(missing),
            "init" => Value::Bool(self.init),
            "repr" => Value::Bool(self.repr),
            "compare" => Value::Bool(self.compare),
            "hash" => self.hash.map_or(Value::None, Value::Bool),
            "metadata" => self.metadata.clone(),
            "kw_only" => Value::Bool(self.by_name == Some(true)),
            "_is_init_only" => Value::Bool(self.is_init_only),
            _ => return Ok(None),
        }))
    }
}

fn field(c: &mut Call<'_>) -> Outcome {
    let flag = |place: usize| match c.get(place) {
        Some(Value::Bool(flag)) => Some(*flag),
        _ => None,
    };
    let given = |place: usize| c.get(place).filter(|value| !hint::is_form(value, "MISSING")).cloned();
    let (default, factory) = (given(0), given(1));
    if default.is_some() && factory.is_some() {
        fault!(ValueError, "cannot specify both default and default_factory");
    }
    let metadata = c.some(6).cloned().unwrap_or_else(|| Value::dict(Dict::default()));
    Ok(Value::object(Field {
        default,
        factory,
        init: flag(2).unwrap_or(true),
        repr: flag(3).unwrap_or(true),
        hash: flag(4),
        compare: flag(5).unwrap_or(true),
        metadata,
        by_name: flag(7),
        ..Field::default()
    }))
}

/// What a decorator was given: whether objects are made, shown, compared, ordered and hashed by their fields, never change, and so on.
#[derive(Clone, Copy)]
struct Options {
    init: bool,
    repr: bool,
    eq: bool,
    order: bool,
    unsafe_hash: bool,
    frozen: bool,
    match_args: bool,
    by_name: bool,
    slots: bool,
}

/// `@dataclass`, `@dataclass(frozen=True)`.
fn dataclass(c: &mut Call<'_>) -> Outcome {
    let mut flag = |name: &str, unless: bool| c.take_keyword(name).map_or(unless, |value| matches!(value, Value::Bool(true)));
    let options = Options {
        init: flag("init", true),
        repr: flag("repr", true),
        eq: flag("eq", true),
        order: flag("order", false),
        unsafe_hash: flag("unsafe_hash", false),
        frozen: flag("frozen", false),
        match_args: flag("match_args", true),
        by_name: flag("kw_only", false),
        slots: flag("slots", false),
    };
    if let Some((name, _)) = c.keyword.first() {
        fault!(TypeError, "dataclass() got an unexpected keyword argument '{name}'");
    }
    if options.order && !options.eq {
        fault!(ValueError, "eq must be true if order is true");
    }
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
    check_parents(&class, options)?;
    let fields = fields_of(&class, options)?;
    check_order(&fields)?;
    let mut scope = Dict::default();
    let text = text_of(&class, &fields, options, &mut scope)?;
    let (globals, locals) = (Rc::new(RefCell::new(scope)), Rc::new(RefCell::new(Dict::default())));
    machine.exec_text(&text, TextScope::Given { globals, locals: Some(locals.clone()) })?;
    let made = locals.borrow().get(&Key::from(class.name())).and_then(as_class);
    // A class that says what is equal without saying how it hashes says nothing of hashes.
    let says_hash = class.members.borrow().get("__hash__").is_some_and(|hash| !matches!(hash, Value::None));
    for (name, function) in made.iter().flat_map(|made| made.members.borrow().clone()) {
        let is_own = class.members.borrow().contains_key(&name);
        if !is_own || &*name == "__hash__" && !says_hash {
            if &*name == "__hash__" && is_own && matches!(function, Value::None) {
                continue;
            }
            class.set(&name, function);
        }
    }
    for field in &fields {
        match &field.default {
            Some(default) if !options.slots => class.set(&field.name, default.clone()),
            _ => drop(class.members.borrow_mut().shift_remove(&field.name)),
        }
    }
    let names = |of: &dyn Fn(&Field) -> bool| {
        Value::tuple(fields.iter().filter(|field| of(field)).map(|field| Value::from(&*field.name)).collect())
    };
    if options.match_args && class.find("__match_args__").is_none_or(|_| !class.members.borrow().contains_key("__match_args__")) {
        class.set("__match_args__", names(&|field| field.init && field.by_name != Some(true)));
    }
    if options.slots {
        class.set("__slots__", names(&|field| !field.is_init_only));
    }
    let entries = fields.iter().map(|field| (Key::from(&*field.name), Value::object(field.clone())));
    class.set(FIELDS, Value::dict(entries.collect()));
    class.set(PARAMS, Value::Bool(options.frozen));
    Ok(value.clone())
}

/// Refuses a class that changes where what it inherits from never does, and the other way round.
fn check_parents(class: &UserClass, options: Options) -> Outcome<()> {
    for parent in &class.parents {
        match parent.members.borrow().get(PARAMS) {
            Some(Value::Bool(true)) if !options.frozen => {
                fault!(TypeError, "cannot inherit non-frozen dataclass from a frozen one")
            }
            Some(Value::Bool(false)) if options.frozen => {
                fault!(TypeError, "cannot inherit frozen dataclass from a non-frozen one")
            }
            _ => {}
        }
    }
    Ok(())
}

/// The fields of the classes that it inherits from, the farthest first, then its own.
fn fields_of(class: &UserClass, options: Options) -> Outcome<Vec<Field>> {
    let mut fields: IndexMap<Rc<str>, Field> = IndexMap::new();
    for parent in class.parents.iter().rev() {
        if let Some(Value::Dict(known)) = parent.members.borrow().get(FIELDS) {
            for field in known.borrow().values().filter_map(Value::downcast::<Field>) {
                fields.insert(field.name.clone(), field.clone());
            }
        }
    }
    let mut by_name = options.by_name;
    for (name, kind) in &class.annotated {
        if hint::is_form(kind, "ClassVar") {
            continue;
        }
        if hint::is_form(kind, KEYWORD_ONLY) {
            by_name = true;
            continue;
        }
        let own = class.members.borrow().get(name).cloned();
        let mut field = match own {
            Some(own) => match own.downcast::<Field>() {
                Some(field) => field.clone(),
                None => Field { default: Some(own), ..Field::default() },
            },
            None => Field::default(),
        };
        field.name = name.clone();
        field.kind = kind.clone();
        field.is_init_only = hint::is_form(kind, INIT_VAR);
        field.by_name = Some(field.by_name.unwrap_or(by_name));
        check_default(&field)?;
        fields.insert(name.clone(), field);
    }
    Ok(fields.into_values().collect())
}

/// Refuses a default that all objects would share.
fn check_default(field: &Field) -> Outcome<()> {
    let Some(default) = &field.default else { return Ok(()) };
    let is_shared = match default {
        Value::List(_) | Value::Dict(_) | Value::Set(_) => true,
        Value::Object(object) => object.own_class().is_some() && !object.is_hashable(),
        _ => false,
    };
    if is_shared {
        let class = crate::lang::types::class::type_of(default);
        let (class, name) = (repr::repr(&class)?, &field.name);
        fault!(ValueError, "mutable default {class} for field {name} is not allowed: use default_factory");
    }
    Ok(())
}

/// Refuses fields that must be given behind others that need not.
fn check_order(fields: &[Field]) -> Outcome<()> {
    let mut optional = false;
    for field in fields.iter().filter(|field| field.init && field.by_name != Some(true)) {
        let has_default = field.default.is_some() || field.factory.is_some();
        if optional && !has_default {
            fault!(TypeError, "non-default argument '{}' follows default argument", field.name);
        }
        optional |= has_default;
    }
    Ok(())
}

/// The functions as a class of the language; what they need by value is put into the scope.
fn text_of(class: &UserClass, fields: &[Field], options: Options, scope: &mut Dict) -> Outcome<String> {
    let with = |of: fn(&Field) -> bool| fields.iter().filter(move |field| !field.is_init_only && of(field));
    let mut text = format!("class {}:\n", class.name());
    if options.init {
        text += &init_text(class, fields, scope);
    }
    if options.repr {
        let shown: Vec<String> = with(|field| field.repr).map(|field| format!("{0}={{self.{0}!r}}", field.name)).collect();
        text += &format!("    def __repr__(self):\n        return f'{{self.__class__.__qualname__}}({})'\n", shown.join(", "));
    }
    let values = |of: &str| with(|field| field.compare).map(|field| format!("{of}.{}, ", field.name)).collect::<String>();
    let mut compared = |function: &str, op: &str| {
        text += &format!(
            "    def {function}(self, other):\n        return ({}) {op} ({}) if other.__class__ is self.__class__ else NotImplemented\n",
            values("self"),
            values("other")
        );
    };
    if options.eq {
        compared("__eq__", "==");
    }
    if options.order {
        for (name, op) in [("__lt__", "<"), ("__le__", "<="), ("__gt__", ">"), ("__ge__", ">=")] {
            if class.members.borrow().contains_key(name) {
                fault!(
                    TypeError,
                    "Cannot overwrite attribute {name} in class {}. Consider using functools.total_ordering",
                    class.name()
                );
            }
            compared(name, op);
        }
    }
    if options.unsafe_hash || options.eq && options.frozen {
        let hashed = with(|field| field.hash.unwrap_or(field.compare)).map(|field| format!("self.{}, ", field.name));
        text += &format!("    def __hash__(self):\n        return hash(({}))\n", hashed.collect::<String>());
    }
    if options.frozen {
        scope.insert(Key::from("_frozen"), Value::Class(Class::Exception(ErrorClass::FrozenInstanceError)));
        text += "    def __setattr__(self, name, value):\n        raise _frozen(f'cannot assign to field {name!r}')\n";
        text += "    def __delattr__(self, name):\n        raise _frozen(f'cannot delete field {name!r}')\n";
    }
    text += "    pass\n";
    Ok(text)
}

/// `__init__`: each field gets what is given, its default or what its factory makes.
fn init_text(class: &UserClass, fields: &[Field], scope: &mut Dict) -> String {
    let (mut params, mut named, mut body, mut handed) = (String::new(), String::new(), String::new(), vec![]);
    scope.insert(Key::from("_set"), Value::method_of(set_raw));
    scope.insert(Key::from("_unset"), Value::object(Field::default()));
    for field in fields {
        let name = &field.name;
        let mut value = name.to_string();
        if let Some(factory) = &field.factory {
            scope.insert(Key::from(&*format!("_make_{name}")), factory.clone());
            value = format!("_make_{name}() if {name} is _unset else {name}");
        }
        if let Some(default) = &field.default {
            scope.insert(Key::from(&*format!("_default_{name}")), default.clone());
        }
        let param = match (&field.default, &field.factory) {
            (Some(_), _) => format!(", {name}=_default_{name}"),
            (None, Some(_)) => format!(", {name}=_unset"),
            (None, None) => format!(", {name}"),
        };
        if field.init {
            if field.by_name == Some(true) { named += &param } else { params += &param }
        } else {
            value = match (&field.default, &field.factory) {
                (Some(_), _) => format!("_default_{name}"),
                (None, Some(_)) => format!("_make_{name}()"),
                (None, None) => continue,
            };
        }
        if field.is_init_only {
            handed.push(name.to_string());
        } else {
            body += &format!("        _set(self, '{name}', {value})\n");
        }
    }
    if class.find("__post_init__").is_some() {
        body += &format!("        self.__post_init__({})\n", handed.join(", "));
    }
    let star = if named.is_empty() { "" } else { ", *" };
    format!("    def __init__(self{params}{star}{named}):\n{body}        return None\n")
}

/// Sets an attribute whatever the class says, but for its descriptors.
fn set_raw(machine: &mut dyn Machine, args: CallArgs) -> Outcome {
    if let [this, Value::Str(name), value] = &args.positional[..] {
        super::member::set_own(machine, this, name, value.clone())?;
    }
    Ok(Value::None)
}
