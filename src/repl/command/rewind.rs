//! `%rewind`, `%back`, `%forward`, `%goto`: states of the session that one can go back to, writes in place undone too.

use super::{Call, usage};
use crate::diag::{Diagnostic, ErrorClass, Source};
use crate::lang::Interp;
use crate::repl::rewind::Timeline;
use crate::repl::shell::TsrShell;
use crate::show::picture::{self, Moment};
use crate::show::{Doc, Style};
use crate::syntax::ast::Block;
use crate::value::{Outcome, Raise};

/// `%rewind on`, `%rewind off`; alone it lists the statements.
pub(super) fn rewind(call: &mut Call) -> Outcome<()> {
    match call.rest {
        "on" => {
            if call.shell.timeline.borrow().is_none() {
                let timeline = Timeline::new(call.interp);
                *call.shell.timeline.borrow_mut() = Some(timeline);
            }
            say(call, "From now on %back takes statements back, writes in place too.");
        }
        "off" => {
            *call.shell.timeline.borrow_mut() = None;
            say(call, "Statements are no longer kept.");
        }
        "" => {
            let timeline = call.shell.timeline.borrow();
            let Some(kept) = timeline.as_ref() else { return Err(off()) };
            let moments: Vec<Moment> = kept.statements().map(|(n, text)| Moment { n, text: text.to_string() }).collect();
            let doc = picture::timeline(&moments, kept.place(), call.width());
            drop(timeline);
            call.print(&doc);
        }
        _ => return Err(usage("rewind", "%rewind takes on, off or nothing")),
    }
    Ok(())
}

pub(super) fn back(call: &mut Call) -> Outcome<()> {
    let count = count(call, "back")?;
    moved(call, "back", |place| place.checked_sub(count))
}

pub(super) fn forward(call: &mut Call) -> Outcome<()> {
    let count = count(call, "forward")?;
    moved(call, "forward", |place| place.checked_add(count))
}

pub(super) fn goto(call: &mut Call) -> Outcome<()> {
    let Ok(place) = call.rest.parse::<usize>() else { return Err(usage("goto", "%goto needs the number of a statement")) };
    moved(call, "goto", |_| Some(place))
}

/// How many statements to go; one when nothing is said.
fn count(call: &Call, command: &str) -> Outcome<usize> {
    match call.rest {
        "" => Ok(1),
        text => text.parse().map_err(|_| usage(command, &format!("%{command} takes a number of statements"))),
    }
}

fn moved(call: &mut Call, command: &str, target: impl FnOnce(usize) -> Option<usize>) -> Outcome<()> {
    let Some(mut timeline) = call.shell.timeline.borrow_mut().take() else { return Err(off()) };
    let (first, last) = timeline.ends();
    let place = target(timeline.place()).filter(|place| (first..=last).contains(place));
    let went = match place {
        Some(place) => timeline.go(call.interp, place),
        None => Err(no_such_place(command, &timeline)),
    };
    let said = said(&timeline);
    *call.shell.timeline.borrow_mut() = Some(timeline);
    went?;
    say(call, &said);
    Ok(())
}

/// Where the session is now.
fn said(timeline: &Timeline) -> String {
    let (_, last) = timeline.ends();
    let place = timeline.place();
    let text = |wanted: usize| {
        let found = timeline.statements().find(|(n, _)| *n == wanted);
        found.map_or(String::new(), |(_, text)| text.lines().next().unwrap_or_default().to_string())
    };
    match place {
        _ if place == last => format!("After statement {place}, the last: {}", text(place)),
        _ => format!("Before statement {} of {last}: {}", place + 1, text(place + 1)),
    }
}

fn off() -> Raise {
    let message = "statements are not kept: nothing can be taken back";
    Diagnostic::new(ErrorClass::ValueError, message).help("%rewind on keeps them from then on").into()
}

fn no_such_place(command: &str, timeline: &Timeline) -> Raise {
    let (first, last) = timeline.ends();
    let message = match (timeline.is_lost(), command) {
        (true, _) => "the variables hold more than 256 MB: nothing can be taken back".to_string(),
        _ if first == last => "no statement was run since %rewind on".to_string(),
        (_, "back") => format!("{} can be taken back", counted(timeline.place() - first)),
        (_, "forward") => format!("{} can be gone forward", counted(last - timeline.place())),
        _ => format!("%goto takes a number from {first} to {last}"),
    };
    Diagnostic::new(ErrorClass::ValueError, message).help("%rewind lists the statements").into()
}

fn counted(statements: usize) -> String {
    if statements == 0 { "no statement".to_string() } else { picture::counted(statements, "statement") }
}

fn say(call: &mut Call, text: &str) {
    let mut doc = Doc::new();
    picture::sentence(&mut doc, Style::Note, text, call.width());
    call.print(&doc);
}

/// Notes an entry that was run.
pub(in crate::repl) fn note(shell: &TsrShell, interp: &mut Interp, block: &Block, source: &Source) {
    let Some(mut timeline) = shell.timeline.borrow_mut().take() else { return };
    if let Some(text) = text(block, source) {
        timeline.after(interp, text);
    }
    *shell.timeline.borrow_mut() = Some(timeline);
}

/// The lines of some statements.
pub(super) fn text<'a>(block: &Block, source: &'a Source) -> Option<&'a str> {
    let start = line_start(&source.text, block.first()?.span.start as usize);
    Some(source.text.get(start..block.last()?.span.end as usize)?.trim())
}

/// Where the line of a place begins: the mark of a command stands before its span.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}
