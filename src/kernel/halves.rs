//! Many numbers become one: in lanes side by side, which are then joined in halves.

/// What is left of some numbers, a power of two of them, when the second half is joined to the first until there is one.
#[inline(always)]
pub fn in_halves<T: Copy>(lanes: &mut [T], join: impl Fn(T, T) -> T) -> T {
    let mut width = lanes.len() / 2;
    while width > 0 {
        for k in 0..width {
            lanes[k] = join(lanes[k], lanes[k + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// What is left of a row by a function that does not mind the order, with `start` for nothing.
#[inline(always)]
pub fn in_lanes<T: Copy>(row: &[T], start: T, join: impl Fn(T, T) -> T) -> T {
    if row.len() < 64 { lanes_of::<T, 16>(row, start, join) } else { lanes_of::<T, 64>(row, start, join) }
}

#[inline(always)]
fn lanes_of<T: Copy, const LANES: usize>(row: &[T], start: T, join: impl Fn(T, T) -> T) -> T {
    let mut lanes = [start; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for k in 0..LANES {
            lanes[k] = join(lanes[k], chunk[k]);
        }
    }
    let (few, rest) = rest.as_chunks::<8>();
    for chunk in few {
        for k in 0..8 {
            lanes[k] = join(lanes[k], chunk[k]);
        }
    }
    for (lane, x) in lanes.iter_mut().zip(rest) {
        *lane = join(*lane, *x);
    }
    in_halves(&mut lanes, join)
}
