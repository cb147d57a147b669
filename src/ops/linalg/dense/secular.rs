//! The secular equation `1 + Σ zᵢ² / (pᵢ - λ) = 0`, which the two halves of a divided problem lead to.
//!
//! Between each pole and the next lies one root, and one behind the last. Roots are found as distances from the nearer pole, so
//! that their distances from all poles have all digits; weights for which they are the exact roots then give vectors that are
//! orthogonal (Gu and Eisenstat, "A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem"). All in float64,
//! since squares of the smallest entries that are not negligible leave the range of float32.

use super::Matrix;
use crate::kernel::poles::fractions;
use crate::kernel::team;

/// What the roots are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Eigenvalues: the poles are the numbers given.
    Eigenvalues,
    /// Singular values: poles and roots are squares.
    SingularValues,
}

impl Kind {
    /// From the pole of one number to that of another.
    pub fn gap(self, from: f64, to: f64) -> f64 {
        match self {
            Kind::Eigenvalues => to - from,
            Kind::SingularValues => (to - from) * (to + from),
        }
    }

    /// The number whose pole would be a root so far beyond the pole of another.
    fn beyond(self, from: f64, distance: f64) -> f64 {
        match self {
            Kind::Eigenvalues => from + distance,
            Kind::SingularValues => from + distance / (from + (from * from + distance).sqrt()),
        }
    }
}

/// Numbers `d`, ascending and apart from each other, and entries `z`, none of which is negligible.
pub struct Secular<'a> {
    /// What the roots are.
    pub kind: Kind,
    /// The numbers of the poles.
    pub d: &'a [f64],
    /// The roots of the weights.
    pub z: &'a [f64],
}

/// The roots, ascending.
pub struct Roots {
    /// One behind each pole.
    pub values: Vec<f64>,
    /// For each root a column: the entries for which these are the exact roots, each over the distance to its pole.
    pub directions: Matrix<f64>,
}

/// Roots from which on several threads are worth waking,
const MANY: usize = 64;

/// and from which on those of a team are worth asking.
const SOME: usize = 16;

impl Secular<'_> {
    /// Solves the equation.
    pub fn roots(&self) -> Roots {
        let k = self.d.len();
        let weights: Vec<f64> = self.z.iter().map(|z| *z * *z).collect();
        let mut gaps = Matrix::zeros(k, k);
        let of = |j: usize, column: &mut [f64]| self.root(j, &weights, column);
        let values = match k < SOME {
            true => gaps.as_mut_slice().chunks_mut(k.max(1)).enumerate().map(|(j, column)| of(j, column)).collect(),
            false => team::columns(gaps.as_mut_slice(), k, k >= MANY, &of),
        };
        let z = self.exact(&gaps);
        for mut column in gaps.column_iter_mut() {
            column.iter_mut().zip(&z).for_each(|(gap, z)| *gap = *z / *gap);
        }
        Roots { values, directions: gaps }
    }

    /// The root behind pole `j`; `gaps` becomes the distances from it to the poles.
    fn root(&self, j: usize, weights: &[f64], gaps: &mut [f64]) -> f64 {
        let last = j + 1 == self.d.len();
        self.measure(j, gaps);
        let width = if last { weights.iter().fold(0.0, |sum, w| sum + *w) } else { gaps[j + 1] };
        let middle = width * 0.5;
        let there = Function::at(weights, gaps, j, middle);
        let (near, mut bracket) = match there.value() < 0.0 {
            true if !last => (j + 1, [-middle, 0.0]),
            // The last root lies at most at `width`, which is rounded.
            true => (j, [middle, width + width]),
            false => (j, [0.0, middle]),
        };
        if near != j {
            self.measure(near, gaps);
        }
        let poles = Poles { gaps, weights, j };
        let mut at = within(poles.guess(&there, middle), bracket);
        for _ in 0..MOST {
            let here = Function::at(weights, gaps, j, at);
            let value = here.value();
            if value.abs() <= here.error(at) {
                break;
            }
            bracket[usize::from(value > 0.0)] = at;
            let next = within(at + poles.step(&here, at), bracket);
            if next == at {
                break;
            }
            at = next;
        }
        gaps.iter_mut().for_each(|gap| *gap -= at);
        self.kind.beyond(self.d[near], at)
    }

    /// The distances of all poles from one.
    fn measure(&self, from: usize, gaps: &mut [f64]) {
        gaps.iter_mut().zip(self.d).for_each(|(gap, d)| *gap = self.kind.gap(self.d[from], *d));
    }

    /// The entries for which the roots are exact, by the formula of Löwner: `zᵢ² = ∏ⱼ (λⱼ - pᵢ) / ∏ⱼ (pⱼ - pᵢ)`.
    fn exact(&self, gaps: &Matrix<f64>) -> Vec<f64> {
        let k = self.d.len();
        let mut squares: Vec<f64> = (0..k).map(|i| -gaps[(i, i)]).collect();
        for (j, column) in gaps.as_slice().chunks(k.max(1)).enumerate() {
            let by = |i: usize| column[i] / self.kind.gap(self.d[j], self.d[i]);
            (0..j).for_each(|i| squares[i] *= by(i));
            (j + 1..k).for_each(|i| squares[i] *= by(i));
        }
        squares.iter().zip(self.z).map(|(square, z)| square.sqrt().copysign(*z)).collect()
    }
}

/// Steps after which a root counts as found; all but those of contrived problems need less than ten.
const MOST: usize = 100;

/// A place inside a bracket: the one given or, when it lies outside, one between the ends, which may differ by orders of magnitude.
fn within(at: f64, [low, high]: [f64; 2]) -> f64 {
    if low < at && at < high {
        return at;
    }
    let (near, far) = if low.abs() < high.abs() { (low, high) } else { (high, low) };
    if near == 0.0 { far * 0.125 } else { (near.abs() * far.abs()).sqrt().copysign(far) }
}

/// The function at a place between two poles: the sum of the fractions that are negative there, that of the others, and slopes.
struct Function {
    below: [f64; 2],
    above: [f64; 2],
}

impl Function {
    fn at(weights: &[f64], gaps: &[f64], j: usize, at: f64) -> Self {
        let ((w, u), (g, h)) = (weights.split_at(j + 1), gaps.split_at(j + 1));
        Function { below: fractions(w, g, at), above: fractions(u, h, at) }
    }

    fn value(&self) -> f64 {
        1.0 + self.below[0] + self.above[0]
    }

    fn slope(&self) -> f64 {
        self.below[1] + self.above[1]
    }

    /// A bound of the rounding error of the value.
    fn error(&self, at: f64) -> f64 {
        let sizes = 8.0 * (self.above[0] - self.below[0]) + 1.0 + at.abs() * self.slope();
        f64::EPSILON * 0.5 * sizes
    }
}

/// The two poles around a root.
struct Poles<'a> {
    gaps: &'a [f64],
    weights: &'a [f64],
    j: usize,
}

impl Poles<'_> {
    /// Where the root would be were all poles but these as far away as they are from the middle.
    fn guess(&self, there: &Function, middle: f64) -> f64 {
        let (j, w) = (self.j, self.weights);
        if j + 1 == w.len() {
            return w[j] / (there.value() + w[j] / middle);
        }
        let width = self.gaps[j + 1] - self.gaps[j];
        let rest = there.value() + w[j] / middle - w[j + 1] / (width - middle);
        let (left, right) = (self.gaps[j], self.gaps[j + 1]);
        smaller_root(rest * (left + right) + w[j] + w[j + 1], w[j] * right + w[j + 1] * left + rest * left * right, rest)
    }

    /// To the root of the sum of a constant and two fractions, with these poles, that has the values and slopes of the function here.
    fn step(&self, here: &Function, at: f64) -> f64 {
        let (j, value) = (self.j, here.value());
        let left = self.gaps[j] - at;
        let Some(right) = self.gaps.get(j + 1).map(|gap| *gap - at) else {
            return left * value / (value - left * here.slope());
        };
        let constant = value - left * here.below[1] - right * here.above[1];
        smaller_root((left + right) * value - left * right * here.slope(), left * right * value, constant)
    }
}

/// The root of `c x² - a x + b` next to zero, without cancellation.
fn smaller_root(a: f64, b: f64, c: f64) -> f64 {
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    if a > 0.0 { (b + b) / (a + root) } else { (a - root) / (c + c) }
}
