//! Every operation against a list: which old index each new index stands for, and which cell that is.

use super::*;
use crate::testing::steps;
use proptest::prelude::*;

/// A tensor as the list of its cells in index order: what a layout must amount to.
#[derive(Clone, Debug, PartialEq)]
struct Listed {
    sizes: Vec<i64>,
    cells: Vec<i64>,
}

/// Every index of these sizes, the last dimension fastest.
fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![vec![]], |heads, &size| {
        heads.iter().flat_map(|head| (0..size).map(move |i| [&head[..], &[i]].concat())).collect()
    })
}

impl Listed {
    fn of(layout: &Layout) -> Listed {
        Listed { sizes: layout.sizes.to_vec(), cells: indices(&layout.sizes).iter().map(|i| layout.address(i)).collect() }
    }

    fn at(&self, index: &[i64]) -> i64 {
        let place = index.iter().zip(&self.sizes).fold(0, |place, (i, size)| {
            assert!((0..*size).contains(i), "{index:?} is outside {:?}", self.sizes);
            place * size + i
        });
        self.cells[place as usize]
    }

    /// New sizes, and for each new index the old one it stands for.
    fn remap(&self, sizes: &[i64], old: impl Fn(&[i64]) -> Vec<i64>) -> Listed {
        Listed { sizes: sizes.to_vec(), cells: indices(sizes).iter().map(|i| self.at(&old(i))).collect() }
    }

    fn relabelled(&self, sizes: &[i64]) -> Listed {
        Listed { sizes: sizes.to_vec(), cells: self.cells.clone() }
    }
}

/// A small generator of numbers, the same on every run (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as i64
    }

    fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high - low + 1)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k as i64 + 1) as usize);
        }
    }

    /// Up to four dimensions: contiguous, permuted, sliced, expanded, or with any strides.
    fn layout(&mut self) -> Layout {
        let sizes: Dims = (0..self.below(5)).map(|_| [1, 1, 2, 2, 3, 3, 4, 5, 0][self.below(9) as usize]).collect();
        let mut layout = Layout::contiguous(&sizes);
        layout.offset = self.below(4);
        match self.below(4) {
            0 => {}
            1 => layout.strides = sizes.iter().map(|_| self.below(7)).collect(),
            _ => {
                for k in 0..sizes.len() {
                    match self.below(6) {
                        0 => layout.strides[k] = 0,
                        1 => layout.strides[k] *= 2,
                        _ => {}
                    }
                }
                let mut order: Vec<usize> = (0..sizes.len()).collect();
                if self.below(2) == 0 {
                    self.shuffle(&mut order);
                }
                layout.sizes = order.iter().map(|&k| layout.sizes[k]).collect();
                layout.strides = order.iter().map(|&k| layout.strides[k]).collect();
            }
        }
        layout
    }

    /// A dimension number of a layout, from either end, and its place.
    fn dim(&mut self, ndim: usize) -> (i64, usize) {
        let place = self.below(ndim as i64);
        (if self.below(2) == 0 { place } else { place - ndim as i64 }, place as usize)
    }

    /// Sizes with the same number of elements: factors shuffled and merged.
    fn same_numel(&mut self, sizes: &[i64]) -> Vec<i64> {
        let mut factors: Vec<i64> = sizes.iter().flat_map(|&s| if s == 4 { vec![2, 2] } else { vec![s] }).collect();
        if self.below(2) == 0 {
            self.shuffle(&mut factors);
        }
        let mut merged: Vec<i64> = vec![];
        for factor in factors {
            match merged.last_mut() {
                Some(last) if self.below(3) == 0 => *last *= factor,
                _ => merged.push(factor),
            }
        }
        merged
    }
}

/// `index` with `place` replaced by `values`.
fn spliced(index: &[i64], place: usize, count: usize, values: &[i64]) -> Vec<i64> {
    [&index[..place], values, &index[place + count..]].concat()
}

type Law = fn(&mut Dice, &Layout, &Listed);

/// One law per operation that needs at least one dimension.
const LAWS: &[(&str, Law)] = &[
    ("permute", |dice, layout, list| {
        let mut order: Vec<i64> = (0..layout.ndim() as i64).collect();
        dice.shuffle(&mut order);
        let sizes: Vec<i64> = order.iter().map(|&k| list.sizes[k as usize]).collect();
        let expected = list.remap(&sizes, |i| {
            let mut old = vec![0; i.len()];
            order.iter().zip(i).for_each(|(&k, &v)| old[k as usize] = v);
            old
        });
        assert_eq!(Listed::of(&layout.permute(&order).unwrap()), expected);
    }),
    ("transpose", |dice, layout, list| {
        let ((d0, p0), (d1, p1)) = (dice.dim(layout.ndim()), dice.dim(layout.ndim()));
        let swap = |v: &[i64]| {
            let mut v = v.to_vec();
            v.swap(p0, p1);
            v
        };
        assert_eq!(Listed::of(&layout.transpose(d0, d1).unwrap()), list.remap(&swap(&list.sizes), swap));
    }),
    ("movedim", |dice, layout, list| {
        let ((from, source), (to, destination)) = (dice.dim(layout.ndim()), dice.dim(layout.ndim()));
        let moved = |v: &[i64], from: usize, to: usize| {
            let mut v = v.to_vec();
            let item = v.remove(from);
            v.insert(to, item);
            v
        };
        let expected = list.remap(&moved(&list.sizes, source, destination), |i| moved(i, destination, source));
        assert_eq!(Listed::of(&layout.movedim(&[from], &[to]).unwrap()), expected);
    }),
    ("unsqueeze and squeeze", |dice, layout, list| {
        let (dim, place) = dice.dim(layout.ndim() + 1);
        let wider = layout.unsqueeze(dim).unwrap();
        assert_eq!(Listed::of(&wider), list.relabelled(&spliced(&list.sizes, place, 0, &[1])));
        assert_eq!(wider.squeeze_dims(&[dim]).unwrap(), *layout);
        let kept: Vec<i64> = list.sizes.iter().copied().filter(|s| *s != 1).collect();
        assert_eq!(Listed::of(&wider.squeeze()), list.relabelled(&kept));
    }),
    ("flip", |dice, layout, list| {
        let (dim, place) = dice.dim(layout.ndim());
        let expected = list.remap(&list.sizes, |i| spliced(i, place, 1, &[list.sizes[place] - 1 - i[place]]));
        assert_eq!(Listed::of(&layout.flip(&[dim]).unwrap()), expected);
    }),
    ("select", |dice, layout, list| {
        let (dim, place) = dice.dim(layout.ndim());
        let size = list.sizes[place];
        let index = dice.within(-size - 1, size);
        let Ok(part) = layout.select(dim, index) else {
            return assert!(index < -size || index >= size);
        };
        let sizes = spliced(&list.sizes, place, 1, &[]);
        let expected = list.remap(&sizes, |i| spliced(i, place, 0, &[index.rem_euclid(size)]));
        assert_eq!(Listed::of(&part), expected);
        assert_eq!(layout.unbind(dim).unwrap()[index.rem_euclid(size) as usize], part);
    }),
    ("slice", |dice, layout, list| {
        let (dim, place) = dice.dim(layout.ndim());
        let size = list.sizes[place];
        let bounds: Vec<Option<i64>> = (0..2).map(|_| (dice.below(4) > 0).then(|| dice.within(-size - 2, size + 2))).collect();
        let step = dice.within(1, 3);
        let python = |bound: i64| if bound < 0 { (bound + size).max(0) } else { bound.min(size) };
        let (start, stop) = (python(bounds[0].unwrap_or(0)), python(bounds[1].unwrap_or(size)));
        let kept: Vec<i64> = (start..stop).step_by(step as usize).collect();
        let expected = list
            .remap(&spliced(&list.sizes, place, 1, &[kept.len() as i64]), |i| spliced(i, place, 1, &[kept[i[place] as usize]]));
        assert_eq!(Listed::of(&layout.slice(dim, bounds[0], bounds[1], step).unwrap()), expected);
    }),
    ("narrow", |dice, layout, list| {
        let (dim, place) = dice.dim(layout.ndim());
        let size = list.sizes[place];
        let (start, length) = (dice.within(-size - 1, size + 1), dice.within(-1, size + 1));
        let first = if start < 0 { start + size } else { start };
        let inside = first >= 0 && length >= 0 && first + length <= size;
        let Ok(part) = layout.narrow(dim, start, length) else { return assert!(!inside) };
        assert!(inside);
        let expected = list.remap(&spliced(&list.sizes, place, 1, &[length]), |i| spliced(i, place, 1, &[i[place] + first]));
        assert_eq!(Listed::of(&part), expected);
    }),
    ("diagonal", |dice, layout, list| {
        let ((d1, p1), (d2, p2)) = (dice.dim(layout.ndim()), dice.dim(layout.ndim()));
        let offset = dice.within(-4, 4);
        let Ok(part) = layout.diagonal(offset, d1, d2) else { return assert_eq!(p1, p2) };
        let (row, column) = ((-offset).max(0), offset.max(0));
        let length = (list.sizes[p1] - row).min(list.sizes[p2] - column).max(0);
        let rest: Vec<usize> = (0..list.sizes.len()).filter(|k| *k != p1 && *k != p2).collect();
        let sizes: Vec<i64> = rest.iter().map(|&k| list.sizes[k]).chain([length]).collect();
        let expected = list.remap(&sizes, |i| {
            let mut old = vec![0; list.sizes.len()];
            rest.iter().zip(i).for_each(|(&k, &v)| old[k] = v);
            let along = i[rest.len()];
            (old[p1], old[p2]) = (along + row, along + column);
            old
        });
        assert_eq!(Listed::of(&part), expected);
    }),
    ("unfold", |dice, layout, list| {
        let (dim, place) = dice.dim(layout.ndim());
        let (size, step) = (dice.within(-1, 4), dice.within(0, 3));
        let room = list.sizes[place];
        let Ok(windows) = layout.unfold(dim, size, step) else { return assert!(size < 0 || size > room || step < 1) };
        let count = (0..=room).filter(|start| start % step == 0 && start + size <= room).count() as i64;
        let sizes = [&spliced(&list.sizes, place, 1, &[count])[..], &[size]].concat();
        let expected = list.remap(&sizes, |i| spliced(&i[..i.len() - 1], place, 1, &[i[place] * step + i[i.len() - 1]]));
        assert_eq!(Listed::of(&windows), expected);
    }),
    ("expand", |dice, layout, list| {
        let grown = |dice: &mut Dice, size: i64| if size == 1 { dice.within(0, 3) } else { size };
        let leading: Vec<i64> = (0..dice.below(3)).map(|_| dice.within(0, 3)).collect();
        let kept: Vec<i64> = list.sizes.iter().map(|&s| grown(dice, s)).collect();
        let sizes = [&leading[..], &kept].concat();
        let asked = [&leading[..], &kept.iter().zip(&list.sizes).map(|(&k, &s)| if k == s { -1 } else { k }).collect::<Vec<_>>()];
        let expected = list.remap(&sizes, |i| {
            i[leading.len()..].iter().zip(&list.sizes).map(|(&v, &size)| if size == 1 { 0 } else { v }).collect()
        });
        assert_eq!(Listed::of(&layout.expand(&asked.concat()).unwrap()), expected);
        assert_eq!(broadcast_sizes(&list.sizes, &sizes).unwrap().as_slice(), sizes);
    }),
    ("view", |dice, layout, list| {
        let sizes = dice.same_numel(&list.sizes);
        let mut asked = sizes.clone();
        if let Some(k) = (0..sizes.len()).find(|_| dice.below(3) == 0).filter(|_| layout.numel() > 0) {
            asked[k] = -1;
        }
        let view = layout.reshape_view(&asked).unwrap();
        assert_eq!(layout.view(&asked).is_ok(), view.is_some());
        assert_eq!(layout.view_obstacle(&sizes).is_none(), view.is_some());
        match view {
            Some(view) => assert_eq!(Listed::of(&view), list.relabelled(&sizes)),
            None => check_obstacle(layout, list, &sizes),
        }
    }),
    ("unflatten and flatten", |dice, layout, list| {
        let (dim, place) = dice.dim(layout.ndim());
        let parts = dice.same_numel(&[list.sizes[place]]);
        let split = layout.unflatten(dim, &parts).unwrap();
        assert_eq!(Listed::of(&split), list.relabelled(&spliced(&list.sizes, place, 1, &parts)));
        let (sizes, joint) = split.flatten(place as i64, (place + parts.len()) as i64 - 1).unwrap();
        assert_eq!(sizes.as_slice(), list.sizes);
        assert_eq!(Listed::of(&joint.unwrap()), *list);
    }),
    ("pieces", |dice, layout, list| {
        let (dim, place) = dice.dim(layout.ndim());
        let size = list.sizes[place];
        let count = dice.within(1, 5);
        let mut cuts: Vec<i64> = (0..dice.below(3)).map(|_| dice.within(0, size)).collect();
        cuts.sort();
        let ends = cuts.iter().copied().chain([size]);
        let lengths: Vec<i64> = ends.scan(0, |start, end| Some(end - std::mem::replace(start, end))).collect();
        let even = layout.tensor_split(count, dim).unwrap();
        assert!(even.iter().all(|p| (0..=1).contains(&(even[0].sizes[place] - p.sizes[place]))) && even.len() == count as usize);
        let chunks = layout.chunk(count, dim).unwrap();
        assert!(chunks.iter().rev().skip(1).all(|p| p.sizes[place] == chunks[0].sizes[place]) && chunks.len() <= count as usize);
        let by_size = layout.split(count, dim).unwrap();
        assert!(by_size.iter().rev().skip(1).all(|p| p.sizes[place] == count));
        let at = layout.tensor_split_at(&cuts, dim).unwrap();
        assert_eq!(at, layout.split_with_sizes(&lengths, dim).unwrap());
        for pieces in [even, chunks, by_size, at] {
            let joined: Vec<(usize, i64)> =
                pieces.iter().enumerate().flat_map(|(p, piece)| (0..piece.sizes[place]).map(move |i| (p, i))).collect();
            let together = list.remap(&list.sizes, |i| i.to_vec());
            for (whole, (p, i)) in joined.iter().enumerate() {
                assert_eq!(pieces[*p].select(dim, *i).unwrap(), layout.select(dim, whole as i64).unwrap());
            }
            assert!(joined.len() as i64 == size && together == *list);
        }
    }),
    ("as_strided", |dice, layout, list| {
        let other = layout.as_strided(&layout.sizes, &layout.strides, None).unwrap();
        assert_eq!((&other, Listed::of(&other)), (layout, list.clone()));
        let moved = layout.as_strided(&layout.sizes, &layout.strides, Some(dice.below(9))).unwrap();
        let shift = moved.offset - layout.offset;
        assert!(list.cells.iter().zip(moved.cells()).all(|(a, b)| a + shift == b));
    }),
];

/// No strides can do what the obstacle says they cannot: those that the unit indices ask for miss the element it names.
fn check_obstacle(layout: &Layout, list: &Listed, sizes: &[i64]) {
    let target = list.relabelled(sizes);
    let obstacle = layout.view_obstacle(sizes).unwrap();
    let zero = vec![0; sizes.len()];
    let unit = |k: usize| target.at(&spliced(&zero, k, 1, &[1])) - target.at(&zero);
    let asked: i64 = (0..sizes.len()).filter(|&k| obstacle.index[k] > 0).map(|k| obstacle.index[k] * unit(k)).sum();
    assert_eq!(layout.offset + asked, obstacle.needed);
    assert_eq!(target.at(&obstacle.index), obstacle.found);
    assert_ne!(obstacle.needed, obstacle.found);
    assert!(obstacle.index[obstacle.dim] > 0 && obstacle.seam < layout.ndim());
}

/// What `is_contiguous`, `extent`, `overlap` and the walks say must be what the list of cells says.
fn check_facts(layout: &Layout, list: &Listed) {
    assert_eq!(layout.cells().collect::<Vec<_>>(), list.cells);
    let consecutive = list.cells.windows(2).all(|w| w[1] == w[0] + 1);
    assert_eq!(layout.is_contiguous(), consecutive || list.cells.is_empty());
    let (low, high) = (list.cells.iter().min().copied(), list.cells.iter().max().copied());
    assert_eq!(layout.extent(), low.zip(high));
    let mut sorted = list.cells.clone();
    sorted.sort();
    let block = sorted.windows(2).all(|w| w[1] == w[0] + 1);
    assert_eq!(layout.is_dense(), block);
    let repeats = sorted.windows(2).any(|w| w[1] == w[0]);
    match layout.internal_overlap() {
        InternalOverlap::No => assert!(!repeats),
        InternalOverlap::Yes => assert!(repeats || list.cells.is_empty()),
        InternalOverlap::TooHard => {}
    }
    assert!(layout.may_repeat_cells() || !repeats);
    for (n, (index, &cell)) in indices(&list.sizes).iter().zip(&list.cells).enumerate() {
        assert_eq!((layout.nth_index(n as i64).to_vec(), layout.nth_cell(n as i64)), (index.clone(), cell));
    }
    for cell in low.unwrap_or(0) - 1..=high.unwrap_or(0) + 1 {
        let all: Vec<Vec<i64>> = indices(&list.sizes).into_iter().filter(|i| list.at(i) == cell).collect();
        let found: Vec<Vec<i64>> = layout.indices_at(cell, usize::MAX).iter().map(|i| i.to_vec()).collect();
        assert_eq!(found, all, "{layout:?} at cell {cell}");
        assert_eq!(layout.reaches(cell), !all.is_empty());
    }
}

/// Dense strides keep every element apart and the order of dimensions.
fn check_preserved(layout: &Layout) {
    let copy = Layout::new(&layout.sizes, &layout.preserved_strides(), 0);
    assert!(copy.is_dense());
    for (j, k) in indices(&[layout.ndim() as i64; 2]).iter().map(|p| (p[0] as usize, p[1] as usize)) {
        let known = layout.strides[j] > 0 && layout.strides[k] > 0 && !layout.strides.contains(&0);
        if known && layout.strides[j] < layout.strides[k] {
            assert!(copy.strides[j] <= copy.strides[k], "{layout:?} became {copy:?}");
        }
    }
}

#[test]
fn every_operation_is_what_the_list_of_cells_says() {
    let mut dice = Dice(2024);
    let mut cases = 0;
    while cases < steps(120_000, 50) {
        let layout = dice.layout();
        let list = Listed::of(&layout);
        if cases % 25 == 0 {
            check_facts(&layout, &list);
            check_preserved(&layout);
        }
        let (_, law) = LAWS[dice.below(LAWS.len() as i64) as usize];
        if layout.ndim() > 0 {
            law(&mut dice, &layout, &list);
            cases += 1;
        }
    }
}

#[test]
fn negative_strides_walk_too() {
    let mut dice = Dice(7);
    for _ in 0..steps(3_000, 20) {
        let layout = dice.layout();
        let dims: Vec<i64> = (0..layout.ndim() as i64).filter(|_| dice.below(2) == 0).collect();
        let flipped = layout.flip(&dims).unwrap();
        let list = Listed::of(&flipped);
        assert_eq!(flipped.cells().collect::<Vec<_>>(), list.cells);
        for &cell in &list.cells {
            assert_eq!(flipped.indices_at(cell, usize::MAX).len(), list.cells.iter().filter(|c| **c == cell).count());
        }
        assert_eq!(flipped.flip(&dims).unwrap(), layout);
    }
}

#[test]
fn a_huge_layout_is_solved_without_walking_it() {
    let layout = Layout::contiguous(&[1 << 20, 1 << 20, 1 << 20]).reversed();
    assert_eq!(layout.indices_at((5 << 40) + (6 << 20) + 7, 9), [Dims::from_slice(&[7, 6, 5])]);
    assert!(layout.view_obstacle(&[1 << 60]).is_some());
}

proptest! {
    #[test]
    fn dense_strides_of_any_order_are_dense(sizes in prop::collection::vec(0i64..5, 0..6), strides in prop::collection::vec(0i64..50, 6)) {
        let layout = Layout::new(&sizes, &strides[..sizes.len()], 0);
        check_preserved(&layout);
    }

    #[test]
    fn channels_last_is_dense_and_recognised(sizes in prop::collection::vec(1i64..5, 4..6)) {
        let format = if sizes.len() == 4 { MemoryFormat::ChannelsLast } else { MemoryFormat::ChannelsLast3d };
        let layout = Layout::new(&sizes, &format.strides(&sizes).unwrap(), 0);
        prop_assert!(layout.is_dense() && layout.is_contiguous_in(format));
        prop_assert!(MemoryFormat::ChannelsLast.strides(&[2, 3]).is_err() && MemoryFormat::Preserve.strides(&sizes).is_err());
    }

    #[test]
    fn complex_pairs_and_bytes_come_back(sizes in prop::collection::vec(1i64..5, 1..4), offset in 0i64..5) {
        let complex = Layout { offset, ..Layout::contiguous(&sizes) };
        prop_assert_eq!(complex.view_as_real().view_as_complex().unwrap(), complex.clone());
        let (wide, narrow) = (Element { bytes: 8, title: "Double" }, Element { bytes: 2, title: "Short" });
        let shorts = complex.reinterpret(wide, narrow).unwrap();
        prop_assert_eq!(shorts.reinterpret(narrow, wide).unwrap(), complex.clone());
        let first: Vec<i64> = shorts.cells().filter(|c| c % 4 == 0).map(|c| c / 4).collect();
        prop_assert_eq!(first, complex.cells().collect::<Vec<_>>());
    }
}
