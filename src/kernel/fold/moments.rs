//! Variance and standard deviation in one pass, in float64.

use super::lanes::Rows;
use super::{Fold, FoldLoop, Folding, Plain, Strategy};
use crate::kernel::element::Lane;
use std::marker::PhantomData;

/// Below this many elements a float64 result is folded one element after the other, as PyTorch does it. A float32 result is
/// rounded from float64, whatever the order.
const SERIAL: usize = 1 << 12;

macro_rules! loops {
    ($folding:ident) => {
        [
            Some(FoldLoop::mixed::<$folding<f32>, Steady, Plain, 32, 1, 8>(0)),
            Some(FoldLoop::mixed::<$folding<f64>, Steady, Plain, 16, 1, 4>(SERIAL)),
            None,
            None,
            None,
            None,
        ]
    };
}

/// The variance and the mean; the number is the correction.
pub static VAR: Fold = Fold { name: "var", loops: loops!(Variance) };
/// The standard deviation and the mean; the number is the correction.
pub static STD: Fold = Fold { name: "std", loops: loops!(Deviation) };

/// Running mean, sum of squared distances from it, and count, in float64.
#[derive(Clone, Copy)]
pub struct Moments {
    mean: f64,
    squares: f64,
    count: f64,
}

impl Moments {
    #[inline(always)]
    fn step(self, x: f64) -> Moments {
        let count = self.count + 1.0;
        let delta = x - self.mean;
        let mean = self.mean + delta / count;
        Moments { mean, squares: self.squares + delta * (x - mean), count }
    }

    #[inline(always)]
    fn join(self, other: Moments) -> Moments {
        if self.count == 0.0 {
            return other;
        }
        if other.count == 0.0 {
            return self;
        }
        let count = self.count + other.count;
        let delta = other.mean - self.mean;
        let part = other.count / count;
        Moments {
            mean: self.mean + delta * part,
            squares: self.squares + other.squares + delta * delta * self.count * part,
            count,
        }
    }

    /// The variance; nan or infinite when there are not more elements than the correction.
    fn variance(self, correction: f64) -> f64 {
        self.squares / (self.count - correction).max(0.0)
    }
}

macro_rules! moments {
    ($($name:ident $finish:expr;)*) => {
        $(struct $name<T>(PhantomData<T>);

        impl<T: Lane + num_traits::Float> Folding for $name<T> {
            type In = T;
            type Acc = Moments;
            type Out = T;
            type Second = T;
            const PAIR: bool = true;
            fn start() -> Moments {
                Moments { mean: 0.0, squares: 0.0, count: 0.0 }
            }
            #[inline(always)]
            fn step(acc: Moments, x: T, _: i64) -> Moments {
                acc.step(x.to_f64().unwrap_or(f64::NAN))
            }
            #[inline(always)]
            fn join(a: Moments, b: Moments) -> Moments {
                a.join(b)
            }
            fn finish(acc: Moments, _: i64, correction: f64) -> (T, T) {
                let narrow = |x: f64| T::from(x).unwrap_or_else(T::nan);
                let finish: fn(f64) -> f64 = $finish;
                let mean = if acc.count == 0.0 { f64::NAN } else { acc.mean };
                (narrow(finish(acc.variance(correction))), narrow(mean))
            }
        })*
    };
}

moments! {
    Variance |v| v;
    Deviation f64::sqrt;
}

/// Lanes that take a run of rows as sums of distances from the mean so far, and of their squares, and join the run at its end:
/// one division for a run and not for a row.
pub struct Steady;

/// Rows of a run. Runs begin at multiples of it, however the rows are handed over.
const RUN: usize = 32;

/// [`Moments`] of lanes that have taken equally many elements.
#[derive(Clone, Copy)]
pub struct State<const W: usize> {
    mean: [f64; W],
    squares: [f64; W],
    count: f64,
}

impl<const W: usize> State<W> {
    /// Takes what a run gave: sums of distances from `from`, and of their squares.
    #[inline(always)]
    fn join(&mut self, count: f64, from: &[f64; W], sums: &[f64; W], squares: &[f64; W]) {
        let total = self.count + count;
        let (share, weight) = (count / total, self.count * count / total);
        for k in 0..W {
            let mean = sums[k] / count;
            let delta = (from[k] + mean) - self.mean[k];
            self.mean[k] += delta * share;
            self.squares[k] += (squares[k] - sums[k] * mean) + delta * delta * weight;
        }
        self.count = total;
    }
}

impl<F: Folding<Acc = Moments, In: Into<f64>>, const W: usize, const V: usize> Strategy<F, W, V> for Steady {
    type State = State<W>;

    #[inline(always)]
    fn fresh() -> State<W> {
        State { mean: [0.0; W], squares: [0.0; W], count: 0.0 }
    }

    #[inline(always)]
    unsafe fn feed(state: &mut State<W>, rows: &Rows) {
        // SAFETY: the caller promises W elements in each row.
        let row = |r: usize| unsafe { &*(rows.block.offset(r as isize * rows.step) as *const [F::In; W]) };
        let mut done = 0;
        while done < rows.count {
            let count = (RUN - (rows.first + done) % RUN).min(rows.count - done);
            let mut from = state.mean;
            if state.count == 0.0 {
                from.iter_mut().zip(row(done)).for_each(|(from, x)| *from = (*x).into());
            }
            let (mut sums, mut squares) = ([0.0; W], [0.0; W]);
            for r in done..done + count {
                let row = row(r);
                for k in 0..W {
                    let x: f64 = row[k].into();
                    let away = x - from[k];
                    sums[k] += away;
                    squares[k] += away * away;
                }
            }
            state.join(count as f64, &from, &sums, &squares);
            done += count;
        }
    }

    fn append(state: &mut State<W>, later: &State<W>) {
        if later.count > 0.0 {
            let mut joined = <Self as Strategy<F, W, V>>::lanes(state);
            joined.iter_mut().zip(<Self as Strategy<F, W, V>>::lanes(later)).for_each(|(a, b)| *a = a.join(b));
            *state = State { mean: joined.map(|m| m.mean), squares: joined.map(|m| m.squares), count: state.count + later.count };
        }
    }

    fn lanes(state: &State<W>) -> [Moments; W] {
        std::array::from_fn(|k| Moments { mean: state.mean[k], squares: state.squares[k], count: state.count })
    }

    fn close(state: &State<W>, tail: &[F::In], at: i64) -> Moments {
        <Plain as Strategy<F, W, V>>::close(&<Self as Strategy<F, W, V>>::lanes(state), tail, at)
    }

    fn piece(rows: usize) -> usize {
        <Plain as Strategy<F, W, V>>::piece(rows)
    }

    const FOLDS_VECTORS: bool = false;
}
