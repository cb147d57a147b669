//! `%layout`: the cells of each storage, and under each cell the indices that reach it.

use super::arrows::{Lane, lanes};
use super::choose::{WHOLE, choose};
use super::explained::{indented, sentence};
use super::facts::{self, Named};
use super::reading;
use super::strip::{Slot, Strip};
use super::table::table;
use super::{counted, grouped, shortened};
use crate::device::DeviceId;
use crate::dtype::{DType, Number};
use crate::layout::{Layout, Visitors};
use crate::settings;
use crate::show::column::Column;
use crate::show::{Doc, Style};
use crate::tensor::{Storage, Tensor};
use anyhow::Result;
use std::ops::Range;
use std::rc::Rc;

/// Lines of cells in the picture of a storage that is not shown whole.
const LINES: usize = 2;
/// Cells of a storage under which the arrows of a tensor with so many dimensions are drawn unasked, by dimensions.
const ARROWS: [i64; 4] = [WHOLE, WHOLE, WHOLE, 12];
/// Cells shown at most when the user asks for a range of them.
pub(super) const MOST: i64 = 1000;
/// Indices of one cell that are counted at most.
pub(super) const COUNTED: usize = 1000;
/// Columns of a name before a row of cells, at most.
pub(super) fn room_for_label(width: usize) -> usize {
    (width / 3).min(20)
}

/// What the rows of cells are called.
const HEADS: [&str; 2] = ["cell", "value"];

/// The picture of some tensors, storage by storage: their facts, then the cells with the index by which each tensor reaches
/// them. `window` picks the cells to show; without it a large storage is elided. `arrows` says whether offset and strides are
/// drawn as arrows; without it they are where it is clear whose they are: a small storage with one name. Fails with a
/// `RuntimeError` when a storage was made too small for a tensor.
pub fn layout(tensors: &[Named], window: Option<Range<i64>>, arrows: Option<bool>, width: usize) -> Result<Doc> {
    let mut groups: Vec<Group> = vec![];
    for part in tensors.iter().flat_map(Named::parts) {
        let (storage, dtype) = (part.tensor.storage()?, part.tensor.dtype());
        match groups.iter_mut().find(|g| g.storage.same(&storage) && g.dtype == dtype) {
            Some(group) => group.members.push(part),
            None => groups.push(Group { storage, dtype, members: vec![part] }),
        }
    }
    let are_few = groups.len() <= 2 && groups.iter().all(|group| group.members.len() == 1) && window.is_none();
    let mut doc = Doc::new();
    for (k, group) in groups.iter().enumerate() {
        if k > 0 {
            doc.newline();
        }
        let arrows = match arrows {
            Some(true) => Arrows::Drawn,
            None if are_few && group.is_small() => Arrows::WhereClear,
            _ => Arrows::None,
        };
        group.draw(&mut doc, window.clone(), arrows, width)?;
    }
    Ok(doc)
}

/// Whether offset and strides are drawn as arrows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrows {
    Drawn,
    /// Unless the storage takes so many lines that arrows would go on from one to the next all the time.
    WhereClear,
    None,
}

/// Lines of cells with arrows at most, when nobody asked for arrows.
const CLEAR: usize = 4;

/// The tensors that read one storage as one dtype.
struct Group {
    storage: Storage,
    dtype: DType,
    members: Vec<Named>,
}

impl Group {
    fn cells(&self) -> i64 {
        (self.storage.nbytes() / self.dtype.size()) as i64
    }

    /// True when arrows make its picture clearer and not fuller.
    fn is_small(&self) -> bool {
        self.members.iter().all(|member| ARROWS.get(member.tensor.ndim()).is_some_and(|most| self.cells() <= *most))
    }

    fn draw(&self, doc: &mut Doc, window: Option<Range<i64>>, arrows: Arrows, width: usize) -> Result<()> {
        let (cells, bytes) = (self.cells(), self.storage.nbytes());
        let label = self.storage.label();
        let device = match self.storage.device() {
            DeviceId::Cpu => String::new(),
            other => format!(", on {other}"),
        };
        let sizes = format!("{}, {}, {}{device}", self.dtype.name(), counted(cells, "cell"), counted(bytes, "byte"));
        let mut title = Doc::plain(" storage ");
        let lines = indented(&format!("storage #{label} · {sizes}"), width);
        let (_, rest) = lines.split_once('#').unwrap_or_default();
        let (number, rest) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
        title.push(Style::Strong, &format!("#{number}")).push(Style::Plain, rest).newline();
        doc.append(&title.told_as(format!("Storage {label}: {sizes}.")));
        doc.append(&self.facts(cells, width));
        if cells > 0 {
            doc.newline();
        }
        let names: Vec<String> = self.members.iter().map(|m| shortened(&m.name, room_for_label(width))).collect();
        let layouts: Vec<Rc<Layout>> = self.members.iter().map(|m| m.tensor.layout()).collect();
        let lanes = |slots: &[Slot]| -> Vec<Vec<Lane>> {
            layouts.iter().filter(|_| arrows != Arrows::None).map(|layout| lanes(layout, slots)).collect()
        };
        let chosen = self.chosen(cells, window, &layouts, |slots| {
            Strip { heads: HEADS, names: &names, slots, lanes: &lanes(slots), width }.lines().len() <= LINES
        });
        let slots = self.slots(&chosen, &layouts)?;
        let mut lanes = lanes(&slots);
        let lines = Strip { heads: HEADS, names: &names, slots: &slots, lanes: &lanes, width }.lines().len();
        if arrows == Arrows::WhereClear && lines > CLEAR {
            lanes.clear();
        }
        let mut strip = Strip { heads: HEADS, names: &names, slots: &slots, lanes: &lanes, width }.doc();
        if let Some(legend) = legend(&slots) {
            sentence(&mut strip, Style::Note, &legend, width);
        }
        let arrows = |k: usize| lanes.get(k).into_iter().flatten().map(Lane::told).collect::<String>();
        let members: String = self.members.iter().enumerate().map(|(k, m)| reading::tensor(m) + &arrows(k)).collect();
        doc.append(&strip.told_as(reading::contents(&chosen, &self.values(&chosen)?) + &members));
        for member in &self.members {
            let way = match (member.tensor.is_conj(), member.tensor.is_neg()) {
                (false, false) => continue,
                (true, _) => "as its conjugate",
                (false, true) => "negated",
            };
            sentence(doc, Style::Note, &format!("{} reads each value {way}", member.name), width);
        }
        Ok(())
    }

    fn facts(&self, cells: i64, width: usize) -> Doc {
        let rows: Vec<Vec<String>> =
            self.members.iter().map(|m| [vec![m.name.clone()], facts::cells_of(&m.tensor, cells)].concat()).collect();
        table(&facts::COLUMNS, &rows, width)
    }

    /// The numbers of the cells to show, in order: those asked for, or as many as `fits` says there is room for.
    fn chosen(&self, cells: i64, window: Option<Range<i64>>, layouts: &[Rc<Layout>], fits: impl Fn(&[Slot]) -> bool) -> Vec<i64> {
        if let Some(window) = window {
            let start = window.start.clamp(0, cells);
            return (start..window.end.clamp(start, cells).min(start + MOST)).collect();
        }
        let layouts_ref: Vec<&Layout> = layouts.iter().map(Rc::as_ref).collect();
        choose(cells, WHOLE, &layouts_ref, |chosen| fits(&self.slots(chosen, layouts).unwrap_or_default()))
    }

    fn slots(&self, chosen: &[i64], layouts: &[Rc<Layout>]) -> Result<Vec<Slot>> {
        let values = self.values(chosen)?;
        let mut slots = vec![];
        let mut next = chosen.first().copied().unwrap_or(0);
        for (&number, value) in chosen.iter().zip(values) {
            if number != next {
                slots.push(Slot::Gap);
            }
            next = number + 1;
            let indices = layouts.iter().map(|l| l.visitors(number, COUNTED).map(|v| index_text(&v))).collect();
            slots.push(Slot::Cell { number, value, indices });
        }
        Ok(slots)
    }

    /// The values of some cells, each as a tensor of it alone would be printed; `?` where there is no memory.
    fn values(&self, chosen: &[i64]) -> Result<Vec<String>> {
        if self.storage.device() == DeviceId::Meta {
            return Ok(vec!["?".to_string(); chosen.len()]);
        }
        let size = self.dtype.size();
        let numbers: Vec<Number> = self.storage.read(|bytes| {
            let cells = chosen.iter().filter_map(|&cell| bytes.get(cell as usize * size..));
            cells.map(|bytes| Number::read(self.dtype, bytes)).collect()
        })?;
        Ok(numbers.into_iter().map(|number| value_text(self.dtype, number)).collect())
    }
}

/// What the first index that stands for several says; none when none does.
fn legend(slots: &[Slot]) -> Option<String> {
    let indices = slots.iter().filter_map(|slot| if let Slot::Cell { indices, .. } = slot { Some(indices) } else { None });
    let text = indices.flatten().flatten().find(|text| text.contains('+'))?;
    let (first, more) = text.split_once('+')?;
    let least = if more.ends_with("..") { "at least " } else { "" };
    let more = more.trim_end_matches('.').parse::<i64>().map_or(more.to_string(), grouped);
    Some(format!("{text}: the cell is reached by index {first} and by {least}{more} more"))
}

/// A value as a tensor of it alone would be printed: one format for all values would be as wide as the widest.
pub(super) fn value_text(dtype: DType, number: Number) -> String {
    let mut options = settings::with(|s| s.print.clone());
    options.precision = options.precision.max(0);
    let mut out = String::new();
    Column::new(dtype, &options, |add| add(number)).write(&mut out, number);
    out.trim().to_string()
}

/// `1,2`, `()` for a 0-d tensor, `0,2+3` when three more indices reach the cell, `0,2+999..` when they were not counted to the end.
pub(super) fn index_text(visitors: &Visitors) -> String {
    let first: Vec<String> = visitors.first.iter().map(i64::to_string).collect();
    let first = if first.is_empty() { "()".to_string() } else { first.join(",") };
    match (visitors.count, visitors.exact) {
        (1, true) => first,
        (count, true) => format!("{first}+{}", count - 1),
        (count, false) => format!("{first}+{}..", count - 1),
    }
}

/// How many cells of its storage a tensor could have: the storage's length in elements of the tensor's dtype.
pub(super) fn cells_below(tensor: &Tensor) -> Result<i64> {
    Ok((tensor.storage()?.nbytes() / tensor.dtype().size()) as i64)
}
