//! Quotients and remainders.

use super::arithmetic::refuse_sizes;
use super::complex::{divide, divide_alone};
use crate::dtype::DType;
use crate::kernel::fold::ALL;
use crate::kernel::rest::{Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::kernel::vector;
use crate::ops::Form::{Map as Each, Native};
use crate::ops::autograd::texts;
use crate::ops::exec::Reduction;
use crate::ops::map::{BOOL_WIDE, HALF_COMPLEX, Map, elementwise};
use crate::ops::{Args, Operand, exec, op};
use crate::scalar;
use crate::value::Value;
use ::half::{bf16, f16};
use anyhow::Result;
use num_traits::Float;

const DIV: Map = Map { scalar: &QUOTIENT, refuses: HALF_COMPLEX };
static QUOTIENT: Scalar = scalar! { light div(a, b), Float Exact, "a / b"; float: a / b; complex: divide(a, b) }.with_rest(
    const {
        &Rest {
            scalar: scalar! { light div(a, b), Float Exact, "a / b"; c64: divide_alone(a, b) },
            step: 64,
            operands: 2,
            whose: Whose::Lone,
        }
    },
);
const FLOOR_DIVIDE: Map = elementwise!(BOOL_WIDE; floor_divide(a, b), Promote Exact, "floor_divide(a, b)";
    i64: vector::whole((vector::exact(a) / vector::exact(b)).floor()), unless is_long(a, b) => floor_divide_i64(a, b); u64: a.checked_div(b).unwrap_or(0);
    narrow: if b == 0 { 0 } else { vector::whole((a as f64 / b as f64).floor()) as T };
    float: floor_quotient(a, b, rest(a, b)), unless is_far_quotient(a, b) => floor_quotient(a, b, a % b));
/// [`FLOOR_DIVIDE`] of numbers of 16 bits, each step of which is rounded to them.
const FLOOR_DIVIDE_BF16: Map = elementwise!(floor_divide(a, b), Promote, "floor_divide(a, b)"; float: floor_steps(a as f32, b as f32, |x| bf16::from_f32(x).to_f32()) as T);
const FLOOR_DIVIDE_F16: Map = elementwise!(floor_divide(a, b), Promote, "floor_divide(a, b)"; float: floor_steps(a as f32, b as f32, |x| f16::from_f32(x).to_f32()) as T);
const TRUNC_DIVIDE: Map = elementwise!(BOOL_WIDE; div(a, b), Promote Exact, "trunc(a / b)";
    i64: vector::whole((vector::exact(a) / vector::exact(b)).trunc()), unless is_long(a, b) => if b == 0 { 0 } else { a.wrapping_div(b) }; u64: a.checked_div(b).unwrap_or(0); float: (a / b).trunc());
/// [`TRUNC_DIVIDE`] of numbers of 16 bits, whose quotient is rounded to them before it is cut.
const TRUNC_DIVIDE_BF16: Map =
    elementwise!(div(a, b), Promote, "trunc(a / b)"; float: bf16::from_f32(a as f32 / b as f32).to_f32().trunc() as T);
const TRUNC_DIVIDE_F16: Map =
    elementwise!(div(a, b), Promote, "trunc(a / b)"; float: f16::from_f32(a as f32 / b as f32).to_f32().trunc() as T);
const REMAINDER: Map = Map { scalar: &MODULUS, refuses: BOOL_WIDE };
static MODULUS: Scalar = scalar! { remainder(a, b), Promote, "remainder(a, b)";
    i64: { let (x, y) = (vector::exact(a), vector::exact(b)); vector::whole(x - (x / y).floor() * y) },
        unless is_long(a, b) => if b == 0 { 0 } else { a.wrapping_sub(b.wrapping_mul(floor_divide_i64(a, b))) }; u64: a.checked_rem(b).unwrap_or(0);
    narrow: { let (x, y) = (a as f64, b as f64); if b == 0 { 0 } else { vector::whole(x - (x / y).floor() * y) as T } };
    float: with_sign_of(rest(a, b), b), unless is_far_quotient(a, b) => with_sign_of(left_of_far(a, b), b) }
.with_rest(
    const {
        let scalar = scalar! { remainder(a, b), Promote, "remainder(a, b)";
        float: with_sign_of(rest(a, b), b), unless is_far_quotient(a, b) => with_sign_of(a % b, b) };
        &Rest { scalar, step: 64, operands: 2, whose: Whose::All }
    },
);
const FMOD: Map = Map { scalar: &LEFT, refuses: BOOL_WIDE };
static LEFT: Scalar = scalar! { fmod(a, b), Promote, "fmod(a, b)";
    i64: { let (x, y) = (vector::exact(a), vector::exact(b)); vector::whole(x - (x / y).trunc() * y) }, unless is_long(a, b) => if b == 0 { 0 } else { a.wrapping_rem(b) }; u64: a.checked_rem(b).unwrap_or(0);
    float: rest(a, b), unless is_far_quotient(a, b) => left_of_far(a, b) }
.with_rest(
    const {
        let scalar = scalar! { fmod(a, b), Promote, "fmod(a, b)"; float: rest(a, b), unless is_far_quotient(a, b) => a % b };
        &Rest { scalar, step: 64, operands: 2, whose: Whose::All }
    },
);

/// `a % b` in whole vectors, where a quotient that is no finite number leaves none.
#[inline(always)]
fn left_of_far<T: Float>(a: T, b: T) -> T {
    if (a / b).is_infinite() { T::nan() } else { a % b }
}

/// True where [`rest`] does not work: where the quotient is too large for all its whole numbers, and for what is not finite.
#[inline(always)]
fn is_far_quotient<T: Float>(a: T, b: T) -> bool {
    !((a / b).abs() < T::epsilon().recip() && b.abs() < T::infinity())
}

/// `a % b`, exactly. The whole part of a rounded quotient is right or one too large; what it leaves is a number of the type either
/// way, and so is the sum that mends it.
#[inline(always)]
fn rest<T: Float>(a: T, b: T) -> T {
    let left = (-(a / b).trunc()).mul_add(b, a);
    let over = (left < T::zero()) != (a < T::zero()) && left != T::zero();
    (if over { left + b.abs().copysign(a) } else { left }).abs().copysign(a)
}

/// The remainder of the divisor's sign, as Python's `%` works it out, from that of the dividend's.
#[inline(always)]
fn with_sign_of<T: Float>(remainder: T, b: T) -> T {
    let turns = remainder != T::zero() && (b < T::zero()) != (remainder < T::zero());
    if turns { remainder + b } else { remainder }
}

/// The quotient that goes with the remainder of the divisor's sign, as Python's `//` works it out.
#[inline(always)]
fn floor_quotient<T: Float>(a: T, b: T, remainder: T) -> T {
    let (one, half) = (T::one(), (T::one() + T::one()).recip());
    let turns = remainder != T::zero() && (b < T::zero()) != (remainder < T::zero());
    let quotient = (a - remainder) / b - if turns { one } else { T::zero() };
    let floor = quotient.floor();
    let near = if quotient - floor > half { floor + one } else { floor };
    let signed = if quotient == T::zero() { T::zero().copysign(a / b) } else { near };
    if b == T::zero() { a / b } else { signed }
}

/// The quotient rounded down, in steps that are rounded each.
#[inline(always)]
fn floor_steps(a: f32, b: f32, rounded: impl Fn(f32) -> f32) -> f32 {
    let remainder = a % b;
    let quotient = rounded(rounded(a - remainder) / b);
    let turns = remainder != 0.0 && (b < 0.0) != (remainder < 0.0);
    let quotient = if turns { rounded(quotient - 1.0) } else { quotient };
    let floor = quotient.floor();
    let near = if quotient - floor > 0.5 { rounded(floor + 1.0) } else { floor };
    let signed = if quotient == 0.0 { 0f32.copysign(a / b) } else { near };
    if b == 0.0 { a / b } else { signed }
}

/// True where a quotient of whole numbers may be nearer to another one once it is rounded as a float64, and where there is none.
#[inline(always)]
fn is_long(a: i64, b: i64) -> bool {
    const MOST: u64 = 1 << 51;
    b == 0 || a.unsigned_abs() > MOST || b.unsigned_abs() > MOST
}

/// The quotient rounded down. Zero divisors are refused before; here they give 0 instead of a panic.
fn floor_divide_i64(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { a.wrapping_div(b).wrapping_sub((a.wrapping_rem(b) != 0 && (a ^ b) < 0) as i64) }
}

rows![
    op(
        "div(Operand self, Operand other) -> Tensor",
        "True division: integers give floats. With `rounding_mode` 'floor' or 'trunc' the quotient is rounded and integers stay.",
        "torch.tensor([7, 8]).div(2)  # tensor([3.5000, 4.0000])",
        Each(DIV),
    )
    .inplace()
    .alias(&["divide", "true_divide", "__truediv__"])
    .grads(&[("self", "grad / other"), ("other", "-grad * ((self / other) / other)")])
    .conjugated(),
    op("div(Operand self, Operand other, *, str? rounding_mode) -> Tensor", "", "", Native(rounded_div))
        .inplace()
        .alias(&["divide"])
        .grads(&[
            ("self", "grad / other if rounding_mode is None else torch.zeros_like(grad)"),
            ("other", "-grad * ((self / other) / other) if rounding_mode is None else torch.zeros_like(grad)"),
        ])
        .conjugated(),
    op(
        "floor_divide(Operand self, Operand other) -> Tensor",
        "The quotient rounded down, as `//`.",
        "torch.tensor([-7, 7]).floor_divide(2)  # tensor([-4,  3])",
        Native(|a| whole(a, FLOOR_DIVIDE)),
    )
    .inplace()
    .alias(&["__floordiv__"])
    .grads(&[("self", texts::none!("floor_divide")), ("other", texts::none!("floor_divide"))]),
    op(
        "remainder(Operand self, Operand other) -> Tensor",
        "What remains after division, with the sign of the divisor, as `%`.",
        "torch.remainder(torch.tensor([-7, 7]), 3)  # tensor([2, 1])",
        Native(|a| whole(a, REMAINDER)),
    )
    .inplace()
    .alias(&["__mod__"])
    .grads(&[("self", "grad"), ("other", "-grad * torch.div(self, other, rounding_mode='floor')")]),
    op(
        "fmod(Tensor self, Operand other) -> Tensor",
        "What remains after division, with the sign of the dividend, as C's `fmod`.",
        "torch.fmod(torch.tensor([-7, 7]), 3)  # tensor([-1,  1])",
        Native(|a| whole(a, FMOD)),
    )
    .inplace()
    .grads(&[("self", "grad"), ("other", "-grad * torch.div(self, other, rounding_mode='trunc')")]),
];

fn rounded_div(args: &Args) -> Result<Value> {
    let (x, other, mode): (Operand, Operand, Option<String>) = args.take()?;
    let map = match mode.as_deref() {
        None => DIV,
        Some("floor") => FLOOR_DIVIDE,
        Some("trunc") => TRUNC_DIVIDE,
        Some(other) => {
            fault!(RuntimeError, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{other}'")
        }
    };
    if mode.is_none() {
        return Ok(Value::Tensor(map.answer(args, &[x, other], &[])?));
    }
    let operands = [x, other];
    map.check_as(&format!("div_{}", mode.as_deref().unwrap_or_default()), args, &operands)?;
    whole_of(operands, map)
}

/// A division whose result is whole: integers refuse a zero divisor.
fn whole(args: &Args, map: Map) -> Result<Value> {
    let operands: [Operand; 2] = args.take::<(Operand, Operand)>()?.into();
    map.check_row(args, &operands)?;
    if let (Some(target), true) = (args.target(), args.inplace) {
        exec::refuse_misfit(&target, &operands)?;
    }
    whole_of(operands, map)
}

fn whole_of(operands: [Operand; 2], map: Map) -> Result<Value> {
    refuse_zero(&operands[0], &operands[1])?;
    // One number is kept in float32, and so is the quotient.
    let by_many = matches!(&operands[1], Operand::Tensor(t) if t.numel() != 1);
    let map = match exec::common_dtype(&operands)? {
        DType::BF16 if by_many && map.scalar.name == "floor_divide" => FLOOR_DIVIDE_BF16,
        DType::F16 if by_many && map.scalar.name == "floor_divide" => FLOOR_DIVIDE_F16,
        // What is left of a quotient is found another way.
        DType::BF16 if by_many && map.scalar.name == "div" => TRUNC_DIVIDE_BF16,
        DType::F16 if by_many && map.scalar.name == "div" => TRUNC_DIVIDE_F16,
        _ => map,
    };
    Ok(Value::Tensor(exec::map_new(map.scalar, &operands, &[])?))
}

fn refuse_zero(x: &Operand, divisor: &Operand) -> Result<()> {
    let common = exec::common_dtype(&[x.clone(), divisor.clone()])?;
    if !common.is_integral(true) {
        return Ok(());
    }
    let zero = match divisor {
        Operand::Number(n) => !n.cast(common).to_bool(),
        Operand::Tensor(t) => {
            let dims: Vec<usize> = (0..t.ndim()).collect();
            let all = exec::fold(&Reduction::new(&ALL, DType::Bool), t, &dims, false)?;
            !exec::item(&all[0])?.to_bool()
        }
    };
    let empty = matches!(x, Operand::Tensor(t) if t.numel() == 0);
    if zero && !empty {
        refuse_sizes(x, divisor)?;
        fault!(RuntimeError, "ZeroDivisionError");
    }
    Ok(())
}
