//! `%footer`: a line below a tensor that was shown, saying what it is a view of.

use super::Call;
use super::address::variables;
use super::switch::{Choice, choose};
use crate::lang::Interp;
use crate::repl::shell::TsrShell;
use crate::show::picture;
use crate::value::{Outcome, Value};

/// When the line is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::repl) enum Footer {
    /// At a terminal, where there is something to say.
    #[default]
    Auto,
    /// Below every tensor.
    On,
    /// Never.
    Off,
}

const CHOICES: [Choice<Footer>; 3] = [
    ("on", Footer::On, "A line below each tensor says where it lies."),
    ("off", Footer::Off, "Tensors are shown without a line below them."),
    ("auto", Footer::Auto, "At a terminal, a line below a view says what it is a view of."),
];

/// `%footer on`, `%footer off`, `%footer auto`; alone it says which it is.
pub(super) fn switch(call: &mut Call) -> Outcome<()> {
    choose(call, "footer", |shell| &shell.footer, &CHOICES)
}

/// Writes the line below a value that was shown.
pub(in crate::repl) fn below(shell: &TsrShell, interp: &mut Interp, value: &Value) {
    let Value::Tensor(tensor) = value else { return };
    let always = match shell.footer.get() {
        Footer::On => true,
        Footer::Auto if shell.at_terminal.get() => false,
        _ => return,
    };
    let names: Vec<_> = variables(interp).into_iter().map(|named| (named.name, named.tensor)).collect();
    if let Some(doc) = picture::footer(tensor, &names, always, shell.look.get().width) {
        shell.print(interp, &doc);
    }
}
