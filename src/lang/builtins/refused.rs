//! Built-in functions of Python that tsr does not have, with what to do instead.

use crate::diag::{ErrorClass, Fault};
use crate::lang::types::call::Call;
use crate::value::Outcome;

fn refuse(text: &str, help: &str) -> Outcome {
    Err(anyhow::Error::new(Fault::new(ErrorClass::NotImplementedError, text).help(help)).into())
}

/// `compile(…)`
pub fn compile(_: &mut Call<'_>) -> Outcome {
    refuse("tsr does not make code objects", "eval(text) and exec(text) take the text itself")
}
