//! Several elementwise operations of one expression as one program.
//!
//! While an expression is evaluated (a [`Scope`] is open), an elementwise operation on large tensors is not computed at once:
//! its result is a tensor that is promised. When its elements are needed, for a fold, for a copy into another tensor, or because
//! the expression ends, everything promised that leads to it becomes one program and memory is walked once. Everything else
//! about the operation (dtype, size, strides, errors) was settled when it was called, each instruction is rounded to its own
//! dtype, and so the bits are those of operations run one by one.
//!
//! Nothing stays promised when the outermost scope closes, when something is written, or when a function of the user runs.

use super::make::empty_layout;
use super::map::launch;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::kernel::program::{Instruction, Program, Source};
use crate::kernel::scalar::Scalar;
use crate::layout::Layout;
use crate::ops::trace;
use crate::scalar;
use crate::tensor::{Promise, Strided, Tensor, WeakTensor};
use anyhow::Result;
use smallvec::{SmallVec, smallvec};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};

/// From this many elements on, walking memory less often is worth more than what a promise costs.
const LEAST: i64 = 1 << 14;

/// Longest program, and most tensors it reads: beyond them registers no longer fit the innermost cache.
const MAX_STEPS: usize = 24;
const MAX_INPUTS: usize = 8;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static PROMISED: RefCell<Vec<WeakTensor>> = const { RefCell::new(Vec::new()) };
    /// Whether there may be some: every call of a user's function asks, and a list would have to be looked up first.
    static WAITING: Cell<bool> = const { Cell::new(false) };
}

static FROM: LazyLock<AtomicI64> = LazyLock::new(|| {
    let off = std::env::var_os("TSR_FUSE").is_some_and(|v| v == "0");
    AtomicI64::new(if off { i64::MAX } else { LEAST })
});

/// Results of at least this many elements are promised. `i64::MAX` turns fusion off, as the environment variable `TSR_FUSE=0` does.
pub fn fuse_from(numel: i64) {
    FROM.store(numel, Ordering::Relaxed);
}

/// An expression being evaluated.
pub struct Scope(());

impl Scope {
    /// Opens a scope, inside of another or not.
    #[inline]
    pub fn open() -> Scope {
        DEPTH.set(DEPTH.get() + 1);
        Scope(())
    }

    /// Closes it; the outermost one keeps what was promised. Fails when memory or patience of the user run out.
    #[inline]
    pub fn close(self) -> Result<()> {
        if DEPTH.get() == 1 { keep_all() } else { Ok(()) }
    }
}

impl Drop for Scope {
    #[inline]
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// True inside of a [`Scope`].
#[inline]
pub fn is_open() -> bool {
    DEPTH.get() > 0
}

/// Runs `f` as if no scope were open, for code whose statements are none of the expression's business.
pub fn outside<T>(f: impl FnOnce() -> T) -> Result<T> {
    struct Back(u32);
    impl Drop for Back {
        fn drop(&mut self) {
            DEPTH.set(self.0);
        }
    }
    keep_all()?;
    let _back = Back(DEPTH.replace(0));
    Ok(f())
}

/// Computes everything promised, the youngest first: what was only a step on the way to it is gone then.
pub fn keep_all() -> Result<()> {
    while WAITING.get() {
        match PROMISED.with_borrow_mut(Vec::pop) {
            Some(tensor) => tensor.upgrade().map_or(Ok(()), |tensor| tensor.keep())?,
            None => WAITING.set(false),
        }
    }
    Ok(())
}

/// True where a result of so many elements may be promised.
#[inline]
pub(super) fn may_promise(numel: usize) -> bool {
    is_open() && numel as i64 >= FROM.load(Ordering::Relaxed)
}

/// An argument of a promised operation.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    Tensor(Tensor),
    /// A number, exact or not.
    Number(Source),
}

/// A promised operation.
#[derive(Debug)]
pub(super) struct Step {
    pub scalar: &'static Scalar,
    pub args: SmallVec<[Arg; 4]>,
    pub compute: DType,
    pub result: DType,
    pub layout: Rc<Layout>,
    /// Instructions and inputs that its program will have, at most.
    steps: usize,
    inputs: usize,
    /// An element's place in its row decides how it is computed; then it is a line.
    minds_rows: bool,
    /// All that it reads, on the way, too, are the result's elements one after the other, or numbers.
    is_line: bool,
}

static CAST: Scalar = scalar! { cast(a), Promote, "a"; any: a };

/// The promise of an operation's result, if it is worth one.
pub(super) fn promise(
    scalar: &'static Scalar,
    args: impl FnOnce() -> SmallVec<[Arg; 4]>,
    (compute, result): (DType, DType),
    device: DeviceId,
    layout: impl FnOnce() -> Layout,
    numel: i64,
) -> Result<Option<Tensor>> {
    if !is_open() || numel < FROM.load(Ordering::Relaxed) || device != DeviceId::Cpu || trace::is_recording() {
        return Ok(None);
    }
    let (args, layout) = (args(), Rc::new(layout()));
    let is_line = are_one_line(&args, &layout);
    let minds_rows = scalar.rest(compute).is_some() || is_line && args.iter().any(|arg| has(arg, |step| step.minds_rows));
    match minds_rows {
        true if !is_line => return Ok(None),
        true => keep_if(&args, |step| !step.is_line)?,
        false if !is_line => keep_if(&args, |step| step.minds_rows)?,
        false => {}
    }
    let is_line = is_line && !args.iter().any(|arg| has(arg, |step| !step.is_line));
    let weigh = |sizes: &[i64]| {
        let tensors = args.iter().filter_map(|a| if let Arg::Tensor(t) = a { Some(t) } else { None });
        tensors.fold((1, 0), |(steps, inputs), t| match step_of(t, sizes) {
            Some(step) => (steps + as_step(&*step).map_or(0, |s| s.steps), inputs + as_step(&*step).map_or(1, |s| s.inputs)),
            None => (steps, inputs + 1),
        })
    };
    let (mut steps, mut inputs) = weigh(&layout.sizes);
    if steps > MAX_STEPS || inputs > MAX_INPUTS {
        for arg in &args {
            if let Arg::Tensor(t) = arg {
                t.keep()?;
            }
        }
        (steps, inputs) = weigh(&layout.sizes);
    }
    let tensor =
        Tensor::promised(result, Rc::new(Step { scalar, args, compute, result, layout, steps, inputs, minds_rows, is_line }));
    PROMISED.with_borrow_mut(|all| all.push(tensor.downgrade()));
    WAITING.set(true);
    Ok(Some(tensor))
}

/// True when all tensors are rows of the result's elements, one after the other.
fn are_one_line(args: &[Arg], layout: &Layout) -> bool {
    let fits = |arg: &Arg| match arg {
        Arg::Tensor(t) => {
            let own = t.layout();
            own.is_contiguous() && own.sizes == layout.sizes
        }
        Arg::Number(_) => true,
    };
    layout.is_contiguous() && args.iter().all(fits)
}

/// True for what is promised, if that step is such a one.
fn has(arg: &Arg, is_such: impl Fn(&Step) -> bool) -> bool {
    matches!(arg, Arg::Tensor(t) if t.promise().is_some_and(|p| as_step(&*p).is_some_and(is_such)))
}

/// Computes those arguments that are promised by such steps, before they become part of a program that walks other rows.
fn keep_if(args: &[Arg], is_such: impl Fn(&Step) -> bool) -> Result<()> {
    for arg in args.iter().filter(|arg| has(arg, &is_such)) {
        if let Arg::Tensor(t) = arg {
            t.keep()?;
        }
    }
    Ok(())
}

/// The promise of a cast.
pub(super) fn promise_cast(tensor: &Tensor, to: DType, layout: impl FnOnce() -> Layout) -> Result<Option<Tensor>> {
    let args = || smallvec![Arg::Tensor(tensor.clone())];
    promise(&CAST, args, (to, to), tensor.device(), layout, tensor.numel())
}

/// The promise behind a tensor of just these sizes; one that is repeated to reach them is better computed once.
fn step_of(tensor: &Tensor, sizes: &[i64]) -> Option<Rc<dyn Promise>> {
    tensor.promise().filter(|p| p.layout().sizes.as_slice() == sizes)
}

fn as_step(promise: &dyn Promise) -> Option<&Step> {
    promise.as_any().downcast_ref()
}

impl Promise for Step {
    fn layout(&self) -> &Rc<Layout> {
        &self.layout
    }

    fn device(&self) -> DeviceId {
        DeviceId::Cpu
    }

    fn keep(&self) -> Result<Strided> {
        let graph = Graph::of_step(self)?;
        let out = empty_layout((*self.layout).clone(), self.result, DeviceId::Cpu)?;
        launch(&graph.program(self.result)?, &out, &graph.inputs)?;
        out.strided()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Promised operations as instructions.
pub(super) struct Graph {
    /// What they read.
    pub inputs: SmallVec<[Tensor; 4]>,
    /// What they do; the last one is the result.
    pub steps: SmallVec<[Instruction; 8]>,
    /// The promises that steps stand for, so that one which is used twice is computed once.
    seen: SmallVec<[(*const (), Source); 8]>,
}

impl Graph {
    /// What leads to a tensor, if it is promised and may be computed in other rows than its own.
    pub fn of(tensor: &Tensor) -> Result<Option<Graph>> {
        match tensor.promise() {
            Some(promise) => as_step(&*promise).filter(|step| !step.minds_rows).map(Graph::of_step).transpose(),
            None => Ok(None),
        }
    }

    fn of_step(step: &Step) -> Result<Graph> {
        let mut graph = Graph { inputs: SmallVec::new(), steps: SmallVec::new(), seen: SmallVec::new() };
        graph.add(step, &step.layout.sizes)?;
        Ok(graph)
    }

    /// The program that stores the result as this dtype.
    pub fn program(&self, output: DType) -> Result<Program> {
        Program::new(&self.dtypes(), &self.steps, output)
    }

    /// The dtypes of the inputs.
    pub fn dtypes(&self) -> SmallVec<[DType; 4]> {
        self.inputs.iter().map(Tensor::dtype).collect()
    }

    fn add(&mut self, step: &Step, sizes: &[i64]) -> Result<Source> {
        let mut args = SmallVec::new();
        for arg in &step.args {
            args.push(match arg {
                Arg::Number(number) => *number,
                Arg::Tensor(tensor) => self.source(tensor, sizes)?,
            });
        }
        self.steps.push(Instruction { scalar: step.scalar, args, compute: step.compute, result: step.result });
        Ok(Source::Step(self.steps.len() - 1))
    }

    fn source(&mut self, tensor: &Tensor, sizes: &[i64]) -> Result<Source> {
        if let Some(promise) = step_of(tensor, sizes)
            && let Some(step) = as_step(&*promise)
        {
            let key = Rc::as_ptr(&promise) as *const ();
            if let Some((_, source)) = self.seen.iter().find(|(k, _)| *k == key) {
                return Ok(*source);
            }
            let source = self.add(step, sizes)?;
            self.seen.push((key, source));
            return Ok(source);
        }
        tensor.keep()?;
        let place = self.inputs.iter().position(|t| t.same(tensor));
        Ok(Source::Input(place.unwrap_or_else(|| {
            self.inputs.push(tensor.clone());
            self.inputs.len() - 1
        })))
    }
}
