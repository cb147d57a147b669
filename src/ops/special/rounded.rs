//! Functions of 16-bit floats that PyTorch works out step by step, each rounded to 16 bits, while it rounds others only at the end.

use super::{bessel, function as f};
use crate::dtype::DType;
use crate::kernel::rest::{Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::kernel::vector::fine::Fine;
use crate::kernel::vector::{self, wide};
use crate::ops::map::{Map, NOTHING, elementwise};
use crate::ops::{Args, Operand, exec};
use crate::scalar;
use crate::value::Value;
use ::half::{bf16, f16};
use anyhow::Result;
use smallvec::SmallVec;

/// A function, and how it goes in float16 and in bfloat16.
pub struct ByDType {
    /// In all other dtypes.
    pub usual: Map,
    /// In float16.
    pub half: Map,
    /// In bfloat16.
    pub brain: Map,
}

impl ByDType {
    /// The one for a promoted dtype.
    pub fn of(&self, dtype: DType) -> Map {
        match dtype {
            DType::F16 => self.half,
            DType::BF16 => self.brain,
            _ => self.usual,
        }
    }
}

/// The result of a row whose arguments are all operands.
pub fn by_dtype(args: &Args, function: &ByDType) -> Result<Value> {
    let operands: SmallVec<[Operand; 2]> = (0..args.values.len()).map(|place| args.get(place)).collect::<Result<_>>()?;
    let dtype = exec::common_dtype_for(args, &operands)?;
    Ok(function.of(dtype).answer(args, &operands, &[])?.into())
}

/// Rounded to float16.
#[inline(always)]
pub fn half(x: f32) -> f32 {
    f16::from_f32(x).to_f32()
}

/// Rounded to bfloat16.
#[inline(always)]
pub fn brain(x: f32) -> f32 {
    bf16::from_f32(x).to_f32()
}

/// `xlogy`: the logarithm is rounded.
pub const XLOGY: ByDType = ByDType {
    usual: elementwise!(xlogy(a, b), Float, "a == 0 ? 0 : a * log(b)"; float: f::times_log(a, b, b.ln())),
    half: elementwise!(xlogy(a, b), Float, "a == 0 ? 0 : a * log(b)"; f32: f::times_log(a, b, half(b.ln()))),
    brain: elementwise!(xlogy(a, b), Float, "a == 0 ? 0 : a * log(b)"; f32: f::times_log(a, b, brain(b.ln()))),
};

/// `xlog1py`, likewise.
pub const XLOG1PY: ByDType = ByDType {
    usual: elementwise!(xlog1py(a, b), Float, "a == 0 ? 0 : a * log1p(b)"; float: f::times_log(a, b, b.ln_1p())),
    half: elementwise!(xlog1py(a, b), Float, "a == 0 ? 0 : a * log1p(b)"; f32: f::times_log(a, b, half(b.ln_1p()))),
    brain: elementwise!(xlog1py(a, b), Float, "a == 0 ? 0 : a * log1p(b)"; f32: f::times_log(a, b, brain(b.ln_1p()))),
};

/// `erf`: a formula that is less exact stands for it.
pub const ERF: ByDType = ByDType {
    usual: elementwise!(erf(a), Float, "erf(a)"; single: wide::ERF_LOOP; f64: vector::erf(a)),
    half: SHORT_ERF,
    brain: SHORT_ERF,
};
const SHORT_ERF: Map = elementwise!(erf(a), Float, "erf(a)"; f32: vector::handbook::erf(a, |x| x.vector_exp()));

/// `entr`, likewise.
pub const ENTR: ByDType = ByDType {
    usual: elementwise!(entr(a), Float, "special(a)"; float: f::entr(a, |log| log)),
    half: elementwise!(entr(a), Float, "special(a)"; f32: f::entr(a, half)),
    brain: elementwise!(entr(a), Float, "special(a)"; f32: f::entr(a, brain)),
};

/// `polygamma`: the zeta function is rounded.
pub const POLYGAMMA: ByDType = ByDType {
    usual: elementwise!(polygamma(a, n), Float, "polygamma(n, a)"; float: f::polygamma(n as f64, a, |zeta| zeta as T)),
    half: elementwise!(polygamma(a, n), Float, "polygamma(n, a)"; f32: f::polygamma(n as f64, a, |zeta| half(zeta as f32))),
    brain: elementwise!(polygamma(a, n), Float, "polygamma(n, a)"; f32: f::polygamma(n as f64, a, |zeta| brain(zeta as f32))),
};

/// `i0e`: whole vectors are rounded at the end, what is behind them after every step.
pub const I0E: ByDType = ByDType {
    usual: Map { scalar: &PLAIN_I0E, refuses: NOTHING },
    half: Map { scalar: &HALF_I0E, refuses: NOTHING },
    brain: Map { scalar: &BRAIN_I0E, refuses: NOTHING },
};
static PLAIN_I0E: Scalar = scalar! { i0e(a), Float, "special(a)"; float: bessel::i0e(a) };
static HALF_I0E: Scalar = scalar! { i0e(a), Float, "special(a)"; f32: bessel::i0e(a) }.with_rest(
    const {
        let scalar = scalar! { i0e(a), Float, "special(a)"; f32: bessel::i0e_in_steps(f16::from_f32(a)).to_f32() };
        &Rest { scalar, step: 64, operands: 1, whose: Whose::All }
    },
);
static BRAIN_I0E: Scalar = scalar! { i0e(a), Float, "special(a)"; f32: bessel::i0e(a) }.with_rest(
    const {
        let scalar = scalar! { i0e(a), Float, "special(a)"; f32: bessel::i0e_in_steps(bf16::from_f32(a)).to_f32() };
        &Rest { scalar, step: 64, operands: 1, whose: Whose::All }
    },
);
