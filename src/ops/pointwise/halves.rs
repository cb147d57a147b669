//! Functions of 16-bit floats that whole vectors round at the end, and what is behind them after every step.

use crate::kernel::rest::{LONG, Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::ops::map::{Map, NOTHING, elementwise};
use crate::ops::special::rounded::{ByDType, brain, half};
use crate::scalar;

/// The function of float32 with this rest, which each element gets that is in no whole vector of so many bytes.
macro_rules! in_steps {
    ($step:expr, $operands:expr, $name:ident $args:tt, $cuda:literal, $whole:expr, $rest:expr) => {
        scalar! { light $name $args, Float, $cuda; f32: $whole }.with_rest(
            const {
                let scalar = scalar! { light $name $args, Float, $cuda; f32: $rest };
                &Rest { scalar, step: $step, operands: $operands, whose: Whose::All }
            },
        )
    };
}

static HALF_RSQRT: Scalar = in_steps!(LONG, 1, rsqrt(a), "rsqrt(a)", 1.0 / a.sqrt(), 1.0 / half(a.sqrt()));
static BRAIN_RSQRT: Scalar = in_steps!(LONG, 1, rsqrt(a), "rsqrt(a)", 1.0 / a.sqrt(), 1.0 / brain(a.sqrt()));

/// One divided by the square root, given how wider numbers get it.
pub const fn rsqrt(usual: Map) -> ByDType {
    ByDType { usual, half: Map { scalar: &HALF_RSQRT, refuses: NOTHING }, brain: Map { scalar: &BRAIN_RSQRT, refuses: NOTHING } }
}

static HALF_SUM: Scalar = in_steps!(64, 2, add(a, b, alpha), "a + alpha * b", alpha.mul_add(b, a), a + half(alpha * b));
static BRAIN_SUM: Scalar = in_steps!(64, 2, add(a, b, alpha), "a + alpha * b", alpha.mul_add(b, a), a + brain(alpha * b));

/// The sum with a multiple.
pub const SUM: ByDType = ByDType {
    usual: elementwise!(light add(a, b, alpha), Promote, "a + alpha * b"; float: alpha.mul_add(b, a)),
    half: Map { scalar: &HALF_SUM, refuses: NOTHING },
    brain: Map { scalar: &BRAIN_SUM, refuses: NOTHING },
};
