//! `import` and `from … import`.

use crate::diag::ErrorClass;
use crate::lang::compile::tree::{FromImport, Import};
use crate::lang::frame::Frame;
use crate::lang::interp::Interp;
use crate::lang::library;
use crate::value::{Module, Outcome, Value};
use std::rc::Rc;

impl Interp {
    /// `import a.b` binds `a`; `import a.b as c` binds `a.b`.
    pub(in crate::lang) fn import(&mut self, f: &mut Frame, it: &Import) -> Outcome<()> {
        let located = self.import_module(&it.module);
        let module = located.map_err(|r| self.locate(f, it.span, r))?;
        let outermost = it.module.split('.').next().unwrap_or_default();
        let bound = if it.innermost { module } else { self.import_module(outermost)? };
        self.assign(f, &it.target, Value::Module(bound))
    }

    /// The module with a dotted name. Fails with a `ModuleNotFoundError` that names the first part there is none of.
    pub fn import_module(&mut self, name: &str) -> Outcome<Rc<Module>> {
        if let Some(module) = library::find(self, name) {
            return Ok(module);
        }
        let mut known = None;
        for (end, _) in name.match_indices('.').chain([(name.len(), "")]) {
            let part = &name[..end];
            match library::find(self, part) {
                Some(module) => known = Some(module.name.clone()),
                None => {
                    let what = match known {
                        Some(parent) if library::is_package(&parent) => format!("No module named '{part}'"),
                        Some(parent) => format!("No module named '{part}'; '{parent}' is not a package"),
                        None => format!("No module named '{part}'"),
                    };
                    return Err(library::not_found(&what, part));
                }
            }
        }
        Err(library::not_found(&format!("No module named '{name}'"), name))
    }

    /// `from module import a as b` and `from module import *`.
    pub(in crate::lang) fn import_from(&mut self, f: &mut Frame, it: &FromImport) -> Outcome<()> {
        let module = self.import_module(&it.module).map_err(|r| self.locate(f, it.span, r))?;
        let Some(names) = &it.names else {
            return self.import_all(&module);
        };
        for (name, span, target) in names {
            let value = self.imported(&module, name).map_err(|r| self.locate(f, *span, r))?;
            self.assign(f, target, value)?;
        }
        Ok(())
    }

    fn imported(&mut self, module: &Rc<Module>, name: &str) -> Outcome {
        match self.attr(&Value::Module(module.clone()), name) {
            Ok(value) => Ok(value),
            Err(raise) if raise.0.diagnostic.class == ErrorClass::AttributeError => {
                let path = format!("{}.{name}", module.name);
                match library::find(self, &path) {
                    Some(inner) => Ok(Value::Module(inner)),
                    None => fault!(ImportError, "cannot import name '{name}' from '{}' (unknown location)", module.name),
                }
            }
            Err(raise) => Err(raise),
        }
    }

    /// Every public name becomes a variable of the module that is running.
    fn import_all(&mut self, module: &Rc<Module>) -> Outcome<()> {
        for name in library::names(module) {
            if !name.starts_with('_') {
                let value = self.attr(&Value::Module(module.clone()), &name)?;
                self.globals.set(&name, value);
            }
        }
        Ok(())
    }
}
