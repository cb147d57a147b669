//! The bound arguments of an operation, and how an implementation takes them.

use super::Op;
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::layout::{Dims, MemoryFormat};
use crate::tensor::Tensor;
use crate::value::{Device, StorageView, TensorLayout, Value};
use anyhow::Result;
use smallvec::SmallVec;
use std::rc::Rc;

/// One value per parameter of a schema.
pub type Values = SmallVec<[Value; 6]>;

/// The arguments of one call: one value per parameter of the schema, defaults filled in, each of the type the schema says.
#[derive(Clone)]
pub struct Args {
    /// The row that is called.
    pub op: &'static Op,
    /// One per parameter.
    pub values: Values,
    /// What `out=` names. The result is written there by the caller; a factory takes its dtype from it.
    pub out: Value,
    /// True for `x.f_()`, which writes the result into its first argument.
    pub inplace: bool,
}

/// A tensor, or a Python number that stands for a 0-d one and weighs less in type promotion.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A tensor.
    Tensor(Tensor),
    /// A number.
    Number(Number),
}

impl Args {
    /// All arguments at once, as a tuple: `let (x, dim, keepdim): (Tensor, i64, bool) = args.take()?`.
    ///
    /// Binding has converted by the schema, so a mismatch is a bug in the row; it is reported, not a panic, and running every
    /// example finds it.
    pub fn take<T: FromArgs>(&self) -> Result<T> {
        T::from_args(self)
    }

    /// The tensor that the result will be written into, where there is one already.
    pub fn target(&self) -> Option<Tensor> {
        Tensor::from_value(if self.inplace { self.value(0) } else { &self.out })
    }

    /// The dtype to compute in: as asked, else that of `out=`. Fails with a `RuntimeError` where they differ.
    pub fn asked_dtype(&self, dtype: Option<DType>) -> Result<Option<DType>> {
        let out = self.target().filter(|_| !self.inplace).map(|out| out.dtype());
        if let (Some(dtype), Some(out)) = (dtype, out) {
            super::out::require_same(dtype, out)?;
        }
        Ok(dtype.or(out))
    }

    /// The value of a parameter by its place.
    pub fn value(&self, place: usize) -> &Value {
        self.values.get(place).unwrap_or(&Value::None)
    }

    /// The value of a parameter by its name; `None` of one that the row does not have.
    pub fn named(&self, name: &str) -> &Value {
        let place = self.op.schema().ok().and_then(|schema| schema.params.iter().position(|param| param.name == name));
        place.map_or(&Value::None, |place| self.value(place))
    }

    /// One argument by its place.
    #[inline]
    pub fn get<T: FromValue>(&self, place: usize) -> Result<T> {
        T::from_value(self.value(place)).ok_or_else(|| self.not_taken(place))
    }

    /// The error for an argument of another type than the row says.
    #[cold]
    pub(super) fn not_taken(&self, place: usize) -> anyhow::Error {
        let (name, class) = (self.op.name(), self.value(place).type_name());
        err!(RuntimeError, "{name}: argument {place} is a {class}, which the row does not take")
    }

    /// True when a tensor among the arguments, those in lists too, passes a test.
    pub fn any_tensor(&self, test: impl Fn(&Tensor) -> bool) -> bool {
        self.values.iter().any(|value| match value {
            Value::Tensor(t) => test(t),
            Value::Tuple(items) => items.iter().any(|item| matches!(item, Value::Tensor(t) if test(t))),
            _ => false,
        })
    }

    /// True when every tensor among the arguments [is ordinary](Tensor::is_ordinary), and none stands in a list.
    pub fn are_ordinary(&self) -> bool {
        self.values.iter().all(|value| match value {
            Value::Tensor(t) => t.is_ordinary(),
            Value::Tuple(_) => false,
            _ => true,
        })
    }

    /// Every tensor among the arguments, those in lists too.
    pub fn tensors(&self) -> Vec<Tensor> {
        let mut found = vec![];
        for value in &self.values {
            match value {
                Value::Tensor(t) => found.push(t.clone()),
                Value::Tuple(items) => found.extend(items.iter().filter_map(Tensor::from_value)),
                _ => {}
            }
        }
        found
    }
}

/// What an argument can be taken as.
pub trait FromValue: Sized {
    /// None when the value is of another type.
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! from_value {
    ($($t:ty: $($pattern:pat => $e:expr),+;)*) => {
        $(impl FromValue for $t {
            fn from_value(value: &Value) -> Option<Self> {
                match value { $($pattern => Some($e),)+ _ => None }
            }
        })*
    };
}

from_value! {
    Tensor: Value::Tensor(t) => t.clone();
    bool: Value::Bool(b) => *b;
    i64: Value::Int(i) => *i;
    f64: Value::Float(f) => *f;
    DType: Value::DType(d) => *d;
    Device: Value::Device(d) => **d;
    DeviceId: Value::Device(d) => d.id;
    String: Value::Str(s) => s.to_string();
    Dims: Value::Size(d) => Dims::from_slice(d);
    Rc<Dims>: Value::Size(d) => d.clone();
    Rc<StorageView>: Value::Storage(s) => s.clone();
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

impl FromValue for MemoryFormat {
    fn from_value(value: &Value) -> Option<Self> {
        value.downcast::<MemoryFormat>().copied()
    }
}

impl FromValue for TensorLayout {
    fn from_value(value: &Value) -> Option<Self> {
        value.downcast::<TensorLayout>().copied()
    }
}

impl FromValue for Number {
    fn from_value(value: &Value) -> Option<Self> {
        value.as_number()
    }
}

impl FromValue for Operand {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Tensor(t) => Some(Operand::Tensor(t.clone())),
            other => other.as_number().map(Operand::Number),
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::None => Some(None),
            other => T::from_value(other).map(Some),
        }
    }
}

impl FromValue for Vec<Tensor> {
    fn from_value(value: &Value) -> Option<Self> {
        value.sequence()?.iter().map(Tensor::from_value).collect()
    }
}

impl FromValue for Vec<Option<Tensor>> {
    fn from_value(value: &Value) -> Option<Self> {
        value.sequence()?.iter().map(Option::<Tensor>::from_value).collect()
    }
}

impl FromValue for Vec<f64> {
    fn from_value(value: &Value) -> Option<Self> {
        value.sequence()?.iter().map(|v| v.as_number().map(Number::to_f64)).collect()
    }
}

/// A tuple of argument types.
pub trait FromArgs: Sized {
    /// Takes the first arguments.
    fn from_args(args: &Args) -> Result<Self>;
}

macro_rules! from_args {
    ($($t:ident $place:literal),*) => {
        impl<$($t: FromValue),*> FromArgs for ($($t,)*) {
            fn from_args(args: &Args) -> Result<Self> {
                Ok(($(args.get::<$t>($place)?,)*))
            }
        }
    };
}

from_args!(A 0);
from_args!(A 0, B 1);
from_args!(A 0, B 1, C 2);
from_args!(A 0, B 1, C 2, D 3);
from_args!(A 0, B 1, C 2, D 3, E 4);
from_args!(A 0, B 1, C 2, D 3, E 4, F 5);
from_args!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
from_args!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
from_args!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);

/// The truth of an argument that is nearly always a bool, as Python's `if` finds it. Fails with a `RuntimeError` for tensors that do not
/// hold one element.
pub fn truth(value: &Value) -> Result<bool> {
    Ok(match value {
        Value::Bool(truth) => *truth,
        Value::None => false,
        Value::Tensor(one) if one.numel() == 1 => super::exec::item(one)?.to_bool(),
        Value::Tensor(many) if many.numel() > 1 => {
            fault!(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous")
        }
        Value::Tensor(_) => fault!(RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
        Value::Str(text) => !text.is_empty(),
        Value::Dict(entries) => !entries.borrow().is_empty(),
        other => match (other.as_number(), other.items()) {
            (Some(number), _) => number.to_bool(),
            (None, items) => items.is_none_or(|items| !items.is_empty()),
        },
    })
}
