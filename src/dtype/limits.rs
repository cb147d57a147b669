//! The largest and smallest numbers a dtype holds: `torch.finfo` and `torch.iinfo`.

use super::{DType, Kind};

/// What `torch.finfo` tells. A complex dtype has the limits of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatLimits {
    /// The real dtype described.
    pub dtype: DType,
    /// Significant binary digits, the hidden one included.
    pub digits: u32,
    /// Distance from 1 to the next larger number.
    pub eps: f64,
    /// Least finite number.
    pub min: f64,
    /// Largest finite number.
    pub max: f64,
    /// Smallest positive number with all its digits.
    pub smallest_normal: f64,
    /// A decimal digit's worth: ten to the minus number of decimal digits.
    pub resolution: f64,
}

/// What `torch.iinfo` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntLimits {
    /// The dtype described.
    pub dtype: DType,
    /// Least number.
    pub min: i128,
    /// Largest number.
    pub max: i128,
}

impl DType {
    /// The limits of a float or complex dtype; none for others.
    pub fn float_limits(self) -> Option<FloatLimits> {
        let dtype = self.to_real();
        // Digits, exponent of the largest power of two, exponent of the smallest normal, decimal digits.
        let (digits, top, bottom, decimals) = match dtype {
            DType::F8E4M3 => (4, 8, -6, 0),
            DType::F8E5M2 => (3, 15, -14, 0),
            DType::F8E4M3Z => (4, 7, -7, 0),
            DType::F8E5M2Z => (3, 15, -15, 0),
            DType::F8E8M0 => (1, 127, -127, 0),
            DType::F16 => (11, 15, -14, 3),
            DType::BF16 => (8, 127, -126, 2),
            DType::F32 => (24, 127, -126, 6),
            DType::F64 => (53, 1023, -1022, 15),
            _ => return None,
        };
        let eps = 2f64.powi(1 - digits);
        // float8_e4m3fn keeps the last code of its top exponent for nan.
        let lost = if dtype == DType::F8E4M3 { 2.0 * eps } else { eps };
        Some(FloatLimits {
            dtype,
            digits: digits as u32,
            eps,
            min: if dtype == DType::F8E8M0 { 2f64.powi(bottom) } else { -(2.0 - lost) * 2f64.powi(top) },
            max: (2.0 - lost) * 2f64.powi(top),
            smallest_normal: 2f64.powi(bottom),
            resolution: format!("1e-{decimals}").parse().unwrap_or(1.0),
        })
    }

    /// The limits of an integer dtype; none for others, bool included.
    pub fn int_limits(self) -> Option<IntLimits> {
        let bits = 8 * self.size() as u32;
        let (min, max) = match self.kind() {
            Kind::Unsigned => (0, (1i128 << bits) - 1),
            Kind::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            _ => return None,
        };
        Some(IntLimits { dtype: self, min, max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_torch() {
        let limits = |d: DType| d.float_limits().map(|f| (f.eps, f.max, f.smallest_normal, f.resolution));
        assert_eq!(limits(DType::F8E4M3), Some((0.125, 448.0, 0.015625, 1.0)));
        assert_eq!(limits(DType::F8E5M2), Some((0.25, 57344.0, 6.103515625e-05, 1.0)));
        assert_eq!(limits(DType::C32), Some((0.0009765625, 65504.0, 6.103515625e-05, 0.001)));
        assert_eq!(limits(DType::F32), Some((f32::EPSILON as f64, f32::MAX as f64, f32::MIN_POSITIVE as f64, 1e-6)));
        assert_eq!(limits(DType::F64), Some((f64::EPSILON, f64::MAX, f64::MIN_POSITIVE, 1e-15)));
        assert_eq!(DType::U64.int_limits().map(|i| i.max), Some(u64::MAX as i128));
        assert_eq!(DType::I8.int_limits().map(|i| i.min), Some(-128));
        assert_eq!(DType::Bool.int_limits(), None);
    }
}
