//! Products of bfloat16 matrices by the tile instructions some x86 processors have (AMX), or by the dot products of pairs that
//! others have, with sums in float32.
//!
//! Both matrices are packed into tiles of a kibibyte first: 16 rows of 32 entries of the left one, 16 pairs of rows by 16 columns
//! of the right one. Each entry of the result is one sum over the inner dimension, in order, so that the bits do not depend on
//! threads.

use super::matmul::{Matrix, Part, Product, starts};
use super::shared::Shared;
use super::turn::{Crossing, turn, turns};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::LazyLock;

/// Rows and columns of a tile of the result.
const SIDE: usize = 16;

/// Entries of the inner dimension in a tile.
const DEPTH: usize = 32;

/// Multiplications from which on several threads are worth it.
const MANY: usize = 1 << 15;

/// Packed entries of the right matrix that stay in the cache of a thread.
const CACHED: usize = 1 << 18;

/// Entries of a packed tile.
const TILE: usize = SIDE * DEPTH;

/// The instructions that multiply packed tiles.
#[derive(Clone, Copy, PartialEq)]
enum Means {
    Tiles,
    Pairs,
}

/// The instructions that the processor has and the system lets us use.
fn means() -> Option<Means> {
    static MEANS: LazyLock<Option<Means>> = LazyLock::new(|| match (x86::has_tiles(), pairs::are_there()) {
        (true, _) => Some(Means::Tiles),
        (false, true) => Some(Means::Pairs),
        (false, false) => None,
    });
    *MEANS
}

/// True when there are such instructions.
pub fn is_available() -> bool {
    means().is_some()
}

/// Computes a part of one product of the batch, on several threads when it is much and nothing else is at work.
///
/// # Safety
/// As for [`multiply`](super::matmul::multiply), for bfloat16; the instructions are [available](is_available).
pub unsafe fn multiply(product: &Product, place: usize, part: &Part, at: &[*mut u8; 3]) {
    let [out, left, right] = product.matrices;
    let [to, a, b] = starts(product, place, part, at).map(Shared);
    let (m, n, depth) = (part.rows.len(), part.columns.len(), product.k.div_ceil(DEPTH));
    let parallel = product.batch.len() == 1 && m * n * product.k > MANY;
    // Tiles go in pairs, so that each that is loaded serves twice.
    let (down, across) = (m.div_ceil(2 * SIDE), n.div_ceil(2 * SIDE));
    let mut packed = vec![0u16; 2 * across * depth * TILE];
    let pack = |(i, tiles): (usize, &mut [u16])| {
        // SAFETY: the caller promises that all entries are there.
        unsafe { pack_right(b.at(0), right, i * SIDE..n.min((i + 1) * SIDE), product.k, tiles) }
    };
    let size = (depth * TILE).max(1);
    if parallel {
        packed.par_chunks_mut(size).enumerate().for_each(pack);
    } else {
        packed.chunks_mut(size).enumerate().for_each(pack);
    }
    let rows = |i: usize| i * 2 * SIDE..m.min((i + 1) * 2 * SIDE);
    // SAFETY: the caller promises that all entries are there, and that the instructions are.
    let pack = |(i, tiles): (usize, &mut [u16])| unsafe { pack_left(a.at(0), left, rows(i), product.k, tiles) };
    // So many columns at a time that what is packed of them stays in the cache. The rows are packed once.
    let wide = (CACHED / (2 * size)).clamp(1, across.max(1));
    let mut strips = vec![0u16; if wide < across { down * 2 * size } else { 0 }];
    if parallel {
        strips.par_chunks_mut(2 * size).enumerate().for_each(pack);
    } else {
        strips.chunks_mut(2 * size).enumerate().for_each(pack);
    }
    // What an earlier strip left in rows that this one lacks goes to sums that nothing reads.
    let bench = || (vec![0u16; if strips.is_empty() { 2 * size } else { 0 }], [[0f32; SIDE * SIDE]; 4]);
    let strip = |(own, sums): &mut (Vec<u16>, [[f32; SIDE * SIDE]; 4]), first: usize, i: usize| {
        let mine = rows(i);
        // SAFETY: the caller promises that all entries are there, and that the instructions are.
        unsafe {
            let tiles = match strips.get(i * 2 * size..(i + 1) * 2 * size) {
                Some(tiles) => tiles,
                None => {
                    pack((i, own));
                    own
                }
            };
            let tiled = means() == Some(Means::Tiles);
            if tiled {
                x86::configure();
            }
            for j in first..across.min(first + wide) {
                let right = &packed[j * 2 * depth * TILE..][..2 * depth * TILE];
                if tiled {
                    x86::sum_tiles(tiles, right, depth, sums);
                } else {
                    pairs::sum_tiles(tiles, right, depth, sums);
                }
                write(to.at(0), out, mine.clone(), j * 2 * SIDE..n.min((j + 1) * 2 * SIDE), sums);
            }
            if tiled {
                x86::release();
            }
        }
    };
    for first in (0..across).step_by(wide) {
        if parallel {
            (0..down).into_par_iter().for_each_init(bench, |bench, i| strip(bench, first, i));
        } else {
            let mut bench = bench();
            (0..down).for_each(|i| strip(&mut bench, first, i));
        }
    }
}

/// A tile that is turned, pair by pair.
const SQUARE: Crossing = Crossing { lines: SIDE, len: SIDE, to_step: 2 * DEPTH as isize, from_step: 2 * DEPTH as isize };

/// Rows of the left matrix, 16 to a tile; the tiles of the first 16 rows come first.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx512f,avx512bw,avx512vl"))]
unsafe fn pack_left(from: *const u8, matrix: Matrix, rows: Range<usize>, k: usize, tiles: &mut [u16]) {
    let half = tiles.len() / 2;
    let (is_turned, whole) = (matrix.row == 2 && turns::<[u16; 2]>() && rows.len() == 2 * SIDE, k / DEPTH);
    if is_turned {
        // Pairs of columns side by side, as of the right matrix, and then turned.
        let mut pairs = [0u16; TILE];
        for (part, t) in (0..2).flat_map(|part| (0..whole).map(move |t| (part, t))) {
            let corner = from.wrapping_offset((rows.start + part * SIDE) as isize * 2 + (t * DEPTH) as isize * matrix.column);
            let as_right = Matrix { row: matrix.column, column: 2 };
            let to = &mut tiles[part * half + t * TILE..][..TILE];
            // SAFETY: the caller promises that all entries are there.
            unsafe {
                pack_right(corner, as_right, 0..SIDE, DEPTH, &mut pairs);
                turn::<[u16; 2]>(to.as_mut_ptr() as *mut u8, pairs.as_ptr() as *const u8, SQUARE);
            }
        }
    }
    for (r, row) in rows.enumerate() {
        let line = from.wrapping_offset(row as isize * matrix.row);
        let tiles = &mut tiles[r / SIDE * half..][..half];
        for (t, start) in (0..k).step_by(DEPTH).enumerate().skip(if is_turned { whole } else { 0 }) {
            let width = (k - start).min(DEPTH);
            let to = &mut tiles[t * TILE + r % SIDE * DEPTH..][..width];
            // SAFETY: the caller promises that all entries are there.
            unsafe {
                // A width that is known is one register.
                if matrix.column == 2 && width == DEPTH {
                    *(to.as_mut_ptr() as *mut [u16; DEPTH]) = *((line as *const u16).add(start) as *const [u16; DEPTH]);
                } else if matrix.column == 2 {
                    to.copy_from_slice(std::slice::from_raw_parts((line as *const u16).add(start), width));
                } else {
                    let entry = |j: usize| *(line.wrapping_offset((start + j) as isize * matrix.column) as *const u16);
                    to.iter_mut().enumerate().for_each(|(j, x)| *x = entry(j));
                }
            }
        }
    }
}

/// Columns of the right matrix, at most 16, pairs of rows side by side.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx512f,avx512bw,avx512vl"))]
unsafe fn pack_right(from: *const u8, matrix: Matrix, columns: Range<usize>, k: usize, tiles: &mut [u16]) {
    let corner = from.wrapping_offset(columns.start as isize * matrix.column);
    let width = columns.len();
    let zeros = [0; SIDE];
    let turned = if matrix.row == 2 && width == SIDE && turns::<[u16; 2]>() { k / DEPTH } else { 0 };
    for (t, to) in tiles.chunks_exact_mut(TILE).enumerate().take(turned) {
        let from = corner.wrapping_offset((t * DEPTH) as isize * 2);
        // SAFETY: the caller promises that all entries are there.
        unsafe { turn::<[u16; 2]>(to.as_mut_ptr() as *mut u8, from, Crossing { from_step: matrix.column, ..SQUARE }) }
    }
    for (pair, to) in tiles.as_chunks_mut::<DEPTH>().0.iter_mut().enumerate().take(k.div_ceil(2)).skip(turned * SIDE) {
        let row = |i: usize| corner.wrapping_offset(i as isize * matrix.row);
        let odd = 2 * pair + 1 < k;
        // SAFETY: the caller promises that all entries are there.
        unsafe {
            if matrix.column == 2 && width == SIDE && odd {
                let [upper, lower] = [row(2 * pair), row(2 * pair + 1)].map(|line| *(line as *const [u16; SIDE]));
                (0..SIDE).for_each(|j| [to[2 * j], to[2 * j + 1]] = [upper[j], lower[j]]);
                continue;
            }
            if matrix.column == 2 {
                let line = |i: usize| std::slice::from_raw_parts(row(i) as *const u16, width);
                let (upper, lower) = (line(2 * pair), if odd { line(2 * pair + 1) } else { &zeros[..width] });
                to.as_chunks_mut::<2>().0.iter_mut().zip(upper.iter().zip(lower)).for_each(|(to, (x, y))| *to = [*x, *y]);
                continue;
            }
            for (j, to) in to.as_chunks_mut::<2>().0.iter_mut().enumerate().take(width) {
                let entry = |i: usize| *(row(i).wrapping_offset(j as isize * matrix.column) as *const u16);
                *to = [entry(2 * pair), if odd { entry(2 * pair + 1) } else { 0 }];
            }
        }
    }
}

/// To bfloat16, rounded to nearest even.
#[inline(always)]
fn round(x: f32) -> u16 {
    let bits = x.to_bits();
    let rounded = (bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16) as u16;
    if x.is_nan() { (bits >> 16) as u16 | 0x40 } else { rounded }
}

/// Rounds four tiles of sums, two by two, into the result.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx512f,avx512bw,avx512vl"))]
unsafe fn write(to: *mut u8, matrix: Matrix, rows: Range<usize>, columns: Range<usize>, sums: &[[f32; SIDE * SIDE]; 4]) {
    let (top, left) = (rows.start, columns.start);
    for i in rows {
        for start in columns.clone().step_by(SIDE) {
            let tile = &sums[(i - top) / SIDE * 2 + (start - left) / SIDE];
            let mut rounded = [0u16; SIDE];
            rounded.iter_mut().zip(&tile[(i - top) % SIDE * SIDE..]).for_each(|(to, x)| *to = round(*x));
            let width = (columns.end - start).min(SIDE);
            let cell = |j: usize| to.wrapping_offset(i as isize * matrix.row + (start + j) as isize * matrix.column);
            // SAFETY: the caller promises that the result's cells are there and writable.
            unsafe {
                if matrix.column == 2 && width == SIDE {
                    *(cell(0) as *mut [u16; SIDE]) = rounded;
                } else if matrix.column == 2 {
                    std::slice::from_raw_parts_mut(cell(0) as *mut u16, width).copy_from_slice(&rounded[..width]);
                } else {
                    (0..width).for_each(|j| *(cell(j) as *mut u16) = rounded[j]);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod pairs {
    use super::{DEPTH, SIDE, TILE};
    use std::arch::x86_64::*;

    /// True when the processor adds products of pairs to sums in float32.
    pub fn are_there() -> bool {
        is_x86_feature_detected!("avx512bf16") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl")
    }

    /// The same bits as pairs of entries.
    fn as_pairs(bits: __m512i) -> __m512bh {
        // SAFETY: both are 64 bytes, and any bits are entries.
        unsafe { std::mem::transmute::<__m512i, __m512bh>(bits) }
    }

    /// The sums of products of two rows of tiles with two columns of tiles, each `depth` tiles long; 8 rows of sums of two tiles
    /// stay in registers.
    ///
    /// # Safety
    /// The instructions are there; each operand holds two times `depth` tiles.
    #[target_feature(enable = "avx512f,avx512bf16")]
    pub unsafe fn sum_tiles(left: &[u16], right: &[u16], depth: usize, sums: &mut [[f32; SIDE * SIDE]; 4]) {
        const ROWS: usize = 8;
        let half = depth * TILE;
        for top in (0..2 * SIDE).step_by(ROWS) {
            let (strip, first) = (top / SIDE, top % SIDE);
            let mut acc = [[_mm512_setzero_ps(); 2]; ROWS];
            for tile in 0..depth {
                let rows = left[strip * half + tile * TILE + first * DEPTH..][..ROWS * DEPTH].as_ptr() as *const i32;
                for pair in 0..DEPTH / 2 {
                    // SAFETY: a tile is 16 rows of 32 entries; the caller promises the instructions.
                    unsafe {
                        let line = |column: usize| {
                            let at = right.as_ptr().add(column * half + tile * TILE + pair * DEPTH);
                            _mm512_loadu_si512(at as *const _)
                        };
                        let lines = [line(0), line(1)];
                        for (r, acc) in acc.iter_mut().enumerate() {
                            let both = _mm512_set1_epi32(rows.add(r * DEPTH / 2 + pair).read_unaligned());
                            for (acc, line) in acc.iter_mut().zip(lines) {
                                *acc = _mm512_dpbf16_ps(*acc, as_pairs(both), as_pairs(line));
                            }
                        }
                    }
                }
            }
            for (r, row) in acc.iter().enumerate() {
                for (c, lanes) in row.iter().enumerate() {
                    let to = &mut sums[strip * 2 + c][(first + r) * SIDE..][..SIDE];
                    // SAFETY: a row of a tile of sums is 16 lanes.
                    unsafe { _mm512_storeu_ps(to.as_mut_ptr(), *lanes) };
                }
            }
        }
    }
}

/// Where there are no such instructions; nothing but the question is ever asked.
#[cfg(not(target_arch = "x86_64"))]
mod pairs {
    use super::SIDE;

    pub fn are_there() -> bool {
        false
    }

    pub unsafe fn sum_tiles(_: &[u16], _: &[u16], _: usize, _: &mut [[f32; SIDE * SIDE]; 4]) {}
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod x86 {
    use super::SIDE;
    use std::arch::asm;
    use std::arch::x86_64::__cpuid_count;

    /// Asks the processor for the instructions (and those that always come with them), and the system for leave to use their registers.
    pub fn has_tiles() -> bool {
        const TILES: u32 = 1 << 24 | 1 << 22;
        const REQUEST: libc::c_long = 0x1023;
        const TILE_DATA: libc::c_long = 18;
        #[allow(unused_unsafe, reason = "safe in later compilers")]
        // SAFETY: every processor of this kind answers for leaf 0; the system call changes nothing but what we may use.
        unsafe {
            is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && __cpuid_count(0, 0).eax >= 7
                && __cpuid_count(7, 0).edx & TILES == TILES
                && libc::syscall(libc::SYS_arch_prctl, REQUEST, TILE_DATA) == 0
        }
    }

    /// The shapes of the tile registers.
    #[repr(C, align(64))]
    struct Shapes {
        palette: u8,
        start: u8,
        reserved: [u8; 14],
        bytes: [u16; 16],
        rows: [u8; 16],
    }

    /// Makes all tile registers 16 rows of 64 bytes.
    ///
    /// # Safety
    /// The instructions are available.
    pub unsafe fn configure() {
        let mut shapes = Shapes { palette: 1, start: 0, reserved: [0; 14], bytes: [0; 16], rows: [0; 16] };
        shapes.bytes[..8].fill(64);
        shapes.rows[..8].fill(16);
        // SAFETY: the shapes are valid; the caller's promise.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &shapes, options(nostack)) }
    }

    /// Gives the tile registers back.
    ///
    /// # Safety
    /// The instructions are available.
    pub unsafe fn release() {
        // SAFETY: the caller's promise.
        unsafe { asm!("tilerelease", options(nostack, nomem)) }
    }

    /// The sums of products of two rows of tiles with two columns of tiles, each `depth` tiles long.
    ///
    /// # Safety
    /// The instructions are available and the registers configured; each operand holds two times `depth` tiles.
    pub unsafe fn sum_tiles(left: &[u16], right: &[u16], depth: usize, sums: &mut [[f32; SIDE * SIDE]; 4]) {
        if depth == 0 {
            return;
        }
        let half = depth * super::TILE;
        // SAFETY: the caller's promise: all tiles that are loaded are there, and the sums are four tiles.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "tileloadd tmm4, [{a} + {row}*1]",
                "tileloadd tmm6, [{b} + {row}*1]",
                "tileloadd tmm5, [{a2} + {row}*1]",
                "tileloadd tmm7, [{b2} + {row}*1]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tdpbf16ps tmm2, tmm5, tmm6",
                "tdpbf16ps tmm3, tmm5, tmm7",
                "add {a}, 1024",
                "add {a2}, 1024",
                "add {b}, 1024",
                "add {b2}, 1024",
                "dec {count}",
                "jnz 2b",
                "tilestored [{to} + {row}*1], tmm0",
                "tilestored [{to} + {row}*1 + 1024], tmm1",
                "tilestored [{to} + {row}*1 + 2048], tmm2",
                "tilestored [{to} + {row}*1 + 3072], tmm3",
                a = inout(reg) left.as_ptr() => _,
                a2 = inout(reg) left.as_ptr().add(half) => _,
                b = inout(reg) right.as_ptr() => _,
                b2 = inout(reg) right.as_ptr().add(half) => _,
                count = inout(reg) depth => _,
                to = in(reg) sums.as_mut_ptr(),
                row = in(reg) 64usize,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }
}

/// Where there are no such instructions; nothing but the question is ever asked.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod x86 {
    use super::SIDE;

    pub fn has_tiles() -> bool {
        false
    }

    pub unsafe fn configure() {}

    pub unsafe fn release() {}

    pub unsafe fn sum_tiles(_: &[u16], _: &[u16], _: usize, _: &mut [[f32; SIDE * SIDE]; 4]) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use half::bf16;

    #[test]
    fn tiles_of_any_size_and_strides_multiply() {
        if !is_available() {
            return;
        }
        for (m, n, k) in [(1, 1, 1), (3, 5, 7), (16, 16, 32), (33, 17, 65), (70, 40, 100), (33, 140, 2000)] {
            for turned in [false, true] {
                let small = |i: usize| bf16::from_f32((i * 7919 % 17) as f32 - 8.0);
                let (a, b): (Vec<bf16>, Vec<bf16>) = ((0..m * k).map(small).collect(), (3..3 + k * n).map(small).collect());
                let mut out = vec![bf16::ZERO; m * n];
                let lies = |rows: usize, columns: usize| match turned {
                    true => Matrix { row: 2, column: 2 * rows as isize },
                    false => Matrix { row: 2 * columns as isize, column: 2 },
                };
                let matrices = [Matrix { row: 2 * n as isize, column: 2 }, lies(m, k), lies(k, n)];
                let product = Product {
                    dtype: DType::BF16,
                    m,
                    n,
                    k,
                    matrices,
                    batch: smallvec::smallvec![[0; 3]],
                    is_batch: false,
                    is_widened: false,
                    onto: false,
                    piece: None,
                    added: false,
                };
                let at = [out.as_mut_ptr() as *mut u8, a.as_ptr() as *mut u8, b.as_ptr() as *mut u8];
                // SAFETY: the vectors hold all entries.
                unsafe { multiply(&product, 0, &Part { rows: 0..m, columns: 0..n }, &at) };
                let entry = |x: &[bf16], i: usize, j: usize, rows: usize, columns: usize| {
                    if turned { x[j * rows + i] } else { x[i * columns + j] }.to_f32()
                };
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let sum: f32 = (0..k).map(|x| entry(&a, i, x, m, k) * entry(&b, x, j, k, n)).sum();
                    assert_eq!(out[i * n + j], bf16::from_f32(sum), "{m} {n} {k} {turned} at {i}, {j}");
                }
            }
        }
    }
}
