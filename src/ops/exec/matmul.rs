//! Products of matrices and of batches of them.

use super::convert::{cast, copy, resolve};
use super::make::{empty, zeros};
use super::place::{broadcast, common_device};
use crate::device::{self, Address, DeviceId};
use crate::dtype::DType;
use crate::kernel::matmul::{Matrix, Product, multiplies, starts_at_added};
use crate::kernel::order::expanded_strides;
use crate::layout::{Dims, Layout};
use crate::tensor::{Strided, Tensor};
use anyhow::Result;
use smallvec::SmallVec;

/// `left @ right` for tensors of at least two dimensions and of one dtype: the last two are matrices (m, k) and (k, n), those
/// before them broadcast. The result (…, m, n) is contiguous.
///
/// float16 and bfloat16 are computed in float32, integers wrap. Fails with a `RuntimeError` when sizes do not fit.
pub fn matmul(left: &Tensor, right: &Tensor) -> Result<Tensor> {
    Ok(matmul_onto(left, right, None)?.0)
}

/// As [`matmul`], with the matrices of a batch multiplied one by one, as PyTorch does in kernels that go through them themselves.
pub fn matmul_each(left: &Tensor, right: &Tensor) -> Result<Tensor> {
    Ok(multiply(left, right, None, false)?.0)
}

/// What a product is added to, for its sizes.
pub type Added<'a> = Option<&'a dyn Fn(&[i64]) -> Result<Tensor>>;

/// As [`matmul`]. Where PyTorch's library starts the sums of such a product at the numbers to which it is added, or adds the sums of its
/// pieces to them one after the other, that is done here, and the second result is true; else the product is yet to be added.
pub fn matmul_onto(left: &Tensor, right: &Tensor, added: Added) -> Result<(Tensor, bool)> {
    multiply(left, right, added, left.ndim().max(right.ndim()) > 2)
}

fn multiply(left: &Tensor, right: &Tensor, added: Added, is_batch: bool) -> Result<(Tensor, bool)> {
    let device = common_device([left, right])?;
    let dtype = left.dtype();
    let compute = match compute_dtype(left, right) {
        // Tiles sum in one row; a long line is summed better, and as fast, in float32.
        DType::F16 | DType::BF16 if has_lines(left, right) || device != DeviceId::Cpu => DType::F32,
        compute => compute,
    };
    let (a, b) = (ready(left, compute)?, ready(right, compute)?);
    let ([m, k], [rows, n]) = (last_two(&a.layout)?, last_two(&b.layout)?);
    if k != rows {
        fault!(RuntimeError, "mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {rows}x{n})");
    }
    let batch = match (leading(&a.layout.sizes), leading(&b.layout.sizes)) {
        ([], []) => Dims::new(),
        (of_left, of_right) => broadcast(&[of_left, of_right])?,
    };
    let mut sizes = batch.clone();
    sizes.push(m);
    sizes.push(n);
    let out = if k > 0 { empty(&sizes, compute, device)? } else { zeros(&sizes, compute, device)? };
    let mut onto = false;
    if out.numel() > 0 && k > 0 {
        let c = out.strided()?;
        let mut product = Product {
            dtype: compute,
            m: m as usize,
            n: n as usize,
            k: k as usize,
            matrices: [&c.layout, &a.layout, &b.layout].map(|l| entries(l, compute)),
            batch: places(&batch, &[&c.layout, &a.layout, &b.layout], compute),
            is_batch,
            is_widened: compute != dtype,
            onto: false,
            piece: None,
            added: false,
        };
        product.onto = added.is_some() && starts_at_added(&product);
        product.added = added.is_some() && !product.onto && product.has_pieces();
        onto = product.onto || product.added;
        if let Some(added) = added.filter(|_| onto) {
            copy(&out, &added(&sizes)?)?;
        }
        let at: [Address; 3] = [&c, &a, &b].map(|form| form.storage.as_ptr());
        // SAFETY: all three layouts were checked against their storages, and the result is new.
        unsafe { device::get(device)?.gemm(&product, &at)? };
    }
    Ok((cast(&out, dtype)?, onto))
}

/// The elements in a dtype, without marks.
fn ready(tensor: &Tensor, dtype: DType) -> Result<Strided> {
    if tensor.dtype() == dtype {
        let form = tensor.strided()?;
        if !form.conj && !form.neg {
            return Ok(form);
        }
    }
    resolve(&cast(tensor, dtype)?)?.strided()
}

/// True when one matrix has one row, or the other one column.
fn has_lines(left: &Tensor, right: &Tensor) -> bool {
    left.sizes().iter().rev().nth(1) == Some(&1) || right.sizes().last() == Some(&1)
}

/// Multiplications for each place of the batch.
fn work(rows: &[i64], columns: &[i64]) -> usize {
    rows.iter().rev().take(2).chain(columns.last()).fold(1usize, |work, size| work.saturating_mul(*size as usize))
}

/// The dtype that products of two tensors of one dtype are computed in.
fn compute_dtype(left: &Tensor, right: &Tensor) -> DType {
    match left.dtype() {
        d @ (DType::F32 | DType::F64 | DType::I64) => d,
        d if multiplies(d, work(&left.layout().sizes, &right.layout().sizes)) => d,
        DType::C32 | DType::BC32 => DType::C64,
        d if d.is_float() => DType::F32,
        _ => DType::I64,
    }
}

fn last_two(layout: &Layout) -> Result<[i64; 2]> {
    match layout.sizes.as_slice() {
        [.., rows, columns] => Ok([*rows, *columns]),
        other => fault!(RuntimeError, "a matrix has two dimensions, not {}", other.len()),
    }
}

/// All dimensions but the last two.
fn leading(dims: &[i64]) -> &[i64] {
    &dims[..dims.len().saturating_sub(2)]
}

fn entries(layout: &Layout, dtype: DType) -> Matrix {
    // A dimension of one cell may have any stride: nothing steps along it.
    let step = |k: usize| (layout.strides[layout.ndim() - k] as isize).wrapping_mul(dtype.size() as isize);
    Matrix { row: step(2), column: step(1) }
}

/// For each place of the batch, the byte where each matrix starts.
fn places(batch: &[i64], layouts: &[&Layout; 3], dtype: DType) -> SmallVec<[[isize; 3]; 1]> {
    if batch.is_empty() {
        return SmallVec::from_buf([layouts.map(|l| l.start(dtype.size()))]);
    }
    let strides: [Dims; 3] = layouts.map(|l| {
        let lead = Layout::new(leading(&l.sizes), leading(&l.strides), 0);
        expanded_strides(&lead, batch)
    });
    let count: i64 = batch.iter().product();
    (0..count)
        .map(|place| {
            std::array::from_fn(|i| {
                let (mut rest, mut cell) = (place, layouts[i].offset);
                for k in (0..batch.len()).rev() {
                    cell += rest % batch[k] * strides[i][k];
                    rest /= batch[k];
                }
                cell as isize * dtype.size() as isize
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::exec::{from_vec, read_vec};

    /// Matrices of small whole numbers: contiguous, transposed, sliced, repeated.
    fn matrices(rows: i64, columns: i64) -> Vec<Tensor> {
        let base = from_vec(&(0..2000).map(|i| (i * 7 % 11 - 5) as f32).collect::<Vec<_>>(), &[2000]).unwrap();
        let strides = [[columns, 1], [1, rows], [2 * columns, 2], [0, 1], [1, 0]];
        strides.iter().map(|s| base.alias(Layout::new(&[rows, columns], s, 3)).unwrap()).collect()
    }

    fn by_hand(a: &Tensor, b: &Tensor) -> Vec<f32> {
        let (m, k, n) = (a.sizes()[0] as usize, a.sizes()[1] as usize, b.sizes()[1] as usize);
        let (a, b) = (read_vec::<f32>(a).unwrap(), read_vec::<f32>(b).unwrap());
        let entry = |i: usize, j: usize| (0..k).map(|x| a[i * k + x] * b[x * n + j]).sum();
        (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect()
    }

    #[test]
    fn matrices_of_any_strides_and_dtype_multiply() {
        let dtypes =
            [DType::F32, DType::F64, DType::F16, DType::BF16, DType::C64, DType::C128, DType::I64, DType::I32, DType::I16];
        for (a, b) in matrices(5, 7).iter().flat_map(|a| matrices(7, 3).into_iter().map(move |b| (a.clone(), b))) {
            for dtype in dtypes {
                let product = matmul(&cast(&a, dtype).unwrap(), &cast(&b, dtype).unwrap()).unwrap();
                assert_eq!((product.dtype(), product.sizes().as_slice()), (dtype, &[5, 3][..]));
                assert_eq!(read_vec::<f32>(&product).unwrap(), by_hand(&a, &b), "{dtype}");
            }
        }
    }

    /// Sizes around those of tiles and strips, of pieces of rows, and of a right side that is turned.
    #[test]
    fn products_of_any_size_have_every_entry() {
        for (m, k, n) in [(1, 3, 17), (6, 5, 16), (7, 9, 63), (13, 2, 64), (5, 70, 131), (40, 31, 65), (90, 60, 70)] {
            let whole = |count: i64, step: i64| (0..count).map(|i| (i * step % 11 - 5) as f32).collect::<Vec<_>>();
            let a = from_vec(&whole(m * k, 7), &[m, k]).unwrap();
            let b = from_vec(&whole(k * n, 5), &[k, n]).unwrap();
            let turned = from_vec(&whole(k * n, 3), &[n, k]).unwrap().alias(Layout::new(&[k, n], &[1, k], 0)).unwrap();
            for (right, dtype) in [(&b, DType::F32), (&b, DType::F64), (&turned, DType::F32), (&turned, DType::F64)] {
                let product = matmul(&cast(&a, dtype).unwrap(), &cast(right, dtype).unwrap()).unwrap();
                assert_eq!(read_vec::<f32>(&product).unwrap(), by_hand(&a, right), "{m} x {k} x {n}, {dtype}");
            }
        }
    }

    /// In one run of columns and in several, of some entries and of many.
    #[test]
    fn sums_of_columns_have_every_entry() {
        for (k, n) in [(17, 128), (300, 200), (600, 4300)] {
            let whole = |count: i64, step: i64| (0..count).map(|i| (i * step % 11 - 5) as f32).collect::<Vec<_>>();
            let (line, matrix) = (from_vec(&whole(k, 7), &[1, k]).unwrap(), from_vec(&whole(k * n, 5), &[k, n]).unwrap());
            let expected = by_hand(&line, &matrix);
            for dtype in [DType::F32, DType::F64] {
                let (line, matrix) = (cast(&line, dtype).unwrap(), cast(&matrix, dtype).unwrap());
                assert_eq!(read_vec::<f32>(&matmul(&line, &matrix).unwrap()).unwrap(), expected, "{k} x {n}, {dtype}");
                let turned = matrix.alias(Layout::new(&[n, k], &[1, n], 0)).unwrap();
                let column = line.alias(Layout::new(&[k, 1], &[1, 1], 0)).unwrap();
                assert_eq!(read_vec::<f32>(&matmul(&turned, &column).unwrap()).unwrap(), expected, "{n} x {k}, {dtype}");
            }
        }
    }

    /// Products that a library computes: with entries of whole numbers, whose sums are exact, for any order of the terms.
    #[test]
    fn large_products_of_any_strides_have_every_entry() {
        let (m, k, n) = (260, 400, 170);
        let whole = |rows: i64, columns: i64, turned: bool| {
            let values: Vec<f32> = (0..3 * rows * columns).map(|i| (i * 7 % 11 - 5) as f32).collect();
            let base = from_vec(&values, &[3 * rows * columns]).unwrap();
            let strides = if turned { [1, rows] } else { [columns, 1] };
            let plain = base.alias(Layout::new(&[rows, columns], &strides, 0)).unwrap();
            let apart = base.alias(Layout::new(&[rows, columns], &[2 * columns, 2], 1)).unwrap();
            [plain, apart]
        };
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)]
            .into_iter()
            .flat_map(|(a, b)| whole(m, k, a).into_iter().zip(whole(k, n, b)))
        {
            let expected = matmul(&cast(&a, DType::F64).unwrap(), &cast(&b, DType::F64).unwrap()).unwrap();
            for dtype in [DType::F32, DType::F16] {
                let product = matmul(&cast(&a, dtype).unwrap(), &cast(&b, dtype).unwrap()).unwrap();
                let rounded = cast(&expected, dtype).unwrap();
                assert_eq!(read_vec::<f32>(&product).unwrap(), read_vec::<f32>(&rounded).unwrap(), "{dtype}");
            }
        }
        let (a, b) = (&whole(m, k, false)[0], &whole(k, n, true)[0]);
        assert_eq!(read_vec::<f32>(&matmul(a, b).unwrap()).unwrap(), by_hand(a, b));
    }

    #[test]
    fn a_long_line_is_summed_in_the_same_pieces_on_any_number_of_threads() {
        let count = 3 * crate::kernel::inner::PIECE as i64 + 77;
        let values: Vec<f32> = (0..2 * count).map(|i| (i * 7 % 11 - 5) as f32).collect();
        let rows = from_vec(&values, &[2, count]).unwrap();
        let column = rows.alias(Layout::new(&[count, 1], &[1, 1], 0)).unwrap();
        let exact: Vec<f32> = values.chunks(count as usize).map(|r| r.iter().zip(&values).map(|(x, y)| x * y).sum()).collect();
        assert_eq!(read_vec::<f32>(&matmul(&rows, &column).unwrap()).unwrap(), exact);
        let row = rows.alias(Layout::new(&[1, count], &[count, 1], 0)).unwrap();
        let turned = rows.alias(Layout::new(&[count, 2], &[1, count], 0)).unwrap();
        assert_eq!(read_vec::<f32>(&matmul(&row, &turned).unwrap()).unwrap(), exact);
    }

    #[test]
    fn batches_broadcast() {
        let base = from_vec(&(0..400).map(|i| (i % 13) as f64).collect::<Vec<_>>(), &[400]).unwrap();
        let a = base.alias(Layout::new(&[4, 1, 2, 3], &[6, 6, 3, 1], 0)).unwrap();
        let b = base.alias(Layout::new(&[5, 3, 2], &[6, 1, 3], 9)).unwrap();
        let product = matmul(&a, &b).unwrap();
        assert_eq!(product.sizes().as_slice(), [4, 5, 2, 2]);
        let part = |t: &Tensor, sizes: &[i64], strides: &[i64], offset| t.alias(Layout::new(sizes, strides, offset)).unwrap();
        for (i, j) in (0..4).flat_map(|i| (0..5).map(move |j| (i, j))) {
            let one = matmul(&part(&base, &[2, 3], &[3, 1], i * 6), &part(&base, &[3, 2], &[1, 3], 9 + j * 6)).unwrap();
            let same = part(&product, &[2, 2], &[2, 1], (i * 5 + j) * 4);
            assert_eq!(read_vec::<f64>(&one).unwrap(), read_vec::<f64>(&same).unwrap());
        }
    }

    #[test]
    fn empty_products_are_zero_and_wrong_sizes_are_refused() {
        let empty = |sizes: &[i64]| zeros(sizes, DType::F32, DeviceId::Cpu).unwrap();
        assert_eq!(read_vec::<f32>(&matmul(&empty(&[2, 0]), &empty(&[0, 3])).unwrap()).unwrap(), [0.0; 6]);
        assert_eq!(matmul(&empty(&[0, 3]), &empty(&[3, 4])).unwrap().sizes().as_slice(), [0, 4]);
        assert!(matmul(&empty(&[2, 3]), &empty(&[4, 4])).unwrap_err().to_string().contains("(2x3 and 4x4)"));
    }
}
