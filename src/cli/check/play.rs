//! Running what is in a file: the steps of a transcript one after the other, or a program as a whole.

use super::compare::Actual;
use super::read::Step;
use crate::diag::{Diagnostic, ErrorClass, Source};
use crate::lang::{Pad, stack};
use crate::repl::{Ended, Session};
use crate::show::report::Look;
use crate::value::Value;
use std::io;
use std::path::Path;

/// What each step of a session did. Steps behind one that leaves do nothing.
pub(super) fn transcript(path: &Path, steps: &[Step]) -> Vec<Actual> {
    let name = path.display().to_string();
    alone(path, |session, pad| {
        let mut left = false;
        let mut run = |step: &Step| {
            if left {
                return Actual {
                    printed: String::new(),
                    error: Some((ErrorClass::SystemExit, "SystemExit: the session has ended".into())),
                };
            }
            let source = Source { name: name.clone(), text: step.code.clone(), first_line: step.line }.into();
            let ended = if step.silent { session.program(&source) } else { session.entry(&source) };
            left = matches!(ended, Ended::Exit(_));
            Actual { printed: pad.take(), error: error_of(ended) }
        };
        steps.iter().map(&mut run).collect()
    })
    .unwrap_or_else(|error| vec![Actual { printed: String::new(), error: Some(error) }; steps.len()])
}

/// How a program ended; what it printed is nobody's concern.
pub(super) fn program(path: &Path, text: &str) -> Actual {
    let name = path.display().to_string();
    let ended = alone(path, |session, _| error_of(session.program(&Source::new(name, text))));
    Actual { printed: String::new(), error: ended.unwrap_or_else(Some) }
}

/// The class and the first line of an error.
type Headline = (ErrorClass, String);

fn error_of(ended: Ended) -> Option<Headline> {
    match ended {
        Ended::Failed(diagnostic) => Some(first_line(&diagnostic)),
        Ended::Fine | Ended::Exit(_) | Ended::Closed => None,
    }
}

fn first_line(diagnostic: &Diagnostic) -> Headline {
    (diagnostic.class, diagnostic.headline().lines().next().unwrap_or_default().to_string())
}

/// Runs something with a new session in a thread of its own, so that it begins as a new process does: random numbers, settings
/// and storage labels belong to the thread. Fails when there is no thread to be had.
fn alone<T: Send>(path: &Path, work: impl FnOnce(&mut Session, &Pad) -> T + Send) -> Result<T, Headline> {
    let result = stack::with_large(|| {
        let pad = Pad::default();
        let mut session = Session::new(Box::new(pad.clone()), Box::new(io::sink()), Look::default());
        session.interp.globals.set("__file__", Value::from(path.display().to_string()));
        work(&mut session, &pad)
    });
    result.map_err(|error| (ErrorClass::OSError, format!("OSError: no thread to run on: {error}")))
}
