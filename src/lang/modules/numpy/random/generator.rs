//! `numpy.random.default_rng`: generators of their own, by permuted congruence ("PCG64"), number by number as numpy draws them.

mod pcg;
mod ziggurat;

use super::{number, population, sizes, taken, weights};
use crate::dtype::DType;
use crate::lang::modules::numpy::array;
use crate::lang::operators;
use crate::lang::types::call::{Builtin, Call, Table, def, row};
use crate::lang::types::convert;
use crate::ops::exec;
use crate::value::{Object, Outcome, Value};
use pcg::Pcg;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// A generator as a value.
struct Generator(RefCell<Pcg>);

/// `default_rng(seed)`.
pub(super) fn default_rng(c: &mut Call<'_>) -> Outcome {
    let words = match c.some(0) {
        None => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
            vec![now as u32, (now >> 32) as u32, std::process::id()]
        }
        Some(given) if given.downcast::<Generator>().is_some() => return Ok(given.clone()),
        Some(Value::Int(seed)) => match u64::try_from(*seed) {
            Ok(seed) if seed <= u32::MAX.into() => vec![seed as u32],
            Ok(seed) => vec![seed as u32, (seed >> 32) as u32],
            Err(_) => fault!(ValueError, "expected non-negative integer"),
        },
        Some(other) => {
            let class = other.type_name();
            fault!(TypeError, "SeedSequence expects int or sequence of ints for entropy not {class}")
        }
    };
    Ok(Value::object(Generator(RefCell::new(Pcg::new(&words)))))
}

static METHODS: Table = Table {
    owner: "Generator",
    rows: Table::sorted(&[
        row("choice", def(&["a", "size", "replace", "p", "axis", "shuffle"], 1, 6), choice),
        row("integers", def(&["low", "high", "size", "dtype", "endpoint"], 1, 5), integers),
        row("normal", def(&["loc", "scale", "size"], 0, 3), |c| {
            let (mean, deviation) = (number(c, 0, 0.0)?, number(c, 1, 1.0)?);
            if deviation < 0.0 {
                fault!(ValueError, "scale < 0");
            }
            floats(c, 2, |pcg| mean + deviation * ziggurat::normal(pcg))
        }),
        row("permutation", def(&["x", "axis"], 1, 2), permutation),
        row("random", def(&["size", "dtype", "out"], 0, 3), |c| floats(c, 0, Pcg::unit)),
        row("shuffle", def(&["x", "axis"], 1, 2), shuffle),
        row("standard_normal", def(&["size", "dtype", "out"], 0, 3), |c| floats(c, 0, ziggurat::normal)),
        row("uniform", def(&["low", "high", "size"], 0, 3), |c| {
            let (low, high) = (number(c, 0, 0.0)?, number(c, 1, 1.0)?);
            floats(c, 2, |pcg| low + (high - low) * pcg.unit())
        }),
    ]),
};

/// Methods that draw by algorithms that are not here.
const MISSING: &[&str] = &[
    "beta",
    "binomial",
    "chisquare",
    "dirichlet",
    "exponential",
    "gamma",
    "geometric",
    "laplace",
    "lognormal",
    "multinomial",
    "multivariate_normal",
    "poisson",
    "standard_exponential",
    "standard_gamma",
    "triangular",
];

impl Object for Generator {
    fn type_name(&self) -> String {
        "numpy.random._generator.Generator".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("Generator(PCG64) at {:#X}", self.0.as_ptr() as usize).replace("0X", "0x")
    }
    fn str(&self) -> String {
        "Generator(PCG64)".into()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if MISSING.contains(&name) {
            fault!(
                NotImplementedError,
                "Generator.{name}() is not drawn here; random, integers, normal, uniform, choice, permutation and shuffle are"
            );
        }
        Ok(METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::shared(self))))
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.names()
    }
}

fn with<T>(c: &Call<'_>, draw: impl FnOnce(&mut Pcg) -> T) -> Outcome<T> {
    match c.this.downcast::<Generator>() {
        Some(generator) => Ok(draw(&mut generator.0.borrow_mut())),
        None => fault!(TypeError, "a generator is needed, not {}", c.this.type_name()),
    }
}

/// So many drawn numbers; one as Python's float without a size. A `dtype` behind the size narrows them.
fn floats(c: &mut Call<'_>, place: usize, mut draw: impl FnMut(&mut Pcg) -> f64) -> Outcome {
    if place == 0
        && let Some(dtype) = c.some(1).map(array::dtype_of).transpose()?.flatten()
        && dtype != DType::F64
    {
        fault!(NotImplementedError, "generators draw float64 numbers here; convert them with astype");
    }
    let Some(size) = c.some(place) else { return Ok(Value::Float(with(c, draw)?)) };
    let sizes = sizes(size)?;
    let drawn: Vec<f64> = with(c, |pcg| (0..sizes.iter().product::<i64>()).map(|_| draw(pcg)).collect())?;
    array::wrap(Value::Tensor(exec::from_vec(&drawn, &sizes)?))
}

/// `integers(low, high)`: whole numbers below `high`, or up to it with `endpoint`.
fn integers(c: &mut Call<'_>) -> Outcome {
    let (low, high) = match c.some(1) {
        Some(high) => (convert::to_i64(c.arg(0))?, convert::to_i64(high)?),
        None => (0, convert::to_i64(c.arg(0))?),
    };
    let closed = c.some(4).map_or(Ok(false), operators::truth)?;
    let high = if closed { high } else { high.wrapping_sub(1) };
    if low > high {
        fault!(ValueError, "{}", if c.some(1).is_none() { "high <= 0" } else { "low >= high" });
    }
    let dtype = c.some(3).map(array::dtype_of).transpose()?.flatten().unwrap_or(DType::I64);
    if !matches!(dtype, DType::I64 | DType::U64) {
        fault!(NotImplementedError, "generators draw int64 numbers here; convert them with astype");
    }
    let most = high.wrapping_sub(low) as u64;
    let sizes = c.some(2).map(sizes).transpose()?;
    let count = sizes.as_ref().map_or(1, |sizes| sizes.iter().product::<i64>());
    let drawn: Vec<i64> = with(c, |pcg| (0..count).map(|_| low.wrapping_add(pcg.up_to(most) as i64)).collect())?;
    let sizes = sizes.unwrap_or_default();
    array::wrap(Value::Tensor(exec::cast(&exec::from_vec(&drawn, &sizes)?, dtype)?))
}

fn choice(c: &mut Call<'_>) -> Outcome {
    let (rows, len) = population(c)?;
    let replace = c.some(2).map_or(Ok(true), operators::truth)?;
    let mixed = c.some(5).map_or(Ok(true), operators::truth)?;
    let sizes = c.some(1).map(sizes).transpose()?;
    let count = sizes.as_ref().map_or(1, |sizes| sizes.iter().product::<i64>() as usize);
    if len == 0 && count > 0 {
        fault!(ValueError, "a must be a positive integer unless no samples are taken");
    }
    let chances = match c.some(3).cloned() {
        Some(given) => Some(weights(c, &given, len)?),
        None => None,
    };
    if !replace && count > len {
        fault!(ValueError, "Cannot take a larger sample than population when replace is False");
    }
    let places: Vec<i64> = with(c, |pcg| match (&chances, replace) {
        (Some(ends), true) => (0..count).map(|_| at(ends, pcg.unit())).collect(),
        (Some(ends), false) => without_return(pcg, ends, count),
        (None, true) => (0..count).map(|_| pcg.up_to(len as u64 - 1) as i64).collect(),
        (None, false) => pcg.sample(len, count, mixed),
    })?;
    match sizes {
        Some(sizes) => taken(c, rows, &places, Some(&sizes)),
        None => {
            let index = array::wrap(Value::Tensor(exec::from_vec(&places, &[])?))?;
            match rows {
                Some(rows) => c.machine.get_item(&rows, &index),
                None => Ok(Value::Int(convert::to_i64(&index)?)),
            }
        }
    }
}

/// The place whose part of 0..1 has a number in it.
fn at(ends: &[f64], unit: f64) -> i64 {
    ends.partition_point(|end| *end <= unit) as i64
}

/// Places drawn by weight, no one twice: rounds of draws, of which those that are new are kept.
fn without_return(pcg: &mut Pcg, ends: &[f64], count: usize) -> Vec<i64> {
    let mut shares: Vec<f64> = ends.iter().scan(0.0, |before, end| Some(end - std::mem::replace(before, *end))).collect();
    let mut found: Vec<i64> = vec![];
    while found.len() < count && shares.iter().any(|share| *share > 0.0) {
        let draws: Vec<f64> = (found.len()..count).map(|_| pcg.unit()).collect();
        found.iter().for_each(|place| shares[*place as usize] = 0.0);
        let mut sum = 0.0;
        let sums: Vec<f64> = shares
            .iter()
            .map(|share| {
                sum += share;
                sum
            })
            .collect();
        let ends: Vec<f64> = sums.iter().map(|end| end / sum).collect();
        for place in draws.into_iter().map(|unit| at(&ends, unit)) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
    }
    found
}

fn permutation(c: &mut Call<'_>) -> Outcome {
    let (rows, len) = population(c)?;
    let mut places: Vec<i64> = (0..len as i64).collect();
    with(c, |pcg| pcg.shuffle(&mut places))?;
    taken(c, rows, &places, Some(&[len as i64]))
}

/// `shuffle(x)`: a list or the rows of an array, in place.
fn shuffle(c: &mut Call<'_>) -> Outcome {
    if let Value::List(items) = c.arg(0) {
        let mut shuffled = items.borrow().clone();
        with(c, |pcg| pcg.shuffle(&mut shuffled))?;
        *items.borrow_mut() = shuffled;
        return Ok(Value::None);
    }
    let array = c.arg(0).clone();
    let shuffled = permutation(c)?;
    c.machine.set_item(&array, &Value::Ellipsis, shuffled)?;
    Ok(Value::None)
}
