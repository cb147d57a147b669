//! The operators and conversions of a tensor by their names: `x.__rsub__(1)`, `x.__len__()`.

use super::call::{Call, Row, Table, Takes, row};
use super::special::not_implemented;
use super::{construct, convert, format_spec, overall};
use crate::diag::ErrorClass;
use crate::lang::operators;
use crate::ops;
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::value::{CallArgs, Class, Machine, Outcome, Value};

/// `left op right`, both ways and in place.
type Operator = fn(&mut dyn Machine, BinaryOp, &Value, &Value) -> Outcome;

fn forward(c: &mut Call<'_>, run: Operator, op: BinaryOp) -> Outcome {
    let (this, other) = (c.this.clone(), c.arg(0).clone());
    unless_unknown(run(c.machine, op, &this, &other))
}

fn reflected(c: &mut Call<'_>, op: BinaryOp) -> Outcome {
    let (this, other) = (c.this.clone(), c.arg(0).clone());
    unless_unknown(operators::binary(c.machine, op, &other, &this))
}

/// The result of an operation that was called by an operator's name, `x.__add__(y)`: `NotImplemented` where Python would ask the other side.
pub fn of_operator(name: &str, found: Outcome) -> Outcome {
    if name.starts_with("__") && !NO_OPERATORS.contains(&name) { unless_unknown(found) } else { found }
}

/// Operations with names of special methods that refuse what they do not know.
const NO_OPERATORS: &[&str] = &["__abs__", "__getitem__", "__invert__", "__neg__", "__setitem__"];

/// `NotImplemented` where the operand is one that tensors do not know.
fn unless_unknown(found: Outcome) -> Outcome {
    match found {
        Err(raise) if raise.0.diagnostic.class.is_a(ErrorClass::TypeError) => Ok(not_implemented()),
        found => found,
    }
}

/// `other / this`, as PyTorch has it.
fn quotient(c: &mut Call<'_>) -> Outcome {
    let names = [("this", c.this.clone()), ("other", c.arg(0).clone())];
    unless_unknown(c.machine.eval_code("this.reciprocal() * other", &names))
}

const fn operator(name: &'static str, run: fn(&mut Call<'_>) -> Outcome) -> Row {
    row(name, Takes::One, run)
}

const fn alone(name: &'static str, run: fn(&mut Call<'_>) -> Outcome) -> Row {
    row(name, Takes::Nothing, run)
}

/// What the table of operations has no row for.
pub static OF_TENSORS: Table = Table {
    owner: "Tensor",
    rows: Table::sorted(&[
        alone("__bool__", |c| operators::truth(c.this).map(Value::Bool)),
        alone("__complex__", |c| {
            let (this, class) = (c.this.clone(), Value::Class(Class::Complex));
            c.machine.call(&class, CallArgs::positional(vec![this]))
        }),
        operator("__contains__", |c| {
            let (this, item) = (c.this.clone(), c.arg(0).clone());
            operators::contains(c.machine, &this, &item).map(Value::Bool)
        }),
        operator("__deepcopy__", |c| {
            let names = [("this", c.this.clone())];
            c.machine.eval_code("import copy\ncopy.deepcopy(this)", &names)
        }),
        operator("__delitem__", |_| fault!(TypeError, "Tensor does not support deleting items")),
        alone("__float__", |c| construct::to_float(c.this)),
        operator("__format__", |c| {
            let (this, spec) = (c.this.clone(), convert::to_str(c.arg(0), "__format__", "argument 1")?);
            format_spec::format_value(&this, spec).map(Value::from)
        }),
        operator("__iadd__", |c| forward(c, operators::inplace, BinaryOp::Add)),
        operator("__iand__", |c| forward(c, operators::inplace, BinaryOp::BitAnd)),
        operator("__ifloordiv__", |c| forward(c, operators::inplace, BinaryOp::FloorDiv)),
        operator("__ilshift__", |c| forward(c, operators::inplace, BinaryOp::LShift)),
        operator("__imod__", |c| forward(c, operators::inplace, BinaryOp::Mod)),
        operator("__imul__", |c| forward(c, operators::inplace, BinaryOp::Mul)),
        alone("__index__", |c| convert::to_int(c.this)),
        alone("__int__", |c| construct::to_int(c.this)),
        operator("__ior__", |c| forward(c, operators::inplace, BinaryOp::BitOr)),
        operator("__ipow__", |c| forward(c, operators::inplace, BinaryOp::Pow)),
        operator("__irshift__", |c| forward(c, operators::inplace, BinaryOp::RShift)),
        operator("__isub__", |c| forward(c, operators::inplace, BinaryOp::Sub)),
        alone("__iter__", |c| c.machine.iter(c.this)),
        operator("__itruediv__", |c| forward(c, operators::inplace, BinaryOp::Div)),
        operator("__ixor__", |c| forward(c, operators::inplace, BinaryOp::BitXor)),
        alone("__len__", |c| Ok(Value::Int(overall::len(c.this)? as i64))),
        operator("__matmul__", |c| forward(c, operators::binary, BinaryOp::MatMul)),
        operator("__mul__", |c| forward(c, operators::binary, BinaryOp::Mul)),
        alone("__neg__", |c| {
            let this = c.this.clone();
            operators::unary(c.machine, UnaryOp::Neg, &this)
        }),
        alone("__pos__", |c| {
            let this = c.this.clone();
            operators::unary(c.machine, UnaryOp::Pos, &this)
        }),
        operator("__rand__", |c| reflected(c, BinaryOp::BitAnd)),
        operator("__rdiv__", quotient),
        alone("__reversed__", |c| {
            let names = [("this", c.this.clone())];
            c.machine.eval_code("this.flip(0) if this.dim() else this", &names)
        }),
        operator("__rfloordiv__", |c| reflected(c, BinaryOp::FloorDiv)),
        operator("__rlshift__", |c| reflected(c, BinaryOp::LShift)),
        operator("__rmatmul__", |c| reflected(c, BinaryOp::MatMul)),
        operator("__rmod__", |c| reflected(c, BinaryOp::Mod)),
        operator("__rmul__", |c| reflected(c, BinaryOp::Mul)),
        operator("__ror__", |c| reflected(c, BinaryOp::BitOr)),
        operator("__rpow__", |c| reflected(c, BinaryOp::Pow)),
        operator("__rrshift__", |c| reflected(c, BinaryOp::RShift)),
        operator("__rsub__", |c| reflected(c, BinaryOp::Sub)),
        operator("__rtruediv__", quotient),
        operator("__rxor__", |c| reflected(c, BinaryOp::BitXor)),
        operator("__sub__", |c| forward(c, operators::binary, BinaryOp::Sub)),
        operator("__truediv__", |c| forward(c, operators::binary, BinaryOp::Div)),
        row("new", Takes::Any, |c| {
            let Value::Tensor(this) = c.this else { return Ok(Value::None) };
            let dtype = this.dtype();
            let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
            Ok(ops::create::construct(Some(dtype), &args)?)
        }),
    ]),
};
