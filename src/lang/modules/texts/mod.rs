//! Modules, or parts of them, that are written in the language. They run when a name is first asked for that the module does not have.

use crate::lang::interp::Interp;
use crate::value::{Dict, Key, Module, TextScope, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// The texts by the names of their modules.
const TEXTS: &[(&str, &str)] = &[
    ("collections", include_str!("collections.tsr")),
    ("contextlib", include_str!("contextlib.tsr")),
    ("dataclasses", include_str!("dataclasses.tsr")),
    ("enum", include_str!("enum.tsr")),
    ("functools", include_str!("functools.tsr")),
    ("torch.nn.utils.prune", include_str!("prune.tsr")),
    ("torch.optim.swa_utils", include_str!("swa_utils.tsr")),
    ("torch.torch_version", include_str!("torch_version.tsr")),
    ("types", include_str!("types.tsr")),
    ("typing", include_str!("typing.tsr")),
    ("weakref", include_str!("weakref.tsr")),
];

/// What a module has once its text ran.
const MARK: &str = "__doc__";

/// What the text of a module defines under a name, run now unless it ran before.
pub fn find(interp: &mut Interp, module: &Rc<Module>, name: &str) -> Option<Value> {
    let (_, text) = TEXTS.iter().find(|(own, _)| *own == module.name)?;
    if module.names.borrow().contains_key(MARK) {
        return None;
    }
    module.names.borrow_mut().insert(MARK.to_string(), Value::None);
    let around = std::mem::replace(&mut interp.defining, Rc::from(module.name.as_str()));
    let globals = Rc::new(RefCell::new(Dict::default()));
    globals.borrow_mut().insert(Key::from("__name__"), Value::from(module.name.as_str()));
    let ran = interp.run_text(&module.name, text, TextScope::Given { globals: globals.clone(), locals: None });
    interp.defining = around;
    ran.ok()?;
    let defined = globals.borrow().clone();
    for (key, value) in defined {
        match key.value() {
            Value::Str(name) if !name.starts_with('_') || name.as_str() == "__version__" => {
                module.names.borrow_mut().entry(name.to_string()).or_insert(value);
            }
            _ => {}
        }
    }
    interp.module_version += 1;
    module.names.borrow().get(name).cloned()
}
