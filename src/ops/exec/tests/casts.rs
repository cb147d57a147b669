//! Casts give the bits that PyTorch 2.15 gives on x86; `tests/goldens/casts.txt` holds them.

use super::iota;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::layout::Layout;
use crate::ops::exec::*;
use crate::testing::steps;

/// The bytes of one recorded element; a complex one is written `real:imaginary`.
fn element(text: &str, dtype: DType) -> Vec<u8> {
    let parts: Vec<&str> = text.split(':').collect();
    let size = dtype.size() / parts.len();
    parts.iter().flat_map(|p| u64::from_str_radix(p, 16).unwrap().to_le_bytes()[..size].to_vec()).collect()
}

/// The same but for the bits of a nan.
fn same(got: &[u8], expected: &str, dtype: DType) -> bool {
    let nan = |bytes: &[u8]| crate::dtype::Number::read(dtype.to_real(), bytes).to_f64().is_nan();
    if expected == "nan" {
        return nan(got);
    }
    let half = dtype.to_real().size();
    let wanted = element(expected, dtype);
    let part = |g: &[u8], w: &[u8]| g == w || (dtype.is_complex() && nan(g) && nan(w));
    got.chunks(half).zip(wanted.chunks(half)).all(|(g, w)| part(g, w))
}

#[test]
fn casts_have_pytorch_bits() {
    let text = include_str!("../../../../tests/goldens/casts.txt");
    let mut wrong = vec![];
    for line in text.lines().step_by(steps(1, 10)) {
        let mut words = line.split(' ');
        let mut dtype = || DType::from_name(words.next().unwrap()).unwrap();
        let (from, to) = (dtype(), dtype());
        let pairs: Vec<(&str, &str)> = words.map(|pair| pair.split_once('>').unwrap()).collect();
        let n = pairs.len() as i64;
        let input: Vec<u8> = pairs.iter().flat_map(|(before, _)| element(before, from)).collect();
        let whole = from_bytes(&input, &[n], from).unwrap();
        let spread = empty(&[2 * n], from, crate::device::DeviceId::Cpu).unwrap().alias(Layout::new(&[n], &[2], 0)).unwrap();
        copy(&spread, &whole).unwrap();
        for tensor in [whole, spread] {
            let output = bytes(&cast(&tensor, to).unwrap()).unwrap();
            for ((before, after), got) in pairs.iter().zip(output.chunks(to.size())) {
                if !same(got, after, to) {
                    wrong.push(format!("{from} {before} to {to}: {got:02x?}, not {after}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_promised_result_is_computed_where_it_is_copied_to() {
    let n = 1 << 16;
    let (numbers, to) = (iota(n), empty(&[n], DType::F32, DeviceId::Cpu).unwrap());
    let scope = Scope::open();
    let promised = cast(&numbers, DType::F32).unwrap();
    assert!(promised.promise().is_some());
    copy(&to, &promised).unwrap();
    assert!(promised.promise().is_some(), "it has no elements of its own yet");
    assert_eq!(read_vec::<f32>(&to).unwrap()[n as usize - 1], (n - 1) as f32);
    scope.close().unwrap();
}
