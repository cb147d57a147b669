//! Functions of single elements.

use super::{Rule, of, with};

/// 0 for every element, as of functions that go in steps.
const FLAT: &str = "self.new_zeros(self.shape)";

#[rustfmt::skip] // one rule a line
pub(super) const RULES: &[Rule] = &[
    of("add", "self", "grad"),
    with("add", "alpha", "other", "grad * alpha"),
    of("add", "other", "grad"),
    of("sub", "self", "grad"),
    with("sub", "alpha", "other", "-grad * alpha"),
    of("sub", "other", "-grad"),
    of("rsub", "self", "-grad * alpha"),
    of("rsub", "other", "grad"),
    of("mul", "self", "grad * other"),
    of("mul", "other", "grad * self"),
    with("div", "rounding_mode", "self", "grad / other if rounding_mode is None else torch.zeros_like(grad)"),
    with("div", "rounding_mode", "other", "-grad * ((self / other) / other) if rounding_mode is None else torch.zeros_like(grad)"),
    of("div", "self", "grad / other"),
    of("div", "other", "-grad * ((self / other) / other)"),
    of("floor_divide", "self", FLAT),
    of("floor_divide", "other", "torch.zeros_like(grad)"),
    of("remainder", "self", "grad"),
    of("remainder", "other", "-grad * torch.div(self, other, rounding_mode='floor')"),
    of("fmod", "self", "grad"),
    of("fmod", "other", "-grad * torch.div(self, other, rounding_mode='trunc')"),
    of("pow", "self", POW_BASE),
    of("pow", "exponent", POW_EXPONENT),
    of("neg", "self", "-grad"),
    of("positive", "self", "grad"),
    of("abs", "self", "grad * self.sgn()"),
    of("exp", "self", "grad * result"),
    of("exp2", "self", "grad * result * 0.6931471805599453"),
    of("expm1", "self", "grad * (result + 1)"),
    of("log", "self", "grad / self"),
    of("log2", "self", "grad / (self * 0.6931471805599453)"),
    of("log10", "self", "grad / (self * 2.3025850929940456)"),
    of("log1p", "self", "grad / (self + 1)"),
    of("sqrt", "self", "grad / (2 * result)"),
    of("rsqrt", "self", "-0.5 * grad * result ** 3"),
    of("reciprocal", "self", "-grad * (result * result)"),
    of("sin", "self", "grad * self.cos()"),
    of("cos", "self", "grad * -self.sin()"),
    of("tan", "self", "grad * (1 + result ** 2)"),
    of("asin", "self", "grad * (1 - self * self).rsqrt()"),
    of("acos", "self", "grad * -(1 - self * self).rsqrt()"),
    of("atan", "self", "grad / (self * self + 1)"),
    of("sinh", "self", "grad * self.cosh()"),
    of("cosh", "self", "grad * self.sinh()"),
    of("tanh", "self", "grad * (1 - result * result)"),
    of("asinh", "self", "grad * (self ** 2 + 1).rsqrt()"),
    of("acosh", "self", "grad * (self ** 2 - 1).rsqrt()"),
    of("atanh", "self", "grad / (1 - self ** 2)"),
    of("atan2", "self", "grad * other / (self * self + other * other)"),
    of("atan2", "other", "-grad * self / (self * self + other * other)"),
    of("hypot", "self", "grad * (self / result)"),
    of("hypot", "other", "grad * (other / result)"),
    of("sigmoid", "self", "grad * (1 - result) * result"),
    with("logit", "eps", "self", "grad / (self * (1 - self)) if eps is None else torch.where((self < eps) | (self > 1 - eps), 0., grad / (self * (1 - self)))"),
    of("logit", "self", "grad / (self * (1 - self))"),
    of("erf", "self", "1.1283791670955126 * torch.exp(-self ** 2) * grad"),
    of("erfc", "self", "-1.1283791670955126 * torch.exp(-self ** 2) * grad"),
    of("erfinv", "self", "0.8862269254527579 * torch.exp(result ** 2) * grad"),
    of("lgamma", "self", "grad * self.digamma()"),
    of("digamma", "self", "grad * torch.polygamma(1, self)"),
    of("sinc", "self", "grad * torch.where(self == 0, 0., (torch.cos(self * torch.pi) - result) / self)"),
    of("floor", "self", FLAT),
    of("ceil", "self", FLAT),
    of("round", "self", FLAT),
    of("trunc", "self", FLAT),
    of("sign", "self", FLAT),
    of("sgn", "self", SGN),
    of("angle", "self", "torch.where(self == 0, 0., torch.complex(-self.imag, self.real) * (grad / self.abs() ** 2)) if self.is_complex() else torch.zeros_like(grad)"),
    of("complex", "real", "grad.real"),
    of("complex", "imag", "grad.imag"),
    of("polar", "abs", "(grad.conj() * result.sgn()).real"),
    of("polar", "angle", "(grad.conj() * result * 1j).real"),
    of("conj_physical", "self", "grad.conj()"),
    of("frac", "self", "grad"),
    of("heaviside", "self", FLAT),
    of("relu", "self", "torch.where(result > 0, grad, 0.)"),
    of("maximum", "self", MORE),
    of("maximum", "other", LESS),
    of("minimum", "self", LESS),
    of("minimum", "other", MORE),
    of("fmax", "self", "torch.where((self >= other) | other.isnan(), grad, 0.)"),
    of("fmax", "other", "torch.where((self >= other) | other.isnan(), 0., grad)"),
    of("fmin", "self", "torch.where((self <= other) | other.isnan(), grad, 0.)"),
    of("fmin", "other", "torch.where((self <= other) | other.isnan(), 0., grad)"),
    of("clamp", "self", CLAMP),
    of("clamp", "min", "torch.where(self == min, grad / 2, torch.where(self < min, grad, 0.))"),
    of("clamp", "max", "torch.where(self == max, grad / 2, torch.where(self > max, grad, 0.))"),
    of("clamp_min", "self", "torch.where(self > min, grad, 0.)"),
    of("clamp_max", "self", "torch.where(self < max, grad, 0.)"),
    of("polygamma", "self", "grad * torch.polygamma(n + 1, self)"),
    of("i0", "self", "grad * torch.special.i1(self)"),
    of("special.entr", "self", "grad * (-self.log() - 1)"),
    of("where", "self", "torch.where(condition, grad, 0.)"),
    of("where", "other", "torch.where(condition, 0., grad)"),
    of("masked_fill", "self", "grad.masked_fill(mask, 0)"),
    of("masked_fill", "value", "torch.where(mask, grad, 0.).sum()"),
    of("lerp", "self", "grad * (1 - weight)"),
    of("lerp", "end", "grad * weight"),
    of("lerp", "weight", "grad * (end - self)"),
    of("addcmul", "self", "grad"),
    of("addcmul", "tensor1", "grad * (tensor2 * value)"),
    of("addcmul", "tensor2", "grad * (tensor1 * value)"),
    of("addcdiv", "self", "grad"),
    of("addcdiv", "tensor1", "grad * (value / tensor2)"),
    of("addcdiv", "tensor2", "-grad * (value * tensor1 / (tensor2 * tensor2))"),
    of("logaddexp", "self", "grad * torch.exp(self - result)"),
    of("logaddexp", "other", "grad * torch.exp(other - result)"),
    of("xlogy", "self", "grad * torch.where(self == 0, 0., other.log() if isinstance(other, torch.Tensor) else torch.tensor(other).log())"),
    of("xlogy", "other", "grad * self / other"),
    of("nan_to_num", "self", "grad * ~(self.isinf() | self.isnan())"),
    of("deg2rad", "self", "grad * 0.017453292519943295"),
    of("rad2deg", "self", "grad * 57.29577951308232"),
    of("copysign", "self", "torch.where(self == 0, 0., grad * (result / self))"),
    of("fill", "self", FLAT),
    of("fill", "value", "grad.sum()"),
    of("copy_", "self", FLAT),
    of("copy_", "other", "grad"),
    of("fill_", "self", FLAT),
    of("fill_", "value", "grad.sum()"),
    of("zero_", "self", FLAT),
];

const SGN: &str = "if self.is_complex():
    size = self.abs()
    found = torch.where(size == 0, 0., (grad - (grad / result).real * result) / size)
else:
    found = torch.zeros_like(grad)
found";

const POW_BASE: &str = "if isinstance(exponent, torch.Tensor):
    found = torch.where(exponent == 0, 0., grad * (exponent * self ** (exponent - 1)))
elif exponent == 0:
    found = self.new_zeros(self.shape)
else:
    found = grad * (exponent * self ** (exponent - 1))
found";

const POW_EXPONENT: &str = "base = self if isinstance(self, torch.Tensor) else torch.tensor(self, dtype=grad.dtype)
power = exponent.real if exponent.is_complex() else exponent
torch.where((base == 0) & (power >= 0), 0., grad * (result * base.log()))";

/// The greater of two; both have half where they are equal.
const MORE: &str = "torch.where(self == other, grad / 2, torch.where(self > other, grad, 0.))";
const LESS: &str = "torch.where(self == other, grad / 2, torch.where(self < other, grad, 0.))";

/// At a bound that is a number nothing comes through, at one that is a tensor half.
const CLAMP: &str = "found = grad
for bound, inside in ((min, 1), (max, -1)):
    if isinstance(bound, torch.Tensor):
        found = torch.where(self == bound, found / 2, torch.where((self - bound) * inside > 0, found, 0.))
    elif bound is not None:
        found = torch.where((self - bound) * inside > 0, found, 0.)
found";
