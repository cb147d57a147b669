//! Random texts from a fixed seed: no panic, no hang, and every place lies in the text.

use super::source;
use crate::support::Random;
use tsr::syntax::{Options, is_incomplete, parse_recovering, tokens};

const OPTIONS: Options = Options { commands: &["layout", "time"] };

/// Checks all doors on one text.
fn check(text: &str) {
    let source = source(text);
    let inside = |span: tsr::diag::Span| text.get(span.range()).is_some();
    let mut end = 0;
    for entry in parse_recovering(&source, &OPTIONS) {
        assert!(inside(entry.span) && entry.span.start >= end, "{text:?}: entry at {:?}", entry.span);
        end = entry.span.end;
        if let Err(refusal) = entry.block {
            assert!(refusal.labels.iter().all(|l| inside(l.span)), "{text:?}: {refusal:?}");
            assert!(!refusal.message.is_empty(), "{text:?}");
        }
    }
    let mut end = 0;
    for (span, _) in tokens(text) {
        assert!(inside(span) && span.start >= end && span.end > span.start, "{text:?}: token at {span:?}");
        end = span.end;
    }
    is_incomplete(text, &OPTIONS);
}

const PIECES: &[&str] = &[
    "(", ")", "[", "]", "{", "}", ":", ",", ";", ".", "=", "==", ":=", "+", "-", "*", "**", "/", "%", "@", "!", "?", "<", "~",
    "\\", "\\\n", "'", "\"", "'''", "\"\"\"", "#", "\n", "\r\n", "\r", "\t", "    ", " ", "\x0C", "\0", "x", "f", "b", "rf", "1",
    "0x", "1.", "1e", "_", "if ", "else", "for ", " in ", "while", "def ", "lambda ", "not ", "and", "try:", "except", "with ",
    " as ", "return", "class ", "import ", "from ", "{x", "f'{", "!r", "é", "\u{201C}", "\u{FEFF}", "😀", "\u{A0}", "\\x",
    "\\N{a}", "...", "->", "@a\n", "%layout", "layout ", "None",
];

#[test]
fn random_pieces_and_bytes() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..10_000 {
        let mut text = String::new();
        if round % 4 == 0 {
            let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.below(256) as u8).collect();
            text.push_str(&String::from_utf8_lossy(&bytes));
        } else {
            (0..random.below(24)).for_each(|_| text.push_str(random.pick(PIECES)));
        }
        check(&text);
    }
}

#[test]
fn mutated_scripts() {
    let scripts: Vec<&'static str> =
        include_str!("valid.txt").split("\n----\n").filter_map(|r| r.split_once("\n=>\n")).map(|r| r.0).collect();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for _ in 0..10_000 {
        let mut text = random.pick(&scripts).to_string();
        if random.below(3) == 0 {
            text = format!("{text}\n{}", random.pick(&scripts));
        }
        for _ in 0..=random.below(3) {
            let places: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
            let first = random.below(places.len());
            let last = (first + random.below(4)).min(places.len() - 1);
            let piece = if random.below(3) == 0 { "" } else { random.pick(PIECES) };
            text = format!("{}{piece}{}", &text[..places[first]], &text[places[last]..]);
        }
        check(&text);
    }
}
