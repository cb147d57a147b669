//! `linspace` and `logspace`: a number of steps between two ends, each counted from the nearer one.

use super::float::Ramp;
use super::{Series, fill, fill_numbers, put};
use crate::dtype::{DType, Number};
use crate::kernel::element::{Brain, Half};
use anyhow::Result;
use num_complex::Complex64;

/// Fills `out` with numbers from `start` to `end`, both included.
///
/// Fails with a `NotImplementedError` on a dtype that PyTorch has no `linspace` for, and with `KeyboardInterrupt` when a stop
/// was asked for.
pub fn linspace(start: Number, end: Number, dtype: DType, out: &mut [u8]) -> Result<()> {
    let count = out.len() / dtype.size();
    let ends = [held(start, dtype), held(end, dtype)];
    let [a, b] = ends.map(Number::to_f64);
    match dtype {
        DType::F32 => fill(&Spaced::<f32>::new(a, b, count), out),
        DType::F64 => fill(&Spaced::<f64>::new(a, b, count), out),
        DType::F16 => fill(&Spaced::<Half>::new(a, b, count), out),
        DType::BF16 => fill(&Spaced::<Brain>::new(a, b, count), out),
        DType::C32 | DType::BC32 | DType::C64 => complex::<f32>(ends, dtype, out),
        DType::C128 => complex::<f64>(ends, dtype, out),
        DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            let series = Spaced::<f64>::new(a, b, count);
            fill_numbers(dtype, out, |i| Number::Float(series.at(i)))
        }
        _ => fault!(NotImplementedError, "\"linspace_cpu\" not implemented for '{}'", dtype.title()),
    }
}

/// A number as the dtype holds it.
fn held(number: Number, dtype: DType) -> Number {
    let mut bytes = [0; 16];
    number.write(dtype, &mut bytes);
    Number::read(dtype, &bytes)
}

/// Floats between two ends.
struct Spaced<E: Ramp> {
    start: E::Spaced,
    end: E::Spaced,
    step: E::Spaced,
    /// The same downwards.
    back: E::Spaced,
    count: usize,
}

impl<E: Ramp> Spaced<E> {
    fn new(start: f64, end: f64, count: usize) -> Spaced<E> {
        let (start, end) = (E::spaced(start), E::spaced(end));
        // A single number is the first one, even where it is infinite.
        let (end, step) = match count {
            1 => (start, E::spaced(0.0)),
            _ => (end, (end - start) / E::spaced(count.max(2) as f64 - 1.0)),
        };
        Spaced { start, end, step, back: E::spaced(-step.into()), count }
    }
}

impl<E: Ramp> Series for Spaced<E> {
    type Element = E;
    #[inline(always)]
    fn at(&self, place: usize) -> E {
        match place < self.count / 2 {
            true => E::apart(self.start, self.step, E::place(place)),
            false => E::apart(self.end, self.back, E::place(self.count - 1 - place)),
        }
    }

    #[inline(always)]
    fn write(&self, place: usize, out: &mut [u8]) {
        let below = (self.count / 2).saturating_sub(place) * size_of::<E>();
        let (front, back) = out.split_at_mut(below.min(out.len()));
        let back_place = place + front.len() / size_of::<E>();
        if self.count > i32::MAX as usize {
            write_each(front, |j| E::apart(self.start, self.step, E::place(place + j)));
            return write_each(back, |j| E::apart(self.end, self.back, E::place(self.count - 1 - back_place - j)));
        }
        let (first, last) = (place as i32, self.count as i32 - 1 - back_place as i32);
        write_each(front, |j| E::apart(self.start, self.step, E::short_place(first + j as i32)));
        write_each(back, |j| E::apart(self.end, self.back, E::short_place(last - j as i32)));
    }
}

/// Fills with elements by their places in `out`.
#[inline(always)]
fn write_each<E: Copy>(out: &mut [u8], element: impl Fn(usize) -> E) {
    for (j, place) in out.chunks_exact_mut(size_of::<E>()).enumerate() {
        put(place, element(j));
    }
}

/// Complex numbers, part by part.
fn complex<E: Ramp + Into<f64>>(ends: [Number; 2], dtype: DType, out: &mut [u8]) -> Result<()> {
    let count = out.len() / dtype.size();
    let [a, b] = ends.map(Number::to_complex);
    let (re, im) = (Spaced::<E>::new(a.re, b.re, count), Spaced::<E>::new(a.im, b.im, count));
    fill_numbers(dtype, out, |i| Number::Complex(Complex64::new(re.at(i).into(), im.at(i).into())))
}

/// Fills `out` with powers of `base` whose exponents go from `start` to `end`, both included.
///
/// Fails with a `NotImplementedError` on a dtype that PyTorch has no `logspace` for, and with `KeyboardInterrupt`.
pub fn logspace(start: Number, end: Number, base: Number, dtype: DType, out: &mut [u8]) -> Result<()> {
    let narrow = dtype.is_float8() || matches!(dtype, DType::U16 | DType::U32 | DType::U64 | DType::Bool);
    if narrow {
        fault!(NotImplementedError, "\"logspace_cpu\" not implemented for '{}'", dtype.title());
    }
    let count = out.len() / dtype.size();
    // A single power has the exponent as it was given.
    let (start, end) = if count == 1 { (start, start) } else { (held(start, dtype), held(end, dtype)) };
    let steps = count.max(2) as f64 - 1.0;
    let (half, back) = (count / 2, |i: usize| (count - 1 - i) as f64);
    if dtype.is_complex() {
        let (a, b, base) = (start.to_complex(), end.to_complex(), base.to_complex());
        let step = (b - a) / steps;
        let exponent = |i| if i < half { a + step * i as f64 } else { b - step * back(i) };
        return fill_numbers(dtype, out, |i| Number::Complex(base.powc(exponent(i))));
    }
    let (a, b, base) = (start.to_f64(), end.to_f64(), base.to_f64());
    let distance = match count {
        1 => 0.0,
        _ if dtype.is_float() => held(Number::Float(b - a), dtype).to_f64(),
        _ => b - a,
    };
    let step = distance / steps;
    let exponent = |i| if i < half { a + step * i as f64 } else { b - step * back(i) };
    fill_numbers(dtype, out, |i| Number::Float(base.powf(exponent(i))))
}
