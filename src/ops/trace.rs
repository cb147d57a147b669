//! What operations did: the steps that `%trace` shows. Off unless somebody records.

use super::Op;
use crate::value::Value;
use std::cell::RefCell;

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

thread_local! {
    static STEPS: RefCell<Option<Vec<Step>>> = const { RefCell::new(None) };
}

/// Runs `f` and gives the steps of every operation that ran in it.
pub fn record<T>(f: impl FnOnce() -> T) -> (T, Vec<Step>) {
    let before = STEPS.replace(Some(vec![]));
    let result = f();
    (result, STEPS.replace(before).unwrap_or_default())
}

/// True while somebody records.
pub fn is_recording() -> bool {
    STEPS.with_borrow(Option::is_some)
}

/// Notes a step, when somebody records. The closure is called only then.
pub fn note(step: impl FnOnce() -> Step) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            steps.push(step());
        }
    });
}
