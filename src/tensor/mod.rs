//! Tensor and Storage: handles. Nothing is computed here.

mod grad;
mod promise;
mod storage;

pub use grad::{Grad, MadeBy, Recorded};
pub use promise::{Promise, WeakTensor};
pub use storage::Storage;

use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::Layout;
use crate::settings;
use anyhow::Result;
use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// A tensor: a view of a storage. Cloning gives another handle to the *same* tensor (`is` holds); use
/// [`Tensor::alias`] for a new tensor over the same storage.
#[derive(Clone, Debug)]
pub struct Tensor(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    body: RefCell<Body>,
    grad: RefCell<Option<Box<Grad>>>,
    base: OnceCell<Tensor>,
    own: OnceCell<Rc<dyn Any>>,
    serial: u64,
}

/// What a tensor is made of.
#[derive(Clone, Debug)]
struct Body {
    dtype: DType,
    form: State,
}

/// A form, or what will become one.
#[derive(Clone, Debug)]
enum State {
    Ready(Form),
    Promised(Rc<dyn Promise>),
}

/// How the elements are kept.
#[derive(Clone, Debug)]
pub enum Form {
    /// Sizes and strides over a storage.
    Strided(Strided),
    /// Coordinates and values.
    Sparse(Rc<Sparse>),
}

/// A strided form. `conj` and `neg` are views that negate the imaginary part or the value when read.
#[derive(Clone, Debug)]
pub struct Strided {
    /// The bytes.
    pub storage: Storage,
    /// Where the elements are, in units of the dtype.
    pub layout: Rc<Layout>,
    /// Read as the complex conjugate.
    pub conj: bool,
    /// Read as the negative.
    pub neg: bool,
}

impl Strided {
    /// The address of the first element, for elements of `size` bytes; of no use without elements.
    pub fn first(&self, size: usize) -> *mut u8 {
        self.storage.as_ptr().wrapping_offset(self.layout.start(size))
    }
}

/// Which sparse layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparseKind {
    /// Coordinates: `indices` (sparse dims, nnz), `values` (nnz, dense dims…).
    Coo,
    /// Compressed rows: `crow_indices`, `col_indices`, `values`.
    Csr,
    /// Compressed columns: `ccol_indices`, `row_indices`, `values`.
    Csc,
    /// Compressed rows of blocks, whose values are matrices of one size.
    Bsr,
    /// Compressed columns of such blocks.
    Bsc,
}

impl SparseKind {
    /// Every kind.
    pub const ALL: [SparseKind; 5] = [SparseKind::Coo, SparseKind::Csr, SparseKind::Csc, SparseKind::Bsr, SparseKind::Bsc];

    /// The name of the layout in `torch.`.
    pub fn name(self) -> &'static str {
        match self {
            SparseKind::Coo => "sparse_coo",
            SparseKind::Csr => "sparse_csr",
            SparseKind::Csc => "sparse_csc",
            SparseKind::Bsr => "sparse_bsr",
            SparseKind::Bsc => "sparse_bsc",
        }
    }

    /// Its name in messages.
    pub fn title(self) -> &'static str {
        match self {
            SparseKind::Coo => "Sparse",
            SparseKind::Csr => "SparseCsr",
            SparseKind::Csc => "SparseCsc",
            SparseKind::Bsr => "SparseBsr",
            SparseKind::Bsc => "SparseBsc",
        }
    }

    /// What a tensor is made of.
    pub fn parts(self) -> &'static [&'static str] {
        match self {
            SparseKind::Coo => &["indices", "values"],
            SparseKind::Csr | SparseKind::Bsr => &["crow_indices", "col_indices", "values"],
            SparseKind::Csc | SparseKind::Bsc => &["ccol_indices", "row_indices", "values"],
        }
    }

    /// True where columns are compressed.
    pub fn is_by_columns(self) -> bool {
        matches!(self, SparseKind::Csc | SparseKind::Bsc)
    }

    /// True where values are blocks.
    pub fn is_blocked(self) -> bool {
        matches!(self, SparseKind::Bsr | SparseKind::Bsc)
    }

    /// The kind of the transposed matrix.
    pub fn transposed(self) -> SparseKind {
        match self {
            SparseKind::Coo => SparseKind::Coo,
            SparseKind::Csr => SparseKind::Csc,
            SparseKind::Csc => SparseKind::Csr,
            SparseKind::Bsr => SparseKind::Bsc,
            SparseKind::Bsc => SparseKind::Bsr,
        }
    }
}

/// A sparse form.
#[derive(Debug)]
pub struct Sparse {
    /// Which layout.
    pub kind: SparseKind,
    /// The sizes of the whole tensor.
    pub sizes: Vec<i64>,
    /// One int64 tensor of coordinates (COO), or the compressed and the plain indices.
    pub indices: Vec<Tensor>,
    /// The values that are kept.
    pub values: Tensor,
    /// COO: coordinates are sorted and unique.
    pub coalesced: bool,
}

impl Sparse {
    /// How many values are kept.
    pub fn stored(&self) -> i64 {
        match self.kind {
            SparseKind::Coo => self.indices.first().and_then(|t| t.sizes().get(1).copied()).unwrap_or(0),
            _ => self.indices.last().and_then(|t| t.sizes().last().copied()).unwrap_or(0),
        }
    }

    /// Rows and columns of the blocks, one each where values are no blocks.
    pub fn block(&self) -> [i64; 2] {
        let (Some(starts), sizes) = (self.indices.first(), self.values.sizes()) else { return [1, 1] };
        match (self.kind.is_blocked(), starts.ndim()) {
            (true, place) if sizes.len() > place + 1 => [sizes[place], sizes[place + 1]],
            _ => [1, 1],
        }
    }
}

thread_local! {
    static SERIAL: Cell<u64> = const { Cell::new(0) };
}

impl Tensor {
    /// A tensor of a storage that was made for its layout.
    pub(crate) fn made_for(layout: Rc<Layout>, dtype: DType, storage: Storage) -> Tensor {
        debug_assert!(check_extent(&storage, dtype, &layout).is_ok());
        Tensor::from_form(dtype, Form::Strided(Strided { storage, layout, conj: false, neg: false }))
    }

    /// Joins a storage and a layout. Fails with a `RuntimeError` when the layout reaches outside the storage; after this
    /// check no kernel needs bounds checks.
    pub fn new(storage: Storage, dtype: DType, layout: Layout) -> Result<Tensor> {
        check_extent(&storage, dtype, &layout)?;
        Ok(Tensor::from_form(dtype, Form::Strided(Strided { storage, layout: Rc::new(layout), conj: false, neg: false })))
    }

    /// A tensor of any form.
    pub fn from_form(dtype: DType, form: Form) -> Tensor {
        let serial = SERIAL.with(|s| s.replace(s.get() + 1));
        let body = RefCell::new(Body { dtype, form: State::Ready(form) });
        Tensor(Rc::new(Inner { body, grad: RefCell::new(None), base: OnceCell::new(), own: OnceCell::new(), serial }))
    }

    /// True for what was made inside `torch.inference_mode()`, and its views: its changes are not counted, and no gradient goes
    /// through what reads it.
    pub fn is_inference(&self) -> bool {
        settings::with(|s| s.inferred) && self.storage().is_ok_and(|storage| storage.is_inference())
    }

    /// A new tensor over the same storage with another layout. Keeps dtype and the conj and neg marks.
    pub fn alias(&self, layout: Layout) -> Result<Tensor> {
        self.keep()?;
        let body = self.0.body.borrow();
        let State::Ready(Form::Strided(Strided { storage, conj, neg, .. })) = &body.form else {
            fault!(RuntimeError, "sparse tensors do not have strides")
        };
        check_extent(storage, body.dtype, &layout)?;
        let (storage, layout) = (storage.clone(), Rc::new(layout));
        Ok(Tensor::from_form(body.dtype, Form::Strided(Strided { storage, layout, conj: *conj, neg: *neg })))
    }

    /// True when both handles name one tensor (Python's `is`).
    pub fn same(&self, other: &Tensor) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// True when nobody else holds this tensor.
    pub fn is_only_handle(&self) -> bool {
        Rc::strong_count(&self.0) == 1
    }

    /// A number no other tensor of the session has: Python's `id`.
    pub fn serial(&self) -> u64 {
        self.0.serial
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.0.body.borrow().dtype
    }

    /// Lets `f` look at the dtype and the form without copying them; none while they are promised, and where the storage became
    /// too small for them.
    #[inline]
    pub fn look<T>(&self, f: impl FnOnce(DType, &Form) -> Option<T>) -> Option<T> {
        let body = self.0.body.borrow();
        match &body.form {
            State::Ready(Form::Strided(s)) if storage::may_be_short() && check_reach(body.dtype, s).is_err() => None,
            State::Ready(form) => f(body.dtype, form),
            State::Promised(_) => None,
        }
    }

    /// How the elements are kept. Fails when they are promised and cannot be computed.
    pub fn form(&self) -> Result<Form> {
        self.keep()?;
        match &self.0.body.borrow().form {
            State::Ready(form) => Ok(form.clone()),
            State::Promised(_) => fault!(RuntimeError, "a promised tensor was not computed"),
        }
    }

    /// The strided form. Fails with a `RuntimeError` on a sparse tensor, and on one whose storage became too small for it.
    pub fn strided(&self) -> Result<Strided> {
        let body = self.0.body.borrow();
        if let State::Ready(Form::Strided(s)) = &body.form {
            if storage::may_be_short() {
                check_reach(body.dtype, s)?;
            }
            return Ok(s.clone());
        }
        drop(body);
        match self.form()? {
            Form::Strided(s) => Ok(s),
            Form::Sparse(_) => fault!(RuntimeError, "sparse tensors do not have strides"),
        }
    }

    /// The layout. A sparse tensor, which has none, shows its sizes as if contiguous.
    pub fn layout(&self) -> Rc<Layout> {
        match &self.0.body.borrow().form {
            State::Ready(Form::Strided(s)) => s.layout.clone(),
            State::Ready(Form::Sparse(s)) => Rc::new(Layout::contiguous(&s.sizes)),
            State::Promised(p) => p.layout().clone(),
        }
    }

    /// The storage. Fails with a `NotImplementedError` on a sparse tensor.
    pub fn storage(&self) -> Result<Storage> {
        match self.form()? {
            Form::Strided(s) => Ok(s.storage),
            Form::Sparse(s) if s.kind == SparseKind::Coo => {
                fault!(NotImplementedError, "Cannot access storage of SparseTensorImpl")
            }
            Form::Sparse(_) => fault!(NotImplementedError, "Cannot access storage of SparseCsrTensorImpl"),
        }
    }

    /// The sparse form, if it is one.
    pub fn sparse(&self) -> Option<Rc<Sparse>> {
        match &self.0.body.borrow().form {
            State::Ready(Form::Sparse(s)) => Some(s.clone()),
            _ => None,
        }
    }

    /// True for a sparse tensor.
    pub fn is_sparse(&self) -> bool {
        matches!(self.0.body.borrow().form, State::Ready(Form::Sparse(_)))
    }

    /// True for a tensor that is not sparse, not marked, and was never asked for a gradient.
    pub fn is_ordinary(&self) -> bool {
        let form = match &self.0.body.borrow().form {
            State::Ready(Form::Strided(s)) => !s.conj && !s.neg,
            State::Ready(Form::Sparse(_)) => false,
            State::Promised(_) => true,
        };
        form && self.0.grad.borrow().is_none() && !self.base().is_some_and(Tensor::requires_grad)
    }

    /// The device the elements are on.
    pub fn device(&self) -> DeviceId {
        match &self.0.body.borrow().form {
            State::Ready(Form::Strided(s)) => s.storage.device(),
            State::Ready(Form::Sparse(s)) => s.values.device(),
            State::Promised(p) => p.device(),
        }
    }

    /// The size of each dimension.
    pub fn sizes(&self) -> crate::layout::Dims {
        match &self.0.body.borrow().form {
            State::Ready(Form::Strided(s)) => crate::layout::Dims::from_slice(&s.layout.sizes),
            State::Ready(Form::Sparse(s)) => crate::layout::Dims::from_slice(&s.sizes),
            State::Promised(p) => crate::layout::Dims::from_slice(&p.layout().sizes),
        }
    }

    /// Number of dimensions.
    pub fn ndim(&self) -> usize {
        match &self.0.body.borrow().form {
            State::Ready(Form::Strided(s)) => s.layout.ndim(),
            State::Ready(Form::Sparse(s)) => s.sizes.len(),
            State::Promised(p) => p.layout().ndim(),
        }
    }

    /// Number of elements.
    pub fn numel(&self) -> i64 {
        self.layout().numel()
    }

    /// True when it must be read as a conjugate.
    pub fn is_conj(&self) -> bool {
        matches!(&self.0.body.borrow().form, State::Ready(Form::Strided(s)) if s.conj)
    }

    /// True when it must be read as a negative.
    pub fn is_neg(&self) -> bool {
        matches!(&self.0.body.borrow().form, State::Ready(Form::Strided(s)) if s.neg)
    }

    /// Makes this very tensor another view (`set_`, `t_`, `resize_`, `.data = …`): every handle sees the change.
    pub fn replace(&self, dtype: DType, form: Form) -> Result<()> {
        if let Form::Strided(s) = &form {
            check_extent(&s.storage, dtype, &s.layout)?;
        }
        *self.0.body.borrow_mut() = Body { dtype, form: State::Ready(form) };
        Ok(())
    }

    /// The gradient slot; the default when never touched.
    pub fn grad(&self) -> Grad {
        self.0.grad.borrow().as_deref().cloned().unwrap_or_default()
    }

    /// True for a leaf that asks for a gradient or a result of one, and for a view of such.
    pub fn requires_grad(&self) -> bool {
        self.0.grad.borrow().as_ref().is_some_and(|g| g.requires_grad) || self.base().is_some_and(Tensor::requires_grad)
    }

    /// The count of changes of `x.data` and of its views, which is its own.
    fn apart(&self) -> Option<Rc<Cell<u64>>> {
        let own = self.0.grad.borrow().as_ref().and_then(|g| g.apart.clone());
        own.or_else(|| self.base()?.apart())
    }

    /// Takes part in the count of changes of another tensor over the same cells.
    pub fn count_with(&self, other: &Tensor) {
        if let Some(count) = other.apart() {
            self.set_grad(Grad { apart: Some(count), ..self.grad() });
        }
    }

    /// Counts its changes by itself from here on, whatever cells it is given and whoever else writes to them.
    pub fn count_alone(&self) {
        if self.0.grad.borrow().as_ref().is_none_or(|g| g.apart.is_none()) {
            self.count_from(self.changes());
        }
    }

    /// Counts its changes by itself, from a number on.
    pub fn count_from(&self, changes: u64) {
        self.set_grad(Grad { apart: Some(Rc::new(Cell::new(changes))), ..self.grad() });
    }

    /// How often what the tensor lies on was changed in place, as far as that counts for it.
    pub fn changes(&self) -> u64 {
        self.apart().map_or_else(|| self.storage().map_or(0, |storage| storage.changes()), |count| count.get())
    }

    /// Notes that the tensor was changed in place.
    pub fn note_change(&self) {
        match (self.apart(), self.storage()) {
            (Some(count), _) => count.set(count.get() + 1),
            (None, Ok(storage)) => storage.note_change(),
            (None, Err(_)) => {}
        }
    }

    /// The tensor that this one is a view of: never a view itself, and none for a tensor that no view operation made.
    pub fn base(&self) -> Option<&Tensor> {
        self.0.base.get()
    }

    /// Notes that a view operation made this tensor from another one, unless the result has its own elements.
    pub fn note_view_of(&self, other: &Tensor) {
        if !self.same(other) && self.has_cells_of(other) {
            // A tensor that already has a base keeps it.
            let _ = self.0.base.set(other.base().unwrap_or(other).clone());
        }
    }

    /// True when both lie in one storage.
    pub fn has_cells_of(&self, other: &Tensor) -> bool {
        let storage = |t: &Tensor| t.look(|_, form| if let Form::Strided(s) = form { Some(s.storage.serial()) } else { None });
        matches!((storage(self), storage(other)), (Some(a), Some(b)) if a == b)
    }

    /// What the language keeps with this very tensor: the attributes that the user gave it.
    pub fn own<T: Any>(&self) -> Option<&T> {
        self.0.own.get()?.downcast_ref()
    }

    /// As [`Tensor::own`], made empty when it is not there.
    pub fn own_or_new<T: Any + Default>(&self) -> Option<&T> {
        self.0.own.get_or_init(|| Rc::new(T::default())).downcast_ref()
    }

    /// Fills the gradient slot.
    pub fn set_grad(&self, grad: Grad) {
        *self.0.grad.borrow_mut() = Some(Box::new(grad));
    }
}

/// Fails when the storage was made too small for a tensor after the two were joined: only [`Storage::resize`] does that.
#[cold]
fn check_reach(dtype: DType, form: &Strided) -> Result<()> {
    let (last, bytes) = (form.layout.extent().map_or(-1, |(_, high)| high as i128), form.storage.nbytes());
    if (last + 1) * dtype.size() as i128 > bytes as i128 {
        fault!(RuntimeError, "the tensor reaches cell {last} of a storage of {bytes} bytes, which was resized");
    }
    Ok(())
}

fn check_extent(storage: &Storage, dtype: DType, layout: &Layout) -> Result<()> {
    let Some((low, high)) = layout.extent() else { return Ok(()) };
    let needed = (high as i128 + 1) * dtype.size() as i128;
    if low < 0 || needed > storage.nbytes() as i128 {
        fault!(
            RuntimeError,
            "setStorage: sizes {:?}, strides {:?}, storage offset {}, and itemsize {} requiring a storage size of {needed} are out of bounds for storage of size {}",
            layout.sizes.as_slice(),
            layout.strides.as_slice(),
            layout.offset,
            dtype.size(),
            storage.nbytes()
        );
    }
    Ok(())
}
