//! What annotations are written with: `list[int]`, `int | None`, `Optional[Tensor]`.
//!
//! Annotations are not evaluated here, as nothing reads them; these values are for names given to types and for `isinstance`.

use crate::lang::types::{class, convert};
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// A name of `typing`: it takes types in brackets.
pub struct Form {
    name: &'static str,
}

impl Form {
    /// The value of `typing.name`.
    pub fn value(name: &'static str) -> Value {
        Value::object(Form { name })
    }
}

impl Object for Form {
    fn type_name(&self) -> String {
        "typing._SpecialForm".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        match NUMBERS.contains(&self.name) {
            true => format!("<class 'numbers.{}'>", self.name),
            false => format!("typing.{}", self.name),
        }
    }
    fn index(self: Rc<Self>, machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        Some(self.subscript(machine, key))
    }
    fn operate(self: Rc<Self>, _machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        either(op, Value::object(Form { name: self.name }), other, reflected)
    }
    fn is_class_of(&self, value: &Value) -> Option<bool> {
        Some(is_kind(value, self.name))
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(other.downcast::<Form>()?.name == self.name)
    }
    fn hash(&self) -> Option<u64> {
        Some(self.name.len() as u64)
    }
}

impl Form {
    fn subscript(&self, machine: &mut dyn Machine, key: &Value) -> Outcome {
        let parts = listed(key);
        Ok(match (self.name, parts.as_slice()) {
            ("Union", [only]) => only.clone(),
            ("Union" | "Optional", [first, rest @ ..]) => {
                let mut options = vec![];
                options.extend(parts_of(first));
                rest.iter().for_each(|other| options.extend(parts_of(other)));
                if self.name == "Optional" {
                    options.push(Value::None);
                }
                union(options, true)
            }
            (name, parts) => {
                let texts = parts.iter().map(|part| text(machine, part)).collect::<Outcome<Vec<_>>>()?;
                Value::object(Alias { origin: None, text: format!("typing.{name}[{}]", texts.join(", ")) })
            }
        })
    }
}

/// The classes of `numbers`, each within the next.
pub const NUMBERS: &[&str] = &["Integral", "Rational", "Real", "Complex", "Number"];

/// The narrowest class of `numbers` that a value is in; none for what is no number.
fn number_class(value: &Value) -> Option<&'static str> {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => Some("Integral"),
        Value::Float(_) => Some("Real"),
        Value::Complex(_) => Some("Complex"),
        Value::Object(object) if object.type_name() == "Fraction" || object.type_name().ends_with(".Fraction") => {
            Some("Rational")
        }
        Value::Object(object) if object.type_name().starts_with("numpy.") => {
            let dtype = object.as_array().filter(|array| array.ndim() == 0)?.dtype();
            let whole = if dtype.is_integral(false) { Some("Integral") } else { None };
            whole.or(if dtype.is_complex() { Some("Complex") } else { dtype.is_float().then_some("Real") })
        }
        _ => None,
    }
}

/// True for what only says something of types, and so is no class to build on: `Generic[T]`.
pub fn is_hint(value: &Value) -> bool {
    value.downcast::<Form>().is_some() || value.downcast::<Alias>().is_some_and(|alias| alias.origin.is_none())
}

/// True for what makes a class a protocol.
pub fn is_protocol(value: &Value) -> bool {
    value.downcast::<Form>().is_some_and(|form| form.name == "Protocol")
        || value.downcast::<Alias>().is_some_and(|alias| alias.text.starts_with("typing.Protocol"))
}

/// True for a name of `typing`, alone, in a text, or with types in brackets.
pub fn is_form(value: &Value, name: &str) -> bool {
    let begins = |text: &str| {
        let text = text.strip_prefix("typing.").unwrap_or(text);
        text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    };
    match value {
        Value::Str(text) => begins(text),
        other => {
            other.downcast::<Form>().is_some_and(|form| form.name == name)
                || other.downcast::<Alias>().is_some_and(|alias| begins(&alias.text))
        }
    }
}

/// `isinstance(value, Sequence)` and the like: what a value can do.
fn is_kind(value: &Value, kind: &str) -> bool {
    let is_sequence =
        value.sequence().is_some() || matches!(value, Value::Str(_) | Value::List(_) | Value::Bytes(_) | Value::Range(_));
    let is_mapping = matches!(value, Value::Dict(_)) || matches!(value, Value::Object(o) if o.entries().is_some());
    let is_set = matches!(value, Value::Set(_));
    let is_iterator = matches!(value, Value::Object(o) if o.is_iterator());
    // Of numbers: how much each class holds, from whole ones on.
    let rank = |name: &str| NUMBERS.iter().position(|known| *known == name);
    if let Some(most) = rank(kind) {
        return number_class(value).and_then(rank).is_some_and(|own| own <= most);
    }
    match kind {
        "Any" => true,
        "Callable" => convert::is_callable(value),
        "Dict" | "Mapping" | "MutableMapping" => is_mapping,
        "Iterator" | "Generator" => is_iterator,
        "List" | "MutableSequence" => matches!(value, Value::List(_)),
        "Sequence" => is_sequence,
        "Set" => is_set,
        "Tuple" => class::is_instance(value, &Value::Class(Class::Tuple)).unwrap_or(false),
        "Collection" | "Iterable" | "Sized" => {
            let measured = matches!(value, Value::Object(o) if o.length().is_some());
            is_sequence
                || is_mapping
                || is_set
                || measured
                || matches!(value, Value::Tensor(_))
                || kind == "Iterable" && is_iterator
        }
        _ => false,
    }
}

/// A type with its parts: `list[int]`. Calling it calls the type.
struct Alias {
    origin: Option<Class>,
    text: String,
}

/// `class[key]` of the classes that take types in brackets; none for others.
pub fn of_class(machine: &mut dyn Machine, class: Class, key: &Value) -> Option<Outcome> {
    let takes = matches!(class, Class::List | Class::Dict | Class::Tuple | Class::Set | Class::FrozenSet | Class::Type);
    takes.then(|| {
        let texts = listed(key).iter().map(|part| text(machine, part)).collect::<Outcome<Vec<_>>>()?;
        Ok(Value::object(Alias { origin: Some(class), text: format!("{}[{}]", class.name(), texts.join(", ")) }))
    })
}

impl Object for Alias {
    fn type_name(&self) -> String {
        "types.GenericAlias".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        self.text.clone()
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(match self.origin {
            Some(class) => machine.call(&Value::Class(class), args),
            None => Err(err!(TypeError, "Type {} cannot be instantiated", self.text).into()),
        })
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(other.downcast::<Alias>()?.text == self.text)
    }
    fn hash(&self) -> Option<u64> {
        Some(self.text.len() as u64)
    }
    fn operate(self: Rc<Self>, _machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        let this = Value::object(Alias { origin: self.origin, text: self.text.clone() });
        either(op, this, other, reflected)
    }
}

/// One of several types.
struct Union {
    options: Vec<Value>,
    /// Made by `typing`, which shows it in its own way.
    spelled: bool,
}

fn union(options: Vec<Value>, spelled: bool) -> Value {
    let mut distinct: Vec<Value> = vec![];
    for option in options {
        if !distinct.iter().any(|known| known.is(&option) || same(known, &option)) {
            distinct.push(option);
        }
    }
    match <[Value; 1]>::try_from(distinct) {
        Ok([only]) => only,
        Err(options) => Value::object(Union { options, spelled }),
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Class(a), Value::Class(b)) => a == b,
        (Value::Object(a), b) => a.equals(b) == Some(true),
        _ => false,
    }
}

fn parts_of(value: &Value) -> Vec<Value> {
    value.downcast::<Union>().map_or_else(|| vec![value.clone()], |union| union.options.clone())
}

/// `a | b` where one of them is a type; none for other operators and operands.
pub fn either(op: &str, this: Value, other: &Value, reflected: bool) -> Option<Outcome> {
    if op != "|" || !is_type(other) {
        return None;
    }
    let (first, second) = if reflected { (other.clone(), this) } else { (this, other.clone()) };
    let mut options = parts_of(&first);
    options.extend(parts_of(&second));
    Some(Ok(union(options, false)))
}

/// True for what can stand in a union.
fn is_type(value: &Value) -> bool {
    matches!(value, Value::Class(_) | Value::None)
        || value.downcast::<Union>().is_some()
        || value.downcast::<Alias>().is_some()
        || value.downcast::<Form>().is_some()
        || matches!(value, Value::Object(object) if object.is_class_of(&Value::None).is_some())
}

impl Object for Union {
    fn type_name(&self) -> String {
        if self.spelled { "typing._UnionGenericAlias".into() } else { "types.UnionType".into() }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let is_none = |value: &&Value| matches!(value, Value::None);
        let short = |value: &Value| plain_text(value).unwrap_or_default();
        match (self.spelled, self.options.as_slice()) {
            (true, [one, none]) if is_none(&none) => format!("typing.Optional[{}]", short(one)),
            (true, all) => {
                let names: Vec<String> =
                    all.iter().map(|v| if is_none(&v) { "NoneType".to_string() } else { short(v) }).collect();
                format!("typing.Union[{}]", names.join(", "))
            }
            (false, all) => all.iter().map(short).collect::<Vec<_>>().join(" | "),
        }
    }
    fn is_class_of(&self, value: &Value) -> Option<bool> {
        let fits = |option: &Value| match option {
            Value::None => matches!(value, Value::None),
            other => class::is_instance(value, other).unwrap_or(false),
        };
        Some(self.options.iter().any(fits))
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        let other = other.downcast::<Union>()?;
        let within = |a: &Union, b: &Union| a.options.iter().all(|x| b.options.iter().any(|y| x.is(y) || same(x, y)));
        Some(within(self, other) && within(other, self))
    }
    fn hash(&self) -> Option<u64> {
        Some(self.options.len() as u64)
    }
    fn operate(self: Rc<Self>, _machine: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        let this = Value::object(Union { options: self.options.clone(), spelled: self.spelled });
        either(op, this, other, reflected)
    }
}

/// The types between the brackets.
fn listed(key: &Value) -> Vec<Value> {
    match key {
        Value::Tuple(parts) => parts.to_vec(),
        one => vec![one.clone()],
    }
}

/// A type as annotations show it; none for what is no type.
fn plain_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Class(class) => class.name(),
        Value::None => "None".into(),
        Value::Ellipsis => "...".into(),
        Value::Object(object) => object.repr(),
        _ => return None,
    })
}

/// A part between the brackets as the whole shows it.
fn text(machine: &mut dyn Machine, value: &Value) -> Outcome<String> {
    match value {
        Value::List(parts) => {
            let parts = parts.borrow().clone();
            let texts = parts.iter().map(|part| text(machine, part)).collect::<Outcome<Vec<_>>>()?;
            Ok(format!("[{}]", texts.join(", ")))
        }
        other => match plain_text(other) {
            Some(text) => Ok(text),
            None => machine.repr(other),
        },
    }
}
