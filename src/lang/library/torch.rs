//! The module `torch` and those inside it: operations come from the table, the rest from here.

use super::{
    around, data, distributions, grad_mode, graph, layers, optim, packed, print_options, quantized, quasirandom, rule, trusted,
    weights,
};
use crate::diag::ErrorClass;
use crate::dtype::DType;
use crate::lang::types::class;
use crate::ops;
use crate::value::{Class, MEMORY_FORMATS, Module, TensorLayout, Value};
use indexmap::IndexMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The outermost module.
pub const NAME: &str = "torch";

/// Modules that have no operation of the table in them.
const BARE: &[&str] = &[
    "torch.nn",
    "torch.nn.parameter",
    "torch.utils",
    "torch.cuda",
    "torch._C",
    "torch.autograd",
    "torch.autograd.grad_mode",
    "torch.nn.utils.prune",
    "torch.optim.swa_utils",
    "torch.random",
    "torch.return_types",
    "torch.storage",
    "torch.torch_version",
    "torch.version",
    "torch.backends",
    "torch.backends.cuda",
    "torch.backends.cuda.matmul",
    "torch.backends.cudnn",
];

/// Modules under whose names what other ones have can be imported, too.
const STANDS_FOR: &[(&str, &str)] = &[
    ("torch._C", "torch"),
    ("torch._tensor", "torch"),
    ("torch.cuda.amp", "torch.amp"),
    ("torch.functional", "torch"),
    ("torch.serialization", "torch"),
    ("torch.utils.data.dataloader", "torch.utils.data"),
];

/// The module that one stands for; none for one that stands for itself.
pub fn stands_for(name: &str) -> Option<&'static str> {
    STANDS_FOR.iter().find(|(own, _)| *own == name).map(|(_, other)| *other)
}

/// Settings of GPU libraries: they may be read and set, and nothing here looks at them.
const SWITCHES: &[(&str, &str, bool)] = &[
    ("torch.backends.cudnn", "allow_tf32", true),
    ("torch.backends.cudnn", "benchmark", false),
    ("torch.backends.cudnn", "deterministic", false),
    ("torch.backends.cudnn", "enabled", true),
    ("torch.backends.cuda.matmul", "allow_tf32", false),
];

/// Classes, by module.
const CLASSES: &[(&str, &str, Class)] = &[
    ("torch", "Tensor", Class::Tensor),
    ("torch", "Size", Class::Size),
    ("torch", "dtype", Class::DType),
    ("torch", "device", Class::Device),
    ("torch", "layout", Class::Layout),
    ("torch", "memory_format", Class::MemoryFormat),
    ("torch", "Generator", Class::TorchGenerator),
    ("torch", "Storage", Class::StorageOf(DType::F32)),
    ("torch", "TypedStorage", Class::TypedStorage),
    ("torch", "UntypedStorage", Class::UntypedStorage),
    ("torch.storage", "TypedStorage", Class::TypedStorage),
    ("torch.storage", "UntypedStorage", Class::UntypedStorage),
    ("torch", "finfo", Class::FInfo),
    ("torch", "iinfo", Class::IInfo),
    ("torch", "OutOfMemoryError", Class::Exception(ErrorClass::OutOfMemoryError)),
    ("torch.cuda", "OutOfMemoryError", Class::Exception(ErrorClass::OutOfMemoryError)),
    ("torch._C", "_GradcheckError", Class::Exception(ErrorClass::GradcheckError)),
    ("torch._C", "_LinAlgError", Class::Exception(ErrorClass::LinAlgError)),
    ("torch.linalg", "LinAlgError", Class::Exception(ErrorClass::LinAlgError)),
    ("torch.nn", "Parameter", Class::Parameter),
    ("torch.nn.parameter", "Parameter", Class::Parameter),
];

/// Numbers of the outermost module.
const NUMBERS: &[(&str, f64)] =
    &[("pi", std::f64::consts::PI), ("e", std::f64::consts::E), ("inf", f64::INFINITY), ("nan", f64::NAN)];

/// The module with a dotted name, new.
pub fn module(name: &str) -> Option<Rc<Module>> {
    if !is_part(name) {
        return None;
    }
    let mut names = IndexMap::new();
    if name == NAME {
        add_outermost(&mut names);
    }
    if matches!(name, NAME | "torch.autograd" | "torch.autograd.grad_mode") {
        names.extend(grad_mode::switches().map(|(name, value)| (name.to_string(), value)));
    }
    let members = written(name).into_iter().chain(weights::members(name)).chain(rule::members(name)).flatten();
    names.extend(members.map(|(name, value)| (name.to_string(), value)));
    if name == "torch.nn" {
        names.extend(layers::classes().map(|(name, value)| (name.to_string(), value)));
    }
    if name == NAME || name == "torch.random" {
        names.insert("default_generator".to_string(), ops::random::default_generator());
    }
    let classes = CLASSES.iter().filter(|(module, ..)| *module == name);
    names.extend(classes.map(|(_, name, class)| (name.to_string(), Value::Class(*class))));
    let switches = SWITCHES.iter().filter(|(module, ..)| *module == name);
    names.extend(switches.map(|(_, name, on)| (name.to_string(), Value::Bool(*on))));
    if name == "torch.return_types" {
        names.extend(ops::named_types().into_iter().map(|named| {
            let short = named.type_name.rsplit('.').next().unwrap_or_default();
            (short.to_string(), class::returned(named))
        }));
    }
    if name == "torch._tensor_str" {
        names.insert("PRINT_OPTS".to_string(), print_options::object());
    }
    if name == "torch.version" {
        for (name, value) in [
            ("__version__", Value::from("2.15.0+cu132")),
            ("cuda", Value::from("13.2")),
            ("debug", Value::Bool(false)),
            ("hip", Value::None),
            ("rocm", Value::None),
            ("xpu", Value::None),
        ] {
            names.insert(name.to_string(), value);
        }
    }
    Some(Rc::new(Module { name: name.to_string(), names: RefCell::new(names) }))
}

fn add_outermost(names: &mut IndexMap<String, Value>) {
    for &dtype in DType::ALL {
        let info = dtype.info();
        for name in [info.name].iter().chain(info.aliases) {
            names.insert(name.to_string(), Value::DType(dtype));
        }
        if !info.tensor.is_empty() {
            names.insert(info.tensor.to_string(), Value::Class(Class::TensorOf(dtype)));
        }
        if let Some(name) = dtype.storage_class() {
            names.insert(name.to_string(), Value::Class(Class::StorageOf(dtype)));
        }
    }
    names.extend(NUMBERS.iter().map(|(name, number)| (name.to_string(), Value::Float(*number))));
    names.extend(TensorLayout::ALL.map(|layout| (layout.name().to_string(), Value::from(layout))));
    names.extend(MEMORY_FORMATS.map(|format| (format.name().to_string(), Value::from(format))));
    names.extend(quantized::outermost().into_iter().map(|(name, value)| (name.to_string(), value)));
    names.insert("newaxis".to_string(), Value::None);
}

/// Classes and functions that are texts of the language, by module.
fn written(name: &str) -> Option<Vec<(&'static str, Value)>> {
    distributions::members(name)
        .or_else(|| data::members(name))
        .or_else(|| optim::members(name))
        .or_else(|| graph::members(name))
        .or_else(|| layers::members(name))
        .or_else(|| packed::members(name))
        .or_else(|| trusted::members(name))
        .or_else(|| quasirandom::members(name))
        .or_else(|| around::members(name))
}

/// True for `torch` and the modules inside it.
pub fn is_part(name: &str) -> bool {
    name == NAME
        || BARE.contains(&name)
        || stands_for(name).is_some()
        || written(name).is_some()
        || weights::members(name).is_some()
        || rule::members(name).is_some()
        || inner_path(name).is_some_and(|path| operations_below(path).next().is_some())
}

/// The path below `torch`: `linalg.det` for `torch.linalg.det`.
pub fn inner_path(path: &str) -> Option<&str> {
    path.strip_prefix(NAME)?.strip_prefix('.')
}

/// Names of the operations directly inside a module.
pub fn operations_in(module: &str) -> Vec<String> {
    let here = |rest: &&str| !rest.contains('.');
    match inner_path(module) {
        Some(path) => operations_below(path).filter(here).map(str::to_string).collect(),
        None if module == NAME => ops::function_names().filter(here).map(str::to_string).collect(),
        None => vec![],
    }
}

/// Names of the operations inside a module, without the module's own path.
fn operations_below(path: &str) -> impl Iterator<Item = &'static str> {
    ops::function_names().filter_map(move |name| name.strip_prefix(path)?.strip_prefix('.'))
}
