//! From names to places, while a text is compiled.

use super::survey::{CLASS, Survey};
use super::tree::{GlobalRef, Place};
use crate::lang::globals::{Globals, Namespace};
use crate::syntax::ast::Name;
use std::collections::HashMap;

/// The frames that enclose the text being compiled, outermost first. The first is the module's.
pub struct Scopes<'a> {
    globals: &'a mut Globals,
    namespace: Namespace,
    frames: Vec<FramePlan>,
}

/// A frame being laid out.
#[derive(Default)]
pub struct FramePlan {
    /// The variables in its slots.
    pub slots: Vec<Name>,
    /// The variables in its own cells.
    pub cells: Vec<Name>,
    /// The variables in the cells it borrows.
    pub free: Vec<Name>,
    /// Where the frame around it has them.
    pub captures: Vec<Place>,
    /// The function's scope, then the comprehensions the compiler is inside of.
    scopes: Vec<HashMap<Name, Place>>,
    /// True for the body of a class, whose names functions inside do not see.
    is_class: bool,
    /// True where the first slot is a parameter's.
    has_parameters: bool,
}

impl FramePlan {
    fn find(&self, name: &Name) -> Option<Place> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// The name of the first parameter of the function that it is the frame of.
    pub fn first_parameter(&self) -> Option<Name> {
        self.slots.first().cloned().filter(|_| self.has_parameters)
    }

    /// A new slot.
    pub fn slot(&mut self, name: &Name) -> u32 {
        self.slots.push(name.clone());
        self.slots.len() as u32 - 1
    }

    fn cell(&mut self, name: &Name) -> u32 {
        self.cells.push(name.clone());
        self.cells.len() as u32 - 1
    }

    /// Declares a name in the innermost scope.
    fn declare(&mut self, name: &Name, place: Place) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone(), place);
        }
    }
}

impl<'a> Scopes<'a> {
    /// The scopes of a text: its own frame only.
    pub fn new(globals: &'a mut Globals, namespace: Namespace) -> Scopes<'a> {
        Scopes { globals, namespace, frames: vec![FramePlan { scopes: vec![HashMap::new()], ..FramePlan::default() }] }
    }

    /// True outside functions.
    pub fn at_module(&self) -> bool {
        self.frames.len() == 1
    }

    /// The frame being laid out.
    pub fn frame(&mut self) -> &mut FramePlan {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Begins a function's frame.
    pub fn push_frame(&mut self) {
        self.frames.push(FramePlan { scopes: vec![HashMap::new()], ..FramePlan::default() });
    }

    /// Begins the frame of a class's body.
    pub fn push_class(&mut self) {
        self.push_frame();
        self.frame().is_class = true;
    }

    /// True directly in the body of a class.
    pub fn in_class(&mut self) -> bool {
        self.frame().is_class
    }

    /// Ends a function's frame.
    pub fn pop_frame(&mut self) -> FramePlan {
        self.frames.pop().unwrap_or_default()
    }

    /// Declares the names of a function's scope: parameters in the first slots, globals, then what it binds (`nonlocal` names
    /// stay with the outer function). Gives the parameters that live in cells, as slot and cell.
    pub fn declare_function(&mut self, survey: &Survey, params: &[Name]) -> Vec<(u32, u32)> {
        let mut in_cells = vec![];
        self.frame().has_parameters = !params.is_empty();
        for name in params {
            let frame = self.frame();
            let slot = frame.slot(name);
            if survey.is_captured(name) {
                let cell = frame.cell(name);
                in_cells.push((slot, cell));
                frame.declare(name, Place::Cell(cell));
            } else {
                frame.declare(name, Place::Local(slot));
            }
        }
        for name in &survey.globals {
            let place = Place::Global(self.global(name));
            self.frame().declare(name, place);
        }
        for name in &survey.bound {
            if !params.contains(name) && !survey.globals.contains(name) && !survey.nonlocals.contains(name) {
                self.declare_local(name, survey.is_captured(name));
            }
        }
        in_cells
    }

    /// Declares a variable of the innermost scope, in a cell when an inner function borrows it.
    fn declare_local(&mut self, name: &Name, captured: bool) {
        let frame = self.frame();
        let place = if captured { Place::Cell(frame.cell(name)) } else { Place::Local(frame.slot(name)) };
        frame.declare(name, place);
    }

    /// Begins the scope of a comprehension; gives its new slots and cells.
    pub fn push_comprehension(&mut self, survey: &Survey) -> (std::ops::Range<u32>, Vec<u32>) {
        let frame = self.frame();
        frame.scopes.push(HashMap::new());
        let (slots, cells) = (frame.slots.len() as u32, frame.cells.len() as u32);
        for name in &survey.bound {
            self.declare_local(name, survey.is_captured(name));
        }
        let frame = self.frame();
        (slots..frame.slots.len() as u32, (cells..frame.cells.len() as u32).collect())
    }

    /// Ends the scope of a comprehension.
    pub fn pop_comprehension(&mut self) {
        self.frame().scopes.pop();
    }

    /// Where a name lives.
    pub fn resolve(&mut self, name: &Name) -> Place {
        match self.resolve_at(self.frames.len() - 1, name) {
            Some(place) => place,
            None => Place::Global(self.global(name)),
        }
    }

    /// True for a variable of a comprehension that the compiler is inside of.
    pub fn is_comprehension_variable(&mut self, name: &Name) -> bool {
        self.frame().scopes.iter().skip(1).any(|scope| scope.contains_key(name))
    }

    /// True when a function around this one binds the name.
    pub fn is_nonlocal(&mut self, name: &Name) -> bool {
        let level = self.frames.len() - 1;
        level > 0 && !matches!(self.resolve_at(level - 1, name), None | Some(Place::Global(_)))
    }

    fn resolve_at(&mut self, level: usize, name: &Name) -> Option<Place> {
        let hides = self.frames[level].is_class && level + 1 < self.frames.len() && &**name != CLASS;
        if let Some(place) = self.frames[level].find(name).filter(|_| !hides) {
            return Some(place);
        }
        if let Some(at) = self.frames[level].free.iter().position(|n| n == name) {
            return Some(Place::Free(at as u32));
        }
        let outer = self.resolve_at(level.checked_sub(1)?, name)?;
        if matches!(outer, Place::Global(_)) {
            return Some(outer);
        }
        let frame = &mut self.frames[level];
        frame.free.push(name.clone());
        frame.captures.push(outer);
        Some(Place::Free(frame.free.len() as u32 - 1))
    }

    /// The slot of a global name and of the built-in it hides.
    pub fn global(&mut self, name: &Name) -> GlobalRef {
        let slot = self.globals.slot(self.namespace, name);
        GlobalRef { slot, builtin: self.globals.builtin_slot(name).unwrap_or(GlobalRef::NO_BUILTIN) }
    }
}
