//! Special functions: `torch.special`, and those of them that are names of `torch` too.

mod bessel;
mod bessel_tables;
mod function;
mod incomplete;
mod polynomial;
pub mod rounded;

use super::autograd::texts;
use super::map::map;
use super::{Form, Operand};
use super::{Op, exec, op};
use crate::dtype::{DType, Number};
use crate::kernel::vector;
use crate::tensor::Tensor;
use crate::value::Value;
use Form::{Code, Native};
use anyhow::Result;
use function as f;
use polynomial::{Kind, chebyshev, hermite_h, hermite_he, laguerre, legendre};

/// A function of a number that is a name of `torch` too; also in place.
const fn known(schema: &'static str, doc: &'static str, example: &'static str, form: Form) -> Op {
    op(schema, doc, example, form).inplace()
}

/// PyTorch has no kernel of these functions for the 16-bit floats.
const NARROW: &[DType] = &[DType::F16, DType::BF16];

/// A function of one float, computed in float64.
macro_rules! wide {
    ($name:ident: $function:path) => { map!($name(a), Float, "special(a)"; float: $function(a as f64) as T) };
    ($refuses:ident; $name:ident: $function:path) => { map!($refuses; $name(a), Float, "special(a)"; float: $function(a as f64) as T) };
}

/// A function of one float, computed in the dtype itself.
macro_rules! own {
    ($name:ident: $function:path) => { map!($name(a), Float, "special(a)"; float: $function(a)) };
    ($refuses:ident; $name:ident: $function:path) => { map!($refuses; $name(a), Float, "special(a)"; float: $function(a)) };
}

/// A polynomial in `a` of degree `b`, computed in the dtype itself.
macro_rules! degrees {
    ($name:ident(a, b) $value:expr) => { map!(NARROW; $name(a, b), Float, "special(a, b)"; float: ($value)(a, b)) };
}

/// Chebyshev's polynomial of a kind; shifted ones live on [0, 1].
macro_rules! chebyshev {
    ($name:ident $kind:ident $steps:literal) => {
        degrees!($name(a, b) | a, b | chebyshev(Kind::$kind, $steps, a, b))
    };
    ($name:ident shifted $kind:ident $steps:literal) => {
        degrees!($name(a, b) | a, b | chebyshev(Kind::$kind, $steps, a + a - 1.0, b))
    };
}

rows![
    known(
        "digamma(Tensor self) -> Tensor",
        "The derivative of `lgamma`.",
        "torch.tensor([1., 0.5]).digamma()  # tensor([-0.5772, -1.9635])",
        map!(digamma(a), Float, "special(a)"; float: f::digamma(a))
    )
    .alias(&["special.digamma", "special.psi"])
    .grads(&[("self", "grad * torch.polygamma(1, self)")]),
    known(
        "erfinv(Tensor self) -> Tensor",
        "The inverse of `erf`.",
        "torch.tensor([0., 0.5, -1.]).erfinv()  # tensor([0.0000, 0.4769,   -inf])",
        map!(erfinv(a), Float, "erfinv(a)"; float: vector::erfinv(a))
    )
    .alias(&["special.erfinv"])
    .grads(&[("self", "0.8862269254527579 * torch.exp(result ** 2) * grad")]),
    known(
        "i0(Tensor self) -> Tensor",
        "The modified Bessel function of the first kind and order 0.",
        "torch.i0(torch.tensor([0., 1.]))  # tensor([1.0000, 1.2661])",
        own!(i0: bessel::i0)
    )
    .alias(&["special.i0"])
    .grads(&[("self", "grad * torch.special.i1(self)")]),
    op(
        "special.i0e(Tensor self) -> Tensor",
        "`i0`, times exp(-|x|).",
        "torch.special.i0e(torch.tensor([0., 1.]))  # tensor([1.0000, 0.4658])",
        Native(|args| rounded::by_dtype(args, &rounded::I0E))
    )
        .grads(&[("self", "grad * (torch.special.i1e(self) - self.sgn() * result)")]),
    op(
        "special.i1(Tensor self) -> Tensor",
        "The modified Bessel function of the first kind and order 1.",
        "torch.special.i1(torch.tensor([0., 1.]))  # tensor([0.0000, 0.5652])",
        own!(i1: bessel::i1)
    )
    .grads(&[("self", "x = torch.where(self.abs() > torch.finfo(self.dtype).eps, self, torch.finfo(self.dtype).eps)\ngrad * torch.where(self == x, torch.special.i0(x) - result / x, 0.5)")]),
    op(
        "special.i1e(Tensor self) -> Tensor",
        "`i1`, times exp(-|x|).",
        "torch.special.i1e(torch.tensor([0., 1.]))  # tensor([0.0000, 0.2079])",
        own!(i1e: bessel::i1e)
    )
    .grads(&[("self", "x = torch.where(self.abs() > torch.finfo(self.dtype).eps, self, torch.finfo(self.dtype).eps)\ngrad * torch.where(self == x, torch.special.i0e(x) - result * (x.sgn() + 1 / x), 0.5)")]),
    op(
        "special.modified_bessel_i0(Tensor self) -> Tensor",
        "The modified Bessel function of the first kind and order 0.",
        "torch.special.modified_bessel_i0(torch.tensor([1.]))  # tensor([1.2661])",
        own!(NARROW; modified_bessel_i0: bessel::i0)
    )
    .grads(&[("self", "grad * torch.special.modified_bessel_i1(self)")]),
    op(
        "special.modified_bessel_i1(Tensor self) -> Tensor",
        "The modified Bessel function of the first kind and order 1.",
        "torch.special.modified_bessel_i1(torch.tensor([1.]))  # tensor([0.5652])",
        own!(NARROW; modified_bessel_i1: bessel::modified_i1)
    )
    .grads(&[("self", "grad * torch.where(self == 0, 0.5, torch.special.modified_bessel_i0(self) - result / self)")]),
    op(
        "special.modified_bessel_k0(Tensor self) -> Tensor",
        "The modified Bessel function of the second kind and order 0.",
        "torch.special.modified_bessel_k0(torch.tensor([1.]))  # tensor([0.4210])",
        own!(NARROW; modified_bessel_k0: bessel::k0)
    )
    .grads(&[("self", "-grad * torch.special.modified_bessel_k1(self)")]),
    op(
        "special.modified_bessel_k1(Tensor self) -> Tensor",
        "The modified Bessel function of the second kind and order 1.",
        "torch.special.modified_bessel_k1(torch.tensor([1.]))  # tensor([0.6019])",
        own!(NARROW; modified_bessel_k1: bessel::k1)
    )
    .grads(&[("self", "-grad * (torch.special.modified_bessel_k0(self) + result / self)")]),
    op(
        "special.scaled_modified_bessel_k0(Tensor x) -> Tensor",
        "`modified_bessel_k0`, times exp(x).",
        "torch.special.scaled_modified_bessel_k0(torch.tensor([1.]))  # tensor([1.1445])",
        own!(NARROW; scaled_modified_bessel_k0: bessel::k0e)
    )
    .no_grad(),
    op(
        "special.scaled_modified_bessel_k1(Tensor x) -> Tensor",
        "`modified_bessel_k1`, times exp(x).",
        "torch.special.scaled_modified_bessel_k1(torch.tensor([1.]))  # tensor([1.6362])",
        own!(NARROW; scaled_modified_bessel_k1: bessel::k1e)
    )
    .no_grad(),
    op(
        "special.bessel_j0(Tensor self) -> Tensor",
        "Bessel's function of the first kind and order 0.",
        "torch.special.bessel_j0(torch.tensor([0., 1.]))  # tensor([1.0000, 0.7652])",
        own!(NARROW; bessel_j0: bessel::j0)
    )
    .grads(&[("self", "-grad * torch.special.bessel_j1(self)")]),
    op(
        "special.bessel_j1(Tensor self) -> Tensor",
        "Bessel's function of the first kind and order 1.",
        "torch.special.bessel_j1(torch.tensor([0., 1.]))  # tensor([0.0000, 0.4401])",
        own!(NARROW; bessel_j1: bessel::j1)
    )
    .grads(&[("self", "grad * torch.where(self == 0, 0.5, torch.special.bessel_j0(self) - result / self)")]),
    op(
        "special.bessel_y0(Tensor self) -> Tensor",
        "Bessel's function of the second kind and order 0.",
        "torch.special.bessel_y0(torch.tensor([0., 1.]))  # tensor([  -inf, 0.0883])",
        own!(NARROW; bessel_y0: bessel::y0)
    )
    .grads(&[("self", "-grad * torch.special.bessel_y1(self)")]),
    op(
        "special.bessel_y1(Tensor self) -> Tensor",
        "Bessel's function of the second kind and order 1.",
        "torch.special.bessel_y1(torch.tensor([0., 1.]))  # tensor([   -inf, -0.7812])",
        own!(NARROW; bessel_y1: bessel::y1)
    )
    .grads(&[("self", "grad * (torch.special.bessel_y0(self) - result / self)")]),
    op(
        "special.spherical_bessel_j0(Tensor x) -> Tensor",
        "sin(x) / x, and 1 at 0.",
        "torch.special.spherical_bessel_j0(torch.tensor([0., 1.]))  # tensor([1.0000, 0.8415])",
        own!(NARROW; spherical_bessel_j0: f::spherical_j0)
    )
    .no_grad(),
    op(
        "special.airy_ai(Tensor x) -> Tensor",
        "Airy's function Ai.",
        "torch.special.airy_ai(torch.tensor([0., 1.]))  # tensor([0.3550, 0.1353])",
        own!(NARROW; airy_ai: f::airy_ai)
    )
    .no_grad(),
    op(
        "special.entr(Tensor self) -> Tensor",
        "-x log(x); 0 at 0 and -inf below.",
        "torch.special.entr(torch.tensor([-0.5, 0., 1., 2.]))  # tensor([   -inf,  0.0000, -0.0000, -1.3863])",
        Native(|args| rounded::by_dtype(args, &rounded::ENTR))
    )
    .grads(&[("self", "grad * (-self.log() - 1)")]),
    op(
        "special.erfcx(Tensor self) -> Tensor",
        "exp(x²) erfc(x), without overflow.",
        "torch.special.erfcx(torch.tensor([0., 1., 10.]))  # tensor([1.0000, 0.4276, 0.0561])",
        wide!(NARROW; erfcx: f::erfcx)
    )
        .grads(&[("self", "grad * (2 * self * result - 1.1283791670955126)")]),
    op(
        "special.ndtr(Tensor self) -> Tensor",
        "The area under the normal density left of each element.",
        "torch.special.ndtr(torch.tensor([0., 1.]))  # tensor([0.5000, 0.8413])",
        Code(
            "((1 + ((self if self.is_floating_point() or self.is_complex() else self.to(torch.get_default_dtype())) * math.sqrt(0.5)).erf()) * 0.5)"
        )
    ),
    op(
        "special.ndtri(Tensor self) -> Tensor",
        "The inverse of `ndtr`.",
        "torch.special.ndtri(torch.tensor([0.5, 1.]))  # tensor([0., inf])",
        wide!(NARROW; ndtri: f::ndtri)
    )
        .grads(&[("self", "grad * (result ** 2 / 2).exp() * 2.5066282746310002")]),
    op(
        "special.log_ndtr(Tensor self) -> Tensor",
        "The logarithm of `ndtr`, accurate for very negative elements too.",
        "torch.special.log_ndtr(torch.tensor([0., -10.]))  # tensor([ -0.6931, -53.2313])",
        own!(NARROW; log_ndtr: f::log_ndtr)
    )
        .grads(&[("self", "grad / torch.special.erfcx(self * -0.7071067811865476) * 0.7978845608028654")]),
    op(
        "special.xlog1py(Operand self, Operand other) -> Tensor",
        "`self * log1p(other)`, and 0 where `self` is 0.",
        "torch.special.xlog1py(torch.tensor([0., 2.]), torch.tensor([-1., 1.]))  # tensor([0.0000, 1.3863])",
        Native(|args| rounded::by_dtype(args, &rounded::XLOG1PY))
    )
        .grads(&[
            ("self", "is_tensor = isinstance(other, torch.Tensor)\nslope = grad * (other.log1p() if is_tensor else math.log1p(other) if other > -1 else math.nan)\nslope.masked_fill((self == 0) & (other <= -1), 0)"),
            ("other", "grad * self / (other + 1)"),
        ]),
    op(
        "special.zeta(Operand self, Operand other) -> Tensor",
        "Hurwitz's zeta function: the sum of (k + other)^-self over k = 0, 1, ….",
        "torch.special.zeta(torch.tensor([2., 4.]), 1)  # tensor([1.6449, 1.0823])",
        map!(NARROW; zeta(a, b), Float, "zeta(a, b)"; float: f::zeta(a, b) as T)
    )
    .grads(&[("self", texts::unknown!("zeta")), ("other", "-self * grad * torch.special.zeta(self + 1, other)")]),
    known(
        "igamma(Tensor self, Tensor other) -> Tensor",
        "The lower incomplete gamma function of `other`, as a part of the whole one; `self` is its shape.",
        "torch.igamma(torch.tensor([4.]), torch.tensor([3.]))  # tensor([0.3528])",
        map!(gammainc(a, b), Promote, "igamma(a, b)"; float: incomplete::lower(a, b))
    )
    .alias(&["special.gammainc"])
    .grads(&[("self", texts::unknown!("igamma: input")), ("other", "grad * torch.exp((self - 1) * torch.log(other) - other - torch.lgamma(self))")]),
    known(
        "igammac(Tensor self, Tensor other) -> Tensor",
        "The upper incomplete gamma function of `other`, as a part of the whole one; `self` is its shape.",
        "torch.igammac(torch.tensor([4.]), torch.tensor([3.]))  # tensor([0.6472])",
        map!(gammaincc(a, b), Promote, "igammac(a, b)"; float: incomplete::upper(a, b))
    )
    .alias(&["special.gammaincc"])
    .grads(&[("self", texts::unknown!("igammac: input")), ("other", "-grad * torch.exp((self - 1) * torch.log(other) - other - torch.lgamma(self))")]),
    op(
        "polygamma(int n, Tensor self) -> Tensor",
        "The `n`th derivative of `digamma`.",
        "torch.polygamma(1, torch.tensor([1.]))  # tensor([1.6449])",
        Native(|a| derivative(a.get(0)?, a.get(1)?))
    )
    .function_only()
    .alias(&["special.polygamma"])
    .grads(&[("self", "grad * torch.polygamma(n + 1, self)")]),
    known("polygamma(Tensor self, int n) -> Tensor", "", "", Native(|a| derivative(a.get(1)?, a.get(0)?)))
        .method_only()
        .grads(&[("self", "grad * torch.polygamma(n + 1, self)")]),
    known(
        "mvlgamma(Tensor self, int p) -> Tensor",
        "The logarithm of the multivariate gamma function of dimension `p`.",
        "torch.mvlgamma(torch.tensor([3., 4.]), 2)  # tensor([1.5502, 3.5651])",
        Code(MVLGAMMA)
    )
    .alias(&["special.multigammaln"]),
    op(
        "special.chebyshev_polynomial_t(Operand x, Operand n) -> Tensor",
        "Chebyshev's polynomial of the first kind and degree `n`.",
        "torch.special.chebyshev_polynomial_t(torch.tensor([0.5, 2.]), 3)  # tensor([-1., 26.])",
        chebyshev!(chebyshev_polynomial_t First 6)
    )
    .no_grad(),
    op(
        "special.chebyshev_polynomial_u(Operand x, Operand n) -> Tensor",
        "Chebyshev's polynomial of the second kind and degree `n`.",
        "torch.special.chebyshev_polynomial_u(torch.tensor([0.5, 2.]), 2)  # tensor([ 0., 15.])",
        chebyshev!(chebyshev_polynomial_u Second 8)
    )
    .no_grad(),
    op(
        "special.chebyshev_polynomial_v(Operand x, Operand n) -> Tensor",
        "Chebyshev's polynomial of the third kind and degree `n`.",
        "torch.special.chebyshev_polynomial_v(torch.tensor([0.5, 2.]), 2)  # tensor([-1., 11.])",
        chebyshev!(chebyshev_polynomial_v Third 8)
    )
    .no_grad(),
    op(
        "special.chebyshev_polynomial_w(Operand x, Operand n) -> Tensor",
        "Chebyshev's polynomial of the fourth kind and degree `n`.",
        "torch.special.chebyshev_polynomial_w(torch.tensor([0.5, 2.]), 2)  # tensor([ 1., 19.])",
        chebyshev!(chebyshev_polynomial_w Fourth 8)
    )
    .no_grad(),
    op(
        "special.shifted_chebyshev_polynomial_t(Operand x, Operand n) -> Tensor",
        "Chebyshev's polynomial of the first kind at 2x - 1.",
        "torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.75, 2.]), 2)  # tensor([-0.5000, 17.0000])",
        chebyshev!(shifted_chebyshev_polynomial_t shifted First 6)
    )
    .no_grad(),
    op(
        "special.shifted_chebyshev_polynomial_u(Operand x, Operand n) -> Tensor",
        "Chebyshev's polynomial of the second kind at 2x - 1.",
        "torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.75, 2.]), 2)  # tensor([ 0., 35.])",
        chebyshev!(shifted_chebyshev_polynomial_u shifted Second 6)
    )
    .no_grad(),
    op(
        "special.shifted_chebyshev_polynomial_v(Operand x, Operand n) -> Tensor",
        "Chebyshev's polynomial of the third kind at 2x - 1.",
        "torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.75, 2.]), 2)  # tensor([-1., 29.])",
        chebyshev!(shifted_chebyshev_polynomial_v shifted Third 6)
    )
    .no_grad(),
    op(
        "special.shifted_chebyshev_polynomial_w(Operand x, Operand n) -> Tensor",
        "Chebyshev's polynomial of the fourth kind at 2x - 1.",
        "torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.75, 2.]), 2)  # tensor([ 1., 41.])",
        chebyshev!(shifted_chebyshev_polynomial_w shifted Fourth 4)
    )
    .no_grad(),
    op(
        "special.hermite_polynomial_h(Operand x, Operand n) -> Tensor",
        "Hermite's polynomial of degree `n` as physicists take it.",
        "torch.special.hermite_polynomial_h(torch.tensor([1., 2.]), 3)  # tensor([-4., 40.])",
        degrees!(hermite_polynomial_h(a, b) hermite_h)
    )
    .no_grad(),
    op(
        "special.hermite_polynomial_he(Operand x, Operand n) -> Tensor",
        "Hermite's polynomial of degree `n` as probabilists take it.",
        "torch.special.hermite_polynomial_he(torch.tensor([1., 2.]), 3)  # tensor([-2.,  2.])",
        degrees!(hermite_polynomial_he(a, b) hermite_he)
    )
    .no_grad(),
    op(
        "special.laguerre_polynomial_l(Operand x, Operand n) -> Tensor",
        "Laguerre's polynomial of degree `n`.",
        "torch.special.laguerre_polynomial_l(torch.tensor([1., 2.]), 2)  # tensor([-0.5000, -1.0000])",
        degrees!(laguerre_polynomial_l(a, b) laguerre)
    )
    .no_grad(),
    op(
        "special.legendre_polynomial_p(Operand x, Operand n) -> Tensor",
        "Legendre's polynomial of degree `n`.",
        "torch.special.legendre_polynomial_p(torch.tensor([0.5, 2.]), 2)  # tensor([-0.1250,  5.5000])",
        degrees!(legendre_polynomial_p(a, b) legendre)
    )
    .no_grad(),
];

fn derivative(n: i64, x: Tensor) -> Result<Value> {
    if n < 0 {
        fault!(RuntimeError, "polygamma(n, x) does not support negative n.");
    }
    if x.dtype().is_complex() || x.dtype().is_float8() {
        let kernel = ["digamma", "trigamma"].get(n as usize).copied().unwrap_or("polygamma");
        fault!(NotImplementedError, "\"{kernel}\" not implemented for '{}'", x.dtype().title());
    }
    let operands = [Operand::Tensor(x)];
    let map = rounded::POLYGAMMA.of(exec::common_dtype(&operands)?);
    map.of("polygamma", &operands, &[Number::Int(n)]).map(Value::Tensor)
}

const MVLGAMMA: &str = r#"
if self.dtype == torch.bool:
    raise RuntimeError('The input tensor may not be a boolean tensor.')
if p < 1:
    raise RuntimeError('p has to be greater than or equal to 1')
steps = torch.arange(-p / 2 + 0.5, 0.5, 0.5, dtype=self.dtype if self.is_floating_point() or self.is_complex() else torch.get_default_dtype(), device=self.device)
(steps + self.unsqueeze(-1)).lgamma().sum(-1) + p * (p - 1) * math.log(math.pi) / 4
"#;
