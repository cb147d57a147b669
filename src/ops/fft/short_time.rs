//! Transforms of overlapping windows, as text of the language.

/// `torch.stft`.
pub const STFT: &str = r#"
if align_to_window is not None and center:
    raise RuntimeError('stft align_to_window should only be set when center = false')
if align_to_window:
    raise NotImplementedError('stft: align_to_window is not there yet')
signal = self
if center:
    signal = torch.nn.functional.pad(self.view([1] * (3 - self.dim()) + list(self.shape)), [n_fft // 2, n_fft // 2], pad_mode)
    signal = signal.view(signal.shape[-self.dim():])
asked_complex = return_complex
if return_complex is None:
    if not (self.is_complex() or (window is not None and window.is_complex())):
        raise RuntimeError('stft requires the return_complex parameter be given for real inputs, and will further require that return_complex=True in a future PyTorch release.')
    return_complex = True
hop = n_fft // 4 if hop_length is None else hop_length
wide = n_fft if win_length is None else win_length
given = lambda v: 'None' if v is None else str(int(v))
kind = lambda t: f'CPU{t.type()[6:-6]}Type' if t.is_complex() or t.dtype in (torch.bfloat16, torch.bool) else t.type()
frame = 'None' if window is None else f'{kind(window)}{{{list(window.shape)}}}'
called = f'stft({kind(signal)}{list(signal.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={wide}, window={frame}, normalized={int(normalized)}, onesided={given(onesided)}, return_complex={given(asked_complex)}, align_to_window={given(align_to_window)}) '
if not (signal.is_floating_point() or signal.is_complex()):
    raise NotImplementedError(f'{called}: expected a tensor of floating point or complex values')
if signal.dim() not in (1, 2):
    raise RuntimeError(f'{called}: expected a 1D or 2D tensor')
signal = signal if signal.dim() == 2 else signal.unsqueeze(0)
length = signal.size(1)
if n_fft <= 0 or n_fft > length:
    raise RuntimeError(f'{called}: expected 0 < n_fft < {length}, but got n_fft={wide}')
if hop <= 0:
    raise RuntimeError(f'{called}: expected hop_length > 0, but got hop_length={hop}')
if wide <= 0 or wide > n_fft:
    raise RuntimeError(f'{called}: expected 0 < win_length <= n_fft, but got win_length={wide}')
if window is not None and (window.dim() != 1 or window.size(0) != wide):
    raise RuntimeError(f'{called}: expected a 1D window tensor of size equal to win_length={wide}, but got window with size {list(window.shape)}')
if window is None and wide < n_fft:
    window = torch.ones(wide, dtype=self.dtype)
if window is not None and wide < n_fft:
    left = (n_fft - wide) // 2
    window = torch.cat([window.new_zeros(left), window, window.new_zeros(n_fft - wide - left)])
frames = signal.as_strided([signal.size(0), 1 + (length - n_fft) // hop, n_fft], [signal.stride(0), hop * signal.stride(1), signal.stride(1)], signal.storage_offset())
if window is not None:
    frames = frames * window
if onesided and frames.is_complex():
    raise RuntimeError('Cannot have onesided output if window or input is complex')
half = not frames.is_complex() if onesided is None else onesided
if frames.dtype == torch.bfloat16 or frames.dtype == torch.float16:
    raise NotImplementedError(f"MKL FFT doesn't support tensors of type: {frames.type()[6:-6]}")
norm = 'ortho' if normalized else None
result = (torch.fft.rfft(frames, dim=2, norm=norm) if half else torch.fft.fft(frames, dim=2, norm=norm)).transpose_(1, 2)
if self.dim() == 1:
    result.squeeze_(0)
result if return_complex else torch.view_as_real(result)
"#;

/// `torch.istft`.
pub const ISTFT: &str = r#"
if not self.is_complex():
    raise TypeError('istft requires a complex-valued input tensor matching the output from stft with return_complex=True.')
hop = n_fft // 4 if hop_length is None else hop_length
wide = n_fft if win_length is None else win_length
kind = lambda t: f'CPU{t.type()[6:-6]}Type' if t.is_complex() or t.dtype in (torch.bfloat16, torch.bool) else t.type()
given = lambda v: 'None' if v is None else str(int(v))
frame = 'None' if window is None else f'{kind(window)}{{{list(window.shape)}}}'
called = f'istft({kind(self)}{list(self.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={wide}, window={frame}, center={int(center)}, normalized={int(normalized)}, onesided={given(onesided)}, length={given(length)}, return_complex={int(return_complex)}) '
if self.dim() == 1:
    raise IndexError('Dimension out of range (expected to be in range of [-2, 1], but got -3)')
if self.numel() == 0:
    raise RuntimeError(f'{called}: input tensor cannot be empty.')
if self.dim() not in (2, 3):
    raise RuntimeError(f'{called}: expected a tensor with 3 or 4 dimensions, but got {self.dim() + 1}')
spectra = (self if self.dim() == 3 else self.unsqueeze(0)).transpose(1, 2)
half = (spectra.size(2) != n_fft) if onesided is None else onesided
if onesided is None and spectra.size(2) == n_fft // 2 + 1:
    half = True
if half and n_fft // 2 + 1 != spectra.size(2):
    raise RuntimeError(f'{called}: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when onesided=True, but got {spectra.size(2)}')
if not half and n_fft != spectra.size(2):
    raise RuntimeError(f'{called}: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when onesided=False, but got {spectra.size(2)}')
if not (0 < hop <= wide):
    raise RuntimeError(f'{called}: expected 0 < hop_length <= win_length')
if not (0 < wide <= n_fft):
    raise RuntimeError(f'{called}: expected 0 < win_length <= n_fft')
if window is not None and (window.dim() != 1 or window.size(0) != wide):
    raise RuntimeError(f'{called}: Invalid window shape. window has to be 1D and length of `win_length`')
if return_complex and half:
    raise RuntimeError('Cannot have onesided output if window or input is complex')
if window is None:
    window = torch.ones(wide, dtype=self.real.dtype)
if wide < n_fft:
    left = (n_fft - wide) // 2
    window = torch.cat([window.new_zeros(left), window, window.new_zeros(n_fft - wide - left)])
norm = 'ortho' if normalized else None
if return_complex:
    parts = torch.fft.ifft(spectra, dim=2, norm=norm)
elif half:
    parts = torch.fft.irfft(spectra, n=n_fft, dim=2, norm=norm)
else:
    parts = torch.fft.irfft(spectra[:, :, :n_fft // 2 + 1], n=n_fft, dim=2, norm=norm)
parts = parts * window
count = parts.size(1)
total = n_fft + hop * (count - 1)
signal = parts.new_zeros(parts.size(0), total)
weight = window.new_zeros(total)
for k in range(count):
    signal[:, k * hop:k * hop + n_fft] += parts[:, k]
    weight[k * hop:k * hop + n_fft] += window * window
weight = weight.float() if weight.dtype == torch.bool else weight
start = n_fft // 2 if center else 0
end = start + length if length is not None else total - n_fft // 2 if center else total
signal = signal[:, start:end]
weight = weight[start:end]
if weight.abs().min().item() <= 1e-11:
    raise RuntimeError(f'{called}window overlap add min: 1\n[ CPUBoolType{{}} ]')
signal = signal / weight
signal = signal.squeeze(0) if self.dim() == 2 else signal
torch.nn.functional.pad(signal, [0, end - total]) if end > total else signal
"#;
