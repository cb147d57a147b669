//! A session: the interpreter with a shell on top, and one way to run a text that no mistake in it, and no panic, can end.

use super::command::predict::Asker;
use super::command::{self, notes, record, rewind, trace};
use super::shell::TsrShell;
use crate::diag::{Diagnostic, ErrorClass, Source};
use crate::interrupt;
use crate::lang::{self, Interp, library};
use crate::ops;
use crate::show::report::{self, Look};
use crate::syntax::ast::Block;
use crate::syntax::{self, Options};
use crate::value::{Exception, Outcome, Raise, Value};
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::Arc;

/// How a text ended.
#[derive(Debug)]
pub enum Ended {
    /// It ran to its end.
    Fine,
    /// An exception that nobody caught.
    Failed(Box<Diagnostic>),
    /// It asked to leave, with this exit code.
    Exit(u8),
    /// Whoever read the output is gone.
    Closed,
}

/// Views of one entry whose origins are kept: more than a hand writes, and nothing that a loop over many would feel.
const ORIGINS: usize = 1000;

/// What is parsed: Python with the shell's commands.
pub fn options() -> Options<'static> {
    Options { commands: command::NAMES }
}

/// Changes what `sys.argv` gives; gives what it was.
pub(super) fn set_argv(interp: &mut Interp, argv: Vec<Value>) -> Option<Value> {
    let sys = library::find(interp, "sys")?;
    sys.names.borrow_mut().insert("argv".to_string(), Value::list(argv))
}

/// The interpreter with a shell on top.
pub struct Session {
    /// The language.
    pub interp: Interp,
    shell: Rc<TsrShell>,
}

impl Session {
    /// A new session, with `torch` imported, that prints to `out` and warns to `errors`; pictures are drawn as `look` says.
    pub fn new(out: Box<dyn Write>, errors: Box<dyn Write>, look: Look) -> Session {
        let mut interp = Interp::new(out, errors);
        interp.import_torch();
        let shell = Rc::new(TsrShell::new(look));
        interp.set_shell(shell.clone());
        Session { interp, shell }
    }

    /// How to draw.
    pub fn look(&self) -> Look {
        self.shell.look.get()
    }

    /// Changes how to draw, when the terminal has changed.
    pub fn set_look(&mut self, mut look: Look) {
        look.render.narrate = self.shell.narrate.get().unwrap_or(look.render.narrate);
        self.shell.look.set(look);
    }

    /// Shows what each operation did after every statement, as `%trace on`.
    pub fn set_trace(&mut self, on: bool) {
        self.shell.trace.set(on);
    }

    /// Somebody at a terminal reads what entries give: lines are shown that are in no transcript.
    pub fn set_at_terminal(&mut self, on: bool) {
        self.shell.at_terminal.set(on);
    }

    /// Somebody can be asked for predictions, or nobody.
    pub fn set_asker(&mut self, asker: Option<Asker>) {
        self.shell.asker.replace(asker);
    }

    /// What `sys.argv` gives.
    pub fn set_argv(&mut self, argv: Vec<Value>) {
        set_argv(&mut self.interp, argv);
    }

    /// Runs a whole program, silently but for what it prints.
    pub fn program(&mut self, source: &Arc<Source>) -> Ended {
        // Keeping origins costs each view a little: a program that does not ask for them need not pay.
        ops::trace::keep_origins(if source.text.contains("origin") { usize::MAX } else { 0 });
        self.guarded(|session| session.interp.run(source, &options()))
    }

    /// Runs what was typed at the prompt: values of expression statements are shown.
    pub fn entry(&mut self, source: &Arc<Source>) -> Ended {
        match command::alone(&self.interp, &source.text) {
            Some(marked) => {
                self.parsed(&Source { name: source.name.clone(), first_line: source.first_line, text: marked }.into())
            }
            None => self.parsed(source),
        }
    }

    fn parsed(&mut self, source: &Arc<Source>) -> Ended {
        match syntax::parse(source, &options()) {
            Ok(block) => self.statements(&block, source),
            Err(diagnostic) => Ended::Failed(diagnostic.into()),
        }
    }

    /// Runs statements that were parsed, showing values.
    pub fn statements(&mut self, block: &Block, source: &Arc<Source>) -> Ended {
        self.guarded(|session| {
            ops::trace::keep_origins(ORIGINS);
            let shell = session.shell.clone();
            let result = notes::noted(&mut session.interp, &shell, (block, source), |interp| {
                trace::shown(interp, &shell, |interp| interp.run_statements(block, source))
            });
            rewind::note(&shell, &mut session.interp, block, source);
            record::note(&shell, block, source, result.is_ok());
            result
        })
    }

    /// Shows a diagnostic where the program prints.
    pub fn show(&mut self, diagnostic: &Diagnostic) {
        use crate::value::Machine;
        let text = report::text(diagnostic, &self.look());
        self.interp.write(&text);
    }

    /// Runs and tells how it ended. A panic is a bug of tsr's: it becomes a report, and the session goes on.
    fn guarded(&mut self, run: impl FnOnce(&mut Session) -> Outcome<()>) -> Ended {
        interrupt::clear();
        let result = panic::catch_unwind(AssertUnwindSafe(|| run(self)));
        self.interp.flush();
        if self.interp.is_closed() {
            return Ended::Closed;
        }
        if let Some(reason) = self.interp.take_lost() {
            return Ended::Failed(lost_output(&reason).into());
        }
        match result {
            Ok(Ok(())) => Ended::Fine,
            Ok(Err(Raise(exception))) if exception.diagnostic.class == ErrorClass::SystemExit => self.exit(&exception),
            Ok(Err(Raise(exception))) => {
                let report = lang::report(&exception);
                self.shell.failed.replace(Some((report.clone(), command::Kept::of(&exception))));
                Ended::Failed(report.into())
            }
            Err(_) => Ended::Failed(internal_error().into()),
        }
    }

    /// The exit code a `SystemExit` asks for: none is 0, a number is itself, anything else is printed and is 1.
    fn exit(&mut self, exception: &Exception) -> Ended {
        use crate::value::Machine;
        match exception.args.borrow().as_slice() {
            [] | [Value::None] => Ended::Exit(0),
            [Value::Bool(b)] => Ended::Exit(u8::from(*b)),
            [Value::Int(code)] => Ended::Exit(code.rem_euclid(256) as u8),
            _ => {
                self.interp.write_error(&format!("{}\n", exception.diagnostic.message));
                Ended::Exit(1)
            }
        }
    }
}

/// The lines of a statement as they look at the prompt.
pub fn prompted(text: &str) -> String {
    let mut out = String::new();
    for (k, line) in text.trim_end().lines().enumerate() {
        match (k, line.trim()) {
            (0, _) => out.push_str(">>> "),
            (_, "") => out.push_str("..."),
            _ => out.push_str("... "),
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

thread_local! {
    static PANIC: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

/// Keeps what a panic says instead of printing it; called once when the process starts.
pub fn keep_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), |l| format!(" ({}:{})", l.file(), l.line()));
        let payload = info.payload();
        let said = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let said = said.unwrap_or("no reason given");
        PANIC.set(format!("{said}{place}"));
    }));
}

/// The report of output that did not arrive, in Python's words.
fn lost_output(reason: &str) -> Diagnostic {
    let message = match reason.split_once(" (os error ") {
        Some((reason, number)) => format!("[Errno {}] {reason}", number.trim_end_matches(')')),
        None => reason.to_string(),
    };
    Diagnostic::new(ErrorClass::OSError, message).note("what the program printed did not all arrive")
}

/// The report of a panic.
fn internal_error() -> Diagnostic {
    Diagnostic::new(ErrorClass::RuntimeError, format!("internal error: {}", PANIC.take()))
        .note("this is a mistake in tsr, not in your program; your variables are still there")
        .help("please report it with the lines that led here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_stand_behind_prompts() {
        assert_eq!(prompted("for i in x:\n\n    f(i)  \n"), ">>> for i in x:\n...\n...     f(i)\n");
    }
}
