//! The modules that can be imported, and what is there from the start.

mod around;
pub(in crate::lang) mod construct;
mod data;
mod distributions;
mod grad_mode;
mod graph;
pub(in crate::lang) mod layers;
mod mixed;
mod optim;
mod packed;
mod print_options;
mod quantized;
mod quasirandom;
pub(in crate::lang) mod rule;
mod torch;
mod trusted;
mod weights;
pub(in crate::lang) mod written;

use super::eval::site::Member;
use super::interp::Interp;
use super::{builtins, modules};
use crate::diag::{Diagnostic, ErrorClass, did_you_mean};
use crate::ops;
use crate::value::{Class, Module, Raise, Value};
use std::rc::Rc;

/// Fills a new session: built-in functions and classes, `__name__`, and what composed operations see.
pub fn install(interp: &mut Interp) {
    for (name, value) in builtins::all() {
        interp.globals.set_builtin(name, Some(value));
    }
    for class in ErrorClass::ALL.iter().filter(|c| c.name() == c.title()) {
        interp.globals.set_builtin(class.name(), Some(Value::Class(Class::Exception(*class))));
    }
    for old in ["EnvironmentError", "IOError"] {
        interp.globals.set_builtin(old, Some(Value::Class(Class::Exception(ErrorClass::OSError))));
    }
    interp.globals.set_builtin("_", None);
    interp.globals.set("__name__", Value::from("__main__"));
    interp.globals.set("__doc__", Value::None);
    for name in ["torch", "math"] {
        if let Some(module) = find(interp, name) {
            interp.globals.set_library(name, Value::Module(module));
        }
    }
}

pub use layers::assign_computed;
pub use packed::is_packed;
pub use quantized::is_quantized;
pub use torch::NAME as TORCH;

/// The module with a dotted name, made on first use.
pub fn find(interp: &mut Interp, name: &str) -> Option<Rc<Module>> {
    if let Some(module) = interp.modules.get(name) {
        return Some(module.clone());
    }
    let module = torch::module(name).or_else(|| modules::make(name))?;
    interp.modules.insert(name.to_string(), module.clone());
    Some(module)
}

/// True when a module of this name can be imported.
pub fn is_known(name: &str) -> bool {
    name == torch::NAME || modules::NAMES.contains(&name)
}

/// True when a module has modules inside, so that a missing one is just not there.
pub fn is_package(module: &str) -> bool {
    torch::is_part(module) || modules::NAMES.iter().any(|n| n.strip_prefix(module).is_some_and(|rest| rest.starts_with('.')))
}

/// The error of an import that finds nothing.
pub fn not_found(message: &str, name: &str) -> Raise {
    let diagnostic = Diagnostic::new(ErrorClass::ModuleNotFoundError, message);
    let known = modules::NAMES.iter().copied().chain([torch::NAME]);
    match did_you_mean(name, known) {
        Some(near) => diagnostic.help(format!("did you mean {near}?")).into(),
        None => diagnostic.help("tsr has its own modules only; Python's packages cannot be imported").into(),
    }
}

/// What a module has under a name: what was put there, an operation of the table, or a module inside.
pub fn member(interp: &mut Interp, module: &Rc<Module>, name: &str) -> Option<Member> {
    if let Some(value) = module.names.borrow().get(name) {
        return Some(Member::Value(value.clone()));
    }
    let path = format!("{}.{name}", module.name);
    if let Some(set) = torch::inner_path(&path).and_then(ops::function) {
        return Some(Member::Operation(set));
    }
    if let Some(value) = modules::texts::find(interp, module, name) {
        return Some(Member::Value(value));
    }
    match name {
        "__version__" if module.name == torch::NAME => {
            let own = find(interp, "torch.torch_version")?;
            member(interp, &own, name)
        }
        "__name__" => Some(Member::Value(Value::from(module.name.as_str()))),
        _ if let Some(inner) = find(interp, &path) => Some(Member::Value(Value::Module(inner))),
        _ => {
            let other = find(interp, torch::stands_for(&module.name)?)?;
            member(interp, &other, name)
        }
    }
}

/// The names in a module, for `dir`, completion and `import *`.
pub fn names(module: &Module) -> Vec<String> {
    let mut names: Vec<String> = module.names.borrow().keys().cloned().collect();
    names.extend(torch::operations_in(&module.name));
    names.sort();
    names.dedup();
    names
}
