//! What numpy tells of an array's memory: flags, addresses, and whether two arrays share some of it.

use super::array::{unwrap, wrap_array};
use super::dtypes::letters;
use crate::lang::types::call::Call;
use crate::layout::Layout;
use crate::tensor::Tensor;
use crate::value::{Key, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// What `a.flags` gives, in numpy's order.
struct Flags([(&'static str, &'static str, bool); 6]);

/// The attributes of an array that are about its memory; none for another name. An array that `owns` its memory is no view.
pub fn attr(array: &Tensor, owns: bool, name: &str) -> Outcome<Option<Value>> {
    Ok(Some(match name {
        "__array_interface__" => interface(array)?,
        // What is a view has an array of all the memory as its base.
        "base" if owns => Value::None,
        "base" => {
            let count = (array.storage()?.nbytes() / array.dtype().size()) as i64;
            wrap_array(Value::Tensor(array.alias(Layout::contiguous(&[count]))?))
        }
        "ctypes" => Value::object(Address(address(array)?)),
        "flags" => Value::object(Flags::of(array, owns)),
        _ => return Ok(None),
    }))
}

impl Flags {
    fn of(array: &Tensor, owns: bool) -> Flags {
        let layout = array.layout();
        Flags([
            ("C_CONTIGUOUS", "C", layout.is_contiguous()),
            ("F_CONTIGUOUS", "F", layout.reversed().is_contiguous()),
            ("OWNDATA", "O", owns),
            ("WRITEABLE", "W", true),
            ("ALIGNED", "A", true),
            ("WRITEBACKIFCOPY", "X", false),
        ])
    }

    fn get(&self, name: &str) -> Option<Value> {
        self.0.iter().find(|(long, short, _)| *long == name || *short == name).map(|(.., set)| Value::Bool(*set))
    }
}

impl Object for Flags {
    fn type_name(&self) -> String {
        "numpy.flagsobj".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let shown = |set: bool| if set { "True" } else { "False" };
        self.0.iter().map(|(name, _, set)| format!("  {name} : {}\n", shown(*set))).collect()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        let title = if name == "contiguous" { "C_CONTIGUOUS".to_string() } else { name.to_uppercase() };
        Ok(self.get(&title).filter(|_| name.len() > 1))
    }
    fn attributes(&self) -> Vec<String> {
        self.0.iter().map(|(name, ..)| name.to_lowercase()).chain(["contiguous".to_string()]).collect()
    }
    fn index(self: Rc<Self>, _: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        let found = if let Value::Str(name) = key { self.get(name.as_str()) } else { None };
        Some(found.map_or_else(|| fault!(KeyError, "'Unknown flag'"), Ok))
    }
}

/// What `a.ctypes` gives.
struct Address(i64);

impl Object for Address {
    fn type_name(&self) -> String {
        "numpy.core._internal._ctypes".to_string()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok((name == "data").then_some(Value::Int(self.0)))
    }
    fn attributes(&self) -> Vec<String> {
        vec!["data".to_string()]
    }
}

/// Where the first element lies, in bytes.
fn address(array: &Tensor) -> Outcome<i64> {
    Ok(array.storage()?.data_ptr() as i64 + array.layout().offset * array.dtype().size() as i64)
}

/// The dict by which other libraries find an array's memory.
fn interface(array: &Tensor) -> Outcome {
    let (layout, size) = (array.layout(), array.dtype().size() as i64);
    let ints = |values: Vec<i64>| Value::tuple(values.into_iter().map(Value::Int).collect());
    let strides = match layout.is_contiguous() {
        true => Value::None,
        false => ints(layout.strides.iter().map(|stride| stride.wrapping_mul(size)).collect()),
    };
    let kind = Value::from(letters(array.dtype()).1);
    let entries = [
        ("data", Value::tuple(vec![Value::Int(address(array)?), Value::Bool(false)])),
        ("strides", strides),
        ("descr", Value::list(vec![Value::tuple(vec![Value::from(""), kind.clone()])])),
        ("typestr", kind),
        ("shape", ints(layout.sizes.to_vec())),
        ("version", Value::Int(3)),
    ];
    Ok(Value::dict(entries.into_iter().map(|(name, value)| (Key::from(name), value)).collect()))
}

/// `numpy.shares_memory(a, b)`: whether some byte belongs to both; with `exact` false, whether the stretches they lie in meet.
pub fn shares(c: &mut Call<'_>, exact: bool) -> Outcome {
    let (Value::Tensor(a), Value::Tensor(b)) = (unwrap(c.arg(0)), unwrap(c.arg(1))) else { return Ok(Value::Bool(false)) };
    if !a.storage()?.same(&b.storage()?) {
        return Ok(Value::Bool(false));
    }
    let (a, b) = (bytes_of(&a), bytes_of(&b));
    let (Some(reach), Some(other)) = (a.extent(), b.extent()) else { return Ok(Value::Bool(false)) };
    let meet = reach.0 <= other.1 && other.0 <= reach.1;
    Ok(Value::Bool(meet && (!exact || share_a_byte(&a, &b))))
}

/// The layout of an array's bytes.
fn bytes_of(array: &Tensor) -> Layout {
    let (layout, size) = (array.layout(), array.dtype().size() as i64);
    let sizes: Vec<i64> = layout.sizes.iter().copied().chain([size]).collect();
    let strides: Vec<i64> = layout.strides.iter().map(|stride| stride.wrapping_mul(size)).chain([1]).collect();
    Layout::new(&sizes, &strides, layout.offset.wrapping_mul(size))
}

fn share_a_byte(a: &Layout, b: &Layout) -> bool {
    let (few, many) = if a.numel() <= b.numel() { (a, b) } else { (b, a) };
    a.is_contiguous() && b.is_contiguous() || few.cells().any(|cell| many.reaches(cell))
}
