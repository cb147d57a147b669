//! The command line: what was asked for, and the exit code that says how it went.

mod args;
mod check;
mod lesson;
mod output;
mod program;
mod signal;
mod terminal;
mod watch;

use crate::device;
use crate::diag::Diagnostic;
use crate::lang::{report, stack};
use crate::repl::{self, command};
use crate::show::report;
use args::{Action, Args};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use terminal::Wishes;

/// All went well.
const FINE: u8 = 0;
/// An error ended the program, or a test failed.
const FAILED: u8 = 1;
/// Wrong usage, a file that cannot be read, a syntax error.
const USAGE: u8 = 2;
/// Ctrl-C ended the program.
const INTERRUPTED: u8 = 130;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let args = Args::read();
    device::keep_freed_memory();
    repl::keep_panics();
    let program = || {
        device::enlist();
        run(args)
    };
    match stack::with_large(program) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // With standard error closed there is nobody to tell.
            let _ = writeln!(io::stderr(), "tsr: no thread to run programs on: {error}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(args: Args) -> u8 {
    let wishes = Wishes::new(args.color, args.ascii, args.narrate, |name| std::env::var(name).ok());
    match &args.action {
        Some(Action::Test { paths, fix, diff, tol }) => {
            let mend = match (fix, diff) {
                (true, _) => check::Mend::Written,
                (_, true) => check::Mend::Shown,
                _ => check::Mend::No,
            };
            check::run(paths, &wishes, check::Options { quiet: args.quiet, mend, tolerance: *tol })
        }
        Some(Action::Lesson { path: None }) => lesson::list(&wishes),
        Some(Action::Lesson { path: Some(path) }) => lesson::run(path, &wishes),
        Some(Action::Completions { shell }) => {
            output::write(&Args::completions(*shell));
            FINE
        }
        Some(Action::Help { name }) => help(name.as_deref().unwrap_or_default(), &wishes),
        None => program::run(&args, &wishes),
    }
}

/// `tsr help NAME`.
fn help(name: &str, wishes: &Wishes) -> u8 {
    let look = wishes.look(io::stdout().is_terminal());
    let mut session = repl::Session::new(output::stdout(), Box::new(io::stderr()), look);
    match command::help::topic(&mut session.interp, name) {
        Ok(doc) => {
            output::write(&command::help::paragraphs(&doc, look.width).render(look.render));
            FINE
        }
        Err(raise) => complain(&report(&raise.0), wishes, USAGE),
    }
}

/// Shows a diagnostic on standard error; gives the exit code back.
fn complain(diagnostic: &Diagnostic, wishes: &Wishes, code: u8) -> u8 {
    let text = report::text(diagnostic, &wishes.look(io::stderr().is_terminal()));
    // With standard error closed there is nobody to tell.
    let _ = io::stderr().write_all(text.as_bytes());
    code
}
