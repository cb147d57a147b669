//! `%tree obj` and `%type expr`: what a value is made of, a line per entry, with the tensors' sizes, strides and storages.

use super::explained::sentence;
use super::facts;
use super::spoken;
use super::table::{Column, table};
use super::{counted, grouped};
use crate::show::{Doc, Style};
use crate::tensor::{Storage, Tensor};
use anyhow::Result;

/// An entry of a value: the value itself, or what is in it.
pub struct Entry {
    /// How many values it is in.
    pub depth: usize,
    /// How it is reached from the value around it: `['weight']`, `[0]`, `.values`; the value's own text at depth 0.
    pub key: String,
    /// What it is.
    pub what: What,
}

/// What an entry is.
pub enum What {
    /// A tensor, and where it was met before.
    Tensor(Tensor, Option<String>),
    /// Anything else: the name of its type, and what else there is to say in short.
    Other(String, String),
    /// Entries that are not shown, and how many they are; none when they were not counted.
    More(Option<usize>),
}

/// A row per entry, with rails that lead from each to what it is in; `with_storages` tells who shares, too.
pub fn tree(entries: &[Entry], with_storages: bool, width: usize) -> Result<Doc> {
    let mut columns = vec![
        Column::new("part").cut(10),
        Column::new("type").cut(7),
        Column::new("size").cut(7).droppable(),
        Column::new("stride").cut(7).spare(),
    ];
    if with_storages {
        columns.push(Column::new("on"));
    }
    columns.push(Column::new("").wrapped(8));
    let (mut rows, mut said) = (vec![], vec![]);
    let mut path: Vec<&str> = vec![];
    for (n, entry) in entries.iter().enumerate() {
        path.truncate(entry.depth);
        path.push(&entry.key);
        let cells = cells(&entry.what, with_storages)?;
        rows.push([vec![format!("{}{}", rails(entries, n), entry.key)], cells.clone()].concat());
        if !matches!(entry.what, What::More(None)) {
            said.push([vec![path.concat()], cells].concat());
        }
    }
    // A column that says nothing takes no room.
    let empty: Vec<usize> = (2..columns.len()).filter(|k| rows.iter().all(|row: &Vec<String>| row[*k].is_empty())).collect();
    for k in empty.into_iter().rev() {
        columns.remove(k);
        rows.iter_mut().chain(&mut said).for_each(|row| drop(row.remove(k)));
    }
    let mut doc = table(&columns, &rows, width).told_as(spoken::rows(&columns, &said));
    if with_storages {
        total(&mut doc, entries, width)?;
    }
    Ok(doc)
}

/// The cells of an entry behind its key.
fn cells(what: &What, with_storages: bool) -> Result<Vec<String>> {
    let storage = |text: String| if with_storages { vec![text] } else { vec![] };
    let none = String::new;
    Ok(match what {
        What::Tensor(tensor, before) => {
            let [size, stride, _] = facts::geometry(&tensor.layout());
            let dtype = tensor.dtype().name().to_string();
            let (stride, label, mut words) = match tensor.sparse() {
                Some(sparse) => (none(), none(), vec![format!("sparse, {} stored", grouped(sparse.stored()))]),
                None => (stride, format!("#{}", tensor.storage()?.label()), vec![]),
            };
            words.extend(facts::remarks(tensor).into_iter().map(String::from));
            words.extend(before.iter().map(|path| format!("the same tensor as {path}")));
            [vec![dtype, size, stride], storage(label), vec![words.join(", ")]].concat()
        }
        What::Other(kind, text) => [vec![kind.clone(), none(), none()], storage(none()), vec![text.clone()]].concat(),
        What::More(count) => {
            let text = count.map_or(none(), |n| format!("{} more", grouped(n)));
            [vec![none(); 3], storage(none()), vec![text]].concat()
        }
    })
}

/// What stands before a key: the way from the values that it is in.
fn rails(entries: &[Entry], n: usize) -> String {
    let depth = entries[n].depth;
    // An entry is followed at a level when one of that depth comes before a shallower one.
    let goes_on = |level: usize| entries[n + 1..].iter().find(|e| e.depth <= level).is_some_and(|e| e.depth == level);
    let mut out = String::new();
    for level in 1..depth {
        out.push_str(if goes_on(level) { "│ " } else { "  " });
    }
    if depth > 0 {
        out.push_str(if goes_on(depth) { "├ " } else { "└ " });
    }
    out
}

fn total(doc: &mut Doc, entries: &[Entry], width: usize) -> Result<()> {
    let (mut tensors, mut storages) = (0, Vec::<Storage>::new());
    for entry in entries {
        let What::Tensor(tensor, None) = &entry.what else { continue };
        tensors += 1;
        let named = facts::Named { name: String::new(), tensor: tensor.clone() };
        for part in named.parts() {
            let storage = part.tensor.storage()?;
            if !storages.iter().any(|known| known.same(&storage)) {
                storages.push(storage);
            }
        }
    }
    if tensors > 0 {
        let bytes: usize = storages.iter().map(Storage::nbytes).sum();
        let (tensors, storages) = (counted(tensors, "tensor"), counted(storages.len(), "storage"));
        sentence(doc, Style::Note, &format!("{tensors} over {storages}, {}", counted(bytes, "byte")), width);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rails_lead_to_what_an_entry_is_in() {
        let entry = |(depth, key): (usize, &str)| Entry { depth, key: key.into(), what: What::Other("int".into(), "1".into()) };
        let entries: Vec<Entry> = [(0, "d"), (1, "['a']"), (2, "[0]"), (2, "[1]"), (1, "['b']"), (2, "[0]")].map(entry).into();
        let expected = "
 part     type
 d        int   1
 ├ ['a']  int   1
 │ ├ [0]  int   1
 │ └ [1]  int   1
 └ ['b']  int   1
   └ [0]  int   1
";
        let doc = tree(&entries, false, 80).expect("no tensors");
        assert_eq!(doc.text(), &expected[1..]);
        assert!(doc.narrated().contains("d['a'][1]: of type int, 1.\n"), "{}", doc.narrated());
    }
}
