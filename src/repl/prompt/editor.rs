//! The prompt with a line editor: blocks are edited as a whole, and what was typed comes back.

use super::helper::PromptHelper;
use super::margin::with_margins;
use super::{Entry, entry_of, history, keys, session_of};
use crate::repl::Session;
use rustyline::config::BellStyle;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{ColorMode, CompletionType, Config, Editor};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

/// Reads entries from a terminal.
pub(super) struct LineEditor {
    editor: Editor<PromptHelper, FileHistory>,
    history: Option<PathBuf>,
}

impl LineEditor {
    /// None when the terminal cannot be used.
    pub(super) fn new(session: &Rc<RefCell<Session>>) -> Option<LineEditor> {
        // The editor calls its highlighter, which also says when to redraw, only when it believes in colours.
        let config = Config::builder()
            .color_mode(ColorMode::Forced)
            .bell_style(BellStyle::None)
            .completion_type(CompletionType::List)
            .max_history_size(history::ENTRIES)
            .and_then(|c| c.history_ignore_dups(true))
            .ok()?
            .history_ignore_space(true)
            .build();
        let mut editor = Editor::with_config(config).ok()?;
        let color = session.borrow().look().render.color;
        editor.set_helper(Some(PromptHelper::new(session.clone(), color)));
        keys::bind(&mut editor);
        let history = history::path(|name| std::env::var(name).ok());
        if let Some(path) = &history {
            // The first time there is no file yet.
            let _ = editor.load_history(path);
        }
        Some(LineEditor { editor, history })
    }

    /// The next entry behind this prompt.
    pub(super) fn read(&mut self, prompt: &str) -> Entry {
        match self.editor.readline(prompt) {
            Ok(line) => {
                let text = entry_of(&line);
                self.remember(&text);
                session_of(&line).map_or(Entry::Text(text), Entry::Session)
            }
            Err(ReadlineError::Interrupted) => Entry::Cleared,
            Err(_) => Entry::End,
        }
    }

    /// Notes an entry as it will be shown again; a file that cannot be written is no reason to stop.
    fn remember(&mut self, text: &str) {
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        let _ = self.editor.add_history_entry(with_margins(text));
        if let Some(path) = &self.history {
            let _ = self.editor.append_history(path);
        }
    }
}
