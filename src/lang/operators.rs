//! Python's operators over every value: tensors by the rows of the table, everything else by [`super::types`].

use super::types;
use crate::diag::ErrorClass;
use crate::ops::{self, OpSet};
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use crate::value::{CallRef, Class, Machine, Outcome, Raise, Value};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The row of each infix operator, and the row that takes the operands swapped where there is one.
const ROWS: &[(BinaryOp, &str, &str)] = &[
    (BinaryOp::Add, "add", "add"),
    (BinaryOp::Sub, "sub", "rsub"),
    (BinaryOp::Mul, "mul", "mul"),
    (BinaryOp::MatMul, "matmul", ""),
    (BinaryOp::Div, "div", ""),
    (BinaryOp::FloorDiv, "floor_divide", ""),
    (BinaryOp::Mod, "remainder", ""),
    (BinaryOp::Pow, "pow", ""),
    (BinaryOp::LShift, "bitwise_left_shift", ""),
    (BinaryOp::RShift, "bitwise_right_shift", ""),
    (BinaryOp::BitAnd, "bitwise_and", ""),
    (BinaryOp::BitOr, "bitwise_or", ""),
    (BinaryOp::BitXor, "bitwise_xor", ""),
];

/// The row of each comparison, and the row with the operands swapped.
const COMPARISONS: &[(CompareOp, &str, &str)] = &[
    (CompareOp::Eq, "eq", "eq"),
    (CompareOp::Ne, "ne", "ne"),
    (CompareOp::Lt, "lt", "gt"),
    (CompareOp::Le, "le", "ge"),
    (CompareOp::Gt, "gt", "lt"),
    (CompareOp::Ge, "ge", "le"),
];

/// The rows of one operator, looked up once.
struct Rows {
    method: Option<&'static OpSet>,
    function: Option<&'static OpSet>,
    inplace: Option<&'static OpSet>,
    swapped: Option<&'static OpSet>,
}

impl Rows {
    fn find(name: &str, swapped: &str) -> Rows {
        Rows {
            method: ops::method(name),
            function: ops::function(name),
            inplace: ops::method(&format!("{name}_")),
            swapped: ops::function(swapped),
        }
    }
}

fn rows(op: BinaryOp) -> &'static Rows {
    static FOUND: OnceLock<Vec<(BinaryOp, Rows)>> = OnceLock::new();
    row_of(FOUND.get_or_init(|| ROWS.iter().map(|(op, name, swapped)| (*op, Rows::find(name, swapped))).collect()), op)
}

fn comparison(op: CompareOp) -> &'static Rows {
    static FOUND: OnceLock<Vec<(CompareOp, Rows)>> = OnceLock::new();
    row_of(FOUND.get_or_init(|| COMPARISONS.iter().map(|(op, name, swapped)| (*op, Rows::find(name, swapped))).collect()), op)
}

fn row_of<T: PartialEq>(found: &'static [(T, Rows)], op: T) -> &'static Rows {
    static NONE: Rows = Rows { method: None, function: None, inplace: None, swapped: None };
    found.iter().find(|(o, _)| *o == op).map_or(&NONE, |(_, rows)| rows)
}

/// True for what an operator of tensors takes beside one: tensors and numbers, and for `@` tensors alone.
fn takes(op: BinaryOp, operand: &Value) -> bool {
    is_operand(operand) && (op != BinaryOp::MatMul || matches!(operand, Value::Tensor(_)))
}

/// `left op right`.
pub fn binary(machine: &mut dyn Machine, op: BinaryOp, left: &Value, right: &Value) -> Outcome {
    match (left, right) {
        (Value::Tensor(_), _) if takes(op, right) => call_row(machine, rows(op).method, true, op.symbol(), [left, right]),
        (_, Value::Tensor(_)) if takes(op, left) => {
            let found = rows(op);
            if op == BinaryOp::Div {
                // PyTorch multiplies by the reciprocal, which rounds otherwise than a division.
                let inverse = call_row(machine, ops::method("reciprocal"), true, op.symbol(), [right])?;
                return call_row(machine, rows(BinaryOp::Mul).method, true, op.symbol(), [&inverse, left]);
            }
            match found.swapped {
                Some(_) => call_row(machine, found.swapped, false, op.symbol(), [right, left]),
                None => call_row(machine, found.function, false, op.symbol(), [left, right]),
            }
        }
        _ => types::operate::binary(machine, op, left, right),
    }
}

/// `left op= right`: lists, sets, dicts and tensors change, other values make a new one.
pub fn inplace(machine: &mut dyn Machine, op: BinaryOp, left: &Value, right: &Value) -> Outcome {
    if let (Value::Tensor(_), true, Some(number)) = (left, op != BinaryOp::MatMul, number_of_numpy(right)) {
        return inplace(machine, op, left, &number);
    }
    match left {
        Value::Tensor(_) if is_operand(right) && rows(op).inplace.is_some() => {
            call_row(machine, rows(op).inplace, true, op.symbol(), [left, right])
        }
        Value::Tensor(_) if takes(op, right) => binary(machine, op, left, right),
        _ if matches!(right, Value::Tensor(_)) && is_operand(left) => binary(machine, op, left, right),
        _ => types::operate::inplace(machine, op, left, right),
    }
}

/// Python's number for a number of numpy's own; arrays are none.
fn number_of_numpy(value: &Value) -> Option<Value> {
    match value {
        Value::Object(object) if object.class() != Some(Class::NdArray) => ops::number_of_numpy(value),
        _ => None,
    }
}

/// True for what Python counts among its numbers: all but truth values.
fn is_number_of_numpy(value: &Value, number: &Value) -> bool {
    !(matches!(number, Value::Float(_)) && value.type_name().ends_with(".bool"))
}

/// `-value`, `+value`, `~value`.
pub fn unary(machine: &mut dyn Machine, op: UnaryOp, value: &Value) -> Outcome {
    static ROWS: OnceLock<[Option<&'static OpSet>; 3]> = OnceLock::new();
    let rows = || ROWS.get_or_init(|| ["neg", "bitwise_not", "positive"].map(ops::method));
    let row = match (value, op) {
        (Value::Tensor(_), UnaryOp::Neg) => rows()[0],
        (Value::Tensor(t), UnaryOp::Invert) if !t.dtype().is_integral(true) => {
            fault!(TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type tensors")
        }
        (Value::Tensor(_), UnaryOp::Invert) => rows()[1],
        (Value::Tensor(_), UnaryOp::Pos) => rows()[2],
        _ => return types::operate::unary(machine, op, value),
    };
    call_row(machine, row, true, op_symbol(op), [value])
}

fn op_symbol(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::Pos => "+",
        UnaryOp::Invert => "~",
        UnaryOp::Not => "not",
    }
}

/// `left op right` for every comparison; a tensor among the operands of an ordering gives a tensor.
pub fn compare(machine: &mut dyn Machine, op: CompareOp, left: &Value, right: &Value) -> Outcome {
    match op {
        CompareOp::Is => return Ok(Value::Bool(left.is(right))),
        CompareOp::IsNot => return Ok(Value::Bool(!left.is(right))),
        CompareOp::In => return Ok(Value::Bool(contains(machine, right, left)?)),
        CompareOp::NotIn => return Ok(Value::Bool(!contains(machine, right, left)?)),
        _ => {}
    }
    match (left, right) {
        (Value::Tensor(_), _) if is_operand(right) => call_row(machine, comparison(op).method, true, op.symbol(), [left, right]),
        (_, Value::Tensor(_)) if is_operand(left) => call_row(machine, comparison(op).swapped, false, op.symbol(), [right, left]),
        _ => types::compare::compare(machine, op, left, right),
    }
}

/// `item in container`.
pub fn contains(machine: &mut dyn Machine, container: &Value, item: &Value) -> Outcome<bool> {
    match container {
        Value::Tensor(_) => tensor_contains(machine, container, item),
        _ => types::compare::contains(machine, container, item),
    }
}

/// `bool(value)`.
pub fn truth(value: &Value) -> Outcome<bool> {
    match value {
        Value::Bool(b) => Ok(*b),
        Value::None => Ok(false),
        Value::Int(i) => Ok(*i != 0),
        Value::Tensor(t) => match t.numel() {
            1 => Ok(ops::exec::item(t)?.to_bool()),
            0 => fault!(RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
            _ => fault!(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
        },
        other => types::truth::truth(other),
    }
}

/// PyTorch's rule: true when any element equals a number or another tensor.
fn tensor_contains(machine: &mut dyn Machine, tensor: &Value, item: &Value) -> Outcome<bool> {
    if let Some(number) = number_of_numpy(item).filter(|number| is_number_of_numpy(item, number)) {
        return tensor_contains(machine, tensor, &number);
    }
    if !is_operand(item) {
        fault!(
            RuntimeError,
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class '{}'>.",
            types::repr::class_text(item)
        );
    }
    let equal = compare(machine, CompareOp::Eq, item, tensor)?;
    let any = call_row(machine, ops::method("any"), true, "in", [&equal])?;
    truth(&any)
}

/// What an operator of a tensor takes: a tensor or a number.
fn is_operand(value: &Value) -> bool {
    matches!(value, Value::Tensor(_) | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Complex(_))
}

fn call_row<const N: usize>(
    machine: &mut dyn Machine,
    row: Option<&'static OpSet>,
    method: bool,
    symbol: &str,
    operands: [&Value; N],
) -> Outcome {
    if let Some(result) = row.and_then(|set| ops::call_directly(set, &operands)) {
        return Ok(result?);
    }
    match row {
        Some(set) => {
            let positional: SmallVec<[Value; 2]> = operands.into_iter().cloned().collect();
            ops::call_with(machine, set, method, CallRef { positional: &positional, keyword: &[] })
        }
        None => Err(Raise::new(ErrorClass::NotImplementedError, format!("tensors have no operator {symbol} in this build"))),
    }
}
