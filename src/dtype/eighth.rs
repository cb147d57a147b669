//! Floats of eight bits that have no infinity: those without a negative zero (`fnuz`), and bare powers of two (`float8_e8m0fnu`).

/// The bits of a float with so many bits of mantissa, and an exponent that counts from `bias`. The code of a negative zero is NaN, and so
/// is everything too large.
#[inline(always)]
pub fn to_fnuz(value: f32, mantissa: u32, bias: u32) -> u8 {
    const NAN: u8 = 0x80;
    let bits = value.to_bits() & 0x7fff_ffff;
    let least_normal = (128 - bias) << 23;
    let code = if bits < least_normal {
        // In units of the least number.
        let unit = f32::from_bits((126 + bias + mantissa) << 23);
        (f32::from_bits(bits) * unit).round_ties_even() as u32
    } else {
        let shift = 23 - mantissa;
        let rounded = bits + (1 << (shift - 1)) - 1 + ((bits >> shift) & 1);
        (rounded >> shift) - ((127 - bias) << mantissa)
    };
    match code {
        0 => 0,
        1..0x80 => code as u8 | (u8::from(value.is_sign_negative()) << 7),
        _ => NAN,
    }
}

/// The float that such bits stand for.
#[inline(always)]
pub fn from_fnuz(code: u8, mantissa: u32, bias: u32) -> f32 {
    let magnitude = u32::from(code & 0x7f);
    let size = match magnitude >> mantissa {
        0 => magnitude as f32 * f32::from_bits((128 - bias - mantissa) << 23),
        _ => f32::from_bits((magnitude << (23 - mantissa)) + ((127 - bias) << 23)),
    };
    if code == 0x80 { f32::NAN } else { f32::from_bits(size.to_bits() | u32::from(code & 0x80) << 24) }
}

/// The exponent of the nearest power of two, of those as near the even one; a sign is lost.
#[inline(always)]
pub fn to_e8m0(value: f32) -> u8 {
    let bits = value.to_bits();
    let (exponent, rest) = ((bits >> 23 & 0xff) as u8, bits & 0x7f_ffff);
    // Below the least normal float the power is even by itself.
    let rounds_up = rest > 0x40_0000 || rest == 0x40_0000 && exponent > 0;
    if exponent == 0xff { exponent } else { exponent + u8::from(rounds_up) }
}

/// The power of two of an exponent.
#[inline(always)]
pub fn from_e8m0(code: u8) -> f32 {
    match code {
        0 => f32::from_bits(0x40_0000),
        0xff => f32::NAN,
        exponent => f32::from_bits(u32::from(exponent) << 23),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_survive_the_way_through_f32() {
        for code in 0..=u8::MAX {
            for (mantissa, bias) in [(3, 8), (2, 16)] {
                assert_eq!(to_fnuz(from_fnuz(code, mantissa, bias), mantissa, bias), code);
            }
            assert_eq!(to_e8m0(from_e8m0(code)), code);
        }
    }

    #[test]
    fn floats_round_as_recorded() {
        let found = [248.0, 247.9, 240.0, -1.5, -0.0, 9.8e-4, 7.3e-4, 1e9].map(|x| to_fnuz(x, 3, 8));
        assert_eq!(found, [128, 127, 127, 196, 0, 1, 1, 128]);
        let found = [61440.0, 61439.0, 248.0, 7.3e-4, 4e-6, 1e-40].map(|x| to_fnuz(x, 2, 16));
        assert_eq!(found, [128, 127, 96, 22, 1, 0]);
        assert_eq!([1.5, -1.5, 1.4, 0.0, 1e-40, 3.4e38, f32::INFINITY].map(to_e8m0), [128, 128, 127, 0, 0, 255, 255]);
    }
}
