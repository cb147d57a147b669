//! Bodies with a `yield`: walked so that they can be left in the middle and entered again.
//!
//! What such a walk stands in (blocks, loops, `try`) is kept as a path of steps, outermost first. A statement that finds a step of its own
//! in the path goes on where that says; one that does not begins, and leaves its step there while it runs. Only statements with a
//! `yield` in them are walked so.

use super::raised::{Swift, WithRaise};
use super::stmt::Flow;
use crate::diag::{ErrorClass, Span};
use crate::lang::compile::tree::*;
use crate::lang::frame::Frame;
use crate::lang::generator::Generator;
use crate::lang::interp::Interp;
use crate::lang::iterate::Cursor;
use crate::value::{CallArgs, Machine, Outcome, Raise, Value};

/// Where a walk was left.
#[derive(Default)]
pub(in crate::lang) struct Resume {
    path: Vec<Step>,
    /// What is given, when it is left.
    out: Option<Value>,
    /// What it is entered with: a value that is sent, or an exception that is thrown in.
    sent: Option<Outcome>,
}

/// What a statement or a block of the path stands at.
enum Step {
    /// In a block: the statement.
    At(usize),
    /// At a `yield`.
    Waiting,
    /// At a `yield from`: the iterator.
    Delegate(Value),
    /// In the body of an `if` or a `while`, or else in its `else`.
    Branch(bool),
    /// In the body of a `for`.
    Loop(Cursor),
    /// In the `else` of a loop.
    Else,
    /// In a case of a `match`.
    Case(usize),
    /// In the body of a `with`: what leaves it.
    With(Value),
    /// In a `try`.
    Try(Phase),
    /// A step that is being taken.
    Taken,
}

/// The parts of a `try`.
enum Phase {
    Body,
    /// A handler, by its place, and what it handles.
    Handler(usize, Raise),
    Else,
    /// The `finally`, and how the rest ended.
    Finally(Ending),
}

/// How a part of a `try` ended, kept while others run.
enum Ending {
    Next,
    Break,
    Continue,
    Return(Value),
    Raise(Raise),
}

impl Resume {
    /// Enters the walk with what is sent; gives what is given, or none at the end.
    pub fn enter(&mut self, sent: Outcome) {
        self.sent = Some(sent);
    }

    /// What was given last.
    pub fn take_out(&mut self) -> Option<Value> {
        self.out.take()
    }

    /// True where something runs when the walk is given up: a `try` or a `with` that it stands in.
    pub fn has_end(&self) -> bool {
        let ends = |step: &Step| matches!(step, Step::With(_) | Step::Try(Phase::Body | Phase::Handler(..) | Phase::Else));
        self.path.iter().any(ends)
    }

    /// The step at a level, to go on from; none where a statement begins.
    fn taken(&mut self, level: usize) -> Option<Step> {
        self.path.get_mut(level).map(|step| std::mem::replace(step, Step::Taken))
    }

    /// Puts a step at a level, which is the innermost.
    fn put(&mut self, level: usize, step: Step) {
        match self.path.get_mut(level) {
            Some(place) => *place = step,
            None => self.path.push(step),
        }
    }

    /// Ends the walk of a statement: its step and those inside are gone.
    fn end(&mut self, level: usize) {
        self.path.truncate(level);
    }
}

impl Interp {
    /// Walks a block from where it was left, or from its beginning.
    pub(in crate::lang) fn steps(&mut self, f: &mut Frame, block: &[Stmt], r: &mut Resume, level: usize) -> Swift<Flow> {
        let first = match r.path.get(level) {
            Some(Step::At(place)) => *place,
            _ => 0,
        };
        for (place, stmt) in block.iter().enumerate().skip(first) {
            r.put(level, Step::At(place));
            let flow = if stmt.sleeps { self.sleepy(f, stmt, r, level + 1)? } else { self.stmt(f, stmt)? };
            match flow {
                Flow::Next => {}
                Flow::Yield => return Ok(Flow::Yield),
                leave => {
                    r.end(level);
                    return Ok(leave);
                }
            }
        }
        r.end(level);
        Ok(Flow::Next)
    }

    /// A statement with a `yield` in it.
    fn sleepy(&mut self, f: &mut Frame, stmt: &Stmt, r: &mut Resume, level: usize) -> Swift<Flow> {
        let flow = match &stmt.kind {
            Kind::Yield(it) => self.yielding(f, it, r, level, stmt.span)?,
            Kind::If(it) => self.sleepy_if(f, it, r, level)?,
            Kind::While(it) => self.sleepy_while(f, it, r, level)?,
            Kind::For(it) => self.sleepy_for(f, it, r, level)?,
            Kind::Match(it) => self.sleepy_match(f, it, r, level)?,
            Kind::With(it) => self.sleepy_with(f, it, r, level)?,
            Kind::Try(it) => self.sleepy_try(f, it, r, level)?,
            _ => return self.stmt(f, stmt),
        };
        if !matches!(flow, Flow::Yield) {
            r.end(level);
        }
        Ok(flow)
    }

    fn yielding(&mut self, f: &mut Frame, it: &Yield, r: &mut Resume, level: usize, span: Span) -> Outcome<Flow> {
        let got = match r.taken(level) {
            None => {
                let value = self.eval(f, &it.value)?;
                if !it.from {
                    r.put(level, Step::Waiting);
                    r.out = Some(value);
                    return Ok(Flow::Yield);
                }
                let iterator = Machine::iter(self, &value).map_err(|raise| self.locate(f, it.value.span, raise))?;
                self.delegate(iterator, Ok(Value::None), r, level)
            }
            Some(Step::Delegate(iterator)) => {
                let sent = r.sent.take().unwrap_or(Ok(Value::None));
                self.delegate(iterator, sent, r, level)
            }
            Some(_) => r.sent.take().unwrap_or(Ok(Value::None)).map(Some),
        };
        match got.map_err(|raise| self.locate(f, span, raise))? {
            None => Ok(Flow::Yield),
            Some(value) => {
                it.targets.iter().try_for_each(|target| self.assign(f, target, value.clone()))?;
                Ok(Flow::Next)
            }
        }
    }

    /// Asks the iterator of a `yield from` for its next item; gives its last value at its end.
    fn delegate(&mut self, iterator: Value, sent: Outcome, r: &mut Resume, level: usize) -> Outcome<Option<Value>> {
        let generator = iterator.downcast::<Generator>();
        let item = match (generator, sent) {
            (Some(generator), sent) => self.resume(generator, sent)?,
            (None, Ok(Value::None)) => Machine::next(self, &iterator)?,
            (None, Ok(value)) => {
                let send = self.attr(&iterator, "send")?;
                Some(self.call_value(&send, CallArgs::positional(vec![value]))?)
            }
            (None, Err(raise)) => return Err(raise),
        };
        match item {
            Some(item) => {
                r.out = Some(item);
                r.put(level, Step::Delegate(iterator));
                Ok(None)
            }
            None => Ok(Some(generator.map_or(Value::None, Generator::returned))),
        }
    }

    fn sleepy_if(&mut self, f: &mut Frame, it: &(Node, Block, Block), r: &mut Resume, level: usize) -> Swift<Flow> {
        let holds = match r.taken(level) {
            Some(Step::Branch(holds)) => holds,
            _ => self.test(f, &it.0)?,
        };
        r.put(level, Step::Branch(holds));
        self.steps(f, if holds { &it.1 } else { &it.2 }, r, level + 1)
    }

    fn sleepy_while(&mut self, f: &mut Frame, it: &(Node, Block, Block), r: &mut Resume, level: usize) -> Swift<Flow> {
        let mut within = match r.taken(level) {
            Some(Step::Else) => return self.loop_else(f, &it.2, r, level),
            Some(_) => true,
            None => false,
        };
        loop {
            if !within && !self.test(f, &it.0)? {
                return self.loop_else(f, &it.2, r, level);
            }
            within = false;
            self.breathe().map_err(|raise| self.locate(f, it.0.span, raise))?;
            r.put(level, Step::Branch(true));
            match self.steps(f, &it.1, r, level + 1)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                leave => return Ok(leave),
            }
        }
    }

    fn sleepy_for(&mut self, f: &mut Frame, it: &For, r: &mut Resume, level: usize) -> Swift<Flow> {
        let (mut cursor, mut within) = match r.taken(level) {
            Some(Step::Else) => return self.loop_else(f, &it.orelse, r, level),
            Some(Step::Loop(cursor)) => (cursor, true),
            _ => (self.cursor(f, &it.iter)?, false),
        };
        loop {
            if !within && !self.step(f, it.iter.span, &mut cursor, &it.target)? {
                return self.loop_else(f, &it.orelse, r, level);
            }
            within = false;
            // The step is there while the body runs, so that those of the body come behind it.
            r.put(level, Step::Taken);
            match self.steps(f, &it.body, r, level + 1)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                Flow::Yield => {
                    r.put(level, Step::Loop(cursor));
                    return Ok(Flow::Yield);
                }
                leave => return Ok(leave),
            }
        }
    }

    fn loop_else(&mut self, f: &mut Frame, block: &[Stmt], r: &mut Resume, level: usize) -> Swift<Flow> {
        r.put(level, Step::Else);
        self.steps(f, block, r, level + 1)
    }

    fn sleepy_match(&mut self, f: &mut Frame, it: &Match, r: &mut Resume, level: usize) -> Swift<Flow> {
        let chosen = match r.taken(level) {
            Some(Step::Case(place)) => Some(place),
            _ => self.chosen_case(f, it)?,
        };
        let Some((place, case)) = chosen.and_then(|place| Some((place, it.cases.get(place)?))) else { return Ok(Flow::Next) };
        r.put(level, Step::Case(place));
        self.steps(f, &case.body, r, level + 1)
    }

    fn sleepy_with(&mut self, f: &mut Frame, it: &With, r: &mut Resume, level: usize) -> Outcome<Flow> {
        let (exit, bound) = match r.taken(level) {
            Some(Step::With(exit)) => (exit, Ok(())),
            _ => {
                let (exit, entered) = self.enter_with(f, it)?;
                (exit, it.target.as_ref().map_or(Ok(()), |target| self.assign(f, target, entered)))
            }
        };
        r.put(level, Step::With(exit.clone()));
        let result = bound.and_then(|()| self.steps(f, &it.body, r, level + 1).with_raise());
        match result {
            Ok(Flow::Yield) => Ok(Flow::Yield),
            result => self.leave_with(f, it.item.span, &exit, result),
        }
    }

    fn sleepy_try(&mut self, f: &mut Frame, it: &Try, r: &mut Resume, level: usize) -> Outcome<Flow> {
        let mut begins = false;
        let mut phase = match r.taken(level) {
            Some(Step::Try(phase)) => phase,
            _ => Phase::Body,
        };
        loop {
            let ran = self.phase(f, it, &phase, begins, r, level);
            if let Ok(Flow::Yield) = ran {
                r.put(level, Step::Try(phase));
                return Ok(Flow::Yield);
            }
            r.end(level + 1);
            let ending = self.ending(ran);
            phase = match (phase, ending) {
                (Phase::Body, Ending::Next) => Phase::Else,
                (Phase::Body, Ending::Raise(raise)) => match self.handler_of(f, &it.handlers, &raise) {
                    Ok(Some(place)) => Phase::Handler(place, raise),
                    Ok(None) => Phase::Finally(Ending::Raise(raise)),
                    Err(other) => Phase::Finally(Ending::Raise(other)),
                },
                (Phase::Finally(before), Ending::Next) => return self.flow(before),
                (Phase::Finally(_), ending) => return self.flow(ending),
                (_, ending) => Phase::Finally(ending),
            };
            begins = true;
        }
    }

    /// Runs one part of a `try`.
    fn phase(&mut self, f: &mut Frame, it: &Try, phase: &Phase, begins: bool, r: &mut Resume, level: usize) -> Outcome<Flow> {
        r.put(level, Step::Taken);
        let depth = self.handling.len();
        let flow = match phase {
            Phase::Body => self.steps(f, &it.body, r, level + 1).with_raise(),
            Phase::Else => self.steps(f, &it.orelse, r, level + 1).with_raise(),
            Phase::Handler(place, raise) => {
                let Some(handler) = it.handlers.get(*place) else { return Ok(Flow::Next) };
                self.handling.push(raise.0.clone());
                let named = match &handler.name {
                    Some(name) if begins => self.assign(f, name, Value::Exception(raise.0.clone())),
                    _ => Ok(()),
                };
                let flow = named.and_then(|()| self.steps(f, &handler.body, r, level + 1).with_raise());
                if !matches!(flow, Ok(Flow::Yield)) {
                    self.forget_name(f, handler);
                }
                flow
            }
            Phase::Finally(before) => match &it.finally {
                None => Ok(Flow::Next),
                Some(finally) => {
                    if let Ending::Raise(raise) = before {
                        self.handling.push(raise.0.clone());
                    }
                    self.steps(f, finally, r, level + 1).with_raise()
                }
            },
        };
        self.handling.truncate(depth);
        flow
    }

    fn ending(&mut self, ran: Outcome<Flow>) -> Ending {
        match ran {
            Ok(Flow::Next | Flow::Yield) => Ending::Next,
            Ok(Flow::Break) => Ending::Break,
            Ok(Flow::Continue) => Ending::Continue,
            Ok(Flow::Return(given)) => Ending::Return(self.received(given)),
            Err(raise) => Ending::Raise(raise),
        }
    }

    fn flow(&mut self, ending: Ending) -> Outcome<Flow> {
        Ok(match ending {
            Ending::Next => Flow::Next,
            Ending::Break => Flow::Break,
            Ending::Continue => Flow::Continue,
            Ending::Return(value) => Flow::Return(self.pass(value)),
            Ending::Raise(raise) => return Err(raise),
        })
    }
}

/// An exception that leaves a generator: one that says that something ended would end the wrong thing.
pub(in crate::lang) fn leaving(raise: Raise) -> Raise {
    if raise.0.diagnostic.class != ErrorClass::StopIteration {
        return raise;
    }
    let other = Raise::new(ErrorClass::RuntimeError, "generator raised StopIteration");
    {
        let mut trace = other.0.trace.borrow_mut();
        *trace = raise.0.trace.borrow().clone();
        trace.cause = Some(raise.0.clone());
    }
    other
}
