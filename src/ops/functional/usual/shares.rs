//! How PyTorch's library for convolutions shares out the sums of the gradients of weights and offsets: whole examples, or rows of
//! results, are added up by each thread, and then what the threads found; or each thread takes some channels, and nothing is split.

use crate::kernel::follows_avx512;
use crate::kernel::pools::Windows;

/// A convolution of two dimensions whose weights' gradient is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub windows: &'a Windows,
    pub batch: usize,
    pub groups: usize,
    /// Channels that go in, and that come out, of a group.
    pub inside: usize,
    pub rows: usize,
    pub threads: usize,
}

/// The windows, counted over all examples, behind which each part ends: for the weights and for the offsets.
pub(super) struct Shares {
    pub weights: Vec<usize>,
    pub offsets: Vec<usize>,
}

/// Rows of results from which on they are shared out instead of examples.
const ROWS: usize = 10;

/// How work is divided: threads for each of examples, blocks of channels that come out, and of those that go in.
type Division = [usize; 3];

impl Task<'_> {
    /// How all is shared out.
    pub fn shares(&self) -> Shares {
        let (examples, count) = (self.batch, self.windows.count());
        let of = |parts: usize, rows: usize| ends(examples * rows, parts).map(|end| end * (count / rows)).collect();
        let tall = self.windows.out[0];
        let alone = |blocks: usize| (self.threads / blocks.min(self.threads).max(1)).min(examples);
        if self.groups > 1 {
            // Planes with their own windows are taken alone; of other groups each thread has some.
            let parts =
                if self.inside * self.rows == 1 { (self.threads / self.width().min(self.threads)).min(examples) } else { 1 };
            return Shares { weights: of(parts, 1), offsets: of(parts, 1) };
        }
        if self.windows.cells() == 1 {
            return Shares { weights: self.points(), offsets: of(alone(self.rows.div_ceil(16)), 1) };
        }
        if !self.is_wide() {
            let [out, into] = [self.rows.div_ceil(8), self.inside.div_ceil(8)];
            return Shares { weights: of(alone(out * into), 1), offsets: of(alone(out), 1) };
        }
        let [parts, ..] = self.division();
        if self.has_rows() {
            return Shares { weights: of(parts, tall), offsets: of(parts, tall) };
        }
        Shares { weights: of(parts, 1), offsets: of(alone(self.rows.div_ceil(16)), 1) }
    }

    /// Where parts of windows of one cell end: some of them are taken at a time, each thread has as many of those.
    fn points(&self) -> Vec<usize> {
        let (count, wide) = (self.windows.count(), self.windows.sizes[1]);
        let unit = (7..=16).rev().find(|unit| count % unit == 0);
        let unit = unit.or_else(|| (4..=wide).find(|unit| wide % unit == 0)).unwrap_or(count).max(1);
        let units = count / unit;
        let [out, into] = [self.rows.div_ceil(16), self.inside.div_ceil(16)];
        let memory = |[examples, outs, ins]: Division| {
            let (out, into, taken) = (out.div_ceil(outs), into.div_ceil(ins), (self.batch * units).div_ceil(examples));
            taken * (out + into) * 16 * unit + 12 * out * into * 256
        };
        let mut best = [1; 3];
        for division in divisions(self.threads, self.threads.min(self.batch * units), [out, into]) {
            best = if memory(division) <= memory(best) { division } else { best };
        }
        let parts = if best[0] > self.threads / 2 && best[0] < self.threads { self.batch.min(self.threads) } else { best[0] };
        ends(self.batch * units, parts).map(|end| end / units * count + end % units * unit).collect()
    }

    /// Blocks of planes that have their own windows.
    fn width(&self) -> usize {
        self.groups.div_ceil(if follows_avx512() { 16 } else { 8 })
    }

    /// How far a window reaches in a direction.
    fn reach(&self, direction: usize) -> usize {
        (self.windows.kernel[direction] - 1) * self.windows.spread[direction] + 1
    }

    /// True where vectors of 16 channels are taken, which needs few or enough of them and narrow borders.
    fn is_wide(&self) -> bool {
        follows_avx512()
            && !(4..16).contains(&self.inside)
            && self.windows.pad[0] <= self.reach(0) / 2
            && self.windows.pad[1] < self.reach(1)
    }

    /// True where rows are shared out.
    fn has_rows(&self) -> bool {
        self.windows.out[0] >= ROWS && self.windows.spread[0] == 1
    }

    /// Blocks of channels that come out and that go in, and channels of one that goes in.
    fn blocks(&self) -> [usize; 3] {
        let block = if self.inside < 4 { self.inside } else { 16 };
        [self.rows.div_ceil(16), self.inside.div_ceil(block), block]
    }

    /// The division that costs least memory, or little more and less work.
    fn division(&self) -> Division {
        let [out, into, _] = self.blocks();
        let rows = if self.has_rows() { self.windows.out[0] } else { 1 };
        let most = self.threads.min(self.batch * (rows / (ROWS - 1)).max(1));
        let divisions = || divisions(self.threads, most, [out, into]);
        let mut best = [1; 3];
        for division in divisions() {
            best = if self.memory(division) <= self.memory(best) { division } else { best };
        }
        let (least, mut work) = (self.memory(best) as f64, self.work(best));
        for division in divisions() {
            let new = self.work(division);
            if new <= work && (self.memory(division) as f64) < 1.1 * least || 4 * new <= 3 * work {
                (best, work) = (division, new);
            }
        }
        if best[0] > self.threads / 2 && best[0] < self.threads {
            best[0] = most;
        }
        best
    }

    /// The memory that a thread reads and writes.
    fn memory(&self, [examples, outs, ins]: Division) -> usize {
        let (w, [out, into, block]) = (self.windows, self.blocks());
        let (out, into) = (out.div_ceil(outs), into.div_ceil(ins));
        let lines = |tall: usize| match self.has_rows() {
            true => (self.batch * tall).div_ceil(examples),
            false => self.batch.div_ceil(examples) * tall,
        };
        let read = match self.has_rows() {
            true => lines(w.sizes[0]) * into * block * w.sizes[1] / w.step[0] / w.step[1],
            false => self.batch.div_ceil(examples) * into * block * w.sizes[0] * w.sizes[1] / w.step[0] / w.step[1],
        };
        read + lines(w.out[0]) * out * 16 * w.out[1] + 8 * out * into * w.cells() * block * 16
    }

    /// The blocks of results that a thread works on.
    fn work(&self, [examples, outs, ins]: Division) -> usize {
        let [out, into, _] = self.blocks();
        let rows = if self.has_rows() { self.windows.out[0] } else { 1 };
        (self.batch * rows).div_ceil(examples) * out.div_ceil(outs) * into.div_ceil(ins)
    }
}

/// All divisions of so many threads, of which at most `most` share out examples, with so many blocks of channels.
fn divisions(threads: usize, most: usize, [out, into]: [usize; 2]) -> impl Iterator<Item = Division> {
    (1..=most).flat_map(move |examples| {
        let rest = threads / examples;
        (1..=rest.min(out)).map(move |outs| [examples, outs, (rest / outs).min(into)])
    })
}

/// Behind which of `count` things each part ends, where the first parts have one more if they do not come out even.
fn ends(count: usize, parts: usize) -> impl Iterator<Item = usize> {
    let parts = parts.clamp(1, count.max(1));
    (1..=parts).map(move |part| part * (count / parts) + part.min(count % parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_where_the_library_ends_them() {
        let square = |size: usize, kernel: usize| Windows {
            sizes: [size, size, 1],
            out: [size + 1 - kernel, size + 1 - kernel, 1],
            kernel: [kernel, kernel, 1],
            step: [1; 3],
            pad: [0; 3],
            spread: [1; 3],
        };
        let of = |batch, [inside, rows]: [usize; 2], size, kernel| {
            let windows = square(size, kernel);
            let shares = Task { windows: &windows, batch, groups: 1, inside, rows, threads: 2 }.shares();
            [shares.weights, shares.offsets].map(|ends| ends.iter().map(|end| end * 10 / windows.count()).collect::<Vec<_>>())
        };
        // Examples, rows of them, and those of a convolution with too many channels to be split.
        assert_eq!(of(5, [1, 4], 8, 3), [[30, 50], [30, 50]]);
        assert_eq!(of(5, [1, 4], 12, 3), [[25, 50], [25, 50]]);
        assert_eq!(of(5, [3, 20], 12, 3), [vec![50], vec![50]]);
        assert_eq!(of(5, [3, 20], 16, 3), [[25, 50], [25, 50]]);
        assert_eq!(of(5, [4, 4], 28, 3), [[30, 50], [30, 50]]);
        assert_eq!(of(4, [10, 8], 8, 3), [vec![40], vec![20, 40]]);
        assert_eq!(of(4, [1, 33], 8, 3), [vec![20, 40], vec![40]]);
        // Windows of one cell: 16 or so at a time.
        assert_eq!(of(3, [3, 8], 8, 1), [[15, 30], [20, 30]]);
        assert_eq!(of(3, [3, 8], 6, 1), [[16, 30], [20, 30]]);
        assert_eq!(of(3, [32, 32], 8, 1), [[30], [30]]);
        assert_eq!(of(3, [32, 32], 12, 1), [vec![15, 30], vec![30]]);
    }
}
