//! Calls as they were written years ago, with factors between the operands, which PyTorch still takes.

use super::bind::first_that_takes;
use super::{Args, OpSet};
use crate::value::{CallArgs, Value};
use anyhow::Result;
use std::rc::Rc;

/// The order of the arguments by place, of which none may be left out.
#[rustfmt::skip] // one form a line
const FORMS: &[(&str, &[&str])] = &[
    ("add", &["input", "alpha", "other"]),
    ("addbmm", &["beta", "input", "alpha", "batch1", "batch2"]),
    ("addbmm", &["beta", "input", "batch1", "batch2"]),
    ("addcdiv", &["input", "value", "tensor1", "tensor2"]),
    ("addcmul", &["input", "value", "tensor1", "tensor2"]),
    ("addmm", &["beta", "input", "alpha", "mat1", "mat2"]),
    ("addmm", &["beta", "input", "mat1", "mat2"]),
    ("addmv", &["beta", "input", "alpha", "mat", "vec"]),
    ("addmv", &["beta", "input", "mat", "vec"]),
    ("addr", &["beta", "input", "alpha", "vec1", "vec2"]),
    ("addr", &["beta", "input", "vec1", "vec2"]),
    ("baddbmm", &["beta", "input", "alpha", "batch1", "batch2"]),
    ("baddbmm", &["beta", "input", "batch1", "batch2"]),
    ("rsub", &["input", "other", "alpha"]),
    ("sub", &["input", "alpha", "other"]),
];

fn forms(set: &OpSet) -> impl Iterator<Item = &'static [&'static str]> {
    let name = if set.inplace { set.name.trim_end_matches('_') } else { set.name };
    FORMS.iter().filter(move |(known, _)| *known == name).map(|(_, order)| *order)
}

/// True for an operation that is still called as of old.
pub(super) fn has_old_forms(set: &OpSet) -> bool {
    forms(set).next().is_some()
}

/// The arguments of a call of old, bound to a row.
pub(super) fn bind(set: &'static OpSet, method: bool, call: &CallArgs) -> Result<Option<Args>> {
    for order in forms(set) {
        let receiver = &call.positional[..(method as usize).min(call.positional.len())];
        let given = &call.positional[receiver.len()..];
        let names: Vec<&str> = order.iter().copied().filter(|name| !(method && *name == "input")).collect();
        let named = call.keyword.iter().filter(|(name, _)| &**name != "out").count();
        if given.len() > names.len() || given.len() + named != names.len() {
            continue;
        }
        let placed = names.iter().zip(given).map(|(name, value): (&&str, &Value)| (Rc::from(*name), value.clone()));
        let keyword = placed.chain(call.keyword.iter().cloned()).collect();
        let call = CallArgs { positional: receiver.to_vec(), keyword };
        if let Some(bound) = first_that_takes(set, method, call.by_ref())? {
            return Ok(Some(bound));
        }
    }
    Ok(None)
}
