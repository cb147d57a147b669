//! Pictures in words: sentences that read well aloud, for screen readers and for whoever would rather listen.
//!
//! A drawing brings its own sentences ([`super::Doc::told_as`]); what stands between drawings is text already and only loses
//! what a voice stumbles over. Numbers in a row become ranges, sizes are "3 by 2".

pub mod report;

/// Signs that have a word of their own.
const SIGNS: &[(&str, &str)] =
    &[(" · ", ", "), ("→", "becomes"), ("← ", ""), ("×", "by"), ("≠", "is not"), ("…", "and so on"), (" * ", " times ")];

/// Appends the lines of a text that is no drawing, each as a sentence.
pub fn sentences(out: &mut String, text: &str) {
    for said in text.lines().map(sentence).filter(|said| !said.is_empty()) {
        out.push_str(&said);
        out.push('\n');
    }
}

/// A text as one sentence: one line, its signs as words, a full stop; empty when the text is.
pub fn sentence(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (sign, word) in SIGNS {
        line = line.replace(sign, word);
    }
    line = line.replace("storage #", "storage ");
    if line.is_empty() { line } else { ended(line) }
}

/// A text with a full stop, unless it ends in a sign already.
pub fn ended(mut text: String) -> String {
    if !text.ends_with(['.', ':', '!', '?']) {
        text.push('.');
    }
    text
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Numbers in their order, three or more that follow each other as a range: `0 to 5, 8 and 9`.
pub fn runs(numbers: &[i64]) -> String {
    let mut parts: Vec<String> = vec![];
    let mut rest = numbers;
    while let Some(first) = rest.first() {
        let count = rest.iter().zip(*first..).take_while(|(n, wanted)| **n == *wanted).count();
        match count {
            1 | 2 => parts.push(first.to_string()),
            _ => parts.push(format!("{first} to {}", first + count as i64 - 1)),
        }
        rest = &rest[if count > 2 { count } else { 1 }..];
    }
    list(&parts)
}

/// `cell 3`, `cells 0 to 5`.
pub fn cells(numbers: &[i64]) -> String {
    format!("{} {}", if numbers.len() == 1 { "cell" } else { "cells" }, runs(numbers))
}

/// A size as one says it: `(3, 2)` is `3 by 2`, `()` has no dimensions.
pub fn size(tuple: &str) -> String {
    let parts = items(tuple);
    if parts.is_empty() { "no dimensions".to_string() } else { format!("size {}", parts.join(" by ")) }
}

/// Strides as one says them: `(3, 1)` is `stride 3 and 1`.
pub fn stride(tuple: &str) -> String {
    let parts: Vec<String> = items(tuple).into_iter().map(String::from).collect();
    if parts.is_empty() { String::new() } else { format!("stride {}", list(&parts)) }
}

/// The items of a tuple's text.
fn items(tuple: &str) -> Vec<&str> {
    tuple.trim_matches(['(', ')']).split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_row_are_a_range() {
        assert_eq!(runs(&[0, 1, 2, 3]), "0 to 3");
        assert_eq!(runs(&[0, 1]), "0 and 1");
        assert_eq!(runs(&[5, 7, 8, 9, 9, 9]), "5, 7 to 9, 9 and 9");
        assert_eq!([cells(&[3]), cells(&[3, 5])], ["cell 3", "cells 3 and 5"]);
    }

    #[test]
    fn tuples_as_one_says_them() {
        assert_eq!([size("(3, 2)"), size("(6,)"), size("()")], ["size 3 by 2", "size 6", "no dimensions"]);
        assert_eq!([stride("(12, 4, 1)"), stride("(1,)"), stride("()")], ["stride 12, 4 and 1", "stride 1", ""]);
    }

    #[test]
    fn lines_are_sentences() {
        let mut out = String::new();
        sentences(&mut out, " x.t()  is a view\n\n dim 1 → 4 · faint\n");
        assert_eq!(out, "x.t() is a view.\ndim 1 becomes 4, faint.\n");
    }
}
