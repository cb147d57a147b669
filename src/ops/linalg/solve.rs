//! Inverses and systems of linear equations.

use super::back;
use super::batch::{self, Batch, Order, last_two};
use super::check::{check_field, check_numbers, check_old_system, check_sides, check_square};
use super::dense::small::SIDE;
use super::dense::triangular::{self, Lying, Shape};
use super::dense::{self, Field, Matrix, adjoint, few_inverse, few_sides, lu, transpose};
use super::factor::packed_lu;
use crate::dtype::DType;
use crate::layout::{Dims, Layout};
use crate::ops::autograd::texts;
use crate::ops::{Args, Form, Op, call_function, call_method, complex_view, exec, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// A row that is a function of its bound arguments.
const fn native(schema: &'static str, doc: &'static str, example: &'static str, run: fn(&Args) -> Result<Value>) -> Op {
    op(schema, doc, example, Form::Native(run))
}

rows![
    native(
        "inverse(Tensor self) -> Tensor",
        "The inverse of a square matrix. Fails with a `LinAlgError` when it has none.",
        "torch.inverse(torch.tensor([[2., 0.], [0., 4.]]))  # tensor([[0.5000, 0.0000],\n#         [0.0000, 0.2500]])",
        |a| Ok(inverse("linalg.inv", &a.get(0)?, true)?[0].clone().into()),
    )
    .grads(&[("self", "-(result.mT @ (grad @ result.mT))")]).conjugated(),
    native(
        "linalg.inv(Tensor A) -> Tensor",
        "The inverse of a square matrix. Fails with a `LinAlgError` when it has none.",
        "torch.linalg.inv(torch.tensor([[2., 0.], [0., 4.]]))  # tensor([[0.5000, 0.0000],\n#         [0.0000, 0.2500]])",
        |a| Ok(inverse("linalg.inv", &a.get(0)?, true)?[0].clone().into()),
    )
    .grads(&[("A", "-(result.mT @ (grad @ result.mT))")]).conjugated(),
    native(
        "linalg.inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
        "As `inv`, with the place of the zero that stopped it, counted from 1, instead of a failure.",
        "torch.linalg.inv_ex(torch.zeros(2, 2)).info  # tensor(1, dtype=torch.int32)",
        |a| Ok(inverse("linalg.inv_ex", &a.get(0)?, a.get(1)?)?.to_vec().into()),
    )
    .grads(&[("A", "-(result.mT @ (grad @ result.mT))")])
    .conjugated(),
    native(
        "linalg.solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
        "The X with `A @ X = B`, or `X @ A = B` when `left` is false. Fails with a `LinAlgError` when A is singular.",
        "torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 2.]))  # tensor([1.0000, 0.5000])",
        |a| Ok(solve("linalg.solve", a, a.get(2)?, true)?[0].clone().into()),
    )
    .grads(back::SOLVE)
    .conjugated(),
    native(
        "linalg.solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)",
        "As `solve`, with the place of the zero that stopped it, counted from 1, instead of a failure.",
        "torch.linalg.solve_ex(torch.zeros(2, 2), torch.ones(2)).info  # tensor(1, dtype=torch.int32)",
        |a| Ok(solve("linalg.solve_ex", a, a.get(2)?, a.get(3)?)?.to_vec().into()),
    )
    .grads(back::SOLVE)
    .conjugated(),
    native(
        "linalg.solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor",
        "Solves with a triangular matrix, of which only one triangle is read; with `unitriangular` its diagonal counts as ones.",
        "torch.linalg.solve_triangular(torch.tensor([[2., 0.], [1., 1.]]), torch.tensor([[2.], [3.]]), upper=False)  # tensor([[1.],\n#         [2.]])",
        solve_triangular,
    )
        .grads(&[
            ("self", "back = torch.linalg.solve_triangular(self.mT, grad, upper=not upper, left=left, unitriangular=unitriangular)\nfound = -(back @ result.mT) if left else -(result.mT @ back)\nfound.triu(int(unitriangular)) if upper else found.tril(-int(unitriangular))"),
            ("B", "torch.linalg.solve_triangular(self.mT, grad, upper=not upper, left=left, unitriangular=unitriangular)"),
        ])
    .conjugated(),
    native(
        "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
        "Solves `A @ X = B` for a triangular A, and gives a copy of A too; `linalg.solve_triangular` is its name today.",
        "torch.triangular_solve(torch.tensor([[2.], [2.]]), torch.tensor([[1., 1.], [0., 2.]])).solution  # tensor([[1.],\n#         [1.]])",
        old_triangular_solve,
    )
        .grads(&[
            ("self", "torch.triangular_solve(grads[0], A.conj(), upper, not transpose, unitriangular)[0]"),
            ("A", "back = torch.triangular_solve(grads[0], A.conj(), upper, not transpose, unitriangular)[0]\nfound = -(results[0].conj() @ back.mT) if transpose else -(back @ results[0].mH)\nfound = found.triu(int(unitriangular)) if upper else found.tril(-int(unitriangular))\nfound + grads[1]"),
        ])
    .complex(),
    native(
        "linalg.lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
        "Solves with a matrix whose LU decomposition in compact form is given.",
        "torch.linalg.lu_solve(*torch.linalg.lu_factor(torch.tensor([[2., 0.], [0., 4.]])), torch.ones(2, 1))  # tensor([[0.5000],\n#         [0.2500]])",
        |a| {
            let (factors, pivots, b, left, adjoint): (Tensor, Tensor, Tensor, bool, bool) = a.take()?;
            lu_solve(&factors, &pivots, &b, left, adjoint)
        },
    )
    .grads(back::LU_SOLVE)
    .complex(),
    native(
        "lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor",
        "Solves with a matrix whose LU decomposition in compact form is given.",
        "torch.lu_solve(torch.ones(2, 1), *torch.linalg.lu_factor(torch.tensor([[2., 0.], [0., 4.]])))  # tensor([[0.5000],\n#         [0.2500]])",
        |a| {
            let (b, factors, pivots): (Tensor, Tensor, Tensor) = a.take()?;
            lu_solve(&factors, &pivots, &b, true, false)
        },
    )
    .grads(back::OLD_LU_SOLVE)
    .complex(),
    native(
        "cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
        "Solves with a matrix whose Cholesky factor is given.",
        "torch.cholesky_solve(torch.tensor([[8.]]), torch.tensor([[2.]]))  # tensor([[2.]])",
        |a| {
            let (b, factor, upper): (Tensor, Tensor, bool) = a.take()?;
            for (letter, x) in [("b", &b), ("u", &factor)] {
                if x.ndim() < 2 {
                    fault!(RuntimeError, "{letter} should have at least 2 dimensions, but has {} dimensions instead", x.ndim());
                }
            }
            check_old_system("cholesky_solve", &factor, &b)?;
            check_field("cholesky_solve", &factor)?;
            for_field!(factor.dtype(), T => cholesky_solve::<T>(&factor, &b, upper))
        },
    )
    .grads(back::CHOLESKY_SOLVE)
    .complex(),
    native(
        "cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
        "The inverse of a matrix whose Cholesky factor is given.",
        "torch.cholesky_inverse(torch.tensor([[2.]]))  # tensor([[0.2500]])",
        |a| {
            let (factor, upper): (Tensor, bool) = a.take()?;
            check_square("cholesky_inverse", &factor)?;
            for_field!(factor.dtype(), T => cholesky_inverse::<T>(&factor, upper))
        },
    )
    .grads(back::CHOLESKY_INVERSE)
    .complex(),
    op(
        "linalg.tensorinv(Tensor self, int ind=2) -> Tensor",
        "The inverse of a tensor seen as a matrix whose rows are its first `ind` dimensions.",
        "torch.linalg.tensorinv(torch.eye(4).reshape(2, 2, 4), ind=2).shape  # torch.Size([4, 2, 2])",
        Form::Hosted(tensorinv),
    )
        .grads(&[("self", texts::again!("self", "torch.linalg.inv(self.reshape(math.prod(self.shape[:ind]), -1)).reshape(result.shape)", ""))])
        .ends_in_view()
        .complex(),
    op(
        "linalg.tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor",
        "The X with `torch.tensordot(A, X, X.dim()) = B`; the dimensions in `dims` are moved to the end of A first.",
        "torch.linalg.tensorsolve(2 * torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))  # tensor([0.5000, 0.5000, 0.5000, 0.5000])",
        Form::Hosted(tensorsolve),
    ),
];

/// The inverse and where it was stopped; with `check` that is a `LinAlgError`.
pub(super) fn inverse(name: &str, x: &Tensor, check: bool) -> Result<[Tensor; 2]> {
    fn of<T: Field>(name: &str, x: &Tensor, check: bool) -> Result<[Tensor; 2]> {
        let mut batch = batch::read::<T>(x)?;
        let n = batch.rows;
        let parts = batch.each_named(name, |label, a| {
            let factors = lu::factor(a)?;
            if let (true, Some(at)) = (check, factors.zero) {
                fault!(
                    LinAlgError,
                    "{label}The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular.",
                    at + 1
                );
            }
            Ok((factors.inverse()?, factors.zero.map_or(0, |k| k as i32 + 1)))
        })?;
        let (inverses, infos): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok([batch.stack(&inverses, (n, n), Order::Columns)?, batch.elements(&infos)?])
    }
    check_square(name, x)?;
    for_field!(x.dtype(), T => of::<T>(name, x, check))
}

/// Fails with a `RuntimeError` unless B has the dtype of a matrix, by whatever letter that goes.
fn check_dtypes(name: &str, letter: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() != b.dtype() {
        fault!(
            RuntimeError,
            "{name}: Expected {letter} and B to have the same dtype, but found {letter} of type {} and B of type {} instead",
            a.dtype().title(),
            b.dtype().title()
        );
    }
    Ok(())
}

/// Fails with a `RuntimeError` unless the sizes of a square A and a matrix B go together.
fn check_system(name: &str, a: &Tensor, b: &Tensor, left: bool) -> Result<()> {
    if b.ndim() < 2 {
        fault!(RuntimeError, "{name}: The input tensor B must have at least 2 dimensions.");
    }
    let ([n, _], [rows, columns]) = (last_two(a), last_two(b));
    if n != if left { rows } else { columns } {
        let equation = if left { "AX = B" } else { "XA = B" };
        fault!(RuntimeError, "{name}: Incompatible shapes of A and B for the equation {equation} ({n}x{n} and {rows}x{columns})");
    }
    Ok(())
}

/// Two tensors of matrices with their batch dimensions broadcast.
pub(super) fn together(a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor)> {
    let lead = |t: &Tensor| Dims::from_slice(&t.sizes()[..t.ndim() - 2]);
    let joint = exec::broadcast(&[&lead(b), &lead(a)])?;
    let expand = |t: &Tensor| {
        let sizes: Dims = joint.iter().copied().chain(last_two(t)).collect();
        t.alias(t.layout().expand(&sizes)?)
    };
    Ok((expand(a)?, expand(b)?))
}

/// The solution and where it was stopped; with `check` that is a `LinAlgError`.
fn solve(name: &str, args: &Args, left: bool, check: bool) -> Result<[Tensor; 2]> {
    let (a, b): (Tensor, Tensor) = (args.get(0)?, args.get(1)?);
    let spoken = "linalg.solve";
    check_numbers(spoken, &a)?;
    check_dtypes(spoken, "A", &a, &b)?;
    check_sides(spoken, &a)?;
    let sizes = a.sizes();
    let is_vector = b.ndim() == 1 || (b.ndim() + 1 == a.ndim() && b.sizes().as_slice() == &sizes[..sizes.len() - 1]);
    let right = if is_vector { b.alias(b.layout().unsqueeze(-1)?)? } else { b.clone() };
    check_system(spoken, &a, &right, left)?;
    check_field(spoken, &a)?;
    let (a, right) = together(&a, &right)?;
    if is_vector && !left {
        fault!(
            RuntimeError,
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case linalg.solve is \
             equivalent to B / A.squeeze(-1)"
        );
    }
    let [x, info] = for_field!(a.dtype(), T => solve_matrices::<T>(name, &a, &right, left, check.then_some(sizes.len() > 2))?);
    let x = if is_vector { by_columns(x.alias(x.layout().squeeze_dims(&[-1])?)?)? } else { x };
    Ok([x, of_each(&info, &sizes[..sizes.len() - 2])?])
}

/// What is known of each matrix of a batch, of as many as there were before they were repeated to go with another batch.
fn of_each(info: &Tensor, batch: &[i64]) -> Result<Tensor> {
    let mut layout = Layout::clone(&info.layout());
    while layout.ndim() > batch.len() {
        layout = layout.select(0, 0)?;
    }
    for (dim, size) in batch.iter().enumerate() {
        layout = layout.narrow(dim as i64, 0, *size)?;
    }
    exec::clone(&info.alias(layout)?)
}

/// As [`solve`], of a matrix for each right side; `check` says whether more than one was given, if it is looked at what was found.
fn solve_matrices<T: Field>(name: &str, a: &Tensor, b: &Tensor, left: bool, check: Option<bool>) -> Result<[Tensor; 2]> {
    let (mut batch, mut right) = (batch::read::<T>(a)?, batch::read::<T>(b)?);
    let mut rights = std::mem::take(&mut right.matrices).into_iter();
    let parts = batch.each_named(&format!("torch.{name}"), |label, a| {
        let factors = lu::factor(a)?;
        if let (Some(are_several), Some(_)) = (check, factors.zero) {
            let label = if are_several { label.to_string() } else { format!("torch.{name}: ") };
            fault!(LinAlgError, "{label}The solver failed because the input matrix is singular.");
        }
        let b = rights.next().unwrap_or_default();
        let info = factors.zero.map_or(0, |k| k as i32 + 1);
        let x = solved(&factors, b, left, false)?;
        Ok((x, info))
    })?;
    let (xs, infos): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    Ok([stack_solutions(&right, &xs, left)?, batch.elements(&infos)?])
}

/// Solves `A x = b`, with A or its adjoint. For `x A = b` what is solved is the adjoint of that, and the solution is the conjugate.
fn solved<T: Field>(factors: &lu::Lu<T>, b: Matrix<T>, left: bool, adjoint: bool) -> Result<Matrix<T>> {
    let mut x = if left { b } else { dense::adjoint(&b) };
    match left == adjoint {
        true => factors.solve_transposed(&mut x, true)?,
        false => factors.solve(&mut x)?,
    }
    Ok(if left { x } else { transpose(&x) })
}

/// Solutions lie column by column; those of `x A = b`, which were found as adjoints, row by row, marked as conjugates.
fn stack_solutions<T: Field>(like: &Batch<T>, xs: &[Matrix<T>], left: bool) -> Result<Tensor> {
    let stacked = like.stack(xs, (like.rows, like.columns), if left { Order::Columns } else { Order::Rows })?;
    if left || !T::IS_COMPLEX { Ok(stacked) } else { complex_view::conj(&stacked) }
}

fn lu_solve(factors: &Tensor, pivots: &Tensor, b: &Tensor, left: bool, adjoint: bool) -> Result<Value> {
    fn of<T: Field>(factors: &Tensor, pivots: &Tensor, b: &Tensor, left: bool, adjoint: bool) -> Result<Value> {
        let (factors, b) = together(factors, b)?;
        let (batch, right) = (batch::read::<T>(&factors)?, batch::read::<T>(&b)?);
        let sizes: Dims = batch.lead.iter().copied().chain([batch.rows as i64]).collect();
        let pivots = pivots.alias(pivots.layout().expand(&sizes)?)?;
        let packed = packed_lu(&batch, &pivots)?;
        let xs: Vec<Matrix<T>> =
            packed.iter().zip(&right.matrices).map(|(f, b)| solved(f, b.clone(), left, adjoint)).collect::<Result<_>>()?;
        Ok(stack_solutions(&right, &xs, left)?.into())
    }
    let name = "linalg.lu_solve";
    check_numbers("torch.linalg.lu_solve", factors)?;
    check_dtypes(name, "LU", factors, b)?;
    if pivots.dtype() != DType::I32 {
        fault!(RuntimeError, "{name}: pivots should be a Tensor of scalar type torch.int32");
    }
    check_sides("torch.linalg.lu_solve", factors)?;
    check_system(name, factors, b, left)?;
    let (sizes, places) = (factors.sizes(), pivots.sizes());
    if sizes.last() != places.last() {
        fault!(RuntimeError, "{name}: Number of pivots per batch should be same as the dimension of the matrix");
    }
    if sizes[..sizes.len() - 1] != places[..] {
        fault!(
            RuntimeError,
            "{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape {places:?} instead"
        );
    }
    check_field("torch.linalg.lu_solve", factors)?;
    let rows = exec::read_vec::<i32>(pivots)?;
    let bound = if rows.iter().any(|p| *p < 1) { "greater or equal to 1" } else { "smaller or equal to LU.size(-2)" };
    if rows.iter().any(|p| *p < 1 || i64::from(*p) > last_two(factors)[0]) {
        fault!(RuntimeError, "Pivots given to lu_solve must all be {bound}. Did you properly pass the result of lu_factor?");
    }
    for_field!(factors.dtype(), T => of::<T>(factors, pivots, b, left, adjoint))
}

/// Solves with triangular matrices of a batch.
fn triangles<T: Field>(a: &Tensor, b: &Tensor, shape: Shape, left: bool, lying: Lying) -> Result<Tensor> {
    let (a, b) = together(a, b)?;
    let mut right = batch::read::<T>(&b)?;
    let n = last_two(&a)[0] as usize;
    let one = |a: &[T], b: &mut Matrix<T>| {
        if left {
            let (height, columns) = b.shape();
            if T::IS_COMPLEX || few_sides::takes::<T>(n, columns, lying) {
                return triangular::solve_lying(&Matrix::from_column_slice(n, n, a), b, shape, lying);
            }
            return triangular::solve_part((a, n), n, (b.as_mut_slice(), height), columns, shape);
        }
        let (turned, mut x) = (Matrix::from_row_slice(n, n, a), transpose(b));
        let is_straight = lying == Lying::Straight && (T::IS_COMPLEX || !shape.upper);
        let lying = if is_straight { Lying::BesideStraight } else { Lying::Beside };
        triangular::solve_lying(&turned, &mut x, Shape { upper: !shape.upper, ..shape }, lying)?;
        *b = transpose(&x);
        Ok(())
    };
    // A matrix that lies column by column is not copied.
    exec::read::<T, Result<()>>(&a.alias(batch::turn(&a.layout()))?, |cells| {
        right.change(|i, b| if n == 0 { Ok(()) } else { one(&cells[i * n * n..][..n * n], b) })
    })??;
    by_columns(stack_solutions(&right, &right.matrices, true)?)
}

/// The same elements with the last two dimensions column by column, whatever they stand for: vectors of a batch, nothing at all.
fn by_columns(x: Tensor) -> Result<Tensor> {
    let n = x.ndim();
    if n < 2 {
        return Ok(x);
    }
    let mut layout = Layout::contiguous(&x.sizes());
    (layout.strides[n - 2], layout.strides[n - 1]) = (1, layout.sizes[n - 2].max(1));
    if layout == *x.layout() {
        return Ok(x);
    }
    let out = exec::empty_layout(layout, x.dtype(), x.device())?;
    exec::copy(&out, &x)?;
    Ok(out)
}

fn solve_triangular(args: &Args) -> Result<Value> {
    let name = "linalg.solve_triangular";
    let (a, b, upper, left, unit): (Tensor, Tensor, bool, bool, bool) = args.take()?;
    check_sides(name, &a)?;
    // The right side takes the matrix's dtype, whatever its own.
    let b = exec::cast(&b, a.dtype())?;
    check_system(name, &a, &b, left)?;
    check_field(name, &a)?;
    // A matrix that lies row by row is the transpose of one that lies as the library wants it.
    let by_columns = a.layout().transpose(-2, -1)?.is_contiguous();
    let lying = if by_columns { Lying::Straight } else { Lying::Turned };
    for_field!(a.dtype(), T => Ok(triangles::<T>(&a, &b, Shape { upper, unit }, left, lying)?.into()))
}

fn old_triangular_solve(args: &Args) -> Result<Value> {
    let name = "triangular_solve";
    let (b, a, upper, transpose, unit): (Tensor, Tensor, bool, bool, bool) = args.take()?;
    for (letter, x) in [("b", &b), ("A", &a)] {
        if x.ndim() < 2 {
            let dims = x.ndim();
            fault!(
                RuntimeError,
                "torch.{name}: Expected {letter} to have at least 2 dimensions, but it has {dims} dimensions instead"
            );
        }
    }
    check_old_system(name, &a, &b)?;
    check_field(name, &a)?;
    let turned = if transpose { a.alias(batch::turn(&a.layout()))? } else { a.clone() };
    let lying = if transpose { Lying::Turned } else { Lying::Straight };
    let shape = Shape { upper: upper != transpose, unit };
    let solution = for_field!(a.dtype(), T => triangles::<T>(&turned, &b, shape, true, lying)?);
    let copy = for_field!(a.dtype(), T => columns::<T>(&together(&a, &b)?.0)?);
    Ok(vec![solution, copy].into())
}

/// A copy that lies column by column.
fn columns<T: Field>(x: &Tensor) -> Result<Tensor> {
    let batch = batch::read::<T>(x)?;
    batch.stack(&batch.matrices, (batch.rows, batch.columns), Order::Columns)
}

/// `L Lᴴ x = b` in place.
fn both_triangles<T: Field>(factor: &Matrix<T>, b: &mut Matrix<T>, upper: bool) -> Result<()> {
    let lower = if upper { adjoint(factor) } else { factor.clone() };
    let lying = if upper { [Lying::Turned, Lying::Straight] } else { [Lying::Straight, Lying::Turned] };
    triangular::solve_lying(&lower, b, Shape { upper: false, unit: false }, lying[0])?;
    triangular::solve_lying(&adjoint(&lower), b, Shape { upper: true, unit: false }, lying[1])
}

fn cholesky_solve<T: Field>(factor: &Tensor, b: &Tensor, upper: bool) -> Result<Value> {
    let (factor, b) = together(factor, b)?;
    let (batch, mut right) = (batch::read::<T>(&factor)?, batch::read::<T>(&b)?);
    right.change(|i, b| both_triangles(&batch.matrices[i], b, upper))?;
    Ok(stack_solutions(&right, &right.matrices, true)?.into())
}

fn cholesky_inverse<T: Field>(factor: &Tensor, upper: bool) -> Result<Value> {
    let mut batch = batch::read::<T>(factor)?;
    let n = batch.rows;
    let inverses = batch.each_named("cholesky_inverse", |label, l| {
        if let Some(at) = (0..n).find(|k| l[(*k, *k)] == T::zero()) {
            fault!(
                LinAlgError,
                "{label}The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular.",
                at + 1
            );
        }
        if n <= SIDE {
            return Ok(few_inverse::of_factored(&l, upper));
        }
        let mut inverse = Matrix::identity(n, n);
        both_triangles(&l, &mut inverse, upper)?;
        Ok(inverse)
    })?;
    Ok(batch.stack(&inverses, (n, n), Order::Columns)?.into())
}

/// A tensor with another shape, as a view where there is one.
fn reshaped(x: &Tensor, sizes: &[i64]) -> Result<Tensor> {
    match x.layout().try_view(sizes) {
        Some(layout) => x.alias(layout),
        None => exec::contiguous(x)?.alias(Layout::contiguous(sizes)),
    }
}

fn tensorinv(_: &mut dyn crate::value::Machine, args: &Args) -> Result<Value> {
    let (x, ind): (Tensor, i64) = args.take()?;
    if ind <= 0 {
        fault!(RuntimeError, "Expected a strictly positive integer for 'ind', but got {ind}");
    }
    let sizes = x.sizes();
    let Some((rows, columns)) = sizes.split_at_checked(ind as usize) else {
        fault!(RuntimeError, "ArrayRef: invalid slice, N = {ind}; size = {}", sizes.len())
    };
    let (m, n): (i64, i64) = (rows.iter().product(), columns.iter().product());
    if m != n {
        fault!(
            RuntimeError,
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {n} != {m}"
        );
    }
    check_numbers("linalg.inv", &x)?;
    let [inverse, _] = inverse("inv", &reshaped(&x, &[m, n])?, true)?;
    let turned: Dims = columns.iter().chain(rows).copied().collect();
    Ok(reshaped(&inverse, &turned)?.into())
}

fn tensorsolve(machine: &mut dyn crate::value::Machine, args: &Args) -> Result<Value> {
    let (a, b, dims): (Tensor, Tensor, Option<Dims>) = args.take()?;
    let a = match dims {
        Some(dims) => {
            let last: Dims = (0..dims.len() as i64).map(|k| k - dims.len() as i64).collect();
            let lists = [&dims, &last].map(|dims| Value::size(dims));
            match call_function(machine, "movedim", [vec![a.into()], lists.to_vec()].concat())? {
                Value::Tensor(turned) => turned,
                other => return Ok(other),
            }
        }
        None => a,
    };
    if b.ndim() > a.ndim() {
        // Of so many dimensions PyTorch takes those from the end of the list on.
        fault!(RuntimeError, "cannot create std::vector larger than max_size()");
    }
    let result = Dims::from_slice(&a.sizes()[b.ndim()..]);
    let (m, n): (i64, i64) = (b.numel(), result.iter().product());
    if m != n {
        fault!(
            RuntimeError,
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got {n} != {m}"
        );
    }
    let matrix = call_method(machine, "reshape", vec![a.into(), Value::size(&[m, n])])?;
    let right = call_method(machine, "reshape", vec![b.into(), Value::size(&[m])])?;
    let solved = call_function(machine, "linalg.solve", vec![matrix, right])?;
    Ok(call_method(machine, "reshape", vec![solved, Value::size(&result)])?)
}
