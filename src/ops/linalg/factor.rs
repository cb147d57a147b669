//! Decompositions into triangles: LU, Cholesky, LDL.

use super::back;
use super::batch::last_two;
use super::batch::{self, Batch, Order};
use super::check::{check_field, check_matrix, check_numbers, check_old_system, check_sides, check_square};
use super::dense::indefinite::{self, Factored};
use super::dense::{Field, Matrix, cholesky, lu, transpose};
use super::solve::together;
use crate::dtype::DType;
use crate::kernel::follows_intel;
use crate::layout::Dims;
use crate::ops::autograd::texts;
use crate::ops::{Args, Form, exec, op, out};
use crate::tensor::Tensor;
use crate::value::{Named, Value};
use anyhow::Result;
use std::rc::Rc;

rows![
    op(
        "linalg.lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)",
        "The LU decomposition in compact form: L below the diagonal, U on and above it, and which rows were exchanged, counted \
         from 1. Fails when U has a zero on its diagonal.",
        "torch.linalg.lu_factor(torch.tensor([[1., 2.], [3., 4.]])).pivots  # tensor([2, 2], dtype=torch.int32)",
        Form::Native(|a| {
            let [packed, pivots, info] = lu_tensors(&a.get(0)?, a.get(1)?)?;
            refuse_targets(a, [&packed, &pivots])?;
            refuse_zero("torch.linalg.lu_factor", &info)?;
            Ok(vec![packed, pivots].into())
        }),
    )
    .grads(back::LU_FACTOR)
    .complex(),
    op(
        "linalg.lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)",
        "As `lu_factor`, with the place of the first zero on U's diagonal, counted from 1, instead of a failure.",
        "torch.linalg.lu_factor_ex(torch.zeros(2, 2)).info  # tensor(1, dtype=torch.int32)",
        Form::Native(|a| {
            let [packed, pivots, info] = lu_tensors(&a.get(0)?, a.get(1)?)?;
            if a.get(2)? {
                refuse_zero("torch.linalg.lu_factor_ex", &info)?;
            }
            Ok(vec![packed, pivots, info].into())
        }),
    )
    .grads(back::LU_FACTOR)
    .complex(),
    op(
        "lu(Tensor self, bool pivot=True, bool get_infos=False) -> Any",
        "The LU decomposition in compact form and the exchanged rows; with `get_infos` also the place of the first zero on U's \
         diagonal.",
        "torch.tensor([[2., 1.], [1., 3.]]).lu()[0]  # tensor([[2.0000, 1.0000],\n#         [0.5000, 2.5000]])",
        Form::Native(compact_lu),
    )
    .method_only()
    .grads(back::OLD_LU)
    .complex(),
    op("lu(Tensor A, bool pivot=True, bool get_infos=False) -> Any", "", "", Form::Native(compact_lu))
    .grads(back::LU_FACTOR)
    .complex(),
    op(
        "linalg.lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)",
        "Writes a matrix as `P @ L @ U`: exchanged rows, a lower triangular matrix with ones on the diagonal, an upper one.",
        "torch.linalg.lu(torch.tensor([[1., 2.], [3., 4.]])).U  # tensor([[3.0000, 4.0000],\n#         [0.0000, 0.6667]])",
        Form::Native(|a| {
            let (x, pivot): (Tensor, bool) = a.take()?;
            check_lu("linalg.lu", &x, pivot)?;
            for_field!(x.dtype(), T => lu_matrices::<T>(&x, pivot))
        }),
    )
    .grads(back::LU)
    .complex()
    .first_fixed(),
    op(
        "lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)",
        "The three matrices of an LU decomposition in compact form.",
        "torch.lu_unpack(*torch.linalg.lu_factor(torch.tensor([[1., 2.], [3., 4.]]))).P  # tensor([[0., 1.],\n#         [1., 0.]])",
        Form::Native(|a| {
            let x: Tensor = a.get(0)?;
            check_unpack(&x, &a.get(1)?, a.get(3)?)?;
            // Others are unpacked in a dtype that holds them.
            let wide = if matches!(x.dtype(), DType::F32 | DType::C64 | DType::C128) { x.dtype() } else { DType::F64 };
            for_field!(wide, T => unpack::<T>(a))
        }),
    )
    .grads(back::LU_UNPACK)
    .complex()
    .first_fixed(),
    op(
        "linalg.cholesky(Tensor self, *, bool upper=False) -> Tensor",
        "The lower triangular L with `A = L @ L.mH` (or its adjoint) of a Hermitian positive-definite matrix, of which only one \
         triangle is read. Fails with a `LinAlgError` on any other matrix.",
        "torch.linalg.cholesky(torch.tensor([[4., 2.], [2., 5.]]))  # tensor([[2., 0.],\n#         [1., 2.]])",
        Form::Native(|a| Ok(factor_cholesky("linalg.cholesky", &a.get(0)?, a.get(1)?, true)?[0].clone().into())),
    )
    .grads(back::CHOLESKY)
    .complex(),
    op(
        "linalg.cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)",
        "As `cholesky`, with the order of the first leading minor that is not positive-definite instead of a failure.",
        "torch.linalg.cholesky_ex(-torch.eye(2)).info  # tensor(1, dtype=torch.int32)",
        Form::Native(|a| Ok(factor_cholesky("linalg.cholesky_ex", &a.get(0)?, a.get(1)?, a.get(2)?)?.to_vec().into())),
    )
    .grads(back::CHOLESKY)
    .complex(),
    op(
        "linalg.ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)",
        "Writes a symmetric (or Hermitian) matrix as `L @ D @ L.mT` in compact form, where D has blocks of one and of two rows; \
         negative pivots mark a block of two.",
        "torch.linalg.ldl_factor(torch.tensor([[0., 1.], [1., 0.]])).pivots  # tensor([-2, -2], dtype=torch.int32)",
        Form::Native(|a| {
            let [factored, pivots, info] = ldl_tensors("torch.linalg.ldl_factor", &a.get(0)?, a.get(1)?)?;
            refuse_zero_block("torch.linalg.ldl_factor", &info)?;
            Ok(vec![factored, pivots].into())
        }),
    )
    .grads(&[("self", texts::none!("linalg_ldl_factor_ex"))])
    .complex(),
    op(
        "linalg.ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)",
        "As `ldl_factor`, with the place of the first zero block of D, counted from 1, instead of a failure.",
        "torch.linalg.ldl_factor_ex(torch.zeros(2, 2)).info  # tensor(1, dtype=torch.int32)",
        Form::Native(|a| {
            let [factored, pivots, info] = ldl_tensors("torch.linalg.ldl_factor_ex", &a.get(0)?, a.get(1)?)?;
            if a.get(2)? {
                refuse_zero_block("torch.linalg.ldl_factor_ex", &info)?;
            }
            Ok(vec![factored, pivots, info].into())
        }),
    )
    .grads(&[("self", texts::none!("linalg_ldl_factor_ex"))])
    .complex(),
    op(
        "linalg.ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor",
        "Solves `A @ X = B` with the decomposition that `ldl_factor` gives.",
        "f = torch.linalg.ldl_factor(torch.tensor([[0., 2.], [2., 0.]]))\n\
         torch.linalg.ldl_solve(f.LD, f.pivots, torch.tensor([[2.], [4.]]))  # tensor([[2.],\n#         [1.]])",
        Form::Native(|a| {
            let x: Tensor = a.get(0)?;
            check_ldl(&x, &a.get(1)?, &a.get(2)?)?;
            for_field!(x.dtype(), T => solve_ldl::<T>(a))
        }),
    )
    .grads(&[("LD", texts::none!("linalg_ldl_solve")), ("B", texts::none!("linalg_ldl_solve"))])
    .complex(),
];

fn compact_lu(args: &Args) -> Result<Value> {
    let [packed, pivots, info] = lu_tensors(&args.get(0)?, args.get(1)?)?;
    if !args.get(2)? {
        return Ok(vec![packed, pivots].into());
    }
    if !args.op.is_function() {
        return Ok(vec![packed, pivots, info].into());
    }
    let (type_name, fields): (_, &[&str]) = ("torch.return_types._lu_with_info", &["LU", "pivots", "info"]);
    Ok(Value::Named(Rc::new(Named { type_name, fields, values: [packed, pivots, info].map(Value::Tensor).to_vec() })))
}

/// Fails unless the input can be decomposed; without pivots, which PyTorch has only on a GPU, with a `RuntimeError`.
fn check_lu(name: &str, x: &Tensor, pivot: bool) -> Result<()> {
    if x.ndim() < 2 {
        let sizes = x.sizes();
        fault!(RuntimeError, "{name}: Expected tensor with 2 or more dimensions. Got size: {:?} instead", sizes.as_slice());
    }
    check_matrix("torch.lu_factor", x)?;
    if !pivot && x.numel() > 0 {
        fault!(RuntimeError, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
    }
    Ok(())
}

/// The compact form, the exchanged rows, and where the first zero is.
fn lu_tensors(x: &Tensor, pivot: bool) -> Result<[Tensor; 3]> {
    fn of<T: Field>(x: &Tensor) -> Result<[Tensor; 3]> {
        let mut batch = batch::read::<T>(x)?;
        let factors = batch.each(|a| lu::factor(a))?;
        let pivots: Vec<Vec<i32>> = factors.iter().map(|f| f.pivots.iter().map(|p| *p as i32 + 1).collect()).collect();
        let infos: Vec<i32> = factors.iter().map(|f| f.zero.map_or(0, |k| k as i32 + 1)).collect();
        let packed: Vec<Matrix<T>> = factors.into_iter().map(|f| f.packed).collect();
        Ok([
            batch.stack(&packed, (batch.rows, batch.columns), Order::Columns)?,
            batch.vectors(&pivots, batch.rows.min(batch.columns))?,
            batch.elements(&infos)?,
        ])
    }
    check_lu("torch.lu_factor", x, pivot)?;
    for_field!(x.dtype(), T => of::<T>(x))
}

/// Fails where results are to be written into other dtypes, which is looked at before what was found.
fn refuse_targets(args: &Args, results: [&Tensor; 2]) -> Result<()> {
    for (target, result) in args.out.items().unwrap_or_default().iter().zip(results) {
        if let Value::Tensor(target) = target {
            out::dtypes::check_part(args, result.dtype(), target)?;
        }
    }
    Ok(())
}

/// Fails with a `RuntimeError` when an LU decomposition met a zero.
fn refuse_zero(name: &str, info: &Tensor) -> Result<()> {
    let of = |place: usize| if info.ndim() == 0 { String::new() } else { format!(" (Batch element {place}):") };
    match exec::read_vec::<i32>(info)?.into_iter().enumerate().find(|(_, i)| *i > 0) {
        None => Ok(()),
        Some((place, i)) => fault!(
            RuntimeError,
            "{name}:{} U[{i},{i}] is zero and using it on lu_solve would result in a division by zero. If you still want to \
             perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
            of(place)
        ),
    }
}

/// P, L and U; without pivots, which only what has no elements can do without, P is empty.
fn lu_matrices<T: Field>(x: &Tensor, pivot: bool) -> Result<Value> {
    let mut batch = batch::read::<T>(x)?;
    let factors = batch.each(|a| lu::factor(a))?;
    Ok(triangles(&batch, &factors, true, pivot)?.to_vec().into())
}

/// P, L and U of a batch; those that are not asked for are empty.
fn triangles<T: Field>(batch: &Batch<T>, factors: &[lu::Lu<T>], data: bool, pivots: bool) -> Result<[Tensor; 3]> {
    let (m, n) = (batch.rows, batch.columns);
    let k = m.min(n);
    let matrices = |wanted: bool, part: &dyn Fn(&lu::Lu<T>) -> Matrix<T>, shape: (usize, usize)| {
        if !wanted {
            return exec::from_vec::<T>(&[], &[0]);
        }
        let parts: Vec<Matrix<T>> = factors.iter().map(part).collect();
        batch.stack(&parts, shape, Order::Rows)
    };
    let exchanged = |f: &lu::Lu<T>| {
        let mut p = Matrix::zeros(m, m);
        f.order().into_iter().enumerate().for_each(|(i, row)| p[(row, i)] = T::one());
        p
    };
    let p = matrices(pivots, &exchanged, (m, m))?;
    let l = matrices(data, &|f| f.l(), (m, k))?;
    let u = matrices(data, &|f| f.u(), (k, n))?;
    Ok([p, l, u])
}

fn unpack<T: Field>(args: &Args) -> Result<Value> {
    let (x, pivots, data, exchanged): (Tensor, Tensor, bool, bool) = args.take()?;
    let batch = batch::read::<T>(&x)?;
    let factors = if exchanged { packed_lu(&batch, &pivots)? } else { without_pivots(&batch) };
    let parts = triangles(&batch, &factors, data, exchanged)?;
    parts.into_iter().map(|part| exec::cast(&part, x.dtype())).collect::<Result<Vec<Tensor>>>().map(Value::from)
}

/// Fails unless the pivots are those of a decomposition.
fn check_unpack(x: &Tensor, pivots: &Tensor, exchanged: bool) -> Result<()> {
    let sizes = x.sizes();
    if x.ndim() < 2 {
        fault!(RuntimeError, "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {sizes:?} instead");
    }
    if !exchanged {
        return Ok(());
    }
    if pivots.dtype() != DType::I32 {
        fault!(
            RuntimeError,
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n\
             Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
        );
    }
    let [rows, columns] = batch::last_two(x);
    let wanted: Dims = sizes[..sizes.len() - 2].iter().copied().chain([rows.min(columns)]).collect();
    if pivots.sizes() != wanted {
        fault!(ValueError, "Expected LU_pivots to have shape {wanted:?} but got {:?} instead.", pivots.sizes());
    }
    if exec::read_vec::<i32>(pivots)?.iter().any(|p| *p < 1 || i64::from(*p) > rows) {
        fault!(
            RuntimeError,
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result of lu_factor?"
        );
    }
    Ok(())
}

fn without_pivots<T: Field>(batch: &Batch<T>) -> Vec<lu::Lu<T>> {
    batch.matrices.iter().map(|m| lu::Lu { packed: m.clone(), pivots: vec![], zero: None }).collect()
}

/// Decompositions from their compact form, with pivots that fit.
pub(super) fn packed_lu<T: Field>(batch: &Batch<T>, pivots: &Tensor) -> Result<Vec<lu::Lu<T>>> {
    let k = batch.rows.min(batch.columns);
    let all = exec::read_vec::<i32>(pivots)?;
    let of = |i: usize| all[i * k..(i + 1) * k].iter().map(|p| *p as usize - 1).collect();
    Ok(batch.matrices.iter().enumerate().map(|(i, m)| lu::Lu { packed: m.clone(), pivots: of(i), zero: None }).collect())
}

/// L (or its adjoint) and the order of the first minor that is not positive-definite; with `check` that is a `LinAlgError`.
fn factor_cholesky(name: &str, x: &Tensor, upper: bool, check: bool) -> Result<[Tensor; 2]> {
    fn of<T: Field>(name: &str, x: &Tensor, upper: bool, check: bool) -> Result<[Tensor; 2]> {
        let mut batch = batch::read::<T>(x)?;
        let factors = batch.each_named(name, |label, a| {
            let (mut l, minor) = cholesky::factor(if upper { transpose(&a) } else { a })?;
            // On Intel's processors the kernel for three float32 rows takes the last one from the product, not the product from it.
            if follows_intel() && l.nrows() == 3 && size_of::<T>() == 4 && l[(2, 1)] == T::zero() {
                l[(2, 1)] = -T::zero();
            }
            if let (true, Some(order)) = (check, minor) {
                fault!(
                    LinAlgError,
                    "{label}The factorization could not be completed because the input is not positive-definite \
                     (the leading minor of order {order} is not positive-definite)."
                );
            }
            Ok((if upper { transpose(&l) } else { l }, minor.unwrap_or(0) as i32))
        })?;
        let (mut factors, infos): (Vec<_>, Vec<_>) = factors.into_iter().unzip();
        leave_unfinished(&mut factors, &infos, x, upper)?;
        Ok([batch.stack(&factors, (batch.rows, batch.rows), Order::Columns)?, batch.elements(&infos)?])
    }
    check_square(name, x)?;
    for_field!(x.dtype(), T => of::<T>(name, x, upper, check))
}

/// Puts back what was there beyond the first minor that is not positive-definite: the library behind PyTorch has not touched it.
fn leave_unfinished<T: Field>(factors: &mut [Matrix<T>], infos: &[i32], x: &Tensor, upper: bool) -> Result<()> {
    if infos.iter().all(|order| *order == 0) {
        return Ok(());
    }
    let before = batch::read::<T>(x)?.matrices;
    for ((factor, before), order) in factors.iter_mut().zip(before).zip(infos).filter(|(_, order)| **order > 0) {
        let last = *order as usize - 1;
        let n = factor.nrows();
        for (i, j) in (last..n).flat_map(|j| (j..n).map(move |i| (i, j))).filter(|at| *at != (last, last)) {
            let at = if upper { (j, i) } else { (i, j) };
            factor[at] = before[at];
        }
    }
    Ok(())
}

/// The compact form, the pivots, and where the first zero block is.
fn ldl_tensors(name: &str, x: &Tensor, hermitian: bool) -> Result<[Tensor; 3]> {
    fn of<T: Field>(x: &Tensor, hermitian: bool) -> Result<[Tensor; 3]> {
        let mut batch = batch::read::<T>(x)?;
        let factors = batch.each(|a| indefinite::factor(&a, hermitian))?;
        let pivots: Vec<Vec<i32>> = factors.iter().map(|f| f.pivots.clone()).collect();
        let infos: Vec<i32> = factors.iter().map(|f| f.zero.map_or(0, |k| k as i32 + 1)).collect();
        let packed: Vec<Matrix<T>> = factors.into_iter().map(|f| f.packed).collect();
        Ok([
            batch.stack(&packed, (batch.rows, batch.rows), Order::Columns)?,
            batch.vectors(&pivots, batch.rows)?,
            batch.elements(&infos)?,
        ])
    }
    check_square(name, x)?;
    for_field!(x.dtype(), T => of::<T>(x, hermitian))
}

/// Fails in PyTorch's words, which do not know of such blocks.
fn refuse_zero_block(name: &str, info: &Tensor) -> Result<()> {
    match exec::read_vec::<i32>(info)?.into_iter().find(|i| *i > 0) {
        None => Ok(()),
        Some(i) => fault!(
            RuntimeError,
            "false INTERNAL ASSERT FAILED at \"/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp\":1677, please report a bug to \
             PyTorch. {name}: Unknown error code: {i}."
        ),
    }
}

/// Fails unless the pivots are those of a decomposition, and B has as many rows.
fn check_ldl(x: &Tensor, pivots: &Tensor, b: &Tensor) -> Result<()> {
    let name = "torch.linalg.ldl_solve";
    check_sides(name, x)?;
    check_numbers(name, x)?;
    check_old_system(name, x, b)?;
    let (sizes, places) = (x.sizes(), pivots.sizes());
    if sizes[..sizes.len() - 1] != places[..] {
        fault!(
            RuntimeError,
            "{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape {places:?} instead"
        );
    }
    if !pivots.dtype().is_integral(false) {
        fault!(RuntimeError, "{name}: Expected pivots to be integers. Got {}", pivots.dtype().title());
    }
    check_field(name, x)?;
    let rows = last_two(x)[0].unsigned_abs();
    let pivots: Vec<i32> = exec::read_vec(pivots)?;
    let wrong = [(pivots.contains(&0), ">= 1"), (pivots.iter().any(|p| u64::from(p.unsigned_abs()) > rows), "<= LD.size(-2)")];
    if let Some((_, bound)) = wrong.iter().find(|(is_wrong, _)| *is_wrong) {
        fault!(
            RuntimeError,
            "Pivots given to ldl_solve must all satisfy |pivot| {bound}. Did you properly pass the result of ldl_factor?"
        );
    }
    Ok(())
}

fn solve_ldl<T: Field>(args: &Args) -> Result<Value> {
    let (x, pivots, b, hermitian): (Tensor, Tensor, Tensor, bool) = args.take()?;
    let (x, b) = together(&x, &b)?;
    let (batch, mut right) = (batch::read::<T>(&x)?, batch::read::<T>(&b)?);
    let n = batch.rows;
    let sizes: Dims = batch.lead.iter().copied().chain([n as i64]).collect();
    let all = exec::read_vec::<i32>(&pivots.alias(pivots.layout().expand(&sizes)?)?)?;
    for (i, (matrix, b)) in batch.matrices.iter().zip(&mut right.matrices).enumerate() {
        let factored = Factored { packed: matrix.clone(), pivots: all[i * n..(i + 1) * n].to_vec(), zero: None };
        factored.solve(b, hermitian)?;
    }
    Ok(right.stack(&right.matrices, (right.rows, right.columns), Order::Columns)?.into())
}
