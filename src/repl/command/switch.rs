//! Switches: the word behind a command chooses how the shell behaves, and what was chosen is said.

use super::{Call, usage};
use crate::repl::shell::TsrShell;
use crate::show::picture;
use crate::show::{Doc, Style};
use crate::value::Outcome;
use std::cell::Cell;

/// A word, what it means, and what is said of it.
pub(super) type Choice<T> = (&'static str, T, &'static str);

/// Sets what the word behind a command means; alone, the command says what is set.
pub(super) fn choose<T: Copy + PartialEq>(
    call: &mut Call,
    name: &str,
    cell: fn(&TsrShell) -> &Cell<T>,
    choices: &[Choice<T>],
) -> Outcome<()> {
    let now = cell(call.shell).get();
    let chosen = choices.iter().find(|(word, value, _)| if call.rest.is_empty() { *value == now } else { *word == call.rest });
    let Some((_, value, said)) = chosen else {
        let words: Vec<&str> = choices.iter().map(|(word, ..)| *word).collect();
        return Err(usage(name, &format!("%{name} takes {} or nothing", words.join(", "))));
    };
    cell(call.shell).set(*value);
    let mut doc = Doc::new();
    picture::sentence(&mut doc, Style::Note, said, call.width());
    call.print(&doc);
    Ok(())
}
