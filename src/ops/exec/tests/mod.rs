//! Elementwise work over layouts of every kind gives what an index-by-index walk gives.

mod casts;
mod folds;
mod manners;
mod places;

use super::*;
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::kernel::scalar::Scalar;
use crate::layout::Layout;
use crate::ops::Operand;
use crate::scalar;
use crate::tensor::Tensor;
use crate::testing::steps;

static ADD: Scalar =
    scalar! { add(a, b), Promote, "a + b"; i64: a.wrapping_add(b); u64: a.wrapping_add(b); float: a + b; complex: a + b };
static GT: Scalar = scalar! { gt(a, b), Truth, "a > b"; real => bool: a > b };
static WHERE: Scalar = scalar! { where(c: bool, a, b), Promote, "c ? a : b"; any: if c { a } else { b } };

fn iota(n: i64) -> Tensor {
    from_vec(&(0..n).collect::<Vec<i64>>(), &[n]).unwrap()
}

/// Views of one storage: contiguous, transposed, sliced, flipped, repeated, each of 3 x 4.
fn views() -> Vec<Tensor> {
    let base = iota(200);
    let layouts = [
        Layout::new(&[3, 4], &[4, 1], 0),
        Layout::new(&[3, 4], &[1, 3], 5),
        Layout::new(&[3, 4], &[20, 2], 7),
        Layout::new(&[3, 4], &[-4, -1], 11),
        Layout::new(&[3, 4], &[0, 1], 3),
        Layout::new(&[3, 4], &[1, 0], 9),
        Layout::new(&[3, 4], &[0, 0], 1),
    ];
    layouts.into_iter().map(|l| base.alias(l).unwrap()).collect()
}

fn values(t: &Tensor) -> Vec<i64> {
    read_vec::<i64>(t).unwrap()
}

fn by_index(t: &Tensor) -> Vec<i64> {
    let layout = t.layout();
    (0..layout.sizes[0]).flat_map(|i| (0..layout.sizes[1]).map(move |j| (i, j))).map(|(i, j)| layout.address(&[i, j])).collect()
}

#[test]
fn every_layout_is_read_in_index_order() {
    for view in views() {
        assert_eq!(values(&view), by_index(&view), "{:?}", view.layout());
        assert_eq!(values(&contiguous(&view).unwrap()), by_index(&view));
        assert_eq!(read_vec::<f32>(&view).unwrap(), by_index(&view).iter().map(|v| *v as f32).collect::<Vec<_>>());
    }
}

#[test]
fn any_two_layouts_add_up() {
    for a in views() {
        for b in views() {
            let sum = map_new(&ADD, &[Operand::Tensor(a.clone()), Operand::Tensor(b.clone())], &[]).unwrap();
            let expected: Vec<i64> = by_index(&a).iter().zip(by_index(&b)).map(|(x, y)| x + y).collect();
            assert_eq!(values(&sum), expected);
        }
    }
}

#[test]
fn every_layout_can_be_written() {
    for view in views().into_iter().take(4) {
        let own = clone(&view).unwrap();
        let target = zeros(&[200], DType::F32, DeviceId::Cpu).unwrap().alias((*view.layout()).clone()).unwrap();
        copy(&target, &own).unwrap();
        assert_eq!(values(&target), by_index(&view));
        let before = target.storage().unwrap().version();
        map_into(&ADD, &target, &[Operand::Tensor(target.clone()), Operand::Number(Number::Int(1))], &[]).unwrap();
        assert_eq!(values(&target), by_index(&view).iter().map(|v| v + 1).collect::<Vec<_>>());
        assert_eq!(target.storage().unwrap().version(), before + 1);
    }
}

#[test]
fn blocks_and_threads_meet_without_a_gap() {
    for n in [1i64, 1023, 1024, 1025, steps(70_001, 40)] {
        let a = iota(2 * n).alias(Layout::new(&[n], &[2], 0)).unwrap();
        let half = cast(&a, DType::I32).unwrap();
        let sum = map_new(&ADD, &[Operand::Tensor(a.clone()), Operand::Tensor(half)], &[]).unwrap();
        assert!(values(&sum).iter().enumerate().all(|(i, v)| *v == 4 * i as i64), "{n}");
    }
    let side = steps(300, 35);
    let square = iota(side * side).alias(Layout::contiguous(&[side, side])).unwrap();
    let turned = square.alias(Layout::new(&[side, side], &[1, side], 0)).unwrap();
    let sum = map_new(&ADD, &[Operand::Tensor(square.clone()), Operand::Tensor(turned.clone())], &[]).unwrap();
    let expected: Vec<i64> = by_index(&square).iter().zip(by_index(&turned)).map(|(x, y)| x + y).collect();
    assert_eq!(values(&sum), expected);
}

#[test]
fn a_channel_beside_rows_that_share_a_block_is_added_to_all_of_them() {
    let sizes = [3, 3, 350];
    let (a, b) = (zeros(&sizes, DType::I64, DeviceId::Cpu).unwrap(), from_vec(&[5i64, 11, 9], &[3]).unwrap());
    let b = b.alias(Layout::new(&sizes, &[0, 1, 0], 0)).unwrap();
    for operands in [[a.clone(), b.clone()], [b.clone(), a.clone()], [b.clone(), b.clone()]] {
        let sum = map_new(&ADD, &operands.clone().map(Operand::Tensor), &[]).unwrap();
        let times = operands.iter().filter(|o| o.layout().strides[0] == 0).count() as i64;
        assert!(values(&sum).iter().enumerate().all(|(i, v)| *v == times * [5, 11, 9][i / 350 % 3]));
    }
}

#[test]
fn truth_is_a_dtype_and_picks() {
    let (a, b) = (Operand::Tensor(iota(4)), Operand::Number(Number::Float(1.5)));
    let more = map_new(&GT, &[a.clone(), b.clone()], &[]).unwrap();
    assert_eq!(more.dtype(), DType::Bool);
    let picked = map_new(&WHERE, &[Operand::Tensor(more), a, b], &[]).unwrap();
    assert_eq!(picked.dtype(), DType::F32);
    assert_eq!(read_vec::<f32>(&picked).unwrap(), [1.5, 1.5, 2.0, 3.0]);
}

#[test]
fn overlapping_writes_are_refused_and_possible_ones_are_safe() {
    let base = iota(6);
    let part = |start, size, step| base.alias(Layout::new(&[size], &[step], start)).unwrap();
    assert!(copy(&part(1, 5, 1), &part(0, 5, 1)).unwrap_err().to_string().starts_with("unsupported operation: some elements"));
    assert!(copy(&part(0, 3, 0), &part(0, 3, 1)).unwrap_err().to_string().starts_with("unsupported operation: more than one"));
    copy(&part(1, 2, 2), &part(0, 2, 3)).unwrap();
    assert_eq!(values(&base), [0, 0, 2, 3, 4, 5]);
    fill(&part(0, 3, 0), Number::Int(9)).unwrap();
    assert_eq!(values(&base), [9, 0, 2, 3, 4, 5]);
}

#[test]
fn empty_scalar_and_meta_tensors_work() {
    let none = map_new(&ADD, &[Operand::Tensor(iota(0)), Operand::Number(Number::Int(1))], &[]).unwrap();
    assert_eq!(none.sizes().as_slice(), [0]);
    let one = from_vec(&[41i64], &[]).unwrap();
    let sum = map_new(&ADD, &[Operand::Tensor(one), Operand::Number(Number::Int(1))], &[]).unwrap();
    assert_eq!(item(&sum).unwrap(), Number::Int(42));
    let ghost = empty(&[1 << 40, 2], DType::F32, DeviceId::Meta).unwrap();
    let sum = map_new(&ADD, &[Operand::Tensor(ghost), Operand::Number(Number::Int(1))], &[]).unwrap();
    assert_eq!((sum.device(), sum.numel()), (DeviceId::Meta, 1 << 41));
    assert!(item(&sum).is_err() && read_vec::<f32>(&empty(&[2], DType::F32, DeviceId::Meta).unwrap()).is_err());
}
