//! The part of Python's pickle format that tensors in lists, tuples and dicts need.

use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::{Dims, Layout};
use crate::tensor::{Grad, Storage, Tensor};
use crate::value::{Dict, Key, Outcome, Set, Value};
use anyhow::Result;
use num_bigint::BigInt;
use num_complex::Complex64;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Nested deeper than this, a value is refused.
const DEPTH: usize = 500;

/// A value as a pickle, and the storages of its tensors.
#[derive(Default)]
pub struct Writer {
    /// The pickle so far.
    pub text: Vec<u8>,
    /// Each storage once, in the order of its number in the pickle.
    pub storages: Vec<Storage>,
    /// Views get storages of their own, as where Python pickles tensors one by one.
    pub apart: bool,
    /// How the tensor lies that a storage was first written for.
    layouts: Vec<Rc<Layout>>,
}

impl Writer {
    /// One that has written nothing.
    pub fn new(apart: bool) -> Writer {
        Writer { apart, ..Writer::default() }
    }

    /// Adds a value. Fails with a `TypeError` on what is neither a tensor nor a plain container.
    pub fn put(&mut self, value: &Value, depth: usize) -> Result<()> {
        if depth > DEPTH {
            fault!(RecursionError, "maximum recursion depth exceeded while pickling an object");
        }
        match value {
            Value::None => self.text.push(b'N'),
            Value::Bool(b) => self.text.push(0x88 + !*b as u8),
            Value::Int(n) => self.int(*n),
            Value::BigInt(n) => {
                let bytes = n.to_signed_bytes_le();
                let Ok(length) = u8::try_from(bytes.len()) else {
                    fault!(NotImplementedError, "ints of more than 255 bytes are not pickled")
                };
                self.text.extend([&[0x8a, length][..], &bytes].concat());
            }
            Value::Complex(z) => {
                self.text.extend(b"c__builtin__\ncomplex\n");
                for part in [z.re, z.im] {
                    self.put(&Value::Float(part), depth + 1)?;
                }
                self.text.extend(b"\x86R");
            }
            // As text in which each letter is a byte.
            Value::Bytes(bytes) => {
                self.text.extend(b"c_codecs\nencode\n");
                self.string(&bytes.iter().map(|byte| char::from(*byte)).collect::<String>());
                self.string("latin1");
                self.text.extend(b"\x86R");
            }
            Value::Set(items) => {
                let items: Vec<Value> = items.borrow().iter().map(|key| key.value().clone()).collect();
                self.text.extend(b"c__builtin__\nset\n");
                self.many(b"](", &items, b"e", depth)?;
                self.text.extend(b"\x85R");
            }
            Value::Device(device) => {
                self.text.extend(b"ctorch\ndevice\n");
                self.string(&match device.index {
                    Some(index) => format!("{}:{index}", device.id.kind()),
                    None => device.id.kind().to_string(),
                });
                self.text.extend(b"\x85R");
            }
            Value::Float(f) => self.text.extend([&b"G"[..], &f.to_be_bytes()].concat()),
            Value::Str(s) => self.string(s),
            Value::List(items) => self.many(b"](", &items.borrow(), b"e", depth)?,
            Value::Tuple(items) => self.many(b"(", items, b"t", depth)?,
            Value::Size(sizes) => {
                self.text.extend(b"ctorch\nSize\n");
                self.ints(sizes);
                self.text.extend(b"\x85R");
            }
            Value::Dict(entries) => {
                self.text.extend(b"}(");
                for (key, value) in entries.borrow().iter() {
                    self.put(key.value(), depth + 1)?;
                    self.put(value, depth + 1)?;
                }
                self.text.push(b'u');
            }
            Value::Object(object) if object.type_name() == "collections.OrderedDict" => {
                self.text.extend(b"ccollections\nOrderedDict\n)R(");
                for (key, value) in object.entries().unwrap_or_default().borrow().iter() {
                    self.put(key.value(), depth + 1)?;
                    self.put(value, depth + 1)?;
                }
                self.text.push(b'u');
            }
            Value::DType(dtype) => self.text.extend(format!("ctorch\n{}\n", dtype.name()).as_bytes()),
            Value::Tensor(tensor) => self.tensor(tensor)?,
            other => fault!(TypeError, "cannot pickle '{}' object", other.type_name()),
        }
        Ok(())
    }

    fn many(&mut self, open: &[u8], items: &[Value], close: &[u8], depth: usize) -> Result<()> {
        self.text.extend(open);
        for item in items {
            self.put(item, depth + 1)?;
        }
        self.text.extend(close);
        Ok(())
    }

    fn int(&mut self, n: i64) {
        match i32::try_from(n) {
            Ok(small) => self.text.extend([&b"J"[..], &small.to_le_bytes()].concat()),
            Err(_) => self.text.extend([&b"\x8a\x08"[..], &n.to_le_bytes()].concat()),
        }
    }

    fn ints(&mut self, numbers: &[i64]) {
        self.text.push(b'(');
        numbers.iter().for_each(|n| self.int(*n));
        self.text.push(b't');
    }

    fn string(&mut self, s: &str) {
        self.text.extend([&b"X"[..], &(s.len() as u32).to_le_bytes(), s.as_bytes()].concat());
    }

    fn tensor(&mut self, tensor: &Tensor) -> Result<()> {
        let grad = tensor.grad();
        if grad.parameter {
            self.text.extend(b"ctorch._utils\n_rebuild_parameter\n(");
            self.elements(tensor, false)?;
            self.text.push(0x88 + !grad.requires_grad as u8);
            self.text.extend(b"ccollections\nOrderedDict\n)RtR");
            return Ok(());
        }
        self.elements(tensor, grad.requires_grad)
    }

    fn elements(&mut self, tensor: &Tensor, requires_grad: bool) -> Result<()> {
        let tensor = crate::ops::exec::resolve(tensor)?;
        let (form, info) = (tensor.strided()?, tensor.dtype().info());
        let mut written = self.storages.iter().zip(&self.layouts);
        let known = written.position(|(storage, layout)| storage.same(&form.storage) && (!self.apart || *layout == form.layout));
        let number = known.unwrap_or_else(|| {
            self.storages.push(form.storage.clone());
            self.layouts.push(form.layout.clone());
            self.storages.len() - 1
        });
        // Newer dtypes have no class of storages: their bytes are written, and the dtype beside them.
        let is_new = info.tensor.is_empty()
            || tensor.dtype().is_float8()
            || matches!(tensor.dtype(), DType::U16 | DType::U32 | DType::U64);
        let (function, class, size) = match is_new {
            true => ("_rebuild_tensor_v3", "torch.storage\nUntypedStorage".to_string(), 1),
            false => ("_rebuild_tensor_v2", format!("torch\n{}", info.tensor.replace("Tensor", "Storage")), info.size),
        };
        self.text.extend(format!("ctorch._utils\n{function}\n((").as_bytes());
        self.string("storage");
        self.text.extend(format!("c{class}\n").as_bytes());
        self.string(&number.to_string());
        self.string("cpu");
        self.int((form.storage.nbytes() / size) as i64);
        self.text.extend(b"tQ");
        self.int(form.layout.offset);
        self.ints(&form.layout.sizes);
        self.ints(&form.layout.strides);
        self.text.push(0x88 + !requires_grad as u8);
        self.text.extend(b"ccollections\nOrderedDict\n)R");
        if is_new {
            self.text.extend(format!("ctorch\n{}\n", info.name).as_bytes());
        }
        self.text.extend(b"tR");
        Ok(())
    }
}

/// What lies on the stack of a pickle.
#[derive(Clone)]
enum Item {
    Mark,
    Name(String),
    Storage(Storage, DType),
    Value(Value),
}

/// Reads a pickle; `storage` gives the bytes of a numbered one, `ordered` an empty `OrderedDict`. The error is what is not understood.
pub fn read(text: &[u8], storage: &dyn Fn(&str) -> Option<Vec<u8>>, ordered: &mut dyn FnMut() -> Outcome) -> Outcome {
    let mut reader = Reader { text, stack: vec![], memo: HashMap::new(), made: HashMap::new(), storage, ordered };
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
    storage: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    ordered: &'a mut dyn FnMut() -> Outcome,
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
                self.stack.push(match DType::from_name(&name) {
                    Some(dtype) if module == "torch" => Item::Value(Value::DType(dtype)),
                    _ => Item::Name(format!("{module}.{name}")),
                });
            }
            b't' => {
                let items = self.marked()?;
                // The tuple of a storage holds a name; it is kept on the stack until `Q` takes it apart.
                if items.iter().any(|i| !matches!(i, Item::Value(_))) {
                    self.stack.push(Item::Mark);
                    self.stack.extend(items);
                } else {
                    self.push(Value::tuple(Self::values(items)?))?;
                }
            }
            0x85..=0x87 => {
                let at = self.stack.len().checked_sub((code - 0x84) as usize)?;
                let items = self.stack.split_off(at);
                self.push(Value::tuple(Self::values(items)?))?;
            }
            b'Q' => return self.take_storage(),
            b'a' | b'e' => {
                let items = if code == b'a' { vec![self.stack.pop()?] } else { self.marked()? };
                let Some(Item::Value(Value::List(list))) = self.stack.last() else { return None };
                list.borrow_mut().extend(Self::values(items)?);
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
                    dict.borrow_mut().insert(Key::new(pair[0].clone()).ok()?, pair[1].clone());
                }
            }
            b'R' => return self.reduce(),
            b'b' => drop(self.stack.pop()?),
            _ => return None,
        }
        Some(Ok(()))
    }

    fn take_storage(&mut self) -> Option<Result<()>> {
        let items = self.marked()?;
        let [_, Item::Name(class), Item::Value(Value::Str(number)), ..] = &items[..] else { return None };
        let wanted = class.strip_prefix("torch.")?.replace("Storage", "Tensor");
        let dtype = match wanted.as_str() {
            "storage.UntypedTensor" => DType::U8,
            _ => DType::ALL.iter().copied().find(|d| d.info().tensor == wanted)?,
        };
        let number = number.to_string();
        if !self.made.contains_key(&number) {
            let bytes = (self.storage)(&number)?;
            let storage = match Storage::new(DeviceId::Cpu, bytes.len(), false) {
                Ok(storage) => storage,
                Err(error) => return Some(Err(error)),
            };
            if let Err(error) = storage.write(|to| to.copy_from_slice(&bytes)) {
                return Some(Err(error));
            }
            self.made.insert(number.clone(), storage);
        }
        self.stack.push(Item::Storage(self.made.get(&number)?.clone(), dtype));
        Some(Ok(()))
    }

    fn reduce(&mut self) -> Option<Result<()>> {
        // The arguments of a tensor hold a storage, so their tuple was left open.
        if let Some(Item::Value(Value::Tuple(args))) = self.stack.last().cloned() {
            self.stack.pop();
            if let Some(Item::Storage(..)) = self.stack.iter().rev().find(|i| !matches!(i, Item::Value(_))) {
                self.stack.push(Item::Value(Value::Tuple(args)));
            } else {
                let Some(Item::Name(name)) = self.stack.pop() else { return None };
                let value = match (name.as_str(), &args[..]) {
                    ("collections.OrderedDict", []) => match (self.ordered)() {
                        Ok(value) => value,
                        Err(raise) => return Some(Err(raise.into())),
                    },
                    ("torch.Size", [sizes]) => Value::size(&ints(sizes)?),
                    ("torch._utils._rebuild_parameter", [Value::Tensor(data), Value::Bool(requires_grad), ..]) => {
                        let grad = Grad { requires_grad: *requires_grad, parameter: true, ..Grad::default() };
                        data.set_grad(grad);
                        Value::Tensor(data.clone())
                    }
                    ("torch.device", [Value::Str(text), ..]) => {
                        Value::Device(Rc::new(crate::ops::bind::parse_device(text).ok()?))
                    }
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
                };
                self.push(value)?;
                return Some(Ok(()));
            }
        }
        let args = self.marked()?;
        let [
            Item::Storage(storage, dtype),
            Item::Value(offset),
            Item::Value(sizes),
            Item::Value(strides),
            Item::Value(grad),
            rest @ ..,
        ] = &args[..]
        else {
            return None;
        };
        let Some(Item::Name(name)) = self.stack.pop() else { return None };
        let dtype = match (name.as_str(), rest) {
            ("torch._utils._rebuild_tensor_v2", _) => dtype,
            ("torch._utils._rebuild_tensor_v3", [_, Item::Value(Value::DType(dtype)), ..]) => dtype,
            _ => return None,
        };
        let offset = ints(&Value::tuple(vec![offset.clone()]))?[0];
        let tensor = match Tensor::new(storage.clone(), *dtype, Layout::new(&ints(sizes)?, &ints(strides)?, offset)) {
            Ok(tensor) => tensor,
            Err(error) => return Some(Err(error)),
        };
        if matches!(grad, Value::Bool(true)) {
            tensor.set_grad(Grad { requires_grad: true, ..Grad::default() });
        }
        self.push(Value::Tensor(tensor))?;
        Some(Ok(()))
    }
}

fn ints(value: &Value) -> Option<Dims> {
    value.sequence()?.iter().map(|v| if let Value::Int(n) = v { Some(*n) } else { None }).collect()
}
