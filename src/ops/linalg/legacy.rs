//! Names that PyTorch has given up and that old lessons use. They work as they did; each says once what it is called today. Names that
//! PyTorch keeps for a sentence alone are in [`super::removed`].

use super::batch::{self, Order, last_two};
use super::check::{check_matrix, check_square};
use super::dense::{Field, Matrix, qr};
use super::spectral;
use crate::diag::ErrorClass;
use crate::ops::{Args, Form, Op, exec, op};
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;

/// An old row.
const fn old(
    schema: &'static str,
    doc: &'static str,
    example: &'static str,
    run: fn(&mut dyn Machine, &Args) -> Result<Value>,
) -> Op {
    op(schema, doc, example, Form::Hosted(run))
}

rows![
    old(
        "gels(Tensor self, Tensor A) -> (Tensor solution, Tensor QR)",
        "The X for which `A @ X` is nearest to B, with B first, and the QR decomposition of A in compact form. Below the solution \
         stand rows whose squares add up to the residuals. `torch.linalg.lstsq(A, B)` is its name today.",
        "torch.gels(torch.tensor([[1.], [3.]]), torch.ones(2, 1)).solution[:1].shape  # torch.Size([1, 1])",
        |machine, a| {
            note(machine, "torch.gels(B, A) is torch.linalg.lstsq(A, B) today")?;
            let (b, x): (Tensor, Tensor) = a.take()?;
            least_squares(&b, &x)
        },
    ),
    old(
        "eig(Tensor self, bool eigenvectors=False) -> (Tensor eigenvalues, Tensor eigenvectors)",
        "Eigenvalues of a real square matrix, a row of real and imaginary part each; with `eigenvectors` also the vectors, two \
         columns (real and imaginary part) for a complex pair. `torch.linalg.eig` is its name today.",
        "torch.eig(torch.tensor([[0., 1.], [-1., 0.]])).eigenvalues  # tensor([[ 0.,  1.],\n#         [ 0., -1.]])",
        |machine, a| {
            note(machine, "torch.eig(A) is torch.linalg.eigvals(A) today, and with eigenvectors=True torch.linalg.eig(A)")?;
            let (x, vectors): (Tensor, bool) = a.take()?;
            old_eig(&x, vectors)
        },
    ),
];

/// Says once what a name is called today.
fn note(machine: &mut dyn Machine, text: &str) -> Result<()> {
    Ok(machine.warn(ErrorClass::UserWarning, text)?)
}

/// The solution over the rest of `Qᴴ b`, and the compact QR. A 1-d B counts as one column.
fn least_squares(b: &Tensor, a: &Tensor) -> Result<Value> {
    fn of<T: Field>(b: &Tensor, a: &Tensor) -> Result<Value> {
        let (batch, right) = (batch::read::<T>(a)?, batch::read::<T>(b)?);
        let (m, n) = (batch.rows, batch.columns);
        let (Some(a), Some(b)) = (batch.matrices.first(), right.matrices.first()) else { return Ok(Value::None) };
        let solution: Matrix<T> = super::least_squares::full_rank_padded(a, b.clone())?;
        let (packed, _) = qr::factor(a.clone())?.compact();
        let solution = batch.stack(&[solution], (m.max(n), right.columns), Order::Columns)?;
        Ok(vec![solution, batch.stack(&[packed], (m, n), Order::Columns)?].into())
    }
    check_matrix("lstsq", a)?;
    let b = if b.ndim() == 1 { b.alias(b.layout().unsqueeze(-1)?)? } else { b.clone() };
    if a.ndim() != 2 || b.ndim() != 2 || a.dtype() != b.dtype() || last_two(a)[0] != last_two(&b)[0] {
        fault!(
            RuntimeError,
            "Expected A and b to have same size at dim 0 and one dtype, but A has {:?} ({}) and b {:?} ({})",
            a.sizes().as_slice(),
            a.dtype().name(),
            b.sizes().as_slice(),
            b.dtype().name()
        );
    }
    for_field!(a.dtype(), T => of::<T>(&b, a))
}

fn old_eig(x: &Tensor, vectors: bool) -> Result<Value> {
    check_square("eig", x)?;
    if x.dtype().is_complex() {
        let mut found = spectral::general("linalg.eig", x, vectors)?;
        if !vectors {
            found.push(exec::empty(&[0], x.dtype(), x.device())?);
        }
        return Ok(found.into());
    }
    let n = x.sizes()[0] as usize;
    if x.ndim() != 2 {
        fault!(RuntimeError, "eig: expected a matrix, not a tensor of {} dimensions", x.ndim());
    }
    let found = spectral::general("linalg.eig", x, vectors)?;
    let values = parts(&found[0])?;
    let columns: Vec<f64> = match found.get(1) {
        None => vec![],
        // Of a pair, the first column holds the real part, the second the imaginary part of the vector above the axis.
        Some(found) => {
            let cells = parts(found)?;
            let cell = |i: usize, j: usize| match values[j].1 {
                im if im < 0.0 && j > 0 => cells[i * n + j - 1].1,
                _ => cells[i * n + j].0,
            };
            (0..n * n).map(|k| cell(k / n, k % n)).collect()
        }
    };
    let pairs: Vec<f64> = values.iter().flat_map(|(re, im)| [*re, *im]).collect();
    let values = exec::cast(&exec::from_vec(&pairs, &[n as i64, 2])?, x.dtype())?;
    let sizes: &[i64] = if vectors { &[n as i64, n as i64] } else { &[0] };
    let vectors = exec::cast(&exec::from_vec(&columns, sizes)?, x.dtype())?;
    Ok(vec![values, vectors].into())
}

/// Real and imaginary part of each element.
fn parts(x: &Tensor) -> Result<Vec<(f64, f64)>> {
    Ok(exec::read_vec::<num_complex::Complex64>(x)?.into_iter().map(|c| (c.re, c.im)).collect())
}
