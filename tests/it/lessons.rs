//! The transcripts recorded from PyTorch, the README's session, and the lessons, all through the command itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tsr(args: &[&str]) -> Output {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsr"));
    command.args(args).current_dir(root).env("NO_COLOR", "1").env("TSR_BITS", "intel").output().expect("tsr runs")
}

#[test]
fn transcripts_recorded_from_pytorch_pass() {
    let output = tsr(&["test", "README.md", "tests/transcripts"]);
    assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
}

/// What differs between processors is tested on those that are like the one it was recorded on.
#[cfg(target_arch = "x86_64")]
#[test]
fn last_bits_are_those_of_pytorch_on_this_processor() {
    let is_intel = std::arch::x86_64::__cpuid(0).ebx == u32::from_le_bytes(*b"Genu");
    let file = match (is_intel, std::arch::is_x86_feature_detected!("fma"), std::arch::is_x86_feature_detected!("avx512f")) {
        (true, _, true) => "tests/bits/intel.md",
        (false, true, _) => "tests/bits/amd.md",
        _ => return,
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsr"));
    command.args(["test", file]).current_dir(env!("CARGO_MANIFEST_DIR")).env("NO_COLOR", "1").env_remove("TSR_BITS");
    let output = command.output().expect("tsr runs");
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

/// The texts of all lessons.
fn lessons() -> Vec<(String, String)> {
    let lessons = files("scripts", "tsr");
    assert!(lessons.len() >= 12, "{} lessons", lessons.len());
    lessons.iter().map(|p| (p.display().to_string(), std::fs::read_to_string(p).expect("readable"))).collect()
}

#[test]
fn lessons_print_what_they_say() {
    let output = tsr(&["test", "scripts"]);
    assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for (name, text) in lessons() {
        assert!(text.lines().any(|line| line.starts_with("#> ")), "{name} says nothing of its output");
    }
}

#[test]
fn every_lesson_asks_and_draws_and_checks() {
    for (name, text) in lessons() {
        let asks = text.matches("Predict: ").count();
        assert!(asks >= 1, "{name} asks for no prediction");
        assert!(text.lines().any(|line| line.starts_with('%')), "{name} draws nothing");
        assert!(text.contains("# Check: ") && text.contains("\nanswer = "), "{name} checks nothing");
        let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 128).collect();
        assert!(long.is_empty(), "{name}: {long:?}");
    }
}

#[test]
fn every_lesson_can_be_gone_through() {
    use std::io::Write;
    for (name, _) in lessons() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsr"));
        let command = command.args(["lesson", &name]).env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8");
        let piped = std::process::Stdio::piped;
        let mut child = command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().expect("tsr starts");
        let _ = child.stdin.take().expect("a pipe").write_all("\n".repeat(100).as_bytes());
        let output = child.wait_with_output().expect("tsr ends");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("The end of the lesson."), "{name}: {text}");
        assert!(!text.contains("Error: "), "{name}: {text}");
    }
}
