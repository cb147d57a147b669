//! Light functions give the same whatever their arguments lie like, be it one element, a row, a column, or the result's own place.

use super::*;

static LESS: Scalar = scalar! { light sub(a, b), Promote, "a - b"; whole: a.wrapping_sub(b); float: a - b; complex: a - b };
static ABOVE: Scalar = scalar! { light gt(a, b), Truth, "a > b"; real => bool: a > b; narrow => bool: a > b };
static MINUS: Scalar = scalar! { light neg(a), Promote, "-a"; whole: a.wrapping_neg(); float: -a; complex: -a };
static WITHIN: Scalar = scalar! { light clamp(a, low, high), Promote, "min(max(a, low), high)"; whole: a.max(low).min(high); float: a.max(low).min(high) };

/// Rows and columns of the tensors: more than a block in all, rows longer than a block, and few of both.
const SIZES: [[i64; 2]; 3] = steps([[40, 50], [3, 1500], [2, 3]], [[2, 3], [1, 9], [4, 1]]);
const DTYPES: [DType; 5] = [DType::F32, DType::F64, DType::I64, DType::I32, DType::U8];

/// Small numbers in so many rows and columns, as they lie in memory row by row, column by column, and with gaps.
fn laid_out(size: [i64; 2], dtype: DType) -> Vec<Tensor> {
    let [rows, columns] = size;
    let numbers = cast(
        &from_vec(&(0..2 * rows * columns).map(|i| i * 7 % 23).collect::<Vec<i64>>(), &[2 * rows * columns]).unwrap(),
        dtype,
    );
    let base = numbers.unwrap();
    [[columns, 1], [1, rows], [2 * columns, 2]].map(|strides| base.alias(Layout::new(&size, &strides, 0)).unwrap()).to_vec()
}

/// What may stand beside a tensor of that size: as large, a row, a column, one element, a number.
fn beside(size: [i64; 2], dtype: DType) -> Vec<Operand> {
    let count = size[0] * size[1] + 2;
    let base = cast(&from_vec(&(0..count).map(|i| i * 5 % 19).collect::<Vec<i64>>(), &[count]).unwrap(), dtype).unwrap();
    let strides = [[size[1], 1], [0, 1], [size[1], 0], [0, 0]];
    let tensors = strides.map(|strides| Operand::Tensor(base.alias(Layout::new(&size, &strides, 2)).unwrap()));
    let number = if dtype.is_float() { Number::Float(3.0) } else { Number::Int(3) };
    tensors.into_iter().chain([Operand::Number(number)]).collect()
}

/// The elements by their addresses, one at a time.
fn numbers(t: &Tensor) -> Vec<f64> {
    let layout = t.layout();
    let [rows, columns] = [layout.sizes[0], layout.sizes[1]];
    let cells = t.alias(Layout::contiguous(&[(t.storage().unwrap().nbytes() / t.dtype().size()) as i64])).unwrap();
    let cells = read_vec::<f64>(&cells).unwrap();
    (0..rows * columns).map(|i| cells[layout.address(&[i / columns, i % columns]) as usize]).collect()
}

/// The numbers of an operand, as many as there are elements.
fn spread(operand: &Operand, count: usize) -> Vec<f64> {
    match operand {
        Operand::Tensor(t) => numbers(t),
        Operand::Number(n) => vec![n.to_f64(); count],
    }
}

/// Whether a function of operands gives what `one` gives of each of their elements, as a new tensor and in the place of the first.
fn check(scalar: &'static Scalar, operands: &[Operand], one: impl Fn(&[f64]) -> f64) {
    let result = map_new(scalar, operands, &[]).unwrap();
    let columns: Vec<Vec<f64>> = operands.iter().map(|o| spread(o, result.numel() as usize)).collect();
    let row = |i: usize| columns.iter().map(|c| c[i]).collect::<Vec<f64>>();
    let expected: Vec<f64> = (0..columns[0].len()).map(|i| one(&row(i))).collect();
    assert!(numbers(&result) == expected, "{} of {:?}", scalar.name, layouts(operands));
    let Operand::Tensor(first) = &operands[0] else { return };
    if first.layout().strides.contains(&0) || result.dtype() != first.dtype() {
        return;
    }
    let room = zeros(&[2 * first.numel()], first.dtype(), DeviceId::Cpu).unwrap();
    let place = room.alias((*first.layout()).clone()).unwrap();
    copy(&place, first).unwrap();
    let operands: Vec<Operand> = [Operand::Tensor(place.clone())].into_iter().chain(operands[1..].iter().cloned()).collect();
    map_into(scalar, &place, &operands, &[]).unwrap();
    assert!(numbers(&place) == expected, "{} in the place of the first of {:?}", scalar.name, layouts(&operands));
}

fn layouts(operands: &[Operand]) -> Vec<String> {
    let describe = |o: &Operand| match o {
        Operand::Tensor(t) => format!("{} {:?}", t.dtype(), t.layout()),
        Operand::Number(n) => format!("{n:?}"),
    };
    operands.iter().map(describe).collect()
}

/// A number as an element of a dtype would hold it; integers wrap.
fn held(dtype: DType, x: f64) -> f64 {
    if dtype == DType::U8 { x.rem_euclid(256.0) } else { x }
}

#[test]
fn light_functions_give_the_same_however_their_arguments_lie() {
    for (size, dtype) in SIZES.iter().flat_map(|size| DTYPES.map(|dtype| (*size, dtype))) {
        for a in laid_out(size, dtype) {
            let a = Operand::Tensor(a);
            check(&MINUS, std::slice::from_ref(&a), |x| held(dtype, -x[0]));
            for b in beside(size, dtype) {
                check(&LESS, &[a.clone(), b.clone()], |x| held(dtype, x[0] - x[1]));
                check(&LESS, &[b.clone(), a.clone()], |x| held(dtype, x[0] - x[1]));
                if let Operand::Tensor(b) = &b {
                    assert!(numbers(&contiguous(b).unwrap()) == numbers(b), "{:?}", b.layout());
                }
                check(&ABOVE, &[a.clone(), b.clone()], |x| (x[0] > x[1]) as u8 as f64);
                for c in beside(size, dtype) {
                    check(&WITHIN, &[a.clone(), b.clone(), c], |x| x[0].max(x[1]).min(x[2]));
                }
            }
        }
    }
}

#[test]
fn a_result_may_take_the_place_of_both_arguments() {
    let a = iota(3000);
    map_into(&LESS, &a, &[Operand::Tensor(a.clone()), Operand::Tensor(a.clone())], &[]).unwrap();
    assert!(values(&a).iter().all(|v| *v == 0));
    let b = iota(3000);
    map_into(&LESS, &b, &[Operand::Number(Number::Int(1)), Operand::Tensor(b.clone())], &[]).unwrap();
    assert!(values(&b).iter().enumerate().all(|(i, v)| *v == 1 - i as i64));
}
