//! Convolutions of numbers without a bound. What lies beyond a plane, or between the elements of a plane that is spread, counts as zeros
//! here, and a zero times NaN is NaN. PyTorch's library leaves it out, but for the ends of rows that are spread.

use crate::kernel::pools::Windows;

/// A convolution of float32, or the transpose of one, that is given once more.
pub(super) struct Sums<'a> {
    pub windows: &'a Windows,
    /// Examples, groups, planes that go into a group, planes that come out.
    pub sizes: [usize; 4],
    pub is_transposed: bool,
    /// True where elements that would lie beyond the ends of spread rows count as zeros.
    pub has_ends: bool,
    pub x: &'a [f32],
    pub weight: &'a [f32],
    pub bias: Option<&'a [f32]>,
}

/// Multiplications up to which results are looked at again.
const FEW: usize = 1 << 24;

impl Sums<'_> {
    /// True where zeros may have met what is not finite.
    pub fn may_be_wrong(&self, found: &[f32]) -> bool {
        let w = self.windows;
        let adds_zeros = self.is_transposed || w.pad != [0; 3];
        let few = found.len().saturating_mul(self.sizes[2] * w.cells()) <= FEW;
        let unbounded = |all: &[f32]| all.iter().any(|x| !x.is_finite());
        adds_zeros && few && found.iter().any(|x| x.is_nan()) && (unbounded(self.x) || unbounded(self.weight))
    }

    /// Replaces each NaN by the sum of what is there; where that is finite, by the sum of the library's order, in `clean`.
    pub fn mend(&self, clean: &[f32], found: &mut [f32]) {
        for (number, to) in found.iter_mut().enumerate().filter(|(_, to)| to.is_nan()) {
            let sum = self.sum(number);
            *to = if sum.is_finite() { clean[number] } else { sum };
        }
    }

    fn sum(&self, number: usize) -> f32 {
        let (w, [_, groups, inside, rows]) = (self.windows, self.sizes);
        let (from, to) = if self.is_transposed { (w.out, w.sizes) } else { (w.sizes, w.out) };
        let [from_plane, to_plane, cells] = [from, to, w.kernel].map(|sizes| sizes.iter().product::<usize>());
        let (at, line) = (number % to_plane, number / to_plane);
        let (row, block) = (line % rows, line / rows);
        let group = block % groups;
        let mut sum = self.bias.map_or(0.0, |bias| bias[group * rows + row]);
        for cell in 0..cells {
            let Some(place) = self.place(split(at, to), split(cell, w.kernel), from) else { continue };
            for plane in 0..inside {
                let lines = if self.is_transposed {
                    (group * inside + plane) * rows + row
                } else {
                    (group * rows + row) * inside + plane
                };
                let x = place.map_or(0.0, |place| self.x[(block * inside + plane) * from_plane + place]);
                sum += self.weight[lines * cells + cell] * x;
            }
        }
        sum
    }

    /// Where in a plane of the input lies what this cell brings to this place of the result; none where it is a zero beyond the plane.
    fn place(&self, to: [usize; 3], cell: [usize; 3], sizes: [usize; 3]) -> Option<Option<usize>> {
        let w = self.windows;
        let mut place = Some(0);
        for d in 0..3 {
            let [to, cell, step, pad, spread] = [to[d], cell[d], w.step[d], w.pad[d], w.spread[d]].map(|n| n as i64);
            let at = match self.is_transposed {
                true if (to + pad - cell * spread) % step != 0 => return None,
                true => (to + pad - cell * spread) / step,
                false => to * step + cell * spread - pad,
            };
            let at = usize::try_from(at).ok().filter(|at| *at < sizes[d]);
            if at.is_none() && !(d == 2 && self.has_ends) {
                return None;
            }
            place = place.zip(at).map(|(place, at)| place * sizes[d] + at);
        }
        Some(place)
    }
}

/// The place in each dimension.
fn split(at: usize, [_, high, wide]: [usize; 3]) -> [usize; 3] {
    [at / wide / high, at / wide % high, at % wide]
}

/// The numbers with zeros for those without a bound.
pub(super) fn bounded(all: &[f32]) -> Vec<f32> {
    all.iter().map(|x| if x.is_finite() { *x } else { 0.0 }).collect()
}
