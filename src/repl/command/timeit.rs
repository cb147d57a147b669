//! `%timeit STATEMENT`: how long a statement takes, over many runs, and what the order of its operands in memory costs.

use super::time::duration;
use super::{Call, source, usage};
use crate::lang::Interp;
use crate::ops::schema::Alias;
use crate::ops::trace::{Step, observed};
use crate::ops::{self, exec};
use crate::show::picture::{self, Disorder, counted};
use crate::show::{Doc, Style};
use crate::syntax;
use crate::tensor::Tensor;
use crate::value::{Outcome, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Rounds of which the best counts, and how long one is to last.
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(50);

/// The same for an operation by itself.
const PROBES: usize = 5;
const PROBE: Duration = Duration::from_millis(5);

/// A tensor with fewer elements lies in the fastest memory whatever its order.
const LEAST: i64 = 4096;

/// Steps with an operand out of order that are looked at.
const SUSPECTS: usize = 4;

/// How much longer an operation must take for its operand's order to be worth a word.
const WORTH: f64 = 1.3;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if call.rest.is_empty() {
        return Err(usage("timeit", "%timeit needs a statement"));
    }
    let source = source("timeit", call.rest);
    let block = syntax::parse(&source, &syntax::Options::default())?;
    let body = call.interp.prepared(&block, &source)?;
    // The first run is not counted: it makes what later ones find. It shows which operations have operands out of order.
    let (result, suspects) = suspects(call.interp, |interp| interp.repeat(&body, 1));
    result?;
    let (best, times) = best(ROUNDS, ROUND, |times| call.interp.repeat(&body, times))?;
    let mut doc = Doc::new();
    let rounds = format!("best of {ROUNDS} rounds of {}", counted(times, "run"));
    doc.push(Style::Note, &format!(" {} per run · {rounds}", duration(best))).newline();
    for suspect in suspects {
        if let Some(disorder) = suspect.disorder(call.interp) {
            doc.append(&picture::disorder(&disorder, call.width()));
        }
    }
    call.print(&doc);
    Ok(())
}

/// The shortest time of a run, and how many runs a round had.
fn best(rounds: usize, round: Duration, mut run: impl FnMut(usize) -> Outcome<()>) -> Outcome<(Duration, usize)> {
    let mut timed = |times: usize| -> Outcome<Duration> {
        let start = Instant::now();
        run(times)?;
        Ok(start.elapsed())
    };
    let mut times = 1;
    let mut took = timed(times)?;
    while took < round / 4 {
        times *= 4;
        took = timed(times)?;
    }
    let mut shortest = took;
    for _ in 1..rounds {
        shortest = shortest.min(timed(times)?);
    }
    Ok((shortest / times as u32, times))
}

/// A step with an operand whose elements do not follow each other in memory.
struct Suspect {
    step: Step,
    /// Which argument it is.
    place: usize,
}

/// Runs something and keeps the first steps that compute from a tensor out of order.
fn suspects<T>(interp: &mut Interp, run: impl FnOnce(&mut Interp) -> T) -> (T, Vec<Suspect>) {
    let found: Rc<RefCell<Vec<Suspect>>> = Rc::default();
    let kept = found.clone();
    let see = move |step: &Step| {
        let mut kept = kept.borrow_mut();
        let is_view = step.op.schema().is_ok_and(|s| s.returns.iter().any(|r| r.kind.alias == Alias::Shared));
        if kept.len() < SUSPECTS && !is_view && !step.wrote {
            let place = step.args.iter().position(|arg| matches!(arg, Value::Tensor(t) if is_out_of_order(t)));
            kept.extend(place.map(|place| Suspect { step: step.clone(), place }));
        }
    };
    let result = observed(Rc::new(RefCell::new(see)), || run(interp));
    (result, found.take())
}

/// True for a tensor that its own copy would be read differently from; one that is expanded would only grow.
fn is_out_of_order(tensor: &Tensor) -> bool {
    let layout = tensor.layout();
    let is_expanded = layout.sizes.iter().zip(&layout.strides).any(|(size, stride)| *size > 1 && *stride == 0);
    !tensor.is_sparse() && !layout.is_contiguous() && !is_expanded && layout.numel() >= LEAST
}

impl Suspect {
    /// What the order costs, when it costs something. Both are timed twice in turn, since a machine has other things to do.
    fn disorder(&self, interp: &mut Interp) -> Option<Disorder> {
        let Value::Tensor(tensor) = &self.step.args[self.place] else { return None };
        let start = Instant::now();
        let ordered = exec::contiguous(tensor).ok()?;
        let copying = start.elapsed();
        let (as_it_is, mut instead) = (self.given(), self.given());
        instead[self.place] = Value::Tensor(ordered);
        let mut ratio = f64::INFINITY;
        for _ in 0..2 {
            let mut time = |args: &[Value]| best(PROBES, PROBE, |times| self.call(interp, args, times)).ok();
            let (slow, fast) = (time(&as_it_is)?.0, time(&instead)?.0);
            ratio = ratio.min(slow.as_secs_f64() / fast.as_secs_f64().max(1e-9));
        }
        (ratio > WORTH).then(|| Disorder {
            name: self.step.name.to_string(),
            layout: tensor.layout(),
            element: tensor.dtype().size(),
            ratio,
            copying: duration(copying),
        })
    }

    /// The arguments up to the last one that was given.
    fn given(&self) -> Vec<Value> {
        let params = self.step.op.schema().map(|schema| schema.params.as_slice()).unwrap_or_default();
        let is_left_out = |(place, arg): (usize, &Value)| {
            let default = params.get(place).and_then(|param| param.default.as_ref());
            default.is_some_and(|default| super::step::is_default(arg, default))
        };
        let kept = self.step.args.iter().enumerate().rposition(|arg| !is_left_out(arg)).map_or(0, |last| last + 1);
        self.step.args[..kept].to_vec()
    }

    fn call(&self, interp: &mut Interp, args: &[Value], times: usize) -> Outcome<()> {
        let call = if self.step.op.is_method() { ops::call_method } else { ops::call_function };
        for _ in 0..times {
            call(interp, self.step.name, args.to_vec())?;
        }
        Ok(())
    }
}
