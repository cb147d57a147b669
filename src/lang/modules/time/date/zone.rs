//! The local time zone, from `/etc/localtime` or `TZ`.

use std::sync::OnceLock;

/// One rule: from when on (seconds since 1970), how far from Greenwich, and whether it is summer time.
type Rule = (i64, i64, bool);

/// Seconds that local time is ahead of Greenwich at a moment, and whether that is summer time.
pub fn offset(seconds: i64) -> (i64, bool) {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    let rules = RULES.get_or_init(|| read().unwrap_or_default());
    let place = rules.partition_point(|(from, ..)| *from <= seconds);
    rules.get(place.saturating_sub(1)).map_or((0, false), |(_, offset, summer)| (*offset, *summer))
}

fn read() -> Option<Vec<Rule>> {
    let path = match std::env::var("TZ") {
        Ok(name) if name.starts_with('/') => name,
        Ok(name) if !name.is_empty() => format!("/usr/share/zoneinfo/{}", name.trim_start_matches(':')),
        _ => "/etc/localtime".to_string(),
    };
    parse(&std::fs::read(path).ok()?)
}

/// The rules of a TZif file: of its second part, whose times have 64 bits.
fn parse(data: &[u8]) -> Option<Vec<Rule>> {
    let header = |at: usize| -> Option<[usize; 6]> {
        if data.get(at..at + 4)? != b"TZif" {
            return None;
        }
        let mut counts = [0; 6];
        for (i, count) in counts.iter_mut().enumerate() {
            *count = number(data, at + 20 + 4 * i, 4)? as usize;
        }
        Some(counts)
    };
    let [utc, standard, leaps, times, types, letters] = header(0)?;
    let second = 44 + times * 5 + types * 6 + letters + leaps * 8 + standard + utc;
    let [_, _, _, times, types, _] = header(second)?;
    let start = second + 44;
    let kinds = start + times * 9;
    let kind = |i: usize| -> Option<(i64, bool)> {
        let at = kinds + i * 6;
        Some((number(data, at, 4)? as i32 as i64, *data.get(at + 4)? != 0)).filter(|_| i < types)
    };
    let (first, summer) = kind(0)?;
    let mut rules = vec![(i64::MIN, first, summer)];
    for i in 0..times {
        let from = number(data, start + i * 8, 8)? as i64;
        let (offset, summer) = kind(*data.get(start + times * 8 + i)? as usize)?;
        rules.push((from, offset, summer));
    }
    Some(rules)
}

fn number(data: &[u8], at: usize, size: usize) -> Option<u64> {
    Some(data.get(at..at + size)?.iter().fold(0, |n, b| n << 8 | *b as u64))
}
