//! `numpy.random`: numpy's own generator of before, with one state for all, number by number.

mod generator;
mod own_state;

use super::array;
use crate::kernel::rng::Generator;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::{convert, limits};
use crate::layout::Dims;
use crate::ops::exec;
use crate::value::{Outcome, Value};
use std::cell::RefCell;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "numpy.random",
    rows: Table::sorted(&[
        row("RandomState", def(&["seed"], 0, 1), own_state::random_state),
        row("choice", def(&["a", "size", "replace", "p"], 1, 4), choice),
        row("default_rng", def(&["seed"], 0, 1), generator::default_rng),
        row("exponential", def(&["scale", "size"], 0, 2), |c| {
            let scale = number(c, 0, 1.0)?;
            floats(c.some(1), |state| scale * state.exponential())
        }),
        row("gumbel", def(&["loc", "scale", "size"], 0, 3), |c| {
            let (place, scale) = (number(c, 0, 0.0)?, number(c, 1, 1.0)?);
            floats(c.some(2), |state| place - scale * (-(1.0 - state.unit()).ln()).ln())
        }),
        row("laplace", def(&["loc", "scale", "size"], 0, 3), |c| {
            let (place, scale) = (number(c, 0, 0.0)?, number(c, 1, 1.0)?);
            let side = |u: f64| if u >= 0.5 { -(2.0 - u - u).ln() } else { (u + u).ln() };
            floats(c.some(2), |state| place + scale * side(state.unit()))
        }),
        row("logistic", def(&["loc", "scale", "size"], 0, 3), |c| {
            let (place, scale) = (number(c, 0, 0.0)?, number(c, 1, 1.0)?);
            let odds = |u: f64| (u / (1.0 - u)).ln();
            floats(c.some(2), |state| place + scale * odds(state.unit()))
        }),
        row("lognormal", def(&["mean", "sigma", "size"], 0, 3), |c| {
            let (mean, deviation) = (number(c, 0, 0.0)?, number(c, 1, 1.0)?);
            if deviation < 0.0 {
                fault!(ValueError, "sigma < 0");
            }
            floats(c.some(2), |state| (mean + deviation * state.gauss()).exp())
        }),
        row("normal", def(&["loc", "scale", "size"], 0, 3), |c| {
            let (mean, deviation) = (number(c, 0, 0.0)?, number(c, 1, 1.0)?);
            if deviation < 0.0 {
                fault!(ValueError, "scale < 0");
            }
            floats(c.some(2), |state| mean + deviation * state.gauss())
        }),
        row("permutation", def(&["x"], 1, 1), permutation),
        row("rand", Takes::Any, |c| floats(sizes_by_place(c).as_ref(), State::unit)),
        row("randint", def(&["low", "high", "size", "dtype"], 1, 4), integers),
        row("randn", Takes::Any, |c| floats(sizes_by_place(c).as_ref(), State::gauss)),
        row("random", def(&["size"], 0, 1), |c| floats(c.some(0), State::unit)),
        row("random_sample", def(&["size"], 0, 1), |c| floats(c.some(0), State::unit)),
        row("ranf", def(&["size"], 0, 1), |c| floats(c.some(0), State::unit)),
        row("rayleigh", def(&["scale", "size"], 0, 2), |c| {
            let scale = number(c, 0, 1.0)?;
            floats(c.some(1), |state| scale * (2.0 * state.exponential()).sqrt())
        }),
        row("sample", def(&["size"], 0, 1), |c| floats(c.some(0), State::unit)),
        row("seed", def(&["seed"], 0, 1), seed),
        row("shuffle", def(&["x"], 1, 1), shuffle),
        row("standard_exponential", def(&["size"], 0, 1), |c| floats(c.some(0), State::exponential)),
        row("standard_normal", def(&["size"], 0, 1), |c| floats(c.some(0), State::gauss)),
        row("uniform", def(&["low", "high", "size"], 0, 3), |c| {
            let (low, high) = (number(c, 0, 0.0)?, number(c, 1, 1.0)?);
            floats(c.some(2), |state| low + (high - low) * state.unit())
        }),
    ]),
};

/// The generator and the second half of the last pair that `gauss` drew.
struct State {
    words: Generator,
    gauss: Option<f64>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::from_time());
}

impl State {
    fn new(seed: u32) -> State {
        State { words: Generator::new(seed.into()), gauss: None }
    }

    fn from_time() -> State {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        State::new(now as u32 ^ std::process::id())
    }

    /// A float in [0, 1): 27 bits of one word and 26 of the next.
    fn unit(&mut self) -> f64 {
        let (high, low) = (self.words.word() >> 5, self.words.word() >> 6);
        (high as f64 * 67_108_864.0 + low as f64) / 9_007_199_254_740_992.0
    }

    /// A number that is exponentially distributed, by the logarithm of a uniform one.
    fn exponential(&mut self) -> f64 {
        -(-self.unit()).ln_1p()
    }

    /// A standard normal number, by Marsaglia's polar method.
    fn gauss(&mut self) -> f64 {
        if let Some(kept) = self.gauss.take() {
            return kept;
        }
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.gauss = Some(factor * x);
                return factor * y;
            }
        }
    }

    /// A number in 0..=most: bits as many as `most` has, until they fit.
    fn up_to(&mut self, most: u64) -> u64 {
        if most == 0 {
            return 0;
        }
        let mask = u64::MAX >> most.leading_zeros();
        loop {
            let drawn = if most > u32::MAX.into() { self.words.double_word() } else { self.words.word().into() };
            if drawn & mask <= most {
                return drawn & mask;
            }
        }
    }

    /// Changes the order of places.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.up_to(i as u64) as usize);
        }
    }
}

fn number(c: &Call<'_>, place: usize, default: f64) -> Outcome<f64> {
    c.some(place).map_or(Ok(default), convert::to_float)
}

/// The sizes of `rand(2, 3)`; none without arguments.
fn sizes_by_place(c: &Call<'_>) -> Option<Value> {
    (c.count() > 0).then(|| Value::tuple(c.args()))
}

/// What `size=` says: an int or several.
fn sizes(size: &Value) -> Outcome<Dims> {
    let sizes: Dims = match size.items() {
        Some(items) => items.iter().map(convert::to_i64).collect::<Outcome<_>>()?,
        None => Dims::from_slice(&[convert::to_i64(size)?]),
    };
    if sizes.iter().any(|n| *n < 0) {
        fault!(ValueError, "negative dimensions are not allowed");
    }
    let numel = sizes.iter().try_fold(1i64, |all, n| all.checked_mul(*n)).unwrap_or(i64::MAX);
    limits::check_bytes((numel as usize).saturating_mul(8))?;
    Ok(sizes)
}

/// So many drawn numbers; one as Python's float without a size.
fn floats(size: Option<&Value>, mut draw: impl FnMut(&mut State) -> f64) -> Outcome {
    let Some(size) = size else { return Ok(Value::Float(STATE.with_borrow_mut(draw))) };
    let sizes = sizes(size)?;
    let drawn: Vec<f64> = STATE.with_borrow_mut(|state| (0..sizes.iter().product::<i64>()).map(|_| draw(state)).collect());
    array::wrap(Value::Tensor(exec::from_vec(&drawn, &sizes)?))
}

/// The state that a seed gives, or the time without one.
fn seeded(seed: Option<&Value>) -> Outcome<State> {
    match seed {
        None => Ok(State::from_time()),
        Some(seed) => match u32::try_from(convert::to_i64(seed)?) {
            Ok(seed) => Ok(State::new(seed)),
            Err(_) => fault!(ValueError, "Seed must be between 0 and 2**32 - 1"),
        },
    }
}

fn seed(c: &mut Call<'_>) -> Outcome {
    STATE.set(seeded(c.some(0))?);
    Ok(Value::None)
}

/// `randint(low, high, size)`: whole numbers below `high`, or below `low` when that is all.
fn integers(c: &mut Call<'_>) -> Outcome {
    let (low, high) = match c.some(1) {
        Some(high) => (convert::to_i64(c.arg(0))?, convert::to_i64(high)?),
        None => (0, convert::to_i64(c.arg(0))?),
    };
    if low >= high {
        fault!(ValueError, "{}", if c.some(1).is_none() { "high <= 0" } else { "low >= high" });
    }
    let most = high.wrapping_sub(low).wrapping_sub(1) as u64;
    let draw = |state: &mut State| low.wrapping_add(state.up_to(most) as i64);
    let Some(size) = c.some(2) else { return Ok(Value::Int(STATE.with_borrow_mut(draw))) };
    let sizes = sizes(size)?;
    let drawn = exec::from_vec(&many(&sizes, draw), &sizes)?;
    let dtype = c.some(3).map(array::dtype_of).transpose()?.flatten().unwrap_or(drawn.dtype());
    array::wrap(Value::Tensor(exec::cast(&drawn, dtype)?))
}

fn many(sizes: &[i64], mut draw: impl FnMut(&mut State) -> i64) -> Vec<i64> {
    STATE.with_borrow_mut(|state| (0..sizes.iter().product::<i64>()).map(|_| draw(state)).collect())
}

/// The places of what an argument names: `range(n)` for an int, else the rows of an array.
fn population(c: &mut Call<'_>) -> Outcome<(Option<Value>, usize)> {
    let given = c.arg(0).clone();
    if let Value::Int(count) = given {
        return Ok((None, count.max(0) as usize));
    }
    let array = array::from_data(c.machine, &given, None, false)?;
    let len = match array::unwrap(&array) {
        Value::Tensor(t) => t.sizes().first().map_or(0, |n| *n as usize),
        _ => 0,
    };
    Ok((Some(array), len))
}

/// The rows of a population at places, or the places themselves.
fn taken(c: &mut Call<'_>, rows: Option<Value>, places: &[i64], sizes: Option<&[i64]>) -> Outcome {
    let places = exec::from_vec(places, sizes.unwrap_or(&[]))?;
    let index = array::wrap(Value::Tensor(places))?;
    match (rows, sizes) {
        (Some(rows), _) => c.machine.get_item(&rows, &index),
        (None, Some(_)) => Ok(index),
        (None, None) => Ok(Value::Int(convert::to_i64(&index)?)),
    }
}

fn choice(c: &mut Call<'_>) -> Outcome {
    let (rows, len) = population(c)?;
    if len == 0 {
        fault!(ValueError, "a must be greater than 0 unless no samples are taken");
    }
    let replace = c.some(2).map_or(Ok(true), crate::lang::operators::truth)?;
    let sizes = c.some(1).map(sizes).transpose()?;
    let count = sizes.as_ref().map_or(1, |sizes| sizes.iter().product::<i64>() as usize);
    let weights = match c.some(3).cloned() {
        Some(given) => Some(weights(c, &given, len)?),
        None => None,
    };
    let most = len as u64 - 1;
    let places: Vec<i64> = STATE.with_borrow_mut(|state| match (&weights, replace) {
        (Some(ends), true) => (0..count).map(|_| state.unit()).map(|u| ends.partition_point(|end| *end <= u) as i64).collect(),
        (Some(_), false) => vec![],
        (None, true) => (0..count).map(|_| state.up_to(most) as i64).collect(),
        (None, false) => {
            let mut all: Vec<i64> = (0..len as i64).collect();
            state.shuffle(&mut all);
            all.truncate(count);
            all
        }
    });
    match (replace, weights) {
        (false, Some(_)) => fault!(NotImplementedError, "choice() with weights draws with replacement only"),
        (false, None) if count > len => {
            fault!(ValueError, "Cannot take a larger sample than population when 'replace=False'")
        }
        _ => taken(c, rows, &places, sizes.as_deref()),
    }
}

/// Where the part of each choice ends, between 0 and 1.
fn weights(c: &mut Call<'_>, given: &Value, len: usize) -> Outcome<Vec<f64>> {
    let Value::Tensor(t) = array::unwrap(&array::from_data(c.machine, given, None, false)?) else { return Ok(vec![]) };
    let weights: Vec<f64> = exec::read_vec(&exec::cast(&t, crate::dtype::DType::F64)?)?;
    if weights.len() != len {
        fault!(ValueError, "'a' and 'p' must have same size");
    }
    let mut sum = 0.0;
    let mut ends: Vec<f64> = weights
        .iter()
        .map(|weight| {
            sum += weight;
            sum
        })
        .collect();
    if (sum - 1.0).abs() > 1.5e-8 {
        fault!(ValueError, "Probabilities do not sum to 1. See Notes section of docstring for more information.");
    }
    ends.iter_mut().for_each(|end| *end /= sum);
    Ok(ends)
}

fn permutation(c: &mut Call<'_>) -> Outcome {
    let (rows, len) = population(c)?;
    let mut places: Vec<i64> = (0..len as i64).collect();
    STATE.with_borrow_mut(|state| state.shuffle(&mut places));
    taken(c, rows, &places, Some(&[len as i64]))
}

/// `shuffle(x)`: a list or the rows of an array, in place.
fn shuffle(c: &mut Call<'_>) -> Outcome {
    if let Value::List(items) = c.arg(0) {
        let mut shuffled = items.borrow().clone();
        STATE.with_borrow_mut(|state| state.shuffle(&mut shuffled));
        *items.borrow_mut() = shuffled;
        return Ok(Value::None);
    }
    let array = c.arg(0).clone();
    let shuffled = permutation(c)?;
    c.machine.set_item(&array, &Value::Ellipsis, shuffled)?;
    Ok(Value::None)
}
