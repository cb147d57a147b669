//! `re`: regular expressions. Patterns are rewritten into the notation of the crate that matches them.

use crate::diag::ErrorClass;
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, row};
use crate::lang::types::{convert, iter, repr};
use crate::value::{CallArgs, Class, Dict, Key, Machine, Object, Outcome, Value};
use fancy_regex::Regex;
use std::any::Any;
use std::rc::Rc;

mod notation;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "re",
    rows: &[
        row("compile", def(&["pattern", "flags"], 1, 2), |c| Ok(Value::object(pattern(c, 1)?))),
        row("escape", def(&["pattern"], 1, 1), |c| Ok(Value::from(escaped(&text(c, 0)?)))),
        row("findall", def(&["pattern", "string", "flags"], 2, 3), |c| pattern(c, 2)?.find_all(&text(c, 1)?)),
        row("finditer", def(&["pattern", "string", "flags"], 2, 3), |c| Rc::new(pattern(c, 2)?).find_iter(&text(c, 1)?)),
        row("fullmatch", def(&["pattern", "string", "flags"], 2, 3), |c| pattern(c, 2)?.at(&text(c, 1)?, Anchor::Both)),
        row("match", def(&["pattern", "string", "flags"], 2, 3), |c| pattern(c, 2)?.at(&text(c, 1)?, Anchor::Start)),
        row("search", def(&["pattern", "string", "flags"], 2, 3), |c| pattern(c, 2)?.at(&text(c, 1)?, Anchor::None)),
        row("split", def(&["pattern", "string", "maxsplit", "flags"], 2, 4), |c| {
            let most = c.some(2).map_or(Ok(0), convert::to_count)?;
            pattern(c, 3)?.split(&text(c, 1)?, most)
        }),
        row("sub", def(&["pattern", "repl", "string", "count", "flags"], 3, 5), |c| {
            let (pattern, by, string) = (pattern(c, 4)?, c.arg(1).clone(), text(c, 2)?);
            let most = c.some(3).map_or(Ok(0), convert::to_count)?;
            Ok(Value::from(pattern.replace(c.machine, &by, &string, most)?.0))
        }),
        row("subn", def(&["pattern", "repl", "string", "count", "flags"], 3, 5), |c| {
            let (pattern, by, string) = (pattern(c, 4)?, c.arg(1).clone(), text(c, 2)?);
            let most = c.some(3).map_or(Ok(0), convert::to_count)?;
            let (text, count) = pattern.replace(c.machine, &by, &string, most)?;
            Ok(Value::tuple(vec![Value::from(text), Value::from(count)]))
        }),
    ],
};

/// The methods of compiled patterns.
static METHODS: Table = Table {
    owner: "Pattern",
    rows: &[
        row("findall", def(&["string"], 1, 1), |c| own(c)?.find_all(&text(c, 0)?)),
        row("finditer", def(&["string"], 1, 1), |c| Rc::new(own(c)?).find_iter(&text(c, 0)?)),
        row("fullmatch", def(&["string"], 1, 1), |c| own(c)?.at(&text(c, 0)?, Anchor::Both)),
        row("match", def(&["string"], 1, 1), |c| own(c)?.at(&text(c, 0)?, Anchor::Start)),
        row("search", def(&["string"], 1, 1), |c| own(c)?.at(&text(c, 0)?, Anchor::None)),
        row("split", def(&["string", "maxsplit"], 1, 2), |c| {
            let most = c.some(1).map_or(Ok(0), convert::to_count)?;
            own(c)?.split(&text(c, 0)?, most)
        }),
        row("sub", def(&["repl", "string", "count"], 2, 3), |c| {
            let (pattern, by, string) = (own(c)?, c.arg(0).clone(), text(c, 1)?);
            let most = c.some(2).map_or(Ok(0), convert::to_count)?;
            Ok(Value::from(pattern.replace(c.machine, &by, &string, most)?.0))
        }),
    ],
};

/// The methods of matches.
static MATCH: Table = Table {
    owner: "Match",
    rows: &[
        row("end", Takes::Between(0, 1), |c| Ok(Value::Int(found(c)?.span(c.get(0))?.1))),
        row("group", Takes::Any, |c| {
            let (found, groups) = (found(c)?, c.args());
            match &groups[..] {
                [] => found.group(&Value::Int(0)),
                [one] => found.group(one),
                several => Ok(Value::tuple(several.iter().map(|group| found.group(group)).collect::<Outcome<_>>()?)),
            }
        }),
        row("groupdict", def(&["default"], 0, 1), |c| {
            let found = found(c)?;
            let mut groups = Dict::default();
            for (place, name) in found.names.iter().enumerate() {
                if let Some(name) = name {
                    let text = found.text_at(place).map_or_else(|| c.arg(0).clone(), Value::from);
                    groups.insert(Key::new(Value::from(name.as_str()))?, text);
                }
            }
            Ok(Value::dict(groups))
        }),
        row("groups", def(&["default"], 0, 1), |c| {
            let found = found(c)?;
            let text = |place| found.text_at(place).map_or_else(|| c.arg(0).clone(), Value::from);
            Ok(Value::tuple((1..found.spans.len()).map(text).collect()))
        }),
        row("span", Takes::Between(0, 1), |c| {
            let (start, end) = found(c)?.span(c.get(0))?;
            Ok(Value::tuple(vec![Value::Int(start), Value::Int(end)]))
        }),
        row("start", Takes::Between(0, 1), |c| Ok(Value::Int(found(c)?.span(c.get(0))?.0))),
    ],
};

const FLAGS: [(&str, &str, i64); 5] =
    [("A", "ASCII", 256), ("I", "IGNORECASE", 2), ("M", "MULTILINE", 8), ("S", "DOTALL", 16), ("X", "VERBOSE", 64)];

/// The flags, which may be added or combined by `|`.
pub fn values() -> Vec<(&'static str, Value)> {
    let flags = FLAGS.iter().flat_map(|(short, long, bit)| [(*short, Value::Int(*bit)), (*long, Value::Int(*bit))]);
    flags.chain([("error", Value::Class(Class::Exception(ErrorClass::PatternError)))]).collect()
}

/// A compiled pattern.
#[derive(Clone)]
struct Pattern {
    source: String,
    flags: i64,
    regex: Rc<Regex>,
}

/// Where a match must lie.
#[derive(Clone, Copy, PartialEq)]
enum Anchor {
    None,
    Start,
    Both,
}

fn text(c: &Call<'_>, place: usize) -> Outcome<String> {
    match c.arg(place) {
        Value::Str(text) => Ok(text.to_string()),
        other => fault!(TypeError, "expected string or bytes-like object, got '{}'", other.type_name()),
    }
}

/// The pattern of the first argument, compiled with the flags of another one.
fn pattern(c: &Call<'_>, flags: usize) -> Outcome<Pattern> {
    if let Some(compiled) = c.arg(0).downcast::<Pattern>() {
        return Ok(compiled.clone());
    }
    let Value::Str(source) = c.arg(0) else { fault!(TypeError, "first argument must be string or compiled pattern") };
    let flags = c.some(flags).map_or(Ok(0), convert::to_i64)?;
    Pattern::new(source, flags)
}

fn own(c: &Call<'_>) -> Outcome<Pattern> {
    match c.this.downcast::<Pattern>() {
        Some(pattern) => Ok(pattern.clone()),
        None => fault!(TypeError, "expected a pattern"),
    }
}

fn found<'c>(c: &'c Call<'_>) -> Outcome<&'c Match> {
    match c.this.downcast::<Match>() {
        Some(found) => Ok(found),
        None => fault!(TypeError, "expected a match"),
    }
}

/// A text whose special characters stand for themselves.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\t\n\x0b\x0c\r !#$%&()*+-.?[\\]^{|}~".contains(c) && c != '!' && c != '%' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

impl Pattern {
    fn new(source: &str, flags: i64) -> Outcome<Pattern> {
        let rewritten = notation::rewritten(source, flags);
        match Regex::new(&rewritten) {
            Ok(regex) => Ok(Pattern { source: source.to_string(), flags, regex: Rc::new(regex) }),
            Err(error) => fault!(PatternError, "the pattern {source:?} cannot be read: {error}"),
        }
    }

    /// The first match from a place on.
    fn from(&self, text: &Rc<str>, start: usize) -> Outcome<Option<Match>> {
        let captures = match self.regex.captures_from_pos(&**text, start) {
            Ok(Some(captures)) => captures,
            Ok(None) => return Ok(None),
            Err(error) => fault!(RuntimeError, "the pattern {:?} takes too long here: {error}", self.source),
        };
        let spans = captures.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect();
        let names = self.regex.capture_names().map(|name| name.map(str::to_string)).collect();
        Ok(Some(Match { text: text.clone(), spans, names, pattern: self.clone() }))
    }

    /// Every match: none begins before the end of the one before, and two empty ones are not at the same place.
    fn all(&self, text: &Rc<str>) -> Outcome<Vec<Match>> {
        let (mut found, mut start) = (vec![], 0);
        while start <= text.len() {
            let Some(next) = self.from(text, start)? else { break };
            let (from, to) = next.whole();
            start = match text[to..].chars().next() {
                Some(c) if from == to => to + c.len_utf8(),
                None if from == to => text.len() + 1,
                _ => to,
            };
            found.push(next);
        }
        Ok(found)
    }

    fn at(&self, text: &str, anchor: Anchor) -> Outcome {
        let anchored = match anchor {
            Anchor::None => None,
            Anchor::Start => Some(format!("\\A(?:{})", notation::rewritten(&self.source, self.flags))),
            Anchor::Both => Some(format!("\\A(?:{})\\z", notation::rewritten(&self.source, self.flags))),
        };
        let mut pattern = self.clone();
        if let Some(Ok(regex)) = anchored.map(|text| Regex::new(&text)) {
            pattern.regex = Rc::new(regex);
        }
        let found = pattern.from(&Rc::from(text), 0)?;
        Ok(found.map_or(Value::None, |found| Value::object(Match { pattern: self.clone(), ..found })))
    }

    /// What `findall` gives for a match: all of it, its only group, or all its groups.
    fn find_all(&self, text: &str) -> Outcome {
        let shown = |found: &Match| {
            let group = |place| Value::from(found.text_at(place).unwrap_or_default());
            match found.spans.len() {
                1 => group(0),
                2 => group(1),
                count => Value::tuple((1..count).map(group).collect()),
            }
        };
        Ok(Value::list(self.all(&Rc::from(text))?.iter().map(shown).collect()))
    }

    fn find_iter(self: Rc<Self>, text: &str) -> Outcome {
        let all = self.all(&Rc::from(text))?;
        Ok(iter::from_vec("callable_iterator", all.into_iter().map(Value::object).collect()))
    }

    /// The pieces between matches, with the groups of each match between them.
    fn split(&self, text: &str, most: usize) -> Outcome {
        let shared = Rc::from(text);
        let (mut pieces, mut end) = (vec![], 0);
        for (count, found) in self.all(&shared)?.iter().enumerate() {
            if most > 0 && count == most {
                break;
            }
            let (from, to) = found.whole();
            pieces.push(Value::from(&text[end..from]));
            pieces.extend((1..found.spans.len()).map(|place| found.text_at(place).map_or(Value::None, Value::from)));
            end = to;
        }
        pieces.push(Value::from(&text[end..]));
        Ok(Value::list(pieces))
    }

    /// The text with matches replaced, and how many there were.
    fn replace(&self, machine: &mut dyn Machine, by: &Value, text: &str, most: usize) -> Outcome<(String, usize)> {
        let (mut out, mut end, mut count) = (String::new(), 0, 0);
        for found in self.all(&Rc::from(text))? {
            if most > 0 && count == most {
                break;
            }
            let (from, to) = found.whole();
            out.push_str(&text[end..from]);
            match by {
                Value::Str(template) => out.push_str(&found.filled(template)?),
                function => {
                    let replacement = machine.call(function, CallArgs::positional(vec![Value::object(found)]))?;
                    out.push_str(convert::to_str(&replacement, "sub", "the replacement")?);
                }
            }
            (end, count) = (to, count + 1);
        }
        out.push_str(&text[end..]);
        Ok((out, count))
    }
}

impl Object for Pattern {
    fn type_name(&self) -> String {
        "re.Pattern".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let names: Vec<String> =
            FLAGS.iter().filter(|(.., bit)| self.flags & bit != 0).map(|(_, long, _)| format!("re.{long}")).collect();
        let quoted = repr::repr(&Value::from(self.source.as_str())).unwrap_or_default();
        match names.is_empty() {
            true => format!("re.compile({quoted})"),
            false => format!("re.compile({quoted}, {})", names.join("|")),
        }
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "pattern" => Some(Value::from(self.source.as_str())),
            "groups" => Some(Value::from(self.regex.capture_names().count() - 1)),
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::object((*self).clone()))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.names()
    }
}

/// Where a pattern was found.
#[derive(Clone)]
struct Match {
    text: Rc<str>,
    /// The bytes of all of it and of each group.
    spans: Vec<Option<(usize, usize)>>,
    names: Vec<Option<String>>,
    pattern: Pattern,
}

impl Match {
    fn whole(&self) -> (usize, usize) {
        self.spans.first().copied().flatten().unwrap_or_default()
    }

    fn text_at(&self, place: usize) -> Option<&str> {
        let (start, end) = (*self.spans.get(place)?)?;
        Some(&self.text[start..end])
    }

    /// The place of a group given by number or name.
    fn place(&self, group: &Value) -> Outcome<usize> {
        let place = match group {
            Value::Str(name) => self.names.iter().position(|own| own.as_deref() == Some(name.as_str())),
            number => usize::try_from(convert::to_i64(number)?).ok().filter(|n| *n < self.spans.len()),
        };
        match place {
            Some(place) => Ok(place),
            None => fault!(IndexError, "no such group"),
        }
    }

    fn group(&self, group: &Value) -> Outcome {
        Ok(self.text_at(self.place(group)?).map_or(Value::None, Value::from))
    }

    /// Where a group begins and ends, in characters; -1 where it took no part.
    fn span(&self, group: Option<&Value>) -> Outcome<(i64, i64)> {
        let place = group.map_or(Ok(0), |group| self.place(group))?;
        let count = |end: usize| self.text[..end].chars().count() as i64;
        Ok(self.spans.get(place).copied().flatten().map_or((-1, -1), |(start, end)| (count(start), count(end))))
    }

    /// A replacement with its `\1` and `\g<name>` filled in.
    fn filled(&self, template: &str) -> Outcome<String> {
        let mut out = String::new();
        let mut rest = template;
        while let Some(place) = rest.find('\\') {
            out.push_str(&rest[..place]);
            rest = &rest[place + 1..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if let (Some(name), end) = (rest.strip_prefix("g<"), rest.find('>').unwrap_or(rest.len())) {
                let name = &name[..end.saturating_sub(2).min(name.len())];
                let group = name.parse().map_or_else(|_| Value::from(name), Value::Int);
                out.push_str(self.text_at(self.place(&group)?).unwrap_or_default());
                rest = rest.get(end + 1..).unwrap_or_default();
            } else if digits > 0 {
                let number = rest[..digits.min(2)].parse().unwrap_or(i64::MAX);
                match self.place(&Value::Int(number)) {
                    Ok(place) => out.push_str(self.text_at(place).unwrap_or_default()),
                    Err(_) => fault!(ValueError, "invalid group reference {number}"),
                }
                rest = &rest[digits.min(2)..];
            } else {
                let Some(c) = rest.chars().next() else { break };
                match c {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    '\\' => out.push('\\'),
                    other => out.extend(['\\', other]),
                }
                rest = &rest[c.len_utf8()..];
            }
        }
        out.push_str(rest);
        Ok(out)
    }
}

impl Object for Match {
    fn type_name(&self) -> String {
        "re.Match".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let (start, end) = self.span(None).unwrap_or_default();
        let text = repr::repr(&Value::from(self.text_at(0).unwrap_or_default())).unwrap_or_default();
        format!("<re.Match object; span=({start}, {end}), match={text}>")
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "string" => Some(Value::from(&*self.text)),
            "re" => Some(Value::object(self.pattern.clone())),
            "lastindex" => Some((1..self.spans.len()).rev().find(|i| self.spans[*i].is_some()).map_or(Value::None, Value::from)),
            _ => MATCH.find(name).map(|row| Builtin::method(&MATCH, row, Value::object((*self).clone()))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        MATCH.names()
    }
    fn index(self: Rc<Self>, _machine: &mut dyn Machine, key: &Value) -> Option<Outcome> {
        Some(self.group(key))
    }
}
