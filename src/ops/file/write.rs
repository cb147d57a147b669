//! Values in Python's pickle format, protocol 2: tensors as PyTorch writes them, objects by the names of their classes.

use super::objects::{self, How};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::Layout;
use crate::tensor::{Form, Storage, Tensor};
use crate::value::{Machine, Value};
use anyhow::Result;
use std::collections::HashMap;
use std::rc::Rc;

/// Nested deeper than this, a value is refused.
const DEPTH: usize = 500;

/// A value as a pickle, and the storages of its tensors.
#[derive(Default)]
pub struct Writer<'a> {
    /// The pickle so far.
    pub text: Vec<u8>,
    /// Each storage once, in the order of its number in the pickle.
    pub storages: Vec<Storage>,
    /// Views get storages of their own, as where Python pickles tensors one by one.
    pub apart: bool,
    /// How the tensor lies that a storage was first written for.
    layouts: Vec<Rc<Layout>>,
    /// Who takes objects apart.
    machine: Option<&'a mut dyn Machine>,
    /// The numbers of what was written and has an identity, and all of that, so that none takes the place of another.
    numbers: HashMap<u64, u32>,
    kept: Vec<Value>,
}

impl<'a> Writer<'a> {
    /// One that has written nothing.
    pub fn new(apart: bool, machine: &'a mut dyn Machine) -> Writer<'a> {
        Writer { apart, machine: Some(machine), ..Writer::default() }
    }

    /// Adds a value, or a word for it where it was written before. Fails with a `TypeError` on what cannot be taken apart.
    pub fn put(&mut self, value: &Value, depth: usize) -> Result<()> {
        if depth > DEPTH {
            fault!(RecursionError, "maximum recursion depth exceeded while pickling an object");
        }
        match self.numbers.get(&value.identity()) {
            Some(number) if has_identity(value) => {
                match u8::try_from(*number) {
                    Ok(short) => self.text.extend([b'h', short]),
                    Err(_) => self.text.extend([&b"j"[..], &number.to_le_bytes()].concat()),
                }
                return Ok(());
            }
            _ => self.put_anew(value, depth)?,
        }
        if !self.numbers.contains_key(&value.identity()) {
            self.remember(value);
        }
        Ok(())
    }

    /// Gives the value that was written last a number.
    fn remember(&mut self, value: &Value) {
        if !has_identity(value) {
            return;
        }
        let number = self.numbers.len() as u32;
        match u8::try_from(number) {
            Ok(short) => self.text.extend([b'q', short]),
            Err(_) => self.text.extend([&b"r"[..], &number.to_le_bytes()].concat()),
        }
        self.numbers.insert(value.identity(), number);
        self.kept.push(value.clone());
    }

    fn put_anew(&mut self, value: &Value, depth: usize) -> Result<()> {
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
            Value::List(items) => {
                self.text.push(b']');
                self.remember(value);
                let items = items.borrow().clone();
                self.many(b"(", &items, b"e", depth)?;
            }
            Value::Tuple(items) => self.many(b"(", items, b"t", depth)?,
            Value::Size(sizes) => {
                self.text.extend(b"ctorch\nSize\n");
                self.ints(sizes);
                self.text.extend(b"\x85R");
            }
            Value::Dict(entries) => {
                self.text.push(b'}');
                self.remember(value);
                let entries = entries.borrow().clone();
                self.entries(entries.iter().map(|(key, value)| (key.value(), value)), depth)?;
            }
            Value::Object(object) if object.type_name() == "collections.OrderedDict" => {
                self.text.extend(b"ccollections\nOrderedDict\n)R");
                self.remember(value);
                let entries = object.entries().unwrap_or_default().borrow().clone();
                self.entries(entries.iter().map(|(key, value)| (key.value(), value)), depth)?;
            }
            Value::DType(dtype) => self.text.extend(format!("ctorch\n{}\n", dtype.name()).as_bytes()),
            Value::Tensor(tensor) => self.tensor(tensor, depth)?,
            other => self.object(other, depth)?,
        }
        Ok(())
    }

    fn entries<'v>(&mut self, entries: impl Iterator<Item = (&'v Value, &'v Value)>, depth: usize) -> Result<()> {
        self.text.push(b'(');
        for (key, value) in entries {
            self.put(key, depth + 1)?;
            self.put(value, depth + 1)?;
        }
        self.text.push(b'u');
        Ok(())
    }

    fn object(&mut self, value: &Value, depth: usize) -> Result<()> {
        let Some(machine) = &mut self.machine else { fault!(TypeError, "cannot pickle '{}' object", value.type_name()) };
        let parts = objects::take_apart(&mut **machine, value)?;
        self.text.extend(format!("c{}\n{}\n", parts.module, parts.name).as_bytes());
        match parts.how {
            How::Global => return Ok(()),
            How::Call => {
                self.put(&parts.given, depth + 1)?;
                self.text.push(b'R');
            }
            How::New => {
                self.put(&parts.given, depth + 1)?;
                self.text.push(0x81);
                // It may hold itself.
                self.remember(value);
            }
        }
        // What takes its place when it is told its state has the number.
        if !matches!(parts.state, Value::None) {
            self.put(&parts.state, depth + 1)?;
            self.text.push(b'b');
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

    fn tensor(&mut self, tensor: &Tensor, depth: usize) -> Result<()> {
        let grad = tensor.grad();
        if grad.parameter {
            self.text.extend(b"ctorch._utils\n_rebuild_parameter\n(");
            self.data(tensor, false, depth)?;
            self.text.push(0x88 + !grad.requires_grad as u8);
            self.text.extend(b"ccollections\nOrderedDict\n)RtR");
            return Ok(());
        }
        self.data(tensor, grad.requires_grad, depth)
    }

    fn data(&mut self, tensor: &Tensor, requires_grad: bool, depth: usize) -> Result<()> {
        match tensor.form()? {
            Form::Strided(_) if tensor.device() == DeviceId::Meta => self.shape_alone(tensor, requires_grad),
            Form::Strided(_) => self.elements(tensor, requires_grad),
            _ => self.sparse(tensor, depth),
        }
    }

    /// A tensor without elements in memory.
    fn shape_alone(&mut self, tensor: &Tensor, requires_grad: bool) -> Result<()> {
        let layout = tensor.layout();
        self.text.extend(b"ctorch._utils\n_rebuild_meta_tensor_no_storage\n(");
        self.text.extend(format!("ctorch\n{}\n", tensor.dtype().name()).as_bytes());
        self.ints(&layout.sizes);
        self.ints(&layout.strides);
        self.text.push(0x88 + !requires_grad as u8);
        self.text.extend(b"tR");
        Ok(())
    }

    /// A sparse tensor: its layout, and what it is made of.
    fn sparse(&mut self, tensor: &Tensor, depth: usize) -> Result<()> {
        const PARTS: &str = "\
x = x.detach()
if x.layout == torch.sparse_coo:
    parts = x._indices(), x._values(), x.size(), x.is_coalesced()
elif x.layout in (torch.sparse_csr, torch.sparse_bsr):
    parts = x.crow_indices(), x.col_indices(), x.values(), x.size()
else:
    parts = x.ccol_indices(), x.row_indices(), x.values(), x.size()
[str(x.layout), parts]";
        let Some(machine) = &mut self.machine else { fault!(TypeError, "cannot pickle sparse tensors") };
        let parts = machine.eval_code(PARTS, &[("x", Value::Tensor(tensor.clone()))])?.items().unwrap_or_default();
        let [layout, parts] = &parts[..] else { fault!(TypeError, "cannot pickle sparse tensors") };
        self.text.extend(b"ctorch._utils\n_rebuild_sparse_tensor\n(ctorch.serialization\n_get_layout\n(");
        self.put(layout, depth + 1)?;
        self.text.extend(b"tR");
        self.put(parts, depth + 1)?;
        self.text.extend(b"tR");
        Ok(())
    }

    fn elements(&mut self, tensor: &Tensor, requires_grad: bool) -> Result<()> {
        let marks = [("conj", tensor.is_conj()), ("neg", tensor.is_neg())];
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
        if marks.iter().any(|(_, is_set)| *is_set) {
            self.text.extend(b"}(");
            for (name, _) in marks.iter().filter(|(_, is_set)| *is_set) {
                self.string(name);
                self.text.push(0x88);
            }
            self.text.push(b'u');
        }
        self.text.extend(b"tR");
        Ok(())
    }
}

/// True for what may be written twice and is one.
fn has_identity(value: &Value) -> bool {
    match value {
        Value::Tuple(items) => !items.is_empty(),
        Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Tensor(_) | Value::Object(_) | Value::Exception(_) => true,
        _ => false,
    }
}
