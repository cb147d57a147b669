//! How many: how many cells a layout reaches, and how many indices reach a cell. Answered from sizes and strides alone, in
//! time that does not grow with the number of elements.

use super::{DimList, Dims, Layout};

/// The indices that reach one cell, told in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitors {
    /// The first of them in index order.
    pub first: Dims,
    /// How many there are.
    pub count: i64,
    /// False when the count stopped at a limit: there are at least this many.
    pub exact: bool,
}

impl Layout {
    /// Who reaches a cell; none when nobody does. Repeating dimensions (stride 0) are counted without looking at each index;
    /// of the others at most `limit` indices are looked for.
    pub fn visitors(&self, cell: i64, limit: usize) -> Option<Visitors> {
        if self.sizes.contains(&0) {
            return None;
        }
        let moving: DimList = (0..self.ndim()).filter(|&k| self.strides[k] != 0).collect();
        let pick = |from: &Dims| moving.iter().map(|&k| from[k]).collect::<Dims>();
        let reduced = Layout { sizes: pick(&self.sizes), strides: pick(&self.strides), offset: self.offset };
        let found = reduced.indices_at(cell, limit);
        let mut first = Dims::from_elem(0, self.ndim());
        for (&k, &i) in moving.iter().zip(found.first()?) {
            first[k] = i;
        }
        let repeats: i64 = (0..self.ndim()).filter(|&k| self.strides[k] == 0).map(|k| self.sizes[k]).product();
        Some(Visitors { first, count: repeats.saturating_mul(found.len() as i64), exact: found.len() < limit })
    }

    /// How many different cells are reached; none when that cannot be told without walking them.
    ///
    /// Dimensions are added from the smallest stride up. As long as the cells found so far are evenly spaced, one more dimension
    /// either goes on with the same spacing or jumps over all of them; after such a jump only further jumps can be counted.
    pub fn distinct_cells(&self) -> Option<i64> {
        if self.sizes.contains(&0) {
            return Some(0);
        }
        let mut dims: DimList = (0..self.ndim()).filter(|&k| self.sizes[k] > 1 && self.strides[k] != 0).collect();
        dims.sort_by_key(|&k| self.strides[k].abs());
        let mut even = Some(Even { count: 1, step: 0 });
        let (mut count, mut reach) = (1i64, 0i64);
        for &k in &dims {
            let (size, stride) = (self.sizes[k], self.strides[k].abs());
            even = even.and_then(|e| e.with(size, stride));
            match even {
                Some(e) => count = e.count,
                None if stride > reach => count = count.checked_mul(size)?,
                None => return None,
            }
            reach = reach.saturating_add(stride.saturating_mul(size - 1));
        }
        Some(count)
    }
}

/// Evenly spaced cells: `0, step, 2 * step, …`, `count` of them.
#[derive(Clone, Copy)]
struct Even {
    count: i64,
    step: i64,
}

impl Even {
    /// The same after adding a dimension, if the cells stay evenly spaced.
    fn with(self, size: i64, stride: i64) -> Option<Even> {
        if self.count == 1 {
            return Some(Even { count: size, step: stride });
        }
        let jump = stride / self.step;
        (stride % self.step == 0 && jump <= self.count)
            .then(|| Even { count: self.count.saturating_add(jump.saturating_mul(size - 1)), ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Cell to indices, by walking all of them.
    fn walked(layout: &Layout) -> BTreeMap<i64, Vec<Dims>> {
        let mut map: BTreeMap<i64, Vec<Dims>> = BTreeMap::new();
        for n in 0..layout.numel() {
            map.entry(layout.nth_cell(n)).or_default().push(layout.nth_index(n));
        }
        map
    }

    fn layouts() -> impl Strategy<Value = Layout> {
        (prop::collection::vec((0..5i64, -4..13i64), 0..4), 0..5i64).prop_map(|(dims, offset)| {
            let (sizes, strides): (Vec<_>, Vec<_>) = dims.into_iter().unzip();
            Layout::new(&sizes, &strides, offset)
        })
    }

    proptest! {
        #[test]
        fn visitors_are_those_a_walk_meets(layout in layouts()) {
            let map = walked(&layout);
            for cell in -60..200 {
                let expected = map.get(&cell).map(|v| Visitors { first: v[0].clone(), count: v.len() as i64, exact: true });
                prop_assert_eq!(layout.visitors(cell, 1000), expected);
            }
        }

        #[test]
        fn distinct_cells_are_those_a_walk_meets(layout in layouts()) {
            if let Some(count) = layout.distinct_cells() {
                prop_assert_eq!(count, walked(&layout).len() as i64);
            }
        }
    }

    #[test]
    fn common_layouts_can_be_counted() {
        let count = |sizes: &[i64], strides: &[i64]| Layout::new(sizes, strides, 3).distinct_cells();
        assert_eq!(count(&[], &[]), Some(1));
        assert_eq!(count(&[3, 2], &[4, 1]), Some(6));
        assert_eq!(count(&[1_000_000_000, 3], &[0, 1]), Some(3));
        // Windows of 3 with a step of 2 over 9 cells, and the same in two dimensions.
        assert_eq!(count(&[4, 3], &[2, 1]), Some(9));
        assert_eq!(count(&[4, 5, 3], &[2, 100, 1]), Some(45));
        assert_eq!(count(&[2, 2, 2], &[5, 3, 2]), None);
    }

    #[test]
    fn a_count_stops_at_its_limit() {
        let windows = Layout::new(&[1000, 1000], &[1, 1], 0);
        let found = windows.visitors(999, 10).unwrap();
        assert_eq!((found.first.as_slice(), found.count, found.exact), (&[0, 999][..], 10, false));
        assert!(Layout::new(&[4], &[1], 0).visitors(2, 10).unwrap().exact);
    }
}
