//! Rows that call a function of the program for every element.

use super::convert::c_type_name;
use super::create::data::from_data;
use super::{Args, Form, exec, op, run};
use crate::dtype::Kind;
use crate::layout::{Cells, Layout};
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Outcome, Value};
use anyhow::Result;

rows![
    op(
        "apply_(Tensor(a!) self, Any callable) -> Tensor(a!)",
        "Replaces each element by what a Python function makes of it. Slow: for what no operation does.",
        "torch.arange(3).apply_(lambda v: v * v + 1)  # tensor([1, 2, 5])",
        Form::Hosted(|machine, a| {
            let x: Tensor = a.get(0)?;
            refuse_recorded("apply_", &[&x])?;
            Ok(for_each(machine, &x, &[], a.value(1))?)
        }),
    )
    .method_only()
    .no_grad(),
    op(
        "map_(Tensor(a!) self, Tensor other, Any callable) -> Tensor(a!)",
        "Replaces each element by what a Python function makes of it and of the element of another tensor, which is broadcast.",
        "torch.arange(3).map_(torch.tensor(10), lambda a, b: a * b)  # tensor([ 0, 10, 20])",
        Form::Hosted(|machine, a| with_others(machine, a, "map_", &["'other'"])),
    )
    .method_only()
    .no_grad(),
    op(
        "map2_(Tensor(a!) self, Tensor x, Tensor y, Any callable) -> Tensor(a!)",
        "Replaces each element by what a Python function makes of it and of the elements of two other tensors, which are broadcast.",
        "torch.arange(3).map2_(torch.tensor(2), torch.tensor(1), lambda a, b, c: a * b + c)  # tensor([1, 3, 5])",
        Form::Hosted(|machine, a| with_others(machine, a, "map2_", &["argument 'x'", "argument 'y'"])),
    )
    .method_only()
    .no_grad(),
];

/// Calls the function that follows as many other tensors as have titles, for the elements of all.
///
/// Fails with a `TypeError` when one has another dtype.
fn with_others(machine: &mut dyn Machine, args: &Args, name: &str, titles: &[&str]) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    let others: Vec<Tensor> = (1..=titles.len()).map(|place| args.get(place)).collect::<Result<_>>()?;
    refuse_recorded(name, &std::iter::once(&x).chain(&others).collect::<Vec<_>>())?;
    if let Some((other, title)) = others.iter().zip(titles).find(|(other, _)| other.dtype() != x.dtype()) {
        let (wanted, found) = (c_type_name(x.dtype()), c_type_name(other.dtype()));
        fault!(TypeError, "{name}: expected {wanted} for {title} (got {found})");
    }
    let mut expanded = vec![];
    for other in others {
        match run::call_method(machine, "expand", vec![other.into(), Value::size(&x.sizes())])? {
            Value::Tensor(other) => expanded.push(other),
            other => fault!(TypeError, "{name}: expected a tensor, got {}", other.type_name()),
        }
    }
    Ok(for_each(machine, &x, &expanded, args.value(titles.len() + 1))?)
}

fn refuse_recorded(name: &str, tensors: &[&Tensor]) -> Result<()> {
    if tensors.iter().any(|t| t.requires_grad()) {
        fault!(RuntimeError, "Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.");
    }
    Ok(())
}

/// Calls the function for one element after another, each of which sees what was written before it. The others have the same size.
fn for_each(machine: &mut dyn Machine, x: &Tensor, others: &[Tensor], function: &Value) -> Outcome {
    let (layout, layouts) = (x.layout(), others.iter().map(Tensor::layout).collect::<Vec<_>>());
    let mut cells: Vec<Cells> = layouts.iter().map(|layout| layout.cells()).collect();
    for cell in layout.cells() {
        let cell = element(x, cell)?;
        let mut given = vec![exec::item(&cell)?.into()];
        for (other, at) in others.iter().zip(cells.iter_mut().filter_map(Iterator::next)) {
            given.push(exec::item(&element(other, at)?)?.into());
        }
        let made = machine.call(function, CallArgs::positional(given))?;
        check(&made, x.dtype().kind())?;
        exec::copy(&cell, &from_data(&made, Some(x.dtype()), x.device())?)?;
    }
    Ok(x.clone().into())
}

/// The element in a cell as a tensor without dimensions.
fn element(x: &Tensor, cell: i64) -> Result<Tensor> {
    x.alias(Layout::new(&[], &[], cell))
}

/// Fails with a `TypeError` when what a function gave is no element of a dtype of this kind.
fn check(made: &Value, kind: Kind) -> Result<()> {
    let whole = !matches!(kind, Kind::Float | Kind::Complex);
    match made {
        Value::Tensor(t) if t.numel() == 1 && whole && !t.dtype().is_integral(true) => {
            fault!(TypeError, "only integer tensors of a single element can be converted to an index")
        }
        Value::Str(_) | Value::List(_) | Value::Tuple(_) if whole => {
            fault!(TypeError, "'{}' object cannot be interpreted as an integer", made.type_name())
        }
        Value::Str(_) | Value::List(_) | Value::Tuple(_) => fault!(TypeError, "must be real number, not {}", made.type_name()),
        _ => Ok(()),
    }
}
