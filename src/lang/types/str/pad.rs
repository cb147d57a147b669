//! Blanks around a text: taken off or put on.

use super::{len, text, this};
use crate::lang::types::call::Call;
use crate::lang::types::{convert, float, limits};
use crate::value::{Outcome, Value};

/// `text.strip(chars)`, `lstrip`, `rstrip`.
pub fn strip(c: &mut Call<'_>, function: &str) -> Outcome {
    let mine = this(c);
    let set = match c.some(0) {
        None => None,
        Some(Value::Str(set)) => Some(set.clone()),
        Some(_) => fault!(TypeError, "{function} arg must be None or str"),
    };
    let goes = |x: char| set.as_ref().map_or_else(|| float::is_space(x), |set| set.contains(x));
    text(match function {
        "lstrip" => mine.trim_start_matches(goes),
        "rstrip" => mine.trim_end_matches(goes),
        _ => mine.trim_matches(goes),
    })
}

/// `text.center(width, fill)`, `ljust`, `rjust`.
pub fn justify(c: &mut Call<'_>, function: &str) -> Outcome {
    let mine = this(c);
    let width = convert::to_i64(c.arg(0))?;
    let fill = match c.get(1) {
        None => ' ',
        Some(Value::Str(fill)) => match (fill.chars().next(), fill.chars().nth(1)) {
            (Some(one), None) => one,
            _ => fault!(TypeError, "The fill character must be exactly one character long"),
        },
        Some(other) => fault!(TypeError, "The fill character must be a unicode character, not {}", other.type_name()),
    };
    let room = (width.max(0) as usize).saturating_sub(len(&mine));
    let left = match function {
        "ljust" => 0,
        "rjust" => room,
        // An odd blank goes to the left when the width is odd.
        _ => room / 2 + (room & width as usize & 1),
    };
    limits::check_bytes(room.saturating_mul(fill.len_utf8()))?;
    let fill = fill.to_string();
    let pad = |n: usize| fill.repeat(n);
    text(pad(left) + &mine + &pad(room - left))
}

/// `text.zfill(width)`: zeros behind the sign.
pub fn fill_zeros(c: &mut Call<'_>) -> Outcome {
    let mine = this(c);
    let room = (convert::to_i64(c.arg(0))?.max(0) as usize).saturating_sub(len(&mine));
    limits::check_bytes(room)?;
    let (sign, digits) = mine.split_at(mine.starts_with(['+', '-']) as usize);
    text(format!("{sign}{}{digits}", "0".repeat(room)))
}

/// `text.expandtabs(tabsize)`.
pub fn expand_tabs(c: &mut Call<'_>) -> Outcome {
    let size = c.get(0).map_or(Ok(8), convert::to_i32)?.max(0) as usize;
    let mine = this(c);
    limits::check_bytes(mine.matches('\t').count().saturating_mul(size))?;
    let (mut out, mut column) = (String::new(), 0);
    for x in mine.chars() {
        match x {
            '\t' if size == 0 => {}
            '\t' => {
                let room = size - column % size;
                out.extend(std::iter::repeat_n(' ', room));
                column += room;
            }
            _ => {
                out.push(x);
                column = if matches!(x, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    text(out)
}
