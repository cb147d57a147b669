//! Lessons played, transcripts mended, pictures told and written to files: what the command prints for files of
//! `tests/teaching`, as reviewed. After a change that is meant, `TSR_RECORD=1 cargo test --test it teaching` writes what comes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder of its own with copies of the files of `tests/teaching`.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("tsr-teaching-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for entry in std::fs::read_dir(here()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                std::fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
            }
        }
        Folder(folder)
    }

    /// What the command prints, and how it ends when not with 0.
    fn run(&self, args: &str, keys: &str) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsr"));
        command
            .args(args.split(' '))
            .current_dir(&self.0)
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1")
            .env_remove("NO_GRAPHICS");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let keys = if keys.is_empty() { Vec::new() } else { std::fs::read(here().join(keys)).unwrap() };
        // A command that reads nothing may be gone already.
        let _ = child.stdin.take().unwrap().write_all(&keys);
        let output = child.wait_with_output().unwrap();
        let code = output.status.code().filter(|code| *code != 0).map_or(String::new(), |code| format!("? {code}\n"));
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        // Times differ.
        let line =
            |line: &str| line.split_once(" passed in ").map_or(line.to_string(), |(head, _)| format!("{head} passed")) + "\n";
        code + &text.lines().map(line).collect::<String>()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/teaching")
}

/// Compares with a file of `tests/teaching/expected`, or writes it.
fn same(name: &str, found: &str) {
    let path = here().join("expected").join(name);
    if std::env::var_os("TSR_RECORD").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for (n, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "{name}, line {}", n + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
}

#[test]
fn lessons_are_played() {
    let folder = Folder::new("lessons");
    let cases = [
        ("short", "lesson short.tsr", "enter.keys"),
        ("asides", "lesson short.tsr", "asides.keys"),
        ("words", "lesson short.tsr", "words.keys"),
        ("document", "lesson document.md", "enter.keys"),
        ("missing", "lesson missing.tsr", ""),
        ("empty", "lesson empty.tsr", ""),
    ];
    for (name, args, keys) in cases {
        same(&format!("lesson-{name}.txt"), &folder.run(args, keys));
    }
}

#[test]
fn what_came_becomes_what_is_expected() {
    let folder = Folder::new("fixing");
    same("fix.txt", &folder.run("test --fix stale.md program.tsr", ""));
    for name in ["stale.md", "program.tsr"] {
        same(&format!("fixed-{name}"), &folder.read(name));
    }
    assert_eq!(folder.run("test stale.md program.tsr", ""), "2 files: 9 passed\n");
    let before = folder.read("stale.md");
    assert_eq!(folder.run("test --fix stale.md", ""), "1 file: 5 passed\n");
    assert_eq!(folder.read("stale.md"), before);
}

#[test]
fn what_cannot_be_mended_stays() {
    let folder = Folder::new("refusing");
    let before = folder.read("impossible.md");
    same("refused.txt", &folder.run("test --fix impossible.md", ""));
    assert_eq!(folder.read("impossible.md"), before);
}

#[test]
fn what_would_be_written_is_shown_and_nothing_is_written() {
    let folder = Folder::new("showing");
    let before = ["stale.md", "program.tsr"].map(|name| folder.read(name));
    same("diff.txt", &folder.run("test --diff stale.md program.tsr", ""));
    assert_eq!(["stale.md", "program.tsr"].map(|name| folder.read(name)), before);
}

#[test]
fn values_stand_behind_their_statements() {
    let folder = Folder::new("behind");
    same("behind.txt", &folder.run("test behind.tsr", ""));
    same("behind-fix.txt", &folder.run("test --fix behind.tsr", ""));
    let fixed = folder.read("behind.tsr");
    same("fixed-behind.tsr", &fixed);
    assert_eq!(folder.run("test --fix behind.tsr", ""), "1 file: 9 passed\n");
    assert_eq!(folder.read("behind.tsr"), fixed);
    same("lesson-behind.txt", &folder.run("lesson behind.tsr", "enter.keys"));
}

#[test]
fn words_behind_the_mark_of_a_fence() {
    let folder = Folder::new("marks");
    assert_eq!(folder.run("test directives.md", ""), "1 file: 6 passed\n");
    same("lesson-directives.txt", &folder.run("lesson directives.md", "enter.keys"));
    same("unknown.txt", &folder.run("test unknown.md", ""));
    same("unraised.txt", &folder.run("test unraised.md", ""));
    same("unraised-fix.txt", &folder.run("test --fix unraised.md", ""));
}

#[test]
fn floats_may_differ_when_asked_for() {
    let folder = Folder::new("digits");
    same("digits.txt", &folder.run("test digits.md", ""));
    assert_eq!(folder.run("test --tol 1e-3 digits.md", ""), "1 file: 2 passed\n");
}

#[test]
fn telling_is_switched_on_and_off() {
    same("switched.txt", &Folder::new("telling").run("--narrate --echo drawing.tsr", ""));
}
