//! The evaluator's state: variables, modules, the stack, and where output goes.

use super::compile::tree::Code;
use super::compile::{self, Mode};
use super::eval::WithRaise;
use super::globals::{Globals, HandedOut};
use super::library;
use super::modules::warnings::Filters;
use super::shell::Shell;
use super::stack;
use crate::diag::{ErrorClass, Source};
use crate::interrupt;
use crate::syntax::ast::{ShellCommand, Stmt};
use crate::syntax::{self, Options};
use crate::value::{Exception, Machine, Module, Outcome, Value};
use std::collections::HashMap;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

/// How deep functions may call each other, the module's own frame included.
const RECURSION_LIMIT: usize = 1000;

/// The names that a text is compiled for, and the code.
pub(super) type Snippet = (Vec<&'static str>, Rc<Code>);

/// A session: everything a program can see and change.
pub struct Interp {
    /// Variables and built-ins.
    pub globals: Globals,
    /// How many calls may run at once.
    pub recursion_limit: usize,
    /// The slots of the running frames, outermost first. Whoever adds slots takes them away again, on errors too.
    pub(super) stack: Vec<Option<Value>>,
    /// The value that an expression gave, until it is taken; see [`Interp::give`].
    pub(super) given: Value,
    /// Calls that are running.
    pub(super) depth: usize,
    /// Where the thread's stack gets too low for another call.
    pub(super) floor: usize,
    /// The exceptions that are being handled, innermost last.
    pub(super) handling: Vec<Rc<Exception>>,
    /// Modules that were looked up, by dotted name.
    pub(super) modules: HashMap<String, Rc<Module>>,
    /// Rises when a module's attribute is set, so that call sites look again.
    pub(super) module_version: u64,
    /// The dicts that calls of `globals` gave.
    pub(super) handed_out: HandedOut,
    /// The variables around a running call of `locals` and the like.
    pub(super) visible: Option<Vec<(Rc<str>, Value)>>,
    /// Texts of composed operations, compiled, by address and length, each for the names that its callers give.
    pub(super) snippets: HashMap<(usize, usize), Vec<Snippet>>,
    shell: Option<Rc<dyn Shell>>,
    out: Box<dyn Write>,
    errors: Box<dyn Write>,
    is_closed: bool,
    lost: Option<String>,
    /// The module whose text runs.
    pub(super) defining: Rc<str>,
    /// What becomes of warnings.
    pub(super) warnings: Filters,
}

/// Statements that [`Interp::prepared`] compiled.
pub struct Prepared(Rc<Code>);

impl Interp {
    /// A new session that prints to `out` and warns to `errors`.
    pub fn new(out: Box<dyn Write>, errors: Box<dyn Write>) -> Interp {
        let mut interp = Interp {
            globals: Globals::default(),
            recursion_limit: RECURSION_LIMIT,
            stack: vec![],
            given: Value::None,
            depth: 1,
            floor: stack::floor(),
            handling: vec![],
            modules: HashMap::new(),
            module_version: 0,
            handed_out: HandedOut::default(),
            visible: None,
            snippets: HashMap::new(),
            shell: None,
            out,
            errors,
            is_closed: false,
            lost: None,
            defining: "__main__".into(),
            warnings: Filters::default(),
        };
        library::install(&mut interp);
        interp
    }

    /// A new session that prints to the process's standard output.
    pub fn on_stdout() -> Interp {
        Interp::new(Box::new(io::stdout()), Box::new(io::stderr()))
    }

    /// Puts a shell on top: commands, echo and help go to it.
    pub fn set_shell(&mut self, shell: Rc<dyn Shell>) {
        self.shell = Some(shell);
    }

    /// Sends what the program prints elsewhere; gives where it went before.
    pub fn set_out(&mut self, out: Box<dyn Write>) -> Box<dyn Write> {
        std::mem::replace(&mut self.out, out)
    }

    /// Sends warnings elsewhere; gives where they went before.
    pub fn set_errors(&mut self, errors: Box<dyn Write>) -> Box<dyn Write> {
        std::mem::replace(&mut self.errors, errors)
    }

    /// True when standard output was closed by its reader; the program was stopped then.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Parses and runs a whole program: expression statements are silent, an error ends it.
    pub fn run(&mut self, source: &Arc<Source>, options: &Options) -> Outcome<()> {
        let block = syntax::parse(source, options)?;
        self.run_block(&block, source, Mode::Program)
    }

    /// Runs statements of a prompt entry: every expression statement that is not `None` is shown.
    pub fn run_statements(&mut self, block: &[Stmt], source: &Arc<Source>) -> Outcome<()> {
        self.run_block(block, source, Mode::Prompt)
    }

    fn run_block(&mut self, block: &[Stmt], source: &Arc<Source>, mode: Mode) -> Outcome<()> {
        let code = compile::module(block, source, &mut self.globals, mode)?;
        self.run_code(&code, vec![]).map(|_| ())
    }

    /// Statements compiled to be run again and again, silently, in the module's scope.
    pub fn prepared(&mut self, block: &[Stmt], source: &Arc<Source>) -> Outcome<Prepared> {
        Ok(Prepared(compile::module(block, source, &mut self.globals, Mode::Program)?))
    }

    /// Runs prepared statements so many times.
    pub fn repeat(&mut self, body: &Prepared, times: usize) -> Outcome<()> {
        for _ in 0..times {
            self.run_code(&body.0, vec![])?;
        }
        Ok(())
    }

    /// The value of an expression in the module's scope.
    pub fn evaluate(&mut self, source: &Arc<Source>) -> Outcome {
        let block = syntax::parse(source, &Options::default())?;
        let code = compile::expression(&block, &[], source, &mut self.globals)?;
        self.run_code(&code, vec![])
    }

    /// Runs a body with values in its first slots.
    pub(super) fn run_code(&mut self, code: &Rc<Code>, values: Vec<Value>) -> Outcome {
        let base = self.stack.len();
        let handling = self.handling.len();
        self.stack.extend(values.into_iter().map(Some));
        self.stack.resize(base + code.slots as usize, None);
        let result = self.run_in_frame(code, base, &[]).with_raise().map(|given| self.received(given));
        self.stack.truncate(base);
        self.handling.truncate(handling);
        result
    }

    /// Shows the value of an expression statement and remembers it as `_`.
    pub fn echo(&mut self, value: &Value) -> Outcome<()> {
        if matches!(value, Value::None) {
            return Ok(());
        }
        match self.shell.clone() {
            Some(shell) => shell.echo(self, value)?,
            None => self.echo_repr(value)?,
        }
        self.globals.set_builtin("_", Some(value.clone()));
        Ok(())
    }

    /// Prints the `repr` of a value and a line end.
    pub fn echo_repr(&mut self, value: &Value) -> Outcome<()> {
        let mut text = self.repr(value)?;
        text.push('\n');
        self.write(&text);
        Ok(())
    }

    pub(super) fn shell_command(&mut self, command: &ShellCommand) -> Outcome<()> {
        match self.shell.clone() {
            Some(shell) => shell.command(self, command),
            None => fault!(RuntimeError, "%{} is a command of the prompt, and no prompt is running here", command.word.name),
        }
    }

    /// `help(value)` by the shell.
    pub(super) fn show_help(&mut self, value: Option<&Value>) -> Outcome<()> {
        match self.shell.clone() {
            Some(shell) => shell.help(self, value),
            None => fault!(RuntimeError, "help is a part of the prompt, and no prompt is running here"),
        }
    }

    /// Writes to standard output. When its reader is gone the program is asked to stop.
    pub(super) fn print(&mut self, text: &str) {
        if let Err(error) = self.out.write_all(text.as_bytes()) {
            self.note_lost(&error);
        }
    }

    /// Notes that output did not arrive, and asks the program to stop.
    fn note_lost(&mut self, error: &io::Error) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            self.is_closed = true;
        } else if self.lost.is_none() {
            self.lost = Some(error.to_string());
        }
        interrupt::raise(interrupt::Reason::Wish);
    }

    /// Why output did not arrive where it was meant to, a full disk say; told once.
    pub fn take_lost(&mut self) -> Option<String> {
        self.lost.take()
    }

    /// Sees to it that everything printed so far arrives.
    pub fn flush(&mut self) {
        if let Err(error) = self.out.flush() {
            self.note_lost(&error);
        }
        // There is nowhere to complain of standard error.
        let _ = self.errors.flush();
    }

    /// Writes to standard error.
    pub(super) fn print_error(&mut self, text: &str) {
        // There is nowhere left to complain when standard error is closed.
        let _ = self.out.flush().and_then(|()| self.errors.write_all(text.as_bytes()));
    }

    /// Shows a warning as the shell on top does, or as its class and its text.
    pub(super) fn show_warning(&mut self, class: ErrorClass, text: &str) {
        let said = match &self.shell {
            Some(shell) => shell.warning(class, text),
            None => format!("{}: {text}", class.name()),
        };
        self.print_error(&(said + "\n"));
    }

    /// The variables that a running call of `locals` sees; the module's outside functions.
    pub(super) fn visible_names(&self, local: bool) -> Vec<(Rc<str>, Value)> {
        match &self.visible {
            Some(names) if local => names.clone(),
            _ => self.globals.variables().map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }

    /// `import torch`, for sessions that begin with it.
    pub fn import_torch(&mut self) {
        if let Ok(module) = self.import_module("torch") {
            self.globals.set("torch", Value::Module(module));
        }
    }
}
