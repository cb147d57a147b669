//! `torch.nn.init`: first values of a network's weights, as text of the language.

use crate::ops::Form::Code;
use crate::ops::{Op, op};

/// A function of `torch.nn.init`.
const fn init(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Code(text)).function_only().no_out()
}

/// A text that sets `std`, then the bound of even numbers of that spread, and ends by filling.
macro_rules! evenly {
    ($std:expr) => {
        concat!($std, "\nbound = math.sqrt(3.0) * std\nwith torch.no_grad():\n    tensor.uniform_(-bound, bound, generator=generator)\ntensor")
    };
}

/// A text that sets `std` and ends by filling with normally distributed numbers.
macro_rules! normally {
    ($std:expr) => {
        concat!($std, "\nwith torch.no_grad():\n    tensor.normal_(0.0, std, generator=generator)\ntensor")
    };
}

/// Glorot's spread.
macro_rules! xavier {
    () => {
        "std = gain * math.sqrt(2.0 / float(sum(torch.nn.init._calculate_fan_in_and_fan_out(tensor))))"
    };
}

/// He's spread, and nothing to do for a tensor without elements.
macro_rules! kaiming {
    () => {
        "std = 1.0
if 0 not in tensor.shape:
    fan = torch.nn.init._calculate_correct_fan(tensor, mode)
    std = torch.nn.init.calculate_gain(nonlinearity, a) / math.sqrt(fan)"
    };
}

rows![
    init("nn.init.uniform_(Any tensor, Any a=0.0, Any b=1.0, Any generator=None) -> Tensor", "Fills with numbers between `a` and `b`, all equally likely.",
        "g = torch.manual_seed(0)\ntorch.nn.init.uniform_(torch.empty(2))  # tensor([0.4963, 0.7682])",
        "with torch.no_grad():\n    tensor.uniform_(a, b, generator=generator)\ntensor").alias(&["nn.init.uniform"]),
    init("nn.init.normal_(Any tensor, Any mean=0.0, Any std=1.0, Any generator=None) -> Tensor", "Fills with normally distributed numbers.",
        "g = torch.manual_seed(0)\ntorch.nn.init.normal_(torch.empty(2))  # tensor([ 1.5410, -0.2934])",
        "with torch.no_grad():\n    tensor.normal_(mean, std, generator=generator)\ntensor").alias(&["nn.init.normal"]),
    init("nn.init.trunc_normal_(Any tensor, Any mean=0.0, Any std=1.0, Any a=-2.0, Any b=2.0, Any generator=None) -> Tensor",
        "Fills with normally distributed numbers between `a` and `b`: what falls outside is drawn again.",
        "g = torch.manual_seed(0)\ntorch.nn.init.trunc_normal_(torch.empty(2), a=-1, b=1)  # tensor([ 0.4033, -0.2934])", TRUNCATED),
    init("nn.init.constant_(Any tensor, Any val) -> Tensor", "Fills with one number.",
        "torch.nn.init.constant_(torch.empty(2), 0.3)  # tensor([0.3000, 0.3000])",
        "with torch.no_grad():\n    tensor.fill_(val)\ntensor").alias(&["nn.init.constant"]),
    init("nn.init.ones_(Any tensor) -> Tensor", "Fills with ones.", "torch.nn.init.ones_(torch.empty(2))  # tensor([1., 1.])",
        "with torch.no_grad():\n    tensor.fill_(1.0)\ntensor"),
    init("nn.init.zeros_(Any tensor) -> Tensor", "Fills with zeros.", "torch.nn.init.zeros_(torch.empty(2))  # tensor([0., 0.])",
        "with torch.no_grad():\n    tensor.zero_()\ntensor"),
    init("nn.init.eye_(Any tensor) -> Tensor", "Writes the identity matrix.",
        "torch.nn.init.eye_(torch.empty(2, 2))\n# tensor([[1., 0.],\n#         [0., 1.]])",
        "if tensor.ndimension() != 2:
    raise ValueError('Only tensors with 2 dimensions are supported')
with torch.no_grad():
    tensor.copy_(torch.eye(*tensor.shape))
tensor").alias(&["nn.init.eye"]),
    init("nn.init.dirac_(Any tensor, Any groups=1) -> Tensor", "Writes the weights of a convolution that changes nothing.",
        "torch.nn.init.dirac_(torch.empty(1, 1, 3))  # tensor([[[0., 1., 0.]]])",
        "if tensor.ndimension() not in (3, 4, 5):
    raise ValueError('Only tensors with 3, 4, or 5 dimensions are supported')
out, channels, *rest = tensor.shape
if out % groups != 0:
    raise ValueError('dim 0 must be divisible by groups')
middle = tuple(n // 2 for n in rest)
with torch.no_grad():
    tensor.zero_()
    for group in range(groups):
        for c in range(min(out // groups, channels)):
            tensor[(group * (out // groups) + c, c) + middle] = 1
tensor").alias(&["nn.init.dirac"]),
    init("nn.init._calculate_fan_in_and_fan_out(Any tensor) -> Any", "How many inputs an output sees, and how many outputs an input reaches.",
        "torch.nn.init._calculate_fan_in_and_fan_out(torch.empty(2, 3))  # (3, 2)",
        "if tensor.dim() < 2:
    raise ValueError('Fan in and fan out can not be computed for tensor with fewer than 2 dimensions')
field = math.prod(tensor.shape[2:])
(tensor.size(1) * field, tensor.size(0) * field)"),
    init("nn.init._calculate_correct_fan(Any tensor, Any mode) -> Any", "The fan that a mode names.",
        "torch.nn.init._calculate_correct_fan(torch.empty(2, 3), 'fan_out')  # 2",
        "if mode.lower() not in ('fan_in', 'fan_out'):
    raise ValueError(f\"Mode {mode.lower()} not supported, please use one of ['fan_in', 'fan_out']\")
torch.nn.init._calculate_fan_in_and_fan_out(tensor)[mode.lower() == 'fan_out']"),
    init("nn.init.calculate_gain(Any nonlinearity, Any param=None) -> Any", "By how much a function that follows narrows what it is given.",
        "torch.nn.init.calculate_gain('relu')  # 1.4142135623730951",
        "if nonlinearity in ('linear', 'sigmoid', 'conv1d', 'conv2d', 'conv3d', 'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d'):
    gain = 1
elif nonlinearity == 'leaky_relu':
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ValueError(f'negative_slope {param} not a valid number')
    gain = math.sqrt(2.0 / (1 + slope ** 2))
else:
    gain = {'tanh': 5.0 / 3, 'relu': math.sqrt(2.0), 'selu': 0.75}.get(nonlinearity)
    if gain is None:
        raise ValueError(f'Unsupported nonlinearity {nonlinearity}')
gain"),
    init("nn.init.xavier_uniform_(Any tensor, Any gain=1.0, Any generator=None) -> Tensor", "Glorot's even numbers, whose spread follows from both fans.",
        "g = torch.manual_seed(0)\ntorch.nn.init.xavier_uniform_(torch.empty(1, 2))  # tensor([[-0.0106,  0.7586]])", evenly!(xavier!())).alias(&["nn.init.xavier_uniform"]),
    init("nn.init.xavier_normal_(Any tensor, Any gain=1.0, Any generator=None) -> Tensor", "Glorot's normally distributed numbers.",
        "g = torch.manual_seed(0)\ntorch.nn.init.xavier_normal_(torch.empty(1, 2))  # tensor([[ 1.2582, -0.2396]])", normally!(xavier!())).alias(&["nn.init.xavier_normal"]),
    init("nn.init.kaiming_uniform_(Any tensor, Any a=0, Any mode=\"fan_in\", Any nonlinearity=\"leaky_relu\", Any generator=None) -> Tensor",
        "He's even numbers, whose spread follows from one fan and the function behind.",
        "g = torch.manual_seed(0)\ntorch.nn.init.kaiming_uniform_(torch.empty(1, 2))  # tensor([[-0.0130,  0.9291]])", evenly!(kaiming!())).alias(&["nn.init.kaiming_uniform"]),
    init("nn.init.kaiming_normal_(Any tensor, Any a=0, Any mode=\"fan_in\", Any nonlinearity=\"leaky_relu\", Any generator=None) -> Tensor",
        "He's normally distributed numbers.",
        "g = torch.manual_seed(0)\ntorch.nn.init.kaiming_normal_(torch.empty(1, 2))  # tensor([[ 1.5410, -0.2934]])", normally!(kaiming!())).alias(&["nn.init.kaiming_normal"]),
    init("nn.init.orthogonal_(Any tensor, Any gain=1, Any generator=None) -> Tensor", "Writes a matrix whose rows or columns stand upright on each other.",
        "g = torch.manual_seed(0)\ntorch.nn.init.orthogonal_(torch.empty(1, 2)).norm()  # tensor(1.)",
        "if tensor.ndimension() < 2:
    raise ValueError('Only tensors with 2 or more dimensions are supported')
if tensor.numel() > 0:
    rows = tensor.size(0)
    drawn = tensor.new_empty((rows, tensor.numel() // rows)).normal_(0, 1, generator=generator)
    wide = rows < drawn.size(1)
    q, r = torch.linalg.qr(drawn.t() if wide else drawn)
    q = q * torch.diag(r).sign()
    with torch.no_grad():
        tensor.copy_((q.t() if wide else q).reshape(tensor.shape))
        tensor.mul_(gain)
tensor").alias(&["nn.init.orthogonal"]),
    init("nn.init.sparse_(Any tensor, Any sparsity, Any std=0.01, Any generator=None) -> Tensor", "Normally distributed numbers, with a share of every column set to zero.",
        "g = torch.manual_seed(0)\ntorch.nn.init.sparse_(torch.empty(2, 2), 0.5).count_nonzero()  # tensor(2)",
        "if tensor.ndimension() != 2:
    raise ValueError('Only tensors with 2 dimensions are supported')
rows, columns = tensor.shape
with torch.no_grad():
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        tensor[torch.randperm(rows)[:math.ceil(sparsity * rows)], column] = 0
tensor").alias(&["nn.init.sparse"]),
];

/// Draws as PyTorch does: from the bell where most of it lies between the bounds, else evenly, keeping a number with the
/// probability of its height.
const TRUNCATED: &str = "
def below(x):
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0
tensor.is_meta
with torch.no_grad():
    if below((b - mean) / std) - below((a - mean) / std) > 0.3:
        least, most = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
        drawn = tensor.normal_(mean, std, generator=generator).clone()
        outside = (drawn < least) | (drawn > most)
        while outside.any():
            drawn = torch.where(outside, torch.empty_like(drawn).normal_(mean, std, generator=generator), drawn)
            outside = (drawn < least) | (drawn > most)
    else:
        peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
        drawn = tensor.uniform_(a, b, generator=generator).clone()
        height = drawn.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        chance = torch.empty_like(drawn)
        refused = chance.uniform_(generator=generator).log_().gt(height)
        while refused.any():
            fresh = torch.empty_like(drawn).uniform_(a, b, generator=generator)
            drawn = torch.where(refused, fresh, drawn)
            height = fresh.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
            refused = torch.where(refused, chance.uniform_(generator=generator).log_().gt(height), refused)
    tensor.copy_(drawn)
tensor";
