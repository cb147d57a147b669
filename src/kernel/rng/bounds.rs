//! The bounds of whole random numbers: what each dtype can hold, and which bounds a float moves inward.

use crate::dtype::{DType, Kind};
use anyhow::Result;

/// Numbers `from, from + 1, …`, `count` of them; a count of 0 stands for all 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) from: i64,
    pub(super) count: u64,
}

/// Counts below this take one word a draw, others two.
const ONE_WORD: u64 = 1 << 28;

impl Bounds {
    /// The bounds of `random_(from, to)` on a dtype. Fails with a `RuntimeError` when they are empty or the dtype cannot hold
    /// them, with a `NotImplementedError` when it has no such numbers.
    pub(super) fn new(dtype: DType, from: i64, to: Option<i64>) -> Result<Bounds> {
        Bounds::order(from, to)?;
        let Some(to) = to else { return Bounds::upwards(dtype, from) };
        require(dtype, "from", from as i128)?;
        require(dtype, "to - 1", to as i128 - 1)?;
        let (low, high) = if dtype.is_float() { (inward_from(dtype, from), inward_to(dtype, to)) } else { (from, to) };
        if low >= high {
            fault!(
                RuntimeError,
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from={low} >= to={high}"
            );
        }
        Ok(Bounds { from: low, count: high.wrapping_sub(low) as u64 })
    }

    /// Fails with a `RuntimeError` when there is nothing between the bounds.
    pub(super) fn order(from: i64, to: Option<i64>) -> Result<()> {
        match to.filter(|to| from >= *to) {
            Some(to) => fault!(RuntimeError, "random_ expects 'from' to be less than 'to', but got from={from} >= to={to}"),
            None => Ok(()),
        }
    }

    /// From a number to the largest of the dtype.
    fn upwards(dtype: DType, from: i64) -> Result<Bounds> {
        if from == i64::MIN {
            return match dtype {
                DType::I64 | DType::F64 | DType::F32 | DType::BF16 => Ok(Bounds { from: 0, count: 0 }),
                DType::F16 => fault!(NotImplementedError, "\"random_full_64_bits_range_kernel_cpu\" not implemented for 'Half'"),
                _ => fault!(RuntimeError, "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16"),
            };
        }
        let last = match (dtype.kind(), dtype.int_limits(), dtype.float_limits()) {
            (Kind::Bool, ..) => 1,
            (Kind::Float, _, Some(limits)) => 1i128 << limits.digits,
            (_, Some(limits), _) => limits.max,
            _ => 0,
        };
        let from = if dtype.is_float() { inward_from(dtype, from) } else { from };
        require(dtype, "from", from as i128)?;
        if last > i64::MAX as i128 {
            fault!(RuntimeError, "to - 1 is out of bounds for {}", dtype.c_name());
        }
        if from as i128 > last {
            fault!(
                RuntimeError,
                "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got from={from} > to_inc={last}"
            );
        }
        Ok(Bounds { from, count: (last - from as i128 + 1) as u64 })
    }

    /// How many words a draw takes.
    pub(super) fn one_word(self) -> bool {
        self.count != 0 && self.count < ONE_WORD
    }

    /// The number for a draw of one or two words.
    pub(super) fn number(self, draw: u64) -> i64 {
        let rest = if self.count == 0 { draw } else { draw % self.count };
        (rest as i64).wrapping_add(self.from)
    }
}

/// Fails when a dtype cannot hold a bound.
fn require(dtype: DType, name: &str, bound: i128) -> Result<()> {
    let holds = match (dtype.kind(), dtype.int_limits(), dtype.float_limits()) {
        (Kind::Bool, ..) => (0..=1).contains(&bound),
        (Kind::Float, _, Some(limits)) => (bound as f64).abs() <= limits.max,
        (_, Some(limits), _) => (limits.min..=limits.max).contains(&bound),
        _ => true,
    };
    if !holds {
        fault!(RuntimeError, "{name} is out of bounds for {}", dtype.c_name());
    }
    Ok(())
}

/// An integer as the dtype holds it, read back; none when that is not finite.
fn rounded(dtype: DType, n: i64) -> Option<i64> {
    let value = match dtype {
        DType::F64 => n as f64,
        DType::F16 => half::f16::from_f32(n as f32).to_f64(),
        DType::BF16 => half::bf16::from_f32(n as f32).to_f64(),
        _ => n as f32 as f64,
    };
    value.is_finite().then_some(value as i64)
}

/// Half the distance between neighbours of a dtype near an integer, as PyTorch counts it.
fn step(dtype: DType, near: i64) -> i64 {
    let digits = dtype.float_limits().map_or(53, |l| l.digits) as i64;
    let exponent = near.unsigned_abs().checked_ilog2().unwrap_or(0) as i64;
    1i64.checked_shl((exponent - digits + 1).max(0) as u32).unwrap_or(i64::MAX)
}

fn inward_from(dtype: DType, from: i64) -> i64 {
    let next = from.saturating_add(1);
    match rounded(dtype, next) {
        Some(r) if r < from => r.saturating_add(step(dtype, next)),
        _ => from,
    }
}

fn inward_to(dtype: DType, to: i64) -> i64 {
    let last = to.saturating_sub(1);
    match rounded(dtype, last) {
        Some(r) if r >= to => r.saturating_sub(step(dtype, last)),
        _ => to,
    }
}
