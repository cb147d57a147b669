//! `functools`: functions about functions.

use crate::diag::ErrorClass;
use crate::lang::function::Function;
use crate::lang::types::call::{Builtin, Call, Row, Table, Takes, check_count, def, row};
use crate::lang::types::class::{self, ObjectClass};
use crate::lang::types::{convert, iter, overall, repr};
use crate::value::{CallArgs, Class, Dict, Key, Machine, NameRef, Object, Outcome, Value};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "functools",
    rows: Table::sorted(&[
        row("cache", def(&["user_function"], 1, 1), |c| Ok(cached(c.arg(0).clone(), None, false))),
        row("cmp_to_key", def(&["mycmp"], 1, 1), |c| Ok(Value::object(ByComparison { compare: c.arg(0).clone(), of: None }))),
        row("lru_cache", def(&["maxsize", "typed"], 0, 2), lru_cache),
        row("reduce", Takes::Between(2, 3), reduce),
        row("singledispatch", def(&["func"], 1, 1), |c| {
            let class = Value::Class(Class::Object);
            Ok(Value::object(Dispatch { functions: RefCell::new(vec![(class, c.arg(0).clone())]) }))
        }),
        row("update_wrapper", def(&["wrapper", "wrapped", "assigned", "updated"], 2, 4), |c| {
            let (wrapper, wrapped) = (c.arg(0).clone(), c.arg(1).clone());
            update_wrapper(c.machine, &wrapper, &wrapped)?;
            Ok(wrapper)
        }),
        row("wraps", def(&["wrapped", "assigned", "updated"], 1, 3), |c| Ok(Value::object(Wraps(c.arg(0).clone())))),
    ]),
};

static CLASSES: Table = Table { owner: "", rows: Table::sorted(&[PARTIAL]) };

const PARTIAL: Row = row("partial", Takes::Any, |c| {
    let mut args = c.args();
    if args.is_empty() {
        fault!(TypeError, "type 'partial' takes at least one argument");
    }
    let function = args.remove(0);
    if !convert::is_callable(&function) {
        fault!(TypeError, "the first argument must be callable");
    }
    let keyword = std::mem::take(&mut c.keyword);
    Ok(Value::object(match function.downcast::<Partial>() {
        None => Partial { function, args: CallArgs { positional: args, keyword } },
        Some(inner) => Partial { function: inner.function.clone(), args: joined(&inner.args, args, keyword) },
    }))
});

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("partial", ObjectClass::callable("functools.partial", &CLASSES, &CLASSES.rows[0], None))]
}

fn reduce(c: &mut Call<'_>) -> Outcome {
    let (function, mut items, mut total) = (c.arg(0).clone(), c.arg(1).clone(), c.get(2).cloned());
    match c.machine.iter(&items) {
        Err(raise) if raise.0.diagnostic.class.is_a(ErrorClass::TypeError) => {
            fault!(TypeError, "reduce() arg 2 must support iteration")
        }
        iterator => items = iterator?,
    }
    iter::each(c.machine, &items, |machine, item| {
        total = Some(match total.take() {
            None => item,
            Some(sum) => machine.call(&function, CallArgs::positional(vec![sum, item]))?,
        });
        Ok(true)
    })?;
    match total {
        Some(total) => Ok(total),
        None => fault!(TypeError, "reduce() of empty iterable with no initial value"),
    }
}

/// `partial(function, *args, **keywords)`
struct Partial {
    function: Value,
    args: CallArgs,
}

/// Arguments of a partial with those of a call behind them; later keywords win.
fn joined(first: &CallArgs, positional: Vec<Value>, keyword: Vec<(Rc<str>, Value)>) -> CallArgs {
    let mut all = first.clone();
    all.positional.extend(positional);
    for (name, value) in keyword {
        match all.keyword.iter_mut().find(|(known, _)| *known == name) {
            Some(slot) => slot.1 = value,
            None => all.keyword.push((name, value)),
        }
    }
    all
}

impl Object for Partial {
    fn type_name(&self) -> String {
        "functools.partial".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        repr::of_container(self as *const Partial as u64, "...", || {
            let mut parts = vec![repr::repr(&self.function)?];
            for value in &self.args.positional {
                parts.push(repr::repr(value)?);
            }
            for (name, value) in &self.args.keyword {
                parts.push(format!("{name}={}", repr::repr(value)?));
            }
            Ok(format!("functools.partial({})", parts.join(", ")))
        })
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "func" => Some(self.function.clone()),
            "args" => Some(Value::tuple(self.args.positional.clone())),
            "keywords" => {
                let entries = self.args.keyword.iter().map(|(name, value)| (Key::from(&**name), value.clone()));
                Some(Value::dict(entries.collect::<Dict>()))
            }
            _ => None,
        })
    }
    fn attributes(&self) -> Vec<String> {
        ["args", "func", "keywords"].map(String::from).to_vec()
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let args = joined(&self.args, args.positional, args.keyword);
        Some(machine.call(&self.function, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
}

/// What a wrapper takes over from what it wraps.
fn update_wrapper(machine: &mut dyn Machine, wrapper: &Value, wrapped: &Value) -> Outcome<()> {
    for name in ["__module__", "__name__", "__qualname__", "__doc__"] {
        if let Ok(value) = machine.attr(wrapped, name) {
            machine.set_attr(wrapper, name, value)?;
        }
    }
    machine.set_attr(wrapper, "__wrapped__", wrapped.clone())
}

/// `wraps(wrapped)`: a decorator.
struct Wraps(Value);

impl Object for Wraps {
    fn type_name(&self) -> String {
        "functools.partial".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let Some(wrapper) = args.positional.into_iter().next() else {
            return Some(Err(err!(TypeError, "update_wrapper() missing 1 required positional argument: 'wrapper'").into()));
        };
        Some(update_wrapper(machine, &wrapper, &self.0).map(|()| wrapper))
    }
    fn is_callable(&self) -> bool {
        true
    }
}

/// `lru_cache`, `lru_cache(maxsize=128, typed=False)`: a decorator either way.
fn lru_cache(c: &mut Call<'_>) -> Outcome {
    let typed = c.get(1).map_or(Ok(false), overall::truth)?;
    match c.get(0) {
        Some(function) if convert::is_callable(function) => Ok(cached(function.clone(), Some(128), typed)),
        None => Ok(Value::object(Caching { size: Some(128), typed })),
        Some(Value::None) => Ok(Value::object(Caching { size: None, typed })),
        Some(size @ (Value::Int(_) | Value::Bool(_))) => {
            Ok(Value::object(Caching { size: Some(convert::to_i64(size)?.max(0) as usize), typed }))
        }
        Some(_) => fault!(TypeError, "Expected first argument to be an integer, a callable, or None"),
    }
}

/// `lru_cache(…)` before it meets its function.
struct Caching {
    size: Option<usize>,
    typed: bool,
}

impl Object for Caching {
    fn type_name(&self) -> String {
        "function".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(match args.positional.as_slice() {
            [function] => Ok(cached(function.clone(), self.size, self.typed)),
            _ => Err(err!(TypeError, "decorating_function() missing 1 required positional argument: 'user_function'").into()),
        })
    }
    fn is_callable(&self) -> bool {
        true
    }
}

/// A function that remembers its results, the least recently used going first.
struct Cached {
    function: Value,
    size: Option<usize>,
    typed: bool,
    known: RefCell<Dict>,
    hits: Cell<usize>,
    misses: Cell<usize>,
}

fn cached(function: Value, size: Option<usize>, typed: bool) -> Value {
    Value::object(Cached { function, size, typed, known: RefCell::default(), hits: Cell::new(0), misses: Cell::new(0) })
}

static CACHE_METHODS: Table = Table {
    owner: "_lru_cache_wrapper",
    rows: Table::sorted(&[
        row("cache_clear", Takes::Nothing, |c| {
            if let Some(cached) = c.this.downcast::<Cached>() {
                cached.known.take();
                cached.hits.set(0);
                cached.misses.set(0);
            }
            Ok(Value::None)
        }),
        row("cache_info", Takes::Nothing, |c| Ok(c.this.downcast::<Cached>().map_or(Value::None, Cached::info))),
    ]),
};

impl Cached {
    fn info(&self) -> Value {
        let size = self.size.map_or(Value::None, Value::from);
        let values =
            vec![Value::from(self.hits.get()), Value::from(self.misses.get()), size, Value::from(self.known.borrow().len())];
        let fields = &["hits", "misses", "maxsize", "currsize"];
        Value::Named(Rc::new(crate::value::Named { type_name: "CacheInfo", fields, values }))
    }

    /// The arguments as a key. Fails with a `TypeError` when one cannot be a key. An only argument that is an int or a str is
    /// its own key, so that, as in CPython, `f(3)` and `f(3.0)` are two calls.
    fn key(&self, machine: &mut dyn Machine, args: &CallArgs) -> Outcome<Key> {
        if let ([only @ (Value::Int(_) | Value::BigInt(_) | Value::Str(_))], [], false) =
            (args.positional.as_slice(), args.keyword.as_slice(), self.typed)
        {
            return Key::new(only.clone());
        }
        let mut parts = args.positional.clone();
        // A mark that no argument can be keeps positional arguments from being taken for keywords.
        parts.push(Value::object(Mark));
        parts.extend(args.keyword.iter().flat_map(|(name, value)| [Value::from(&**name), value.clone()]));
        if self.typed {
            let types = args.positional.iter().chain(args.keyword.iter().map(|(_, value)| value));
            parts.extend(types.map(|value| Value::from(value.type_name())).collect::<Vec<_>>());
        }
        Key::of(machine, Value::tuple(parts))
    }

    fn run(&self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        if self.size == Some(0) {
            self.misses.set(self.misses.get() + 1);
            return machine.call(&self.function, args);
        }
        let key = self.key(machine, &args)?;
        let found = self.known.borrow_mut().shift_remove(&key);
        if let Some(value) = found {
            self.hits.set(self.hits.get() + 1);
            self.known.borrow_mut().insert(key, value.clone());
            return Ok(value);
        }
        self.misses.set(self.misses.get() + 1);
        let value = machine.call(&self.function, args)?;
        let mut known = self.known.borrow_mut();
        if self.size.is_some_and(|size| known.len() >= size) {
            known.shift_remove_index(0);
        }
        known.insert(key, value.clone());
        Ok(value)
    }
}

/// `singledispatch(function)`: functions by the class of the first argument, that of `object` first.
struct Dispatch {
    functions: RefCell<Vec<(Value, Value)>>,
}

static DISPATCH: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("dispatch", Takes::One, |c| own_dispatch(c)?.function(|class| class::is_subclass_of(c.arg(0), class))),
        row("register", def(&["cls", "func"], 1, 2), |c| {
            own_dispatch(c)?;
            let (class, function) = (c.arg(0).clone(), c.some(1).cloned());
            if let (None, Some(annotated)) = (&function, first_type(&class)) {
                own_dispatch(c)?.add(annotated, &class)?;
                return Ok(class);
            }
            let Some(function) = function else { return Ok(Value::object(Register { of: c.this.clone(), class })) };
            own_dispatch(c)?.add(class, &function)?;
            Ok(function)
        }),
    ]),
};

/// The type that the first parameter of a function is written with.
fn first_type(function: &Value) -> Option<Value> {
    let function = function.downcast::<Function>()?;
    let name = function.code.params.names.first()?;
    function.annotations.as_ref()?.get(&NameRef(name)).cloned()
}

fn own_dispatch<'c>(c: &Call<'c>) -> Outcome<&'c Dispatch> {
    match c.this.downcast::<Dispatch>() {
        Some(dispatch) => Ok(dispatch),
        None => fault!(TypeError, "a function with dispatch is needed, not {}", c.this.type_name()),
    }
}

impl Dispatch {
    fn add(&self, class: Value, function: &Value) -> Outcome<()> {
        if class::is_subclass_of(&class, &class).is_err() {
            let shown = repr::repr(&class)?;
            fault!(TypeError, "Invalid first argument to `register()`. {shown} is not a class or union type.");
        }
        let mut functions = self.functions.borrow_mut();
        let known = functions.iter().position(|(own, _)| own.is(&class));
        known.into_iter().for_each(|place| drop(functions.remove(place)));
        functions.push((class, function.clone()));
        Ok(())
    }

    /// The function of the narrowest class that passes a test.
    fn function(&self, test: impl Fn(&Value) -> Outcome<bool>) -> Outcome {
        let mut found: Option<(Value, Value)> = None;
        for (class, function) in self.functions.borrow().iter() {
            let is_narrower = match &found {
                Some((wide, _)) => class::is_subclass_of(class, wide)?,
                None => true,
            };
            if is_narrower && test(class)? {
                found = Some((class.clone(), function.clone()));
            }
        }
        Ok(found.map_or(Value::None, |(_, function)| function))
    }

    fn first(&self) -> Value {
        self.functions.borrow().first().map_or(Value::None, |(_, function)| function.clone())
    }
}

impl Object for Dispatch {
    fn type_name(&self) -> String {
        "function".into()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::Function)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        repr::repr(&self.first()).unwrap_or_default()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "registry" => {
                let pairs = self.functions.borrow().clone().into_iter();
                let entries = pairs.map(|(class, function)| Ok((Key::new(class)?, function)));
                Some(Value::dict(entries.collect::<Outcome<Dict>>()?))
            }
            "__wrapped__" => Some(self.first()),
            "__name__" | "__qualname__" | "__doc__" | "__module__" => match self.first() {
                Value::Object(function) => Rc::clone(&function).attr(name)?,
                _ => None,
            },
            _ => DISPATCH.find(name).map(|row| Builtin::method(&DISPATCH, row, Value::shared(self))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        DISPATCH.names()
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let Some(first) = args.positional.first() else {
            let name = machine.attr(&self.first(), "__name__").and_then(|name| machine.str(&name));
            let name = name.unwrap_or_default();
            return Some(Err(err!(TypeError, "{name} requires at least 1 positional argument").into()));
        };
        let function = self.function(|class| class::is_instance(first, class));
        Some(function.and_then(|function| machine.call(&function, args)))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn is_function(&self) -> bool {
        true
    }
}

/// `register(class)`: a decorator.
struct Register {
    of: Value,
    class: Value,
}

impl Object for Register {
    fn type_name(&self) -> String {
        "function".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let (dispatch, function) = (self.of.downcast::<Dispatch>()?, args.positional.into_iter().next()?);
        Some(dispatch.add(self.class.clone(), &function).map(|()| function))
    }
    fn is_callable(&self) -> bool {
        true
    }
}

/// Stands between positional and named arguments in a key.
struct Mark;

impl Object for Mark {
    fn type_name(&self) -> String {
        "object".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(other.downcast::<Mark>().is_some())
    }
    fn hash(&self) -> Option<u64> {
        Some(1)
    }
}

impl Object for Cached {
    fn type_name(&self) -> String {
        "functools._lru_cache_wrapper".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        match repr::repr(&self.function) {
            Ok(text) => text.replacen("<function", "<functools._lru_cache_wrapper object of", 1),
            Err(_) => "<functools._lru_cache_wrapper object>".into(),
        }
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__wrapped__" => Some(self.function.clone()),
            "__name__" | "__qualname__" | "__doc__" | "__module__" => match &self.function {
                Value::Object(function) => Rc::clone(function).attr(name)?,
                _ => None,
            },
            _ => CACHE_METHODS.find(name).map(|row| Builtin::method(&CACHE_METHODS, row, Value::shared(self))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        CACHE_METHODS.names()
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(self.run(machine, args))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn is_function(&self) -> bool {
        true
    }
}

/// `cmp_to_key(compare)`, and the keys it makes.
struct ByComparison {
    compare: Value,
    of: Option<Value>,
}

impl Object for ByComparison {
    fn type_name(&self) -> String {
        "functools.KeyWrapper".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn call(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        Some(match args.positional.as_slice() {
            [item] => Ok(Value::object(ByComparison { compare: self.compare.clone(), of: Some(item.clone()) })),
            other => check_count("K", other.len(), 1, 1).map(|()| Value::None),
        })
    }
    fn is_callable(&self) -> bool {
        self.of.is_none()
    }
    fn operate(self: Rc<Self>, machine: &mut dyn Machine, op: &'static str, other: &Value, _reflected: bool) -> Option<Outcome> {
        let op = crate::syntax::ast::CompareOp::from_symbol(op)?;
        let (mine, theirs) = (self.of.clone()?, other.downcast::<ByComparison>()?.of.clone()?);
        let answer = machine.call(&self.compare, CallArgs::positional(vec![mine, theirs]));
        Some(answer.and_then(|sign| overall::compare(machine, op, &sign, &Value::Int(0))))
    }
}
