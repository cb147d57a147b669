//! Activations that curve, and their ways back: each in one pass, with the roundings of PyTorch's vectors.

use super::piecewise::part;
use crate::kernel::element::Choose;
use crate::kernel::rest::{LONG, Rest, Whose};
use crate::kernel::scalar::Scalar;
use crate::kernel::vector::{self, Functions, Real};
use crate::ops::Form;
use crate::ops::map::{Map, NOTHING};
use crate::scalar;

/// How functions are computed that activations are made of.
trait Way<T> {
    fn exp(x: T) -> T;
    fn expm1(x: T) -> T;
    fn log1p(x: T) -> T;
    fn tanh(x: T) -> T;
    /// True above 0. A NaN is not, for vectors; behind them it is not below.
    fn is_above(x: T) -> bool;
}

/// By PyTorch's vectors.
struct InVectors;

/// By the system's library, as behind the last whole vector of a row.
struct Alone;

impl<T: Real + Default> Way<T> for InVectors {
    #[inline(always)]
    fn exp(x: T) -> T {
        vector::vector_exp(x)
    }
    #[inline(always)]
    fn expm1(x: T) -> T {
        Functions::expm1(x)
    }
    #[inline(always)]
    fn log1p(x: T) -> T {
        Functions::log1p(x)
    }
    #[inline(always)]
    fn tanh(x: T) -> T {
        Functions::vector_tanh(x)
    }
    #[inline(always)]
    fn is_above(x: T) -> bool {
        x > T::default()
    }
}

impl<T: num_traits::Float> Way<T> for Alone {
    #[inline(always)]
    fn exp(x: T) -> T {
        x.exp()
    }
    #[inline(always)]
    fn expm1(x: T) -> T {
        x.exp_m1()
    }
    #[inline(always)]
    fn log1p(x: T) -> T {
        x.ln_1p()
    }
    #[inline(always)]
    fn tanh(x: T) -> T {
        x.tanh()
    }
    #[inline(always)]
    #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "a NaN is to pass")]
    fn is_above(x: T) -> bool {
        !(x <= T::zero())
    }
}

/// A function of operands and numbers, by either `W`.
macro_rules! curve {
    ($function:ident: $name:ident $args:tt, $operands:literal, $cuda:literal; $formula:expr) => {
        static $function: Scalar = scalar! { $name $args, Promote Aside, $cuda; float: {
            #[allow(dead_code, reason = "not every function is made of others")]
            type W = InVectors;
            $formula
        } }
        .with_rest(
            const {
                &Rest {
                    scalar: scalar! { $name $args, Promote Aside, $cuda; float: {
                        #[allow(dead_code, reason = "as above")]
                        type W = Alone;
                        $formula
                    } },
                    step: LONG,
                    operands: $operands,
                    whose: Whose::All,
                }
            },
        );
    };
}

curve!(ELU: elu(a, neg, pos), 1, "a < 0 ? expm1(a) * neg : a * pos"; (W::expm1(a) * neg).or(a < 0.0, a * pos));
curve!(ELU_BACK: elu_back(g, a, neg, pos), 2, "a > 0 ? g * pos : g * neg * exp(a)"; (g * pos).or(W::is_above(a), g * neg * W::exp(a)));
curve!(CELU: celu(a, alpha, rate), 1, "a < 0 ? expm1(a * rate) * alpha : a"; (W::expm1(a * rate) * alpha).or(a < 0.0, a));
curve!(CELU_BACK: celu_back(g, a, alpha, rate), 2, "a > 0 ? g : g * rate * alpha * exp(a * rate)";
    g.or(W::is_above(a), g * rate * alpha * W::exp(a * rate)));
curve!(SOFTPLUS: softplus(a, beta, threshold), 1, "a * beta > threshold ? a : log1p(exp(a * beta)) / beta";
    a.or(a * beta > threshold, W::log1p(W::exp(a * beta)) / beta));
curve!(SOFTPLUS_BACK: softplus_back(g, a, beta, threshold), 2, "a * beta > threshold ? g : g * exp(a * beta) / (exp(a * beta) + 1)"; {
    let z = W::exp(a * beta);
    g.or(a * beta > threshold, g * z / (z + 1.0))
});
curve!(MISH: mish(a), 1, "a * tanh(log1p(exp(a)))"; a * W::tanh(W::log1p(W::exp(a))));
curve!(MISH_BACK: mish_back(g, a), 2, "g * mish_slope(a)"; {
    let share = 1.0 / (1.0 + W::exp(-a));
    let t = W::tanh(W::log1p(W::exp(a)));
    g * (a * share).mul_add((-t).mul_add(t, 1.0), t)
});
curve!(SILU: silu(a), 1, "a / (exp(-a) + 1)"; a / (W::exp(-a) + 1.0));
curve!(SILU_BACK: silu_back(g, a), 2, "g * silu_slope(a)"; {
    let share = 1.0 / (1.0 + W::exp(-a));
    g * share * a.mul_add(1.0 - share, 1.0)
});
curve!(GELU_TANH: gelu_tanh(a), 1, "0.5 * a * (1 + tanh(sqrt(2 / pi) * (a + 0.044715 * a * a * a)))"; {
    let inner = ROOT as T * (KAPPA as T).mul_add(a * a * a, a);
    0.5 * a * (1.0 + W::tanh(inner))
});
curve!(GELU_TANH_BACK: gelu_tanh_back(g, a), 2, "g * gelu_tanh_slope(a)"; {
    let square = a * a;
    let t = W::tanh(ROOT as T * (KAPPA as T).mul_add(square * a, a));
    let inner_slope = ROOT as T * (3.0 * KAPPA as T).mul_add(square, 1.0);
    g * (1.0 + t).mul_add(0.5, 0.5 * a * (-t).mul_add(t, 1.0) * inner_slope)
});

/// The square root of 2 / pi, and what the cube of an argument counts.
const ROOT: f64 = 0.797_884_560_802_865_4;
const KAPPA: f64 = 0.044_715;

/// Whole rows are computed in vectors, also their ends.
static LOG_SIGMOID: Scalar = scalar! { log_sigmoid(a), Promote, "min(a, 0) - log1p(exp(-abs(a)))";
float: (0.0 as T).or(a > 0.0, a) - InVectors::log1p(InVectors::exp(-a.abs())) };
static LOG_SIGMOID_BACK: Scalar = scalar! { log_sigmoid_back(g, a), Promote, "g * (a < 0 ? 1 - z / (1 + z) : z / (1 + z))"; float: {
    let z = InVectors::exp(-a.abs());
    let share = z / (1.0 + z);
    (1.0 - share).or(a < 0.0, share) * g
} };

/// The form of a row that is one of these functions.
const fn form(scalar: &'static Scalar) -> Form {
    Form::Map(Map { scalar, refuses: NOTHING })
}

/// A way back: what it becomes of changes of the incoming gradient, and the second slope times the incoming gradient.
macro_rules! back {
    ($call:literal, $second:literal) => {
        &[("grad_output", concat!("torch.nn.functional.", $call)), ("input", $second)]
    };
}

rows![
    part(
        "nn.functional._elu(Tensor input, Scalar negative, Scalar positive) -> Tensor",
        "`negative (exp(x) - 1)` below 0, `positive x` above.",
        "torch.nn.functional._elu(torch.tensor([-1., 1.]), 1, 1)  # tensor([-0.6321,  1.0000])",
        form(&ELU)
    )
    .grads(&[("input", "torch.nn.functional._elu_back(grad, input, negative, positive)")]),
    part(
        "nn.functional._elu_back(Tensor grad_output, Tensor input, Scalar negative, Scalar positive) -> Tensor",
        "The way back through `_elu`.",
        "torch.nn.functional._elu_back(torch.ones(2), torch.tensor([-1., 1.]), 1, 1)  # tensor([0.3679, 1.0000])",
        form(&ELU_BACK)
    )
    .grads(back!(
        "_elu_back(grad, input, negative, positive)",
        "torch.where(input < 0, grad * grad_output * negative * input.exp(), 0.)"
    )),
    part(
        "nn.functional._celu(Tensor input, Scalar alpha, Scalar rate) -> Tensor",
        "`alpha (exp(rate x) - 1)` below 0, x above.",
        "torch.nn.functional._celu(torch.tensor([-1., 1.]), 2, 0.5)  # tensor([-0.7869,  1.0000])",
        form(&CELU)
    )
    .grads(&[("input", "torch.nn.functional._celu_back(grad, input, alpha, rate)")]),
    part(
        "nn.functional._celu_back(Tensor grad_output, Tensor input, Scalar alpha, Scalar rate) -> Tensor",
        "The way back through `_celu`.",
        "torch.nn.functional._celu_back(torch.ones(2), torch.tensor([-1., 1.]), 2, 0.5)  # tensor([0.6065, 1.0000])",
        form(&CELU_BACK)
    )
    .grads(back!(
        "_celu_back(grad, input, alpha, rate)",
        "torch.where(input < 0, grad * grad_output * rate * alpha * rate * (input * rate).exp(), 0.)"
    )),
    part(
        "nn.functional._softplus(Tensor input, Scalar beta, Scalar threshold) -> Tensor",
        "log(1 + exp(beta x)) / beta, and x itself where beta x is above the threshold.",
        "torch.nn.functional._softplus(torch.tensor([0., 30.]), 1, 20)  # tensor([ 0.6931, 30.0000])",
        form(&SOFTPLUS)
    )
    .grads(&[("input", "torch.nn.functional._softplus_back(grad, input, beta, threshold)")]),
    part(
        "nn.functional._softplus_back(Tensor grad_output, Tensor input, Scalar beta, Scalar threshold) -> Tensor",
        "The way back through `_softplus`.",
        "torch.nn.functional._softplus_back(torch.ones(2), torch.tensor([0., 30.]), 1, 20)  # tensor([0.5000, 1.0000])",
        form(&SOFTPLUS_BACK)
    )
    .grads(back!(
        "_softplus_back(grad, input, beta, threshold)",
        "s = (input * beta).sigmoid()\ntorch.where(input * beta > threshold, 0., grad * grad_output * s * (1 - s) * beta)"
    )),
    part(
        "nn.functional._mish(Tensor input) -> Tensor",
        "x tanh(softplus(x)).",
        "torch.nn.functional._mish(torch.tensor([1.]))  # tensor([0.8651])",
        form(&MISH)
    )
    .grads(&[("input", "torch.nn.functional._mish_back(grad, input)")]),
    part(
        "nn.functional._mish_back(Tensor grad_output, Tensor input) -> Tensor",
        "The way back through `_mish`.",
        "torch.nn.functional._mish_back(torch.ones(1), torch.zeros(1))  # tensor([0.6000])",
        form(&MISH_BACK)
    )
    .grads(back!(
        "_mish_back(grad, input)",
        "s, t = input.sigmoid(), torch.nn.functional.softplus(input).tanh()
bend = 1 - t * t
grad * grad_output * bend * s * (2 + input * (1 - s) - 2 * input * t * s)"
    )),
    part(
        "nn.functional._silu(Tensor input) -> Tensor",
        "x times its `sigmoid`.",
        "torch.nn.functional._silu(torch.tensor(1.))  # tensor(0.7311)",
        form(&SILU)
    )
    .grads(&[("input", "torch.nn.functional._silu_back(grad, input)")]),
    part(
        "nn.functional._silu_back(Tensor grad_output, Tensor input) -> Tensor",
        "The way back through `_silu`.",
        "torch.nn.functional._silu_back(torch.ones(1), torch.zeros(1))  # tensor([0.5000])",
        form(&SILU_BACK)
    )
    .grads(back!("_silu_back(grad, input)", "s = input.sigmoid()\ngrad * grad_output * s * (1 - s) * (2 + input * (1 - 2 * s))")),
    part(
        "nn.functional._gelu_tanh(Tensor input) -> Tensor",
        "`gelu`, by a hyperbolic tangent that stands for the error function.",
        "torch.nn.functional._gelu_tanh(torch.tensor([1.]))  # tensor([0.8412])",
        form(&GELU_TANH)
    )
    .grads(&[("input", "torch.nn.functional._gelu_tanh_back(grad, input)")]),
    part(
        "nn.functional._gelu_tanh_back(Tensor grad_output, Tensor input) -> Tensor",
        "The way back through `_gelu_tanh`.",
        "torch.nn.functional._gelu_tanh_back(torch.ones(1), torch.zeros(1))  # tensor([0.5000])",
        form(&GELU_TANH_BACK)
    )
    .grads(back!(
        "_gelu_tanh_back(grad, input)",
        "root, third = 0.7978845608028654, 3 * 0.044715
t = (root * (input + 0.044715 * input ** 3)).tanh()
inner, bend = root * (1 + third * input ** 2), 1 - t * t
grad * grad_output * bend * (inner + input * (root * third * input - t * inner * inner))"
    )),
    part(
        "nn.functional._log_sigmoid(Tensor input) -> Tensor",
        "The logarithm of the `sigmoid`.",
        "torch.nn.functional._log_sigmoid(torch.zeros(1))  # tensor([-0.6931])",
        form(&LOG_SIGMOID)
    )
    .grads(&[("input", "torch.nn.functional._log_sigmoid_back(grad, input)")]),
    part(
        "nn.functional._log_sigmoid_back(Tensor grad_output, Tensor input) -> Tensor",
        "The way back through `_log_sigmoid`.",
        "torch.nn.functional._log_sigmoid_back(torch.ones(1), torch.zeros(1))  # tensor([0.5000])",
        form(&LOG_SIGMOID_BACK)
    )
    .grads(back!("_log_sigmoid_back(grad, input)", "s = input.sigmoid()\n-grad * grad_output * s * (1 - s)")),
];
