//! Marks the expressions that the evaluator may try on plain numbers.

use super::tree::{Node, Op};
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::value::Value;

/// Wraps an operation whose operands are local variables, number constants, or such operations: then these lose their own
/// wrapping, so that only the largest such expression has one.
pub fn wrap(mut node: Node) -> Node {
    let Some(operands) = operands(&mut node.op) else { return node };
    if !operands.iter().all(|operand| is_leaf(operand) || matches!(operand.op, Op::Quick(_))) {
        return node;
    }
    operands.into_iter().for_each(unwrap);
    let span = node.span;
    Node { op: Op::Quick(Box::new(node)), span }
}

fn unwrap(node: &mut Node) {
    match std::mem::replace(&mut node.op, Op::Const(Value::None)) {
        Op::Quick(inner) => *node = *inner,
        op => node.op = op,
    }
}

fn is_leaf(node: &Node) -> bool {
    matches!(
        node.op,
        Op::LocalInt(_)
            | Op::IntLocal(_)
            | Op::CompareInt(_)
            | Op::Local(_)
            | Op::Load(_)
            | Op::Const(Value::Int(_) | Value::Float(_) | Value::Bool(_))
    )
}

/// The operands of an operation that has a meaning on plain numbers.
fn operands(op: &mut Op) -> Option<Vec<&mut Node>> {
    Some(match op {
        Op::Binary(it) if it.op != BinaryOp::MatMul => vec![&mut it.left, &mut it.right],
        Op::Compare(it) if it.op.is_of_values() => vec![&mut it.left, &mut it.right],
        Op::IfElse(it) => vec![&mut it.test, &mut it.body, &mut it.orelse],
        Op::Not(operand) | Op::Unary(UnaryOp::Neg, operand) => vec![operand],
        Op::And(it) | Op::Or(it) => vec![&mut it.0, &mut it.1],
        Op::Subscript(it) => {
            let (object, index) = &mut **it;
            match &object.op {
                Op::Local(_) | Op::Load(_) => vec![index],
                Op::Quick(inner) if is_item_of_variable(inner) => vec![object, index],
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// `rows[i]`, which was found to be quick before, as the object of `rows[i][j]`.
fn is_item_of_variable(node: &Node) -> bool {
    matches!(&node.op, Op::Subscript(it) if matches!(it.0.op, Op::Local(_) | Op::Load(_)))
}
