//! Patches whose rows become columns, in squares that fit vector registers.

use super::isa::has_avx2;
use num_traits::Zero;

/// A patch of elements of some size that lies across the memory it goes to: element `i` of line `j` is to be element `j` of line `i`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Lines that are written.
    pub lines: usize,
    /// Elements of each of them, and lines that are read.
    pub len: usize,
    /// From one written line to the next, in bytes.
    pub to_step: isize,
    /// From one line that is read to the next, in bytes.
    pub from_step: isize,
}

/// True when [`turn`] takes elements of this type.
#[inline(always)]
pub(super) fn turns<E>() -> bool {
    cfg!(target_arch = "x86_64") && matches!(size_of::<E>(), 4 | 8) && has_avx2()
}

/// Writes the lines.
///
/// # Safety
/// Elements of this type are [taken](turns), all are there, and none is both read and written.
#[inline(always)]
pub(super) unsafe fn turn<E: Copy>(to: *mut u8, from: *const u8, crossing: Crossing) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's promise; there is AVX2 where elements are taken.
    unsafe {
        match size_of::<E>() {
            4 => squares::turn::<u32>(to, from, crossing),
            _ => squares::turn::<u64>(to, from, crossing),
        }
    }
}

/// Rows of a matrix one after the other in `to`, `stride` entries apart: (rows, columns) entries, whose steps, in entries, lead to the
/// next row and to the next column. What lies between rows is left as it is, zero in a new `to`.
///
/// # Safety
/// All entries are there.
pub(super) unsafe fn in_rows<E: Copy + Zero>(
    to: &mut Vec<E>,
    from: *const E,
    steps: [isize; 2],
    [rows, columns]: [usize; 2],
    stride: usize,
) {
    if to.len() < rows * stride {
        to.resize(rows * stride, E::zero());
    }
    let to = &mut to[..rows * stride];
    let line = |row: usize| from.wrapping_offset(row as isize * steps[0]);
    if steps[0] == 1 && turns::<E>() {
        let [to_step, from_step] = [stride as isize, steps[1]].map(|step| step * size_of::<E>() as isize);
        let crossing = Crossing { lines: rows, len: columns, to_step, from_step };
        // SAFETY: the caller promises the entries; there is room for the rows.
        return unsafe { turn::<E>(to.as_mut_ptr() as *mut u8, from as *const u8, crossing) };
    }
    for (row, to) in to.chunks_exact_mut(stride.max(1)).enumerate() {
        let to = &mut to[..columns];
        // SAFETY: the caller promises the entries.
        unsafe {
            match steps[1] {
                1 => to.copy_from_slice(std::slice::from_raw_parts(line(row), columns)),
                step => to.iter_mut().enumerate().for_each(|(j, x)| *x = *line(row).wrapping_offset(j as isize * step)),
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod squares {
    use super::Crossing;
    use std::arch::x86_64::*;

    /// Elements of which a square is turned in registers.
    pub(super) trait Square: Copy {
        const SIDE: usize;
        /// Turns a square whose lines are these steps apart.
        unsafe fn square(to: *mut u8, to_step: isize, from: *const u8, from_step: isize);
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn turn<E: Square>(to: *mut u8, from: *const u8, crossing: Crossing) {
        let Crossing { lines, len, to_step, from_step } = crossing;
        let size = size_of::<E>() as isize;
        let places = |i: usize, j: usize| {
            let (i, j) = (i as isize, j as isize);
            (to.wrapping_offset(i * to_step + j * size), from.wrapping_offset(j * from_step + i * size))
        };
        let whole = |n: usize| n / E::SIDE * E::SIDE;
        let one = |i: usize, j: usize| {
            let (to, from) = places(i, j);
            // SAFETY: the caller's promise.
            unsafe { *(to as *mut E) = *(from as *const E) }
        };
        // Side by side as wide as a cache line is, so that none is read twice.
        let wide = 64 / size_of::<E>();
        for first in (0..whole(lines)).step_by(wide) {
            let beside = first..(first + wide).min(whole(lines));
            for j in (0..whole(len)).step_by(E::SIDE) {
                for i in beside.clone().step_by(E::SIDE) {
                    let (to, from) = places(i, j);
                    // SAFETY: the caller's promise.
                    unsafe { E::square(to, to_step, from, from_step) }
                }
            }
            beside.for_each(|i| (whole(len)..len).for_each(|j| one(i, j)));
        }
        (whole(lines)..lines).for_each(|i| (0..len).for_each(|j| one(i, j)));
    }

    impl Square for u64 {
        const SIDE: usize = 4;

        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn square(to: *mut u8, to_step: isize, from: *const u8, from_step: isize) {
            // SAFETY: the caller's promise.
            unsafe {
                let line = |j: isize| _mm256_loadu_pd(from.wrapping_offset(j * from_step) as *const f64);
                let put = |i: isize, x: __m256d| _mm256_storeu_pd(to.wrapping_offset(i * to_step) as *mut f64, x);
                let [a, b, c, d] = [line(0), line(1), line(2), line(3)];
                let even = [_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)];
                let odd = [_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d)];
                put(0, _mm256_permute2f128_pd::<0x20>(even[0], even[1]));
                put(1, _mm256_permute2f128_pd::<0x20>(odd[0], odd[1]));
                put(2, _mm256_permute2f128_pd::<0x31>(even[0], even[1]));
                put(3, _mm256_permute2f128_pd::<0x31>(odd[0], odd[1]));
            }
        }
    }

    impl Square for u32 {
        const SIDE: usize = 8;

        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn square(to: *mut u8, to_step: isize, from: *const u8, from_step: isize) {
            // SAFETY: the caller's promise.
            unsafe {
                let line = |j: isize| _mm256_loadu_ps(from.wrapping_offset(j * from_step) as *const f32);
                let put = |i: isize, x: __m256| _mm256_storeu_ps(to.wrapping_offset(i * to_step) as *mut f32, x);
                // Each pair of lines interleaved, then each pair of pairs: in each half, columns k and k + 4 of four lines.
                let fours = |j: isize| {
                    let [a, b, c, d] = [line(j), line(j + 1), line(j + 2), line(j + 3)];
                    let (low, high) = (
                        [_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d)],
                        [_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d)],
                    );
                    [
                        _mm256_shuffle_ps::<0x44>(low[0], low[1]),
                        _mm256_shuffle_ps::<0xee>(low[0], low[1]),
                        _mm256_shuffle_ps::<0x44>(high[0], high[1]),
                        _mm256_shuffle_ps::<0xee>(high[0], high[1]),
                    ]
                };
                let (upper, lower) = (fours(0), fours(4));
                for k in 0..4 {
                    put(k as isize, _mm256_permute2f128_ps::<0x20>(upper[k], lower[k]));
                    put(k as isize + 4, _mm256_permute2f128_ps::<0x31>(upper[k], lower[k]));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<E: Copy + PartialEq + std::fmt::Debug + Default>(of: impl Fn(usize) -> E) {
        if !turns::<E>() {
            return;
        }
        let size = size_of::<E>() as isize;
        for (lines, len) in [(1, 1), (4, 4), (8, 8), (3, 9), (17, 5), (33, 32), (8, 40)] {
            let (wide, high) = (len + 3, lines + 2);
            let from: Vec<E> = (0..len * high).map(&of).collect();
            let mut to = vec![E::default(); lines * wide];
            let crossing = Crossing { lines, len, to_step: wide as isize * size, from_step: high as isize * size };
            // SAFETY: both hold all lines, with gaps.
            unsafe { turn::<E>(to.as_mut_ptr() as *mut u8, from.as_ptr() as *const u8, crossing) };
            for (k, x) in to.iter().enumerate() {
                let (i, j) = (k / wide, k % wide);
                let expected = if j < len { from[j * high + i] } else { E::default() };
                assert_eq!(*x, expected, "{lines} lines of {len}, element {j} of line {i}");
            }
        }
    }

    #[test]
    fn rows_become_columns_at_all_sizes() {
        check(|i| i as u32 + 1);
        check(|i| i as u64 + 1);
    }
}
