//! `torch.fft`: discrete Fourier transforms.

mod back;
mod composed;
mod lines;
mod plans;
mod short;
mod short_time;
mod thirds;

use super::Form::{Code, Native};
use super::{Args, exec, op};
use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::kernel::follows_intel;
use crate::layout::{Dims, Layout, MemoryFormat, wrap_dim};
use crate::ops::create::options::factory;
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_complex::Complex;
use plans::Real;
use short::Manner;
use std::ops::Range;

/// What goes in and what comes out.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Complex numbers both times.
    Complex,
    /// Real numbers in; out, the first half of a transform whose other half mirrors it.
    ToHalf,
    /// Such a half in, real numbers out.
    FromHalf,
}

/// A transform along one dimension.
macro_rules! one {
    ($name:literal, $doc:literal, $example:literal, $way:ident, $forward:literal) => {
        op(
            concat!("fft.", $name, "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"),
            $doc,
            $example,
            Native(|a| along_one(a, Way::$way, $forward)),
        )
    };
}

/// A transform along several dimensions; all, or the two last.
macro_rules! many {
    ($name:literal, $dims:literal, $doc:literal, $example:literal, $way:ident, $forward:literal) => {
        op(
            concat!("fft.", $name, "(Tensor self, int[1]? s=None, int[1]", $dims, ", str? norm=None) -> Tensor"),
            $doc,
            $example,
            Native(|a| along_many(a, Way::$way, $forward)),
        )
    };
}

rows![
    one!("fft", "The discrete Fourier transform along a dimension, which is first cut or filled with zeros to length `n`.",
        "torch.fft.fft(torch.arange(4.))  # tensor([ 6.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])", Complex, true).grads(back::FFT).complex(),
    one!("ifft", "The inverse of `fft`.", "torch.fft.ifft(torch.tensor([6 + 0j, -2 + 2j, -2, -2 - 2j]))  # tensor([0.+0.j, 1.+0.j, 2.+0.j, 3.+0.j])", Complex, false).grads(back::IFFT).complex().ends_in_view(),
    one!("rfft", "The first half of the transform of real numbers; the other half is its mirror image.",
        "torch.fft.rfft(torch.arange(4.))  # tensor([ 6.+0.j, -2.+2.j, -2.+0.j])", ToHalf, true).grads(back::RFFT).complex(),
    one!("irfft", "The inverse of `rfft`. An odd length must be given as `n`.", "torch.fft.irfft(torch.tensor([6 + 0j, -2 + 2j, -2]))  # tensor([0., 1., 2., 3.])", FromHalf, false).grads(back::IRFFT).complex(),
    one!("hfft", "The transform, which is real, of numbers whose other half is the mirror image of the half that is given.",
        "torch.fft.hfft(torch.tensor([1 + 0j, 2j, 3]))  # tensor([ 4.,  2.,  4., -6.])", FromHalf, true).grads(back::HFFT).complex(),
    one!("ihfft", "The inverse of `hfft`.", "torch.fft.ihfft(torch.tensor([4., 2., 4., -6.]))  # tensor([1.-0.j, 0.+2.j, 3.-0.j])", ToHalf, false).grads(back::IHFFT).complex().ends_in_view(),
    many!("fftn", "? dim=None", "`fft` along several dimensions, all unless `dim` names some.", "torch.fft.fftn(torch.ones(2, 2))  # tensor([[4.+0.j, 0.+0.j],\n#         [0.+0.j, 0.+0.j]])", Complex, true).grads(back::FFTN).complex(),
    many!("ifftn", "? dim=None", "The inverse of `fftn`.", "torch.fft.ifftn(torch.ones(2, 2))  # tensor([[1.+0.j, 0.+0.j],\n#         [0.+0.j, 0.+0.j]])", Complex, false).grads(back::IFFTN).complex(),
    many!("rfftn", "? dim=None", "`rfft` along the last dimension, `fft` along the others.", "torch.fft.rfftn(torch.ones(2, 2)).shape  # torch.Size([2, 2])", ToHalf, true).grads(back::RFFTN).complex(),
    many!("irfftn", "? dim=None", "The inverse of `rfftn`.", "torch.fft.irfftn(torch.ones(2, 2)).shape  # torch.Size([2, 2])", FromHalf, false).grads(back::IRFFTN).complex(),
    many!("hfftn", "? dim=None", "`hfft` along the last dimension, `fft` along the others.", "torch.fft.hfftn(torch.ones(2, 2)).shape  # torch.Size([2, 2])", FromHalf, true).grads(back::HFFTN).complex(),
    many!("ihfftn", "? dim=None", "The inverse of `hfftn`.", "torch.fft.ihfftn(torch.ones(2, 2)).shape  # torch.Size([2, 2])", ToHalf, false).grads(back::IHFFTN).complex().ends_in_view(),
    many!("fft2", " dim=[-2, -1]", "`fftn` along the last two dimensions.", "torch.fft.fft2(torch.ones(3, 2, 2)).shape  # torch.Size([3, 2, 2])", Complex, true).grads(back::FFTN).complex(),
    many!("ifft2", " dim=[-2, -1]", "The inverse of `fft2`.", "torch.fft.ifft2(torch.ones(3, 2, 2)).shape  # torch.Size([3, 2, 2])", Complex, false).grads(back::IFFTN).complex(),
    many!("rfft2", " dim=[-2, -1]", "`rfftn` along the last two dimensions.", "torch.fft.rfft2(torch.ones(3, 2, 4)).shape  # torch.Size([3, 2, 3])", ToHalf, true).grads(back::RFFTN).complex(),
    many!("irfft2", " dim=[-2, -1]", "The inverse of `rfft2`.", "torch.fft.irfft2(torch.ones(3, 2, 3)).shape  # torch.Size([3, 2, 4])", FromHalf, false).grads(back::IRFFTN).complex(),
    many!("hfft2", " dim=[-2, -1]", "`hfftn` along the last two dimensions.", "torch.fft.hfft2(torch.ones(3, 2, 3)).shape  # torch.Size([3, 2, 4])", FromHalf, true).grads(back::HFFTN).complex(),
    many!("ihfft2", " dim=[-2, -1]", "The inverse of `hfft2`.", "torch.fft.ihfft2(torch.ones(3, 2, 4)).shape  # torch.Size([3, 2, 3])", ToHalf, false).grads(back::IHFFTN).complex().ends_in_view(),
    op(factory!("fft.fftfreq(int n, float d=1.0, *"), "The frequencies of a transform of `n` samples that are `d` apart, in its order.",
        "torch.fft.fftfreq(4)  # tensor([ 0.0000,  0.2500, -0.5000, -0.2500])", Code(FFTFREQ)).no_grad(),
    op(factory!("fft.rfftfreq(int n, float d=1.0, *"), "The frequencies of the half that `rfft` gives.",
        "torch.fft.rfftfreq(4)  # tensor([0.0000, 0.2500, 0.5000])", Code(RFFTFREQ)).no_grad(),
    op("fft.fftshift(Tensor self, int[1]? dim=None) -> Tensor", "Moves the frequency 0 to the middle.", "torch.fft.fftshift(torch.arange(5))  # tensor([3, 4, 0, 1, 2])",
        Code("dims = list(range(self.dim())) if dim is None else list(dim)\nself.roll([self.size(d) // 2 for d in dims], dims) if dims or dim is None else self.roll([])")).no_out()
        .grads(&[("self", "torch.fft.ifftshift(grad, dim)")]).complex(),
    op("fft.ifftshift(Tensor self, int[1]? dim=None) -> Tensor", "The inverse of `fftshift`.", "torch.fft.ifftshift(torch.arange(5))  # tensor([2, 3, 4, 0, 1])",
        Code("dims = list(range(self.dim())) if dim is None else list(dim)\nself.roll([(self.size(d) + 1) // 2 for d in dims], dims) if dims or dim is None else self.roll([])")).no_out()
        .grads(&[("self", "torch.fft.fftshift(grad, dim)")]).complex(),
    op("stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, Any center=True, Any pad_mode=\"reflect\", \
        bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor",
        "The transforms of overlapping windows of a signal, one a column.",
        "torch.stft(torch.ones(4), 2, 1, return_complex=True, onesided=True).shape  # torch.Size([2, 5])", Code(short_time::STFT)).no_out(),
    op("istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, \
        bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor",
        "The signal that `stft` was taken of.",
        "x = torch.arange(16.)\ntorch.istft(torch.stft(x, 8, window=torch.hann_window(8), return_complex=True), 8, window=torch.hann_window(8)).allclose(x, atol=1e-5)\n# True", Code(short_time::ISTFT)).no_out().stepwise(),
];

const FFTFREQ: &str = r#"
dtype = torch.get_default_dtype() if dtype is None else dtype
if n < 0:
    raise RuntimeError(f'Trying to create tensor with negative dimension {n}: [{n}]')
if not (dtype.is_floating_point or dtype.is_complex):
    raise RuntimeError('fftfreq requires a floating point or complex dtype')
result = torch.arange(n, dtype=dtype, device=device)
result[(n + 1) // 2:] = torch.arange(-(n // 2), 0, dtype=dtype, device=device)
step = 1.0 / (n * d) if n * d != 0 else math.copysign(math.inf, n * d)
result.mul_(torch.tensor(step, dtype=dtype) if dtype in (torch.float16, torch.bfloat16) else step).requires_grad_(requires_grad)
"#;

const RFFTFREQ: &str = r#"
dtype = torch.get_default_dtype() if dtype is None else dtype
if not (dtype.is_floating_point or dtype.is_complex):
    raise RuntimeError('rfftfreq requires a floating point or complex dtype')
if int(n / 2) + 1 < 0:
    raise RuntimeError(f'Trying to create tensor with negative dimension {int(n / 2) + 1}: [{int(n / 2) + 1}]')
step = 1.0 / (n * d) if n * d != 0 else math.copysign(math.inf, n * d)
result = torch.arange(int(n / 2) + 1, dtype=dtype, device=device)
result.mul_(torch.tensor(step, dtype=dtype) if dtype in (torch.float16, torch.bfloat16) else step).requires_grad_(requires_grad)
"#;

fn along_one(args: &Args, way: Way, forward: bool) -> Result<Value> {
    let (x, n, dim, norm): (Tensor, Option<i64>, i64, Option<String>) = args.take()?;
    let name = args.op.name().trim_start_matches("fft.");
    if way == Way::ToHalf && x.dtype().is_complex() {
        fault!(TypeError, "{name} expects a real input tensor, but got {}", x.dtype().title());
    }
    if way != Way::Complex || !x.dtype().is_complex() {
        check_kind(args, way)?;
    }
    real_dtype(&x)?;
    if x.ndim() == 0 {
        fault!(IndexError, "Dimension specified as {dim} but tensor has no dimensions");
    }
    let dims = [wrap_dim(dim, x.ndim())?];
    if let Some(n) = n.filter(|n| *n < 1) {
        fault!(RuntimeError, "Invalid number of data points ({n}) specified");
    }
    transform(args, &x, &dims, &[n], norm, way, forward)
}

fn along_many(args: &Args, way: Way, forward: bool) -> Result<Value> {
    type Sizes = Option<crate::layout::Dims>;
    let (x, s, dim, norm): (Tensor, Sizes, Sizes, Option<String>) = args.take()?;
    let ndim = x.ndim();
    let name = spoken(args);
    if (name, x.dtype().is_complex()) == ("rfftn", true) {
        fault!(TypeError, "{name} expects a real-valued input tensor, but got {}", x.dtype().title());
    }
    if let (0, Some(first)) = (ndim, dim.as_ref().and_then(|dim| dim.first())) {
        fault!(IndexError, "Dimension specified as {first} but tensor has no dimensions");
    }
    let dims: Vec<usize> = match (&dim, &s) {
        (Some(dim), _) => dim.iter().map(|d| wrap_dim(*d, ndim)).collect::<Result<_>>()?,
        (None, Some(s)) if s.len() > ndim => {
            fault!(RuntimeError, "Got shape with {} values but input tensor only has {ndim} dimensions.", s.len())
        }
        (None, Some(s)) => (ndim - s.len()..ndim).collect(),
        (None, None) => (0..ndim).collect(),
    };
    if dims.iter().enumerate().any(|(i, d)| dims[..i].contains(d)) {
        fault!(RuntimeError, "FFT dims must be unique");
    }
    if s.as_ref().is_some_and(|s| s.len() != dims.len()) {
        fault!(RuntimeError, "When given, dim and shape arguments must have the same length");
    }
    if dims.is_empty() && way != Way::Complex {
        fault!(RuntimeError, "{name} must transform at least one axis");
    }
    let sizes: Vec<Option<i64>> = match s {
        Some(s) => s.iter().map(|n| (*n != -1).then_some(*n)).collect(),
        None => vec![None; dims.len()],
    };
    let lengths = dims.iter().zip(&sizes).map(|(d, n)| n.unwrap_or(x.sizes()[*d]));
    if let Some(n) = lengths.filter(|_| ndim > 0).find(|n| *n < 1) {
        fault!(RuntimeError, "Invalid number of data points ({n}) specified");
    }
    if (name, x.dtype().is_complex()) == ("ihfftn", true) {
        factor(norm.as_deref(), forward, 1.0)?;
        fault!(TypeError, "Only supports floating-point dtypes, but found: {}", x.dtype().title());
    }
    transform(args, &x, &dims, &sizes, norm, way, forward)
}

/// The name that sentences begin with: those of two dimensions are the ones of several, and one is shared by both directions.
fn spoken(args: &Args) -> &'static str {
    match args.op.name().trim_start_matches("fft.") {
        "fft2" | "ifft2" | "ifftn" => "fftn",
        "rfft2" => "rfftn",
        "irfft2" => "irfftn",
        "hfft2" => "hfftn",
        "ihfft2" => "ihfftn",
        own => own,
    }
}

/// Fails with a `RuntimeError` where `out` is not of the kind that comes out.
fn check_kind(args: &Args, way: Way) -> Result<()> {
    let Value::Tensor(out) = &args.out else { return Ok(()) };
    let (found, name) = (Tensor::dtype(out), spoken(args));
    match way {
        Way::FromHalf if !found.is_float() => {
            fault!(RuntimeError, "{name} expects a floating point output tensor, but got {}", found.title())
        }
        Way::Complex | Way::ToHalf if !found.is_complex() => {
            fault!(RuntimeError, "{name} expects a complex output tensor, but got {}", found.title())
        }
        _ => {}
    }
    Ok(())
}

/// As [`check_kind`], when the numbers are known; the library that transforms them has no complex numbers of 16-bit ones.
fn check_out(args: &Args, way: Way, forward: bool, real: DType) -> Result<()> {
    check_kind(args, way)?;
    if real == DType::F16 {
        fault!(NotImplementedError, "MKL FFT doesn't support tensors of type: Half");
    }
    let (Value::Tensor(out), Value::Tensor(x)) = (&args.out, args.value(0)) else { return Ok(()) };
    let (found, name) = (Tensor::dtype(out), spoken(args));
    // Backwards from real numbers along one dimension, the conjugates of a transform are written.
    let result = real.to_complex();
    if matches!(name, "ifft" | "ihfft") && !forward && !Tensor::dtype(x).is_complex() && found != result {
        fault!(RuntimeError, "Found dtype {} but expected {}", found.title(), result.title());
    }
    Ok(())
}

/// The float dtype a transform is computed in. Fails with a `NotImplementedError` on numbers of 16 bits, but for complex ones.
fn real_dtype(x: &Tensor) -> Result<DType> {
    let real = match x.dtype() {
        d if d.is_integral(true) => settings::default_dtype(),
        d => d.to_real(),
    };
    match real {
        DType::F32 | DType::F64 => Ok(real),
        DType::F16 if x.dtype().is_complex() => Ok(real),
        other => fault!(NotImplementedError, "Unsupported dtype {}", other.title()),
    }
}

/// The factor of a direction: the product of all lengths, by the rule that `norm` names.
fn factor(norm: Option<&str>, forward: bool, count: f64) -> Result<f64> {
    Ok(match (norm, forward) {
        (Some("ortho"), _) => 1.0 / count.sqrt(),
        (None | Some("backward"), true) | (Some("forward"), false) => 1.0,
        (None | Some("backward"), false) | (Some("forward"), true) => 1.0 / count,
        (Some(other), _) => fault!(RuntimeError, "Invalid normalization mode: \"{other}\""),
    })
}

fn transform(
    args: &Args,
    x: &Tensor,
    dims: &[usize],
    sizes: &[Option<i64>],
    norm: Option<String>,
    way: Way,
    forward: bool,
) -> Result<Value> {
    if let (0, Some(dim)) = (x.ndim(), dims.first()) {
        fault!(IndexError, "Dimension specified as {dim} but tensor has no dimensions");
    }
    let real = real_dtype(x)?;
    // The length of the result's last dimension decides what is read of the input's.
    let mut input: Vec<i64> = dims.iter().zip(sizes).map(|(d, n)| n.unwrap_or(x.sizes()[*d])).collect();
    let last = match (input.last_mut(), way) {
        (Some(last), Way::FromHalf) => {
            let n = sizes.last().copied().flatten().unwrap_or(2 * (*last - 1));
            *last = n / 2 + 1;
            n
        }
        (Some(last), _) => *last,
        (None, _) => 1,
    };
    if let Some(n) = [&last].into_iter().chain(&input).find(|n| **n < 1) {
        fault!(RuntimeError, "Invalid number of data points ({n}) specified");
    }
    let factors = Factors {
        of_last: factor(norm.as_deref(), forward, last as f64)?,
        of_others: {
            let others: f64 = input.iter().rev().skip(1).map(|n| *n as f64).product();
            factor(norm.as_deref(), forward, others)?
        },
        of_all: factor(norm.as_deref(), forward, input.iter().rev().skip(1).chain([&last]).map(|n| *n as f64).product())?,
    };
    // Along several dimensions, `out` is looked at when the numbers are known.
    check_out(args, way, forward, real)?;
    let whole_from_real = way == Way::Complex && !x.dtype().is_complex() && args.op.schema()?.params[1].name == "n";
    let keeps_real = way == Way::ToHalf || whole_from_real;
    let x = exec::cast(x, if keeps_real { real } else { real.to_complex() })?;
    let x = fitted(&x, dims, &input)?;
    let job = Job { x, dims, last: last as usize, factors, forward };
    let result = match real {
        DType::F64 => job.run::<f64>(way, whole_from_real),
        _ => job.run::<f32>(way, whole_from_real),
    };
    result.map(Value::Tensor)
}

/// The tensor with these sizes along these dimensions: cut, or with zeros at the end.
fn fitted(x: &Tensor, dims: &[usize], sizes: &[i64]) -> Result<Tensor> {
    let mut layout = (*x.strided()?.layout).clone();
    let mut grown = layout.sizes.clone();
    for (&d, &n) in dims.iter().zip(sizes) {
        layout.sizes[d] = layout.sizes[d].min(n);
        grown[d] = n;
    }
    let cut = x.alias(layout.clone())?;
    if grown == layout.sizes {
        return Ok(cut);
    }
    let padded = exec::zeros(&grown, x.dtype(), x.device())?;
    exec::copy(&padded.alias(Layout { sizes: layout.sizes, ..(*padded.strided()?.layout).clone() })?, &cut)?;
    Ok(padded)
}

/// A transform whose input has its final size and dtype.
struct Job<'a> {
    x: Tensor,
    dims: &'a [usize],
    /// The length of the last transformed dimension before a half was taken of it.
    last: usize,
    factors: Factors,
    forward: bool,
}

/// What a result is multiplied by: for the last dimension, for the others, or for all at once.
struct Factors {
    of_last: f64,
    of_others: f64,
    of_all: f64,
}

/// How the lines of a tensor along a dimension are met.
fn manner(x: &Tensor, dim: usize, factor: f64) -> Result<Manner> {
    Ok(Manner { factor, apart: x.strided()?.layout.strides[dim] != 1, among: false })
}

impl Job<'_> {
    fn run<T: Real + Element>(&self, way: Way, whole_from_real: bool) -> Result<Tensor>
    where
        Complex<T>: Element,
    {
        let (before, last) = self.dims.split_at(self.dims.len().saturating_sub(1));
        match way {
            Way::Complex if whole_from_real => self.real_in::<T>(before, last[0], true),
            Way::Complex => complex::<T>(&self.x, self.dims, self.forward, self.factors.of_all),
            Way::ToHalf if self.forward => self.real_in::<T>(before, last[0], false),
            Way::ToHalf => {
                let half = self.real_in::<T>(&[], last[0], false)?;
                if before.is_empty() {
                    Ok(half)
                } else {
                    complex::<T>(&exec::resolve(&half)?, before, false, self.factors.of_others)
                }
            }
            Way::FromHalf => {
                let x = if before.is_empty() {
                    self.x.clone()
                } else {
                    complex::<T>(&self.x, before, self.forward, self.factors.of_others)?
                };
                self.real_out::<T>(&x, last[0])
            }
        }
    }

    /// From real numbers to the half or the whole of their transform along `last`, transformed along `before` too. Backwards is
    /// forwards with the mirrored result.
    fn real_in<T: Real + Element>(&self, before: &[usize], last: usize, whole: bool) -> Result<Tensor>
    where
        Complex<T>: Element,
    {
        let mut dims = by_stride(&self.x, before)?;
        dims.push(last);
        let order = Order::new(&self.x, &dims)?;
        let mut sizes = order.sizes(&self.x);
        if let Some(size) = sizes.last_mut() {
            *size = if whole { self.last } else { self.last / 2 + 1 };
        }
        let manner = if before.is_empty() {
            manner(&self.x, last, self.factors.of_last)?
        } else {
            // Few rows of a few numbers are transformed as if one after the other.
            let rows: i64 = before.iter().map(|d| self.x.sizes()[*d]).product();
            Manner { among: self.last == 8 || self.last == 16 && rows < 16, ..Manner::AMONG }
        };
        let lying = exec::read::<T, _>(&order.apply(&self.x)?, |data| {
            filled(&sizes, |out| lines::from_real(data, self.last, out, manner))
        })??;
        let outer = sizes.len() - 1;
        let rest = if before.is_empty() { 1.0 } else { self.factors.of_all };
        let lying = along::<T>(lying, &sizes, outer + 1 - dims.len()..outer, (self.forward, Manner::AMONG), rest)?;
        let result = order.restore(&lying)?;
        if self.forward { Ok(result) } else { crate::ops::complex_view::conj(&result) }
    }

    fn real_out<T: Real + Element>(&self, x: &Tensor, last: usize) -> Result<Tensor>
    where
        Complex<T>: Element,
    {
        let order = Order::new(x, &[last])?;
        let half = gapless::<Complex<T>>(&order.apply(x)?)?;
        let manner = manner(x, last, self.factors.of_last)?;
        let mut sizes = order.sizes(x);
        if let Some(size) = sizes.last_mut() {
            *size = self.last;
        }
        let lying = exec::change::<Complex<T>, _>(&half, |half| {
            if self.forward {
                half.iter_mut().for_each(|x| *x = x.conj());
            }
            filled(&sizes, |real| lines::to_real(half, self.last, manner, real))
        })??;
        order.restore(&lying)
    }
}

fn complex<T: Real + Element>(x: &Tensor, dims: &[usize], forward: bool, factor: f64) -> Result<Tensor>
where
    Complex<T>: Element,
{
    if dims.is_empty() {
        return exec::clone(x);
    }
    let order = Order::new(x, &by_stride(x, dims)?)?;
    let sizes = order.sizes(x);
    let lying = gapless::<Complex<T>>(&order.apply(x)?)?;
    // Along several dimensions, the result is scaled after all.
    let (manner, rest) = if let [dim] = dims { (manner(x, *dim, factor)?, 1.0) } else { (Manner::AMONG, factor) };
    let lying = along::<T>(lying, &sizes, sizes.len() - dims.len()..sizes.len(), (forward, manner), rest)?;
    order.restore(&lying)
}

/// Transforms a new row-major tensor of these sizes along some of its axes, and multiplies it by a factor.
fn along<T: Real + Element>(
    lying: Tensor,
    sizes: &[usize],
    axes: Range<usize>,
    how: (bool, Manner),
    factor: f64,
) -> Result<Tensor>
where
    Complex<T>: Element,
{
    if factor != 1.0 && scales_between::<T>(sizes, &axes) {
        let last = axes.end - 1;
        if size_of::<T>() == 4 && matches!(sizes[last], 2 | 4) {
            exec::change::<Complex<T>, _>(&lying, |data| lines::scale(data, factor))?;
            return along::<T>(lying, sizes, axes, how, 1.0);
        }
        let lying = along::<T>(lying, sizes, last..axes.end, how, factor)?;
        return along::<T>(lying, sizes, axes.start..last, how, 1.0);
    }
    let room = if lines::needs_room(sizes, &axes) { lying.sizes() } else { Dims::from_slice(&[0]) };
    let beside = exec::empty(&room, lying.dtype(), lying.device())?;
    let moved = exec::change::<Complex<T>, _>(&lying, |data| {
        exec::change::<Complex<T>, _>(&beside, |beside| lines::complex_along(data, beside, sizes, axes, how))
    })???;
    let result = if moved { beside } else { lying };
    exec::change::<Complex<T>, _>(&result, |data| lines::scale(data, factor))?;
    Ok(result)
}

/// True when PyTorch's library scales a transform along two axes after the rows, and before the columns; the shortest rows of complex64
/// are scaled before.
fn scales_between<T>(sizes: &[usize], axes: &Range<usize>) -> bool {
    let [rows, wide] = sizes[axes.clone()] else { return false };
    !follows_intel() && wide > 1 && (rows >= wide || size_of::<T>() == 4 && matches!(rows, 2 | 4))
}

/// A copy that is row-major and of `E`'s dtype.
fn gapless<E: Element>(x: &Tensor) -> Result<Tensor> {
    let cast = exec::cast(x, E::DTYPE)?;
    if cast.same(x) || !cast.layout().is_plain() { exec::clone_in(&cast, MemoryFormat::Contiguous) } else { Ok(cast) }
}

/// A new row-major tensor whose elements `fill` writes, all of them, unless it fails.
fn filled<E: Element>(sizes: &[usize], fill: impl FnOnce(&mut [E]) -> Result<()>) -> Result<Tensor> {
    let sizes: Dims = sizes.iter().map(|n| *n as i64).collect();
    let mut done = Ok(());
    let made = exec::made(&sizes, |to| done = fill(to))?;
    done.map(|()| made)
}

/// The dimensions that are not transformed, in the order in which PyTorch splits them off, which shows where they have equal strides:
/// the first that is transformed changes places with the last that is not, and so on inwards.
fn split_off(ndim: usize, transformed: &[usize]) -> Vec<usize> {
    let mut dims: Vec<usize> = (0..ndim).collect();
    let (mut first, mut end) = (0, ndim);
    while first < end {
        if !transformed.contains(&dims[first]) {
            first += 1;
        } else {
            end -= 1;
            dims.swap(first, end);
        }
    }
    dims.truncate(first);
    dims
}

/// Dimensions, the widest steps first, as PyTorch's plans have them.
fn by_stride(x: &Tensor, dims: &[usize]) -> Result<Vec<usize>> {
    let layout = x.strided()?.layout;
    let mut dims = dims.to_vec();
    dims.sort_by_key(|d| -layout.strides[*d]);
    Ok(dims)
}

/// The order in which dimensions lie in the result: those that are not transformed, then those that are.
struct Order(Vec<usize>);

impl Order {
    fn new(x: &Tensor, transformed: &[usize]) -> Result<Order> {
        let mut order = by_stride(x, &split_off(x.ndim(), transformed))?;
        order.extend(transformed);
        Ok(Order(order))
    }

    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        let layout = x.strided()?.layout;
        let pick = |from: &[i64]| self.0.iter().map(|d| from[*d]).collect::<Vec<i64>>();
        x.alias(Layout::new(&pick(&layout.sizes), &pick(&layout.strides), layout.offset))
    }

    fn sizes(&self, x: &Tensor) -> Vec<usize> {
        self.0.iter().map(|d| x.sizes()[*d] as usize).collect()
    }

    /// A tensor in this order with its dimensions where they were.
    fn restore(&self, lying: &Tensor) -> Result<Tensor> {
        let layout = lying.strided()?.layout;
        let (mut to_sizes, mut to_strides) = (layout.sizes.clone(), layout.strides.clone());
        for (place, &d) in self.0.iter().enumerate() {
            (to_sizes[d], to_strides[d]) = (layout.sizes[place], layout.strides[place]);
        }
        if lying.numel() == 0 {
            return exec::empty(&to_sizes, lying.dtype(), lying.device());
        }
        lying.alias(Layout::new(&to_sizes, &to_strides, 0))
    }
}
