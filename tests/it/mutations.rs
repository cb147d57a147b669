//! Statements of the transcripts, damaged at random from a fixed seed: no panic, no hang, and every one gets its answer.

use crate::support::Random;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// Programs, and damaged statements in each.
const PROGRAMS: usize = 50;
const STATEMENTS: usize = 200;

/// Time for one program, which needs about a second; one that needs more is ended and called a hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// Statements that were once answered with a mistake of tsr.
const FOUND: &[&str] = &[
    "x[:, ::2**62].take(torch.tensor(-1)), x[::2**62] + 1",
    "torch.sparse_csr_tensor([2**62, 1, 2], [0, 1], [[1., 2.], [3., 4.]]).to_dense()",
    "torch.sparse_csr_tensor([-2**62, 2**62, 2], [0, 1], [1., 2.], (2, 2)).to_dense()",
    "torch.nn.Embedding(-9223372036854775808, 2, padding_idx=5)",
    r#"eval("'\N{-0.0}'")"#,
];

/// What damaged statements may find.
const NAMES: &str = "import torch, math
import numpy as np
import torch.nn.functional as F
torch.manual_seed(0)
x = torch.arange(12.).view(3, 4)
a = torch.randn(3, 3)
b = torch.arange(4)
t = torch.rand(2, 3, 4)
y = x.t()
m = x > 5
i = torch.tensor([0, 2])
c = torch.randn(2, 2, dtype=torch.complex64)
";

const VALUES: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "3",
    "-3",
    "7",
    "1.5",
    "-0.0",
    "1e30",
    "10**20",
    "-10**20",
    "None",
    "True",
    "[]",
    "()",
    "'a'",
    "1j",
    "x",
    "float('nan')",
    "float('inf')",
    "torch.tensor([])",
    "torch.tensor(3)",
    "torch.zeros(2, 0)",
    "slice(None)",
    "...",
    "torch.float16",
    "torch.bool",
    "'cpu'",
    "torch.complex64",
    "-9223372036854775808",
];

/// One-line statements of all transcripts that touch neither files nor time nor huge memory.
fn statements() -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if entry.is_dir() {
                walk(&entry, found);
            } else {
                found.extend(std::fs::read_to_string(entry).unwrap().lines().filter_map(statement));
            }
        }
    }
    fn statement(line: &str) -> Option<String> {
        const LEFT_OUT: [&str; 9] = ["10**", "open", "import", "sleep", "input", "exit", "%", "!", "?"];
        let text = line.strip_prefix(">>> ")?;
        let fits = !text.ends_with(':') && !LEFT_OUT.iter().any(|word| text.contains(word));
        let has_large_number = text.split(|c: char| !c.is_ascii_digit()).any(|n| n.len() > 4);
        (fits && !has_large_number).then(|| text.to_string())
    }
    let mut found = vec![];
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts"), &mut found);
    found.sort();
    found
}

/// Names, numbers, gaps and single characters.
fn pieces(text: &str) -> Vec<&str> {
    let class = |c: char| if c.is_alphanumeric() || c == '_' { 0 } else { 1 + usize::from(c == ' ') };
    let mut pieces = vec![];
    let mut start = 0;
    for (k, c) in text.char_indices() {
        let before = text[..k].chars().next_back();
        if before.is_some_and(|b| class(b) != class(c) || class(c) == 1) {
            pieces.push(&text[start..k]);
            start = k;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

fn damaged(random: &mut Random, all: &[String], words: &[&str]) -> String {
    let mut now = pieces(&all[random.below(all.len())]);
    for _ in 0..=random.below(3) {
        let k = random.below(now.len());
        match random.below(5) {
            0 => now[k] = random.pick(words),
            1 => drop(now.remove(k)),
            2 => now.insert(k, random.pick(words)),
            3 => {
                let other = pieces(&all[random.below(all.len())]);
                let first = random.below(other.len());
                now.splice(k..k, other.into_iter().skip(first).take(4));
            }
            _ => {
                let numbers: Vec<usize> = (0..now.len()).filter(|k| now[*k].starts_with(|c: char| c.is_ascii_digit())).collect();
                let place = numbers.get(random.below(numbers.len())).copied().unwrap_or(k);
                now[place] = random.pick(VALUES);
            }
        }
        if now.is_empty() {
            break;
        }
    }
    now.concat()
}

/// The exit code of a program, none if it crashed or did not end in time, and all it printed. The output goes to a file: a pipe
/// would have to be emptied while the time is watched.
fn echoed(program: &Path) -> (Option<i32>, String) {
    let shown = program.with_extension("out");
    let output = std::fs::File::create(&shown).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsr"));
    command.arg("--echo").arg(program).stdin(Stdio::null()).stderr(output.try_clone().unwrap()).stdout(output);
    let mut child = command.spawn().unwrap();
    let status = child.wait_timeout(PATIENCE).unwrap();
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let text = String::from_utf8_lossy(&std::fs::read(&shown).unwrap()).into_owned();
    std::fs::remove_file(&shown).unwrap();
    (status.and_then(|status| status.code()), text)
}

#[test]
fn damaged_statements_get_an_answer() {
    let all = statements();
    let mut words: Vec<&str> = all.iter().flat_map(|s| pieces(s)).filter(|p| !p.trim().is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let folder = std::env::temp_dir();
    for number in 0..PROGRAMS {
        let found = FOUND.iter().filter(|_| number == 0).map(|statement| statement.to_string());
        let lines: Vec<String> = found.chain((0..STATEMENTS).map(|_| damaged(&mut random, &all, &words))).collect();
        let path = folder.join(format!("tsr_damaged_{}_{number}.tsr", std::process::id()));
        std::fs::write(&path, format!("{NAMES}{}\nprint('the', 'end')\n", lines.join("\n"))).unwrap();
        let (code, text) = echoed(&path);
        let last = text.lines().rfind(|line| line.starts_with(">>>")).unwrap_or_default();
        assert!(code.is_some_and(|code| code < 100), "{}: {code:?} after\n{last}", path.display());
        // PyTorch has errors with these words of its own.
        assert!(!text.contains("RuntimeError: internal error"), "{}:\n{text}", path.display());
        std::fs::remove_file(&path).unwrap();
    }
}
