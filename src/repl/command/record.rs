//! `%history`, `%save FILE`: what was typed in this session.

use super::{Call, usage};
use crate::diag::{Diagnostic, ErrorClass, Source};
use crate::repl::shell::TsrShell;
use crate::repl::source;
use crate::show::picture::counted;
use crate::show::{Doc, Style};
use crate::syntax::ast::{Block, Stmt, StmtKind};
use crate::value::{Outcome, Raise};
use std::path::Path;

/// Commands that say something to whoever types them, and nothing to a program.
const ASIDES: &[&str] = &["apropos", "cd", "help", "history", "lesson", "quit", "save"];

/// Something that was run.
pub(in crate::repl) struct Entered {
    text: String,
    /// It did what was asked for.
    went_well: bool,
    /// No more than commands that a program does not need.
    is_aside: bool,
}

/// Notes an entry that was run.
pub(in crate::repl) fn note(shell: &TsrShell, block: &Block, source: &Source, went_well: bool) {
    let Some(text) = super::rewind::text(block, source) else { return };
    let is_aside = block.iter().all(is_aside);
    shell.entered.borrow_mut().push(Entered { text: text.to_string(), went_well, is_aside });
}

fn is_aside(statement: &Stmt) -> bool {
    matches!(&statement.kind, StmtKind::Shell(command) if ASIDES.contains(&&*command.word.name))
}

/// Lists what was typed, or the last N entries of it.
pub(super) fn history(call: &mut Call) -> Outcome<()> {
    let entered = call.shell.entered.borrow();
    let count = match call.rest {
        "" => entered.len(),
        number => number.parse().map_err(|_| usage("history", "%history takes a number of entries or nothing"))?,
    };
    let mut doc = Doc::new();
    let width = entered.len().to_string().len();
    for (k, entry) in entered.iter().enumerate().skip(entered.len().saturating_sub(count)) {
        for (line, text) in entry.text.lines().enumerate() {
            let number = if line == 0 { (k + 1).to_string() } else { String::new() };
            doc.push(Style::Note, &format!(" {number:>width$}  ")).push(Style::Plain, text);
            if line == 0 && !entry.went_well {
                doc.push(Style::Note, "  # failed");
            }
            doc.newline();
        }
    }
    drop(entered);
    call.print(&doc);
    Ok(())
}

/// Writes what went well into a file, as a program.
pub(super) fn save(call: &mut Call) -> Outcome<()> {
    let (over, name) = match call.rest.strip_prefix("-f ") {
        Some(name) => (true, name.trim()),
        None => (false, call.rest),
    };
    let name = name.trim_matches(['\'', '"']);
    if name.is_empty() || name == "-f" {
        return Err(usage("save", "%save needs the name of a file"));
    }
    if !over && Path::new(name).exists() {
        let refused = Diagnostic::new(ErrorClass::FileExistsError, format!("[Errno 17] File exists: '{name}'"));
        return Err(refused.help(format!("%save -f {name} writes over it")).into());
    }
    let entered = call.shell.entered.borrow();
    let kept: Vec<&str> = entered.iter().filter(|e| e.went_well && !e.is_aside).map(|e| e.text.as_str()).collect();
    let mut text = kept.join("\n");
    // torch is there at the prompt, and not in a program.
    if !kept.iter().any(|line| line.lines().any(|line| line.trim() == "import torch")) {
        text.insert_str(0, "import torch\n\n");
    }
    let count = kept.len();
    drop(entered);
    std::fs::write(name, text + "\n").map_err(|error| Raise::from(*source::refuse(&error, name)))?;
    let mut doc = Doc::new();
    doc.push(Style::Note, &format!(" {name} holds {}", if count == 1 { "1 entry".into() } else { format!("{count} entries") }))
        .newline();
    call.print(&doc);
    Ok(())
}

/// Forgets the variables.
pub(super) fn reset(call: &mut Call) -> Outcome<()> {
    if !["", "-f"].contains(&call.rest) {
        return Err(usage("reset", "%reset takes -f or nothing"));
    }
    let names: Vec<String> =
        call.interp.globals.variables().map(|(name, _)| name.to_string()).filter(|n| !n.starts_with("__")).collect();
    let own = names.iter().filter(|name| *name != "torch").count();
    let variables = counted(own, "variable");
    if call.rest.is_empty() && own > 0 && !is_meant(call, &variables) {
        return Ok(());
    }
    for name in &names {
        call.interp.globals.remove(name);
    }
    call.interp.globals.set_builtin("_", None);
    call.interp.import_torch();
    let mut doc = Doc::new();
    doc.push(Style::Note, &format!(" {variables} forgotten")).newline();
    call.print(&doc);
    Ok(())
}

/// Asks whoever can be asked; where nobody is, it was meant.
fn is_meant(call: &mut Call, variables: &str) -> bool {
    let Some(mut asker) = call.shell.asker.take() else { return true };
    call.interp.flush();
    let answer = asker(&format!(" Forget {variables}? (y/n) "));
    call.shell.asker.replace(Some(asker));
    answer.is_some_and(|answer| answer.trim().to_lowercase().starts_with('y'))
}
