//! The transcripts recorded from PyTorch, the README's session, and the lessons, all through the command itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tsr(args: &[&str]) -> Output {
    let root = env!("CARGO_MANIFEST_DIR");
    Command::new(env!("CARGO_BIN_EXE_tsr")).args(args).current_dir(root).env("NO_COLOR", "1").output().expect("tsr runs")
}

#[test]
fn transcripts_recorded_from_pytorch_pass() {
    let output = tsr(&["test", "README.md", "tests/transcripts"]);
    assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
}

/// The files of a folder with this extension, sorted.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    found.retain(|p| p.extension().is_some_and(|e| e == extension));
    found.sort();
    found
}

#[test]
fn lessons_print_what_was_recorded() {
    let lessons = files("scripts", "tsr");
    assert!(lessons.len() >= 8, "{} lessons", lessons.len());
    for lesson in lessons {
        let name = lesson.file_stem().expect("a name").to_string_lossy().into_owned();
        let output = tsr(&[&format!("scripts/{name}.tsr")]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
        let recorded = lesson.parent().expect("scripts").join(format!("../tests/lessons/{name}.out"));
        let expected = std::fs::read_to_string(&recorded).unwrap_or_else(|e| panic!("{}: {e}", recorded.display()));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}");
    }
}
