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

/// What is left of a row by a function that does not mind the order, with `start` for nothing. What does not fill many lanes is
/// folded in fewer, so that the number of lanes is known everywhere and they stay in registers.
#[inline(always)]
pub fn in_lanes<T: Copy>(row: &[T], start: T, join: impl Fn(T, T) -> T) -> T {
    let (many, rest) = row.split_at(row.len() / 64 * 64);
    let (some, rest) = rest.split_at(rest.len() / 16 * 16);
    let (few, rest) = rest.split_at(rest.len() / 4 * 4);
    let mut lanes: [T; 16] = lanes_of(some, start, &join);
    if !many.is_empty() {
        lanes = with_fewer(lanes_of::<T, 64>(many, start, &join), lanes, &join);
    }
    let lanes: [T; 4] = with_fewer(lanes, lanes_of(few, start, &join), &join);
    let [all] = with_fewer(lanes, lanes_of(rest, start, &join), &join);
    all
}

/// Whole rows of lanes, each lane by itself.
#[inline(always)]
fn lanes_of<T: Copy, const LANES: usize>(row: &[T], start: T, join: &impl Fn(T, T) -> T) -> [T; LANES] {
    let mut lanes = [start; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for k in 0..LANES {
            lanes[k] = join(lanes[k], chunk[k]);
        }
    }
    lanes
}

/// Lanes joined in halves until there are as many as the others, and then with those.
#[inline(always)]
fn with_fewer<T: Copy, const LANES: usize, const FEW: usize>(
    mut lanes: [T; LANES],
    few: [T; FEW],
    join: &impl Fn(T, T) -> T,
) -> [T; FEW] {
    let mut width = LANES / 2;
    while width >= FEW {
        for k in 0..width {
            lanes[k] = join(lanes[k], lanes[k + width]);
        }
        width /= 2;
    }
    std::array::from_fn(|k| join(lanes[k], few[k]))
}
