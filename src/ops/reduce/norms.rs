//! Norms of vectors of elements.

use super::{dims_in_turn, fold, line_norm, plain_norm};
use crate::dtype::{DType, Number};
use crate::kernel::fold::{MAX, MIN, NORM, SUM};
use crate::layout::Dims;
use crate::ops::bind::to_dtype;
use crate::ops::exec::{self, Reduction};
use crate::ops::map::{Map, elementwise};
use crate::ops::{Args, Operand, call_function};
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Value};
use anyhow::Result;

const SIZE: Map = elementwise!(norm(a), Real, "abs(a)"; float: a.abs(); complex => real: a.norm());
const NOT_ZERO: Map = elementwise!(norm(a), Promote, "a != 0"; float: if a == 0.0 { 0.0 } else { 1.0 });
const POWER: Map = elementwise!(norm(a, p), Promote, "pow(a, p)"; float: a.powf(p));
const ROOT: Map = elementwise!(norm(a, p), Promote, "pow(a, 1 / p)"; float: a.powf(1.0 / p));

/// Whether a norm may be asked for in another dtype: one of floats or complex numbers as wide as the tensor's, and complex for
/// complex.
pub fn check_dtype(name: &str, own: DType, asked: DType) -> Result<()> {
    if own.is_integral(true) {
        fault!(NotImplementedError, "{name}: Expected a floating point or complex tensor as input. Got {}", own.title());
    }
    if asked.is_integral(true) {
        fault!(RuntimeError, "{name}: dtype should be floating point or complex, but got {}", asked.title());
    }
    if own.is_complex() != asked.is_complex() {
        let kind = if own.is_complex() { "complex" } else { "real" };
        fault!(RuntimeError, "{name}: dtype should be {kind} for {kind} inputs, but got {}", asked.title());
    }
    if crate::dtype::promote(own, asked) != Some(asked) {
        fault!(
            RuntimeError,
            "{name}: the dtype of the input ({}) should be convertible without narrowing to the specified dtype ({})",
            own.title(),
            asked.title()
        );
    }
    Ok(())
}

/// The `ord`-th root of the sum of the `ord`-th powers of the elements' sizes along dimensions (all when none are named).
///
/// Infinite orders give the greatest and the least size, order 0 the number of elements that are not zero. Fails with a
/// `NotImplementedError` for integers, and with a `RuntimeError` where an order has no value for no elements.
pub fn vector_norm(x: &Tensor, ord: f64, dim: Option<&[i64]>, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    if let Some(dtype) = dtype {
        check_dtype("linalg.vector_norm", x.dtype(), dtype)?;
    }
    let x = match dtype {
        Some(dtype) => exec::cast(x, dtype)?,
        None => x.clone(),
    };
    if x.dtype().is_integral(true) {
        fault!(
            NotImplementedError,
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
            x.dtype().title()
        );
    }
    let dims = dims_in_turn(&x, dim)?;
    if ord != 0.0 && dims.iter().all(|d| x.sizes()[*d] == 1) {
        // The size of the only element, which is not squared.
        let sizes = SIZE.of("abs", &[Operand::Tensor(x)], &[])?;
        return fold(&Reduction::new(&MAX, sizes.dtype()), &sizes, &dims, keepdim);
    }
    if ord == 2.0 && x.dtype().is_float() {
        if let Some(norms) = line_norm::euclidean(&x, &dims, keepdim)? {
            return Ok(norms);
        }
        if !plain_norm::is_line(&x, &dims)
            && let Some(norms) = plain_norm::plain(&SIZE.of("abs", &[Operand::Tensor(x.clone())], &[])?, ord, &dims, keepdim)?
        {
            return Ok(norms);
        }
        return fold(&Reduction::new(&NORM, x.dtype()), &x, &dims, keepdim);
    }
    let sizes = SIZE.of("abs", &[Operand::Tensor(x.clone())], &[])?;
    let folded = |what, t: &Tensor| fold(&Reduction::new(what, t.dtype()), t, &dims, keepdim);
    let of = |map: Map, t: &Tensor, numbers: &[Number]| map.of("norm", &[Operand::Tensor(t.clone())], numbers);
    let missing = dims.iter().find(|d| sizes.sizes()[**d] == 0);
    // Named as it was given.
    let is_missing = |d: &&i64| missing == Some(&(d.rem_euclid(x.ndim().max(1) as i64) as usize));
    let place = dim.and_then(|given| given.iter().find(is_missing));
    if let (Some(place), true) = (place, ord < 0.0 || ord.is_infinite()) {
        fault!(
            RuntimeError,
            "linalg.vector_norm cannot compute the {ord} norm on the dimension {place}because this dimension is empty and the \
             operation does not have an identity"
        );
    }
    if missing.is_some() && (ord < 0.0 || ord.is_infinite()) {
        fault!(
            RuntimeError,
            "linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not have an identity"
        );
    }
    if let Some(norms) = plain_norm::plain(&sizes, ord, &dims, keepdim)? {
        return Ok(norms);
    }
    match ord {
        f64::INFINITY => folded(&MAX, &sizes),
        f64::NEG_INFINITY => folded(&MIN, &sizes),
        0.0 => folded(&SUM, &NOT_ZERO.of("ne", &[Operand::Tensor(sizes.clone())], &[])?),
        1.0 => folded(&SUM, &sizes),
        2.0 => folded(&NORM, &sizes),
        p => {
            // Powers of 16 bits soon overflow: they are added, and their root is taken, in float32.
            let narrow = matches!(sizes.dtype(), DType::F16 | DType::BF16);
            let wide = if narrow { exec::cast(&sizes, DType::F32)? } else { sizes.clone() };
            let power = folded(&SUM, &of(POWER, &wide, &[Number::Float(p)])?)?;
            exec::cast(&of(ROOT, &power, &[Number::Float(p)])?, sizes.dtype())
        }
    }
}

pub(super) fn linalg_vector_norm(args: &Args) -> Result<Value> {
    let (x, ord, dim, keepdim, dtype): (Tensor, Number, Option<Dims>, bool, Option<DType>) = args.take()?;
    if matches!(ord, Number::Complex(_)) && !x.dtype().is_integral(true) {
        fault!(RuntimeError, "linalg.vector_norm: Expected a non-complex scalar as the order of norm.");
    }
    Ok(vector_norm(&x, ord.to_f64(), dim.as_deref(), keepdim, dtype)?.into())
}

pub(super) fn dist(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (a, b, p): (Value, Value, Value) = args.take()?;
    let apart = call_function(machine, "sub", vec![a, b])?;
    if let Value::Tensor(apart) = &apart
        && apart.dtype().is_integral(true)
    {
        let title = apart.dtype().title();
        fault!(NotImplementedError, "norm(): input dtype should be either floating point or complex. Got {title} instead.");
    }
    Ok(call_function(machine, "norm", vec![apart, p])?)
}

/// The norm with `out` by its place; by its name it goes to the other rows.
pub(super) fn norm_into(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (x, p, dim, keepdim, out, dtype): (Value, Value, Value, Value, Value, Value) = args.take()?;
    if !matches!(out, Value::None | Value::Tensor(_)) {
        fault!(TypeError, "linalg_vector_norm(): argument 'out' must be Tensor, not {}", out.type_name());
    }
    let Some(set) = crate::ops::function("norm") else { fault!(AttributeError, "module 'torch' has no attribute 'norm'") };
    let given = [("dtype", dtype), ("out", out)].into_iter().filter(|(_, value)| !matches!(value, Value::None));
    let keyword = given.map(|(name, value)| (name.into(), value)).collect();
    Ok(crate::ops::call(machine, set, false, CallArgs { positional: vec![x, p, dim, keepdim], keyword })?)
}

pub(super) fn norm(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (x, p, dim, keepdim, dtype): (Tensor, Value, Option<Dims>, bool, Value) = args.take()?;
    let dtype = match (&dtype, to_dtype(&dtype)) {
        (Value::None, _) => None,
        (_, Some(dtype)) => Some(dtype),
        (other, None) => {
            fault!(TypeError, "linalg_vector_norm(): argument 'dtype' must be torch.dtype, not {}", other.type_name())
        }
    };
    let p = match p {
        Value::Tensor(one) if one.ndim() == 0 => Value::from(exec::item(&one)?),
        other => crate::ops::number_of_numpy(&other).unwrap_or(other),
    };
    let ord = match &p {
        Value::None => 2.0,
        Value::Str(name) if **name == "fro" => match dim.as_deref() {
            Some(dims @ [_, _, _, ..]) => {
                if x.dtype().is_integral(true) {
                    let title = x.dtype().title();
                    fault!(
                        NotImplementedError,
                        "linalg.matrix_norm: Expected a floating point or complex tensor as input. Got {title}"
                    );
                }
                let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
                fault!(RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple. Got {}", dims.join(" "))
            }
            _ => 2.0,
        },
        Value::Str(name) if **name == "nuc" => {
            let dim = dim.unwrap_or_else(|| (0..x.ndim() as i64).collect());
            let dim = Value::size(&dim);
            let dtype = dtype.map_or(Value::None, Value::from);
            let name = crate::ops::function("linalg.matrix_norm");
            let Some(set) = name else { fault!(AttributeError, "module 'torch.linalg' has no attribute 'matrix_norm'") };
            let positional = vec![x.into(), p.clone(), dim, Value::Bool(keepdim)];
            let keyword = vec![("dtype".into(), dtype)];
            return Ok(crate::ops::call(machine, set, false, CallArgs { positional, keyword })?);
        }
        other => match other.as_number() {
            Some(Number::Complex(_)) if x.dtype().is_integral(true) => f64::NAN,
            Some(Number::Complex(_)) => {
                fault!(RuntimeError, "linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
            }
            Some(number) => number.to_f64(),
            None => match other {
                Value::Str(order) => fault!(RuntimeError, "linalg.matrix_norm: Order {order} not supported."),
                _ => fault!(
                    TypeError,
                    "linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {}",
                    other.type_name()
                ),
            },
        },
    };
    Ok(vector_norm(&x, ord, dim.as_deref(), keepdim, dtype)?.into())
}
