//! `%lesson NAME`: a lesson from the prompt, whose variables stay apart from it.

use super::Call;
use crate::diag::{Diagnostic, ErrorClass};
use crate::interrupt;
use crate::repl::lessons;
use crate::show::Style;
use crate::value::Outcome;
use std::process::Command;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if call.rest.is_empty() {
        let mut doc = lessons::listed();
        doc.newline().push(Style::Note, " %lesson 3, or tsr lesson 3, goes through one; your variables stay.").newline();
        call.print(&doc.wrapped(call.width()));
        return Ok(());
    }
    if !call.shell.at_terminal.get() {
        let message = "a lesson needs a terminal";
        return Err(Diagnostic::new(ErrorClass::ValueError, message).help(format!("tsr lesson {} there", call.rest)).into());
    }
    call.interp.flush();
    let look = call.shell.look.get().render;
    let flags = [("--ascii", look.ascii), ("--narrate", look.narrate)].into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag);
    let begun = std::env::current_exe().and_then(|tsr| {
        let mut command = Command::new(tsr);
        command.arg("lesson").args(flags).arg(call.rest);
        interrupt::left_to_others(|| command.status())
    });
    // What the lesson refuses it says itself.
    begun.map(drop).map_err(|error| err!(OSError, "the lesson cannot be started: {error}").into())
}
