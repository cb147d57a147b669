//! Bits and shifts.

use crate::dtype::DType;
use crate::ops::map::{BOOL_WIDE, Map, WIDE, elementwise, map};
use crate::ops::{Args, Form, Operand, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

const FLIP: Map = elementwise!(WIDE; bitwise_not(a), Promote, "~a"; whole: !a);
const FLIP_BOOL: Map = elementwise!(bitwise_not(a), Promote, "!a"; i64: 1 - a; truth: 1 - a);

rows![
    op(
        "bitwise_not(Tensor self) -> Tensor",
        "Each bit flipped; `not` for bool.",
        "torch.bitwise_not(torch.tensor([0, -1]))  # tensor([-1,  0])",
        Form::Native(not),
    )
    .inplace()
    .alias(&["__invert__"]),
    op(
        "bitwise_and(Operand self, Operand other) -> Tensor",
        "Bits that both have.",
        "torch.bitwise_and(torch.tensor([6, 3]), 2)  # tensor([2, 2])",
        map!(light bitwise_and(a, b), Promote, "a & b"; bits: a & b),
    )
    .inplace()
    .alias(&["__and__"]),
    op(
        "bitwise_or(Operand self, Operand other) -> Tensor",
        "Bits that either has.",
        "torch.bitwise_or(torch.tensor([4, 1]), 2)  # tensor([6, 3])",
        map!(light bitwise_or(a, b), Promote, "a | b"; bits: a | b),
    )
    .inplace()
    .alias(&["__or__"]),
    op(
        "bitwise_xor(Operand self, Operand other) -> Tensor",
        "Bits that just one has.",
        "torch.bitwise_xor(torch.tensor([6, 3]), 2)  # tensor([4, 1])",
        map!(light bitwise_xor(a, b), Promote, "a ^ b"; bits: a ^ b),
    )
    .inplace()
    .alias(&["__xor__"]),
    op(
        "bitwise_left_shift(Operand self, Operand other) -> Tensor",
        "Bits moved up; a shift by a negative number or beyond the width gives 0.",
        "torch.bitwise_left_shift(torch.tensor([1, 3]), 2)  # tensor([ 4, 12])",
        map!(BOOL_WIDE; bitwise_left_shift(a, b), Promote, "a << b"; i64: if (0..64).contains(&b) { a << b } else { 0 }; u64: if b < 64 { a << b } else { 0 }),
    )
    .inplace()
    .alias(&["__lshift__"]),
    op(
        "bitwise_right_shift(Operand self, Operand other) -> Tensor",
        "Bits moved down, the sign kept.",
        "torch.bitwise_right_shift(torch.tensor([12, -8]), 2)  # tensor([ 3, -2])",
        map!(BOOL_WIDE; bitwise_right_shift(a, b), Promote, "a >> b"; i64: if (0..64).contains(&b) { a >> b } else { a >> 63 }; u64: if b < 64 { a >> b } else { 0 }),
    )
    .inplace()
    .alias(&["__rshift__"]),
    op(
        "logical_not(Tensor self) -> Tensor",
        "True where an element is zero.",
        "torch.logical_not(torch.tensor([0., 2.]))  # tensor([ True, False])",
        map!(WIDE; logical_not(a), Truth, "!a"; bits => bool: a == 0; float => bool: a == 0.0; complex => bool: a.re == 0.0 && a.im == 0.0),
    )
    .inplace()
    .no_grad()
    .writes_leaves(),
    op(
        "logical_and(Tensor self, Tensor other) -> Tensor",
        "True where both are not zero.",
        "torch.logical_and(torch.tensor([0, 2]), torch.tensor([1, 1]))  # tensor([False,  True])",
        map!(WIDE; logical_and(a: bool, b: bool), Truth, "a && b"; any => bool: a & b),
    )
    .inplace()
    .no_grad()
    .writes_leaves(),
    op(
        "logical_or(Tensor self, Tensor other) -> Tensor",
        "True where either is not zero.",
        "torch.logical_or(torch.tensor([0, 2]), torch.tensor([0, 1]))  # tensor([False,  True])",
        map!(WIDE; logical_or(a: bool, b: bool), Truth, "a || b"; any => bool: a | b),
    )
    .inplace()
    .no_grad()
    .writes_leaves(),
    op(
        "logical_xor(Tensor self, Tensor other) -> Tensor",
        "True where just one is not zero.",
        "torch.logical_xor(torch.tensor([0, 2]), torch.tensor([1, 1]))  # tensor([ True, False])",
        map!(WIDE; logical_xor(a: bool, b: bool), Truth, "a != b"; any => bool: a ^ b),
    )
    .inplace()
    .no_grad()
    .writes_leaves(),
];

fn not(args: &Args) -> Result<Value> {
    let (x,): (Tensor,) = args.take()?;
    let map = if x.dtype() == DType::Bool { FLIP_BOOL } else { FLIP };
    Ok(map.answer(args, &[Operand::Tensor(x)], &[])?.into())
}
