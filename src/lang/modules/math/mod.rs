//! `math`: functions of real numbers, with CPython's errors.

mod gamma;
mod integer;
pub mod real;
mod sums;

use crate::lang::types::call::{Call, Row, Table, Takes, keywords, row};
use crate::lang::types::{convert, long};
use crate::value::{Outcome, Value};
use std::f64::consts::{E, PI, TAU};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "math",
    rows: Table::sorted(&[
        row("acos", Takes::One, |c| domain(c, f64::acos)),
        row("acosh", Takes::One, |c| domain(c, real::acosh)),
        row("asin", Takes::One, |c| domain(c, f64::asin)),
        row("asinh", Takes::One, |c| domain(c, real::asinh)),
        row("atan", Takes::One, |c| domain(c, f64::atan)),
        row("atan2", Takes::Between(2, 2), |c| Ok(Value::Float(number(c, 0)?.atan2(number(c, 1)?)))),
        row("atanh", Takes::One, |c| domain(c, real::atanh)),
        row("cbrt", Takes::One, |c| domain(c, f64::cbrt)),
        row("ceil", Takes::One, |c| real::whole(c, f64::ceil)),
        row("comb", Takes::Between(2, 2), integer::combinations),
        row("copysign", Takes::Between(2, 2), |c| Ok(Value::Float(number(c, 0)?.copysign(number(c, 1)?)))),
        row("cos", Takes::One, |c| domain(c, f64::cos)),
        row("cosh", Takes::One, |c| range(c, f64::cosh)),
        row("degrees", Takes::One, |c| Ok(Value::Float(number(c, 0)? * (180.0 / PI)))),
        row("dist", Takes::Between(2, 2), sums::distance),
        row("erf", Takes::One, |c| range(c, libm::erf)),
        row("erfc", Takes::One, |c| range(c, libm::erfc)),
        row("exp", Takes::One, |c| range(c, f64::exp)),
        row("exp2", Takes::One, |c| range(c, f64::exp2)),
        row("expm1", Takes::One, |c| range(c, f64::exp_m1)),
        row("fabs", Takes::One, |c| Ok(Value::Float(number(c, 0)?.abs()))),
        row("factorial", Takes::One, integer::factorial),
        row("floor", Takes::One, |c| real::whole(c, f64::floor)),
        row("fmod", Takes::Between(2, 2), |c| real::binary(c, |x, y| x % y)),
        row("frexp", Takes::One, real::frexp),
        row("fsum", Takes::One, sums::exact_sum),
        row("gamma", Takes::One, |c| gamma::gamma(number(c, 0)?).map(Value::Float)),
        row("gcd", Takes::Any, |c| integer::fold(c, "gcd", 0, long::gcd)),
        row("hypot", Takes::Any, sums::hypotenuse),
        row("isclose", keywords(&["a", "b", "rel_tol", "abs_tol"], 2, 2), real::is_close),
        row("isfinite", Takes::One, |c| Ok(Value::Bool(number(c, 0)?.is_finite()))),
        row("isinf", Takes::One, |c| Ok(Value::Bool(number(c, 0)?.is_infinite()))),
        row("isnan", Takes::One, |c| Ok(Value::Bool(number(c, 0)?.is_nan()))),
        row("isqrt", Takes::One, integer::square_root),
        row("lcm", Takes::Any, |c| integer::fold(c, "lcm", 1, integer::lcm)),
        row("ldexp", Takes::Between(2, 2), real::ldexp),
        row("lgamma", Takes::One, |c| gamma::log_gamma(number(c, 0)?).map(Value::Float)),
        row("log", Takes::Any, real::log),
        row("log10", Takes::One, |c| real::logarithm(c.arg(0), f64::log10).map(Value::Float)),
        row("log1p", Takes::One, |c| domain(c, f64::ln_1p)),
        row("log2", Takes::One, |c| real::logarithm(c.arg(0), f64::log2).map(Value::Float)),
        row("modf", Takes::One, real::modf),
        row("nextafter", Takes::Between(2, 2), |c| Ok(Value::Float(libm::nextafter(number(c, 0)?, number(c, 1)?)))),
        row("perm", Takes::Between(1, 2), integer::permutations),
        row("pow", Takes::Between(2, 2), real::power),
        PROD,
        row("radians", Takes::One, |c| Ok(Value::Float(number(c, 0)? * (PI / 180.0)))),
        row("remainder", Takes::Between(2, 2), |c| real::binary(c, libm::remainder)),
        row("sin", Takes::One, |c| domain(c, f64::sin)),
        row("sinh", Takes::One, |c| range(c, f64::sinh)),
        row("sqrt", Takes::One, |c| domain(c, f64::sqrt)),
        row("tan", Takes::One, |c| domain(c, f64::tan)),
        row("tanh", Takes::One, |c| domain(c, f64::tanh)),
        row("trunc", Takes::One, real::truncate),
        row("ulp", Takes::One, real::unit_in_last_place),
    ]),
};

const PROD: Row = row("prod", keywords(&["", "start"], 1, 1), sums::product);

/// The constants.
pub fn constants() -> Vec<(&'static str, Value)> {
    [("pi", PI), ("e", E), ("tau", TAU), ("inf", f64::INFINITY), ("nan", f64::NAN)].map(|(n, v)| (n, Value::Float(v))).to_vec()
}

/// An argument as a real number.
fn number(c: &Call<'_>, place: usize) -> Outcome<f64> {
    convert::to_float(c.arg(place))
}

/// A function that is not defined everywhere, and infinite only where it is not defined.
fn domain(c: &Call<'_>, f: fn(f64) -> f64) -> Outcome {
    checked(number(c, 0)?, f, "math domain error", false)
}

/// A function whose result may be too large.
fn range(c: &Call<'_>, f: fn(f64) -> f64) -> Outcome {
    checked(number(c, 0)?, f, "math domain error", true)
}

fn checked(x: f64, f: fn(f64) -> f64, undefined: &str, may_overflow: bool) -> Outcome {
    let y = f(x);
    if y.is_nan() && !x.is_nan() {
        fault!(ValueError, "{undefined}");
    }
    if y.is_infinite() && x.is_finite() {
        return if may_overflow { out_of_range() } else { fault!(ValueError, "{undefined}") };
    }
    Ok(Value::Float(y))
}

fn out_of_range() -> Outcome {
    fault!(OverflowError, "math range error")
}
