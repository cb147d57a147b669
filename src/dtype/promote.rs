//! Type promotion: which dtype a computation on several operands has.
//!
//! The lattice is that of `torch.promote_types`; dimensioned tensors, 0-d tensors and Python numbers count in that order,
//! a later group only when it is of a higher kind.

use super::{DType, Kind};
use DType::*;

/// How much an operand's dtype weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// A Python number: only its kind counts, with the default dtype of that kind.
    Wrapped,
    /// A 0-d tensor.
    Zero,
    /// A tensor with dimensions.
    Dimensioned,
}

/// The least dtype both convert to, as `torch.promote_types`; none where PyTorch refuses: float8 with anything else, and
/// uint16, uint32, uint64 with any other integer, bool or complex.
pub fn promote(a: DType, b: DType) -> Option<DType> {
    if a == b {
        return Some(a);
    }
    if a.is_float8() || b.is_float8() {
        return None;
    }
    let barebones = |d| matches!(d, U16 | U32 | U64);
    if (barebones(a) && !b.is_float()) || (barebones(b) && !a.is_float()) {
        return None;
    }
    if a.is_complex() || b.is_complex() {
        return larger_complex(complex_of(a), complex_of(b));
    }
    Some(match (a.kind(), b.kind()) {
        (Kind::Float, Kind::Float) if a == F64 || b == F64 => F64,
        (Kind::Float, Kind::Float) => F32,
        (Kind::Float, _) | (_, Kind::Bool) => a,
        (_, Kind::Float) | (Kind::Bool, _) => b,
        _ if (a == U8 && b == I8) || (a == I8 && b == U8) => I16,
        _ if a == U8 => b,
        _ if b == U8 => a,
        _ => larger(a, b),
    })
}

fn larger(a: DType, b: DType) -> DType {
    if a.size() >= b.size() { a } else { b }
}

/// The complex dtype an operand asks for: its own, or the one of its float; integers ask for none.
fn complex_of(d: DType) -> Option<DType> {
    (d.is_float() || d.is_complex()).then(|| d.to_complex())
}

/// complex64 holds what the two of half its size hold, which do not hold each other.
fn larger_complex(a: Option<DType>, b: Option<DType>) -> Option<DType> {
    match (a, b) {
        (Some(C32), Some(BC32)) | (Some(BC32), Some(C32)) => Some(C64),
        (Some(a), Some(b)) => Some(larger(a, b)),
        (one, other) => one.or(other),
    }
}

/// The dtype of a computation on several operands, as `torch.result_type`.
///
/// `default` is the default float dtype. Fails (none) where `promote` does.
pub fn result_type(operands: impl IntoIterator<Item = (DType, Category)>, default: DType) -> Option<DType> {
    let mut by_category: [Option<DType>; 3] = [None; 3];
    for (dtype, category) in operands {
        let dtype = if category == Category::Wrapped { wrapped(dtype, default) } else { dtype };
        let slot = &mut by_category[category as usize];
        *slot = Some(match *slot {
            None => dtype,
            Some(have) => promote(have, dtype)?,
        });
    }
    let [wrapped, zero, dimensioned] = by_category;
    combine(combine(dimensioned, zero)?, wrapped)?
}

/// A lower group counts only when it is of a higher kind (bool < integer < float < complex).
fn combine(high: Option<DType>, low: Option<DType>) -> Option<Option<DType>> {
    let rank = |d: DType| match d.kind() {
        Kind::Bool => 0,
        Kind::Unsigned | Kind::Signed => 1,
        Kind::Float => 2,
        Kind::Complex => 3,
    };
    Some(match (high, low) {
        // A float keeps its precision beside a complex number; float8 has no complex dtype, and the wider unsigned integers become
        // the complex number beside them.
        (Some(h), Some(l)) if h.is_float8() && l.is_complex() => return None,
        (Some(U16 | U32 | U64), Some(l)) if l.is_complex() => Some(l),
        (Some(h), Some(l)) if h.is_float() && l.is_complex() => Some(h.to_complex()),
        (Some(h), Some(l)) if rank(l) > rank(h) => Some(promote(h, l)?),
        (Some(h), _) => Some(h),
        (None, low) => low,
    })
}

/// The dtype a Python number stands for.
fn wrapped(dtype: DType, default: DType) -> DType {
    match dtype.kind() {
        Kind::Float => default,
        Kind::Complex => default.to_complex(),
        _ => dtype,
    }
}

/// Whether PyTorch lets a result of dtype `from` be written into `to`: never to a lower kind.
pub fn can_cast(from: DType, to: DType) -> bool {
    if from.is_complex() && !to.is_complex() {
        return false;
    }
    if from.is_float() && to.is_integral(true) {
        return false;
    }
    from == Bool || to != Bool
}
