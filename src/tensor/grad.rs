//! The gradient slot of a tensor: what was asked of it, and what made it.

use super::Tensor;
use crate::dtype::DType;
use std::any::Any;
use std::cell::Cell;
use std::fmt::Debug;
use std::rc::Rc;

/// The gradient slot.
#[derive(Clone, Debug, Default)]
pub struct Grad {
    /// Set by the user on a leaf, or inherited by a result.
    pub requires_grad: bool,
    /// The operation that made it; none for a leaf.
    pub made_by: Option<MadeBy>,
    /// `x.grad`.
    pub grad: Option<Tensor>,
    /// A view that was made while nothing was recorded: it may not be changed while something is.
    pub unseen: bool,
    /// Of `x.data`: how often that was changed, which does not count as a change of `x`.
    pub apart: Option<Rc<Cell<u64>>>,
    /// Made by `nn.Parameter`.
    pub parameter: bool,
    /// Of a lazy layer, which has not seen its first input.
    pub waits: bool,
    /// The leaf whose elements this tensor holds without its marks: the gradient goes there.
    pub stands_for: Option<Tensor>,
    /// The dtype that the gradient of a leaf has, where that was said; no dtype where any will do.
    pub dtype: Option<Option<DType>>,
    /// What is called with a leaf's gradient before it is added.
    pub hooks: Option<Rc<dyn Any>>,
}

/// A recorded operation and which of its results a tensor is.
#[derive(Clone, Debug)]
pub struct MadeBy {
    /// The operation.
    pub node: Rc<dyn Recorded>,
    /// Which result.
    pub output: usize,
}

/// A recorded operation.
pub trait Recorded: Debug {
    /// Its name, as tensors are shown with: `MulBackward0`.
    fn name(&self) -> &str;
    /// The name of what a tensor is made by now, where this made it or what it is a view of; none for a leaf.
    fn name_of(&self, _x: &Tensor) -> Option<String> {
        Some(self.name().to_string())
    }
    /// For who recorded it.
    fn into_any(self: Rc<Self>) -> Rc<dyn Any>;
}

impl Tensor {
    /// The name of the operation that made the tensor, as it is shown; none for a leaf.
    pub fn maker_name(&self) -> Option<String> {
        let made_by = self.grad().made_by.or_else(|| self.base()?.grad().made_by)?;
        made_by.node.name_of(self)
    }
}

impl Grad {
    /// The name of the operation that made the tensor.
    pub fn name(&self) -> Option<&str> {
        self.made_by.as_ref().map(|made| made.node.name())
    }

    /// True when both were made by the same run of an operation.
    pub fn made_alike(&self, other: &Grad) -> bool {
        match (&self.made_by, &other.made_by) {
            (Some(a), Some(b)) => Rc::ptr_eq(&a.node, &b.node) && a.output == b.output,
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}
