//! Torch's named constants that are neither numbers nor dtypes: memory formats and layouts. One object each, so `is` holds.

use super::{Class, Device, Object, Value};
use crate::layout::MemoryFormat;
use crate::tensor::{SparseKind, Tensor};
use std::any::Any;
use std::rc::Rc;

/// How a tensor keeps its elements: `x.layout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorLayout {
    /// `torch.strided`
    Strided,
    /// `torch.sparse_coo`, `torch.sparse_csr` and so on
    Sparse(SparseKind),
    /// `torch.jagged`, which a tensor is asked for and is not.
    Jagged,
}

impl TensorLayout {
    /// Every layout.
    pub const ALL: [TensorLayout; 7] = [
        TensorLayout::Strided,
        TensorLayout::Sparse(SparseKind::Coo),
        TensorLayout::Sparse(SparseKind::Csr),
        TensorLayout::Sparse(SparseKind::Csc),
        TensorLayout::Sparse(SparseKind::Bsr),
        TensorLayout::Sparse(SparseKind::Bsc),
        TensorLayout::Jagged,
    ];

    /// The name in `torch.`.
    pub fn name(self) -> &'static str {
        match self {
            TensorLayout::Strided => "strided",
            TensorLayout::Sparse(kind) => kind.name(),
            TensorLayout::Jagged => "jagged",
        }
    }

    /// The name in messages.
    pub fn title(self) -> &'static str {
        match self {
            TensorLayout::Strided => "Strided",
            TensorLayout::Sparse(kind) => kind.title(),
            TensorLayout::Jagged => "Jagged",
        }
    }

    /// The layout of a tensor.
    pub fn of(tensor: &Tensor) -> TensorLayout {
        match tensor.sparse() {
            Some(sparse) => TensorLayout::Sparse(sparse.kind),
            None => TensorLayout::Strided,
        }
    }
}

/// Every memory format.
pub const MEMORY_FORMATS: [MemoryFormat; 4] =
    [MemoryFormat::Contiguous, MemoryFormat::Preserve, MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d];

thread_local! {
    static LAYOUT_OBJECTS: [Rc<dyn Object>; 7] = TensorLayout::ALL.map(|l| Rc::new(l) as Rc<dyn Object>);
    static FORMAT_OBJECTS: [Rc<dyn Object>; 4] = MEMORY_FORMATS.map(|f| Rc::new(f) as Rc<dyn Object>);
}

/// The one object of a constant.
fn singleton<T: PartialEq>(constant: &T, all: &[T], objects: &[Rc<dyn Object>]) -> Value {
    let at = all.iter().position(|c| c == constant).unwrap_or_default();
    Value::shared(objects[at].clone())
}

impl From<Device> for Value {
    fn from(device: Device) -> Value {
        Value::Device(Rc::new(device))
    }
}

impl From<TensorLayout> for Value {
    fn from(layout: TensorLayout) -> Value {
        LAYOUT_OBJECTS.with(|objects| singleton(&layout, &TensorLayout::ALL, objects))
    }
}

impl From<MemoryFormat> for Value {
    fn from(format: MemoryFormat) -> Value {
        FORMAT_OBJECTS.with(|objects| singleton(&format, &MEMORY_FORMATS, objects))
    }
}

impl Object for TensorLayout {
    fn type_name(&self) -> String {
        "layout".to_string()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::Layout)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("torch.{}", self.name())
    }
}

impl Object for MemoryFormat {
    fn type_name(&self) -> String {
        "memory_format".to_string()
    }
    fn class(&self) -> Option<Class> {
        Some(Class::MemoryFormat)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        format!("torch.{}", self.name())
    }
}
