//! The modules of Python's standard library that tsr has, and the part of numpy that it needs.
//!
//! Each is a table of rows and a few constants; `torch` is not here, it comes from the table of operations.

mod argparse;
mod cmath;
pub mod collections;
mod contextlib;
mod copy;
mod csv;
mod datetime;
mod fractions;
mod functools;
mod future;
mod gc;
mod hashlib;
mod heapq;
pub mod importlib;
mod io;
mod itertools;
mod json;
mod logging;
pub mod math;
mod namespace;
pub mod numpy;
mod operator;
mod os;
mod packed;
mod pathlib;
mod pickle;
mod pprint;
mod random;
mod re;
mod statistics;
mod string;
pub mod sys;
mod tempfile;
pub mod texts;
mod textwrap;
mod time;
mod timeit;
pub mod traceback;
mod typing;
pub mod warnings;
mod weakref;

use super::classes::{dataclass, promised};
use super::types::call::{Builtin, Table};
use crate::diag::{Diagnostic, ErrorClass};
use crate::value::{Exception, Module, Raise, Value};
use indexmap::IndexMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What a module is made of.
struct Parts {
    /// Its dotted name.
    name: &'static str,
    /// Its functions.
    functions: &'static Table,
    /// Its constants, classes and objects, made anew for each session.
    values: fn() -> Vec<(&'static str, Value)>,
}

const MODULES: &[Parts] = &[
    Parts { name: "__future__", functions: &future::FUNCTIONS, values: future::values },
    Parts { name: "abc", functions: &promised::FUNCTIONS, values: promised::values },
    Parts { name: "argparse", functions: &typing::NO_FUNCTIONS, values: argparse::values },
    Parts { name: "array", functions: &super::types::buffer::MODULE, values: Vec::new },
    Parts { name: "bisect", functions: &heapq::BISECT, values: Vec::new },
    Parts { name: "cmath", functions: &cmath::FUNCTIONS, values: cmath::constants },
    Parts { name: "collections", functions: &collections::FUNCTIONS, values: collections::values },
    Parts { name: "collections.abc", functions: &typing::NO_FUNCTIONS, values: typing::abstract_classes },
    Parts { name: "contextlib", functions: &contextlib::FUNCTIONS, values: contextlib::values },
    Parts { name: "copy", functions: &copy::FUNCTIONS, values: Vec::new },
    Parts { name: "csv", functions: &csv::FUNCTIONS, values: csv::values },
    Parts { name: "dataclasses", functions: &dataclass::FUNCTIONS, values: dataclass::values },
    Parts { name: "datetime", functions: &typing::NO_FUNCTIONS, values: datetime::values },
    Parts { name: "enum", functions: &typing::NO_FUNCTIONS, values: Vec::new },
    Parts { name: "fractions", functions: &typing::NO_FUNCTIONS, values: fractions::values },
    Parts { name: "functools", functions: &functools::FUNCTIONS, values: functools::values },
    Parts { name: "gc", functions: &gc::FUNCTIONS, values: Vec::new },
    Parts { name: "hashlib", functions: &hashlib::FUNCTIONS, values: Vec::new },
    Parts { name: "heapq", functions: &heapq::FUNCTIONS, values: Vec::new },
    Parts { name: "importlib", functions: &importlib::FUNCTIONS, values: Vec::new },
    Parts { name: "io", functions: &io::FUNCTIONS, values: io::values },
    Parts { name: "itertools", functions: &itertools::FUNCTIONS, values: itertools::values },
    Parts { name: "json", functions: &json::FUNCTIONS, values: json::values },
    Parts { name: "logging", functions: &logging::FUNCTIONS, values: logging::values },
    Parts { name: "math", functions: &math::FUNCTIONS, values: math::constants },
    Parts { name: "numbers", functions: &typing::NO_FUNCTIONS, values: typing::numbers },
    Parts { name: "numpy", functions: &numpy::FUNCTIONS, values: numpy::values },
    Parts { name: "numpy.exceptions", functions: &typing::NO_FUNCTIONS, values: numpy::exceptions },
    Parts { name: "numpy.fft", functions: &numpy::written::rarer::FFT, values: Vec::new },
    Parts { name: "numpy.linalg", functions: &numpy::LINALG, values: numpy::linalg_values },
    Parts { name: "numpy.testing", functions: &numpy::written::TESTING, values: Vec::new },
    Parts { name: "numpy.random", functions: &numpy::random::FUNCTIONS, values: Vec::new },
    Parts { name: "numpy.typing", functions: &typing::NO_FUNCTIONS, values: typing::of_arrays },
    Parts { name: "operator", functions: &operator::FUNCTIONS, values: operator::values },
    Parts { name: "os", functions: &os::FUNCTIONS, values: os::values },
    Parts { name: "os.path", functions: &os::PATH, values: Vec::new },
    Parts { name: "pathlib", functions: &typing::NO_FUNCTIONS, values: pathlib::values },
    Parts { name: "pickle", functions: &pickle::FUNCTIONS, values: pickle::values },
    Parts { name: "pprint", functions: &pprint::FUNCTIONS, values: Vec::new },
    Parts { name: "random", functions: &random::FUNCTIONS, values: random::values },
    Parts { name: "re", functions: &re::FUNCTIONS, values: re::values },
    Parts { name: "shutil", functions: &tempfile::SHUTIL, values: Vec::new },
    Parts { name: "statistics", functions: &statistics::FUNCTIONS, values: statistics::values },
    Parts { name: "string", functions: &string::FUNCTIONS, values: string::values },
    Parts { name: "struct", functions: &packed::FUNCTIONS, values: packed::values },
    Parts { name: "sys", functions: &sys::FUNCTIONS, values: sys::values },
    Parts { name: "tempfile", functions: &tempfile::FUNCTIONS, values: tempfile::values },
    Parts { name: "textwrap", functions: &textwrap::FUNCTIONS, values: Vec::new },
    Parts { name: "time", functions: &time::FUNCTIONS, values: Vec::new },
    Parts { name: "timeit", functions: &timeit::FUNCTIONS, values: Vec::new },
    Parts { name: "traceback", functions: &traceback::FUNCTIONS, values: Vec::new },
    Parts { name: "types", functions: &namespace::NO_FUNCTIONS, values: namespace::values },
    Parts { name: "typing", functions: &typing::FUNCTIONS, values: typing::values },
    Parts { name: "typing_extensions", functions: &typing::FUNCTIONS, values: typing::values },
    Parts { name: "warnings", functions: &warnings::FUNCTIONS, values: warnings::values },
    Parts { name: "weakref", functions: &weakref::FUNCTIONS, values: Vec::new },
];

/// The names of the modules.
pub const NAMES: &[&str] = &{
    let mut names = [""; MODULES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = MODULES[i].name;
        i += 1;
    }
    names
};

/// The module with a dotted name.
pub fn make(name: &str) -> Option<Rc<Module>> {
    let parts = MODULES.iter().find(|parts| parts.name == name)?;
    let functions = parts.functions.rows.iter().map(|row| (row.name, Builtin::function(parts.functions, row)));
    let names: IndexMap<String, Value> =
        functions.chain((parts.values)()).map(|(name, value)| (name.to_string(), value)).collect();
    Some(Rc::new(Module { name: name.to_string(), names: RefCell::new(names) }))
}

/// An exception that has attributes besides its sentence.
fn refusal(class: ErrorClass, text: String, attributes: &[(&str, Value)]) -> Raise {
    let args = vec![Value::from(text.as_str())];
    let exception = Exception::new(Diagnostic::new(class, text), args);
    let own = attributes.iter().map(|(name, value)| (Rc::from(*name), value.clone()));
    exception.trace.borrow_mut().own.extend(own);
    Raise(Rc::new(exception))
}
