//! Variables: reading, writing, unbinding, and what to say when there is none.

use crate::diag::{Diagnostic, ErrorClass, Span, did_you_mean};
use crate::lang::advice::elsewhere;
use crate::lang::compile::tree::Place;
use crate::lang::frame::{Cell, Frame};
use crate::lang::interp::Interp;
use crate::lang::library;
use crate::syntax::ast::Name;
use crate::value::{Outcome, Raise, Value};

impl Interp {
    /// The value of a variable that is not in a slot.
    pub(in crate::lang) fn load(&mut self, f: &Frame, place: Place, span: Span) -> Outcome {
        // Each way clones into the result itself: a copy of a value that was just written is slow.
        match place {
            Place::Global(global) => {
                if let Some(value) = self.globals.at(global.slot).or_else(|| self.globals.builtin_at(global.builtin)) {
                    return Ok(value.clone());
                }
                if let Some(value) = self.handed_out.adopt(&mut self.globals, global.slot) {
                    return Ok(value);
                }
            }
            Place::Local(slot) => {
                if let Some(Some(value)) = self.stack.get(f.base + slot as usize) {
                    return Ok(value.clone());
                }
            }
            Place::Cell(_) | Place::Free(_) => {
                if let Some(value) = cell(f, place)
                    && let Some(value) = &*value.borrow()
                {
                    return Ok(value.clone());
                }
            }
        }
        Err(self.unbound(f, place, span))
    }

    /// Gives a variable a value, or takes it away; gives what it had.
    pub(in crate::lang) fn store(&mut self, f: &Frame, place: Place, value: Option<Value>) -> Option<Value> {
        match place {
            Place::Global(global) => self.globals.put(global.slot, value),
            Place::Local(slot) => match self.stack.get_mut(f.base + slot as usize) {
                Some(slot) => std::mem::replace(slot, value),
                None => None,
            },
            Place::Cell(_) | Place::Free(_) => cell(f, place).and_then(|c| c.replace(value)),
        }
    }

    /// The error for a variable without a value.
    #[cold]
    pub(in crate::lang) fn unbound(&mut self, f: &Frame, place: Place, span: Span) -> Raise {
        let at = |names: &[Name], i: u32| names.get(i as usize).cloned().unwrap_or_else(|| "?".into());
        let diagnostic = match place {
            Place::Local(slot) => unbound_local(&at(&f.code.slot_names, slot)),
            Place::Cell(i) => unbound_local(&at(&f.code.cell_names, i)),
            Place::Free(i) => {
                let name = at(&f.code.free_names, i);
                let text =
                    format!("cannot access free variable '{name}' where it is not associated with a value in enclosing scope");
                Diagnostic::new(ErrorClass::NameError, text)
            }
            Place::Global(global) => self.undefined(f, &self.globals.name_of(global.slot)),
        };
        self.locate(f, span, diagnostic.into())
    }

    fn undefined(&self, f: &Frame, name: &str) -> Diagnostic {
        let diagnostic = Diagnostic::new(ErrorClass::NameError, format!("name '{name}' is not defined"));
        let locals = f.code.slot_names.iter().chain(&f.code.cell_names).chain(&f.code.free_names);
        let variables = self.globals.variables().chain(self.globals.builtins()).map(|(n, _)| n);
        let known = locals.chain(variables).map(|n| &**n).filter(|n| *n != name);
        let in_torch = || self.modules.get(library::TORCH).is_some_and(|m| library::names(m).iter().any(|n| n == name));
        let way = match SHORT_NAMES.iter().find(|(short, _)| *short == name) {
            Some((_, import)) => (*import).to_string(),
            None if library::is_known(name) => format!("it is a module: import {name}"),
            None if in_torch() => {
                let full = format!("torch.{name}");
                return diagnostic.help(format!("it belongs to torch: {full}")).change(name, full);
            }
            None if elsewhere(name).is_some() => format!("here that is {}", elsewhere(name).unwrap_or_default()),
            None => match did_you_mean(name, known) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("give it a value first: {name} = ..."),
            },
        };
        diagnostic.help(way)
    }
}

/// What courses call modules, and the line that gives them that name.
const SHORT_NAMES: [(&str, &str); 3] =
    [("np", "import numpy as np"), ("F", "import torch.nn.functional as F"), ("nn", "import torch.nn as nn")];

fn unbound_local(name: &str) -> Diagnostic {
    let text = format!("cannot access local variable '{name}' where it is not associated with a value");
    Diagnostic::new(ErrorClass::UnboundLocalError, text)
        .help(format!("{name} is assigned somewhere in this function, so it is local; use `global {name}` to mean the outer one"))
}

/// The cell of a variable that lives in one.
pub(super) fn cell<'f>(f: &'f Frame, place: Place) -> Option<&'f Cell> {
    match place {
        Place::Cell(i) => f.cell(i),
        Place::Free(i) => f.free.get(i as usize),
        _ => None,
    }
}
