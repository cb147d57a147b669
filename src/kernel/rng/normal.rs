//! Normal numbers in groups of sixteen, by Box and Muller's method on whole groups.
//!
//! Bit equality with PyTorch is a matter of the same polynomials, not of accuracy: float32 uses the single-precision ones of
//! Moshier's Cephes library with a fused multiply-add in the same places, float64 the platform's functions.

use super::fill::{BLOCK, put};
use super::mt19937::{Generator, unit_f32, unit_f64};
use crate::dtype::DType;
use crate::interrupt;
use crate::kernel::element::{Brain, Element, Half};
use crate::kernel::isa;
use anyhow::Result;

/// Uniform numbers that become as many normal ones: the first half gives radii, the second angles.
pub(super) const GROUP: usize = 16;
const HALF: usize = GROUP / 2;

/// Normal numbers for a contiguous tensor of at least a group. Fails with `KeyboardInterrupt` when a stop was asked for.
pub(super) fn normal_groups(generator: &mut Generator, mean: f64, std: f64, dtype: DType, out: &mut [u8]) -> Result<()> {
    let size = dtype.size();
    let count = out.len() / size;
    let (full, rest) = (count / GROUP * GROUP, count % GROUP);
    for part in out[..full * size].chunks_mut(BLOCK * size) {
        interrupt::check()?;
        draw(generator, mean, std, dtype, part);
    }
    if rest > 0 {
        // The last places, some of them finished already, are drawn anew as one group. The uniform numbers that PyTorch puts
        // there before are gone from the stream.
        generator.skip(match dtype {
            DType::F64 => 2 * rest,
            DType::F32 => rest,
            _ => 0,
        });
        let start = (count - GROUP) * size;
        draw(generator, mean, std, dtype, &mut out[start..]);
    }
    Ok(())
}

/// Fills at most a block with groups of normal numbers.
fn draw(generator: &mut Generator, mean: f64, std: f64, dtype: DType, out: &mut [u8]) {
    let count = out.len() / dtype.size();
    let mut words = [0u32; 2 * BLOCK];
    if dtype == DType::F64 {
        let mut block = [0f64; BLOCK];
        let (words, block) = (&mut words[..2 * count], &mut block[..count]);
        generator.fill(words);
        for (pair, unit) in words.chunks_exact(2).zip(block.iter_mut()) {
            *unit = unit_f64((pair[0] as u64) << 32 | pair[1] as u64);
        }
        transform_f64(block, mean, std);
        put(out, block.iter().copied());
        return;
    }
    let mut block = [0f32; BLOCK];
    let (words, block) = (&mut words[..count], &mut block[..count]);
    generator.fill(words);
    for (word, unit) in words.iter().zip(block.iter_mut()) {
        *unit = unit_f32(*word);
    }
    // SAFETY: `pick` chooses a version this machine can run.
    unsafe { isa::pick(versions_f32())(block, mean as f32, std as f32) };
    match dtype {
        DType::F16 => put(out, block.iter().map(|z| Half::narrow(*z))),
        DType::BF16 => put(out, block.iter().map(|z| Brain::narrow(*z))),
        _ => put(out, block.iter().copied()),
    }
}

isa::versions! { fn versions_f32<>(uniform: &mut [f32], mean: f32, std: f32) = transform_f32 }

/// Turns uniform numbers into normal ones, group by group.
///
/// # Safety
/// None beyond the instruction set of the version.
#[inline(always)]
unsafe fn transform_f32(uniform: &mut [f32], mean: f32, std: f32) {
    for group in uniform.chunks_exact_mut(GROUP) {
        let (first, second) = group.split_at_mut(HALF);
        for (a, b) in first.iter_mut().zip(second) {
            let radius = (-2.0 * ln(1.0 - *a)).sqrt();
            let (sin, cos) = sin_cos(std::f32::consts::TAU * *b);
            *a = (radius * cos).mul_add(std, mean);
            *b = (radius * sin).mul_add(std, mean);
        }
    }
}

/// The same for float64.
fn transform_f64(uniform: &mut [f64], mean: f64, std: f64) {
    for group in uniform.chunks_exact_mut(GROUP) {
        let (first, second) = group.split_at_mut(HALF);
        for (a, b) in first.iter_mut().zip(second) {
            let radius = (-2.0 * (1.0 - *a).ln()).sqrt();
            let angle = 2.0 * std::f64::consts::PI * *b;
            *a = (radius * angle.cos()).mul_add(std, mean);
            *b = (radius * angle.sin()).mul_add(std, mean);
        }
    }
}

/// Coefficients of the logarithm, highest power first.
const LN: [f32; 9] = [
    7.037_683_6e-2,
    -1.151_461e-1,
    1.167_699_84e-1,
    -1.242_014_1e-1,
    1.424_932_3e-1,
    -1.666_805_7e-1,
    2.000_071_4e-1,
    -2.499_999_4e-1,
    3.333_333e-1,
];

/// The natural logarithm of a normal number in (0, 1].
#[inline(always)]
fn ln(a: f32) -> f32 {
    const HALF_ROOT: u32 = 0x3f35_04f3;
    let bits = a.to_bits();
    let exponent = ((bits >> 23) as i32 - 126) as f32;
    let mantissa_bits = (bits & 0x007f_ffff) | 0x3f00_0000;
    let mantissa = f32::from_bits(mantissa_bits);
    let small = mantissa_bits < HALF_ROOT;
    let e = if small { exponent - 1.0 } else { exponent };
    let x = if small { (mantissa - 1.0) + mantissa } else { mantissa - 1.0 };
    let z = x * x;
    let mut y = LN[0];
    for coefficient in &LN[1..] {
        y = y.mul_add(x, *coefficient);
    }
    y *= x;
    y = y.mul_add(z, e * -2.121_944_4e-4);
    y -= 0.5 * z;
    (x + y) + e * (355.0 / 512.0)
}

/// Sine and cosine of an angle that is not negative.
#[inline(always)]
fn sin_cos(t: f32) -> (f32, f32) {
    // Angles are below 2π, so the octant is a small number.
    let octant = ((t * (4.0 / std::f32::consts::PI)) as i32 + 1) & !1;
    let q = octant as f32;
    let mut x = q.mul_add(-0.785_156_25, t);
    x = q.mul_add(-2.418_756_5e-4, x);
    x = q.mul_add(-3.774_895e-8, x);
    let z = x * x;
    let mut c = 2.443_315_7e-5f32.mul_add(z, -1.388_731_6e-3);
    c = c.mul_add(z, 4.166_664_6e-2);
    c = (c * z).mul_add(z, -0.5 * z) + 1.0;
    let mut s = (-1.951_529_6e-4f32).mul_add(z, 8.332_161e-3);
    s = s.mul_add(z, -1.666_665_5e-1);
    s = (s * z).mul_add(x, x);
    let swap = octant & 2 != 0;
    let (sin, cos) = if swap { (c, s) } else { (s, c) };
    let sin = if octant & 4 != 0 { -sin } else { sin };
    let cos = if (octant - 2) & 4 == 0 { -cos } else { cos };
    (sin, cos)
}
