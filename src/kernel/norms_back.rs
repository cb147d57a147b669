//! The ways back through norms of layers, groups and channels, added up as PyTorch does: rows of weights' gradients in as many parts as it
//! has threads.
//!
//! Products are added unrounded where its compiler made one instruction of both.

use super::halves::in_halves;
use super::isa::{pick, versions};
use super::norms::{self, STRETCH, add_wide, of, share};
use super::pieces::{each, each_of_two};
use super::rowwise::Spread;

/// The gradients of the weights and offsets of each place of a layer, or of each channel.
pub struct Slopes<T> {
    /// That of the weights.
    pub weight: Vec<T>,
    /// That of the offsets.
    pub bias: Vec<T>,
}

impl<T: Spread> Slopes<T> {
    /// Of so many weights.
    fn new(weights: usize) -> Slopes<T> {
        Slopes { weight: vec![T::zero(); weights], bias: vec![T::zero(); weights] }
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

/// The sum of terms in as many lanes as fit a vector of 32 bytes; fewer than those are added one by one. `more` adds the term at a
/// place to a sum, as is done with what does not fill a vector.
#[inline(always)]
fn total<T: Spread>(terms: &[T], more: impl Fn(usize, T) -> T) -> T {
    if size_of::<T>() == 8 { in_lanes::<T, 4>(terms, more) } else { in_lanes::<T, 8>(terms, more) }
}

#[inline(always)]
fn in_lanes<T: Spread, const V: usize>(terms: &[T], more: impl Fn(usize, T) -> T) -> T {
    let (lines, rest) = terms.as_chunks::<V>();
    let Some((first, lines)) = lines.split_first() else {
        return terms.iter().copied().reduce(|sum, x| sum + x).unwrap_or_else(T::zero);
    };
    let mut lanes = *first;
    for line in lines {
        for (lane, x) in lanes.iter_mut().zip(line) {
            *lane = *lane + *x;
        }
    }
    let whole = terms.len() - rest.len();
    for (k, lane) in lanes.iter_mut().enumerate().take(rest.len()) {
        *lane = more(whole + k, *lane);
    }
    if size_of::<T>() == 8 {
        return lanes[1..].iter().fold(lanes[0], |sum, x| sum + *x);
    }
    in_halves(&mut lanes, |a, b| a + b)
}

/// Writes the product of what stands at each place.
#[inline(always)]
fn products<T: Spread>(to: &mut [T], a: &[T], b: &[T]) {
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = *a * *b;
    }
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

/// Back through a norm of layers of `length` elements; the gradient of the input goes to `to`.
pub fn layers<T: Spread>(back: Back<T>, length: usize, eps: f64, parts: usize, to: &mut [T]) -> Slopes<T> {
    let mut slopes = Slopes::new(length);
    let mut stats = vec![(T::zero(), T::zero()); back.input.len() / length];
    each_of_two((to, length), (&mut stats, 1), length, |row, to, stats| {
        // SAFETY: slices; the instructions are those of this machine.
        unsafe { pick(layer_versions::<T>())(&back, row * length, eps, (to, &mut stats[0])) };
    });
    let share = share(stats.len(), parts);
    each_of_two((&mut slopes.weight, STRETCH), (&mut slopes.bias, STRETCH), stats.len() * STRETCH, |number, weight, bias| {
        // SAFETY: as above.
        unsafe { pick(column_versions::<T>())(&back, &stats, [number * STRETCH, length, share], weight, bias) };
    });
    slopes
}

versions! { fn layer_versions<T: Spread>(back: &Back<T>, first: usize, eps: f64, into: (&mut [T], &mut (T, T))) = layer }

/// The gradient of one layer's input, from its place `first`; and what an element is times, and what is added, to be normalised.
#[inline(always)]
unsafe fn layer<T: Spread>(back: &Back<T>, first: usize, eps: f64, (to, stats): (&mut [T], &mut (T, T))) {
    let share = T::one() / of(to.len() as f64);
    let (grad, x) = back.line(first, to.len());
    let (mean, variance) = T::of_row(x).mean_and_variance();
    let a = T::one() / (variance.max(T::zero()) + of(eps)).sqrt();
    products(to, grad, x);
    let (ds, db) = match back.weight {
        Some(w) => {
            for (to, w) in to.iter_mut().zip(w) {
                *to = *to * *w;
            }
            let ds = total(to, |k, sum| (grad[k] * x[k]).mul_add(w[k], sum));
            products(to, grad, w);
            (ds, total(to, |k, sum| grad[k].mul_add(w[k], sum)))
        }
        None => (total(to, |k, sum| grad[k].mul_add(x[k], sum)), total(grad, |k, sum| sum + grad[k])),
    };
    let b = db.mul_add(mean, -ds) * a * a * a * share;
    let c = (-b).mul_add(mean, -(db * a * share));
    for ((to, grad), x) in to.iter_mut().zip(grad).zip(x) {
        *to = a * *grad;
        if back.weight.is_none() {
            *to = b.mul_add(*x, *to) + c;
        }
    }
    if let Some(w) = back.weight {
        for ((to, w), x) in to.iter_mut().zip(w).zip(x) {
            *to = b.mul_add(*x, *to * *w) + c;
        }
    }
    *stats = (a, -a * mean);
}

versions! {
    fn column_versions<T: Spread>(back: &Back<T>, stats: &[(T, T)], shape: [usize; 3], weight: &mut [T], bias: &mut [T]) = columns
}

/// The gradients of the weights and offsets from the place `first` on, of so many rows at a time.
#[inline(always)]
unsafe fn columns<T: Spread>(
    back: &Back<T>,
    stats: &[(T, T)],
    [first, length, share]: [usize; 3],
    weight: &mut [T],
    bias: &mut [T],
) {
    for (part, stats) in stats.chunks(share).enumerate() {
        let (mut weights, mut offsets) = ([T::zero(); STRETCH], [T::zero(); STRETCH]);
        for (row, (a, offset)) in stats.iter().enumerate() {
            let (grad, x) = back.line((part * share + row) * length + first, weight.len());
            for (((weight, bias), grad), x) in weights.iter_mut().zip(&mut offsets).zip(grad).zip(x) {
                *weight = grad.mul_add(a.mul_add(*x, *offset), *weight);
                *bias = *bias + *grad;
            }
        }
        for ((weight, bias), (more, offset)) in weight.iter_mut().zip(bias.iter_mut()).zip(weights.iter().zip(&offsets)) {
            *weight = *weight + *more;
            *bias = *bias + *offset;
        }
    }
}

/// What is known of a channel of a group: the sums of its gradients times its elements, and of its gradients; the group's mean, and
/// its rate, one over its deviation.
#[derive(Clone, Copy)]
struct Sums<T> {
    ds: T,
    db: T,
    mean: T,
    rate: T,
}

/// As [`layers`], through a norm of `groups` of `channels` lines of `length` elements.
pub fn groups<T: Spread>(back: Back<T>, [groups, channels, length]: [usize; 3], eps: f64, to: &mut [T]) -> Slopes<T> {
    let mut slopes = Slopes::new(groups * channels);
    let size = channels * length;
    let none = Sums { ds: T::zero(), db: T::zero(), mean: T::zero(), rate: T::zero() };
    let mut sums = vec![none; back.input.len() / length.max(1)];
    each_of_two((to, size), (&mut sums, channels), size, |group, to, sums| {
        let weight = back.weight.map(|weight| &weight[group % groups * channels..][..channels]);
        // SAFETY: slices; the instructions are those of this machine.
        unsafe { pick(group_versions::<T>())(&Back { weight, ..back }, group * size, eps, to, sums) };
    });
    for (line, Sums { ds, db, mean, rate }) in sums.into_iter().enumerate() {
        let place = line % (groups * channels);
        slopes.weight[place] = (-db).mul_add(mean, ds).mul_add(rate, slopes.weight[place]);
        slopes.bias[place] = slopes.bias[place] + db;
    }
    slopes
}

versions! { fn group_versions<T: Spread>(back: &Back<T>, first: usize, eps: f64, to: &mut [T], sums: &mut [Sums<T>]) = group }

/// The gradient of one group's input, from its place `first`, and the sums of its channels, whose weights are those given.
#[inline(always)]
unsafe fn group<T: Spread>(back: &Back<T>, first: usize, eps: f64, to: &mut [T], sums: &mut [Sums<T>]) {
    let (size, length) = (to.len(), to.len() / sums.len());
    let share = T::one() / of(size as f64);
    let (mean, variance) = T::of_row(&back.input[first..][..size]).mean_and_variance();
    let variance = variance.max(T::zero()).to_f64().unwrap_or(f64::NAN);
    let rate: T = of(1.0 / (variance + eps).sqrt());
    for (channel, (to, sums)) in to.chunks_exact_mut(length).zip(sums.iter_mut()).enumerate() {
        let (grad, x) = back.line(first + channel * length, length);
        products(to, grad, x);
        *sums = Sums { ds: total(to, |k, sum| sum + to[k]), db: total(grad, |k, sum| sum + grad[k]), mean, rate };
    }
    let weight = |channel: usize| back.weight.map_or(T::one(), |weight| weight[channel]);
    let ds = weighed(sums.len(), |k| sums[k].ds, weight);
    let db = weighed(sums.len(), |k| sums[k].db, weight);
    let b = db.mul_add(mean, -ds) * rate * rate * rate * share;
    let c = (-db * rate).mul_add(share, -b * mean);
    for (channel, to) in to.chunks_exact_mut(length).enumerate() {
        let (grad, x) = back.line(first + channel * length, length);
        let a = rate * weight(channel);
        for ((to, grad), x) in to.iter_mut().zip(grad).zip(x) {
            *to = a.mul_add(*grad, b * *x) + c;
        }
    }
}

/// What is known of channels: the means of their elements and of their gradients, what an element's distance from the mean counts, one
/// over their deviation, and their weight.
struct Channels<T> {
    mean: Vec<T>,
    mean_grad: Vec<T>,
    slope: Vec<T>,
    rate: Vec<T>,
    weight: Vec<T>,
    /// Their mean and variance follow from the elements.
    are_own: bool,
}

/// As [`layers`], through a norm of `channels`, each of lines of `length` elements: by its own mean and variance, or by those given. The
/// rows of channels that lie beside each other are added up in so many `parts`.
pub fn channels<T: Spread>(
    back: Back<T>,
    given: Option<(&[T], &[T])>,
    [channels, length, parts]: [usize; 3],
    eps: f64,
    to: &mut [T],
) -> Slopes<T> {
    let mut slopes = Slopes::new(channels);
    let count = back.input.len() / channels.max(1);
    let (mean, rate) = mean_and_rate(&back, given, [channels, length, parts], eps);
    let sums = channel_sums(&back, &mean, [length, parts]);
    let each_of = |(sum, _): &(f64, f64)| if length == 1 { of::<T>(*sum) / of(count as f64) } else { of(sum / count as f64) };
    for (k, (sum, dot)) in sums.iter().enumerate() {
        slopes.bias[k] = of(*sum);
        slopes.weight[k] = of(dot * wide(rate[k]));
    }
    let known = Channels {
        mean_grad: sums.iter().map(each_of).collect(),
        slope: sums.iter().zip(&rate).map(|((_, dot), rate)| of::<T>(*dot) * *rate * *rate / of(count as f64)).collect(),
        weight: back.weight.map_or_else(|| vec![T::one(); channels], <[T]>::to_vec),
        are_own: given.is_none(),
        mean,
        rate,
    };
    let size = channels * length;
    each(to, size, size, |example, to| {
        let version = if length == 1 { pick(example_versions::<T>()) } else { pick(plane_versions::<T>()) };
        // SAFETY: slices; the instructions are those of this machine.
        unsafe { version(&back, &known, example * size, to) };
    });
    slopes
}

/// The means of channels, and one over their deviations.
fn mean_and_rate<T: Spread>(
    back: &Back<T>,
    given: Option<(&[T], &[T])>,
    [channels, length, parts]: [usize; 3],
    eps: f64,
) -> (Vec<T>, Vec<T>) {
    let count = back.input.len() / channels.max(1);
    let (mean, variance): (Vec<T>, Vec<T>) = match given {
        Some((means, variances)) => (means.to_vec(), variances.to_vec()),
        None => {
            let (means, squares) = norms::channels(back.input, [channels, length], parts);
            (means, squares.into_iter().map(|squares| squares / of(count as f64)).collect())
        }
    };
    let rate = variance.iter().map(|variance| of(1.0 / (wide(*variance) + eps).sqrt())).collect();
    (mean, rate)
}

/// As [`channels`], of gradients that lie with gaps or repeated, whose sums are given: those go element by element in PyTorch, with
/// a sum in float64.
pub fn channels_with_gaps<T: Spread>(
    back: Back<T>,
    given: Option<(&[T], &[T])>,
    sums: &[T],
    [channels, length, parts]: [usize; 3],
    eps: f64,
    to: &mut [T],
) -> Slopes<T> {
    let mut slopes = Slopes::new(channels);
    let count = back.input.len() / channels.max(1);
    let (mean, rate) = mean_and_rate(&back, given, [channels, length, parts], eps);
    for channel in 0..channels {
        let (mean, rate, sum) = (mean[channel], rate[channel], sums[channel]);
        let weight = back.weight.map_or(T::one(), |weight| weight[channel]);
        let lines = (channel * length..back.input.len()).step_by(channels * length);
        let places = || lines.clone().flat_map(|first| first..first + length);
        let dot: f64 = places().map(|k| wide((back.input[k] - mean) * back.grad[k])).sum();
        let slope = of::<T>(dot) * rate * rate / of(count as f64);
        let mean_grad = sum / of(count as f64);
        for k in places() {
            let grad = match given {
                Some(_) => back.grad[k],
                None => back.grad[k] - mean_grad - (back.input[k] - mean) * slope,
            };
            to[k] = grad * rate * weight;
        }
        slopes.weight[channel] = of(dot * wide(rate));
        slopes.bias[channel] = sum;
    }
    slopes
}

#[inline(always)]
fn wide<T: Spread>(x: T) -> f64 {
    x.to_f64().unwrap_or(f64::NAN)
}

/// The sums of each channel's gradients, and of those times the distance from the mean.
fn channel_sums<T: Spread>(back: &Back<T>, mean: &[T], [length, parts]: [usize; 2]) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); mean.len()];
    let share = share(back.input.len() / mean.len().max(1), parts) * mean.len();
    let stretch = if length == 1 { STRETCH } else { 1 };
    let cost = stretch * back.input.len() / mean.len().max(1);
    each(&mut sums, stretch, cost, |number, sums| {
        let version = if length == 1 { pick(beside_versions::<T>()) } else { pick(apart_versions::<T>()) };
        // SAFETY: slices; the instructions are those of this machine.
        unsafe { version(back, mean, [number * stretch, length, share], sums) };
    });
    sums
}

versions! { fn beside_versions<T: Spread>(back: &Back<T>, mean: &[T], place: [usize; 3], sums: &mut [(f64, f64)]) = beside }

/// Of channels that lie beside each other, of `share` elements at a time.
#[inline(always)]
unsafe fn beside<T: Spread>(back: &Back<T>, mean: &[T], [first, _, share]: [usize; 3], sums: &mut [(f64, f64)]) {
    let (count, length) = (sums.len(), back.input.len());
    let means = &mean[first..][..count];
    let (mut total, mut total_dots) = ([0.0; STRETCH], [0.0; STRETCH]);
    for part in (0..length).step_by(share) {
        let (mut all, mut dots) = ([T::zero(); STRETCH], [T::zero(); STRETCH]);
        for at in (part + first..(part + share).min(length)).step_by(mean.len()) {
            let (grad, x) = back.line(at, count);
            for ((((sum, dot), grad), x), mean) in all.iter_mut().zip(&mut dots).zip(grad).zip(x).zip(means) {
                *sum = *sum + *grad;
                *dot = (*x - *mean).mul_add(*grad, *dot);
            }
        }
        add_wide(&mut total, &all);
        add_wide(&mut total_dots, &dots);
    }
    for (sums, (sum, dot)) in sums.iter_mut().zip(total.into_iter().zip(total_dots)) {
        *sums = (wide(of::<T>(sum)), wide(of::<T>(dot)));
    }
}

versions! { fn apart_versions<T: Spread>(back: &Back<T>, mean: &[T], place: [usize; 3], sums: &mut [(f64, f64)]) = apart }

/// Of channels of lines.
#[inline(always)]
unsafe fn apart<T: Spread>(back: &Back<T>, mean: &[T], [first, length, _]: [usize; 3], sums: &mut [(f64, f64)]) {
    let mut terms = vec![T::zero(); length];
    for (channel, sums) in sums.iter_mut().enumerate() {
        let mean_of = mean[first + channel];
        for at in ((first + channel) * length..back.input.len()).step_by(mean.len() * length) {
            let (grad, x) = back.line(at, length);
            for ((term, grad), x) in terms.iter_mut().zip(grad).zip(x) {
                *term = (*x - mean_of) * *grad;
            }
            sums.0 += wide(total(grad, |k, sum| sum + grad[k]));
            sums.1 += wide(total(&terms, |k, sum| (x[k] - mean_of).mul_add(grad[k], sum)));
        }
    }
}

versions! { fn plane_versions<T: Spread>(back: &Back<T>, known: &Channels<T>, first: usize, to: &mut [T]) = planes }

/// The gradient of an example whose channels are lines.
#[inline(always)]
unsafe fn planes<T: Spread>(back: &Back<T>, known: &Channels<T>, first: usize, to: &mut [T]) {
    let length = to.len() / known.mean.len();
    for (channel, to) in to.chunks_exact_mut(length).enumerate() {
        let (grad, x) = back.line(first + channel * length, length);
        let (mean, mean_grad, slope) = (known.mean[channel], known.mean_grad[channel], known.slope[channel]);
        let (rate, weight) = (known.rate[channel], known.weight[channel]);
        for ((to, grad), x) in to.iter_mut().zip(grad).zip(x) {
            let grad = if known.are_own { (mean - *x).mul_add(slope, *grad - mean_grad) } else { *grad };
            *to = grad * rate * weight;
        }
    }
}

versions! { fn example_versions<T: Spread>(back: &Back<T>, known: &Channels<T>, first: usize, to: &mut [T]) = example }

/// The gradient of an example whose channels lie beside each other.
#[inline(always)]
unsafe fn example<T: Spread>(back: &Back<T>, known: &Channels<T>, first: usize, to: &mut [T]) {
    let channels = to.len();
    let (grad, x) = back.line(first, channels);
    let [mean, mean_grad, slope] = [&known.mean, &known.mean_grad, &known.slope].map(|known| &known[..channels]);
    let [rate, weight] = [&known.rate, &known.weight].map(|known| &known[..channels]);
    if !known.are_own {
        for k in 0..channels {
            to[k] = grad[k] * rate[k] * weight[k];
        }
        return;
    }
    for k in 0..channels {
        to[k] = (mean[k] - x[k]).mul_add(slope[k], grad[k] - mean_grad[k]) * rate[k] * weight[k];
    }
    // What does not fill a vector.
    for k in channels - channels % (32 / size_of::<T>())..channels {
        to[k] = (grad[k] - mean_grad[k] - (x[k] - mean[k]) * slope[k]) * rate[k] * weight[k];
    }
}
