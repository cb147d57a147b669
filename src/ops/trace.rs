//! What operations did: the steps that `%trace` shows. Off unless somebody looks.

use super::Op;
use crate::tensor::{Tensor, WeakTensor};
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// One operation that ran.
#[derive(Clone)]
pub struct Step {
    /// The name as called: `add_`.
    pub name: &'static str,
    /// The row.
    pub op: &'static Op,
    /// The bound arguments.
    pub args: Vec<Value>,
    /// What it gave.
    pub result: Value,
    /// True when it wrote into an argument.
    pub wrote: bool,
}

/// Whoever looks at each step as it happens. It keeps what it wants to keep: tensors that it lets go are freed as ever.
pub type Observer = Rc<RefCell<dyn FnMut(&Step)>>;

thread_local! {
    static OBSERVER: RefCell<Option<Observer>> = const { RefCell::new(None) };
}

/// Runs `f` and shows each operation that runs in it to an observer.
pub fn observed<T>(observer: Observer, f: impl FnOnce() -> T) -> T {
    let before = OBSERVER.replace(Some(observer));
    let result = f();
    OBSERVER.set(before);
    result
}

/// Runs `f` and gives the steps of every operation that ran in it.
pub fn record<T>(f: impl FnOnce() -> T) -> (T, Vec<Step>) {
    let steps: Rc<RefCell<Vec<Step>>> = Rc::default();
    let kept = steps.clone();
    let result = observed(Rc::new(RefCell::new(move |step: &Step| kept.borrow_mut().push(step.clone()))), f);
    (result, steps.take())
}

/// True while somebody looks.
pub fn is_recording() -> bool {
    OBSERVER.with_borrow(Option::is_some)
}

/// Notes a step of a row, when somebody looks, or when it is a view whose origin is kept. The closure is called only then.
#[inline]
pub fn note(op: &'static Op, step: impl FnOnce() -> Step) {
    let keeps = ORIGINS_LEFT.get() > 0 && op.schema().is_ok_and(|schema| schema.is_view);
    if !keeps && !is_recording() {
        return;
    }
    let observer = OBSERVER.with_borrow(Clone::clone);
    let step = step();
    if keeps {
        note_origin(&step);
    }
    if let Some(observer) = observer
        // An observer that runs operations itself is not shown them.
        && let Ok(mut see) = observer.try_borrow_mut()
    {
        see(&step);
    }
}

/// The view that a tensor is: an operation and the tensor it was applied to.
pub struct Origin {
    /// The operation. Its first argument is left out, so that an origin keeps no memory alive.
    pub step: Step,
    /// The tensor before it.
    pub before: Point,
    /// The view.
    pub after: Point,
    /// How the tensor before came to be; none when it is no view, or too many views ago.
    pub parent: Option<Rc<Origin>>,
    depth: usize,
}

/// A tensor without its memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its number.
    pub serial: u64,
    /// Its dtype.
    pub dtype: crate::dtype::DType,
    /// Its layout.
    pub layout: Rc<crate::layout::Layout>,
}

impl Point {
    /// What a tensor is now.
    pub fn of(tensor: &Tensor) -> Point {
        Point { serial: tensor.serial(), dtype: tensor.dtype(), layout: tensor.layout() }
    }
}

/// Views of views that are remembered.
const DEEPEST: usize = 50;

thread_local! {
    static ORIGINS_LEFT: Cell<usize> = const { Cell::new(0) };
    static ORIGINS: RefCell<Origins> = RefCell::default();
}

#[derive(Default)]
struct Origins {
    by_serial: HashMap<u64, (WeakTensor, Rc<Origin>)>,
    /// How many there may be before the dead ones are looked for.
    room: usize,
}

/// From now on the origins of this many views are kept. Keeping one costs as much as a small view does.
pub fn keep_origins(count: usize) {
    ORIGINS_LEFT.set(count);
}

/// How a tensor came to be, if it is a view and origins were kept.
pub fn origin(tensor: &Tensor) -> Option<Rc<Origin>> {
    ORIGINS.with_borrow(|origins| origins.by_serial.get(&tensor.serial()).map(|(_, origin)| origin.clone()))
}

fn note_origin(step: &Step) {
    let Some(Value::Tensor(base)) = step.args.first().filter(|_| !step.wrote) else { return };
    let results = step.result.sequence().unwrap_or_else(|| vec![step.result.clone()]);
    for (place, result) in results.iter().enumerate() {
        let Value::Tensor(view) = result else { continue };
        let shares = matches!((base.storage(), view.storage()), (Ok(a), Ok(b)) if a.same(&b));
        if !shares || view.same(base) {
            continue;
        }
        let parent = origin(base).filter(|parent| parent.depth < DEEPEST);
        let args = [Value::None].into_iter().chain(step.args.iter().skip(1).map(without_memory)).collect();
        // Of several views each knows its place among them.
        let result = if results.len() > 1 { Value::Int(place as i64) } else { Value::None };
        let origin = Origin {
            depth: parent.as_ref().map_or(0, |p| p.depth + 1),
            step: Step { args, result, ..*step },
            before: Point::of(base),
            after: Point::of(view),
            parent,
        };
        ORIGINS_LEFT.set(ORIGINS_LEFT.get().saturating_sub(1));
        ORIGINS.with_borrow_mut(|origins| origins.insert(view, Rc::new(origin)));
    }
}

/// An argument that keeps no memory alive: a tensor's sizes stand for it.
fn without_memory(value: &Value) -> Value {
    match value {
        Value::Tensor(tensor) => Value::size(&tensor.sizes()),
        Value::Tuple(items) => Value::tuple(items.iter().map(without_memory).collect()),
        Value::List(items) => Value::tuple(items.borrow().iter().map(without_memory).collect()),
        other => other.clone(),
    }
}

impl Origins {
    fn insert(&mut self, view: &Tensor, origin: Rc<Origin>) {
        if self.by_serial.len() >= self.room.max(64) {
            self.by_serial.retain(|_, (tensor, _)| tensor.upgrade().is_some());
            self.room = 2 * self.by_serial.len();
        }
        self.by_serial.insert(view.serial(), (view.downgrade(), origin));
    }
}
