"""Records what PyTorch's casts between dtypes give: python record_casts.py

A line is: from to, then the bits of each element before and after, in hexadecimal. Values whose result depends on PyTorch's
vector width (floats beyond uint32's range) are left out, and nan's bits are not compared."""
import torch, warnings
warnings.simplefilter("ignore")
NAMES = "uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128 bool bfloat16 uint16 uint32 uint64".split()
FLOATS = [0., -0., 1., -1., 2.9, -2.9, .3, 127.5, 128., 255., 256.7, 300., -300., 65504., 65519.9, 65520., 70000., -70000., 2147483648., 3e9, -3e9,
          1e10, -1e10, 9.3e18, 1e19, 1e20, 5.9604645e-8, 2.9802322e-8, 6e-5, 1e-40, float("inf"), -float("inf"), float("nan")]
INTS = [0, 1, -1, 2, 127, 128, 255, 256, -129, 32768, 65535, 65536, 2**24 + 1, 2**31, 2**32 + 5, -2**31 - 1, 2**53 + 1, 2**63 - 1, -2**63]
SIZE = {1: torch.uint8, 2: torch.uint16, 4: torch.uint32, 8: torch.uint64}
def bits(t):
    if t.is_complex():
        re, im = bits(t.real.contiguous()), bits(t.imag.contiguous())
        return [a + ":" + b for a, b in zip(re, im)]
    return [f"{v:x}" for v in t.view(SIZE[t.element_size()]).tolist()]
for a in NAMES:
    fa = getattr(torch, a)
    if fa.is_complex:
        x = torch.complex(torch.tensor(FLOATS, dtype=torch.float64), torch.tensor(FLOATS[::-1], dtype=torch.float64)).to(fa)
    elif fa.is_floating_point: x = torch.tensor(FLOATS, dtype=torch.float64).to(fa)
    else: x = torch.tensor(INTS).to(fa)
    for b in NAMES:
        fb = getattr(torch, b)
        if a == b: continue
        y = x.to(fb)
        keep = torch.ones(len(x), dtype=torch.bool)
        if b in ("uint32",) and (fa.is_floating_point or fa.is_complex):
            r = x.real if fa.is_complex else x
            keep = (r.double() > -2**31) & (r.double() < 2**31)
        print(a, b, " ".join(f"{p}>{'nan' if isinstance(q, str) and n else q}" for p, q, k, n in zip(bits(x), bits(y), keep.tolist(), (y.isnan().tolist() if fb.is_floating_point else [False] * len(x))) if k))
