//! `%views x`: which other sizes a tensor can have for nothing, and which would be copied.

use super::explained::{heading, room_for_name, sentence};
use super::facts::{Named, geometry};
use super::table::{Column, fits, table};
use super::{atom, counted};
use crate::layout::Layout;
use crate::show::object::tuple;
use crate::show::{Doc, Style};
use unicode_width::UnicodeWidthStr;

/// Ways of each kind that are listed at most.
const EACH: usize = 4;

/// The column of the strides.
const STRIDE: usize = 2;

/// Numbers that are tried as factors of a size.
const FACTORS: usize = 10_000;

/// A way to read a tensor's elements with other sizes.
#[derive(Debug, PartialEq)]
pub struct Way {
    /// What is written behind the tensor: `.view(2, 6)`.
    pub text: String,
    /// The sizes it gives.
    pub sizes: Vec<i64>,
    /// Its layout; none when the elements must be copied.
    pub layout: Option<Layout>,
}

/// A row per way, those that cost nothing first.
pub fn views(named: &Named, width: usize) -> Doc {
    let layout = named.tensor.layout();
    let mut doc = Doc::new();
    let [size, stride, _] = geometry(&layout);
    heading(&mut doc, &named.name, Style::Plain, &format!(": size {size}, stride {stride}"), width);
    let bytes = counted(layout.numel().saturating_mul(named.tensor.dtype().size() as i64), "byte");
    let (free, copied): (Vec<Way>, Vec<Way>) = ways(&layout).into_iter().partition(|way| way.layout.is_some());
    // A long text would leave no room for what is written behind it.
    let whole = atom(&named.name);
    let name = if whole.width() <= room_for_name(width) { whole.clone() } else { String::new() };
    let row = |way: &Way| {
        let (stride, price) = match &way.layout {
            Some(layout) => (tuple(&layout.strides), "nothing".to_string()),
            None => (tuple(&Layout::contiguous(&way.sizes).strides), bytes.clone()),
        };
        vec![format!("{name}{}", way.text), tuple(&way.sizes), stride, price]
    };
    let mut rows: Vec<Vec<String>> = free.iter().chain(&copied).map(row).collect();
    let mut columns =
        vec![Column::new("way on").cut(12), Column::new("size").cut(7), Column::new("stride").cut(7), Column::new("copies")];
    // What the ways are is worth more than the strides that they give.
    if !fits(&columns, &rows, width) {
        columns.remove(STRIDE);
        rows.iter_mut().for_each(|row| drop(row.remove(STRIDE)));
    }
    doc.append(&table(&columns, &rows, width));
    let text = match (free.len(), copied.first()) {
        (_, None) => "all of these are views: other sizes and strides over the same cells".to_string(),
        (n, Some(way)) => format!(
            "{n} of {} are views over the same cells; %explain {whole}{} shows why that is none",
            free.len() + copied.len(),
            way.text
        ),
    };
    sentence(&mut doc, Style::Note, &text, width);
    doc
}

/// Ways to other sizes: in one dimension, with dimensions joined, split, exchanged, added and dropped.
pub fn ways(layout: &Layout) -> Vec<Way> {
    let mut found: Vec<Way> = vec![];
    let mut add = |text: String, sizes: &[i64], layout: Option<Layout>| {
        // The same elements in the same sizes are listed under one text.
        let is_known = found.iter().any(|way| way.sizes == sizes && way.layout == layout);
        if !is_known {
            found.push(Way { text, sizes: sizes.to_vec(), layout });
        }
    };
    let sizes = &layout.sizes;
    let (ndim, numel) = (layout.ndim(), layout.numel());
    let view = |wanted: &[i64]| layout.try_view(wanted);
    // A text that works: what is no view is reshaped.
    let shaped = |wanted: &[i64], is_view: bool| {
        let list = wanted.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        format!(".{}({list})", if is_view { "view" } else { "reshape" })
    };
    let line = view(&[numel]);
    if ndim != 1 {
        add(if line.is_some() { ".view(-1)".into() } else { ".reshape(-1)".into() }, &[numel], line);
    }
    let pairs = || (0..ndim).flat_map(|i| (i + 1..ndim).map(move |j| (i, j)));
    for (i, j) in pairs().filter(|pair| *pair != (0, ndim - 1)).take(EACH) {
        if let Ok((sizes, view)) = layout.flatten(i as i64, j as i64) {
            add(format!(".flatten({i}, {j})"), &sizes, view);
        }
    }
    for (dim, size) in sizes.iter().enumerate() {
        if let Some(factor) = (2..*size).take(FACTORS).take_while(|f| f * f <= *size).find(|f| size % f == 0)
            && let Ok(split) = layout.unflatten(dim as i64, &[factor, size / factor])
        {
            add(format!(".unflatten({dim}, ({factor}, {}))", size / factor), &split.sizes.clone(), Some(split));
        }
    }
    let factors = (2..numel).take(FACTORS).take_while(|f| f * f <= numel).filter(|f| numel % f == 0);
    for factor in factors.take(EACH) {
        for wanted in [[factor, numel / factor], [numel / factor, factor]] {
            let as_it_is = sizes[..] == wanted;
            if !as_it_is {
                let view = view(&wanted);
                add(shaped(&wanted, view.is_some()), &wanted, view);
            }
        }
    }
    let mut moved = |text: String, moved: Option<Layout>| {
        if let Some(moved) = moved.filter(|moved| moved != layout) {
            add(text, &moved.sizes.clone(), Some(moved));
        }
    };
    match ndim {
        0 | 1 => {}
        2 => moved(".t()".into(), layout.t().ok()),
        _ => {
            for (i, j) in pairs().take(EACH) {
                moved(format!(".transpose({i}, {j})"), layout.transpose(i as i64, j as i64).ok());
            }
            let order: Vec<String> = (0..ndim).rev().map(|d| d.to_string()).collect();
            moved(format!(".permute({})", order.join(", ")), Some(layout.reversed()));
        }
    }
    moved(".squeeze()".into(), Some(layout.squeeze()));
    moved(".unsqueeze(0)".into(), layout.unsqueeze(0).ok());
    if !layout.is_contiguous() {
        add(".contiguous()".into(), sizes, None);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(layout: &Layout) -> (Vec<String>, Vec<String>) {
        let (free, copied): (Vec<Way>, Vec<Way>) = ways(layout).into_iter().partition(|way| way.layout.is_some());
        let texts = |ways: Vec<Way>| ways.into_iter().map(|way| way.text).collect();
        (texts(free), texts(copied))
    }

    #[test]
    fn what_is_free_and_what_is_copied() {
        let (free, copied) = texts(&Layout::new(&[3, 2], &[1, 3], 0));
        assert_eq!(free, [".t()", ".unsqueeze(0)"]);
        assert_eq!(copied, [".reshape(-1)", ".reshape(2, 3)", ".contiguous()"]);
        let (free, copied) = texts(&Layout::contiguous(&[4]));
        assert_eq!(free, [".unflatten(0, (2, 2))", ".unsqueeze(0)"]);
        assert!(copied.is_empty());
        let (free, _) = texts(&Layout::contiguous(&[]));
        assert_eq!(free, [".view(-1)"]);
    }
}
