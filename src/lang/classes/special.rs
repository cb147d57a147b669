//! What operators and built-in functions ask of an object: its class's special methods.

use super::{Instance, besides, bind, class_of};
use crate::diag::ErrorClass;
use crate::lang::operators;
use crate::lang::types::call::Call;
use crate::lang::types::iter::Walk;
use crate::lang::types::special::not_implemented;
use crate::value::{CallArgs, Class, Machine, Outcome, Value};
use std::rc::Rc;

/// The infix operators: the method, that of the other side, and that of the assignment.
const INFIX: [(&str, [&str; 3]); 13] = [
    ("+", ["__add__", "__radd__", "__iadd__"]),
    ("-", ["__sub__", "__rsub__", "__isub__"]),
    ("*", ["__mul__", "__rmul__", "__imul__"]),
    ("@", ["__matmul__", "__rmatmul__", "__imatmul__"]),
    ("/", ["__truediv__", "__rtruediv__", "__itruediv__"]),
    ("//", ["__floordiv__", "__rfloordiv__", "__ifloordiv__"]),
    ("%", ["__mod__", "__rmod__", "__imod__"]),
    ("**", ["__pow__", "__rpow__", "__ipow__"]),
    ("<<", ["__lshift__", "__rlshift__", "__ilshift__"]),
    (">>", ["__rshift__", "__rrshift__", "__irshift__"]),
    ("&", ["__and__", "__rand__", "__iand__"]),
    ("|", ["__or__", "__ror__", "__ior__"]),
    ("^", ["__xor__", "__rxor__", "__ixor__"]),
];

const COMPARISONS: [(&str, &str); 6] =
    [("==", "__eq__"), ("!=", "__ne__"), ("<", "__lt__"), ("<=", "__le__"), (">", "__gt__"), (">=", "__ge__")];

/// The method of a prefix operator.
pub(super) fn unary_name(op: &str) -> Option<&'static str> {
    [("-", "__neg__"), ("+", "__pos__"), ("~", "__invert__")].into_iter().find(|(own, _)| *own == op).map(|(_, name)| name)
}

/// Calls a method of the class that the program defined; none when the object has no such class, or that no such method.
pub fn ask(machine: &mut dyn Machine, this: &Value, name: &str, args: Vec<Value>) -> Option<Outcome> {
    let class = class_of(this)?;
    let method = class.find(name).filter(|found| !matches!(found, Value::None))?;
    Some(machine.call(&bind(&method, this, &class), CallArgs::positional(args)))
}

/// The answer of the first argument of a built-in function.
pub fn special(c: &mut Call<'_>, name: &str) -> Option<Outcome> {
    let this = c.get(0)?.clone();
    let rest = (1..).map_while(|place| c.some(place).cloned()).collect();
    ask(c.machine, &this, name, rest)
}

/// `bool(value)`.
pub fn truth(machine: &mut dyn Machine, value: &Value) -> Outcome<bool> {
    if !matches!(value, Value::Object(_)) {
        return operators::truth(value);
    }
    match ask(machine, value, "__bool__", vec![]) {
        Some(answer) => match answer? {
            Value::Bool(answer) => Ok(answer),
            other => fault!(TypeError, "__bool__ should return bool, returned {}", other.type_name()),
        },
        None => match ask(machine, value, "__len__", vec![]) {
            Some(length) => operators::truth(&length?),
            None => operators::truth(value),
        },
    }
}

/// `int(value)` and the like where the value's class says what that is.
pub fn converted(machine: &mut dyn Machine, class: Class, value: &Value) -> Option<Outcome> {
    class_of(value)?;
    let names: &[&str] = match class {
        Class::Bool => return Some(truth(machine, value).map(Value::Bool)),
        Class::Int => &["__int__", "__index__"],
        Class::Float => &["__float__", "__index__"],
        Class::Bytes => &["__bytes__"],
        Class::Complex => &["__complex__", "__float__"],
        Class::Reversed => &["__reversed__"],
        _ => return None,
    };
    let (name, found) = names.iter().find_map(|name| Some((name, ask(machine, value, name, vec![])?)))?;
    Some(found.and_then(|found| check_kind(value, class, name, found)))
}

/// Refuses what a conversion of an object must not give.
fn check_kind(this: &Value, class: Class, name: &str, found: Value) -> Outcome {
    let fits = match class {
        Class::Int => matches!(found, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)),
        Class::Float => matches!(found, Value::Float(_)) || name == "__index__",
        Class::Complex => matches!(found, Value::Complex(_)) || name != "__complex__",
        Class::Bytes => matches!(found, Value::Bytes(_)),
        _ => true,
    };
    if fits {
        return match (class, found) {
            (Class::Float, Value::Int(int)) => Ok(Value::Float(int as f64)),
            (_, found) => Ok(found),
        };
    }
    let kind = class.name();
    let owner = if class == Class::Float { format!("{}.", this.type_name()) } else { String::new() };
    fault!(TypeError, "{owner}{name} returned non-{kind} (type {})", found.type_name())
}

/// What `len` gives for what `__len__` gave.
pub fn length(found: Value) -> Outcome {
    match found {
        Value::Int(length) if length < 0 => fault!(ValueError, "__len__() should return >= 0"),
        length @ (Value::Int(_) | Value::Bool(_)) => Ok(length),
        Value::BigInt(_) => fault!(OverflowError, "cannot fit 'int' into an index-sized integer"),
        other => fault!(TypeError, "'{}' object cannot be interpreted as an integer", other.type_name()),
    }
}

/// What `iter` gives for what `__iter__` gave.
pub(super) fn iterator(machine: &mut dyn Machine, given: &Value) -> Outcome {
    let is_iterator = matches!(given, Value::Object(object) if object.is_iterator());
    match is_iterator {
        true => machine.iter(given),
        false => fault!(TypeError, "iter() returned non-iterator of type '{}'", given.type_name()),
    }
}

/// The int that an object says it is where an index is needed; the value itself where it says nothing.
pub fn index(machine: &mut dyn Machine, value: &Value) -> Outcome {
    match value {
        Value::Object(object) if object.as_any().is::<Instance>() => match ask(machine, value, "__index__", vec![]) {
            None => Ok(object.plain().unwrap_or_else(|| value.clone())),
            Some(found) => match found? {
                found @ (Value::Int(_) | Value::Bool(_) | Value::BigInt(_)) => Ok(found),
                other => fault!(TypeError, "__index__ returned non-int (type {})", other.type_name()),
            },
        },
        _ => Ok(value.clone()),
    }
}

/// The same for what stands in brackets: slices and tuples are looked into.
pub fn indices(machine: &mut dyn Machine, value: &Value) -> Outcome {
    let is_own = |value: &Value| matches!(value, Value::Object(object) if object.as_any().is::<Instance>());
    match value {
        Value::Object(_) => index(machine, value),
        Value::Slice(parts) if parts.iter().any(is_own) => {
            let [start, stop, step] = &**parts;
            Ok(Value::Slice(Rc::new([index(machine, start)?, index(machine, stop)?, index(machine, step)?])))
        }
        Value::Tuple(items) if items.iter().any(|item| is_own(item) || matches!(item, Value::Slice(_))) => {
            Ok(Value::tuple(items.iter().map(|item| indices(machine, item)).collect::<Outcome<_>>()?))
        }
        other => Ok(other.clone()),
    }
}

/// The next item of an object that is an iterator by its class.
pub(super) fn next(machine: &mut dyn Machine, this: &Value) -> Outcome<Option<Value>> {
    match ask(machine, this, "__next__", vec![]) {
        Some(Err(raise)) if raise.0.diagnostic.class == ErrorClass::StopIteration => Ok(None),
        Some(item) => item.map(Some),
        None => Ok(None),
    }
}

/// An iterator over what an object has under 0, 1 and so on.
pub(super) fn by_index(this: Value) -> Value {
    let mut place = 0;
    Walk::value("iterator", move |machine| {
        let item = ask(machine, &this, "__getitem__", vec![Value::Int(place)]);
        place += 1;
        match item {
            Some(Err(raise)) if raise.0.diagnostic.class.is_a(ErrorClass::IndexError) => Ok(None),
            Some(item) => item.map(Some),
            None => Ok(None),
        }
    })
}

/// `this op other`, or `other op this` when reflected; none where the class does not know that.
pub fn operate(machine: &mut dyn Machine, this: &Value, op: &str, other: &Value, reflected: bool) -> Option<Outcome> {
    let known = |found: Option<Outcome>| match found {
        Some(Ok(value)) if value.is(&not_implemented()) => None,
        found => found,
    };
    if let Some((_, name)) = COMPARISONS.iter().find(|(own, _)| *own == op) {
        let found = known(ask(machine, this, name, vec![other.clone()]));
        if found.is_some() || *name != "__ne__" {
            return found;
        }
        let equal = known(ask(machine, this, "__eq__", vec![other.clone()]))?;
        return Some(equal.and_then(|equal| Ok(Value::Bool(!truth(machine, &equal)?))));
    }
    let (_, names) = INFIX.iter().find(|(own, _)| *own == op)?;
    known(ask(machine, this, names[usize::from(reflected)], vec![other.clone()]))
}

/// Which of two operands is asked first, and whether the other one is asked, too.
#[derive(Clone, Copy, PartialEq)]
pub enum Asked {
    /// The left one, then the right one.
    Left,
    /// The right one, whose class builds on the left one's, then the left one.
    Right,
    /// The left one alone: both are of one class.
    Once,
}

/// Which of two operands is asked first.
pub fn asked(left: &Value, right: &Value) -> Asked {
    let both = matches!((left, right), (Value::Object(_), Value::Object(_)));
    match (class_of(left).filter(|_| both), class_of(right).filter(|_| both)) {
        (Some(left), Some(right)) if std::ptr::eq(&*left, &*right) => Asked::Once,
        (Some(left), Some(right)) if right.is_a(&left.value()) => Asked::Right,
        _ => Asked::Left,
    }
}

/// `this op= other` where the class says what that does.
pub fn operate_in_place(machine: &mut dyn Machine, this: &Value, op: &str, other: &Value) -> Option<Outcome> {
    let (_, names) = INFIX.iter().find(|(own, _)| *own == op)?;
    match ask(machine, this, names[2], vec![other.clone()]) {
        Some(Ok(value)) if value.is(&not_implemented()) => None,
        None => besides::operate_in_place(machine, this, op, other),
        found => found,
    }
}
