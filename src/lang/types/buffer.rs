//! Memory that can be written: `bytearray`, and `array.array` of numbers. A tensor made with `torch.frombuffer` shares it.

use super::call::{Call, Table, Takes, row};
use super::{bytes, convert, iter, repr, sequence};
use crate::dtype::{DType, Number};
use crate::ops::{create::data::from_data, exec, index};
use crate::tensor::Tensor;
use crate::value::{Class, Machine, Object, Outcome, Value};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// The type codes of `array.array`, each with the dtype of its numbers.
#[rustfmt::skip] // in few lines
const CODES: &[(&str, DType)] = &[
    ("b", DType::I8), ("B", DType::U8), ("h", DType::I16), ("H", DType::U16), ("i", DType::I32), ("I", DType::U32),
    ("l", DType::I64), ("L", DType::U64), ("q", DType::I64), ("Q", DType::U64), ("f", DType::F32), ("d", DType::F64),
];

struct Buffer {
    /// The numbers, in a row; anew where their count changes.
    cells: RefCell<Tensor>,
    /// The code of an array's numbers; none for a `bytearray`.
    code: Option<&'static str>,
}

/// The methods of `bytearray` beyond those of bytes.
pub static BYTE_METHODS: Table = Table {
    owner: "bytearray",
    rows: Table::sorted(&[
        row("append", Takes::One, append),
        row("clear", Takes::Nothing, |c| of(c.this)?.replace(vec![]).map(|()| Value::None)),
        row("copy", Takes::Nothing, |c| bytearray(&of(c.this)?.bytes()?)),
        row("extend", Takes::One, extend),
        row("insert", Takes::Between(2, 2), |c| {
            let mut items = of(c.this)?.items()?;
            let place = convert::to_i64(c.arg(0))?;
            let place = if place < 0 { place + items.len() as i64 } else { place };
            items.insert((place.max(0) as usize).min(items.len()), c.arg(1).clone());
            of(c.this)?.replace(items).map(|()| Value::None)
        }),
        row("pop", Takes::Between(0, 1), |c| {
            let mut items = of(c.this)?.items()?;
            if items.is_empty() {
                fault!(IndexError, "pop from empty bytearray");
            }
            let place = c.get(0).map_or(Ok(-1), convert::to_i64)?;
            let place = if place < 0 { place + items.len() as i64 } else { place };
            let Some(place) = usize::try_from(place).ok().filter(|place| *place < items.len()) else {
                fault!(IndexError, "pop index out of range");
            };
            let item = items.remove(place);
            of(c.this)?.replace(items)?;
            Ok(item)
        }),
        row("remove", Takes::One, |c| {
            let mut items = of(c.this)?.bytes()?;
            let wanted = convert::to_i64(c.arg(0))?;
            let Some(place) = items.iter().position(|byte| i64::from(*byte) == wanted) else {
                fault!(ValueError, "value not found in bytearray");
            };
            items.remove(place);
            of(c.this)?.replace(items.into_iter().map(|byte| Value::Int(byte.into())).collect())?;
            Ok(Value::None)
        }),
        row("reverse", Takes::Nothing, |c| {
            let items = of(c.this)?.items()?.into_iter().rev().collect();
            of(c.this)?.replace(items).map(|()| Value::None)
        }),
    ]),
};

/// The methods of `array.array`.
pub static ARRAY_METHODS: Table = Table {
    owner: "array.array",
    rows: Table::sorted(&[
        row("append", Takes::One, append),
        row("extend", Takes::One, extend),
        row("tobytes", Takes::Nothing, |c| Ok(bytes::value(of(c.this)?.bytes()?))),
        row("tolist", Takes::Nothing, |c| Ok(Value::list(of(c.this)?.items()?))),
    ]),
};

/// The functions of the module `array`.
pub static MODULE: Table = Table { owner: "array", rows: Table::sorted(&[row("array", Takes::Between(1, 2), new_array)]) };

fn of(value: &Value) -> Outcome<&Buffer> {
    match value {
        Value::Object(o) if let Some(buffer) = o.as_any().downcast_ref::<Buffer>() => Ok(buffer),
        other => fault!(TypeError, "a bytes-like object is required, not '{}'", other.type_name()),
    }
}

/// `bytearray()`, `bytearray(5)`, `bytearray([1, 2])`, `bytearray(b'ab')`, `bytearray('é', 'utf-8')`.
pub fn construct(machine: &mut dyn Machine, args: &[Option<Value>; 3]) -> Outcome {
    let Value::Bytes(bytes) = bytes::construct(machine, "bytearray", args)? else { return Ok(Value::None) };
    bytearray(&bytes)
}

/// A `bytearray` of these bytes.
pub fn bytearray(bytes: &[u8]) -> Outcome {
    let cells = exec::from_bytes(bytes, &[bytes.len() as i64], DType::U8)?;
    Ok(Value::object(Buffer { cells: RefCell::new(cells), code: None }))
}

/// The bytes of a `bytearray`; none for anything else.
pub fn read(value: &Value) -> Option<Vec<u8>> {
    value.downcast::<Buffer>().filter(|buffer| buffer.code.is_none())?.bytes().ok()
}

/// `array.array(typecode, initializer)`.
fn new_array(c: &mut Call<'_>) -> Outcome {
    let code = convert::to_str(c.arg(0), "array", "argument 1")?;
    let Some((code, dtype)) = CODES.iter().find(|(known, _)| *known == code.as_str()) else {
        fault!(ValueError, "bad typecode (must be b, B, u, h, H, i, I, l, L, q, Q, f or d)");
    };
    let items = match c.get(1).cloned() {
        Some(Value::Bytes(bytes)) if bytes.len() % dtype.size() != 0 => {
            fault!(ValueError, "bytes length not a multiple of item size")
        }
        Some(Value::Bytes(bytes)) => {
            let cells = exec::from_bytes(&bytes, &[(bytes.len() / dtype.size()) as i64], *dtype)?;
            return Ok(Value::object(Buffer { cells: RefCell::new(cells), code: Some(code) }));
        }
        Some(items) => iter::collect(c.machine, &items)?,
        None => vec![],
    };
    let made = Buffer { cells: RefCell::new(numbers(&[], *dtype)?), code: Some(code) };
    made.replace(items)?;
    Ok(Value::object(made))
}

/// Numbers in a row.
fn numbers(items: &[Value], dtype: DType) -> Outcome<Tensor> {
    Ok(from_data(&Value::list(items.to_vec()), Some(dtype), crate::device::DeviceId::Cpu)?)
}

fn append(c: &mut Call<'_>) -> Outcome {
    let (buffer, item) = (of(c.this)?, c.arg(0).clone());
    let items = buffer.items()?.into_iter().chain([item]).collect();
    buffer.replace(items)?;
    Ok(Value::None)
}

fn extend(c: &mut Call<'_>) -> Outcome {
    let more = c.arg(0).clone();
    let more = iter::collect(c.machine, &more)?;
    let buffer = of(c.this)?;
    let items = buffer.items()?.into_iter().chain(more).collect();
    buffer.replace(items)?;
    Ok(Value::None)
}

impl Buffer {
    fn bytes(&self) -> Outcome<Vec<u8>> {
        Ok(exec::bytes(&self.cells.borrow())?)
    }

    fn items(&self) -> Outcome<Vec<Value>> {
        let (bytes, dtype) = (self.bytes()?, self.cells.borrow().dtype());
        Ok(bytes.chunks(dtype.size()).map(|cell| Value::from(Number::read(dtype, cell))).collect())
    }

    /// Fails where a number is not one that the cells can hold.
    fn check(&self, item: &Value) -> Outcome<()> {
        let dtype = self.cells.borrow().dtype();
        let Some(limits) = dtype.int_limits() else {
            return match item.as_number() {
                Some(_) => Ok(()),
                None => fault!(TypeError, "must be real number, not {}", item.type_name()),
            };
        };
        let fits = i128::from(convert::to_i64(item)?);
        match self.code {
            _ if (limits.min..=limits.max).contains(&fits) => Ok(()),
            None => fault!(ValueError, "byte must be in range(0, 256)"),
            Some(_) if fits < limits.min => fault!(OverflowError, "{} is less than minimum", named(dtype)),
            Some(_) => fault!(OverflowError, "{} is greater than maximum", named(dtype)),
        }
    }

    /// Sets or deletes items as a list does, and takes what the list holds then.
    fn set_items(&self, machine: &mut dyn Machine, key: &Value, value: Option<Value>) -> Outcome<()> {
        let list = Value::list(self.items()?);
        match value {
            Some(value) => machine.set_item(&list, key, value)?,
            None => machine.del_item(&list, key)?,
        }
        self.replace(list.items().unwrap_or_default())
    }

    fn replace(&self, items: Vec<Value>) -> Outcome<()> {
        items.iter().try_for_each(|item| self.check(item))?;
        let dtype = self.cells.borrow().dtype();
        self.cells.replace(numbers(&items, dtype)?);
        Ok(())
    }
}

/// How CPython calls the integers of an array.
fn named(dtype: DType) -> &'static str {
    match dtype {
        DType::I8 => "signed char",
        DType::U8 => "unsigned byte integer",
        DType::I16 => "signed short integer",
        DType::U16 => "unsigned short",
        DType::U32 => "unsigned int",
        _ => "signed integer",
    }
}

impl Object for Buffer {
    fn type_name(&self) -> String {
        if self.code.is_some() { "array.array" } else { "bytearray" }.to_string()
    }
    fn class(&self) -> Option<Class> {
        Some(if self.code.is_some() { Class::Array } else { Class::ByteArray })
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        match self.code {
            None => format!("bytearray({})", repr::repr(&bytes::value(self.bytes().unwrap_or_default())).unwrap_or_default()),
            Some(code) => match self.items().unwrap_or_default() {
                items if items.is_empty() => format!("array('{code}')"),
                items => format!("array('{code}', {})", repr::repr(&Value::list(items)).unwrap_or_default()),
            },
        }
    }
    fn buffer(&self) -> Option<Tensor> {
        Some(self.cells.borrow().clone())
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match (name, self.code) {
            ("typecode", Some(code)) => Some(Value::from(code)),
            ("itemsize", Some(_)) => Some(Value::from(self.cells.borrow().dtype().size())),
            _ => None,
        })
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        match other {
            Value::Bytes(bytes) if self.code.is_none() => Some(**bytes == self.bytes().ok()?),
            Value::Object(_) => {
                let other = of(other).ok()?;
                let same_kind =
                    self.cells.borrow().dtype() == other.cells.borrow().dtype() && self.code.is_some() == other.code.is_some();
                Some(same_kind && self.bytes().ok()? == other.bytes().ok()?)
            }
            _ => None,
        }
    }
    fn is_hashable(&self) -> bool {
        false
    }
    fn length(&self) -> Option<usize> {
        self.cells.borrow().sizes().first().map(|n| *n as usize)
    }
    fn iter(self: Rc<Self>, machine: &mut dyn Machine) -> Option<Outcome> {
        Some(self.items().and_then(|items| machine.iter(&Value::tuple(items))))
    }
    fn index(self: Rc<Self>, _: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        let words =
            sequence::Words { subject: "bytearray indices must be integers or slices", outside: "bytearray index out of range" };
        Some(self.items().and_then(|items| {
            Ok(match sequence::place(key, items.len(), &words)? {
                sequence::Place::At(place) => items[place].clone(),
                sequence::Place::Slice(slice) => {
                    let part: Vec<Value> = slice.places().map(|i| items[i].clone()).collect();
                    let cells = RefCell::new(numbers(&part, self.cells.borrow().dtype())?);
                    Value::object(Buffer { cells, code: self.code })
                }
            })
        }))
    }
    fn contains(&self, _: &mut dyn Machine, item: &Value) -> Option<Outcome<bool>> {
        self.code.is_none().then(|| bytes::contains(&self.bytes()?, item))
    }
    fn operate(self: Rc<Self>, _: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        if self.code.is_some() {
            return None;
        }
        match (op, bytes::read(other), other) {
            ("+", Some(more), _) => Some(self.bytes().and_then(|own| match reflected {
                true => bytes::like(other, [&more[..], &own[..]].concat()),
                false => bytearray(&[&own[..], &more[..]].concat()),
            })),
            ("*", None, Value::Int(count)) => {
                let count = (*count).max(0) as usize;
                Some(self.bytes().and_then(|own| bytearray(&sequence::repeat(&own, count)?)))
            }
            _ => None,
        }
    }
    fn operate_in_place(&self, _: &'static str, result: &Value) -> Option<Outcome<()>> {
        let bytes = read(result)?;
        Some(self.replace(bytes.into_iter().map(|byte| Value::Int(byte.into())).collect()))
    }
    fn set_index(&self, machine: &mut dyn Machine, key: &Value, value: Option<Value>) -> Option<Outcome<()>> {
        if !matches!(key, Value::Int(_)) || value.is_none() {
            return Some(self.set_items(machine, key, value));
        }
        let value = value?;
        Some(self.check(&value).and_then(|()| Ok(index::set(&self.cells.borrow(), key, &value)?)))
    }
}
