//! Standard output: in blocks when nobody watches, line by line on a terminal.

use std::io::{self, BufWriter, IsTerminal, Write};

/// Bytes per block.
const BLOCK: usize = 64 << 10;

/// A writer for the program's output. It must be flushed at the end and before anything goes to standard error.
pub(super) fn stdout() -> Box<dyn Write> {
    let stdout = io::stdout();
    if stdout.is_terminal() { Box::new(stdout) } else { Box::new(BufWriter::with_capacity(BLOCK, stdout)) }
}

/// Writes a text to standard output at once. A reader that is gone is no error.
pub(super) fn write(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
