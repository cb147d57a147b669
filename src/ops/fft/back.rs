//! The gradients of Fourier transforms: a transform goes back by the one of the other direction, scaled as its result was not.

use crate::ops::Gradients;
use crate::ops::autograd::texts;

/// What begins every rule: the scale that is left to the way back, and how a result is brought to the size of the argument.
macro_rules! begin {
    ($dims:literal) => {
        concat!(
            "other = {None: 'forward', 'backward': 'forward', 'forward': 'backward'}.get(norm, norm)
dims = ",
            $dims,
            "
def fit(found):
    for d in dims:
        size, own = self.shape[d], found.shape[d]
        if own > size:
            found = found.narrow(d, 0, size)
        elif own < size:
            rest = list(found.shape)
            rest[d] = size - own
            found = torch.cat([found, found.new_zeros(rest)], d)
    return found
"
        )
    };
}

/// Of complex numbers along one dimension.
macro_rules! one {
    ($back:literal) => {
        concat!(begin!("[dim]"), "fit(torch.fft.", $back, "(grad, dim=dim, norm=other))")
    };
}

/// Of complex numbers along several dimensions.
macro_rules! many {
    ($back:literal) => {
        concat!(
            begin!("list(range(self.ndim))[-len(s) if s is not None else 0:] if dim is None else list(dim)"),
            "fit(torch.fft.",
            $back,
            "(grad, dim=dims, norm=other))"
        )
    };
}

/// Of a half whose numbers but the ends stand for two.
macro_rules! half {
    () => {
        "found = torch.fft.rfft(grad, dim=dim, norm=other)
twice = torch.full((found.shape[dim],), 2., dtype=grad.dtype)
twice[0] = 1
if grad.shape[dim] % 2 == 0:
    twice[-1] = 1
fit((found.movedim(dim, -1) * twice).movedim(-1, dim))"
    };
}

/// By steps along several dimensions `dims`, of sizes `sizes`.
macro_rules! several {
    ($steps:literal) => {
        texts::again!(
            "self",
            $steps,
            "dims = list(range(self.ndim))[-len(s) if s is not None else 0:] if dim is None else list(dim)
sizes = [None] * len(dims) if s is None else list(s)
swapped = {None: 'forward', 'backward': 'forward', 'forward': 'backward'}.get(norm, norm)
outer = dict(s=None if s is None else sizes[:-1], dim=dims[:-1])
last = lambda f, t, n: f(t, sizes[-1], dims[-1], n)
many = lambda f, t, n: f(t, norm=n, **outer) if dims[1:] else t
"
        )
    };
}

/// By another transform in the other direction, of the conjugates.
macro_rules! mirrored {
    ($steps:literal) => {
        texts::again!(
            "self",
            $steps,
            "swapped = {None: 'forward', 'backward': 'forward', 'forward': 'backward'}.get(norm, norm)\n"
        )
    };
}

/// Of `fft`.
pub(super) const FFT: Gradients = &[("self", one!("ifft"))];
/// Of `ifft`.
pub(super) const IFFT: Gradients = &[("self", one!("fft"))];
/// Of `fftn` and `fft2`.
pub(super) const FFTN: Gradients = &[("self", many!("ifftn"))];
/// Of `ifftn` and `ifft2`.
pub(super) const IFFTN: Gradients = &[("self", many!("fftn"))];
/// Of `rfft`.
pub(super) const RFFT: Gradients =
    &[("self", concat!(begin!("[dim]"), "fit(torch.fft.ifft(grad, self.shape[dim] if n is None else n, dim, other).real)"))];
/// Of `irfft`.
pub(super) const IRFFT: Gradients = &[("self", concat!(begin!("[dim]"), half!()))];
/// Of `hfft`.
pub(super) const HFFT: Gradients = &[("self", mirrored!("torch.fft.irfft(self.conj(), n, dim, swapped)"))];
/// Of `ihfft`.
pub(super) const IHFFT: Gradients = &[("self", mirrored!("torch.fft.rfft(self, n, dim, swapped).conj()"))];
/// Of `rfftn` and `rfft2`.
pub(super) const RFFTN: Gradients = &[("self", several!("many(torch.fft.fftn, last(torch.fft.rfft, self, norm), norm)"))];
/// Of `irfftn` and `irfft2`.
pub(super) const IRFFTN: Gradients = &[("self", several!("last(torch.fft.irfft, many(torch.fft.ifftn, self, norm), norm)"))];
/// Of `hfftn` and `hfft2`.
pub(super) const HFFTN: Gradients =
    &[("self", several!("last(torch.fft.irfft, many(torch.fft.ifftn, self.conj(), swapped), swapped)"))];
/// Of `ihfftn` and `ihfft2`.
pub(super) const IHFFTN: Gradients =
    &[("self", several!("many(torch.fft.fftn, last(torch.fft.rfft, self, swapped), swapped).conj()"))];
