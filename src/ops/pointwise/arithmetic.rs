//! Sums, differences and products.

use super::complex::{divide, fused_product};
use super::halves;
use crate::dtype::{DType, Number};
use crate::kernel::rest::{Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::kernel::vector;
use crate::ops::Form::{Code, Map as Each, Native};
use crate::ops::autograd::texts;
use crate::ops::map::{BOOL, BOOL_WIDE, Map, NOTHING, WIDE, elementwise, map};
use crate::ops::special::rounded::{brain, half};
use crate::ops::{Args, Operand, exec, op};
use crate::scalar;
use crate::tensor::Tensor;
use crate::value::Value;
use ::half::{bf16, f16};
use anyhow::Result;

const ADD: Map = elementwise!(WIDE; light add(a, b), Promote, "a + b"; whole: a.wrapping_add(b); float: a + b; complex: a + T::new(1.0, 0.0) * b);
/// A first element, and a second one some times.
pub const ADD_SCALED: Map = elementwise!(WIDE; light add(a, b, alpha), Promote, "a + alpha * b";
    integer: a.wrapping_add(alpha.wrapping_mul(b)); float: alpha.mul_add(b, a); complex: a + alpha * b);
/// The same where `b` is one element for all: behind whole vectors its product is worked out, and rounded, once for some.
const ADD_SCALED_ONE: Map = Map { scalar: &SUM_WITH_ONE, refuses: WIDE };
static SUM_WITH_ONE: Scalar = ADD_SCALED.scalar.with_rest(
    const { &Rest { scalar: scalar! { light add(a, b, alpha), Promote, "a + alpha * b"; float: a + alpha * b }, ..BESIDE_ONE } },
);
/// The difference of two elements.
pub const SUB: Map = elementwise!(BOOL_WIDE; light sub(a, b), Promote, "a - b"; whole: a.wrapping_sub(b); float: a - b; complex: a + T::new(-1.0, 0.0) * b);
const SUB_SCALED: Map = elementwise!(BOOL_WIDE; light sub(a, b, alpha), Promote, "a - alpha * b";
    integer: a.wrapping_sub(alpha.wrapping_mul(b)); float: (-alpha).mul_add(b, a); complex: a + T::new(-alpha.re, 0.0 - alpha.im) * b);
/// As [`ADD_SCALED_ONE`].
const SUB_SCALED_ONE: Map = Map { scalar: &DIFFERENCE_WITH_ONE, refuses: BOOL_WIDE };
static DIFFERENCE_WITH_ONE: Scalar = SUB_SCALED.scalar.with_rest(
    const { &Rest { scalar: scalar! { light sub(a, b, alpha), Promote, "a - alpha * b"; float: a - alpha * b }, ..BESIDE_ONE } },
);
/// A rest whose other operand is one element.
const BESIDE_ONE: Rest = Rest { scalar: *ADD.scalar, step: 64, operands: 2, whose: Whose::AfterFirst };
/// The product of two elements.
pub const MUL: Map = Map { scalar: &PRODUCT, refuses: NOTHING };
static PRODUCT: Scalar =
    scalar! { light mul(a, b), Promote Exact, "a * b"; whole: a.wrapping_mul(b); truth: a & b; float: a * b; complex: a * b }
        .with_rest(
            const {
                &Rest {
                    scalar: scalar! { light mul(a, b), Promote Exact, "a * b"; complex: fused_product(a, b) },
                    step: 64,
                    operands: 2,
                    whose: Whose::Pairs,
                }
            },
        );
/// Whole vectors are taken from zero.
static NEGATIVE: Scalar =
    scalar! { light neg(a), Promote, "-a"; whole: a.wrapping_neg(); float: -a; complex: T::new(0.0 - a.re, 0.0 - a.im) }
        .with_rest(
            const { &Rest { scalar: scalar! { light neg(a), Promote, "-a"; complex: -a }, step: 64, operands: 1, whose: Whose::All } },
        );
const ADDCMUL: Map = elementwise!(BOOL; addcmul(a, b, c, v), Promote, "a + v * b * c";
    integer: a.wrapping_add(v.wrapping_mul(b).wrapping_mul(c)); float: (v * b).mul_add(c, a); complex: a + v * b * c);
const ADDCDIV: Map =
    elementwise!(addcdiv(a, b, c, v), Promote, "a + v * b / c"; float: a + v * b / c; complex: a + divide(v * b, c));
const HEAVISIDE: Map = elementwise!(WIDE; heaviside(a, v), Promote, "a == 0 ? v : a > 0";
    i64: if a == 0 { v } else { (a > 0) as i64 }; u64: if a == 0 { v } else { 1 }; float: if a == 0.0 { v } else { (a > 0.0) as u8 as T });

rows![
    op(
        "add(Operand self, Operand other) -> Tensor",
        "The sum `self + alpha * other`.",
        "torch.tensor([1., 2.]).add(10)  # tensor([11., 12.])",
        Each(ADD),
    )
    .inplace()
    .alias(&["__add__", "__radd__"])
    .grads(&[("self", "grad"), ("other", "grad")])
    .complex(),
    op(
        "add(Operand self, Operand other, *, Scalar alpha=1) -> Tensor",
        "",
        "",
        Native(|a| scaled(a, [ADD_SCALED, ADD_SCALED_ONE]))
    )
    .inplace()
    .grads(&[("self", "grad"), ("other", "grad * alpha")])
    .conjugated(),
    op(
        "sub(Operand self, Operand other) -> Tensor",
        "The difference `self - alpha * other`.",
        "torch.tensor([5, 7]).sub(2)  # tensor([3, 5])",
        Native(difference),
    )
    .inplace()
    .alias(&["subtract", "__sub__"])
    .grads(&[("self", "grad"), ("other", "-grad")])
    .complex(),
    op(
        "sub(Operand self, Operand other, *, Scalar alpha=1) -> Tensor",
        "",
        "",
        Native(|a| refuse_bool(a).and_then(|()| scaled(a, [SUB_SCALED, SUB_SCALED_ONE])))
    )
    .inplace()
    .alias(&["subtract"])
    .grads(&[("self", "grad"), ("other", "-grad * alpha")])
    .conjugated(),
    op(
        "subtract(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
        "The difference `self - alpha * other`; of a number, `alpha` may come by place.",
        "torch.subtract(torch.tensor([5, 7]), 2, 3)  # tensor([-1,  1])",
        Native(|a| refuse_bool(a).and_then(|()| scaled(a, [SUB_SCALED, SUB_SCALED_ONE]))),
    )
    .inplace()
    .grads(&[("self", "grad")])
    .complex(),
    op(
        "rsub(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor",
        "The difference `other - alpha * self`: what `2 - x` computes.",
        "torch.rsub(torch.tensor([1, 2]), 10)  # tensor([9, 8])",
        Native(|a| refuse_bool(a).and_then(|()| scaled(a, [SUB_SCALED, SUB_SCALED_ONE]))),
    )
    .function_only()
    .no_out()
    .grads(&[("self", "-grad * alpha"), ("other", "grad")])
    .conjugated(),
    op(
        "mul(Operand self, Operand other) -> Tensor",
        "The product of each pair of elements.",
        "torch.tensor([2., 3.]).mul(10)  # tensor([20., 30.])",
        Each(MUL),
    )
    .inplace()
    .alias(&["multiply", "__mul__", "__rmul__"])
    .grads(&[("self", "grad * other"), ("other", "grad * self")])
    .conjugated(),
    op(
        "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
        "`self + value * tensor1 * tensor2`.",
        "torch.addcmul(torch.ones(2), torch.ones(2), torch.ones(2), value=0.5)  # tensor([1.5000, 1.5000])",
        Native(addcmul),
    )
    .inplace()
    .grads(&[("self", "grad"), ("tensor1", "grad * (tensor2 * value)"), ("tensor2", "grad * (tensor1 * value)")])
    .conjugated(),
    op(
        "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
        "`self + value * tensor1 / tensor2`, for floats.",
        "torch.addcdiv(torch.ones(1), torch.ones(1), torch.tensor([4.]))  # tensor([1.2500])",
        Native(addcdiv),
    )
    .inplace()
    .grads(&[
        ("self", "grad"),
        ("tensor1", "grad * (value / tensor2)"),
        ("tensor2", "-grad * (value * tensor1 / (tensor2 * tensor2))")
    ])
    .conjugated(),
    op(
        "reciprocal(Tensor self) -> Tensor",
        "One divided by each element.",
        "torch.tensor([2., 4.]).reciprocal()  # tensor([0.5000, 0.2500])",
        map!(light reciprocal(a), Float, "1 / a"; float: 1.0 / a; complex: divide(T::new(1.0, 0.0), a)),
    )
    .inplace()
    .grads(&[("self", "-grad * (result * result)")])
    .conjugated(),
    op(
        "neg(Tensor self) -> Tensor",
        "Each element negated.",
        "torch.tensor([1, -2]).neg()  # tensor([-1,  2])",
        Each(Map { scalar: &NEGATIVE, refuses: BOOL_WIDE }),
    )
    .inplace()
    .alias(&["negative", "__neg__"])
    .grads(&[("self", "-grad")])
    .complex(),
    op(
        "positive(Tensor self) -> Tensor",
        "The tensor itself; refuses bool.",
        "torch.positive(torch.tensor([1]))  # tensor([1])",
        Native(positive)
    )
    .marked()
    .no_out()
    .grads(&[("self", "grad")])
    .complex(),
    op(
        "square(Tensor self) -> Tensor",
        "Each element times itself.",
        "torch.tensor([2., 3.]).square()  # tensor([4., 9.])",
        Code("self ** 2")
    )
    .inplace(),
    op(
        "gcd(Tensor self, Tensor other) -> Tensor",
        "The greatest common divisor of each pair of integers.",
        "torch.gcd(torch.tensor([12]), torch.tensor([18]))  # tensor([6])",
        Native(|a| by_width(a, &GCD)),
    )
    .inplace(),
    op(
        "lcm(Tensor self, Tensor other) -> Tensor",
        "The least common multiple of each pair of integers.",
        "torch.lcm(torch.tensor([4]), torch.tensor([6]))  # tensor([12])",
        Native(|a| by_width(a, &LCM)),
    )
    .inplace(),
    op(
        "hypot(Tensor self, Tensor other) -> Tensor",
        "The length of the hypotenuse over the legs `self` and `other`.",
        "torch.hypot(torch.tensor([3.]), torch.tensor([4.]))  # tensor([5.])",
        map!(hypot(a, b), Promote, "hypot(a, b)"; float: vector::hypot(a, b)),
    )
    .inplace()
    .grads(&[("self", "grad * self / result"), ("other", "grad * other / result")]),
    op(
        "copysign(Tensor self, Operand other) -> Tensor",
        "The magnitude of `self` with the sign of `other`.",
        "torch.copysign(torch.tensor([1., 2.]), -1)  # tensor([-1., -2.])",
        map!(light copysign(a, b), Float, "copysign(a, b)"; float: a.copysign(b)),
    )
    .inplace()
    .grads(&[("self", "torch.where(self == 0, 0., grad * (result / self))"), ("other", "torch.zeros_like(grad)")]),
    op(
        "heaviside(Tensor self, Tensor values) -> Tensor",
        "0 below zero, 1 above it, and `values` at zero. Both must have the same dtype.",
        "torch.heaviside(torch.tensor([-1., 0., 2.]), torch.tensor([0.5]))  # tensor([0.0000, 0.5000, 1.0000])",
        Native(heaviside),
    )
    .inplace()
    .grads(&[("self", texts::none!("heaviside")), ("values", texts::none!("heaviside"))]),
    op(
        "nextafter(Tensor self, Tensor other) -> Tensor",
        "The next float after `self` in the direction of `other`.",
        "torch.nextafter(torch.tensor(1.), torch.tensor(2.)) > 1  # tensor(True)",
        Native(next_after),
    )
    .inplace()
    .grads(&[("self", "torch.where(self == other, 0., grad)"), ("other", "torch.zeros_like(grad)")]),
];

/// A difference has no bool operand, not even one that would be promoted.
fn refuse_bool(args: &Args) -> Result<()> {
    let is_bool = |o: &Operand| {
        matches!(o, Operand::Number(Number::Bool(_))) || matches!(o, Operand::Tensor(t) if t.dtype() == DType::Bool)
    };
    let (x, other): (Operand, Operand) = args.take()?;
    if is_bool(&x) && is_bool(&other) {
        fault!(
            NotImplementedError,
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."
        );
    }
    if is_bool(&x) || is_bool(&other) {
        fault!(
            NotImplementedError,
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
        );
    }
    Ok(())
}

fn difference(args: &Args) -> Result<Value> {
    refuse_bool(args)?;
    let (x, other): (Operand, Operand) = args.take()?;
    Ok(Value::Tensor(SUB.answer(args, &[x, other], &[])?))
}

/// A function of whole numbers for those of 8, 16, 32 and 64 bits, whose least number has no size.
macro_rules! widths {
    ($name:ident, $f:ident, $text:tt) => {
        [
            elementwise!(BOOL_WIDE; $name(a, b), Promote, $text;
                i64: $f::<i8>(a, b); u64: num_integer::Integer::$name(&a, &b)),
            elementwise!(BOOL_WIDE; $name(a, b), Promote, $text; i64: $f::<i16>(a, b)),
            elementwise!(BOOL_WIDE; $name(a, b), Promote, $text; i64: $f::<i32>(a, b)),
            elementwise!(BOOL_WIDE; $name(a, b), Promote, $text; i64: $f::<i64>(a, b)),
        ]
    };
}

const GCD: [Map; 4] = widths!(gcd, divisor, "gcd(a, b)");
const LCM: [Map; 4] = widths!(lcm, multiple, "lcm(a, b)");

/// The function of a pair of tensors that is made for the width of their numbers.
fn by_width(args: &Args, maps: &[Map; 4]) -> Result<Value> {
    let operands: [Operand; 2] = args.take::<(Operand, Operand)>()?.into();
    let dtype = exec::common_dtype_for(args, &operands)?;
    let map = match dtype.size() {
        1 if dtype != DType::U8 => &maps[0],
        1 | 2 => &maps[1],
        4 => &maps[2],
        _ => &maps[3],
    };
    Ok(Value::Tensor(map.answer(args, &operands, &[])?))
}

/// Numbers of a width, in a wider type.
trait Width {
    /// The size of a number, which the least one keeps.
    fn size(a: i64) -> i64;
    /// The size of a product.
    fn product(a: i64, b: i64) -> i64;
}

macro_rules! width {
    ($($t:ident in $wide:ident;)*) => { $(
        impl Width for $t {
            fn size(a: i64) -> i64 {
                (a as $t).wrapping_abs() as i64
            }
            fn product(a: i64, b: i64) -> i64 {
                (a as $wide).wrapping_mul(b as $wide).wrapping_abs() as i64
            }
        }
    )* };
}
width! { i8 in i32; i16 in i32; i32 in i32; i64 in i64; }

fn divisor<W: Width>(a: i64, b: i64) -> i64 {
    gcd(W::size(a), W::size(b))
}

fn multiple<W: Width>(a: i64, b: i64) -> i64 {
    let g = divisor::<W>(a, b);
    if g == 0 { 0 } else { W::product(a.wrapping_div(g), b) }
}

/// Euclid's, of sizes, with PyTorch's signs where `i64::MIN` has no size. Small numbers are divided in half the width, which takes a fraction of
/// the time.
fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a, b);
    if let (Ok(mut small), Ok(mut other)) = (u32::try_from(a), u32::try_from(b)) {
        while small != 0 {
            (small, other) = (other % small, small);
        }
        return other as i64;
    }
    while a != 0 {
        (a, b) = (b.wrapping_rem(a), a);
    }
    b
}

/// The next float after `a` in the direction of `b`, without branches so that a loop becomes vector instructions.
macro_rules! next {
    ($($name:ident $t:ident $zero:expr;)*) => { $(
        #[inline(always)]
        fn $name(a: $t, b: $t) -> $t {
            let bits = a.to_bits();
            let away = (b > a) == (a > $zero);
            let moved = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
            let moved = $t::from_bits(if a == $zero { $t::from_bits(1).copysign(b).to_bits() } else { moved });
            let next = if a == b { b } else { moved };
            if a.is_nan() || b.is_nan() { a + b } else { next }
        }
    )* };
}

next! {
    next_f32 f32 0.0;
    next_f64 f64 0.0;
    next_half f16 f16::ZERO;
    next_brain bf16 bf16::ZERO;
}

const NEXT: Map = elementwise!(nextafter(a, b), Promote, "nextafter(a, b)"; f32: next_f32(a, b); f64: next_f64(a, b));
const NEXT_F16: Map =
    elementwise!(nextafter(a, b), Promote, "nextafter(a, b)"; f32: next_half(f16::from_f32(a), f16::from_f32(b)).to_f32());
const NEXT_BF16: Map =
    elementwise!(nextafter(a, b), Promote, "nextafter(a, b)"; f32: next_brain(bf16::from_f32(a), bf16::from_f32(b)).to_f32());

/// 16-bit floats have neighbours of their own.
fn next_after(args: &Args) -> Result<Value> {
    let (x, other): (Operand, Operand) = args.take()?;
    let operands = [x, other];
    let map = match exec::common_dtype_for(args, &operands)? {
        DType::F16 => NEXT_F16,
        DType::BF16 => NEXT_BF16,
        _ => NEXT,
    };
    Ok(map.answer(args, &operands, &[])?.into())
}

/// A sum or difference with `alpha`, which may not be of a higher kind than the result. The second function is for one element that
/// `alpha` multiplies, beside more.
fn scaled(args: &Args, maps: [Map; 2]) -> Result<Value> {
    let (x, other, alpha): (Operand, Operand, Number) = args.take()?;
    let operands = if args.op.name() == "rsub" { [other, x] } else { [x, other] };
    let is_one = |o: &Operand| !matches!(o, Operand::Tensor(t) if t.numel() != 1);
    let map = maps[usize::from(is_one(&operands[1]) && !is_one(&operands[0]))];
    let dtype = exec::common_dtype_for(args, &operands)?;
    refuse_sizes(&operands[0], &operands[1])?;
    match alpha {
        Number::Bool(_) if dtype != DType::Bool => fault!(RuntimeError, "Boolean alpha only supported for Boolean results."),
        Number::Float(_) | Number::Complex(_) if dtype.is_integral(true) => {
            fault!(RuntimeError, "For integral input tensors, argument alpha must not be a floating point number.")
        }
        Number::Complex(_) if !dtype.is_complex() => {
            fault!(RuntimeError, "For non-complex input tensors, argument alpha must not be a complex number.")
        }
        _ if matches!(dtype, DType::F16 | DType::BF16) => {
            exec::check_fits(alpha, dtype).and_then(|()| of_halves(args, &operands, alpha, dtype))
        }
        _ => {
            exec::check_fits(alpha, dtype)?;
            Ok(Value::Tensor(map.answer(args, &operands, &[signed(args, alpha, dtype)])?))
        }
    }
}

/// A difference is a sum with the opposite of `alpha`, and the opposite of the integer 0 is 0.
fn signed(args: &Args, alpha: Number, dtype: DType) -> Number {
    match alpha {
        Number::Int(0) if args.op.name() != "add" && dtype.is_float() => Number::Float(-0.0),
        other => other,
    }
}

/// Of 16-bit floats `alpha` is one of them, and a difference is a sum with its opposite.
fn of_halves(args: &Args, operands: &[Operand; 2], alpha: Number, dtype: DType) -> Result<Value> {
    let wide = signed(args, alpha, dtype).to_f64() as f32;
    let factor = if dtype == DType::F16 { half(wide) } else { brain(wide) };
    let factor = Number::Float(f64::from(if args.op.name() == "add" { factor } else { -factor }));
    Ok(halves::SUM.of(dtype).answer(args, operands, &[factor])?.into())
}

/// Fails where the sizes of two tensors do not fit, before anything is said of their values.
pub(super) fn refuse_sizes(x: &Operand, other: &Operand) -> Result<()> {
    if let (Operand::Tensor(x), Operand::Tensor(other)) = (x, other) {
        exec::broadcast(&[&x.sizes(), &other.sizes()])?;
    }
    Ok(())
}

/// A factor must be a number of the dtype the operands are computed in, which is float32 for 16-bit floats.
fn fits(factor: Number, operands: &[Operand]) -> Result<()> {
    let dtype = exec::common_dtype(operands)?;
    exec::check_fits(factor, if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype })
}

fn addcmul(args: &Args) -> Result<Value> {
    let (x, a, b, value): (Operand, Operand, Operand, Number) = args.take()?;
    let operands = [x, a, b];
    ADDCMUL.check_row(args, &operands)?;
    fits(value, &operands)?;
    Ok(ADDCMUL.answer(args, &operands, &[value])?.into())
}

fn addcdiv(args: &Args) -> Result<Value> {
    let (x, numerator, denominator, value): (Operand, Operand, Operand, Number) = args.take()?;
    let quotient = [numerator.clone(), denominator.clone()];
    let operands = [x, numerator, denominator];
    if quotient.iter().all(|o| matches!(o, Operand::Tensor(t) if t.dtype().is_integral(true))) {
        fault!(
            RuntimeError,
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes."
        );
    }
    fits(value, &operands)?;
    Ok(Value::Tensor(ADDCDIV.answer(args, &operands, &[value])?))
}

fn positive(args: &Args) -> Result<Value> {
    let (x,): (Tensor,) = args.take()?;
    if x.dtype() == DType::Bool {
        fault!(NotImplementedError, "The `+` operator, on a bool tensor is not supported.");
    }
    Ok(Value::Tensor(x))
}

fn heaviside(args: &Args) -> Result<Value> {
    let (x, values): (Tensor, Tensor) = args.take()?;
    if x.dtype().is_complex() || values.dtype().is_complex() {
        fault!(NotImplementedError, "heaviside is not yet implemented for complex tensors.");
    }
    if x.dtype() != values.dtype() {
        fault!(RuntimeError, "heaviside is not yet implemented for tensors with different dtypes.");
    }
    Ok(Value::Tensor(HEAVISIDE.answer(args, &[Operand::Tensor(x), Operand::Tensor(values)], &[])?))
}
