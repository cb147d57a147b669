//! `importlib`: modules by a name that is known only when the program runs.

use crate::lang::interp::Interp;
use crate::lang::types::call::{Call, Table, def, row};
use crate::lang::types::convert;
use crate::value::{Outcome, Value};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "importlib",
    rows: Table::sorted(&[row("import_module", def(&["name", "package"], 1, 2), |c| {
        let Value::Str(name) = c.arg(0).clone() else {
            fault!(AttributeError, "'{}' object has no attribute 'startswith'", c.arg(0).type_name());
        };
        module(c, &name)
    })]),
};

/// `__import__(name, globals=None, locals=None, fromlist=(), level=0)`: the package that a dotted name begins with, or with a `fromlist`
/// the module itself.
pub fn by_function(c: &mut Call<'_>) -> Outcome {
    let name = convert::to_str(c.arg(0), "__import__", "argument 1")?.to_string();
    let found = module(c, &name)?;
    let is_whole = c.some(3).is_some_and(|names| names.items().is_some_and(|names| !names.is_empty()));
    match name.split_once('.') {
        Some((package, _)) if !is_whole => module(c, package),
        _ => Ok(found),
    }
}

fn module(c: &mut Call<'_>, name: &str) -> Outcome {
    match c.machine.as_any().downcast_mut::<Interp>() {
        Some(interp) => Ok(Value::Module(interp.import_module(name)?)),
        None => fault!(ModuleNotFoundError, "No module named '{name}'"),
    }
}
