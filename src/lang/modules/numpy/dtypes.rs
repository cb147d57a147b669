//! numpy's dtypes as values, and the classes of its numbers.

use super::array::{from_data, scalar_dtype};
use crate::dtype::{DType, Kind};
use crate::lang::types::class_object::ClassObject;
use crate::ops;
use crate::value::{CallArgs, Class, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// A dtype's letter and its order of bytes.
const LETTERS: &[(DType, &str, &str)] = &[
    (DType::Bool, "?", "|b1"),
    (DType::U8, "B", "|u1"),
    (DType::U16, "H", "<u2"),
    (DType::U32, "I", "<u4"),
    (DType::U64, "L", "<u8"),
    (DType::I8, "b", "|i1"),
    (DType::I16, "h", "<i2"),
    (DType::I32, "i", "<i4"),
    (DType::I64, "l", "<i8"),
    (DType::F16, "e", "<f2"),
    (DType::F32, "f", "<f4"),
    (DType::F64, "d", "<f8"),
    (DType::C64, "F", "<c8"),
    (DType::C128, "D", "<c16"),
];

/// What else dtypes are called.
const NAMES: &[(&str, DType)] = &[
    ("bool_", DType::Bool),
    ("byte", DType::I8),
    ("cdouble", DType::C128),
    ("complex", DType::C128),
    ("csingle", DType::C64),
    ("double", DType::F64),
    ("float", DType::F64),
    ("half", DType::F16),
    ("int", DType::I64),
    ("int_", DType::I64),
    ("intc", DType::I32),
    ("intp", DType::I64),
    ("long", DType::I64),
    ("longlong", DType::I64),
    ("short", DType::I16),
    ("single", DType::F32),
    ("ubyte", DType::U8),
    ("uint", DType::U64),
    ("uintp", DType::U64),
    ("ushort", DType::U16),
];

/// The families of numbers, each with the one it belongs to.
const FAMILIES: &[(&str, &str)] = &[
    ("generic", ""),
    ("number", "generic"),
    ("integer", "number"),
    ("signedinteger", "integer"),
    ("unsignedinteger", "integer"),
    ("inexact", "number"),
    ("floating", "inexact"),
    ("complexfloating", "inexact"),
];

/// The letter and the text of a dtype with its order of bytes.
pub fn letters(dtype: DType) -> (&'static str, &'static str) {
    LETTERS.iter().find(|(own, ..)| *own == dtype).map_or(("V", "|V0"), |(_, letter, text)| (letter, text))
}

/// The letter of a dtype's kind.
pub fn kind(dtype: DType) -> &'static str {
    letters(dtype).1.get(1..2).unwrap_or_default()
}

/// `numpy.dtype('float32')`.
struct DTypeObject(DType);

impl Object for DTypeObject {
    fn type_name(&self) -> String {
        let name = self.0.name();
        let class = match (name.strip_prefix("uint"), name.get(1..)) {
            (Some(width), _) => format!("UInt{width}"),
            (None, Some(rest)) => format!("{}{rest}", name[..1].to_uppercase()),
            (None, None) => name.to_string(),
        };
        format!("numpy.dtypes.{class}DType")
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("dtype('{}')", self.0.name())
    }
    fn str(&self) -> String {
        self.0.name().to_string()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let (letter, text) = letters(self.0);
        Ok(Some(match name {
            "alignment" | "itemsize" => {
                let parts = if name == "alignment" && self.0.is_complex() { 2 } else { 1 };
                Value::from(self.0.size() / parts)
            }
            "byteorder" => Value::from(if self.0.size() == 1 { "|" } else { "=" }),
            "char" => Value::from(letter),
            "isnative" => Value::Bool(true),
            "kind" => Value::from(kind(self.0)),
            "name" => Value::from(self.0.name()),
            "names" => Value::None,
            "ndim" => Value::Int(0),
            "shape" => Value::tuple(vec![]),
            "str" => Value::from(text),
            "type" => scalar_class(self.0),
            _ => return Ok(None),
        }))
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        match other {
            Value::Object(_) | Value::Str(_) | Value::Class(_) => Some(matches!(dtype_of(other), Ok(Some(own)) if own == self.0)),
            _ => None,
        }
    }
    fn hash(&self) -> Option<u64> {
        Some(self.0 as u64)
    }
}

/// The class of numpy's numbers of a dtype, or of a family of them.
struct NumberClass {
    name: &'static str,
    dtype: Option<DType>,
}

/// The family right above a dtype.
fn family(dtype: DType) -> &'static str {
    match dtype.kind() {
        Kind::Bool => "generic",
        Kind::Unsigned => "unsignedinteger",
        Kind::Signed => "signedinteger",
        Kind::Float => "floating",
        Kind::Complex => "complexfloating",
    }
}

/// True when a family is another one, or belongs to it.
fn belongs(name: &str, to: &str) -> bool {
    let above = |name: &str| FAMILIES.iter().find(|(own, _)| *own == name).map(|(_, above)| *above);
    name == to || above(name).is_some_and(|above| belongs(above, to))
}

impl NumberClass {
    fn holds(&self, dtype: DType) -> bool {
        match self.dtype {
            Some(own) => own == dtype,
            None => belongs(family(dtype), self.name),
        }
    }
}

impl ClassObject for NumberClass {
    fn full_name(&self) -> String {
        format!("numpy.{}", self.name)
    }
    fn make(self: Rc<Self>, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let Some(dtype) = self.dtype else { fault!(TypeError, "cannot create '{}' instances", self.full_name()) };
        let number = match args.positional.first().cloned().unwrap_or(Value::Int(0)) {
            text @ Value::Str(_) => machine.call(&Value::Class(Class::Float), CallArgs::positional(vec![text]))?,
            other => other,
        };
        if let (Value::Int(number), Some(limits)) = (&number, dtype.int_limits())
            && !(limits.min..=limits.max).contains(&i128::from(*number))
        {
            fault!(OverflowError, "Python integer {number} out of bounds for {}", dtype.name());
        }
        from_data(machine, &number, Some(Value::DType(dtype)), true)
    }
    fn has(&self, value: &Value) -> bool {
        scalar_dtype(value).is_some_and(|dtype| self.holds(dtype))
    }
    fn has_child(&self, class: &Value) -> bool {
        class.downcast::<NumberClass>().is_some_and(|other| match other.dtype {
            Some(dtype) => self.holds(dtype),
            None => self.dtype.is_none() && belongs(other.name, self.name),
        })
    }
}

/// A numpy dtype as a value.
pub fn dtype_object(dtype: DType) -> Value {
    Value::object(DTypeObject(dtype))
}

/// `numpy.float32` and the like: the class of numbers of a dtype.
pub fn scalar_class(dtype: DType) -> Value {
    Value::object(NumberClass { name: dtype.name(), dtype: Some(dtype) })
}

/// The classes by their names.
pub fn classes() -> impl Iterator<Item = (&'static str, Value)> {
    let named = LETTERS.iter().map(|(dtype, ..)| (dtype.name(), scalar_class(*dtype)));
    // Some of the other names are Python's own, and no names of the module.
    let others = NAMES.iter().filter(|(name, _)| !matches!(*name, "float" | "int" | "complex"));
    let families = FAMILIES.iter().map(|(name, _)| (*name, Value::object(NumberClass { name, dtype: None })));
    named.chain(others.map(|(name, dtype)| (*name, scalar_class(*dtype)))).chain(families)
}

/// The dtype a name stands for: `float32`, `f4`, `<f4`, `d`.
fn named(name: &str) -> Option<DType> {
    let plain = name.trim_start_matches(['<', '=', '|']);
    let by_letter = |(_, letter, text): &&(DType, &str, &str)| plain == *letter || text.get(1..) == Some(plain);
    let other = || NAMES.iter().find(|(own, _)| *own == name).map(|(_, dtype)| *dtype);
    LETTERS.iter().find(by_letter).map(|(dtype, ..)| *dtype).or_else(other).or_else(|| DType::from_name(name))
}

/// Fails with a `TypeError` for a dtype of PyTorch's, which numpy does not know.
pub fn refuse_dtype(value: &Value) -> Outcome<()> {
    match value {
        Value::DType(dtype) => fault!(TypeError, "Cannot interpret 'torch.{}' as a data type", dtype.name()),
        _ => Ok(()),
    }
}

/// The dtype a `dtype=` argument names.
pub fn dtype_of(value: &Value) -> Outcome<Option<DType>> {
    Ok(match value {
        Value::None => None,
        Value::Str(name) => match named(name) {
            Some(dtype) => Some(dtype),
            None => fault!(TypeError, "data type '{name}' not understood"),
        },
        Value::Object(o) => {
            let own = value.downcast::<DTypeObject>().map(|dtype| dtype.0);
            match own.or_else(|| value.downcast::<NumberClass>().and_then(|class| class.dtype)) {
                Some(dtype) => Some(dtype),
                None if o.as_array().is_some_and(|array| array.ndim() > 0) => {
                    fault!(TypeError, "Cannot construct a dtype from an array")
                }
                None => fault!(TypeError, "Cannot interpret '{}' as a data type", o.repr()),
            }
        }
        other => match ops::to_dtype(other) {
            Some(dtype) => Some(dtype),
            None => fault!(TypeError, "Cannot interpret '{}' as a data type", other.type_name()),
        },
    })
}

/// `numpy.issubdtype(a, b)`: whether the first is the second, or one of its family.
pub fn is_sub_dtype(a: &Value, b: &Value) -> Outcome<bool> {
    let class = |value: &Value| match value.downcast::<NumberClass>() {
        Some(_) => Ok(value.clone()),
        None => dtype_of(value).map(|dtype| scalar_class(dtype.unwrap_or(DType::F64))),
    };
    let (own, other) = (class(a)?, class(b)?);
    Ok(other.downcast::<NumberClass>().is_some_and(|other| other.has_child(&own)))
}
