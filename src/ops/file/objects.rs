//! Objects of any class in pickles: what each is made of, as texts of the language tell it, and how it is made again.

use crate::value::{CallArgs, Machine, Outcome, Value};
use anyhow::Result;
use std::cell::RefCell;

/// A value taken apart: how it is made again, by what, of what, and its state if it has one. A name of a module and one in it may be a
/// class or a function; `new` makes an object without calling its class.
const TAKEN_APART: &str = "\
import collections
kind = type(x)
name = kind.__name__
def place(c):
    path = c.__qualname__ if hasattr(c, '__qualname__') else c.__name__
    module = getattr(c, '__module__', None)
    if module is None:
        known = [(where, name) for where, name in ((torch.nn.functional, 'torch.nn.functional'), (torch, 'torch')) if getattr(where, path, None) is c]
        module = known[0][1] if known else refused()
    if module == 'builtins':
        module = 'exceptions' if isinstance(c, type) and issubclass(c, BaseException) else '__builtin__'
    return module, 'xrange' if c is range else path
def refused():
    title = '_io.' + name if kind.__module__ == '_io' else name
    raise TypeError(f\"cannot pickle '{title}' object\")
def taken():
    if isinstance(x, type) or name in ('function', 'builtin_function_or_method'):
        return 'global', *place(x), None, None
    if x is ...:
        return 'global', '__builtin__', 'Ellipsis', None, None
    if isinstance(x, (range, slice)):
        return 'call', *place(kind), (x.start, x.stop, x.step), None
    if name == 'frozenset':
        return 'call', '__builtin__', name, (list(x),), None
    if name == 'bytearray':
        return 'call', '__builtin__', name, (bytes(x),), None
    if name == 'memory_format':
        raise TypeError('cannot pickle \\'module\\' object')
    if name == 'layout':
        return 'call', 'torch.serialization', '_get_layout', (str(x),), None
    if kind is collections.Counter:
        return 'call', 'collections', name, (dict(x),), None
    if kind is collections.defaultdict:
        return 'call', 'collections', name, (x.default_factory, dict(x)), None
    if kind is collections.deque:
        return 'call', 'collections', name, (list(x), x.maxlen), None
    if isinstance(x, BaseException):
        return 'call', *place(kind), x.args, None
    if kind.__module__ in ('numpy', 'numpy.dtypes'):
        import numpy
        if hasattr(x, 'str') and hasattr(x, 'itemsize'):
            return 'call', 'numpy', 'dtype', (x.str[1:], False, True), (3, '<', None, None, None, -1, -1, 0)
        if name == 'ndarray':
            return 'call', 'numpy._core.multiarray', '_reconstruct', (numpy.ndarray, (0,), b'b'), (1, x.shape, x.dtype, False, x.tobytes())
        if hasattr(x, 'tobytes'):
            return 'call', 'numpy._core.multiarray', 'scalar', (x.dtype, x.tobytes()), None
        return refused()
    if hasattr(x, '__reduce__'):
        made, given, *rest = x.__reduce__()
        return 'call', *place(made), given, rest[0] if rest else None
    if hasattr(kind, '__members__'):
        return 'call', *place(kind), (x.value,), None
    if hasattr(x, '_fields') and isinstance(x, tuple):
        return 'call', *place(kind), tuple(x), None
    if isinstance(x, (int, float, str, bytes, list, tuple, dict, set)):
        return refused()
    if hasattr(x, '__getstate__'):
        return 'new', *place(kind), (), x.__getstate__()
    if hasattr(x, '__dict__') and hasattr(kind, '__qualname__') and not hasattr(x, '__next__') and name not in ('module', 'method'):
        return 'new', *place(kind), (), x.__dict__
    return refused()
taken()";

/// How a value is made again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It has a name.
    Global,
    /// What has a name is called.
    Call,
    /// An object of a class that has a name.
    New,
}

/// What a value is made of.
pub struct Parts {
    /// How it is made again.
    pub how: How,
    /// The module of what makes it, and its name there.
    pub module: String,
    /// The name.
    pub name: String,
    /// What is handed to it.
    pub given: Value,
    /// What the object is told afterwards.
    pub state: Value,
}

/// Takes a value apart. Fails with a `TypeError` on what has no parts that can be written, and with a `PicklingError` on what has no name.
pub fn take_apart(machine: &mut dyn Machine, x: &Value) -> Result<Parts> {
    let parts = machine.eval_code(TAKEN_APART, &[("x", x.clone())])?.items().unwrap_or_default();
    let [Value::Str(how), Value::Str(module), Value::Str(name), given, state] = &parts[..] else {
        fault!(TypeError, "cannot pickle '{}' object", x.type_name())
    };
    let how = match how.as_str() {
        "global" => How::Global,
        "call" => How::Call,
        _ => How::New,
    };
    let (module, name) = (module.to_string(), name.to_string());
    if module == "__main__" && own(machine, &name).is_none() {
        let text = machine.repr(x).unwrap_or_default();
        fault!(PicklingError, "Can't pickle {text}: attribute lookup {name} on __main__ failed");
    }
    Ok(Parts { how, module, name, given: given.clone(), state: state.clone() })
}

/// What the program calls so.
fn own(machine: &mut dyn Machine, name: &str) -> Option<Value> {
    machine.names(false).into_iter().find(|(own, _)| **own == *name).map(|(_, value)| value)
}

/// What a module has under a dotted name; what numpy makes its objects by is made of other functions here.
const FOUND: &str = "\
def array(kind, data):
    import numpy
    return numpy.frombuffer(data, dtype=kind)
def found():
    if module in ('__builtin__', 'builtins', 'exceptions'):
        return range if name == 'xrange' else eval(name, {}) if name.isidentifier() else None
    if module == 'numpy' and name == 'dtype':
        import numpy
        return lambda text, *more: numpy.dtype(text)
    if module in ('numpy._core.multiarray', 'numpy.core.multiarray'):
        import numpy
        return {'_reconstruct': lambda kind, *more: numpy.zeros(0), 'scalar': lambda kind, data: array(kind, data)[0]}[name]
    if (module, name) == ('torch.serialization', '_get_layout'):
        return lambda text: getattr(torch, text.removeprefix('torch.'))
    import importlib
    whole = importlib.import_module(module)
    for part in name.split('.'):
        whole = getattr(whole, part)
    return whole
found()";

/// What a pickle names. Fails as `import` and attributes do.
pub fn find(machine: &mut dyn Machine, module: &str, name: &str) -> Outcome {
    if module == "__main__" {
        return match own(machine, name) {
            Some(found) => Ok(found),
            None => fault!(AttributeError, "Can't get attribute '{name}' on <module '__main__'>"),
        };
    }
    machine.eval_code(FOUND, &[("module", Value::from(module)), ("name", Value::from(name))])
}

thread_local! {
    /// What the program said is harmless.
    static HARMLESS: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// What the program said is harmless.
pub fn harmless() -> Vec<Value> {
    HARMLESS.with_borrow(Vec::clone)
}

/// Takes a list of what is harmless from now on in the place of the one before.
pub fn set_harmless(all: Vec<Value>) {
    let before = HARMLESS.replace(all);
    drop(before);
}

/// What PyTorch takes for harmless by itself.
const BY_ITSELF: &[&str] =
    &["__builtin__.bytearray", "builtins.bytearray", "collections.Counter", "torch.serialization._get_layout"];

/// What a pickle names, where that is known to be harmless. Fails with an `UnpicklingError` otherwise.
pub fn find_harmless(machine: &mut dyn Machine, module: &str, name: &str) -> Result<Value> {
    let full = format!("{module}.{name}");
    let known = BY_ITSELF.contains(&full.as_str());
    let found = if known || !harmless().is_empty() { find(machine, module, name).ok() } else { None };
    match found {
        Some(found) if known || harmless().iter().any(|one| one.is(&found)) => Ok(found),
        _ => {
            let shown = match (module, name) {
                ("__builtin__", "xrange") => "range",
                ("__builtin__" | "builtins", name) => name,
                _ => &full,
            };
            Err(refusal(&format!(
                "Unsupported global: GLOBAL {shown} was not an allowed global by default. Please use `torch.serialization.add_safe_globals([{shown}])` or the `torch.serialization.safe_globals([{shown}])` context manager to allowlist this global if you trust this class/function."
            )))
        }
    }
}

/// What is said where a file holds more than weights.
fn refusal(reason: &str) -> anyhow::Error {
    err!(
        UnpicklingError,
        "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps only if you trust the source of the checkpoint\x1b[0m. \n\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code execution. Do it only if you got the file from a trusted source.\n\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following error message.\n\tWeightsUnpickler error: {reason}\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
    )
}

/// Gives an object its state; gives the object, or what stands for it then.
const TOLD: &str = "\
def told():
    if type(state) is tuple and len(state) == 5 and type(x).__name__ == 'ndarray':
        import numpy
        version, shape, kind, by_columns, data = state
        made = numpy.frombuffer(data, dtype=kind) if data else numpy.zeros(0, dtype=kind)
        return numpy.array(made.reshape(shape[::-1]).T if by_columns else made.reshape(shape))
    if hasattr(x, '__setstate__'):
        x.__setstate__(state)
    elif isinstance(state, dict) and hasattr(x, '__dict__'):
        x.__dict__.update(state)
    return x
told()";

/// An object when it was told its state.
pub fn tell(machine: &mut dyn Machine, x: &Value, state: &Value) -> Outcome {
    machine.eval_code(TOLD, &[("x", x.clone()), ("state", state.clone())])
}

/// Calls what makes an object.
pub fn call(machine: &mut dyn Machine, made_by: &Value, given: &Value) -> Outcome {
    let given = given.sequence().map(|items| items.to_vec()).unwrap_or_default();
    machine.call(made_by, CallArgs::positional(given))
}

/// A new object of a class, made by its `__new__`.
pub fn new(machine: &mut dyn Machine, class: &Value, given: &Value) -> Outcome {
    match given.sequence() {
        Some(given) if !given.is_empty() => {
            let new = machine.attr(class, "__new__")?;
            let given = std::iter::once(class.clone()).chain(given.iter().cloned()).collect();
            machine.call(&new, CallArgs::positional(given))
        }
        _ => machine.blank(class),
    }
}
