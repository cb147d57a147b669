//! What the line editor asks while an entry is typed: colours and completions.

use super::complete::complete;
use super::margin::MARGIN;
use super::paint::paint;
use crate::repl::Session;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::{Context, Helper, Hinter, Validator};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

/// A buffer of at most this many bytes is redrawn at every key; a longer one where a word ends.
const SHORT: usize = 80;

/// The editor's helper. It looks at the session only while the editor waits for keys.
#[derive(Helper, Hinter, Validator)]
pub(super) struct PromptHelper {
    session: Rc<RefCell<Session>>,
    files: FilenameCompleter,
    color: bool,
}

impl PromptHelper {
    /// A helper that looks at this session.
    pub(super) fn new(session: Rc<RefCell<Session>>, color: bool) -> PromptHelper {
        PromptHelper { session, files: FilenameCompleter::new(), color }
    }
}

impl Completer for PromptHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, ctx: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..pos).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let code = before.get(start..).unwrap_or_default();
        let code = code.strip_prefix(MARGIN).unwrap_or(code);
        match complete(&mut self.session.borrow_mut().interp, code) {
            Some((at, names)) => {
                let pair = |name: String| Pair { display: name.clone(), replacement: name };
                Ok((pos - code.len() + at, names.into_iter().map(pair).collect()))
            }
            None => self.files.complete(line, pos, ctx),
        }
    }
}

impl Highlighter for PromptHelper {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        match self.color.then(|| paint(line)).flatten() {
            Some(painted) => Cow::Owned(painted),
            None => Cow::Borrowed(line),
        }
    }

    /// Whether the whole buffer is drawn again. Always when it has several lines: the editor draws a shortened block wrongly
    /// otherwise.
    fn highlight_char(&self, line: &str, pos: usize, kind: CmdKind) -> bool {
        if kind == CmdKind::MoveCursor {
            return false;
        }
        let word_ends = || line.get(..pos).and_then(|l| l.chars().next_back()).is_some_and(|c| !c.is_alphanumeric());
        line.contains('\n') || kind == CmdKind::ForcedRefresh || (self.color && (line.len() <= SHORT || word_ends()))
    }
}
