//! Which value is which: `is` and `id`.

use super::{Class, Object, Value};
use std::rc::Rc;

impl Value {
    /// Python's `is`.
    pub fn is(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            // A class that is made anew each time it is asked for is one class.
            (Value::Object(a), Value::Object(_)) if a.class() == Some(Class::Type) && a.equals(other) == Some(true) => true,
            // So is a function of a module, unless it is bound to something.
            (Value::Object(a), Value::Object(_)) if a.is_callable() && a.equals(other) == Some(true) && is_free(a) => true,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other) && self.identity() == other.identity(),
        }
    }

    /// Python's `id`. Equal for equal small values; one number per object otherwise. A storage has the number of its bytes,
    /// so that `id(a.storage()) == id(b.storage())` says whether two tensors share.
    pub fn identity(&self) -> u64 {
        fn address<T: ?Sized>(rc: &Rc<T>) -> u64 {
            Rc::as_ptr(rc).cast::<u8>() as u64
        }
        match self {
            Value::None => 1,
            Value::Ellipsis => 2,
            Value::Bool(b) => 3 + *b as u64,
            Value::Int(i) => (*i as u64).wrapping_mul(32).wrapping_add(1 << 40),
            Value::Float(f) => f.to_bits(),
            Value::Str(s) if s.len() < 32 => {
                s.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3))
            }
            Value::BigInt(v) => address(v),
            Value::Complex(v) => address(v),
            Value::Str(v) => address(v),
            Value::Bytes(v) => address(v),
            Value::Tuple(v) if v.is_empty() => 5,
            Value::Tuple(v) => address(v),
            Value::List(v) => address(v),
            Value::Dict(v) => address(v),
            Value::Set(v) => address(v),
            Value::Range(v) => address(v),
            Value::Slice(v) => address(v),
            Value::Tensor(t) => (1 << 44) + t.serial() * 16,
            Value::Size(v) => address(v),
            Value::DType(d) => (1 << 41) + *d as u64 * 16,
            Value::Device(d) => (1 << 42) + d.index.map_or(0, |i| 1 + i as u64) * 64 + d.id.kind().len() as u64,
            Value::Storage(s) => (1 << 43) + s.storage.serial() * 32 + s.dtype.is_some() as u64,
            Value::Named(v) => address(v),
            Value::Class(c) => (1 << 45) + Class::ALL.iter().position(|k| k == c).unwrap_or(0) as u64 * 16 + class_number(*c),
            Value::Exception(v) => address(v),
            Value::Module(v) => address(v),
            Value::Object(v) => address(v),
        }
    }
}

fn class_number(class: Class) -> u64 {
    match class {
        Class::TensorOf(dtype) => (1 << 20) + dtype as u64,
        Class::Exception(e) => (1 << 21) + e.number(),
        Class::StorageOf(dtype) => (1 << 22) + dtype as u64,
        _ => 0,
    }
}

/// True for a built-in function that belongs to no object.
fn is_free(function: &Rc<dyn Object>) -> bool {
    let built_in = matches!(function.type_name().as_str(), "builtin_function_or_method" | "method_descriptor" | "function");
    built_in && matches!(function.clone().attr("__self__"), Ok(None | Some(Value::None)))
}
