//! Copies, casts and fills.

use super::alike;
use super::fuse::{self, Graph};
use super::in_turn::{block, each_block, meets};
use super::make::{empty, empty_layout};
use super::map::{launch, map, refuse_sizes};
use super::place::{broadcast, refuse_overlap, refuse_partial};
use crate::device::{self, DeviceId, NO_DATA};
use crate::dtype::{DType, Kind, Number};
use crate::kernel::program::{Instruction, Program, Source};
use crate::kernel::scalar::Scalar;
use crate::layout::{Layout, MemoryFormat};
use crate::scalar;
use crate::tensor::{Strided, Tensor};
use anyhow::Result;
use smallvec::smallvec;

static CONJ: Scalar = scalar! { conj(a), Promote, "conj(a)"; complex: a.conj() };
static NEG: Scalar = scalar! { neg(a), Promote, "-a"; float: -a; complex: -a };

/// Copies `src`, broadcast and cast, into `dst`, from device to device if need be.
///
/// Fails with a `RuntimeError` when `src` does not broadcast to `dst`, when `dst` repeats cells, and when they partly overlap.
pub fn copy(dst: &Tensor, src: &Tensor) -> Result<()> {
    let (to, from) = (dst.sizes(), src.sizes());
    let joint = broadcast(&[&to, &from]);
    if !joint.as_ref().is_ok_and(|joint| *joint == to) {
        refuse_partial(dst, src)?;
        refuse_sizes(&to, &joint?)?;
    }
    if dst.device() != src.device() && src.device() != DeviceId::Meta {
        return copy_between(dst, src);
    }
    if src.device() == DeviceId::Meta && dst.device() != DeviceId::Meta {
        fault!(NotImplementedError, "{NO_DATA}");
    }
    // In this order: whoever asks where a promised tensor lies has it computed there.
    if copy_promised(dst, src)? || copy_few(dst, src)? || is_same_data(dst, src) {
        return Ok(());
    }
    let program = copy_program(src, dst.dtype(), (dst.is_conj(), dst.is_neg()))?;
    if meets(dst, src) {
        refuse_overlap(dst)?;
        let (to, from) = (dst.layout(), src.layout());
        return each_block(&[&to, &from], dst.dtype().size(), |parts| {
            let [to, from] = parts else { return Ok(()) };
            map(&program, &dst.alias(to.clone())?, &[&block(src, from, dst.dtype().size())?])
        });
    }
    map(&program, dst, &[src])
}

/// The most bytes that are moved by [`copy_few`]: a program for more is worth its making.
const FEW: usize = 1 << 12;

/// Moves a few elements that lie side by side in both tensors, and that nothing has to become of; false for all others.
fn copy_few(dst: &Tensor, src: &Tensor) -> Result<bool> {
    let marked = |t: &Tensor| t.is_conj() || t.is_neg();
    let bytes = dst.numel() as usize * dst.dtype().size();
    if !(1..=FEW).contains(&bytes) || dst.dtype() != src.dtype() || dst.device() != DeviceId::Cpu || marked(dst) || marked(src) {
        return Ok(false);
    }
    let (to, from) = (dst.strided()?, src.strided()?);
    if to.storage.same(&from.storage)
        || to.layout.sizes != from.layout.sizes
        || ![&to, &from].iter().all(|f| f.layout.is_contiguous())
    {
        return Ok(false);
    }
    let start = |form: &Strided| form.layout.offset as usize * dst.dtype().size();
    let (to_start, from_start) = (start(&to), start(&from));
    from.storage.read(|from| to.storage.write(|to| to[to_start..][..bytes].copy_from_slice(&from[from_start..][..bytes])))??;
    Ok(true)
}

/// True for two tensors that are the same elements of a storage, in the same order.
fn is_same_data(a: &Tensor, b: &Tensor) -> bool {
    let marks = |t: &Tensor| (t.is_conj(), t.is_neg());
    match (a.strided(), b.strided()) {
        (Ok(to), Ok(from)) => {
            to.storage.same(&from.storage) && to.layout == from.layout && a.dtype() == b.dtype() && marks(a) == marks(b)
        }
        _ => false,
    }
}

/// Computes a promised tensor straight into another one, when that has the same size and reads nothing of it elsewhere.
fn copy_promised(dst: &Tensor, src: &Tensor) -> Result<bool> {
    if dst.sizes() != src.sizes() || dst.is_conj() || dst.is_neg() {
        return Ok(false);
    }
    let Some(graph) = Graph::of(src)? else { return Ok(false) };
    let to = dst.strided()?;
    for input in &graph.inputs {
        let from = input.strided()?;
        if to.storage.same(&from.storage) && (to.layout != from.layout || dst.dtype() != input.dtype()) {
            return Ok(false);
        }
    }
    let inputs: smallvec::SmallVec<[&Tensor; 4]> = graph.inputs.iter().collect();
    map(&graph.program(dst.dtype())?, dst, &inputs)?;
    Ok(true)
}

/// The program that reads a tensor through its marks and stores it as `to`, to be read through the marks `target`.
fn copy_program(src: &Tensor, to: DType, target: (bool, bool)) -> Result<Program> {
    let from = src.dtype();
    let conj = src.is_conj() != target.0;
    let neg = src.is_neg() != target.1;
    // A real number has a zero beside it, whose sign the mark turns, and truth values have no sign before they are numbers.
    let within = if conj && !from.is_complex() || neg && from.is_integral(true) { to } else { from };
    let mut steps: smallvec::SmallVec<[Instruction; 2]> = smallvec![];
    for (wanted, scalar) in [(conj, &CONJ), (neg, &NEG)] {
        if wanted {
            let source = if steps.is_empty() { Source::Input(0) } else { Source::Step(steps.len() - 1) };
            steps.push(Instruction { scalar, args: smallvec![source], compute: within, result: within });
        }
    }
    if steps.is_empty() { Ok(Program::copy(from, to)) } else { Program::new(&[from], &steps, to) }
}

/// Between devices: made contiguous and cast where it is, moved as bytes, put in place where it goes.
fn copy_between(dst: &Tensor, src: &Tensor) -> Result<()> {
    let ready = contiguous(&cast(src, dst.dtype())?)?;
    let (from, sizes) = (ready.strided()?, ready.sizes());
    let landed = empty_layout(Layout::contiguous(&sizes), dst.dtype(), dst.device())?;
    let to = landed.strided()?;
    let bytes = sizes.iter().product::<i64>() as usize * dst.dtype().size();
    let mut host = vec![0u8; bytes];
    let start = from.first(dst.dtype().size());
    // SAFETY: `ready` is contiguous, so as many bytes lie behind its first element; `landed` was made with that size.
    unsafe {
        device::get(src.device())?.download(start, &mut host)?;
        device::get(dst.device())?.upload(to.storage.as_ptr(), &host)?;
    }
    copy(dst, &landed)
}

/// The same values without conj and neg marks: the tensor itself when it has none.
pub fn resolve(tensor: &Tensor) -> Result<Tensor> {
    if tensor.is_conj() || tensor.is_neg() { clone(tensor) } else { Ok(tensor.clone()) }
}

/// A copy in a storage of its own, dense, with the order of dimensions kept, without marks.
pub fn clone(tensor: &Tensor) -> Result<Tensor> {
    converted(tensor, tensor.dtype(), None)
}

/// A copy in a storage of its own, in the given order of dimensions, without marks. Fails with a `RuntimeError` when the format
/// is for another number of dimensions.
pub fn clone_in(tensor: &Tensor, format: MemoryFormat) -> Result<Tensor> {
    let sizes = tensor.sizes();
    match format {
        MemoryFormat::Preserve => clone(tensor),
        other => converted(tensor, tensor.dtype(), Some(Layout::new(&sizes, &other.strides(&sizes)?, 0))),
    }
}

/// The same values in another dtype: the tensor itself when it has that dtype. Marks are resolved, the order of dimensions is kept.
pub fn cast(tensor: &Tensor, dtype: DType) -> Result<Tensor> {
    if tensor.dtype() == dtype { Ok(tensor.clone()) } else { converted(tensor, dtype, None) }
}

/// The same values in row-major order: the tensor itself when it is so already. Marks are resolved.
pub fn contiguous(tensor: &Tensor) -> Result<Tensor> {
    let layout = tensor.strided()?.layout;
    if layout.is_contiguous() && !tensor.is_conj() && !tensor.is_neg() {
        return Ok(tensor.clone());
    }
    converted(tensor, tensor.dtype(), Some(Layout::contiguous(&layout.sizes)))
}

fn converted(tensor: &Tensor, dtype: DType, layout: Option<Layout>) -> Result<Tensor> {
    if layout.as_ref().is_none_or(Layout::is_plain)
        && let Some(copy) = alike::converted(tensor, dtype)?
    {
        return Ok(copy);
    }
    if tensor.promise().is_none() {
        tensor.strided()?;
    }
    let own = tensor.layout();
    let preserved = || Layout::new(&own.sizes, &own.preserved_strides(), 0);
    if layout.is_none()
        && !tensor.is_conj()
        && !tensor.is_neg()
        && let Some(promised) = fuse::promise_cast(tensor, dtype, preserved)?
    {
        return Ok(promised);
    }
    let layout = layout.unwrap_or_else(preserved);
    let out = empty_layout(layout, dtype, tensor.device())?;
    launch(&copy_program(tensor, dtype, (false, false))?, &out, std::slice::from_ref(tensor))?;
    Ok(out)
}

/// Writes one number to every element. Repeated cells are fine here, as in PyTorch.
///
/// Fails with a `RuntimeError` when the dtype cannot hold the number, as PyTorch sees it.
pub fn fill(dst: &Tensor, number: Number) -> Result<()> {
    check_filled(number, dst)?;
    let number = if dst.is_conj() { Number::Complex(number.to_complex().conj()) } else { number };
    let number = match (number, dst.is_neg()) {
        (Number::Complex(c), true) => Number::Complex(-c),
        (other, true) => Number::Float(-other.to_f64()),
        (other, false) => other,
    };
    if alike::fill(dst, number)? {
        return Ok(());
    }
    let Strided { layout, .. } = dst.strided()?;
    let once = dst.alias(layout.without_repeats())?;
    launch(&Program::constant(number, dst.dtype()), &once, &[])
}

/// Fails with a `RuntimeError` when PyTorch refuses to store this number in this dtype: a finite number beyond its range, a
/// complex number in a real dtype. Small negative numbers wrap in unsigned dtypes.
pub fn check_fits(number: Number, dtype: DType) -> Result<()> {
    let fits = match (dtype.kind(), number) {
        (Kind::Bool, _) => true,
        (Kind::Complex, n) => {
            let c = n.to_complex();
            fits_float(c.re, dtype.to_real()) && fits_float(c.im, dtype.to_real())
        }
        (_, Number::Complex(c)) if c.im != 0.0 => false,
        (_, Number::Bool(_) | Number::Int(_)) if dtype == DType::F8E8M0 => true,
        (Kind::Float, n) => fits_float(n.to_f64(), dtype),
        (_, Number::Float(f)) => fits_integer_float(f, dtype),
        (_, Number::Complex(c)) => fits_integer_float(c.re, dtype),
        (_, Number::Unsigned(u)) => dtype == DType::U64 || u <= i64::MAX as u64,
        (_, n) => fits_integer(n.to_i64() as i128, dtype),
    };
    if !fits {
        fault!(RuntimeError, "value cannot be converted to type {} without overflow", c_name(dtype));
    }
    Ok(())
}

/// As [`check_fits`], for elements to be filled: PyTorch stores a single float of 16 or 8 bits by way of float64, which rounds to
/// infinity, and never looks at what several complex numbers of two halves are filled with.
fn check_filled(number: Number, dst: &Tensor) -> Result<()> {
    let dtype = dst.dtype();
    let narrow = dtype.kind() == Kind::Float && dtype.size() < 4;
    match dst.numel() {
        1 if narrow => check_fits(number, DType::F64),
        n if n != 1 && dtype.is_half_complex() => Ok(()),
        _ => check_fits(number, dtype),
    }
}

/// A tensor without dimensions that holds a number. Fails with a `RuntimeError` when the number does not fit the dtype.
pub fn number(number: Number, dtype: DType, device: DeviceId) -> Result<Tensor> {
    check_fits(number, dtype)?;
    let tensor = empty(&[], dtype, device)?;
    fill(&tensor, number)?;
    Ok(tensor)
}

fn fits_float(value: f64, dtype: DType) -> bool {
    let most = match dtype {
        DType::F16 => 65504.0,
        DType::BF16 => 3.389_531_389_251_535_5e38,
        DType::F8E4M3 => 448.0,
        DType::F8E5M2 => 57344.0,
        DType::F8E4M3Z => 240.0,
        DType::F8E5M2Z => 57344.0,
        DType::F32 => f32::MAX as f64,
        _ => f64::MAX,
    };
    if let (DType::F8E8M0, Some(limits)) = (dtype, dtype.float_limits()) {
        return value.is_nan() || (limits.min..=limits.max).contains(&value);
    }
    match value.is_infinite() {
        true => !dtype.is_float8() || dtype == DType::F8E5M2,
        false => value.is_nan() || value.abs() <= most,
    }
}

fn fits_integer_float(value: f64, dtype: DType) -> bool {
    let signed = dtype.kind() != Kind::Unsigned;
    value.is_finite() && value.abs() < 2e19 && (signed || value >= 0.0) && fits_integer(value as i128, dtype)
}

/// Unsigned dtypes also take the negatives of their numbers, wrapped.
fn fits_integer(value: i128, dtype: DType) -> bool {
    let bits = dtype.size() as u32 * 8;
    match dtype.kind() {
        Kind::Unsigned => value.abs() < 1 << bits,
        _ => (-(1 << (bits - 1))..1 << (bits - 1)).contains(&value),
    }
}

/// The name of the type in PyTorch's message: small integers have those of their headers.
fn c_name(dtype: DType) -> &'static str {
    match dtype {
        DType::U8 => "uint8_t",
        DType::I8 => "int8_t",
        DType::I16 => "int16_t",
        DType::I64 => "int64_t",
        DType::U16 => "uint16_t",
        DType::U32 => "uint32_t",
        DType::U64 => "uint64_t",
        _ => dtype.c_name(),
    }
}
