//! Functions of one number: exponentials, logarithms, trigonometry.

use super::complex::divide;
use super::{c99, complex_log, halves};
use crate::kernel::rest::{LONG, Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::kernel::vector::{self, Real, wide};
use crate::ops::Form::{Code, Map as Each, Native};
use crate::ops::autograd::texts;
use crate::ops::map::{BOOL, BOOL_WIDE, Map, NOTHING, WIDE, elementwise, map};
use crate::ops::refusal::{COMPLEX, kernel};
use crate::ops::special::rounded;
use crate::ops::{Form, Op, op};
use crate::scalar;

/// A slope with a cut through the complex numbers: its side is told by the number itself, not by its conjugate.
macro_rules! beyond_cut {
    ($slope:literal) => {
        concat!("x = self.conj()\nslope = ", $slope, "\ngrad * slope.conj()")
    };
}

const RSQRT: Map =
    elementwise!(light rsqrt(a), Float, "rsqrt(a)"; float: 1.0 / a.sqrt(); complex: divide(T::new(1.0, 0.0), c99::sqrt(a)));
/// The square root.
pub(in crate::ops) const SQRT: Map = elementwise!(sqrt(a), Float, "sqrt(a)"; float: a.sqrt(); single: wide::SQRT_LOOP; double: wide::SQRT_DOUBLE_LOOP; complex: c99::sqrt(a));

const LOGIT: &str = r#"
x = self if self.is_floating_point() or self.is_complex() else self.to(torch.get_default_dtype())
if eps is not None:
    most = 65504.0 if x.dtype == torch.float16 else 3.4028234663852886e+38 if x.dtype == torch.float32 else math.inf
    if most < abs(eps) < math.inf:
        raise RuntimeError(f'value cannot be converted to type {"c10::Half" if x.dtype == torch.float16 else "float"} without overflow')
    low = torch.tensor(eps, dtype=x.dtype)
    high = 1 - low
    x = torch.where(x < low, low, torch.where(x > high, high, x))
(x / (1 - x)).log()
"#;

/// A row of a function of floats, which integers reach through the default float dtype; also in place.
const fn float(schema: &'static str, doc: &'static str, example: &'static str, form: Form) -> Op {
    op(schema, doc, example, form).inplace()
}

const SGN: &str = "if self.is_complex():
    size = self.abs()
    found = torch.where(size == 0, 0., (grad - (grad / result).real * result) / size)
else:
    found = torch.zeros_like(grad)
found";
/// The sizes of complex128 are rounded right in whole vectors.
static SIZE: Scalar = scalar! { light abs(a), Real LikeComplex, "abs(a)"; i64: a.wrapping_abs(); u64: a; signed: a.wrapping_abs(); unsigned: a; float: a.abs(); complex => real: vector::hypot(a.re, a.im) }
.with_rest(const { &Rest { scalar: scalar! { light abs(a), Real, "abs(a)"; c128 => real: a.norm() }, step: 64, operands: 1, whose: Whose::All } });
/// Complex numbers are divided by their sizes in whole vectors.
static DIRECTION: Scalar = scalar! { light sgn(a), Promote, "sgn(a)"; i64: a.signum(); u64: a.min(1); signed: a.signum(); unsigned: a.min(1); truth: a; float: if a > 0.0 { 1.0 } else if a < 0.0 { -1.0 } else { 0.0 };
complex: { let size = vector::hypot(a.re, a.im); if size == 0.0 { a } else { T::new(a.re / size, a.im / size) } } }
.with_rest(const { &Rest { scalar: scalar! { light sgn(a), Promote, "sgn(a)"; complex: if a.re == 0.0 && a.im == 0.0 { a } else { divide(a, T::new(a.norm(), 0.0)) } }, step: LONG, operands: 1, whose: Whose::All } });
/// Whole vectors are raised in the steps of PyTorch's vectors.
static POWER_OF_2: Scalar = scalar! { exp2(a), Float, "exp2(a)"; float: vector::exp2(a); complex: c99::exp2(a) }.with_rest(
    const { &Rest { scalar: scalar! { exp2(a), Float, "exp2(a)"; float: a.exp2() }, step: LONG, operands: 1, whose: Whose::All } },
);
/// As [`POWER_OF_2`].
static LOGISTIC: Scalar = scalar! { sigmoid(a), Float, "1 / (1 + exp(-a))"; float: 1.0 / (1.0 + vector::vector_exp(-a)); complex: divide(T::new(1.0, 0.0), c99::exp(-a) + 1.0) }
.with_rest(const { &Rest { scalar: scalar! { sigmoid(a), Float, "1 / (1 + exp(-a))"; float: 1.0 / (1.0 + (-a).exp()) }, step: LONG, operands: 1, whose: Whose::All } });

rows![
    float("exp(Tensor self) -> Tensor", "e to the power of each element.", "torch.tensor([0., 1.]).exp()  # tensor([1.0000, 2.7183])",
        map!(exp(a), Float, "exp(a)"; single: wide::EXP_LOOP; double: wide::EXP_DOUBLE_LOOP; complex: c99::exp(a)))
        .grads(&[("self", "grad * result")]).conjugated(),
    float("exp2(Tensor self) -> Tensor", "2 to the power of each element.", "torch.tensor([0., 3.]).exp2()  # tensor([1., 8.])",
        Each(Map { scalar: &POWER_OF_2, refuses: NOTHING })).alias(&["special.exp2"])
        .grads(&[("self", "grad * result * 0.6931471805599453")]).conjugated(),
    float("expm1(Tensor self) -> Tensor", "e to the power of each element, less 1, accurate near 0.", "torch.tensor([0.]).expm1()  # tensor([0.])",
        map!(expm1(a), Float, "expm1(a)"; float: vector::expm1(a); complex: c99::expm1(a))).alias(&["special.expm1"])
        .grads(&[("self", "grad * (result + 1)")]).conjugated(),
    float("log(Tensor self) -> Tensor", "The natural logarithm.", "torch.tensor([1., 2.7182817]).log()  # tensor([0.0000, 1.0000])",
        map!(log(a), Float, "log(a)"; single: wide::LOG_LOOP; double: wide::LOG_DOUBLE_LOOP; complex: complex_log::log(a)))
        .grads(&[("self", "grad / self")]).conjugated(),
    float("log10(Tensor self) -> Tensor", "The logarithm to base 10.", "torch.tensor([100.]).log10()  # tensor([2.])",
        map!(log10(a), Float, "log10(a)"; single: wide::LOG10_LOOP; double: wide::LOG10_DOUBLE_LOOP; complex: complex_log::log_to(a, std::f64::consts::LN_10)))
        .grads(&[("self", "grad / (self * 2.3025850929940456)")]).conjugated(),
    float("log2(Tensor self) -> Tensor", "The logarithm to base 2.", "torch.tensor([8.]).log2()  # tensor([3.])",
        map!(log2(a), Float, "log2(a)"; single: wide::LOG2_LOOP; double: wide::LOG2_DOUBLE_LOOP; complex: complex_log::log_to(a, std::f64::consts::LN_2)))
        .grads(&[("self", "grad / (self * 0.6931471805599453)")]).conjugated(),
    float("log1p(Tensor self) -> Tensor", "The logarithm of 1 plus each element, accurate near 0.", "torch.tensor([0.]).log1p()  # tensor([0.])",
        map!(log1p(a), Float, "log1p(a)"; float: vector::log1p(a); complex: complex_log::log_of_more(a))).alias(&["special.log1p"])
        .grads(&[("self", "grad / (self + 1)")]).conjugated(),
    float("sqrt(Tensor self) -> Tensor", "The square root; a negative element gives NaN.", "torch.tensor([4., 9.]).sqrt()  # tensor([2., 3.])",
        Form::Map(SQRT))
        .grads(&[("self", "grad / (2 * result)")]).conjugated(),
    float("rsqrt(Tensor self) -> Tensor", "One divided by the square root.", "torch.tensor([4., 16.]).rsqrt()  # tensor([0.5000, 0.2500])",
        Form::Native(|a| rounded::by_dtype(a, &halves::rsqrt(RSQRT))))
        .grads(&[("self", "-0.5 * grad * result ** 3")]).conjugated(),
    float("sin(Tensor self) -> Tensor", "The sine of each element, in radians.", "torch.tensor([0.]).sin()  # tensor([0.])",
        map!(sin(a), Float, "sin(a)"; float: vector::sin(a), unless a.is_far_angle() => (a as f64).sin() as T; complex: c99::sin(a)))
        .grads(&[("self", "grad * self.cos()")]).conjugated(),
    float("cos(Tensor self) -> Tensor", "The cosine of each element, in radians.", "torch.tensor([0.]).cos()  # tensor([1.])",
        map!(cos(a), Float, "cos(a)"; float: vector::cos(a), unless a.is_far_angle() => (a as f64).cos() as T; complex: c99::cos(a)))
        .grads(&[("self", "grad * -self.sin()")]).conjugated(),
    float("tan(Tensor self) -> Tensor", "The tangent of each element, in radians.", "torch.tensor([0.]).tan()  # tensor([0.])",
        map!(tan(a), Float, "tan(a)"; float: vector::tan(a), unless a.is_far_angle() => (a as f64).tan() as T; complex: c99::tan(a)))
        .grads(&[("self", "grad * (1 + result ** 2)")]).conjugated(),
    float("asin(Tensor self) -> Tensor", "The angle whose sine it is.", "torch.tensor([1.]).asin()  # tensor([1.5708])",
        map!(asin(a), Float, "asin(a)"; single: wide::ASIN_LOOP; f64: vector::asin(a); complex: c99::asin(a))).alias(&["arcsin"])
        .grads(&[("self", beyond_cut!("(-x * x + 1).rsqrt()"))]).conjugated(),
    float("acos(Tensor self) -> Tensor", "The angle whose cosine it is.", "torch.tensor([1.]).acos()  # tensor([0.])",
        map!(acos(a), Float, "acos(a)"; single: wide::ACOS_LOOP; f64: vector::acos(a); complex: c99::acos(a))).alias(&["arccos"])
        .grads(&[("self", beyond_cut!("-(-x * x + 1).rsqrt()"))]).conjugated(),
    float("atan(Tensor self) -> Tensor", "The angle whose tangent it is.", "torch.tensor([1.]).atan()  # tensor([0.7854])",
        map!(atan(a), Float, "atan(a)"; single: wide::ATAN_LOOP; f64: vector::atan(a); complex: c99::atan(a))).alias(&["arctan"])
        .grads(&[("self", "grad / (self * self + 1)")]).conjugated(),
    float("sinh(Tensor self) -> Tensor", "The hyperbolic sine.", "torch.tensor([0.]).sinh()  # tensor([0.])",
        map!(sinh(a), Float, "sinh(a)"; float: vector::sinh(a); complex: c99::sinh(a)))
        .grads(&[("self", "grad * self.cosh()")]).conjugated(),
    float("cosh(Tensor self) -> Tensor", "The hyperbolic cosine.", "torch.tensor([0.]).cosh()  # tensor([1.])",
        map!(cosh(a), Float, "cosh(a)"; float: vector::cosh(a); complex: c99::cosh(a)))
        .grads(&[("self", "grad * self.sinh()")]).conjugated(),
    float("tanh(Tensor self) -> Tensor", "The hyperbolic tangent.", "torch.tensor([1.]).tanh()  # tensor([0.7616])",
        map!(tanh(a), Float, "tanh(a)"; single: wide::TANH; f64: vector::tanh(a); complex: c99::tanh(a))).alias(&["nn.functional.tanh"])
        // PyTorch rounds the difference once.
        .grads(&[("self", "grad * torch.addcmul(torch.ones_like(result), result, result, value=-1)")]).conjugated(),
    float("asinh(Tensor self) -> Tensor", "The inverse of `sinh`.", "torch.tensor([0.]).asinh()  # tensor([0.])",
        map!(asinh(a), Float, "asinh(a)"; float: vector::asinh(a); complex: c99::asinh(a))).alias(&["arcsinh"])
        .grads(&[("self", beyond_cut!("(x ** 2 + 1).rsqrt()"))]).conjugated(),
    float("acosh(Tensor self) -> Tensor", "The inverse of `cosh`.", "torch.tensor([1.]).acosh()  # tensor([0.])",
        map!(acosh(a), Float, "acosh(a)"; float: vector::acosh(a); complex: c99::acosh(a))).alias(&["arccosh"])
        .grads(&[("self", beyond_cut!("(x - 1).rsqrt() * (x + 1).rsqrt() if x.is_complex() else (x ** 2 - 1).rsqrt()"))]).conjugated(),
    float("atanh(Tensor self) -> Tensor", "The inverse of `tanh`.", "torch.tensor([0.]).atanh()  # tensor([0.])",
        map!(atanh(a), Float, "atanh(a)"; float: vector::atanh(a); complex: c99::atanh(a))).alias(&["arctanh"])
        .grads(&[("self", "grad / (1 - self ** 2)")]).conjugated(),
    float("atan2(Tensor self, Tensor other) -> Tensor", "The angle of the point (`other`, `self`) against the x axis.", "torch.atan2(torch.tensor([1.]), torch.tensor([1.]))  # tensor([0.7854])",
        map!(atan2(a, b), Float, "atan2(a, b)"; float: vector::atan2(a, b))).alias(&["arctan2"])
        .grads(&[("self", "size = self * self + other * other\ngrad * other * size.reciprocal().masked_fill(size == 0, 0)"), ("other", "size = self * self + other * other\ngrad * -self * size.reciprocal().masked_fill(size == 0, 0)")]),
    float("sigmoid(Tensor self) -> Tensor", "1 / (1 + exp(-x)).", "torch.tensor([0., 2.]).sigmoid()  # tensor([0.5000, 0.8808])",
        Each(Map { scalar: &LOGISTIC, refuses: NOTHING }))
        .alias(&["special.expit", "nn.functional.sigmoid"])
        .grads(&[("self", "grad * (1 - result) * result")]).conjugated(),
    float("logit(Tensor self) -> Tensor", "The inverse of `sigmoid`: log(x / (1 - x)). With `eps`, x is first clamped into [eps, 1 - eps].", "torch.tensor([0.5]).logit()  # tensor([0.])",
        Code("self.logit(None)")).alias(&["special.logit"]).refuses(&[kernel(COMPLEX, "logit_cpu")])
        .grads(&[("self", "torch.where((self < 0) | (self > 1), math.nan, grad / (self * (1 - self)))")]),
    float("logit(Tensor self, float? eps) -> Tensor", "", "", Code(LOGIT)).alias(&["special.logit"]).refuses(&[kernel(COMPLEX, "logit_cpu")])
        .grads(&[("self", "torch.where((self < 0) | (self > 1), math.nan, grad / (self * (1 - self))) if eps is None or eps < 0 else torch.where((self < eps) | (self > 1 - eps), 0., grad / (self * (1 - self)))")]),
    float("relu(Tensor self) -> Tensor", "Negative elements become 0.", "torch.tensor([-1., 2.]).relu()  # tensor([0., 2.])",
        map!(BOOL; light relu(a), Promote, "a < 0 ? 0 : a"; i64: a.max(0); u64: a; narrow: if a > 0 { a } else { 0 }; float: if a < 0.0 { 0.0 } else { a })).alias(&["nn.functional.relu"]).no_out()
        .grads(&[("self", "torch.where(result <= 0, 0., grad)")]).piecewise(),
    float("erf(Tensor self) -> Tensor", "The error function.", "torch.tensor([0., 1.]).erf()  # tensor([0.0000, 0.8427])",
        Native(|args| rounded::by_dtype(args, &rounded::ERF))).alias(&["special.erf"])
        .grads(&[("self", "1.1283791670955126 * torch.exp(-self ** 2) * grad")]),
    float("erfc(Tensor self) -> Tensor", "1 less the error function.", "torch.tensor([0.]).erfc()  # tensor([1.])",
        map!(erfc(a), Float, "erfc(a)"; single: wide::ERFC_LOOP; f64: vector::erfc(a))).alias(&["special.erfc"])
        .grads(&[("self", "-1.1283791670955126 * torch.exp(-self ** 2) * grad")]),
    float("lgamma(Tensor self) -> Tensor", "The logarithm of the size of the gamma function.", "torch.tensor([4.]).lgamma()  # tensor([1.7918])",
        map!(lgamma(a), Float, "lgamma(a)"; f32: vector::lgamma(a), unless !(a > 0.0 && a < f32::INFINITY) => libm::lgamma(a as f64) as f32; f64: libm::lgamma(a))).alias(&["special.gammaln"])
        .grads(&[("self", "grad * self.digamma()")]),
    float("sinc(Tensor self) -> Tensor", "sin(πx) / (πx), and 1 at 0.", "torch.tensor([0., 0.5]).sinc()  # tensor([1.0000, 0.6366])",
        map!(sinc(a), Float, "a == 0 ? 1 : sin(pi * a) / (pi * a)";
            f32: if a == 0.0 { 1.0 } else { let p = std::f32::consts::PI * a; p.sin() / p };
            f64: if a == 0.0 { 1.0 } else { let p = std::f64::consts::PI * a; p.sin() / p };
            c64: if a.re == 0.0 && a.im == 0.0 { T::new(1.0, 0.0) } else { let p = a * std::f32::consts::PI; divide(c99::sin(p), p) };
            c128: if a.re == 0.0 && a.im == 0.0 { T::new(1.0, 0.0) } else { let p = a * std::f64::consts::PI; divide(c99::sin(p), p) })).alias(&["special.sinc"])
        .grads(&[("self", "turn = self * torch.pi\nwide = self * self * torch.pi\nslope = grad * ((turn * turn.cos() - turn.sin()) / wide)\ntorch.where(wide == 0, torch.zeros_like(slope), slope)")]).conjugated(),
    float("deg2rad(Tensor self) -> Tensor", "Degrees to radians.", "torch.tensor([180.]).deg2rad()  # tensor([3.1416])",
        map!(deg2rad(a), Float Like, "a * pi / 180"; f32: a * (std::f64::consts::PI / 180.0) as f32; f64: a * (std::f64::consts::PI / 180.0)))
        .grads(&[("self", "grad * 0.017453292519943295")]),
    float("rad2deg(Tensor self) -> Tensor", "Radians to degrees.", "torch.tensor([3.1415927]).rad2deg()  # tensor([180.])",
        map!(rad2deg(a), Float Like, "a * 180 / pi"; f32: a * (180.0 / std::f64::consts::PI) as f32; f64: a * (180.0 / std::f64::consts::PI)))
        .grads(&[("self", "grad * 57.29577951308232")]),
    float("xlogy(Operand self, Operand other) -> Tensor", "`self * log(other)`, and 0 where `self` is 0.", "torch.xlogy(torch.tensor([0., 2.]), torch.tensor([0., 1.]))  # tensor([0., 0.])",
        Native(|args| rounded::by_dtype(args, &rounded::XLOGY))).alias(&["special.xlogy"])
        .grads(&[
            ("self", "torch.xlogy(grad, other).masked_fill((self == 0) & (other <= 0), 0.)"),
            ("other", "grad * self / other"),
        ]),
    op("logaddexp(Tensor self, Tensor other) -> Tensor", "log(exp(self) + exp(other)) without overflow.", "torch.logaddexp(torch.tensor([0.]), torch.tensor([0.]))  # tensor([0.6931])",
        map!(logaddexp(a, b), Promote, "logaddexp(a, b)"; float: if a.is_infinite() && a == b { a } else { let m = if a > b { a } else { b }; m + vector::log1p(vector::vector_exp(-(a - b).abs())) }; complex: c99::logaddexp(a, b)))
    .grads(&[("self", "grad / (1 + torch.exp(other - self))"), ("other", "grad / (1 + torch.exp(self - other))")])
    .conjugated(),
    op("logaddexp2(Tensor self, Tensor other) -> Tensor", "log2(2^self + 2^other) without overflow.", "torch.logaddexp2(torch.tensor([0.]), torch.tensor([0.]))  # tensor([1.])",
        map!(logaddexp2(a, b), Promote, "logaddexp2(a, b)";
            f32: if a.is_infinite() && a == b { a } else { let m = if a > b { a } else { b }; vector::log1p(vector::exp2(-(a - b).abs())).mul_add(std::f32::consts::LOG2_E, m) };
            f64: if a.is_infinite() && a == b { a } else { let m = if a > b { a } else { b }; vector::log1p(vector::exp2(-(a - b).abs())).mul_add(std::f64::consts::LOG2_E, m) }))
    .grads(&[("self", "grad / (1 + torch.exp2(other - self))"), ("other", "grad / (1 + torch.exp2(self - other))")]),
    op("sign(Tensor self) -> Tensor", "-1, 0 or 1 by the sign of each element.", "torch.tensor([-2., 0., 3.]).sign()  # tensor([-1.,  0.,  1.])",
        map!(WIDE; light sign(a), Promote, "sign(a)"; i64: a.signum(); u64: a.min(1); signed: a.signum(); unsigned: a.min(1); truth: a; float: if a > 0.0 { 1.0 } else if a < 0.0 { -1.0 } else { 0.0 })).inplace()
        .grads(&[("self", texts::FLAT)]),
    op("sgn(Tensor self) -> Tensor", "As `sign`; a complex element is divided by its size.", "torch.tensor([3 + 4j]).sgn()  # tensor([0.6000+0.8000j])",
        Each(Map { scalar: &DIRECTION, refuses: WIDE })).inplace()
        .grads(&[("self", SGN)]).complex(),
    op("abs(Tensor self) -> Tensor", "The size of each element; of a complex one, its distance from 0.", "torch.tensor([-1, 2]).abs()  # tensor([1, 2])",
        Each(Map { scalar: &SIZE, refuses: BOOL_WIDE })).inplace().alias(&["absolute", "__abs__"])
        .grads(&[("self", "grad * self.sgn()")]),
];
