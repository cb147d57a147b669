//! `string`: sets of characters.

use crate::lang::types::call::{Call, Table, def, row};
use crate::lang::types::{convert, str};
use crate::value::{Outcome, Value};

mod template;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const SPACE: &str = " \t\n\r\x0b\x0c";

/// The functions.
pub static FUNCTIONS: Table =
    Table { owner: "string", rows: Table::sorted(&[row("capwords", def(&["s", "sep"], 1, 2), capital_words)]) };

/// The constants, and the class of templates.
pub fn values() -> Vec<(&'static str, Value)> {
    let text = |parts: &[&str]| Value::from(parts.concat());
    vec![
        ("Template", template::class()),
        ("ascii_letters", text(&[LOWER, UPPER])),
        ("ascii_lowercase", text(&[LOWER])),
        ("ascii_uppercase", text(&[UPPER])),
        ("digits", text(&[DIGITS])),
        ("hexdigits", text(&[DIGITS, "abcdefABCDEF"])),
        ("octdigits", text(&["01234567"])),
        ("printable", text(&[DIGITS, LOWER, UPPER, PUNCTUATION, SPACE])),
        ("punctuation", text(&[PUNCTUATION])),
        ("whitespace", text(&[SPACE])),
    ]
}

/// `capwords(s, sep=None)`: the words, each with a capital.
fn capital_words(c: &mut Call<'_>) -> Outcome {
    let text = convert::to_str(c.arg(0), "capwords", "argument 's'")?;
    let joined = match c.some(1) {
        None => text.split_whitespace().map(str::capitalize).collect::<Vec<_>>().join(" "),
        Some(separator) => {
            let separator = convert::to_str(separator, "capwords", "argument 'sep'")?;
            text.split(separator.as_str()).map(str::capitalize).collect::<Vec<_>>().join(separator)
        }
    };
    Ok(Value::from(joined))
}
