//! Functions of matrices: pseudo-inverse, powers, exponential, square root, polar form, least squares.

use super::batch::{self, Order, last_two};
use super::check::{check_field, check_matrix, check_precision, check_sides, check_square};
use super::dense::tridiagonal::Triangle;
use super::dense::{Field, Matrix, Real, adjoint, few, svd, symmetric};
use super::{back, back_spectral};
use super::{exponential, exponential_narrow, measure, solve, spectral};
use crate::dtype::DType;
use crate::interrupt;
use crate::layout::{Layout, MemoryFormat, real_dim};
use crate::ops::autograd::texts;
use crate::ops::{Args, Form, call_function, exec, op, out};
use crate::tensor::Tensor;
use crate::value::{Machine, Value};
use anyhow::Result;
use nalgebra::{ComplexField, RealField};

rows![
    op(
        "linalg.pinv(Tensor self, *, Operand? atol=None, Operand? rtol=None, bool hermitian=False) -> Tensor",
        "The pseudo-inverse, from the singular values above the larger of `atol` and `rtol` times the greatest one.",
        "torch.linalg.pinv(torch.tensor([[2.], [0.]]))  # tensor([[0.5000, 0.0000]])",
        Form::Hosted(|machine, a| {
            let (x, atol, rtol, hermitian): (Tensor, Value, Value, bool) = a.take()?;
            pseudo_inverse(machine, &x, atol, rtol, hermitian)
        }),
    ).constants(&[("atol", "linalg_pinv"), ("rtol", "linalg_pinv")])
    .grads(back::PINV)
    .complex(),
    op(
        "linalg.pinv(Tensor self, Operand rcond, bool hermitian=False) -> Tensor",
        "",
        "",
        Form::Hosted(|machine, a| {
            let (x, rcond, hermitian): (Tensor, Value, bool) = a.take()?;
            pseudo_inverse(machine, &x, Value::None, rcond, hermitian)
        })
    )
    .grads(back::PINV)
    .complex(),
    op(
        "pinverse(Tensor self, float rcond=1e-15) -> Tensor",
        "The pseudo-inverse, from the singular values above `rcond` times the greatest one.",
        "torch.pinverse(torch.tensor([[2.], [0.]]))  # tensor([[0.5000, 0.0000]])",
        Form::Hosted(|machine, a| pseudo_inverse(machine, &a.get(0)?, Value::None, Value::Float(a.get(1)?), false)),
    )
    .no_out()
    .grads(back::PINV)
    .complex(),
    op(
        "matrix_power(Tensor self, int n) -> Tensor",
        "A square matrix times itself, `n` factors; for a negative `n` those of its inverse.",
        "torch.matrix_power(torch.tensor([[1., 1.], [0., 1.]]), 3)  # tensor([[1., 3.],\n#         [0., 1.]])",
        Form::Native(power),
    )
    .alias(&["linalg.matrix_power"])
    .grads(back::POWER)
    .conjugated(),
    op(
        "matrix_exp(Tensor self) -> Tensor",
        "The exponential of a square matrix: the sum of its powers over their factorials.",
        "torch.matrix_exp(torch.zeros(2, 2))  # tensor([[1., 0.],\n#         [0., 1.]])",
        Form::Hosted(|machine, a| {
            let x: Tensor = a.get(0)?;
            let is_narrow = matches!(x.dtype(), DType::F16 | DType::BF16);
            check_sides("linalg.matrix_exp", &x)?;
            if !is_narrow {
                check_field("linalg.matrix_exp", &x)?;
            }
            match (x.numel(), last_two(&x)[0]) {
                (0, _) => Ok(exec::clone(&x)?.into()),
                (_, 1) => Ok(call_function(machine, "exp", vec![x.into()])?),
                _ if is_narrow => Ok(exponential_narrow::of_halves(&x)?.into()),
                _ => for_field!(x.dtype(), T => Ok(batch::on(exponential::of_matrices::<T>(&x)?, x.device())?.into())),
            }
        }),
    )
    .alias(&["linalg.matrix_exp"])
    .no_out()
        .grads(&[("self", "n, back = self.shape[-1], self.mH\nwhole = torch.cat([torch.cat([back, grad], -1), torch.cat([torch.zeros_like(back), back], -1)], -2)\ntorch.matrix_exp(whole)[..., :n, n:]")])
    .complex(),
    op(
        "linalg.matrix_sqrth(Tensor self) -> Tensor",
        "The square root of a Hermitian positive-definite matrix, Hermitian and positive-definite too.",
        "torch.linalg.matrix_sqrth(torch.tensor([[4., 0.], [0., 9.]]))  # tensor([[2., 0.],\n#         [0., 3.]])",
        Form::Native(|a| {
            let x: Tensor = a.get(0)?;
            check_square("linalg.matrix_sqrth", &x)?;
            for_field!(x.dtype(), T => square_root::<T>(&x))
        }),
    )
    .no_out()
    .grads(back_spectral::ROOT)
    .complex(),
    op(
        "linalg.polar(Tensor A) -> (Tensor U, Tensor H)",
        "Writes a matrix as `U @ H`: orthonormal columns and a Hermitian positive-semidefinite matrix.",
        "torch.linalg.polar(torch.tensor([[0., -2.], [2., 0.]])).H  # tensor([[2., 0.],\n#         [0., 2.]])",
        Form::Native(|a| {
            let x: Tensor = a.get(0)?;
            if let ([.., m, 0], DType::F16 | DType::BF16) = (x.sizes().as_slice(), x.dtype()) {
                // Without columns no kernel is asked for.
                let lead = &x.sizes()[..x.ndim() - 2];
                let empty = |rows: i64| exec::empty(&[lead, &[rows, 0]].concat(), x.dtype(), x.device());
                return Ok(vec![empty(*m)?, empty(0)?].into());
            }
            check_matrix("linalg.polar", &x)?;
            for_field!(x.dtype(), T => polar::<T>(&x))
        }),
    )
    .grads(back_spectral::POLAR)
    .complex(),
    op(
        "linalg.vander(Tensor x, *, SymInt? N=None) -> Tensor",
        "The powers of each element in a row, from the zeroth up, as many as there are elements unless `N` says how many.",
        "torch.linalg.vander(torch.tensor([1, 2, 3]))  # tensor([[1, 1, 1],\n#         [1, 2, 4],\n#         [1, 3, 9]])",
        Form::Hosted(vander),
    )
    .no_out()
        .grads(&[("x", texts::again!("x", "torch.stack([x ** k for k in range(result.shape[-1])], -1).reshape(result.shape)", ""))])
    .complex(),
];

fn pseudo_inverse(machine: &mut dyn Machine, x: &Tensor, atol: Value, rtol: Value, hermitian: bool) -> Result<Value> {
    if let (Value::Float(_) | Value::Int(_), Value::None) = (&atol, &rtol) {
        // The other tolerance is made of sizes and dtype first of all.
        real_dim(-2, x.ndim())?;
        check_precision(x)?;
    }
    if x.ndim() < 2 || check_field("linalg.pinv", x).is_err() {
        fault!(
            RuntimeError,
            "linalg.pinv({}{{{:?}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types",
            x.dtype().title(),
            x.sizes().as_slice()
        );
    }
    measure::refuse_complex_bounds("pinv", [("atol", &atol), ("rcond", &rtol)])?;
    let [m, n] = last_two(x);
    if x.numel() == 0 {
        let lead = &x.sizes()[..x.ndim() - 2];
        let sizes: Vec<i64> = lead.iter().copied().chain([n, m]).collect();
        return Ok(exec::zeros(&sizes, x.dtype(), x.device())?.into());
    }
    let (u, values, vh) = if hermitian {
        check_square("linalg.eigh", x)?;
        let [values, vectors] = spectral::symmetric_eigen("linalg.pinv", x, Triangle::Lower)?;
        let adjoint = spectral::adjoint(&vectors)?;
        (vectors, values, adjoint)
    } else {
        let [u, s, vh] = for_field!(x.dtype(), T => spectral::singular::<T>(x, false)?);
        (u, s, vh)
    };
    let mut function = |name: &str, args: Vec<Value>| call_function(machine, name, args);
    let sizes = function("abs", vec![values.clone().into()])?;
    let Value::Tensor(moduli) = &sizes else { return Ok(sizes) };
    let moduli = moduli.clone();
    let limit = measure::cutoff(machine, x, &moduli, atol, rtol)?;
    let mut function = |name: &str, args: Vec<Value>| call_function(machine, name, args);
    let counts = function("gt", vec![moduli.into(), limit])?;
    let inverse = function("reciprocal", vec![values.into()])?;
    let kept = function("where", vec![counts, inverse, Value::Float(0.0)])?;
    let row = function("unsqueeze", vec![kept, Value::Int(-2)])?;
    let scaled = function("mul", vec![spectral::adjoint(&vh)?.into(), row])?;
    Ok(function("matmul", vec![scaled, spectral::adjoint(&u)?.into()])?)
}

fn power(args: &Args) -> Result<Value> {
    let (x, n): (Tensor, i64) = args.take()?;
    if x.ndim() < 2 {
        fault!(RuntimeError, "linalg.matrix_power: The input tensor A must have at least 2 dimensions.");
    }
    let [rows, columns] = last_two(&x);
    if rows != columns {
        fault!(
            RuntimeError,
            "linalg.matrix_power: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        );
    }
    if n == 0 {
        return identity_like(&x);
    }
    if let Value::Tensor(target) = &args.out
        && n != 1
    {
        // Products and inverses are written as they are, a copy is cast.
        out::check(args, x.dtype(), target)?;
        out::require_same(x.dtype(), target.dtype())?;
    }
    if x.dtype() == DType::Bool && x.numel() > 0 && n > 1 {
        fault!(NotImplementedError, "\"{}\" not implemented for 'Bool'", if x.ndim() == 2 { "addmm_impl_cpu_" } else { "bmm" });
    }
    if n == 1 && matches!(args.out, Value::None) {
        return Ok(exec::clone_in(&x, MemoryFormat::Contiguous)?.into());
    }
    let base = if n < 0 { solve::inverse("linalg.inv", &x, true)?[0].clone() } else { x };
    if n.abs() == 3 {
        return Ok(exec::matmul(&exec::matmul(&base, &base)?, &base)?.into());
    }
    let (mut rest, mut square, mut result) = (n.unsigned_abs(), base.clone(), None::<Tensor>);
    if rest == 1 {
        return Ok(if n < 0 { base } else { exec::clone(&base)? }.into());
    }
    loop {
        interrupt::check()?;
        if rest & 1 == 1 {
            result = Some(match result {
                Some(result) => exec::matmul(&result, &square)?,
                None => square.clone(),
            });
        }
        rest >>= 1;
        if rest == 0 {
            return Ok(result.unwrap_or(square).into());
        }
        square = exec::matmul(&square, &square)?;
    }
}

/// Identity matrices in the places of the given ones.
fn identity_like(x: &Tensor) -> Result<Value> {
    let identity = exec::zeros(&x.sizes(), x.dtype(), x.device())?;
    exec::fill(&identity.alias(identity.layout().diagonal(0, -2, -1)?)?, crate::dtype::Number::Int(1))?;
    Ok(identity.into())
}

/// The mean of a matrix and its adjoint.
fn hermitian<T: Field>(m: &Matrix<T>) -> Matrix<T> {
    (m + adjoint(m)).map(|x| x.scale(T::R::of(0.5)))
}

fn square_root<T: Field>(x: &Tensor) -> Result<Value> {
    let mut batch = batch::read::<T>(x)?;
    let n = batch.rows;
    let roots = batch.each(|a| {
        let Some(found) = symmetric::eigen(&a, Triangle::Lower)? else {
            fault!(LinAlgError, "linalg.matrix_sqrth: The algorithm failed to converge");
        };
        let mut scaled = found.vectors.clone();
        for (mut column, value) in scaled.column_iter_mut().zip(&found.values) {
            let root = ComplexField::sqrt(RealField::max(*value, nalgebra::zero()));
            column.iter_mut().for_each(|x| *x = x.scale(root));
        }
        Ok(hermitian(&few::matrix_product(&scaled, &adjoint(&found.vectors))))
    })?;
    Ok(batch.stack(&roots, (n, n), Order::Rows)?.into())
}

fn polar<T: Field>(x: &Tensor) -> Result<Value> {
    let mut batch = batch::read::<T>(x)?;
    let (m, n) = (batch.rows, batch.columns);
    if m < n {
        fault!(RuntimeError, "linalg.polar: input must have at least as many rows as columns, but got {m} by {n} matrices");
    }
    let parts = batch.each(|a| {
        let Some(found) = svd::svd(&a, false)? else {
            fault!(LinAlgError, "linalg.polar: The algorithm failed to converge");
        };
        let mut scaled = found.vh.clone();
        for (mut row, value) in scaled.row_iter_mut().zip(&found.s) {
            row.iter_mut().for_each(|x| *x = x.scale(*value));
        }
        let half = few::matrix_product(&adjoint(&found.vh), &scaled);
        Ok((few::matrix_product(&found.u, &found.vh), hermitian(&half)))
    })?;
    let (us, hs): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    Ok(vec![batch.stack(&us, (m, n), Order::Rows)?, batch.stack(&hs, (n, n), Order::Rows)?].into())
}

fn vander(machine: &mut dyn Machine, args: &Args) -> Result<Value> {
    let (x, count): (Tensor, Option<i64>) = args.take()?;
    if matches!(x.dtype(), DType::F16 | DType::BF16 | DType::Bool) {
        let title = x.dtype().title();
        fault!(NotImplementedError, "linalg.vander supports floating point, complex, and integer tensors, but got {title}");
    }
    let x = if x.ndim() == 0 { x.alias(Layout::new(&[1], &[1], x.layout().offset))? } else { x };
    let own = x.sizes().last().copied().unwrap_or(0);
    let count = count.unwrap_or(own);
    if count <= 1 {
        fault!(RuntimeError, "N must be greater than 1.");
    }
    let mut function = |name: &str, args: Vec<Value>| call_function(machine, name, args);
    let column = function("unsqueeze", vec![x.into(), Value::Int(-1)])?;
    let Value::Tensor(column) = column else { return Ok(column) };
    let mut sizes = column.sizes();
    if let Some(last) = sizes.last_mut() {
        *last = count;
    }
    let powers = exec::empty(&sizes, column.dtype(), column.device())?;
    exec::copy(&powers, &column)?;
    exec::fill(&powers.alias(powers.layout().narrow(-1, 0, 1)?)?, crate::dtype::Number::Int(1))?;
    Ok(function("cumprod", vec![powers.into(), Value::Int(-1)])?)
}
