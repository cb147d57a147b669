//! Calls.

use super::number::{Given, Number};
use super::quick::peek;
use super::raised::{Raised, WithRaise};
use crate::diag::{ErrorClass, Span};
use crate::interrupt;
use crate::lang::classes::Bound;
use crate::lang::compile::tree::*;
use crate::lang::frame::{Cell, Frame, new_cells};
use crate::lang::function::Function;
use crate::lang::interp::Interp;
use crate::lang::iterate::Cursor;
use crate::lang::operation::Operation;
use crate::lang::types::call::{AtOnce, Builtin, Slots};
use crate::lang::{exceptions, stack, types};
use crate::ops::{self, exec};
use crate::value::{CallArgs, Class, Key, Outcome, Raise, Value};
use smallvec::SmallVec;
use std::rc::Rc;

impl Interp {
    /// `callee(…)`. A plain call of a function puts its arguments where the function's slots will be.
    #[inline(never)]
    pub(in crate::lang) fn call_node(&mut self, f: &mut Frame, it: &Call, node: &Node) -> Given {
        match self.plain_callee(f, it) {
            Some((function, args)) => self.call_plain(f, &function, args, node.span),
            None => {
                let value = self.call_any(f, it, node)?;
                Ok(self.pass(value))
            }
        }
    }

    /// The function and the arguments of a call that needs no binding: as many positional arguments as there are parameters without a
    /// default, or more.
    #[inline(always)]
    fn plain_callee<'a>(&self, f: &Frame, it: &'a Call) -> Option<(Rc<Function>, &'a [Node])> {
        let Args::Plain(args) = &it.args else { return None };
        let value = match &it.callee.op {
            Op::Load(Place::Global(global)) => self.globals.at(global.slot)?,
            Op::Local(slot) => self.stack.get(f.base + *slot as usize)?.as_ref()?,
            Op::Load(place) => return plain(super::variable::cell(f, *place)?.borrow().as_ref()?, it, args),
            _ => return None,
        };
        plain(value, it, args)
    }

    #[inline(always)]
    fn call_plain(&mut self, f: &mut Frame, function: &Function, args: &[Node], span: Span) -> Given {
        let base = self.push_args(f, args)?;
        if let Some(left_out @ [_, ..]) = function.defaults.get(args.len()..) {
            self.stack.extend_from_slice(left_out);
        }
        match self.enter(function, base) {
            Err(raised) => Err(self.came_out(f, span, function, raised)),
            given => given,
        }
    }

    /// Calls a function of an object's class, where nothing is left to bind.
    pub(super) fn call_method(&mut self, f: &mut Frame, function: &Function, this: Value, args: &[Node], span: Span) -> Given {
        let base = self.stack.len();
        self.stack.push(Some(this));
        if let Err(raise) = self.push_args(f, args) {
            self.stack.truncate(base);
            return Err(raise.into());
        }
        match self.enter(function, base) {
            Err(raised) => Err(self.came_out(f, span, function, raised)),
            given => given,
        }
    }

    /// The exception that left a function, with the call noted.
    #[cold]
    #[inline(never)]
    fn came_out(&self, f: &Frame, span: Span, function: &Function, raised: Raised) -> Raised {
        let raise = Raise::from(raised);
        self.came_through(f, span, &function.code.name, &raise);
        raise.into()
    }

    /// The result of a built-in function that only looks at variables and constants.
    #[inline(always)]
    fn call_at_once(&self, f: &Frame, it: &Call) -> Option<Value> {
        let (Args::Plain(nodes), Value::Object(object)) = (&it.args, self.seen(f, &it.callee)?) else { return None };
        let (look, this) = object.as_any().downcast_ref::<Builtin>()?.at_once()?;
        self.look_at(f, look, this, nodes)
    }

    /// What a built-in gives that only looks at its object and arguments; none when one of them stands in no variable.
    #[inline(always)]
    pub(super) fn look_at(&self, f: &Frame, look: AtOnce, this: &Value, nodes: &[Node]) -> Option<Value> {
        match nodes {
            [one] => look(this, &[self.seen(f, one)?]),
            [one, two] => look(this, &[self.seen(f, one)?, self.seen(f, two)?]),
            _ => None,
        }
    }

    /// The value of a constant or variable, or what is built in under its name.
    #[inline(always)]
    pub(super) fn seen<'a>(&'a self, f: &Frame, node: &'a Node) -> Option<&'a Value> {
        match &node.op {
            Op::Load(Place::Global(global)) => self.globals.at(global.slot).or_else(|| self.globals.builtin_at(global.builtin)),
            _ => peek(&self.stack, &self.globals, f, node),
        }
    }

    #[inline(never)]
    fn call_any(&mut self, f: &mut Frame, it: &Call, node: &Node) -> Outcome {
        if let Some(value) = self.call_at_once(f, it) {
            return Ok(value);
        }
        let callee = self.eval(f, &it.callee)?;
        if let (Args::Plain(nodes), false) = (&it.args, it.sees_locals)
            && let Some(result) = self.call_builtin(f, &callee, nodes, node.span)
        {
            return result;
        }
        if let Some(function) = as_function(&callee)
            && let Some(base) = self.bind_nodes(f, function, &it.args).map_err(|r| self.locate(f, node.span, r))?
        {
            let given = self.enter(function, base).with_raise().map_err(|r| self.through_or_at(f, node.span, function, r))?;
            return Ok(self.received(given));
        }
        let args = self.args(f, &it.args, &|| call_name(&callee))?;
        if it.sees_locals {
            self.visible = Some(self.local_variables(f));
        }
        let result = self.call_from(f, node.span, &callee, &it.args, args);
        self.visible = None;
        result
    }

    /// Calls a built-in function or class with arguments by place; none when the callee is something else.
    fn call_builtin(&mut self, f: &mut Frame, callee: &Value, nodes: &[Node], span: Span) -> Option<Outcome> {
        match callee {
            Value::Object(object) => {
                let builtin = object.as_any().downcast_ref::<Builtin>()?;
                let slots = match self.slots(f, nodes) {
                    Ok(slots) => slots,
                    Err(raise) => return Some(Err(raise)),
                };
                let (shown, holds) = (slots_with_tensors(&slots), slots.iter().any(is_object));
                let result = builtin.call_slots(self, slots);
                if holds && result.is_ok() {
                    self.end_left();
                }
                Some(result.map_err(|r| self.blame(f, span, r, &nodes.iter().map(|n| n.span).zip(&shown).collect::<Vec<_>>())))
            }
            Value::Class(class) if types::is_quickly_made(*class) => {
                let slots = match self.slots(f, nodes) {
                    Ok(slots) => slots,
                    Err(raise) => return Some(Err(raise)),
                };
                if let Some(made) = types::make_quickly(*class, &slots) {
                    return Some(Ok(made));
                }
                let shown = slots_with_tensors(&slots);
                let args = CallArgs::positional(slots.into_iter().flatten().collect());
                let result = self.call_value(callee, args);
                Some(result.map_err(|r| self.blame(f, span, r, &nodes.iter().map(|n| n.span).zip(&shown).collect::<Vec<_>>())))
            }
            _ => None,
        }
    }

    /// The arguments of a built-in, evaluated left to right.
    pub(in crate::lang) fn slots(&mut self, f: &mut Frame, nodes: &[Node]) -> Outcome<Slots> {
        let mut slots = Slots::new();
        for node in nodes {
            match self.give(f, node)? {
                Some(number) => number.with(|value| slots.push(Some(value))),
                None => slots.push(Some(self.taken())),
            }
        }
        Ok(slots)
    }

    /// Calls a value for a call that stands in the text.
    pub(in crate::lang) fn call_from(&mut self, f: &Frame, span: Span, callee: &Value, nodes: &Args, args: CallArgs) -> Outcome {
        let bound = callee.downcast::<Bound>();
        if let Some(function) = as_function(bound.map_or(callee, |bound| &bound.function)) {
            let args = match bound {
                Some(bound) => bound.args(args),
                None => args,
            };
            let result = self.call_bound(function, args);
            return result.map_err(|r| self.through_or_at(f, span, function, r));
        }
        let shown = tensors_in(&args.positional);
        self.call_value(callee, args).map_err(|r| self.blame(f, span, r, &argument_spans(nodes, &shown)))
    }

    /// An exception from a function's body came through this call; one from binding its arguments happened here.
    #[cold]
    fn through_or_at(&self, f: &Frame, span: Span, function: &Function, raise: Raise) -> Raise {
        if raise.0.trace.borrow().source.is_none() {
            return self.locate(f, span, raise);
        }
        self.came_through(f, span, &function.code.name, &raise);
        raise
    }

    /// Calls any value.
    pub(in crate::lang) fn call_value(&mut self, callee: &Value, args: CallArgs) -> Outcome {
        match callee {
            Value::Object(object) => {
                if let Some(function) = object.as_any().downcast_ref::<Function>() {
                    return self.call_function(function, args);
                }
                match Rc::clone(object).call(self, args) {
                    Some(result) => result,
                    None => fault!(TypeError, "'{}' object is not callable", callee.type_name()),
                }
            }
            Value::Class(Class::Exception(class)) => exceptions::construct(self, *class, args),
            Value::Class(class) => types::construct(self, *class, args),
            _ => fault!(TypeError, "'{}' object is not callable", callee.type_name()),
        }
    }

    /// Calls a function for built-in code, which has no place in the text.
    pub(in crate::lang) fn call_function(&mut self, function: &Function, args: CallArgs) -> Outcome {
        self.call_bound(function, args).inspect_err(|r| {
            let mut trace = r.0.trace.borrow_mut();
            if trace.source.is_some() {
                trace.pending = Some(function.code.name.to_string());
            }
        })
    }

    fn call_bound(&mut self, function: &Function, args: CallArgs) -> Outcome {
        let base = self.bind(function, args)?;
        let given = self.enter(function, base)?;
        Ok(self.received(given))
    }

    /// Puts the values of expressions on the stack; gives where they begin.
    #[inline(always)]
    pub(super) fn push_args(&mut self, f: &mut Frame, args: &[Node]) -> Outcome<usize> {
        let base = self.stack.len();
        for arg in args {
            let given = match self.quick_operand(f, arg) {
                None => self.give(f, arg),
                number => Ok(number),
            };
            match given {
                Ok(given) => self.push_given(given),
                Err(raised) => {
                    self.stack.truncate(base);
                    return Err(raised.into());
                }
            }
        }
        Ok(base)
    }

    /// Puts what was given on the stack.
    #[inline(always)]
    fn push_given(&mut self, given: Option<Number>) {
        match given {
            Some(number) => number.with(|value| self.stack.push(Some(value))),
            None => self.stack.push(Some(std::mem::replace(&mut self.given, Value::None))),
        }
    }

    /// Runs a function whose arguments are the slots from `base` on, and takes the slots away.
    #[inline(always)]
    fn enter(&mut self, function: &Function, base: usize) -> Given {
        if exec::is_open() { self.enter_outside(function, base) } else { self.enter_here(function, base) }
    }

    /// The same inside an expression that runs as one: the body's statements are none of its business.
    #[cold]
    fn enter_outside(&mut self, function: &Function, base: usize) -> Given {
        exec::outside(|| self.enter_here(function, base))?
    }

    #[inline(always)]
    fn enter_here(&mut self, function: &Function, base: usize) -> Given {
        self.depth += 1;
        let result = self.run_function(function, base);
        self.depth -= 1;
        if self.drop_slots(base) && result.is_ok() {
            self.end_left();
        }
        result
    }

    /// Takes away the slots from `base` on. Numbers need no more than that, so the way for all values is off the common path; true where
    /// it was taken.
    #[inline(always)]
    pub(super) fn drop_slots(&mut self, base: usize) -> bool {
        let mut others = false;
        while self.stack.len() > base {
            let top = self.stack.last();
            let is_plain = matches!(top, Some(None | Some(Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::None)));
            let top = self.stack.pop();
            if is_plain {
                std::mem::forget(top);
            } else {
                drop(top);
                others = true;
            }
        }
        others
    }

    #[inline(always)]
    fn run_function(&mut self, function: &Function, base: usize) -> Given {
        if self.depth > self.recursion_limit || stack::is_below(self.floor) || interrupt::is_raised() {
            self.refuse_call()?;
        }
        let code = &*function.code;
        let slots = base + code.slots as usize;
        if slots > self.stack.len() {
            self.stack.resize(slots, None);
        }
        if let Body::Steps(_) = code.body {
            return self.begin_steps(function, base);
        }
        self.run_in_frame(code, base, &function.free)
    }

    /// The error for a call that comes too deep or is interrupted.
    #[cold]
    fn refuse_call(&self) -> Outcome<()> {
        interrupt::check()?;
        Err(Raise::new(ErrorClass::RecursionError, "maximum recursion depth exceeded"))
    }

    /// Runs a body whose slots are on the stack from `base` on.
    #[inline(always)]
    pub(in crate::lang) fn run_in_frame(&mut self, code: &Code, base: usize, free: &[Cell]) -> Given {
        if code.cell_names.is_empty() {
            return self.run_body(&mut Frame { code, base, cells: &mut [], free });
        }
        self.run_with_cells(code, base, free)
    }

    #[inline(never)]
    fn run_with_cells(&mut self, code: &Code, base: usize, free: &[Cell]) -> Given {
        self.run_body(&mut Frame { code, base, cells: &mut new_cells(code), free })
    }

    /// Runs the body of a frame whose slots are on the stack.
    #[inline(always)]
    fn run_body(&mut self, frame: &mut Frame) -> Given {
        let code = frame.code;
        for (slot, cell) in &code.cell_params {
            let value = self.store(frame, Place::Local(*slot), None);
            self.store(frame, Place::Cell(*cell), value);
        }
        match &code.body {
            Body::Value(node) => self.give(frame, node),
            Body::Block(block) => match self.block(frame, block)? {
                super::stmt::Flow::Return(given) => Ok(given),
                _ => Ok(self.pass(Value::None)),
            },
            Body::Generator(..) | Body::Steps(_) => Ok(self.pass(Value::None)),
        }
    }

    /// The arguments of a call, evaluated left to right; `callee` is the name of what is called, for messages about `*` and `**`.
    pub(in crate::lang) fn args(&mut self, f: &mut Frame, args: &Args, callee: &dyn Fn() -> String) -> Outcome<CallArgs> {
        match args {
            Args::Plain(nodes) => {
                let values = nodes.iter().map(|n| self.eval(f, n)).collect::<Outcome<Vec<_>>>()?;
                Ok(CallArgs::positional(values))
            }
            Args::Mixed(nodes) => {
                let mut gathered = CallArgs::default();
                let by_place = nodes.iter().filter(|arg| matches!(arg, Arg::Positional(_) | Arg::Star(_))).count();
                for arg in nodes {
                    self.gather(f, arg, (callee, by_place == 1), &mut gathered)?;
                }
                Ok(gathered)
            }
        }
    }

    /// Adds an argument to those of a call; `alone` when it is all that is given by place.
    fn gather(
        &mut self,
        f: &mut Frame,
        arg: &Arg,
        (callee, alone): (&dyn Fn() -> String, bool),
        to: &mut CallArgs,
    ) -> Outcome<()> {
        match arg {
            Arg::Positional(node) => to.positional.push(self.eval(f, node)?),
            Arg::Keyword(name, node) => {
                if to.keyword.iter().any(|(known, _)| **known == **name) {
                    fault!(TypeError, "{}() got multiple values for keyword argument '{name}'", callee());
                }
                to.keyword.push((name.clone(), self.eval(f, node)?));
            }
            Arg::Star(node) => {
                let value = self.eval(f, node)?;
                let items = self.spread_items(&value, alone.then_some(callee)).map_err(|r| self.locate(f, node.span, r))?;
                to.positional.extend(items);
            }
            Arg::DoubleStar(node) => {
                let value = self.eval(f, node)?;
                let result = spread_mapping(&value, callee, to);
                result.map_err(|r| self.locate(f, node.span, r))?;
            }
        }
        Ok(())
    }

    /// What stands behind a `*`. Beside other arguments by place Python makes a list of all, and knows no callee.
    fn spread_items(&mut self, value: &Value, callee: Option<&dyn Fn() -> String>) -> Outcome<Vec<Value>> {
        match (Cursor::find(self, value)?, callee) {
            (Some(cursor), _) => self.drain(cursor, usize::MAX),
            (None, Some(callee)) => {
                fault!(TypeError, "{}() argument after * must be an iterable, not {}", callee(), value.type_name())
            }
            (None, None) => fault!(TypeError, "Value after * must be an iterable, not {}", value.type_name()),
        }
    }

    /// A function from its definition, with its defaults evaluated now.
    pub(in crate::lang) fn make_function(&mut self, f: &mut Frame, it: &MakeFunction) -> Outcome {
        let mut defaults: Box<[Option<Value>]> = it.code.params.names.iter().map(|_| None).collect();
        for (place, node) in &it.defaults {
            let value = self.eval(f, node)?;
            if let Some(default) = defaults.get_mut(*place as usize) {
                *default = Some(value);
            }
        }
        let mut function = Function::new(it.code.clone(), defaults, captures(f, &it.code));
        if !it.annotations.is_empty() {
            let types = it.annotations.iter().map(|(name, node)| Ok((Key::from(&**name), self.written_type(f, node)?)));
            function.annotations = Some(Rc::new(types.collect::<Outcome<_>>()?));
        }
        Ok(Value::object(function))
    }

    /// The type that a parameter, a result or an attribute is written with. Nothing but a reader needs it, so that what cannot be said
    /// of it is left out; a name that nobody knows is told, unless `from __future__ import annotations` leaves types alone.
    pub(super) fn written_type(&mut self, f: &mut Frame, node: &Node) -> Outcome {
        match self.eval(f, node) {
            Err(raise) if raise.0.diagnostic.class == ErrorClass::NameError => match self.globals.get("annotations") {
                Some(Value::Bool(true)) => Ok(Value::None),
                _ => Err(raise),
            },
            found => Ok(found.unwrap_or(Value::None)),
        }
    }

    /// The variables that `locals()` shows.
    fn local_variables(&self, f: &Frame) -> Vec<(Rc<str>, Value)> {
        let slots = f.code.slot_names.iter().zip(self.stack.get(f.base..).unwrap_or_default());
        let mut found: Vec<(Rc<str>, Value)> = slots.filter_map(|(n, v)| Some((n.clone(), v.clone()?))).collect();
        let own = f.code.cell_names.iter().zip(f.cells.iter());
        let borrowed = f.code.free_names.iter().zip(f.free);
        found.extend(own.chain(borrowed).filter_map(|(n, c)| Some((n.clone(), c.borrow().clone()?))));
        found
    }
}

/// The cells that an inner body borrows from the frame that makes it.
pub(in crate::lang) fn captures(f: &Frame, code: &Code) -> Box<[Cell]> {
    code.captures.iter().map(|place| super::variable::cell(f, *place).cloned().unwrap_or_default()).collect()
}

#[inline(always)]
fn plain<'a>(callee: &Value, it: &Call, args: &'a [Node]) -> Option<(Rc<Function>, &'a [Node])> {
    let Value::Object(object) = callee else { return None };
    let function = it.site.function(object)?;
    let wanted = function.code.params.exact? as usize;
    let fits = wanted == args.len() || wanted > args.len() && function.defaults[args.len()..].iter().all(Option::is_some);
    fits.then_some((function, args))
}

/// Arguments to show when a call fails; only tensors are shown.
pub(super) type Shown = SmallVec<[Value; 4]>;

/// The arguments, when there is a tensor among them.
pub(super) fn tensors_in(args: &[Value]) -> Shown {
    if args.iter().any(|v| matches!(v, Value::Tensor(_))) { args.iter().cloned().collect() } else { Shown::new() }
}

/// True for an object, with which something may go that has an end.
fn is_object(slot: &Option<Value>) -> bool {
    matches!(slot, Some(Value::Object(_)))
}

fn slots_with_tensors(slots: &Slots) -> Shown {
    let has_tensor = slots.iter().any(|v| matches!(v, Some(Value::Tensor(_))));
    if has_tensor { slots.iter().flatten().cloned().collect() } else { Shown::new() }
}

fn as_function(callee: &Value) -> Option<&Function> {
    match callee {
        Value::Object(object) => object.as_any().downcast_ref::<Function>(),
        _ => None,
    }
}

/// The name of what is called in messages about `*` and `**`, behind that of its class or module.
pub(super) fn call_name(callee: &Value) -> String {
    if let Some(operation) = callee.downcast::<Operation>() {
        return ops::full_name(operation.set(), operation.is_method());
    }
    let function = callee.downcast::<Bound>().map_or(callee, |bound| &bound.function);
    match (callee.downcast::<Builtin>(), as_function(function), callee) {
        (Some(builtin), ..) => builtin.name_with_owner(),
        (_, Some(function), _) => format!("__main__.{}", function.code.qualname),
        (.., Value::Class(class)) => class.name(),
        (.., other) => other.type_name(),
    }
}

fn spread_mapping(value: &Value, callee: &dyn Fn() -> String, to: &mut CallArgs) -> Outcome<()> {
    let Some(entries) = crate::lang::types::dict::entries_of(value) else {
        fault!(TypeError, "{}() argument after ** must be a mapping, not {}", callee(), value.type_name());
    };
    for (key, item) in entries.borrow().iter() {
        let Value::Str(name) = Key::value(key) else {
            fault!(TypeError, "keywords must be strings");
        };
        if to.keyword.iter().any(|(known, _)| **known == **name) {
            fault!(TypeError, "{}() got multiple values for keyword argument '{name}'", callee());
        }
        to.keyword.push((name.as_str().into(), item.clone()));
    }
    Ok(())
}

/// The places of positional arguments that were written one by one, with their values.
pub(super) fn argument_spans<'v>(nodes: &Args, values: &'v [Value]) -> Vec<(Span, &'v Value)> {
    let spans: Vec<Span> = match nodes {
        Args::Plain(nodes) => nodes.iter().map(|n| n.span).collect(),
        Args::Mixed(args) => args.iter().map_while(|a| if let Arg::Positional(n) = a { Some(n.span) } else { None }).collect(),
    };
    spans.into_iter().zip(values).collect()
}
