//! Numbers that say something about a matrix: determinant, rank, condition, norms.

use super::back;
use super::batch;
use super::check::{check_dims, check_field, check_matrix, check_numbers, check_precision, check_sides, check_square};
use super::dense::tridiagonal::Triangle;
use super::dense::{Field, lu};
use super::{solve, spectral};
use crate::dtype::{DType, Number, general};
use crate::layout::{Dims, wrap_dim};
use crate::ops::reduce::check_norm_dtype;
use crate::ops::{Args, Form, Op, call, call_method, exec, function, op};
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Value};
use anyhow::Result;
use std::rc::Rc;

/// A row that needs the evaluator to call other rows.
const fn hosted(
    schema: &'static str,
    doc: &'static str,
    example: &'static str,
    run: fn(&mut dyn Machine, &Args) -> Result<Value>,
) -> Op {
    op(schema, doc, example, Form::Hosted(run))
}

rows![
    op(
        "det(Tensor self) -> Tensor",
        "The determinant of a square matrix.",
        "torch.det(torch.tensor([[2., 0.], [0., 3.]]))  # tensor(6.)",
        Form::Native(|a| Ok(determinant("linalg.det", &a.get(0)?)?.into())),
    )
    .no_out()
    .grads(back::OLD_DETERMINANT)
    .complex(),
    op(
        "linalg.det(Tensor A) -> Tensor",
        "The determinant of a square matrix.",
        "torch.linalg.det(torch.tensor([[2., 0.], [0., 3.]]))  # tensor(6.)",
        Form::Native(|a| Ok(determinant("linalg.det", &a.get(0)?)?.into())),
    )
    .grads(back::DETERMINANT)
    .complex(),
    hosted(
        "linalg.slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)",
        "The sign (or phase) of the determinant and the logarithm of its modulus.",
        "torch.linalg.slogdet(torch.tensor([[0., 2.], [1., 0.]])).sign  # tensor(-1.)",
        |machine, a| Ok(log_determinant(machine, "linalg.slogdet", &a.get(0)?)?.to_vec().into()),
    )
    .grads(back::LOG_DETERMINANT)
    .complex(),
    hosted(
        "slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)",
        "The sign (or phase) of the determinant and the logarithm of its modulus.",
        "torch.slogdet(torch.tensor([[0., 2.], [1., 0.]])).sign  # tensor(-1.)",
        |machine, a| Ok(log_determinant(machine, "linalg.slogdet", &a.get(0)?)?.to_vec().into()),
    )
    .grads(back::OLD_LOG_DETERMINANT)
    .complex(),
    hosted(
        "logdet(Tensor self) -> Tensor",
        "The logarithm of the determinant; nan where that is negative.",
        "torch.logdet(torch.eye(2))  # tensor(0.)",
        |machine, a| {
            let [sign, log] = log_determinant(machine, "logdet", &a.get(0)?)?;
            let phase = call_named(machine, "log", vec![sign.into()], &[])?;
            call_named(machine, "add", vec![phase, log.into()], &[])
        },
    )
    .no_out()
    .grads(back::PLAIN_LOG_DETERMINANT)
    .complex(),
    hosted(
        "linalg.matrix_rank(Tensor self, *, Operand? atol=None, Operand? rtol=None, bool hermitian=False) -> Tensor",
        "How many singular values count: those above the larger of `atol` and `rtol` times the greatest one.",
        "torch.linalg.matrix_rank(torch.ones(3, 3))  # tensor(1)",
        |machine, a| {
            let (x, atol, rtol, hermitian): (Tensor, Value, Value, bool) = a.take()?;
            rank(machine, &x, atol, rtol, hermitian)
        },
    )
    .no_grad(),
    hosted("linalg.matrix_rank(Tensor self, Operand tol, bool hermitian=False) -> Tensor", "", "", |machine, a| {
        let (x, tol, hermitian): (Tensor, Value, bool) = a.take()?;
        rank(machine, &x, tol, Value::Float(0.0), hermitian)
    })
    .no_grad(),
    hosted(
        "linalg.cond(Tensor self, Scalar? p=None) -> Tensor",
        "The condition number in a norm: how much errors may grow when a system with this matrix is solved.",
        "torch.linalg.cond(torch.tensor([[4., 0.], [0., 2.]]))  # tensor(2.)",
        condition,
    )
    .grads(back::CONDITION),
    hosted("linalg.cond(Tensor self, str p) -> Tensor", "", "", condition).grads(back::CONDITION),
    hosted(
        "linalg.matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, DType? dtype=None) -> Tensor",
        "A norm of matrices: 'fro' (root of the sum of squares), 'nuc' (sum of singular values), 2 and -2 (greatest and least \
         singular value), 1 and -1 (greatest and least column sum), inf and -inf (greatest and least row sum).",
        "torch.linalg.matrix_norm(torch.tensor([[3., 0.], [0., 4.]]))  # tensor(5.)",
        of_matrices,
    ),
    hosted(
        "linalg.matrix_norm(Tensor self, str ord=\"fro\", int[] dim=[-2, -1], bool keepdim=False, *, DType? dtype=None) -> Tensor",
        "",
        "",
        of_matrices,
    ),
    hosted(
        "linalg.norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, DType? dtype=None) -> Tensor",
        "A norm of vectors or of matrices, by the number of dimensions: without `ord` that of all elements as one vector.",
        "torch.linalg.norm(torch.tensor([3., 4.]))  # tensor(5.)",
        norm,
    ),
    hosted(
        "linalg.norm(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, DType? dtype=None) -> Tensor",
        "",
        "",
        norm,
    ),
];

fn of_matrices(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (x, ord, dim, keepdim, dtype): (Tensor, Value, Dims, bool, Option<DType>) = args.take()?;
    matrix_norm(machine, &x, &ord, &dim, keepdim, dtype)
}

/// `torch.name(…)` with some arguments by name.
fn call_named(machine: &mut dyn Machine, name: &'static str, positional: Vec<Value>, keyword: &[(&str, Value)]) -> Result<Value> {
    let Some(set) = function(name) else { fault!(AttributeError, "module 'torch' has no attribute '{name}'") };
    let keyword = keyword.iter().map(|(name, value)| (Rc::from(*name), value.clone())).collect();
    Ok(call(machine, set, false, CallArgs { positional, keyword })?)
}

/// What PyTorch decomposes for a determinant: a real matrix that lies row by row is taken column by column, as it lies.
fn as_it_lies(x: &Tensor) -> Result<Tensor> {
    let turned = !x.dtype().is_complex() && x.layout().is_contiguous();
    if turned { x.alias(batch::turn(&x.layout())) } else { Ok(x.clone()) }
}

fn determinant(name: &str, x: &Tensor) -> Result<Tensor> {
    fn of<T: Field>(x: &Tensor) -> Result<Tensor> {
        let mut batch = batch::read::<T>(&as_it_lies(x)?)?;
        let values = batch.each(|a| Ok(lu::factor(a)?.determinant()))?;
        batch.elements(&values)
    }
    check_square(name, x)?;
    for_field!(x.dtype(), T => of::<T>(x))
}

/// The sign (or phase) of the determinant and the logarithm of its modulus, which is the sum of those of the diagonal of U.
fn log_determinant(machine: &mut dyn Machine, name: &str, x: &Tensor) -> Result<[Tensor; 2]> {
    fn of<T: Field>(x: &Tensor) -> Result<[Tensor; 2]> {
        let mut batch = batch::read::<T>(&as_it_lies(x)?)?;
        let parts = batch.each(|a| {
            let factors = lu::factor(a)?;
            let sizes: Vec<T::R> = factors.packed.diagonal().iter().map(|x| x.modulus()).collect();
            Ok((factors.phase(), sizes))
        })?;
        let (signs, sizes): (Vec<T>, Vec<Vec<T::R>>) = parts.into_iter().unzip();
        Ok([batch.elements(&signs)?, batch.vectors(&sizes, batch.columns)?])
    }
    check_square(name, x)?;
    let [signs, sizes] = for_field!(x.dtype(), T => of::<T>(x))?;
    let logs = call_named(machine, "log", vec![sizes.into()], &[])?;
    Ok([signs, tensor(call_named(machine, "sum", vec![logs, Value::Int(-1)], &[])?)?])
}

/// The singular values of each matrix; of a Hermitian one the moduli of its eigenvalues, in no order.
pub(super) fn spread(machine: &mut dyn Machine, name: &str, x: &Tensor, hermitian: bool) -> Result<Tensor> {
    if !hermitian {
        check_matrix(name, x)?;
        return spectral::singular_values(x);
    }
    check_square("linalg.eigh", x)?;
    let values = spectral::symmetric_values(name, x, Triangle::Lower)?;
    tensor(call_named(machine, "abs", vec![values.into()], &[])?)
}

fn tensor(value: Value) -> Result<Tensor> {
    match value {
        Value::Tensor(t) => Ok(t),
        other => fault!(RuntimeError, "a tensor was expected, not {}", other.type_name()),
    }
}

/// Up to where singular values count as zero: the larger of `atol` and `rtol` times the greatest one, with a last dimension of 1.
///
/// Without `rtol` it is the dtype's precision times the longer side, or 0 when there is an `atol`.
pub(super) fn cutoff(machine: &mut dyn Machine, x: &Tensor, values: &Tensor, atol: Value, rtol: Value) -> Result<Value> {
    let [m, n] = batch::last_two(x);
    let epsilon = x.dtype().to_real().float_limits().map_or(0.0, |l| l.eps);
    let some_atol = match &atol {
        Value::None => false,
        Value::Tensor(_) => true,
        other => other.as_number().is_some_and(|n| n.to_f64() > 0.0),
    };
    let rtol = match rtol {
        Value::None if some_atol => Value::Float(0.0),
        Value::None => Value::Float(epsilon * m.max(n) as f64),
        other => column(machine, other)?,
    };
    let atol = match atol {
        Value::None => Value::Float(0.0),
        other => column(machine, other)?,
    };
    let greatest =
        call_named(machine, "amax", vec![values.clone().into()], &[("dim", Value::Int(-1)), ("keepdim", true.into())])?;
    let relative = call_named(machine, "mul", vec![greatest, rtol], &[])?;
    let absolute = match atol {
        Value::Tensor(t) => Value::Tensor(t),
        number => call_named(machine, "full_like", vec![relative.clone(), number], &[])?,
    };
    call_named(machine, "maximum", vec![relative, absolute], &[])
}

/// Fails with a `RuntimeError` where a tolerance is a tensor of complex numbers.
pub(super) fn refuse_complex_bounds(function: &str, bounds: [(&str, &Value); 2]) -> Result<()> {
    for (name, bound) in bounds {
        if let Value::Tensor(bound) = bound
            && bound.dtype().is_complex()
        {
            let dtype = bound.dtype().title();
            fault!(RuntimeError, "torch.linalg.{function}: {name} tensor of complex type is not supported. Got {dtype}");
        }
    }
    Ok(())
}

/// A tensor of tolerances, one per matrix, as a column beside the singular values.
fn column(machine: &mut dyn Machine, tolerance: Value) -> Result<Value> {
    match tolerance {
        Value::Tensor(_) => call_named(machine, "unsqueeze", vec![tolerance, Value::Int(-1)], &[]),
        number => Ok(number),
    }
}

fn rank(machine: &mut dyn Machine, x: &Tensor, atol: Value, rtol: Value, hermitian: bool) -> Result<Value> {
    check_dims("linalg.matrix_rank", x)?;
    refuse_complex_bounds("matrix_rank", [("atol", &atol), ("rtol", &rtol)])?;
    if matches!(rtol, Value::None) {
        check_precision(x)?;
    }
    if x.numel() == 0 {
        return Ok(exec::zeros(&x.sizes()[..x.ndim() - 2], DType::I64, x.device())?.into());
    }
    let values = spread(machine, "linalg.matrix_rank", x, hermitian)?;
    let limit = cutoff(machine, x, &values, atol, rtol)?;
    let counts = call_named(machine, "gt", vec![values.into(), limit], &[])?;
    call_named(machine, "sum", vec![counts], &[("dim", Value::Int(-1))])
}

fn condition(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (x, p): (Tensor, Value) = args.take()?;
    match &p {
        Value::Str(_) => check_dims(&format!("linalg.cond(ord={})", named(&p)), &x)?,
        _ => check_dims("linalg.cond", &x)?,
    }
    if let Value::Str(_) = &p {
        check_sides(&format!("linalg.cond(ord={})", named(&p)), &x)?;
    }
    let number = p.as_number().map(|n| n.to_f64());
    let is_known = match &p {
        Value::None => true,
        Value::Str(name) => matches!(name.as_str(), "fro" | "nuc"),
        _ => number.is_some_and(|n| matches!(n.abs(), 1.0 | 2.0) || n.is_infinite()),
    };
    if !is_known {
        fault!(ValueError, "linalg.cond got an invalid norm type: {}", named(&p));
    }
    let lead = x.ndim() - 2;
    if x.numel() == 0 && !matches!(p, Value::Str(_)) {
        return Ok(exec::zeros(&x.sizes()[..lead], x.dtype().to_real(), x.device())?.into());
    }
    if matches!(p, Value::None) || number.is_some_and(|n| n.abs() == 2.0) {
        check_field("linalg.cond", &x)?;
        let values = spectral::singular_values(&x)?;
        let end =
            |machine: &mut dyn Machine, name| call_named(machine, name, vec![values.clone().into()], &[("dim", Value::Int(-1))]);
        let (greatest, least) = (end(machine, "amax")?, end(machine, "amin")?);
        let (over, under) = if number == Some(-2.0) { (least, greatest) } else { (greatest, least) };
        return call_named(machine, "div", vec![over, under], &[]);
    }
    check_sides(&format!("linalg.cond(ord={})", named(&p)), &x)?;
    if matches!(&p, Value::Str(name) if name.as_str() == "nuc") {
        check_field("linalg.cond", &x)?;
        let values: Value = spectral::singular_values(&x)?.into();
        let inverses = call_named(machine, "reciprocal", vec![values.clone()], &[])?;
        let mut sum = |values| call_named(machine, "sum", vec![values], &[("dim", Value::Int(-1))]);
        let sums = vec![sum(values)?, sum(inverses)?];
        return call_named(machine, "mul", sums, &[]);
    }
    let [inverse, info] = solve::inverse("linalg.inv", &x, false)?;
    let dims = Dims::from_slice(&[-2, -1]);
    let here = matrix_norm(machine, &x, &p, &dims, false, None)?;
    let there = matrix_norm(machine, &inverse, &p, &dims, false, None)?;
    let product = call_named(machine, "mul", vec![here, there], &[])?;
    let singular = call_named(machine, "ne", vec![info.into(), Value::Int(0)], &[])?;
    let bound = call_named(machine, "where", vec![singular, Value::Float(f64::INFINITY), product], &[])?;
    // Nothing times infinity counts as infinity.
    call_named(
        machine,
        "nan_to_num",
        vec![bound],
        &[("nan", Value::Float(f64::INFINITY)), ("posinf", Value::Float(f64::INFINITY))],
    )
}

/// An order as messages name it.
fn named(ord: &Value) -> String {
    match ord {
        Value::Str(name) => name.to_string(),
        other => match other.as_number().map(Number::to_f64) {
            Some(order) => general(order, 6),
            None => other.type_name(),
        },
    }
}

/// Fails with a `RuntimeError` for what is no order of a norm of matrices.
fn check_order(ord: &Value) -> Result<()> {
    let known = match (ord, ord.as_number()) {
        (Value::Str(name), _) => matches!(name.as_str(), "fro" | "nuc"),
        (_, Some(Number::Complex(_))) => {
            fault!(RuntimeError, "linalg.matrix_norm: Expected a non-complex scalar as the order of norm.")
        }
        (_, number) => number.is_some_and(|n| matches!(n.to_f64().abs(), 1.0 | 2.0 | f64::INFINITY)),
    };
    if !known {
        fault!(RuntimeError, "linalg.matrix_norm: Order {} not supported.", named(ord));
    }
    Ok(())
}

fn matrix_norm(
    machine: &mut dyn Machine,
    x: &Tensor,
    ord: &Value,
    dim: &[i64],
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Value> {
    let name = "linalg.matrix_norm";
    check_order(ord)?;
    if x.ndim() < 2 {
        fault!(RuntimeError, "{name}: The input tensor A must have at least 2 dimensions.");
    }
    let is_spectral =
        matches!(ord, Value::Str(text) if **text == "nuc") || ord.as_number().is_some_and(|n| n.to_f64().abs() == 2.0);
    if is_spectral {
        check_field(name, x)?
    } else {
        check_numbers(name, x)?
    }
    let [first, second] = dim else {
        fault!(
            RuntimeError,
            "{name}: dim must be a 2-tuple. Got {}",
            dim.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
        );
    };
    let (rows, columns) = (wrap_dim(*first, x.ndim())?, wrap_dim(*second, x.ndim())?);
    if rows == columns {
        fault!(RuntimeError, "{name}: dims must be different. Got ({rows}, {columns})");
    }
    let x = match dtype {
        Some(dtype) => {
            check_norm_dtype(name, x.dtype(), dtype)?;
            tensor(call_method(machine, "to", vec![x.clone().into(), dtype.into()])?)?
        }
        None => x.clone(),
    };
    let keep = ("keepdim", Value::Bool(keepdim));
    let sizes = x.sizes();
    let is_empty = sizes[rows] == 0 || sizes[columns] == 0;
    if is_empty && ord.as_number().is_some_and(|n| matches!(n.to_f64(), 1.0 | 2.0 | f64::INFINITY)) {
        // No element is greater than none.
        let dims = Value::size(&[rows as i64, columns as i64]);
        return call_named(machine, "linalg.vector_norm", vec![x.into(), Value::Int(2), dims], &[keep]);
    }
    let order = ord.as_number().map(|n| n.to_f64());
    match (ord, order) {
        (Value::Str(text), _) if **text == "fro" => {
            let dims = Value::size(&[rows as i64, columns as i64]);
            call_named(machine, "linalg.vector_norm", vec![x.into(), Value::Int(2), dims], &[keep])
        }
        (Value::Str(text), _) if **text == "nuc" => of_values(machine, &x, (rows, columns), "sum", keepdim),
        (_, Some(2.0)) => of_values(machine, &x, (rows, columns), "amax", keepdim),
        (_, Some(-2.0)) => of_values(machine, &x, (rows, columns), "amin", keepdim),
        (_, Some(p)) if p.abs() == 1.0 || p.is_infinite() => {
            let (summed, kept) = if p.abs() == 1.0 { (rows, columns) } else { (columns, rows) };
            // Once the first dimension is gone, the second one may have moved up.
            let kept = if kept > summed && !keepdim { kept - 1 } else { kept };
            let sums = vec![x.into(), Value::Int(1), Value::size(&[summed as i64])];
            let sums = call_named(machine, "linalg.vector_norm", sums, std::slice::from_ref(&keep))?;
            let end = if p > 0.0 { "amax" } else { "amin" };
            call_named(machine, end, vec![sums, Value::size(&[kept as i64])], &[keep])
        }
        _ => fault!(RuntimeError, "{name}: Order {} not supported.", named(ord)),
    }
}

/// A reduction of the singular values of the matrices in two dimensions.
fn of_values(
    machine: &mut dyn Machine,
    x: &Tensor,
    (rows, columns): (usize, usize),
    reduce: &'static str,
    keepdim: bool,
) -> Result<Value> {
    check_field("linalg.matrix_norm", x)?;
    let (from, to) = (Value::size(&[rows as i64, columns as i64]), Value::size(&[-2, -1]));
    let turned = call_named(machine, "movedim", vec![x.clone().into(), from, to], &[])?;
    let values = call_named(machine, "linalg.svdvals", vec![turned], &[])?;
    let mut kept = call_named(machine, reduce, vec![values], &[("dim", Value::Int(-1))])?;
    if keepdim {
        for dim in [rows.min(columns), rows.max(columns)] {
            kept = call_named(machine, "unsqueeze", vec![kept, Value::Int(dim as i64)], &[])?;
        }
    }
    Ok(kept)
}

fn norm(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (x, ord, dims, keepdim, dtype): (Tensor, Value, Option<Dims>, bool, Option<DType>) = args.take()?;
    if let Some(dims) = &dims
        && !matches!(dims.len(), 1 | 2)
    {
        fault!(RuntimeError, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {:?}", dims.as_slice());
    }
    if let (None, false, true) = (&dims, matches!(ord, Value::None), x.ndim() != 1 && x.ndim() != 2) {
        fault!(RuntimeError, "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.", x.ndim());
    }
    let both = Dims::from_slice(&[-2, -1]);
    match (&ord, &dims) {
        (Value::Str(_), dims) => matrix_norm(machine, &x, &ord, dims.as_ref().unwrap_or(&both), keepdim, dtype),
        (Value::None, _) => vector_norm(machine, &x, Value::Int(2), dims, keepdim, dtype),
        (_, Some(two)) if two.len() == 2 => matrix_norm(machine, &x, &ord, two, keepdim, dtype),
        (_, None) if x.ndim() == 2 => matrix_norm(machine, &x, &ord, &both, keepdim, dtype),
        _ => vector_norm(machine, &x, ord, dims, keepdim, dtype),
    }
}

fn vector_norm(
    machine: &mut dyn Machine,
    x: &Tensor,
    ord: Value,
    dims: Option<Dims>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Value> {
    let dims = dims.map_or(Value::None, |d| Value::size(&d));
    let dtype = dtype.map_or(Value::None, Value::from);
    let keyword = [("keepdim", Value::Bool(keepdim)), ("dtype", dtype)];
    call_named(machine, "linalg.vector_norm", vec![x.clone().into(), ord, dims], &keyword)
}
