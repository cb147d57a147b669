//! Where a command's picture goes: `--svg FILE` and `--narrate`, before or behind what the command is about.

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
}

/// Commands whose text is not theirs to read options from.
const OTHERS: [&str; 4] = ["shell", "help", "quit", "narrate"];

/// Takes the options out of a command's text.
pub(super) fn options(word: &str, rest: &str) -> Outcome<(Drawing, String)> {
    let mut drawing = Drawing::default();
    let mut rest = rest.trim();
    if OTHERS.contains(&word) {
        return Ok((drawing, rest.to_string()));
    }
    loop {
        if let Some(before) = last_word(rest, "--narrate") {
            (drawing.narrate, rest) = (true, before);
        } else if let Some(behind) = rest.strip_prefix("--narrate").filter(|behind| behind.starts_with(' ')) {
            (drawing.narrate, rest) = (true, behind.trim_start());
        } else if let Some(behind) = rest.strip_prefix("--svg").filter(|b| b.is_empty() || b.starts_with([' ', '='])) {
            let (file, behind) = file(behind);
            (drawing.svg, rest) = (Some(file), behind);
        } else if let Some((before, behind)) =
            rest.rsplit_once(" --svg").filter(|(_, b)| b.is_empty() || b.starts_with([' ', '=']))
        {
            match file(behind) {
                (file, "") => (drawing.svg, rest) = (Some(file), before.trim_end()),
                _ => break,
            }
        } else {
            break;
        }
    }
    match &drawing.svg {
        Some(file) if file.is_empty() => Err(usage(word, "--svg needs the name of a file")),
        _ => Ok((drawing, rest.to_string())),
    }
}

fn last_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let before = text.strip_suffix(word)?;
    (before.is_empty() || before.ends_with(' ')).then(|| before.trim_end())
}

/// A file's name, in quotes when it has blanks, and what follows it.
fn file(text: &str) -> (String, &str) {
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
        Look { width, render: Render { narrate, ..look.render }, ..look }
    }

    /// Writes what a command drew to the file, and says so. Fails with an `OSError` when that cannot be.
    pub(super) fn save(&self, call: &mut Call, title: &str) -> Outcome<()> {
        let (Some(path), Some(doc)) = (&self.svg, call.kept.take()) else { return Ok(()) };
        if let Err(error) = std::fs::write(path, svg::svg(&doc, title)) {
            let message = format!("the picture cannot be written to {path:?}: {error}");
            return Err(Diagnostic::new(ErrorClass::OSError, message).help("--svg takes the name of a new or old file").into());
        }
        let mut said = Doc::new();
        said.push(Style::Faint, &format!(" drawn in {path}")).newline();
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
    doc.push(Style::Faint, said).newline();
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
        for nameless in ["--svg", "x --svg", "x --svg ''"] {
            assert!(options("layout", nameless).is_err(), "{nameless}");
        }
        assert_eq!(options("shell", "ls --svg a").ok().unwrap().1, "ls --svg a");
    }
}
