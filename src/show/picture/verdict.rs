//! `%explain x.view(...)`: why a tensor can, or cannot, be read with other sizes without copying.

use super::explained::{heading, sentence};
use super::facts::{self, Named};
use super::table::{Column, table};
use super::{atom, counted, shortened};
use crate::layout::{Layout, Obstacle};
use crate::show::object::tuple;
use crate::show::{Doc, Style};
use anyhow::Result;
use std::collections::BTreeSet;

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
        sentence(doc, Style::Faint, rule, width);
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
    if !reading.may_copy {
        let sizes = reading.sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let way = shortened(&format!("{}.reshape({sizes})", atom(&reading.base.name)), width.saturating_sub(10));
        sentence(doc, Style::Plain, &format!("way on: {way} copies {bytes} into a new storage"), width);
    }
    Ok(())
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
    Column::new("index"),
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
