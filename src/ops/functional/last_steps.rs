//! The last steps of losses, by which PyTorch names what made them.

use crate::ops::Args;
use crate::ops::args::truth;
use crate::tensor::Tensor;
use crate::value::Value;

/// Losses that end with their reduction, and the last step of those that are left as they are.
const LOSSES: &[(&str, &str)] = &[
    ("cosine_embedding_loss", "AddBackward0"),
    ("ctc_loss", "CtcLossBackward0"),
    ("gaussian_nll_loss", "MulBackward0"),
    ("hinge_embedding_loss", "AddBackward0"),
    ("kl_div", "SubBackward0"),
    ("l1_loss", "AbsBackward0"),
    ("margin_ranking_loss", "ClampMinBackward0"),
    ("multilabel_soft_margin_loss", "DivBackward0"),
    ("poisson_nll_loss", "SubBackward0"),
    ("triplet_margin_loss", "ClampMinBackward0"),
    ("triplet_margin_with_distance_loss", "ClampMinBackward0"),
];

/// The name of a loss.
pub fn by_reduction(name: &str, args: &Args) -> Option<&'static str> {
    let params = &args.op.schema().ok()?.params;
    let given = |wanted: &str| params.iter().zip(&args.values).find(|(param, _)| param.name == wanted).map(|(_, value)| value);
    let is_set = |flag: &str| matches!(given(flag), Some(Value::Bool(true)));
    let is_absolute = name == "smooth_l1_loss" && given("beta")?.as_number()?.to_f64() == 0.0;
    let name = if is_absolute { "l1_loss" } else { name };
    let (_, unreduced) = LOSSES.iter().find(|(loss, _)| *loss == name)?;
    let old = |flag: &str| given(flag).filter(|value| !matches!(value, Value::None)).map(is_set_flag);
    let of_old = match (old("size_average"), old("reduce")) {
        (None, None) => None,
        (_, Some(false)) => Some("none"),
        (Some(false), _) => Some("sum"),
        _ => Some("mean"),
    };
    let how = match (of_old, given("reduction")?) {
        (Some(how), _) => how,
        (None, Value::Str(how)) => how.as_str(),
        _ => "mean",
    };
    Some(match how {
        "sum" => "SumBackward0",
        "none" => match name {
            "gaussian_nll_loss" | "poisson_nll_loss" if is_set("full") => "AddBackward0",
            "ctc_loss" if is_set("zero_infinity") => "WhereBackward0",
            "kl_div" if is_set("log_target") => "MulBackward0",
            _ => unreduced,
        },
        "batchmean" => "DivBackward0",
        _ => "MeanBackward0",
    })
}

/// True for a flag that Python takes for true.
pub fn is_set_flag(value: &Value) -> bool {
    truth(value).unwrap_or(true)
}

/// True when one of the arguments is this word.
pub fn has_word(args: &Args, word: &str) -> bool {
    args.values.iter().any(|value| matches!(value, Value::Str(given) if given.as_str() == word))
}

/// True for a loss of classes that nothing smooths.
pub fn is_of_classes(args: &Args, inputs: &[Tensor]) -> bool {
    let smooths = args.values.iter().any(|value| matches!(value, Value::Float(smoothing) if *smoothing > 0.0));
    !smooths && inputs.get(1).is_some_and(|target| !target.dtype().is_float())
}
