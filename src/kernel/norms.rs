//! Norms of layers, groups and channels: mean and spread of a row, then the row by them while it is still near.

use super::isa::{pick, versions};
use super::pieces::{each, each_of_two};
use super::rowwise::Spread;
use num_traits::Float;

/// A number in the elements' dtype.
#[inline(always)]
pub(super) fn of<T: Float>(value: f64) -> T {
    T::from(value).unwrap_or_else(T::nan)
}

/// What is not below zero; NaN stays.
#[inline(always)]
fn above_zero<T: Float>(x: T) -> T {
    if x < T::zero() { T::zero() } else { x }
}

/// Weights and offsets that may be left out.
pub type Scale<'a, T> = (Option<&'a [T]>, Option<&'a [T]>);

/// Fills `to` with the rows of `length` elements in `from`, each with mean 0 and variance 1, times weights and moved by offsets of
/// each place.
pub fn layers<T: Spread>(from: &[T], length: usize, scale: Scale<T>, eps: f64, to: &mut [T]) {
    let (run, eps) = (pick(layer_versions::<T>()), of(eps));
    // SAFETY: slices; the instructions are those of this machine.
    each(to, length, 2 * length, |row, to| unsafe { run(&from[row * length..][..length], scale, eps, to) });
}

versions! { fn layer_versions<T: Spread>(row: &[T], scale: Scale<T>, eps: T, to: &mut [T]) = layer }

#[inline(always)]
unsafe fn layer<T: Spread>(row: &[T], (weight, bias): Scale<T>, eps: T, to: &mut [T]) {
    let (mean, variance) = T::of_row(row).mean_and_variance();
    let inverse = T::one() / (above_zero(variance) + eps).sqrt();
    let to = to.iter_mut().zip(row);
    match (weight, bias) {
        (None, None) => to.for_each(|(to, x)| *to = (*x - mean) * inverse),
        // An offset that is left out is added as 0, which gives zeros their sign.
        (Some(weight), None) => to.zip(weight).for_each(|((to, x), w)| *to = (*x - mean) * inverse * *w + T::zero()),
        (None, Some(bias)) => to.zip(bias).for_each(|((to, x), b)| *to = (*x - mean) * inverse + *b),
        (Some(weight), Some(bias)) => {
            to.zip(weight.iter().zip(bias)).for_each(|((to, x), (w, b))| *to = ((*x - mean) * inverse).mul_add(*w, *b));
        }
    }
}

/// As [`layers`], by groups of `channels` lines of `length` elements, with weights and offsets of each line of an example, of
/// which a group is one of `groups`.
pub fn groups<T: Spread>(from: &[T], [groups, channels, length]: [usize; 3], scale: Scale<T>, eps: f64, to: &mut [T]) {
    let (run, size) = (pick(group_versions::<T>()), channels * length);
    each(to, size, 2 * size, |group, to| {
        let first = group % groups * channels;
        let part = |given: Option<&'_ [T]>| given.map(|given| given[first..first + channels].to_vec());
        let (weight, bias) = (part(scale.0), part(scale.1));
        // SAFETY: slices; the instructions are those of this machine.
        unsafe { run(&from[group * size..][..size], length, (weight.as_deref(), bias.as_deref()), eps, to) }
    });
}

versions! { fn group_versions<T: Spread>(all: &[T], length: usize, scale: Scale<T>, eps: f64, to: &mut [T]) = group }

#[inline(always)]
unsafe fn group<T: Spread>(all: &[T], length: usize, (weight, bias): Scale<T>, eps: f64, to: &mut [T]) {
    let (mean, variance) = T::of_row(all).mean_and_variance();
    let variance = above_zero(variance).to_f64().unwrap_or(f64::NAN);
    let inverse: T = of(1.0 / (variance + eps).sqrt());
    if weight.is_none() && bias.is_none() {
        return to.iter_mut().zip(all).for_each(|(to, x)| *to = (*x - mean) * inverse);
    }
    for (channel, (to, line)) in to.chunks_mut(length).zip(all.chunks(length)).enumerate() {
        let slope = weight.map_or(inverse, |weight| inverse * weight[channel]);
        let offset = (-slope).mul_add(mean, bias.map_or(T::zero(), |bias| bias[channel]));
        to.iter_mut().zip(line).for_each(|(to, x)| *to = x.mul_add(slope, offset));
    }
}

/// Fills `to` with the lines of `length` elements in `from`, each times the slope of its channel and moved by its offset.
pub fn straight<T: Spread>(from: &[T], length: usize, slopes: &[T], offsets: &[T], to: &mut [T]) {
    let (run, channels) = (pick(straight_versions::<T>()), slopes.len());
    if length == 1 {
        let row = pick(beside_versions::<T>());
        // SAFETY: slices; the instructions are those of this machine.
        return each(to, channels, channels, |n, to| unsafe { row(&from[n * channels..][..channels], slopes, offsets, to) });
    }
    each(to, length, length, |line, to| {
        let channel = line % channels;
        // SAFETY: as above.
        unsafe { run(&from[line * length..][..length], slopes[channel], offsets[channel], to) }
    });
}

versions! { fn straight_versions<T: Spread>(line: &[T], slope: T, offset: T, to: &mut [T]) = straight_line }

#[inline(always)]
unsafe fn straight_line<T: Spread>(line: &[T], slope: T, offset: T, to: &mut [T]) {
    to.iter_mut().zip(line).for_each(|(to, x)| *to = x.mul_add(slope, offset));
}

versions! { fn beside_versions<T: Spread>(row: &[T], slopes: &[T], offsets: &[T], to: &mut [T]) = beside }

#[inline(always)]
unsafe fn beside<T: Spread>(row: &[T], slopes: &[T], offsets: &[T], to: &mut [T]) {
    to.iter_mut()
        .zip(row)
        .zip(slopes.iter().zip(offsets))
        .for_each(|((to, x), (slope, offset))| *to = x.mul_add(*slope, *offset));
}

/// The mean of each channel, and the sum of the squares of the distances from it, of `from`: examples of `channels` lines of
/// `length` elements, where these are more than one with sums in float64; means, distances and their squares have the elements' dtype.
/// The rows of channels that lie beside each other are added up in so many `parts`.
pub fn channels<T: Spread>(from: &[T], [channels, length]: [usize; 2], parts: usize) -> (Vec<T>, Vec<T>) {
    if length == 1 {
        return columns(from, channels, parts);
    }
    let run = pick(channel_versions::<T>());
    let mut found = vec![[T::zero(); 2]; channels];
    let cost = 4 * from.len().checked_div(channels).unwrap_or(0);
    // SAFETY: slices; the instructions are those of this machine.
    each(&mut found, 1, cost, |channel, to| unsafe { run(from, [channels, length, channel], &mut to[0]) });
    found.into_iter().map(|[mean, squares]| (mean, squares)).unzip()
}

/// Channels that lie beside each other and are worked on together.
pub(super) const STRETCH: usize = 64;

/// As [`channels`], of channels that lie beside each other: sums have the elements' dtype, and are taken in the order of the rows, part
/// by part as PyTorch's threads do; those of the parts are added up in float64.
fn columns<T: Spread>(from: &[T], channels: usize, parts: usize) -> (Vec<T>, Vec<T>) {
    let share = share(from.len() / channels.max(1), parts) * channels;
    let (mut means, mut squares) = (vec![T::zero(); channels], vec![T::zero(); channels]);
    let run = pick(stretch_versions::<T>());
    let cost = STRETCH * from.len().checked_div(channels).unwrap_or(0);
    each_of_two((&mut means, STRETCH), (&mut squares, STRETCH), cost, |number, means, squares| {
        // SAFETY: slices; the instructions are those of this machine.
        unsafe { run(from, [number * STRETCH, channels, share], means, squares) };
    });
    (means, squares)
}

/// The rows that each of so many parts takes; the last one may have fewer.
pub(super) fn share(rows: usize, parts: usize) -> usize {
    rows.div_ceil(parts.clamp(1, rows.max(1))).max(1)
}

versions! { fn stretch_versions<T: Spread>(from: &[T], place: [usize; 3], means: &mut [T], squares: &mut [T]) = stretch }

#[inline(always)]
unsafe fn stretch<T: Spread>(from: &[T], [first, channels, share]: [usize; 3], means: &mut [T], squares: &mut [T]) {
    let count = (from.len() / channels) as f64;
    let mut sums = [0.0; STRETCH];
    for part in from.chunks(share) {
        let mut lanes = [T::zero(); STRETCH];
        for row in part.chunks_exact(channels) {
            for (sum, x) in lanes[..means.len()].iter_mut().zip(&row[first..]) {
                *sum = *sum + *x;
            }
        }
        add_wide(&mut sums, &lanes);
    }
    for (mean, sum) in means.iter_mut().zip(sums) {
        *mean = of(sum / count);
    }
    let mut sums = [0.0; STRETCH];
    for part in from.chunks(share) {
        let mut lanes = [T::zero(); STRETCH];
        for row in part.chunks_exact(channels) {
            for ((sum, x), mean) in lanes.iter_mut().zip(&row[first..]).zip(means.iter()) {
                let apart = *x - *mean;
                *sum = apart.mul_add(apart, *sum);
            }
        }
        add_wide(&mut sums, &lanes);
    }
    for (squares, sum) in squares.iter_mut().zip(sums) {
        *squares = of(sum);
    }
}

/// Adds to each sum what a part has at its place.
#[inline(always)]
pub(super) fn add_wide<T: Spread>(sums: &mut [f64; STRETCH], part: &[T; STRETCH]) {
    for (sum, part) in sums.iter_mut().zip(part) {
        *sum += part.to_f64().unwrap_or(f64::NAN);
    }
}

versions! { fn channel_versions<T: Spread>(from: &[T], place: [usize; 3], to: &mut [T; 2]) = channel }

#[inline(always)]
unsafe fn channel<T: Spread>(from: &[T], [channels, length, channel]: [usize; 3], to: &mut [T; 2]) {
    let lines = || from.chunks_exact(channels * length).map(|example| &example[channel * length..][..length]);
    let count = (from.len() / channels) as f64;
    let mut sum = 0.0;
    for line in lines() {
        sum = total::<T>(sum, line, |x| x);
    }
    let mean: T = of(sum / count);
    let mut squares = 0.0;
    for line in lines() {
        squares = total::<T>(squares, line, |x| {
            let apart = x - mean;
            apart * apart
        });
    }
    *to = [mean, of(squares)];
}

/// Lanes of a sum that is rounded to fewer digits afterwards.
const LANES: usize = 16;

/// `sum` and what `f` makes of each element of a line. A sum that keeps all its digits is taken one after the other.
#[inline(always)]
fn total<T: Spread>(sum: f64, line: &[T], f: impl Fn(T) -> T) -> f64 {
    let wide = |x: T| f(x).to_f64().unwrap_or(f64::NAN);
    if size_of::<T>() == 8 || line.len() < 2 * LANES {
        return line.iter().fold(sum, |sum, x| sum + wide(*x));
    }
    let (chunks, rest) = line.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for k in 0..LANES {
            lanes[k] += wide(chunk[k]);
        }
    }
    rest.iter().fold(sum + lanes.iter().sum::<f64>(), |sum, x| sum + wide(*x))
}
