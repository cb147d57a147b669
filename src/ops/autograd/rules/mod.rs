//! The gradients of arguments: texts of the language, which stand on the row of their operation. Those of families whose rows do not
//! carry them yet stand in tables here.

mod network;
mod signal;

use crate::ops::Op;

/// A rule: the operation, the parameter, the text.
pub(super) struct Rule {
    op: &'static str,
    param: &'static str,
    text: &'static str,
}

/// A rule for every row of the name.
const fn of(op: &'static str, param: &'static str, text: &'static str) -> Rule {
    Rule { op, param, text }
}

/// The families, as far as their rows do not carry them yet.
const ALL: [&[Rule]; 2] = [network::RULES, signal::RULES];

/// What follows the name of a tensor when only its form is looked at.
const FORM_ONLY: [&str; 7] = [".shape", ".ndim", ".dtype", ".device", ".numel()", ".new_zeros(", ".is_complex()"];

/// The rule for a parameter of an operation.
pub(super) fn rule(op: &Op, param: &str) -> Option<&'static str> {
    let fits = |rule: &&Rule| rule.op == op.name() && rule.param == param;
    let own = op.gradients.iter().find(|(known, _)| *known == param).map(|(_, text)| *text);
    own.or_else(|| ALL.into_iter().flatten().find(fits).map(|rule| rule.text))
}

/// The rules of an operation for those of its parameters that have one, as they are shown; none of what is computed again in steps.
pub fn shown(op: &'static Op) -> Vec<(&'static str, &'static str)> {
    let Ok(schema) = op.schema() else { return Vec::new() };
    let rules = schema.params.iter().filter_map(|p| Some((p.name.as_str(), rule(op, &p.name)?)));
    rules.filter(|(_, text)| !text.contains(AGAIN)).collect()
}

/// What only a rule that computes its result again contains.
const AGAIN: &str = "torch.autograd.grad(again";

/// True when an operation has rules.
pub(super) fn has(op: &Op) -> bool {
    !op.gradients.is_empty() || ALL.into_iter().flatten().any(|rule| rule.op == op.name())
}

/// True when a text looks at the elements of what it names so.
pub(super) fn reads(text: &str, name: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let rest = &text[at + name.len()..];
        !text[..at].ends_with(|c| part_of_word(c) || c == '.')
            && !rest.starts_with(part_of_word)
            && !FORM_ONLY.iter().any(|form| rest.starts_with(form))
    })
}

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::ops;

    #[test]
    fn every_rule_is_of_a_parameter_that_there_is() {
        let has = |op: &ops::Op, name: &str| op.schema().is_ok_and(|schema| schema.params.iter().any(|p| p.name == name));
        let fits = |rule: &super::Rule, op: &ops::Op| op.name() == rule.op && has(op, rule.param);
        let lost: Vec<_> = ALL.into_iter().flatten().filter(|rule| !ops::rows().any(|op| fits(rule, op))).collect();
        let names: Vec<_> = lost.iter().map(|rule| (rule.op, rule.param)).collect();
        assert!(names.is_empty(), "{names:?}");
        let strays =
            ops::rows().flat_map(|op| op.gradients.iter().filter(|(param, _)| !has(op, param)).map(|rule| (op.schema, rule.0)));
        let strays: Vec<_> = strays.collect();
        assert!(strays.is_empty(), "{strays:?}");
    }
}
