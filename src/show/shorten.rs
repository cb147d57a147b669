//! A source line whose marked parts reach further than a terminal is wide, made shorter inside them, so that carets stay under
//! what they point at.

use std::ops::Range;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands for the middle of a part.
const DOTS: &str = "...";
/// Columns that a part is cut down to at the least.
const LEAST: usize = 9;

/// The line in `room` columns, as far as that can be: the middles of its long parts left out, then what is around them; and where
/// the ranges are in it. None when they fit as they are, with dots at both ends. The ranges are bytes of the line.
pub(super) fn shortened(line: &str, ranges: &[Range<usize>], room: usize) -> Option<(String, Vec<Range<usize>>)> {
    let mut ends: Vec<usize> = ranges.iter().flat_map(|r| [r.start, r.end]).collect();
    ends.sort_unstable();
    ends.dedup();
    let (first, last) = (*ends.first()?, *ends.last()?);
    let marked = line.get(first..last)?;
    let ends_room = 2 * (DOTS.len() + 1);
    let least = room.saturating_sub(ends_room);
    if marked.width() <= least {
        return None;
    }
    let parts: Vec<&str> = ends.windows(2).map(|pair| line.get(pair[0]..pair[1])).collect::<Option<_>>()?;
    let cut = |most: usize| -> Vec<String> { parts.iter().map(|part| middle_out(part, most)).collect() };
    let fits = |most: &usize| cut(*most).iter().map(|part| part.width()).sum::<usize>() <= least;
    let most = (LEAST..least).rev().find(fits).unwrap_or(LEAST);
    let cut = cut(most);
    let left = room.saturating_sub(cut.iter().map(|part| part.width()).sum());
    let (before, after) = (line.get(..first)?, line.get(last..)?);
    let mut text = match before.width() <= left / 2 {
        true => before.to_string(),
        false => format!(
            "{DOTS}{}",
            taken(before.chars().rev(), (left / 2).saturating_sub(DOTS.len())).chars().rev().collect::<String>()
        ),
    };
    let left = left.saturating_sub(text.width());
    let mut places = vec![text.len()];
    for part in cut {
        text.push_str(&part);
        places.push(text.len());
    }
    match after.width() <= left {
        true => text.push_str(after),
        false => text.push_str(&(taken(after.chars(), left.saturating_sub(DOTS.len())) + DOTS)),
    }
    let moved = |at: usize| ends.binary_search(&at).map_or(at, |k| places[k]);
    let ranges = ranges.iter().map(|r| moved(r.start)..moved(r.end)).collect();
    Some((text, ranges))
}

/// A text of at most `most` columns, its middle left out if need be, and words whole where that leaves something.
fn middle_out(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_string();
    }
    let room = most.saturating_sub(DOTS.len());
    let head = taken(text.chars(), room.div_ceil(2));
    let tail: String = taken(text.chars().rev(), room / 2).chars().rev().collect();
    format!("{}{DOTS}{}", whole_words(&head, text), whole_words_behind(&tail, text))
}

/// The characters that `room` columns hold.
fn taken(chars: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= room
    };
    chars.take_while(fits).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The beginning of a text without the word that it breaks off in; the whole beginning when it is nothing but that word.
fn whole_words<'a>(head: &'a str, text: &str) -> &'a str {
    let breaks = text.get(head.len()..).is_some_and(|rest| rest.starts_with(is_word));
    let kept = if breaks { head.trim_end_matches(is_word) } else { head };
    if kept.is_empty() { head } else { kept }
}

/// The end of a text without the word that it begins in the middle of.
fn whole_words_behind<'a>(tail: &'a str, text: &str) -> &'a str {
    let breaks = text.get(..text.len() - tail.len()).is_some_and(|rest| rest.ends_with(is_word));
    let kept = if breaks { tail.trim_start_matches(is_word) } else { tail };
    if kept.is_empty() { tail } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays() {
        assert_eq!(shortened("y = a + b", &[4..5, 6..7], 12), None);
    }

    #[test]
    fn long_parts_lose_their_middle_and_ranges_follow() {
        let line = "y = torch.relu(first + second) @ other.transpose(0, 1)[2:] + 1";
        let at = line.find('@').unwrap();
        let ranges = [at..at + 1, 4..at - 1, at + 2..line.len() - 4];
        let (text, moved) = shortened(line, &ranges, 44).unwrap();
        assert_eq!(text, "y = torch....second) @ other.... 1)[2:] + 1");
        let parts: Vec<&str> = moved.into_iter().map(|r| &text[r]).collect();
        assert_eq!(parts, ["@", "torch....second)", "other.... 1)[2:]"]);
    }

    #[test]
    fn wide_characters_and_little_room() {
        let line = "日本語日本語日本語 + 日本語日本語";
        let (text, ranges) = shortened(line, &[0..27, 30..48], 12).unwrap();
        assert!(text.width() < line.width() && text.contains("..."), "{text}");
        assert_eq!(ranges[1].end, text.len());
    }
}
