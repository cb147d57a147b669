//! Ways out that depend on the operands.

use super::{Advice, Case, shape};
use crate::diag::Change;
use crate::dtype::promote;
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
type Sizes = fn(&[i64]) -> Option<Vec<i64>>;

/// A change of one operand that may make the sizes fit: text behind the operand, and the sizes it gives.
const CHANGES: [(&str, Sizes); 2] =
    [(".unsqueeze(1)", |s| (s.len() == 1).then(|| vec![s[0], 1])), (".T", |s| (s.len() == 2).then(|| vec![s[1], s[0]]))];

/// Two operands that do not broadcast. That a vector is to be a column is certain; which of two matrices to turn round is not.
pub(super) fn broadcast(case: &Case) -> Option<Advice> {
    const RULE: &str = "sizes are lined up from the last dim; each pair must be equal or hold a 1";
    let fix = case.pair().and_then(|[a, b]| {
        // What is written in place keeps its size: only the other operand can change.
        let in_place = case.text.contains("_(") || case.text.contains("= ");
        let fits = |change: &(Option<&str>, Vec<i64>), other: &[i64]| {
            CHANGES.iter().find_map(|(text, to)| {
                let sizes = to(&change.1)?;
                let joint = broadcast_sizes(&sizes, other).ok()?;
                // A vector made a column beside another vector is a table of all pairs, which is hardly what was meant.
                (!(in_place || change.1.len() == 1) || joint.as_slice() == other).then_some(())?;
                let (from, to) = (change.0?, format!("{}{text}", change.0?));
                let is_column = sizes.len() == 2 && sizes[1] == 1 && joint.as_slice() == other;
                let said = format!(": {to} is {} and fits {}", shape(&sizes), shape(other));
                Some((said, is_column.then(|| Change { from: from.to_string(), to })))
            })
        };
        fits(&b, &a.1).or_else(|| if in_place { None } else { fits(&a, &b.1) })
    });
    let (said, change) = fix.unwrap_or_default();
    Some((format!("{RULE}{said}"), change))
}

/// A product whose inner sizes differ. Where only one of the operands can be turned round, or was turned round in the text, the
/// change is certain.
pub(super) fn matmul(case: &Case) -> Option<Advice> {
    let [m, k, l, n] = [0, 1, 2, 3].map(|i| case.number(i));
    let (m, k, l, n) = (m?, k?, l?, n?);
    let name = |k: usize| case.name(k).unwrap_or(["the first", "the second"][k]);
    let turned = if case.tensors().any(|(_, t)| t.sizes().len() > 2) { "mT" } else { "T" };
    let is_matrix = |k: usize| matches!(case.operands.get(k), Some((_, Value::Tensor(t))) if t.ndim() >= 2);
    let mended = |which: usize, [rows, columns]: [i64; 2], product: String| {
        // What was turned round in the text is better left as it is.
        let bare = TURNS.iter().find_map(|turn| name(which).strip_suffix(turn));
        let to = bare.map_or_else(|| format!("{}.{turned}", name(which)), String::from);
        let is_certain = (k == n) != (m == l) && is_matrix(which) && case.name(which).is_some();
        let change = is_certain.then(|| Change { from: name(which).to_string(), to: to.clone() });
        (format!("{to} is ({rows}, {columns}): {product}"), change)
    };
    Some(match () {
        () if k == n => mended(1, [n, l], format!("({m}, {k}) @ ({n}, {l}) gives ({m}, {l})")),
        () if m == l => mended(0, [k, m], format!("({k}, {m}) @ ({l}, {n}) gives ({k}, {n})")),
        () => (format!("the columns of {} ({k}) must be as many as the rows of {} ({l})", name(0), name(1)), None),
    })
}

/// How a matrix is turned round.
const TURNS: [&str; 3] = [".t()", ".T", ".mT"];

/// A view of another number of elements.
pub(super) fn view(case: &Case) -> Option<String> {
    let count = case.number(1)?;
    let sizes: Vec<i64> = case.found.first()?.split(',').filter_map(|s| s.trim().parse().ok()).collect();
    let known = sizes.iter().filter(|s| **s >= 0).try_fold(1i64, |n, s| n.checked_mul(*s))?;
    if sizes.contains(&-1) && known == 0 {
        return Some("beside a size of 0 any number could stand for -1: give it".to_string());
    }
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
    let [needed, cells] = [case.number(0)?, case.number(1)?].map(|bytes| bytes / tensor.dtype().size() as i64);
    Some(format!(
        "the last index times the strides plus the offset is cell {}, and the storage ends at cell {}",
        needed - 1,
        cells - 1
    ))
}

/// A tensor that is to be repeated, or written where an index picks another size.
pub(super) fn expand(case: &Case) -> Option<String> {
    let target = case.found.get(2)?;
    Some(match case.text.ends_with(']') {
        true => format!("what is written must fit the [{target}] that is picked: sizes from the last dim, equal or 1"),
        false => "expand repeats dims of size 1 only; .repeat(...) copies, .unsqueeze(dim) makes such a dim".to_string(),
    })
}

/// Two dtypes in an operation that does not promote: what loses nothing.
pub(super) fn dtypes(case: &Case) -> Option<String> {
    let mut tensors = case.tensors();
    let ((a, first), (b, second)) = (tensors.next()?, tensors.next()?);
    let common = promote(first.dtype(), second.dtype())?;
    let way = match (case.name(a), case.name(b)) {
        (Some(a), Some(b)) if common == first.dtype() => format!("{b}.to({a}.dtype)"),
        (Some(a), Some(b)) if common == second.dtype() => format!("{a}.to({b}.dtype)"),
        _ => format!(".to(torch.{})", common.name()),
    };
    Some(format!("this operation does not promote, make both the same dtype: {way}"))
}

/// An index beyond the end of a dim.
pub(super) fn index(case: &Case) -> Option<String> {
    let size = case.number(1)?;
    // These do not count from the end.
    if ["gather", "scatter"].iter().any(|name| case.text.contains(name)) {
        return Some(format!("dim {} has the indices 0 to {}", case.found.first()?, size - 1));
    }
    Some(format!("dim {} has the indices 0 to {}, or counted from the last -1 to -{size}", case.found.first()?, size - 1))
}

/// An index beyond the rows of a table.
pub(super) fn rows(case: &Case) -> Option<String> {
    let tensors: Vec<&Tensor> = case.tensors().map(|(_, tensor)| tensor).collect();
    // Of a table of integers and its indices the table comes first; a layer holds its own.
    let table = match tensors.iter().find(|tensor| !tensor.dtype().is_integral(true)) {
        Some(table) => table,
        None if tensors.len() > 1 => tensors.first()?,
        None => return Some("indices count from 0 and stay below the number of rows of the table".to_string()),
    };
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
