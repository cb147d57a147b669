//! Programs run for their output: whole, or statement by statement as at the prompt.

use super::advice::report;
use super::interp::Interp;
use super::stack;
use crate::diag::{Diagnostic, ErrorClass, Source};
use crate::syntax::{self, Entry, Options};
use crate::value::{Outcome, Raise};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

/// What a program printed and how it ended.
#[derive(Debug)]
pub struct Answer {
    /// Standard output.
    pub output: String,
    /// Warnings.
    pub warnings: String,
    /// The error that ended it, if one did.
    pub error: Option<Diagnostic>,
}

/// One statement of a transcript.
#[derive(Debug)]
pub struct Step {
    /// The statement's lines.
    pub text: String,
    /// What it printed and showed.
    pub output: String,
    /// Why it failed, if it did.
    pub error: Option<Diagnostic>,
}

/// Text that a session writes into and somebody else reads.
#[derive(Clone, Default)]
pub struct Pad(Rc<RefCell<Vec<u8>>>);

impl Pad {
    /// Takes what was written so far.
    pub fn take(&self) -> String {
        String::from_utf8_lossy(&self.0.take()).into_owned()
    }
}

impl Write for Pad {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a program in a session of its own, on a thread with a large stack.
pub fn run_text(name: &str, text: &str) -> Answer {
    on_large_stack(|| {
        let (out, errors) = (Pad::default(), Pad::default());
        let mut interp = Interp::new(Box::new(out.clone()), Box::new(errors.clone()));
        let result = interp.run(&Source::new(name, text), &Options::default());
        Answer { output: out.take(), warnings: errors.take(), error: result.err().map(|r| report(&r.0)) }
    })
}

/// Runs a text statement by statement as at the prompt: values are shown, an error does not keep the next from running.
/// `import torch` is done beforehand. The transcript ends with a `SystemExit`.
pub fn transcript(source: &Arc<Source>) -> Vec<Step> {
    on_large_stack(|| {
        let out = Pad::default();
        let mut interp = Interp::new(Box::new(out.clone()), Box::new(io::sink()));
        interp.import_torch();
        let mut steps = vec![];
        for entry in syntax::parse_recovering(source, &Options::default()) {
            let error = run_entry(&mut interp, &entry, source).err().map(|r| report(&r.0));
            let is_end = error.as_ref().is_some_and(|e| e.class == ErrorClass::SystemExit);
            let text = source.text.get(entry.span.range()).unwrap_or_default().trim_end().to_string();
            steps.push(Step { text, output: out.take(), error });
            if is_end {
                break;
            }
        }
        steps
    })
}

fn run_entry(interp: &mut Interp, entry: &Entry, source: &Arc<Source>) -> Outcome<()> {
    match &entry.block {
        Ok(block) => interp.run_statements(block, source),
        Err(diagnostic) => Err(Raise::from(diagnostic.clone())),
    }
}

fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match stack::with_large(work) {
        Ok(result) => result,
        Err(error) => std::panic::panic_any(format!("no thread: {error}")),
    }
}
