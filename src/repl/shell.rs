//! The shell that the language calls back: commands, help, and how values are shown.

use super::command;
use super::command::Kept;
use super::command::footer::{self, Footer};
use super::command::notes::Notes;
use super::command::pager::{self, Pager};
use super::command::predict::Asker;
use super::command::record::Entered;
use super::rewind::Timeline;
use crate::diag::{Diagnostic, ErrorClass};
use crate::lang::{Interp, Shell};
use crate::settings;
use crate::show::Doc;
use crate::show::lines::filled;
use crate::show::report::{self, Look};
use crate::syntax::ast::ShellCommand;
use crate::value::{Machine, Outcome, Value};
use std::cell::{Cell, RefCell};

/// The state of the shell.
pub(super) struct TsrShell {
    /// How to draw.
    pub look: Cell<Look>,
    /// After each statement, show what it did.
    pub trace: Cell<bool>,
    /// What `%narrate` asked for; it outlasts a change of the terminal.
    pub narrate: Cell<Option<bool>>,
    /// After each statement, show what it made, copied and shared.
    pub meter: Cell<bool>,
    /// After each statement, show which elements it changed.
    pub watch: Cell<bool>,
    /// Whether a line below a tensor says what it is a view of.
    pub footer: Cell<Footer>,
    /// Whether long output is shown page by page.
    pub pager: Cell<Pager>,
    /// What is said once of what is often misunderstood.
    pub notes: Notes,
    /// Somebody sits at the prompt and reads what it says.
    pub at_terminal: Cell<bool>,
    /// Who is asked for predictions.
    pub asker: RefCell<Option<Asker>>,
    /// States that can be gone back to, while they are kept.
    pub timeline: RefCell<Option<Timeline>>,
    /// What was typed.
    pub entered: RefCell<Vec<Entered>>,
    /// How many programs run each other by `%run`.
    pub running: Cell<usize>,
    /// What failed last, and its operands.
    pub failed: RefCell<Option<(Diagnostic, Option<Kept>)>>,
}

impl TsrShell {
    pub(super) fn new(look: Look) -> TsrShell {
        TsrShell {
            look: Cell::new(look),
            trace: Cell::new(false),
            narrate: Cell::default(),
            meter: Cell::new(false),
            watch: Cell::new(false),
            footer: Cell::default(),
            pager: Cell::default(),
            notes: Notes::default(),
            at_terminal: Cell::new(false),
            asker: RefCell::default(),
            timeline: RefCell::default(),
            entered: RefCell::default(),
            running: Cell::default(),
            failed: RefCell::default(),
        }
    }

    /// Runs something with lines as wide as the terminal, where that is narrower than tensors are printed: it would break their
    /// lines inside numbers.
    fn fitted<T>(&self, run: impl FnOnce() -> T) -> T {
        let (asked, width) = (settings::with(|s| s.print.linewidth), self.look.get().width as i64);
        if !self.at_terminal.get() || asked <= width {
            return run();
        }
        settings::change(|s| s.print.linewidth = width);
        let result = run();
        // What the program asked for in between stays.
        settings::change(|s| {
            if s.print.linewidth == width {
                s.print.linewidth = asked;
            }
        });
        result
    }

    /// Prints a document where the program prints.
    pub(super) fn print(&self, interp: &mut Interp, doc: &Doc) {
        let look = self.look.get();
        let text = doc.render(look.render);
        // Sentences have no line breaks of their own, and a terminal would break them inside words.
        self.write(interp, &if look.render.narrate { filled(&text, look.width) } else { text });
    }

    /// Writes what is shown at once: at a terminal page by page when it is long.
    fn write(&self, interp: &mut Interp, text: &str) {
        if self.at_terminal.get() && self.pager.get() == Pager::Auto {
            interp.flush();
            if pager::shown(text, &self.look.get()) {
                return;
            }
        }
        interp.write(text);
    }
}

impl Shell for TsrShell {
    fn echo(&self, interp: &mut Interp, value: &Value) -> Outcome<()> {
        let text = self.fitted(|| interp.repr(value))? + "\n";
        self.write(interp, &text);
        footer::below(self, interp, value);
        Ok(())
    }

    fn warning(&self, class: ErrorClass, text: &str) -> String {
        report::warning(class.name(), text, &self.look.get())
    }

    fn command(&self, interp: &mut Interp, command: &ShellCommand) -> Outcome<()> {
        command::run(self, interp, command)
    }

    fn help(&self, interp: &mut Interp, value: Option<&Value>) -> Outcome<()> {
        let doc = command::help::about(interp, value)?;
        let doc = command::help::paragraphs(&doc, self.look.get().width);
        self.print(interp, &doc);
        Ok(())
    }
}
