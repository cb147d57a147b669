//! Python's special methods by their names, `[1].__len__()`, `(5).__add__(3)`: one table for each thing that a type can do.
//!
//! Each runs what the operator or built-in function runs; an operand that the type does not know gives `NotImplemented`.

use super::call::{Call, Row, Table, Takes, row};
use super::{compare, construct, convert, operate, overall};
use crate::lang::builtins;
use crate::lang::modules::{math, sys};
use crate::lang::operators;
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use crate::value::{CallArgs, Class, Key, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

type Run = fn(&mut Call<'_>) -> Outcome;

const fn slot(name: &'static str, count: usize, run: Run) -> Row {
    row(name, Takes::Slot(count, count), run)
}

const fn table(rows: &'static [Row]) -> Table {
    Table { owner: "", rows: Table::sorted(rows) }
}

/// What a built-in function gives for the object and the arguments.
fn by_function(c: &mut Call<'_>, table: &'static Table, name: &str) -> Outcome {
    let args = [vec![c.this.clone()], c.args()].concat();
    match table.find(name) {
        Some(row) => table.call(row, c.machine, &Value::None, CallArgs::positional(args)),
        None => fault!(NotImplementedError, "{name}() is not built in"),
    }
}

/// What a built-in function of the language gives.
fn built_in(c: &mut Call<'_>, name: &str) -> Outcome {
    by_function(c, &builtins::FUNCTIONS, name)
}

/// The place of a number's class among those that take one another as operands; none for what is no number.
fn rank(value: &Value) -> Option<u8> {
    Some(match value {
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => 0,
        Value::Float(_) => 1,
        Value::Complex(_) => 2,
        _ => return None,
    })
}

/// True when a number's operators take the other operand.
fn takes(this: &Value, other: &Value) -> bool {
    rank(this).is_none_or(|own| rank(other).is_some_and(|other| other <= own))
}

fn operator(c: &mut Call<'_>, op: BinaryOp, is_reflected: bool) -> Outcome {
    let (this, other) = (c.this.clone(), c.arg(0).clone());
    if !takes(&this, &other) {
        return Ok(not_implemented());
    }
    let (left, right) = if is_reflected { (&other, &this) } else { (&this, &other) };
    let raises = matches!(this, Value::Str(_) | Value::Bytes(_) | Value::List(_)) || this.sequence().is_some();
    match raises {
        true => operate::binary(c.machine, op, left, right),
        false => Ok(operate::known(c.machine, op, left, right)?.unwrap_or_else(not_implemented)),
    }
}

fn in_place(c: &mut Call<'_>, op: BinaryOp) -> Outcome {
    let (this, other) = (c.this.clone(), c.arg(0).clone());
    if matches!((&this, &other), (Value::Set(_), other) if !matches!(other, Value::Set(_))) {
        return Ok(not_implemented());
    }
    operators::inplace(c.machine, op, &this, &other)
}

fn comparison(c: &mut Call<'_>, op: CompareOp) -> Outcome {
    let (this, other) = (c.this.clone(), c.arg(0).clone());
    let is_identity = matches!(op, CompareOp::Eq | CompareOp::Ne) && this.is(&other);
    let known = match rank(&this) {
        Some(_) => takes(&this, &other),
        None => is_identity || is_compared(&this, &other, op),
    };
    if known { compare::compare(c.machine, op, &this, &other) } else { Ok(not_implemented()) }
}

/// True for two values of one kind whose type compares its objects so.
fn is_compared(this: &Value, other: &Value, op: CompareOp) -> bool {
    let has_order = !matches!(this, Value::Dict(_) | Value::Range(_)) || matches!(op, CompareOp::Eq | CompareOp::Ne);
    let are_tuples = |v: &Value| matches!(v, Value::Tuple(_) | Value::Size(_) | Value::Named(_));
    let are_alike = std::mem::discriminant(this) == std::mem::discriminant(other) || are_tuples(this) && are_tuples(other);
    let compares = matches!(
        this,
        Value::Str(_) | Value::Bytes(_) | Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Range(_) | Value::Slice(_)
    );
    has_order && are_alike && (compares || are_tuples(this))
}

fn unary(c: &mut Call<'_>, op: UnaryOp) -> Outcome {
    operate::unary(c.machine, op, c.this)
}

/// What every object has.
pub static OBJECT: Table = table(&[
    slot("__dir__", 0, |c| built_in(c, "dir")),
    slot("__eq__", 1, |c| comparison(c, CompareOp::Eq)),
    slot("__format__", 1, |c| built_in(c, "format")),
    slot("__ge__", 1, |c| comparison(c, CompareOp::Ge)),
    slot("__gt__", 1, |c| comparison(c, CompareOp::Gt)),
    slot("__hash__", 0, |c| Ok(Value::Int(Key::new(c.this.clone())?.hash()))),
    slot("__le__", 1, |c| comparison(c, CompareOp::Le)),
    slot("__lt__", 1, |c| comparison(c, CompareOp::Lt)),
    slot("__ne__", 1, |c| comparison(c, CompareOp::Ne)),
    slot("__repr__", 0, |c| built_in(c, "repr")),
    slot("__sizeof__", 0, |c| by_function(c, &sys::FUNCTIONS, "getsizeof")),
    slot("__str__", 0, |c| {
        let value = c.this.clone();
        Ok(Value::from(c.machine.str(&value)?))
    }),
]);

/// Numbers.
pub static NUMBER: Table = table(&[
    slot("__abs__", 0, |c| built_in(c, "abs")),
    slot("__add__", 1, |c| operator(c, BinaryOp::Add, false)),
    slot("__bool__", 0, |c| overall::truth(c.this).map(Value::Bool)),
    slot("__mul__", 1, |c| operator(c, BinaryOp::Mul, false)),
    slot("__neg__", 0, |c| unary(c, UnaryOp::Neg)),
    slot("__pos__", 0, |c| unary(c, UnaryOp::Pos)),
    row("__pow__", Takes::Slot(1, 2), |c| match c.some(1) {
        Some(_) => built_in(c, "pow"),
        None => operator(c, BinaryOp::Pow, false),
    }),
    slot("__radd__", 1, |c| operator(c, BinaryOp::Add, true)),
    slot("__rmul__", 1, |c| operator(c, BinaryOp::Mul, true)),
    slot("__rpow__", 1, |c| operator(c, BinaryOp::Pow, true)),
    slot("__rsub__", 1, |c| operator(c, BinaryOp::Sub, true)),
    slot("__rtruediv__", 1, |c| operator(c, BinaryOp::Div, true)),
    slot("__sub__", 1, |c| operator(c, BinaryOp::Sub, false)),
    slot("__truediv__", 1, |c| operator(c, BinaryOp::Div, false)),
]);

/// Numbers with an order.
pub static REAL: Table = table(&[
    slot("__ceil__", 0, |c| by_function(c, &math::FUNCTIONS, "ceil")),
    slot("__divmod__", 1, |c| if takes(c.this, c.arg(0)) { built_in(c, "divmod") } else { Ok(not_implemented()) }),
    slot("__float__", 0, |c| construct::to_float(c.this)),
    slot("__floor__", 0, |c| by_function(c, &math::FUNCTIONS, "floor")),
    slot("__floordiv__", 1, |c| operator(c, BinaryOp::FloorDiv, false)),
    slot("__int__", 0, |c| construct::to_int(c.this)),
    slot("__mod__", 1, |c| operator(c, BinaryOp::Mod, false)),
    slot("__rfloordiv__", 1, |c| operator(c, BinaryOp::FloorDiv, true)),
    slot("__rmod__", 1, |c| operator(c, BinaryOp::Mod, true)),
    row("__round__", Takes::Slot(0, 1), |c| built_in(c, "round")),
    slot("__trunc__", 0, |c| construct::to_int(c.this)),
]);

/// Whole numbers.
pub static WHOLE: Table = table(&[
    slot("__and__", 1, |c| operator(c, BinaryOp::BitAnd, false)),
    slot("__index__", 0, |c| convert::to_int(c.this)),
    slot("__invert__", 0, |c| unary(c, UnaryOp::Invert)),
    slot("__lshift__", 1, |c| operator(c, BinaryOp::LShift, false)),
    slot("__or__", 1, |c| operator(c, BinaryOp::BitOr, false)),
    slot("__rand__", 1, |c| operator(c, BinaryOp::BitAnd, true)),
    slot("__rlshift__", 1, |c| operator(c, BinaryOp::LShift, true)),
    slot("__ror__", 1, |c| operator(c, BinaryOp::BitOr, true)),
    slot("__rrshift__", 1, |c| operator(c, BinaryOp::RShift, true)),
    slot("__rshift__", 1, |c| operator(c, BinaryOp::RShift, false)),
    slot("__rxor__", 1, |c| operator(c, BinaryOp::BitXor, true)),
    slot("__xor__", 1, |c| operator(c, BinaryOp::BitXor, false)),
]);

/// `None`, which has a truth and nothing else.
pub static TRUTH: Table = table(&[slot("__bool__", 0, |c| overall::truth(c.this).map(Value::Bool))]);

/// What has a length and holds items.
pub static CONTAINER: Table = table(&[
    slot("__contains__", 1, |c| {
        let (this, item) = (c.this.clone(), c.arg(0).clone());
        compare::contains(c.machine, &this, &item).map(Value::Bool)
    }),
    slot("__iter__", 0, |c| c.machine.iter(c.this)),
    slot("__len__", 0, |c| Ok(Value::from(overall::len(c.this)?))),
]);

/// What gives items by place or key.
pub static ITEMS: Table = table(&[slot("__getitem__", 1, |c| {
    let (this, key) = (c.this.clone(), c.arg(0).clone());
    c.machine.get_item(&this, &key)
})]);

/// What changes items by place or key.
pub static CHANGED: Table = table(&[
    slot("__delitem__", 1, |c| {
        let (this, key) = (c.this.clone(), c.arg(0).clone());
        c.machine.del_item(&this, &key).map(|()| Value::None)
    }),
    slot("__setitem__", 2, |c| {
        let (this, key, value) = (c.this.clone(), c.arg(0).clone(), c.arg(1).clone());
        c.machine.set_item(&this, &key, value).map(|()| Value::None)
    }),
]);

/// What can be joined with its like and repeated.
pub static JOINED: Table = table(&[
    slot("__add__", 1, |c| operator(c, BinaryOp::Add, false)),
    slot("__mul__", 1, repeated),
    slot("__rmul__", 1, repeated),
]);

fn repeated(c: &mut Call<'_>) -> Outcome {
    convert::to_int(c.arg(0))?;
    operator(c, BinaryOp::Mul, false)
}

/// What grows where it stands.
pub static GROWN: Table = table(&[
    slot("__iadd__", 1, |c| in_place(c, BinaryOp::Add)),
    slot("__imul__", 1, |c| {
        convert::to_int(c.arg(0))?;
        in_place(c, BinaryOp::Mul)
    }),
]);

/// What is walked backwards in its own way.
pub static REVERSED: Table = table(&[slot("__reversed__", 0, |c| {
    let class = Value::Class(Class::Reversed);
    let this = c.this.clone();
    c.machine.call(&class, CallArgs::positional(vec![this]))
})]);

/// Texts that are formats.
pub static PERCENT: Table = table(&[slot("__mod__", 1, |c| operator(c, BinaryOp::Mod, false))]);

/// Sets.
pub static ALGEBRA: Table = table(&[
    slot("__and__", 1, |c| operator(c, BinaryOp::BitAnd, false)),
    slot("__or__", 1, |c| operator(c, BinaryOp::BitOr, false)),
    slot("__rand__", 1, |c| operator(c, BinaryOp::BitAnd, true)),
    slot("__ror__", 1, |c| operator(c, BinaryOp::BitOr, true)),
    slot("__rsub__", 1, |c| operator(c, BinaryOp::Sub, true)),
    slot("__rxor__", 1, |c| operator(c, BinaryOp::BitXor, true)),
    slot("__sub__", 1, |c| operator(c, BinaryOp::Sub, false)),
    slot("__xor__", 1, |c| operator(c, BinaryOp::BitXor, false)),
]);

/// Sets that change.
pub static ALGEBRA_IN_PLACE: Table = table(&[
    slot("__iand__", 1, |c| in_place(c, BinaryOp::BitAnd)),
    slot("__ior__", 1, |c| in_place(c, BinaryOp::BitOr)),
    slot("__isub__", 1, |c| in_place(c, BinaryOp::Sub)),
    slot("__ixor__", 1, |c| in_place(c, BinaryOp::BitXor)),
]);

/// Dicts.
pub static UNION: Table = table(&[
    slot("__ior__", 1, |c| in_place(c, BinaryOp::BitOr)),
    slot("__or__", 1, |c| operator(c, BinaryOp::BitOr, false)),
    slot("__ror__", 1, |c| operator(c, BinaryOp::BitOr, true)),
]);

/// Functions and classes.
pub static CALLABLE: Table = table(&[row("__call__", Takes::Any, |c| {
    let (this, args) = (c.this.clone(), CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) });
    c.machine.call(&this, args)
})]);

/// Iterators.
pub static ITERATOR: Table = table(&[slot("__iter__", 0, |c| Ok(c.this.clone())), slot("__next__", 0, |c| built_in(c, "next"))]);

/// The row of a special method that a value has beside those of its type: by what it can do.
pub fn find(value: &Value, name: &str) -> Option<(&'static Table, &'static Row)> {
    if !name.starts_with("__") {
        return None;
    }
    let is_hashed = || name != "__hash__" || Key::new(value.clone()).is_ok();
    let mut tables: Vec<&'static Table> = Vec::new();
    if let Value::Object(object) = value {
        if object.is_iterator() {
            tables.push(&ITERATOR);
        }
        if object.length().is_some() {
            tables.extend([&CONTAINER, &ITEMS]);
        }
        if object.entries().is_some() {
            tables.extend([&CHANGED, &UNION, &REVERSED]);
        }
    }
    if convert::is_callable(value) {
        tables.push(&CALLABLE);
    }
    tables.push(&OBJECT);
    let (table, row) = tables.into_iter().find_map(|table| Some((table, table.find(name)?)))?;
    is_hashed().then_some((table, row))
}

/// `NotImplemented`: the answer of a special method that does not know its operand.
struct NotImplemented;

impl Object for NotImplemented {
    fn type_name(&self) -> String {
        "NotImplementedType".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        "NotImplemented".into()
    }
}

/// The one object `NotImplemented`.
pub fn not_implemented() -> Value {
    thread_local! {
        static ONLY: Rc<NotImplemented> = Rc::new(NotImplemented);
    }
    Value::shared(ONLY.with(|only| only.clone()))
}
