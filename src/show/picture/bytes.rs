//! `%layout --bytes`: the bytes of each storage, and which of them make up which element of each tensor.

use super::choose::choose;
use super::counted;
use super::explained::sentence;
use super::facts::Named;
use super::layout::{COUNTED, MOST, index_text, room_for_label, value_text};
use super::shortened;
use super::strip::{Slot, Strip};
use crate::device::DeviceId;
use crate::dtype::Number;
use crate::layout::Layout;
use crate::show::{Doc, Style};
use crate::tensor::Storage;
use anyhow::Result;
use std::fmt::Write;
use std::ops::Range;

/// A storage of at most this many bytes is shown whole.
const WHOLE: i64 = 48;
/// Lines of bytes in the picture of a larger one.
const LINES: usize = 3;
/// What stands under the second and further bytes of an element.
const GOES_ON: &str = "→";

/// The picture of some tensors byte by byte, storage by storage. `window` picks the bytes to show. Fails as
/// [`layout`](super::layout()) does.
pub fn bytes(tensors: &[Named], window: Option<Range<i64>>, width: usize) -> Result<Doc> {
    let mut groups: Vec<(Storage, Vec<Named>)> = vec![];
    for part in tensors.iter().flat_map(Named::parts) {
        let storage = part.tensor.storage()?;
        match groups.iter_mut().find(|(s, _)| s.same(&storage)) {
            Some((_, members)) => members.push(part),
            None => groups.push((storage, vec![part])),
        }
    }
    let mut doc = Doc::new();
    for (k, (storage, members)) in groups.iter().enumerate() {
        if k > 0 {
            doc.newline();
        }
        let (label, size) = (storage.label(), counted(storage.nbytes(), "byte"));
        let mut title = Doc::plain(" storage ");
        title.push(Style::Strong, &format!("#{label}")).push(Style::Plain, &format!(" · {size}")).newline();
        doc.append(&title.told_as(format!("Storage {label}: {size}.")));
        sentence(&mut doc, Style::Note, "the lowest byte of each element comes first", width);
        doc.newline();
        let names = names(members, width);
        let chosen = chosen(storage, members, window.clone(), |bytes| {
            let slots = slots(storage, members, bytes).unwrap_or_default();
            Strip { heads: HEADS, names: &names, slots: &slots, lanes: &[], width }.lines().len() <= LINES
        });
        let slots = slots(storage, members, &chosen)?;
        doc.append(&Strip { heads: HEADS, names: &names, slots: &slots, lanes: &[], width }.doc().told_as(told(members, &slots)));
    }
    Ok(doc)
}

const HEADS: [&str; 2] = ["byte", "hex"];

/// Two rows per tensor: its indices under its name, and its values under its dtype.
fn names(members: &[Named], width: usize) -> Vec<String> {
    members.iter().flat_map(|m| [shortened(&m.name, room_for_label(width)), m.tensor.dtype().name().to_string()]).collect()
}

/// What the bytes are, those that follow each other together, and for each tensor which of them are an element.
fn told(members: &[Named], slots: &[Slot]) -> String {
    let mut out = String::new();
    for part in slots.split(|slot| matches!(slot, Slot::Gap)) {
        let bytes =
            part.iter().filter_map(|slot| if let Slot::Cell { number, value, .. } = slot { Some((number, value)) } else { None });
        let (numbers, values): (Vec<i64>, Vec<String>) = bytes.map(|(number, value)| (*number, value.clone())).unzip();
        if let (Some(first), Some(last)) = (numbers.first(), numbers.last()) {
            let _ = writeln!(out, "Bytes {first} to {last} are {}.", values.join(" "));
        }
    }
    for (k, named) in members.iter().enumerate() {
        let (name, dtype) = (&named.name, named.tensor.dtype());
        for slot in slots {
            let Slot::Cell { number, indices, .. } = slot else { continue };
            let row = |k: usize| indices.get(k).and_then(Option::as_deref).filter(|text| *text != GOES_ON);
            if let (Some(index), Some(value)) = (row(2 * k), row(2 * k + 1)) {
                let last = number + dtype.size() as i64 - 1;
                let value = value.trim_end_matches('.');
                let _ = writeln!(out, "In {name}, bytes {number} to {last} are index {index}, {} {value}.", dtype.name());
            }
        }
    }
    out
}

/// The numbers of the bytes to show, in order: whole elements of the widest dtype.
fn chosen(storage: &Storage, members: &[Named], window: Option<Range<i64>>, fits: impl Fn(&[i64]) -> bool) -> Vec<i64> {
    let count = storage.nbytes() as i64;
    if let Some(window) = window {
        let start = window.start.clamp(0, count);
        return (start..window.end.clamp(start, count).min(start + MOST)).collect();
    }
    let widest = members.iter().map(|m| m.tensor.dtype().size()).max().unwrap_or(1) as i64;
    // Strides and offsets in elements of the widest dtype, as far as they can be; they only point out what is of interest.
    let coarse: Vec<Layout> = members
        .iter()
        .map(|m| {
            let (layout, size) = (m.tensor.layout(), m.tensor.dtype().size() as i64);
            let scaled: Vec<i64> = layout.strides.iter().map(|stride| stride * size / widest).collect();
            Layout::new(&layout.sizes, &scaled, layout.offset * size / widest)
        })
        .collect();
    let spread =
        |cells: &[i64]| -> Vec<i64> { cells.iter().flat_map(|cell| cell * widest..((cell + 1) * widest).min(count)).collect() };
    let cells =
        choose((count + widest - 1) / widest, WHOLE / widest, &coarse.iter().collect::<Vec<_>>(), |cells| fits(&spread(cells)));
    spread(&cells)
}

fn slots(storage: &Storage, members: &[Named], chosen: &[i64]) -> Result<Vec<Slot>> {
    let readable = storage.device() != DeviceId::Meta;
    let mut slots = vec![];
    let mut next = chosen.first().copied().unwrap_or(0);
    for &number in chosen {
        if number != next {
            slots.push(Slot::Gap);
        }
        next = number + 1;
        let value = match readable {
            true => storage.read(|bytes| bytes.get(number as usize).map_or(String::new(), |b| format!("{b:02x}")))?,
            false => "?".to_string(),
        };
        let mut indices = vec![];
        for named in members {
            indices.extend(under(storage, named, number, readable)?);
        }
        slots.push(Slot::Cell { number, value, indices });
    }
    Ok(slots)
}

/// What stands under a byte in the two rows of a tensor: index and value where an element begins, an arrow where it goes on.
fn under(storage: &Storage, named: &Named, byte: i64, readable: bool) -> Result<[Option<String>; 2]> {
    let (layout, dtype) = (named.tensor.layout(), named.tensor.dtype());
    let size = dtype.size() as i64;
    let Some(visitors) = layout.visitors(byte / size, COUNTED) else { return Ok([None, None]) };
    if byte % size != 0 {
        return Ok([Some(GOES_ON.to_string()), Some(String::new())]);
    }
    let place = byte as usize..byte as usize + dtype.size();
    let number = if readable { storage.read(|bytes| bytes.get(place).map(|b| Number::read(dtype, b)))? } else { None };
    Ok([Some(index_text(&visitors)), Some(number.map_or("?".to_string(), |n| value_text(dtype, n)))])
}
