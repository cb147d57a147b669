//! Unsigned numbers that are ordered as elements are.

use crate::kernel::element::{Element, Lane};
use crate::kernel::isa::{pick, versions};
use num_complex::Complex;

/// Lanes with a key.
pub trait Ordinal: Lane {
    /// Greater for greater lanes, equal for equal ones (the two zeros too); NaN has the greatest.
    fn ordinal(self) -> u64;
    /// True for NaN.
    #[inline(always)]
    fn is_not_a_number(self) -> bool {
        false
    }
    /// True for the zero that is negative, which has the key of the other.
    #[inline(always)]
    fn is_negative_zero(self) -> bool {
        false
    }
}

impl Ordinal for f32 {
    #[inline(always)]
    fn ordinal(self) -> u64 {
        // Adding 0 makes the negative zero positive.
        let bits = (self + 0.0).to_bits();
        let key = bits ^ (((bits as i32) >> 31) as u32 | 1 << 31);
        (if self.is_nan() { u32::MAX } else { key }) as u64
    }
    #[inline(always)]
    fn is_not_a_number(self) -> bool {
        self.is_nan()
    }
    #[inline(always)]
    fn is_negative_zero(self) -> bool {
        self == 0.0 && self.is_sign_negative()
    }
}

impl Ordinal for f64 {
    #[inline(always)]
    fn ordinal(self) -> u64 {
        let bits = (self + 0.0).to_bits();
        let key = bits ^ (((bits as i64) >> 63) as u64 | 1 << 63);
        if self.is_nan() { u64::MAX } else { key }
    }
    #[inline(always)]
    fn is_not_a_number(self) -> bool {
        self.is_nan()
    }
    #[inline(always)]
    fn is_negative_zero(self) -> bool {
        self == 0.0 && self.is_sign_negative()
    }
}

impl Ordinal for i64 {
    #[inline(always)]
    fn ordinal(self) -> u64 {
        self as u64 ^ 1 << 63
    }
}

impl Ordinal for u64 {
    #[inline(always)]
    fn ordinal(self) -> u64 {
        self
    }
}

// Complex numbers have no order: operations refuse them before they get here.
impl Ordinal for Complex<f32> {
    fn ordinal(self) -> u64 {
        0
    }
}

impl Ordinal for Complex<f64> {
    fn ordinal(self) -> u64 {
        0
    }
}

/// Elements with a key.
pub trait Keyed: Element<Lane: Ordinal> {
    /// The key.
    #[inline(always)]
    fn key(self) -> u64 {
        self.widen().ordinal()
    }
    /// True for NaN.
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.widen().is_not_a_number()
    }
}

impl<E: Element<Lane: Ordinal>> Keyed for E {}

/// Writes the keys of some elements.
pub fn write_keys<E: Keyed>(elements: &[E], keys: &mut [u64]) {
    debug_assert_eq!(elements.len(), keys.len());
    // SAFETY: both are as long, and the machine has what the version asks for.
    unsafe { pick(key_versions::<E>())(elements.as_ptr() as *const u8, keys.as_mut_ptr(), keys.len()) }
}

versions! { fn key_versions<E: Keyed>(elements: *const u8, keys: *mut u64, n: usize) = all_keys }

#[inline(always)]
unsafe fn all_keys<E: Keyed>(elements: *const u8, keys: *mut u64, n: usize) {
    // SAFETY: the caller passes `n` elements and room for as many keys.
    let (elements, keys) =
        unsafe { (std::slice::from_raw_parts(elements as *const E, n), std::slice::from_raw_parts_mut(keys, n)) };
    keys.iter_mut().zip(elements).for_each(|(key, element)| *key = element.key());
}

/// The least and the greatest key.
pub fn limits(keys: &[u64]) -> (u64, u64) {
    let mut limits = (u64::MAX, 0);
    // SAFETY: the machine has what the version asks for.
    unsafe { pick(limit_versions())(keys, &mut limits) };
    limits
}

versions! { fn limit_versions<>(keys: &[u64], limits: &mut (u64, u64)) = find_limits }

#[inline(always)]
unsafe fn find_limits(keys: &[u64], limits: &mut (u64, u64)) {
    *limits = keys.iter().fold((u64::MAX, 0), |(low, high), key| (low.min(*key), high.max(*key)));
}

/// The greatest key of each group of `GROUP`.
pub fn greatest_of_groups(keys: &[u64], greatest: &mut Vec<u64>) {
    greatest.resize(keys.len().div_ceil(GROUP), 0);
    // SAFETY: the machine has what the version asks for.
    unsafe { pick(group_versions())(keys, greatest) };
}

/// Keys that are looked at together.
pub const GROUP: usize = 64;

versions! { fn group_versions<>(keys: &[u64], greatest: &mut [u64]) = find_greatest }

#[inline(always)]
unsafe fn find_greatest(keys: &[u64], greatest: &mut [u64]) {
    for (greatest, group) in greatest.iter_mut().zip(keys.chunks(GROUP)) {
        *greatest = match <&[u64; GROUP]>::try_from(group).ok() {
            Some(group) => group.iter().fold(0, |high, key| high.max(*key)),
            None => group.iter().fold(0, |high, key| high.max(*key)),
        };
    }
}
