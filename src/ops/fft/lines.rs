//! Fourier transforms of gapless data, along one axis or several.

use super::composed::differs_among;
use super::plans::{Kind, Plan, Real, Room, mirror, plan};
use super::short::{Manner, Short};
use crate::interrupt;
use crate::kernel::across::{change_columns, rows_to_columns};
use crate::kernel::circle::Circle;
use crate::kernel::pieces::each;
use anyhow::Result;
use num_complex::Complex;
use std::ops::Range;

/// A line of at least so many numbers is transformed by all threads.
const LONG: usize = 1 << 16;

/// Steps that a transform of one number takes.
fn cost(n: usize) -> usize {
    n.ilog2() as usize + 1
}

/// Transforms row-major data of these sizes along some neighbouring axes, the last one first, in one manner along each; `beside` is as
/// large where that [`needs_room`]. True when the result lies there.
pub fn complex_along<T: Real>(
    data: &mut [Complex<T>],
    beside: &mut [Complex<T>],
    sizes: &[usize],
    axes: Range<usize>,
    (forward, manner): (bool, Manner),
) -> Result<bool> {
    let several = axes.len() > 1;
    for axis in axes.rev() {
        let (n, inner) = (sizes[axis], sizes[axis + 1..].iter().product::<usize>());
        if data.is_empty() || n == 1 {
            continue;
        }
        if let Some(split) = is_long(sizes, axis, several) {
            long(data, beside, split, forward)?;
            scale(beside, manner.factor);
            return Ok(true);
        }
        let (plan, short) = (plan::<T>(n, kind(forward))?, Short::complex(n, manner));
        let (together, long) = (plan.together(), of_lines(&plan, n));
        let run = |lines: &mut [Complex<T>]| match &short {
            Some(short) => lines.chunks_exact_mut(n).for_each(|line| short.run(line, forward)),
            None => long(lines),
        };
        if inner == 1 {
            let lines = (FEW / n).max(together);
            each(data, n * lines, n * lines * cost(n), |_, lines| run(lines));
        } else {
            change_columns(data, [n, inner], n * cost(n), |_, lines| run(lines));
        }
        interrupt::check()?;
        if short.is_none() {
            scale(data, manner.factor);
        }
    }
    Ok(false)
}

fn kind(forward: bool) -> Kind {
    if forward { Kind::Forward } else { Kind::Backward }
}

/// What transforms each of some lines.
fn of_lines<T: Real>(plan: &Plan<T>, n: usize) -> impl Fn(&mut [Complex<T>]) + Sync {
    move |lines| plan.run(n, lines, &mut Room::new())
}

/// Whether [`complex_along`] needs room beside the data.
pub fn needs_room(sizes: &[usize], axes: &Range<usize>) -> bool {
    axes.clone().any(|axis| is_long(sizes, axis, axes.len() > 1).is_some())
}

/// The factors of a line that is transformed by all threads: it is long, and alone.
fn is_long(sizes: &[usize], axis: usize, several: bool) -> Option<[usize; 2]> {
    let n = sizes[axis];
    if n >= LONG && !several && sizes.iter().product::<usize>() == n { halves(n) } else { None }
}

/// Two factors of a length that are about as large; none where one would be short.
fn halves(n: usize) -> Option<[usize; 2]> {
    let root = n.isqrt();
    let first = (root / 4..=root).rev().find(|first| *first > 0 && n.is_multiple_of(*first))?;
    Some([first, n / first])
}

/// Transforms one line as a matrix: its columns, which are then turned by their share of a circle, and its rows. The result lies
/// beside, with rows and columns exchanged.
fn long<T: Real>(data: &mut [Complex<T>], beside: &mut [Complex<T>], [rows, wide]: [usize; 2], forward: bool) -> Result<()> {
    let (first, second) = (plan::<T>(rows, kind(forward))?, plan::<T>(wide, kind(forward))?);
    let (first, second, circle) = (of_lines(&first, rows), of_lines(&second, wide), Circle::new(rows, wide, forward));
    change_columns(data, [rows, wide], rows * cost(rows), |column, lines| {
        first(lines);
        lines.chunks_mut(rows).enumerate().for_each(|(line, numbers)| circle.turn(column + line, numbers));
    });
    rows_to_columns(data, wide, beside, second);
    interrupt::check()
}

/// The transform of each real line of length `n`: as many numbers as `out` has room for, all or the first `n / 2 + 1`.
pub fn from_real<T: Real>(data: &[T], n: usize, out: &mut [Complex<T>], manner: Manner) -> Result<()> {
    let half = n / 2 + 1;
    let lines = data.len() / n;
    let (width, manner) = (out.len() / lines.max(1), manner.of_real_lines(n, lines));
    let among = differs_among(n) && manner.among;
    let (plan, short) = (plan::<T>(n, Kind::OfReal { among })?, Short::of_real(n, manner));
    let (plan, together) = (&*plan, (FEW / n).max(plan.together()));
    each(out, width * together, n * together * cost(n), |part, to| {
        let from = &data[part * together * n..][..to.len() / width * n];
        match &short {
            Some(short) => {
                let lines = from.chunks_exact(n).zip(to.chunks_mut(width));
                lines.for_each(|(from, to)| short.run_of_real(from, &mut to[..half]));
            }
            None => plan.of_real(n, from, (to, width), &mut Room::new()),
        }
        if width > half {
            to.chunks_mut(width).for_each(mirror);
        }
    });
    if short.is_none() {
        scale(out, manner.factor);
    }
    Ok(())
}

/// Numbers that are not worth a thread of their own.
const FEW: usize = 1 << 12;

/// The real lines of length `n` whose transform begins with these numbers.
pub fn to_real<T: Real>(halves: &[Complex<T>], n: usize, manner: Manner, out: &mut [T]) -> Result<()> {
    let (half, manner) = (n / 2 + 1, manner.of_real_lines(n, out.len() / n));
    let among = differs_among(n) && manner.among;
    let (plan, short) = (plan::<T>(n, Kind::ToReal { among })?, Short::to_real(n, manner));
    let (plan, together) = (&*plan, (FEW / n).max(plan.together()));
    let factor = T::from_f64(manner.factor).unwrap_or_else(T::one);
    each(out, n * together, n * together * cost(n), |part, to| {
        let from = &halves[part * together * half..][..to.len() / n * half];
        if let Some(short) = &short {
            return from.chunks_exact(half).zip(to.chunks_exact_mut(n)).for_each(|(from, to)| short.run_to_real(from, to));
        }
        plan.to_real(n, from, to, &mut Room::new());
        to.iter_mut().for_each(|x| *x = *x * factor);
    });
    Ok(())
}

/// Multiplies by a factor that may be 1.
pub fn scale<T: Real>(data: &mut [Complex<T>], factor: f64) {
    let factor = T::from_f64(factor).unwrap_or_else(T::one);
    if !factor.is_one() {
        each(data, FEW, FEW, |_, part| part.iter_mut().for_each(|x| *x = Complex::new(x.re * factor, x.im * factor)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Zero;

    fn by_hand(x: &[Complex<f64>], forward: bool) -> Vec<Complex<f64>> {
        let n = x.len();
        let turn = std::f64::consts::TAU / n as f64 * if forward { -1.0 } else { 1.0 };
        let at = |k: usize| x.iter().enumerate().map(|(j, x)| x * Complex::from_polar(1.0, turn * ((j * k) % n) as f64)).sum();
        (0..n).map(at).collect()
    }

    #[test]
    fn every_length_is_what_the_sum_says() {
        for n in 1..80 {
            let real: Vec<f64> = (0..n).map(|i| ((i * i * 7 + 3 * i) % 11) as f64 - 5.0).collect();
            let signal: Vec<Complex<f64>> = real.iter().map(|x| Complex::new(*x, x * x - 2.0)).collect();
            let close = |a: &[Complex<f64>], b: &[Complex<f64>]| a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-10);
            for forward in [true, false] {
                let mut data = signal.clone();
                complex_along(&mut data, &mut signal.clone(), &[1, n], 1..2, (forward, Manner::AMONG)).unwrap();
                assert!(close(&data, &by_hand(&signal, forward)), "{n}");
                let mut data = signal.clone();
                complex_along(&mut data, &mut signal.clone(), &[n, 1], 0..2, (forward, Manner::AMONG)).unwrap();
                assert!(close(&data, &by_hand(&signal, forward)), "{n}");
            }
            let plain: Vec<Complex<f64>> = real.iter().map(|x| Complex::new(*x, 0.0)).collect();
            let (mut half, mut whole) = (vec![Complex::zero(); n / 2 + 1], vec![Complex::zero(); n]);
            from_real(&real, n, &mut half, Manner::AMONG).unwrap();
            from_real(&real, n, &mut whole, Manner::AMONG).unwrap();
            assert!(close(&half, &by_hand(&plain, true)) && close(&whole, &by_hand(&plain, true)), "{n}");
            let mut back = vec![0.0; n];
            to_real(&half, n, Manner::AMONG, &mut back).unwrap();
            assert!(back.iter().zip(&real).all(|(a, b)| (a / n as f64 - b).abs() < 1e-10), "{n}");
        }
    }
}
