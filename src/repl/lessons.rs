//! The lessons that come with tsr, so that they are there where its source is not.

use crate::show::{Doc, Style};
use etcetera::{BaseStrategy, choose_base_strategy};
use std::io;
use std::path::PathBuf;

/// A file of the folder `scripts`.
struct File {
    name: &'static str,
    text: &'static str,
}

macro_rules! scripts {
    ($($name:literal)*) => {
        &[$(File { name: $name, text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/", $name)) }),*]
    };
}

/// What lessons read.
const DATA: &[File] = scripts!["systolic-blood-pressure-vs-age.dat"];

/// The lessons in their order.
const LESSONS: &[File] = scripts![
    "01_storage.tsr" "02_offset.tsr" "03_stride.tsr" "04_transpose.tsr" "05_expand_and_repeat.tsr" "06_view_and_reshape.tsr"
    "07_broadcasting.tsr" "08_linear_regression.tsr" "09_dtype_and_bytes.tsr" "10_copies_and_memory.tsr" "11_in_place_traps.tsr"
    "12_channels_last.tsr" "13_sliding_windows.tsr" "14_reductions.tsr" "15_products.tsr"
];

impl File {
    /// `stride` of `03_stride.tsr`.
    fn word(&self) -> &'static str {
        let stem = self.name.strip_suffix(".tsr").unwrap_or(self.name);
        stem.split_once('_').map_or(stem, |(_, word)| word)
    }

    /// What the first line says behind the number.
    fn title(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.split_once(". ").map_or(first, |(_, title)| title)
    }
}

/// The lesson with this number, or with the only name that begins so: `3`, `stride`, `str`.
fn find(word: &str) -> Option<&'static File> {
    if let Ok(number) = word.parse::<usize>() {
        return LESSONS.get(number.checked_sub(1)?);
    }
    let mut named = LESSONS.iter().filter(|file| file.word() == word || file.name == word);
    let mut begins = LESSONS.iter().filter(|file| !word.is_empty() && file.word().starts_with(word));
    named.next().or_else(|| begins.next().filter(|_| begins.next().is_none()))
}

/// True when a lesson that comes with tsr is meant.
pub fn is_known(word: &str) -> bool {
    find(word).is_some()
}

/// The words that lessons are found by.
pub fn words() -> impl Iterator<Item = &'static str> {
    LESSONS.iter().map(File::word)
}

/// The file of a lesson that comes with tsr, written among the user's data, where it can be read and changed. None when no lesson is
/// meant.
///
/// # Errors
/// The system's, when it cannot be written.
pub fn unpacked(word: &str) -> io::Result<Option<PathBuf>> {
    let Some(lesson) = find(word) else { return Ok(None) };
    let dirs = choose_base_strategy().map_err(io::Error::other)?;
    let folder = dirs.data_dir().join("tsr").join("lessons");
    std::fs::create_dir_all(&folder)?;
    for file in DATA.iter().chain([lesson]) {
        std::fs::write(folder.join(file.name), file.text)?;
    }
    Ok(Some(folder.join(lesson.name)))
}

/// The lessons, a line each.
pub fn listed() -> Doc {
    let mut doc = Doc::new();
    let width = words().map(str::len).max().unwrap_or(0) + 2;
    for (k, file) in LESSONS.iter().enumerate() {
        doc.push(Style::Plain, &format!(" {:>2}  ", k + 1)).push(Style::Name, &format!("{:<width$}", file.word()));
        doc.push(Style::Plain, file.title()).newline();
    }
    doc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_have_numbers_and_words() {
        let title = |word: &str| find(word).map(File::title);
        let strides = Some("The stride: how far one step goes.");
        assert_eq!([title("3"), title("stride"), title("str"), title("03_stride.tsr")], [strides; 4]);
        assert_eq!([title("0"), title("16"), title(""), title("none"), title("s")], [None; 5]);
        assert!(LESSONS.iter().enumerate().all(|(k, file)| file.text.starts_with(&format!("# Lesson {}. ", k + 1))));
    }

    #[test]
    fn every_lesson_of_the_folder_is_here() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts")).expect("the folder");
        let names = folder.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let mut lessons: Vec<String> = names.filter(|name| name.ends_with(".tsr")).collect();
        lessons.sort();
        assert_eq!(lessons, LESSONS.iter().map(|file| file.name).collect::<Vec<_>>());
    }
}
