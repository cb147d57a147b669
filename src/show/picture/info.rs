//! `%info x`: a tensor's values in short: the range, the mean, what is zero, nan or infinite, and how they are spread.

use super::explained::{heading, sentence};
use super::facts::{self, Named};
use super::table::{Column, table};
use super::{counted, grouped};
use crate::device::DeviceId;
use crate::dtype::{DType, Kind, general};
use crate::show::object::tuple;
use crate::show::survey::{Extreme, Survey};
use crate::show::{Doc, Style};
use crate::tensor::Tensor;
use anyhow::Result;

/// Bins of the distribution.
const BINS: usize = 10;

/// Columns of the longest bar.
const BAR: usize = 30;

/// Significant digits of what was computed.
const DIGITS: usize = 6;

/// The summary of a tensor's values; of a sparse one those that it stores.
pub fn info(named: &Named, width: usize) -> Result<Doc> {
    let tensor = &named.tensor;
    let mut doc = Doc::new();
    let mut verdict = format!(": {} {}, {}", tensor.dtype().name(), tuple(&tensor.sizes()), counted(tensor.numel(), "element"));
    let stored = match tensor.sparse() {
        Some(sparse) => {
            verdict.push_str(&format!(", sparse, {} stored", grouped(sparse.stored())));
            sparse.values.clone()
        }
        None => tensor.clone(),
    };
    heading(&mut doc, &named.name, Style::Plain, &verdict, width);
    if stored.device() == DeviceId::Meta {
        sentence(&mut doc, Style::Note, "a meta tensor has no values", width);
        return Ok(doc);
    }
    if stored.numel() == 0 {
        let text = if tensor.is_sparse() { "no values are stored: every element is zero" } else { "there are no values" };
        sentence(&mut doc, Style::Note, text, width);
        return Ok(doc);
    }
    let survey = Survey::of(&stored, BINS)?;
    doc.append(&facts_table(&survey, &stored, width));
    notes(&mut doc, &survey, tensor, width);
    spread(&mut doc, &survey, stored.dtype(), width);
    Ok(doc)
}

/// Range, mean, deviation and the counts of what is special.
fn facts_table(survey: &Survey, stored: &Tensor, width: usize) -> Doc {
    let kind = stored.dtype().kind();
    let place = |extreme: &Extreme| index_text(&extreme.index);
    let mut rows = vec![];
    let mut row = |name: &str, value: String, note: String| rows.push(vec![name.to_string(), value, note]);
    if kind != Kind::Bool && survey.finite > 0 {
        let names = if kind == Kind::Complex { ["least magnitude", "largest magnitude"] } else { ["min", "max"] };
        for (name, extreme) in names.iter().zip([&survey.least, &survey.largest]) {
            row(name, value_text(stored.dtype(), extreme), place(extreme));
        }
        row("mean", survey.mean_text(DIGITS), String::new());
        match survey.deviation() {
            Some(deviation) => row("std", general(deviation, DIGITS), String::new()),
            None => row("std", "-".to_string(), "needs two elements".to_string()),
        }
    }
    let share = |count: i64| if count > 0 { percent(count, survey.count) } else { String::new() };
    match kind {
        Kind::Bool => {
            row("True", grouped(survey.count - survey.zeros), share(survey.count - survey.zeros));
            row("False", grouped(survey.zeros), share(survey.zeros));
        }
        _ => row("zeros", grouped(survey.zeros), share(survey.zeros)),
    }
    if matches!(kind, Kind::Float | Kind::Complex) {
        let signed = kind == Kind::Float;
        let infinite = if signed { vec![("inf", survey.above), ("-inf", survey.below)] } else { vec![("inf", survey.above)] };
        for (name, count) in [("nan", survey.nans)].into_iter().chain(infinite) {
            let first = survey.first(name).map_or(String::new(), |index| format!(", first {}", index_text(index)));
            row(name, grouped(count), share(count) + &first);
        }
    }
    table(&[Column::new(""), Column::new("").right(), Column::new("").wrapped(10)], &rows, width)
}

/// What a reader of the figures should know.
fn notes(doc: &mut Doc, survey: &Survey, tensor: &Tensor, width: usize) {
    let mut note = |text: &str| sentence(doc, Style::Note, text, width);
    if tensor.is_sparse() {
        note("the figures are those of the stored values; every other element is zero");
    }
    if survey.finite > 0 && survey.finite < survey.count {
        let text = format!("min, max, mean and std are those of the {} finite elements", grouped(survey.finite));
        note(&text);
    }
    let which = match (tensor.is_sparse(), survey.finite < survey.count) {
        (true, _) => "stored values",
        (false, true) => "finite elements",
        (false, false) => "elements",
    };
    if survey.finite == 0 {
        note("no element is finite");
    } else if survey.zeros == survey.count && tensor.dtype() != DType::Bool {
        note(&format!("all {which} are zero"));
    } else if survey.is_constant() && survey.finite > 1 {
        note(&format!("all {which} are the same"));
    }
    if facts::remarks(tensor).contains(&"expanded") {
        note("an expanded element counts as often as it is reached");
    }
}

/// How the finite values are spread over their range, a bar per bin.
fn spread(doc: &mut Doc, survey: &Survey, dtype: DType, width: usize) {
    if survey.is_constant() || dtype == DType::Bool {
        return;
    }
    let top = survey.bins.iter().map(|bin| bin.count).max().unwrap_or(0).max(1);
    let rows: Vec<Vec<String>> = survey
        .bins
        .iter()
        .map(|bin| {
            // Whatever is there is seen.
            let length = (bin.count as u128 * BAR as u128).div_ceil(top as u128) as usize;
            let ends = match dtype.is_integral(false) {
                true if bin.whole[0] == bin.whole[1] => [bin.whole[0].to_string(), String::new()],
                true => bin.whole.map(|end| end.to_string()),
                false => bin.ends.map(|end| general(end, 4)),
            };
            [ends.to_vec(), vec![grouped(bin.count), "█".repeat(length)]].concat()
        })
        .collect();
    let told: String = rows.iter().map(|row| said(row, dtype)).collect();
    let first = if dtype.kind() == Kind::Complex { "magnitude" } else { "from" };
    let columns =
        [Column::new(first).right(), Column::new("to").right(), Column::new("elements").right(), Column::new("").cut(5)];
    doc.newline().append(&bars(&columns, &rows, width).told_as(told));
}

/// The table with bars that keep their proportions: they are drawn shorter where the columns end.
fn bars(columns: &[Column], rows: &[Vec<String>], width: usize) -> Doc {
    let widest = |k: usize| rows.iter().filter_map(|row| row.get(k)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let used: usize = (0..3).map(|k| widest(k).max(columns[k].title.len()) + 2).sum::<usize>() + 1;
    let (room, longest) = (width.saturating_sub(used).max(5), widest(3).max(1));
    let scaled = |bar: &str| "█".repeat((bar.chars().count() * room.min(longest)).div_ceil(longest));
    let rows: Vec<Vec<String>> = rows.iter().map(|row| [&row[..3], &[scaled(&row[3])]].concat()).collect();
    table(columns, &rows, width)
}

fn said(row: &[String], dtype: DType) -> String {
    let count = if row[2] == "1" { "1 element".to_string() } else { format!("{} elements", row[2]) };
    let count = if row[2] == "0" { "no elements".to_string() } else { count };
    let what = if dtype.kind() == Kind::Complex { "magnitude " } else { "" };
    match row[1].as_str() {
        "" => format!("{what}{}: {count}.\n", row[0]),
        to => format!("{what}{} to {to}: {count}.\n", row[0]),
    }
}

/// A value as a summary says it: whole numbers whole, floats with six digits.
fn value_text(dtype: DType, extreme: &Extreme) -> String {
    if dtype.is_integral(false) { grouped(extreme.whole) } else { general(extreme.value, DIGITS) }
}

/// `at 0,2`; a tensor without dimensions needs none.
fn index_text(index: &[i64]) -> String {
    let text = index.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    if text.is_empty() { text } else { format!("at {text}") }
}

/// A share in percent; a part is never said to be all or none.
fn percent(part: i64, whole: i64) -> String {
    let share = 100.0 * part as f64 / whole as f64;
    match share {
        s if part < whole && s > 99.0 => "more than 99%".to_string(),
        s if s < 1.0 => "less than 1%".to_string(),
        s => format!("{s:.0}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_places() {
        let texts = [percent(1, 3), percent(3, 3), percent(999, 1000), percent(1, 1000)];
        assert_eq!(texts, ["33%", "100%", "more than 99%", "less than 1%"]);
        assert_eq!([index_text(&[0, 2]), index_text(&[])], ["at 0,2", ""]);
    }
}
