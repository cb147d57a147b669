//! Where a command's picture goes: `--svg FILE`, `--columns N` and `--narrate`, before or behind what the command is about.

use super::{Call, usage};
use crate::diag::{Diagnostic, ErrorClass};
use crate::show::report::Look;
use crate::show::{Doc, Render, Style, svg};
use crate::value::Outcome;

/// What a command was asked for besides its own arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Drawing {
    /// The file that the picture is written to instead of being shown.
    pub svg: Option<String>,
    /// Sentences instead of a picture.
    pub narrate: bool,
    /// Columns that the picture may use.
    pub columns: Option<usize>,
}

/// Commands whose text is not theirs to read options from.
const OTHERS: [&str; 17] = [
    "shell", "help", "quit", "narrate", "footer", "notes", "pager", "back", "forward", "goto", "run", "history", "save", "reset",
    "cd", "lesson", "apropos",
];

/// The flags that every command that draws takes.
pub(super) const FLAGS: [&str; 3] = ["--svg", "--narrate", "--columns"];

/// True for the commands that take [`FLAGS`].
pub(super) fn draws(word: &str) -> bool {
    !OTHERS.contains(&word)
}

/// Fewest columns that a picture can do with.
const NARROWEST: usize = 20;

/// Takes the options out of a command's text.
pub(super) fn options(word: &str, rest: &str) -> Outcome<(Drawing, String)> {
    let mut drawing = Drawing::default();
    let mut rest = rest.trim();
    while draws(word) {
        let Some((flag, value, others)) = FLAGS.iter().find_map(|flag| taken(rest, flag)) else { break };
        rest = others;
        match flag {
            "--narrate" => drawing.narrate = true,
            "--svg" if value.is_empty() => return Err(usage(word, "--svg needs the name of a file")),
            "--svg" => drawing.svg = Some(value),
            _ => match value.parse() {
                Ok(columns) if columns >= NARROWEST => drawing.columns = Some(columns),
                _ => return Err(usage(word, &format!("--columns needs a number from {NARROWEST} on"))),
            },
        }
    }
    Ok((drawing, rest.to_string()))
}

/// A flag that stands first or last in a text, its value, and the rest of the text.
fn taken<'a>(text: &'a str, flag: &'static str) -> Option<(&'static str, String, &'a str)> {
    let has_value = flag != "--narrate";
    let ends = |behind: &str| behind.is_empty() || behind.starts_with(if has_value { [' ', '='] } else { [' ', ' '] });
    let split = |behind: &'a str| if has_value { value(behind) } else { (String::new(), behind.trim_start()) };
    if let Some(behind) = text.strip_prefix(flag).filter(|behind| ends(behind)) {
        let (value, rest) = split(behind);
        return Some((flag, value, rest));
    }
    let (before, behind) = text.rsplit_once(flag).filter(|(before, behind)| before.ends_with(' ') && ends(behind))?;
    match split(behind) {
        (value, "") => Some((flag, value, before.trim_end())),
        _ => None,
    }
}

/// A flag's value, in quotes when it has blanks, and what follows it.
fn value(text: &str) -> (String, &str) {
    let text = text.trim_start_matches(['=', ' ']);
    if let Some(quote) = text.chars().next().filter(|c| ['"', '\''].contains(c))
        && let Some((name, behind)) = text.get(1..).and_then(|rest| rest.split_once(quote))
    {
        return (name.to_string(), behind.trim_start());
    }
    let (name, behind) = text.split_once(' ').unwrap_or((text, ""));
    (name.to_string(), behind.trim_start())
}

impl Drawing {
    /// How to draw: a file is as wide as a page, whatever the terminal.
    pub(super) fn look(&self, look: Look) -> Look {
        let width = if self.svg.is_some() { Look::default().width } else { look.width };
        let narrate = look.render.narrate || self.narrate;
        Look { width: self.columns.unwrap_or(width), render: Render { narrate, ..look.render }, ..look }
    }

    /// Writes what a command drew to the file, and says so. Fails with an `OSError` when that cannot be.
    pub(super) fn save(&self, call: &mut Call, title: &str) -> Outcome<()> {
        let (Some(path), Some(doc)) = (&self.svg, call.kept.take()) else { return Ok(()) };
        if doc.is_empty() {
            let message = format!("{title} draws nothing");
            return Err(Diagnostic::new(ErrorClass::ValueError, message).help("no file was written").into());
        }
        if let Err(error) = std::fs::write(path, svg::svg(&doc, title)) {
            let message = format!("the picture cannot be written to {path:?}: {error}");
            return Err(Diagnostic::new(ErrorClass::OSError, message).help("--svg takes the name of a new or old file").into());
        }
        let mut said = Doc::new();
        said.push(Style::Note, &format!(" drawn in {path}")).newline();
        call.print(&said);
        Ok(())
    }
}

/// `%narrate on`, `%narrate off`, `%narrate`.
pub(super) fn narrate(call: &mut Call) -> Outcome<()> {
    let mut look = call.shell.look.get();
    look.render.narrate = match call.rest {
        "on" => true,
        "off" => false,
        "" => !look.render.narrate,
        _ => return Err(usage("narrate", "%narrate takes on, off or nothing")),
    };
    call.shell.look.set(look);
    call.shell.narrate.set(Some(look.render.narrate));
    let mut doc = Doc::new();
    let said = if look.render.narrate { " Pictures are told in sentences." } else { " Pictures are drawn." };
    doc.push(Style::Note, said).newline();
    call.print(&doc);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rest: &str) -> (Option<String>, bool, String) {
        let (drawing, rest) = options("layout", rest).ok().unwrap();
        (drawing.svg, drawing.narrate, rest)
    }

    #[test]
    fn options_stand_before_or_behind() {
        let file = |name: &str| Some(name.to_string());
        assert_eq!(read("x, y"), (None, false, "x, y".into()));
        assert_eq!(read("--svg a.svg x, y"), (file("a.svg"), false, "x, y".into()));
        assert_eq!(read("x, y --svg=a.svg"), (file("a.svg"), false, "x, y".into()));
        assert_eq!(read("x --svg 'a b.svg' --narrate"), (file("a b.svg"), true, "x".into()));
        assert_eq!(read("--narrate --cells 1:3 x"), (None, true, "--cells 1:3 x".into()));
        assert_eq!(read("x --svg y, z"), (None, false, "x --svg y, z".into()));
        assert_eq!(options("layout", "--columns 60 x --narrate").ok().unwrap().0.columns, Some(60));
        for nameless in ["--svg", "x --svg", "x --svg ''", "x --columns", "x --columns=6"] {
            assert!(options("layout", nameless).is_err(), "{nameless}");
        }
        assert_eq!(options("shell", "ls --svg a").ok().unwrap().1, "ls --svg a");
    }
}
