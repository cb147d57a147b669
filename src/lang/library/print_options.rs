//! `torch._tensor_str.PRINT_OPTS`: the options of printing as an object that can be read and set.

use crate::lang::types::repr::repr;
use crate::ops::print_options::{NAMES, give, given};
use crate::value::{Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

struct PrinterOptions;

/// The object.
pub(super) fn object() -> Value {
    Value::shared(Rc::new(PrinterOptions))
}

impl Object for PrinterOptions {
    fn type_name(&self) -> String {
        "__PrinterOptions".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let texts = NAMES.iter().zip(given()).map(|(name, value)| format!("{name}={}", repr(&value).unwrap_or_default()));
        format!("{}({})", self.type_name(), texts.collect::<Vec<_>>().join(", "))
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(NAMES.iter().zip(given()).find(|(known, _)| **known == name).map(|(_, value)| value))
    }
    fn set_attr(&self, name: &str, value: Value) -> Outcome<bool> {
        Ok(give(name, value))
    }
    fn attributes(&self) -> Vec<String> {
        NAMES.map(str::to_string).to_vec()
    }
}
