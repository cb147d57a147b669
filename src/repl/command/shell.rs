//! `!ls`: a command of the operating system.

use super::{Call, usage};
use crate::diag::{Diagnostic, ErrorClass};
use crate::interrupt;
use crate::value::Outcome;
use std::process::Command;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if call.rest.is_empty() {
        return Err(usage("shell", "! needs a command"));
    }
    call.interp.flush();
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    match interrupt::left_to_others(|| Command::new(shell).arg(flag).arg(call.rest).status()) {
        Ok(status) if status.success() => Ok(()),
        // Shells say 127 when they do not find the command.
        Ok(status) if status.code() == Some(127) => {
            let diagnostic = Diagnostic::new(ErrorClass::OSError, format!("the command ended with {status}"));
            Err(diagnostic.help("! runs a command of the system; Python writes 'not x' for !x").into())
        }
        Ok(status) => Err(err!(OSError, "the command ended with {status}").into()),
        Err(error) => Err(err!(OSError, "the shell cannot be started: {error}").into()),
    }
}
