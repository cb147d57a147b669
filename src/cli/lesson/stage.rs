//! One run of a lesson, up to where it has to be taken up anew.

use super::read::{Kind, Lesson, Part};
use super::words::{self, Wish};
use crate::cli::check::read::Step;
use crate::cli::output;
use crate::cli::terminal::Wishes;
use crate::diag::{ErrorClass, Source};
use crate::repl::prompt::{Entry, Reader, asker, painted};
use crate::repl::session::options;
use crate::repl::{Ended, Session};
use crate::show::report::Look;
use crate::show::{Doc, Style};
use crate::syntax;
use crate::value::{Machine, Value};
use std::cell::RefCell;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Columns of a paragraph at most.
const PARAGRAPH: usize = 80;

/// Columns of a step's title in the list.
const TITLE: usize = 60;

/// With what a run begins, and what comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The title, and then the first step.
    Begin,
    /// Before step `at` (counted from 0) everything is run in silence; then the step is shown, and run if `then` says so.
    At { at: usize, then: Then },
    /// The end.
    Leave,
}

/// What happens first when a lesson is taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing: the step was shown before.
    Wait { shown: bool },
    /// The step is shown and waits.
    Show,
    /// The step is shown, and run if it asks nothing.
    Next,
    /// The step, whose words were seen before, is run.
    Run,
}

/// A lesson that is being played.
pub(super) struct Stage<'a> {
    lesson: &'a Lesson,
    path: &'a Path,
    wishes: &'a Wishes,
    session: Rc<RefCell<Session>>,
    /// The next step.
    at: usize,
    /// True when it was shown and waits.
    shown: bool,
    /// True when something was run that is no part of the lesson.
    aside: bool,
    /// True when the lesson has to be taken up anew before it goes on.
    stale: bool,
}

impl<'a> Stage<'a> {
    pub(super) fn new(lesson: &'a Lesson, path: &'a Path, wishes: &'a Wishes) -> Stage<'a> {
        let mut session = Session::new(output::stdout(), Box::new(io::stderr()), wishes.look(io::stdout().is_terminal()));
        session.interp.globals.set("__file__", Value::from(path.display().to_string()));
        Stage { lesson, path, wishes, session: Rc::new(RefCell::new(session)), at: 0, shown: false, aside: false, stale: false }
    }

    /// Plays until the lesson ends or has to be taken up anew.
    pub(super) fn play(mut self, turn: Turn) -> Turn {
        match turn {
            Turn::Leave => return Turn::Leave,
            Turn::Begin => self.begin(),
            Turn::At { at, then } => {
                if !self.replay(at) {
                    self.say(Style::Warning, "interrupted; the lesson stands at the step where it was\n");
                }
                let turn = match then {
                    Then::Wait { shown } => {
                        self.shown = shown;
                        None
                    }
                    Then::Show => {
                        self.show();
                        None
                    }
                    Then::Next => self.show_next(),
                    Then::Run => self.once_more(),
                };
                if let Some(turn) = turn {
                    return turn;
                }
            }
        }
        self.session.borrow_mut().set_asker(Some(asker(self.wishes.is_basic())));
        let mut reader = Reader::new(&self.session, self.wishes.is_basic());
        loop {
            let look = self.wishes.look(io::stdout().is_terminal());
            self.session.borrow_mut().set_look(look);
            let turn = match reader.read(&self.prompt()) {
                Entry::End => {
                    self.say(Style::Plain, if io::stdin().is_terminal() { "\n" } else { "" });
                    Some(Turn::Leave)
                }
                Entry::Cleared => None,
                Entry::Text(text) => self.typed(&text),
                Entry::Session(texts) => self.typed(&texts.join("\n")),
            };
            if let Some(turn) = turn {
                return turn;
            }
        }
    }

    fn begin(&mut self) {
        let count = self.lesson.parts.len();
        let width = self.look().width;
        self.say(Style::Heading, &format!("{}\n", textwrap::fill(&self.lesson.title, width)));
        let steps = if count == 1 { "1 step".to_string() } else { format!("{count} steps") };
        let how = format!("{steps}. Enter goes on, any line is tried, ? says what else there is.");
        self.say(Style::Note, &format!("{}\n", textwrap::fill(&how, width)));
    }

    /// Where the lesson is.
    fn prompt(&self) -> String {
        let (at, count) = (self.at, self.lesson.parts.len());
        let state = if self.aside { " aside" } else { "" };
        let asks = if self.asks() { "answer? " } else { "" };
        format!("[{at}/{count}{state}] {asks}")
    }

    /// True while an answer is waited for.
    fn asks(&self) -> bool {
        self.shown && self.part().is_some_and(|part| part.kind == Kind::Check)
    }

    fn part(&self) -> Option<&'a Part> {
        self.lesson.parts.get(self.at)
    }

    /// Does what was typed; gives the turn that ends this run, if one does.
    fn typed(&mut self, text: &str) -> Option<Turn> {
        let is_variable = |word: &str| self.session.borrow().interp.globals.get(word).is_some();
        match words::wish(text).filter(|_| !is_variable(text.trim())) {
            Some(wish) => self.wish(wish),
            None if self.asks() && !text.trim_start().starts_with(['%', '!', '?']) => self.answer(text.trim()),
            None => {
                (self.aside, self.stale) = (true, true);
                let ended = self.session.borrow_mut().entry(&Source::new("<stdin>", text));
                self.ended(ended).then_some(Turn::Leave)
            }
        }
    }

    fn wish(&mut self, wish: Wish) -> Option<Turn> {
        let to = |at: usize, then: Then| Some(Turn::At { at: at.min(self.lesson.parts.len()), then });
        match wish {
            Wish::Next if self.part().is_none() => Some(Turn::Leave),
            Wish::Next if self.stale => to(self.at, if self.shown { Then::Run } else { Then::Next }),
            Wish::Next if self.shown => self.run_next(),
            Wish::Next => self.show_next(),
            Wish::Back => to(self.at.saturating_sub(1), Then::Show),
            Wish::Again => to(self.at.saturating_sub(1), Then::Run),
            Wish::Skip => to(self.at + 1, Then::Wait { shown: false }),
            Wish::Resume => to(self.at, Then::Wait { shown: self.shown }),
            Wish::Go(number) => to(number.saturating_sub(1), Then::Show),
            Wish::Quit => Some(Turn::Leave),
            Wish::Contents => {
                self.contents();
                None
            }
            Wish::Help => {
                self.say(Style::Plain, &words::help());
                None
            }
        }
    }

    /// Shows the next step: what is said, and the statements unless they hold the answer.
    fn show(&mut self) {
        let Some(part) = self.part() else { return self.end() };
        self.shown = true;
        self.paragraphs(&part.said);
        if part.kind != Kind::Check {
            self.code(&part.step.code);
        }
    }

    /// Shows the next step, and runs it unless it asks something.
    fn show_next(&mut self) -> Option<Turn> {
        self.show();
        if self.part()?.kind == Kind::Plain { self.run_next() } else { None }
    }

    /// Runs the step that was shown. When Ctrl-C stops it, it can be run again.
    fn run_next(&mut self) -> Option<Turn> {
        let part = self.part()?;
        if self.asks() {
            self.code(&part.step.code);
        }
        let (ended, stopped) = self.run(part);
        if stopped {
            (self.shown, self.stale) = (true, true);
        } else {
            (self.shown, self.at) = (false, self.at + 1);
        }
        if ended {
            return Some(Turn::Leave);
        }
        if self.part().is_none() {
            self.end();
        }
        None
    }

    /// Shows the statements of a step whose words were seen before, and runs them.
    fn once_more(&mut self) -> Option<Turn> {
        let part = self.part()?;
        self.shown = true;
        if part.kind != Kind::Check {
            self.code(&part.step.code);
        }
        self.run_next()
    }

    /// Runs a step: whether all is over, and whether it was stopped.
    fn run(&mut self, part: &Part) -> (bool, bool) {
        self.prepare(part);
        let ended = self.run_step(&part.step);
        let stopped = matches!(&ended, Ended::Failed(d) if d.class == ErrorClass::KeyboardInterrupt);
        // A step that asks to leave ends itself, not the lesson.
        let ended = if let Ended::Exit(_) = ended { Ended::Fine } else { ended };
        (self.ended(ended), stopped)
    }

    fn run_step(&mut self, step: &Step) -> Ended {
        let source = Arc::new(Source { name: self.path.display().to_string(), text: step.code.clone(), first_line: step.line });
        let mut session = self.session.borrow_mut();
        if step.silent { session.program(&source) } else { session.entry(&source) }
    }

    /// Runs what is hidden before a step.
    fn prepare(&mut self, part: &Part) {
        self.in_silence(|stage| {
            for step in &part.before {
                // The transcript's test says what goes wrong in it.
                stage.run_step(step);
            }
        });
    }

    /// Does something that prints nothing.
    fn in_silence<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let out = self.session.borrow_mut().interp.set_out(Box::new(io::sink()));
        let errors = self.session.borrow_mut().interp.set_errors(Box::new(io::sink()));
        let result = run(self);
        let mut session = self.session.borrow_mut();
        session.interp.set_out(out);
        session.interp.set_errors(errors);
        result
    }

    /// Runs everything before a step in silence. False when Ctrl-C stopped that.
    fn replay(&mut self, at: usize) -> bool {
        self.in_silence(|stage| {
            for part in stage.lesson.parts.iter().take(at) {
                let (_, stopped) = stage.run(part);
                if stopped {
                    return false;
                }
                stage.at += 1;
            }
            true
        })
    }

    /// Tries an answer: the step's own answer is exchanged for it, and what follows checks it.
    fn answer(&mut self, text: &str) -> Option<Turn> {
        let part = self.part()?;
        let source = Source::new("<answer>", part.step.code.as_str());
        let first = syntax::parse_recovering(&source, &options()).first().map_or(0, |entry| entry.span.range().end);
        let check = part.step.code.get(first..).unwrap_or_default().trim_start();
        self.stale = true;
        self.prepare(part);
        let mut ended = self.session.borrow_mut().program(&Source::new("<answer>", format!("answer = ({text})")));
        if let Ended::Fine = ended {
            ended = self.session.borrow_mut().program(&Source::new("<check>", check));
        }
        match ended {
            Ended::Fine => {
                self.say(Style::Good, "Right.\n");
                self.code(&part.step.code);
                (self.shown, self.at) = (false, self.at + 1);
                if self.part().is_none() {
                    self.end();
                }
                None
            }
            Ended::Failed(diagnostic) if diagnostic.class == ErrorClass::AssertionError => {
                let hint = if diagnostic.message.is_empty() { String::new() } else { format!(": {}", diagnostic.message) };
                self.say(Style::Warning, &format!("Not that{hint}. Try again, or Enter shows it.\n"));
                None
            }
            ended => self.ended(ended).then_some(Turn::Leave),
        }
    }

    /// Shows an error in place. True when there is nobody left to play for.
    fn ended(&mut self, ended: Ended) -> bool {
        let mut session = self.session.borrow_mut();
        match ended {
            Ended::Fine => false,
            Ended::Failed(diagnostic) => {
                session.show(&diagnostic);
                session.interp.flush();
                false
            }
            Ended::Exit(_) | Ended::Closed => true,
        }
    }

    fn end(&mut self) {
        self.paragraphs(&self.lesson.closing);
        self.say(Style::Note, "The end of the lesson. Enter leaves; what you type is still tried.\n");
    }

    /// The list of steps, an arrow at the next one.
    fn contents(&mut self) {
        let mut doc = Doc::new();
        // Behind a mark and a number.
        let room = self.look().width.saturating_sub(6).min(TITLE);
        for (k, part) in self.lesson.parts.iter().enumerate() {
            let first = if part.said.is_empty() { &part.step.code } else { &part.said };
            let title: String = first.lines().next().unwrap_or_default().chars().take(room).collect();
            let (mark, style) = if k == self.at { (">", Style::Strong) } else { (" ", Style::Plain) };
            doc.push(Style::Strong, mark).push(Style::Faint, &format!("{:>3} ", k + 1)).push(style, &title).newline();
        }
        self.print(&doc);
    }

    /// Statements as they look at the prompt.
    fn code(&mut self, code: &str) {
        let mut doc = Doc::new();
        for entry in syntax::parse_recovering(&Source::new("<step>", code), &options()) {
            for (k, line) in code.get(entry.span.range()).unwrap_or_default().trim().lines().enumerate() {
                doc.push(Style::Faint, if k == 0 { ">>> " } else { "... " }).append(&painted(line.trim_end())).newline();
            }
        }
        self.print(&doc);
    }

    /// Paragraphs, broken into lines, an empty line before and behind them.
    fn paragraphs(&mut self, text: &str) {
        let look = self.look();
        let mut doc = Doc::new();
        for paragraph in text.split("\n\n").filter(|p| !p.is_empty()) {
            doc.newline();
            let filled = textwrap::fill(paragraph, look.width.min(PARAGRAPH));
            match ["Predict:", "Check:"].iter().find_map(|word| filled.strip_prefix(word).map(|rest| (word, rest))) {
                Some((word, rest)) => doc.push(Style::Strong, word).push(Style::Plain, rest).newline(),
                None => doc.push(Style::Plain, &filled).newline(),
            };
        }
        self.print(&doc);
    }

    fn look(&self) -> Look {
        self.session.borrow().look()
    }

    fn say(&mut self, style: Style, text: &str) {
        let mut doc = Doc::new();
        doc.push(style, text);
        self.print(&doc);
    }

    fn print(&mut self, doc: &Doc) {
        let text = doc.clone().told_verbatim().render(self.look().render);
        let interp = &mut self.session.borrow_mut().interp;
        interp.write(&text);
        interp.flush();
    }
}
