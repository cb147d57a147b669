//! What an expression gives: Python's built-in types and tensors.
//!
//! Cloning a value is cheap and shares it, as assignment does in Python. Values do not know the evaluator: what needs one
//! (a call, an iteration) is handed a [`Machine`].

mod constants;
mod hash;
mod hasher;
mod identity;
mod key;
mod method;
mod protocol;
mod set;

pub use constants::{MEMORY_FORMATS, TensorLayout};
pub use hash::{frozenset as frozenset_hash, python_hash};
pub use hasher::KeyHashing;
pub use key::{Key, KeyRef, NameRef, key_eq, number_eq};
pub use protocol::{CallArgs, CallRef, Machine, Names, Object, ObjectRef, TextScope, WeakObject};
pub use set::Set;

use crate::device::DeviceId;
use crate::diag::{Diagnostic, ErrorClass, Frame, Label, Source, Span};
use crate::dtype::{DType, Number};
use crate::layout::Dims;
use crate::tensor::{Storage, Tensor};
use indexmap::IndexMap;
use num_bigint::BigInt;
use num_complex::Complex64;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What a str holds: up to 24 bytes lie in it, more behind it.
pub type Text = compact_str::CompactString;

/// A value of the language: two words, so that it travels in registers. The first word is all the variant's, since a part of it would
/// have to be put together before a copy.
#[derive(Clone)]
#[repr(u64)]
pub enum Value {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// An int of 64 bits.
    Int(i64),
    /// A larger int; never one that fits [`Value::Int`].
    BigInt(Rc<BigInt>),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(Rc<Complex64>),
    /// A str.
    Str(Rc<Text>),
    /// A bytes object.
    Bytes(Rc<Vec<u8>>),
    /// `...`
    Ellipsis,
    /// A tuple.
    Tuple(Rc<Vec<Value>>),
    /// A list.
    List(Rc<RefCell<Vec<Value>>>),
    /// A dict, in order of insertion.
    Dict(Rc<RefCell<Dict>>),
    /// A set.
    Set(Rc<RefCell<Set>>),
    /// A range.
    Range(Rc<Range>),
    /// A slice: start, stop, step.
    Slice(Rc<[Value; 3]>),
    /// A tensor.
    Tensor(Tensor),
    /// `torch.Size`, a tuple of ints.
    Size(Rc<Dims>),
    /// A dtype.
    DType(DType),
    /// `torch.device`.
    Device(Rc<Device>),
    /// A storage, typed or untyped.
    Storage(Rc<StorageView>),
    /// A named result, a tuple with names: `torch.return_types.max`.
    Named(Rc<Named>),
    /// A class.
    Class(Class),
    /// An exception object.
    Exception(Rc<Exception>),
    /// A module.
    Module(Rc<Module>),
    /// Anything else: functions, iterators, generators, context managers, numpy arrays …
    Object(ObjectRef),
}

// The evaluator counts on values and outcomes that travel in two registers.
const _: () = assert!(size_of::<Outcome<Option<Value>>>() == 16);

/// The entries of a dict.
pub type Dict = IndexMap<Key, Value, KeyHashing>;

/// `range(start, stop, step)`; step is never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First number.
    pub start: i64,
    /// Where it ends, exclusive.
    pub stop: i64,
    /// Distance, positive or negative.
    pub step: i64,
}

impl Range {
    /// How many numbers.
    pub fn len(&self) -> usize {
        let (span, step) = if self.step > 0 {
            (self.stop as i128 - self.start as i128, self.step as i128)
        } else {
            (self.start as i128 - self.stop as i128, -(self.step as i128))
        };
        if span <= 0 { 0 } else { ((span + step - 1) / step) as usize }
    }

    /// True when it holds no number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when both give the same numbers, which is what `==` asks of ranges.
    pub fn same_numbers(&self, other: &Range) -> bool {
        let n = self.len();
        n == other.len() && (n == 0 || self.start == other.start) && (n < 2 || self.step == other.step)
    }

    /// The number at a place that is known to exist.
    pub fn at(&self, place: usize) -> i64 {
        self.start + place as i64 * self.step
    }
}

/// `torch.device('cuda:1')`; a device named without a number has no index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// The device, number 0 when none was said.
    pub id: DeviceId,
    /// The number that was said.
    pub index: Option<u32>,
}

impl From<DeviceId> for Device {
    fn from(id: DeviceId) -> Device {
        Device { id, index: id.index() }
    }
}

/// `x.storage()` (with a dtype) or `x.untyped_storage()`.
#[derive(Debug)]
pub struct StorageView {
    /// The bytes.
    pub storage: Storage,
    /// How to read them; none: as bytes.
    pub dtype: Option<DType>,
}

/// A tuple with names.
pub struct Named {
    /// `torch.return_types.max`.
    pub type_name: &'static str,
    /// The names.
    pub fields: &'static [&'static str],
    /// The values, one per name.
    pub values: Vec<Value>,
}

/// What stands behind the last dot.
fn short(name: &'static str) -> &'static str {
    name.rsplit('.').next().unwrap_or(name)
}

macro_rules! classes {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// A built-in class, as `type(x)` gives it and `isinstance` takes it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Class {
            $($variant,)*
            /// A legacy tensor constructor such as `torch.FloatTensor`: `torch.Tensor` of this dtype.
            TensorOf(DType),
            /// A legacy class of storages such as `torch.FloatStorage`: `torch.TypedStorage` of this dtype.
            StorageOf(DType),
            /// An exception class.
            Exception(ErrorClass),
        }

        impl Class {
            /// Every class that is not an exception or a legacy constructor.
            pub const ALL: &[Class] = &[$(Class::$variant),*];

            /// The name without its module: `Tensor`.
            pub fn short_name(self) -> &'static str {
                match self {
                    $(Class::$variant => short($name),)*
                    Class::TensorOf(dtype) => dtype.info().tensor,
                    Class::StorageOf(dtype) => dtype.storage_class().unwrap_or_default(),
                    Class::Exception(class) => class.name(),
                }
            }

            /// The name with its module, as `<class '…'>` shows it.
            pub fn name(self) -> String {
                match self {
                    $(Class::$variant => $name.to_string(),)*
                    Class::TensorOf(_) | Class::StorageOf(_) => format!("torch.{}", self.short_name()),
                    Class::Exception(class @ ErrorClass::Own(_)) => format!("__main__.{}", class.name()),
                    Class::Exception(class) => class.title().to_string(),
                }
            }
        }
    };
}

classes! {
    Object "object", NoneType "NoneType", Bool "bool", Int "int", Float "float", Complex "complex", Str "str", Bytes "bytes",
    Tuple "tuple", List "list", Dict "dict", Set "set", FrozenSet "frozenset", Range "range", Slice "slice", Ellipsis "ellipsis",
    Type "type", Function "function", Builtin "builtin_function_or_method", Module "module", Generator "generator",
    Enumerate "enumerate", Zip "zip", Map "map", Filter "filter", Reversed "reversed",
    Tensor "torch.Tensor", Parameter "torch.nn.parameter.Parameter", Size "torch.Size", DType "torch.dtype", Device "torch.device",
    Layout "torch.layout", MemoryFormat "torch.memory_format", TorchGenerator "torch._C.Generator",
    TypedStorage "torch.storage.TypedStorage", UntypedStorage "torch.storage.UntypedStorage",
    FInfo "torch.finfo", IInfo "torch.iinfo", NdArray "numpy.ndarray", ByteArray "bytearray", Array "array.array",
}

/// An exception object.
pub struct Exception {
    /// Class, sentence and ways out.
    pub diagnostic: Diagnostic,
    /// `e.args`.
    pub args: RefCell<Vec<Value>>,
    /// Where it came from; filled while it travels up.
    pub trace: RefCell<Trace>,
}

/// Where an exception was raised, what led there, and which other exception it followed.
#[derive(Clone, Default)]
pub struct Trace {
    /// The text the labels point into.
    pub source: Option<Arc<Source>>,
    /// Places, the primary one first.
    pub labels: Vec<Label>,
    /// The failed expression, all of it.
    pub span: Span,
    /// The failed operation's operands, each with its place in the source, for whoever explains it.
    pub operands: Vec<(Span, Value)>,
    /// Calls that led here, innermost first.
    pub frames: Vec<Frame>,
    /// A function that built-in code called, until the place of that built-in's call is known.
    pub pending: Option<String>,
    /// `__cause__`: what `raise … from` named.
    pub cause: Option<Rc<Exception>>,
    /// `__context__`: what was being handled.
    pub context: Option<Rc<Exception>>,
    /// `raise … from` hides the context.
    pub suppress_context: bool,
    /// The sentence of arguments that the program gave afterwards.
    pub message: Option<String>,
    /// Attributes that the program gave.
    pub own: Vec<(Rc<str>, Value)>,
}

impl Exception {
    /// An exception that was not raised yet.
    pub fn new(diagnostic: Diagnostic, args: Vec<Value>) -> Exception {
        Exception { diagnostic, args: RefCell::new(args), trace: RefCell::default() }
    }

    /// The message to the user, with the places it came through.
    pub fn report(&self) -> Diagnostic {
        let trace = self.trace.borrow();
        let mut report = self.diagnostic.clone();
        if let Some(message) = &trace.message {
            report.message = message.clone();
        }
        if let Some((_, Value::List(notes))) = trace.own.iter().find(|(name, _)| &**name == "__notes__") {
            let texts = notes.borrow();
            texts.iter().filter_map(|note| if let Value::Str(text) = note { Some(text) } else { None }).for_each(|text| {
                report.message.push('\n');
                report.message.push_str(text);
            });
        }
        if report.source.is_none() {
            report.source = trace.source.clone();
            report.labels.extend(trace.labels.iter().cloned());
        }
        report.frames.extend(trace.frames.iter().rev().cloned());
        match (&trace.cause, &trace.context) {
            (Some(cause), _) => report.notes.push(format!("the direct cause was {}", cause.diagnostic.headline())),
            (None, Some(context)) if !trace.suppress_context => {
                report.notes.push(format!("raised while handling {}", context.diagnostic.headline()));
            }
            _ => {}
        }
        report
    }
}

/// An exception on its way up.
#[derive(Clone)]
pub struct Raise(pub Rc<Exception>);

impl Raise {
    /// A new exception of a class with a sentence.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Raise {
        Raise::from(Diagnostic::new(class, message))
    }
}

/// `e.args` of an exception with this sentence: the sentence, or the number and the text of a refusal of the operating system.
fn arguments(diagnostic: &Diagnostic) -> Vec<Value> {
    let system = || {
        let (number, rest) = diagnostic.message.strip_prefix("[Errno ")?.split_once("] ")?;
        let (text, _) = rest.split_once(": '")?;
        Some(vec![Value::Int(number.parse().ok()?), Value::from(text)])
    };
    match diagnostic.message.is_empty() {
        true => vec![],
        false => system().unwrap_or_else(|| vec![Value::from(diagnostic.message.as_str())]),
    }
}

impl From<Diagnostic> for Raise {
    fn from(diagnostic: Diagnostic) -> Raise {
        let args = arguments(&diagnostic);
        Raise(Rc::new(Exception::new(diagnostic, args)))
    }
}

impl From<anyhow::Error> for Raise {
    fn from(error: anyhow::Error) -> Raise {
        Raise::from(Diagnostic::from(error))
    }
}

impl From<Raise> for anyhow::Error {
    /// For operations that call back into the language: class and sentence stay.
    fn from(raise: Raise) -> anyhow::Error {
        let d = &raise.0.diagnostic;
        anyhow::Error::new(crate::diag::Fault {
            help: d.help.clone(),
            argument: d.argument.map(|place| place as usize),
            ..crate::diag::Fault::new(d.class, d.message.clone())
        })
    }
}

/// The result of running something.
pub type Outcome<T = Value> = Result<T, Raise>;

/// A module: a name and what is in it.
pub struct Module {
    /// `torch.linalg`.
    pub name: String,
    /// Names made by hand: constants, classes, functions that are not operations. Operations come from the table.
    pub names: RefCell<IndexMap<String, Value>>,
}

impl Value {
    /// A list.
    pub fn list(items: Vec<Value>) -> Value {
        Value::List(Rc::new(RefCell::new(items)))
    }

    /// A tuple.
    pub fn tuple(items: Vec<Value>) -> Value {
        Value::Tuple(Rc::new(items))
    }

    /// An empty-or-not dict.
    pub fn dict(entries: Dict) -> Value {
        Value::Dict(Rc::new(RefCell::new(entries)))
    }

    /// A `torch.Size`.
    pub fn size(sizes: &[i64]) -> Value {
        Value::Size(Rc::new(Dims::from_slice(sizes)))
    }

    /// An integer of any length, in its one form.
    pub fn big(value: BigInt) -> Value {
        match i64::try_from(&value) {
            Ok(small) => Value::Int(small),
            Err(_) => Value::BigInt(Rc::new(value)),
        }
    }

    /// The object of a given Rust type, if it is one.
    pub fn downcast<T: Any>(&self) -> Option<&T> {
        match self {
            Value::Object(object) => object.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// An object.
    pub fn object(object: impl Object + 'static) -> Value {
        Value::shared(Rc::new(object))
    }

    /// An object that others have, too.
    pub fn shared(object: Rc<dyn Object>) -> Value {
        Value::Object(ObjectRef::new(object))
    }

    /// The class, as `type(x)`; objects without a class of their own have none.
    pub fn class(&self) -> Option<Class> {
        Some(match self {
            Value::None => Class::NoneType,
            Value::Bool(_) => Class::Bool,
            Value::Int(_) | Value::BigInt(_) => Class::Int,
            Value::Float(_) => Class::Float,
            Value::Complex(_) => Class::Complex,
            Value::Str(_) => Class::Str,
            Value::Bytes(_) => Class::Bytes,
            Value::Ellipsis => Class::Ellipsis,
            Value::Tuple(_) => Class::Tuple,
            Value::List(_) => Class::List,
            Value::Dict(_) => Class::Dict,
            Value::Set(_) => Class::Set,
            Value::Range(_) => Class::Range,
            Value::Slice(_) => Class::Slice,
            Value::Tensor(t) if t.grad().parameter => Class::Parameter,
            Value::Tensor(_) => Class::Tensor,
            Value::Size(_) => Class::Size,
            Value::DType(_) => Class::DType,
            Value::Device(_) => Class::Device,
            Value::Storage(s) if s.dtype.is_some() => Class::TypedStorage,
            Value::Storage(_) => Class::UntypedStorage,
            Value::Class(_) => Class::Type,
            Value::Exception(e) => Class::Exception(e.diagnostic.class),
            Value::Module(_) => Class::Module,
            Value::Named(_) => return None,
            Value::Object(o) => return o.class(),
        })
    }

    /// The name in messages: `int`, `Tensor`.
    pub fn type_name(&self) -> String {
        match (self, self.class()) {
            // What is written in C carries its module in its name.
            (
                _,
                Some(
                    Class::Size
                    | Class::DType
                    | Class::Device
                    | Class::Layout
                    | Class::MemoryFormat
                    | Class::TorchGenerator
                    | Class::TypedStorage
                    | Class::UntypedStorage
                    | Class::FInfo
                    | Class::IInfo
                    | Class::NdArray
                    | Class::Array,
                ),
            ) => self.class().map_or(String::new(), |class| class.name().to_string()),
            (Value::Class(Class::Tensor), _) => "torch._C._TensorMeta".to_string(),
            (Value::Class(Class::TensorOf(_)), _) => "torch.tensortype".to_string(),
            (Value::Class(Class::TorchGenerator), _) => "CustomClassBaseMeta".to_string(),
            (_, Some(class)) => class.name().rsplit('.').next().unwrap_or_default().to_string(),
            (Value::Named(n), _) => n.type_name.to_string(),
            (Value::Object(o), _) => o.type_name(),
            _ => "object".to_string(),
        }
    }

    /// A number of Python: bool, int of 64 bits, float, complex. Nothing else, no tensor.
    pub fn as_number(&self) -> Option<Number> {
        Some(match self {
            Value::Bool(b) => Number::Bool(*b),
            Value::Int(i) => Number::Int(*i),
            Value::BigInt(b) => match u64::try_from(&**b) {
                Ok(u) => Number::Unsigned(u),
                Err(_) => return None,
            },
            Value::Float(f) => Number::Float(*f),
            Value::Complex(c) => Number::Complex(**c),
            _ => return None,
        })
    }

    /// The items of a tuple, a `torch.Size` or a named result; not of a list.
    pub fn sequence(&self) -> Option<Vec<Value>> {
        match self {
            Value::Tuple(items) => Some(items.to_vec()),
            Value::Size(sizes) => Some(sizes.iter().map(|s| Value::Int(*s)).collect()),
            Value::Named(named) => Some(named.values.clone()),
            _ => None,
        }
    }

    /// The items of a list or of what `sequence` takes.
    pub fn items(&self) -> Option<Vec<Value>> {
        match self {
            Value::List(items) => Some(items.borrow().clone()),
            other => other.sequence(),
        }
    }
}

macro_rules! from {
    ($($t:ty => |$v:ident| $e:expr;)*) => {
        $(impl From<$t> for Value {
            fn from($v: $t) -> Value { $e }
        })*
    };
}

from! {
    bool => |v| Value::Bool(v);
    i64 => |v| Value::Int(v);
    usize => |v| Value::Int(v as i64);
    f64 => |v| Value::Float(v);
    Complex64 => |v| Value::Complex(Rc::new(v));
    &str => |v| Value::Str(Rc::new(Text::from(v)));
    Text => |v| Value::Str(Rc::new(v));
    String => |v| Value::Str(Rc::new(Text::from(v)));
    Tensor => |v| Value::Tensor(v);
    DType => |v| Value::DType(v);
    Vec<Tensor> => |v| Value::tuple(v.into_iter().map(Value::Tensor).collect());
    Number => |v| match v {
        Number::Bool(b) => Value::Bool(b),
        Number::Int(i) => Value::Int(i),
        Number::Unsigned(u) => Value::big(BigInt::from(u)),
        Number::Float(f) => Value::Float(f),
        Number::Complex(c) => Value::from(c),
    };
}
