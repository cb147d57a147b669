//! What nobody holds any more and still has something to run: generators in the middle of a `try`, objects with a `__del__`. They wait for
//! the evaluator, which looks for them between statements and behind calls.

use super::classes;
use super::generator;
use super::interp::Interp;
use std::cell::Cell;

thread_local! {
    static ANY: Cell<bool> = const { Cell::new(false) };
}

/// Notes that something waits.
pub(in crate::lang) fn note() {
    // It fails at the end of the thread.
    let _ = ANY.try_with(|any| any.set(true));
}

impl Interp {
    /// Runs what waits.
    #[inline(always)]
    pub(in crate::lang) fn end_left(&mut self) {
        if ANY.get() {
            self.end_all_left();
        }
    }

    #[cold]
    #[inline(never)]
    fn end_all_left(&mut self) {
        let given = self.taken();
        while ANY.replace(false) {
            generator::end_dropped(self);
            classes::end_dropped(self);
        }
        self.given = given;
    }
}
