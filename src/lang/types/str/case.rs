//! Upper and lower case, and what kind of character one is.

use crate::lang::types::digits;

/// The only letters whose title case is not their upper case: digraphs, by code point, with what they become.
const DIGRAPHS: &[(std::ops::RangeInclusive<u32>, char)] =
    &[(0x1c4..=0x1c6, '\u{1c5}'), (0x1c7..=0x1c9, '\u{1c8}'), (0x1ca..=0x1cc, '\u{1cb}'), (0x1f1..=0x1f3, '\u{1f2}')];

fn push_title(out: &mut String, c: char) {
    if let Some((_, title)) = DIGRAPHS.iter().find(|(range, _)| range.contains(&(c as u32))) {
        return out.push(*title);
    }
    // A letter that becomes several keeps only the first as a capital: ß gives Ss.
    for (i, upper) in c.to_uppercase().enumerate() {
        if i == 0 { out.push(upper) } else { out.extend(upper.to_lowercase()) }
    }
}

/// `text.capitalize()`.
pub fn capitalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    if let Some(first) = chars.next() {
        push_title(&mut out, first);
    }
    out + &chars.as_str().to_lowercase()
}

/// `text.title()`.
pub fn title(text: &str) -> String {
    let (mut out, mut inside) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        if inside {
            out.extend(c.to_lowercase())
        } else {
            push_title(&mut out, c)
        }
        inside = has_case(c);
    }
    out
}

/// `text.swapcase()`.
pub fn swap(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_uppercase() {
            out.extend(c.to_lowercase());
        } else if c.is_lowercase() {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}

/// `text.casefold()`: lower case, and beyond: ß folds to ss.
pub fn fold(text: &str) -> String {
    let lower: String = text.chars().flat_map(char::to_lowercase).collect();
    lower.replace(['ß', 'ẞ'], "ss").replace('ς', "σ").replace('ŉ', "ʼn").replace('ſ', "s")
}

fn has_case(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || DIGRAPHS.iter().any(|(range, _)| range.contains(&(c as u32)))
}

/// True when there is a cased character and all cased ones are of the wanted case.
pub fn is_cased(text: &str, wanted: fn(char) -> bool) -> bool {
    text.chars().any(has_case) && text.chars().filter(|c| has_case(*c)).all(wanted)
}

/// `text.istitle()`.
pub fn is_title(text: &str) -> bool {
    let (mut inside, mut any) = (false, false);
    for c in text.chars() {
        let upper = c.is_uppercase();
        if has_case(c) {
            if upper == inside {
                return false;
            }
            any = true;
        }
        inside = has_case(c);
    }
    any
}

/// A letter as `isalpha` counts them.
pub fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !c.is_numeric()
}

/// A digit as `isdigit` counts them: decimal ones, superscripts and circled ones.
pub fn is_digit(c: char) -> bool {
    let special = matches!(c as u32, 0xb2 | 0xb3 | 0xb9 | 0x1369..=0x1371 | 0x19da | 0x2070 | 0x2074..=0x2079 | 0x2080..=0x2089
        | 0x2460..=0x2468 | 0x2474..=0x247c | 0x2488..=0x2490 | 0x24ea | 0x24f5..=0x24fd | 0x24ff | 0x2776..=0x277e
        | 0x2780..=0x2788 | 0x278a..=0x2792 | 0x10a40..=0x10a43 | 0x10e60..=0x10e68 | 0x11052..=0x1105a | 0x1f100..=0x1f10a);
    special || digits::value_of(c).is_some()
}

/// `text.isidentifier()`.
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    let start = |c: char| c == '_' || c.is_alphabetic();
    chars.next().is_some_and(start) && chars.all(|c| start(c) || c.is_numeric() && digits::value_of(c).is_some())
}
