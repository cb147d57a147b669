//! Windows: weights that let a piece of a signal begin and end softly.

use super::Form::Code;
use super::{Op, op};
use crate::ops::create::options::factory;

/// A window, whose text makes `w` of `n` numbers, where `n` is one more than asked for when the window is periodic.
const fn window(schema: &'static str, doc: &'static str, example: &'static str, text: &'static str) -> Op {
    op(schema, doc, example, Code(text)).function_only().no_grad().no_out()
}

/// What every window begins and ends with; `r` rounds a factor to the dtype of a 16-bit window.
macro_rules! shaped {
    ($name:literal, $text:literal) => {
        concat!(
            "
asked, dtype = dtype, torch.get_default_dtype() if dtype is None else dtype
if layout == torch.sparse_coo or not (dtype.is_floating_point or dtype.is_complex):
    torch._window_refused('",
            $name,
            "', asked, dtype, layout, pin_memory)
if layout in (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc):
    raise RuntimeError('torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size [0]')
if window_length < 0:
    raise RuntimeError('",
            $name,
            " requires non-negative window_length, got window_length=' + str(window_length))
n = window_length + 1 if periodic else window_length
if window_length < 2:
    w = torch.ones(window_length, dtype=dtype, device=device)
else:
    w = torch.arange(n, dtype=dtype, device=device)
    r = (lambda x: torch.tensor(x, dtype=dtype).item()) if dtype.itemsize == 2 else (lambda x: x)
",
            $text,
            "
    w.resize_(window_length)
w.requires_grad_() if requires_grad else w
"
        )
    };
}

/// What PyTorch says of a window that is sparse or has no floats: all that it was asked for.
const REFUSED: &str = "\
names = {'float32': 'float', 'float64': 'double', 'float16': 'c10::Half', 'bfloat16': 'c10::BFloat16', 'int8': 'signed char', 'uint8': 'unsigned char', 'int16': 'short int', 'int32': 'int', 'int64': 'long int', 'uint16': 'short unsigned int', 'uint32': 'unsigned int', 'uint64': 'long unsigned int', 'complex32': 'c10::complex<c10::Half>', 'complex64': 'c10::complex<float>', 'complex128': 'c10::complex<double>'}
told = names.get(str(dtype)[6:], str(dtype)[6:]) + (' (default)' if asked is None and name == 'hann_window' else '')
laid = 'Strided (default)' if layout is None else {'strided': 'Strided', 'sparse_coo': 'Sparse'}.get(str(layout)[6:], 'Sparse' + str(layout)[13:].capitalize())
what = 'is not implemented for sparse types' if layout == torch.sparse_coo else 'expects floating point dtypes'
pinned = 'true' if pin_memory else 'false'
raise RuntimeError(f'{name} {what}, got: TensorOptions(dtype={told}, device=cpu, layout={laid}, requires_grad=false (default), pinned_memory={pinned}, memory_format=(nullopt))')";

const COSINE: &str = shaped!("hamming_window", "    w = w.mul_(r(math.pi * 2 / (n - 1))).cos_().mul_(r(-beta)).add_(r(alpha))");

rows![
    window(
        "_window_refused(Any name, Any asked, Any dtype, Any layout, Any pin_memory) -> Any",
        "Says why there is no such window.",
        "",
        REFUSED,
    ),
    window(
        factory!("bartlett_window(int window_length, bool periodic=True, *"),
        "A triangle.",
        "torch.bartlett_window(5, False)  # tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])",
        shaped!(
            "bartlett_window",
            "    w = w.mul_(r(2 / (n - 1)))\n    rise = ((n - 1) >> 1) + 1\n    w.narrow(0, rise, n - rise).mul_(-1).add_(2)"
        )
    ),
    window(
        factory!("blackman_window(int window_length, bool periodic=True, *"),
        "A sum of two cosines.",
        "torch.blackman_window(4)  # tensor([-2.9802e-08,  3.4000e-01,  1.0000e+00,  3.4000e-01])",
        shaped!(
            "blackman_window",
            "    w = w.mul_(r(math.pi / (n - 1)))\n    w = w.mul(4).cos_().mul_(r(0.08)) - w.mul(2).cos_().mul_(0.5) + r(0.42)"
        )
    ),
    window(
        factory!("hann_window(int window_length, bool periodic=True, *"),
        "A cosine that starts from 0.",
        "torch.hann_window(4)  # tensor([0.0000, 0.5000, 1.0000, 0.5000])",
        shaped!("hann_window", "    w = w.mul_(r(math.pi * 2 / (n - 1))).cos_().mul_(-0.5).add_(0.5)")
    ),
    window(
        factory!("hamming_window(int window_length, *"),
        "A cosine that starts a little above 0: `alpha - beta cos(2πk/n)`.",
        "torch.hamming_window(4)  # tensor([0.0800, 0.5400, 1.0000, 0.5400])",
        "torch.hamming_window(window_length, True, 0.54, 0.46, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)"
    ),
    window(
        factory!("hamming_window(int window_length, bool periodic, *"),
        "",
        "",
        "torch.hamming_window(window_length, periodic, 0.54, 0.46, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)"
    ),
    window(
        factory!("hamming_window(int window_length, bool periodic, float alpha, *"),
        "",
        "",
        "torch.hamming_window(window_length, periodic, alpha, 0.46, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)"
    ),
    window(factory!("hamming_window(int window_length, bool periodic, float alpha, float beta, *"), "", "", COSINE),
    window(
        factory!("kaiser_window(int window_length, *"),
        "A window by the Bessel function `i0`; the larger `beta`, the narrower.",
        "torch.kaiser_window(4)  # tensor([5.2773e-05, 2.1567e-01, 1.0000e+00, 2.1567e-01])",
        "torch.kaiser_window(window_length, True, 12.0, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)"
    ),
    window(
        factory!("kaiser_window(int window_length, bool periodic, *"),
        "",
        "",
        "torch.kaiser_window(window_length, periodic, 12.0, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)"
    ),
    window(
        factory!("kaiser_window(int window_length, bool periodic, float beta, *"),
        "",
        "",
        shaped!(
            "kaiser_window",
            "    middle = (n - 1) / 2\n    w = w.float() if dtype.itemsize == 2 else w\n    x = (w - middle) / middle\n    w = (torch.i0((1 - x * x).sqrt() * beta) / torch.i0(torch.tensor(beta, dtype=w.dtype))).to(dtype)"
        )
    ),
];
