//! The line below a tensor's text at the prompt: what of, and how, it is a view.

use super::facts;
use crate::show::{Doc, Style, narrate};
use crate::tensor::Tensor;
use unicode_width::UnicodeWidthStr;

/// What the footer says of a tensor, in lines of at most `width` columns that end after whole parts; `names` are the variables, and
/// `always` says it of tensors without anything special too. None for a sparse tensor, and where there is nothing to say.
pub fn footer(tensor: &Tensor, names: &[(String, Tensor)], always: bool, width: usize) -> Option<Doc> {
    let storage = tensor.storage().ok()?;
    let layout = tensor.layout();
    let name_of = |wanted: &dyn Fn(&Tensor) -> bool| names.iter().find(|(_, t)| wanted(t)).map(|(name, _)| name.as_str());
    let base = tensor.base();
    let of = base.and_then(|base| name_of(&|t| t.same(base)));
    // A view of what has no name any more: who else is there?
    let shares = |t: &Tensor| !t.same(tensor) && t.storage().is_ok_and(|s| s.same(&storage));
    let is_named = name_of(&|t| t.same(tensor)).is_some();
    let beside = base.filter(|_| !is_named || !layout.is_plain()).and_then(|_| name_of(&shares));
    if !always && of.or(beside).is_none() && layout.is_plain() {
        return None;
    }
    let mut parts = vec![match (base, of, beside) {
        (_, Some(name), _) => format!("view of {name}"),
        (_, None, Some(name)) => format!("shares #{} with {name}", storage.label()),
        (Some(_), None, None) => format!("view of #{}", storage.label()),
        (None, None, None) => format!("#{}", storage.label()),
    }];
    let [size, stride, offset] = facts::geometry(&layout);
    parts.extend([size.clone(), format!("stride {stride}"), format!("offset {offset}")]);
    let mut words = vec![];
    if !layout.is_contiguous() {
        words.push("not contiguous".to_string());
    }
    words.extend(facts::remarks(tensor).iter().filter(|word| **word != "requires grad").map(|word| word.to_string()));
    parts.extend(words.iter().cloned());
    let view = parts[0].replace('#', "storage ");
    let told = [vec![view, narrate::size(&size), narrate::stride(&stride), format!("offset {offset}")], words].concat();
    let told: Vec<String> = told.into_iter().filter(|part| !part.is_empty()).collect();
    let mut doc = Doc::new();
    for line in lines(&parts, width) {
        doc.push(Style::Faint, &format!("  {line}")).newline();
    }
    Some(doc.told_as(narrate::ended(told.join(", "))))
}

/// The parts with dots between them, in lines that leave two columns free.
fn lines(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.width() + part.width() + 5 <= width => {
                line.push_str(" · ");
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn narrow_terminals_get_whole_parts() {
        let parts = ["view of points", "(3,)", "stride (4,)", "offset 0", "not contiguous"].map(String::from);
        let whole = "view of points · (3,) · stride (4,) · offset 0 · not contiguous";
        assert_eq!(lines(&parts, 80), [whole]);
        assert_eq!(lines(&parts, 40), ["view of points · (3,) · stride (4,)", "offset 0 · not contiguous"]);
        assert_eq!(lines(&parts, 5).len(), 5);
    }
}
