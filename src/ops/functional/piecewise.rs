//! Activations that are one function of a float and of numbers, and what other activations, norms and losses are made of.

use crate::dtype::{DType, Number, general};
use crate::kernel::element::Choose;
use crate::kernel::rest::{Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::kernel::vector::{self, wide};
use crate::ops::Form::{Code, Hosted};
use crate::ops::args::truth;
use crate::ops::map::{Map, NOTHING, elementwise, map};
use crate::ops::{Args, Form, Op, Operand, call_method, exec, op, rare};
use crate::scalar;
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;

const LEAKY_RELU: Map =
    elementwise!(light leaky_relu(a, slope), Promote, "a > 0 ? a : a * slope"; float: a.or(a > 0.0, a * slope));
const HARDSHRINK: Map = elementwise!(light hardshrink(a, lambd), Promote Aside, "a >= -lambd && a <= lambd ? 0 : a";
    float: (0.0 as T).or((a >= -lambd) & (a <= lambd), a));
const SOFTSHRINK: Map = Map { scalar: &SHRUNK, refuses: NOTHING };
/// In whole vectors, what is shrunk to nothing loses its sign.
static SHRUNK: Scalar = scalar! { light softshrink(a, lambd), Promote Aside, "a > lambd ? a - lambd : a < -lambd ? a + lambd : a * 0";
float: (a - lambd).or(a > lambd, (a + lambd).or(a < -lambd, (a * 0.0).abs())) }
.with_rest(
    const {
        &Rest {
            scalar: scalar! { light softshrink(a, lambd), Promote Aside, "a > lambd ? a - lambd : a < -lambd ? a + lambd : a * 0";
            float: (a - lambd).or(a > lambd, (a + lambd).or(a < -lambd, a * 0.0)) },
            step: 64,
            operands: 1,
            whose: Whose::All,
        }
    },
);
const THRESHOLD: Map = elementwise!(light threshold(a, least, value), Promote Aside, "a <= least ? value : a";
    whole: if a <= least { value } else { a }; float: value.or(a <= least, a));
const HARDSIGMOID: Map =
    elementwise!(light hardsigmoid(a), Promote, "min(max(a + 3, 0), 6) / 6"; float: up_to_six(a + 3.0) / 6.0);
const HARDSWISH: Map =
    elementwise!(light hardswish(a), Promote, "a * min(max(a + 3, 0), 6) / 6"; float: a * up_to_six(a + 3.0) / 6.0);

/// Into [0, 6]; NaN stays.
#[inline(always)]
fn up_to_six<T: Choose + PartialOrd + From<u8>>(x: T) -> T {
    let (low, high) = (T::from(0), T::from(6));
    low.or(x < low, high.or(x > high, x))
}

/// A function of `torch.nn.functional`.
const fn function(
    schema: &'static str,
    doc: &'static str,
    example: &'static str,
    form: fn(&mut dyn Machine, &Args) -> Result<Value>,
) -> Op {
    op(schema, doc, example, Hosted(form)).function_only()
}

/// A part of other functions of `torch.nn.functional`, in one pass over memory.
pub(super) const fn part(schema: &'static str, doc: &'static str, example: &'static str, form: Form) -> Op {
    op(schema, doc, example, form).function_only().no_out()
}

/// Refuses the way back where input and target are of two dtypes.
macro_rules! of_one_dtype {
    () => {
        "if input.dtype != target.dtype:\n    raise RuntimeError(f'Found dtype {target.type()[6:-6]} but expected {input.type()[6:-6]}')\n"
    };
}

macro_rules! smooth_l1 {
    () => {
        "d = input - target\nfound = grad * (torch.where(d.abs() < beta, d / beta, d.sgn()) if beta else d.sgn())\n"
    };
}

rows![
    part(
        "nn.functional._fma(Tensor a, Tensor b, Tensor c) -> Tensor",
        "`a * b + c`, rounded once.",
        "torch.nn.functional._fma(torch.tensor(2.), torch.tensor(3.), torch.tensor(1.))  # tensor(7.)",
        map!(fma(a, b, c), Promote, "fma(a, b, c)"; float: a.mul_add(b, c))
    )
    .grads(&[("a", "grad * b"), ("b", "grad * a"), ("c", "grad")]),
    part(
        "nn.functional._gelu(Tensor input) -> Tensor",
        "x times the area under the normal density left of x.",
        "torch.nn.functional._gelu(torch.tensor(1.))  # tensor(0.8413)",
        map!(gelu(a), Promote, "a * 0.5 * (erf(a * sqrt(0.5)) + 1)";
            single: wide::GELU_LOOP; f64: a * 0.5 * (vector::erf(a * std::f64::consts::FRAC_1_SQRT_2) + 1.0))
    )
    .grads(&[("input", "grad * torch.nn.functional._gelu_slope(input)")]),
    part(
        "nn.functional._gelu_slope(Tensor input) -> Tensor",
        "The slope of `gelu`. In rows of float32 and bfloat16 it is another library's.",
        "torch.nn.functional._gelu_slope(torch.tensor([-7., 7.]))  # tensor([0., 1.])",
        Code(
            "x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
in_a_row = input.dtype in (torch.float32, torch.bfloat16) and input.numel() > 1 and input.is_contiguous()
if in_a_row:
    slope = torch.nn.functional._fitted_gelu_slope(x)
else:
    slope = x * torch.exp(-0.5 * x * x) * 0.3989422804014327 + 0.5 * (1 + torch.erf(x * 0.7071067811865476))
slope.to(input.dtype)"
        )
    )
    .grads(&[("input", "grad * torch.exp(-0.5 * input * input) * 0.3989422804014327 * (2 - input * input)")]),
    part(
        "nn.functional._fitted_gelu_slope(Tensor input) -> Tensor",
        "The slope of `gelu`, by polynomials that stand for the exponential and the error function.",
        "torch.nn.functional._fitted_gelu_slope(torch.tensor([-7., 7.]))  # tensor([0., 1.])",
        map!(fitted_gelu_slope(a), Promote, "a * exp(-0.5 * a * a) * 0.3989422804014327 + 0.5 * (1 + erf(a * sqrt(0.5)))";
            single: wide::GELU_SLOPE_LOOP; f64: a * vector::exp(-0.5 * a * a) * 0.3989422804014327
                + 0.5 * (1.0 + vector::erf(a * std::f64::consts::FRAC_1_SQRT_2)))
    )
    .no_grad(),
    part(
        "nn.functional._vector_exp(Tensor input) -> Tensor",
        "As `torch.exp`, with the bits that it has inside of other functions.",
        "torch.nn.functional._vector_exp(torch.zeros(1))  # tensor([1.])",
        map!(vector_exp(a), Promote, "exp(a)"; float: vector::vector_exp(a))
    )
    .no_grad(),
    part(
        "nn.functional._fitted_gelu(Tensor input) -> Tensor",
        "As `gelu`, by polynomials that stand for the error function.",
        "torch.nn.functional._fitted_gelu(torch.tensor(1.))  # tensor(0.8413)",
        map!(fitted_gelu(a), Promote, "a * 0.5 * (erf(a * sqrt(0.5)) + 1)";
            single: wide::FITTED_GELU_LOOP; f64: a * 0.5 * (vector::erf(a * std::f64::consts::FRAC_1_SQRT_2) + 1.0))
    )
    .no_grad(),
    part(
        "nn.functional._prelu(Tensor input, Tensor weight) -> Tensor",
        "x above 0, `weight * x` below.",
        "torch.nn.functional._prelu(torch.tensor([-1., 1.]), torch.tensor(0.5))  # tensor([-0.5000,  1.0000])",
        map!(light prelu(a, w), Promote Like, "a > 0 ? a : w * a"; float: a.or(a > 0.0, w * a))
    )
    .grads(&[("input", "torch.where(input > 0, grad, grad * weight)"), ("weight", "torch.where(input > 0, 0., grad * input)")])
    .piecewise(),
    part(
        "nn.functional._smooth_l1(Tensor input, Tensor target, Scalar beta) -> Tensor",
        "The square of differences below `beta`, the size of others.",
        "torch.nn.functional._smooth_l1(torch.tensor([1., 4.]), torch.tensor([2., 2.]), 1)  # tensor([0.5000, 1.5000])",
        map!(light smooth_l1(a, b, beta), Promote, "smooth_l1(a, b, beta)";
            float: { let z = (a - b).abs(); (0.5 * z * z / beta).or(z < beta, z - 0.5 * beta) })
    )
    .grads(&[
        ("input", concat!(smooth_l1!(), "found")),
        ("target", concat!("input, target = target, input\n", smooth_l1!(), "found"))
    ]),
    part(
        "nn.functional._huber(Tensor input, Tensor target, Scalar delta) -> Tensor",
        "The square of differences up to `delta`, the size of others, times `delta`.",
        "torch.nn.functional._huber(torch.tensor([1., 4.]), torch.tensor([2., 2.]), 1)  # tensor([0.5000, 1.5000])",
        map!(light huber(a, b, delta), Promote, "huber(a, b, delta)";
            float: { let z = (a - b).abs(); (0.5 * z * z).or(z <= delta, delta * (z - 0.5 * delta)) })
    )
    .grads(&[
        ("input", concat!(of_one_dtype!(), "grad * (input - target).clamp(-delta, delta)")),
        ("target", concat!(of_one_dtype!(), "grad * (target - input).clamp(-delta, delta)")),
    ]),
    function(
        "nn.functional.leaky_relu(Tensor input, Scalar negative_slope=0.01, Any inplace=False) -> Tensor",
        "x above 0, a small part of it below.",
        "torch.nn.functional.leaky_relu(torch.tensor([-1., 1.]))  # tensor([-0.0100,  1.0000])",
        leaky_relu
    )
    .no_out()
    .grads(&[("input", "torch.where(input > 0, grad, grad * negative_slope)")])
    .piecewise(),
    function(
        "nn.functional.threshold(Tensor input, Scalar threshold, Scalar value, Any inplace=False) -> Tensor",
        "x above the threshold, `value` elsewhere.",
        "torch.nn.functional.threshold(torch.tensor([1., 3.]), 2, -1)  # tensor([-1.,  3.])",
        threshold
    )
    .no_out()
    .grads(&[("input", "torch.where(input <= threshold, 0., grad)")])
    .piecewise(),
    function(
        "nn.functional.hardsigmoid(Tensor input, Any inplace=False) -> Tensor",
        "A `sigmoid` of straight lines.",
        "torch.nn.functional.hardsigmoid(torch.tensor([0., 4.]))  # tensor([0.5000, 1.0000])",
        |machine, args| written(machine, args, &HARDSIGMOID, &[])
    )
    .no_out()
    .grads(&[("input", "torch.where((input > -3) & (input < 3), grad * 0.1666666716337204, 0.)")]),
    function(
        "nn.functional.hardswish(Tensor input, Any inplace=False) -> Tensor",
        "x times `hardsigmoid` of it.",
        "torch.nn.functional.hardswish(torch.tensor([1., 4.]))  # tensor([0.6667, 4.0000])",
        |machine, args| written(machine, args, &HARDSWISH, &[])
    )
    .no_out()
    .grads(&[("input", "torch.where(input <= -3, 0., torch.where(input < 3, grad * (input / 3 + 0.5), grad))")]),
    function(
        "nn.functional.hardshrink(Tensor input, Scalar lambd=0.5) -> Tensor",
        "0 within `lambd` of 0, x elsewhere.",
        "torch.nn.functional.hardshrink(torch.tensor([0.3, 0.7]))  # tensor([0.0000, 0.7000])",
        |_, args| shrunk(args, &HARDSHRINK)
    )
    .grads(&[("input", "torch.where((input >= -lambd) & (input <= lambd), 0., grad)")])
    .piecewise(),
    function(
        "nn.functional.softshrink(Tensor input, Scalar lambd=0.5) -> Tensor",
        "Moves each element towards 0 by `lambd`, to 0 at most.",
        "torch.nn.functional.softshrink(torch.tensor([-1., 0.3]))  # tensor([-0.5000,  0.0000])",
        softshrink
    )
    .grads(&[("input", "torch.where((input >= -lambd) & (input <= lambd), 0., grad)")])
    .piecewise(),
];

/// The function of the input, written into the input when the last argument is true.
fn written(machine: &mut dyn Machine, args: &Args, map: &Map, numbers: &[Number]) -> Result<Value> {
    let input: Tensor = args.get(0)?;
    let result = map.of(map.scalar.name, &[Operand::Tensor(input.clone())], numbers)?;
    match args.values.last() {
        Some(inplace) if truth(inplace)? => Ok(call_method(machine, "copy_", vec![input.into(), result.into()])?),
        _ => Ok(result.into()),
    }
}

/// A function of the input and of a bound, which is rounded to the input's dtype.
fn shrunk(args: &Args, map: &Map) -> Result<Value> {
    let (input, lambd): (Tensor, Number) = args.take()?;
    if !input.dtype().is_float() {
        fault!(NotImplementedError, "\"{}_cpu\" not implemented for '{}'", map.scalar.name, input.dtype().title());
    }
    let lambd = match lambd {
        Number::Complex(bound) if bound.im == 0.0 => Number::Float(bound.re),
        Number::Complex(_) => {
            let kind = if input.dtype() == DType::F64 { "double" } else { "float" };
            fault!(RuntimeError, "value cannot be converted to type {kind} without overflow")
        }
        plain => plain,
    };
    fits_width(input.dtype(), lambd)?;
    Ok(map.of(map.scalar.name, &[Operand::Tensor(input), Operand::Number(lambd)], &[])?.into())
}

fn softshrink(_: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (input, number): (Tensor, Number) = args.take()?;
    let title = input.dtype().title();
    let Some(limits) = input.dtype().float_limits().filter(|_| input.dtype().is_float()) else {
        fault!(NotImplementedError, "\"softshrink_check\" not implemented for '{title}'");
    };
    if matches!(number, Number::Complex(bound) if bound.im != 0.0) {
        fault!(RuntimeError, "value cannot be converted to type double without overflow");
    }
    let lambd = number.to_f64();
    if !(0.0..=limits.max).contains(&lambd) {
        let (largest, found) = (general(limits.max, 6), general(lambd, 6));
        fault!(RuntimeError, "lambda must be in range [0, {largest}] for input dtype {title}, but found {found}");
    }
    shrunk(args, &SOFTSHRINK)
}

/// In place, elements that share a cell are looked at once.
fn threshold(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (x, least, value): (Tensor, Number, Number) = args.take()?;
    let dtype = x.dtype();
    if !(dtype.is_float() || dtype.is_integral(false)) || rare::is_rare(dtype) {
        fault!(NotImplementedError, "\"threshold_cpu\" not implemented for '{}'", dtype.title());
    }
    // Bounds of 16-bit floats are kept in float32.
    let kept = if dtype.is_float() && dtype.size() < 4 { DType::F32 } else { dtype };
    let bounds = [(least, kept), (value, dtype)].map(|(number, dtype)| {
        exec::check_fits(number, dtype)?;
        Ok(number.cast(dtype))
    });
    let [least, value]: [Result<Number>; 2] = bounds;
    let numbers = [least?, value?];
    if !truth(args.values.last().unwrap_or(&Value::None))? {
        return Ok(THRESHOLD.of("threshold", &[Operand::Tensor(x)], &numbers)?.into());
    }
    let once = x.alias(x.layout().without_repeats())?;
    let result = THRESHOLD.of("threshold", &[Operand::Tensor(once.clone())], &numbers)?;
    call_method(machine, "copy_", vec![once.into(), result.into()])?;
    Ok(x.into())
}

fn leaky_relu(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (x, slope): (Tensor, Number) = (args.get(0)?, args.get(1)?);
    if matches!(slope, Number::Complex(slope) if slope.im != 0.0) {
        let kind = if x.dtype() == DType::F64 { "double" } else { "float" };
        fault!(RuntimeError, "value cannot be converted to type {kind} without overflow");
    }
    fits_width(x.dtype(), slope)?;
    written(machine, args, &LEAKY_RELU, &[slope])
}

/// Fails with a `RuntimeError` for a number that a kernel cannot keep: in float64 for float64, else in float32.
fn fits_width(dtype: DType, number: Number) -> Result<()> {
    match dtype.is_float() && !dtype.is_float8() {
        true => exec::check_fits(number, if dtype == DType::F64 { DType::F64 } else { DType::F32 }),
        false => Ok(()),
    }
}
