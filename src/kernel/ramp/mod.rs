//! Evenly spaced numbers and the identity's diagonal, with PyTorch's arithmetic to the last bit.
//!
//! PyTorch computes `arange` in vectors: the first element of a vector is rounded to the dtype before the others are counted
//! from it. Only what is left after whole pairs of vectors is computed one by one. `linspace` counts from both ends.

mod float;
mod spaced;

pub use spaced::{linspace, logspace};

use super::element::{Brain, Half};
use super::isa;
use crate::dtype::{DType, Number};
use crate::interrupt;
use anyhow::Result;
use float::Ramp;
use rayon::prelude::*;

/// Elements that one thread fills at a time, and between two looks at the interrupt flag; a multiple of every pair of vectors.
const BLOCK: usize = 1 << 15;

/// Elements that follow from their places.
trait Series: Sync {
    /// What they are.
    type Element: Copy;
    /// The element at a place.
    fn at(&self, place: usize) -> Self::Element;
    /// Fills with the elements from `place` on.
    #[inline(always)]
    fn write(&self, place: usize, out: &mut [u8]) {
        for (j, element) in out.chunks_exact_mut(size_of::<Self::Element>()).enumerate() {
            put(element, self.at(place + j));
        }
    }
}

/// Writes one element.
#[inline(always)]
fn put<E: Copy>(place: &mut [u8], value: E) {
    debug_assert_eq!(place.len(), size_of::<E>());
    // SAFETY: every place is cut to the size of an element, and any alignment will do.
    unsafe { place.as_mut_ptr().cast::<E>().write_unaligned(value) };
}

/// # Safety
/// None beyond the instruction set of the version.
#[inline(always)]
unsafe fn write_series<S: Series>(series: &S, place: usize, out: &mut [u8]) {
    series.write(place, out);
}

isa::versions! { fn versions<S: Series>(series: &S, place: usize, out: &mut [u8]) = write_series }

/// Fills `out` with a series, over threads when it is long. Fails with `KeyboardInterrupt` when a stop was asked for.
fn fill<S: Series>(series: &S, out: &mut [u8]) -> Result<()> {
    // SAFETY: `pick` chooses a version this machine can run.
    in_blocks(size_of::<S::Element>(), out, |place, block| unsafe { isa::pick(versions::<S>())(series, place, block) })
}

/// Fills `out` with a number per place, rounded to the dtype. Fails as [`fill`] does.
fn fill_numbers(dtype: DType, out: &mut [u8], number: impl Fn(usize) -> Number + Sync) -> Result<()> {
    in_blocks(dtype.size(), out, |place, block| {
        for (j, element) in block.chunks_exact_mut(dtype.size()).enumerate() {
            number(place + j).write(dtype, element);
        }
    })
}

fn in_blocks(size: usize, out: &mut [u8], write: impl Fn(usize, &mut [u8]) + Sync) -> Result<()> {
    if out.len() <= BLOCK * size {
        write(0, out);
        return Ok(());
    }
    out.par_chunks_mut(BLOCK * size).enumerate().for_each(|(k, block)| {
        if !interrupt::is_raised() {
            write(k * BLOCK, block);
        }
    });
    interrupt::check()
}

/// Fills `out` with `start + step * i`. Integer dtypes count with integers, which wrap.
///
/// Fails with a `NotImplementedError` on a dtype that PyTorch has no `arange` for, and with `KeyboardInterrupt` when a stop was
/// asked for.
pub fn arange(start: Number, step: Number, dtype: DType, out: &mut [u8]) -> Result<()> {
    let counted = Counted { start: start.to_i64(), step: step.to_i64(), convert: () };
    let (start, step) = (start.to_f64(), step.to_f64());
    match dtype {
        DType::F32 => fill(&Vectors::<f32>::new(start, step), out),
        DType::F64 => fill(&Vectors::<f64>::new(start, step), out),
        DType::F16 => fill(&Vectors::<Half>::new(start, step), out),
        DType::BF16 => fill(&Vectors::<Brain>::new(start, step), out),
        DType::U8 => fill(&counted.with(|i| i as u8), out),
        DType::I8 => fill(&counted.with(|i| i as i8), out),
        DType::I16 => fill(&counted.with(|i| i as i16), out),
        DType::I32 => fill(&counted.with(|i| i as i32), out),
        DType::I64 => fill(&counted.with(|i| i), out),
        _ => fault!(NotImplementedError, "\"arange_cpu\" not implemented for '{}'", dtype.title()),
    }
}

/// `range`: as [`arange`] for floats without vectors, with two roundings in float64.
pub fn range(start: Number, step: Number, dtype: DType, out: &mut [u8]) -> Result<()> {
    if !dtype.is_float() {
        return arange(start, step, dtype, out);
    }
    let (start, step) = (start.to_f64(), step.to_f64());
    fill_numbers(dtype, out, |i| Number::Float(start + step * i as f64))
}

/// Integers in steps.
struct Counted<F> {
    start: i64,
    step: i64,
    convert: F,
}

impl Counted<()> {
    fn with<E, F: Fn(i64) -> E>(&self, convert: F) -> Counted<F> {
        Counted { start: self.start, step: self.step, convert }
    }
}

impl<E: Copy, F: Fn(i64) -> E + Sync> Series for Counted<F>
where
    Counted<F>: Sync,
{
    type Element = E;
    #[inline(always)]
    fn at(&self, place: usize) -> E {
        (self.convert)(self.start.wrapping_add(self.step.wrapping_mul(place as i64)))
    }
}

/// Floats in steps, counted by vectors.
struct Vectors<E: Ramp> {
    start: E::Wide,
    step: E::Wide,
}

impl<E: Ramp> Vectors<E> {
    fn new(start: f64, step: f64) -> Vectors<E> {
        Vectors { start: E::wide(start), step: E::wide(step) }
    }
}

impl<E: Ramp> Series for Vectors<E> {
    type Element = E;

    #[inline(always)]
    fn at(&self, place: usize) -> E {
        E::round(E::first(self.start, self.step, place))
    }

    #[inline(always)]
    fn write(&self, place: usize, out: &mut [u8]) {
        let size = size_of::<E>();
        let whole = out.len() / size / (2 * E::VECTOR) * (2 * E::VECTOR);
        let (vectors, rest) = out.split_at_mut(whole * size);
        for (k, vector) in vectors.chunks_exact_mut(E::VECTOR * size).enumerate() {
            let base = self.at(place + k * E::VECTOR).unround();
            for (j, element) in vector.chunks_exact_mut(size).enumerate() {
                put(element, E::round(E::lane(base, self.step, j)));
            }
        }
        for (j, element) in rest.chunks_exact_mut(size).enumerate() {
            put(element, self.at(place + whole + j));
        }
    }
}
