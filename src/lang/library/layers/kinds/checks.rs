//! What is wrong with the settings of a layer before it is made.

use super::{Kind, setting, text};
use crate::lang::types::class::class_text;
use crate::ops::number_of_numpy;
use crate::value::Value;
use anyhow::Result;

type Given<'s> = &'s [(&'static str, Value)];

impl Kind {
    /// Fails on settings that PyTorch refuses: a probability outside 0 to 1, channels that cannot be shared out, paddings that there
    /// are not, and what has another class than it must have.
    pub fn check(&self, settings: Given) -> Result<()> {
        match (self.maker(), self.module) {
            ("Softmax" | "LogSoftmax", _) => check_dimension(settings),
            ("_DropoutNd", _) => check_probability(settings),
            ("_LPPoolNd", _) => check_order(settings),
            ("Hardtanh", _) => check_limits(settings),
            ("Unflatten", _) => check_sizes(settings),
            (_, "loss") => check_weights(settings).and_then(|()| check_loss(self.name, settings)),
            _ if self.stem().starts_with("ConvTranspose") && text(settings, "padding_mode") != "zeros" => {
                fault!(ValueError, "Only \"zeros\" padding mode is supported for {}", self.name)
            }
            _ if self.stem().starts_with("Conv") => check_convolution(settings),
            _ => Ok(()),
        }
    }
}

/// A dimension is a whole number.
fn check_dimension(settings: Given) -> Result<()> {
    match setting(settings, "dim") {
        Value::None | Value::Int(_) => Ok(()),
        other => fault!(TypeError, "dim must be an int or None, got <class '{}'>", class_text(other)),
    }
}

/// There is no norm of order 0 to pool by.
fn check_order(settings: Given) -> Result<()> {
    if number(setting(settings, "norm_type")) == Some(0.0) {
        fault!(ValueError, "norm_type must be a non-zero value, but got {}", text(settings, "norm_type"));
    }
    Ok(())
}

/// The margins, orders and weights of single losses.
fn check_loss(name: &str, settings: Given) -> Result<()> {
    match (name, setting(settings, "margin"), setting(settings, "weight")) {
        ("HuberLoss", ..) if number(setting(settings, "delta")).is_none() => {
            let class = class_text(setting(settings, "delta"));
            fault!(TypeError, "delta must be a float or int, got: <class '{class}'>")
        }
        ("MultiMarginLoss", ..) if !matches!(number(setting(settings, "p")), Some(1.0 | 2.0)) => {
            fault!(ValueError, "only p == 1 and p == 2 supported")
        }
        ("MultiMarginLoss", _, Value::Tensor(weight)) if weight.ndim() != 1 => {
            fault!(ValueError, "MultiMarginLoss: expected weight to be None or 1D tensor, got {}D instead", weight.ndim())
        }
        ("TripletMarginLoss" | "TripletMarginWithDistanceLoss", margin, _)
            if number(margin).is_none() && !matches!(margin, Value::Tensor(_)) =>
        {
            fault!(TypeError, "'<=' not supported between instances of '{}' and 'int'", margin.type_name())
        }
        ("TripletMarginLoss" | "TripletMarginWithDistanceLoss", margin, _) if number(margin).is_some_and(|m| m <= 0.0) => {
            fault!(ValueError, "{name}: expected margin to be greater than 0, got {} instead", text(settings, "margin"))
        }
        _ => Ok(()),
    }
}

/// A number; none for what is not one.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Int(number) => Some(*number as f64),
        Value::Bool(flag) => Some(*flag as u8 as f64),
        other => Some(number_of_numpy(other)?.as_number()?.to_f64()),
    }
}

fn check_probability(settings: Given) -> Result<()> {
    let p = match (setting(settings, "p"), number(setting(settings, "p"))) {
        (_, Some(p)) => p,
        (Value::Tensor(_), _) => return Ok(()),
        (other, _) => fault!(TypeError, "'<' not supported between instances of '{}' and 'int'", other.type_name()),
    };
    if !(0.0..=1.0).contains(&p) {
        fault!(ValueError, "dropout probability has to be between 0 and 1, but got {}", text(settings, "p"));
    }
    Ok(())
}

/// The larger of two limits must be the larger one.
fn check_limits(settings: Given) -> Result<()> {
    let limits = [number(setting(settings, "min_val")), number(setting(settings, "max_val"))];
    if let [Some(least), Some(most)] = limits
        && most <= least
    {
        let (least, most) = (text(settings, "min_val"), text(settings, "max_val"));
        fault!(AssertionError, "max_val ({most}) must be greater than min_val ({least})");
    }
    Ok(())
}

/// The sizes that a dimension is parted into are whole numbers.
fn check_sizes(settings: Given) -> Result<()> {
    let given = setting(settings, "unflattened_size");
    let Some(items) = given.items().filter(|_| !matches!(given, Value::Str(_))) else {
        fault!(TypeError, "unflattened_size must be a tuple of ints, but found type {}", given.type_name());
    };
    match items.iter().position(|item| !matches!(item, Value::Int(_) | Value::Bool(_))) {
        Some(place) => {
            let class = items[place].type_name();
            let class = class.strip_prefix("numpy.").unwrap_or(&class);
            fault!(TypeError, "unflattened_size must be tuple of ints, but found element of type {class} at pos {place}")
        }
        None => Ok(()),
    }
}

/// What weighs a loss is a tensor.
fn check_weights(settings: Given) -> Result<()> {
    for name in ["weight", "pos_weight"] {
        let given = setting(settings, name);
        if !matches!(given, Value::None | Value::Tensor(_)) {
            let class = given.type_name();
            fault!(TypeError, "cannot assign '{class}' object to buffer '{name}' (torch Tensor or None required)");
        }
    }
    Ok(())
}

fn check_convolution(settings: Given) -> Result<()> {
    let groups = match setting(settings, "groups") {
        Value::Int(groups) => *groups,
        Value::Bool(flag) => i64::from(*flag),
        Value::Float(_) => return Ok(()),
        Value::Object(_) if let Some(Value::Int(groups)) = number_of_numpy(setting(settings, "groups")) => groups,
        other => fault!(TypeError, "'<=' not supported between instances of '{}' and 'int'", other.type_name()),
    };
    if groups <= 0 {
        fault!(ValueError, "groups must be a positive integer");
    }
    for name in ["in_channels", "out_channels"] {
        match setting(settings, name) {
            Value::Int(channels) if channels % groups != 0 => fault!(ValueError, "{name} must be divisible by groups"),
            Value::Bool(channels) if i64::from(*channels) % groups != 0 => {
                fault!(ValueError, "{name} must be divisible by groups")
            }
            Value::Float(channels) if channels % groups as f64 != 0.0 => fault!(ValueError, "{name} must be divisible by groups"),
            Value::Str(_) => fault!(TypeError, "not all arguments converted during string formatting"),
            other @ (Value::None | Value::List(_) | Value::Tuple(_)) => {
                fault!(TypeError, "unsupported operand type(s) for %: '{}' and 'int'", other.type_name())
            }
            _ => {}
        }
    }
    let (padding, mode) = (setting(settings, "padding"), setting(settings, "padding_mode"));
    let one_step =
        matches!(setting(settings, "stride"), Value::Tuple(steps) if steps.iter().all(|step| matches!(step, Value::Int(1))));
    match padding {
        Value::Str(how) if !["same", "valid"].contains(&how.as_str()) => {
            fault!(ValueError, "Invalid padding string '{}', should be one of {{'valid', 'same'}}", how.as_str())
        }
        Value::Str(how) if how.as_str() == "same" && !one_step => {
            fault!(ValueError, "padding='same' is not supported for strided convolutions")
        }
        _ => {}
    }
    if !matches!(mode, Value::Str(mode) if ["zeros", "reflect", "replicate", "circular"].contains(&mode.as_str())) {
        fault!(
            ValueError,
            "padding_mode must be one of {{'zeros', 'reflect', 'replicate', 'circular'}}, but got padding_mode='{}'",
            text(settings, "padding_mode")
        );
    }
    Ok(())
}
