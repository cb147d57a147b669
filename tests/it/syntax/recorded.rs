//! Texts with what CPython 3.11 makes of them; `scripts/dev/syntax_oracle.py` records them.

use super::{refusal, tree};

const VALID: &str = include_str!("valid.txt");
const INVALID: &str = include_str!("invalid.txt");

/// The texts of a file with what is recorded for each.
fn records(file: &str) -> Vec<(&str, &str)> {
    file.trim_end_matches('\n').split("\n----\n").map(|r| r.split_once("\n=>\n").expect("a text, =>, a record")).collect()
}

#[test]
fn valid_texts_have_cpythons_tree() {
    let records = records(VALID);
    assert!(records.len() >= 500, "{} records", records.len());
    for (text, recorded) in records {
        assert_eq!(tree(text), recorded, "\n{text}");
    }
}

#[test]
fn invalid_texts_have_cpythons_error() {
    let records = records(INVALID);
    assert!(records.len() >= 600, "{} records", records.len());
    let (mut same, mut others) = (0, Vec::new());
    for (text, recorded) in &records {
        let (cpython, ours) = recorded.split_once("\nours: ").unwrap_or((recorded, recorded));
        let found = refusal(text);
        if found != ours {
            others.push(format!("{text}\n  {found}\n  and not {ours}"));
        }
        let class = |line: &str| line.split(' ').next().map(str::to_string);
        assert_eq!(class(&found), class(cpython), "\n{text}");
        same += usize::from(found == *cpython);
    }
    assert!(others.is_empty(), "{}", others.join("\n\n"));
    assert!(same * 5 >= records.len() * 4, "only {same} of {} are CPython's to the letter", records.len());
}

/// A text is the same with other line ends, behind a byte order mark, and with blanks and comments at its line ends.
#[test]
fn dress_does_not_matter() {
    for (text, recorded) in records(VALID) {
        assert_eq!(tree(&format!("\u{FEFF}{text}\n")), recorded, "with a mark\n{text}");
        if text.contains(['\\', '"', '\'']) {
            continue;
        }
        assert_eq!(tree(&text.replace('\n', "\r\n")), recorded, "with \\r\\n\n{text}");
        assert_eq!(tree(&text.replace('\n', "\r")), recorded, "with \\r\n{text}");
        assert_eq!(tree(&text.replace('\n', " \t # c\n")), recorded, "with comments\n{text}");
        assert_eq!(tree(&format!("# a\n\n   \n\x0C{text}\n\n  # b\n\t")), recorded, "amid blank lines\n{text}");
    }
}

/// Each valid text also parses as the body of a function, one level deeper.
#[test]
fn texts_nest() {
    for (text, recorded) in records(VALID) {
        let module_only = ["import *", "global ", "nonlocal ", "\n\n", "'''", "\"\"\"", "\\\n"];
        if module_only.iter().any(|m| text.contains(m)) || text.starts_with([' ', '#']) {
            continue;
        }
        let nested = format!("if x:\n    {}", text.replace('\n', "\n    "));
        let body = recorded.replace('\n', " ");
        assert_eq!(tree(&nested), format!("(If 'x' [{body}] [])"), "\n{nested}");
    }
}
