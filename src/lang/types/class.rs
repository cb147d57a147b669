//! Classes: `type(x)`, `isinstance`, `issubclass`, and classes of objects that [`Class`] does not list.

use super::call::{Builtin, Row, Table};
use super::class_object::ClassObject;
use super::iter;
use crate::device::DeviceId;
use crate::diag::ErrorClass;
use crate::lang::modules::collections::named_tuple;
use crate::lang::{classes, library};
use crate::value::{CallArgs, Class, Machine, Named, Outcome, Value};
use std::rc::Rc;

/// The class of a library object: `collections.deque`, `list_iterator`.
pub struct ObjectClass {
    /// The name with its module.
    name: String,
    /// What a call runs; none: it cannot be called.
    make: Option<(&'static Table, &'static Row)>,
    /// Functions of the class: `chain.from_iterable`.
    functions: Option<&'static Table>,
}

/// The modules of classes whose objects, as in CPython, go by their short names in messages.
const MODULES: &[(&str, &str)] =
    &[("ChainMap", "collections"), ("Counter", "collections"), ("Fraction", "fractions"), ("Random", "random")];

impl ObjectClass {
    /// True for classes of containers, which the program's may build on.
    pub fn can_be_built_on(&self) -> bool {
        BUILT_ON.contains(&self.name.as_str())
    }

    /// True for classes of dicts.
    pub fn is_of_dicts(&self) -> bool {
        self.can_be_built_on() && self.name != "collections.deque"
    }

    /// A class that can be called: `name` is what its objects say as their type.
    pub fn callable(name: &str, table: &'static Table, row: &'static Row, functions: Option<&'static Table>) -> Value {
        Value::object(ObjectClass { name: full_name(name), make: Some((table, row)), functions })
    }
}

/// Classes of containers whose objects can be of the program's classes.
const BUILT_ON: &[&str] = &["collections.Counter", "collections.OrderedDict", "collections.defaultdict", "collections.deque"];

fn full_name(short: &str) -> String {
    match MODULES.iter().find(|(name, _)| *name == short) {
        Some((_, module)) => format!("{module}.{short}"),
        None => short.to_string(),
    }
}

impl ClassObject for ObjectClass {
    fn full_name(&self) -> String {
        self.name.clone()
    }
    fn make(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        match self.make {
            Some((table, row)) => table.call(row, machine, &Value::None, args),
            None => fault!(TypeError, "cannot create '{}' instances", self.name),
        }
    }
    fn has(&self, value: &Value) -> bool {
        class_text(value) == self.name
    }
    fn member(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(self.functions.and_then(|table| Some(Builtin::function(table, table.find(name)?))))
    }
    fn members(&self) -> Vec<String> {
        self.functions.map(Table::names).unwrap_or_default()
    }
}

/// The class of results with names, `torch.return_types.max`, which takes the values as one sequence.
struct Returned(Rc<Named>);

impl ClassObject for Returned {
    fn full_name(&self) -> String {
        self.0.type_name.into()
    }
    fn make(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let (name, count) = (self.0.type_name, self.0.fields.len());
        let [items] = &args.positional[..] else {
            fault!(TypeError, "{name}() takes exactly 1 argument ({} given)", args.positional.len());
        };
        let values = iter::collect(machine, items)?;
        if values.len() != count {
            fault!(TypeError, "{name}() takes a {count}-sequence ({}-sequence given)", values.len());
        }
        Ok(Value::Named(Rc::new(Named { type_name: name, fields: self.0.fields, values })))
    }
    fn has(&self, value: &Value) -> bool {
        matches!(value, Value::Named(named) if named.type_name == self.0.type_name)
    }
    fn member(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "n_fields" | "n_sequence_fields" => Some(Value::from(self.0.fields.len())),
            "n_unnamed_fields" => Some(Value::Int(0)),
            _ => None,
        })
    }
    fn members(&self) -> Vec<String> {
        let counts = ["count", "index", "n_fields", "n_sequence_fields", "n_unnamed_fields"];
        self.0.fields.iter().chain(&counts).map(|name| name.to_string()).collect()
    }
}

/// The class of results with these names.
pub fn returned(named: Named) -> Value {
    Value::object(Returned(Rc::new(named)))
}

/// `type(value)`.
pub fn type_of(value: &Value) -> Value {
    if let Value::Object(object) = value
        && let Some(class) = object.class_object()
    {
        return class;
    }
    if let Value::Named(named) = value
        && named.type_name.starts_with("torch.")
    {
        return Value::object(Returned(named.clone()));
    }
    if let Value::Named(named) = value
        && let Some(class) = named_tuple::class_of(named)
    {
        return class;
    }
    match value.class() {
        Some(class) => Value::Class(class),
        None => Value::object(ObjectClass { name: class_text(value), make: None, functions: None }),
    }
}

/// The name that `<class '…'>` shows of a value's type: `int`, `torch.Tensor`, `collections.deque`.
pub fn class_text(value: &Value) -> String {
    if let Value::Named(named) = value
        && !named.type_name.contains('.')
    {
        return format!("__main__.{}", named.type_name);
    }
    value.class().map_or_else(|| full_name(&value.type_name()), Class::name)
}

/// `isinstance(value, classes)`: a class or tuples of classes.
pub fn is_instance(value: &Value, given: &Value) -> Outcome<bool> {
    match given {
        Value::Class(class) => Ok(is_of(value, *class) || classes::class_of(value).is_some_and(|own| own.is_a(given))),
        Value::Tuple(several) => {
            for class in several.iter() {
                if is_instance(value, class)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Value::Object(_) if classes::class_of(value).is_some_and(|own| own.is_a(given)) => Ok(true),
        Value::Object(object) => match object.is_class_of(value) {
            Some(answer) => Ok(answer),
            None => refuse_class("isinstance() arg 2 must be a type, a tuple of types, or a union"),
        },
        _ => refuse_class("isinstance() arg 2 must be a type, a tuple of types, or a union"),
    }
}

fn refuse_class(text: &str) -> Outcome<bool> {
    fault!(TypeError, "{text}")
}

fn is_of(value: &Value, class: Class) -> bool {
    match (value, class) {
        (_, Class::Object) => true,
        (Value::Tensor(t), Class::TensorOf(dtype)) => t.dtype() == dtype && t.device() == DeviceId::Cpu,
        (Value::Storage(s), Class::StorageOf(dtype)) => s.dtype == Some(dtype),
        (Value::Named(_), _) => class == Class::Tuple,
        (Value::Object(o), Class::Dict) => o.entries().is_some(),
        (Value::Object(_), Class::Tensor) if library::is_quantized(value) => true,
        (Value::Object(_), Class::Tuple) if library::is_packed(value) => true,
        // Two of numpy's numbers are Python's, too.
        (Value::Object(o), Class::Float) => o.type_name() == "numpy.float64",
        (Value::Object(o), Class::Complex) => o.type_name() == "numpy.complex128",
        _ => value.class().is_some_and(|own| is_subclass(own, class)),
    }
}

/// `issubclass(a, b)` of built-in classes.
pub fn is_subclass(a: Class, b: Class) -> bool {
    match (a, b) {
        (_, Class::Object) => true,
        (Class::Exception(a), Class::Exception(b)) => a.is_a(b),
        (Class::Bool, Class::Int) | (Class::Size, Class::Tuple) | (Class::Parameter, Class::Tensor) => true,
        _ => a == b,
    }
}

/// `issubclass(class, classes)`.
pub fn is_subclass_of(class: &Value, given: &Value) -> Outcome<bool> {
    if let Value::Tuple(several) = given {
        for other in several.iter() {
            if is_subclass_of(class, other)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    if classes::as_class(class).is_some_and(|own| own.is_a(given)) {
        return Ok(true);
    }
    let is_class = match class {
        Value::Class(_) => true,
        Value::Object(own) => own.is_class_of(class).is_some(),
        _ => false,
    };
    if !is_class {
        return refuse_class("issubclass() arg 1 must be a class");
    }
    Ok(match (class, given) {
        (Value::Class(own), Value::Class(other)) => is_subclass(*own, *other),
        (_, Value::Class(other)) => *other == Class::Object,
        (Value::Object(own), Value::Object(other)) => own.equals(given) == Some(true) || other.is_base_of(class),
        (_, Value::Object(_)) => false,
        _ => return refuse_class("issubclass() arg 2 must be a class, a tuple of classes, or a union"),
    })
}

/// `class.__mro__`: the class and what it inherits from.
pub fn ancestors(class: Class) -> Vec<Class> {
    let mut line = vec![class];
    match class {
        Class::Object => return line,
        Class::Exception(mut e) => {
            while e != ErrorClass::BaseException {
                e = e.parent();
                line.push(Class::Exception(e));
            }
        }
        Class::Bool => line.push(Class::Int),
        Class::Size => line.push(Class::Tuple),
        Class::Parameter => line.push(Class::Tensor),
        _ => {}
    }
    line.push(Class::Object);
    line
}
