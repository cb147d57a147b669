//! One element, widened: what `item()` gives and what a scalar argument becomes.

use super::{DType, Kind, from_e8m0, from_fnuz, to_e8m0, to_fnuz};
use half::{bf16, f16};
use num_complex::Complex64;

/// The bits of a float as float8_e5m2, which has infinities: what is beyond half a step over its largest number becomes one.
#[inline(always)]
pub fn to_e5m2(value: f32) -> u8 {
    const BEYOND: f32 = 61440.0;
    match value.abs() >= BEYOND {
        true => 0x7c | (u8::from(value.is_sign_negative()) << 7),
        false => float8::F8E5M2::from_f32(value).to_bits(),
    }
}

/// A number of any kind, wide enough for every dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A truth value.
    Bool(bool),
    /// Any integer but the upper half of uint64.
    Int(i64),
    /// A uint64 above `i64::MAX`.
    Unsigned(u64),
    /// A real float, widened.
    Float(f64),
    /// A complex number, widened.
    Complex(Complex64),
}

impl Number {
    /// Its kind as PyTorch counts it (`Int` is `Signed`).
    pub fn kind(self) -> Kind {
        match self {
            Number::Bool(_) => Kind::Bool,
            Number::Int(_) => Kind::Signed,
            Number::Unsigned(_) => Kind::Unsigned,
            Number::Float(_) => Kind::Float,
            Number::Complex(_) => Kind::Complex,
        }
    }

    /// As a real float; a complex number gives its real part.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Bool(b) => b as u8 as f64,
            Number::Int(i) => i as f64,
            Number::Unsigned(u) => u as f64,
            Number::Float(f) => f,
            Number::Complex(c) => c.re,
        }
    }

    /// As an integer the way a C cast on x86 does it: truncated, and `i64::MIN` when it does not fit.
    pub fn to_i64(self) -> i64 {
        match self {
            Number::Bool(b) => b as i64,
            Number::Int(i) => i,
            Number::Unsigned(u) => u as i64,
            Number::Float(f) => float_to_i64(f),
            Number::Complex(c) => float_to_i64(c.re),
        }
    }

    /// As a complex number.
    pub fn to_complex(self) -> Complex64 {
        match self {
            Number::Complex(c) => c,
            other => Complex64::new(other.to_f64(), 0.0),
        }
    }

    /// True unless zero; nan is true.
    pub fn to_bool(self) -> bool {
        match self {
            Number::Bool(b) => b,
            Number::Int(i) => i != 0,
            Number::Unsigned(u) => u != 0,
            Number::Float(f) => f != 0.0,
            Number::Complex(c) => c.re != 0.0 || c.im != 0.0,
        }
    }

    /// Reads the element at the start of `bytes`, which must hold at least `dtype.size()` bytes.
    pub fn read(dtype: DType, bytes: &[u8]) -> Number {
        macro_rules! le {
            ($t:ty) => {
                <$t>::from_le_bytes(std::array::from_fn(|i| bytes[i]))
            };
        }
        match dtype {
            DType::U8 => Number::Int(bytes[0] as i64),
            DType::I8 => Number::Int(bytes[0] as i8 as i64),
            DType::I16 => Number::Int(le!(i16) as i64),
            DType::U16 => Number::Int(le!(u16) as i64),
            DType::I32 => Number::Int(le!(i32) as i64),
            DType::U32 => Number::Int(le!(u32) as i64),
            DType::I64 => Number::Int(le!(i64)),
            DType::U64 => match le!(u64) {
                v if v > i64::MAX as u64 => Number::Unsigned(v),
                v => Number::Int(v as i64),
            },
            DType::F16 => Number::Float(le!(f16).to_f64()),
            DType::BF16 => Number::Float(le!(bf16).to_f64()),
            DType::F8E4M3 => Number::Float(float8::F8E4M3::from_bits(bytes[0]).to_f64()),
            DType::F8E5M2 => Number::Float(float8::F8E5M2::from_bits(bytes[0]).to_f64()),
            DType::F8E4M3Z => Number::Float(f64::from(from_fnuz(bytes[0], 3, 8))),
            DType::F8E5M2Z => Number::Float(f64::from(from_fnuz(bytes[0], 2, 16))),
            DType::F8E8M0 => Number::Float(f64::from(from_e8m0(bytes[0]))),
            DType::F32 => Number::Float(le!(f32) as f64),
            DType::F64 => Number::Float(le!(f64)),
            DType::C32 | DType::BC32 | DType::C64 | DType::C128 => {
                let part = |bytes| Number::read(dtype.to_real(), bytes).to_f64();
                Number::Complex(Complex64::new(part(bytes), part(&bytes[dtype.size() / 2..])))
            }
            DType::Bool => Number::Bool(bytes[0] != 0),
        }
    }

    /// The number as an element of this dtype, cast as by [`write`](Number::write).
    pub fn cast(self, dtype: DType) -> Number {
        let mut bytes = [0; 16];
        self.write(dtype, &mut bytes);
        Number::read(dtype, &bytes)
    }

    /// Writes it as `dtype` to the start of `bytes`, cast as PyTorch casts: floats are rounded to nearest even (through f32 for
    /// 16-bit types), integers wrap, a real target takes the real part.
    pub fn write(self, dtype: DType, bytes: &mut [u8]) {
        let f = |v: f64| v as f32;
        match dtype {
            DType::U8 | DType::I8 => bytes[0] = self.to_i32() as u8,
            DType::I16 | DType::U16 => bytes[..2].copy_from_slice(&(self.to_i32() as i16).to_le_bytes()),
            DType::I32 => bytes[..4].copy_from_slice(&self.to_i32().to_le_bytes()),
            DType::U32 => bytes[..4].copy_from_slice(&(self.to_i64() as i32).to_le_bytes()),
            DType::I64 => bytes[..8].copy_from_slice(&self.to_i64().to_le_bytes()),
            DType::U64 => bytes[..8].copy_from_slice(&self.to_u64().to_le_bytes()),
            DType::F16 => bytes[..2].copy_from_slice(&f16::from_f32(f(self.to_f64())).to_le_bytes()),
            DType::BF16 => bytes[..2].copy_from_slice(&bf16::from_f32(f(self.to_f64())).to_le_bytes()),
            DType::F8E4M3 => bytes[0] = float8::F8E4M3::from_f32(f(self.to_f64())).to_bits(),
            DType::F8E5M2 => bytes[0] = to_e5m2(f(self.to_f64())),
            DType::F8E4M3Z => bytes[0] = to_fnuz(f(self.to_f64()), 3, 8),
            DType::F8E5M2Z => bytes[0] = to_fnuz(f(self.to_f64()), 2, 16),
            DType::F8E8M0 => bytes[0] = to_e8m0(f(self.to_f64())),
            DType::F32 => bytes[..4].copy_from_slice(&f(self.to_f64()).to_le_bytes()),
            DType::F64 => bytes[..8].copy_from_slice(&self.to_f64().to_le_bytes()),
            DType::C32 | DType::BC32 | DType::C64 | DType::C128 => {
                let (c, half) = (self.to_complex(), dtype.size() / 2);
                Number::Float(c.re).write(dtype.to_real(), &mut bytes[..half]);
                Number::Float(c.im).write(dtype.to_real(), &mut bytes[half..]);
            }
            DType::Bool => bytes[0] = self.to_bool() as u8,
        }
    }

    /// Integers wrap; a float that no i32 holds, and nan, give `i32::MIN`, as the processor's instruction does.
    fn to_i32(self) -> i32 {
        let of_float = |f: f64| if f > f64::from(i32::MIN) - 1.0 && f < -f64::from(i32::MIN) { f as i32 } else { i32::MIN };
        match self {
            Number::Float(f) => of_float(f),
            Number::Complex(c) => of_float(c.re),
            other => other.to_i64() as i32,
        }
    }

    fn to_u64(self) -> u64 {
        match self {
            Number::Unsigned(u) => u,
            Number::Float(f) if f >= TWO_63 => f as u64,
            other => other.to_i64() as u64,
        }
    }
}

/// 2⁶³, the first float that no i64 holds.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// `cvttsd2si`: truncates; nan and what does not fit give `i64::MIN`.
fn float_to_i64(f: f64) -> i64 {
    if (-TWO_63..TWO_63).contains(&f) { f as i64 } else { i64::MIN }
}
