//! Attributes and methods of everything but tensors, modules and objects.

use super::call::{Builtin, Row, Table};
use super::class::{ancestors, type_of};
use super::{buffer, byte_text, bytes, dict, list, number_methods, own, range, set, special, storage, str, torch_types, tuple};
use crate::lang::classes;
use crate::lang::modules::collections::deque::{self, Deque};
use crate::lang::modules::collections::named_tuple;
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// The row of a method of a value.
pub fn method(value: &Value, name: &str) -> Option<(&'static Table, &'static Row)> {
    find(tables(value), name)
}

/// The row with this name in the tables of a type.
pub fn find(tables: &'static [&'static Table], name: &str) -> Option<(&'static Table, &'static Row)> {
    tables.iter().find_map(|table| Some((*table, table.find(name)?)))
}

/// The tables of a value's methods: the same ones for all values of a type.
pub fn tables(value: &Value) -> &'static [&'static Table] {
    match value {
        Value::Named(named) if !named.type_name.starts_with("torch.") => {
            static TABLES: &[&Table] = &[&named_tuple::METHODS, &tuple::METHODS];
            TABLES
        }
        Value::Named(_) => tables_of_class(Class::Tuple),
        Value::Object(object) if object.as_any().is::<Deque>() => {
            static TABLES: &[&Table] = &[&deque::METHODS];
            TABLES
        }
        Value::Object(object) => {
            object.class().filter(|c| matches!(c, Class::Array | Class::ByteArray)).map_or(&[], tables_of_class)
        }
        other => other.class().map_or(&[], tables_of_class),
    }
}

/// The methods of a class.
pub fn tables_of_class(class: Class) -> &'static [&'static Table] {
    macro_rules! rows {
        ($($table:path),*) => {{
            static TABLES: &[&Table] = &[$(&$table),*];
            TABLES
        }};
    }
    match class {
        Class::Bool | Class::Int => rows!(number_methods::INT, special::NUMBER, special::REAL, special::WHOLE),
        Class::Float => rows!(number_methods::FLOAT, special::NUMBER, special::REAL),
        Class::Complex => rows!(number_methods::COMPLEX, special::NUMBER),
        Class::Str => rows!(str::METHODS, special::CONTAINER, special::ITEMS, special::JOINED, special::PERCENT),
        Class::Bytes => rows!(bytes::METHODS, byte_text::METHODS, special::CONTAINER, special::ITEMS, special::JOINED),
        Class::ByteArray => {
            rows!(buffer::BYTE_METHODS, bytes::METHODS, byte_text::METHODS, special::CONTAINER, special::ITEMS, special::CHANGED)
        }
        Class::Array => rows!(buffer::ARRAY_METHODS, special::CONTAINER, special::ITEMS, special::CHANGED),
        Class::List => rows!(
            list::METHODS,
            special::CONTAINER,
            special::ITEMS,
            special::CHANGED,
            special::JOINED,
            special::GROWN,
            special::REVERSED
        ),
        Class::Tuple => rows!(tuple::METHODS, special::CONTAINER, special::ITEMS, special::JOINED),
        Class::Size => rows!(tuple::SIZE_METHODS, tuple::METHODS, special::CONTAINER, special::ITEMS, special::JOINED),
        Class::Dict => {
            rows!(dict::METHODS, special::CONTAINER, special::ITEMS, special::CHANGED, special::UNION, special::REVERSED)
        }
        Class::Set => rows!(set::METHODS, special::CONTAINER, special::ALGEBRA, special::ALGEBRA_IN_PLACE),
        Class::FrozenSet => rows!(set::FROZEN_METHODS, special::CONTAINER, special::ALGEBRA),
        Class::Range => rows!(range::METHODS, special::CONTAINER, special::ITEMS, special::REVERSED),
        Class::Slice => rows!(range::SLICE_METHODS),
        Class::NoneType => rows!(special::TRUTH),
        Class::DType => rows!(torch_types::DTYPE_METHODS),
        Class::Tensor | Class::Parameter => rows!(crate::lang::modules::numpy::TENSOR_METHODS, super::dunder::OF_TENSORS),
        Class::TypedStorage | Class::UntypedStorage => rows!(storage::METHODS),
        _ => &[],
    }
}

/// `value.name`; none when there is no such attribute.
pub fn attr(_machine: &mut dyn Machine, value: &Value, name: &str) -> Outcome<Option<Value>> {
    if let Value::Class(class) = value
        && let Some(found) = class_attr(*class, name)
    {
        return Ok(Some(found));
    }
    if let Some((table, row)) = method(value, name) {
        return Ok(Some(Builtin::method(table, row, value.clone())));
    }
    if let Some((table, row)) = special::find(value, name) {
        return Ok(Some(Builtin::method(table, row, value.clone())));
    }
    match name {
        "__class__" => return Ok(Some(type_of(value))),
        // What is not hashed says so by having no function here.
        "__hash__" => return Ok(Some(Value::None)),
        _ => {}
    }
    Ok(match value {
        Value::Tensor(x) if name == "__dict__" => Some(own::entries(x)),
        Value::Range(_) | Value::Slice(_) => range::attr(value, name),
        Value::Named(named) if named.type_name.starts_with("torch.") && name.starts_with("n_") => match name {
            "n_fields" | "n_sequence_fields" => Some(Value::from(named.fields.len())),
            "n_unnamed_fields" => Some(Value::Int(0)),
            _ => None,
        },
        Value::Named(named) if name == "_fields" && !named.type_name.starts_with("torch.") => {
            Some(Value::tuple(named.fields.iter().map(|f| Value::from(*f)).collect()))
        }
        Value::Named(named) => named.fields.iter().position(|f| *f == name).and_then(|i| named.values.get(i).cloned()),
        Value::Storage(view) => storage::attr(view, name),
        Value::DType(dtype) => torch_types::dtype_attr(*dtype, name),
        Value::Device(device) => torch_types::device_attr(device, name),
        other => number_methods::attr(other, name),
    })
}

/// The names of a value's attributes.
pub fn attributes(value: &Value) -> Vec<String> {
    let mut names: Vec<String> = tables(value).iter().flat_map(|table| table.names()).collect();
    let more: &[&str] = match value {
        Value::Class(class) => return class_attributes(*class),
        Value::Range(_) | Value::Slice(_) => &["start", "step", "stop"],
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => &["denominator", "imag", "numerator", "real"],
        Value::Float(_) | Value::Complex(_) => &["imag", "real"],
        Value::Named(named) => named.fields,
        _ => &[],
    };
    names.extend(more.iter().map(|name| name.to_string()));
    names.sort();
    names
}

fn class_attributes(class: Class) -> Vec<String> {
    let mut names: Vec<String> = tables_of_class(class).iter().flat_map(|table| table.names()).collect();
    names.extend(["__mro__", "__name__"].map(String::from));
    names.sort();
    names
}

/// Methods that belong to the class and not to its objects.
const OF_CLASS: &[(Class, &str)] = &[
    (Class::Dict, "fromkeys"),
    (Class::Int, "from_bytes"),
    (Class::Float, "fromhex"),
    (Class::Str, "maketrans"),
    (Class::Bytes, "fromhex"),
    (Class::ByteArray, "fromhex"),
];

fn class_attr(class: Class, name: &str) -> Option<Value> {
    let full = class.name();
    Some(match name {
        "__name__" if let Class::Exception(error) = class => Value::from(error.short_name()),
        "__name__" | "__qualname__" => Value::from(full.rsplit('.').next().unwrap_or_default()),
        "__module__" => Value::from(full.rsplit_once('.').map_or("builtins", |(module, _)| module)),
        "__mro__" => Value::tuple(ancestors(class).into_iter().map(Value::Class).collect()),
        "__bases__" => Value::tuple(ancestors(class).into_iter().skip(1).take(1).map(Value::Class).collect()),
        "__doc__" => Value::None,
        "dtype" if let Class::TensorOf(dtype) = class => Value::DType(dtype),
        "is_cuda" | "is_sparse" if matches!(class, Class::TensorOf(_)) => Value::Bool(false),
        _ => {
            let known = find(tables_of_class(class), name).or_else(|| Some((&special::OBJECT, special::OBJECT.find(name)?)));
            let Some((table, row)) = known else { return classes::of_built_in(class, name) };
            if OF_CLASS.contains(&(class, name)) {
                return Some(Builtin::method(table, row, Value::Class(class)));
            }
            Value::object(Unbound { class, table, row })
        }
    })
}

/// `str.upper`: a method that waits for its object.
struct Unbound {
    class: Class,
    table: &'static Table,
    row: &'static Row,
}

impl Object for Unbound {
    fn type_name(&self) -> String {
        if self.row.is_slot() { "wrapper_descriptor" } else { "method_descriptor" }.into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let kind = if self.row.is_slot() { "slot wrapper" } else { "method" };
        format!("<{kind} '{}' of '{}' objects>", self.row.name, self.class.name())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__name__" => Some(Value::from(self.row.name)),
            "__qualname__" => Some(Value::from(format!("{}.{}", self.class.name(), self.row.name))),
            "__objclass__" => Some(Value::Class(self.class)),
            _ => None,
        })
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.run(machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn is_function(&self) -> bool {
        true
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        let Value::Object(other) = other else { return None };
        Some(other.as_any().downcast_ref::<Unbound>().is_some_and(|o| std::ptr::eq(o.row, self.row)))
    }
    fn hash(&self) -> Option<u64> {
        Some(self.row as *const Row as u64)
    }
}

impl Unbound {
    fn run(&self, machine: &mut dyn Machine, mut args: CallArgs) -> Outcome {
        let class = self.class.name();
        let is_slot = self.row.is_slot();
        if args.positional.is_empty() && is_slot {
            fault!(TypeError, "descriptor '{}' of '{class}' object needs an argument", self.row.name);
        }
        if args.positional.is_empty() {
            fault!(TypeError, "unbound method {class}.{}() needs an argument", self.row.name);
        }
        let this = args.positional.remove(0);
        if !super::class::is_instance(&this, &Value::Class(self.class))? {
            if is_slot {
                let name = self.row.name;
                fault!(TypeError, "descriptor '{name}' requires a '{class}' object but received a '{}'", this.type_name());
            }
            fault!(
                TypeError,
                "descriptor '{}' for '{class}' objects doesn't apply to a '{}' object",
                self.row.name,
                this.type_name()
            );
        }
        if classes::class_of(&this).is_none() {
            return self.table.call(self.row, machine, &this, args);
        }
        match classes::of_built_in(self.class, self.row.name).filter(|_| self.class == Class::Object) {
            Some(function) => {
                args.positional.insert(0, this);
                machine.call(&function, args)
            }
            None => self.table.call(self.row, machine, &classes::plain(&this), args),
        }
    }
}
