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
    /// The largest size, or NaN.
    Largest,
    /// The largest size of those that are not NaN.
    LargestNumber,
}

/// In which order the terms of a pair are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In lanes, which are joined at the end.
    Lanes,
    /// One after the other, each rounded.
    Line,
    /// One after the other; squares that fill no vector are added without being rounded.
    Loose,
}

/// A float whose terms are added in as many lanes as fit a vector of 32 bytes.
pub trait Lanes: Float + Send + Sync + 'static {
    /// How many lanes those are.
    const COUNT: usize;
    /// The distances of a row from the rows of a block.
    fn block(row: &[Self], block: &[Self], way: Way, order: Order) -> [Self; BESIDE];
}

/// Rows that are taken side by side: each operation is done for all of them at once.
const BESIDE: usize = 32;

impl Lanes for f32 {
    const COUNT: usize = 8;

    #[inline(always)]
    fn block(row: &[f32], block: &[f32], way: Way, order: Order) -> [f32; BESIDE] {
        match order {
            Order::Lanes => by_way::<f32, 8>(row, block, row.len(), way, halved),
            Order::Line => by_way::<f32, 1>(row, block, row.len(), way, |sums, _| sums[0]),
            Order::Loose => by_way::<f32, 1>(row, block, row.len() / 4 * 4, way, |sums, _| sums[0]),
        }
    }
}

impl Lanes for f64 {
    const COUNT: usize = 4;

    #[inline(always)]
    fn block(row: &[f64], block: &[f64], way: Way, order: Order) -> [f64; BESIDE] {
        match order {
            Order::Lanes => by_way::<f64, 4>(row, block, row.len(), way, in_turn),
            Order::Line => by_way::<f64, 1>(row, block, row.len(), way, |sums, _| sums[0]),
            Order::Loose => by_way::<f64, 1>(row, block, row.len() / 2 * 2, way, |sums, _| sums[0]),
        }
    }
}

/// Sums of some lanes for each row of a block.
type Sums<T, const L: usize> = [[T; BESIDE]; L];

/// Makes one sum of those of all lanes.
type Joined<T, const L: usize> = fn(Sums<T, L>, fn(T, T) -> T) -> [T; BESIDE];

#[inline(always)]
fn add<T: Float>(a: T, b: T) -> T {
    a + b
}

/// The larger number, or NaN.
#[inline(always)]
fn larger<T: Float>(a: T, b: T) -> T {
    if a.is_nan() || a > b { a } else { b }
}

/// The larger number, the first where the second is NaN.
#[inline(always)]
fn larger_number<T: Float>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// Lanes joined by halves.
#[inline(always)]
fn halved<T: Float, const L: usize>(mut sums: Sums<T, L>, join: fn(T, T) -> T) -> [T; BESIDE] {
    let mut half = L / 2;
    while half > 0 {
        let (near, far) = sums.split_at_mut(half);
        near.iter_mut().zip(far).for_each(|(near, far)| near.iter_mut().zip(far).for_each(|(a, b)| *a = join(*a, *b)));
        half /= 2;
    }
    sums[0]
}

/// Lanes joined one after the other.
#[inline(always)]
fn in_turn<T: Float, const L: usize>(sums: Sums<T, L>, join: fn(T, T) -> T) -> [T; BESIDE] {
    let mut all = sums[0];
    for sum in &sums[1..] {
        all.iter_mut().zip(sum).for_each(|(all, one)| *all = join(*all, *one));
    }
    all
}

/// The lanes' sums joined by `end`. Squares behind the first `whole` ones are added without being rounded.
#[inline(always)]
fn by_way<T: Float, const L: usize>(row: &[T], block: &[T], whole: usize, way: Way, end: Joined<T, L>) -> [T; BESIDE] {
    match way {
        Way::Sum => end(sums(row, block, |sum, apart| sum + apart, [[T::zero(); BESIDE]; L]), add),
        Way::Largest => end(sums(row, block, larger, [[T::zero(); BESIDE]; L]), larger),
        Way::LargestNumber => end(sums(row, block, larger_number, [[T::zero(); BESIDE]; L]), larger_number),
        Way::Squares => {
            let (first, rest) = row.split_at(whole);
            let (block, more) = block.split_at(whole * BESIDE);
            let rounded = sums(first, block, |sum, apart| sum + apart * apart, [[T::zero(); BESIDE]; L]);
            end(sums(rest, more, |sum, apart| apart.mul_add(apart, sum), rounded), add).map(T::sqrt)
        }
    }
}

/// Elements of a lane that are taken together: the sums are read and written once for all of them.
const TOGETHER: usize = 4;

/// Adds to the sums what `step` makes of the size of each difference, each lane in its turn.
#[inline(always)]
fn sums<T: Float, const L: usize>(row: &[T], block: &[T], step: impl Fn(T, T) -> T, mut sums: Sums<T, L>) -> Sums<T, L> {
    let (lines, _) = block.as_chunks::<BESIDE>();
    let count = row.len().min(lines.len());
    let whole = count - count % (TOGETHER * L);
    for first in (0..whole).step_by(TOGETHER * L) {
        for (lane, sums) in sums.iter_mut().enumerate() {
            let places: [usize; TOGETHER] = std::array::from_fn(|i| first + i * L + lane);
            take_in(sums, places.map(|at| row[at]), places.map(|at| &lines[at]), &step);
        }
    }
    for at in whole..count {
        take_in(&mut sums[at % L], [row[at]], [&lines[at]], &step);
    }
    sums
}

/// Takes elements of a row, one after the other, into the sums of all lines of a block.
#[inline(always)]
fn take_in<T: Float, const N: usize>(sums: &mut [T], xs: [T; N], lines: [&[T; BESIDE]; N], step: impl Fn(T, T) -> T) {
    for (j, sum) in sums.iter_mut().enumerate().take(BESIDE) {
        let mut total = *sum;
        for n in 0..N {
            total = step(total, (xs[n] - lines[n][j]).abs());
        }
        *sum = total;
    }
}

/// Blocks of rows, turned so that the elements of one place lie beside each other. The last block is filled up with zeros.
fn turned<T: Float>(rows: &[T], wide: usize) -> Vec<T> {
    let mut blocks = vec![T::zero(); (rows.len() / wide).div_ceil(BESIDE) * BESIDE * wide];
    for (number, row) in rows.chunks_exact(wide).enumerate() {
        let block = &mut blocks[number / BESIDE * BESIDE * wide..];
        block[number % BESIDE..].iter_mut().step_by(BESIDE).zip(row).for_each(|(to, x)| *to = *x);
    }
    blocks
}

/// Fills `to` with the distances of each row of `wide` elements from those behind it.
pub fn of_pairs<T: Lanes>(rows: &[T], wide: usize, way: Way, to: &mut [T]) {
    let (run, count, blocks) = (pick(row_versions::<T>()), rows.len() / wide, turned(rows, wide));
    let mut parts: Vec<&mut [T]> = Vec::with_capacity(count);
    let mut rest = to;
    for row in 0..count {
        let (now, later) = rest.split_at_mut(count - 1 - row);
        parts.push(now);
        rest = later;
    }
    let order = if wide < T::COUNT { Order::Line } else { Order::Lanes };
    each(&mut parts, 1, count * wide / 8, |row, to| {
        // SAFETY: slices; the instructions are those of this machine.
        unsafe { run(&rows[row * wide..][..wide], &blocks, row + 1, way, order, to[0]) }
    });
}

/// Fills `to` with the distances of each row of `a` from each row of `b`, all of `wide` elements.
pub fn of_rows<T: Lanes>(a: &[T], b: &[T], wide: usize, way: Way, to: &mut [T]) {
    let (run, others, blocks) = (pick(row_versions::<T>()), b.len() / wide, turned(b, wide));
    // SAFETY: slices; the instructions are those of this machine.
    each(to, others, b.len() / 8, |row, to| unsafe { run(&a[row * wide..][..wide], &blocks, 0, way, Order::Loose, to) });
}

versions! { fn row_versions<T: Lanes>(row: &[T], blocks: &[T], first: usize, way: Way, order: Order, to: &mut [T]) = row_of }

/// The distances of a row from those from number `first` on.
#[inline(always)]
unsafe fn row_of<T: Lanes>(row: &[T], blocks: &[T], first: usize, way: Way, order: Order, to: &mut [T]) {
    let (start, mut done) = (first / BESIDE, 0);
    for (number, block) in blocks.chunks_exact(BESIDE * row.len()).enumerate().skip(start) {
        let skipped = first.saturating_sub(number * BESIDE);
        let found = T::block(row, block, way, order);
        let wanted = (BESIDE - skipped).min(to.len() - done);
        to[done..done + wanted].copy_from_slice(&found[skipped..skipped + wanted]);
        done += wanted;
    }
}
