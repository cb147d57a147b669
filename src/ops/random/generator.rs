//! `torch.Generator`: the object, and the one that is used when none is named.

use crate::device::DeviceId;
use crate::dtype::DType;
use crate::kernel::rng::Generator;
use crate::ops::{exec, to_device};
use crate::tensor::Tensor;
use crate::value::{CallArgs, Class, Device, Machine, Object, Outcome, Value};
use anyhow::Result;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::any::Any;
use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::rc::Rc;

/// A generator that programs hold.
pub struct TorchGenerator {
    state: RefCell<Generator>,
}

thread_local! {
    static DEFAULT: Rc<TorchGenerator> = Rc::new(TorchGenerator::new(Generator::new(fresh_seed())));
}

/// A seed that nobody can guess.
pub(super) fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// `torch.default_generator`: what draws when no generator is named.
pub fn default_generator() -> Value {
    DEFAULT.with(|g| Value::shared(g.clone()))
}

/// Lets `f` draw from a generator; None stands for the default one.
pub fn with_generator<T>(generator: &Value, f: impl FnOnce(&mut Generator) -> T) -> T {
    match generator.downcast::<TorchGenerator>() {
        Some(generator) => f(&mut generator.state.borrow_mut()),
        None => DEFAULT.with(|default| f(&mut default.state.borrow_mut())),
    }
}

/// Runs `f` and puts the default generator back to where it was.
pub fn undisturbed<T>(f: impl FnOnce() -> T) -> T {
    let before = with_generator(&Value::None, |g| g.clone());
    let result = f();
    with_generator(&Value::None, |g| *g = before);
    result
}

/// `torch.Generator(device='cpu')`. Fails with a `RuntimeError` on a device that has none.
pub fn construct(args: &CallArgs) -> Result<Value> {
    let device = match (args.positional.as_slice(), args.keyword.as_slice()) {
        ([], []) => None,
        ([device], []) => Some(device),
        ([], [(name, device)]) if &**name == "device" => Some(device),
        (given @ [_, _, ..], _) => {
            fault!(TypeError, "Generator() takes from 0 to 1 positional arguments but {} were given", given.len())
        }
        (_, named) => {
            let unknown = named.iter().map(|(name, _)| &**name).find(|name| *name != "device");
            match unknown {
                Some(name) => fault!(TypeError, "Generator() got an unexpected keyword argument '{name}'"),
                None => fault!(TypeError, "Generator() got multiple values for argument 'device'"),
            }
        }
    };
    match device.map(to_device).transpose()?.flatten() {
        None if device.is_some_and(|d| !matches!(d, Value::None)) => {
            let class = device.map_or_else(String::new, Value::type_name);
            let place = if args.keyword.is_empty() { " (position 1)" } else { "" };
            fault!(TypeError, "Generator(): argument 'device'{place} must be torch.device, not {class}")
        }
        None | Some(Device { id: DeviceId::Cpu, .. }) => Ok(Value::object(TorchGenerator::new(Generator::default()))),
        Some(device) if device.id.kind() == "meta" => fault!(RuntimeError, "META device type not an accelerator."),
        Some(device) => fault!(RuntimeError, "there is no generator for device type {}", device.id.kind()),
    }
}

/// A seed from an int as users write one: negative ones count from 2^64 down. Fails with a `ValueError` beyond 64 bits.
pub(super) fn seed_of(seed: &BigInt) -> Result<u64> {
    match (seed.to_u64(), seed.to_i64()) {
        (Some(seed), _) => Ok(seed),
        (None, Some(negative)) => Ok(negative as u64),
        (None, None) => fault!(ValueError, "Overflow when unpacking long long"),
    }
}

/// A state as a tensor of bytes.
pub(super) fn export(generator: &Generator) -> Result<Tensor> {
    let state = generator.export();
    exec::from_bytes(&state, &[state.len() as i64], DType::U8)
}

/// The state in a tensor of bytes. Fails with a `TypeError` on another dtype and with a `RuntimeError` on what is no state.
pub(super) fn import(state: &Tensor) -> Result<Generator> {
    if state.dtype() != DType::U8 {
        fault!(TypeError, "RNG state must be a torch.ByteTensor");
    }
    Generator::import(&exec::bytes(state)?)
}

/// A method of a generator: what it does with the arguments after `self`.
type Method = fn(&Rc<TorchGenerator>, &[Value]) -> Result<Value>;

/// The methods: name, how many arguments, what they do.
const METHODS: &[(&str, usize, Method)] = &[
    ("manual_seed", 1, |g, args| {
        let seed = match &args[0] {
            Value::Int(i) => BigInt::from(*i),
            Value::BigInt(big) => (**big).clone(),
            other if matches!(crate::ops::number_of_numpy(other), Some(Value::Int(_))) => {
                fault!(TypeError, "an integer is required")
            }
            other => fault!(RuntimeError, "manual_seed expected a long, but got {}", other.type_name()),
        };
        *g.state.borrow_mut() = Generator::new(seed_of(&seed)?);
        Ok(Value::shared(g.clone()))
    }),
    ("seed", 0, |g, _| {
        let seed = fresh_seed();
        *g.state.borrow_mut() = Generator::new(seed);
        Ok(Value::big(BigInt::from(seed)))
    }),
    ("initial_seed", 0, |g, _| Ok(Value::big(BigInt::from(g.state.borrow().seed())))),
    ("get_state", 0, |g, _| Ok(export(&g.state.borrow())?.into())),
    ("set_state", 1, |g, args| match &args[0] {
        Value::Tensor(state) => {
            *g.state.borrow_mut() = import(state)?;
            Ok(Value::shared(g.clone()))
        }
        other => fault!(TypeError, "expected a torch.ByteTensor, but got {}", other.type_name()),
    }),
    ("clone_state", 0, |g, _| Ok(Value::object(TorchGenerator::new(g.state.borrow().clone())))),
    ("get_offset", 0, |_, _| fault!(RuntimeError, "CPU Generator does not use offset")),
    ("set_offset", 1, |_, _| fault!(RuntimeError, "CPU Generator does not use offset")),
];

impl TorchGenerator {
    fn new(state: Generator) -> TorchGenerator {
        TorchGenerator { state: RefCell::new(state) }
    }
}

impl Object for TorchGenerator {
    fn type_name(&self) -> String {
        "Generator".to_string()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::TorchGenerator)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("<torch._C.Generator object at {:#x}>", self as *const TorchGenerator as usize)
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if name == "device" {
            return Ok(Some(Value::from(Device::from(DeviceId::Cpu))));
        }
        let method = METHODS.iter().find(|(known, ..)| *known == name);
        Ok(method.map(|(name, count, run)| Value::object(Bound { generator: self, name, count: *count, run: *run })))
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.iter().map(|(name, ..)| name.to_string()).chain(["device".to_string()]).collect()
    }
}

/// A method with its generator.
struct Bound {
    generator: Rc<TorchGenerator>,
    name: &'static str,
    count: usize,
    run: Method,
}

impl Object for Bound {
    fn type_name(&self) -> String {
        "builtin_function_or_method".to_string()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::Builtin)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        if !args.keyword.is_empty() {
            return Some(Err(err!(TypeError, "Generator.{}() takes no keyword arguments", self.name).into()));
        }
        let given: Vec<Value> = args.positional.into_iter().chain(args.keyword.into_iter().map(|(_, value)| value)).collect();
        if given.len() != self.count {
            let (name, given) = (self.name, given.len());
            let takes = if self.count == 0 { "no arguments" } else { "exactly one argument" };
            return Some(Err(err!(TypeError, "Generator.{name}() takes {takes} ({given} given)").into()));
        }
        Some((self.run)(&self.generator, &given).map_err(Into::into))
    }
}
