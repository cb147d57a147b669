//! Images of bytes of another size: lines that are sums of others, weighed by whole numbers.

use super::piecewise::part;
use crate::device::DeviceId;
use crate::interrupt;
use crate::layout::Dims;
use crate::ops::{Args, Form, exec};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;

rows![part(
    "nn.functional._byte_lines(Tensor input, int dim, int size, bool cubic, bool align_corners=False, float? factor=None, bool smooth=False) -> Tensor",
    "Bytes with `size` elements along a dimension, which are sums of those nearby: of two, or `cubic` of four; or of all that lie within \
     reach, which grows as the line shrinks, when it is `smooth`. The weights are whole numbers of 15 bits.",
    "torch.nn.functional._byte_lines(torch.tensor([0, 100], dtype=torch.uint8), 0, 4, False)  # tensor([  0,  25,  75, 100], dtype=torch.uint8)",
    Form::Native(byte_lines)
)];

/// Where the elements lie that make one, and how much each counts.
struct Sum<T> {
    first: usize,
    weights: Vec<T>,
}

/// What a line is to become.
struct Line {
    have: usize,
    want: usize,
    cubic: bool,
    corners: bool,
    factor: Option<f64>,
    smooth: bool,
}

fn byte_lines(args: &Args) -> Result<Value> {
    let (x, dim): (Tensor, i64) = (args.get(0)?, args.get(1)?);
    let dim = crate::layout::wrap_dim(dim, x.ndim())?;
    if x.ndim() == 0 {
        fault!(RuntimeError, "_byte_lines(): expected a tensor with dimensions");
    }
    let (want, have) = (args.get::<i64>(2)?, x.sizes()[dim]);
    if want < 1 || have < 1 {
        fault!(RuntimeError, "_byte_lines(): expected lines with elements, but got {have} of which to make {want}");
    }
    let shape: Dims = x.sizes().iter().enumerate().map(|(d, size)| if d == dim { want } else { *size }).collect();
    exec::require_room(&shape, x.dtype())?;
    if x.device() == DeviceId::Meta || shape.contains(&0) {
        return Ok(exec::empty(&shape, x.dtype(), x.device())?.into());
    }
    let (have, want) = (have as usize, want as usize);
    let (cubic, corners, factor, smooth) = (args.get(3)?, args.get(4)?, args.get(5)?, args.get(6)?);
    let (bits, sums) = whole(&Line { have, want, cubic, corners, factor, smooth }.sums());
    let inner = x.sizes()[dim + 1..].iter().product::<i64>() as usize;
    let made = exec::read::<u8, _>(&x, |from| {
        exec::made::<u8>(&shape, |to| {
            for (from, to) in from.chunks(have * inner).zip(to.chunks_mut(want * inner)) {
                for (sum, to) in sums.iter().zip(to.chunks_mut(inner)) {
                    for (k, to) in to.iter_mut().enumerate() {
                        let terms = sum.weights.iter().enumerate();
                        let half = 1 << bits >> 1;
                        let total: i32 = terms.map(|(j, weight)| weight * i32::from(from[(sum.first + j) * inner + k])).sum();
                        *to = ((total + half) >> bits).clamp(0, 255) as u8;
                    }
                }
                if interrupt::check().is_err() {
                    return;
                }
            }
        })
    })??;
    interrupt::check()?;
    Ok(made.into())
}

/// The weights as multiples of a power of two, as small as 15 bits allow.
fn whole(sums: &[Sum<f64>]) -> (u32, Vec<Sum<i32>>) {
    let largest = sums.iter().flat_map(|sum| &sum.weights).fold(0.0, |most: f64, weight| most.max(*weight));
    let bits = (0..22).find(|bits| (0.5 + largest * f64::from(2 << bits)) as i32 >= 1 << 15).unwrap_or(22);
    let scale = f64::from(1 << bits);
    let rounded = |weight: &f64| (weight * scale + 0.5_f64.copysign(*weight)) as i32;
    (bits, sums.iter().map(|sum| Sum { first: sum.first, weights: sum.weights.iter().map(rounded).collect() }).collect())
}

impl Line {
    fn sums(&self) -> Vec<Sum<f64>> {
        let (have, want) = (self.have as f64, self.want as f64);
        let ratio = match (self.corners, self.factor) {
            (true, _) if self.want > 1 => (have - 1.0) / (want - 1.0),
            (true, _) => 0.0,
            (_, Some(factor)) => 1.0 / factor,
            _ => have / want,
        };
        (0..self.want).map(|at| if self.smooth { self.within_reach(at, ratio) } else { self.nearby(at, ratio) }).collect()
    }

    /// How much an element counts at this distance.
    fn weight(&self, distance: f64) -> f64 {
        let x = distance.abs();
        let a = if self.smooth { -0.5 } else { -0.75 };
        match self.cubic {
            false => (1.0 - x).max(0.0),
            true if x < 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
            true if x < 2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
            true => 0.0,
        }
    }

    fn within_reach(&self, at: usize, ratio: f64) -> Sum<f64> {
        let shrink = ratio.max(1.0);
        let reach = if self.cubic { 2.0 * shrink } else { shrink };
        let center = ratio * (at as f64 + 0.5);
        let first = (center - reach + 0.5).max(0.0) as usize;
        let end = ((center + reach + 0.5) as usize).min(self.have);
        let weights: Vec<f64> = (first..end).map(|k| self.weight((k as f64 - center + 0.5) * (1.0 / shrink))).collect();
        let total: f64 = weights.iter().sum();
        Sum { first, weights: weights.iter().map(|weight| weight / total).collect() }
    }

    /// Two or four elements; what lies outside of the line counts for its ends.
    fn nearby(&self, at: usize, ratio: f64) -> Sum<f64> {
        let last = self.have as i64 - 1;
        let place = if self.corners { ratio * at as f64 } else { ratio * (at as f64 + 0.5) - 0.5 };
        let place = if self.corners || self.cubic { place } else { place.max(0.0) };
        let base = (place.floor() as i64).min(last);
        let past = (place - base as f64).clamp(0.0, 1.0);
        let side = if self.cubic { 2 } else { 1 };
        let low = base - side + 1;
        let first = low.max(0).min(last);
        let mut weights = vec![0.0; ((base + side).min(last) - first + 1).max(1) as usize];
        for k in 0..2 * side {
            let end = weights.len() - 1;
            let place = ((low + k).clamp(0, last) - first) as usize;
            weights[place.min(end)] += self.weight((k + 1 - side) as f64 - past);
        }
        Sum { first: first as usize, weights }
    }
}
