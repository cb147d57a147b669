//! Norms of layers, groups, channels and examples.

use super::{by_float, count, goes_with, is_plain};
use crate::kernel::element::Element;
use crate::kernel::norms;
use crate::kernel::rowwise::Spread;
use crate::layout::Dims;
use crate::ops::{Args, exec};
use crate::settings;
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

/// Weights and offsets that may be left out.
type Given = (Option<Tensor>, Option<Tensor>);

/// Elements of what may be left out.
fn elements<T: Element>(given: &Option<Tensor>) -> Result<Option<Vec<T>>> {
    given.as_ref().map(exec::read_vec::<T>).transpose()
}

/// Norms of layers.
pub fn layer_norm(args: &Args) -> Result<Option<Value>> {
    let (x, shape): (Tensor, Dims) = args.take()?;
    let scale: Given = (args.get(2)?, args.get(3)?);
    let sizes = x.sizes();
    let fits = !shape.is_empty() && sizes.ends_with(&shape);
    if !fits || !is_plain(&x) || !goes_with(&scale.0, &x, &shape) || !goes_with(&scale.1, &x, &shape) {
        return Ok(None);
    }
    by_float!(x, layers(&x, count(&shape), &scale, args.get(4)?)).map(Some)
}

fn layers<T: Element + Spread>(x: &Tensor, length: usize, (weight, bias): &Given, eps: f64) -> Result<Value> {
    let (weight, bias) = (elements::<T>(weight)?, elements::<T>(bias)?);
    let scale = (weight.as_deref(), bias.as_deref());
    let out = exec::read::<T, _>(x, |from| exec::made::<T>(&x.sizes(), |to| norms::layers(from, length, scale, eps, to)))??;
    Ok(out.into())
}

/// Norms of groups.
pub fn group_norm(args: &Args) -> Result<Option<Value>> {
    let is_tensor = |place: usize| matches!(args.value(place), Value::Tensor(_) | Value::None);
    let Some(eps) = args.value(4).as_number().map(|eps| eps.to_f64()).filter(|_| is_tensor(2) && is_tensor(3)) else {
        return Ok(None);
    };
    let (x, weight, bias): (Tensor, Option<Tensor>, Option<Tensor>) = (args.get(0)?, args.get(2)?, args.get(3)?);
    let Value::Int(groups) = *args.value(1) else { return Ok(None) };
    let sizes = x.sizes();
    let fits = sizes.len() > 1 && groups > 0 && sizes[1] % groups == 0 && x.layout().is_row_major();
    if !fits || !is_plain(&x) || !goes_with(&weight, &x, &sizes[1..2]) || !goes_with(&bias, &x, &sizes[1..2]) {
        return Ok(None);
    }
    let shape = [groups as usize, (sizes[1] / groups) as usize, count(&sizes[2..])];
    if sizes[0] as usize * shape[1] * shape[2] == 1 {
        // One value has no spread, which the text says.
        return Ok(None);
    }
    by_float!(x, of_groups(&x, shape, &(weight, bias), eps)).map(Some)
}

fn of_groups<T: Element + Spread>(x: &Tensor, shape: [usize; 3], (weight, bias): &Given, eps: f64) -> Result<Value> {
    let (weight, bias) = (elements::<T>(weight)?, elements::<T>(bias)?);
    let scale = (weight.as_deref(), bias.as_deref());
    let out = exec::read::<T, _>(x, |from| exec::made::<T>(&x.sizes(), |to| norms::groups(from, shape, scale, eps, to)))??;
    Ok(out.into())
}

/// What norms of channels are given: weights and offsets, and means and variances, of each channel.
struct Channels {
    x: Tensor,
    scale: Given,
    stats: Given,
    eps: f64,
}

impl Channels {
    /// From the parameters at these places: weight, bias, mean, variance, eps.
    fn new(args: &Args, [weight, bias, mean, var, eps]: [usize; 5]) -> Result<Channels> {
        let scale = (args.get(weight)?, args.get(bias)?);
        let eps = args.value(eps).as_number().map_or(f64::NAN, |eps| eps.to_f64());
        Ok(Channels { x: args.get(0)?, scale, stats: (args.get(mean)?, args.get(var)?), eps })
    }

    /// True when all of it goes together.
    fn fits(&self) -> bool {
        let Channels { x, scale, stats, eps } = self;
        let sizes = x.sizes();
        let given = [&scale.0, &scale.1, &stats.0, &stats.1];
        sizes.len() > 1
            && x.layout().is_row_major()
            && is_plain(x)
            && *eps >= 0.0
            && given.iter().all(|given| goes_with(given, x, &sizes[1..2]))
            && given.iter().copied().flatten().all(|given| given.layout().is_contiguous())
    }

    /// By the given mean and variance of each channel of an example; in training by the channel's own, which also move the given
    /// ones by the momentum.
    fn of_batch(self, training: bool, momentum: f64) -> Result<Option<Value>> {
        let (mean, var) = (&self.stats.0, &self.stats.1);
        let movable = |given: &Option<Tensor>| given.as_ref().is_none_or(|t| t.is_ordinary() && t.layout().is_plain());
        let known = mean.is_some() == var.is_some() && if training { movable(mean) && movable(var) } else { mean.is_some() };
        if !known || !self.fits() || training && self.x.numel() == self.x.sizes()[1] {
            return Ok(None);
        }
        let channels = self.x.sizes()[1] as usize;
        by_float!(self.x, of_channels(&self, channels, training.then_some(momentum))).map(Some)
    }

    /// By the own mean and variance of each channel of each example.
    fn of_examples(self, own: bool) -> Result<Option<Value>> {
        let sizes = self.x.sizes();
        if !own || self.stats.0.is_some() || self.stats.1.is_some() || sizes.len() < 3 || !self.fits() || count(&sizes[2..]) == 1
        {
            return Ok(None);
        }
        by_float!(self.x, of_channels(&self, count(&sizes[..2]), Some(0.0))).map(Some)
    }
}

/// Norms of channels, with the parameters of `torch.batch_norm`.
pub fn batch_norm(args: &Args) -> Result<Option<Value>> {
    Channels::new(args, [1, 2, 3, 4, 7])?.of_batch(args.get(5)?, args.get(6)?)
}

/// Norms of channels, with the parameters of `torch.nn.functional.batch_norm`.
pub fn batch_norm_function(args: &Args) -> Result<Option<Value>> {
    if matches!(args.value(7), Value::Float(0.0) | Value::Int(0)) {
        // The text refuses it in training.
        return Ok(None);
    }
    Channels::new(args, [3, 4, 1, 2, 7])?.of_batch(args.get(5)?, args.get(6)?)
}

/// Norms of the channels of examples, with the parameters of `torch.instance_norm`.
pub fn instance_norm(args: &Args) -> Result<Option<Value>> {
    Channels::new(args, [1, 2, 3, 4, 7])?.of_examples(args.get(5)?)
}

/// Norms of the channels of examples, with the parameters of `torch.nn.functional.instance_norm`.
pub fn instance_norm_function(args: &Args) -> Result<Option<Value>> {
    let none = |value: &Value| matches!(value, Value::None | Value::Tensor(_));
    if !args.values[1..5].iter().all(none) {
        return Ok(None);
    }
    Channels::new(args, [3, 4, 1, 2, 7])?.of_examples(args.get(5)?)
}

/// `channels` counts the channels of one example, or of all where each example has its own mean and variance. With a `momentum` they
/// are the channels' own, and move those that are given.
fn of_channels<T: Element + Spread>(given: &Channels, channels: usize, momentum: Option<f64>) -> Result<Value> {
    let Channels { x, scale, stats, eps } = given;
    let (weight, bias) = (elements::<T>(&scale.0)?, elements::<T>(&scale.1)?);
    let sizes = x.sizes();
    let length = count(&sizes[2..]);
    let (mut offsets, mut slopes) = match (momentum, elements::<T>(&stats.0)?.zip(elements::<T>(&stats.1)?)) {
        (None, Some((means, variances))) => (means, variances.into_iter().map(|var| of_given(var, *eps)).collect()),
        _ => {
            let (means, squares) = exec::read::<T, _>(x, |from| norms::channels(from, [channels, length], settings::threads()))?;
            let each = x.numel() as usize / channels;
            if let (Some(mean), Some(var)) = (&stats.0, &stats.1) {
                let share = T::from(each - 1).unwrap_or_else(T::nan);
                let variances: Vec<T> = squares.iter().map(|squares| *squares / share).collect();
                let of = |x: f64| T::from(x).unwrap_or_else(T::nan);
                let wide = |x: T| x.to_f64().unwrap_or(f64::NAN);
                let momentum = of(momentum.unwrap_or(0.0));
                let rest = T::one() - momentum;
                moved(mean, &means, |mean, own| rest * mean + momentum * own)?;
                // A variance's own share is taken in float64.
                moved(var, &variances, |var, own| of(wide(momentum) * wide(own) + wide(rest * var)))?;
            }
            (means, squares.into_iter().map(|squares| of_own(squares, each, *eps)).collect::<Vec<T>>())
        }
    };
    for (channel, (slope, offset)) in slopes.iter_mut().zip(&mut offsets).enumerate() {
        let at = |given: &Option<Vec<T>>| given.as_ref().map(|given| given[channel % given.len()]);
        *slope = at(&weight).map_or(*slope, |weight| *slope * weight);
        *offset = (-*offset).mul_add(*slope, at(&bias).unwrap_or_else(T::zero));
    }
    let out = exec::read::<T, _>(x, |from| exec::made::<T>(&sizes, |to| norms::straight(from, length, &slopes, &offsets, to)))??;
    Ok(out.into())
}

/// Moves what was given towards what was found, by `f` of both; PyTorch does not count it as a change.
fn moved<T: Element>(given: &Tensor, found: &[T], f: impl Fn(T, T) -> T) -> Result<()> {
    exec::change::<T, _>(given, |given| given.iter_mut().zip(found).for_each(|(given, found)| *given = f(*given, *found)))
}

/// One over the deviation that a variance which was given makes.
fn of_given<T: Element + Spread>(variance: T, eps: f64) -> T {
    T::one() / (variance + T::from(eps).unwrap_or_else(T::nan)).sqrt()
}

/// One over the deviation that the squares of so many distances make.
fn of_own<T: Element + Spread>(squares: T, count: usize, eps: f64) -> T {
    let variance = squares / T::from(count).unwrap_or_else(T::nan);
    T::from(1.0 / (variance.to_f64().unwrap_or(f64::NAN) + eps).sqrt()).unwrap_or_else(T::nan)
}
