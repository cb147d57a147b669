//! Values out of Python's pickle format: tensors, plain containers, and objects of classes by their names.

use super::objects;
use super::place;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::{Dims, Layout};
use crate::tensor::{Form, Grad, Storage, Strided, Tensor};
use crate::value::{Dict, Key, Machine, Outcome, Set, Value};
use anyhow::Result;
use num_bigint::BigInt;
use num_complex::Complex64;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What lies on the stack of a pickle.
#[derive(Clone)]
enum Item {
    Mark,
    Name(String),
    Storage(Storage, DType),
    /// A tuple that holds such things.
    Tuple(Vec<Item>),
    Value(Value),
}

/// How a pickle is read.
pub struct Reading<'a> {
    /// The evaluator, which knows classes.
    pub machine: Option<&'a mut dyn Machine>,
    /// Gives the bytes of a numbered storage.
    pub storage: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// `map_location`
    pub to: &'a Value,
    /// True where no classes or functions are named but those that are known to be harmless.
    pub weights_only: bool,
}

/// Names that the reader knows what to do with.
const KNOWN: &[&str] = &[
    "__builtin__.complex",
    "__builtin__.set",
    "_codecs.encode",
    "builtins.complex",
    "builtins.set",
    "collections.OrderedDict",
    "torch.Size",
    "torch._utils._rebuild_meta_tensor_no_storage",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch.device",
];

/// Reads a pickle. The error is what is not understood.
pub fn read<'a>(text: &'a [u8], how: Reading<'a>) -> Outcome {
    let mut reader = Reader { text, stack: vec![], memo: HashMap::new(), made: HashMap::new(), how };
    match reader.run()? {
        Some(value) => Ok(value),
        None => fault!(RuntimeError, "Weights only load failed: the file holds what is neither a tensor nor a plain container"),
    }
}

struct Reader<'a> {
    text: &'a [u8],
    stack: Vec<Item>,
    memo: HashMap<usize, Item>,
    made: HashMap<String, Storage>,
    how: Reading<'a>,
}

/// The value, where there is no error; the error leaves the step.
macro_rules! settled {
    ($outcome:expr) => {
        match $outcome {
            Ok(value) => value,
            Err(error) => return Some(Err(error.into())),
        }
    };
}

impl Reader<'_> {
    fn take(&mut self, n: usize) -> Option<&[u8]> {
        let (head, rest) = self.text.split_at_checked(n)?;
        self.text = rest;
        Some(head)
    }

    fn number(&mut self, n: usize) -> Option<usize> {
        Some(self.take(n)?.iter().rev().fold(0, |sum, b| sum << 8 | *b as usize))
    }

    fn line(&mut self) -> Option<String> {
        let end = self.text.iter().position(|b| *b == b'\n')?;
        let line = String::from_utf8(self.take(end)?.to_vec()).ok();
        self.take(1)?;
        line
    }

    fn push(&mut self, value: impl Into<Value>) -> Option<()> {
        self.stack.push(Item::Value(value.into()));
        Some(())
    }

    fn pop(&mut self) -> Option<Value> {
        match self.stack.pop()? {
            Item::Value(value) => Some(value),
            _ => None,
        }
    }

    fn marked(&mut self) -> Option<Vec<Item>> {
        let mark = self.stack.iter().rposition(|i| matches!(i, Item::Mark))?;
        let items = self.stack.split_off(mark + 1);
        self.stack.pop();
        Some(items)
    }

    fn values(items: Vec<Item>) -> Option<Vec<Value>> {
        items.into_iter().map(|i| if let Item::Value(v) = i { Some(v) } else { None }).collect()
    }

    fn run(&mut self) -> Outcome<Option<Value>> {
        loop {
            let Some(code) = self.number(1) else { return Ok(None) };
            if code == b'.' as usize {
                return Ok(self.pop());
            }
            match self.step(code as u8) {
                Some(Ok(())) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Ok(None),
            }
        }
    }

    fn step(&mut self, code: u8) -> Option<Result<()>> {
        match code {
            0x80 => drop(self.take(1)?),
            b'}' => self.push(Value::dict(Dict::default()))?,
            b']' => self.push(Value::list(vec![]))?,
            b')' => self.push(Value::tuple(vec![]))?,
            b'(' => self.stack.push(Item::Mark),
            b'N' => self.push(Value::None)?,
            0x88 | 0x89 => self.push(Value::Bool(code == 0x88))?,
            b'K' => {
                let n = self.number(1)?;
                self.push(Value::Int(n as i64))?;
            }
            b'M' => {
                let n = self.number(2)?;
                self.push(Value::Int(n as i64))?;
            }
            b'J' => {
                let n = self.number(4)? as u32 as i32;
                self.push(Value::Int(n as i64))?;
            }
            0x8a => {
                let size = self.number(1)?;
                let bytes = self.take(size)?;
                let number = BigInt::from_signed_bytes_le(bytes);
                self.push(match i64::try_from(&number) {
                    Ok(small) => Value::Int(small),
                    Err(_) => Value::BigInt(Rc::new(number)),
                })?;
            }
            b'G' => {
                let bytes: [u8; 8] = self.take(8)?.try_into().ok()?;
                self.push(Value::Float(f64::from_be_bytes(bytes)))?;
            }
            b'X' => {
                let size = self.number(4)?;
                let text = String::from_utf8(self.take(size)?.to_vec()).ok()?;
                self.push(Value::from(text.as_str()))?;
            }
            b'q' | b'r' => {
                let place = self.number(if code == b'q' { 1 } else { 4 })?;
                self.memo.insert(place, self.stack.last()?.clone());
            }
            b'h' | b'j' => {
                let place = self.number(if code == b'h' { 1 } else { 4 })?;
                self.stack.push(self.memo.get(&place)?.clone());
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                let item = settled!(self.named(&module, &name));
                self.stack.push(item);
            }
            b't' => {
                let items = self.marked()?;
                self.stack.push(tuple(items));
            }
            0x85..=0x87 => {
                let at = self.stack.len().checked_sub((code - 0x84) as usize)?;
                let items = self.stack.split_off(at);
                self.stack.push(tuple(items));
            }
            b'Q' => return self.take_storage(),
            b'a' | b'e' => {
                let items = if code == b'a' { vec![self.stack.pop()?] } else { self.marked()? };
                let items = Self::values(items)?;
                match self.stack.last()?.clone() {
                    Item::Value(Value::List(list)) => list.borrow_mut().extend(items),
                    Item::Value(object) => {
                        let machine = self.how.machine.as_deref_mut()?;
                        settled!(machine.eval_code("x.extend(items)", &[("x", object), ("items", Value::list(items))]));
                    }
                    _ => return None,
                }
            }
            b's' | b'u' => {
                let items = if code == b's' { self.stack.split_off(self.stack.len().checked_sub(2)?) } else { self.marked()? };
                let values = Self::values(items)?;
                let dict = match self.stack.last()? {
                    Item::Value(Value::Dict(entries)) => entries.clone(),
                    Item::Value(Value::Object(object)) => object.entries()?,
                    _ => return None,
                };
                for pair in values.chunks_exact(2) {
                    let key = match &mut self.how.machine {
                        Some(machine) => settled!(Key::of(&mut **machine, pair[0].clone())),
                        None => Key::new(pair[0].clone()).ok()?,
                    };
                    dict.borrow_mut().insert(key, pair[1].clone());
                }
            }
            b'R' => return self.reduce(),
            0x81 => {
                let (given, class) = (self.pop()?, self.pop()?);
                let machine = self.how.machine.as_deref_mut()?;
                let made = settled!(objects::new(machine, &class, &given));
                self.push(made)?;
            }
            b'b' => return self.build(),
            _ => return None,
        }
        Some(Ok(()))
    }

    /// What a name stands for.
    fn named(&mut self, module: &str, name: &str) -> Result<Item> {
        let full = format!("{module}.{name}");
        match DType::from_name(name) {
            Some(dtype) if module == "torch" => return Ok(Item::Value(Value::DType(dtype))),
            _ if KNOWN.binary_search(&full.as_str()).is_ok() || module.starts_with("torch") && name.ends_with("Storage") => {
                return Ok(Item::Name(full));
            }
            _ => {}
        }
        let Some(machine) = self.how.machine.as_deref_mut() else { fault!(RuntimeError, "{full} is not known here") };
        if !self.how.weights_only {
            return Ok(Item::Value(objects::find(machine, module, name)?));
        }
        objects::find_harmless(machine, module, name).map(Item::Value)
    }

    fn take_storage(&mut self) -> Option<Result<()>> {
        let Some(Item::Tuple(items)) = self.stack.pop() else { return None };
        let [_, Item::Name(class), Item::Value(Value::Str(number)), ..] = &items[..] else { return None };
        let wanted = class.strip_prefix("torch.")?.replace("Storage", "Tensor");
        let dtype = match wanted.as_str() {
            "storage.UntypedTensor" => DType::U8,
            _ => DType::ALL.iter().copied().find(|d| d.info().tensor == wanted)?,
        };
        let number = number.to_string();
        if !self.made.contains_key(&number) {
            let bytes = (self.how.storage)(&number)?;
            let storage = settled!(Storage::new(DeviceId::Cpu, bytes.len(), false));
            settled!(storage.write(|to| to.copy_from_slice(&bytes)));
            let storage = match self.how.machine.as_deref_mut() {
                Some(machine) => settled!(place::placed(machine, storage, self.how.to)),
                None => storage,
            };
            self.made.insert(number.clone(), storage);
        }
        self.stack.push(Item::Storage(self.made.get(&number)?.clone(), dtype));
        Some(Ok(()))
    }

    /// Calls what is named with what was made for it.
    fn reduce(&mut self) -> Option<Result<()>> {
        let given = match self.stack.pop()? {
            Item::Tuple(items) => items,
            Item::Value(Value::Tuple(items)) => items.iter().cloned().map(Item::Value).collect(),
            _ => return None,
        };
        let made = match self.stack.pop()? {
            Item::Name(name) if name.contains("_rebuild_tensor_v") => settled!(rebuilt(&name, &given)?),
            Item::Name(name) => {
                let given = Self::values(given)?;
                settled!(self.known(&name, &given)?)
            }
            Item::Value(by) => {
                let given = Value::tuple(Self::values(given)?);
                let machine = self.how.machine.as_deref_mut()?;
                settled!(objects::call(machine, &by, &given))
            }
            _ => return None,
        };
        self.push(made)?;
        Some(Ok(()))
    }

    fn known(&mut self, name: &str, given: &[Value]) -> Option<Result<Value>> {
        Some(Ok(match (name, given) {
            ("collections.OrderedDict", []) => match self.how.machine.as_deref_mut() {
                Some(machine) => settled!(machine.eval_code("from collections import OrderedDict\nOrderedDict()", &[])),
                None => Value::dict(Dict::default()),
            },
            ("torch.Size", [sizes]) => Value::size(&ints(sizes)?),
            ("torch._utils._rebuild_parameter", [Value::Tensor(data), Value::Bool(requires_grad), ..]) => {
                data.set_grad(Grad { requires_grad: *requires_grad, parameter: true, ..Grad::default() });
                Value::Tensor(data.clone())
            }
            ("torch._utils._rebuild_meta_tensor_no_storage", [Value::DType(dtype), sizes, strides, requires_grad]) => {
                let layout = Layout::new(&ints(sizes)?, &ints(strides)?, 0);
                let room = layout.extent().map_or(0, |(_, last)| (last + 1) as usize * dtype.size());
                let storage = settled!(Storage::new(DeviceId::Meta, room, false));
                let made = settled!(Tensor::new(storage, *dtype, layout));
                made.set_grad(Grad { requires_grad: matches!(requires_grad, Value::Bool(true)), ..Grad::default() });
                Value::Tensor(made)
            }
            ("torch._utils._rebuild_sparse_tensor", [layout, parts]) => {
                const SPARSE: &str = "\
if layout == torch.sparse_coo:
    x = torch.sparse_coo_tensor(parts[0], parts[1], parts[2], is_coalesced=parts[3])
else:
    x = torch.sparse_compressed_tensor(*parts, layout=layout)
x";
                let machine = self.how.machine.as_deref_mut()?;
                settled!(machine.eval_code(SPARSE, &[("layout", layout.clone()), ("parts", parts.clone())]))
            }
            ("torch.device", [Value::Str(text), ..]) => Value::Device(Rc::new(settled!(crate::ops::bind::parse_device(text)))),
            ("__builtin__.complex" | "builtins.complex", [Value::Float(re), Value::Float(im)]) => {
                Value::Complex(Rc::new(Complex64::new(*re, *im)))
            }
            ("__builtin__.set" | "builtins.set", [items]) => {
                let mut set = Set::new();
                for item in items.items()? {
                    set.insert(Key::new(item).ok()?);
                }
                Value::Set(Rc::new(RefCell::new(set)))
            }
            ("_codecs.encode", [Value::Str(text), _]) => {
                Value::Bytes(Rc::new(text.chars().map(|letter| u8::try_from(letter).ok()).collect::<Option<_>>()?))
            }
            _ => return None,
        }))
    }

    /// Tells an object its state. What takes its place then does so wherever it was.
    fn build(&mut self) -> Option<Result<()>> {
        let state = self.pop()?;
        let Item::Value(object) = self.stack.last()?.clone() else { return None };
        // A dict of a layer's state knows the versions of the layers, too.
        if matches!(&object, Value::Object(object) if object.entries().is_some()) {
            return Some(Ok(()));
        }
        let machine = self.how.machine.as_deref_mut()?;
        let told = settled!(objects::tell(machine, &object, &state));
        for known in self.memo.values_mut().chain(self.stack.last_mut()) {
            if matches!(known, Item::Value(value) if value.is(&object)) {
                *known = Item::Value(told.clone());
            }
        }
        Some(Ok(()))
    }
}

/// A tuple on the stack.
fn tuple(items: Vec<Item>) -> Item {
    match items.iter().all(|item| matches!(item, Item::Value(_))) {
        true => Item::Value(Value::tuple(Reader::values(items).unwrap_or_default())),
        false => Item::Tuple(items),
    }
}

/// A tensor over a storage.
fn rebuilt(name: &str, given: &[Item]) -> Option<Result<Value>> {
    let [
        Item::Storage(storage, dtype),
        Item::Value(offset),
        Item::Value(sizes),
        Item::Value(strides),
        Item::Value(grad),
        rest @ ..,
    ] = given
    else {
        return None;
    };
    let dtype = match (name.ends_with("v3"), rest) {
        (false, _) => dtype,
        (true, [_, Item::Value(Value::DType(dtype)), ..]) => dtype,
        _ => return None,
    };
    let offset = ints(&Value::tuple(vec![offset.clone()]))?[0];
    let mut tensor = settled!(Tensor::new(storage.clone(), *dtype, Layout::new(&ints(sizes)?, &ints(strides)?, offset)));
    let is_marked = |mark: &str| match rest.last() {
        Some(Item::Value(Value::Dict(marks))) => marks.borrow().iter().any(|(name, value)| {
            matches!(name.value(), Value::Str(name) if name.as_str() == mark) && matches!(value, Value::Bool(true))
        }),
        _ => false,
    };
    let (conj, neg) = (is_marked("conj"), is_marked("neg"));
    if conj || neg {
        let strided = settled!(tensor.strided());
        tensor = Tensor::from_form(*dtype, Form::Strided(Strided { conj, neg, ..strided }));
    }
    if matches!(grad, Value::Bool(true)) {
        tensor.set_grad(Grad { requires_grad: true, ..Grad::default() });
    }
    Some(Ok(Value::Tensor(tensor)))
}

fn ints(value: &Value) -> Option<Dims> {
    value.sequence()?.iter().map(|v| if let Value::Int(n) = v { Some(*n) } else { None }).collect()
}
