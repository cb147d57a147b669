//! What there is to know about a tensor's values from walking over them: range, mean, deviation, what is special, and how they
//! are spread.

use super::elements::{Shown, View};
use crate::dtype::{DType, Kind, Number, general};
use crate::interrupt;
use crate::tensor::Tensor;
use anyhow::Result;
use num_complex::Complex64;

/// A value and where it was met first.
#[derive(Clone, Debug, PartialEq)]
pub struct Extreme {
    /// The value; of complex numbers the magnitude.
    pub value: f64,
    /// The value of an integer, which may have more digits than a float.
    pub whole: i128,
    /// Its index.
    pub index: Vec<i64>,
}

/// A part of the range and how many elements lie in it. Integers lie between its ends, both included; floats below its end, but
/// for the last bin's.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// Its ends.
    pub ends: [f64; 2],
    /// The ends of integers, which may have more digits than a float.
    pub whole: [i128; 2],
    /// How many elements.
    pub count: i64,
}

/// What was found. A cell that an expanded tensor reaches several times counts as often.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Elements.
    pub count: i64,
    /// Elements that are neither nan nor infinite.
    pub finite: i64,
    /// Elements that are zero.
    pub zeros: i64,
    /// Elements that are nan; of complex ones those with a nan in either part.
    pub nans: i64,
    /// Elements that are infinite, of real ones those above all numbers.
    pub above: i64,
    /// Elements below all numbers.
    pub below: i64,
    /// The least finite value.
    pub least: Extreme,
    /// The largest.
    pub largest: Extreme,
    /// How the finite values are spread from the least to the largest.
    pub bins: Vec<Bin>,
    dtype: DType,
    /// The mean, of integers from `origin` on.
    mean: Complex64,
    origin: Option<i128>,
    /// The sum of the squared distances from the mean.
    squares: f64,
    /// Where nan, inf and -inf were met first.
    firsts: [Option<Vec<i64>>; 3],
}

/// The names that [`Survey::first`] knows.
const SPECIAL: [&str; 3] = ["nan", "inf", "-inf"];

impl Survey {
    /// Walks over a strided tensor that has elements, twice. Fails with `KeyboardInterrupt` when a stop was asked for.
    pub fn of(tensor: &Tensor, bins: usize) -> Result<Survey> {
        let (mut strided, dtype) = (tensor.strided()?, tensor.dtype());
        // A dimension whose every step stays on its cell is walked once.
        let mut once = (*strided.layout).clone();
        let mut repeats = 1i64;
        for (size, _) in once.sizes.iter_mut().zip(&once.strides).filter(|(_, stride)| **stride == 0) {
            repeats = repeats.saturating_mul(*size);
            *size = 1;
        }
        strided.layout = once.into();
        View::open(&strided, dtype, Shown::all(), |view| {
            let mut survey = Survey::blank(dtype);
            survey.first_walk(view);
            interrupt::check()?;
            survey.second_walk(view, bins);
            interrupt::check()?;
            survey.repeat(repeats);
            Ok(survey)
        })
    }

    fn blank(dtype: DType) -> Survey {
        Survey {
            count: 0,
            finite: 0,
            zeros: 0,
            nans: 0,
            above: 0,
            below: 0,
            least: Extreme { value: f64::INFINITY, whole: i128::MAX, index: vec![] },
            largest: Extreme { value: f64::NEG_INFINITY, whole: i128::MIN, index: vec![] },
            bins: vec![],
            dtype,
            mean: Complex64::default(),
            origin: None,
            squares: 0.0,
            firsts: [const { None }; 3],
        }
    }

    /// Counts, range, and mean and deviation by Welford's rule, which loses no digits to a large mean.
    fn first_walk(&mut self, view: &View) {
        let (mut least, mut largest, mut firsts) = (0, 0, [None; 3]);
        view.walk(&mut |number| {
            let place = self.count;
            self.count += 1;
            let value = number.to_complex();
            let measured = measure(number);
            let special = match (measured.is_nan() || value.im.is_nan(), measured) {
                (true, _) => Some(0),
                (false, f64::INFINITY) => Some(1),
                (false, f64::NEG_INFINITY) => Some(2),
                _ => None,
            };
            if let Some(which) = special {
                *[&mut self.nans, &mut self.above, &mut self.below][which] += 1;
                firsts[which].get_or_insert(place);
                return;
            }
            self.finite += 1;
            self.zeros += i64::from(!number.to_bool());
            let whole = whole(number);
            if (measured, whole) < (self.least.value, self.least.whole) {
                (self.least.value, self.least.whole, least) = (measured, whole, place);
            }
            if (measured, whole) > (self.largest.value, self.largest.whole) {
                (self.largest.value, self.largest.whole, largest) = (measured, whole, place);
            }
            // Integers are counted from the first of them, so that large ones lose no digits.
            let value = match self.dtype.is_integral(false) {
                true => Complex64::from((whole - *self.origin.get_or_insert(whole)) as f64),
                false => value,
            };
            let distance = value - self.mean;
            self.mean += distance / self.finite as f64;
            let from_new = value - self.mean;
            self.squares += distance.re * from_new.re + distance.im * from_new.im;
        });
        let index = |place: i64| -> Vec<i64> { view.layout.nth_index(place).to_vec() };
        self.least.index = index(least);
        self.largest.index = index(largest);
        self.firsts = firsts.map(|place| place.map(index));
    }

    fn second_walk(&mut self, view: &View, bins: usize) {
        if self.finite == 0 || self.is_constant() {
            return;
        }
        let (low, high) = (self.least.value, self.largest.value);
        self.bins = match self.dtype.is_integral(false) {
            true => whole_bins(self.least.whole, self.largest.whole, bins),
            false => {
                // Halves, so that a range wider than the largest float has a width.
                let width = (high / 2.0 - low / 2.0) / bins as f64;
                let end = |n: usize| if n == bins { high } else { low + n as f64 * width + n as f64 * width };
                (0..bins).map(|n| Bin { ends: [end(n), end(n + 1)], whole: [0; 2], count: 0 }).collect()
            }
        };
        let (bins, is_whole) = (&mut self.bins, self.dtype.is_integral(false));
        let (count, last) = (bins.len() as f64, bins.len().saturating_sub(1));
        let (start, step) = bins.first().map_or((0, 1), |bin| (bin.whole[0], bin.whole[1] - bin.whole[0] + 1));
        view.walk(&mut |number| {
            let value = measure(number);
            if value.is_finite() {
                let place = match is_whole {
                    true => ((whole(number) - start) / step) as usize,
                    false => ((value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) * count) as usize,
                };
                bins[place.min(last)].count += 1;
            }
        });
    }

    /// Every cell was met once, and is reached so many times.
    fn repeat(&mut self, times: i64) {
        let counts = [&mut self.count, &mut self.finite, &mut self.zeros, &mut self.nans, &mut self.above, &mut self.below];
        for count in counts.into_iter().chain(self.bins.iter_mut().map(|bin| &mut bin.count)) {
            *count = count.saturating_mul(times);
        }
        self.squares *= times as f64;
    }

    /// True when all finite values are one.
    pub fn is_constant(&self) -> bool {
        self.least.value >= self.largest.value && self.least.whole >= self.largest.whole
    }

    /// The standard deviation of the finite values, with the count less one below; none for fewer than two.
    pub fn deviation(&self) -> Option<f64> {
        (self.finite > 1).then(|| (self.squares / (self.finite - 1) as f64).sqrt())
    }

    /// The mean of the finite values.
    pub fn mean_text(&self, digits: usize) -> String {
        match self.dtype.kind() {
            Kind::Complex => {
                let imaginary = general(self.mean.im, digits);
                let sign = if imaginary.starts_with('-') { "" } else { "+" };
                format!("{}{sign}{imaginary}j", general(self.mean.re, digits))
            }
            _ => general(self.mean.re + self.origin.unwrap_or(0) as f64, digits),
        }
    }

    /// Where `nan`, `inf` or `-inf` was met first.
    pub fn first(&self, name: &str) -> Option<&Vec<i64>> {
        self.firsts[SPECIAL.iter().position(|known| *known == name)?].as_ref()
    }
}

/// What elements are ordered by: the magnitude of complex numbers.
pub(super) fn measure(number: Number) -> f64 {
    match number {
        Number::Complex(c) if c.re.is_nan() || c.im.is_nan() => f64::NAN,
        Number::Complex(c) => c.norm(),
        other => other.to_f64(),
    }
}

/// An integer as it is; 0 for anything else.
fn whole(number: Number) -> i128 {
    match number {
        Number::Int(i) => i.into(),
        Number::Unsigned(u) => u.into(),
        _ => 0,
    }
}

/// Bins of whole numbers, equally wide but for the last.
fn whole_bins(low: i128, high: i128, most: usize) -> Vec<Bin> {
    let width = (high - low + 1 + most as i128 - 1) / most as i128;
    let bin = |n: usize| {
        let from = low + n as i128 * width;
        Bin { ends: [0.0; 2], whole: [from, (from + width - 1).min(high)], count: 0 }
    };
    (0..most).map(bin).take_while(|bin| bin.whole[0] <= high).collect()
}
