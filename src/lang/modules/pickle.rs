//! `pickle`: values as bytes and back.
//!
//! The bytes are those of a file that `torch.save` writes, but for views, which get storages of their own.

use crate::diag::ErrorClass;
use crate::lang::types::call::{Call, Table, def, keywords, row};
use crate::ops;
use crate::value::{Class, Outcome, Value};
use std::rc::Rc;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "pickle",
    rows: Table::sorted(&[
        row("dump", keywords(&["obj", "file", "protocol", "fix_imports", "buffer_callback"], 2, 3), |c| {
            let names = [("bytes", written(c)?), ("file", c.arg(1).clone())];
            c.machine.eval_code("file.write(bytes)\nNone", &names)
        }),
        row("dumps", keywords(&["obj", "protocol", "fix_imports", "buffer_callback"], 1, 2), written),
        row("load", keywords(&["file", "fix_imports", "encoding", "errors", "buffers"], 1, 1), |c| {
            let names = [("file", c.arg(0).clone())];
            c.machine.eval_code("torch.load(file, weights_only=False)", &names)
        }),
        row("loads", def(&["data", "fix_imports", "encoding", "errors", "buffers"], 1, 1), read),
    ]),
};

/// The newest format and the one that is written by itself, which `protocol` may name; what fails.
pub fn values() -> Vec<(&'static str, Value)> {
    let class = |class| Value::Class(Class::Exception(class));
    vec![
        ("DEFAULT_PROTOCOL", Value::Int(4)),
        ("HIGHEST_PROTOCOL", Value::Int(5)),
        ("PickleError", class(ErrorClass::PickleError)),
        ("PicklingError", class(ErrorClass::PicklingError)),
        ("UnpicklingError", class(ErrorClass::UnpicklingError)),
    ]
}

fn written(c: &mut Call<'_>) -> Outcome {
    let value = c.arg(0).clone();
    Ok(Value::Bytes(Rc::new(ops::file::packed(c.machine, &value, true)?)))
}

fn read(c: &mut Call<'_>) -> Outcome {
    if !matches!(c.arg(0), Value::Bytes(_) | Value::Object(_)) {
        fault!(TypeError, "a bytes-like object is required, not '{}'", c.arg(0).type_name());
    }
    let names = [("data", c.arg(0).clone())];
    c.machine.eval_code("import io\ntorch.load(io.BytesIO(data), weights_only=False)", &names)
}
