//! Shell commands and their pictures, as reviewed: in Unicode, and in ASCII with characters of the same width.

use std::path::Path;
use std::process::Command;

fn transcript(arguments: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures");
    let mut tsr = Command::new(env!("CARGO_BIN_EXE_tsr"));
    let output = tsr.current_dir(folder).env("LC_ALL", "C.UTF-8").args(arguments).arg("commands.tsr").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Fails at the first statement that differs.
fn same(found: &str, expected: &str) {
    for (found, expected) in found.split("\n>>> ").zip(expected.split("\n>>> ")) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn commands_draw_as_reviewed() {
    same(&transcript(&["--echo"]), include_str!("../pictures/commands.out"));
}

#[test]
fn the_ascii_picture_is_the_other_one_with_its_characters_exchanged() {
    let ascii = transcript(&["--echo", "--ascii"]);
    assert!(ascii.is_ascii());
    let (lines, plain) = (include_str!("../pictures/commands.out").lines(), ascii.lines());
    for (line, plain) in lines.zip(plain) {
        assert_eq!(line.chars().count(), plain.chars().count(), "{line}\n{plain}");
    }
}
