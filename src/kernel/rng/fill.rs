//! Elements of a distribution as bytes, in drawing order.

use super::bounds::Bounds;
use super::dist::Dist;
use super::mt19937::{Generator, UNITS, units_below};
use super::normal::{GROUP, normal_groups};
use super::uniform::uniform;
use crate::dtype::{DType, Number};
use crate::for_element;
use crate::interrupt;
use crate::kernel::element::{Element, Lane};
use anyhow::Result;
use num_complex::Complex;

/// Elements drawn between two looks at the interrupt flag; a multiple of a group of normal numbers.
pub(super) const BLOCK: usize = 1024;

/// Fills `out` with elements of a dtype.
///
/// `contiguous` says whether the tensor they are for is: that decides how normal numbers are drawn. A complex dtype is filled
/// as if it were real with twice the elements. Fails as PyTorch does on parameters that cannot be, before anything is drawn,
/// and with `KeyboardInterrupt` when a stop was asked for.
pub fn fill(generator: &mut Generator, dist: &Dist, dtype: DType, contiguous: bool, out: &mut [u8]) -> Result<()> {
    dist.check(dtype, out.is_empty())?;
    let (mut dist, real) = (*dist, dtype.to_real());
    if let (Dist::Normal { std, .. }, true) = (&mut dist, dtype.is_complex()) {
        *std /= std::f64::consts::SQRT_2;
    }
    let count = out.len() / real.size();
    match dist {
        Dist::Uniform { from, to } => uniform(generator, from, to, real, out),
        Dist::Normal { mean, std } if contiguous && count >= GROUP => normal_groups(generator, mean, std, real, out),
        Dist::Whole => whole(generator, real, out),
        Dist::Between { from, to } => {
            let bounds = Bounds::new(real, from, to)?;
            match bounds.one_word() {
                true => integers::<1>(generator, real, out, |draw| bounds.number(draw)),
                false => integers::<2>(generator, real, out, |draw| bounds.number(draw)),
            }
        }
        Dist::Bernoulli { p } => {
            let limit = units_below(p);
            integers::<2>(generator, real, out, |draw| (draw & UNITS < limit) as i64)
        }
        Dist::Normal { mean, std } => floats(real, out, || generator.normal().mul_add(std, mean)),
        Dist::LogNormal { mean, std } => floats(real, out, || generator.normal().mul_add(std, mean).exp()),
        Dist::Exponential { rate } => {
            let scale = -1.0 / rate;
            floats(real, out, || scale * (-generator.unit_f64()).ln_1p())
        }
        Dist::Geometric { p } => {
            let scale = (-p).ln_1p();
            floats(real, out, || (generator.unit_f64().ln() / scale).ceil())
        }
        Dist::Cauchy { median, sigma } => {
            let angle = |unit: f64| std::f64::consts::PI * (unit - 0.5);
            floats(real, out, || sigma.mul_add(angle(generator.unit_f64()).tan(), median))
        }
    }
}

/// Fills `out` with 1 where a draw is below the probability of its place, else 0; `p` gives the probabilities in drawing
/// order and `wide` says that they are float64.
///
/// Fails with a `RuntimeError` at the first that is no probability, after the draws for those before it.
pub fn trials(generator: &mut Generator, p: impl Iterator<Item = f64>, wide: bool, dtype: DType, out: &mut [u8]) -> Result<()> {
    for (k, (place, p)) in out.chunks_exact_mut(dtype.size()).zip(p).enumerate() {
        if k.is_multiple_of(BLOCK) {
            interrupt::check()?;
        }
        if !(0.0..=1.0).contains(&p) {
            fault!(
                RuntimeError,
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
            );
        }
        let hit = if wide { generator.unit_f64() < p } else { generator.unit_f32() < p as f32 };
        Number::Bool(hit).write(dtype, place);
    }
    Ok(())
}

/// `random_()`: as many values as the dtype tells apart.
fn whole(generator: &mut Generator, dtype: DType, out: &mut [u8]) -> Result<()> {
    let digits = dtype.float_limits().map_or(0, |l| l.digits);
    let count = match dtype {
        DType::Bool => 2,
        DType::U8 => 1 << 8,
        _ if dtype.is_float() => (1 << digits) + 1,
        _ => 1u64 << (8 * dtype.size() - 1),
    };
    match dtype {
        DType::I64 | DType::F64 => integers::<2>(generator, dtype, out, |draw| (draw % count) as i64),
        _ => integers::<1>(generator, dtype, out, |draw| (draw % count) as i64),
    }
}

/// A drawn number as a lane.
trait Drawn: Lane {
    fn of_float(value: f64) -> Self;
    fn of_integer(value: i64) -> Self;
}

macro_rules! drawn {
    ($($lane:ty: |$f:ident| $float:expr, |$i:ident| $integer:expr;)*) => { $(impl Drawn for $lane {
        fn of_float($f: f64) -> Self { $float }
        fn of_integer($i: i64) -> Self { $integer }
    })* };
}

drawn! {
    f32: |f| f as f32, |i| i as f32;
    f64: |f| f, |i| i as f64;
    i64: |f| Number::Float(f).to_i64(), |i| i;
    u64: |f| Number::Float(f).to_i64() as u64, |i| i as u64;
    Complex<f32>: |f| Complex::new(f as f32, 0.0), |i| Complex::new(i as f32, 0.0);
    Complex<f64>: |f| Complex::new(f, 0.0), |i| Complex::new(i as f64, 0.0);
}

/// Fills with float64 draws, rounded to the dtype (through float32 for narrower ones).
fn floats(dtype: DType, out: &mut [u8], mut draw: impl FnMut() -> f64) -> Result<()> {
    for block in out.chunks_mut(BLOCK * dtype.size()) {
        interrupt::check()?;
        for_element!(dtype, E => {
            put(block, std::iter::repeat_with(|| E::narrow(<E as Element>::Lane::of_float(draw()))))
        });
    }
    Ok(())
}

/// Fills with whole numbers, converted to the dtype, each made of a draw of one or two words.
fn integers<const WORDS: usize>(
    generator: &mut Generator,
    dtype: DType,
    out: &mut [u8],
    number: impl Fn(u64) -> i64,
) -> Result<()> {
    let mut words = [[0u32; WORDS]; BLOCK];
    for block in out.chunks_mut(BLOCK * dtype.size()) {
        interrupt::check()?;
        let words = &mut words[..block.len() / dtype.size()];
        generator.fill(words.as_flattened_mut());
        let draws = words.iter().map(|words| words.iter().fold(0, |draw, word| draw << 32 | *word as u64));
        for_element!(dtype, E => put(block, draws.map(|draw| E::narrow(<E as Element>::Lane::of_integer(number(draw))))));
    }
    Ok(())
}

/// Writes elements one after the other, as many as there is room for.
pub(super) fn put<E: Copy>(out: &mut [u8], values: impl Iterator<Item = E>) {
    for (place, value) in out.chunks_exact_mut(size_of::<E>()).zip(values) {
        // SAFETY: the place has exactly the size of an element, and any alignment will do.
        unsafe { place.as_mut_ptr().cast::<E>().write_unaligned(value) };
    }
}
