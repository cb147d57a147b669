//! The shape of the source itself: which part may know which, and how long a file may be.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each part of `src/` with the parts it may use. An arrow that points up fails the test.
const MAY_USE: &[(&str, &[&str])] = &[
    ("diag", &[]),
    ("interrupt", &["diag"]),
    ("dtype", &["diag"]),
    ("layout", &["diag"]),
    ("syntax", &["diag"]),
    ("kernel", &["diag", "interrupt", "dtype", "layout"]),
    ("device", &["diag", "interrupt", "dtype", "layout", "kernel"]),
    ("settings", &["diag", "dtype", "device"]),
    ("tensor", &["diag", "dtype", "layout", "device", "settings"]),
    ("value", &["diag", "dtype", "layout", "device", "tensor"]),
    ("ops", &["diag", "interrupt", "dtype", "layout", "kernel", "device", "settings", "tensor", "value"]),
    ("show", &["diag", "interrupt", "dtype", "layout", "device", "settings", "tensor", "value"]),
    (
        "lang",
        &["diag", "interrupt", "dtype", "layout", "kernel", "device", "settings", "tensor", "value", "ops", "show", "syntax"],
    ),
    (
        "repl",
        &[
            "diag",
            "interrupt",
            "dtype",
            "layout",
            "kernel",
            "device",
            "settings",
            "tensor",
            "value",
            "ops",
            "show",
            "syntax",
            "lang",
        ],
    ),
];

fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(folder).expect("src is there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).expect("readable");
                found.push((path, text));
            }
        }
    }
    let mut found = vec![];
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found
}

/// The part a file belongs to: the first name below `src/`.
fn part(path: &Path) -> String {
    let below = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("below src");
    let first = below.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_string()
}

/// The parts that a text names after `crate::`, comments left out.
fn named_parts(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let word = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut parts = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => parts.extend(group.split('}').next().unwrap_or_default().split(',').map(|w| word(w.trim()))),
            None => {
                parts.insert(word(rest));
            }
        }
    }
    parts
}

#[test]
fn no_arrow_points_up() {
    let known: Vec<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    let mut wrong = vec![];
    for (path, text) in sources() {
        let here = part(&path);
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| **name == *here) else { continue };
        for used in named_parts(&text) {
            if used != here && known.contains(&used.as_str()) && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}: {here} must not know {used}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_can_be_held_in_the_head() {
    // A table of rows may be long; code may not.
    let long: Vec<String> = sources()
        .into_iter()
        .filter(|(path, _)| !path.components().any(|c| c.as_os_str() == "ops"))
        .filter(|(_, text)| text.lines().take_while(|l| !l.starts_with("#[cfg(test)]")).count() > 620)
        .map(|(path, text)| format!("{}: {} lines", path.display(), text.lines().count()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn every_module_says_what_it_is() {
    let silent: Vec<String> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//!")).map(|(path, _)| path.display().to_string()).collect();
    assert!(silent.is_empty(), "no module doc: {}", silent.join(", "));
}
