//! How tensors are printed: what `torch.set_printoptions` was given, and the settings that follow from it.
//!
//! PyTorch keeps whatever it is given and finds out while it prints. So the values are kept as they are, and what printing needs
//! is derived from them.

use super::Args;
use super::scoped::scoped;
use crate::settings::{self, PrintOptions};
use crate::value::{Dict, Key, Value};
use anyhow::Result;
use num_traits::ToPrimitive;
use std::cell::RefCell;

/// The options, in the order they are listed.
pub const NAMES: [&str; 5] = ["precision", "threshold", "edgeitems", "linewidth", "sci_mode"];

thread_local! {
    static GIVEN: RefCell<[Value; 5]> = RefCell::new(profile(4, Value::Int(1000), 3));
}

fn profile(precision: i64, threshold: Value, edgeitems: i64) -> [Value; 5] {
    [Value::Int(precision), threshold, Value::Int(edgeitems), Value::Int(80), Value::None]
}

/// The options as they were given, in the order of [`NAMES`].
pub fn given() -> [Value; 5] {
    GIVEN.with_borrow(Clone::clone)
}

/// Sets one option; false when there is none of that name.
pub fn give(name: &str, value: Value) -> bool {
    let Some(place) = NAMES.iter().position(|known| *known == name) else { return false };
    let mut options = given();
    options[place] = value;
    give_all(options);
    true
}

fn give_all(options: [Value; 5]) {
    settings::change(|s| s.print = derived(&options));
    GIVEN.replace(options);
}

/// `torch.set_printoptions(…)`
pub(super) fn set_printoptions(args: &Args) -> Result<Value> {
    give_all(changed(&args.values));
    Ok(Value::None)
}

/// The options after a call with a value for each of them and for a profile, the last but one.
fn changed(values: &[Value]) -> [Value; 5] {
    let value = |place: usize| values.get(place).cloned().unwrap_or(Value::None);
    let mut options = match value(4) {
        Value::Str(name) => match name.as_str() {
            "default" => profile(4, Value::Int(1000), 3),
            "short" => profile(2, Value::Int(1000), 2),
            "full" => profile(4, Value::Float(f64::INFINITY), 3),
            _ => given(),
        },
        _ => given(),
    };
    for (place, option) in options.iter_mut().take(4).enumerate() {
        if !matches!(value(place), Value::None) {
            *option = value(place);
        }
    }
    // Every call sets it: one that does not name it goes back to deciding by the values.
    options[4] = value(5);
    options
}

/// `torch._tensor_str.printoptions(…)`: the options that hold inside a `with`.
pub(super) fn held(args: &Args) -> Result<Value> {
    let values = args.values.to_vec();
    let enter = move || {
        let before = given();
        give_all(changed(&values));
        Some(before)
    };
    Ok(scoped(enter, give_all))
}

/// The options as a dict.
pub(super) fn printoptions() -> Result<Value> {
    let mut dict = Dict::default();
    for (name, value) in NAMES.into_iter().zip(given()) {
        dict.insert(Key::new(Value::from(name))?, value);
    }
    Ok(Value::dict(dict))
}

/// What printing needs to know.
fn derived(options: &[Value; 5]) -> PrintOptions {
    let [precision, threshold, edgeitems, linewidth, sci_mode] = options;
    let plain = PrintOptions::default();
    let odd = |value: &Value| number(value).is_none().then(|| value.type_name());
    let decimals = match precision {
        Value::Bool(_) => None,
        Value::Str(digits) => digits.as_str().parse().ok(),
        other => whole(other),
    };
    // The text of a float behind the point of a format.
    let odd_precision = number(precision).filter(|n| !is_whole(precision) && n.is_finite() && n.is_sign_positive());
    PrintOptions {
        precision: number(precision).filter(|n| !n.is_finite()).map_or(decimals, |_| None).unwrap_or(-1),
        threshold: number(threshold).unwrap_or(plain.threshold),
        edgeitems: whole(edgeitems).unwrap_or(plain.edgeitems),
        linewidth: whole(linewidth).unwrap_or(plain.linewidth),
        sci_mode: match sci_mode {
            Value::None => None,
            Value::Str(text) => Some(!text.is_empty()),
            Value::List(_) | Value::Tuple(_) => Some(sci_mode.items().is_some_and(|items| !items.is_empty())),
            other => Some(number(other).is_none_or(|n| n != 0.0)),
        },
        odd_precision,
        odd_threshold: odd(threshold),
        odd_linewidth: odd(linewidth),
        endless_linewidth: number(linewidth).filter(|width| !width.is_finite()),
    }
}

/// The number that an option is: one that can be compared, or a tensor of one element.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::BigInt(n) => n.to_f64(),
        Value::Complex(_) => None,
        Value::Tensor(t) if t.numel() == 1 => Some(super::exec::item(t).ok()?.to_f64()),
        other => Some(other.as_number()?.to_f64()),
    }
}

/// Whether a number's text has digits only.
fn is_whole(value: &Value) -> bool {
    match value {
        Value::Float(_) => false,
        Value::Tensor(t) => t.dtype().is_integral(true),
        _ => true,
    }
}

fn whole(value: &Value) -> Option<i64> {
    // A number beyond what 64 bits hold is as good as the greatest they do.
    number(value).map(|n| n as i64)
}
