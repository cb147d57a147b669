//! Programs: a file, `-c`, standard input; run, or shown as a transcript; then the prompt if asked for.

use super::args::Args;
use super::terminal::Wishes;
use super::{FAILED, FINE, INTERRUPTED, USAGE, complain, output, signal, watch};
use crate::diag::{Diagnostic, ErrorClass, Source};
use crate::interrupt;
use crate::repl::{self, Ended, Session, prompt, prompted, source};
use crate::syntax;
use crate::value::{Machine, Value};
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

/// Runs what the arguments name, or the prompt.
pub(super) fn run(args: &Args, wishes: &Wishes) -> u8 {
    let look = wishes.look(io::stdout().is_terminal());
    let mut session = Session::new(output::stdout(), Box::new(io::stderr()), look);
    signal::install();
    watch::start();
    let mut code = FINE;
    match source_of(args) {
        Ok(Some((source, name))) => {
            if args.code.is_none() && !matches!(name.as_str(), "" | "-") {
                session.interp.globals.set("__file__", Value::from(name.as_str()));
            }
            session.set_argv(argv(args, name));
            code = if args.echo || args.trace {
                session.set_trace(args.trace);
                transcript(&mut session, &source)
            } else {
                end(session.program(&source), wishes)
            };
            session.interp.flush();
        }
        Ok(None) => session.set_argv(vec![Value::from("")]),
        Err(diagnostic) => return complain(&diagnostic, wishes, USAGE),
    }
    let at_prompt = args.interactive || (args.code.is_none() && args.program.is_empty() && io::stdin().is_terminal());
    if !at_prompt {
        return code;
    }
    let look = || wishes.look(io::stdout().is_terminal());
    prompt::run(session, &prompt::Options { quiet: args.quiet, basic: wishes.is_basic(), look: &look })
}

/// The program's text and what `sys.argv[0]` is; none when there is only the prompt.
fn source_of(args: &Args) -> Result<Option<(Arc<Source>, String)>, Box<Diagnostic>> {
    if let Some(code) = &args.code {
        return Ok(Some((Source::new("<string>", code.as_str()), "-c".into())));
    }
    match args.program.first() {
        Some(name) if name == OsStr::new("-") => Ok(Some((source::stdin()?, "-".into()))),
        Some(path) => Ok(Some((source::file(Path::new(path))?, path.to_string_lossy().into_owned()))),
        None if args.interactive || io::stdin().is_terminal() => Ok(None),
        None => Ok(Some((source::stdin()?, String::new()))),
    }
}

/// `sys.argv`: the program's name and what follows it.
fn argv(args: &Args, name: String) -> Vec<Value> {
    let skipped = usize::from(args.code.is_none());
    let rest = args.program.iter().skip(skipped).map(|arg| Value::from(arg.to_string_lossy().into_owned()));
    std::iter::once(Value::from(name)).chain(rest).collect()
}

/// Reports how a program ended; gives the exit code.
fn end(ended: Ended, wishes: &Wishes) -> u8 {
    match ended {
        Ended::Fine | Ended::Closed => FINE,
        Ended::Exit(code) => code,
        Ended::Failed(diagnostic) => complain(&diagnostic, wishes, exit_code(&diagnostic)),
    }
}

fn exit_code(diagnostic: &Diagnostic) -> u8 {
    match diagnostic.class {
        ErrorClass::KeyboardInterrupt => INTERRUPTED,
        // An error of the program's own text, not one it raised: nothing ran.
        class if class.is_a(ErrorClass::SyntaxError) && diagnostic.frames.is_empty() => USAGE,
        _ => FAILED,
    }
}

/// Prints every statement behind a prompt and then its output, errors in place. The next statement runs after an error; only
/// leaving and Ctrl-C end the transcript.
fn transcript(session: &mut Session, source: &Arc<Source>) -> u8 {
    for entry in syntax::parse_recovering(source, &repl::session::options()) {
        let text = source.text.get(entry.span.range()).unwrap_or_default();
        session.interp.write(&prompted(text));
        let ended = match entry.block {
            Ok(block) => session.statements(&block, source),
            Err(diagnostic) => Ended::Failed(diagnostic.into()),
        };
        match ended {
            Ended::Fine => {}
            Ended::Exit(code) => return code,
            Ended::Closed => return FINE,
            Ended::Failed(diagnostic) => {
                session.show(&diagnostic);
                if diagnostic.class == ErrorClass::KeyboardInterrupt && interrupt::was_pressed() {
                    return INTERRUPTED;
                }
            }
        }
    }
    FINE
}
