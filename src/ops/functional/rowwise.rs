//! The mean and spread of each row, added up as PyTorch's norms of layers and groups do.

use crate::dtype::DType;
use crate::kernel::element::Element;
use crate::ops::Form::Native;
use crate::ops::{Args, exec, op};
use crate::tensor::Tensor;
use crate::value::Value;
use anyhow::Result;
use num_traits::Float;

rows![
    op(
        "nn.functional._rowwise(Tensor rows) -> (Tensor mean, Tensor var)",
        "The mean and the variance of each row of a matrix.",
        "torch.nn.functional._rowwise(torch.tensor([[1., 3.]])).var  # tensor([1.])",
        Native(rowwise),
    )
    .function_only()
    .no_out()
    .no_grad(),
];

fn rowwise(args: &Args) -> Result<Value> {
    let (rows,): (Tensor,) = args.take()?;
    Ok(match rows.dtype() {
        DType::F64 => of::<f64, 4>(&rows)?,
        _ => of::<f32, 8>(&rows)?,
    }
    .into())
}

fn of<T: Element + Float, const LANES: usize>(rows: &Tensor) -> Result<Vec<Tensor>> {
    let (count, length) = (rows.sizes()[0] as usize, rows.sizes()[1] as usize);
    let values: Vec<T> = exec::read_vec(rows)?;
    let (mut means, mut variances) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for row in 0..count {
        let all = Moments::of::<LANES>(&values[row * length..(row + 1) * length]);
        means.push(all.mean);
        variances.push(all.squares / number(length as f64));
    }
    Ok(vec![exec::from_vec(&means, &[count as i64])?, exec::from_vec(&variances, &[count as i64])?])
}

fn number<T: Float>(value: f64) -> T {
    T::from(value).unwrap_or_else(T::nan)
}

/// How many elements, their mean, and the sum of the squares of their distances from it.
#[derive(Clone, Copy)]
struct Moments<T> {
    count: usize,
    mean: T,
    squares: T,
}

/// Steps of the lanes that make a chunk; chunks are joined in pairs, pairs in fours.
const CHUNK: usize = 16;

impl<T: Float> Moments<T> {
    fn none() -> Self {
        Moments { count: 0, mean: T::zero(), squares: T::zero() }
    }

    /// Lanes that take every element of theirs in turn, then what is left over alone, then lane by lane.
    fn of<const LANES: usize>(row: &[T]) -> Self {
        let lines = row.len() / LANES;
        let (vectors, rest) = row.split_at(lines * LANES);
        let mut levels: Vec<[Self; LANES]> = vec![];
        for (n, chunk) in vectors.chunks(CHUNK * LANES).enumerate() {
            let mut joined = [Self::none(); LANES];
            for line in chunk.chunks_exact(LANES) {
                joined.iter_mut().zip(line).for_each(|(lane, x)| lane.step(*x));
            }
            // As many levels are full as the number of chunks before has ones at its end.
            let full = n.trailing_ones() as usize;
            for level in levels.iter_mut().take(full) {
                joined = join(&joined, level);
                *level = [Self::none(); LANES];
            }
            match levels.get_mut(full) {
                Some(level) => *level = joined,
                None => levels.push(joined),
            }
        }
        let lanes = levels.into_iter().reduce(|low, high| join(&high, &low)).unwrap_or([Self::none(); LANES]);
        let mut all = Self::none();
        rest.iter().for_each(|x| all.step_unfused(*x));
        lanes.iter().for_each(|lane| all.add(lane));
        all
    }

    fn step(&mut self, x: T) {
        self.count += 1;
        let apart = x - self.mean;
        self.mean = apart.mul_add(T::one() / number(self.count as f64), self.mean);
        self.squares = apart.mul_add(x - self.mean, self.squares);
    }

    fn step_unfused(&mut self, x: T) {
        self.count += 1;
        let apart = x - self.mean;
        self.mean = self.mean + apart / number(self.count as f64);
        self.squares = self.squares + apart * (x - self.mean);
    }

    fn add(&mut self, other: &Self) {
        let (share, apart) = self.beside(other);
        self.mean = share.mul_add(apart, self.mean);
        self.squares = self.squares + (apart * apart * share).mul_add(number(self.count as f64), other.squares);
        self.count += other.count;
    }

    /// The share of the other among all, and how far its mean is from this one.
    fn beside(&self, other: &Self) -> (T, T) {
        let all = self.count + other.count;
        let share = if all == 0 { T::zero() } else { number::<T>(other.count as f64) / number(all as f64) };
        (share, other.mean - self.mean)
    }
}

/// `more` added to `to`, lane by lane.
fn join<T: Float, const LANES: usize>(more: &[Moments<T>; LANES], to: &[Moments<T>; LANES]) -> [Moments<T>; LANES] {
    let mut joined = *to;
    for (lane, more) in joined.iter_mut().zip(more) {
        let (share, apart) = lane.beside(more);
        lane.mean = lane.mean + share * apart;
        lane.squares = lane.squares + (apart * apart * share).mul_add(number(lane.count as f64), more.squares);
        lane.count += more.count;
    }
    joined
}
