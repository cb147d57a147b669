//! The gradients of arguments: texts of the language, which stand on the row of their operation.

use crate::dtype::DType;
use crate::ops::Op;

/// Functions whose gradients PyTorch computes in one kernel: numbers of 16 bits are float32 in it, and the gradient is rounded once.
const IN_FLOAT: &[&str] = &[
    "batch_norm",
    "log_softmax",
    "logcumsumexp",
    "nn.functional.adaptive_avg_pool1d",
    "nn.functional.adaptive_avg_pool2d",
    "nn.functional.avg_pool2d",
    "nn.functional.batch_norm",
    "nn.functional.celu",
    "nn.functional.elu",
    "nn.functional.gelu",
    "nn.functional.group_norm",
    "nn.functional.hardswish",
    "nn.functional.huber_loss",
    "nn.functional.instance_norm",
    "nn.functional.interpolate",
    "nn.functional.log_softmax",
    "nn.functional.mish",
    "nn.functional.mse_loss",
    "nn.functional.selu",
    "nn.functional.silu",
    "nn.functional.smooth_l1_loss",
    "nn.functional.softmax",
    "nn.functional.softmin",
    "nn.functional.softplus",
    "nn.functional.tanhshrink",
    "softmax",
    "special.log_softmax",
    "special.softmax",
    "tanh",
];

/// True for a function of which gradients of this dtype of 16 bits are computed in float32.
pub(super) fn is_in_float(op: &Op, dtype: DType) -> bool {
    let by_kind = dtype == DType::BF16 && matches!(op.name(), "sigmoid" | "special.expit");
    by_kind || IN_FLOAT.binary_search(&op.name()).is_ok()
}

/// What follows the name of a tensor when only its form is looked at.
const FORM_ONLY: [&str; 7] = [".shape", ".ndim", ".dtype", ".device", ".numel()", ".new_zeros(", ".is_complex()"];

/// The rule for a parameter of an operation.
pub(super) fn rule(op: &Op, param: &str) -> Option<&'static str> {
    op.gradients.iter().find(|(known, _)| *known == param).map(|(_, text)| *text)
}

/// How the gradient of a sparse tensor follows from that of one with its dimensions in another order, which lies nowhere.
const TURNED: [(&str, &str); 4] = [
    ("mT", "grad.mT"),
    ("permute", "grad.permute([[d % self.ndim for d in dims].index(k) for k in range(self.ndim)])"),
    ("t", "grad.t()"),
    ("transpose", "grad.transpose(dim0, dim1)"),
];

/// The rule of a view of a sparse tensor.
pub(super) fn turned(op: &Op) -> Option<&'static str> {
    TURNED.iter().find(|(known, _)| *known == op.name()).map(|(_, text)| *text)
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
pub fn has(op: &Op) -> bool {
    !op.gradients.is_empty()
}

/// True when the rule of some parameter looks at the elements of one.
pub fn any_reads(op: &Op, param: &str) -> bool {
    op.gradients.iter().any(|(_, text)| reads(text, param))
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

/// True when a text looks at the elements of one of the results.
pub(super) fn reads_result(text: &str, place: usize) -> bool {
    let others =
        |text: &str| (0..9).filter(|k| *k != place).fold(text.to_string(), |text, k| text.replace(&format!("results[{k}]"), ""));
    place == 0 && reads(text, "result") || reads(&others(text), "results")
}

#[cfg(test)]
mod tests {
    use crate::ops;

    #[test]
    fn every_rule_is_of_a_parameter_that_there_is() {
        let has = |op: &ops::Op, name: &str| op.schema().is_ok_and(|schema| schema.params.iter().any(|p| p.name == name));
        let strays =
            ops::rows().flat_map(|op| op.gradients.iter().filter(|(param, _)| !has(op, param)).map(|rule| (op.schema, rule.0)));
        let strays: Vec<_> = strays.collect();
        assert!(strays.is_empty(), "{strays:?}");
    }
}
