//! `%show x`: a tensor of up to four dimensions as slabs of two, each with the index that gives it.

use super::explained::{heading, sentence};
use super::facts::Named;
use crate::device::DeviceId;
use crate::dtype::Number;
use crate::settings;
use crate::show::column::Column;
use crate::show::elements::{Shown, View};
use crate::show::narrate;
use crate::show::object::tuple;
use crate::show::{Doc, Style};
use crate::tensor::Strided;
use anyhow::Result;
use unicode_width::UnicodeWidthStr;

/// Most dimensions that are drawn.
pub const DIMS: usize = 4;

/// Items of the dimension that goes down a slab, and of those that number slabs: all when there are so many, else so many at the
/// start and at the end.
const DOWN: Fold = Fold { most: 12, edge: 5 };
const SLABS: Fold = Fold { most: 6, edge: 2 };

/// Blanks between two numbers of a row and between two slabs.
const GAP: usize = 2;
const BETWEEN: usize = 4;

/// What stands for items that are left out.
const LEFT_OUT: &str = "..";

/// How a long dimension is shortened.
#[derive(Clone, Copy)]
struct Fold {
    most: usize,
    edge: usize,
}

impl Fold {
    /// The items of a dimension that are shown; none for those left out.
    fn items(self, size: i64) -> Vec<Option<i64>> {
        let edge = self.edge as i64;
        match size > self.most as i64 && size > 2 * edge {
            true => (0..edge).map(Some).chain([None]).chain((size - edge..size).map(Some)).collect(),
            false => (0..size).map(Some).collect(),
        }
    }
}

/// The tensor, or why it cannot be drawn. It has at most [`DIMS`] dimensions and is not sparse.
pub fn facets(named: &Named, width: usize) -> Result<Doc> {
    let (tensor, (mut doc, found)) = (&named.tensor, opened(named, width)?);
    let Some(strided) = found else { return Ok(doc) };
    let drawing = View::open(&strided, tensor.dtype(), Shown::all(), |view| Ok(Drawing::of(view, width)))?;
    doc.append(&drawing.doc(width));
    drawing.left_out(&mut doc, tensor.ndim(), width);
    Ok(doc)
}

/// The heading of a picture of elements and the tensor with two dimensions at least, one with fewer as a row; none when it has no
/// elements to show, which the document says then.
pub(super) fn opened(named: &Named, width: usize) -> Result<(Doc, Option<Strided>)> {
    let (tensor, mut doc) = (&named.tensor, Doc::new());
    let sizes = tensor.sizes();
    heading(&mut doc, &named.name, Style::Plain, &format!(": {} {}", tensor.dtype().name(), tuple(&sizes)), width);
    if tensor.device() == DeviceId::Meta || tensor.numel() == 0 {
        let text = if tensor.numel() == 0 { "it has no elements" } else { "a meta tensor has no elements to show" };
        sentence(&mut doc, Style::Note, text, width);
        return Ok((doc, None));
    }
    let mut strided = tensor.strided()?;
    let mut layout = (*strided.layout).clone();
    while layout.ndim() < 2 {
        layout.sizes.insert(0, 1);
        layout.strides.insert(0, 0);
    }
    strided.layout = layout.into();
    Ok((doc, Some(strided)))
}

/// What is drawn: which items of each dimension, and the texts of their elements.
struct Drawing {
    sizes: Vec<i64>,
    folds: Vec<Vec<Option<i64>>>,
    slabs: Vec<Slab>,
}

/// Two dimensions of a tensor at one index of the others.
struct Slab {
    /// The index of the others; none where slabs are left out.
    index: Vec<Option<i64>>,
    /// Rows of texts, all of one width.
    rows: Vec<Vec<String>>,
}

impl Drawing {
    fn of(view: &View, width: usize) -> Drawing {
        let layout = view.layout;
        let (leading, across) = (layout.ndim() - 2, layout.sizes[layout.ndim() - 1]);
        let mut folds: Vec<Vec<Option<i64>>> = layout.sizes[..leading].iter().map(|size| SLABS.items(*size)).collect();
        folds.push(DOWN.items(layout.sizes[leading]));
        folds.push(Fold { most: width, edge: width / 2 }.items(across));
        let mut options = settings::with(|s| s.print.clone());
        options.precision = options.precision.max(0);
        let numbers = |add: &mut dyn FnMut(Number)| {
            each(&folds, &mut |index| {
                let index: Option<Vec<i64>> = index.iter().copied().collect();
                index.into_iter().for_each(|index| add(view.at(layout.address(&index))));
            });
        };
        let column = Column::new(view.dtype, &options, numbers);
        let text = |index: &[i64]| {
            let mut out = String::new();
            column.write(&mut out, view.at(layout.address(index)));
            out
        };
        let mut wide = if folds[..=leading].iter().any(|fold| fold.contains(&None)) { LEFT_OUT.len() } else { 1 };
        let mut measure = |number: Number| {
            let mut out = String::new();
            column.write(&mut out, number);
            wide = wide.max(out.width());
        };
        numbers(&mut measure);
        // As many numbers as the columns hold.
        let fitting = (width.saturating_sub(MARGIN) + GAP) / (wide + GAP);
        if across as usize > fitting {
            wide = wide.max(LEFT_OUT.len());
            let edge = (fitting.saturating_sub(1) / 2).max(1);
            folds[leading + 1] = Fold { most: 0, edge }.items(across);
        }
        let mut slabs = vec![];
        each(&folds[..leading], &mut |outer| {
            let row = |down: Option<i64>, across: Option<i64>| {
                let inner = down.zip(across).map(|(down, across)| [down, across]);
                let index: Option<Vec<i64>> = outer.iter().copied().chain(inner.map_or([None; 2], |i| i.map(Some))).collect();
                index.map_or(LEFT_OUT.to_string(), |index| text(&index))
            };
            let rows = folds[leading].iter().map(|down| folds[leading + 1].iter().map(|across| row(*down, *across)).collect());
            let rows: Vec<Vec<String>> = if outer.contains(&None) { vec![] } else { rows.collect() };
            slabs.push(Slab { index: outer.to_vec(), rows: aligned(rows, wide) });
        });
        Drawing { sizes: layout.sizes.to_vec(), folds, slabs }
    }

    fn doc(&self, width: usize) -> Doc {
        let mut doc = Doc::new();
        let slab_width = self.slabs.iter().map(Slab::width).max().unwrap_or(1);
        let on_a_line = ((width.saturating_sub(MARGIN) + BETWEEN) / (slab_width + BETWEEN)).max(1);
        // Slabs of one index of the first of four dimensions stand together.
        let together = self.folds.get(1).filter(|_| self.folds.len() == DIMS).map_or(usize::MAX, Vec::len);
        let groups = self.slabs.chunks(together.min(self.slabs.len().max(1)));
        let lines: Vec<&[Slab]> = groups.flat_map(|group| group.chunks(on_a_line)).collect();
        for (n, line) in lines.iter().enumerate() {
            if n > 0 {
                doc.newline();
            }
            write_line(&mut doc, line, slab_width);
        }
        doc.told_as(self.slabs.iter().map(Slab::told).collect::<String>())
    }

    /// Which items of long dimensions are shown.
    fn left_out(&self, doc: &mut Doc, ndim: usize, width: usize) {
        let skipped = self.sizes.len() - ndim.min(self.sizes.len());
        for (dim, (fold, size)) in self.folds.iter().zip(&self.sizes).enumerate().skip(skipped) {
            if fold.contains(&None) {
                let shown: Vec<i64> = fold.iter().flatten().copied().collect();
                sentence(doc, Style::Note, &format!("dim {} shows {} of {size}", dim - skipped, narrate::runs(&shown)), width);
            }
        }
    }
}

impl Slab {
    /// `[0, :, :]`; empty when there are no other dimensions.
    fn label(&self) -> String {
        let parts: Vec<String> = self.index.iter().map(|i| i.map_or(LEFT_OUT.to_string(), |i| i.to_string())).collect();
        match parts.as_slice() {
            [] => String::new(),
            parts => format!("[{}, :, :]", parts.join(", ")),
        }
    }

    /// A row as it is drawn.
    fn line(row: &[String]) -> String {
        row.join(&" ".repeat(GAP))
    }

    fn width(&self) -> usize {
        self.rows.iter().map(|row| Slab::line(row).width()).max().unwrap_or(0).max(self.label().width())
    }

    fn told(&self) -> String {
        let label = self.label();
        if self.rows.is_empty() {
            return "And so on.\n".to_string();
        }
        let row = |row: &Vec<String>| {
            let said = |cell: &String| if cell.trim() == LEFT_OUT { "and so on".to_string() } else { cell.trim().to_string() };
            let numbers: Vec<String> = row.iter().map(said).map(|text| text.trim_end_matches('.').to_string()).collect();
            if numbers.iter().all(|text| text == "and so on") { "And so on".to_string() } else { numbers.join(", ") }
        };
        let rows: String = self.rows.iter().map(|cells| format!("{}.\n", row(cells))).collect();
        if label.is_empty() { rows } else { format!("{label}:\n{rows}") }
    }
}

/// Columns before a slab.
const MARGIN: usize = 1;

/// Some slabs beside each other: a line of labels, and a line per row.
fn write_line(doc: &mut Doc, slabs: &[Slab], wide: usize) {
    let rows = slabs.iter().map(|slab| slab.rows.len()).max().unwrap_or(0);
    let mut put = |texts: Vec<String>, style: Style| {
        let mut line = String::from(" ");
        for (n, text) in texts.iter().enumerate() {
            let missing = (MARGIN + n * (wide + BETWEEN)).saturating_sub(line.width());
            line.push_str(&" ".repeat(missing));
            line.push_str(text);
        }
        doc.push(style, line.trim_end()).newline();
    };
    if slabs.iter().any(|slab| !slab.index.is_empty()) {
        put(slabs.iter().map(Slab::label).collect(), Style::Name);
    }
    for n in 0..rows {
        put(slabs.iter().map(|slab| slab.rows.get(n).map_or(String::new(), |row| Slab::line(row))).collect(), Style::Plain);
    }
}

/// Every combination of items, the last dimension first.
fn each(folds: &[Vec<Option<i64>>], f: &mut dyn FnMut(&[Option<i64>])) {
    fn go(folds: &[Vec<Option<i64>>], index: &mut Vec<Option<i64>>, f: &mut dyn FnMut(&[Option<i64>])) {
        let Some((first, rest)) = folds.split_first() else { return f(index) };
        for item in first {
            index.push(*item);
            go(rest, index, f);
            index.pop();
        }
    }
    go(folds, &mut vec![], f);
}

/// Texts of one width, to the right.
fn aligned(rows: Vec<Vec<String>>, wide: usize) -> Vec<Vec<String>> {
    let pad = |text: String| " ".repeat(wide.saturating_sub(text.width())) + &text;
    rows.into_iter().map(|row| row.into_iter().map(pad).collect()).collect()
}
