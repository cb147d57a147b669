//! `%trace`: what each operation of a statement did to memory; `%meter`: what a statement did in all.

use super::step::{Steps, watched};
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
    switched(call, "trace", |shell| &shell.trace, |steps, width| picture::trace(&steps.shown, steps.count, width))
}

pub(super) fn meter(call: &mut Call) -> Outcome<()> {
    switched(call, "meter", |shell| &shell.meter, |steps, _| totals(steps))
}

fn totals(steps: &Steps) -> Doc {
    picture::meter(steps.count, [steps.new, steps.copied, steps.shared])
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
            let (result, steps) = watched(call.interp, name == "trace", |interp| interp.run_statements(&block, &source));
            let doc = draw(&steps, call.width());
            call.print(&doc);
            result
        }
    }
}

/// Runs a statement, and draws what it did as the switches say.
pub(in crate::repl) fn shown<T>(interp: &mut Interp, shell: &TsrShell, run: impl FnOnce(&mut Interp) -> T) -> T {
    if !shell.trace.get() && !shell.meter.get() {
        return run(interp);
    }
    let (result, steps) = watched(interp, shell.trace.get(), run);
    if shell.trace.get() {
        shell.print(interp, &picture::trace(&steps.shown, steps.count, shell.look.get().width));
    }
    // The trace ends in the same line.
    if shell.meter.get() && !shell.trace.get() {
        shell.print(interp, &totals(&steps));
    }
    result
}
