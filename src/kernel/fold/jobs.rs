//! How the results of a fold are grouped: which are folded side by side, in as many lanes.

use super::FoldLoop;
use super::lanes::{Lanes, MAX_LANES};
use super::plan::{Dim, FoldPlan};

/// How the places of the `next` dimension are grouped.
#[derive(Clone, Copy, Debug)]
pub struct Jobs<'a> {
    /// The lanes of a group.
    pub lanes: &'a Lanes,
    /// Places that are folded `lanes.width` at a time, then those folded a vector at a time; the rest one by one.
    columns: usize,
    vectors: usize,
    /// Places that are folded side by side, as many at a time as there are lanes; the last ones.
    group: usize,
    /// How single rows are folded.
    pub row: &'a Lanes,
    places: usize,
}

/// Some places of the `next` dimension, folded together.
#[derive(Clone, Copy, Debug)]
pub enum Job {
    /// One place.
    Row(usize),
    /// `width` places in as many lanes.
    Columns(usize),
    /// `vector` places, several rows side by side.
    Vectors(usize),
    /// Places that do not fill lanes, side by side.
    Group(usize),
}

impl Job {
    /// Its first place.
    pub fn first(self) -> usize {
        match self {
            Job::Row(place) | Job::Columns(place) | Job::Vectors(place) | Job::Group(place) => place,
        }
    }
}

impl<'a> Jobs<'a> {
    /// True when every place is folded by itself.
    pub fn are_rows(&self) -> bool {
        self.columns + self.vectors + self.group == 0
    }

    /// Groups the places of a plan; columns that do not fill lanes side by side where they may be `grouped`.
    pub fn new(fold: &'a FoldLoop, plan: &FoldPlan, grouped: bool) -> Jobs<'a> {
        let steps =
            |dim: &Dim, size: usize| dim.steps.iter().zip(&plan.sizes).all(|(step, bytes)| *step == (*bytes * size) as isize);
        let (wide, narrow) = (&fold.wide, &fold.narrow);
        let places = plan.next.size;
        let enough = plan.count >= fold.wide_from;
        let rows = |row| Jobs { lanes: row, columns: 0, vectors: 0, group: 0, row, places };
        if steps(&plan.inner, 1) && (plan.inner.size >= wide.vector || !wide.folds_vectors) {
            return rows(if enough { wide } else { narrow });
        }
        let columns = |lanes: &'a Lanes| {
            // A column in a lane of its own is a group of one.
            let columns = if grouped && lanes.width == 1 { 0 } else { places / lanes.width * lanes.width };
            let group = if grouped { places - columns } else { 0 };
            let vectors = if lanes.folds_vectors && group == 0 { (places - columns) / lanes.vector * lanes.vector } else { 0 };
            Jobs { lanes, columns, vectors: if lanes.vector > 1 { vectors } else { 0 }, group, row: narrow, places }
        };
        let inner = plan.inner.steps.first().map_or(0, |s| s.abs());
        let next = plan.next.steps.first().map_or(0, |s| s.abs());
        if steps(&plan.next, 1) && places >= wide.vector {
            columns(if enough { wide } else { narrow })
        } else if inner < next || places == 1 {
            rows(narrow)
        } else {
            columns(narrow)
        }
    }

    /// Columns, the first ones, each of which is folded in a lane of its own.
    pub fn alone(&self) -> usize {
        self.columns
    }

    /// How many jobs.
    pub fn count(&self) -> usize {
        let rows = self.places - self.columns - self.vectors - self.group;
        self.columns / self.lanes.width + self.vectors / self.lanes.vector + self.group.div_ceil(MAX_LANES) + rows
    }

    /// A job by its number.
    pub fn get(&self, i: usize) -> Job {
        let (columns, vectors) = (self.columns / self.lanes.width, self.vectors / self.lanes.vector);
        if i < columns {
            Job::Columns(i * self.lanes.width)
        } else if i < columns + vectors {
            Job::Vectors(self.columns + (i - columns) * self.lanes.vector)
        } else if self.group > 0 {
            Job::Group(self.columns + (i - columns) * MAX_LANES)
        } else {
            Job::Row(self.columns + self.vectors + i - columns - vectors)
        }
    }

    /// Places of a job.
    pub fn places(&self, job: Job) -> usize {
        match job {
            Job::Row(_) => 1,
            Job::Columns(_) => self.lanes.width,
            Job::Vectors(_) => self.lanes.vector,
            Job::Group(first) => MAX_LANES.min(self.places - first),
        }
    }
}
