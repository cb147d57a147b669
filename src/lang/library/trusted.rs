//! `torch.serialization.safe_globals`: classes and functions that are trusted for a while.

use super::construct::{self, Unless};
use super::written::{Written, method};
use crate::value::Value;

static SAFE: Written = Written {
    name: "safe_globals",
    module: "torch.serialization",
    base: None,
    settings: &[("safe_globals", Unless::Required)],
    holds: &["_given", "_before"],
    make: "[safe_globals, []]",
    members: &[
        method(
            "__enter__",
            &[],
            "\
self._before = torch.serialization.get_safe_globals()
torch.serialization.add_safe_globals(_given)
None",
        ),
        method(
            "__exit__",
            &[("told", Unless::Rest)],
            "\
torch.serialization.clear_safe_globals()
torch.serialization.add_safe_globals(_before)
None",
        ),
    ],
};

/// What `torch.serialization` has besides operations.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    (module == "torch.serialization").then(|| vec![("safe_globals", construct::class(&SAFE))])
}
