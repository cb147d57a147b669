//! Numbers in steps: `arange`, `linspace`, `logspace`, and grids of them.

use super::filled::maker;
use super::options::{Options, factory, made};
use crate::dtype::{DType, Number, general};
use crate::kernel::ramp;
use crate::layout::{Dims, Layout};
use crate::ops::{Args, Form, Operand, exec, op, rare};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Each goes along a dimension of its own, and is the same along the others; `xy` exchanges the first two.
const MESHGRID: &str = "order = list(range(len(tensors)))
if indexing == 'xy' and len(order) > 1:
    order[0], order[1] = 1, 0
[(g.sum([d for d in range(g.ndim) if d != order[k]]) if g.ndim > 1 else g).reshape(t.shape) for k, (g, t) in enumerate(zip(grads, tensors))]";

rows![
    maker(
        factory!("arange(Scalar end, *"),
        "Numbers from `start` (0 unless given) up to `end`, which is left out, in steps of `step` (1 unless given).",
        "torch.arange(1, 2.5, 0.5)\n# tensor([1.0000, 1.5000, 2.0000])",
        |a| arange([Number::Int(0), a.get(0)?, Number::Int(1)], &Options::read(a, 1)?),
    ),
    maker(factory!("arange(Scalar start, Scalar end, Scalar step=1, *"), "", "", |a| {
        arange([a.get(0)?, a.get(1)?, a.get(2)?], &Options::read(a, 3)?)
    }),
    maker(
        "range(Scalar start, Scalar end, Scalar step=1, *, DType? dtype=None, Layout? layout=None, Device? device=None, bool? requires_grad=False) -> Tensor",
        "Numbers from `start` to `end`, which is included, in steps of `step`: what `arange` was called before.",
        "torch.range(0, 3)\n# tensor([0., 1., 2., 3.])",
        |a| {
            let (numbers, options) = ([a.get(0)?, a.get(1)?, a.get(2)?], Options::read_unpinned(a, 3)?);
            options.require_strided("range")?;
            let dtype = options.float_dtype();
            check_dtype("range", dtype)?;
            if dtype.is_integral(false) {
                numbers.iter().try_for_each(|n| exec::check_fits(*n, DType::I64))?;
            }
            check_steps(numbers[0], numbers[1], numbers[2])?;
            // Steps between integers are counted in integers.
            let counted = if dtype.is_integral(false) { numbers.map(|n| Number::Int(n.to_i64())) } else { numbers };
            let size = inclusive_size(counted)?;
            let [start, _, step] = numbers;
            options.finish(made(&[size], dtype, options.device, |out| ramp::range(start, step, dtype, out))?)
        },
    ),
    maker(
        factory!("linspace(Operand start, Operand end, int steps, *"),
        "A number of values from `start` to `end`, both included, at equal distances.",
        "torch.linspace(0, 1, 5)\n# tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])",
        |a| spaced(a, None, &Options::read(a, 3)?),
    ),
    maker(
        factory!("logspace(Operand start, Operand end, int steps, float base=10.0, *"),
        "Powers of `base` whose exponents go from `start` to `end`, both included, at equal distances.",
        "torch.logspace(0, 2, 3)\n# tensor([  1.,  10., 100.])",
        |a| spaced(a, Some(Number::Float(a.get(3)?)), &Options::read(a, 4)?),
    ),
    op(
        "meshgrid(Tensor(a)[] tensors=[], *, str? indexing=None) -> Tensor(a)[]",
        "The coordinates of a grid: each 1-d tensor repeated along the dimensions of the others, as views. \
         `indexing='xy'` swaps the first two dimensions.",
        "torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4]))[0]\n# tensor([[1, 1],\n#         [2, 2]])",
        Form::Native(meshgrid),
    )
    .function_only()
    .variadic()
    .no_out()
    .grads(&[("tensors", MESHGRID)])
    .complex()
    .of_form(),
];

fn is_whole(number: Number) -> bool {
    matches!(number, Number::Bool(_) | Number::Int(_) | Number::Unsigned(_))
}

fn arange([start, end, step]: [Number; 3], options: &Options) -> Result<Value> {
    options.require_strided("arange")?;
    let whole = [start, end, step].into_iter().all(is_whole);
    let dtype = options.dtype.unwrap_or_else(|| if whole { DType::I64 } else { settings::default_dtype() });
    check_dtype("arange", dtype)?;
    check_steps(start, end, step)?;
    let size = if whole {
        if dtype == DType::I64 {
            [start, end, step].iter().try_for_each(|n| exec::check_fits(*n, DType::I64))?;
        }
        let (distance, step) = (end.to_i64() as i128 - start.to_i64() as i128, step.to_i64() as i128);
        (distance + step - step.signum()) / step
    } else {
        count((end.to_f64() - start.to_f64()) / step.to_f64(), f64::ceil)?
    };
    if dtype.is_integral(false) {
        exec::check_fits(start, DType::I64)?;
        exec::check_fits(step, DType::I64)?;
    }
    options.finish(made(&[size as i64], dtype, options.device, |out| ramp::arange(start, step, dtype, out))?)
}

/// Fails with a `NotImplementedError` for dtypes without a kernel of steps, whatever the numbers are.
fn check_dtype(name: &str, dtype: DType) -> Result<()> {
    let unsigned = matches!(dtype, DType::Bool | DType::U16 | DType::U32 | DType::U64);
    if unsigned || dtype.is_complex() || name == "range" && dtype.is_float8() {
        fault!(NotImplementedError, "\"{name}_cpu\" not implemented for '{}'", dtype.title());
    }
    Ok(())
}

/// Fails with a `RuntimeError` when no steps lead from one number to the other.
fn check_steps(start: Number, end: Number, step: Number) -> Result<()> {
    let numbers = [start, end, step];
    if numbers.iter().any(|n| matches!(n, Number::Complex(c) if c.im != 0.0)) {
        fault!(RuntimeError, "value cannot be converted to type double without overflow");
    }
    let [from, to, by] = numbers.map(Number::to_f64);
    if by == 0.0 {
        fault!(RuntimeError, "step must be nonzero");
    }
    if !by.is_finite() {
        fault!(RuntimeError, "step must be finite but got {}", general(by, 6));
    }
    if !from.is_finite() || !to.is_finite() {
        fault!(RuntimeError, "unsupported range: {} -> {}", general(from, 6), general(to, 6));
    }
    if (by > 0.0 && from > to) || (by < 0.0 && from < to) {
        fault!(RuntimeError, "upper bound and lower bound inconsistent with step sign");
    }
    Ok(())
}

/// A number of steps as a size. Fails with a `RuntimeError` when there cannot be so many.
fn count(steps: f64, round: fn(f64) -> f64) -> Result<i128> {
    let size = round(steps);
    if !(0.0..9.2e18).contains(&size) {
        fault!(RuntimeError, "invalid size, possible overflow?");
    }
    Ok(size as i128)
}

fn inclusive_size([start, end, step]: [Number; 3]) -> Result<i64> {
    check_steps(start, end, step)?;
    Ok(count((end.to_f64() - start.to_f64()) / step.to_f64() + 1.0, f64::floor)? as i64)
}

/// `linspace`, or with a base `logspace`.
fn spaced(args: &Args, base: Option<Number>, options: &Options) -> Result<Value> {
    let name = args.op.name();
    options.require_strided(name)?;
    let ([start, end], steps) = (end_points(args)?, args.get::<i64>(2)?);
    if steps < 0 {
        fault!(RuntimeError, "number of steps must be non-negative");
    }
    let complex = [Some(start), Some(end), base].into_iter().flatten().any(|n| matches!(n, Number::Complex(_)));
    let inferred = if complex { settings::default_dtype().to_complex() } else { settings::default_dtype() };
    let dtype = options.dtype.unwrap_or(inferred);
    // An `out` is filled whatever would be inferred.
    if complex && !dtype.is_complex() && matches!(args.out, Value::None) {
        fault!(
            RuntimeError,
            "torch.{name}(): inferred dtype {} can't be safely cast to passed dtype {}",
            inferred.c_name(),
            dtype.title()
        );
    }
    if let (0..=1, true) = (steps, dtype == DType::Bool || rare::is_rare(dtype)) {
        let all = exec::empty(&[steps], dtype, options.device)?;
        if steps == 0 {
            return options.finish(all);
        }
        exec::fill(&all, base.map_or(start, |base| Number::Float(base.to_f64().powf(start.to_f64()))))?;
        return options.finish(all);
    }
    if dtype == DType::Bool || rare::is_rare(dtype) && !dtype.is_complex() {
        fault!(NotImplementedError, "\"{name}_cpu\" not implemented for '{}'", dtype.title());
    }
    if steps > 0 {
        exec::check_fits(start, dtype)?;
    }
    if steps > 1 {
        exec::check_fits(end, dtype)?;
    }
    options.finish(made(&[steps], dtype, options.device, |out| match base {
        None => ramp::linspace(start, end, dtype, out),
        Some(base) => ramp::logspace(start, end, base, dtype, out),
    })?)
}

/// The numbers between which a row lies: numbers, or tensors without dimensions.
fn end_points(args: &Args) -> Result<[Number; 2]> {
    let ends: [Operand; 2] = [args.get(0)?, args.get(1)?];
    let told = ["start", "end"].iter().zip(&ends).filter_map(|(name, end)| match end {
        Operand::Tensor(t) => Some((t.ndim(), format!("{name} with {} dimension(s)", t.ndim()))),
        Operand::Number(_) => None,
    });
    let (dims, told): (Vec<usize>, Vec<String>) = told.unzip();
    if dims.iter().any(|ndim| *ndim > 0) {
        let name = args.op.name();
        fault!(RuntimeError, "{name} only supports 0-dimensional start and end tensors, but got {}.", told.join(" and "));
    }
    let number = |end: &Operand| match end {
        Operand::Number(number) => Ok(*number),
        Operand::Tensor(one) => exec::item(one),
    };
    Ok([number(&ends[0])?, number(&ends[1])?])
}

fn meshgrid(args: &Args) -> Result<Value> {
    let (tensors, indexing): (Vec<Tensor>, Option<String>) = args.take()?;
    check_alike(&tensors)?;
    let swap = match indexing.as_deref() {
        None | Some("ij") => false,
        Some("xy") => true,
        Some(other) => fault!(RuntimeError, "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {other}"),
    };
    check_axes(&tensors)?;
    let mut sizes: Dims = tensors.iter().map(Tensor::numel).collect();
    let swap = swap && sizes.len() > 1;
    if swap {
        sizes.swap(0, 1);
    }
    let grids = tensors.iter().enumerate().map(|(k, tensor)| {
        let layout = tensor.layout();
        let dim = if swap && k < 2 { 1 - k } else { k };
        let (length, stride) = match tensor.numel() {
            0 if sizes.len() > 1 => (1, 1),
            length => (length, layout.strides.first().copied().unwrap_or(1)),
        };
        // As a view of it with ones around, expanded: a dimension of 1 keeps the stride that it has in the view.
        let mut strides: Dims = (0..sizes.len())
            .map(|d| {
                if sizes[d] != 1 {
                    0
                } else if d < dim {
                    length * stride
                } else {
                    stride
                }
            })
            .collect();
        strides[dim] = stride;
        tensor.alias(Layout::new(&sizes, &strides, layout.offset))
    });
    Ok(grids.collect::<Result<Vec<_>>>()?.into())
}

fn check_alike(tensors: &[Tensor]) -> Result<()> {
    let Some(first) = tensors.first() else { fault!(RuntimeError, "meshgrid expects a non-empty TensorList") };
    if tensors.iter().any(|t| t.dtype() != first.dtype()) {
        fault!(RuntimeError, "meshgrid expects all tensors to have the same dtype");
    }
    if tensors.iter().any(|t| t.device() != first.device()) {
        fault!(RuntimeError, "meshgrid expects all tensors to have the same device");
    }
    Ok(())
}

fn check_axes(tensors: &[Tensor]) -> Result<()> {
    if let Some(wide) = tensors.iter().find(|t| t.ndim() > 1) {
        fault!(
            RuntimeError,
            "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}",
            super::spoken::spoken(wide)?
        );
    }
    Ok(())
}
