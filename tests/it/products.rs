//! Products, convolutions and their ways back of whole numbers are exact, in whichever order a processor's library adds them up.

use std::process::Command;

/// Of all kinds of matrices, in every layout, alone, added to something and in batches.
const MATRICES: &str = "
def product(A, B):
    return (A.unsqueeze(-1) * B.unsqueeze(-3)).sum(-2)
def whole(*size):
    return torch.randint(-3, 4, size).to(dtype)
def check(m, n, k):
    A, B, c, r = whole(2, m, k), whole(2, k, n), whole(m, n), whole(n)
    right = product(A, B)
    for left in (A, A.mT.contiguous().mT):
        for other in (B, B.mT.contiguous().mT):
            size = f'{dtype} {m} {n} {k} {left.stride()} {other.stride()}'
            assert torch.equal(left @ other, right), size
            assert torch.equal(left[1] @ other[1], right[1]), size
            assert torch.equal(torch.addmm(c, left[1], other[1]), right[1] + c), size
            assert torch.equal(torch.addmm(r, left[1], other[1]), right[1] + r), size
            assert torch.equal(torch.addmm(c, left[1], other[1], beta=2, alpha=3), right[1] * 3 + c * 2), size
            assert torch.equal(torch.baddbmm(c, left, other), right + c), size
            assert torch.equal(torch.baddbmm(c, left[:1], other[:1]), right[:1] + c), size
for dtype in (torch.float32, torch.float64):
    for m in (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 18):
        for n in (1, 2, 7, 11, 12, 13, 17, 25):
            for k in (1, 2, 3, 5, 20):
                check(m, n, k)
    for m in (3, 5, 14):
        for n in (5, 15, 26):
            for k in (200, 400):
                check(m, n, k)
";

/// float64 goes another way than float32.
const CONVOLUTIONS: &str = "
import torch.nn.functional as F
def whole(*size):
    return torch.randint(-3, 4, size).float()
def all_of(f, x, w, b, grad, *how):
    x, w, b = [t.detach().requires_grad_() for t in (x, w, b)]
    y = f(x, w, b, *how)
    return (y,) + torch.autograd.grad(y, (x, w, b), grad[:y.numel()].view(y.shape).to(y.dtype))
def check(f, x, w, b, *how):
    grad = whole(99999)
    for n, d in zip(all_of(f, x, w, b, grad, *how), all_of(f, x.double(), w.double(), b.double(), grad, *how)):
        assert torch.equal(n.double(), d), f'{f} {x.shape} {w.shape} {how}'
size = (7, 6, 5)
for n, f, back in ((1, F.conv1d, F.conv_transpose1d), (2, F.conv2d, F.conv_transpose2d), (3, F.conv3d, F.conv_transpose3d)):
    for batch in (1, 2):
        for groups, inside, rows in ((1, 1, 1), (1, 3, 2), (1, 18, 5), (3, 1, 1), (2, 2, 3), (2, 4, 8), (2, 12, 4)):
            for k, step, pad, spread in ((1, 1, 0, 1), (2, 1, 0, 1), (3, 1, 1, 1), (3, 2, 1, 1), (2, 2, 1, 2)):
                x, kernel = whole(batch, groups * inside, *size[:n]), [k] * n
                check(f, x, whole(groups * rows, inside, *kernel), whole(groups * rows), step, pad, spread, groups)
                for more in range(min(step, 2)):
                    check(back, x, whole(groups * inside, rows, *kernel), whole(groups * rows), step, pad, more, groups, spread)
";

/// Runs a program for the processor that is there, and as if it were Intel's.
fn runs(name: &str, program: &str) {
    let file = std::env::temp_dir().join(format!("tsr-{name}-{}.tsr", std::process::id()));
    std::fs::write(&file, format!("import torch\ntorch.manual_seed(1)\n{program}print('all')\n")).unwrap();
    for bits in ["", "intel"] {
        let run = Command::new(env!("CARGO_BIN_EXE_tsr")).arg(&file).env("TSR_BITS", bits).output().unwrap();
        let (out, told) = [&run.stdout, &run.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).into();
        assert_eq!(out, "all\n", "{name}, {bits}: {told}");
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn products_of_whole_numbers_are_exact() {
    runs("products", MATRICES);
}

#[test]
fn convolutions_of_whole_numbers_are_exact() {
    runs("convolutions", CONVOLUTIONS);
}
