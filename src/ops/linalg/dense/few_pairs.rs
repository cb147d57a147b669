//! Quotients of complex numbers, and systems of two unknowns, as LAPACK's `ladiv` and `laln2` round them.

use super::field::Real;
use num_complex::Complex;

/// The quotient of two complex numbers, each as its real and imaginary part.
pub fn quotient<R: Real>([a, b]: [R; 2], [c, d]: [R; 2]) -> [R; 2] {
    if d.abs() <= c.abs() {
        return by_real([a, b], [c, d]);
    }
    let [re, im] = by_real([b, a], [d, c]);
    [re, -im]
}

/// The quotient by a number whose real part is the larger one.
fn by_real<R: Real>([a, b]: [R; 2], [c, d]: [R; 2]) -> [R; 2] {
    let ratio = d / c;
    let by = R::of(1.0) / (c + d * ratio);
    let part = |a: R, b: R| {
        let across = b * ratio;
        match (ratio != R::of(0.0), across != R::of(0.0)) {
            (true, true) => (a + across) * by,
            (true, false) => a * by + (b * by) * ratio,
            (false, _) => (a + d * (b / c)) * by,
        }
    };
    [part(a, b), part(b, -a)]
}

/// A divisor, or the least one in place of one that is smaller.
pub fn away_from_zero<R: Real>([re, im]: [R; 2], least: R) -> [R; 2] {
    if re.abs() + im.abs() < least { [least, R::of(0.0)] } else { [re, im] }
}

/// Which entry of a 2x2 matrix, column by column, is the pivot, its row's, its column's and the other one, for each pivot.
const PIVOTS: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]];

/// Solves `(T - value) x = x` for the two entries of `x` from `first` on, with a 2x2 matrix T given column by column: its largest
/// entry is the pivot. `x` has real parts alone for a real value.
pub fn solve<R: Real>(t: [R; 4], value: Complex<R>, least: R, x: &mut [Vec<R>], first: usize) {
    let zero = R::of(0.0);
    let re = [t[0] - value.re, t[1], t[2], t[3] - value.re];
    let im = [-value.im, zero, zero, -value.im];
    let size = |k: usize| re[k].abs() + im[k].abs();
    let pivot = (1..4).fold(0, |most, k| if size(k) > size(most) { k } else { most });
    if size(pivot) < least {
        return x.iter_mut().for_each(|x| x[first..first + 2].iter_mut().for_each(|x| *x /= least));
    }
    let (swaps_rows, swaps_columns) = (pivot % 2 == 1, pivot >= 2);
    let order = |pair: [R; 2], swaps: bool| if swaps { [pair[1], pair[0]] } else { pair };
    let right: Vec<[R; 2]> = x.iter().map(|x| order([x[first], x[first + 1]], swaps_rows)).collect();
    let entries = PIVOTS[pivot].map(|k| [re[k], im[k]]);
    let solved = match right[..] {
        [re, im] => complex(entries, [re, im], pivot == 0 || pivot == 3, least).to_vec(),
        _ => vec![real(entries.map(|[re, _]| re), right[0], least)],
    };
    for (x, solved) in x.iter_mut().zip(solved) {
        [x[first], x[first + 1]] = order(solved, swaps_columns);
    }
}

fn real<R: Real>([pivot, below, beside, last]: [R; 4], [b1, b2]: [R; 2], least: R) -> [R; 2] {
    let inverse = R::of(1.0) / pivot;
    let factor = inverse * below;
    let [rest, _] = away_from_zero([last - beside * factor, R::of(0.0)], least);
    let x2 = (b2 - factor * b1) / rest;
    [b1 * inverse - x2 * (inverse * beside), x2]
}

/// With the value's imaginary part in the pivot and across from it, or in the others.
fn complex<R: Real>(entries: [[R; 2]; 4], [re, im]: [[R; 2]; 2], is_in_pivot: bool, least: R) -> [[R; 2]; 2] {
    let [[ur, ui], [cr, ci], [sr, si], [dr, di]] = entries;
    let one = R::of(1.0);
    let (inverse, factor, beside, rest);
    if is_in_pivot {
        inverse = if ur.abs() > ui.abs() {
            let ratio = ui / ur;
            let re = one / (ur * (one + ratio * ratio));
            [re, -ratio * re]
        } else {
            let ratio = ur / ui;
            let im = -one / (ui * (one + ratio * ratio));
            [-ratio * im, im]
        };
        factor = [cr * inverse[0], cr * inverse[1]];
        beside = [sr * inverse[0], sr * inverse[1]];
        rest = [dr - sr * factor[0], di - sr * factor[1]];
    } else {
        inverse = [one / ur, R::of(0.0)];
        factor = [cr * inverse[0], ci * inverse[0]];
        beside = [sr * inverse[0], si * inverse[0]];
        rest = [dr - sr * factor[0] + si * factor[1], -sr * factor[1] - si * factor[0]];
    }
    let rest = away_from_zero(rest, least);
    let (b1, b2) = ([re[0], im[0]], [re[1], im[1]]);
    let left = [b2[0] - factor[0] * b1[0] + factor[1] * b1[1], b2[1] - factor[1] * b1[0] - factor[0] * b1[1]];
    let x2 = quotient(left, rest);
    let x1 = [
        inverse[0] * b1[0] - inverse[1] * b1[1] - beside[0] * x2[0] + beside[1] * x2[1],
        inverse[1] * b1[0] + inverse[0] * b1[1] - beside[1] * x2[0] - beside[0] * x2[1],
    ];
    [[x1[0], x2[0]], [x1[1], x2[1]]]
}
