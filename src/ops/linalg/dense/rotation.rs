//! Plane rotations, and the 2x2 problems that end an iteration.

use super::Matrix;
use super::field::{Field, Real};
use crate::kernel::follows_intel;
use crate::kernel::reflect::{Turn, turn_columns};

/// A rotation `[c s; -s c]` and what it makes of the vector it was made from: `[r; 0]`.
#[derive(Clone, Copy, Debug)]
pub struct Rotation<R> {
    /// Cosine.
    pub c: R,
    /// Sine.
    pub s: R,
    /// The rotated first component.
    pub r: R,
}

/// `sqrt(a² + b²)`, by the careful way only where squares leave the range.
pub fn length<R: Real>(a: R, b: R) -> R {
    let sum = a * a + b * b;
    let least = R::TINY / R::EPSILON;
    if sum > least && sum < R::of(1.0) / least { sum.sqrt() } else { a.hypot(b) }
}

/// `sqrt(a² + b²)` from the ratio of the two, as LAPACK's `lapy2` rounds it.
pub fn hypotenuse<R: Real>(a: R, b: R) -> R {
    let (a, b) = (a.abs(), b.abs());
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    if small == R::of(0.0) {
        return large;
    }
    let ratio = small / large;
    large * (R::of(1.0) + ratio * ratio).sqrt()
}

/// The rotation of `(f, g)` onto the first axis whose `r` has the sign of `f`: today's `lartg`, used by the SVD.
pub fn rotation<R: Real>(f: R, g: R) -> Rotation<R> {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    if g == zero {
        return Rotation { c: one, s: zero, r: f };
    }
    if f == zero {
        return Rotation { c: zero, s: one.signed(g), r: g.abs() };
    }
    let d = length(f, g);
    let r = d.signed(f);
    Rotation { c: f.abs() / d, s: g / r, r }
}

/// The rotation whose `r` is positive unless `|f| > |g|`, then of the sign of `f`: the older `lartg`, which the symmetric and
/// the general eigensolver behind PyTorch still follow.
pub fn rotation_by_larger<R: Real>(f: R, g: R) -> Rotation<R> {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    if g == zero {
        return Rotation { c: one, s: zero, r: f };
    }
    if f == zero {
        return Rotation { c: zero, s: one, r: g };
    }
    let r = length(f, g);
    let (c, s) = (f / r, g / r);
    if f.abs() > g.abs() && c < zero { Rotation { c: -c, s: -s, r: -r } } else { Rotation { c, s, r } }
}

/// As [`rotation_by_larger`]; on AMD's processors quotients are products with a reciprocal, as few rows of double precision have it.
pub fn rotation_by_reciprocal<R: Real>(f: R, g: R) -> Rotation<R> {
    let zero = R::of(0.0);
    if follows_intel() || f == zero || g == zero {
        return rotation_by_larger(f, g);
    }
    let r = length(f, g);
    let by = R::of(1.0) / r;
    let (c, s) = (f * by, g * by);
    if f.abs() > g.abs() && c < zero { Rotation { c: -c, s: -s, r: -r } } else { Rotation { c, s, r } }
}

/// Rotates columns `j` and `k`: `(x, y)` becomes `(c x + s y, c y - s x)`.
pub fn rotate_columns<T: Field>(a: &mut Matrix<T>, j: usize, k: usize, c: T::R, s: T::R) {
    let rows = a.nrows();
    let (low, high) = (j.min(k), j.max(k));
    let (left, right) = a.as_mut_slice().split_at_mut(high * rows);
    let (first, second) = (&mut left[low * rows..][..rows], &mut right[..rows]);
    let (xs, ys) = if j < k { (first, second) } else { (second, first) };
    for (x, y) in xs.iter_mut().zip(ys) {
        (*x, *y) = (x.scale(c) + y.scale(s), y.scale(c) - x.scale(s));
    }
}

/// A matrix whose columns are rotated, many rotations at a time.
pub struct Turns<R: Real> {
    matrix: Matrix<R>,
    waiting: Vec<Turn<R>>,
}

/// Rotations that wait, for each column, before they are done.
const WAITING: usize = 32;

impl<R: Real> Turns<R> {
    /// Without rotations as yet.
    pub fn new(matrix: Matrix<R>) -> Turns<R> {
        Turns { matrix, waiting: vec![] }
    }

    /// Rotates columns `j` and `j + 1`: `(x, y)` becomes `(c x + s y, c y - s x)`.
    pub fn turn(&mut self, j: usize, c: R, s: R) {
        if self.matrix.nrows() > 0 {
            self.waiting.push(Turn { column: j, c, s });
            if self.waiting.len() > WAITING * self.matrix.ncols() {
                self.matrix();
            }
        }
    }

    /// The matrix, with all rotations done.
    pub fn matrix(&mut self) -> &mut Matrix<R> {
        let rows = self.matrix.nrows();
        turn_columns(self.matrix.as_mut_slice(), rows, &self.waiting);
        self.waiting.clear();
        &mut self.matrix
    }

    /// The matrix itself, with all rotations done.
    pub fn done(mut self) -> Matrix<R> {
        self.matrix();
        self.matrix
    }
}

/// Rotates rows `j` and `k` from `column` on: `(x, y)` becomes `(c x + s y, c y - s x)`.
pub fn rotate_rows<T: Field>(a: &mut Matrix<T>, j: usize, k: usize, columns: std::ops::Range<usize>, c: T::R, s: T::R) {
    for column in columns {
        let (x, y) = (a[(j, column)], a[(k, column)]);
        a[(j, column)] = x.scale(c) + y.scale(s);
        a[(k, column)] = y.scale(c) - x.scale(s);
    }
}

/// Eigenvalues of `[a b; b c]`, the larger in modulus first, and the rotation to its eigenvector `(c, s)`.
pub struct Symmetric2<R> {
    /// The eigenvalue of larger modulus.
    pub large: R,
    /// The other one.
    pub small: R,
    /// First component of the unit eigenvector of `large`.
    pub c: R,
    /// Second component.
    pub s: R,
}

/// Solves the symmetric 2x2 eigenproblem (`laev2`).
pub fn symmetric2<R: Real>(a: R, b: R, c: R) -> Symmetric2<R> {
    let (zero, one, half) = (R::of(0.0), R::of(1.0), R::of(0.5));
    let (sum, difference, twice) = (a + c, a - c, b + b);
    let (most, least) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    let root = hypotenuse(difference, twice);
    let (large, small, sum_negative) = if sum < zero {
        let large = half * (sum - root);
        (large, (most / large) * least - (b / large) * b, true)
    } else if sum > zero {
        let large = half * (sum + root);
        (large, (most / large) * least - (b / large) * b, false)
    } else {
        (half * root, -(half * root), false)
    };
    let difference_negative = difference < zero;
    let cs = if difference_negative { difference - root } else { difference + root };
    let (c1, s1) = if cs.abs() > twice.abs() {
        let cotangent = -twice / cs;
        let s = one / (one + cotangent * cotangent).sqrt();
        (cotangent * s, s)
    } else if twice == zero {
        (one, zero)
    } else {
        let tangent = -cs / twice;
        let c = one / (one + tangent * tangent).sqrt();
        (c, tangent * c)
    };
    let (c, s) = if sum_negative == difference_negative { (-s1, c1) } else { (c1, s1) };
    Symmetric2 { large, small, c, s }
}
