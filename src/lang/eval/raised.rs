//! An exception on its way through the evaluator.
//!
//! What an expression gives fits two registers only if an exception takes no room in it: one that is raised waits beside, and what
//! travels is a mark. `?` turns the one into the other.

use crate::value::{Outcome, Raise};
use std::cell::Cell;

thread_local! {
    static WAITING: Cell<Option<Raise>> = const { Cell::new(None) };
}

/// The mark of an exception that was raised. There is one at a time: a mark that is put aside while other code runs is turned into
/// its [`Raise`] first. Dropping it drops the exception.
#[must_use]
pub struct Raised(());

impl From<Raise> for Raised {
    #[cold]
    fn from(raise: Raise) -> Raised {
        WAITING.set(Some(raise));
        Raised(())
    }
}

impl From<anyhow::Error> for Raised {
    #[cold]
    fn from(error: anyhow::Error) -> Raised {
        Raised::from(Raise::from(error))
    }
}

impl From<Raised> for Raise {
    #[cold]
    fn from(raised: Raised) -> Raise {
        std::mem::forget(raised);
        WAITING.take().unwrap_or_else(|| Raise::from(err!(RuntimeError, "an exception was lost on its way")))
    }
}

impl Drop for Raised {
    fn drop(&mut self) {
        WAITING.take();
    }
}

/// A result whose exception waits beside.
pub(in crate::lang) type Swift<T> = Result<T, Raised>;

/// The same result with the exception in it, to be looked at or kept while other code runs.
pub(in crate::lang) trait WithRaise<T> {
    /// The result with its exception.
    fn with_raise(self) -> Outcome<T>;
}

impl<T> WithRaise<T> for Swift<T> {
    #[inline(always)]
    fn with_raise(self) -> Outcome<T> {
        self.map_err(Raise::from)
    }
}
