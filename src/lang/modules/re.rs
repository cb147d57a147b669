//! `re`: regular expressions. Patterns are rewritten into the notation of the crate that matches them.

use crate::diag::ErrorClass;
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, row};
use crate::lang::types::{convert, iter, limits, repr};
use crate::value::{CallArgs, Class, Dict, Key, Machine, Object, Outcome, Raise, Value};
use fancy_regex::Regex;
use reader::{Refusal, quoted};
use std::any::Any;
use std::rc::Rc;
use template::{Piece, Trouble};

mod check;
mod notation;
mod reader;
mod template;

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "re",
    rows: Table::sorted(&[
        row("compile", def(&["pattern", "flags"], 1, 2), |c| Ok(Value::object(pattern(c, 1)?))),
        row("escape", def(&["pattern"], 1, 1), |c| Ok(Value::from(escaped(&text(c, 0)?)))),
        row("findall", def(&["pattern", "string", "flags"], 2, 3), |c| pattern(c, 2)?.find_all(&Stretch::all(text(c, 1)?))),
        row("finditer", def(&["pattern", "string", "flags"], 2, 3), |c| pattern(c, 2)?.find_iter(&Stretch::all(text(c, 1)?))),
        row("fullmatch", def(&["pattern", "string", "flags"], 2, 3), |c| {
            pattern(c, 2)?.at(&Stretch::all(text(c, 1)?), Anchor::Both)
        }),
        row("match", def(&["pattern", "string", "flags"], 2, 3), |c| {
            pattern(c, 2)?.at(&Stretch::all(text(c, 1)?), Anchor::Start)
        }),
        row("purge", def(&[], 0, 0), |_| Ok(Value::None)),
        row("search", def(&["pattern", "string", "flags"], 2, 3), |c| {
            pattern(c, 2)?.at(&Stretch::all(text(c, 1)?), Anchor::None)
        }),
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
    ]),
};

/// The methods of compiled patterns.
static METHODS: Table = Table {
    owner: "Pattern",
    rows: Table::sorted(&[
        row("findall", STRETCH, |c| own(c)?.find_all(&Stretch::given(c)?)),
        row("finditer", STRETCH, |c| own(c)?.find_iter(&Stretch::given(c)?)),
        row("fullmatch", STRETCH, |c| own(c)?.at(&Stretch::given(c)?, Anchor::Both)),
        row("match", STRETCH, |c| own(c)?.at(&Stretch::given(c)?, Anchor::Start)),
        row("search", STRETCH, |c| own(c)?.at(&Stretch::given(c)?, Anchor::None)),
        row("split", def(&["string", "maxsplit"], 1, 2), |c| {
            let most = c.some(1).map_or(Ok(0), convert::to_count)?;
            own(c)?.split(&text(c, 0)?, most)
        }),
        row("sub", def(&["repl", "string", "count"], 2, 3), |c| {
            let (pattern, by, string) = (own(c)?, c.arg(0).clone(), text(c, 1)?);
            let most = c.some(2).map_or(Ok(0), convert::to_count)?;
            Ok(Value::from(pattern.replace(c.machine, &by, &string, most)?.0))
        }),
        row("subn", def(&["repl", "string", "count"], 2, 3), |c| {
            let (pattern, by, string) = (own(c)?, c.arg(0).clone(), text(c, 1)?);
            let most = c.some(2).map_or(Ok(0), convert::to_count)?;
            let (text, count) = pattern.replace(c.machine, &by, &string, most)?;
            Ok(Value::tuple(vec![Value::from(text), Value::from(count)]))
        }),
    ]),
};

/// A text and which part of it is looked at, in characters.
const STRETCH: Takes = def(&["string", "pos", "endpos"], 1, 3);

/// The methods of matches.
static MATCH: Table = Table {
    owner: "Match",
    rows: Table::sorted(&[
        row("end", Takes::Between(0, 1), |c| Ok(Value::Int(found(c)?.span(c.get(0))?.1))),
        row("expand", Takes::One, |c| {
            let found = found(c)?;
            found.filled(&pieces(c.arg(0), &found.pattern.names())?).map(Value::from)
        }),
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
    ]),
};

const FLAGS: [(&str, &str, i64); 5] =
    [("A", "ASCII", 256), ("I", "IGNORECASE", 2), ("M", "MULTILINE", 8), ("S", "DOTALL", 16), ("X", "VERBOSE", 64)];

const ASCII: i64 = 256;
/// What patterns of texts have unless they have `ASCII`.
const UNICODE: i64 = 32;

/// The flags, which may be added or combined by `|`.
pub fn values() -> Vec<(&'static str, Value)> {
    let flags = FLAGS.iter().flat_map(|(short, long, bit)| [(*short, Value::Int(*bit)), (*long, Value::Int(*bit))]);
    flags.chain([("error", Value::Class(Class::Exception(ErrorClass::PatternError)))]).collect()
}

/// A text and the bytes of it that are looked at.
struct Stretch {
    text: Rc<str>,
    start: usize,
    end: usize,
}

impl Stretch {
    fn all(text: String) -> Stretch {
        Stretch { start: 0, end: text.len(), text: Rc::from(text) }
    }

    /// The arguments `string`, `pos` and `endpos` of a method.
    fn given(c: &Call<'_>) -> Outcome<Stretch> {
        let all = Stretch::all(text(c, 0)?);
        let byte = |place: usize, without: usize| match c.some(place) {
            None => Ok(without),
            Some(value) => {
                let count = convert::to_i64_clamped(value)?.max(0) as usize;
                Ok(all.text.char_indices().nth(count).map_or(all.end, |(byte, _)| byte))
            }
        };
        let (start, end): (Outcome<usize>, Outcome<usize>) = (byte(1, 0), byte(2, all.end));
        Ok(Stretch { start: start?, end: end?, text: all.text.clone() })
    }
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
        Value::Bytes(_) => fault!(TypeError, "cannot use a string pattern on a bytes-like object"),
        other => fault!(TypeError, "expected string or bytes-like object, got '{}'", other.type_name()),
    }
}

/// The pattern of the first argument, compiled with the flags of another one.
fn pattern(c: &Call<'_>, flags: usize) -> Outcome<Pattern> {
    if let Some(compiled) = c.arg(0).downcast::<Pattern>() {
        return Ok(compiled.clone());
    }
    if let (Value::Bytes(_), Some(Value::Str(_))) = (c.arg(0), c.get(1)) {
        fault!(TypeError, "cannot use a bytes pattern on a string-like object");
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

/// The exception for what cannot be read, with the place in the text.
fn refused(source: &str, refusal: Refusal) -> Raise {
    let Refusal { message, place } = refusal;
    let before: String = source.chars().take(place.unwrap_or(0)).collect();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let mut text = message.clone();
    if let Some(place) = place {
        text += &format!(" at position {place}");
        if source.contains('\n') {
            text += &format!(" (line {line}, column {column})");
        }
    }
    let counted = |count: usize| place.map_or(Value::None, |_| Value::from(count));
    let attributes = [
        ("msg", Value::from(message)),
        ("pattern", place.map_or(Value::None, |_| Value::from(source))),
        ("pos", place.map_or(Value::None, Value::from)),
        ("lineno", counted(line)),
        ("colno", counted(column)),
    ];
    super::refusal(ErrorClass::PatternError, text, &attributes)
}

/// The parts of a replacement.
fn pieces(by: &Value, names: &[Option<String>]) -> Outcome<Vec<Piece>> {
    let Value::Str(source) = by else {
        fault!(TypeError, "decoding to str: need a bytes-like object, {} found", by.type_name());
    };
    template::pieces(source, names).map_err(|trouble| match trouble {
        Trouble::Refused(refusal) => refused(source, refusal),
        Trouble::Unknown(name) => Raise::new(ErrorClass::IndexError, format!("unknown group name {}", quoted(&name))),
    })
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
        let flags = check::flags(source, flags).map_err(|refusal| refused(source, refusal))?;
        let rewritten = notation::rewritten(source, flags);
        match Regex::new(&rewritten) {
            Ok(regex) => Ok(Pattern { source: source.to_string(), flags, regex: Rc::new(regex) }),
            Err(error) => fault!(PatternError, "the pattern {source:?} cannot be read: {error}"),
        }
    }

    /// The first match from a place on.
    fn from(&self, stretch: &Stretch, start: usize) -> Outcome<Option<Match>> {
        let captures = match self.regex.captures_from_pos(&stretch.text[..stretch.end], start) {
            Ok(Some(captures)) => captures,
            Ok(None) => return Ok(None),
            Err(error) => fault!(RuntimeError, "the pattern {:?} takes too long here: {error}", self.source),
        };
        let spans = captures.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect();
        let (text, names) = (stretch.text.clone(), self.names());
        Ok(Some(Match { text, start: stretch.start, end: stretch.end, spans, names, pattern: self.clone() }))
    }

    /// The names of the groups, the whole match first.
    fn names(&self) -> Vec<Option<String>> {
        self.regex.capture_names().map(|name| name.map(str::to_string)).collect()
    }

    /// The names and numbers of the groups that have a name.
    fn group_index(&self) -> Value {
        let names = self.names().into_iter().enumerate();
        let named = names.filter_map(|(place, name)| Some((Key::from(name?.as_str()), Value::from(place))));
        Value::dict(named.collect())
    }

    /// Every match: none begins before the end of the one before, and two empty ones are not at the same place.
    fn all(&self, stretch: &Stretch) -> Outcome<Vec<Match>> {
        let (mut found, mut start) = (vec![], stretch.start);
        while start <= stretch.end {
            let Some(next) = self.from(stretch, start)? else { break };
            let (from, to) = next.whole();
            start = match stretch.text[to..].chars().next() {
                Some(c) if from == to => to + c.len_utf8(),
                None if from == to => stretch.end + 1,
                _ => to,
            };
            found.push(next);
        }
        Ok(found)
    }

    fn at(&self, stretch: &Stretch, anchor: Anchor) -> Outcome {
        let start = if stretch.start == 0 { "\\A" } else { "\\G" };
        let anchored = match anchor {
            Anchor::None => None,
            Anchor::Start => Some(format!("{start}(?:{})", notation::rewritten(&self.source, self.flags))),
            Anchor::Both => Some(format!("{start}(?:{})\\z", notation::rewritten(&self.source, self.flags))),
        };
        let mut pattern = self.clone();
        if let Some(Ok(regex)) = anchored.map(|text| Regex::new(&text)) {
            pattern.regex = Rc::new(regex);
        }
        let found = if stretch.start > stretch.end { None } else { pattern.from(stretch, stretch.start)? };
        Ok(found.map_or(Value::None, |found| Value::object(Match { pattern: self.clone(), ..found })))
    }

    /// What `findall` gives for a match: all of it, its only group, or all its groups.
    fn find_all(&self, stretch: &Stretch) -> Outcome {
        let shown = |found: &Match| {
            let group = |place| Value::from(found.text_at(place).unwrap_or_default());
            match found.spans.len() {
                1 => group(0),
                2 => group(1),
                count => Value::tuple((1..count).map(group).collect()),
            }
        };
        Ok(Value::list(self.all(stretch)?.iter().map(shown).collect()))
    }

    fn find_iter(&self, stretch: &Stretch) -> Outcome {
        let all = self.all(stretch)?;
        Ok(iter::from_vec("callable_iterator", all.into_iter().map(Value::object).collect()))
    }

    /// The pieces between matches, with the groups of each match between them.
    fn split(&self, text: &str, most: usize) -> Outcome {
        let (mut pieces, mut end) = (vec![], 0);
        for (count, found) in self.all(&Stretch::all(text.to_string()))?.iter().enumerate() {
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
        let template = if convert::is_callable(by) { None } else { Some(pieces(by, &self.names())?) };
        let (mut out, mut end, mut count, mut parts) = (String::new(), 0, 0, 0);
        for found in self.all(&Stretch::all(text.to_string()))? {
            if most > 0 && count == most {
                break;
            }
            let (from, to) = found.whole();
            limits::push(&mut out, &text[end..from])?;
            parts += usize::from(end < from);
            match &template {
                Some(pieces) => limits::push(&mut out, &found.filled(pieces)?)?,
                None => match machine.call(by, CallArgs::positional(vec![Value::object(found)]))? {
                    Value::None => {}
                    Value::Str(text) => limits::push(&mut out, &text)?,
                    other => fault!(TypeError, "sequence item {parts}: expected str instance, {} found", other.type_name()),
                },
            }
            parts += 1;
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
            "flags" => Some(Value::Int(if self.flags & ASCII == 0 { self.flags | UNICODE } else { self.flags })),
            "groupindex" => Some(self.group_index()),
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::object((*self).clone()))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.names()
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        let other = other.downcast::<Pattern>()?;
        Some(self.source == other.source && self.flags == other.flags)
    }
    fn hash(&self) -> Option<u64> {
        let parts = vec![Value::from(self.source.as_str()), Value::Int(self.flags)];
        Some(crate::value::python_hash(&Value::tuple(parts)) as u64)
    }
}

/// Where a pattern was found.
#[derive(Clone)]
struct Match {
    text: Rc<str>,
    /// The bytes that were looked at.
    start: usize,
    end: usize,
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

    /// A replacement with its groups filled in.
    fn filled(&self, pieces: &[Piece]) -> Outcome<String> {
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Group(group) => out.push_str(self.text_at(*group).unwrap_or_default()),
            }
        }
        Ok(out)
    }

    /// The number of the group that closed last.
    fn last_group(&self) -> Option<usize> {
        let ends = self.spans.iter().enumerate().skip(1).filter_map(|(place, span)| Some((place, (*span)?)));
        // Of groups that end together, the outer one closes last.
        ends.max_by_key(|(place, (_, end))| (*end, std::cmp::Reverse(*place))).map(|(place, _)| place)
    }

    fn spans(&self) -> Outcome {
        let pair = |place: usize| {
            let (start, end) = self.span(Some(&Value::from(place)))?;
            Ok(Value::tuple(vec![Value::Int(start), Value::Int(end)]))
        };
        (0..self.spans.len()).map(pair).collect::<Outcome<Vec<Value>>>().map(Value::tuple)
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
            "lastgroup" => {
                let name = self.last_group().and_then(|place| self.names.get(place)?.as_deref());
                Some(name.map_or(Value::None, Value::from))
            }
            "lastindex" => Some(self.last_group().map_or(Value::None, Value::from)),
            "pos" => Some(Value::from(self.text[..self.start].chars().count())),
            "endpos" => Some(Value::from(self.text[..self.end].chars().count())),
            "regs" => Some(self.spans()?),
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
