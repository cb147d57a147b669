//! `torch.random.fork_rng`: what is drawn inside leaves no trace.

use super::generator::with_generator;
use crate::ops::scoped::scoped;
use crate::value::Value;

/// The context manager; one that is not enabled does nothing.
pub(super) fn fork(enabled: bool) -> Value {
    let state = move || enabled.then(|| with_generator(&Value::None, |g| g.clone()));
    scoped(state, |state| with_generator(&Value::None, |g| *g = state))
}
