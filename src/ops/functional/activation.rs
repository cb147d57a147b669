//! Activations, and the noise that dropout puts on them.

use super::{builtin, function};
use crate::ops::refusal::{ALL, BOOL, COMPLEX, kernel, missing};

/// A text that gives `y`, written into the input when `inplace` is true.
macro_rules! activation {
    ($text:expr) => {
        concat!("x = input\ny = ", $text, "\ninput.copy_(y) if inplace else y")
    };
}

/// As [`activation!`], with a result that is made like the input before it is computed.
macro_rules! made_like {
    ($text:expr) => {
        activation!(concat!($text, "\ny = y if inplace or y.stride() == x.stride() else torch.empty_like(x).copy_(y)"))
    };
}

/// As [`activation!`], with 16-bit floats in float32 until the end.
macro_rules! rounded_once {
    ($text:expr) => {
        concat!(
            "x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input\ny = (",
            $text,
            ").to(input.dtype)\ninput.copy_(y) if inplace else y"
        )
    };
}

/// As [`activation!`], for floats alone; others are refused in the kernel's name.
macro_rules! floating {
    ($kernel:literal, $text:expr) => {
        concat!(only_floats!($kernel), rounded_once!($text))
    };
}

/// Refuses a number with an imaginary part where a kernel takes one of a type named by a text.
macro_rules! real {
    ($number:literal, $type:literal) => {
        concat!(
            "if isinstance(",
            $number,
            ", complex) and ",
            $number,
            ".imag:\n    raise RuntimeError('value cannot be converted to type ' + (",
            $type,
            ") + ' without overflow')\n"
        )
    };
}

/// Refuses a number that is not infinite and that float32 does not hold, for all but float64.
macro_rules! fits {
    ($number:literal) => {
        concat!(
            "if input.dtype != torch.float64 and 3.4028234663852886e+38 < abs(",
            $number,
            ") < math.inf:\n    raise RuntimeError('value cannot be converted to type float without overflow')\n"
        )
    };
}

/// A row for `f_`, which is `f` with `inplace`.
macro_rules! written {
    ($name:literal, $parameters:literal, $arguments:literal) => {
        function(
            concat!("nn.functional.", $name, "_(Tensor(a!) input", $parameters, ") -> Tensor(a!)"),
            concat!("As `", $name, "`, into the input."),
            "",
            concat!("torch.nn.functional.", $name, "(input", $arguments, ", inplace=True)"),
        )
        .stepwise()
    };
}

/// A dropout of `torch` itself, with the mistakes that Python's side names first.
macro_rules! dropped {
    ($check:literal, $name:literal) => {
        concat!(
            "if p < 0.0 or p > 1.0:\n    raise ValueError(f'dropout probability has to be between 0 and 1, but got {p}')\n",
            $check,
            "torch.",
            $name,
            "_(input, p, training) if inplace else torch.",
            $name,
            "(input, p, training)"
        )
    };
}

/// A dropout of whole channels; what has fewer dimensions than a batch is one of one image meanwhile.
macro_rules! dropped_alone {
    ($check:literal, $dims:literal) => {
        concat!(
            "if p < 0.0 or p > 1.0:\n    raise ValueError(f'dropout probability has to be between 0 and 1, but got {p}')\n",
            $check,
            "alone = input.dim() != ",
            $dims,
            "\nif inplace:\n    x = input.unsqueeze_(0) if alone else input\n    y = torch.feature_dropout_(x, p, training)\n    y = y.squeeze_(0) if alone else y\n",
            "else:\n    y = torch.feature_dropout(input.unsqueeze(0) if alone else input, p, training)\n    y = y.squeeze(0) if alone else y\ny"
        )
    };
}

/// The gradient of `logsigmoid`; of numbers of 16 bits only the exponential is rounded on the way.
const LOG_SIGMOID: &str = "if grad.dtype in (torch.float16, torch.bfloat16):
    z, low = (-input.abs()).exp().float(), input < 0
    slope = grad.float() * (low.float() - torch.where(low, 1., -1.) * (z / (1 + z)))
else:
    slope = torch.nn.functional._log_sigmoid_back(grad, input)
slope";

/// The gradient of `glu`; of numbers of 16 bits only the sigmoid is rounded on the way.
const GLU: &str = "wide = lambda t: t.float() if t.dtype in (torch.float16, torch.bfloat16) else t
a, b = input.chunk(2, dim)
s = wide(b.sigmoid())
torch.cat([wide(grad) * s, (1 - s) * s * wide(a) * wide(grad)], dim)";

rows![
    function(
        "nn.functional.elu(Tensor input, Scalar alpha=1.0, Any inplace=False) -> Tensor",
        "x above 0, `alpha (exp(x) - 1)` below.",
        "torch.nn.functional.elu(torch.tensor([-1., 1.]))  # tensor([-0.6321,  1.0000])",
        concat!(
            real!("alpha", "'double' if input.dtype == torch.float64 else 'float'"),
            fits!("alpha"),
            floating!("elu_cpu", "torch.nn.functional._elu(x, alpha, 1)")
        )
    )
        .grads(&[("input", "torch.nn.functional._elu_back(grad, input, alpha, 1)")]),
    function(
        "nn.functional.elu_(Tensor(a!) input, Scalar alpha=1.0, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)",
        "As `elu`, into the input, with factors for what comes out and for what goes in below 0.",
        "torch.nn.functional.elu_(torch.tensor([1., 2.]), scale=2)  # tensor([2., 4.])",
        "y = torch.nn.functional.elu(input, alpha, scale == 1 and input_scale == 1)\ny if y is input else input.copy_(torch.where(input < 0, (input * input_scale).expm1() * (alpha * scale), input * scale))"
    )
    .stepwise(),
    function(
        "nn.functional.celu(Tensor input, Scalar alpha=1.0, Any inplace=False) -> Tensor",
        "x above 0, `alpha (exp(x / alpha) - 1)` below.",
        "torch.nn.functional.celu(torch.tensor([-1., 1.]), 2.)  # tensor([-0.7869,  1.0000])",
        concat!(
            "if alpha == 0:\n    raise RuntimeError('ZeroDivisionError: alpha cannot be 0 for CELU')\n",
            real!("alpha", "'double'"),
            fits!("alpha"),
            fits!("(1 / alpha)"),
            floating!("elu_cpu", "torch.nn.functional._celu(x, alpha, 1 / alpha)")
        )
    )
    .grads(&[("input", "torch.nn.functional._celu_back(grad, input, alpha, 1 / torch.tensor(alpha, dtype=torch.float32).item())")]),
    written!("celu", ", Scalar alpha=1.0", ", alpha"),
    function(
        "nn.functional.selu(Tensor input, Any inplace=False) -> Tensor",
        "`elu` with the factors that keep mean and variance.",
        "torch.nn.functional.selu(torch.tensor([-1., 1.]))  # tensor([-1.1113,  1.0507])",
        floating!(
            "elu_cpu",
            "torch.nn.functional._elu(x, 1.6732632423543772848170429916717 * 1.0507009873554804934193349852946, 1.0507009873554804934193349852946)"
        )
    )
    .grads(&[("input", "torch.nn.functional._elu_back(grad, input, 1.6732632423543772848170429916717 * 1.0507009873554804934193349852946, 1.0507009873554804934193349852946)")]),
    written!("selu", "", ""),
    function(
        "nn.functional.relu(Tensor input, Any inplace) -> Tensor",
        "Negative elements become 0, in the input itself when `inplace` is true.",
        "",
        "input.relu_() if inplace else input.relu()"
    )
        .grads(&[("input", "torch.where(result <= 0, 0., grad)")]).piecewise(),
    function(
        "nn.functional.relu_(Tensor(a!) input) -> Tensor(a!)",
        "As `relu`, into the input.",
        "torch.nn.functional.relu_(torch.tensor([-1., 2.]))  # tensor([0., 2.])",
        "input.relu_()"
    )
    .stepwise(),
    function(
        "nn.functional.relu6(Tensor input, Any inplace=False) -> Tensor",
        "Clamps into [0, 6].",
        "torch.nn.functional.relu6(torch.tensor([-1., 3., 9.]))  # tensor([0., 3., 6.])",
        made_like!("x.clamp(0, 6)")
    ).refuses(&[missing(BOOL, "Bool inputs not supported for hardtanh")])
        .grads(&[("input", "torch.where((input <= 0) | (input >= 6), 0., grad)")]).piecewise(),
    written!("leaky_relu", ", Scalar negative_slope=0.01", ", negative_slope"),
    function(
        "nn.functional.rrelu(Tensor input, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Any inplace=False) -> Tensor",
        "`leaky_relu` with a slope drawn for each element in training, and the middle of the range otherwise.",
        "torch.nn.functional.rrelu(torch.tensor([-1., 1.]))  # tensor([-0.2292,  1.0000])",
        "y = torch.rrelu(input, lower, upper, training)\ninput.copy_(y) if inplace else y"
    ),
    function(
        "nn.functional.rrelu_(Tensor(a!) input, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor(a!)",
        "As `rrelu`, into the input.",
        "",
        "torch.rrelu_(input, lower, upper, training, generator)"
    )
    .stepwise(),
    function(
        "nn.functional.prelu(Tensor input, Tensor weight) -> Tensor",
        "`leaky_relu` with a slope per channel, the second dimension.",
        "torch.nn.functional.prelu(torch.tensor([-1., 1.]), torch.tensor([0.5]))  # tensor([-0.5000,  1.0000])",
        "if weight.dtype != input.dtype:
    raise RuntimeError(f'prelu: Type promoting not supported. Got {input.type().split(\".\")[1][:-6]} and {weight.type().split(\".\")[1][:-6]}')
if weight.numel() != 1:
    if input.dim() == 0:
        raise RuntimeError('Not allow zero-dim input tensor.')
    channels = input.size(1) if input.dim() > 1 else 1
    if weight.numel() != channels:
        raise RuntimeError(f'Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.numel()} and channel size = {channels}.')
if weight.dim() > 1:
    raise RuntimeError(f'prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}')
if not input.is_floating_point():
    raise NotImplementedError(f'\"prelu_cpu\" not implemented for \\'{input.type()[6:-6]}\\'')
w = weight.view([]) if weight.numel() == 1 else weight.view([-1 if d == 1 else 1 for d in range(input.dim())])
torch.nn.functional._prelu(input, w)"
    )
        .grads(&[
            ("input", "torch.where(input > 0, grad, grad * (weight.reshape([-1 if k == 1 else 1 for k in range(input.ndim)]) if weight.numel() > 1 else weight))"),
            ("weight", "part = torch.where(input > 0, 0., grad * input)\npart.sum([k for k in range(part.ndim) if k != 1]) if weight.numel() > 1 else part.sum().reshape(weight.shape)"),
        ])
    .piecewise(),
    function(
        "nn.functional.hardtanh(Tensor input, Any min_val=-1.0, Any max_val=1.0, Any inplace=False) -> Tensor",
        "Clamps into a range.",
        "torch.nn.functional.hardtanh(torch.tensor([-2., 0.5]))  # tensor([-1.0000,  0.5000])",
        concat!(
            "if min_val > max_val:\n    raise ValueError('min_val cannot be greater than max_val')\n",
            "takes = '(Tensor input, Scalar min_val, Scalar max_val)'\n",
            "input, min_val, max_val = torch.nn.functional._bound('hardtanh', takes, [input, min_val, max_val])\n",
            made_like!("x.clamp(min_val, max_val) if x.is_floating_point() else x.clamp(int(min_val), int(max_val))")
        )
    )
    .refuses(&[missing(BOOL, "Bool inputs not supported for hardtanh")])
        .grads(&[("input", "torch.where((input <= min_val) | (input >= max_val), 0., grad)")]).piecewise(),
    function(
        "nn.functional.hardtanh_(Tensor(a!) input, Scalar min_val=-1.0, Scalar max_val=1.0) -> Tensor(a!)",
        "As `hardtanh`, into the input; of bounds in the wrong order the upper one counts.",
        "torch.nn.functional.hardtanh_(torch.tensor([-2., 0.5]))  # tensor([-1.0000,  0.5000])",
        "torch.nn.functional.hardtanh(input, min(min_val, max_val), max_val, inplace=True)"
    )
    .refuses(&[missing(BOOL, "Bool inputs not supported for hardtanh")])
    .stepwise(),
    written!("threshold", ", Scalar threshold, Scalar value", ", threshold, value"),
    function(
        "nn.functional.tanhshrink(Tensor input) -> Tensor",
        "x less its hyperbolic tangent.",
        "torch.nn.functional.tanhshrink(torch.tensor([1.]))  # tensor([0.2384])",
        "input - input.tanh()"
    ),
    function(
        "nn.functional.softsign(Tensor input) -> Tensor",
        "x / (1 + |x|).",
        "torch.nn.functional.softsign(torch.tensor([1., -3.]))  # tensor([ 0.5000, -0.7500])",
        "input / (input.abs() + 1)"
    ),
    builtin(
        "nn.functional.softplus(Tensor input, Scalar beta=1, Scalar threshold=20) -> Tensor",
        "log(1 + exp(beta x)) / beta, and x itself above the threshold.",
        "torch.nn.functional.softplus(torch.tensor([0., 30.]))  # tensor([ 0.6931, 30.0000])",
        concat!(
            real!("beta", "'double' if input.dtype == torch.float64 else 'float'"),
            real!("threshold", "'double' if input.dtype == torch.float64 else 'float'"),
            "beta, threshold = [v.real if isinstance(v, complex) else v for v in (beta, threshold)]
for v in (beta, threshold):
    if input.dtype != torch.float64 and 3.4028234663852886e+38 < abs(v) < math.inf:
        raise RuntimeError('value cannot be converted to type float without overflow')
x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
torch.nn.functional._softplus(x, beta, threshold).to(input.dtype)"
        )
    ).refuses(&[kernel(ALL, "softplus_cpu")])
        .grads(&[("input", "torch.nn.functional._softplus_back(grad, input, beta, threshold)")]),
    function(
        "nn.functional.silu(Tensor input, Any inplace=False) -> Tensor",
        "x times its `sigmoid`.",
        "torch.nn.functional.silu(torch.tensor([1., -1.]))  # tensor([ 0.7311, -0.2689])",
        rounded_once!("x / ((-x).exp() + 1) if x.is_complex() else torch.nn.functional._silu(x)")
    ).refuses(&[kernel(ALL - COMPLEX, "silu_cpu")])
        .grads(&[("input", "torch.nn.functional._silu_back(grad, input)")]),
    function(
        "nn.functional.mish(Tensor input, Any inplace=False) -> Tensor",
        "x tanh(softplus(x)).",
        "torch.nn.functional.mish(torch.tensor([1., -1.]))  # tensor([ 0.8651, -0.3034])",
        rounded_once!("torch.nn.functional._mish(x)")
    ).refuses(&[kernel(ALL, "mish_cpu")])
        .grads(&[("input", "torch.nn.functional._mish_back(grad, input)")]),
    builtin(
        "nn.functional.gelu(Tensor input, *, str approximate=\"none\") -> Tensor",
        "x times the area under the normal density left of x.",
        "torch.nn.functional.gelu(torch.tensor([1., -1.]))  # tensor([ 0.8413, -0.1587])",
        "if approximate not in ('none', 'tanh'):
    raise RuntimeError('approximate argument must be either none or tanh.')
if not input.is_floating_point():
    raise NotImplementedError(f'\"GeluKernelImpl\" not implemented for \\'{input.type()[6:-6]}\\'')
x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
if approximate == 'none':
    # Rows of float32 and bfloat16 are another library's.
    in_a_row = input.dtype in (torch.float32, torch.bfloat16) and input.numel() > 1 and input.is_contiguous()
    y = torch.nn.functional._fitted_gelu(x) if in_a_row else torch.nn.functional._gelu(x)
else:
    y = torch.nn.functional._gelu_tanh(x)
y.to(input.dtype)"
    )
        .grads(&[("input", "torch.nn.functional._gelu_tanh_back(grad, input) if approximate == 'tanh' else grad * torch.nn.functional._gelu_slope(input)")]),
    builtin(
        "nn.functional.logsigmoid(Tensor input) -> Tensor",
        "The logarithm of the `sigmoid`.",
        "torch.nn.functional.logsigmoid(torch.tensor([0., -50.]))  # tensor([ -0.6931, -50.0000])",
        "x = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
torch.nn.functional._log_sigmoid(x).to(input.dtype).contiguous()"
    ).refuses(&[kernel(ALL, "log_sigmoid_cpu")])
        .grads(&[("input", LOG_SIGMOID)]),
    function(
        "nn.functional.glu(Tensor input, int dim=-1) -> Tensor",
        "The first half times the `sigmoid` of the second.",
        "torch.nn.functional.glu(torch.tensor([1., 2., 0., 0.]))  # tensor([0.5000, 1.0000])",
        "if input.dim() == 0:
    raise RuntimeError('glu does not support scalars because halving size must be even')
if input.size(dim) % 2:
    raise RuntimeError(f'Halving dimension must be even, but dimension {dim % input.dim()} is size {input.size(dim)}')
a, b = (input.float() if input.dtype in (torch.float16, torch.bfloat16) else input).chunk(2, dim)
(a * b.sigmoid()).to(input.dtype)"
    ).refuses(&[kernel(ALL, "glu_cpu")]).usually(crate::ops::composed::glu)
        .grads(&[("input", GLU)]),
    function(
        "nn.functional.softmax(Tensor input, int? dim=None, Any _stacklevel=3, DType? dtype=None) -> Tensor",
        "`torch.softmax`; the dimension may be left out.",
        "torch.nn.functional.softmax(torch.tensor([0., 0.]), dim=0)  # tensor([0.5000, 0.5000])",
        "if dim is None:\n    range(_stacklevel)\ntorch.softmax(input, (0 if input.dim() in (0, 1, 3) else 1) if dim is None else dim, dtype=dtype)"
    )
        .grads(&[("input", "d = dim if dim is not None else (0 if input.ndim in (0, 1, 3) else 1)\ntorch._softmax_backward_data(grad, result, d, input.dtype)")]),
    function(
        "nn.functional.softmin(Tensor input, int? dim=None, Any _stacklevel=3, DType? dtype=None) -> Tensor",
        "`softmax` of the negative.",
        "torch.nn.functional.softmin(torch.tensor([0., 0.]), dim=0)  # tensor([0.5000, 0.5000])",
        "if dim is None:\n    range(_stacklevel)\ntorch.softmax(-input, (0 if input.dim() in (0, 1, 3) else 1) if dim is None else dim, dtype=dtype)"
    ),
    function(
        "nn.functional.log_softmax(Tensor input, int? dim=None, Any _stacklevel=3, DType? dtype=None) -> Tensor",
        "`torch.log_softmax`; the dimension may be left out.",
        "torch.nn.functional.log_softmax(torch.tensor([0., 0.]), dim=0)  # tensor([-0.6931, -0.6931])",
        "if dim is None:\n    range(_stacklevel)\ntorch.log_softmax(input, (0 if input.dim() in (0, 1, 3) else 1) if dim is None else dim, dtype=dtype)"
    )
        .grads(&[("input", "d = dim if dim is not None else (0 if input.ndim in (0, 1, 3) else 1)\ntorch._log_softmax_backward_data(grad, result, d, input.dtype)")]),
    function(
        "nn.functional.gumbel_softmax(Any logits, Any tau=1, Any hard=False, Any eps=1e-10, Any dim=-1) -> Tensor",
        "A random choice, softened by the temperature `tau`.",
        "torch.nn.functional.gumbel_softmax(torch.zeros(3), hard=True).sum()  # tensor(1.)",
        "if eps != 1e-10:
    torch._warn('`eps` parameter is deprecated and has no effect.')
soft = ((logits - torch.empty_like(logits, memory_format=torch.contiguous_format).exponential_().log()) / tau).softmax(dim)
(torch.zeros_like(logits, memory_format=torch.contiguous_format).scatter_(dim, soft.max(dim, keepdim=True)[1], 1.0) - soft + soft) if hard else soft"
    ),
    function(
        "nn.functional.dropout(Any input, Any p=0.5, Any training=True, Any inplace=False) -> Tensor",
        "In training, zeroes elements with probability `p` and scales up the others.",
        "torch.nn.functional.dropout(torch.ones(2), training=False)  # tensor([1., 1.])",
        dropped!("", "dropout")
    )
    .stepwise()
    .writes_leaves(),
    function(
        "nn.functional.dropout1d(Any input, Any p=0.5, Any training=True, Any inplace=False) -> Tensor",
        "As `dropout`, whole channels at once.",
        "torch.nn.functional.dropout1d(torch.ones(1, 1, 2), training=False)  # tensor([[[1., 1.]]])",
        dropped_alone!(
            "if input.dim() not in (2, 3):\n    raise RuntimeError(f'dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs).')\n",
            "3"
        )
    )
    .stepwise()
    .writes_leaves(),
    function(
        "nn.functional.dropout2d(Any input, Any p=0.5, Any training=True, Any inplace=False) -> Tensor",
        "As `dropout`, whole channels at once.",
        "torch.nn.functional.dropout2d(torch.ones(1, 1, 1, 2), training=False)  # tensor([[[[1., 1.]]]])",
        dropped!("input.dim()\n", "feature_dropout")
    )
    .stepwise()
    .writes_leaves(),
    function(
        "nn.functional.dropout3d(Any input, Any p=0.5, Any training=True, Any inplace=False) -> Tensor",
        "As `dropout`, whole channels at once.",
        "torch.nn.functional.dropout3d(torch.ones(1, 1, 1, 1, 2), training=False).shape  # torch.Size([1, 1, 1, 1, 2])",
        dropped_alone!("", "5")
    )
    .stepwise()
    .writes_leaves(),
    function(
        "nn.functional.alpha_dropout(Any input, Any p=0.5, Any training=False, Any inplace=False) -> Tensor",
        "A dropout for `selu`, which keeps mean and variance.",
        "torch.nn.functional.alpha_dropout(torch.ones(2))  # tensor([1., 1.])",
        dropped!("", "alpha_dropout")
    )
    .stepwise()
    .writes_leaves(),
    function(
        "nn.functional.feature_alpha_dropout(Any input, Any p=0.5, Any training=False, Any inplace=False) -> Tensor",
        "As `alpha_dropout`, whole channels at once.",
        "torch.nn.functional.feature_alpha_dropout(torch.ones(1, 2))  # tensor([[1., 1.]])",
        dropped!("", "feature_alpha_dropout")
    )
    .stepwise()
    .writes_leaves(),
];
