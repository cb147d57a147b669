//! `%watch STATEMENT`: what a statement changed, under every name.

use super::address::variables;
use super::{Call, source, usage};
use crate::dtype::Number;
use crate::ops::exec;
use crate::show::picture::{self, Change, Named};
use crate::syntax;
use crate::value::{Machine, Outcome, Value};

/// Elements of a variable that are shown.
const SHOWN: usize = 8;

/// Larger tensors are not compared.
const LARGEST: i64 = 1 << 22;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if call.rest.is_empty() {
        return Err(usage("watch", "%watch needs a statement"));
    }
    let source = source("watch", call.rest);
    let block = syntax::parse(&source, &super::super::session::options())?;
    let mut before = vec![];
    for named in variables(call) {
        if named.tensor.numel() <= LARGEST {
            let bytes = exec::bytes(&named.tensor)?;
            before.push((named, bytes));
        }
    }
    let result = call.interp.run_statements(&block, &source);
    let mut found = vec![];
    for (named, bytes) in before {
        found.extend(change(call, named, &bytes)?);
    }
    call.print(&picture::changes(&found, call.width()));
    result
}

/// What happened to a variable whose elements were `before`; none when nothing did.
fn change(call: &mut Call, named: Named, before: &[u8]) -> Outcome<Option<Change>> {
    let mut change = Change { name: named.name, elements: vec![], count: 0, rebound: false };
    match call.interp.globals.get(&change.name) {
        Some(Value::Tensor(now)) if now.same(&named.tensor) => {}
        _ => return Ok(Some(Change { rebound: true, ..change })),
    }
    let (dtype, layout) = (named.tensor.dtype(), named.tensor.layout());
    let after = exec::bytes(&named.tensor)?;
    if after.len() != before.len() {
        return Ok(Some(Change { rebound: true, ..change }));
    }
    let size = dtype.size();
    for (n, (old, new)) in before.chunks_exact(size).zip(after.chunks_exact(size)).enumerate() {
        if old == new {
            continue;
        }
        change.count += 1;
        if change.elements.len() < SHOWN {
            let index = layout.nth_index(n as i64).iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            let mut text = |bytes: &[u8]| call.interp.repr(&Value::from(Number::read(dtype, bytes)));
            change.elements.push([index, text(old)?, text(new)?]);
        }
    }
    Ok((change.count > 0).then_some(change))
}
