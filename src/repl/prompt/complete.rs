//! What may stand at the cursor: names, attributes, keyword arguments, commands, files.

use crate::diag::Span;
use crate::lang::Interp;
use crate::ops::{self, OpSet};
use crate::repl::command::{self, COMMANDS};
use crate::syntax::{TokenKind, tokens};
use crate::value::Machine;

/// Candidates at most; the editor cannot lay out arbitrarily many.
const MOST: usize = 500;

/// The words of the language that may begin or go on an expression or a statement.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "break", "case", "class", "continue", "def", "del", "elif", "else", "except",
    "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "nonlocal", "not", "or", "pass", "raise",
    "return", "try", "while", "with",
];

/// What the cursor stands in.
#[derive(Debug, PartialEq, Eq)]
enum Place<'a> {
    /// The word of a command, without its `%`.
    Command(&'a str),
    /// The name of what is explained behind `?`.
    Help(&'a str),
    /// A word behind a command that begins as its flags do.
    Flag(&'static str, &'a str),
    /// A name behind a chain of names and dots: `torch.linalg`, `in`.
    Attribute(&'a str, &'a str),
    /// A name behind a dot that follows something else than names: a method of a tensor, most likely.
    Method(&'a str),
    /// A name on its own, and the function in whose call it stands.
    Name(&'a str, Option<&'a str>),
    /// Inside a string: a file, most likely.
    Text,
    /// Where nothing can be completed.
    Nothing,
}

/// Where the word at the cursor begins, and what may stand there. None inside a string, where files are meant.
pub(super) fn complete(interp: &mut Interp, line: &str) -> Option<(usize, Vec<String>)> {
    let (word, mut found) = match place(line) {
        Place::Text => return None,
        Place::Nothing => ("", vec![]),
        Place::Command(word) => (word, COMMANDS.iter().map(|c| c.name.to_string()).filter(|n| n != "shell").collect()),
        Place::Help(word) => (
            word,
            ops::function_names().chain(ops::method_names()).chain(COMMANDS.iter().map(|c| c.name)).map(String::from).collect(),
        ),
        Place::Flag(command, word) => (word, flags(command).chain(names(interp, None)).collect()),
        Place::Attribute(chain, word) => (word, attributes(interp, chain)),
        Place::Method(word) => (word, ops::method_names().map(String::from).collect()),
        Place::Name(word, function) => (word, names(interp, function)),
    };
    // What begins with an underscore is shown when asked for.
    found.retain(|name| name.starts_with(word) && (word.starts_with('_') || !name.starts_with('_')));
    found.sort();
    found.dedup();
    found.truncate(MOST);
    Some((line.len() - word.len(), found))
}

/// The tokens of a line with their texts.
struct Words<'a> {
    line: &'a str,
    tokens: Vec<(Span, TokenKind)>,
}

impl<'a> Words<'a> {
    /// The text of token number `k`; empty when there is none.
    fn text(&self, k: usize) -> &'a str {
        self.tokens.get(k).and_then(|(span, _)| self.line.get(span.range())).unwrap_or_default()
    }

    fn kind(&self, k: usize) -> Option<TokenKind> {
        self.tokens.get(k).map(|token| token.1)
    }

    /// The chain of names and dots that ends before token `end`; none when something else comes before its first name's dot.
    fn chain(&self, end: usize) -> Option<&'a str> {
        let mut start = end.checked_sub(1).filter(|k| self.kind(*k) == Some(TokenKind::Name))?;
        while start > 0 && self.text(start - 1) == "." {
            start = start.checked_sub(2).filter(|k| self.kind(*k) == Some(TokenKind::Name))?;
        }
        self.line.get(self.tokens.get(start)?.0.start as usize..self.tokens.get(end - 1)?.0.end as usize)
    }

    /// The function in whose call the place before token `end` stands.
    fn call_around(&self, end: usize) -> Option<&'a str> {
        let mut depth = 0;
        for k in (0..end).rev() {
            match self.text(k) {
                ")" | "]" | "}" => depth += 1,
                "(" if depth == 0 => return self.chain(k).or_else(|| Some(self.text(k.checked_sub(1)?))),
                "(" | "[" | "{" => depth -= 1,
                _ => {}
            }
        }
        None
    }
}

/// What the end of a line is.
fn place(line: &str) -> Place<'_> {
    if let Some(place) = behind_command(line) {
        return place;
    }
    let words = Words { line, tokens: tokens(line) };
    let count = words.tokens.len();
    let at_cursor = words.tokens.last().filter(|(span, _)| span.end as usize == line.len()).map(|token| token.1);
    let last = words.text(count.wrapping_sub(1));
    match at_cursor {
        Some(TokenKind::String) if !is_closed(last) => return Place::Text,
        Some(TokenKind::Comment) => return Place::Nothing,
        Some(TokenKind::Command) => return Place::Command(last.trim_start_matches('%')),
        _ => {}
    }
    let (word, before) = match at_cursor {
        Some(TokenKind::Name | TokenKind::Keyword) => (last, count - 1),
        _ => ("", count),
    };
    if before > 0 && words.text(before - 1) == "." {
        return words.chain(before - 1).map_or(Place::Method(word), |chain| Place::Attribute(chain, word));
    }
    Place::Name(word, words.call_around(before))
}

/// What is explained, a flag of a command, or the file behind one; none where the rest of the line is the language.
fn behind_command(line: &str) -> Option<Place<'_>> {
    let asked = line.trim_start().strip_prefix('?').or_else(|| line.trim_start().strip_prefix("%help "));
    if let Some(word) = asked.filter(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_')) {
        return Some(Place::Help(word));
    }
    let (first, rest) = line.trim_start().split_once(' ')?;
    let command = command::find(first.strip_prefix('%').or_else(|| command::NAMES.iter().copied().find(|name| *name == first))?)?;
    let (before, word) = rest.rsplit_once(' ').unwrap_or(("", rest));
    match before.trim_end().ends_with("--svg") {
        true => Some(Place::Text),
        false => (word.starts_with('-') || command.words().any(|w| before.is_empty() && !word.is_empty() && w.starts_with(word)))
            .then_some(Place::Flag(command.name, word)),
    }
}

fn flags(command: &str) -> impl Iterator<Item = String> {
    command::find(command).into_iter().flat_map(command::Command::words).map(String::from)
}

/// True when a string token has its closing quotes.
fn is_closed(text: &str) -> bool {
    let body = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let quotes = if body.starts_with("\"\"\"") || body.starts_with("'''") { 3 } else { 1 };
    body.len() >= 2 * quotes && body.get(..quotes) == body.get(body.len() - quotes..)
}

/// The attributes of what a chain of names gives; looking it up runs no code of the user's.
fn attributes(interp: &mut Interp, chain: &str) -> Vec<String> {
    let mut names = chain.split('.').map(str::trim);
    let Some(mut value) = names.next().and_then(|name| interp.globals.get(name).cloned()) else { return vec![] };
    for name in names {
        match Machine::attr(interp, &value, name) {
            Ok(found) => value = found,
            Err(_) => return vec![],
        }
    }
    Machine::attributes(interp, &value)
}

/// Variables, built-ins and keywords; before them the keyword arguments of the function being called.
fn names(interp: &mut Interp, function: Option<&str>) -> Vec<String> {
    let mut found: Vec<String> = function.and_then(operation).map(keywords).unwrap_or_default();
    found.extend(interp.globals.variables().chain(interp.globals.builtins()).map(|(name, _)| name.to_string()));
    found.extend(KEYWORDS.iter().map(|k| k.to_string()));
    found
}

/// The operation that a chain ends in: `torch.linalg.norm`, `x.sum`.
fn operation(chain: &str) -> Option<&'static OpSet> {
    let bare = chain.strip_prefix("torch.").unwrap_or(chain);
    ops::function(bare).or_else(|| ops::method(chain.rsplit('.').next()?))
}

fn keywords(set: &OpSet) -> Vec<String> {
    let schemas = set.rows.iter().filter_map(|row| row.schema().ok());
    schemas.flat_map(|s| &s.params).filter(|p| p.name != "self").map(|p| format!("{}=", p.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let cases = [
            ("", Place::Name("", None)),
            ("to", Place::Name("to", None)),
            ("x = to", Place::Name("to", None)),
            ("torch.", Place::Attribute("torch", "")),
            ("a + torch.linalg.no", Place::Attribute("torch.linalg", "no")),
            ("x.t().vi", Place::Method("vi")),
            ("x[0].", Place::Method("")),
            ("torch.ones(3, dt", Place::Name("dt", Some("torch.ones"))),
            ("f(torch.ones(3), (1, 2), ", Place::Name("", Some("f"))),
            ("x.t().sum(di", Place::Name("di", Some("sum"))),
            ("%lay", Place::Command("lay")),
            ("?vi", Place::Help("vi")),
            ("%help sum", Place::Help("sum")),
            ("?torch.linalg.n", Place::Attribute("torch.linalg", "n")),
            ("%layout x --svg pic", Place::Text),
            ("%layout x - y", Place::Name("y", None)),
            ("open('da", Place::Text),
            ("x = 'done'", Place::Name("", None)),
            ("x # no", Place::Nothing),
        ];
        for (line, expected) in cases {
            assert_eq!(place(line), expected, "{line}");
        }
    }

    #[test]
    fn flags_are_those_of_the_command() {
        let words = |line: &str| match place(line) {
            Place::Flag(command, word) => flags(command).filter(|w| w.starts_with(word)).collect(),
            _ => Vec::<String>::new(),
        };
        assert_eq!(words("%layout --"), ["--cells", "--bytes", "--arrows", "--no-arrows", "--svg", "--narrate", "--columns"]);
        assert_eq!(words("who --st"), ["--storage"]);
        assert_eq!(words("%explain a + b --n"), ["--narrate"]);
        assert_eq!(words("%trace o"), ["on", "off"]);
        assert_eq!(words("x = y --"), Vec::<String>::new());
    }
}
