//! `torch.distributions`: how numbers are drawn, and how likely they are. What each distribution computes is text of the language.

use super::construct;
use crate::lang::types::call::plural;
use crate::value::{CallArgs, Machine, Object, Outcome, Value};
use indexmap::IndexMap;
use std::any::Any;
use std::rc::Rc;

/// A distribution.
pub struct Kind {
    name: &'static str,
    /// The module inside `torch.distributions` that has it too.
    module: &'static str,
    /// What it is made with: the first so many must be given, the others are None.
    settings: &'static [&'static str],
    required: usize,
    /// What it holds.
    holds: &'static [&'static str],
    /// A text whose value is a list of these and then of the names that are shown.
    make: &'static str,
    /// Its methods and attributes: name, parameter, text.
    members: &'static [Member],
}

/// What is read or called.
struct Member {
    name: &'static str,
    /// The parameter of a method; none for an attribute.
    takes: Option<&'static str>,
    run: &'static str,
}

const fn attribute(name: &'static str, run: &'static str) -> Member {
    Member { name, takes: None, run }
}

const fn method(name: &'static str, takes: &'static str, run: &'static str) -> Member {
    Member { name, takes: Some(takes), run }
}

/// Two settings as tensors of one size and dtype.
macro_rules! pair {
    ($a:literal, $b:literal) => {
        concat!(
            "given = [v for v in (",
            $a,
            ", ",
            $b,
            ") if isinstance(v, torch.Tensor)]\n",
            "dtype = given[0].dtype if given else torch.get_default_dtype()\n",
            "[*torch.broadcast_tensors(torch.as_tensor(",
            $a,
            ", dtype=dtype), torch.as_tensor(",
            $b,
            ", dtype=dtype)), ['",
            $a,
            "', '",
            $b,
            "']]"
        )
    };
}

const BERNOULLI: &str = "\
if (probs is None) == (logits is None):
    raise ValueError('Either `probs` or `logits` must be specified, but not both.')
shown = 'probs' if logits is None else 'logits'
value = torch.as_tensor(probs if logits is None else logits, dtype=torch.get_default_dtype() if isinstance(probs, (int, float)) or isinstance(logits, (int, float)) else None)
eps = torch.finfo(value.dtype).eps
p = value.clamp(eps, 1 - eps)
[value, torch.log(p) - torch.log1p(-p), [shown]] if logits is None else [torch.sigmoid(value), value, [shown]]";

const CATEGORICAL: &str = "\
if (probs is None) == (logits is None):
    raise ValueError('Either `probs` or `logits` must be specified, but not both.')
shown = 'probs' if logits is None else 'logits'
value = probs / probs.sum(-1, keepdim=True) if logits is None else logits - logits.logsumexp(dim=-1, keepdim=True)
eps = torch.finfo(value.dtype).eps
[value, torch.log(value.clamp(eps, 1 - eps)), [shown]] if logits is None else [torch.softmax(value, -1), value, [shown]]";

/// Places drawn from the last dimension of `probs`.
macro_rules! places {
    ($shape:literal) => {
        concat!(
            "drawn = ",
            $shape,
            "\n",
            "flat = probs.reshape(-1, probs.shape[-1])\n",
            "places = torch.multinomial(flat, math.prod(drawn), True).T.reshape(drawn + tuple(probs.shape[:-1]))\n"
        )
    };
}

/// The distributions.
static KINDS: &[Kind] = &[
    Kind {
        name: "Normal",
        module: "normal",
        settings: &["loc", "scale", "validate_args"],
        required: 2,
        holds: &["loc", "scale"],
        make: pair!("loc", "scale"),
        members: &[
            method(
                "sample",
                "sample_shape",
                "shape = tuple(sample_shape) + tuple(loc.shape)\ntorch.normal(loc.detach().expand(shape), scale.detach().expand(shape))",
            ),
            method(
                "rsample",
                "sample_shape",
                "shape = tuple(sample_shape) + tuple(loc.shape)\nloc + torch.normal(torch.zeros(shape, dtype=loc.dtype), torch.ones(shape, dtype=loc.dtype)) * scale",
            ),
            method(
                "log_prob",
                "value",
                "-((value - loc) ** 2) / (2 * scale ** 2) - scale.log() - math.log(math.sqrt(2 * math.pi))",
            ),
            method("cdf", "value", "0.5 * (1 + torch.erf((value - loc) * scale.reciprocal() / math.sqrt(2)))"),
            method("entropy", "", "0.5 + 0.5 * math.log(2 * math.pi) + torch.log(scale)"),
            attribute("mean", "loc"),
            attribute("stddev", "scale"),
            attribute("variance", "scale.pow(2)"),
            attribute("batch_shape", "loc.shape"),
            attribute("event_shape", "torch.Size()"),
        ],
    },
    Kind {
        name: "Uniform",
        module: "uniform",
        settings: &["low", "high", "validate_args"],
        required: 2,
        holds: &["low", "high"],
        make: pair!("low", "high"),
        members: &[
            method(
                "sample",
                "sample_shape",
                "shape = tuple(sample_shape) + tuple(low.shape)\nlow + torch.rand(shape, dtype=low.dtype) * (high - low)",
            ),
            method(
                "log_prob",
                "value",
                "torch.log(low.le(value).type_as(low).mul(high.gt(value).type_as(low))) - torch.log(high - low)",
            ),
            method("entropy", "", "torch.log(high - low)"),
            attribute("mean", "(high + low) / 2"),
            attribute("stddev", "(high - low) / 12 ** 0.5"),
            attribute("variance", "(high - low).pow(2) / 12"),
            attribute("batch_shape", "low.shape"),
            attribute("event_shape", "torch.Size()"),
        ],
    },
    Kind {
        name: "Exponential",
        module: "exponential",
        settings: &["rate", "validate_args"],
        required: 1,
        holds: &["rate"],
        make: "[torch.as_tensor(rate, dtype=None if isinstance(rate, torch.Tensor) else torch.get_default_dtype()), ['rate']]",
        members: &[
            method(
                "sample",
                "sample_shape",
                "torch.empty(tuple(sample_shape) + tuple(rate.shape), dtype=rate.dtype).exponential_() / rate",
            ),
            method("log_prob", "value", "rate.log() - rate * value"),
            method("entropy", "", "1.0 - torch.log(rate)"),
            attribute("mean", "rate.reciprocal()"),
            attribute("stddev", "rate.reciprocal()"),
            attribute("variance", "rate.pow(-2)"),
            attribute("batch_shape", "rate.shape"),
            attribute("event_shape", "torch.Size()"),
        ],
    },
    Kind {
        name: "Bernoulli",
        module: "bernoulli",
        settings: &["probs", "logits", "validate_args"],
        required: 0,
        holds: &["probs", "logits"],
        make: BERNOULLI,
        members: &[
            method("sample", "sample_shape", "torch.bernoulli(probs.expand(tuple(sample_shape) + tuple(probs.shape)))"),
            method(
                "log_prob",
                "value",
                "a, b = torch.broadcast_tensors(logits, value)\n-torch.nn.functional.binary_cross_entropy_with_logits(a, b, reduction='none')",
            ),
            method("entropy", "", "torch.nn.functional.binary_cross_entropy_with_logits(logits, probs, reduction='none')"),
            attribute("mean", "probs"),
            attribute("variance", "probs * (1 - probs)"),
            attribute("stddev", "(probs * (1 - probs)).sqrt()"),
            attribute("batch_shape", "probs.shape"),
            attribute("event_shape", "torch.Size()"),
        ],
    },
    Kind {
        name: "Categorical",
        module: "categorical",
        settings: &["probs", "logits", "validate_args"],
        required: 0,
        holds: &["probs", "logits"],
        make: CATEGORICAL,
        members: &[
            method("sample", "sample_shape", concat!(places!("tuple(sample_shape)"), "places")),
            method(
                "log_prob",
                "value",
                "value, each = torch.broadcast_tensors(value.long().unsqueeze(-1), logits)\neach.gather(-1, value[..., :1]).squeeze(-1)",
            ),
            method("entropy", "", "-(torch.clamp(logits, min=torch.finfo(logits.dtype).min) * probs).sum(-1)"),
            attribute("batch_shape", "probs.shape[:-1]"),
            attribute("event_shape", "torch.Size()"),
        ],
    },
    Kind {
        name: "Multinomial",
        module: "multinomial",
        settings: &["total_count", "probs", "logits", "validate_args"],
        required: 0,
        holds: &["probs", "logits"],
        make: CATEGORICAL,
        members: &[
            method(
                "sample",
                "sample_shape",
                concat!(
                    places!("(1 if total_count is None else total_count,) + tuple(sample_shape)"),
                    "places = places.movedim(0, -1)\n",
                    "counts = torch.zeros(tuple(sample_shape) + tuple(probs.shape), dtype=torch.int64)\n",
                    "counts.scatter_add_(-1, places, torch.ones_like(places)).type_as(probs)"
                ),
            ),
            method(
                "log_prob",
                "value",
                "torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1) + torch.where(value == 0, 0, logits * value).sum(-1)",
            ),
            attribute("mean", "probs * (1 if total_count is None else total_count)"),
            attribute("variance", "(1 if total_count is None else total_count) * probs * (1 - probs)"),
            attribute("batch_shape", "probs.shape[:-1]"),
            attribute("event_shape", "probs.shape[-1:]"),
        ],
    },
];

/// The classes in a module by its dotted name; none for modules that are not of distributions.
pub fn classes(module: &str) -> Option<Vec<(&'static str, Value)>> {
    let inner = module.strip_prefix("torch.distributions")?;
    let within = |kind: &&Kind| inner.is_empty() || inner.strip_prefix('.') == Some(kind.module);
    let found: Vec<_> = KINDS.iter().filter(within).map(|kind| (kind.name, construct::class(kind))).collect();
    (!found.is_empty()).then_some(found)
}

impl construct::Row for Kind {
    fn name(&self) -> &'static str {
        self.name
    }
    fn module(&self) -> String {
        format!("torch.distributions.{}", self.module)
    }
    fn make(&'static self, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        Distribution::make(machine, self, args)
    }
    fn of(value: &Value) -> Option<&'static Kind> {
        Some(value.downcast::<Distribution>()?.kind)
    }
}

/// A distribution with its parameters.
struct Distribution {
    kind: &'static Kind,
    names: IndexMap<&'static str, Value>,
    shown: String,
    /// The attributes that are computed once, as there is no evaluator where they are read.
    attributes: IndexMap<&'static str, Value>,
}

impl Distribution {
    fn make(machine: &mut dyn Machine, kind: &'static Kind, args: CallArgs) -> Outcome {
        let bound = construct::bind(kind.name, kind.settings, kind.required, args)?;
        let bound = bound.into_iter().map(|value| value.unwrap_or(Value::None));
        let settings: Vec<(&'static str, Value)> = kind.settings.iter().copied().zip(bound).collect();
        let made = machine.eval_code(kind.make, &settings)?.items().unwrap_or_default();
        let mut names: IndexMap<&'static str, Value> = kind.holds.iter().copied().zip(made.iter().cloned()).collect();
        let shown = made.last().and_then(Value::items).unwrap_or_default();
        for (name, value) in settings {
            names.entry(name).or_insert(value);
        }
        let mut texts = vec![];
        for name in shown {
            let Value::Str(name) = name else { continue };
            let text = machine.eval_code(
                "f'{name}: {value if value.numel() == 1 else value.size()}'",
                &[("name", Value::from(name.as_str())), ("value", names.get(name.as_str()).cloned().unwrap_or(Value::None))],
            )?;
            texts.push(machine.str(&text)?);
        }
        let known: Vec<(&'static str, Value)> = names.iter().map(|(name, value)| (*name, value.clone())).collect();
        let mut attributes = IndexMap::new();
        for member in kind.members.iter().filter(|member| member.takes.is_none()) {
            attributes.insert(member.name, machine.eval_code(member.run, &known)?);
        }
        Ok(Value::object(Distribution { kind, names, shown: format!("{}({})", kind.name, texts.join(", ")), attributes }))
    }
}

impl Object for Distribution {
    fn type_name(&self) -> String {
        self.kind.name.into()
    }
    fn class_object(&self) -> Option<Value> {
        Some(construct::class(self.kind))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        self.shown.clone()
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        if let Some(value) = self.names.get(name).or_else(|| self.attributes.get(name)) {
            return Ok(Some(value.clone()));
        }
        let member = self.kind.members.iter().find(|member| member.name == name);
        Ok(member.map(|member| Value::method_of(move |machine, args| self.run(member, machine, args))))
    }
    fn attributes(&self) -> Vec<String> {
        self.kind.members.iter().map(|member| member.name).chain(self.names.keys().copied()).map(str::to_string).collect()
    }
}

impl Distribution {
    /// A call of one of its methods.
    fn run(&self, member: &Member, machine: &mut dyn Machine, args: CallArgs) -> Outcome {
        let title = format!("{}.{}()", self.kind.name, member.name);
        let takes = member.takes.filter(|name| !name.is_empty());
        let given = args.positional.len() + args.keyword.len();
        if given > takes.iter().count() {
            let most = takes.iter().count() + 1;
            fault!(TypeError, "{title} takes {most} positional argument{} but {} were given", plural(most), given + 1);
        }
        let argument = args.positional.into_iter().next().or_else(|| args.keyword.into_iter().next().map(|(_, value)| value));
        let mut names: Vec<(&'static str, Value)> = vec![];
        if let Some(name) = takes {
            let value = match (argument, name) {
                (Some(value), _) => value,
                (None, "sample_shape") => Value::tuple(vec![]),
                (None, _) => fault!(TypeError, "{title} missing 1 required positional argument: '{name}'"),
            };
            names.push((name, value));
        }
        names.extend(self.names.iter().map(|(name, value)| (*name, value.clone())));
        machine.eval_code(member.run, &names)
    }
}
