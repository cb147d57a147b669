//! Every row of the table, called as examples call it, over dtypes and layouts: the laws of `tests/rows.tsr`.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use tsr::diag::Source;
use tsr::lang::{self, Interp, Operation, Pad};
use tsr::ops::{self, Op, OpSet, trace};
use tsr::syntax::Options;
use tsr::value::{CallArgs, Dict, Key, Machine, Value};

/// Calls of one row that are tried: those of `tests/more_calls.tsr`, then those of the first examples that come to it.
const CALLS: usize = 2;

/// Functions that a law is not about, by the law.
#[rustfmt::skip] // in few lines
const EXCEPT: &[(&str, &[&str])] = &[
    // They tell where elements lie, need them close together, draw numbers cell by cell, or give functions.
    ("layouts", &[
        "_base", "_is_view", "_version", "as_strided", "as_strided_copy", "as_strided_scatter", "bernoulli_", "data_ptr", "detach_",
        "dim_order", "empty", "empty_like", "empty_permuted", "empty_strided", "func.grad", "func.grad_and_value", "func.hessian",
        "func.jacfwd", "func.jacrev", "is_conj", "is_contiguous", "is_inference", "is_neg", "is_set_to", "isin", "new_empty",
        "new_empty_strided", "nn.init.sparse_", "randint_like", "random_", "seed", "storage", "storage_offset", "stride",
        "untyped_storage", "view", "view_as_complex", "view_as_complex_copy", "view_copy", "vmap",
    ]),
    // In place they draw with other chances; or their elements are anything.
    ("forms", &["bernoulli", "empty_like", "new_empty", "normal"]),
    // They share memory where they can, or where nobody is told.
    ("aliases", &[
        "_as_alias", "_as_batch", "_beside", "as_tensor", "autograd.Variable", "bfloat16", "bool", "byte", "cdouble", "cfloat",
        "chalf", "char", "data", "double", "float", "half", "index", "indices", "int", "long", "short", "to", "type_as",
        "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes", "values",
    ]),
];

/// How a row is called.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Function,
    Method,
    Property,
}

/// A call of a row: what it takes by place, and by name.
pub struct Call {
    set: &'static OpSet,
    way: Way,
    pub places: Vec<Value>,
    pub names: Vec<(String, Value)>,
}

/// The row's calls in the examples of all rows, and in those that say what no example says.
pub fn calls() -> BTreeMap<&'static str, (&'static Op, Vec<Call>)> {
    let mut found: BTreeMap<_, (&'static Op, Vec<Call>)> = BTreeMap::new();
    let examples = ops::rows().map(|row| (row.name(), row.example)).filter(|(_, example)| !example.is_empty());
    for (name, text) in std::iter::once(("more_calls.tsr", include_str!("../more_calls.tsr"))).chain(examples) {
        let mut interp = silent();
        let (ended, steps) = trace::record(|| interp.run(&Source::new(name, text), &Options::default()));
        assert!(ended.is_ok() || name != "more_calls.tsr", "{:?}", ended.err().map(|raise| lang::report(&raise.0)));
        for step in steps {
            let (_, kept) = found.entry(step.op.schema).or_insert((step.op, vec![]));
            if kept.len() < CALLS
                && let Some(call) = call_of(&step)
            {
                kept.push(call);
            }
        }
    }
    found
}

/// A step as a call that leaves out what is left out anyway.
fn call_of(step: &trace::Step) -> Option<Call> {
    let schema = step.op.schema().ok()?;
    let (way, set) = match (step.op.is_function(), step.op.is_property()) {
        (true, _) => (Way::Function, ops::function(step.op.name())),
        (_, true) => (Way::Property, ops::property(step.op.name())),
        _ => (Way::Method, ops::method(step.name)),
    };
    let mut call = Call { set: set?, way, places: vec![], names: vec![] };
    for (param, value) in schema.params.iter().zip(&step.args) {
        match param.keyword_only {
            true if matches!(value, Value::None) => {}
            true => call.names.push((param.name.clone(), value.clone())),
            false => call.places.push(value.clone()),
        }
    }
    while call.places.len() > schema.required && matches!(call.places.last(), Some(Value::None)) {
        call.places.pop();
    }
    Some(call)
}

impl Call {
    /// What is called: it takes the tensor of a method or of a property first.
    pub fn callee(&self, interp: &mut Interp) -> Value {
        let text = match self.way {
            Way::Function => return Operation::function(self.set),
            Way::Method => format!("torch.Tensor.{}", self.set.name),
            Way::Property => format!("lambda x: x.{}", self.set.name),
        };
        interp.evaluate(&Source::new("<callee>", text)).ok().expect("a method of its name")
    }

    /// True when it writes into its first argument.
    pub fn writes(&self, op: &Op) -> bool {
        self.set.inplace || op.schema().is_ok_and(|schema| schema.writes)
    }
}

pub fn dict(entries: impl IntoIterator<Item = (String, Value)>) -> Value {
    let entries = entries.into_iter().map(|(name, value)| (Key::new(Value::from(&*name)).ok().expect("a name"), value));
    Value::dict(entries.collect::<Dict>())
}

/// What the laws ask of a row.
fn told(op: &Op, call: &Call) -> Value {
    let schema = op.schema().expect("a schema");
    let in_place = ops::method(&format!("{}_", op.name())).is_some() && call.way == Way::Function;
    let except =
        EXCEPT.iter().map(|(law, names)| (law.to_string(), Value::tuple(names.iter().map(|name| Value::from(*name)).collect())));
    dict([
        ("name".to_string(), Value::from(op.name())),
        (
            "method".to_string(),
            Value::Bool(op.is_method() && call.way == Way::Function && schema.has_self() && !op.name().contains('.')),
        ),
        ("out".to_string(), Value::Bool(op.takes_out())),
        ("in_place".to_string(), Value::Bool(in_place)),
        ("writes".to_string(), Value::Bool(schema.writes)),
        ("view".to_string(), Value::Bool(schema.is_view)),
        ("except".to_string(), dict(except)),
    ])
}

/// A session that shows nothing.
pub fn silent() -> Interp {
    let mut interp = Interp::new(Box::new(Pad::default()), Box::new(std::io::sink()));
    interp.import_torch();
    interp
}

#[test]
fn every_row_keeps_its_laws() {
    lang::stack::with_large(|| {
        let mut interp = silent();
        let laws = Source::new("rows.tsr", include_str!("../rows.tsr"));
        interp.run(&laws, &Options::default()).ok().expect("the laws");
        if cfg!(debug_assertions) {
            // float32, int32 and complex64 only: without optimisation the others take minutes.
            interp.run(&Source::new("few", "DTYPES = DTYPES[::5]"), &Options::default()).ok().expect("fewer dtypes");
        }
        let check = interp.globals.get("check").cloned().expect("the check");
        let (mut rows, mut cases, mut broken) = (0, 0, vec![]);
        for (op, calls) in calls().into_values() {
            let before = cases;
            for call in calls {
                let function = call.callee(&mut interp);
                let args = vec![told(op, &call), function, Value::list(call.places), dict(call.names)];
                let checked = AssertUnwindSafe(|| interp.call(&check, CallArgs::positional(args)));
                match std::panic::catch_unwind(checked) {
                    Ok(Ok(count)) => cases += count.as_number().map_or(0, |n| n.to_i64()),
                    Ok(Err(raise)) => broken.push(format!("{}: {}", op.schema, lang::report(&raise.0).headline())),
                    Err(_) => broken.push(format!("{}: a panic", op.schema)),
                }
            }
            rows += usize::from(cases > before);
        }
        println!("{rows} of {} rows, {cases} cases, {} broken", ops::rows().count(), broken.len());
        assert!(rows > 900 && cases > 10_000, "{rows} rows, {cases} cases");
        assert!(broken.is_empty(), "\n{}", broken.join("\n"));
    })
    .expect("a thread");
}
