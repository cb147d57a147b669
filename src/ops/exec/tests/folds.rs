//! Reductions and scans have the bits that PyTorch 2.15 gives on one thread; `tests/goldens/folds.txt` holds them.

use super::{by_index, values, views};
use crate::dtype::DType;
use crate::kernel::{fold, scan};
use crate::layout::Layout;
use crate::ops::exec::*;
use crate::tensor::Tensor;

/// The storage that every case reads, as the recording script fills it.
fn storage(dtype: DType) -> Tensor {
    let bits = |i: u64| (i * 2_654_435_761 + 12_345) % (1 << 32);
    let real = |i: u64| (bits(i) as f64 / (1u64 << 32) as f64 * 3.0 - 1.0) as f32;
    let values: Vec<f64> = (0..200_000)
        .map(|i| match dtype {
            DType::Bool => (bits(i) % 7 > 0) as u8 as f64,
            d if d.is_integral(false) => (bits(i) / 65_536 % 23) as f64 - if d == DType::U8 { 0.0 } else { 11.0 },
            _ => real(i) as f64,
        })
        .collect();
    if dtype.is_complex() {
        let parts: Vec<num_complex::Complex<f64>> =
            (0..200_000).map(|i| num_complex::Complex::new(real(i) as f64, real((i + 1) % 200_000) as f64)).collect();
        return cast(&from_vec(&parts, &[200_000]).unwrap(), dtype).unwrap();
    }
    cast(&from_vec(&values, &[200_000]).unwrap(), dtype).unwrap()
}

fn numbers(text: &str) -> Vec<i64> {
    text.split('x').map(|n| n.parse().unwrap()).collect()
}

fn hash(tensors: &[Tensor]) -> u64 {
    let step = |h: u64, b: u8| (h ^ b as u64).wrapping_mul(0x100_0000_01b3);
    tensors.iter().flat_map(|t| bytes(t).unwrap()).fold(0xcbf2_9ce4_8422_2325, step)
}

/// The reduction behind a name of the recording.
fn reduction(op: &str, dtype: DType) -> Reduction<'static> {
    let wide = if dtype.is_integral(true) { DType::I64 } else { dtype };
    match op {
        "sum" => Reduction::new(&fold::SUM, wide),
        "prod" => Reduction::new(&fold::PROD, wide),
        "mean" => Reduction::new(&fold::MEAN, dtype),
        "amax" => Reduction::new(&fold::MAX, dtype),
        "amin" => Reduction::new(&fold::MIN, dtype),
        "max" => Reduction { results: [dtype, DType::I64], ..Reduction::new(&fold::MAX_AT, dtype) },
        "min" => Reduction { results: [dtype, DType::I64], ..Reduction::new(&fold::MIN_AT, dtype) },
        "var" => Reduction { number: 1.0, ..Reduction::new(&fold::VAR, dtype) },
        "std" => Reduction { number: 1.0, ..Reduction::new(&fold::STD, dtype) },
        "norm" => Reduction::new(&fold::NORM, dtype),
        "any" | "all" => {
            let result = if dtype == DType::U8 { DType::U8 } else { DType::Bool };
            let fold = if op == "any" { &fold::ANY } else { &fold::ALL };
            Reduction { results: [result, result], ..Reduction::new(fold, DType::Bool) }
        }
        other => panic!("{other} is not recorded"),
    }
}

/// The scan behind a name of the recording.
fn running(op: &str) -> Option<&'static scan::Scan> {
    match op {
        "cumsum" => Some(&scan::CUMSUM),
        "cumprod" => Some(&scan::CUMPROD),
        "cummax" => Some(&scan::CUMMAX),
        "cummin" => Some(&scan::CUMMIN),
        _ => None,
    }
}

fn check(line: &str, stores: &mut std::collections::HashMap<String, Tensor>) -> bool {
    let parts: Vec<&str> = line.split(' ').collect();
    let [op, dtype, sizes, strides, offset, dims, expected] = parts[..] else { panic!("{line}") };
    let kind = DType::from_name(dtype).unwrap();
    let store = stores.entry(dtype.to_string()).or_insert_with(|| storage(kind));
    let x = store.alias(Layout::new(&numbers(sizes), &numbers(strides), offset.parse().unwrap())).unwrap();
    let dims: Vec<usize> = numbers(dims).iter().map(|d| *d as usize).collect();
    let mut results = match running(op) {
        Some(what) => {
            let sums = matches!(op, "cumsum" | "cumprod") && kind.is_integral(true);
            scan(what, &x, dims[0], if sums { DType::I64 } else { kind }).unwrap()
        }
        None => fold(&reduction(op, kind), &x, &dims, false).unwrap(),
    };
    if matches!(op, "var" | "std") {
        results.truncate(1);
    }
    format!("{:016x}", hash(&results)) == expected
}

#[test]
#[cfg_attr(miri, ignore = "hundreds of thousands of elements")]
fn reductions_have_pytorch_bits() {
    let text = std::fs::read_to_string(std::env::var("FOLDS").unwrap_or("tests/goldens/folds.txt".into())).unwrap();
    let mut stores = Default::default();
    let wrong: Vec<&str> = text.lines().filter(|line| !check(line, &mut stores)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), text.lines().count(), wrong.join("\n"));
}

/// Sums of the first `n` numbers of the storage's formula in float32 and float64, of three rows of them, and where the
/// greatest is, folded by so many threads.
fn long_sums(n: i64, threads: usize) -> (u32, u64, Vec<u32>, i64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let bits = |i: u64| (i * 2_654_435_761 + 12_345) % (1 << 32);
        let real: Vec<f32> = (0..n as u64).map(|i| (bits(i) as f64 / (1u64 << 32) as f64 * 3.0 - 1.0) as f32).collect();
        let x = from_vec(&real, &[n]).unwrap();
        let sum = |x: &Tensor, dtype, dim| fold(&Reduction::new(&fold::SUM, dtype), x, &[dim], false).unwrap().remove(0);
        let rows = x.alias(Layout::contiguous(&[3, n / 3])).unwrap();
        let best = Reduction { results: [DType::F32, DType::I64], ..Reduction::new(&fold::MAX_AT, DType::F32) };
        (
            read_vec::<f32>(&sum(&x, DType::F32, 0)).unwrap()[0].to_bits(),
            read_vec::<f64>(&sum(&x, DType::F64, 0)).unwrap()[0].to_bits(),
            read_vec::<f32>(&sum(&rows, DType::F32, 1)).unwrap().iter().map(|v| v.to_bits()).collect(),
            read_vec::<i64>(&fold(&best, &x, &[0], false).unwrap()[1]).unwrap()[0],
        )
    })
}

#[test]
#[cfg_attr(miri, ignore = "millions of elements")]
fn long_sums_have_pytorch_bits_on_any_number_of_threads() {
    for threads in [1, 2, 3] {
        let expected = (0x4812_7b9d, 0x4102_4f73_8a46_0f38, vec![0x4743_4e57, 0x4743_507b, 0x4743_4fa0], 101_098);
        assert_eq!(long_sums(300_000, threads), expected);
        let expected = (0x48f4_23ca, 0x411e_8479_3830_f324, vec![0x4822_c250, 0x4822_c2ce, 0x4822_c28b], 830_676);
        assert_eq!(long_sums(1_000_003, threads), expected);
    }
}

/// Sums, greatest elements with their places and running sums of small tensors that lie in every way.
#[test]
fn every_layout_is_folded_and_scanned() {
    for (view, dtype) in views().iter().flat_map(|view| [DType::I64, DType::F32, DType::F16].map(|dtype| (view, dtype))) {
        let (x, cells) = (cast(view, dtype).unwrap(), by_index(view));
        let row = |i: usize| cells[4 * i..4 * i + 4].iter();
        let sum = |dim| values(&fold(&Reduction::new(&fold::SUM, dtype), &x, &[dim], false).unwrap()[0]);
        assert_eq!(sum(1), (0..3).map(|i| row(i).sum()).collect::<Vec<i64>>());
        assert_eq!(sum(0), (0..4).map(|j| (0..3).map(|i| cells[4 * i + j]).sum()).collect::<Vec<i64>>());
        let best = Reduction { results: [dtype, DType::I64], ..Reduction::new(&fold::MAX_AT, dtype) };
        assert_eq!(
            values(&fold(&best, &x, &[1], false).unwrap()[0]),
            (0..3).filter_map(|i| row(i).max().copied()).collect::<Vec<_>>()
        );
        let running = scan(&scan::CUMSUM, &x, 1, dtype).unwrap();
        let last = |i: usize| values(&running[0])[4 * i + 3];
        assert_eq!((0..3).map(last).collect::<Vec<_>>(), sum(1));
    }
}
