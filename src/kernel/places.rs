//! Elements of the last dimensions at places named once for all: borders, and the nearest elements of an image of another size.

use super::pieces::each;

/// Fills `to` from `from`, blocks whose last dimension has `wide` elements and which have `lines` lines: of each block the lines
/// that start `rows` elements behind its own start, and of each line the elements at `columns`. All places lie in the block.
pub fn take<E: Copy + Send + Sync>(from: &[E], [lines, wide]: [usize; 2], rows: &[usize], columns: &[usize], to: &mut [E]) {
    let (width, block, runs) = (columns.len(), lines * wide, Runs::of(columns));
    each(to, width, width, |line, to| runs.copy(&from[line / rows.len() * block + rows[line % rows.len()]..][..wide], to));
}

/// Places of a line, as stretches of neighbours where these are long.
enum Runs {
    Stretches(Vec<(usize, usize)>),
    Each(Vec<usize>),
}

/// How long stretches are, on average, if they are worth a copy each.
const LONG: usize = 8;

impl Runs {
    fn of(places: &[usize]) -> Runs {
        let stretches: Vec<_> = places.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run.len())).collect();
        if stretches.len() * LONG <= places.len() { Runs::Stretches(stretches) } else { Runs::Each(places.to_vec()) }
    }

    fn copy<E: Copy>(&self, line: &[E], to: &mut [E]) {
        match self {
            Runs::Each(places) => to.iter_mut().zip(places).for_each(|(to, place)| *to = line[*place]),
            Runs::Stretches(stretches) => {
                let mut rest = to;
                for (start, length) in stretches {
                    let (now, later) = rest.split_at_mut(*length);
                    now.copy_from_slice(&line[*start..*start + *length]);
                    rest = later;
                }
            }
        }
    }
}
