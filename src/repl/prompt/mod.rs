//! The prompt: reading entries, running them, showing what they give.

mod complete;
mod editor;
mod helper;
mod history;
mod keys;
mod margin;
mod paint;
mod paste;
mod plain;

pub use paint::painted;

use super::command::predict::Asker;
use super::{Ended, Session, prompted};
use crate::diag::Source;
use crate::interrupt;
use crate::show::lines::filled;
use crate::show::report::Look;
use crate::value::Machine;
use editor::LineEditor;
use plain::PlainReader;
use std::cell::RefCell;
use std::io::{self, IsTerminal};
use std::rc::Rc;

/// Asks in the middle of a statement: on a terminal with an editor of its own, which completes nothing and remembers nothing.
pub fn asker(basic: bool) -> Asker {
    let terminal = io::stdin().is_terminal();
    let mut editor = if terminal && !basic { rustyline::DefaultEditor::new().ok() } else { None };
    let mut plain = PlainReader { prompts: terminal };
    Box::new(move |question| match &mut editor {
        Some(editor) => editor.readline(question).ok(),
        None => match plain.read(question) {
            Entry::Text(text) => Some(text),
            _ => None,
        },
    })
}

/// What was typed.
pub enum Entry {
    /// A statement or several.
    Text(String),
    /// A pasted session: what was typed behind each of its prompts.
    Session(Vec<String>),
    /// Ctrl-C: what stood there was given up.
    Cleared,
    /// Ctrl-D, or the end of the input.
    End,
}

/// How the prompt behaves.
pub struct Options<'a> {
    /// No banner.
    pub quiet: bool,
    /// No line editor: no key but Enter has a meaning, and nothing but text is written.
    pub basic: bool,
    /// How to draw, asked before each entry because the terminal may have changed.
    pub look: &'a dyn Fn() -> Look,
}

/// Reads entries: with a line editor on a terminal that can move its cursor, else line by line.
pub struct Reader {
    editor: Option<LineEditor>,
    plain: PlainReader,
}

impl Reader {
    /// A reader that completes names of this session; `basic`: without a line editor.
    pub fn new(session: &Rc<RefCell<Session>>, basic: bool) -> Reader {
        let terminal = io::stdin().is_terminal();
        let editor = if terminal && !basic { LineEditor::new(session) } else { None };
        Reader { editor, plain: PlainReader { prompts: terminal } }
    }

    /// The next entry behind this prompt.
    pub fn read(&mut self, prompt: &str) -> Entry {
        match &mut self.editor {
            Some(editor) => editor.read(prompt),
            None => self.plain.read(prompt),
        }
    }
}

/// Runs the prompt until the user leaves; gives the exit code.
pub fn run(session: Session, options: &Options) -> u8 {
    let session = Rc::new(RefCell::new(session));
    let terminal = io::stdin().is_terminal();
    let mut reader = Reader::new(&session, options.basic);
    if terminal && !options.quiet {
        let width = session.borrow().look().width;
        say(&session, &filled(&banner(), width));
    }
    session.borrow_mut().set_at_terminal(terminal && io::stdout().is_terminal());
    session.borrow_mut().set_asker(Some(asker(options.basic)));
    let mut line = 1;
    loop {
        let (texts, is_session) = match reader.read(">>> ") {
            Entry::Text(text) => (vec![text], false),
            Entry::Session(texts) => (texts, true),
            Entry::Cleared => {
                say(&session, "KeyboardInterrupt\n");
                continue;
            }
            Entry::End => {
                say(&session, if terminal { "\n" } else { "" });
                return 0;
            }
        };
        session.borrow_mut().set_look((options.look)());
        for text in texts {
            // What a pasted session gives stands behind what gave it, and a mistake in it keeps nothing else from running.
            if is_session {
                say(&session, &prompted(&text));
            }
            let lines = text.trim_end().lines().count().max(1);
            let source = Source { name: "<stdin>".into(), first_line: line, text }.into();
            line += lines;
            if let Some(code) = run_entry(&mut session.borrow_mut(), &source) {
                return code;
            }
            if interrupt::was_pressed() {
                break;
            }
        }
    }
}

/// Runs an entry and shows an error in place; gives the exit code when it asked to leave.
fn run_entry(session: &mut Session, source: &std::sync::Arc<Source>) -> Option<u8> {
    if leaves(session, &source.text) {
        return Some(0);
    }
    match session.entry(source) {
        Ended::Fine => None,
        Ended::Exit(code) => Some(code),
        Ended::Closed => Some(0),
        Ended::Failed(diagnostic) => {
            session.show(&diagnostic);
            session.interp.flush();
            None
        }
    }
}

/// True for the bare words with which one leaves, unless they are variables.
fn leaves(session: &Session, text: &str) -> bool {
    let word = text.trim();
    ["exit", "quit"].contains(&word) && session.interp.globals.get(word).is_none()
}

fn say(session: &Rc<RefCell<Session>>, text: &str) {
    let interp = &mut session.borrow_mut().interp;
    interp.write(text);
    interp.flush();
}

fn banner() -> String {
    format!(
        "tsr {}: tensors that show their memory. torch is imported.\n\
         ?name explains an operation, %help lists the commands, Ctrl-D leaves.\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// What stands in the editor as the code that was meant: margins and pasted prompts off.
fn entry_of(buffer: &str) -> String {
    paste::code(&margin::without_margins(buffer))
}

/// The entries of a buffer that holds a pasted session of several.
fn session_of(buffer: &str) -> Option<Vec<String>> {
    let entries = paste::entries(&margin::without_margins(buffer))?.into_iter().filter(|entry| !entry.trim().is_empty());
    Some(entries.collect::<Vec<_>>()).filter(|entries| entries.len() > 1)
}
