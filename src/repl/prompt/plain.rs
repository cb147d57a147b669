//! The prompt without a line editor: for terminals that cannot move the cursor, and for standard input that is no terminal.

use super::Entry;
use crate::repl::session::options;
use crate::syntax::{Completeness, is_incomplete};
use std::io::{self, BufRead, Write};

/// Reads entries line by line.
pub(super) struct PlainReader {
    /// Whether somebody sees the prompts.
    pub prompts: bool,
}

impl PlainReader {
    /// The next entry. One that is unfinished when the input ends is given as it is.
    pub(super) fn read(&mut self, prompt: &str) -> Entry {
        let mut text = String::new();
        loop {
            self.ask(if text.is_empty() { prompt } else { "... " });
            let mut line = vec![];
            match io::stdin().lock().read_until(b'\n', &mut line) {
                Ok(0) if text.is_empty() => return Entry::End,
                Ok(0) => return Entry::Text(text),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Entry::Cleared,
                Err(_) => return Entry::End,
            }
            text.push_str(&String::from_utf8_lossy(&line).replace("\r\n", "\n"));
            let typed = text.strip_suffix('\n').unwrap_or(&text);
            if is_incomplete(typed, &options()) == Completeness::Complete {
                return Entry::Text(text);
            }
        }
    }

    fn ask(&self, prompt: &str) {
        if self.prompts {
            // When nobody reads the prompts, reading may go on.
            let _ = io::stdout().write_all(prompt.as_bytes()).and_then(|()| io::stdout().flush());
        }
    }
}
