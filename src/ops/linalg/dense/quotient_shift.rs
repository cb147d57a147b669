//! The shift of a step of the quotient-difference iteration: a lower bound of the least eigenvalue, near to it, from what the step
//! before found (`lasq4`).

use super::field::Real;
use super::quotients::{Block, Least};
use std::ops::Range;

/// Sums from which on a bound is of no use, a little more than a sum, and a little more than 1.
const USELESS: f64 = 0.563;
const MORE: f64 = 1.05;
const ABOVE_ONE: f64 = 1.01;
const THIRD: f64 = 0.333;

/// Chooses the shift after so many eigenvalues were taken off.
pub fn choose<R: Real>(block: &mut Block<R>, taken: usize) {
    let least = block.least;
    if least.all <= R::of(0.0) {
        (block.shift, block.kind) = (-least.all, -1);
        return;
    }
    let found = match taken {
        0 if least.all == least.last || least.all == least.second => near_end(block, least),
        0 if least.all == least.third => (of_third(block, least), -5),
        0 => of_share(block, least),
        1 => after_one(block, least),
        2 => after_two(block, least),
        _ => (Some(R::of(0.0)), -12),
    };
    block.kind = found.1;
    // Where a difference is larger than its quotient, nothing is known, and the old shift stays.
    if let Some(shift) = found.0 {
        block.shift = shift;
    }
}

fn root<R: Real>(x: R) -> R {
    nalgebra::ComplexField::sqrt(x)
}

fn most<R: Real>(a: R, b: R) -> R {
    if b > a { b } else { a }
}

/// The least entry is one of the last two.
fn near_end<R: Real>(block: &Block<R>, least: Least<R>) -> (Option<R>, i32) {
    let (zero, end) = (R::of(0.0), block.end);
    let (q, e) = (&block.q[block.side], &block.e[block.side]);
    if !(least.all == least.last && least.but_one == least.second) {
        return (beside_end(block, least), -4);
    }
    let near = root(q[end - 1]) * root(e[end - 2]);
    let far = root(q[end - 2]) * root(e[end - 3]);
    let above = q[end - 2] + e[end - 2];
    let gap = least.but_two - above - least.but_two * R::of(0.25);
    let lost = if gap > zero && gap > far { (far / gap) * far } else { near + far };
    let gap = above - least.last - lost;
    if gap > zero && gap > near {
        return (Some(most(least.last - (near / gap) * near, R::of(0.5) * least.all)), -2);
    }
    let mut shift = if least.last > near { least.last - near } else { zero };
    if above > near + far && above - (near + far) < shift {
        shift = above - (near + far);
    }
    (Some(most(shift, R::of(THIRD) * least.all)), -3)
}

/// The least entry is one of the last two, by a bound on the residual of its vector.
fn beside_end<R: Real>(block: &Block<R>, least: Least<R>) -> Option<R> {
    let end = block.end;
    let (q, e) = (&block.q[block.side], &block.e[block.side]);
    let (gamma, start, ratio, rows) = if least.all == least.last {
        (least.last, R::of(0.0), share(e[end - 2], q[end - 2])?, block.first..end - 2)
    } else {
        let (q_new, e_new) = (&block.q[1 - block.side], &block.e[1 - block.side]);
        let start = share(e_new[end - 2], q_new[end - 1])?;
        (least.second, start, share(e[end - 3], q[end - 3])?, block.first..end - 3)
    };
    let sum = tail(block, rows, ratio, start + ratio)? * R::of(MORE);
    Some(bound(gamma, sum).unwrap_or(R::of(0.25) * least.all))
}

/// The least entry is the third from the end.
fn of_third<R: Real>(block: &Block<R>, least: Least<R>) -> Option<R> {
    let (end, one) = (block.end, R::of(1.0));
    let (q_new, e_new) = (&block.q[1 - block.side], &block.e[1 - block.side]);
    let (b1, b2) = (q_new[end - 1], q_new[end - 2]);
    if e_new[end - 3] > b2 || e_new[end - 2] > b1 {
        return None;
    }
    let mut sum = (e_new[end - 3] / b2) * (one + e_new[end - 2] / b1);
    if end - 1 - block.first > 2 {
        let (q, e) = (&block.q[block.side], &block.e[block.side]);
        let ratio = e[end - 4] / q[end - 4];
        sum = tail(block, block.first..end - 4, ratio, sum + ratio)? * R::of(MORE);
    }
    Some(bound(least.third, sum).unwrap_or(R::of(0.25) * least.all))
}

/// Nothing is known but the least entry.
fn of_share<R: Real>(block: &mut Block<R>, least: Least<R>) -> (Option<R>, i32) {
    block.share = match block.kind {
        -6 => block.share + R::of(THIRD) * (R::of(1.0) - block.share),
        -18 => R::of(0.25) * R::of(THIRD),
        _ => R::of(0.25),
    };
    (Some(block.share * least.all), -6)
}

fn after_one<R: Real>(block: &Block<R>, least: Least<R>) -> (Option<R>, i32) {
    if !(least.but_one == least.second && least.but_two == least.third) {
        let part = if least.but_one == least.second { 0.5 } else { 0.25 };
        return (Some(R::of(part) * least.but_one), -9);
    }
    let Some(sum) = falling(block, |b, before| if b > before { b } else { before }) else { return (None, -7) };
    let size = root(R::of(MORE) * sum);
    let near = least.but_one / (R::of(1.0) + size * size);
    let gap = R::of(0.5) * least.but_two - near;
    let (shift, is_wide) = with_gap(near, size, gap);
    (Some(most(R::of(THIRD) * least.but_one, shift)), if is_wide { -7 } else { -8 })
}

fn after_two<R: Real>(block: &Block<R>, least: Least<R>) -> (Option<R>, i32) {
    let end = block.end;
    let (q, e) = (&block.q[block.side], &block.e[block.side]);
    if !(least.but_two == least.third && R::of(2.0) * e[end - 2] < q[end - 2]) {
        return (Some(R::of(0.25) * least.but_two), -11);
    }
    let Some(sum) = falling(block, |b, _| b) else { return (None, -10) };
    let size = root(R::of(MORE) * sum);
    let near = least.but_two / (R::of(1.0) + size * size);
    let gap = q[end - 2] + e[end - 3] - root(q[end - 3]) * root(e[end - 3]) - near;
    (Some(most(R::of(THIRD) * least.but_two, with_gap(near, size, gap).0)), -10)
}

/// A bound from an estimate, the size of the rest of its vector and the gap to the next eigenvalue, and whether that was wide enough.
fn with_gap<R: Real>(near: R, size: R, gap: R) -> (R, bool) {
    let (one, above) = (R::of(1.0), R::of(ABOVE_ONE));
    if gap > R::of(0.0) && gap > size * near {
        (near * (one - above * near * (size / gap) * size), true)
    } else {
        (near * (one - above * size), false)
    }
}

/// A difference over its quotient, where that is not smaller.
fn share<R: Real>(e: R, q: R) -> Option<R> {
    (e <= q).then(|| e / q)
}

/// `sum` and the products of shares in rows from the last to the first, as long as they add something.
fn tail<R: Real>(block: &Block<R>, rows: Range<usize>, mut ratio: R, mut sum: R) -> Option<R> {
    let (q, e) = (&block.q[block.side], &block.e[block.side]);
    for i in rows.rev() {
        if ratio == R::of(0.0) {
            break;
        }
        let before = ratio;
        ratio *= share(e[i], q[i])?;
        sum += ratio;
        if R::of(100.0) * most(ratio, before) < sum || R::of(USELESS) < sum {
            break;
        }
    }
    Some(sum)
}

/// The sum of the products of shares from the end on, until what `larger` gives of one and the one before adds nothing.
fn falling<R: Real>(block: &Block<R>, larger: impl Fn(R, R) -> R) -> Option<R> {
    let end = block.end;
    let (q, e) = (&block.q[block.side], &block.e[block.side]);
    let mut product = share(e[end - 2], q[end - 2])?;
    let mut sum = product;
    if sum == R::of(0.0) {
        return Some(sum);
    }
    for i in (block.first..end - 2).rev() {
        let before = product;
        product *= share(e[i], q[i])?;
        sum += product;
        if R::of(100.0) * larger(product, before) < sum {
            break;
        }
    }
    Some(sum)
}

/// A bound from an entry and the square of the size of the rest of its vector, where that is small enough.
fn bound<R: Real>(gamma: R, sum: R) -> Option<R> {
    let one = R::of(1.0);
    (sum < R::of(USELESS)).then(|| gamma * (one - root(sum)) / (one + sum))
}
