//! Elements at places that indices name are those of a plain loop, whoever of the threads writes them; so are the extremes of columns.

use crate::dtype::DType;
use crate::kernel::fold;
use crate::kernel::indexed::Combine;
use crate::ops::exec::*;
use crate::tensor::Tensor;
use crate::testing::steps;

/// Numbers below `most` without a pattern.
fn scattered(n: i64, most: i64) -> Vec<i64> {
    (0..n).map(|i| (i * 2_654_435_761 + 12_345) % (1 << 32) / 65_536 % most).collect()
}

fn matrix(values: &[i64], rows: i64, columns: i64, dtype: DType) -> Tensor {
    cast(&from_vec(values, &[rows, columns]).unwrap(), dtype).unwrap()
}

/// A matrix and its transposed view, each with an index of as many cells as it has; values meet at most places.
fn tables(dtype: DType) -> Vec<(Tensor, usize, Tensor, Tensor)> {
    let (rows, columns) = steps((300, 700), (5, 9));
    let mut found = vec![];
    for turned in [false, true] {
        for dim in 0..2 {
            let view = |t: Tensor| if turned { t.alias(t.layout().transpose(0, 1).unwrap()).unwrap() } else { t };
            let table = view(matrix(&scattered(rows * columns, 1000), rows, columns, dtype));
            let most = table.sizes()[dim];
            let index = view(matrix(&scattered(rows * columns, most), rows, columns, DType::I64));
            let values = view(matrix(&scattered(rows * columns, 77), rows, columns, dtype));
            found.push((table, dim, index, values));
        }
    }
    found
}

#[test]
fn values_are_written_in_the_order_of_a_plain_loop() {
    for dtype in [DType::I64, DType::F32, DType::U8, DType::F16] {
        for (table, dim, index, values) in tables(dtype) {
            let sizes = table.sizes();
            let [before, places, new] = [&table, &index, &values].map(|t| read_vec::<i64>(t).unwrap());
            let cell = |i: usize| {
                let at = [i as i64 / sizes[1], i as i64 % sizes[1]];
                let moved = if dim == 0 { [places[i], at[1]] } else { [at[0], places[i]] };
                (moved[0] * sizes[1] + moved[1]) as usize
            };
            let mut written = before.clone();
            let mut greatest = before.clone();
            for i in 0..before.len() {
                written[cell(i)] = new[i];
                greatest[cell(i)] = greatest[cell(i)].max(new[i]);
            }
            let walk = Places::along(&table.layout(), dim, index.clone());
            let [to, most, read] = [0, 1, 2].map(|_| clone(&table).unwrap());
            let walk_of = |t: &Tensor| Places::along(&t.layout(), dim, index.clone());
            write_at(&to, &walk_of(&to), &values).unwrap();
            combine_at(&most, &walk_of(&most), &values, Combine::Greatest).unwrap();
            read_at(&table, &walk, &read).unwrap();
            assert!(read_vec::<i64>(&to).unwrap() == written, "{dtype} along {dim}");
            assert!(read_vec::<i64>(&most).unwrap() == greatest, "{dtype} along {dim}");
            let picked: Vec<i64> = (0..before.len()).map(|i| before[cell(i)]).collect();
            assert!(read_vec::<i64>(&read).unwrap() == picked, "{dtype} along {dim}");
        }
    }
}

#[test]
fn places_out_of_range_are_found_wherever_they_are() {
    let n = steps(200_000, 300);
    for (bad, at) in [(-1, 0), (7, n - 1), (i64::MIN, n / 2), (i64::MAX, n / 3)] {
        let mut numbers = scattered(n, 7);
        let refused = |numbers: &[i64]| checked_indices(&from_vec(numbers, &[n]).unwrap(), 0, 7, |i| anyhow::anyhow!("{i}"));
        assert!(refused(&numbers).is_ok());
        numbers[at as usize] = bad;
        assert_eq!(refused(&numbers).unwrap_err().to_string(), bad.to_string());
    }
}

#[test]
fn the_first_of_the_greatest_of_each_column_is_found() {
    for (rows, columns) in
        [(1, 5), (9, 40), (1000, 1), (1000, 3), (70, 33), (3000, 10), (10, 3000), (129, 129)].into_iter().take(steps(8, 2))
    {
        for dtype in [DType::F32, DType::F64, DType::I64, DType::U8] {
            let mut numbers: Vec<f64> = scattered(rows * columns, 50).into_iter().map(|n| n as f64).collect();
            if dtype.is_float() {
                numbers.iter_mut().step_by(97).for_each(|x| *x = f64::NAN);
            }
            let x = cast(&from_vec(&numbers, &[rows, columns]).unwrap(), dtype).unwrap();
            let wanted = Reduction { results: [dtype, DType::I64], ..Reduction::new(&fold::MAX_AT, dtype) };
            let found = fold(&wanted, &x, &[0], false).unwrap();
            let (best, at) = (read_vec::<f64>(&found[0]).unwrap(), read_vec::<i64>(&found[1]).unwrap());
            for c in 0..columns as usize {
                let column: Vec<f64> = (0..rows as usize).map(|r| numbers[r * columns as usize + c]).collect();
                let most = column.iter().copied().fold(f64::NEG_INFINITY, |m, x| if m.is_nan() || m >= x { m } else { x });
                let first = column.iter().position(|x| *x == most || (x.is_nan() && most.is_nan())).unwrap();
                assert_eq!(at[c], first as i64, "{dtype} {rows} x {columns}, column {c}");
                assert!(best[c] == most || (best[c].is_nan() && most.is_nan()));
            }
        }
    }
}

#[test]
fn parts_of_rows_are_copied_as_they_are() {
    let (rows, columns) = (steps(400, 3), 130);
    for dtype in [DType::U8, DType::I16, DType::F32, DType::I64, DType::C128] {
        let x = matrix(&scattered(rows * columns, 100), rows, columns, dtype);
        for (from, to, len) in [(0, 1, 129), (3, 0, 3), (97, 20, 33), (0, 0, 130), (5, 5, 1), (1, 64, 64)] {
            let out = clone(&matrix(&vec![0; (rows * columns) as usize], rows, columns, dtype)).unwrap();
            let part = |t: &Tensor, first: i64| t.alias(t.layout().narrow(1, first, len).unwrap()).unwrap();
            copy(&part(&out, to), &part(&x, from)).unwrap();
            let (source, result) = (read_vec::<i64>(&x).unwrap(), read_vec::<i64>(&out).unwrap());
            for (i, cell) in result.iter().enumerate() {
                let (row, column) = (i as i64 / columns, i as i64 % columns);
                let inside = (to..to + len).contains(&column);
                let expected = if inside { source[(row * columns + column - to + from) as usize] } else { 0 };
                assert_eq!(*cell, expected, "{dtype} {from} {to} {len} at {row}, {column}");
            }
        }
    }
}

#[test]
fn columns_that_are_added_up_are_the_product_with_a_vector() {
    for dtype in [DType::F32, DType::F64] {
        for (rows, columns) in [(17, 128), (40, 129), (300, 1000), (700, 200), (1025, 383)].into_iter().take(steps(5, 1)) {
            // Whole numbers, so that every order of additions gives the same.
            let (a, by) = (scattered(rows * columns, 100), scattered(rows, 30));
            let x = matrix(&a, rows, columns, dtype);
            let vector = cast(&from_vec(&by, &[rows]).unwrap(), dtype).unwrap();
            let turned = x.alias(x.layout().transpose(0, 1).unwrap()).unwrap();
            let column = |c: i64| (0..rows).map(|r| a[(r * columns + c) as usize] * by[r as usize]).sum::<i64>();
            let expected: Vec<i64> = (0..columns).map(column).collect();
            let by_rows = vector.alias(vector.layout().unsqueeze(0).unwrap()).unwrap();
            let by_columns = vector.alias(vector.layout().unsqueeze(1).unwrap()).unwrap();
            for found in [matmul(&by_rows, &x).unwrap(), matmul(&turned, &by_columns).unwrap()] {
                assert_eq!(read_vec::<i64>(&found).unwrap(), expected, "{dtype} {rows} x {columns}");
            }
        }
    }
}
