//! Samples whose parameters are tensors.

use super::fill::{fill_tensor, fill_trials, room};
use super::generator::with_generator;
use crate::dtype::{DType, Number};
use crate::interrupt;
use crate::kernel::rng::{self, Dist};
use crate::layout::{Dims, Layout, broadcast_sizes};
use crate::ops::autograd::texts;
use crate::ops::create::options::{Options, factory, made};
use crate::ops::{Args, Form, Op, call_method, exec, op, rare};
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;

/// A function that draws.
const fn sampler(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run))
}

/// Another way to call `normal`.
const fn normal(schema: &'static str, run: fn(&mut dyn Machine, &Args) -> Result<Value>) -> Op {
    op(schema, "", "", Form::Hosted(run)).function_only()
}

rows![
    op(
        "normal(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor",
        "Normally distributed numbers; mean and standard deviation are numbers, or tensors with one for each element.",
        "g = torch.manual_seed(0)\ntorch.normal(torch.tensor([0., 100.]), torch.tensor([1., 2.]))\n# tensor([ 1.5410, 99.4131])",
        Form::Hosted(|m, a| {
            let (mean, std): (Tensor, Tensor) = a.take()?;
            spread(m, a, &std, &mean, || broadcast_sizes(&mean.sizes(), &std.sizes()))
        }),
    )
    .function_only()
    .grads(&[("mean", "mean.new_zeros(mean.shape)"), ("std", "std.new_zeros(std.shape)")]),
    normal("normal(Tensor mean, float std=1.0, *, Generator? generator=None) -> Tensor", |m, a| {
        let (mean, std): (Tensor, f64) = a.take()?;
        let dist = Dist::Normal { mean: 0.0, std };
        dist.check_parameters()?;
        // What is written to takes part in the broadcast.
        let sizes = match a.target() {
            Some(out) => broadcast_sizes(&mean.sizes(), &out.sizes())?,
            None => mean.sizes(),
        };
        let x = room(a, &sizes, made_dtype(a, &mean), mean.device())?;
        fill_tensor(&x, &dist, a.value(2))?;
        Ok(call_method(m, "add_", vec![x.into(), mean.into()])?)
    })
    .grads(&[("mean", "mean.new_zeros(mean.shape)")]),
    normal("normal(float mean, Tensor std, *, Generator? generator=None) -> Tensor", |m, a| {
        let std: Tensor = a.get(1)?;
        spread(m, a, &std, &std, || Ok(std.sizes()))
    })
    .grads(&[("std", "std.new_zeros(std.shape)")]),
    op(
        factory!("normal(float mean, float std, SymInt[] size, *, Generator? generator=None"),
        "",
        "",
        Form::Native(|a| {
            let (sizes, options): (Dims, _) = (a.get(2)?, Options::read(a, 4)?);
            let x = room(a, &sizes, options.float_dtype(), options.device)?;
            fill_tensor(&x, &Dist::Normal { mean: a.get(0)?, std: a.get(1)? }, a.value(3))?;
            options.finish(x)
        }),
    )
    .function_only()
    .no_grad(),
    sampler(
        "bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
        "1 with the probability in `self`, or with probability `p` everywhere, else 0.",
        "g = torch.manual_seed(0)\ntorch.bernoulli(torch.tensor([0.2, 0.9, 0.5]))\n# tensor([0., 1., 1.])",
        |a| {
            let x: Tensor = a.get(0)?;
            if let Some(out) = a.target().filter(|_| x.numel() > 0) {
                let lacks = |dtype: DType| dtype.is_complex() || rare::is_rare(dtype);
                if let Some((whose, dtype)) =
                    [("self", out.dtype()), ("p", x.dtype())].into_iter().find(|(_, dtype)| lacks(*dtype))
                {
                    fault!(NotImplementedError, "\"bernoulli_tensor_cpu_{whose}_\" not implemented for '{}'", dtype.title());
                }
            }
            let out = room(a, &x.sizes(), x.dtype(), x.device())?;
            fill_trials(&out, &x, a.value(1))?;
            Ok(out.into())
        },
    )
    .grads(&[("self", texts::FLAT)]),
    sampler("bernoulli(Tensor self, float p, *, Generator? generator=None) -> Tensor", "", "", |a| {
        let (x, p): (Tensor, f64) = a.take()?;
        let out = room(a, &x.sizes(), x.dtype(), x.device())?;
        fill_tensor(&out, &Dist::Bernoulli { p }, a.value(2))?;
        Ok(out.into())
    })
    .no_out()
    .grads(&[("self", texts::none!("bernoulli"))]),
    sampler(
        "multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor",
        "Indices drawn by weight, a number of them for each row of weights; without replacement no index comes twice.",
        "g = torch.manual_seed(0)\ntorch.multinomial(torch.tensor([1., 10., 3.]), 2)\n# tensor([1, 2])",
        multinomial,
    )
    .no_grad(),
    sampler(
        "poisson(Tensor self, Generator? generator=None) -> Tensor",
        "How many events happen, each element with a rate of its own.",
        "g = torch.manual_seed(0)\ntorch.poisson(torch.tensor([0., 5., 100.]))\n# tensor([ 0.,  8., 94.])",
        poisson,
    )
    .function_only()
    .no_out()
    .grads(&[("self", texts::FLAT)]),
    sampler(
        "_standard_gamma(Tensor self, Generator? generator=None) -> Tensor",
        "Gamma numbers of rate 1, each element with a concentration of its own.",
        "g = torch.manual_seed(0)\ntorch._standard_gamma(torch.tensor([1., 50.]))\n# tensor([ 2.8824, 47.6273])",
        standard_gamma,
    )
    .function_only()
    .no_out(),
    op(
        "_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor",
        "Shares of a whole along the last dimension, each with a concentration of its own.",
        "g = torch.manual_seed(0)\ntorch._sample_dirichlet(torch.tensor([1., 50.]))\n# tensor([0.0571, 0.9429])",
        Form::Code(SAMPLE_DIRICHLET),
    )
    .function_only()
    .no_out()
    .no_grad(),
    sampler(
        "binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor",
        "How many of `count` trials succeed, each with probability `prob`.",
        "g = torch.manual_seed(0)\ntorch.binomial(torch.tensor([10.]), torch.tensor([0.5]))\n# tensor([7.])",
        binomial,
    )
    .function_only()
    .no_out()
    .grads(&[("count", texts::none!("binomial")), ("prob", texts::none!("binomial"))]),
];

const SAMPLE_DIRICHLET: &str = "if self.dtype not in (torch.float32, torch.float64):
    kind = self.type().split('.')[-1].replace('Tensor', '')
    raise NotImplementedError(f'\"dirichlet\" not implemented for \\'{kind}\\'')
info = torch.finfo(self.dtype)
parts = torch._standard_gamma(self.double(), generator)
(parts / parts.sum(-1, True)).to(self.dtype).clamp(min=info.tiny, max=1 - info.eps / 2)";

/// The dtype that numbers are drawn in: that of what they are written to, else that of a parameter.
fn made_dtype(args: &Args, parameter: &Tensor) -> DType {
    args.target().map_or(parameter.dtype(), |out| out.dtype())
}

/// Standard normal numbers in the dtype of a parameter, times a tensor, plus the mean. The sizes are asked for when the tensor was
/// found to be none of negative numbers.
fn spread(
    machine: &mut dyn Machine,
    args: &Args,
    std: &Tensor,
    like: &Tensor,
    sizes: impl FnOnce() -> Result<Dims>,
) -> Result<Value> {
    if std.dtype().is_complex() {
        fault!(RuntimeError, "normal expects standard deviation to be non-complex");
    }
    if rare::is_rare(std.dtype()) && std.numel() > 0 {
        fault!(NotImplementedError, "\"min_all\" not implemented for '{}'", std.dtype().title());
    }
    if exec::read_vec::<f64>(std)?.iter().any(|s| s.is_nan() || *s < 0.0) {
        fault!(RuntimeError, "normal expects all elements of std >= 0.0");
    }
    let x = room(args, &sizes()?, made_dtype(args, like), std.device())?;
    fill_tensor(&x, &Dist::Normal { mean: 0.0, std: 1.0 }, args.value(2))?;
    if x.numel() == 0 && !matches!(args.value(0), Value::Tensor(_)) {
        return Ok(x.into());
    }
    let scaled = call_method(machine, "mul_", vec![x.into(), std.clone().into()])?;
    Ok(call_method(machine, "add_", vec![scaled, args.value(0).clone()])?)
}

fn multinomial(args: &Args) -> Result<Value> {
    let (weights, samples, replacement): (Tensor, i64, bool) = args.take()?;
    let (sizes, dtype) = (weights.sizes(), weights.dtype());
    let (&[categories] | &[_, categories]) = sizes.as_slice() else { fault!(RuntimeError, "prob_dist must be 1 or 2 dim") };
    if !dtype.is_float() {
        fault!(RuntimeError, "multinomial only supports floating-point dtypes for input, got: {}", dtype.title());
    }
    if let Value::Tensor(out) = &args.out
        && out.dtype() != DType::I64
    {
        fault!(RuntimeError, "multinomial expects Long tensor out, got: {}", out.dtype().title());
    }
    if samples <= 0 {
        fault!(RuntimeError, "cannot sample n_sample <= 0 samples");
    }
    if !replacement && samples > categories {
        fault!(RuntimeError, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    }
    let rows: i64 = sizes[..sizes.len() - 1].iter().product();
    if categories == 0 && rows > 0 {
        match samples {
            1 => fault!(
                RuntimeError,
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            ),
            _ => fault!(RuntimeError, "invalid multinomial distribution (sum of probabilities <= 0)"),
        }
    }
    let mut result = sizes.clone();
    result[sizes.len() - 1] = samples;
    exec::require_room(&result, DType::I64)?;
    let order = rng::drawing_order(&Layout::new(&sizes, &weights.layout().preserved_strides(), 0));
    let weights: Vec<f64> = exec::read_vec(&weights)?;
    let draw = |g: &mut rng::Generator| {
        rng::multinomial(g, &weights, categories as usize, samples as usize, replacement, dtype, order.as_deref())
    };
    let found = with_generator(args.value(3), draw)?;
    Ok(exec::from_vec(&found, &result)?.into())
}

/// A contiguous tensor whose elements are drawn one after the other, each from its parameters.
fn each<P: Copy>(sizes: &[i64], dtype: DType, parameters: &[P], mut draw: impl FnMut(P) -> f64) -> Result<Value> {
    let tensor = made(sizes, dtype, crate::device::DeviceId::Cpu, |out| {
        for (place, parameter) in out.chunks_exact_mut(dtype.size()).zip(parameters) {
            interrupt::check()?;
            Number::Float(draw(*parameter)).write(dtype, place);
        }
        Ok(())
    })?;
    Ok(tensor.into())
}

fn poisson(args: &Args) -> Result<Value> {
    let rates: Tensor = args.get(0)?;
    let dtype = rates.dtype();
    if !dtype.is_float() || dtype.size() < 2 {
        fault!(NotImplementedError, "\"poisson_cpu\" not implemented for '{}'", dtype.title());
    }
    let each_rate: Vec<f64> = exec::read_vec(&rates)?;
    let draw = |g: &mut rng::Generator| {
        // What comes before a rate that cannot be is drawn.
        if let Some(valid) = each_rate.iter().position(|r| r.is_nan() || *r < 0.0) {
            for rate in &each_rate[..valid] {
                rng::poisson(g, *rate);
            }
            fault!(RuntimeError, "invalid Poisson rate, expected rate to be non-negative");
        }
        each(&rates.sizes(), dtype, &each_rate, |rate| rng::poisson(g, rate))
    };
    with_generator(args.value(1), draw)
}

fn standard_gamma(args: &Args) -> Result<Value> {
    let alphas: Tensor = args.get(0)?;
    let dtype = alphas.dtype();
    if !matches!(dtype, DType::F32 | DType::F64) {
        fault!(NotImplementedError, "\"gamma_cpu\" not implemented for '{}'", dtype.title());
    }
    let each_alpha: Vec<f64> = exec::read_vec(&alphas)?;
    let (narrow, least) = (dtype != DType::F64, dtype.float_limits().map_or(0.0, |limits| limits.smallest_normal));
    with_generator(args.value(1), |g| each(&alphas.sizes(), dtype, &each_alpha, |alpha| rng::gamma(g, alpha, narrow).max(least)))
}

fn binomial(args: &Args) -> Result<Value> {
    let (count, prob): (Tensor, Tensor) = args.take()?;
    for (name, tensor) in [("count", &count), ("prob", &prob)] {
        if !tensor.dtype().is_float() {
            fault!(ValueError, "binomial only supports floating-point dtypes for {name}, got: {}", tensor.dtype().title());
        }
    }
    let dtype = count.dtype();
    let sizes = broadcast_sizes(&count.sizes(), &prob.sizes())?;
    if dtype != prob.dtype() {
        fault!(RuntimeError, "Found dtype {} but expected {}", prob.dtype().title(), dtype.title());
    }
    if !matches!(dtype, DType::F32 | DType::F64) {
        fault!(NotImplementedError, "\"binomial_cpu\" not implemented for '{}'", dtype.title());
    }
    let wide = |t: &Tensor| -> Result<Vec<f64>> { exec::read_vec(&t.alias(expanded(t, &sizes)?)?) };
    let pairs: Vec<(f64, f64)> = wide(&count)?.into_iter().zip(wide(&prob)?).collect();
    with_generator(args.value(2), |g| each(&sizes, dtype, &pairs, |(n, p)| rng::binomial(g, n, p)))
}

fn expanded(tensor: &Tensor, sizes: &[i64]) -> Result<Layout> {
    tensor.layout().expand(sizes)
}
