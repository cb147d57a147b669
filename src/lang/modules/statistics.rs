//! `statistics`: means and spreads of plain numbers, computed exactly and rounded once.

use crate::diag::ErrorClass;
use crate::lang::operators;
use crate::lang::types::call::{Call, Table, def, row};
use crate::lang::types::{convert, float, iter, sort};
use crate::syntax::ast::BinaryOp;
use crate::value::{Class, Key, Outcome, Value};
use num_bigint::BigInt;
use num_traits::Zero;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "statistics",
    rows: &[
        row("fmean", def(&["data"], 1, 1), |c| {
            let data = data(c, 1, "fmean requires at least one data point")?;
            let sums = Sums::of(&data)?;
            sums.quotient(c, sums.sum.clone(), BigInt::from(sums.count) << sums.scale)
        }),
        row("mean", def(&["data"], 1, 1), |c| {
            let data = data(c, 1, "mean requires at least one data point")?;
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
        row("mode", def(&["data"], 1, 1), |c| {
            let data = data(c, 1, "no mode for empty data")?;
            let keys = data.into_iter().map(Key::new).collect::<Outcome<Vec<Key>>>()?;
            let count = |item: &Key| keys.iter().filter(|other| *other == item).count();
            let most = keys.iter().map(count).max().unwrap_or(0);
            Ok(keys.iter().find(|item| count(item) == most).map_or(Value::None, |key| key.value().clone()))
        }),
        row("pstdev", def(&["data"], 1, 1), |c| spread(c, 0).and_then(root)),
        row("pvariance", def(&["data"], 1, 1), |c| spread(c, 0)),
        row("stdev", def(&["data"], 1, 1), |c| spread(c, 1).and_then(root)),
        row("variance", def(&["data"], 1, 1), |c| spread(c, 1)),
    ],
};

fn data(c: &mut Call<'_>, least: usize, refusal: &str) -> Outcome<Vec<Value>> {
    let source = c.arg(0).clone();
    let data = iter::collect(c.machine, &source)?;
    if data.len() < least {
        fault!(StatisticsError, "{refusal}");
    }
    Ok(data)
}

/// The exception of too little data.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("StatisticsError", Value::Class(Class::Exception(ErrorClass::StatisticsError)))]
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
        other => Ok((convert::to_big(other)?, BigInt::from(1))),
    }
}

/// The mean square of deviations, over one less than their count where `less` is 1.
fn spread(c: &mut Call<'_>, less: usize) -> Outcome {
    let name =
        if less == 1 { "variance requires at least two data points" } else { "pvariance requires at least one data point" };
    let data = data(c, less + 1, name)?;
    let sums = Sums::of(&data)?;
    let deviations = &sums.squares * sums.count - &sums.sum * &sums.sum;
    let below = (BigInt::from(sums.count) * (sums.count - less)) << (2 * sums.scale);
    let whole = data.iter().all(|v| matches!(v, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)));
    if whole && (&deviations % &below).is_zero() {
        return Ok(Value::big(deviations / below));
    }
    sums.quotient(c, deviations, below)
}

fn root(value: Value) -> Outcome {
    Ok(Value::Float(convert::to_float(&value)?.sqrt()))
}
