//! `%notes`: a line where what many believe of tensors is not so, the first time that it shows. At a terminal's prompt only.

use super::Call;
use super::address::variables;
use super::step::{deed, shares, tensors};
use super::switch::{Choice, choose};
use crate::diag::Source;
use crate::lang::Interp;
use crate::ops::trace::{Step as Ran, observed};
use crate::repl::shell::TsrShell;
use crate::show::picture::{self, Deed};
use crate::show::{Doc, Style};
use crate::syntax::ast::{Block, Expr, ExprKind, StmtKind};
use crate::syntax::{TokenKind, tokens};
use crate::value::{Outcome, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Whether an operation did what a note is about.
type Did = fn(&Ran, Deed) -> bool;

/// Names of operations, and what one of them did.
type Operation = (&'static [&'static str], Did);

/// What gives reason for a note.
enum When {
    /// An operation of one of these names did this.
    Ran(&'static [&'static str], Did),
    /// `y = x`, and both are one tensor.
    Named,
    /// `x += y`, and the storage has another name.
    Updated,
}

/// A note, and what it says; `{}` stands for the operation's name.
struct Note(When, &'static str);

const COPIED: Did = |_, deed| deed == Deed::Copy;
const VIEWED: Did = |_, deed| deed == Deed::View;
const SAME: Did = |_, deed| deed == Deed::Same;

/// All notes. An entry gets one of them at most, the first that fits and was not shown.
const NOTES: &[Note] = &[
    Note(
        When::Ran(&["view", "view_as"], |ran, deed| {
            deed == Deed::View && ran.args.first().is_some_and(|x| tensors(x).iter().any(|x| !x.layout().is_contiguous()))
        }),
        "view needs no contiguous tensor: it needs one even walk over the cells of the dims that it joins. %explain shows it.",
    ),
    Note(
        When::Ran(&["reshape", "reshape_as", "flatten", "ravel"], COPIED),
        "{} copied: no stride walks over these cells in that order. Where one does, {} gives a view.",
    ),
    Note(
        When::Ran(&["reshape", "reshape_as", "flatten", "ravel"], VIEWED),
        "{} copied nothing: this is a view, and writing to it writes to the tensor that it came from.",
    ),
    Note(
        When::Ran(&["expand", "expand_as", "broadcast_to"], VIEWED),
        "{} takes no memory: with stride 0 the same cell is read again. repeat copies.",
    ),
    Note(When::Ran(&["repeat", "tile"], COPIED), "{} copied. expand looks the same and takes no memory."),
    Note(When::Ran(&["contiguous"], COPIED), "contiguous copied: writing to the copy leaves the tensor before it as it was."),
    Note(
        When::Ran(&["contiguous"], SAME),
        "contiguous gave the tensor itself, which was contiguous already. clone copies always.",
    ),
    Note(
        When::Ran(&["to", "type", "float", "double", "half", "bfloat16", "int", "long", "bool", "cpu", "cuda"], SAME),
        "{} gave the tensor itself: there was nothing to change. clone copies always.",
    ),
    Note(
        When::Ran(&["t", "T", "mT", "transpose", "swapaxes", "permute", "movedim"], VIEWED),
        "{} moved no element: sizes and strides are in another order. %layout shows it.",
    ),
    Note(
        When::Ran(&["detach"], VIEWED),
        "detach leaves gradients behind, not the memory: writing to one writes to both. detach().clone() is a copy.",
    ),
    Note(
        When::Ran(&["from_numpy", "as_tensor"], |_, deed| matches!(deed, Deed::View | Deed::Same)),
        "{} shares memory with what it was given. torch.tensor copies.",
    ),
    Note(When::Ran(&["numpy"], VIEWED), "numpy shares memory: writing to the array writes to the tensor."),
    Note(
        When::Ran(&["__getitem__"], VIEWED),
        "a slice of a tensor is a view, unlike one of a list: writing to it writes to the tensor.",
    ),
    Note(When::Ran(&["__getitem__"], COPIED), "an index that is a list, a mask or a tensor copies. Slices and ints share."),
    Note(When::Named, "= copied nothing: both names mean one tensor. clone copies."),
    Note(When::Updated, "this wrote into the storage, and its other names see it. x = x + 1 makes a new tensor."),
];

const CHOICES: [Choice<bool>; 2] = [
    ("on", true, "At a terminal, what is often misunderstood is said once."),
    ("off", false, "Nothing is said of what is often misunderstood."),
];

/// What is known of notes.
pub(in crate::repl) struct Notes {
    on: Cell<bool>,
    /// Numbers of those that were shown, each with what it said.
    seen: RefCell<Vec<(usize, String)>>,
}

impl Default for Notes {
    fn default() -> Notes {
        Notes { on: Cell::new(true), seen: RefCell::default() }
    }
}

/// `%notes on`, `%notes off`; alone it lists those that were shown.
pub(super) fn run(call: &mut Call) -> Outcome<()> {
    choose(call, "notes", |shell| &shell.notes.on, &CHOICES)?;
    let mut doc = Doc::new();
    for (_, said) in call.shell.notes.seen.borrow().iter().filter(|_| call.rest.is_empty()) {
        picture::sentence(&mut doc, Style::Plain, said, call.width());
    }
    call.print(&doc);
    Ok(())
}

/// Runs an entry, and shows a note when it gave reason for one.
pub(in crate::repl) fn noted(
    interp: &mut Interp,
    shell: &TsrShell,
    (block, source): (&Block, &Source),
    run: impl FnOnce(&mut Interp) -> Outcome<()>,
) -> Outcome<()> {
    // Loops are left in peace: to look at operations keeps them from running as one program.
    let is_plain = |kind: &StmtKind| matches!(kind, StmtKind::Expr(_) | StmtKind::Assign { .. } | StmtKind::AugAssign { .. });
    let heard = shell.at_terminal.get() && shell.notes.on.get() && block.iter().all(|statement| is_plain(&statement.kind));
    let waiting = if heard { waiting(shell, &source.text) } else { vec![] };
    if waiting.is_empty() {
        return run(interp);
    }
    let found: Rc<RefCell<Option<(usize, String)>>> = Rc::default();
    let first = found.clone();
    let operations: Vec<_> = waiting.iter().filter_map(|k| Some((*k, operation(NOTES.get(*k)?)?))).collect();
    let see = move |ran: &Ran| {
        let result = tensors(&ran.result);
        let fits = |(names, did): Operation| names.contains(&ran.name) && did(ran, deed(ran, result.first()));
        let mut found = first.borrow_mut();
        let earlier = found.as_ref().map_or(NOTES.len(), |(k, _)| *k);
        if let Some((k, _)) = operations.iter().find(|(k, when)| *k < earlier && fits(*when)) {
            *found = Some((*k, NOTES[*k].1.replace("{}", ran.name)));
        }
    };
    let looks = waiting.iter().any(|k| operation(&NOTES[*k]).is_some());
    if looks {
        observed(Rc::new(RefCell::new(see)), || run(interp))?
    } else {
        run(interp)?
    }
    let by_statement = || waiting.iter().find(|k| stated(interp, block, &NOTES[**k].0)).map(|k| (*k, NOTES[*k].1.to_string()));
    if let Some((k, said)) = found.take().or_else(by_statement) {
        let is_first = shell.notes.seen.borrow().is_empty();
        let how = if is_first { " (%notes off ends notes)" } else { "" };
        let mut doc = Doc::new();
        picture::sentence(&mut doc, Style::Note, &format!("note: {said}{how}"), shell.look.get().width);
        shell.print(interp, &doc);
        shell.notes.seen.borrow_mut().push((k, said));
    }
    Ok(())
}

fn operation(note: &Note) -> Option<Operation> {
    match note.0 {
        When::Ran(names, did) => Some((names, did)),
        When::Named | When::Updated => None,
    }
}

/// The notes that were not shown and that an entry with this text may be about.
fn waiting(shell: &TsrShell, text: &str) -> Vec<usize> {
    let words: Vec<&str> = tokens(text)
        .into_iter()
        .filter_map(|(span, kind)| match (kind, text.get(span.range())?) {
            (TokenKind::Name, name) => Some(name),
            (TokenKind::Bracket, "[") => Some("__getitem__"),
            _ => None,
        })
        .collect();
    let seen = shell.notes.seen.borrow();
    let fits = |note: &Note| operation(note).is_none_or(|(names, _)| names.iter().any(|name| words.contains(name)));
    (0..NOTES.len()).filter(|k| seen.iter().all(|(shown, _)| shown != k) && fits(&NOTES[*k])).collect()
}

/// True when an entry, which ran, is a statement as a note is about.
fn stated(interp: &Interp, block: &Block, when: &When) -> bool {
    let [statement] = block.as_slice() else { return false };
    let tensor = |expr: &Expr| match &expr.kind {
        ExprKind::Name(name) => match interp.globals.get(name) {
            Some(Value::Tensor(tensor)) => Some(tensor.clone()),
            _ => None,
        },
        _ => None,
    };
    match (when, &statement.kind) {
        (When::Named, StmtKind::Assign { targets, value }) => {
            tensor(value).is_some_and(|x| targets.iter().filter_map(tensor).any(|y| y.same(&x)))
        }
        (When::Updated, StmtKind::AugAssign { target, .. }) => {
            let is_other = |name: &str| !matches!(&target.kind, ExprKind::Name(own) if **own == *name);
            tensor(target).is_some_and(|x| variables(interp).iter().any(|v| is_other(&v.name) && shares(&v.tensor, &x)))
        }
        _ => false,
    }
}
