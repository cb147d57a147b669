//! `torch.distributions.constraints`: which values a parameter or a sample may have.

use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::types::call::{Builtin, Table, def, row};
use crate::lang::types::repr;
use crate::ops::exec;
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use std::any::Any;
use std::rc::Rc;

/// A kind of constraint.
pub struct Kind {
    /// Its class's name, without the underscore.
    name: &'static str,
    /// The name under which it is made; empty when that is not done.
    factory: &'static str,
    bounds: Settings,
    discrete: bool,
    /// How many dimensions of a value are looked at together.
    event_dim: i64,
    /// A text that tells for each value whether it fits.
    check: &'static str,
}

const fn kind(
    name: &'static str,
    factory: &'static str,
    bounds: Settings,
    discrete: bool,
    event_dim: i64,
    check: &'static str,
) -> Kind {
    Kind { name, factory, bounds, discrete, event_dim, check }
}

const LOWER: Settings = &[("lower_bound", Unless::Required)];
const UPPER: Settings = &[("upper_bound", Unless::Required)];
const BOTH: Settings = &[("lower_bound", Unless::Required), ("upper_bound", Unless::Required)];
const SQUARE: &str = "value.new_full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=torch.bool)";

/// A text of a matrix that must be symmetric first.
macro_rules! symmetric {
    ($text:literal) => {
        concat!(
            "fits = value.new_full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=torch.bool)\n",
            "if fits.all():\n    fits = torch.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)\n",
            $text,
            "fits"
        )
    };
}

/// Every kind.
static KINDS: &[Kind] = &[
    kind("Real", "", &[], false, 0, "value == value"),
    kind("Boolean", "", &[], true, 0, "(value == 0) | (value == 1)"),
    kind("Simplex", "", &[], false, 1, "torch.all(value >= 0, dim=-1) & ((value.sum(-1) - 1).abs() < 1e-6)"),
    kind("OneHot", "", &[], true, 1, "((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)"),
    kind(
        "PositiveDefinite",
        "",
        &[],
        false,
        2,
        symmetric!("if fits.all():\n    fits = torch.linalg.cholesky_ex(value).info.eq(0)\n"),
    ),
    kind(
        "PositiveSemidefinite",
        "",
        &[],
        false,
        2,
        symmetric!("if fits.all():\n    fits = torch.linalg.eigvalsh(value).ge(0).all(-1)\n"),
    ),
    kind("Symmetric", "", &[], false, 2, symmetric!("")),
    kind("Square", "", &[], false, 2, SQUARE),
    kind("LowerTriangular", "", &[], false, 2, "(value.tril() == value).flatten(-2).all(-1)"),
    kind(
        "LowerCholesky",
        "",
        &[],
        false,
        2,
        "(value.tril() == value).flatten(-2).all(-1) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)",
    ),
    kind("CorrCholesky", "", &[], false, 2, CORR_CHOLESKY),
    kind("Dependent", "", &[], false, 0, "raise ValueError('Cannot determine validity of dependent constraint')"),
    kind(
        "DependentProperty",
        "dependent_property",
        &[("is_discrete", Unless::None), ("event_dim", Unless::None)],
        false,
        0,
        "raise ValueError('Cannot determine validity of dependent constraint')",
    ),
    kind("GreaterThan", "greater_than", LOWER, false, 0, "lower_bound < value"),
    kind("GreaterThanEq", "greater_than_eq", LOWER, false, 0, "lower_bound <= value"),
    kind("LessThan", "less_than", UPPER, false, 0, "value < upper_bound"),
    kind("Interval", "interval", BOTH, false, 0, "(lower_bound <= value) & (value <= upper_bound)"),
    kind("HalfOpenInterval", "half_open_interval", BOTH, false, 0, "(lower_bound <= value) & (value < upper_bound)"),
    kind(
        "IntegerInterval",
        "integer_interval",
        BOTH,
        true,
        0,
        "(value % 1 == 0) & (lower_bound <= value) & (value <= upper_bound)",
    ),
    kind("IntegerGreaterThan", "", LOWER, true, 0, "(value % 1 == 0) & (value >= lower_bound)"),
    kind("Multinomial", "multinomial", UPPER, true, 1, "(value >= 0).all(dim=-1) & (value.sum(dim=-1) <= upper_bound)"),
    kind(
        "MixtureSameFamilyConstraint",
        "MixtureSameFamilyConstraint",
        &[("base_constraint", Unless::Required)],
        false,
        0,
        MIXTURE,
    ),
    kind(
        "IndependentConstraint",
        "independent",
        &[("base_constraint", Unless::Required), ("reinterpreted_batch_ndims", Unless::Required)],
        false,
        0,
        INDEPENDENT,
    ),
];

const CORR_CHOLESKY: &str = "\
away = (torch.linalg.norm(value.detach(), dim=-1) - 1.0).abs()
torch.distributions.constraints.lower_cholesky.check(value) & away.le(torch.finfo(value.dtype).eps * value.size(-1) * 10).all(dim=-1)";

const MIXTURE: &str = "\
inner = base_constraint.event_dim
fits = base_constraint.check(value.unsqueeze(-1 - inner))
fits.reshape(fits.shape[:value.dim() - inner] + (-1,)).all(-1)";

const INDEPENDENT: &str = "\
fits = base_constraint.check(value)
if fits.dim() < reinterpreted_batch_ndims:
    raise ValueError(f'Expected value.dim() >= {base_constraint.event_dim + reinterpreted_batch_ndims} but got {value.dim()}')
fits.reshape(fits.shape[:fits.dim() - reinterpreted_batch_ndims] + (-1,)).all(-1)";

/// Constraints that are there ready-made: name, kind, bounds.
const READY: &[(&str, &str, &[Unless])] = &[
    ("real", "Real", &[]),
    ("boolean", "Boolean", &[]),
    ("simplex", "Simplex", &[]),
    ("one_hot", "OneHot", &[]),
    ("positive_definite", "PositiveDefinite", &[]),
    ("positive_semidefinite", "PositiveSemidefinite", &[]),
    ("symmetric", "Symmetric", &[]),
    ("square", "Square", &[]),
    ("lower_triangular", "LowerTriangular", &[]),
    ("lower_cholesky", "LowerCholesky", &[]),
    ("corr_cholesky", "CorrCholesky", &[]),
    ("dependent", "Dependent", &[]),
    ("positive", "GreaterThan", &[Unless::Float(0.0)]),
    ("nonnegative", "GreaterThanEq", &[Unless::Float(0.0)]),
    ("unit_interval", "Interval", &[Unless::Float(0.0), Unless::Float(1.0)]),
    ("nonnegative_integer", "IntegerGreaterThan", &[Unless::Int(0)]),
    ("positive_integer", "IntegerGreaterThan", &[Unless::Int(1)]),
];

/// What is in the module.
pub(super) fn members() -> Vec<(&'static str, Value)> {
    let of = |class: &str| KINDS.iter().find(|kind| kind.name == class);
    let ready = READY.iter().filter_map(|(name, class, bounds)| {
        Some((*name, Constraint::made(of(class)?, bounds.iter().filter_map(|bound| bound.value()).collect())))
    });
    let several = of("Real")
        .zip(of("IndependentConstraint"))
        .map(|(real, several)| ("real_vector", Constraint::made(several, vec![Constraint::made(real, vec![]), Value::Int(1)])));
    let classes = KINDS.iter().filter(|kind| !kind.factory.is_empty()).map(|kind| (kind.factory, construct::class(kind)));
    let functions = FUNCTIONS.rows.iter().map(|row| (row.name, Builtin::function(&FUNCTIONS, row)));
    ready.chain(several).chain(classes).chain(functions).collect()
}

static FUNCTIONS: Table = Table {
    owner: "",
    rows: Table::sorted(&[row("is_dependent", def(&["constraint"], 1, 1), |c| {
        let name = c.arg(0).downcast::<Constraint>().map(|constraint| constraint.kind.name);
        Ok(Value::Bool(name.is_some_and(|name| name.starts_with("Dependent"))))
    })]),
};

impl construct::Row for Kind {
    fn name(&self) -> &'static str {
        self.name
    }
    fn module(&self) -> String {
        "torch.distributions.constraints".into()
    }
    fn make(&'static self, _machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let bounds = construct::bind(&format!("_{}.__init__()", self.name), self.bounds, args)?;
        Ok(Constraint::made(self, bounds.into_iter().map(|(_, value)| value).collect()))
    }
    fn of(value: &Value) -> Option<&'static Kind> {
        Some(value.downcast::<Constraint>()?.kind)
    }
}

/// A constraint with its bounds.
struct Constraint {
    kind: &'static Kind,
    bounds: Vec<Value>,
}

impl Constraint {
    fn made(kind: &'static Kind, bounds: Vec<Value>) -> Value {
        Value::object(Constraint { kind, bounds })
    }

    fn names(&self) -> impl Iterator<Item = (&'static str, Value)> {
        self.kind.bounds.iter().map(|(name, _)| *name).zip(self.bounds.iter().cloned())
    }

    /// The constraint that this one asks of several dimensions together.
    fn inner(&self) -> Option<&Constraint> {
        self.bounds.first()?.downcast::<Constraint>()
    }

    fn event_dim(&self) -> i64 {
        match (self.inner(), self.bounds.get(1)) {
            (Some(inner), Some(Value::Int(more))) => inner.event_dim() + more,
            (Some(inner), None) => inner.event_dim(),
            _ => self.kind.event_dim,
        }
    }

    fn is_discrete(&self) -> bool {
        self.inner().map_or(self.kind.discrete, Constraint::is_discrete)
    }
}

impl Object for Constraint {
    fn type_name(&self) -> String {
        format!("_{}", self.kind.name)
    }
    fn class_object(&self) -> Option<Value> {
        Some(construct::class(self.kind))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let text = |value: &Value| match value {
            Value::Tensor(bound) if bound.sizes().is_empty() => {
                exec::item(bound).ok().and_then(|number| repr::str(&Value::from(number)).ok()).unwrap_or_default()
            }
            other => repr::str(other).unwrap_or_default(),
        };
        let bounds: Vec<String> = match self.inner() {
            Some(_) => self.bounds.iter().map(text).collect(),
            // Two classes do not show theirs.
            None if ["DependentProperty", "Multinomial"].contains(&self.kind.name) => vec![],
            None => self.names().map(|(name, value)| format!("{name}={}", text(&value))).collect(),
        };
        format!("{}({})", self.kind.name, bounds.join(", "))
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "event_dim" => Some(Value::Int(self.event_dim())),
            "is_discrete" => Some(Value::Bool(self.is_discrete())),
            "check" => Some(Value::method_of(move |machine, args| {
                let given = construct::bind(&format!("_{}.check()", self.kind.name), &[("value", Unless::Required)], args)?;
                let names: Vec<_> = self.names().chain(given).collect();
                machine.eval_code(self.kind.check, &names)
            })),
            _ => self.names().find(|(own, _)| *own == name).map(|(_, value)| value),
        })
    }
    fn attributes(&self) -> Vec<String> {
        ["check", "event_dim", "is_discrete"].into_iter().chain(self.names().map(|(name, _)| name)).map(str::to_string).collect()
    }
}
