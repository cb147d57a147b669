//! `%pager`: whether output of more than two screens is shown by a pager, as git does.
//!
//! The pager is a program of the system, since it is the one the reader knows the keys of: what `PAGER` names, else `less`, else
//! `more`. Where there is none, output is written as ever.

use super::Call;
use super::switch::{Choice, choose};
use crate::interrupt;
use crate::show::report::Look;
use crate::value::Outcome;
use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};
use unicode_width::UnicodeWidthStr;

/// When long output is shown page by page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::repl) enum Pager {
    /// At a terminal, what is longer than [`SCREENS`].
    #[default]
    Auto,
    /// Never.
    Off,
}

/// Screens that an output may fill without a pager.
const SCREENS: usize = 2;

/// What a shell says when it does not find a command.
const NOT_FOUND: i32 = 127;

const CHOICES: [Choice<Pager>; 2] = [
    ("auto", Pager::Auto, "At a terminal, output of more than two screens is shown page by page; q leaves."),
    ("off", Pager::Off, "Output of any length is written at once."),
];

/// `%pager auto`, `%pager off`; alone it says which it is.
pub(super) fn switch(call: &mut Call) -> Outcome<()> {
    choose(call, "pager", |shell| &shell.pager, &CHOICES)
}

/// Shows a text in a pager and waits until the reader leaves it. False, with nothing shown, when the text is short or has to be
/// read aloud, or when there is no terminal and no pager.
pub(in crate::repl) fn shown(text: &str, look: &Look) -> bool {
    let is_long = look.height.is_some_and(|height| !fits(text, look.width, SCREENS * height));
    is_long && !look.render.narrate && pagers().into_iter().any(|pager| interrupt::left_to_others(|| ran(pager, text, look)))
}

/// True when a text takes no more lines on a terminal that is this wide.
fn fits(text: &str, width: usize, lines: usize) -> bool {
    // Bytes are no fewer than columns.
    if text.len() < lines {
        return true;
    }
    let visible = anstream::adapter::strip_str(text).to_string();
    visible.lines().map(|line| line.width().div_ceil(width.max(1)).max(1)).sum::<usize>() <= lines
}

/// The commands to try, in order.
fn pagers() -> Vec<Command> {
    match std::env::var("PAGER").ok().as_deref().map(str::trim) {
        Some("" | "cat") => vec![],
        Some(wish) => {
            let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
            let mut command = Command::new(shell);
            command.args([flag, wish]);
            vec![command]
        }
        None => ["less", "more"].map(Command::new).into(),
    }
}

/// Runs a pager; false when there is no such program.
fn ran(mut pager: Command, text: &str, look: &Look) -> bool {
    // Colours pass, the text stays on the screen, and what fits on it needs no key: what git asks of less, too.
    let charset = if look.render.ascii { "ascii" } else { "utf-8" };
    for (name, value) in [("LESS", "FRX"), ("LESSCHARSET", charset)] {
        if std::env::var_os(name).is_none() {
            pager.env(name, OsStr::new(value));
        }
    }
    let Ok(mut child) = pager.stdin(Stdio::piped()).spawn() else { return false };
    // A reader who leaves before the end is no error.
    let _ = child.stdin.take().map(|mut to| to.write_all(text.as_bytes()));
    child.wait().is_ok_and(|status| status.code() != Some(NOT_FOUND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_a_terminal_breaks_them() {
        assert!(fits("a\nb\n", 80, 2) && !fits("a\nb\nc\n", 80, 2));
        assert!(fits("abcd", 2, 2) && !fits("abcde", 2, 2) && fits("\n\n", 2, 2) && !fits("\n\n\n", 2, 2));
        assert!(fits("\x1b[1mab\x1b[0m\n\x1b[1mcd\x1b[0m\n", 2, 2) && !fits("日本", 2, 1));
    }
}
