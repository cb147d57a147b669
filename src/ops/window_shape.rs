//! `torch.signal.windows`: windows by their shape, symmetric or one period of a wave.

use super::Form::Code;
use super::{Op, op};

/// The schema of a window: its name, and what it asks for beside the number of weights.
macro_rules! shape {
    ($name:literal, $more:literal) => {
        concat!(
            "signal.windows.",
            $name,
            "(Any M, *",
            $more,
            ", bool sym=True, DType? dtype=None, Layout? layout=None, Device? device=None, bool requires_grad=False) -> Tensor"
        )
    };
}

/// What a window asks of its size and its dtype; one or no weights are ready after it.
macro_rules! asked {
    ($name:literal) => {
        concat!(
            "\
dtype = torch.get_default_dtype() if dtype is None else dtype
if M < 0:
    raise ValueError(f'",
            $name,
            " requires non-negative window length, got M={M}')
if layout not in (None, torch.strided):
    raise ValueError(f'",
            $name,
            " is implemented for strided tensors only, got: {layout}')
if dtype not in (torch.float32, torch.float64):
    raise ValueError(f'",
            $name,
            " expects float32 or float64 dtypes, got: {dtype}')
along = lambda start, end: torch.linspace(start=start, end=end, steps=M, dtype=dtype, layout=torch.strided, device=device, requires_grad=requires_grad)
"
        )
    };
}

/// What every window ends with: `weights` gives them.
macro_rules! given {
    ($few:literal) => {
        concat!("\ntorch.ones(int(M), dtype=dtype, device=device, requires_grad=requires_grad) if M < ", $few, " else weights()")
    };
}

/// A sum of cosines, by the text of its factors.
macro_rules! cosines {
    ($factors:literal) => {
        concat!(
            "torch.signal.windows.general_cosine(M, a=",
            $factors,
            ", sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)"
        )
    };
}

const fn window(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Code(text)).function_only().stepwise().no_out()
}

rows![
    window(
        shape!("bartlett", ""),
        "A triangle.",
        "torch.signal.windows.bartlett(5)  # tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])",
        concat!(
            asked!("bartlett"),
            "weights = lambda: 1 - torch.abs(along(-1, -1 + (M - 1) * (2 / (M - 1 if sym else M))))",
            given!("2")
        )
    ),
    window(
        shape!("blackman", ""),
        "A sum of two cosines.",
        "torch.signal.windows.blackman(3).round(decimals=4)  # tensor([-0., 1., -0.])",
        concat!(asked!("blackman"), cosines!("[0.42, 0.5, 0.08]"))
    ),
    window(
        shape!("cosine", ""),
        "Half a wave of the sine.",
        "torch.signal.windows.cosine(3)  # tensor([0.5000, 1.0000, 0.5000])",
        concat!(
            asked!("cosine"),
            "step = math.pi / max(M + 1 if not sym and M > 1 else M, 1)\nweights = lambda: torch.sin(along(0.5 * step, (0.5 + (M - 1)) * step))",
            given!("1")
        )
    ),
    window(
        shape!("exponential", ", Any center=None, Any tau=1.0"),
        "Decays from its middle to both sides.",
        "torch.signal.windows.exponential(3)  # tensor([0.3679, 1.0000, 0.3679])",
        concat!(
            asked!("exponential"),
            "\
if tau <= 0:
    raise ValueError(f'Tau must be positive, got: {tau} instead.')
if sym and center is not None:
    raise ValueError('Center must be None for symmetric windows')
middle = (M if not sym and M > 1 else M - 1) / 2.0 if center is None else center
step = 1 / tau
weights = lambda: torch.exp(-torch.abs(along(-middle * step, (-middle + (M - 1)) * step)))",
            given!("1")
        )
    ),
    window(
        shape!("gaussian", ", Any std=1.0"),
        "A bell.",
        "torch.signal.windows.gaussian(3)  # tensor([0.6065, 1.0000, 0.6065])",
        concat!(
            asked!("gaussian"),
            "\
if std <= 0:
    raise ValueError(f'Standard deviation must be positive, got: {std} instead.')
start, step = -(M if not sym and M > 1 else M - 1) / 2.0, 1 / (std * math.sqrt(2))
weights = lambda: torch.exp(-(along(start * step, (start + (M - 1)) * step) ** 2))",
            given!("1")
        )
    ),
    window(
        shape!("general_cosine", ", Any a"),
        "A sum of cosines with these factors and changing signs.",
        "torch.signal.windows.general_cosine(3, a=[0.5, 0.5])  # tensor([0., 1., 0.])",
        concat!(
            asked!("general_cosine"),
            "\
def weights():
    if not isinstance(a, (list, tuple, torch.Tensor)):
        raise TypeError('Coefficients must be a list/tuple')
    if len(a) == 0:
        raise ValueError('Coefficients cannot be empty')
    k = along(0, (M - 1) * (2 * math.pi / (M - 1 if sym else M)))
    factors = torch.tensor([(-1) ** i * float(w) for i, w in enumerate(a)], dtype=dtype, device=device)
    i = torch.arange(len(a), dtype=dtype, device=device)
    return (factors.unsqueeze(-1) * torch.cos(i.unsqueeze(-1) * k)).sum(0)",
            given!("2")
        )
    ),
    window(
        shape!("general_hamming", ", Any alpha=0.54"),
        "A raised cosine.",
        "torch.signal.windows.general_hamming(3, alpha=0.5)  # tensor([0., 1., 0.])",
        cosines!("[alpha, 1.0 - alpha]")
    ),
    window(
        shape!("hamming", ""),
        "A cosine that starts from 0.08.",
        "torch.signal.windows.hamming(3)  # tensor([0.0800, 1.0000, 0.0800])",
        cosines!("[0.54, 1.0 - 0.54]")
    ),
    window(
        shape!("hann", ""),
        "A cosine that starts from 0.",
        "torch.signal.windows.hann(3)  # tensor([0., 1., 0.])",
        cosines!("[0.5, 0.5]")
    ),
    window(
        shape!("kaiser", ", Any beta=12.0"),
        "A Bessel function of a half circle.",
        "torch.signal.windows.kaiser(3)  # tensor([5.2773e-05, 1.0000e+00, 5.2773e-05])",
        concat!(
            asked!("kaiser"),
            "\
if beta < 0:
    raise ValueError(f'beta must be non-negative, got: {beta} instead.')
def weights():
    b = torch.tensor(beta, dtype=dtype, device=device)
    k = along(-b, torch.minimum(b, -b + (M - 1) * (2.0 * b / (M - 1 if sym else M))))
    return torch.i0(torch.sqrt(b * b - torch.pow(k, 2))) / torch.i0(b)",
            given!("2")
        )
    ),
    window(
        shape!("nuttall", ""),
        "A sum of three cosines.",
        "torch.signal.windows.nuttall(3).round(decimals=4)  # tensor([4.0000e-04, 1.0000e+00, 4.0000e-04])",
        cosines!("[0.3635819, 0.4891775, 0.1365995, 0.0106411]")
    ),
];
