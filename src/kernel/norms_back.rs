//! The ways back through norms of layers, groups and channels, added up as PyTorch does on one thread.
//!
//! Products are added unrounded where its compiler made one instruction of both.

use super::halves::in_halves;
use super::isa::{pick, versions};
use super::norms;
use super::rowwise::Spread;

/// What becomes of a gradient on its way back through a norm.
pub struct Slopes<T> {
    /// That of the input.
    pub input: Vec<T>,
    /// That of the weights, of each place of a layer or of each channel.
    pub weight: Vec<T>,
    /// That of the offsets.
    pub bias: Vec<T>,
}

impl<T: Spread> Slopes<T> {
    /// Of so many elements and weights.
    fn new(count: usize, weights: usize) -> Slopes<T> {
        Slopes { input: vec![T::zero(); count], weight: vec![T::zero(); weights], bias: vec![T::zero(); weights] }
    }
}

/// What comes back, what went in, and the weights, which may be left out.
#[derive(Clone, Copy)]
pub struct Back<'a, T> {
    /// The gradient of the result.
    pub grad: &'a [T],
    /// The input.
    pub input: &'a [T],
    /// The weights.
    pub weight: Option<&'a [T]>,
}

impl<'a, T> Back<'a, T> {
    /// The elements of a line.
    #[inline(always)]
    fn line(&self, first: usize, length: usize) -> (&'a [T], &'a [T]) {
        (&self.grad[first..][..length], &self.input[first..][..length])
    }
}

#[inline(always)]
fn of<T: Spread>(value: f64) -> T {
    T::from(value).unwrap_or_else(T::nan)
}

/// A sum of terms in as many lanes as fit a vector of 32 bytes; a line that is shorter than a vector is added up element by
/// element. `more` is a term added to a sum, as what does not fill a vector is.
#[inline(always)]
fn total<T: Spread>(n: usize, term: impl Fn(usize) -> T, more: impl Fn(usize, T) -> T) -> T {
    if size_of::<T>() == 8 { in_lanes::<T, 4>(n, term, more) } else { in_lanes::<T, 8>(n, term, more) }
}

#[inline(always)]
fn in_lanes<T: Spread, const V: usize>(n: usize, term: impl Fn(usize) -> T, more: impl Fn(usize, T) -> T) -> T {
    if n < V {
        return (1..n).fold(term(0), |sum, k| sum + term(k));
    }
    let mut lanes: [T; V] = std::array::from_fn(&term);
    for first in (V..n - n % V).step_by(V) {
        for (k, lane) in lanes.iter_mut().enumerate() {
            *lane = *lane + term(first + k);
        }
    }
    let whole = n - n % V;
    for k in whole..n {
        lanes[k - whole] = more(k, lanes[k - whole]);
    }
    if size_of::<T>() == 8 {
        return lanes[1..].iter().fold(lanes[0], |sum, x| sum + *x);
    }
    in_halves(&mut lanes, |a, b| a + b)
}

/// The sum of so many terms times their weights: in lanes that are added up one after the other; of what does not fill a vector, four
/// products are rounded.
#[inline(always)]
fn weighed<T: Spread>(n: usize, term: impl Fn(usize) -> T, weight: impl Fn(usize) -> T) -> T {
    let width = if size_of::<T>() == 8 { 4 } else { 8 };
    let mut lanes = [T::zero(); 8];
    let whole = n - n % width;
    for k in 0..whole {
        lanes[k % width] = term(k).mul_add(weight(k), lanes[k % width]);
    }
    let rounded = if n - whole >= 4 { whole + 4 } else { whole };
    let sum = lanes[..width].iter().fold(T::zero(), |sum, x| sum + *x);
    let sum = (whole..rounded).fold(sum, |sum, k| sum + term(k) * weight(k));
    (rounded..n).fold(sum, |sum, k| term(k).mul_add(weight(k), sum))
}

/// Back through a norm of layers of `length` elements.
pub fn layers<T: Spread>(back: Back<T>, length: usize, eps: f64) -> Slopes<T> {
    let mut slopes = Slopes::new(back.input.len(), length);
    // SAFETY: slices; the instructions are those of this machine.
    unsafe { pick(layer_versions::<T>())(&back, length, eps, &mut slopes) };
    slopes
}

versions! { fn layer_versions<T: Spread>(back: &Back<T>, length: usize, eps: f64, slopes: &mut Slopes<T>) = every_layer }

#[inline(always)]
unsafe fn every_layer<T: Spread>(back: &Back<T>, length: usize, eps: f64, slopes: &mut Slopes<T>) {
    let share = T::one() / of(length as f64);
    for (row, to) in slopes.input.chunks_exact_mut(length).enumerate() {
        let (grad, x) = back.line(row * length, length);
        let (mean, variance) = T::of_row(x).mean_and_variance();
        let a = T::one() / (variance.max(T::zero()) + of(eps)).sqrt();
        let offset = -a * mean;
        for k in 0..length {
            slopes.weight[k] = grad[k].mul_add(a.mul_add(x[k], offset), slopes.weight[k]);
            slopes.bias[k] = slopes.bias[k] + grad[k];
        }
        let (ds, db) = match back.weight {
            Some(w) => (
                total(length, |k| grad[k] * x[k] * w[k], |k, sum| (grad[k] * x[k]).mul_add(w[k], sum)),
                total(length, |k| grad[k] * w[k], |k, sum| grad[k].mul_add(w[k], sum)),
            ),
            None => (
                total(length, |k| grad[k] * x[k], |k, sum| grad[k].mul_add(x[k], sum)),
                total(length, |k| grad[k], |k, sum| sum + grad[k]),
            ),
        };
        let b = db.mul_add(mean, -ds) * a * a * a * share;
        let c = (-b).mul_add(mean, -(db * a * share));
        match back.weight {
            Some(w) => (0..length).for_each(|k| to[k] = b.mul_add(x[k], a * grad[k] * w[k]) + c),
            None => (0..length).for_each(|k| to[k] = b.mul_add(x[k], a * grad[k]) + c),
        }
    }
}

/// Back through a norm of `groups` of `channels` lines of `length` elements.
pub fn groups<T: Spread>(back: Back<T>, [groups, channels, length]: [usize; 3], eps: f64) -> Slopes<T> {
    let mut slopes = Slopes::new(back.input.len(), groups * channels);
    // SAFETY: slices; the instructions are those of this machine.
    unsafe { pick(group_versions::<T>())(&back, [groups, channels, length], eps, &mut slopes) };
    slopes
}

versions! { fn group_versions<T: Spread>(back: &Back<T>, shape: [usize; 3], eps: f64, slopes: &mut Slopes<T>) = every_group }

#[inline(always)]
unsafe fn every_group<T: Spread>(back: &Back<T>, [groups, channels, length]: [usize; 3], eps: f64, slopes: &mut Slopes<T>) {
    let size = channels * length;
    let share = T::one() / of(size as f64);
    for (group, to) in slopes.input.chunks_exact_mut(size).enumerate() {
        let first = group % groups * channels;
        let (mean, variance) = T::of_row(&back.input[group * size..][..size]).mean_and_variance();
        let variance = variance.max(T::zero()).to_f64().unwrap_or(f64::NAN);
        let rate: T = of(1.0 / (variance + eps).sqrt());
        let sums: Vec<(T, T)> = (0..channels)
            .map(|channel| {
                let (grad, x) = back.line(group * size + channel * length, length);
                (
                    total(length, |k| grad[k] * x[k], |k, sum| sum + grad[k] * x[k]),
                    total(length, |k| grad[k], |k, sum| sum + grad[k]),
                )
            })
            .collect();
        let weight = |channel: usize| back.weight.map_or(T::one(), |weight| weight[first + channel]);
        let ds = weighed(channels, |k| sums[k].0, weight);
        let db = weighed(channels, |k| sums[k].1, weight);
        let b = db.mul_add(mean, -ds) * rate * rate * rate * share;
        let c = (-db * rate).mul_add(share, -b * mean);
        for (channel, to) in to.chunks_exact_mut(length).enumerate() {
            let (grad, x) = back.line(group * size + channel * length, length);
            let a = rate * weight(channel);
            (0..length).for_each(|k| to[k] = a.mul_add(grad[k], b * x[k]) + c);
            let (ds, db) = sums[channel];
            let place = first + channel;
            slopes.weight[place] = (-db).mul_add(mean, ds).mul_add(rate, slopes.weight[place]);
            slopes.bias[place] = slopes.bias[place] + db;
        }
    }
}

/// Back through a norm of `channels`, each of lines of `length` elements: by its own mean and variance, or by those given.
pub fn channels<T: Spread>(back: Back<T>, given: Option<(&[T], &[T])>, [channels, length]: [usize; 2], eps: f64) -> Slopes<T> {
    let mut slopes = Slopes::new(back.input.len(), channels);
    let each = of::<T>((back.input.len() / channels.max(1)) as f64);
    let (means, squares) = match given {
        Some((means, variances)) => (means.to_vec(), variances.to_vec()),
        None => {
            let (means, squares) = norms::channels(back.input, channels, length);
            (means, squares.into_iter().map(|squares| squares / each).collect())
        }
    };
    let rate = |variance: &T| of(1.0 / (variance.to_f64().unwrap_or(f64::NAN) + eps).sqrt());
    let stats: Vec<(T, T)> = means.into_iter().zip(squares.iter().map(rate)).collect();
    // SAFETY: slices; the instructions are those of this machine.
    unsafe { pick(channel_versions::<T>())(&back, (&stats, given.is_none()), length, &mut slopes) };
    slopes
}

versions! { fn channel_versions<T: Spread>(back: &Back<T>, stats: (&[(T, T)], bool), length: usize, slopes: &mut Slopes<T>) = every_channel }

#[inline(always)]
unsafe fn every_channel<T: Spread>(back: &Back<T>, (stats, is_own): (&[(T, T)], bool), length: usize, slopes: &mut Slopes<T>) {
    let (channels, size) = (stats.len(), stats.len() * length);
    let each: T = of((back.input.len() / channels.max(1)) as f64);
    let wide = |x: T| x.to_f64().unwrap_or(f64::NAN);
    for (channel, (mean, rate)) in stats.iter().copied().enumerate() {
        let lines = || (channel * length..back.input.len()).step_by(size);
        let (sum, dot) = if length == 1 {
            let mut sums = (T::zero(), T::zero());
            for at in lines() {
                sums = (sums.0 + back.grad[at], (back.input[at] - mean).mul_add(back.grad[at], sums.1));
            }
            (wide(sums.0), wide(sums.1))
        } else {
            let mut sums = (0.0, 0.0);
            for at in lines() {
                let (grad, x) = back.line(at, length);
                sums.0 += wide(total(length, |k| grad[k], |k, sum| sum + grad[k]));
                sums.1 += wide(total(length, |k| (x[k] - mean) * grad[k], |k, sum| (x[k] - mean).mul_add(grad[k], sum)));
            }
            sums
        };
        slopes.bias[channel] = of(sum);
        slopes.weight[channel] = of(dot * wide(rate));
        let weight = back.weight.map_or(T::one(), |weight| weight[channel]);
        let slope = of::<T>(dot) * rate * rate / each;
        let mean_grad = if length == 1 { of::<T>(sum) / each } else { of(sum / wide(each)) };
        // Channels that lie beside each other and do not fill a vector.
        let is_rounded = length == 1 && channel >= channels - channels % (32 / size_of::<T>());
        for at in lines() {
            let (grad, x) = back.line(at, length);
            let to = &mut slopes.input[at..][..length];
            if is_own && is_rounded {
                to[0] = (grad[0] - mean_grad - (x[0] - mean) * slope) * rate * weight;
            } else if is_own {
                (0..length).for_each(|k| to[k] = (mean - x[k]).mul_add(slope, grad[k] - mean_grad) * rate * weight);
            } else {
                (0..length).for_each(|k| to[k] = grad[k] * rate * weight);
            }
        }
    }
}
