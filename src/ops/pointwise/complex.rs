//! Complex numbers: parts, angles, conjugates.

use crate::dtype::DType;
use crate::kernel::vector;
use crate::ops::Form::Native;
use crate::ops::map::{Map, elementwise};
use crate::ops::{Args, Operand, exec, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_complex::Complex;
use num_traits::Float;

rows![
    op(
        "angle(Tensor self) -> Tensor",
        "The angle of each complex element; of a real one 0 or π by its sign.",
        "torch.angle(torch.tensor([1j]))  # tensor([1.5708])",
        Native(angle)
    )
        .grads(&[("self", "torch.where(self == 0, 0., torch.complex(-self.imag, self.real) * (grad / self.abs() ** 2)) if self.is_complex() else torch.zeros_like(grad)")]),
    op(
        "conj_physical(Tensor self) -> Tensor",
        "The complex conjugate, computed at once.",
        "torch.conj_physical(torch.tensor([1 + 2j]))  # tensor([1.-2.j])",
        Native(conj_physical)
    )
    .inplace()
        .grads(&[("self", "grad.conj()")]).complex(),
    op(
        "complex(Tensor real, Tensor imag) -> Tensor",
        "Complex numbers from their parts.",
        "torch.complex(torch.tensor([1.]), torch.tensor([2.]))  # tensor([1.+2.j])",
        Native(|a| joined(COMPLEX, a))
    )
    .function_only()
        .grads(&[("real", "grad.real"), ("imag", "grad.imag")]).complex(),
    op(
        "polar(Tensor abs, Tensor angle) -> Tensor",
        "Complex numbers from their sizes and angles.",
        "torch.polar(torch.tensor([2.]), torch.tensor([0.]))  # tensor([2.+0.j])",
        Native(|a| joined(POLAR, a))
    )
    .function_only()
        .grads(&[("abs", "(grad.conj() * result.sgn()).real"), ("angle", "(grad.conj() * result * 1j).real")]).complex(),
];

const COMPLEX: Map = elementwise!(complex(a, b), Complex, "complex(a, b)"; float => complex: Complex::new(a, b));
const POLAR: Map = elementwise!(polar(a, b), Complex, "polar(a, b)"; float => complex: Complex::new(a * b.cos(), a * b.sin()));

/// As [`divide`], with numerators that are rounded: what compilers make of it for one complex64.
#[inline(always)]
pub(super) fn divide_alone<F: Float>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    let (x, y) = if b.re.abs() >= b.im.abs() { (b.re, b.im) } else { (b.im, b.re) };
    if x == F::zero() && y == F::zero() {
        return Complex::new(a.re / b.re.abs(), a.im / b.im.abs());
    }
    let ratio = y / x;
    let scale = F::one() / y.mul_add(ratio, x);
    if b.re.abs() >= b.im.abs() {
        Complex::new((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale)
    } else {
        Complex::new((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale)
    }
}

/// The product with one rounding less in each part, as compilers make it of the formula.
#[inline(always)]
pub fn fused_product<F: Float>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    Complex::new(a.re.mul_add(b.re, -(a.im * b.im)), a.re.mul_add(b.im, a.im * b.re))
}

/// Two tensors of one float dtype as the parts of complex numbers.
fn joined(map: Map, args: &Args) -> Result<Value> {
    let (first, second): (Tensor, Tensor) = args.take()?;
    let (a, b) = (first.dtype(), second.dtype());
    let has_complex = |dtype| matches!(dtype, DType::F16 | DType::F32 | DType::F64);
    if !has_complex(a) || !has_complex(b) {
        fault!(
            NotImplementedError,
            "Expected both inputs to be Half, Float or Double tensors but got {} and {}",
            a.title(),
            b.title()
        );
    }
    if a != b {
        fault!(
            RuntimeError,
            "Expected object of scalar type {} but got scalar type {} for second argument",
            a.title(),
            b.title()
        );
    }
    Ok(map.answer(args, &[Operand::Tensor(first), Operand::Tensor(second)], &[])?.into())
}

const CONJUGATE: Map = elementwise!(conj_physical(a), Promote LikeComplex, "conj(a)"; real: a; complex: a.conj());

const ANGLE: Map = elementwise!(angle(a), RealFloat, "angle(a)";
    f32: if a.is_nan() { a } else if a < 0.0 { std::f32::consts::PI } else { 0.0 };
    f64: if a.is_nan() { a } else if a < 0.0 { std::f64::consts::PI } else { 0.0 };
    complex => real: vector::atan2(a.im, a.re));

/// Those of complex numbers come in row-major order.
fn angle(args: &Args) -> Result<Value> {
    let x: Tensor = args.get(0)?;
    let x = if x.dtype().is_complex() { exec::contiguous(&x)? } else { x };
    Ok(ANGLE.answer(args, &[Operand::Tensor(x)], &[])?.into())
}

/// A real tensor is its own conjugate.
fn conj_physical(args: &Args) -> Result<Value> {
    let (x,): (Tensor,) = args.take()?;
    if !x.dtype().is_complex() && args.target().is_none() {
        return Ok(x.into());
    }
    Ok(CONJUGATE.answer(args, &[Operand::Tensor(x)], &[])?.into())
}

/// The quotient of complex numbers as PyTorch works it out, with its infinities and signs of zero: the divisor is scaled by its
/// greater part.
#[inline(always)]
pub(in crate::ops) fn divide<F: Float>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    if b.re.abs() >= b.im.abs() {
        if b.re == F::zero() && b.im == F::zero() {
            return Complex::new(a.re / b.re.abs(), a.im / b.im.abs());
        }
        let ratio = b.im / b.re;
        let scale = F::one() / b.im.mul_add(ratio, b.re);
        Complex::new(a.im.mul_add(ratio, a.re) * scale, (-a.re).mul_add(ratio, a.im) * scale)
    } else {
        let ratio = b.re / b.im;
        let scale = F::one() / b.re.mul_add(ratio, b.im);
        Complex::new(a.re.mul_add(ratio, a.im) * scale, a.im.mul_add(ratio, -a.re) * scale)
    }
}
