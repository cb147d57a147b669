//! What there is to say about a tensor in words: size, stride, offset, and what makes it special.

use super::grouped;
use super::table::Column;
use crate::layout::Layout;
use crate::show::object::tuple;
use crate::tensor::Tensor;

/// A tensor and the text the user wrote for it.
pub struct Named {
    /// A variable's name or an expression.
    pub name: String,
    /// The tensor.
    pub tensor: Tensor,
}

impl Named {
    /// The strided tensors that make it up: itself, or the indices and values of a sparse one.
    pub fn parts(&self) -> Vec<Named> {
        let Some(sparse) = self.tensor.sparse() else {
            return vec![Named { name: self.name.clone(), tensor: self.tensor.clone() }];
        };
        let names = sparse.kind.parts();
        let tensors = sparse.indices.iter().chain([&sparse.values]);
        // A long text is cut at its end, where the parts would differ.
        let is_short = self.name.len() <= SHORT;
        let name = |part: &str| if is_short { format!("{}.{part}()", self.name) } else { format!("{part} of {}", self.name) };
        names.iter().zip(tensors).map(|(part, t)| Named { name: name(part), tensor: t.clone() }).collect()
    }
}

/// Columns of a name that is short.
const SHORT: usize = 6;

/// The columns that every table of tensors has, after those of its own.
pub(super) const COLUMNS: [Column<'static>; 7] = [
    Column::new("name").cut(8),
    Column::new("size").cut(7),
    Column::new("stride").cut(7).droppable(),
    Column::new("offset").right().droppable(),
    Column::new("cells").droppable(),
    Column::new("contiguous").droppable(),
    Column::new("").wrapped(11),
];

/// The cells of a row for [`COLUMNS`], without the name. `cells` is how many cells the storage has.
pub(super) fn cells_of(tensor: &Tensor, cells: i64) -> Vec<String> {
    let layout = tensor.layout();
    let [size, stride, offset] = geometry(&layout);
    vec![size, stride, offset, share(&layout, cells), contiguity(&layout).to_string(), remarks(tensor).join(", ")]
}

/// Size, stride and offset as texts, in that order.
pub(super) fn geometry(layout: &Layout) -> [String; 3] {
    [tuple(&layout.sizes), tuple(&layout.strides), layout.offset.to_string()]
}

/// `yes` or `no`.
pub(super) fn contiguity(layout: &Layout) -> &'static str {
    if layout.is_contiguous() { "yes" } else { "no" }
}

/// `6/20`: how many of a storage's cells a layout reaches; `?/20` when it would take a walk to know.
fn share(layout: &Layout, cells: i64) -> String {
    match layout.distinct_cells() {
        Some(reached) if reached == cells => "all".to_string(),
        Some(reached) => format!("{}/{}", grouped(reached), grouped(cells)),
        None => format!("?/{}", grouped(cells)),
    }
}

/// What sets a tensor apart from a plain one, in words.
pub(super) fn remarks(tensor: &Tensor) -> Vec<&'static str> {
    let layout = tensor.layout();
    let repeats = layout.sizes.iter().zip(&layout.strides).any(|(size, stride)| *size > 1 && *stride == 0);
    let overlaps = !repeats && layout.distinct_cells().is_some_and(|n| n < layout.numel());
    let facts = [
        (repeats, "expanded"),
        (overlaps, "overlapping"),
        (tensor.is_conj(), "conjugate"),
        (tensor.is_neg(), "negative"),
        (tensor.requires_grad(), "requires grad"),
    ];
    facts.into_iter().filter_map(|(holds, word)| holds.then_some(word)).collect()
}
