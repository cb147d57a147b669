//! The steps of small QR decompositions and the solution of small systems, real ones, with the order of additions and the roundings
//! of the library behind PyTorch, so that what remains of `Q @ R - A` or `A @ inv(A)` prints the same.

use super::Matrix;
use super::few_real::added;
use super::few_unknowns::{less_first, less_last};
use super::field::{Field, Real};
use super::parts::{Kept, Parts, fused};
use super::reflector::{Direction, Reflector};
use crate::kernel::blas::less;
use crate::kernel::follows_intel;
use crate::kernel::halves::in_halves;

/// Matrices with more rows or columns than this are worked through in blocks.
pub const SIDE: usize = 20;

/// From a column of a matrix of some shape to its reflection and what that makes of the first entry.
pub type Reflect<T> = fn(&[T], (usize, usize)) -> (Reflector<T>, T);

/// The steps.
pub struct Steps<T: Field> {
    /// The reflection of the first column of what is left of a matrix of this shape, and what it makes of its first entry.
    pub reflector: Reflect<T>,
    /// Reflects another column of a matrix of this shape.
    pub reflect: fn(&Reflector<T>, &mut [T], (usize, usize)),
}

/// In single precision every operation rounds.
pub const SINGLE: Steps<f32> = Steps {
    reflector: |x, _| {
        let Some((alpha, beta)) = ends(x, scaled_in_turn(&x[1..]), |ratio| (1.0 + ratio * ratio).sqrt()) else {
            return (Reflector { tau: 0.0, v: unit(x), at: None }, x[0]);
        };
        let mut v: Direction<f32> = x.iter().map(|x| x / (alpha - beta)).collect();
        v[0] = 1.0;
        (Reflector { tau: (beta - alpha) / beta, v, at: None }, beta)
    },
    reflect: |step, column, _| {
        let product = step.v.iter().zip(&*column).fold(0.0, |sum, (v, c)| sum + v * c);
        let by = -step.tau * product;
        column.iter_mut().zip(&step.v).for_each(|(c, v)| *c += by * v);
    },
};

/// In double precision products are added without rounding them before.
pub const DOUBLE: Steps<f64> = Steps {
    reflector: |x, shape| {
        let length = |rest: &[f64]| {
            let (scale, sum) = rest.iter().map(|x| x.abs()).filter(|x| *x != 0.0).fold((0.0, 1.0f64), |(scale, sum), x| {
                if scale < x {
                    (x, fused(sum, (scale / x) * (scale / x), 1.0))
                } else {
                    (scale, fused(x / scale, x / scale, sum))
                }
            });
            scale * sum.sqrt()
        };
        let Some((alpha, beta)) = ends(x, length(&x[1..]), |ratio| fused(ratio, ratio, 1.0).sqrt()) else {
            return (Reflector { tau: 0.0, v: unit(x), at: None }, x[0]);
        };
        let (by, divisor) = (1.0 / (alpha - beta), alpha - beta);
        let mut v: Direction<f64> = x.iter().map(|x| if shape == (2, 2) { x / divisor } else { x * by }).collect();
        v[0] = 1.0;
        (Reflector { tau: (beta - alpha) / beta, v, at: None }, beta)
    },
    reflect: |step, column, shape| {
        let n = column.len();
        let is_square = shape.0 == shape.1 && (3..=5).contains(&shape.0);
        let whole = match follows_intel() {
            false => n / 2 * 2,
            true if is_square => n / 4 * 4,
            true if n <= 8 => n,
            true => n / 8 * 8,
        };
        let (v, c) = (&step.v[..whole], &column[..whole]);
        let product = match follows_intel() {
            true => in_halves(&mut added([0.0; 8], v, c, f64::plus), |a, b| a + b),
            false => in_halves(&mut added([0.0; 2], v, c, f64::plus), |a, b| a + b),
        };
        let with_rest = |start| step.v[whole..].iter().zip(&column[whole..]).fold(start, |sum, (v, c)| fused(*v, *c, sum));
        let by = -step.tau * if is_square || !follows_intel() { with_rest(product) } else { product + with_rest(0.0) };
        column.iter_mut().zip(&step.v).for_each(|(c, v)| *c = fused(by, *v, *c));
    },
};

/// The norm by one pass that keeps the largest entry so far as a scale.
pub fn norm_scaled<R: Real>(x: &[R]) -> R {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let (scale, sum) = x.iter().map(|x| x.abs()).filter(|x| *x != zero).fold((zero, one), |(scale, sum), x| {
        if scale < x { (x, one + sum * ((scale / x) * (scale / x))) } else { (scale, sum + (x / scale) * (x / scale)) }
    });
    scale * sum.sqrt()
}

/// The norm in double precision: by one pass on AMD's processors, where the product that a new scale asks for is taken in another
/// order than in single precision, and else rounded once, from squares and a sum of twice the digits.
pub fn norm_double(x: &[f64]) -> f64 {
    if follows_intel() {
        return norm_exact(x);
    }
    scaled_in_turn(x)
}

/// The norm by one pass that keeps the largest entry so far as a scale, and takes the sum times a ratio twice for a new one.
fn scaled_in_turn<R: Real>(x: &[R]) -> R {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let (scale, sum) = x.iter().map(|x| x.abs()).filter(|x| *x != zero).fold((zero, one), |(scale, sum), x| {
        if scale < x { (x, one + (sum * (scale / x)) * (scale / x)) } else { (scale, sum + (x / scale) * (x / scale)) }
    });
    scale * sum.sqrt()
}

fn norm_exact(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    // By a power of two, so that no square leaves the range: that below a number, or the smallest with all its digits.
    let scale = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
    let (mut sum, mut below, inverse) = (0.0, 0.0, 1.0 / scale);
    for x in x.iter().map(|x| x * inverse) {
        let square = x * x;
        let next: f64 = sum + square;
        let taken = next - sum;
        below += (sum - (next - taken)) + (square - taken) + x.mul_add(x, -square);
        sum = next;
    }
    let root = (sum + below).sqrt();
    (root + ((-root).mul_add(root, sum) + below) / (2.0 * root)) * scale
}

/// A first entry and what the reflection makes of it; none when nothing else is in the column, which is then left alone.
fn ends<T: Field<R = T> + Real>(x: &[T], below: T, root: impl Fn(T) -> T) -> Option<(T, T)> {
    let (alpha, zero) = (x[0], T::of(0.0));
    if below == zero {
        return None;
    }
    let (large, small) = if alpha.abs() > below { (alpha.abs(), below) } else { (below, alpha.abs()) };
    Some((alpha, -(large * root(small / large)).signed(alpha)))
}

/// The first entry 1, the others as they are, which is 0.
fn unit<T: Field>(x: &[T]) -> Direction<T> {
    std::iter::once(T::one()).chain(x[1..].iter().copied()).collect()
}

/// Systems with fewer unknowns are solved by [`solve`].
pub const FEW: usize = 8;

/// Solves `L U x = b` in place for the columns of `b`, whose rows were exchanged.
pub fn solve<T: Field>(packed: &Matrix<T>, b: &mut Matrix<T>) {
    let (n, columns) = b.shape();
    let inverses: Vec<T> = packed.diagonal().iter().map(|x| T::one().over(*x)).collect();
    for (j, x) in b.as_mut_slice().chunks_mut(n.max(1)).enumerate() {
        (0..n).for_each(|k| x[k] = less_known(packed, x, k, 0..k));
        // Columns go in pairs; of three unknowns one without a partner is divided for, on Intel's processors.
        let alone = n == 3 && columns % 2 == 1 && j + 1 == columns && follows_intel();
        for k in (0..n).rev() {
            let rest = less_known(packed, x, k, (k + 1..n).rev());
            x[k] = if alone { rest.over(packed[(k, k)]) } else { rest * inverses[k] };
        }
    }
}

/// Which of the two triangles of a decomposition divides by its diagonal; the other's counts as ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// The lower one, which is solved first.
    First,
    /// The upper one.
    Second,
}

/// Solves with both triangles of a complex decomposition, first the lower, then the upper one, for the columns of `b` in place.
pub fn solve_complex<T: Field>(a: &Matrix<T>, b: &mut Matrix<T>, division: Division) {
    let n = a.nrows();
    let fused = match (size_of::<T>(), n) {
        (8, 2..=MOST_KEPT) => [true; 2],
        (8, _) | (_, 1) => [false, true],
        _ => [false; 2],
    };
    for x in b.as_mut_slice().chunks_mut(n.max(1)) {
        let step = |x: &mut [T], k: usize, is_first: bool, divides: bool| {
            let left = match is_first {
                _ if follows_intel() => less_kept(a, x, k, is_first),
                true => less_first(a, x, k),
                false => less_last(a, x, k),
            };
            x[k] = if divides { left.share(a[(k, k)], fused) } else { left };
        };
        (0..n).for_each(|k| step(x, k, true, division == Division::First));
        (0..n).rev().for_each(|k| step(x, k, false, division == Division::Second));
    }
}

/// Unknowns up to which the library's loops for complex systems are known on Intel's processors.
const MOST_KEPT: usize = 6;

/// A right side of a complex system less what the unknowns that are known take of it, in the order in which they became known, on
/// Intel's processors. The first products keep the half of their imaginary parts, as many as its compiler has made so.
fn less_kept<T: Field>(a: &Matrix<T>, x: &[T], k: usize, is_first: bool) -> T {
    let n = a.nrows();
    let known: Vec<usize> = if is_first { (0..k).collect() } else { (k + 1..n).rev().collect() };
    let is_single = size_of::<T>() == 8;
    let kept = match (n, is_first) {
        _ if n > MOST_KEPT => 0,
        (2, true) => 0,
        (2, false) => usize::from(is_single),
        (_, true) if is_single => n,
        (_, false) if n.is_multiple_of(2) && known.len() == 1 => 0,
        _ => 2 - n % 2,
    };
    // In double precision the last row of an even number begins with a product that keeps nothing.
    let begins_rounded = is_first && !is_single && n.is_multiple_of(2) && k + 1 == n;
    let kept = usize::from(begins_rounded)..kept;
    known.iter().enumerate().fold(x[k], |left, (place, i)| match kept.contains(&place) {
        true => left + a[(k, *i)].times(-x[*i], Kept::OfImaginary),
        false => left.less_product(a[(k, *i)], x[*i]),
    })
}

/// A right side less what the known unknowns take of it, all at once and the first two of them in reversed order.
fn less_known<T: Field>(a: &Matrix<T>, x: &[T], k: usize, known: impl Iterator<Item = usize>) -> T {
    let mut known: Vec<usize> = known.collect();
    if let [only] = known[..] {
        return less(x[k], a[(k, only)], x[only]);
    }
    if known.is_empty() {
        return x[k];
    }
    known.swap(0, 1);
    x[k] - dot(known.into_iter().map(|i| (a[(k, i)], x[i])))
}

/// The sum of products, each but the first added without rounding it before.
fn dot<T: Field>(mut pairs: impl Iterator<Item = (T, T)>) -> T {
    let first = pairs.next().map_or(T::zero(), |(a, x)| a * x);
    pairs.fold(first, |sum, (a, x)| less(sum, -a, x))
}

/// Solves `T x = b` for one of several right sides, four unknowns at a time, then two, then one. Those that are fewer than four, and
/// what four take of those, are worked out as one sum.
pub fn substitute<T: Field>((a, rows): (&[T], usize), inverses: Option<&[T]>, upper: bool, x: &mut [T]) {
    let n = x.len();
    let fours = n / 4 * 4;
    let middle = if n % 4 >= 2 { fours + 2 } else { fours };
    let tail = [fours..middle, middle..n];
    let at = |k: usize, i: usize| a[i * rows + k];
    let step = |x: &mut [T], part: std::ops::Range<usize>| {
        for p in 0..part.len() {
            let k = if upper { part.end - 1 - p } else { part.start + p };
            if let Some(inverses) = inverses {
                x[k] *= inverses[k];
            }
            let rest = if upper { part.start..k } else { k + 1..part.end };
            rest.for_each(|i| x[i] = less(x[i], at(i, k), x[k]));
        }
    };
    let sums = |x: &mut [T], part: std::ops::Range<usize>, known: std::ops::Range<usize>| {
        for k in part.filter(|_| !known.is_empty()) {
            x[k] -= dot(known.clone().map(|i| (at(k, i), x[i])));
        }
    };
    if upper {
        for part in tail.into_iter().rev() {
            sums(x, part.clone(), part.end..n);
            step(x, part);
        }
        sums(x, 0..fours, fours..n);
        step(x, 0..fours);
    } else {
        step(x, 0..fours);
        for part in tail {
            sums(x, part.clone(), 0..part.start);
            step(x, part);
        }
    }
}
