//! The evaluator's state: variables, modules, the stack, and where output goes.

use super::compile::tree::Code;
use super::compile::{self, Mode};
use super::frame::Frame;
use super::globals::Globals;
use super::shell::Shell;
use crate::diag::{ErrorClass, Source};
use crate::syntax::ast::Stmt;
use crate::value::{Exception, Outcome, Raise, Value};
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;

/// How deep functions may call each other.
const RECURSION_LIMIT: usize = 1000;

/// A session: everything a program can see and change.
pub struct Interp {
    /// Variables and built-ins.
    pub globals: Globals,
    /// The slots of the running frames, outermost first.
    pub(super) stack: Vec<Option<Value>>,
    /// Calls that are running.
    pub(super) depth: usize,
    /// How many may.
    pub recursion_limit: usize,
    /// The exceptions that are being handled, innermost last.
    pub(super) handling: Vec<Rc<Exception>>,
    /// Modules that were imported or looked up, by dotted name.
    pub(super) modules: HashMap<String, Value>,
    /// Rises when a module's attribute is set, so that call sites look again.
    pub(super) module_version: u64,
    /// The variables around a call of `locals` and the like.
    pub(super) visible: Option<Vec<(Rc<str>, Value)>>,
    pub(super) snippets: HashMap<(usize, usize), Rc<Code>>,
    pub(super) shell: Option<Rc<dyn Shell>>,
    out: Box<dyn Write>,
    errors: Box<dyn Write>,
    closed: bool,
    warned: HashSet<String>,
}
