//! `%trace`: what each operation of a statement did to memory; `%meter`: what a statement did in all.

use super::step::{Steps, Wanted, watched};
use super::{Call, source, usage};
use crate::lang::Interp;
use crate::repl::session::options;
use crate::repl::shell::TsrShell;
use crate::show::Doc;
use crate::show::picture;
use crate::syntax;
use crate::value::Outcome;
use std::cell::Cell;

pub(super) fn trace(call: &mut Call) -> Outcome<()> {
    match call.rest.strip_prefix("--cells") {
        Some("") => Err(usage("trace", "%trace --cells needs a statement")),
        Some(statement) if statement.starts_with(' ') => cells(call, statement.trim()),
        _ => switched(call, "trace", |shell| &shell.trace, drawn),
    }
}

pub(super) fn meter(call: &mut Call) -> Outcome<()> {
    switched(call, "meter", |shell| &shell.meter, totals)
}

/// The storages that a statement's operations had to do with, and under each cell the index by which each step reaches it.
fn cells(call: &mut Call, statement: &str) -> Outcome<()> {
    let source = source("trace", statement);
    let block = syntax::parse(&source, &options())?;
    let (result, steps) = watched(call.interp, Wanted::Cells, |interp| interp.run_statements(&block, &source));
    let doc = picture::layout(&steps.tensors, None, Some(false), call.width())?;
    call.print(&doc);
    result
}

fn drawn(steps: &Steps, width: usize) -> Doc {
    picture::trace(&steps.shown, steps.count, steps.bytes, width)
}

fn totals(steps: &Steps, width: usize) -> Doc {
    picture::meter(steps.count, steps.bytes, width)
}

/// A command that draws what a statement did, or from now on what each statement does.
fn switched(call: &mut Call, name: &str, switch: fn(&TsrShell) -> &Cell<bool>, draw: fn(&Steps, usize) -> Doc) -> Outcome<()> {
    match call.rest {
        "" => Err(usage(name, &format!("%{name} needs a statement, on or off"))),
        "on" | "off" => {
            switch(call.shell).set(call.rest == "on");
            Ok(())
        }
        statement => {
            let source = source(name, statement);
            let block = syntax::parse(&source, &options())?;
            let (result, steps) = watched(call.interp, wanted(name == "trace"), |interp| interp.run_statements(&block, &source));
            let doc = draw(&steps, call.width());
            call.print(&doc);
            result
        }
    }
}

/// Runs a statement, and draws what it did as the switches say.
pub(in crate::repl) fn shown<T>(interp: &mut Interp, shell: &TsrShell, run: impl FnOnce(&mut Interp) -> T) -> T {
    super::watch::watched(interp, shell, |interp| stepped(interp, shell, run))
}

fn stepped<T>(interp: &mut Interp, shell: &TsrShell, run: impl FnOnce(&mut Interp) -> T) -> T {
    if !shell.trace.get() && !shell.meter.get() {
        return run(interp);
    }
    let (result, steps) = watched(interp, wanted(shell.trace.get()), run);
    // The trace ends in the line of the meter.
    let draw = if shell.trace.get() { drawn } else { totals };
    shell.print(interp, &draw(&steps, shell.look.get().width));
    result
}

fn wanted(trace: bool) -> Wanted {
    if trace { Wanted::Steps } else { Wanted::Bytes }
}
