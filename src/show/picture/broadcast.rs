//! `%explain a + b`: how operands are lined up at their last dimension without copying, and which dtype comes of it.

use super::explained::{Effect, Operand, heading, refusal, room_for_name, sentence, verdict_of};
use super::promotion::promotion;
use super::spread::spread;
use super::table::{Column, fits, table};
use super::{atom, grouped, shortened, spoken};
use crate::dtype::Category;
use crate::layout::{Layout, broadcast_all, broadcast_sizes};
use crate::show::object::tuple;
use crate::show::{Doc, Style};
use crate::tensor::Tensor;

/// The size of an operand in dimension `dim` of `ndim` that it is aligned with at the last; none where it has no dimension.
fn size(layout: &Layout, dim: usize, ndim: usize) -> Option<i64> {
    (dim + layout.ndim()).checked_sub(ndim).and_then(|k| layout.sizes.get(k)).copied()
}

/// How operands are lined up, which cells are read again, and the dtype of the result.
pub fn broadcast(text: &str, operands: &[Operand], effect: &Effect, width: usize) -> Doc {
    let joint = broadcast_all(operands.iter().map(|o| o.layout.sizes.as_slice()));
    let mut doc = Doc::new();
    let (style, verdict) = match &joint {
        Ok(_) => verdict_of(effect),
        Err(_) => (Style::Error, " cannot be lined up".to_string()),
    };
    heading(&mut doc, text, style, &verdict, width);
    let tensors: Vec<&Operand> = operands.iter().filter(|o| o.weight != Category::Wrapped).collect();
    doc.append(&lined_up(&tensors, joint.as_deref().ok(), effect.result(), width)).newline();
    match joint {
        Ok(sizes) => {
            doc.append(&spread(&tensors, &short_names(&tensors, width), &sizes, width));
            readings(&mut doc, &tensors, &sizes, width);
            refusal(&mut doc, effect, width);
            promotion(&mut doc, operands, effect.result().map(Tensor::dtype), width);
        }
        Err(_) => obstacles(&mut doc, operands, width),
    }
    doc
}

/// The dimensions in which operands do not fit, and what would make them fit.
fn obstacles(doc: &mut Doc, operands: &[Operand], width: usize) {
    let ndim = operands.iter().map(|o| o.layout.ndim()).max().unwrap_or(0);
    for dim in 0..ndim {
        let mut different: Vec<i64> = operands.iter().filter_map(|o| size(&o.layout, dim, ndim)).filter(|s| *s != 1).collect();
        different.dedup();
        if let [first, second, ..] = different.as_slice() {
            sentence(doc, Style::Plain, &format!("dim {dim}: {first} and {second} differ and neither is 1"), width);
        }
    }
    if let [a, b] = operands {
        let ways = [ways_for(a, b, width), ways_for(b, a, width)].concat();
        match ways.as_slice() {
            [] => sentence(doc, Style::Plain, "no dim of size 1, put in or moved, lines them up", width),
            ways => {
                for way in ways.iter().take(2) {
                    sentence(doc, Style::Plain, &format!("way on: {way}"), width);
                }
            }
        }
    }
}

/// What could be done with one operand so that it lines up with the other.
fn ways_for(one: &Operand, other: &Operand, width: usize) -> Vec<String> {
    let fits = |layout: &Layout| broadcast_sizes(&layout.sizes, &other.layout.sizes).ok();
    let name = shortened(&atom(&one.name), room_for_name(width));
    let say = |call: String, layout: Layout| {
        let joint = fits(&layout)?;
        Some(format!("{name}{call} is {}; together {}", tuple(&layout.sizes), tuple(&joint)))
    };
    let mut ways = vec![];
    if one.layout.ndim() < other.layout.ndim() {
        for dim in (1..=one.layout.ndim()).rev() {
            ways.extend(one.layout.unsqueeze(dim as i64).ok().and_then(|l| say(format!(".unsqueeze({dim})"), l)));
        }
    }
    if one.layout.ndim() == 2 {
        ways.extend(one.layout.t().ok().and_then(|l| say(".t()".to_string(), l)));
    }
    ways
}

/// The sizes of all operands dimension by dimension, aligned at the last, and the strides before and after. A column per
/// dimension where there is room, else a row.
fn lined_up(operands: &[&Operand], joint: Option<&[i64]>, result: Option<&Tensor>, width: usize) -> Doc {
    let ndim = operands.iter().map(|o| o.layout.ndim()).max().unwrap_or(0);
    let grown = |operand: &Operand, dim: usize| {
        let own = size(&operand.layout, dim, ndim).map_or("-".to_string(), |size| size.to_string());
        match joint.and_then(|sizes| sizes.get(dim)).map(i64::to_string) {
            Some(whole) if whole != own => format!("{own} → {whole}"),
            _ => own,
        }
    };
    let used = |operand: &Operand| {
        let layout = joint.and_then(|sizes| operand.layout.broadcast_to(sizes).ok());
        layout.map_or("-".to_string(), |layout| tuple(&layout.strides))
    };
    let dims: Vec<String> = (0..ndim).map(|dim| format!("dim {dim}")).collect();
    let titles = [""].into_iter().chain(dims.iter().map(String::as_str)).chain(["stride", "stride used"]);
    let columns: Vec<Column> = titles.map(Column::new).collect();
    let mut rows: Vec<Vec<String>> = vec![];
    for operand in operands {
        let mut row = vec![operand.name.clone()];
        row.extend((0..ndim).map(|dim| grown(operand, dim)));
        row.extend([tuple(&operand.layout.strides), used(operand)]);
        rows.push(row);
    }
    if let Some(result) = result {
        let sizes = result.sizes().iter().map(i64::to_string).collect::<Vec<_>>();
        rows.push([vec!["result".to_string()], sizes, vec![tuple(&result.layout().strides), "new".to_string()]].concat());
    }
    let told = spoken::rows(&columns, &rows);
    for (row, name) in rows.iter_mut().zip(short_names(operands, width)) {
        row[0] = name;
    }
    let drawn = match fits(&columns, &rows, width) {
        true => table(&columns, &rows, width),
        false => upright(&columns, &rows, width),
    };
    drawn.told_as(told)
}

/// The names of operands as far as there is room; where that makes two of them the same, their places.
fn short_names(operands: &[&Operand], width: usize) -> Vec<String> {
    let short: Vec<String> = operands.iter().map(|o| shortened(&o.name, room_for_name(width))).collect();
    let is_same = |a: usize, b: usize| short[a] == short[b] && operands[a].name != operands[b].name;
    if !(0..short.len()).any(|a| (0..a).any(|b| is_same(a, b))) {
        return short;
    }
    match short.len() {
        2 => ["left", "right"].map(String::from).to_vec(),
        count => (1..=count).map(|place| format!("operand {place}")).collect(),
    }
}

/// A table with its rows as columns.
fn upright(columns: &[Column], rows: &[Vec<String>], width: usize) -> Doc {
    let titles: Vec<&str> = rows.iter().map(|row| row.first().map_or("", String::as_str)).collect();
    let turned: Vec<Column> =
        [Column::new("")].into_iter().chain(titles.iter().map(|t| Column::new(t).cut(7).droppable())).collect();
    let cells =
        |k: usize| [columns[k].title.to_string()].into_iter().chain(rows.iter().filter_map(move |row| row.get(k).cloned()));
    table(&turned, &(1..columns.len()).map(|k| cells(k).collect()).collect::<Vec<_>>(), width)
}

/// How often each element of an operand is read, and which.
fn readings(doc: &mut Doc, operands: &[&Operand], sizes: &[i64], width: usize) {
    let results: i64 = sizes.iter().product();
    let names = short_names(operands, width);
    let tensors: Vec<(&&Operand, &String)> = operands.iter().zip(&names).filter(|(o, _)| o.layout.ndim() > 0).collect();
    let letters: Vec<String> = (0..sizes.len()).map(letter).collect();
    if tensors.len() > 1 && sizes.len() <= 6 && tensors.iter().any(|(o, _)| o.layout.sizes.as_slice() != sizes) {
        let read = tensors.iter().map(|(o, name)| {
            let index = (0..o.layout.ndim()).map(|k| match o.layout.sizes[k] {
                1 => "0",
                _ => letters[k + sizes.len() - o.layout.ndim()].as_str(),
            });
            let name = if **name == o.name { atom(name) } else { name.to_string() };
            format!("{name}[{}]", index.collect::<Vec<_>>().join(", "))
        });
        let text = format!("result[{}] takes {}", letters.join(", "), read.collect::<Vec<_>>().join(" and "));
        sentence(doc, Style::Strong, &text, width);
    }
    let mut stays = false;
    for (operand, name) in tensors {
        let own = operand.layout.numel();
        if own > 0 && results > own {
            stays = true;
            sentence(doc, Style::Plain, &format!("each element of {name} is read {} times", grouped(results / own)), width);
        }
    }
    if operands.len() < 2 {
        let text = format!("{} results, each of one element", grouped(results));
        return sentence(doc, Style::Plain, &text, width);
    }
    let rule = match stays {
        true => "a stride of 0 stays on its cell: nothing is copied to line the operands up",
        false => "nothing is copied to line the operands up",
    };
    sentence(doc, Style::Note, rule, width);
}

fn letter(dim: usize) -> String {
    ["i", "j", "k", "l", "m", "n"].get(dim).map_or(format!("i{dim}"), |l| (*l).to_string())
}
