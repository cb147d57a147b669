//! Hermitian matrices to real tridiagonal ones: `A = Q T Qᴴ`.

use super::field::{Field, Real};
use super::halves::{SMALL, scale};
use super::reflections::{self, Factor};
use super::reflector::{Reflector, reflector};
use super::rotation::Turns;
use super::{Matrix, divide_symmetric, few, few_tridiagonal, rotation};
use crate::interrupt;
use crate::kernel::blas::{dot, subtract_two};
use crate::kernel::reduce::{Change, change_and_multiply};
use anyhow::Result;

/// Which triangle of a Hermitian matrix is read, and with it from which end the reduction works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// Below the diagonal.
    Lower,
    /// Above the diagonal.
    Upper,
}

/// A real symmetric tridiagonal matrix and the unitary one that leads to it.
pub struct Tridiagonal<T: Field> {
    /// The diagonal.
    pub d: Vec<T::R>,
    /// Beside the diagonal; one shorter.
    pub e: Vec<T::R>,
    /// The reflections whose product is `Q`, each beginning one row below the one before it.
    pub(super) steps: Vec<Reflector<T>>,
    /// They were found from the far end: row `i` of `Q` is row `n - 1 - i` of their product.
    pub(super) reversed: bool,
}

impl<T: Field> Tridiagonal<T> {
    /// `Q` times a matrix.
    pub fn apply_q(&self, mut c: Matrix<T>) -> Result<Matrix<T>> {
        if self.reversed {
            turn_over(&mut c);
        }
        if few_tridiagonal::takes::<T>(c.nrows()) {
            c = self.times_few(&c);
        } else {
            reflections::multiply(&self.steps, 1, &mut c, Factor::Product)?;
        }
        if self.reversed {
            turn_over(&mut c);
        }
        Ok(c)
    }

    /// The product of the reflections and a matrix. The library has that behind the diagonals, two columns further than its own.
    fn times_few(&self, c: &Matrix<T>) -> Matrix<T> {
        let (height, columns) = c.shape();
        let mut all = Matrix::zeros(height, columns + 2);
        all.columns_mut(2, columns).copy_from(c);
        for (i, step) in self.steps.iter().enumerate().rev().filter(|(_, step)| step.tau != T::zero()) {
            few::reflect_columns(step, step.tau, &mut all, i + 1, 2..columns + 2, few::First::Apart);
        }
        all.columns(2, columns).into_owned()
    }
}

/// The last row first.
fn turn_over<T: Field>(c: &mut Matrix<T>) {
    let rows = c.nrows().max(1);
    c.as_mut_slice().chunks_exact_mut(rows).for_each(|column| column.reverse());
}

/// Reduces a Hermitian matrix, of which only one triangle is read.
pub fn reduce<T: Field>(a: &Matrix<T>, triangle: Triangle) -> Result<Tridiagonal<T>> {
    match triangle {
        Triangle::Lower => reduce_lower(a.clone()),
        // The upper triangle read from the far end is the lower triangle of the matrix turned around.
        Triangle::Upper => {
            let n = a.nrows();
            let turned = reduce_lower(Matrix::from_fn(n, n, |i, j| a[(n - 1 - i, n - 1 - j)]))?;
            let reversed = |v: Vec<T::R>| v.into_iter().rev().collect();
            Ok(Tridiagonal { d: reversed(turned.d), e: reversed(turned.e), steps: turned.steps, reversed: true })
        }
    }
}

/// What a reflection does to both sides of the rest of the matrix, `A -= v wᴴ + w vᴴ`: done by the pass that finds the next one.
struct Late<T> {
    left: [Vec<T>; 2],
    right: [Vec<T>; 2],
}

impl<T: Field> Late<T> {
    /// Of a reflection along `v` and of `w = A v`.
    fn new(v: &[T], w: Vec<T>) -> Late<T> {
        let conjugates = |x: &[T]| x.iter().map(|x| x.conjugate()).collect();
        Late { right: [conjugates(&w), conjugates(v)], left: [v.to_vec(), w] }
    }

    fn change(&self) -> Change<'_, T> {
        Change { left: self.left.each_ref().map(|x| &x[..]), right: self.right.each_ref().map(|x| &x[..]) }
    }
}

fn reduce_lower<T: Field>(mut a: Matrix<T>) -> Result<Tridiagonal<T>> {
    let n = a.nrows();
    if few_tridiagonal::takes::<T>(n) {
        return Ok(few_tridiagonal::reduce(a));
    }
    let mut steps: Vec<Reflector<T>> = Vec::with_capacity(n);
    let (mut d, mut e) = (Vec::with_capacity(n), Vec::with_capacity(n));
    (0..n).for_each(|i| a[(i, i)] = T::from_real(a[(i, i)].real()));
    let mut late = Late::new(&vec![T::zero(); n], vec![T::zero(); n]);
    for i in 0..n {
        interrupt::check()?;
        let change = late.change();
        let column = &mut a.as_mut_slice()[i * n + i..(i + 1) * n];
        subtract_two(column, (change.left[0], change.right[0][0]), (change.left[1], change.right[1][0]));
        d.push(column[0].real());
        if i + 1 == n {
            break;
        }
        let (step, beta) = reflector(&column[1..]);
        e.push(beta);
        let mut w = vec![T::zero(); n - i - 1];
        change_and_multiply(&mut a.as_mut_slice()[(i + 1) * (n + 1)..], n, &change.after(1, 1), &step.v, &mut w);
        w.iter_mut().for_each(|x| *x *= step.tau);
        let alpha = -(step.tau * dot(&w, &step.v)).scale(T::R::of(0.5));
        w.iter_mut().zip(&step.v).for_each(|(w, v)| *w += alpha * *v);
        late = Late::new(&step.v, w);
        steps.push(step);
    }
    Ok(Tridiagonal { d, e, steps, reversed: false })
}

/// Eigenvalues, ascending, and eigenvectors of a real symmetric tridiagonal matrix, in the signs of `stedc`.
///
/// None when the iteration does not converge. The vectors are the columns of the second result, below which so many rows of zeros
/// are rotated along.
pub fn solve<R: Real>(d: &[R], e: &[R], zeros: usize) -> Result<Option<(Vec<R>, Matrix<R>)>> {
    let n = d.len();
    let Some(scale) = scale(d, e).filter(|_| n > SMALL) else { return rotated(d, e, zeros) };
    let [small_d, small_e] = [d, e].map(|x| x.iter().map(|x| *x / scale).collect::<Vec<R>>());
    let solved = divide_symmetric::solve(&small_d, &small_e, &|d, e| rotated(d, e, 0))?;
    Ok(solved.map(|(mut values, vectors)| {
        values.iter_mut().for_each(|x| *x *= scale);
        (values, vectors.resize_vertically(n + zeros, R::of(0.0)))
    }))
}

/// The same by rotations alone.
fn rotated<R: Real>(d: &[R], e: &[R], zeros: usize) -> Result<Option<(Vec<R>, Matrix<R>)>> {
    let mut vectors = Turns::new(Matrix::identity(d.len() + zeros, d.len()));
    let mut values = d.to_vec();
    let done = iterate(&mut values, &mut e.to_vec(), &mut vectors)?;
    Ok(done.then(|| (values, vectors.done())))
}

/// The eigenvalues alone, ascending, by the iteration without roots (`sterf`). None when it does not converge.
pub fn values<R: Real>(d: &[R], e: &[R]) -> Result<Option<Vec<R>>> {
    let largest = d.iter().chain(e).fold(R::of(0.0), |most, x| if x.abs() > most { x.abs() } else { most });
    if d.iter().chain(e).any(|x| !x.is_finite()) || largest == R::of(0.0) {
        let mut values = d.to_vec();
        let done = iterate(&mut values, &mut e.to_vec(), &mut Turns::new(Matrix::<R>::zeros(0, d.len())))?;
        return Ok(done.then_some(values));
    }
    // By a power of two near the largest entry, so that no square leaves the range.
    let scale = R::of(largest.wide().log2().floor().exp2());
    let mut values: Vec<R> = d.iter().map(|x| *x / scale).collect();
    let mut e: Vec<R> = e.iter().map(|x| *x / scale).collect();
    let mut sweeps = 30 * d.len();
    let mut start = 0;
    while start < d.len() {
        let end = block_end(&values, &mut e, start);
        let squares = &mut e[start..end];
        squares.iter_mut().for_each(|x| *x = *x * *x);
        if !block_values(&mut values[start..=end], squares, &mut sweeps)? {
            return Ok(None);
        }
        start = end + 1;
    }
    values.sort_by(|a, b| a.wide().total_cmp(&b.wide()));
    Ok(Some(values.into_iter().map(|x| x * scale).collect()))
}

/// The eigenvalues of one block, from its diagonal and the squares beside it. False when the iteration does not converge.
fn block_values<R: Real>(d: &mut [R], squares: &mut [R], sweeps: &mut usize) -> Result<bool> {
    let (zero, one, two) = (R::of(0.0), R::of(1.0), R::of(2.0));
    let unit = R::EPSILON * R::of(0.5);
    let last = d.len() - 1;
    if d[last].abs() < d[0].abs() {
        d.reverse();
        squares.reverse();
    }
    let mut l = 0;
    while l < last {
        let m = (l..last).find(|m| squares[*m] <= unit * unit * (d[*m] * d[*m + 1]).abs()).unwrap_or(last);
        if m < last {
            squares[m] = zero;
        }
        if m == l {
            l += 1;
            continue;
        }
        if m == l + 1 {
            let pair = rotation::symmetric2(d[l], squares[l].sqrt(), d[l + 1]);
            (d[l], d[l + 1], squares[l]) = (pair.large, pair.small, zero);
            l += 2;
            continue;
        }
        if *sweeps == 0 {
            return Ok(false);
        }
        *sweeps -= 1;
        interrupt::check()?;
        let root = squares[l].sqrt();
        let g = (d[l + 1] - d[l]) / (two * root);
        let shift = d[l] - root / (g + rotation::hypotenuse(g, one).signed(g));
        let (mut c, mut s, mut gamma) = (one, zero, d[m] - shift);
        let mut p = gamma * gamma;
        for i in (l..m).rev() {
            let (square, cosine, above) = (squares[i], c, gamma);
            let r = p + square;
            if i + 1 != m {
                squares[i + 1] = s * r;
            }
            (c, s) = (p / r, square / r);
            let alpha = d[i];
            gamma = c * (alpha - shift) - s * above;
            d[i + 1] = above + (alpha - gamma);
            p = if c == zero { cosine * square } else { gamma * gamma / c };
        }
        squares[l] = s * p;
        d[l] = shift + gamma;
    }
    Ok(true)
}

/// The implicit QL and QR iteration (`steqr`): `d` becomes the eigenvalues, ascending, the columns of `z` are rotated along.
/// False when it does not converge.
fn iterate<R: Real>(d: &mut [R], e: &mut Vec<R>, z: &mut Turns<R>) -> Result<bool> {
    let n = d.len();
    e.push(R::of(0.0));
    let mut sweeps = 30 * n;
    let mut start = 0;
    while start < n {
        if start > 0 {
            e[start - 1] = R::of(0.0);
        }
        let end = block_end(d, e, start);
        let (low, high) = (start, end);
        start = end + 1;
        if low == high {
            continue;
        }
        // Unconverged blocks are taken up again until the budget of sweeps is gone.
        let done = if d[high].abs() < d[low].abs() {
            sweep_up(d, e, z, low, high, &mut sweeps)?
        } else {
            sweep_down(d, e, z, low, high, &mut sweeps)?
        };
        if !done {
            return Ok(false);
        }
    }
    sort_ascending(d, z.matrix());
    Ok(true)
}

/// The last row of the block that starts at `start`: where the next entry beside the diagonal is negligible.
fn block_end<R: Real>(d: &[R], e: &mut [R], start: usize) -> usize {
    let unit = R::EPSILON * R::of(0.5);
    for m in start..d.len() - 1 {
        let size = e[m].abs();
        if size == R::of(0.0) {
            return m;
        }
        if size <= d[m].abs().sqrt() * d[m + 1].abs().sqrt() * unit {
            e[m] = R::of(0.0);
            return m;
        }
    }
    d.len() - 1
}

/// True when `e²` is negligible beside its neighbours on the diagonal.
fn negligible<R: Real>(e: R, d: R, next: R) -> bool {
    let unit = R::EPSILON * R::of(0.5);
    e.abs() * e.abs() <= (unit * unit * d.abs()) * next.abs() + R::TINY
}

/// QL: finds eigenvalues from the low end of a block.
fn sweep_down<R: Real>(d: &mut [R], e: &mut [R], z: &mut Turns<R>, low: usize, high: usize, sweeps: &mut usize) -> Result<bool> {
    let (zero, one, two) = (R::of(0.0), R::of(1.0), R::of(2.0));
    let mut l = low;
    while l <= high {
        let m = (l..high).find(|m| negligible(e[*m], d[*m], d[*m + 1])).unwrap_or(high);
        if m < high {
            e[m] = zero;
        }
        if m == l {
            l += 1;
            continue;
        }
        if m == l + 1 {
            let pair = rotation::symmetric2(d[l], e[l], d[l + 1]);
            z.turn(l, pair.c, pair.s);
            (d[l], d[l + 1], e[l]) = (pair.large, pair.small, zero);
            l += 2;
            continue;
        }
        if *sweeps == 0 {
            return Ok(false);
        }
        *sweeps -= 1;
        interrupt::check()?;
        let start = d[l];
        let mut g = (d[l + 1] - start) / (two * e[l]);
        g = d[m] - start + e[l] / (g + rotation::hypotenuse(g, one).signed(g));
        let (mut s, mut c, mut p) = (one, one, zero);
        for i in (l..m).rev() {
            let (f, b) = (s * e[i], c * e[i]);
            let turn = rotation::rotation_by_larger(g, f);
            (c, s) = (turn.c, turn.s);
            if i + 1 != m {
                e[i + 1] = turn.r;
            }
            g = d[i + 1] - p;
            let r = (d[i] - g) * s + two * c * b;
            p = s * r;
            d[i + 1] = g + p;
            g = c * r - b;
            z.turn(i, c, -s);
        }
        d[l] -= p;
        e[l] = g;
    }
    Ok(true)
}

/// QR: finds eigenvalues from the high end of a block.
fn sweep_up<R: Real>(d: &mut [R], e: &mut [R], z: &mut Turns<R>, low: usize, high: usize, sweeps: &mut usize) -> Result<bool> {
    let (zero, one, two) = (R::of(0.0), R::of(1.0), R::of(2.0));
    // One past the row in work, so that it can reach `low` from above without going below zero.
    let mut end = high + 1;
    while end > low {
        let l = end - 1;
        let m = (low + 1..=l).rev().find(|m| negligible(e[*m - 1], d[*m], d[*m - 1])).unwrap_or(low);
        if m > low {
            e[m - 1] = zero;
        }
        if m == l {
            end -= 1;
            continue;
        }
        if m + 1 == l {
            let pair = rotation::symmetric2(d[l - 1], e[l - 1], d[l]);
            z.turn(l - 1, pair.c, pair.s);
            (d[l - 1], d[l], e[l - 1]) = (pair.large, pair.small, zero);
            end -= 2;
            continue;
        }
        if *sweeps == 0 {
            return Ok(false);
        }
        *sweeps -= 1;
        interrupt::check()?;
        let start = d[l];
        let mut g = (d[l - 1] - start) / (two * e[l - 1]);
        g = d[m] - start + e[l - 1] / (g + rotation::hypotenuse(g, one).signed(g));
        let (mut s, mut c, mut p) = (one, one, zero);
        for i in m..l {
            let (f, b) = (s * e[i], c * e[i]);
            let turn = rotation::rotation_by_larger(g, f);
            (c, s) = (turn.c, turn.s);
            if i != m {
                e[i - 1] = turn.r;
            }
            g = d[i] - p;
            let r = (d[i + 1] - g) * s + two * c * b;
            p = s * r;
            d[i] = g + p;
            g = c * r - b;
            z.turn(i, c, s);
        }
        d[l] -= p;
        e[l - 1] = g;
    }
    Ok(true)
}

/// Selection sort, so that columns move as little as possible.
fn sort_ascending<R: Real>(d: &mut [R], z: &mut Matrix<R>) {
    for i in 0..d.len() {
        let least = (i + 1..d.len()).fold(i, |least, j| if d[j] < d[least] { j } else { least });
        if least != i {
            d.swap(i, least);
            z.swap_columns(i, least);
        }
    }
}
