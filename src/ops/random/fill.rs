//! Random numbers written into a tensor, in the order of its memory.

use super::generator::with_generator;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::kernel::rng::{self, Dist, Generator};
use crate::layout::Layout;
use crate::ops::autograd::texts;
use crate::ops::product::stretched;
use crate::ops::{Args, Form, Op, exec, op, rare};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A method that fills its tensor.
const fn filler(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run)).method_only().marked()
}

rows![
    filler(
        "uniform_(Tensor(a!) self, float from=0.0, float to=1.0, *, Generator? generator=None) -> Tensor(a!)",
        "Fills with numbers between `from` and `to`, all equally likely.",
        "g = torch.manual_seed(0)\ntorch.empty(2).uniform_(5, 10)\n# tensor([7.4813, 8.8411])",
        |a| filled(a, Dist::Uniform { from: a.get(1)?, to: a.get(2)? }, 3),
    )
    .grads(&[("self", texts::FLAT)])
    .complex(),
    filler(
        "normal_(Tensor(a!) self, float mean=0.0, float std=1.0, *, Generator? generator=None) -> Tensor(a!)",
        "Fills with normally distributed numbers.",
        "g = torch.manual_seed(0)\ntorch.empty(2).normal_(100, 1)\n# tensor([101.5410,  99.7066])",
        |a| filled(a, Dist::Normal { mean: a.get(1)?, std: a.get(2)? }, 3),
    )
    .grads(&[("self", texts::FLAT)])
    .complex(),
    filler(
        "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)",
        "Fills with whole numbers: from `from` up to `to`, which is left out, or from 0 up to the largest that the dtype tells apart.",
        "g = torch.manual_seed(0)\ntorch.zeros(3).random_(10)\n# tensor([4., 9., 3.])",
        |a| filled(a, Dist::Whole, 1),
    )
    .grads(&[("self", texts::FLAT)]),
    filler("random_(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)", "", "", |a| {
        filled(a, Dist::Between { from: 0, to: Some(a.get(1)?) }, 2)
    })
    .grads(&[("self", texts::FLAT)]),
    filler("random_(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)", "", "", |a| {
        filled(a, Dist::Between { from: a.get(1)?, to: a.get(2)? }, 3)
    })
    .grads(&[("self", texts::FLAT)]),
    filler(
        "bernoulli_(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)",
        "Fills with 1 with probability `p`, which may be a tensor with one for each element, else with 0.",
        "g = torch.manual_seed(0)\ntorch.empty(4).bernoulli_(0.5)\n# tensor([0., 0., 1., 0.])",
        |a| {
            let (x, p): (Tensor, Tensor) = a.take()?;
            fill_trials(&x, &p, a.value(2))?;
            Ok(x.into())
        },
    )
    .grads(&[("self", texts::FLAT), ("p", "p.new_zeros(p.shape)")]),
    filler("bernoulli_(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)", "", "", |a| {
        filled(a, Dist::Bernoulli { p: a.get(1)? }, 2)
    })
    .grads(&[("self", texts::FLAT)]),
    filler(
        "exponential_(Tensor(a!) self, float lambd=1.0, *, Generator? generator=None) -> Tensor(a!)",
        "Fills with waiting times for an event that happens at the rate `lambd`.",
        "g = torch.manual_seed(0)\ntorch.empty(2).exponential_()\n# tensor([3.5083, 1.2304])",
        |a| filled(a, Dist::Exponential { rate: a.get(1)? }, 2),
    )
    .grads(&[("self", texts::FLAT)]),
    filler(
        "geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)",
        "Fills with numbers of trials up to the first success, where each succeeds with probability `p`.",
        "g = torch.manual_seed(0)\ntorch.empty(4).geometric_(0.5)\n# tensor([1., 1., 2., 1.])",
        |a| filled(a, Dist::Geometric { p: a.get(1)? }, 2),
    )
    .grads(&[("self", texts::FLAT)]),
    filler(
        "cauchy_(Tensor(a!) self, float median=0.0, float sigma=1.0, *, Generator? generator=None) -> Tensor(a!)",
        "Fills with numbers of a Cauchy distribution: a bell so wide that it has no mean.",
        "g = torch.manual_seed(0)\ntorch.empty(2).cauchy_()\n# tensor([10.5977,  0.7648])",
        |a| filled(a, Dist::Cauchy { median: a.get(1)?, sigma: a.get(2)? }, 3),
    )
    .grads(&[("self", texts::FLAT)]),
    filler(
        "log_normal_(Tensor(a!) self, float mean=1.0, float std=2.0, *, Generator? generator=None) -> Tensor(a!)",
        "Fills with exponentials of normally distributed numbers.",
        "g = torch.manual_seed(0)\ntorch.empty(2).log_normal_(0, 1)\n# tensor([4.6692, 0.7457])",
        |a| filled(a, Dist::LogNormal { mean: a.get(1)?, std: a.get(2)? }, 3),
    )
    .grads(&[("self", texts::FLAT)]),
];

/// Fills the first argument from the generator at a place.
fn filled(args: &Args, dist: Dist, generator: usize) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    fill_tensor(&x, &dist, args.value(generator))?;
    Ok(x.into())
}

/// Fills a tensor with numbers of a distribution, in the order of its memory.
///
/// Fails as PyTorch does on parameters or a dtype that cannot be, and with a `RuntimeError` when two elements are one cell.
pub fn fill_tensor(x: &Tensor, dist: &Dist, generator: &Value) -> Result<()> {
    let (layout, dtype) = (x.layout(), x.dtype());
    if !matches!(dist, Dist::Between { .. }) {
        dist.check_parameters()?;
    }
    if dist.looks_at_cells(dtype) {
        exec::refuse_overlap(x)?;
    }
    dist.check(dtype, x.numel() == 0)?;
    draw_into(x, |contiguous, out| with_generator(generator, |g| rng::fill(g, dist, dtype, contiguous, out)), &layout)
}

/// What numbers are drawn into: `out` where it has this size and dtype, in the order in which its elements lie, else a new tensor.
pub(super) fn room(args: &Args, sizes: &[i64], dtype: DType, device: DeviceId) -> Result<Tensor> {
    match args.target().filter(|out| out.sizes().as_slice() == sizes && out.dtype() == dtype && out.device() == device) {
        Some(out) => Ok(out),
        None => exec::empty(sizes, dtype, device),
    }
}

/// Fills a tensor with 1 where a draw is below the probability in `p`, which is broadcast, else with 0.
pub(super) fn fill_trials(x: &Tensor, p: &Tensor, generator: &Value) -> Result<()> {
    exec::refuse_overlap(x)?;
    if x.dtype().is_complex() && x.numel() == 0 {
        return Ok(());
    }
    if x.dtype().is_complex() || rare::is_rare(x.dtype()) && x.numel() > 0 {
        fault!(NotImplementedError, "\"bernoulli_tensor_cpu_self_\" not implemented for '{}'", x.dtype().title());
    }
    let p = if x.numel() > 0 { stretched(p, &x.sizes())? } else { p.clone() };
    if x.numel() > 0 && (!p.dtype().is_float() || p.dtype().size() < 2) {
        fault!(NotImplementedError, "\"bernoulli_tensor_cpu_p_\" not implemented for '{}'", p.dtype().title());
    }
    Dist::Bernoulli { p: 0.0 }.check(x.dtype(), x.numel() == 0)?;
    if x.numel() == 0 {
        return Ok(());
    }
    let layout = x.layout();
    let each: Vec<f64> = exec::read_vec(&p)?;
    let wide = p.dtype() == DType::F64;
    let trials = |g: &mut Generator, out: &mut [u8]| match rng::drawing_order(&layout) {
        None => rng::trials(g, each.iter().copied(), wide, x.dtype(), out),
        Some(order) => rng::trials(g, order.iter().filter_map(|i| each.get(*i).copied()), wide, x.dtype(), out),
    };
    draw_into(x, |_, out| with_generator(generator, |g| trials(g, out)), &layout)
}

/// Lets `draw` fill bytes in drawing order, told whether the tensor is contiguous, and puts them into the tensor.
fn draw_into(x: &Tensor, draw: impl FnOnce(bool, &mut [u8]) -> Result<()>, layout: &Layout) -> Result<()> {
    exec::refuse_overlap(x)?;
    match x.device() {
        DeviceId::Meta => return Ok(()),
        DeviceId::Cpu => {}
        _ => fault!(NotImplementedError, "random numbers are drawn on the CPU only: draw there and call .cuda()"),
    }
    if x.is_conj() || x.is_neg() {
        let fresh = exec::empty(&layout.sizes, x.dtype(), x.device())?;
        draw_into(&fresh, draw, &fresh.layout())?;
        return exec::copy(x, &fresh);
    }
    let (size, bytes) = (x.dtype().size(), x.numel() as usize * x.dtype().size());
    if layout.is_contiguous() {
        let start = if bytes == 0 { 0 } else { layout.offset as usize * size };
        return x.strided()?.storage.write(|out| draw(true, &mut out[start..start + bytes]))?;
    }
    let mut drawn = vec![0; bytes];
    draw(false, &mut drawn)?;
    // Complex numbers are drawn part by part, and the parts of one lie side by side.
    x.strided()?.storage.write(|out| rng::scatter(layout, size, &drawn, out))
}
