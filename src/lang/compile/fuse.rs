//! Marks the expressions whose operations on large tensors may run as one.

use super::tree::{Args, Node, Op};
use crate::ops;
use crate::syntax::ast::BinaryOp;
use crate::value::Value;

/// Wraps an operation one of whose operands is such an operation, too; then operands lose their own wrapping, so that only the
/// largest such expression has one.
pub fn wrap(mut node: Node) -> Node {
    let operands = operands(&mut node.op);
    if !operands.iter().any(|operand| joins(&operand.op)) {
        return node;
    }
    operands.into_iter().for_each(unwrap);
    let span = node.span;
    Node { op: Op::Fused(Box::new(node)), span }
}

fn unwrap(node: &mut Node) {
    match std::mem::replace(&mut node.op, Op::Const(Value::None)) {
        Op::Fused(inner) => *node = *inner,
        op => node.op = op,
    }
}

/// True for what may be computed together with the operation it is an operand of.
fn joins(op: &Op) -> bool {
    match op {
        Op::Fused(_) | Op::Quick(_) | Op::Unary(..) | Op::LocalInt(_) | Op::IntLocal(_) | Op::CompareInt(_) => true,
        Op::Binary(it) => it.op != BinaryOp::MatMul,
        Op::Compare(it) => it.op.is_of_values(),
        Op::Method(it) => is_operation(&it.name),
        _ => false,
    }
}

/// A name of the table of operations that does not write.
fn is_operation(name: &str) -> bool {
    !name.ends_with('_') && (ops::method(name).is_some() || ops::function(name).is_some())
}

/// The operands of an operation.
fn operands(op: &mut Op) -> Vec<&mut Node> {
    match op {
        Op::Binary(it) if it.op != BinaryOp::MatMul => vec![&mut it.left, &mut it.right],
        Op::Compare(it) if it.op.is_of_values() => vec![&mut it.left, &mut it.right],
        Op::Unary(_, operand) => vec![operand],
        Op::Method(it) if is_operation(&it.name) => {
            let args: &mut [Node] = if let Args::Plain(args) = &mut it.args { args } else { &mut [] };
            std::iter::once(&mut it.object).chain(args).collect()
        }
        _ => vec![],
    }
}
