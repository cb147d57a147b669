//! `%explain x[1, ::2]`: what each index does.

use super::super::Call;
use super::act::Act;
use super::{generic, shadow};
use crate::diag::{Source, Span};
use crate::ops::{self, trace};
use crate::show::Doc;
use crate::show::picture::{self, Index, Named, Pick};
use crate::syntax;
use crate::syntax::ast::ExprKind;
use crate::tensor::Tensor;
use crate::value::{Outcome, Value};

/// The explanation of `x[index]`.
pub(super) fn explained(call: &mut Call, act: &Act, text: &str) -> Outcome<Doc> {
    let [base, index] = act.parts.as_slice() else { return Err(super::nothing_to_say()) };
    let Value::Tensor(tensor) = &base.value else { return Err(super::nothing_to_say()) };
    if tensor.is_sparse() {
        let tried = shadow::tried(call, act);
        return generic(call, act, &tried, text);
    }
    let items = match &index.value {
        Value::Tuple(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    let texts = texts(&index.name, items.len());
    let indices: Vec<Index> = items.iter().zip(&texts).map(|(item, text)| Index { text, pick: pick(item) }).collect();
    let base = Named { name: base.name.clone(), tensor: tensor.clone() };
    match picture::subscript(&base, text, &indices, call.width()) {
        Ok(doc) => Ok(doc),
        Err(_) => {
            let tried = shadow::tried(call, act);
            generic(call, act, &tried, text)
        }
    }
}

/// The view that an index is, when it gathers no elements.
pub(super) fn view(tensor: &Tensor, index: &Value) -> Option<Tensor> {
    let plain = match index {
        Value::Tuple(items) => items.iter().all(|item| !matches!(pick(item), Pick::Elements)),
        one => !matches!(pick(one), Pick::Elements),
    };
    let (view, _) = trace::record(|| plain.then(|| ops::index::get(tensor, index)));
    match view {
        Some(Ok(Value::Tensor(view))) => Some(view),
        _ => None,
    }
}

fn pick(item: &Value) -> Pick {
    let bound = |value: &Value| if let Value::Int(i) = value { Some(*i) } else { None };
    match item {
        Value::Int(i) => Pick::One(*i),
        Value::None => Pick::New,
        Value::Ellipsis => Pick::Rest,
        Value::Slice(parts) => Pick::Some(bound(&parts[0]), bound(&parts[1]), bound(&parts[2]).unwrap_or(1)),
        _ => Pick::Elements,
    }
}

/// The texts of the items of an index.
fn texts(index: &str, count: usize) -> Vec<String> {
    let source = Source::new("<index>", format!("_[{index}]"));
    let parsed = syntax::parse_expression(&source, Span::new(0, source.text.len())).map(|expr| expr.kind);
    match parsed {
        Ok(ExprKind::Subscript(_, parts)) => match parts.kind {
            ExprKind::Tuple(parts) if parts.len() == count => {
                parts.iter().map(|p| source.text.get(p.span.range()).unwrap_or_default().to_string()).collect()
            }
            _ => vec![index.to_string(); count],
        },
        _ => vec![index.to_string(); count],
    }
}
