//! Uniform numbers in blocks.

use super::fill::BLOCK;
use super::mt19937::{Generator, unit_f32, unit_f64};
use crate::dtype::DType;
use crate::interrupt;
use crate::kernel::element::{Brain, Element, Half};
use crate::kernel::isa;
use anyhow::Result;

/// A float element that uniform numbers are drawn for.
trait Uniform: Element<Lane: PartialEq> {
    /// Words of the generator per element.
    const WORDS: usize;
    /// A number in [0, 1) from as many words, stretched and moved with one rounding.
    fn stretch(words: &[u32], range: Self::Lane, from: Self::Lane) -> Self::Lane;
}

macro_rules! single_word {
    ($($element:ty),*) => { $(impl Uniform for $element {
        const WORDS: usize = 1;
        #[inline(always)]
        fn stretch(words: &[u32], range: f32, from: f32) -> f32 {
            unit_f32(words[0]).mul_add(range, from)
        }
    })* };
}

single_word!(f32, Half, Brain);

impl Uniform for f64 {
    const WORDS: usize = 2;
    #[inline(always)]
    fn stretch(words: &[u32], range: f64, from: f64) -> f64 {
        unit_f64((words[0] as u64) << 32 | words[1] as u64).mul_add(range, from)
    }
}

/// Fills with numbers in [from, to). Fails with `KeyboardInterrupt` when a stop was asked for.
pub(super) fn uniform(generator: &mut Generator, from: f64, to: f64, dtype: DType, out: &mut [u8]) -> Result<()> {
    let (low, high) = (from as f32, to as f32);
    match dtype {
        DType::F64 => blocks::<f64>(generator, from, to - from, to, out),
        DType::F16 => blocks::<Half>(generator, low, high - low, high, out),
        DType::BF16 => blocks::<Brain>(generator, low, high - low, high, out),
        _ => blocks::<f32>(generator, low, high - low, high, out),
    }
}

fn blocks<E: Uniform>(generator: &mut Generator, from: E::Lane, range: E::Lane, to: E::Lane, out: &mut [u8]) -> Result<()> {
    let mut words = [0u32; 2 * BLOCK];
    for block in out.chunks_mut(BLOCK * size_of::<E>()) {
        interrupt::check()?;
        let words = &mut words[..block.len() / size_of::<E>() * E::WORDS];
        generator.fill(words);
        // SAFETY: `pick` chooses a version this machine can run, and there are as many words as the block asks for.
        unsafe { isa::pick(versions::<E>())(words, from, range, to, block) };
    }
    Ok(())
}

/// # Safety
/// None beyond the instruction set of the version.
#[inline(always)]
unsafe fn stretch_all<E: Uniform>(words: &[u32], from: E::Lane, range: E::Lane, to: E::Lane, out: &mut [u8]) {
    // Rounding can reach the upper end, which does not belong to the range.
    let (first, last) = (E::narrow(from), E::narrow(to).widen());
    for (words, place) in words.chunks_exact(E::WORDS).zip(out.chunks_exact_mut(size_of::<E>())) {
        let drawn = E::narrow(E::stretch(words, range, from));
        let value = if drawn.widen() == last { first } else { drawn };
        // SAFETY: the place has exactly the size of an element, and any alignment will do.
        unsafe { place.as_mut_ptr().cast::<E>().write_unaligned(value) };
    }
}

isa::versions! {
    fn versions<E: Uniform>(words: &[u32], from: E::Lane, range: E::Lane, to: E::Lane, out: &mut [u8]) = stretch_all
}
