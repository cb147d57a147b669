//! `%run FILE`: a program in this session. `%cd FOLDER`: where files are looked for.

use super::{Call, usage};
use crate::diag::{Diagnostic, ErrorClass};
use crate::lang::Interp;
use crate::repl::session::{options, set_argv};
use crate::repl::source;
use crate::show::{Doc, Style};
use crate::value::{Outcome, Raise, Value};
use std::path::Path;

/// Programs that run each other are so many deep at most.
const DEEPEST: usize = 20;

/// Runs a file: its variables are then the session's.
pub(super) fn run(call: &mut Call) -> Outcome<()> {
    let words = words(call.rest);
    let Some(name) = words.first() else { return Err(usage("run", "%run needs the file of a program")) };
    let source = source::file(Path::new(name)).map_err(|refused| Raise::from(*refused))?;
    let depth = call.shell.running.get();
    if depth >= DEEPEST {
        let message = format!("programs run each other more than {DEEPEST} deep");
        return Err(Diagnostic::new(ErrorClass::RecursionError, message).into());
    }
    call.shell.running.set(depth + 1);
    let before = call.interp.globals.get("__file__").cloned();
    let argv = set_argv(call.interp, words.iter().map(|word| Value::from(word.as_str())).collect());
    call.interp.globals.set("__file__", Value::from(name.as_str()));
    let result = call.interp.run(&source, &options());
    restore(call.interp, before, argv);
    call.shell.running.set(depth);
    result
}

/// Gives `__file__` and `sys.argv` back what they were.
fn restore(interp: &mut Interp, file: Option<Value>, argv: Option<Value>) {
    match file {
        Some(file) => interp.globals.set("__file__", file),
        None => drop(interp.globals.remove("__file__")),
    }
    if let Some(Value::List(argv)) = argv {
        let argv = argv.borrow().clone();
        set_argv(interp, argv);
    }
}

/// The words of a line; quotes hold one together.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, behind) = match first {
            '\'' | '"' => rest[1..].split_once(first).unwrap_or((&rest[1..], "")),
            _ => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word.to_string());
        rest = behind.trim_start();
    }
    words
}

/// Changes the folder; alone it goes home, as in a shell, and says where it is.
pub(super) fn cd(call: &mut Call) -> Outcome<()> {
    let words = words(call.rest);
    let target = words.first().map_or("~", String::as_str);
    let home = || etcetera::home_dir().map(|home| home.display().to_string()).unwrap_or_default();
    let target = match target.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => home() + rest,
        _ => target.to_string(),
    };
    std::env::set_current_dir(&target).map_err(|error| Raise::from(*source::refuse(&error, &target)))?;
    let mut doc = Doc::new();
    let here = std::env::current_dir().map_or(target, |here| here.display().to_string());
    doc.push(Style::Note, &format!(" {here}")).newline();
    call.print(&doc);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(words(" a.tsr 'b c'  \"d\" --e=1"), ["a.tsr", "b c", "d", "--e=1"]);
        assert_eq!(words("'open"), ["open"]);
        assert!(words("  ").is_empty());
    }
}
