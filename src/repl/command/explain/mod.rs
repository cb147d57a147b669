//! `%explain x.t().view(-1)`, `%explain a + b`, `%explain x[1, ::2]`: why memory allows it, or does not.
//!
//! The parts of the expression are evaluated, each once; the operation itself is not done. What it would give is found with
//! tensors that have no memory, so an explanation takes no longer for a large tensor.

mod act;
mod index;
mod shadow;

use super::address::variables;
use super::reader::{Reader, with_what_is_missing};
use super::step::tensors;
use super::{Call, usage};
use crate::diag::{Diagnostic, ErrorClass};
use crate::dtype::DType;
use crate::layout::{Dims, infer_sizes, wrap_dim};
use crate::ops::{self, Args, FromValue, OpSet};
use crate::settings;
use crate::show::picture::{self, Effect, Joining, Named, Operand, Reading, Reduction, Writing};
use crate::show::{Doc, Style};
use crate::syntax;
use crate::tensor::Tensor;
use crate::value::{CallRef, Outcome, Raise, Value};
use act::{Act, Verb};
use shadow::Tried;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if call.rest.is_empty() {
        return Err(usage("explain", "%explain needs an expression"));
    }
    let reader = Reader::new("explain", call.rest);
    let doc = explained(call, &reader)?;
    call.print(&doc);
    Ok(())
}

/// The explanation of a text: an expression, an augmented assignment, or a write into elements.
pub(super) fn explained(call: &mut Call, reader: &Reader) -> Outcome<Doc> {
    let block = syntax::parse(&reader.source, &syntax::Options::default())
        .map_err(|refusal| with_what_is_missing(&reader.source.text, refusal))?;
    let [statement] = block.as_slice() else { return Err(nothing_to_say()) };
    let Some(act) = act::of_statement(call, reader, statement)? else { return Err(nothing_to_say()) };
    let is_write = reader.kept.is_some_and(|kept| kept.written.is_some());
    let text = format!("{}{}", reader.source.text.trim(), if is_write { " = .." } else { "" });
    let text = text.as_str();
    let has_tensor = act.parts.iter().any(|part| !tensors(&part.value).is_empty());
    if !has_tensor && !matches!(act.verb, Verb::Call(..)) {
        return Err(nothing_to_say());
    }
    match &act.verb {
        Verb::Index => index::explained(call, &act, text),
        Verb::InPlace(_) | Verb::Write => written(call, &act, text),
        Verb::Binary(_) | Verb::Compare(_) | Verb::Unary(_) => pointwise(call, &act, text),
        Verb::Call(set, method) => called(call, &act, set, *method, text),
    }
}

fn nothing_to_say() -> Raise {
    let message =
        "%explain knows operations on tensors: x.view(...), x[1, ::2], a + b, a @ b, x.sum(1), torch.cat([a, b]), x += y";
    Diagnostic::new(ErrorClass::ValueError, message).help("%trace shows what any statement does to memory").into()
}

/// Pictures of calls: the rows, and how they are explained.
type Explainer = fn(&mut Call, &Act, &Args, &Tried, &str) -> Outcome<Option<Doc>>;

const EXPLAINERS: &[(&[&str], Explainer)] = &[
    (&["view", "view_as", "reshape", "reshape_as", "flatten", "ravel"], reading),
    (&["matmul", "mm", "mv", "bmm", "dot"], multiplied),
    (&["cat", "stack", "hstack", "vstack", "dstack"], joined),
    (&["where", "clamp", "lerp"], |call, act, _, _, text| pointwise(call, act, text).map(Some)),
];

/// A call of an operation of the table.
fn called(call: &mut Call, act: &Act, set: &'static OpSet, method: bool, text: &str) -> Outcome<Doc> {
    let positional: Vec<Value> = act.parts.iter().map(|part| part.value.clone()).collect();
    let args = ops::bind(set, method, CallRef { positional: &positional, keyword: &act.keywords });
    let tried = shadow::tried(call, act);
    // An operation whose arguments do not fit any row has no more to it than its refusal.
    let Ok(args) = args else { return generic(call, act, &tried, text) };
    if set.inplace || args.op.schema().is_ok_and(|s| s.writes) {
        return written(call, act, text);
    }
    let special = EXPLAINERS.iter().find(|(names, _)| names.contains(&args.op.name())).map(|(_, explain)| *explain);
    let explain: Option<Explainer> = match args.op.form {
        _ if special.is_some() => special,
        ops::Form::Map(_) => return pointwise(call, act, text),
        _ if ops::reduce::ROWS.iter().any(|row| std::ptr::eq(row, args.op)) => Some(reduced),
        _ => None,
    };
    let drawn = match explain {
        Some(explain) => explain(call, act, &args, &tried, text)?,
        None => None,
    };
    match drawn {
        Some(doc) => Ok(doc),
        None => generic(call, act, &tried, text),
    }
}

/// Any operation: its tensors, its results, and what happens to memory.
fn generic(call: &mut Call, act: &Act, tried: &Tried, text: &str) -> Outcome<Doc> {
    let mut tensors = vec![];
    for part in &act.parts {
        collect(&mut tensors, &part.name, &part.value);
    }
    let label = tried.storage.as_ref().map(|storage| storage.label());
    Ok(picture::outcome(text, &tensors, &tried.effect, (tried.memory, label), call.width())?)
}

/// The tensors in a value, each with the text that gives it.
fn collect(found: &mut Vec<Named>, name: &str, value: &Value) {
    match value {
        Value::Tensor(tensor) => found.push(Named { name: name.to_string(), tensor: tensor.clone() }),
        other => {
            let items = other.items().unwrap_or_default();
            let texts = texts_of_list(name, items.len());
            for (k, item) in items.iter().enumerate() {
                let text = texts.get(k).cloned().unwrap_or_else(|| format!("{name}[{k}]"));
                collect(found, &text, item);
            }
        }
    }
}

/// The texts of the items of a list that is written out with names or calls; none when it is not.
fn texts_of_list(text: &str, count: usize) -> Vec<String> {
    let source = crate::diag::Source::new("<list>", text);
    let parsed = syntax::parse_expression(&source, crate::diag::Span::new(0, text.len()));
    match parsed.map(|expr| expr.kind) {
        Ok(syntax::ast::ExprKind::List(items) | syntax::ast::ExprKind::Tuple(items)) if items.len() == count => {
            items.iter().map(|item| text.get(item.span.range()).unwrap_or_default().to_string()).collect()
        }
        _ => vec![],
    }
}

/// A tensor or a number as an operand; none for anything else.
fn operand(name: &str, value: &Value) -> Option<Operand> {
    match value {
        Value::Tensor(tensor) => Some(Operand::tensor(name, tensor)),
        Value::Bool(_) => Some(Operand::number(name, DType::Bool)),
        Value::Int(_) | Value::BigInt(_) => Some(Operand::number(name, DType::I64)),
        Value::Float(_) => Some(Operand::number(name, settings::default_dtype())),
        Value::Complex(_) => Some(Operand::number(name, settings::default_dtype().to_complex())),
        _ => None,
    }
}

fn operands(act: &Act) -> Vec<Operand> {
    act.parts.iter().filter_map(|part| operand(&part.name, &part.value)).collect()
}

/// Operands lined up, element by element.
fn pointwise(call: &mut Call, act: &Act, text: &str) -> Outcome<Doc> {
    let tried = shadow::tried(call, act);
    // Sparse tensors have no strides to line up.
    if act.parts.iter().flat_map(|part| tensors(&part.value)).any(|tensor| tensor.is_sparse()) {
        return generic(call, act, &tried, text);
    }
    let operands = operands(act);
    if act.name() == "matmul" {
        return match <[Operand; 2]>::try_from(operands) {
            Ok(pair) => Ok(picture::product(text, &pair, &tried.effect, call.width())),
            Err(_) => Err(nothing_to_say()),
        };
    }
    // A number is no operand of its own where it says how an operation works: x.clamp(0, 1) has one.
    let kept: Vec<Operand> = match &act.verb {
        Verb::Call(..) if act.parts.len() > 2 => act
            .parts
            .iter()
            .filter_map(|p| matches!(p.value, Value::Tensor(_)).then(|| operand(&p.name, &p.value)).flatten())
            .collect(),
        _ => operands,
    };
    Ok(picture::broadcast(text, &kept, &tried.effect, call.width()))
}

/// A product of matrices by a call.
fn multiplied(call: &mut Call, act: &Act, args: &Args, tried: &Tried, text: &str) -> Outcome<Option<Doc>> {
    let (Some(a), Some(b)) = (Tensor::from_value(args.value(0)), Tensor::from_value(args.value(1))) else { return Ok(None) };
    let name = |k: usize| act.parts.get(k).map_or(String::new(), |part| part.name.clone());
    let pair = [Operand::tensor(name(0), &a), Operand::tensor(name(1), &b)];
    Ok(Some(picture::product(text, &pair, &tried.effect, call.width())))
}

/// Other sizes for the same elements.
fn reading(call: &mut Call, act: &Act, args: &Args, tried: &Tried, text: &str) -> Outcome<Option<Doc>> {
    let (Some(tensor), Some(first)) = (Tensor::from_value(args.value(0)), act.parts.first()) else { return Ok(None) };
    if tensor.is_sparse() {
        let mut doc = generic(call, act, tried, text)?;
        let rest = text.strip_prefix(first.name.as_str()).unwrap_or_default();
        let way = format!("way on: %explain {}.to_dense(){rest}", picture::atom(&first.name));
        picture::sentence(&mut doc, Style::Plain, &way, call.width());
        return Ok(Some(doc));
    }
    let layout = tensor.layout();
    let (sizes, may_copy): (anyhow::Result<Dims>, bool) = match (args.op.name(), args.value(1)) {
        ("view", Value::Size(sizes)) => (infer_sizes(sizes, layout.numel()), false),
        ("view_as", Value::Tensor(other)) => (infer_sizes(&other.sizes(), layout.numel()), false),
        ("reshape", Value::Size(sizes)) => (infer_sizes(sizes, layout.numel()), true),
        ("reshape_as", Value::Tensor(other)) => (infer_sizes(&other.sizes(), layout.numel()), true),
        ("flatten", _) => (layout.flatten(args.get(1)?, args.get(2)?).map(|(sizes, _)| sizes), true),
        ("ravel", _) => (Ok(Dims::from_slice(&[layout.numel()])), true),
        _ => return Ok(None),
    };
    // Sizes that hold another number of elements are refused, whatever the strides.
    let Ok(sizes) = sizes else { return Ok(None) };
    let base = Named { name: first.name.clone(), tensor };
    let reading = Reading { base: &base, text, sizes: &sizes, may_copy };
    Ok(Some(picture::verdict(&reading, call.width())?))
}

/// Tensors put side by side.
fn joined(call: &mut Call, act: &Act, args: &Args, tried: &Tried, text: &str) -> Outcome<Option<Doc>> {
    let Some(first) = act.parts.first() else { return Ok(None) };
    let mut parts = vec![];
    collect(&mut parts, &first.name, &first.value);
    let ndim = parts.iter().map(|p| p.tensor.ndim()).max().unwrap_or(0);
    let (dim, stacked, ndim) = match args.op.name() {
        "cat" => (args.get::<i64>(1)?, false, ndim),
        "stack" => (args.get::<i64>(1)?, true, ndim + 1),
        "hstack" => (i64::from(ndim > 1), false, ndim),
        "dstack" => (2, ndim < 3, 3),
        _ => (0, ndim < 2, ndim.max(2)),
    };
    let Ok(dim) = wrap_dim(dim, ndim) else { return Ok(None) };
    if parts.is_empty() {
        return Ok(None);
    }
    Ok(Some(picture::joining(&Joining { text, parts: &parts, dim, stacked }, &tried.effect, call.width())))
}

/// One value of all elements along some dims.
fn reduced(call: &mut Call, act: &Act, args: &Args, tried: &Tried, text: &str) -> Outcome<Option<Doc>> {
    let (Some(tensor), Some(first)) = (Tensor::from_value(args.value(0)), act.parts.first()) else { return Ok(None) };
    let params = &args.op.schema()?.params;
    let value = |name: &str| params.iter().position(|p| p.name == name).map(|place| args.value(place).clone());
    let ndim = tensor.ndim();
    let mut reduced = vec![false; ndim];
    let dims: Vec<i64> = match value("dim") {
        Some(Value::Int(dim)) => vec![dim],
        Some(Value::Size(dims)) => dims.to_vec(),
        _ => vec![],
    };
    for dim in &dims {
        match wrap_dim(*dim, ndim).ok().and_then(|place| reduced.get_mut(place)) {
            Some(mark) => *mark = true,
            None => return Ok(None),
        }
    }
    if dims.is_empty() {
        reduced.fill(true);
    }
    let keepdim = matches!(value("keepdim"), Some(Value::Bool(true)));
    let base = Named { name: first.name.clone(), tensor };
    // What gives other sizes than these reduces in a way of its own.
    let sizes = base.tensor.sizes();
    let left = sizes.iter().zip(&reduced).filter(|(_, r)| !**r || keepdim).map(|(s, r)| if *r { 1 } else { *s });
    if let Effect::Gives(results) = &tried.effect
        && !results.iter().all(|result| result.sizes().iter().copied().eq(left.clone()))
    {
        return Ok(None);
    }
    let it = Reduction { text, base: &base, reduced: &reduced, keepdim };
    Ok(Some(picture::reduction(&it, &tried.effect, call.width())))
}

/// A write: `x += y`, `x.add_(y)`, `x[i] = y`.
fn written(call: &mut Call, act: &Act, text: &str) -> Outcome<Doc> {
    let tried = shadow::tried(call, act);
    let Some(first) = act.parts.first() else { return Err(nothing_to_say()) };
    let Value::Tensor(tensor) = &first.value else { return generic(call, act, &tried, text) };
    let (target, rest) = match (&act.verb, act.parts.as_slice()) {
        (Verb::Write, [_, index, value]) => match index::view(tensor, &index.value) {
            Some(view) => (Named { name: format!("{}[{}]", first.name, index.name), tensor: view }, std::slice::from_ref(value)),
            None => return generic(call, act, &tried, text),
        },
        (_, [_, rest @ ..]) => (Named { name: first.name.clone(), tensor: tensor.clone() }, rest),
        _ => return Err(nothing_to_say()),
    };
    if tensor.is_sparse() {
        return generic(call, act, &tried, text);
    }
    let storage = tensor.storage()?;
    let other = |named: &Named| named.name != first.name && named.tensor.storage().is_ok_and(|s| s.same(&storage));
    let seen: Vec<String> = variables(call.interp).into_iter().filter(other).map(|named| named.name).collect();
    let operands: Vec<Operand> = rest.iter().filter_map(|part| operand(&part.name, &part.value)).collect();
    let writing = Writing { text, target: &target, operands: &operands, seen: &seen };
    Ok(picture::writing(&writing, &tried.effect, call.width())?)
}
