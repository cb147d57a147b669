//! `%explain x.view(...)`: why a tensor can, or cannot, be read with other sizes without copying.

use super::explained::{heading, sentence};
use super::facts::{self, Named};
use super::spread::value;
use super::table::{Column, fits, table};
use super::{atom, counted, shortened, spoken};
use crate::layout::{Layout, Obstacle};
use crate::show::object::tuple;
use crate::show::{Doc, Style};
use crate::tensor::Tensor;
use anyhow::Result;
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

/// A call that asks for other sizes.
pub struct Reading<'a> {
    /// The tensor before it.
    pub base: &'a Named,
    /// The whole expression.
    pub text: &'a str,
    /// The sizes asked for, without -1.
    pub sizes: &'a [i64],
    /// True for `reshape` and `flatten`, which copy where a view is not possible.
    pub may_copy: bool,
}

/// Elements of the walk that are shown at each end and around the break.
const EDGE: i64 = 3;

/// The verdict: what the result is, or the walk over the cells up to where it fails, the rule behind it, and the ways on.
/// Fails with a `NotImplementedError` on a sparse tensor.
pub fn verdict(reading: &Reading, width: usize) -> Result<Doc> {
    let layout = reading.base.tensor.layout();
    let mut doc = Doc::new();
    match layout.view_obstacle(reading.sizes) {
        None => possible(&mut doc, reading, &layout, width)?,
        Some(obstacle) => impossible(&mut doc, reading, &layout, &obstacle, width)?,
    }
    Ok(doc)
}

fn possible(doc: &mut Doc, reading: &Reading, layout: &Layout, width: usize) -> Result<()> {
    let contiguous = layout.is_contiguous();
    let although = if contiguous { "" } else { ", although the tensor is not contiguous" };
    heading(doc, reading.text, Style::Good, &format!(" is a view{although}"), width);
    let result = layout.try_view(reading.sizes);
    doc.append(&geometries(reading, layout, result.as_ref(), width)?);
    if !contiguous {
        let rule = "a view needs no contiguous cells; dims that become one must be one even walk";
        sentence(doc, Style::Note, rule, width);
    }
    Ok(())
}

fn impossible(doc: &mut Doc, reading: &Reading, layout: &Layout, obstacle: &Obstacle, width: usize) -> Result<()> {
    let bytes = counted(layout.numel() as i128 * reading.base.tensor.dtype().size() as i128, "byte");
    let verdict =
        if reading.may_copy { format!(" copies {bytes}: no view can do it") } else { " is not possible as a view".into() };
    heading(doc, reading.text, Style::Warning, &verdict, width);
    doc.append(&geometries(reading, layout, None, width)?).newline();
    doc.append(&walk(reading, layout, obstacle, width)).newline();
    doc.append(&rule(layout, obstacle, width));
    doc.newline().append(&ways(reading, layout, width));
    Ok(())
}

const WAYS: [Column<'static>; 4] = [
    Column::new("way on").cut(16),
    Column::new("copies"),
    Column::new("storage").droppable(),
    Column::new("elements").cut(8).spare(),
];

/// What could be written instead, with its price and the order in which it gives the elements.
fn ways(reading: &Reading, layout: &Layout, width: usize) -> Doc {
    let told = ways_from(reading, layout, &reading.base.name);
    if told.is_empty() {
        return Doc::new();
    }
    // What the ways are is worth more than where they put the elements.
    let narrower = (2..=WAYS.len()).rev().find(|count| fits(&WAYS[..*count], &told, width));
    let (columns, drawn) = match narrower {
        Some(count) => (&WAYS[..count], told.clone()),
        None => {
            // What is cut is the tensor's text, not what is done to it.
            let longest = |k: usize| told.iter().map(|row| row[k].width()).max().unwrap_or(0);
            let others = longest(0).saturating_sub(reading.base.name.width()) + longest(1).max(WAYS[1].title.len()) + 5;
            (&WAYS[..2], ways_from(reading, layout, &cut(&reading.base.name, width.saturating_sub(others).max(8))))
        }
    };
    table(columns, &drawn, width).told_as(spoken::rows(&WAYS, &told))
}

/// A text cut to `room` columns, in brackets when it was, so that a method can follow it.
fn cut(name: &str, room: usize) -> String {
    let short = shortened(name, room);
    if short == name { short } else { format!("({short})") }
}

fn ways_from(reading: &Reading, layout: &Layout, name: &str) -> Vec<Vec<String>> {
    let tensor = &reading.base.tensor;
    let (name, bytes) = (atom(name), layout.numel() as i128 * tensor.dtype().size() as i128);
    let numbers = |dims: &[i64]| dims.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let sizes = numbers(reading.sizes);
    let row = |way: String, order: Option<&Layout>| {
        let (copies, storage) = match order {
            Some(_) => ("nothing".to_string(), "the same".to_string()),
            None => (counted(bytes, "byte"), "new".to_string()),
        };
        vec![way, copies, storage, elements(tensor, layout, order)]
    };
    let mut rows = vec![];
    if !reading.may_copy {
        rows.push(row(format!("{name}.reshape({sizes})"), None));
        rows.push(row(format!("{name}.contiguous().view({sizes})"), None));
    }
    // With its dims in the order of their strides it may be one even walk, in another order.
    let mut dims: Vec<i64> = (0..layout.ndim() as i64).collect();
    dims.sort_by_key(|dim| std::cmp::Reverse(layout.strides[*dim as usize]));
    if let Ok(ordered) = layout.permute(&dims)
        && let Some(view) = ordered.try_view(reading.sizes)
    {
        let turned = if dims == [1, 0] { ".t()".to_string() } else { format!(".permute({})", numbers(&dims)) };
        // What was turned round just before need not be turned back.
        let way = match name.strip_suffix(turned.as_str()) {
            Some(before) if turned == ".t()" => format!("{before}.view({sizes})"),
            _ => format!("{name}{turned}.view({sizes})"),
        };
        rows.push(row(way, Some(&view)));
    }
    rows
}

/// Elements of a way on that are listed.
const LISTED: i64 = 8;

/// The elements in the order that a way on gives them: that of the tensor, or that of another layout.
fn elements(tensor: &Tensor, layout: &Layout, order: Option<&Layout>) -> String {
    let walked = order.unwrap_or(layout);
    let values = (0..walked.numel().min(LISTED)).map(|n| value(tensor, walked.nth_cell(n)));
    match values.collect::<Option<Vec<String>>>() {
        Some(values) if walked.numel() <= LISTED => values.join(" "),
        _ if order.is_some() => "in another order".to_string(),
        _ => "in this order".to_string(),
    }
}

/// Size, stride and offset before and after.
fn geometries(reading: &Reading, layout: &Layout, result: Option<&Layout>, width: usize) -> Result<Doc> {
    let label = format!("#{}", reading.base.tensor.storage()?.label());
    let row =
        |name: &str, layout: &Layout| [vec![name.to_string()], facts::geometry(layout).to_vec(), vec![label.clone()]].concat();
    let wanted = || vec!["wanted".to_string(), tuple(reading.sizes), "?".into(), layout.offset.to_string(), label.clone()];
    let rows = [row(&reading.base.name, layout), result.map_or_else(wanted, |r| row("result", r))];
    let [name, size, stride, offset, ..] = facts::COLUMNS;
    Ok(table(&[name, size, stride, offset, Column::new("on")], &rows, width))
}

/// The cells in the order in which the elements are read, with the step from one to the next, up to the first that is out of
/// step and the end.
fn walk(reading: &Reading, layout: &Layout, obstacle: &Obstacle, width: usize) -> Doc {
    let (count, wanted) = (layout.numel(), Layout::contiguous(reading.sizes));
    let broken = wanted.address(&obstacle.index);
    let shown: BTreeSet<i64> = match count <= 4 * EDGE {
        true => (0..count).collect(),
        false => {
            (0..EDGE).chain(broken + 1 - EDGE..broken + EDGE).chain([count - 1]).filter(|n| (0..count).contains(n)).collect()
        }
    };
    let index = |dims: &[i64]| dims.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let mut rows = vec![];
    let mut next = 0;
    for n in shown {
        if n > next {
            rows.push(vec!["..".to_string()]);
        }
        next = n + 1;
        let cell = layout.nth_cell(n);
        let step = if n == 0 { String::new() } else { format!("{:+}", cell - layout.nth_cell(n - 1)) };
        let remark = if n == broken { format!("← needs cell {}", obstacle.needed) } else { String::new() };
        let (before, after) = (index(&layout.nth_index(n)), index(&wanted.nth_index(n)));
        rows.push(vec![n.to_string(), before, after, cell.to_string(), step, remark]);
    }
    table(&WALK, &rows, width)
}

const WALK: [Column<'static>; 6] = [
    Column::new("element").right(),
    Column::new("index").droppable(),
    Column::new("becomes").droppable(),
    Column::new("cell").right(),
    Column::new("step").right(),
    Column::new("").wrapped(8),
];

/// The rule that two dims break, with their numbers.
fn rule(layout: &Layout, obstacle: &Obstacle, width: usize) -> Doc {
    let outer = obstacle.seam;
    let inner = (outer + 1..layout.ndim()).find(|k| layout.sizes[*k] != 1).unwrap_or(outer);
    let formula = format!("stride[{outer}] == size[{inner}] * stride[{inner}]");
    let (needed, size, step) = (layout.strides[outer], layout.sizes[inner], layout.strides[inner]);
    let numbers = format!("{needed} == {size} * {step}");
    let mut doc = Doc::new();
    sentence(&mut doc, Style::Plain, &format!("rule: dims {outer} and {inner} are one even walk only when"), width);
    sentence(&mut doc, Style::Strong, &format!("{formula}; here {numbers} is false"), width);
    doc.told_as(format!(
        "The rule: dims {outer} and {inner} are one even walk only when stride {outer} is size {inner} times stride {inner}. \
         Here {needed} is not {size} times {step}."
    ))
}
