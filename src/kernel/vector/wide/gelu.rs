//! `gelu` of float32 as oneDNN computes it, which PyTorch asks for it where the elements lie in a row.
//!
//! With AVX-512 a polynomial for each piece of the error function's argument stands for it. It is right to about 2^-20, which shows in
//! the fourth digit of `gelu(3.)`. Without, it is the formula of a handbook.

#[cfg(target_arch = "x86_64")]
use super::pieces::at;
use crate::kernel::vector::handbook;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// What is added to the bits of a size, and how far they are shifted then, to have the number of its piece: by exponent and two bits of
/// the fraction.
const BIAS: i32 = 0xc21f_ffff_u32 as i32;
const SHIFT: u32 = 21;
/// The first and the last piece; the last but one is that of sizes above `END`, where the error function is 1.
const FIRST: i32 = 1;
const LAST: i32 = 24;
const ENDED: i32 = 23;
const END: f32 = f32::from_bits(0x40b1_5cee);

/// The coefficients of a degree for every piece, as bits: those of oneDNN, from the lowest degree on.
const FITTED: [[u32; 32]; 6] = [
    [
        0xa6f2_cb94,
        0x3282_7792,
        0x3381_cc0c,
        0x3452_3d4a,
        0x351a_c44d,
        0x35f3_6d88,
        0x36ee_8229,
        0x37b8_a3bb,
        0x3867_a213,
        0x3940_033b,
        0x3a2a_5a1d,
        0x3ae3_5863,
        0x3b78_28f2,
        0x3c08_b14b,
        0x3c51_5ed3,
        0xbb50_3236,
        0xbd8d_8e5e,
        0xbe8a_bcd9,
        0xbf0c_19a2,
        0xbecc_b328,
        0x3e17_6ced,
        0x3f47_0d99,
        0x3f7a_bb28,
        0x3f80_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
    ],
    [
        0x3f4c_422a,
        0x3f4c_421f,
        0x3f4c_4207,
        0x3f4c_41cb,
        0x3f4c_413b,
        0x3f4c_3fad,
        0x3f4c_3a2f,
        0x3f4c_2d40,
        0x3f4c_146a,
        0x3f4b_c341,
        0x3f4a_d08c,
        0x3f48_f8cf,
        0x3f45_fac7,
        0x3f40_4e07,
        0x3f3b_980f,
        0x3f48_dff3,
        0x3f78_b21b,
        0x3fbb_0704,
        0x4001_9c32,
        0x3fe5_36d6,
        0x3f81_331e,
        0x3e6c_8684,
        0x3c98_f936,
        0x0000_0000,
        0x3f80_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
    ],
    [
        0xb621_73f4,
        0x3735_e4cf,
        0x37f2_ff89,
        0x388c_23be,
        0x3917_535c,
        0x39ab_2ab0,
        0x3a60_fadb,
        0x3af9_b960,
        0x3b6e_5491,
        0x3c0a_4ec5,
        0x3ca5_aa8c,
        0x3d21_38d9,
        0x3d87_37d4,
        0x3ddf_b660,
        0x3e0f_27ab,
        0x3d94_004b,
        0xbe0e_fdeb,
        0xbf1d_96c3,
        0xbf89_db58,
        0xbf6d_9897,
        0xbef6_9fb8,
        0xbdc4_f8a8,
        0xbbde_6422,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
    ],
    [
        0xbe08_1a19,
        0xbe08_4570,
        0xbe08_639b,
        0xbe08_9837,
        0xbe08_f409,
        0xbe09_ab95,
        0xbe0b_66d0,
        0xbe0e_400a,
        0xbe12_4df8,
        0xbe1b_de02,
        0xbe2f_19c9,
        0xbe49_31bf,
        0xbe68_5fbc,
        0xbe89_c95f,
        0xbe96_cbca,
        0xbe80_44aa,
        0xbe05_50f2,
        0x3dcf_d6a1,
        0x3e94_c826,
        0x3e79_345f,
        0x3dec_ec91,
        0x3ca4_6568,
        0x3aa1_e00a,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
    ],
    [
        0xba3d_61db,
        0x39f0_97a3,
        0x3a58_45dc,
        0x3ab1_fa35,
        0x3b0c_efb8,
        0x3b65_3ab6,
        0x3bca_e527,
        0x3c22_1712,
        0x3c6c_5840,
        0x3cc0_a703,
        0x3d1d_cc19,
        0x3d63_656d,
        0x3d95_5907,
        0x3dbf_9910,
        0x3dd5_3f69,
        0x3db7_dcef,
        0x3d63_9ebe,
        0xba6e_de48,
        0xbd22_be69,
        0xbd04_1cf1,
        0xbc64_f5ab,
        0xbb09_7a32,
        0xb8eb_f380,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
    ],
    [
        0x3cb7_d80c,
        0x3c9b_6050,
        0x3c97_8d11,
        0x3c92_e850,
        0x3c8d_058b,
        0x3c84_8454,
        0x3c6c_d623,
        0x3c4c_824b,
        0x3c2a_7935,
        0x3be0_b390,
        0x3b06_51ac,
        0xbb23_2f53,
        0xbbd4_2fa0,
        0xbc2c_5366,
        0xbc49_2c9e,
        0xbc2a_7aa6,
        0xbbd5_5d04,
        0xba82_3a76,
        0x3b10_2aa8,
        0x3ae2_5a7e,
        0x3a31_f792,
        0x38b8_4375,
        0x3689_bb5a,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
        0x0000_0000,
    ],
];

/// The same as numbers.
const COEFFICIENTS: [[f32; 32]; 6] = {
    let mut numbers = [[0.0; 32]; 6];
    let mut place = 0;
    while place < 6 * 32 {
        numbers[place / 32][place % 32] = f32::from_bits(FITTED[place / 32][place % 32]);
        place += 1;
    }
    numbers
};

/// The coefficients of e^r for |r| <= ln(2) / 2, the highest degree first.
const SHORT_EXP: [f32; 6] = [0.008_289_291, 0.041_897_822, 0.166_676_52, 0.499_991_5, 0.999_999_7, 1.0];
/// Below it e^x is taken as zero: the logarithm of the least normal number.
const LEAST: f32 = -87.336_55;

/// x times the area under the normal density left of x, by polynomials.
#[inline(always)]
pub fn one(x: f32) -> f32 {
    let size = x.abs();
    let piece = ((size.to_bits() as i32).wrapping_add(BIAS) >> SHIFT).clamp(FIRST, LAST);
    let piece = if size > END { ENDED } else { piece } as usize;
    let sum = COEFFICIENTS[..5].iter().rev().fold(COEFFICIENTS[5][piece], |sum, table| sum.mul_add(size, table[piece]));
    let erf = f32::from_bits(sum.to_bits() ^ (x.to_bits() & (-0.0f32).to_bits()));
    x * (erf + 1.0) * 0.5
}

/// The same by the handbook's formula.
#[inline(always)]
pub fn by_handbook(x: f32) -> f32 {
    let erf = handbook::erf(x * std::f32::consts::FRAC_1_SQRT_2, short_exp);
    let half = 0.5 * x;
    half.mul_add(erf, half)
}

/// The slope of the same by the handbook's formula: half the error function is the last part to be added.
#[inline(always)]
pub fn slope_by_handbook(x: f32) -> f32 {
    let r = x * std::f32::consts::FRAC_1_SQRT_2;
    let bell = short_exp(-(r * r));
    let erf = handbook::erf(r, |_| bell);
    erf.mul_add(0.5, r * FRAC_1_SQRT_PI * bell + 0.5)
}

/// 1 / sqrt(pi), the float32 below it.
const FRAC_1_SQRT_PI: f32 = f32::from_bits(0x3f10_6eba);

/// e^x of a number that is not above 0, by the polynomial of five degrees that oneDNN has for it.
#[inline(always)]
fn short_exp(x: f32) -> f32 {
    short_exp_near(x, |bounded| bounded * std::f32::consts::LOG2_E + 0.5)
}

/// The same with the place of the nearest power of two rounded once, as PyTorch has it for attention.
#[inline(always)]
pub fn shorter_exp(x: f32) -> f32 {
    short_exp_near(x, |bounded| bounded.mul_add(std::f32::consts::LOG2_E, 0.5))
}

#[inline(always)]
fn short_exp_near(x: f32, place: impl Fn(f32) -> f32) -> f32 {
    let bounded = if x < LEAST { LEAST } else { x };
    let n = place(bounded).floor();
    let r = (-n).mul_add(std::f32::consts::LN_2, bounded);
    let y = SHORT_EXP[1..].iter().fold(SHORT_EXP[0], |y, c| y.mul_add(r, *c));
    let half_power = f32::from_bits(((n as i32 - 1 + 127) as u32) << 23);
    if x < LEAST { 0.0 } else { y * half_power * 2.0 }
}

/// The same of sixteen numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub fn sixteen(x: __m512) -> __m512 {
    let size = _mm512_abs_ps(x);
    let number = _mm512_add_epi32(_mm512_castps_si512(size), _mm512_set1_epi32(BIAS));
    let piece = _mm512_srai_epi32::<SHIFT>(number);
    let piece = _mm512_min_epi32(_mm512_max_epi32(piece, _mm512_set1_epi32(FIRST)), _mm512_set1_epi32(LAST));
    let ended = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(size, _mm512_set1_ps(END));
    let piece = _mm512_mask_mov_epi32(piece, ended, _mm512_set1_epi32(ENDED));
    let mut sum = at(&COEFFICIENTS[5], piece);
    for table in COEFFICIENTS[..5].iter().rev() {
        sum = _mm512_fmadd_ps(sum, size, at(table, piece));
    }
    let sign = _mm512_and_ps(x, _mm512_set1_ps(-0.0));
    let area = _mm512_add_ps(_mm512_xor_ps(sum, sign), _mm512_set1_ps(1.0));
    _mm512_mul_ps(_mm512_mul_ps(x, area), _mm512_set1_ps(0.5))
}
