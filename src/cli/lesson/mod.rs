//! `tsr lesson FILE`: a lesson in front of a class. Enter goes on, anything typed is tried in the lesson's own variables, and the
//! next Enter takes the lesson up where it was.
//!
//! A lesson is taken up by running it again from its start, in silence, on a thread of its own: variables, who shares which
//! storage, storage numbers and random numbers are then what they would be without the digression.

mod read;
mod stage;
mod words;

use super::terminal::Wishes;
use super::{FAILED, FINE, USAGE, complain, output, signal, watch};
use crate::diag::{Diagnostic, ErrorClass};
use crate::lang::stack;
use crate::repl::{lessons, source};
use crate::show::Style;
use stage::{Stage, Turn};
use std::io::{self, IsTerminal};
use std::path::Path;

/// Lists the lessons that come with tsr.
pub(super) fn list(wishes: &Wishes) -> u8 {
    let look = wishes.look(io::stdout().is_terminal());
    let mut doc = lessons::listed();
    doc.newline().push(Style::Note, " tsr lesson 3 goes through one, tsr lesson FILE through one of yours.").newline();
    output::write(&doc.wrapped(look.width).render(look.render));
    FINE
}

/// Goes through the lesson in a file, or through one that comes with tsr; gives the exit code.
pub(super) fn run(named: &Path, wishes: &Wishes) -> u8 {
    let own = named.to_str().filter(|_| !named.exists()).map_or(Ok(None), lessons::unpacked);
    let path = match &own {
        Ok(own) => own.as_deref().unwrap_or(named),
        Err(error) => {
            let problem = Diagnostic::new(ErrorClass::OSError, format!("the lesson cannot be written where it is read: {error}"));
            return complain(&problem, wishes, FAILED);
        }
    };
    let text = match source::file(path) {
        Ok(text) => text,
        Err(diagnostic) => return complain(&diagnostic.help("tsr lesson lists those that come with tsr"), wishes, USAGE),
    };
    let lesson = match read::lesson(path, &text.text) {
        Ok(lesson) => lesson,
        Err(unknown) => return complain(&unknown.report(&text), wishes, USAGE),
    };
    if lesson.parts.is_empty() {
        let problem = Diagnostic::new(ErrorClass::ValueError, format!("{} holds no steps", path.display()));
        let help = "a lesson is a .tsr program with comments, or a .md text with >>> transcripts in ```tsr fences";
        return complain(&problem.help(help), wishes, USAGE);
    }
    signal::install();
    watch::start();
    let mut turn = Turn::Begin;
    loop {
        let played = stack::with_large(|| Stage::new(&lesson, path, wishes).play(turn));
        match played {
            Ok(Turn::Leave) => return FINE,
            Ok(next) => turn = next,
            Err(error) => {
                let problem = Diagnostic::new(ErrorClass::OSError, format!("no thread to run on: {error}"));
                return complain(&problem, wishes, FAILED);
            }
        }
    }
}
