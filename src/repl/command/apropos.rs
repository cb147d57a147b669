//! `%apropos WORD`: what is said of operations and commands, searched.

use super::{COMMANDS, Call, usage};
use crate::lang::elsewhere;
use crate::ops::{self, OpSet};
use crate::show::{Doc, Style};
use crate::value::Outcome;
use std::collections::BTreeMap;

/// Lines at most.
const MOST: usize = 20;

/// Something that is known: its name, and its first sentence.
struct Found {
    /// How well it fits, least first.
    rank: u8,
    name: String,
    said: String,
}

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    let words: Vec<String> = call.rest.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Err(usage("apropos", "%apropos needs a word"));
    }
    let mut found: Vec<Found> = known().filter_map(|(name, text)| fitting(name, &text, &words)).collect();
    found.sort_by(|a, b| (a.rank, &a.name).cmp(&(b.rank, &b.name)));
    let mut doc = Doc::new();
    if let Some(ours) = elsewhere(call.rest.trim()) {
        doc.push(Style::Plain, &format!(" {} is {ours} here", call.rest.trim())).newline();
    } else if found.is_empty() {
        doc.push(Style::Note, &format!(" nothing is said of {}", call.rest)).newline();
    }
    let width = found.iter().take(MOST).map(|f| f.name.chars().count()).max().unwrap_or(0) + 2;
    for Found { name, said, .. } in found.iter().take(MOST) {
        doc.push(Style::Plain, " ").push(Style::Name, &format!("{name:<width$}")).push(Style::Plain, said).newline();
    }
    if found.len() > MOST {
        doc.push(Style::Note, &format!(" and {} more; a second word finds fewer", found.len() - MOST)).newline();
    }
    let doc = doc.wrapped(call.width());
    call.print(&doc);
    Ok(())
}

/// Names with what is said of them. In-place forms are said by the plain ones.
fn known() -> impl Iterator<Item = (String, String)> {
    let functions = ops::function_names().filter_map(|name| Some((format!("torch.{name}"), ops::function(name)?)));
    let functions = functions.filter(|(name, _)| !name.contains("._"));
    let methods = ops::method_names().filter(|name| ops::function(name).is_none());
    let methods = methods.filter_map(|name| Some((format!("x.{name}"), ops::method(name).or_else(|| ops::property(name))?)));
    let sets = functions.chain(methods).filter(|(_, set)| !set.inplace);
    let said = |set: &OpSet| set.rows.iter().map(|row| row.doc).find(|doc| !doc.is_empty()).unwrap_or_default().to_string();
    let operations: BTreeMap<String, String> = sets.map(|(name, set)| (name, said(set))).collect();
    operations.into_iter().chain(COMMANDS.iter().map(|c| (format!("%{}", c.name), c.help.to_string())))
}

/// What is shown of something when all words are found in it.
fn fitting(name: String, text: &str, words: &[String]) -> Option<Found> {
    let (low, said) = (name.to_lowercase(), text.to_lowercase());
    if !words.iter().all(|word| low.contains(word.as_str()) || said.contains(word.as_str())) {
        return None;
    }
    let last = low.rsplit(['.', '%']).next().unwrap_or_default();
    let rank = match words {
        [word] if last == word => 0,
        [word] if last.starts_with(word.as_str()) => 1,
        _ if words.iter().all(|word| low.contains(word.as_str())) => 2,
        _ => 3,
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = text.split_inclusive(". ").next().unwrap_or_default().trim().to_string();
    Some(Found { rank, name, said })
}
