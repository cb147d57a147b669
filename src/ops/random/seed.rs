//! Seeds and states of the default generator.

use super::fork::fork;
use super::generator::{default_generator, export, fresh_seed, import, seed_of, with_generator};
use crate::dtype::Number;
use crate::kernel::rng::Generator;
use crate::ops::{Args, Form, Op, exec, op};
use crate::value::{Class, Value};
use anyhow::Result;
use num_bigint::BigInt;
use num_traits::FromPrimitive;

/// A function about the default generator; `torch.random` has it too.
const fn about(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).function_only().no_out().no_grad()
}

rows![
    about(
        "manual_seed(Any seed) -> Generator",
        "Seeds the default generator: the same seed gives the same numbers. Gives the generator.",
        "g = torch.manual_seed(0)\ntorch.rand(2)\n# tensor([0.4963, 0.7682])",
        |a| {
            let seed = seed_of(&whole(a.value(0))?)?;
            with_generator(&Value::None, |g| *g = Generator::new(seed));
            Ok(default_generator())
        },
    )
    .alias(&["random.manual_seed"]),
    about(
        "cuda.manual_seed(Any seed) -> ()",
        "Seeds a GPU's generator; nothing without one.",
        "torch.cuda.manual_seed(0)",
        |a| whole(a.value(0)).map(|_| Value::None)
    )
    .alias(&["cuda.manual_seed_all"]),
    about(
        "seed() -> int",
        "Seeds the default generator with a number that nobody can guess, and gives that number.",
        "torch.seed() == torch.initial_seed()\n# True",
        |_| {
            let seed = fresh_seed();
            with_generator(&Value::None, |g| *g = Generator::new(seed));
            Ok(Value::big(BigInt::from(seed)))
        },
    )
    .alias(&["random.seed"]),
    about(
        "initial_seed() -> int",
        "The seed that the default generator was last given.",
        "torch.manual_seed(7).initial_seed()\n# 7",
        |_| Ok(Value::big(BigInt::from(with_generator(&Value::None, |g| g.seed())))),
    )
    .alias(&["random.initial_seed"]),
    about(
        "get_rng_state() -> Tensor",
        "The state of the default generator, as a tensor of bytes.",
        "torch.get_rng_state().shape\n# torch.Size([5056])",
        |_| Ok(with_generator(&Value::None, |g| export(g))?.into()),
    )
    .alias(&["random.get_rng_state"]),
    about(
        "set_rng_state(Any new_state) -> ()",
        "Gives the default generator a state that `get_rng_state` gave.",
        "state = torch.get_rng_state()\nx = torch.rand(2)\ntorch.set_rng_state(state)\ntorch.equal(torch.rand(2), x)\n# True",
        |a| match a.value(0) {
            Value::Tensor(state) => {
                let state = import(state)?;
                with_generator(&Value::None, |g| *g = state);
                Ok(Value::None)
            }
            other => fault!(TypeError, "expected a torch.ByteTensor, but got {}", other.type_name()),
        },
    )
    .alias(&["random.set_rng_state"]),
    about(
        "random.fork_rng(Any devices=None, bool enabled=True) -> Any",
        "A context in which numbers may be drawn without a trace: after it the default generator goes on as if nothing was drawn.",
        "g = torch.manual_seed(0)\nwith torch.random.fork_rng():\n    x = torch.rand(2)\ntorch.equal(torch.rand(2), x)\n# True",
        |a| Ok(fork(a.get(1)?)),
    ),
];

/// A seed as Python's `int` takes it: floats are truncated, texts are read.
fn whole(value: &Value) -> Result<BigInt> {
    let number = match value {
        Value::BigInt(big) => return Ok((**big).clone()),
        Value::Str(text) => match text.trim().parse() {
            Ok(seed) => return Ok(seed),
            Err(_) => fault!(ValueError, "invalid literal for int() with base 10: '{text}'"),
        },
        Value::Tensor(tensor) if tensor.numel() != 1 => {
            fault!(ValueError, "only one element tensors can be converted to Python scalars")
        }
        Value::Tensor(tensor) => match exec::item(tensor)? {
            Number::Complex(number) if number.im != 0.0 => {
                fault!(RuntimeError, "value cannot be converted to type int64_t without overflow")
            }
            Number::Complex(number) => Some(Number::Float(number.re)),
            real => Some(real),
        },
        other => crate::ops::number_of_numpy(other).as_ref().unwrap_or(other).as_number(),
    };
    match number {
        Some(Number::Float(f)) if f.is_nan() => fault!(ValueError, "cannot convert float NaN to integer"),
        Some(Number::Float(f)) => match BigInt::from_f64(f) {
            Some(seed) => Ok(seed),
            None => fault!(OverflowError, "cannot convert float infinity to integer"),
        },
        Some(number @ (Number::Bool(_) | Number::Int(_))) => Ok(BigInt::from(number.to_i64())),
        Some(Number::Unsigned(seed)) => Ok(BigInt::from(seed)),
        None if matches!(value, Value::Object(object) if object.class() == Some(Class::NdArray)) => {
            fault!(TypeError, "only 0-dimensional arrays can be converted to Python scalars")
        }
        Some(Number::Complex(_)) | None => {
            let name = value.type_name();
            fault!(TypeError, "int() argument must be a string, a bytes-like object or a real number, not '{name}'")
        }
    }
}
