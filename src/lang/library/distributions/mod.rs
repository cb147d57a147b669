//! `torch.distributions`: how numbers are drawn, and how likely they are. What each distribution computes is text of the language.

mod constraint;
mod continuous;
mod discrete;
mod divergence;
mod matrices;
mod relaxed;
mod seldom;
mod several;
mod transform;

use super::construct::{self, Unless};
use super::written::{Written, attribute, method};
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, row};
use crate::value::{Outcome, Value};

const ROOT: &str = "torch.distributions";

/// The name of a module of distributions.
macro_rules! module {
    ($name:literal) => {
        concat!("torch.distributions.", $name)
    };
}

/// What the parameters must satisfy, in the order in which they are shown.
macro_rules! constraints {
    ($($name:literal: $text:literal),*) => {
        $crate::lang::library::written::attribute("arg_constraints", concat!("{", $("'", $name, "': torch.distributions.constraints.", $text, ", ",)* "}"))
    };
}

/// A text about a value that the distribution must be able to give.
macro_rules! checked {
    ($($text:expr),+) => {
        concat!("self._validate_sample(value)\n", $($text),+)
    };
}

/// A text behind one that gives `shape`, the size of what is drawn.
macro_rules! drawn {
    ($($text:expr),+) => {
        concat!("shape = self._extended_shape(sample_shape)\n", $($text),+)
    };
}

/// A text that gives the settings as tensors of one size.
macro_rules! tensors {
    ($names:literal) => {
        concat!("[*torch.distributions.utils.broadcast_all(", $names, ")]")
    };
}
use {checked, constraints, drawn, module, tensors};

/// What every distribution can do.
static DISTRIBUTION: Written = Written {
    name: "Distribution",
    module: module!("distribution"),
    base: None,
    settings: &[("batch_shape", EMPTY), ("event_shape", EMPTY), ("validate_args", Unless::None)],
    holds: &["_batch_shape", "_event_shape"],
    make: "[torch.Size(batch_shape), torch.Size(event_shape)]",
    members: &[
        attribute("_check", CHECK),
        attribute("__repr__", REPR),
        method("_extended_shape", &[("sample_shape", EMPTY)], "torch.Size(sample_shape) + self.batch_shape + self.event_shape"),
        method("_validate_sample", &[("value", Unless::Required)], VALIDATE),
        method("sample", &[("sample_shape", EMPTY)], "with torch.no_grad():\n    drawn = self.rsample(sample_shape)\ndrawn"),
        method("sample_n", &[("n", Unless::Required)], "self.sample((n,))"),
        method("rsample", &[("sample_shape", EMPTY)], "raise NotImplementedError"),
        method("log_prob", &[("value", Unless::Required)], "raise NotImplementedError"),
        method("cdf", &[("value", Unless::Required)], "raise NotImplementedError"),
        method("icdf", &[("value", Unless::Required)], "raise NotImplementedError"),
        method("entropy", &[], "raise NotImplementedError"),
        method("perplexity", &[], "torch.exp(self.entropy())"),
        method("enumerate_support", &[("expand", Unless::Bool(true))], "raise NotImplementedError"),
        method("expand", &[("batch_shape", Unless::Required), ("_instance", Unless::None)], EXPAND),
        attribute("arg_constraints", "{}"),
        attribute("support", "raise NotImplementedError"),
        attribute("batch_shape", "getattr(self, '_batch_shape', torch.Size())"),
        attribute("event_shape", "getattr(self, '_event_shape', torch.Size())"),
        attribute("has_rsample", "False"),
        attribute("has_enumerate_support", "False"),
        attribute("mean", "raise NotImplementedError"),
        attribute("mode", "raise NotImplementedError(f'{type(self)} does not implement mode')"),
        attribute("variance", "raise NotImplementedError"),
        attribute("stddev", "self.variance.sqrt()"),
    ],
};

const EMPTY: Unless = Unless::Empty;
const VALUE: construct::Settings = &[("value", Unless::Required)];
const SHAPE: construct::Settings = &[("sample_shape", EMPTY)];

const CHECK: &str = "\
if validate_args is not False:
    for name, constraint in self.arg_constraints.items():
        value = getattr(self, name) if name in given else None
        if value is not None and not constraint.check(value).all():
            raise ValueError(f'Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid values:\\n{value}')
    getattr(self, '_positive', None)";

const REPR: &str = "\
shown = [(name, getattr(self, name)) for name in self.arg_constraints if name in self._names]
texts = [f'{name}: {value if value.numel() == 1 else value.size()}' for name, value in shown]
f'{type(self).__name__}({\", \".join(texts)})'";

const VALIDATE: &str = "\
if validate_args is not False:
    if not isinstance(value, torch.Tensor):
        raise ValueError('The value argument to log_prob must be a Tensor')
    shape = value.size()
    if shape[len(shape) - len(self.event_shape):] != self.event_shape:
        raise ValueError(f'The right-most size of value must match event_shape: {shape} vs {self.event_shape}.')
    expected = self.batch_shape + self.event_shape
    if any(i != 1 and j != 1 and i != j for i, j in zip(reversed(shape), reversed(expected))):
        raise ValueError(f'Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.')
    if not self.support.check(value).all():
        raise ValueError(f'Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within the support ({self.support!r}) of the distribution {self!r}, but found invalid values:\\n{value}')";

const EXPAND: &str = "\
size, old = torch.Size(batch_shape), len(self.batch_shape)
held = []
for value in self._held:
    if isinstance(value, torch.Tensor):
        value = value.expand(size + value.shape[old:])
    elif isinstance(value, torch.distributions.Distribution):
        value = value.expand(size)
    held.append(value)
self._with(held)";

/// Every distribution.
fn kinds() -> impl Iterator<Item = &'static Written> {
    std::iter::once(&DISTRIBUTION).chain(
        continuous::KINDS
            .iter()
            .chain(discrete::KINDS)
            .chain(several::KINDS)
            .chain(matrices::KINDS)
            .chain(relaxed::KINDS)
            .chain(seldom::KINDS)
            .chain(transform::KINDS)
            .copied(),
    )
}

static UTILS: Table = Table {
    owner: "",
    rows: Table::sorted(&[
        row("broadcast_all", Takes::Any, |c| {
            let values = c.args();
            let fits = |value: &Value| matches!(value, Value::Tensor(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_));
            if !values.iter().all(fits) {
                fault!(
                    ValueError,
                    "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
                );
            }
            c.machine.eval_code(BROADCAST, &[("values", Value::list(values))])
        }),
        row("clamp_probs", def(&["probs"], 1, 1), |c| shares(c, CLAMP)),
        row("logits_to_probs", def(&["logits", "is_binary"], 1, 2), |c| {
            shares(c, "torch.sigmoid(x) if is_binary else torch.softmax(x, dim=-1)")
        }),
        row("probs_to_logits", def(&["probs", "is_binary"], 1, 2), |c| shares(c, TO_LOGITS)),
    ]),
};

/// The value of a text about shares or their logits `x`, of two outcomes or of those along the last dimension.
fn shares(c: &mut Call, text: &'static str) -> Outcome {
    let x = c.get(0).cloned().unwrap_or(Value::None);
    let is_binary = c.get(1).cloned().unwrap_or(Value::Bool(false));
    c.machine.eval_code(text, &[("x", x), ("is_binary", is_binary)])
}

const CLAMP: &str = "eps = torch.finfo(x.dtype).eps\nx.clamp(min=eps, max=1 - eps)";

const TO_LOGITS: &str = "\
eps = torch.finfo(x.dtype).eps
clamped = x.clamp(min=eps, max=1 - eps)
torch.log(clamped) - torch.log1p(-clamped) if is_binary else torch.log(clamped)";

const BROADCAST: &str = "\
given = [value for value in values if isinstance(value, torch.Tensor)]
dtype = given[0].dtype if given else torch.get_default_dtype()
torch.broadcast_tensors(*[value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=dtype) for value in values])";

/// What is in a module by its dotted name; none for modules that are not of distributions.
pub fn members(module: &str) -> Option<Vec<(&'static str, Value)>> {
    if !module.starts_with(ROOT) {
        return None;
    }
    // Only in modules of their own.
    let is_apart = |kind: &Written| kind.name.starts_with('_') || relaxed::APART.contains(&kind.name);
    let within = |kind: &&Written| module == kind.module || module == ROOT && !is_apart(kind);
    let mut found: Vec<_> = kinds().filter(within).map(|kind| (kind.name, construct::class(kind))).collect();
    let functions = |table: &'static Table| table.rows.iter().map(move |row| (row.name, Builtin::function(table, row)));
    match module.strip_prefix(ROOT) {
        Some("" | ".kl") => found.extend(functions(&divergence::FUNCTIONS)),
        Some(".utils") => found.extend(functions(&UTILS)),
        Some(".constraints") => found.extend(constraint::members()),
        _ => {}
    }
    (!found.is_empty()).then_some(found)
}
