//! Tensors that are promised: all is known about them but their elements.

use super::{Body, Form, Grad, Inner, SERIAL, State, Strided, Tensor};
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::Layout;
use anyhow::Result;
use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::rc::{Rc, Weak};

/// What will become the elements of a tensor.
pub trait Promise: std::fmt::Debug {
    /// Where the elements will be in their storage.
    fn layout(&self) -> &Rc<Layout>;
    /// On which device.
    fn device(&self) -> DeviceId;
    /// Computes them. Fails when there is no memory for them, or when the user stops it.
    fn keep(&self) -> Result<Strided>;
    /// For who made the promise.
    fn as_any(&self) -> &dyn Any;
}

/// A handle that does not keep a tensor alive.
#[derive(Clone, Debug)]
pub struct WeakTensor(Weak<Inner>);

impl WeakTensor {
    /// The tensor, if somebody still has it.
    pub fn upgrade(&self) -> Option<Tensor> {
        self.0.upgrade().map(Tensor)
    }
}

impl Tensor {
    /// A tensor whose elements are computed when somebody asks for them.
    pub fn promised(dtype: DType, promise: Rc<dyn Promise>) -> Tensor {
        let serial = SERIAL.with(|s| s.replace(s.get() + 1));
        let body = RefCell::new(Body { dtype, form: State::Promised(promise) });
        Tensor(Rc::new(Inner {
            body,
            grad: RefCell::new(None::<Box<Grad>>),
            base: OnceCell::new(),
            own: OnceCell::new(),
            serial,
        }))
    }

    /// The promise, while it is one.
    pub fn promise(&self) -> Option<Rc<dyn Promise>> {
        match &self.0.body.borrow().form {
            State::Promised(promise) => Some(promise.clone()),
            State::Ready(_) => None,
        }
    }

    /// Makes a promise come true; does nothing to other tensors.
    pub fn keep(&self) -> Result<()> {
        if let Some(promise) = self.promise() {
            let strided = promise.keep()?;
            self.0.body.borrow_mut().form = State::Ready(Form::Strided(strided));
        }
        Ok(())
    }

    /// Another tensor over the same elements, without a gradient, whose changes are counted with this one's.
    pub fn twin(&self) -> Tensor {
        // Where that fails both are promised, and say so when they are read.
        let _ = self.keep();
        let serial = SERIAL.with(|s| s.replace(s.get() + 1));
        let body = RefCell::new(self.0.body.borrow().clone());
        let twin = Tensor(Rc::new(Inner { body, grad: RefCell::new(None), base: OnceCell::new(), own: OnceCell::new(), serial }));
        twin.count_with(self);
        twin
    }

    /// A handle that does not keep the tensor alive.
    pub fn downgrade(&self) -> WeakTensor {
        WeakTensor(Rc::downgrade(&self.0))
    }
}
