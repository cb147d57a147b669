//! Distances between pairs of rows.

use super::isa::{pick, versions};
use super::pieces::each;
use num_traits::Float;

/// How differences of a pair add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Their sizes.
    Sum,
    /// Their squares, whose root is taken.
    Squares,
    /// The largest size.
    Largest,
}

/// A float whose terms are added in as many lanes as fit a vector of 32 bytes.
pub trait Lanes: Float + Send + Sync + 'static {
    /// How many lanes those are.
    const COUNT: usize;
    /// The distance of two rows.
    fn between(a: &[Self], b: &[Self], way: Way) -> Self;
}

impl Lanes for f32 {
    const COUNT: usize = 8;
    #[inline(always)]
    fn between(a: &[f32], b: &[f32], way: Way) -> f32 {
        match way {
            Way::Sum => sum::<f32, 8>(a, b, |x| x, add, halved),
            Way::Squares => sum::<f32, 8>(a, b, |x| x * x, add, halved).sqrt(),
            Way::Largest => sum::<f32, 8>(a, b, |x| x, larger, halved),
        }
    }
}

impl Lanes for f64 {
    const COUNT: usize = 4;
    #[inline(always)]
    fn between(a: &[f64], b: &[f64], way: Way) -> f64 {
        match way {
            Way::Sum => sum::<f64, 4>(a, b, |x| x, add, in_turn),
            Way::Squares => sum::<f64, 4>(a, b, |x| x * x, add, in_turn).sqrt(),
            Way::Largest => sum::<f64, 4>(a, b, |x| x, larger, in_turn),
        }
    }
}

#[inline(always)]
fn add<T: Float>(a: T, b: T) -> T {
    a + b
}

/// The larger number, or NaN.
#[inline(always)]
fn larger<T: Float>(a: T, b: T) -> T {
    if a.is_nan() || a > b { a } else { b }
}

/// Lanes joined by halves.
#[inline(always)]
fn halved<T: Float>(lanes: &mut [T], join: impl Fn(T, T) -> T) -> T {
    let mut half = lanes.len() / 2;
    while half > 0 {
        for k in 0..half {
            lanes[k] = join(lanes[k], lanes[k + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// Lanes joined one after the other.
#[inline(always)]
fn in_turn<T: Float>(lanes: &mut [T], join: impl Fn(T, T) -> T) -> T {
    lanes[1..].iter().fold(lanes[0], |all, x| join(all, *x))
}

/// Whole vectors of sizes of differences, then what is left over in the first lanes, then the lanes by `end`.
#[inline(always)]
fn sum<T: Float, const L: usize>(
    a: &[T],
    b: &[T],
    term: impl Fn(T) -> T,
    join: fn(T, T) -> T,
    end: fn(&mut [T], fn(T, T) -> T) -> T,
) -> T {
    let term = |x: T, y: T| term((x - y).abs());
    let mut lanes = [T::zero(); L];
    let ((a, more), (b, others)) = (a.as_chunks::<L>(), b.as_chunks::<L>());
    let rest = more.iter().zip(others).map(|(x, y)| term(*x, *y));
    let Some((first, second)) = a.first().zip(b.first()) else {
        let count = more.len();
        lanes.iter_mut().zip(rest).for_each(|(lane, x)| *lane = x);
        return in_turn(&mut lanes[..count], join);
    };
    for k in 0..L {
        lanes[k] = term(first[k], second[k]);
    }
    for (x, y) in a[1..].iter().zip(&b[1..]) {
        for k in 0..L {
            lanes[k] = join(lanes[k], term(x[k], y[k]));
        }
    }
    lanes.iter_mut().zip(rest).for_each(|(lane, x)| *lane = join(*lane, x));
    end(&mut lanes, join)
}

/// Fills `to` with the distances of each row of `wide` elements from those behind it.
pub fn of_pairs<T: Lanes>(rows: &[T], wide: usize, way: Way, to: &mut [T]) {
    let (run, count) = (pick(row_versions::<T>()), rows.len() / wide);
    // Rows from both ends together have as many pairs as any others.
    let mut parts: Vec<&mut [T]> = Vec::with_capacity(count);
    let mut rest = to;
    for row in 0..count {
        let (now, later) = rest.split_at_mut(count - 1 - row);
        parts.push(now);
        rest = later;
    }
    each(&mut parts, 1, count * wide / 8, |row, to| {
        // SAFETY: slices; the instructions are those of this machine.
        unsafe { run(&rows[row * wide..][..wide], &rows[(row + 1) * wide..], way, to[0]) }
    });
}

/// Fills `to` with the distances of each row of `a` from each row of `b`, all of `wide` elements.
pub fn of_rows<T: Lanes>(a: &[T], b: &[T], wide: usize, way: Way, to: &mut [T]) {
    let (run, others) = (pick(beside_versions::<T>()), b.len() / wide);
    // SAFETY: slices; the instructions are those of this machine.
    each(to, others, b.len(), |row, to| unsafe { run(&a[row * wide..][..wide], b, way, to) });
}

versions! { fn row_versions<T: Lanes>(row: &[T], others: &[T], way: Way, to: &mut [T]) = row_of }

#[inline(always)]
unsafe fn row_of<T: Lanes>(row: &[T], others: &[T], way: Way, to: &mut [T]) {
    for (to, other) in to.iter_mut().zip(others.chunks_exact(row.len())) {
        *to = T::between(row, other, way);
    }
}

versions! { fn beside_versions<T: Lanes>(row: &[T], others: &[T], way: Way, to: &mut [T]) = beside }

/// Rows whose terms are added side by side.
const ROWS: usize = 8;

/// Distances whose terms are added one after the other; those of whole vectors are rounded before.
#[inline(always)]
unsafe fn beside<T: Lanes>(row: &[T], others: &[T], way: Way, to: &mut [T]) {
    let (wide, whole) = (row.len(), row.len() / T::COUNT * T::COUNT);
    for (to, others) in to.chunks_mut(ROWS).zip(others.chunks(ROWS * wide)) {
        let mut sums = [T::zero(); ROWS];
        for (k, x) in row.iter().enumerate() {
            for (sum, other) in sums.iter_mut().zip(others.chunks_exact(wide)) {
                let apart = (*x - other[k]).abs();
                *sum = match way {
                    Way::Sum => *sum + apart,
                    Way::Squares if k < whole => *sum + apart * apart,
                    Way::Squares => apart.mul_add(apart, *sum),
                    Way::Largest => larger(*sum, apart),
                };
            }
        }
        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = if way == Way::Squares { sum.sqrt() } else { sum });
    }
}
