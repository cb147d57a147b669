//! numpy's dtypes as values.

use super::array::from_data;
use crate::dtype::DType;
use crate::ops;
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// `numpy.float32` and the like: the name that `dtype=` takes.
struct DTypeObject(DType);

impl Object for DTypeObject {
    fn type_name(&self) -> String {
        "dtype".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("dtype('{}')", self.0.name())
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Option<Outcome> {
        let number = args.positional.first().cloned().unwrap_or(Value::Int(0));
        Some(from_data(machine, &number, Some(Value::DType(self.0)), true))
    }
    fn str(&self) -> String {
        self.0.name().to_string()
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        match other {
            Value::Object(o) => o.as_any().downcast_ref::<DTypeObject>().map(|d| d.0 == self.0),
            Value::Str(name) => Some(**name == self.0.name()),
            _ => None,
        }
    }
}

/// A numpy dtype as a value.
pub fn dtype_object(dtype: DType) -> Value {
    Value::object(DTypeObject(dtype))
}

/// The dtype a `dtype=` argument names.
pub fn dtype_of(value: &Value) -> Outcome<Option<DType>> {
    Ok(match value {
        Value::None => None,
        Value::Str(name) => match DType::from_name(name) {
            Some(dtype) => Some(dtype),
            None => fault!(TypeError, "data type '{name}' not understood"),
        },
        Value::Object(o) => match o.as_any().downcast_ref::<DTypeObject>() {
            Some(dtype) => Some(dtype.0),
            None => fault!(TypeError, "Cannot interpret '{}' as a data type", o.repr()),
        },
        other => match ops::to_dtype(other) {
            Some(dtype) => Some(dtype),
            None => fault!(TypeError, "Cannot interpret '{}' as a data type", other.type_name()),
        },
    })
}
