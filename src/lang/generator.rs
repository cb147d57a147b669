//! Generators: a frame that sleeps between items, of an expression or of a function with a `yield`.

use super::compile::tree::{Body, Clause, Code, MakeGenerator, Node};
use super::eval::{Flow, Given, Resume, WithRaise, captures, leaving};
use super::frame::{Cell, Frame, new_cells};
use super::function::Function;
use super::interp::Interp;
use super::iterate::Cursor;
use super::left;
use super::stack;
use super::types::call::{Builtin, Call, Table, Takes, row};
use super::types::repr;
use crate::diag::{Diagnostic, ErrorClass};
use crate::value::{CallArgs, Class, Exception, Machine, Object, Outcome, Raise, Value};
use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A generator: its frame's slots and cells, and where each of its loops stands.
pub struct Generator {
    code: Rc<Code>,
    free: Box<[Cell]>,
    phase: std::cell::Cell<Phase>,
    /// True once it was asked for an item.
    has_begun: std::cell::Cell<bool>,
    parts: RefCell<Parts>,
    /// What it returned at its end.
    returned: RefCell<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Between items.
    Asleep,
    /// In the middle of an item: its parts are taken.
    Running,
    /// At its end, or failed: its parts are gone.
    Done,
}

/// What a generator keeps between items. The first loop's cursor is there from the start, the inner ones while they run.
#[derive(Default)]
struct Parts {
    stack: Vec<Option<Value>>,
    cells: Box<[Cell]>,
    cursors: Vec<Cursor>,
    /// Where a function stands.
    resume: Resume,
}

impl Interp {
    /// `(element for … in first …)`: the outermost iterable is taken at once, nothing else runs yet.
    pub(in crate::lang) fn make_generator(&mut self, f: &mut Frame, it: &MakeGenerator) -> Outcome {
        let cursor = self.cursor(f, &it.first)?;
        let parts = Parts {
            stack: vec![None; it.code.slots as usize],
            cells: new_cells(&it.code),
            cursors: vec![cursor],
            resume: Resume::default(),
        };
        Ok(Generator::make(it.code.clone(), captures(f, &it.code), parts))
    }

    /// A call of a function with a `yield`: its arguments are the slots from `base` on, which move into the generator.
    pub(in crate::lang) fn begin_steps(&mut self, function: &Function, base: usize) -> Given {
        let code = &function.code;
        let mut stack = self.stack.split_off(base);
        let cells = new_cells(code);
        for (slot, cell) in &code.cell_params {
            if let (Some(slot), Some(cell)) = (stack.get_mut(*slot as usize), cells.get(*cell as usize)) {
                cell.replace(slot.take());
            }
        }
        let parts = Parts { stack, cells, cursors: vec![], resume: Resume::default() };
        let generator = Generator::make(code.clone(), function.free.clone(), parts);
        Ok(self.pass(generator))
    }

    /// Wakes the generator for one item, with what is sent to it or thrown into it.
    pub(in crate::lang) fn resume(&mut self, generator: &Generator, sent: Outcome) -> Outcome<Option<Value>> {
        match generator.phase.get() {
            Phase::Asleep if stack::is_below(self.floor) => fault!(RecursionError, "maximum recursion depth exceeded"),
            Phase::Asleep => generator.phase.set(Phase::Running),
            Phase::Running => fault!(ValueError, "generator already executing"),
            Phase::Done => return sent.map(|_| None),
        }
        let has_begun = generator.has_begun.replace(true);
        let mut parts = generator.parts.borrow_mut();
        let Parts { stack, cells, cursors, resume } = &mut *parts;
        // It runs on a stack of its own, so that nothing is copied when it sleeps.
        std::mem::swap(&mut self.stack, stack);
        let mut frame = Frame { code: &generator.code, base: 0, cells, free: &generator.free };
        let result = match (&generator.code.body, sent) {
            (Body::Steps(block), sent) if has_begun || sent.is_ok() => {
                resume.enter(sent);
                self.depth += 1;
                let flow = self.steps(&mut frame, block, resume, 0).with_raise();
                self.depth -= 1;
                self.gave(generator, flow, resume)
            }
            (Body::Generator(element, clauses), Ok(_)) => self.next_element(&mut frame, element, clauses, cursors),
            (_, sent) => sent.map(|_| None),
        };
        std::mem::swap(&mut self.stack, stack);
        if matches!(result, Ok(Some(_))) {
            generator.phase.set(Phase::Asleep);
        } else {
            generator.phase.set(Phase::Done);
            let gone = std::mem::take(&mut *parts);
            drop(parts);
            drop(gone);
        }
        result
    }

    /// What a function gave when it was left: the next item, or none at its end.
    fn gave(&mut self, generator: &Generator, flow: Outcome<Flow>, resume: &mut Resume) -> Outcome<Option<Value>> {
        match flow {
            Ok(Flow::Yield) => Ok(resume.take_out()),
            Ok(Flow::Return(given)) => {
                generator.returned.replace(self.received(given));
                Ok(None)
            }
            Ok(_) => Ok(None),
            Err(raise) => Err(leaving(raise)),
        }
    }

    /// Moves the innermost running loop on until an element passes all tests.
    fn next_element(
        &mut self,
        f: &mut Frame,
        element: &Node,
        clauses: &[Clause],
        cursors: &mut Vec<Cursor>,
    ) -> Outcome<Option<Value>> {
        while let Some(clause) = cursors.len().checked_sub(1).and_then(|innermost| clauses.get(innermost)) {
            let Some(cursor) = cursors.last_mut() else { break };
            if !self.step(f, clause.iter.span, cursor, &clause.target)? {
                cursors.pop();
                continue;
            }
            if !self.passes(f, clause)? {
                continue;
            }
            match clauses.get(cursors.len()) {
                None => return self.eval(f, element).map(Some),
                Some(inner) => {
                    let cursor = self.cursor(f, &inner.iter)?;
                    cursors.push(cursor);
                }
            }
        }
        Ok(None)
    }

    fn passes(&mut self, f: &mut Frame, clause: &Clause) -> Outcome<bool> {
        for test in &clause.tests {
            if !self.test(f, test)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

thread_local! {
    /// Generators that nobody holds any more, in the middle of something that has an end: a `try`, a `with`.
    static DROPPED: RefCell<VecDeque<Generator>> = const { RefCell::new(VecDeque::new()) };
}

/// Ends the generators that nobody holds any more, as `close` does. What fails there has nobody to tell; CPython prints it and goes on.
pub(super) fn end_dropped(interp: &mut Interp) {
    while let Some(generator) = DROPPED.with_borrow_mut(VecDeque::pop_front) {
        let ended = interp.resume(&generator, Err(Raise::new(ErrorClass::GeneratorExit, "")));
        generator.phase.set(Phase::Done);
        drop(ended);
    }
}

impl Drop for Generator {
    /// One that stands in the middle of something that has an end waits for the evaluator to run that.
    fn drop(&mut self) {
        if self.phase.get() != Phase::Asleep || !self.has_begun.get() || !self.parts.get_mut().resume.has_end() {
            return;
        }
        let waiting = Generator {
            code: self.code.clone(),
            free: std::mem::take(&mut self.free),
            phase: std::cell::Cell::new(Phase::Asleep),
            has_begun: std::cell::Cell::new(true),
            parts: RefCell::new(self.parts.take()),
            returned: RefCell::new(Value::None),
        };
        let mut waiting = Some(waiting);
        // It fails at the end of the thread, when nobody is there to run it.
        let _ = DROPPED.try_with(|dropped| {
            if let Ok(mut dropped) = dropped.try_borrow_mut() {
                dropped.extend(waiting.take());
            }
        });
        match waiting {
            None => left::note(),
            Some(waiting) => waiting.phase.set(Phase::Done),
        }
    }
}

static METHODS: Table = Table {
    owner: "generator",
    rows: Table::sorted(&[
        row("close", Takes::Nothing, |c| {
            let generator = own(c)?;
            if generator.phase.get() != Phase::Asleep || !generator.has_begun.get() {
                return generator.end().map(|()| Value::None);
            }
            match generator.wake(c.machine, Err(Raise::new(ErrorClass::GeneratorExit, ""))) {
                Ok(Some(_)) => fault!(RuntimeError, "generator ignored GeneratorExit"),
                Ok(None) => Ok(generator.returned()),
                Err(raise) if raise.0.diagnostic.class == ErrorClass::GeneratorExit => Ok(Value::None),
                Err(raise) => Err(raise),
            }
        }),
        row("send", Takes::One, |c| {
            let generator = own(c)?;
            let is_new = generator.phase.get() == Phase::Asleep && !generator.has_begun.get();
            if is_new && !matches!(c.arg(0), Value::None) {
                fault!(TypeError, "can't send non-None value to a just-started generator");
            }
            let sent = c.arg(0).clone();
            match generator.wake(c.machine, Ok(sent))? {
                Some(item) => Ok(item),
                None => Err(generator.ended()),
            }
        }),
        row("throw", Takes::Between(1, 3), |c| {
            let exception = match c.arg(0).clone() {
                class @ Value::Class(Class::Exception(_)) => {
                    c.machine.call(&class, CallArgs::positional(c.some(1).cloned().into_iter().collect()))?
                }
                other => other,
            };
            let Value::Exception(exception) = exception else {
                let class = exception.type_name();
                fault!(TypeError, "exceptions must be classes or instances deriving from BaseException, not {class}");
            };
            match own(c)?.wake(c.machine, Err(Raise(exception)))? {
                Some(item) => Ok(item),
                None => Err(own(c)?.ended()),
            }
        }),
    ]),
};

fn own<'c>(c: &Call<'c>) -> Outcome<&'c Generator> {
    match c.this.downcast::<Generator>() {
        Some(generator) => Ok(generator),
        None => fault!(TypeError, "a generator is needed, not {}", c.this.type_name()),
    }
}

impl Generator {
    fn make(code: Rc<Code>, free: Box<[Cell]>, parts: Parts) -> Value {
        Value::object(Generator {
            code,
            free,
            phase: std::cell::Cell::new(Phase::Asleep),
            has_begun: std::cell::Cell::new(false),
            parts: RefCell::new(parts),
            returned: RefCell::new(Value::None),
        })
    }

    /// What it returned at its end.
    pub fn returned(&self) -> Value {
        self.returned.borrow().clone()
    }

    /// The exception that says that it has no more items, with what it returned.
    pub fn ended(&self) -> Raise {
        let args = match self.returned() {
            Value::None => vec![],
            value => vec![value],
        };
        let text = args.first().and_then(|value| repr::str(value).ok()).unwrap_or_default();
        Raise(Rc::new(Exception::new(Diagnostic::new(ErrorClass::StopIteration, text), args)))
    }

    fn wake(&self, machine: &mut dyn Machine, sent: Outcome) -> Outcome<Option<Value>> {
        match machine.as_any().downcast_mut::<Interp>() {
            Some(interp) => interp.resume(self, sent),
            None => fault!(RuntimeError, "a generator runs only in the evaluator that made it"),
        }
    }

    /// Gives up what is left.
    fn end(&self) -> Outcome<()> {
        if self.phase.get() == Phase::Running {
            fault!(ValueError, "generator already executing");
        }
        self.phase.set(Phase::Done);
        drop(self.parts.take());
        Ok(())
    }
}

/// What a generator that is not done stands in.
struct Standing;

impl Object for Standing {
    fn type_name(&self) -> String {
        "frame".into()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Object for Generator {
    fn type_name(&self) -> String {
        "generator".into()
    }

    fn class(&self) -> Option<Class> {
        Some(Class::Generator)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn repr(&self) -> String {
        let name = &self.code.qualname;
        format!("<generator object {name} at {:#x}>", self as *const Generator as usize)
    }

    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__name__" => Some(Value::from(&*self.code.name)),
            "__qualname__" => Some(Value::from(&*self.code.qualname)),
            "gi_running" => Some(Value::Bool(self.phase.get() == Phase::Running)),
            "gi_frame" | "gi_yieldfrom" if self.phase.get() == Phase::Done => Some(Value::None),
            "gi_frame" => Some(Value::object(Standing)),
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::shared(self))),
        })
    }

    fn attributes(&self) -> Vec<String> {
        METHODS.names().into_iter().chain([String::from("gi_running")]).collect()
    }

    fn is_iterator(&self) -> bool {
        true
    }

    fn next(&self, machine: &mut dyn Machine) -> Outcome<Option<Value>> {
        self.wake(machine, Ok(Value::None))
    }
}
