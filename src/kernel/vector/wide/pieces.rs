//! Odd functions in pieces: near the middle c of an interval, `f(c) + slope r + curve r²` with `r = |x| - c`.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// An odd function that becomes constant. Its 32 intervals are numbered by exponent and two bits of the fraction; the first reaches down
/// to zero, and its middle is zero. Tables are by the lowest five bits of these numbers.
pub struct Pieces {
    /// The number of the first interval.
    pub first: u32,
    /// Where the last interval begins, which is this one number.
    pub end: f32,
    /// In the first interval the function less its argument is given.
    pub adds_itself: bool,
    /// Middles; the function there, what its nearest float32 lacks, and the slope there.
    pub line: [[f32; 32]; 4],
    /// What is left, over the square of the distance from the middle: coefficients, the highest first.
    pub curve: [[f32; 32]; 5],
}

/// The function of one number.
#[inline(always)]
pub fn one(x: f32, pieces: &Pieces) -> f32 {
    let size = if x.abs() > pieces.end { pieces.end } else { x.abs() };
    let number = (size.to_bits() >> 21).max(pieces.first);
    let i = (number & 31) as usize;
    let (middle, value, rest, slope) = (pieces.line[0][i], pieces.line[1][i], pieces.line[2][i], pieces.line[3][i]);
    let value = if pieces.adds_itself && number == pieces.first { size } else { value };
    let r = size - middle;
    let curve = pieces.curve[1..].iter().fold(pieces.curve[0][i], |sum, table| sum.mul_add(r, table[i]));
    let line = slope.mul_add(r, value);
    let lost = slope.mul_add(r, value - line);
    (line + ((curve * r).mul_add(r, rest) + lost)).copysign(x)
}

/// What lies at the places of a table of 32; only the lowest five bits of a place count.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn at(table: &[f32; 32], places: __m512i) -> __m512 {
    // SAFETY: the table has room for two vectors.
    unsafe { _mm512_permutex2var_ps(_mm512_loadu_ps(table.as_ptr()), places, _mm512_loadu_ps(table.as_ptr().add(16))) }
}

/// What lies at the places of a table of 16; only the lowest four bits of a place count.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn at_16(table: &[f32; 16], places: __m512i) -> __m512 {
    // SAFETY: the table has room for a vector.
    _mm512_permutexvar_ps(places, unsafe { _mm512_loadu_ps(table.as_ptr()) })
}

/// The same of float64.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn at_16_double(table: &[f64; 16], places: __m512i) -> __m512d {
    // SAFETY: the table has room for two vectors.
    unsafe { _mm512_permutex2var_pd(_mm512_loadu_pd(table.as_ptr()), places, _mm512_loadu_pd(table.as_ptr().add(8))) }
}

/// The first numbers with the signs of the second.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn signed(size: __m512, sign: __m512) -> __m512 {
    let mask = _mm512_castps_si512(_mm512_set1_ps(-0.0));
    let bits = _mm512_ternarylogic_epi32::<0xd8>(_mm512_castps_si512(size), _mm512_castps_si512(sign), mask);
    _mm512_castsi512_ps(bits)
}

/// The function of sixteen numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn sixteen(x: __m512, pieces: &Pieces) -> __m512 {
    let size = _mm512_min_ps(_mm512_set1_ps(pieces.end), _mm512_abs_ps(x));
    let first = _mm512_set1_epi32(pieces.first as i32);
    let i = _mm512_max_epi32(_mm512_srli_epi32::<21>(_mm512_castps_si512(size)), first);
    let r = _mm512_sub_ps(size, at(&pieces.line[0], i));
    let (value, rest, slope) = (at(&pieces.line[1], i), at(&pieces.line[2], i), at(&pieces.line[3], i));
    let value = if pieces.adds_itself { _mm512_mask_mov_ps(value, _mm512_cmpeq_epi32_mask(i, first), size) } else { value };
    let mut curve = at(&pieces.curve[0], i);
    for table in &pieces.curve[1..] {
        curve = _mm512_fmadd_ps(curve, r, at(table, i));
    }
    let line = _mm512_fmadd_ps(slope, r, value);
    let lost = _mm512_fmadd_ps(slope, r, _mm512_sub_ps(value, line));
    let y = _mm512_add_ps(line, _mm512_add_ps(_mm512_fmadd_ps(_mm512_mul_ps(curve, r), r, rest), lost));
    signed(y, x)
}
