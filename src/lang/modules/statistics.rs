//! `statistics`: means and spreads of plain numbers, computed exactly and rounded once.

use crate::diag::ErrorClass;
use crate::lang::operators;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::{convert, float, iter, sort};
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::{Class, Key, Named, Outcome, Value};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::rc::Rc;

mod normal;
mod written;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "statistics",
    rows: Table::sorted(&[
        row("correlation", Takes::Any, |c| written::run(c, "correlation")),
        row("covariance", Takes::Any, |c| written::run(c, "covariance")),
        row("fmean", Takes::Any, |c| written::run(c, "fmean")),
        row("geometric_mean", Takes::Any, |c| written::run(c, "geometric_mean")),
        row("harmonic_mean", def(&["data", "weights"], 1, 2), harmonic_mean),
        row("linear_regression", Takes::Any, linear_regression),
        row("mean", def(&["data"], 1, 1), |c| {
            let data = data(c, 1, "mean requires at least one data point")?;
            if let Some(unusual) = unusual_sum(&data)? {
                return Ok(Value::Float(unusual));
            }
            let sums = Sums::of(&data)?;
            let whole = data.iter().all(|v| matches!(v, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)));
            if whole && (&sums.sum % sums.count).is_zero() {
                return Ok(Value::big(sums.sum / sums.count));
            }
            sums.quotient(c, sums.sum.clone(), BigInt::from(sums.count) << sums.scale)
        }),
        row("median", def(&["data"], 1, 1), |c| {
            let mut data = data(c, 1, "no median for empty data")?;
            sort::sort(c.machine, &mut data, None, false)?;
            let middle = data.len() / 2;
            if data.len() % 2 == 1 {
                return Ok(data[middle].clone());
            }
            let sum = operators::binary(c.machine, BinaryOp::Add, &data[middle - 1], &data[middle])?;
            operators::binary(c.machine, BinaryOp::Div, &sum, &Value::Int(2))
        }),
        row("median_grouped", Takes::Any, |c| written::run(c, "median_grouped")),
        row("median_high", def(&["data"], 1, 1), |c| middle(c, |count| count / 2)),
        row("median_low", def(&["data"], 1, 1), |c| middle(c, |count| (count - 1) / 2)),
        row("mode", def(&["data"], 1, 1), |c| {
            let data = data(c, 1, "no mode for empty data")?;
            let keys = data.into_iter().map(Key::new).collect::<Outcome<Vec<Key>>>()?;
            let count = |item: &Key| keys.iter().filter(|other| *other == item).count();
            let most = keys.iter().map(count).max().unwrap_or(0);
            Ok(keys.iter().find(|item| count(item) == most).map_or(Value::None, |key| key.value().clone()))
        }),
        row("multimode", def(&["data"], 1, 1), |c| written::run(c, "multimode")),
        row("pstdev", def(&["data", "mu"], 1, 2), |c| spread(c, 0, "pstdev requires at least one data point").and_then(root)),
        row("pvariance", def(&["data", "mu"], 1, 2), |c| spread(c, 0, "pvariance requires at least one data point")),
        row("quantiles", Takes::Any, |c| written::run(c, "quantiles")),
        row("stdev", def(&["data", "xbar"], 1, 2), |c| spread(c, 1, "stdev requires at least two data points").and_then(root)),
        row("variance", def(&["data", "xbar"], 1, 2), |c| spread(c, 1, "variance requires at least two data points")),
    ]),
};

fn data(c: &mut Call<'_>, least: usize, refusal: &str) -> Outcome<Vec<Value>> {
    let source = c.arg(0).clone();
    let data = iter::collect(c.machine, &source)?;
    if data.len() < least {
        fault!(StatisticsError, "{refusal}");
    }
    Ok(data)
}

/// The exception of too little data, and the class of normal distributions.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("NormalDist", normal::class()), ("StatisticsError", Value::Class(Class::Exception(ErrorClass::StatisticsError)))]
}

/// The item of the sorted data at a place that follows from their count.
fn middle(c: &mut Call<'_>, place: fn(usize) -> usize) -> Outcome {
    let mut data = data(c, 1, "no median for empty data")?;
    sort::sort(c.machine, &mut data, None, false)?;
    Ok(data.get(place(data.len())).cloned().unwrap_or(Value::None))
}

/// `harmonic_mean(data, weights=None)`
fn harmonic_mean(c: &mut Call<'_>) -> Outcome {
    const NEGATIVE: &str = "harmonic mean does not support negative values";
    let data = data(c, 1, "harmonic_mean requires at least one data point")?;
    let is_less =
        |c: &mut Call<'_>, value: &Value| operators::truth(&operators::compare(c.machine, CompareOp::Lt, value, &Value::Int(0))?);
    let weights = c.some(1).cloned();
    if let ([only], None) = (&data[..], &weights) {
        if !matches!(only, Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Float(_)) {
            fault!(TypeError, "unsupported type");
        }
        return match is_less(c, only)? {
            true => fault!(StatisticsError, "{NEGATIVE}"),
            false => Ok(only.clone()),
        };
    }
    let weights = match weights {
        Some(weights) => iter::collect(c.machine, &weights)?,
        None => vec![Value::Int(1); data.len()],
    };
    if weights.len() != data.len() {
        fault!(StatisticsError, "Number of weights does not match data size");
    }
    let (mut parts, mut has_zero) = (vec![], false);
    for (weight, item) in weights.iter().zip(&data) {
        if is_less(c, item)? || is_less(c, weight)? {
            fault!(StatisticsError, "{NEGATIVE}");
        }
        match (operators::truth(weight)?, operators::truth(item)?) {
            (false, _) => parts.push(Value::Int(0)),
            (true, false) => has_zero = true,
            (true, true) => parts.push(operators::binary(c.machine, BinaryOp::Div, weight, item)?),
        }
    }
    if has_zero {
        return Ok(Value::Int(0));
    }
    let (above, below) = (Sums::of(&weights)?, Sums::of(&parts)?);
    if !below.sum.is_positive() {
        fault!(StatisticsError, "Weighted sum must be positive");
    }
    operators::binary(c.machine, BinaryOp::Div, &Value::big(above.sum << below.scale), &Value::big(below.sum << above.scale))
}

/// `linear_regression(x, y, /, *, proportional=False)`
fn linear_regression(c: &mut Call<'_>) -> Outcome {
    let values = written::run(c, "linear_regression")?.sequence().unwrap_or_default();
    Ok(Value::Named(Rc::new(Named { type_name: "LinearRegression", fields: &["slope", "intercept"], values })))
}

/// The sum of data of which some are not finite; none where all are.
fn unusual_sum(data: &[Value]) -> Outcome<Option<f64>> {
    let unusual = data.iter().filter_map(|value| if let Value::Float(x) = value { Some(*x) } else { None });
    let unusual: Vec<f64> = unusual.filter(|x| !x.is_finite()).collect();
    Ok((!unusual.is_empty()).then(|| unusual.iter().sum()))
}

/// Sums of numbers and of their squares, as whole numbers of a fine unit.
struct Sums {
    count: usize,
    sum: BigInt,
    squares: BigInt,
    /// The unit is 2 to the power of minus this.
    scale: usize,
}

impl Sums {
    fn of(data: &[Value]) -> Outcome<Sums> {
        let ratios = data.iter().map(ratio).collect::<Outcome<Vec<_>>>()?;
        let scale = ratios.iter().map(|(_, below)| below.bits() as usize - 1).max().unwrap_or(0);
        let (mut sum, mut squares) = (BigInt::zero(), BigInt::zero());
        for (above, below) in ratios {
            let units = above << (scale + 1 - below.bits() as usize);
            squares += &units * &units;
            sum += units;
        }
        Ok(Sums { count: data.len(), sum, squares, scale })
    }

    /// A quotient of whole numbers, rounded to a float once.
    fn quotient(&self, c: &mut Call<'_>, above: BigInt, below: BigInt) -> Outcome {
        operators::binary(c.machine, BinaryOp::Div, &Value::big(above), &Value::big(below))
    }
}

/// A number as a quotient whose lower part is a power of two.
fn ratio(value: &Value) -> Outcome<(BigInt, BigInt)> {
    match value {
        Value::Float(number) if number.is_finite() => Ok(float::integer_ratio(*number)),
        Value::Float(_) => fault!(ValueError, "the data has to be finite"),
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => Ok((convert::to_big(value)?, BigInt::from(1))),
        other => {
            let class = other.type_name();
            let class = class.rsplit('.').next().unwrap_or_default();
            fault!(TypeError, "can't convert type '{class}' to numerator/denominator")
        }
    }
}

/// The mean square of deviations, over one less than their count where `less` is 1. They are deviations from the second argument where
/// there is one, else from the mean.
fn spread(c: &mut Call<'_>, less: usize, refusal: &str) -> Outcome {
    let data = data(c, less + 1, refusal)?;
    if let Some(center) = c.some(1).cloned() {
        return around(c, &data, &center, less);
    }
    let sums = Sums::of(&data)?;
    let deviations = &sums.squares * sums.count - &sums.sum * &sums.sum;
    let below = (BigInt::from(sums.count) * (sums.count - less)) << (2 * sums.scale);
    let whole = data.iter().all(|v| matches!(v, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)));
    if whole && (&deviations % &below).is_zero() {
        return Ok(Value::big(deviations / below));
    }
    sums.quotient(c, deviations, below)
}

/// The mean square of deviations from a center.
fn around(c: &mut Call<'_>, data: &[Value], center: &Value, less: usize) -> Outcome {
    let mut squares = vec![];
    for item in data {
        let deviation = operators::binary(c.machine, BinaryOp::Sub, item, center)?;
        squares.push(operators::binary(c.machine, BinaryOp::Mul, &deviation, &deviation)?);
    }
    let sums = Sums::of(&squares)?;
    let below = BigInt::from(sums.count - less) << sums.scale;
    let whole = squares.iter().all(|v| matches!(v, Value::Int(_) | Value::BigInt(_)));
    if whole && (&sums.sum % &below).is_zero() {
        return Ok(Value::big(sums.sum / below));
    }
    sums.quotient(c, sums.sum.clone(), below)
}

fn root(value: Value) -> Outcome {
    Ok(Value::Float(convert::to_float(&value)?.sqrt()))
}
