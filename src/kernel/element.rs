//! Element types as they lie in memory, and the lanes registers hold.

use crate::dtype::{self, Class, DType};
use num_complex::Complex;

/// A value of a compute class: what a register block holds.
pub trait Lane: Copy + Default + Send + Sync + 'static {
    /// Its class.
    const CLASS: Class;
}

macro_rules! lanes {
    ($($lane:ty => $class:ident;)*) => { $(impl Lane for $lane { const CLASS: Class = Class::$class; })* };
}

lanes! {
    f32 => F32;
    f64 => F64;
    i64 => I64;
    u64 => U64;
    Complex<f32> => C64;
    Complex<f64> => C128;
}

/// An element as it lies in memory.
pub trait Element: Copy + Send + Sync + 'static {
    /// Its dtype.
    const DTYPE: DType;
    /// What it is widened to.
    type Lane: Lane;
    /// Widens; exact.
    fn widen(self) -> Self::Lane;
    /// Narrows: floats round to nearest even, integers wrap, bool is "not zero".
    fn narrow(lane: Self::Lane) -> Self;
}

macro_rules! own_lanes {
    ($($t:ty => $dtype:ident;)*) => { $(impl Element for $t {
        const DTYPE: DType = DType::$dtype;
        type Lane = $t;
        #[inline(always)]
        fn widen(self) -> $t { self }
        #[inline(always)]
        fn narrow(lane: $t) -> $t { lane }
    })* };
}

own_lanes! {
    f32 => F32;
    f64 => F64;
    i64 => I64;
    u64 => U64;
    Complex<f32> => C64;
    Complex<f64> => C128;
}

macro_rules! small_integers {
    ($($t:ty => $dtype:ident;)*) => { $(impl Element for $t {
        const DTYPE: DType = DType::$dtype;
        type Lane = i64;
        #[inline(always)]
        fn widen(self) -> i64 { self as i64 }
        #[inline(always)]
        fn narrow(lane: i64) -> $t { lane as $t }
    })* };
}

small_integers! {
    u8 => U8;
    i8 => I8;
    i16 => I16;
    i32 => I32;
    u16 => U16;
    u32 => U32;
}

/// A truth value: one byte, 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Truth(pub u8);

/// A float16 by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Half(pub u16);

/// A bfloat16 by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Brain(pub u16);

/// A float8_e4m3fn by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct E4m3(pub u8);

/// A float8_e5m2 by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct E5m2(pub u8);

/// A float8_e4m3fnuz by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct E4m3Z(pub u8);

/// A float8_e5m2fnuz by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct E5m2Z(pub u8);

/// A float8_e8m0fnu by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct E8m0(pub u8);

/// A complex32: two float16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct HalfComplex(pub Half, pub Half);

/// A bcomplex32: two bfloat16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BrainComplex(pub Brain, pub Brain);

impl Element for Truth {
    const DTYPE: DType = DType::Bool;
    type Lane = i64;
    #[inline(always)]
    fn widen(self) -> i64 {
        (self.0 != 0) as i64
    }
    #[inline(always)]
    fn narrow(lane: i64) -> Truth {
        Truth((lane != 0) as u8)
    }
}

impl Element for Half {
    const DTYPE: DType = DType::F16;
    type Lane = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        widen_half(self.0)
    }
    #[inline(always)]
    fn narrow(lane: f32) -> Half {
        Half(narrow_half(lane))
    }
}

impl Element for Brain {
    const DTYPE: DType = DType::BF16;
    type Lane = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits((self.0 as u32) << 16)
    }
    #[inline(always)]
    fn narrow(lane: f32) -> Brain {
        let bits = lane.to_bits();
        let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1));
        Brain(if lane.is_nan() { 0x7fc0 } else { (rounded >> 16) as u16 })
    }
}

impl Element for E4m3 {
    const DTYPE: DType = DType::F8E4M3;
    type Lane = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        float8::F8E4M3::from_bits(self.0).to_f32()
    }
    /// What is too large, infinity too, becomes the largest finite value, as PyTorch does it.
    #[inline(always)]
    fn narrow(lane: f32) -> E4m3 {
        E4m3(float8::F8E4M3::from_f32(if lane.is_nan() { lane } else { lane.clamp(-448.0, 448.0) }).to_bits())
    }
}

impl Element for E5m2 {
    const DTYPE: DType = DType::F8E5M2;
    type Lane = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        // The upper byte of a float16.
        widen_half((self.0 as u16) << 8)
    }
    #[inline(always)]
    fn narrow(lane: f32) -> E5m2 {
        E5m2(dtype::to_e5m2(lane))
    }
}

impl Element for E4m3Z {
    const DTYPE: DType = DType::F8E4M3Z;
    type Lane = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        dtype::from_fnuz(self.0, 3, 8)
    }
    #[inline(always)]
    fn narrow(lane: f32) -> E4m3Z {
        E4m3Z(dtype::to_fnuz(lane, 3, 8))
    }
}

impl Element for E5m2Z {
    const DTYPE: DType = DType::F8E5M2Z;
    type Lane = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        dtype::from_fnuz(self.0, 2, 16)
    }
    #[inline(always)]
    fn narrow(lane: f32) -> E5m2Z {
        E5m2Z(dtype::to_fnuz(lane, 2, 16))
    }
}

impl Element for E8m0 {
    const DTYPE: DType = DType::F8E8M0;
    type Lane = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        dtype::from_e8m0(self.0)
    }
    #[inline(always)]
    fn narrow(lane: f32) -> E8m0 {
        E8m0(dtype::to_e8m0(lane))
    }
}

impl Element for HalfComplex {
    const DTYPE: DType = DType::C32;
    type Lane = Complex<f32>;
    #[inline(always)]
    fn widen(self) -> Complex<f32> {
        Complex::new(self.0.widen(), self.1.widen())
    }
    #[inline(always)]
    fn narrow(lane: Complex<f32>) -> HalfComplex {
        HalfComplex(Half::narrow(lane.re), Half::narrow(lane.im))
    }
}

impl Element for BrainComplex {
    const DTYPE: DType = DType::BC32;
    type Lane = Complex<f32>;
    #[inline(always)]
    fn widen(self) -> Complex<f32> {
        Complex::new(self.0.widen(), self.1.widen())
    }
    #[inline(always)]
    fn narrow(lane: Complex<f32>) -> BrainComplex {
        BrainComplex(Brain::narrow(lane.re), Brain::narrow(lane.im))
    }
}

/// Branch-free, so that loops over it vectorise: shifts the fields in place and lets a multiplication fix the exponent,
/// which also normalises subnormals.
#[inline(always)]
fn widen_half(bits: u16) -> f32 {
    const FIX: f32 = f32::from_bits((254 - 15) << 23);
    let magnitude = ((bits & 0x7fff) as u32) << 13;
    let finite = (f32::from_bits(magnitude) * FIX).to_bits();
    let special = magnitude | 0x7f80_0000;
    let value = if magnitude >= 0x0f80_0000 { special } else { finite };
    f32::from_bits(value | ((bits & 0x8000) as u32) << 16)
}

/// Branch-free: subnormal results are rounded by adding a power of two that pushes the lost bits out of the mantissa.
#[inline(always)]
fn narrow_half(value: f32) -> u16 {
    const MAGIC: f32 = 0.5;
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let normal = magnitude.wrapping_add(0xc800_0fff).wrapping_add((magnitude >> 13) & 1) >> 13;
    let subnormal = (f32::from_bits(magnitude) + MAGIC).to_bits().wrapping_sub(MAGIC.to_bits());
    let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
    let special = if magnitude > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    let value = if magnitude >= 0x4780_0000 { special } else { finite };
    value as u16 | ((bits >> 16) & 0x8000) as u16
}

/// Does something for the element type of a dtype: `for_element!(dtype, E => expression in E)`.
#[macro_export]
macro_rules! for_element {
    ($dtype:expr, $e:ident => $body:expr) => {{
        use $crate::dtype::DType;
        use $crate::kernel::element as el;
        macro_rules! with {
            ($t:ty) => {{
                type $e = $t;
                $body
            }};
        }
        match $dtype {
            DType::U8 => with!(u8),
            DType::I8 => with!(i8),
            DType::I16 => with!(i16),
            DType::I32 => with!(i32),
            DType::I64 => with!(i64),
            DType::F16 => with!(el::Half),
            DType::F32 => with!(f32),
            DType::F64 => with!(f64),
            DType::C32 => with!(el::HalfComplex),
            DType::C64 => with!(num_complex::Complex<f32>),
            DType::C128 => with!(num_complex::Complex<f64>),
            DType::Bool => with!(el::Truth),
            DType::BF16 => with!(el::Brain),
            DType::U16 => with!(u16),
            DType::U32 => with!(u32),
            DType::U64 => with!(u64),
            DType::F8E4M3 => with!(el::E4m3),
            DType::F8E5M2 => with!(el::E5m2),
            DType::F8E4M3Z => with!(el::E4m3Z),
            DType::F8E5M2Z => with!(el::E5m2Z),
            DType::F8E8M0 => with!(el::E8m0),
            DType::BC32 => with!(el::BrainComplex),
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::steps;

    #[test]
    fn every_half_survives_the_way_through_f32() {
        for bits in (0..=u16::MAX).step_by(steps(1, 127)) {
            let (ours, reference) = (widen_half(bits), half::f16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == reference.to_bits() || (ours.is_nan() && reference.is_nan()), "{bits:#06x}");
            if !ours.is_nan() {
                assert_eq!(narrow_half(ours), bits);
            }
        }
    }

    #[test]
    fn floats_round_to_half_and_bfloat16_like_the_half_crate() {
        for step in 0..steps(2_000_000u32, 500) {
            let value = f32::from_bits(step.wrapping_mul(2_147_483_647).wrapping_add(step));
            if value.is_nan() {
                assert!(widen_half(narrow_half(value)).is_nan() && Brain::narrow(value).widen().is_nan());
            } else {
                assert_eq!(narrow_half(value), half::f16::from_f32_const(value).to_bits(), "{value:e}");
                assert_eq!(Brain::narrow(value).0, half::bf16::from_f32(value).to_bits(), "{value:e}");
            }
        }
    }
}

/// One of two values by a truth value, said without a branch: a compiler that sees one reads from either place, element by element,
/// where it could read both in whole vectors.
pub trait Choose: Copy {
    /// `self` where `first` is true, else `other`.
    fn or(self, first: bool, other: Self) -> Self;
}

macro_rules! choose {
    ($($t:ty),*; $($float:ty),*) => {
        $(impl Choose for $t {
            #[inline(always)]
            fn or(self, first: bool, other: $t) -> $t {
                let mask = (0 as $t).wrapping_sub(first as $t);
                (self & mask) | (other & !mask)
            }
        })*
        $(impl Choose for $float {
            #[inline(always)]
            fn or(self, first: bool, other: $float) -> $float {
                <$float>::from_bits(self.to_bits().or(first, other.to_bits()))
            }
        })*
    };
}

choose!(u8, i8, u16, i16, u32, i32, u64, i64; f32, f64);

impl<T: Choose> Choose for Complex<T> {
    #[inline(always)]
    fn or(self, first: bool, other: Complex<T>) -> Complex<T> {
        Complex::new(self.re.or(first, other.re), self.im.or(first, other.im))
    }
}
