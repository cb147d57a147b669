//! Keys that mean more here than in a line editor: Enter goes on with a block, Backspace takes back a level, Home stops at the
//! margin, Page Up looks for what begins alike.

use super::margin::{LEVEL, MARGIN, indentation};
use crate::repl::session::options;
use crate::syntax::{Completeness, is_incomplete};
use rustyline::history::History;
use rustyline::{
    CharSearch, Cmd, ConditionalEventHandler, Editor, Event, EventContext, EventHandler, Helper, KeyCode, KeyEvent, Modifiers,
    Movement, RepeatCount,
};

/// What a key does: none for what it does anyway.
type Act = fn(&EventContext) -> Option<Cmd>;

/// The keys.
const KEYS: &[(KeyCode, Modifiers, Act)] = &[
    (KeyCode::Enter, Modifiers::NONE, enter),
    // Enter as it arrives when it was pressed while a statement ran.
    (KeyCode::Char('J'), Modifiers::CTRL, enter),
    (KeyCode::Enter, Modifiers::ALT, |ctx| Some(new_line(indent_of_line(ctx)))),
    (KeyCode::Backspace, Modifiers::NONE, backspace),
    (KeyCode::Home, Modifiers::NONE, home),
    (KeyCode::Char('A'), Modifiers::CTRL, home),
    (KeyCode::Tab, Modifiers::NONE, tab),
    (KeyCode::PageUp, Modifiers::NONE, |_| Some(Cmd::HistorySearchBackward)),
    (KeyCode::PageDown, Modifiers::NONE, |_| Some(Cmd::HistorySearchForward)),
];

/// Binds all of them.
pub(super) fn bind<H: Helper, I: History>(editor: &mut Editor<H, I>) {
    for (code, modifiers, act) in KEYS {
        editor.bind_sequence(KeyEvent(*code, *modifiers), EventHandler::Conditional(Box::new(Handler(*act))));
    }
}

struct Handler(Act);

impl ConditionalEventHandler for Handler {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, ctx: &EventContext) -> Option<Cmd> {
        (self.0)(ctx)
    }
}

/// Opens a line while the entry is incomplete, or when the cursor stands above the last line; else runs the entry.
fn enter(ctx: &EventContext) -> Option<Cmd> {
    let (line, at) = (ctx.line(), ctx.pos());
    if line.get(at..).is_some_and(|below| below.contains('\n')) {
        return Some(new_line(indent_of_line(ctx)));
    }
    match is_incomplete(&super::entry_of(line), &options()) {
        Completeness::Complete => Some(Cmd::AcceptLine),
        Completeness::Incomplete { indent } => Some(new_line(if at == line.len() { indent } else { indent_of_line(ctx) })),
    }
}

fn new_line(indent: usize) -> Cmd {
    Cmd::Insert(1, format!("\n{MARGIN}{}", indentation(indent)))
}

/// Columns that the line of the cursor is indented by.
fn indent_of_line(ctx: &EventContext) -> usize {
    let code = current_line(ctx).trim_start_matches(MARGIN);
    code.chars().take_while(|c| matches!(c, ' ' | '\u{2007}')).count()
}

/// The line of the cursor, up to the cursor.
fn current_line<'a>(ctx: &'a EventContext) -> &'a str {
    ctx.line().get(..ctx.pos()).and_then(|before| before.rsplit('\n').next()).unwrap_or_default()
}

/// At the end of an indentation one level goes, at a margin the line joins the one above.
///
/// The editor replaces the count of a command that can be repeated by the user's, so the movements here have none.
fn backspace(ctx: &EventContext) -> Option<Cmd> {
    let line = current_line(ctx);
    let back_to = |c| Some(Cmd::Kill(Movement::ViCharSearch(1, CharSearch::Backward(c))));
    if line == MARGIN {
        back_to('\n')
    } else if line.starts_with(MARGIN) && line.ends_with(LEVEL) {
        back_to('\u{2007}')
    } else {
        None
    }
}

/// To the first column of the code, not of the margin.
fn home(ctx: &EventContext) -> Option<Cmd> {
    let code = current_line(ctx).strip_prefix(MARGIN)?;
    match code.is_empty() {
        true => Some(Cmd::Noop),
        false => Some(Cmd::Move(Movement::ViCharSearch(1, CharSearch::BackwardAfter('\u{a0}')))),
    }
}

/// In an indentation Tab indents; elsewhere it completes.
fn tab(ctx: &EventContext) -> Option<Cmd> {
    let code = current_line(ctx).strip_prefix(MARGIN)?;
    code.trim_matches([' ', '\u{2007}']).is_empty().then(|| Cmd::Insert(1, LEVEL.to_string()))
}
