//! `%trace`: what each operation of a statement did to memory.

use super::{Call, source, usage};
use crate::lang::Interp;
use crate::ops::schema::{Alias, Default};
use crate::ops::trace::{Step as Ran, record};
use crate::show::picture::{self, Deed, Step, counted};
use crate::show::report::Look;
use crate::show::{Doc, number, object};
use crate::syntax;
use crate::tensor::Tensor;
use crate::value::{Outcome, Value};

/// Columns of an argument at most.
const ARGUMENT: usize = 16;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    match call.rest {
        "" => return Err(usage("trace", "%trace needs a statement, on or off")),
        "on" => call.shell.trace.set(true),
        "off" => call.shell.trace.set(false),
        statement => {
            let source = source("trace", statement);
            let block = syntax::parse(&source, &super::super::session::options())?;
            let look = call.shell.look.get();
            let (result, card) = recorded(call.interp, look, |interp| interp.run_statements(&block, &source));
            call.print(&card);
            return result;
        }
    }
    Ok(())
}

/// Runs something and draws the steps of every operation in it.
pub fn recorded<T>(interp: &mut Interp, look: Look, run: impl FnOnce(&mut Interp) -> T) -> (T, Doc) {
    let (result, ran) = record(|| run(interp));
    let steps: Vec<Step> = ran.iter().map(step).collect();
    (result, picture::trace(&steps, look.width))
}

/// A step as the picture shows it.
pub(super) fn step(ran: &Ran) -> Step {
    let results = tensors(&ran.result);
    let tensor = results.first().cloned();
    let deed = deed(ran, tensor.as_ref());
    let mut step = Step { text: text(ran, results.len()), deed, tensor, copied: 0 };
    if deed == Deed::Copy || (deed == Deed::Write && ran.name.starts_with("copy")) {
        step.copied = bytes(&step);
    }
    step
}

/// Bytes of a step's result.
pub(super) fn bytes(step: &Step) -> usize {
    step.tensor.as_ref().map_or(0, |t| t.numel() as usize * t.dtype().size())
}

fn tensors(value: &Value) -> Vec<Tensor> {
    match value {
        Value::Tensor(t) => vec![t.clone()],
        other => other.items().unwrap_or_default().iter().flat_map(tensors).collect(),
    }
}

fn deed(ran: &Ran, result: Option<&Tensor>) -> Deed {
    let Some(result) = result else { return Deed::Value };
    if ran.wrote {
        return Deed::Write;
    }
    let given: Vec<Tensor> = ran.args.iter().flat_map(tensors).collect();
    if given.iter().any(|t| t.same(result)) {
        return Deed::Same;
    }
    let shares = |t: &Tensor| matches!((t.storage(), result.storage()), (Ok(a), Ok(b)) if a.same(&b));
    if given.iter().any(shares) {
        return Deed::View;
    }
    // An operation that may give a view but did not, and those whose very purpose it is, copied.
    let may_view = ran.op.schema().is_ok_and(|s| s.returns.iter().any(|r| r.kind.alias == Alias::Shared));
    if may_view || COPYING.contains(&ran.name) { Deed::Copy } else { Deed::New }
}

/// Operations that are there to copy and never give a view.
const COPYING: &[&str] = &["clone", "repeat", "cat", "stack", "tile", "flip", "roll"];

/// The operation as written: `.narrow(0, 1, 2)`, `torch.zeros(2, 3)`. Arguments that are as when left out are left out.
fn text(ran: &Ran, results: usize) -> String {
    let params = ran.op.schema().map(|schema| schema.params.as_slice()).unwrap_or_default();
    let given: Vec<&Value> = ran
        .args
        .iter()
        .enumerate()
        .skip(usize::from(ran.op.is_method()))
        .filter(|(k, value)| !params.get(*k).and_then(|p| p.default.as_ref()).is_some_and(|d| is_default(value, d)))
        .map(|(_, value)| value)
        .collect();
    let arguments = match given.as_slice() {
        // A list that is the only argument may be written without parentheses.
        [only] => only.items().and_then(|items| numbers(&items)).unwrap_or_else(|| argument(only)),
        several => several.iter().map(|value| argument(value)).collect::<Vec<_>>().join(", "),
    };
    let count = if results > 1 { format!(" x{results}") } else { String::new() };
    match (ran.op.is_property(), ran.op.is_method()) {
        (true, _) => format!(".{}{count}", ran.name),
        (false, true) => format!(".{}({arguments}){count}", ran.name),
        (false, false) => format!("torch.{}({arguments}){count}", ran.name),
    }
}

fn is_default(value: &Value, default: &Default) -> bool {
    match (value, default) {
        (Value::None, Default::None) => true,
        (Value::Bool(a), Default::Bool(b)) => a == b,
        (Value::Int(a), Default::Int(b)) => a == b,
        (Value::Float(a), Default::Float(b)) => a == b,
        (Value::Str(a), Default::Str(b)) => **a == *b,
        _ => false,
    }
}

/// An argument in short: numbers as they are, short lists of them, tensors by their size.
fn argument(value: &Value) -> String {
    match value {
        Value::Int(i) => i.to_string(),
        Value::Float(f) => number::float(*f),
        Value::Bool(b) => (if *b { "True" } else { "False" }).to_string(),
        Value::None => "None".to_string(),
        Value::DType(d) => d.to_string(),
        Value::Tensor(t) => object::tuple(&t.sizes()),
        other => match other.items() {
            Some(items) if items.iter().any(|item| matches!(item, Value::Tensor(_))) => counted(items.len(), "tensor"),
            Some(items) => numbers(&items).map_or("..".to_string(), |text| format!("({text})")),
            None => "..".to_string(),
        },
    }
}

/// Some numbers with commas between them; none when they are not numbers or too many.
fn numbers(items: &[Value]) -> Option<String> {
    let texts: Option<Vec<String>> = items.iter().map(|item| item.as_number().map(|_| argument(item))).collect();
    texts.map(|texts| texts.join(", ")).filter(|text| text.len() <= ARGUMENT)
}
