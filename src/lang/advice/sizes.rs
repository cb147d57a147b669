//! Ways out that depend on the operands.

use super::{Case, shape};
use crate::layout::broadcast_sizes;
use crate::tensor::Tensor;
use crate::value::Value;

impl Case<'_> {
    /// The operands that are tensors.
    fn tensors(&self) -> impl Iterator<Item = (usize, &Tensor)> {
        self.operands.iter().enumerate().filter_map(|(k, (_, value))| match value {
            Value::Tensor(tensor) => Some((k, tensor)),
            _ => None,
        })
    }

    /// Text and sizes of the first two tensors that do not broadcast.
    fn pair(&self) -> Option<[(Option<&str>, Vec<i64>); 2]> {
        let tensors: Vec<_> = self.tensors().map(|(k, t)| (self.name(k), t.sizes().to_vec())).collect();
        let pairs = tensors.iter().enumerate().flat_map(|(k, a)| tensors.iter().skip(k + 1).map(move |b| [a, b]));
        pairs.into_iter().find(|[a, b]| broadcast_sizes(&a.1, &b.1).is_err()).map(|[a, b]| [a.clone(), b.clone()])
    }

    /// What a hole held, as a number.
    fn number(&self, k: usize) -> Option<i64> {
        self.found.get(k)?.trim().parse().ok()
    }
}

/// From an operand's sizes to those that a change gives them, where it can be made.
type Change = fn(&[i64]) -> Option<Vec<i64>>;

/// A change of one operand that may make the sizes fit: text behind the operand, and the sizes it gives.
const CHANGES: [(&str, Change); 2] =
    [(".unsqueeze(1)", |s| (s.len() == 1).then(|| vec![s[0], 1])), (".T", |s| (s.len() == 2).then(|| vec![s[1], s[0]]))];

/// Two operands that do not broadcast.
pub(super) fn broadcast(case: &Case) -> Option<String> {
    const RULE: &str = "sizes are lined up from the last dim; each pair must be equal or hold a 1";
    let fix = case.pair().and_then(|[a, b]| {
        // What is written in place keeps its size: only the other operand can change.
        let in_place = case.text.contains("_(") || case.text.contains("= ");
        let fits = |change: &(Option<&str>, Vec<i64>), other: &[i64]| {
            CHANGES.iter().find_map(|(text, to)| {
                let sizes = to(&change.1)?;
                let joint = broadcast_sizes(&sizes, other).ok()?;
                (!in_place || joint.as_slice() == other).then_some(())?;
                Some(format!(": {}{text} is {} and fits {}", change.0?, shape(&sizes), shape(other)))
            })
        };
        fits(&b, &a.1).or_else(|| if in_place { None } else { fits(&a, &b.1) })
    });
    Some(format!("{RULE}{}", fix.unwrap_or_default()))
}

/// A product whose inner sizes differ.
pub(super) fn matmul(case: &Case) -> Option<String> {
    let [m, k, l, n] = [0, 1, 2, 3].map(|i| case.number(i));
    let (m, k, l, n) = (m?, k?, l?, n?);
    let name = |k: usize| case.name(k).unwrap_or(["the first", "the second"][k]);
    let turned = if case.tensors().any(|(_, t)| t.sizes().len() > 2) { "mT" } else { "T" };
    Some(match () {
        () if k == n => format!("{}.{turned} is ({n}, {l}): ({m}, {k}) @ ({n}, {l}) gives ({m}, {l})", name(1)),
        () if m == l => format!("{}.{turned} is ({k}, {m}): ({k}, {m}) @ ({l}, {n}) gives ({k}, {n})", name(0)),
        () => format!("the columns of {} ({k}) must be as many as the rows of {} ({l})", name(0), name(1)),
    })
}

/// A view of another number of elements.
pub(super) fn view(case: &Case) -> Option<String> {
    let count = case.number(1)?;
    let sizes: Vec<i64> = case.found.first()?.split(',').filter_map(|s| s.trim().parse().ok()).collect();
    let known = sizes.iter().filter(|s| **s >= 0).try_fold(1i64, |n, s| n.checked_mul(*s))?;
    if sizes.contains(&-1) {
        return Some(format!("-1 is what is left: {count} / {known} is not whole"));
    }
    let pairs: Vec<String> =
        (2..count.min(1000)).filter(|d| count % d == 0).map(|d| format!("({d}, {})", count / d)).take(4).collect();
    let fits = if sizes.len() == 2 && !pairs.is_empty() { format!("; {} do", pairs.join(", ")) } else { String::new() };
    Some(format!("{} holds {known} elements, not {count}{fits}", shape(&sizes)))
}

/// `as_strided` beyond the end of a storage.
pub(super) fn strided(case: &Case) -> Option<String> {
    let (_, tensor) = case.tensors().next()?;
    let bytes = case.number(0)?;
    let cells = bytes / tensor.dtype().size() as i64;
    Some(format!(
        "the storage has {cells} cells, 0 to {}: the last index times the strides plus the offset must stay there",
        cells - 1
    ))
}

/// An index beyond the end of a dim.
pub(super) fn index(case: &Case) -> Option<String> {
    let size = case.number(1)?;
    Some(format!("dim {} has the indices 0 to {}, or counted from the last -1 to -{size}", case.found.first()?, size - 1))
}

/// An index beyond the rows of a table.
pub(super) fn rows(case: &Case) -> Option<String> {
    let (_, table) = case.tensors().next()?;
    Some(format!("the table is {}: indices stay below the size of the dim they select", shape(&table.sizes())))
}

/// An index beyond the end of a list or tuple.
pub(super) fn sequence(case: &Case) -> Option<String> {
    let length = match case.operands.first()?.1 {
        Value::List(items) => items.borrow().len(),
        Value::Tuple(items) => items.len(),
        _ => return None,
    };
    match length {
        0 => Some("it is empty".to_string()),
        n => Some(format!("it has {n} items: indices 0 to {}, or from the last -1 to -{n}", n - 1)),
    }
}

/// A key that a dict does not have.
pub(super) fn keys(case: &Case) -> Option<String> {
    const SHOWN: usize = 6;
    let Value::Dict(dict) = case.operands.first()?.1 else { return None };
    let dict = dict.borrow();
    let keys: Vec<String> = dict.keys().take(SHOWN).filter_map(|k| plain(k.value())).collect();
    match (dict.len(), keys.len()) {
        (0, _) => Some("the dict is empty".to_string()),
        (all, shown) if shown > 0 => {
            let more = if all > shown { ", ..." } else { "" };
            Some(format!("its keys are {}{more}; .get(key) gives None for one that is not there", keys.join(", ")))
        }
        _ => None,
    }
}

/// A number or a short text as Python writes it.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Int(n) => Some(n.to_string()),
        Value::Str(text) if text.len() <= 20 && !text.contains('\'') => Some(format!("'{text}'")),
        _ => None,
    }
}
