//! The steps of a statement: what each operation did to memory, and the text by which it is shown.

use crate::lang::Interp;
use crate::ops::index;
use crate::ops::schema::{Alias, Default};
use crate::ops::trace::{Step as Ran, observed};
use crate::show::picture::{Bytes, Deed, Named, Place, Step, counted};
use crate::show::{number, object};
use crate::tensor::{Storage, Tensor};
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// Columns of an argument at most.
const ARGUMENT: usize = 16;

/// Steps that are shown; of further ones only the bytes count.
const MOST: usize = 60;

/// What the operations of a statement did.
#[derive(Default)]
pub(super) struct Steps {
    /// The first of them.
    pub shown: Vec<Step>,
    /// How many there were.
    pub count: usize,
    /// Their bytes.
    pub bytes: Bytes,
    /// The tensors that they gave, and what the first of them began with, when that was asked for.
    pub tensors: Vec<Named>,
    /// How many are kept to be shown; storages are numbered when they are shown for the first time.
    most: usize,
    /// True when what assignments to elements write is counted, which may mean to count the truths of a mask.
    weighs: bool,
    /// True when the tensors are kept.
    keeps: bool,
    names: Names,
}

/// What is wanted of the operations of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A row for each.
    Steps,
    /// The tensors themselves.
    Cells,
    /// The bytes that they made, copied, shared and wrote.
    Bytes,
    /// As little as costs no time.
    Time,
}

/// Runs something and looks at every operation in it. Nothing is kept of a step but its text and its numbers, and that only
/// when the steps are to be shown.
pub(super) fn watched<T>(interp: &mut Interp, wanted: Wanted, run: impl FnOnce(&mut Interp) -> T) -> (T, Steps) {
    let names = Names { variables: variables(interp), results: vec![] };
    let most = if matches!(wanted, Wanted::Steps | Wanted::Cells) { MOST } else { 0 };
    let (weighs, keeps) = (wanted != Wanted::Time, wanted == Wanted::Cells);
    let steps = Rc::new(RefCell::new(Steps { names, most, weighs, keeps, ..Steps::default() }));
    let seen = steps.clone();
    let result = observed(Rc::new(RefCell::new(move |ran: &Ran| seen.borrow_mut().see(ran))), || run(interp));
    (result, steps.take())
}

fn variables(interp: &Interp) -> Vec<(u64, String)> {
    let tensor = |(name, value): (&Rc<str>, &Value)| match value {
        Value::Tensor(tensor) => Some((tensor.serial(), name.to_string())),
        _ => None,
    };
    interp.globals.variables().filter_map(tensor).collect()
}

impl Steps {
    fn see(&mut self, ran: &Ran) {
        let results = tensors(&ran.result);
        let result = results.first();
        let deed = deed(ran, result);
        let bytes: usize = results.iter().map(size).sum();
        let new = if matches!(deed, Deed::New | Deed::Copy) { bytes } else { 0 };
        let (place, written) = match deed {
            Deed::Write if self.weighs => written(ran).unwrap_or((result.cloned(), bytes)),
            _ => (result.cloned(), 0),
        };
        let copied = match deed {
            Deed::Copy => bytes,
            Deed::Write if copies(ran, place.as_ref()) => written,
            _ => 0,
        };
        self.count += 1;
        self.bytes.new += new;
        self.bytes.copied += copied;
        self.bytes.shared += if deed == Deed::View { bytes } else { 0 };
        self.bytes.written += written;
        self.bytes.at_most |= written > 0 && (PARTLY.iter().any(|name| ran.name.starts_with(name)) || masks_itself(ran));
        if self.shown.len() < self.most {
            let text = text(ran, results.len(), &self.names);
            if self.keeps {
                self.keep(ran, &text, result);
            }
            let place = place.map(|t| Place { on: t.storage().ok().map(|s| s.label()), layout: t.layout() });
            self.shown.push(Step { text, deed, place, new, copied, written });
            self.names.results.extend(results.iter().map(|t| (t.serial(), self.count)));
        }
    }
}

impl Steps {
    /// Keeps what a step began with, unless it is there already, and what it gave.
    fn keep(&mut self, ran: &Ran, text: &str, result: Option<&Tensor>) {
        let is_kept = |kept: &[Named], t: &Tensor| kept.iter().any(|named| named.tensor.same(t));
        for tensor in ran.args.iter().flat_map(tensors) {
            if let Some(name) = self.names.of(&tensor).filter(|_| !is_kept(&self.tensors, &tensor)) {
                self.tensors.push(Named { name, tensor });
            }
        }
        if let Some(tensor) = result.filter(|t| !is_kept(&self.tensors, t)) {
            self.tensors.push(Named { name: format!("{} {text}", self.count), tensor: tensor.clone() });
        }
    }
}

/// Bytes of a tensor's elements; of a sparse one those that it has.
fn size(tensor: &Tensor) -> usize {
    match tensor.sparse() {
        Some(sparse) => sparse.indices.iter().chain([&sparse.values]).map(size).sum(),
        None => tensor.numel() as usize * tensor.dtype().size(),
    }
}

/// Operations that write some of the elements that they are given to write.
const PARTLY: &[&str] = &["masked_", "index_", "scatter", "put_"];

/// Where an assignment to elements wrote, and how many bytes.
fn written(ran: &Ran) -> Option<(Option<Tensor>, usize)> {
    let ("__setitem__", [Value::Tensor(x), index, _]) = (ran.name, ran.args.as_slice()) else { return None };
    let (view, count) = index::target(x, index).ok()?;
    let count = if masks_itself(ran) { view.numel() } else { count };
    Some((Some(view), count as usize * x.dtype().size()))
}

/// True for `x[x] = ...`, which changes the mask that it goes by.
fn masks_itself(ran: &Ran) -> bool {
    let [Value::Tensor(x), index, ..] = ran.args.as_slice() else { return false };
    ran.name == "__setitem__" && tensors(index).iter().any(|mask| shares(mask, x))
}

/// True when what was written are a tensor's elements. The `x[i] = ...` that ends `x[i] += y` writes a view onto itself.
fn copies(ran: &Ran, place: Option<&Tensor>) -> bool {
    match ran.args.as_slice() {
        [_, _, Value::Tensor(value)] if ran.name == "__setitem__" => {
            !place.is_some_and(|p| shares(p, value) && p.layout() == value.layout())
        }
        _ => ran.name.starts_with("copy"),
    }
}

/// True when two tensors have a storage in common.
pub(super) fn shares(a: &Tensor, b: &Tensor) -> bool {
    let storages = |t: &Tensor| -> Vec<Storage> {
        let parts = t.sparse().map_or(vec![t.clone()], |s| s.indices.iter().chain([&s.values]).cloned().collect());
        parts.iter().filter_map(|part| part.storage().ok()).collect()
    };
    let of_b = storages(b);
    storages(a).iter().any(|one| of_b.iter().any(|other| one.same(other)))
}

/// The tensors in a value.
pub(super) fn tensors(value: &Value) -> Vec<Tensor> {
    match value {
        Value::Tensor(t) => vec![t.clone()],
        Value::Named(named) => named.values.iter().flat_map(tensors).collect(),
        // A numpy array is a tensor, too.
        Value::Object(object) => object.as_array().into_iter().collect(),
        other => other.items().unwrap_or_default().iter().flat_map(tensors).collect(),
    }
}

/// What an operation did.
pub(super) fn deed(ran: &Ran, result: Option<&Tensor>) -> Deed {
    if ran.wrote {
        return Deed::Write;
    }
    let Some(result) = result else { return Deed::Value };
    let given: Vec<Tensor> = ran.args.iter().flat_map(tensors).collect();
    if given.iter().any(|t| t.same(result)) {
        return Deed::Same;
    }
    if given.iter().any(|t| shares(t, result)) {
        return Deed::View;
    }
    // An operation that may give a view but did not, and those whose very purpose it is, copied.
    let may_view = ran.op.schema().is_ok_and(|s| s.returns.iter().any(|r| r.kind.alias == Alias::Shared));
    let copies = COPYING.contains(&ran.name) && !given.is_empty();
    if may_view || copies { Deed::Copy } else { Deed::New }
}

/// Operations that are there to copy and never give a view of the tensors that they are given.
pub(super) const COPYING: &[&str] = &["clone", "repeat", "cat", "stack", "tile", "flip", "roll", "tensor"];

/// Rows with an operator of their own.
const SYMBOLS: &[(&str, &str)] = &[
    ("add", "+"),
    ("sub", "-"),
    ("mul", "*"),
    ("div", "/"),
    ("floor_divide", "//"),
    ("remainder", "%"),
    ("pow", "**"),
    ("matmul", "@"),
    ("eq", "=="),
    ("ne", "!="),
    ("lt", "<"),
    ("le", "<="),
    ("gt", ">"),
    ("ge", ">="),
    ("bitwise_and", "&"),
    ("bitwise_or", "|"),
    ("bitwise_xor", "^"),
];

/// What tensors are called: by variables, and by the steps that gave them.
#[derive(Default)]
pub(super) struct Names {
    variables: Vec<(u64, String)>,
    results: Vec<(u64, usize)>,
}

impl Names {
    fn of(&self, tensor: &Tensor) -> Option<String> {
        let serial = tensor.serial();
        let variable = self.variables.iter().find(|(s, _)| *s == serial).map(|(_, name)| name.clone());
        variable.or_else(|| self.results.iter().rev().find(|(s, _)| *s == serial).map(|(_, step)| format!("({step})")))
    }

    /// True for what the last step gave, which the next one need not name.
    fn is_last(&self, tensor: &Tensor) -> bool {
        let serial = tensor.serial();
        self.results.last().is_some_and(|(s, _)| *s == serial) && !self.variables.iter().any(|(s, _)| *s == serial)
    }
}

/// The operation as written: `x[1:]`, `.narrow(0, 1, 2)`, `* 2`, `torch.zeros(2, 3)`. What the step before gave is not named;
/// arguments that are as when left out are left out.
pub(super) fn text(ran: &Ran, results: usize, names: &Names) -> String {
    let method = ran.op.is_method() || ran.op.is_property();
    let object = match ran.args.first() {
        Some(Value::Tensor(t)) if method => {
            if names.is_last(t) {
                String::new()
            } else {
                names.of(t).unwrap_or_else(|| object::tuple(&t.sizes()))
            }
        }
        _ => String::new(),
    };
    let given = given(ran);
    let count = if results > 1 { format!(" x{results}") } else { String::new() };
    match (ran.name, given.as_slice()) {
        ("__getitem__", [index]) => return format!("{object}[{}]", subscript(index, names)),
        ("__setitem__", [index, value]) => {
            return format!("{object}[{}] = {}", subscript(index, names), argument(value, names));
        }
        ("rsub", [x, other]) => {
            return format!("{} - {}", argument(other, names), argument(x, names));
        }
        (name, [other]) if method => {
            let (bare, sign) = name.strip_suffix('_').map_or((name, ""), |bare| (bare, "="));
            if let Some((_, symbol)) = SYMBOLS.iter().find(|(row, _)| *row == bare) {
                return format!("{object} {symbol}{sign} {}", argument(other, names)).trim_start().to_string();
            }
        }
        _ => {}
    }
    let arguments = match given.as_slice() {
        // A list that is the only argument may be written without parentheses.
        [only] => only.items().and_then(|items| numbers(&items)).unwrap_or_else(|| argument(only, names)),
        several => several.iter().map(|value| argument(value, names)).collect::<Vec<_>>().join(", "),
    };
    match (ran.op.is_property(), ran.op.is_method()) {
        (true, _) => format!("{object}.{}{count}", ran.name),
        (false, true) => format!("{object}.{}({arguments}){count}", ran.name),
        (false, false) => format!("torch.{}({arguments}){count}", ran.name),
    }
}

/// The arguments that are not as when left out, without the object of a method.
fn given(ran: &Ran) -> Vec<&Value> {
    let params = ran.op.schema().map(|schema| schema.params.as_slice()).unwrap_or_default();
    let skipped = usize::from(ran.op.is_method() || ran.op.is_property());
    let args = ran.args.iter().enumerate().skip(skipped);
    args.filter(|(k, value)| !params.get(*k).and_then(|p| p.default.as_ref()).is_some_and(|d| is_default(value, d)))
        .map(|(_, value)| value)
        .collect()
}

/// True when an argument is what it would be when left out.
pub(super) fn is_default(value: &Value, default: &Default) -> bool {
    match (value, default) {
        (Value::None, Default::None) => true,
        (Value::Bool(a), Default::Bool(b)) => a == b,
        (Value::Int(a), Default::Int(b)) => a == b,
        (Value::Float(a), Default::Float(b)) => a == b,
        (Value::Str(a), Default::Str(b)) => **a == *b,
        _ => false,
    }
}

/// What stands between `[` and `]`.
fn subscript(index: &Value, names: &Names) -> String {
    match index {
        Value::Tuple(items) => items.iter().map(|item| subscript(item, names)).collect::<Vec<_>>().join(", "),
        Value::Ellipsis => "...".to_string(),
        Value::Slice(parts) => {
            let part = |k: usize| if matches!(parts[k], Value::None) { String::new() } else { argument(&parts[k], names) };
            let step = part(2);
            format!("{}:{}{}", part(0), part(1), if step.is_empty() { step } else { format!(":{step}") })
        }
        Value::List(items) => numbers(&items.borrow()).map_or("[..]".to_string(), |text| format!("[{text}]")),
        other => argument(other, names),
    }
}

/// An argument in short: numbers as they are, short lists of them, tensors by their name or size.
fn argument(value: &Value, names: &Names) -> String {
    match value {
        Value::Int(i) => i.to_string(),
        Value::Float(f) => number::float(*f),
        Value::Bool(b) => (if *b { "True" } else { "False" }).to_string(),
        Value::None => "None".to_string(),
        Value::DType(d) => d.to_string(),
        Value::Tensor(t) => names.of(t).unwrap_or_else(|| object::tuple(&t.sizes())),
        other => match other.items() {
            Some(items) if items.iter().any(|item| matches!(item, Value::Tensor(_))) => {
                let named: Option<Vec<String>> =
                    items.iter().map(|item| if let Value::Tensor(t) = item { names.of(t) } else { None }).collect();
                let text = named.map(|names| format!("[{}]", names.join(", "))).filter(|text| text.len() <= ARGUMENT);
                text.unwrap_or_else(|| counted(items.len(), "tensor"))
            }
            Some(items) => numbers(&items).map_or("..".to_string(), |text| format!("({text})")),
            None => "..".to_string(),
        },
    }
}

/// Some numbers with commas between them; none when they are not numbers or too many.
fn numbers(items: &[Value]) -> Option<String> {
    let none = Names::default();
    let texts: Option<Vec<String>> = items.iter().map(|item| item.as_number().map(|_| argument(item, &none))).collect();
    texts.map(|texts| texts.join(", ")).filter(|text| text.len() <= ARGUMENT)
}
