//! `%watch STATEMENT`: what a statement changed, under every name.

use super::address::variables;
use super::{Call, source, usage};
use crate::dtype::Number;
use crate::lang::Interp;
use crate::ops::exec;
use crate::repl::shell::TsrShell;
use crate::show::Doc;
use crate::show::picture::{self, Change, Named};
use crate::syntax;
use crate::value::{Machine, Outcome, Value};

/// Elements of a variable that are shown.
const SHOWN: usize = 8;

/// Larger tensors are not compared.
const LARGEST: i64 = 1 << 22;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    match call.rest {
        "" => Err(usage("watch", "%watch needs a statement, on or off")),
        "on" | "off" => {
            call.shell.watch.set(call.rest == "on");
            Ok(())
        }
        statement => {
            let source = source("watch", statement);
            let block = syntax::parse(&source, &super::super::session::options())?;
            let before = Snapshot::of(call.interp);
            let result = call.interp.run_statements(&block, &source);
            let doc = before.compared(call.interp, call.width())?;
            call.print(&doc);
            result
        }
    }
}

/// Runs a statement, and lists what it changed when `%watch on` asked for it.
pub(super) fn watched<T>(interp: &mut Interp, shell: &TsrShell, run: impl FnOnce(&mut Interp) -> T) -> T {
    if !shell.watch.get() {
        return run(interp);
    }
    let before = Snapshot::of(interp);
    let result = run(interp);
    if let Ok(changes) = before.changes(interp)
        && !changes.is_empty()
    {
        let doc = picture::changes(&changes, &[], shell.look.get().width);
        shell.print(interp, &doc);
    }
    result
}

/// The strided tensors that make up a variable, each with its elements.
type Parts = Vec<(Named, Vec<u8>)>;

/// The elements of every variable.
struct Snapshot {
    tensors: Vec<(Named, Parts)>,
    /// Names of those that are too large.
    others: Vec<String>,
}

impl Snapshot {
    fn of(interp: &Interp) -> Snapshot {
        let (mut tensors, mut others) = (vec![], vec![]);
        for named in variables(interp) {
            let parts: Vec<Named> = named.parts();
            let is_small = parts.iter().all(|part| part.tensor.numel() <= LARGEST);
            let bytes: Option<Vec<Vec<u8>>> =
                if is_small { parts.iter().map(|part| exec::bytes(&part.tensor).ok()).collect() } else { None };
            match bytes {
                Some(bytes) => tensors.push((named, parts.into_iter().zip(bytes).collect())),
                // Where there is no memory nothing can change.
                None if is_small => {}
                None => others.push(named.name),
            }
        }
        Snapshot { tensors, others }
    }

    fn compared(self, interp: &mut Interp, width: usize) -> Outcome<Doc> {
        let changes = self.changes(interp)?;
        Ok(picture::changes(&changes, &self.others, width))
    }

    fn changes(&self, interp: &mut Interp) -> Outcome<Vec<Change>> {
        let mut found = vec![];
        for (named, parts) in &self.tensors {
            let fate = match interp.globals.get(&named.name) {
                Some(Value::Tensor(now)) if now.same(&named.tensor) => None,
                Some(Value::Tensor(_)) => Some("now another tensor"),
                Some(_) => Some("no tensor any more"),
                None => Some("gone"),
            };
            if fate.is_some() {
                found.push(Change { name: named.name.clone(), elements: vec![], count: 0, fate });
                continue;
            }
            for (part, bytes) in parts {
                found.extend(change(interp, part, bytes)?);
            }
        }
        Ok(found)
    }
}

/// What happened to a tensor whose elements were `before`; none when nothing did.
fn change(interp: &mut Interp, named: &Named, before: &[u8]) -> Outcome<Option<Change>> {
    let mut change = Change { name: named.name.clone(), elements: vec![], count: 0, fate: None };
    let (dtype, layout) = (named.tensor.dtype(), named.tensor.layout());
    let after = exec::bytes(&named.tensor)?;
    if after.len() != before.len() {
        return Ok(Some(Change { fate: Some("of another size now"), ..change }));
    }
    let size = dtype.size();
    for (n, (old, new)) in before.chunks_exact(size).zip(after.chunks_exact(size)).enumerate() {
        if old == new {
            continue;
        }
        change.count += 1;
        if change.elements.len() < SHOWN {
            let index = layout.nth_index(n as i64).iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            let index = if index.is_empty() { "()".to_string() } else { index };
            let mut text = |bytes: &[u8]| interp.repr(&Value::from(Number::read(dtype, bytes)));
            change.elements.push([index, text(old)?, text(new)?]);
        }
    }
    Ok((change.count > 0).then_some(change))
}
