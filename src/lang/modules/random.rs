//! `random`: Python's own generator, bit for bit. It is another one than torch's, with its own seed.

use crate::kernel::rng::Generator;
use crate::lang::operators;
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, row};
use crate::lang::types::class::ObjectClass;
use crate::lang::types::{bytes, construct, convert, number, overall};
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::{Object, Outcome, Value, python_hash};
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use sha2::{Digest, Sha512};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

mod distribution;
mod sequence;

/// The functions, which are methods of `random.Random` too.
pub static FUNCTIONS: Table = Table {
    owner: "Random",
    rows: Table::sorted(&[
        row("betavariate", def(&["alpha", "beta"], 2, 2), distribution::beta),
        row("choice", def(&["seq"], 1, 1), sequence::choice),
        row("choices", def(&["population", "weights", "cum_weights", "k"], 1, 2), sequence::choices),
        row("expovariate", def(&["lambd"], 1, 1), distribution::exponential),
        row("gammavariate", def(&["alpha", "beta"], 2, 2), distribution::gamma),
        row("gauss", def(&["mu", "sigma"], 0, 2), distribution::gauss),
        row("getrandbits", Takes::One, |c| {
            let bits = convert::to_i64(c.arg(0))?;
            let Ok(bits) = usize::try_from(bits) else { fault!(ValueError, "number of bits must be non-negative") };
            crate::lang::types::limits::check_bytes(bits / 8)?;
            Ok(Value::big(with(c, |state| state.bits(bits as u64))))
        }),
        row("getstate", def(&[], 0, 0), |c| Ok(Value::object(Saved(with(c, |state| state.clone()))))),
        row("lognormvariate", def(&["mu", "sigma"], 2, 2), distribution::log_normal),
        row("normalvariate", def(&["mu", "sigma"], 0, 2), distribution::normal),
        row("paretovariate", def(&["alpha"], 1, 1), distribution::pareto),
        row("randbytes", def(&["n"], 1, 1), |c| {
            let Ok(count) = usize::try_from(convert::to_i64(c.arg(0))?) else {
                fault!(ValueError, "number of bits must be non-negative");
            };
            crate::lang::types::limits::check_bytes(count)?;
            let drawn = with(c, |state| state.bits(count as u64 * 8));
            let mut data = drawn.to_bytes_le().1;
            data.resize(count, 0);
            Ok(bytes::value(data))
        }),
        row("randint", def(&["a", "b"], 2, 2), |c| {
            let high = c.arg(1).clone();
            let high = operators::binary(c.machine, BinaryOp::Add, &high, &Value::Int(1))?;
            range(c, &whole(c.arg(0), "arg 1")?, &whole(&high, "stop")?)
        }),
        row("random", Takes::Nothing, |c| Ok(Value::Float(with(c, State::unit)))),
        row("randrange", def(&["start", "stop", "step"], 1, 3), random_range),
        row("sample", def(&["population", "k", "counts"], 2, 2), sequence::sample),
        row("seed", def(&["a", "version"], 0, 2), |c| {
            let seeded = State::from_seed(c.get(0))?;
            with(c, |state| *state = seeded);
            Ok(Value::None)
        }),
        row("setstate", def(&["state"], 1, 1), |c| {
            let Some(saved) = c.arg(0).downcast::<Saved>().map(|s| s.0.clone()) else { return refuse_state(c) };
            with(c, |state| *state = saved);
            Ok(Value::None)
        }),
        row("shuffle", def(&["x"], 1, 1), sequence::shuffle),
        row("triangular", def(&["low", "high", "mode"], 0, 3), distribution::triangular),
        row("uniform", def(&["a", "b"], 2, 2), distribution::uniform),
        row("vonmisesvariate", def(&["mu", "kappa"], 2, 2), distribution::von_mises),
        row("weibullvariate", def(&["alpha", "beta"], 2, 2), distribution::weibull),
    ]),
};

static CLASS: Table = Table {
    owner: "",
    rows: Table::sorted(&[row("Random", Takes::Between(0, 1), |c| {
        let state = State::from_seed(c.get(0))?;
        Ok(Value::object(Random(RefCell::new(state))))
    })]),
};

/// The class of generators.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("Random", ObjectClass::callable("Random", &CLASS, &CLASS.rows[0], None))]
}

/// A generator and the second half of the last pair that `gauss` drew.
#[derive(Clone)]
struct State {
    words: Generator,
    gauss: Option<f64>,
}

thread_local! {
    static SHARED: RefCell<State> = RefCell::new(State::from_time());
}

/// Lets `f` draw from the generator that a method was called on, or from the shared one.
fn with<T>(c: &Call<'_>, f: impl FnOnce(&mut State) -> T) -> T {
    match c.this.downcast::<Random>() {
        Some(own) => f(&mut own.0.borrow_mut()),
        None => SHARED.with_borrow_mut(f),
    }
}

impl State {
    fn from_time() -> State {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        State::from_int(&BigInt::from(now ^ (std::process::id() as u128) << 64))
    }

    fn from_seed(seed: Option<&Value>) -> Outcome<State> {
        Ok(match seed {
            None | Some(Value::None) => State::from_time(),
            Some(Value::Str(text)) => State::from_int(&digested(text.as_bytes())),
            Some(Value::Bytes(data)) => State::from_int(&digested(data)),
            Some(value @ (Value::Bool(_) | Value::Int(_) | Value::BigInt(_))) => State::from_int(&convert::to_big(value)?),
            Some(value @ Value::Float(_)) => State::from_int(&BigInt::from(python_hash(value) as u64)),
            Some(_) => fault!(TypeError, "The only supported seed types are: None,\nint, float, str, bytes, and bytearray."),
        })
    }

    fn from_int(seed: &BigInt) -> State {
        let words = seed.abs().to_u32_digits().1;
        State { words: Generator::from_key(if words.is_empty() { &[0] } else { &words }), gauss: None }
    }

    /// A float in [0, 1): 27 bits of one word and 26 of the next.
    fn unit(&mut self) -> f64 {
        let (high, low) = (self.words.word() >> 5, self.words.word() >> 6);
        (high as f64 * 67_108_864.0 + low as f64) / 9_007_199_254_740_992.0
    }

    /// So many random bits, the first word lowest.
    fn bits(&mut self, count: u64) -> BigInt {
        if count <= 32 {
            return BigInt::from(if count == 0 { 0 } else { self.words.word() >> (32 - count) });
        }
        let mut left = count;
        let mut words = vec![];
        while left > 0 {
            let word = self.words.word();
            words.push(if left < 32 { word >> (32 - left) } else { word });
            left = left.saturating_sub(32);
        }
        BigInt::from_slice(Sign::Plus, &words)
    }

    /// An int in [0, bound); the bound is above 0.
    fn below(&mut self, bound: &BigInt) -> BigInt {
        loop {
            let drawn = self.bits(bound.bits());
            if drawn < *bound {
                return drawn;
            }
        }
    }

    /// A place in a sequence of a length above 0.
    fn place(&mut self, len: usize) -> usize {
        self.below(&BigInt::from(len)).to_usize().unwrap_or(0)
    }
}

/// The int that a text or bytes stand for as a seed: they and their SHA-512.
fn digested(data: &[u8]) -> BigInt {
    let mut all = data.to_vec();
    all.extend(Sha512::digest(data));
    BigInt::from_bytes_be(Sign::Plus, &all)
}

/// The refusal of a state that `getstate` did not give.
fn refuse_state(c: &mut Call<'_>) -> Outcome {
    let state = c.arg(0).clone();
    let version = c.machine.get_item(&state, &Value::Int(0))?;
    if !matches!(version, Value::Int(3)) {
        let version = c.machine.str(&version)?;
        fault!(ValueError, "state with version {version} passed to Random.setstate() of version 3");
    }
    match overall::len(&state)? {
        3 => fault!(TypeError, "state vector must be a tuple"),
        count if count < 3 => fault!(ValueError, "not enough values to unpack (expected 3, got {count})"),
        _ => fault!(ValueError, "too many values to unpack (expected 3)"),
    }
}

/// An int argument; what `int` makes an equal number of counts, with Python's message for others.
fn whole(value: &Value, what: &str) -> Outcome<BigInt> {
    if let Some(int) = convert::as_int(value)? {
        return convert::to_big(&int);
    }
    let int = construct::to_int(value)?;
    match number::compare(CompareOp::Eq, &int, value) {
        Some(true) => convert::to_big(&int),
        _ => fault!(ValueError, "non-integer {what} for randrange()"),
    }
}

fn random_range(c: &mut Call<'_>) -> Outcome {
    let start = whole(c.arg(0), "arg 1")?;
    let Some(stop) = c.some(1) else {
        if c.some(2).is_some() {
            fault!(TypeError, "Missing a non-None stop argument");
        }
        if !start.is_positive() {
            fault!(ValueError, "empty range for randrange()");
        }
        return Ok(Value::big(with(c, |state| state.below(&start))));
    };
    let stop = whole(stop, "stop")?;
    let step = c.some(2).map_or(Ok(BigInt::from(1)), |step| whole(step, "step"))?;
    if step == BigInt::from(1) {
        return range(c, &start, &stop);
    }
    if step.is_zero() {
        fault!(ValueError, "zero step for randrange()");
    }
    let width = &stop - &start;
    let count: BigInt = width + &step - step.signum();
    let count = count.div_floor(&step);
    if !count.is_positive() {
        fault!(ValueError, "empty range for randrange()");
    }
    let drawn = with(c, |state| state.below(&count));
    Ok(Value::big(start + step * drawn))
}

fn range(c: &Call<'_>, start: &BigInt, stop: &BigInt) -> Outcome {
    let width = stop - start;
    if !width.is_positive() {
        fault!(ValueError, "empty range for randrange() ({start}, {stop}, {width})");
    }
    Ok(Value::big(start + with(c, |state| state.below(&width))))
}

/// `random.Random(seed)`
struct Random(RefCell<State>);

impl Object for Random {
    fn type_name(&self) -> String {
        "Random".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<random.Random object at {:#x}>", self as *const Random as usize)
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(FUNCTIONS.find(name).map(|row| Builtin::method(&FUNCTIONS, row, Value::shared(self))))
    }
    fn attributes(&self) -> Vec<String> {
        FUNCTIONS.names()
    }
}

/// What `getstate` gives.
struct Saved(State);

impl Object for Saved {
    fn type_name(&self) -> String {
        "tuple".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        "<state of a random number generator>".into()
    }
}
