//! Sums of products by a formula.
//!
//! Every label gets a number; each operand is brought to a tensor with one dimension per label it has. Two operands at a time
//! are multiplied as batches of matrices: labels that stay and are in both are batches, those that go and are in both are summed
//! by the matrix product, the others are rows and columns.

use super::fit::has_kernel;
use super::matrix::matmul_of;
use crate::dtype::DType;
use crate::kernel::fold::SUM;
use crate::layout::{Dims, Layout, wrap_dim};
use crate::ops::exec::{self, Reduction};
use crate::ops::pointwise::arithmetic::MUL;
use crate::ops::{Args, FromValue, Operand};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A dimension's label: a letter, or the n-th dimension (from the right) of the ellipsis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Ellipsis(std::cmp::Reverse<usize>),
    Letter(char),
}

/// An operand with a label for each of its dimensions, all different.
#[derive(Clone)]
struct Term {
    tensor: Tensor,
    labels: Vec<Label>,
}

/// The labels of one operand's subscript, the ellipsis standing for the dimensions the letters leave. It begins at `start`.
fn labels(subscript: &str, ndim: Option<usize>, ellipsis: usize, operand: usize, start: usize) -> Result<Vec<Label>> {
    let letters = subscript.chars().filter(|c| c.is_alphabetic()).count();
    let mut found = vec![];
    let mut rest = subscript.chars().filter(|c| *c != ' ').peekable();
    let mut seen = false;
    while let Some(c) = rest.next() {
        match c {
            '.' if rest.next() == Some('.') && rest.next() == Some('.') && !seen => {
                seen = true;
                let spans = ndim.map_or(ellipsis, |n| n.saturating_sub(letters));
                found.extend((0..spans).rev().map(|n| Label::Ellipsis(std::cmp::Reverse(n))));
            }
            c if c.is_ascii_alphabetic() => found.push(Label::Letter(c)),
            '.' => fault!(RuntimeError, "einsum(): found '.' for operand {operand} that is not part of any ellipsis"),
            other => fault!(
                RuntimeError,
                "einsum(): invalid subscript given at index {} in the equation string, subscripts must be in [a-zA-Z]",
                start + subscript.find(other).unwrap_or(0)
            ),
        }
    }
    match ndim {
        Some(ndim) if found.len() != ndim => fault!(
            RuntimeError,
            "einsum(): the number of subscripts in the equation ({}) {} the number of dimensions ({ndim}) for operand {operand}{}",
            found.len(),
            if seen { "is more than" } else { "does not match" },
            if seen { "" } else { " and no ellipsis was given" }
        ),
        _ => Ok(found),
    }
}

pub(super) fn einsum(args: &Args) -> Result<Value> {
    let (equation, operands): (String, Vec<Tensor>) = args.take()?;
    if operands.is_empty() {
        fault!(
            ValueError,
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"
        );
    }
    run(&equation, &operands)
}

/// Operands, each with a list of numbers (and at most one ellipsis) for its dimensions, then one for the result if it is given.
pub(super) fn by_numbers(args: &Args) -> Result<Value> {
    let items = args.value(0).sequence().unwrap_or_default();
    if items.len() < 2 {
        fault!(
            ValueError,
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"
        );
    }
    let other = items.iter().skip(1).position(|item| !matches!(item, Value::Tensor(_)));
    match (&items[0], other) {
        (Value::Str(_), Some(place)) => {
            fault!(TypeError, "expected Tensor as element {place} in argument 1, but got {}", items[place + 1].type_name())
        }
        (Value::Tensor(_), _) => {}
        (equation, _) => {
            fault!(TypeError, "einsum(): argument 'equation' (position 1) must be str, not {}", equation.type_name())
        }
    }
    let (mut operands, mut inputs) = (vec![], vec![]);
    for pair in items.chunks_exact(2) {
        match Tensor::from_value(&pair[0]) {
            Some(operand) => operands.push(operand),
            None => fault!(TypeError, "einsum(): expected a Tensor before each list of subscripts, not {}", pair[0].type_name()),
        }
        inputs.push(letters_of(&pair[1])?);
    }
    let mut equation = inputs.join(",");
    if let [output] = items.chunks_exact(2).remainder() {
        equation = format!("{equation}->{}", letters_of(output)?);
    }
    run(&equation, &operands)
}

/// A list of numbers below 52 as letters; what is not such a list fails as comparing its members with 0 does in Python.
fn letters_of(list: &Value) -> Result<String> {
    let Some(items) = list.items() else {
        match list {
            Value::Str(text) if text.is_empty() => return Ok(String::new()),
            Value::Str(_) => return Err(unordered(list)),
            _ => fault!(TypeError, "'{}' object is not iterable", list.type_name()),
        }
    };
    items.iter().map(letter_of).collect()
}

/// The letter that stands for a subscript.
fn letter_of(subscript: &Value) -> Result<String> {
    match subscript {
        Value::Ellipsis => Ok("...".to_string()),
        Value::Int(n @ 0..26) => Ok(char::from(b'A' + *n as u8).to_string()),
        Value::Int(n @ 26..52) => Ok(char::from(b'a' + (*n - 26) as u8).to_string()),
        Value::Float(x) if (0.0..52.0).contains(x) => {
            fault!(TypeError, "'float' object cannot be interpreted as an integer")
        }
        Value::Str(_) | Value::None => Err(unordered(subscript)),
        _ => fault!(ValueError, "einsum(): subscript in subscript list is not within the valid range [0, 52)"),
    }
}

/// A subscript that has no order with numbers.
fn unordered(subscript: &Value) -> anyhow::Error {
    err!(TypeError, "'>=' not supported between instances of '{}' and 'int'", subscript.type_name())
}

fn run(equation: &str, operands: &[Tensor]) -> Result<Value> {
    let (terms, wanted) = read(equation, operands)?;
    Ok(contract(terms, &wanted, Kind::Batches)?.into())
}

/// The node that PyTorch records for a formula: that of its last step. Of one operand that is a sum, or a change of order; of more, the
/// product of the last two, which is one of matrices where they are summed along a dimension that both have.
pub(in crate::ops) fn last_step(equation: &str, operands: &[Tensor]) -> Result<&'static str> {
    let (terms, wanted) = read(equation, operands)?;
    let is_long = |t: &Term, l: &Label| t.labels.iter().position(|m| m == l).is_some_and(|k| t.tensor.sizes()[k] != 1);
    Ok(match terms.split_last() {
        Some((only, [])) if only.labels.iter().any(|l| !wanted.contains(l)) => "SumBackward1",
        None | Some((_, [])) => "PermuteBackward0",
        Some((last, before)) => {
            let is_summed = |l: &Label| !wanted.contains(l) && is_long(last, l) && before.iter().any(|t| is_long(t, l));
            if last.labels.iter().any(is_summed) { "ViewBackward0" } else { "MulBackward0" }
        }
    })
}

/// The operands with their labels, and the labels of the result.
fn read(equation: &str, operands: &[Tensor]) -> Result<(Vec<Term>, Vec<Label>)> {
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (equation, None),
    };
    let subscripts: Vec<&str> = inputs.split(',').collect();
    if operands.is_empty() {
        fault!(RuntimeError, "einsum(): must provide at least one operand");
    }
    let read: usize = subscripts.iter().take(operands.len()).map(|subscript| subscript.len() + 1).sum();
    let is_known = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | ',' | '.');
    if let (Some(at), true) = (inputs.find(|c| !is_known(c)), subscripts.len() != operands.len())
        && at < read
    {
        fault!(
            RuntimeError,
            "einsum(): invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]"
        );
    }
    if subscripts.len() != operands.len() {
        let fewer = operands.len() < subscripts.len();
        fault!(
            RuntimeError,
            "einsum(): {} operands were provided than specified in the equation",
            if fewer { "fewer" } else { "more" }
        );
    }
    let mut terms = vec![];
    let mut start = 0;
    for (n, (subscript, tensor)) in subscripts.iter().zip(operands).enumerate() {
        let labels = labels(subscript, Some(tensor.ndim()), 0, n, start)?;
        start += subscript.len() + 1;
        terms.push(diagonal(Term { tensor: tensor.clone(), labels }, n)?);
    }
    check_sizes(&terms)?;
    let spans =
        terms.iter().flat_map(|t| &t.labels).filter(|l| matches!(l, Label::Ellipsis(_))).max().map_or(0, |_| widest(&terms));
    let wanted = match output {
        Some(output) => output_labels(output, start + 1, spans, &terms)?,
        None => implicit(&subscripts, &terms, spans)?,
    };
    Ok((terms, wanted))
}

/// The most dimensions any ellipsis stands for.
fn widest(terms: &[Term]) -> usize {
    terms.iter().map(|t| t.labels.iter().filter(|l| matches!(l, Label::Ellipsis(_))).count()).max().unwrap_or(0)
}

fn output_labels(output: &str, start: usize, spans: usize, terms: &[Term]) -> Result<Vec<Label>> {
    let wanted = labels(output, None, spans, terms.len(), start)?;
    for (n, label) in wanted.iter().enumerate() {
        if let Label::Letter(c) = label {
            if wanted[..n].contains(label) {
                fault!(RuntimeError, "einsum(): output subscript {c} appears more than once in the output");
            }
            if !terms.iter().any(|t| t.labels.contains(label)) {
                fault!(RuntimeError, "einsum(): output subscript {c} does not appear in the equation for any input operand");
            }
        }
    }
    Ok(wanted)
}

/// Without `->`: the ellipsis, then the letters that occur once, in alphabetical order (capitals first).
fn implicit(subscripts: &[&str], terms: &[Term], spans: usize) -> Result<Vec<Label>> {
    let all: String = subscripts.concat();
    let mut once: Vec<char> = all.chars().filter(|c| c.is_ascii_alphabetic() && all.matches(*c).count() == 1).collect();
    once.sort_unstable();
    let ellipsis = (0..spans).rev().map(|n| Label::Ellipsis(std::cmp::Reverse(n)));
    let wanted: Vec<Label> = ellipsis.chain(once.into_iter().map(Label::Letter)).collect();
    debug_assert!(wanted.iter().all(|w| terms.iter().any(|t| t.labels.contains(w))));
    Ok(wanted)
}

/// Equal labels of one operand run together: the view of its diagonal.
fn diagonal(term: Term, operand: usize) -> Result<Term> {
    let layout = term.tensor.layout();
    let (mut labels, mut sizes, mut strides) = (vec![], Dims::new(), Dims::new());
    for (k, label) in term.labels.iter().enumerate() {
        match labels.iter().position(|l| l == label) {
            Some(before) if sizes[before] != layout.sizes[k] => {
                fault!(
                    RuntimeError,
                    "einsum(): subscript {} is repeated for operand {operand} but the sizes don't match, {} != {}",
                    name(*label),
                    layout.sizes[k],
                    sizes[before]
                );
            }
            Some(before) => strides[before] += layout.strides[k],
            None => {
                labels.push(*label);
                sizes.push(layout.sizes[k]);
                strides.push(layout.strides[k]);
            }
        }
    }
    Ok(Term { tensor: term.tensor.alias(Layout::new(&sizes, &strides, layout.offset))?, labels })
}

fn name(label: Label) -> String {
    match label {
        Label::Letter(c) => c.to_string(),
        Label::Ellipsis(_) => "...".to_string(),
    }
}

fn check_sizes(terms: &[Term]) -> Result<()> {
    let mut seen: Vec<(Label, i64)> = vec![];
    for (n, term) in terms.iter().enumerate() {
        for (dim, (label, size)) in term.labels.iter().zip(term.tensor.sizes()).enumerate() {
            match seen.iter_mut().find(|(l, _)| l == label) {
                None => seen.push((*label, size)),
                Some((_, known)) if *known == 1 => *known = size,
                Some((_, known)) if size != 1 && size != *known => fault!(
                    RuntimeError,
                    "einsum(): {}",
                    match label {
                        Label::Letter(c) => format!(
                            "subscript {c} has size {size} for operand {n} which does not broadcast with previously seen size {known}"
                        ),
                        Label::Ellipsis(_) => format!(
                            "dimension {dim} covered by ellipsis in operand {n}has size {size} which does not broadcast with previously seen ellipsis with size {known} for the respective dimension"
                        ),
                    }
                ),
                Some(_) => {}
            }
        }
    }
    Ok(())
}

/// What small products add up as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Batches, even of one: `einsum`.
    Batches,
    /// Matrices, for there are no batches: `tensordot`.
    Matrices,
}

/// Multiplies the terms from left to right, summing labels as soon as no later term and not the result needs them.
fn contract(terms: Vec<Term>, wanted: &[Label], kind: Kind) -> Result<Tensor> {
    let mut rest = terms.into_iter();
    let Some(mut product) = rest.next() else { fault!(RuntimeError, "einsum(): must provide at least one operand") };
    let mut later: Vec<Term> = rest.collect();
    while !later.is_empty() {
        let next = later.remove(0);
        let keep = |l: &Label| wanted.contains(l) || later.iter().any(|t| t.labels.contains(l));
        product = multiply(product, next, wanted, keep, kind)?;
    }
    let product = sum_out(product, |l| wanted.contains(l))?;
    arrange(&product, wanted, 0)
}

/// Sums the dimensions whose labels are not kept.
fn sum_out(term: Term, keep: impl Fn(&Label) -> bool) -> Result<Term> {
    let going: Vec<usize> = (0..term.labels.len()).filter(|k| !keep(&term.labels[*k])).collect();
    if going.is_empty() {
        return Ok(term);
    }
    let labels = term.labels.iter().filter(|l| keep(l)).copied().collect();
    // Sums of integers are int64.
    let dtype = if term.tensor.dtype().is_integral(true) { DType::I64 } else { term.tensor.dtype() };
    let summed = exec::fold(&Reduction::new(&SUM, dtype), &exec::cast(&term.tensor, dtype)?, &going, false)?;
    Ok(Term { tensor: summed.into_iter().next().unwrap_or(term.tensor), labels })
}

/// As [`sum_out`], but a dimension of size 1 goes without a sum, so that integers stay what they are.
fn drop_out(term: Term, keep: impl Fn(&Label) -> bool) -> Result<Term> {
    let sizes = term.tensor.sizes();
    let stay: Vec<Label> = term.labels.iter().zip(&sizes).filter(|(l, n)| **n != 1 || keep(l)).map(|(l, _)| *l).collect();
    let tensor = arrange(&term, &stay, 0)?;
    sum_out(Term { tensor, labels: stay }, keep)
}

/// A view with one dimension per label, of size 1 and of a step of `missing` where the term has none.
fn arrange(term: &Term, labels: &[Label], missing: i64) -> Result<Tensor> {
    let layout = term.tensor.layout();
    let (mut sizes, mut strides) = (Dims::new(), Dims::new());
    for label in labels {
        let place = term.labels.iter().position(|l| l == label);
        sizes.push(place.map_or(1, |k| layout.sizes[k]));
        strides.push(place.map_or(missing, |k| layout.strides[k]));
    }
    term.tensor.alias(Layout::new(&sizes, &strides, layout.offset))
}

fn multiply(left: Term, right: Term, wanted: &[Label], keep: impl Fn(&Label) -> bool, kind: Kind) -> Result<Term> {
    // A label of size 1 on one side stretches: there it counts as missing.
    let has = |t: &Term, l: &Label| t.labels.iter().position(|m| m == l).is_some_and(|k| t.tensor.sizes()[k] != 1);
    let mut all: Vec<Label> = left.labels.clone();
    all.extend(right.labels.iter().filter(|l| !left.labels.contains(l)));
    if kind == Kind::Batches {
        all.sort_by_key(|l| (wanted.iter().position(|w| w == l).unwrap_or(wanted.len()), *l));
    }
    // What one side lacks, or repeats, is summed on the other before.
    let alone = |own: &Term, other: &Term| -> Vec<Label> {
        own.labels.iter().filter(|l| !keep(l) && (!other.labels.contains(l) || has(own, l) && !has(other, l))).copied().collect()
    };
    let (of_left, of_right) = (alone(&left, &right), alone(&right, &left));
    let left = drop_out(left, |l| !of_left.contains(l))?;
    let right = drop_out(right, |l| !of_right.contains(l))?;
    let mut groups: [Vec<Label>; 5] = Default::default();
    for label in all.iter().filter(|l| left.labels.contains(l) || right.labels.contains(l)) {
        let group = match (has(&left, label), has(&right, label), keep(label)) {
            (true, true, true) => 0,
            (true, true, false) => 2,
            (true, false, true) => 1,
            (false, true, true) => 3,
            (true, false, false) | (false, true, false) => 2,
            // What is not long in either goes with the matrix that it is of, or comes among the rows in the end.
            (false, false, _) if kind == Kind::Matrices && left.labels.contains(label) => 1,
            (false, false, _) if kind == Kind::Matrices => 3,
            (false, false, true) => 4,
            (false, false, false) => 0,
        };
        groups[group].push(*label);
    }
    let [batch, mut rows, summed, mut columns, ones] = groups;
    if kind == Kind::Batches && summed.is_empty() {
        // Without a sum it is a product of elements, which promotes.
        let labels: Vec<Label> = all.into_iter().filter(|l| left.labels.contains(l) || right.labels.contains(l)).collect();
        let missing = i64::from(labels.iter().all(&keep));
        let side = |t: &Term| arrange(t, &labels, missing).map(Operand::Tensor);
        let tensor = MUL.of("mul", &[side(&left)?, side(&right)?], &[])?;
        return drop_out(Term { tensor, labels }, keep);
    }
    let (mut left, mut right) = (left, right);
    // When all columns come before all rows in the result, they change places, so that its elements lie in order.
    let place = |l: Option<&Label>| all.iter().position(|m| Some(m) == l);
    if kind == Kind::Batches && !rows.is_empty() && !columns.is_empty() && place(columns.last()) < place(rows.first()) {
        std::mem::swap(&mut rows, &mut columns);
        std::mem::swap(&mut left, &mut right);
    }
    rows.extend(ones);
    if kind == Kind::Batches {
        rows.sort_by_key(|l| place(Some(l)));
    }
    let (a, b) = (left.tensor.dtype(), right.tensor.dtype());
    if a != b && left.tensor.numel().min(right.tensor.numel()) == 0 {
        // No elements are multiplied, and nobody looks at their dtypes.
        left.tensor = exec::cast(&left.tensor, b)?;
    } else if a != b {
        has_kernel("bmm", &left.tensor)?;
        fault!(RuntimeError, "expected scalar type {} but found {}", a.title(), b.title());
    }
    let sizes = |t: &Term, labels: &[Label]| -> Dims {
        labels.iter().map(|l| t.labels.iter().position(|m| m == l).map_or(1, |k| t.tensor.sizes()[k])).collect()
    };
    let stretched: Dims = summed.iter().map(|l| sizes(&left, &[*l])[0].max(sizes(&right, &[*l])[0])).collect();
    let matrices = |t: &Term, first: &[Label], second: &[Label]| -> Result<Tensor> {
        let order: Vec<Label> = batch.iter().chain(first).chain(second).copied().collect();
        let mut view = arrange(t, &order, 0)?;
        let full: Dims =
            order.iter().zip(view.sizes()).map(|(l, n)| summed.iter().position(|s| s == l).map_or(n, |k| stretched[k])).collect();
        view = view.alias(view.layout().broadcast_to(&full)?)?;
        let count = |part: &[Label], from: usize| full[from..from + part.len()].iter().product::<i64>();
        let shape = [count(&batch, 0), count(first, batch.len()), count(second, batch.len() + first.len())];
        let shape = if kind == Kind::Matrices { &shape[1..] } else { &shape };
        if let (Kind::Matrices, Some(layout)) = (kind, view.layout().try_view(shape)) {
            return view.alias(layout);
        }
        let dense = exec::contiguous(&view)?;
        dense.alias(Layout { offset: dense.layout().offset, ..Layout::contiguous(shape) })
    };
    if kind != Kind::Matrices {
        has_kernel("bmm", &left.tensor)?;
    }
    let product = matmul_of(&matrices(&left, &rows, &summed)?, &matrices(&right, &summed, &columns)?)?;
    let labels: Vec<Label> = batch.iter().chain(&rows).chain(&columns).copied().collect();
    let result: Dims = sizes(&left, &batch)
        .iter()
        .zip(sizes(&right, &batch))
        .map(|(a, b)| (*a).max(b))
        .chain(sizes(&left, &rows))
        .chain(sizes(&right, &columns))
        .collect();
    let kept: Vec<Label> = labels.iter().filter(|l| keep(l)).copied().collect();
    let term = Term { tensor: product.alias(Layout::contiguous(&result))?, labels };
    drop_out(term, |l| kept.contains(l))
}

pub(super) fn tensordot(args: &Args) -> Result<Value> {
    let (a, b, dims): (Tensor, Tensor, Value) = args.take()?;
    let dims = match dims {
        Value::Tensor(count) if count.numel() <= 1 => Value::Int(exec::item(&count)?.to_i64()),
        Value::Bool(count) => Value::Int(i64::from(count)),
        given => given,
    };
    let (first, second) = match &dims {
        Value::Int(n) if *n < 0 => fault!(RuntimeError, "tensordot expects dims >= 0, but got dims={n}"),
        Value::Int(n) if *n as usize > a.ndim().min(b.ndim()) => {
            fault!(RuntimeError, "tensordot expects dims < ndim_a or ndim_b, but got dims={n}")
        }
        Value::Int(n) => ((-n..0).collect::<Vec<i64>>(), (0..*n).collect()),
        other => pair_of_lists(other)?,
    };
    if first.len() != second.len() {
        fault!(RuntimeError, "both dimension lists should have same length");
    }
    if a.dtype() != b.dtype() {
        fault!(RuntimeError, "both inputs should have same dtype");
    }
    let letter = |n: usize| Label::Letter(char::from_u32(0x4E00 + n as u32).unwrap_or('?'));
    let mut left: Vec<Label> = (0..a.ndim()).map(letter).collect();
    let mut right: Vec<Label> = (0..b.ndim()).map(|n| letter(a.ndim() + n)).collect();
    let mut summed = vec![];
    let (mut a, mut b) = (a, b);
    for (p, q) in first.iter().zip(&second) {
        if a.ndim() == 0 || b.ndim() == 0 {
            fault!(IndexError, "Dimension specified as {} but tensor has no dimensions", if a.ndim() == 0 { p } else { q });
        }
        let (i, j) = (wrap_dim(*p, a.ndim())?, wrap_dim(*q, b.ndim())?);
        if summed.contains(&left[i]) {
            fault!(RuntimeError, "dim {i} appears multiple times in the list of dims");
        }
        // What is repeated along a dimension may be added up before.
        if a.sizes()[i] == 1 && b.sizes()[j] != 1 {
            b = sum_kept(&b, j)?;
        } else if b.sizes()[j] == 1 && a.sizes()[i] != 1 {
            a = sum_kept(&a, i)?;
        }
        if a.sizes()[i] != b.sizes()[j] {
            fault!(
                RuntimeError,
                "contracted dimensions need to match, but first has size {} in dim {p} and second has size {} in dim {q}",
                a.sizes()[i],
                b.sizes()[j]
            );
        }
        right[j] = left[i];
        summed.push(left[i]);
    }
    let wanted: Vec<Label> = left.iter().chain(&right).filter(|l| !summed.contains(l)).copied().collect();
    let terms = vec![Term { tensor: a, labels: std::mem::take(&mut left) }, Term { tensor: b, labels: right }];
    Ok(contract(terms, &wanted, Kind::Matrices)?.into())
}

/// The sum along one dimension, which stays with size 1, in the tensor's own dtype.
fn sum_kept(x: &Tensor, dim: usize) -> Result<Tensor> {
    let sums = exec::fold(&Reduction::new(&SUM, x.dtype()), x, &[dim], true)?;
    exec::cast(sums.first().unwrap_or(x), x.dtype())
}

fn refuse_dims<T>(name: &str, position: usize, given: &Value) -> Result<T> {
    let type_name = given.type_name();
    fault!(TypeError, "tensordot(): argument '{name}' (position {position}) must be tuple of ints, not {type_name}")
}

fn pair_of_lists(dims: &Value) -> Result<(Vec<i64>, Vec<i64>)> {
    if let Value::Tensor(rows) = dims
        && rows.ndim() == 2
        && rows.sizes()[0] == 2
    {
        let mut first = exec::read_vec::<i64>(rows)?;
        let second = first.split_off(first.len() / 2);
        return Ok((first, second));
    }
    if let Value::Tensor(rows) = dims {
        return match rows.sizes().first() {
            Some(2) if rows.dtype().is_integral(true) => refuse_dims("dims_self", 3, &Value::Int(0)),
            Some(2) => refuse_dims("dims_self", 3, &Value::Float(0.0)),
            size => fault!(AssertionError, "dims tensor must have size 2 in first dimension, got {}", size.unwrap_or(&0)),
        };
    }
    let list = |v: &Value| -> Option<Vec<i64>> { v.items()?.iter().map(i64::from_value).collect() };
    match dims.items().as_deref() {
        Some([first, second]) => match (list(first), list(second)) {
            (Some(first), Some(second)) => Ok((first, second)),
            (None, _) => refuse_dims("dims_self", 3, first),
            (_, None) => refuse_dims("dims_other", 4, second),
        },
        Some(items) if items.len() < 2 => {
            fault!(ValueError, "not enough values to unpack (expected 2, got {})", items.len())
        }
        Some(_) => fault!(ValueError, "too many values to unpack (expected 2)"),
        None => {
            let given = match dims {
                Value::Str(text) => text.to_string(),
                Value::None => "None".to_string(),
                other => other.as_number().map_or_else(|| other.type_name(), |n| n.to_f64().to_string()),
            };
            fault!(
                RuntimeError,
                "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got dims={given}"
            )
        }
    }
}
