//! How the results of a fold are grouped: which are folded side by side, in as many lanes.

use super::FoldLoop;
use super::lanes::Lanes;
use super::plan::{Dim, FoldPlan};

/// How the places of the `next` dimension are grouped.
#[derive(Clone, Copy, Debug)]
pub struct Jobs<'a> {
    /// The lanes of a group.
    pub lanes: &'a Lanes,
    /// Places that are folded `lanes.width` at a time, then those folded a vector at a time; the rest one by one.
    columns: usize,
    vectors: usize,
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
}

impl Job {
    /// Its first place.
    pub fn first(self) -> usize {
        match self {
            Job::Row(place) | Job::Columns(place) | Job::Vectors(place) => place,
        }
    }
}

impl<'a> Jobs<'a> {
    /// True when every place is folded by itself.
    pub fn are_rows(&self) -> bool {
        self.columns + self.vectors == 0
    }

    /// Groups the places of a plan.
    pub fn new(fold: &'a FoldLoop, plan: &FoldPlan) -> Jobs<'a> {
        let steps =
            |dim: &Dim, size: usize| dim.steps.iter().zip(&plan.sizes).all(|(step, bytes)| *step == (*bytes * size) as isize);
        let (wide, narrow) = (&fold.wide, &fold.narrow);
        let places = plan.next.size;
        let enough = plan.count >= fold.wide_from;
        let rows = |row| Jobs { lanes: row, columns: 0, vectors: 0, row, places };
        if steps(&plan.inner, 1) && (plan.inner.size >= wide.vector || !wide.folds_vectors) {
            return rows(if enough { wide } else { narrow });
        }
        let columns = |lanes: &'a Lanes| {
            let columns = places / lanes.width * lanes.width;
            let vectors = if lanes.folds_vectors { (places - columns) / lanes.vector * lanes.vector } else { 0 };
            Jobs { lanes, columns, vectors: if lanes.vector > 1 { vectors } else { 0 }, row: narrow, places }
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

    /// How many jobs.
    pub fn count(&self) -> usize {
        self.columns / self.lanes.width + self.vectors / self.lanes.vector + (self.places - self.columns - self.vectors)
    }

    /// A job by its number.
    pub fn get(&self, i: usize) -> Job {
        let (columns, vectors) = (self.columns / self.lanes.width, self.vectors / self.lanes.vector);
        if i < columns {
            Job::Columns(i * self.lanes.width)
        } else if i < columns + vectors {
            Job::Vectors(self.columns + (i - columns) * self.lanes.vector)
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
        }
    }
}
