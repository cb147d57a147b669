//! Generator expressions: a frame that sleeps between items.

use super::compile::tree::{Body, Clause, Code, MakeGenerator, Node};
use super::eval::captures;
use super::frame::{Cell, Frame, new_cells};
use super::interp::Interp;
use super::iterate::Cursor;
use super::types::call::{Builtin, Call, Table, Takes, row};
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Raise, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// A generator: its frame's slots and cells, and where each of its loops stands.
pub struct Generator {
    code: Rc<Code>,
    free: Box<[Cell]>,
    phase: std::cell::Cell<Phase>,
    /// True once it was asked for an item.
    has_begun: std::cell::Cell<bool>,
    parts: RefCell<Parts>,
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
}

impl Interp {
    /// `(element for … in first …)`: the outermost iterable is taken at once, nothing else runs yet.
    pub(in crate::lang) fn make_generator(&mut self, f: &mut Frame, it: &MakeGenerator) -> Outcome {
        let cursor = self.cursor(f, &it.first)?;
        let parts = Parts { stack: vec![None; it.code.slots as usize], cells: new_cells(&it.code), cursors: vec![cursor] };
        Ok(Value::object(Generator {
            code: it.code.clone(),
            free: captures(f, &it.code),
            phase: std::cell::Cell::new(Phase::Asleep),
            has_begun: std::cell::Cell::new(false),
            parts: RefCell::new(parts),
        }))
    }

    /// Wakes the generator for one item.
    fn resume(&mut self, generator: &Generator) -> Outcome<Option<Value>> {
        match generator.phase.get() {
            Phase::Asleep => {
                generator.phase.set(Phase::Running);
                generator.has_begun.set(true);
            }
            Phase::Running => fault!(ValueError, "generator already executing"),
            Phase::Done => return Ok(None),
        }
        let mut parts = generator.parts.borrow_mut();
        let Parts { stack, cells, cursors } = &mut *parts;
        // It runs on a stack of its own, so that nothing is copied when it sleeps.
        std::mem::swap(&mut self.stack, stack);
        let mut frame = Frame { code: &generator.code, base: 0, cells, free: &generator.free };
        let result = match &generator.code.body {
            Body::Generator(element, clauses) => self.next_element(&mut frame, element, clauses, cursors),
            _ => Ok(None),
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

static METHODS: Table = Table {
    owner: "generator",
    rows: Table::sorted(&[
        row("close", Takes::Nothing, |c| own(c)?.end().map(|()| Value::None)),
        row("send", Takes::One, |c| {
            let generator = own(c)?;
            let is_new = generator.phase.get() == Phase::Asleep && !generator.has_begun.get();
            if is_new && !matches!(c.arg(0), Value::None) {
                fault!(TypeError, "can't send non-None value to a just-started generator");
            }
            match generator.next(c.machine)? {
                Some(item) => Ok(item),
                None => fault!(StopIteration, ""),
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
            own(c)?.end()?;
            Err(Raise(exception))
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
        let name = if self.code.qualname.is_empty() { "<genexpr>" } else { &self.code.qualname };
        format!("<generator object {name} at {:#x}>", self as *const Generator as usize)
    }

    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "__name__" | "__qualname__" => Some(Value::from("<genexpr>")),
            "gi_running" => Some(Value::Bool(self.phase.get() == Phase::Running)),
            "gi_frame" | "gi_yieldfrom" if self.phase.get() == Phase::Done => Some(Value::None),
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
        match machine.as_any().downcast_mut::<Interp>() {
            Some(interp) => interp.resume(self),
            None => fault!(RuntimeError, "a generator runs only in the evaluator that made it"),
        }
    }
}
