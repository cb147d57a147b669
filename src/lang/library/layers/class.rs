//! The classes of layers as values: `torch.nn.Module`, and that of each kind.

use super::kinds::Kind;
use super::{Layer, Names, container, layer, methods};
use crate::lang::library::construct;
use crate::lang::types::class_object::ClassObject;
use crate::value::{CallArgs, Machine, Outcome, Value};
use std::rc::Rc;

/// `torch.nn.Module`: what every layer is.
pub(super) struct AnyLayer;

impl ClassObject for AnyLayer {
    fn full_name(&self) -> String {
        "torch.nn.modules.module.Module".into()
    }
    fn make(self: Rc<Self>, _machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        construct::bind("Module.__init__()", &[], args).map(|_| Layer::bare(&container::MODULE, Names::new()).value())
    }
    fn has(&self, value: &Value) -> bool {
        layer(value).is_some()
    }
    fn member(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if name.starts_with("__") { Ok(None) } else { construct::no_attribute("Module", name) }
    }
    fn has_child(&self, class: &Value) -> bool {
        class.downcast::<construct::RowClass<Kind>>().is_some()
    }
}

impl construct::Row for Kind {
    fn name(&self) -> &'static str {
        self.name
    }
    fn module(&self) -> String {
        format!("torch.nn.modules.{}", self.module)
    }
    fn make(&'static self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        Layer::make(machine, self, args)
    }
    fn of(value: &Value) -> Option<&'static Kind> {
        Some(layer(value)?.kind())
    }
    fn base(&self) -> Option<&'static Kind> {
        self.becomes()
    }
    fn function(&'static self, name: &str) -> Option<Value> {
        Some(match (self.name, name) {
            ("Embedding" | "EmbeddingBag", "from_pretrained") => {
                Value::method_of(move |machine, args| methods::pretrained(machine, self, args))
            }
            ("Transformer", "generate_square_subsequent_mask") => Value::method_of(methods::causal_mask),
            _ => return None,
        })
    }
}
