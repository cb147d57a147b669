//! The door to what sits on top of the language: shell commands and the way values are shown.

use super::interp::Interp;
use crate::diag::ErrorClass;
use crate::syntax::ast::ShellCommand;
use crate::value::{Outcome, Value};

/// What the prompt adds to the language. Methods take `&self` because a command may run a program with commands in it.
pub trait Shell {
    /// Runs `%word rest`, `?name`, `!command`.
    fn command(&self, interp: &mut Interp, command: &ShellCommand) -> Outcome<()>;

    /// Shows the value of an expression statement. By default its `repr` and a line end.
    fn echo(&self, interp: &mut Interp, value: &Value) -> Outcome<()> {
        interp.echo_repr(value)
    }

    /// A warning as it is shown: its class and what it says.
    fn warning(&self, class: ErrorClass, text: &str) -> String;

    /// `help(value)`, or help on nothing in particular.
    fn help(&self, interp: &mut Interp, value: Option<&Value>) -> Outcome<()>;
}
