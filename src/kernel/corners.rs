//! Images of another size: each element a mean of the four that lie around its place.

use super::isa::{pick, versions};
use super::pieces::each;
use num_traits::Float;
use std::array::from_fn;

/// Where each line of a result lies between two lines of the image, along one of its sides.
#[derive(Clone, Debug)]
pub struct Side<T> {
    /// The line before the place and the line behind it; as many of each as the result has.
    pub lines: [Vec<usize>; 2],
    /// What each of them weighs.
    pub weights: [Vec<T>; 2],
}

/// The order in which four weighted elements are added; each product but the first is added without being rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The product of the second element is rounded.
    Second,
    /// The product of the first element is rounded.
    First,
}

/// Fills `to`, images of `rows` by `columns`, from as many images in `from` of `high` by `wide` elements. Lines lie in the images.
pub fn means<T: Float + Send + Sync + 'static>(
    from: &[T],
    [high, wide]: [usize; 2],
    rows: &Side<T>,
    columns: &Side<T>,
    start: Start,
    to: &mut [T],
) {
    assert!(columns.lines.iter().flatten().all(|place| *place < wide), "a place lies outside of the image");
    let run = pick(line_versions::<T>());
    let (tall, width) = (rows.lines[0].len(), columns.lines[0].len());
    each(to, width, 4 * width, |line, to| {
        let (image, row) = (&from[line / tall * high * wide..][..high * wide], line % tall);
        let around = from_fn(|k| &image[rows.lines[k][row] * wide..][..wide]);
        let share = from_fn(|k| rows.weights[k][row]);
        // SAFETY: all places lie in a line; the instructions are those of this machine.
        unsafe { run(around, share, columns, start, to) }
    });
}

/// Elements that are brought together before they are added, so that adding runs over whole vectors.
const BLOCK: usize = 64;

versions! { fn line_versions<T: Float>(around: [&[T]; 2], share: [T; 2], columns: &Side<T>, start: Start, to: &mut [T]) = line }

/// One line of a result between the two lines of the image `around` it.
#[inline(always)]
unsafe fn line<T: Float>(around: [&[T]; 2], share: [T; 2], columns: &Side<T>, start: Start, to: &mut [T]) {
    for (block, to) in to.chunks_mut(BLOCK).enumerate() {
        let part = block * BLOCK..block * BLOCK + to.len();
        let mut near = [[[T::zero(); BLOCK]; 2]; 2];
        for (line, near) in around.iter().zip(&mut near) {
            for (places, near) in columns.lines.iter().zip(near) {
                // SAFETY: the caller promises places in the line.
                near.iter_mut().zip(&places[part.clone()]).for_each(|(x, place)| *x = unsafe { *line.get_unchecked(*place) });
            }
        }
        let [[p, q], [r, s]] = &near;
        let (first, second) = (&columns.weights[0][part.clone()], &columns.weights[1][part]);
        for (j, ((to, first), second)) in to.iter_mut().zip(first).zip(second).enumerate() {
            let (a, b, c, d) = (share[0] * *first, share[0] * *second, share[1] * *first, share[1] * *second);
            let above = if start == Start::Second { p[j].mul_add(a, q[j] * b) } else { q[j].mul_add(b, p[j] * a) };
            *to = s[j].mul_add(d, r[j].mul_add(c, above));
        }
    }
}
