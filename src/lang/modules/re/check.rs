//! What Python refuses about a pattern, in the order in which it reads it.

use super::reader::{Checked, Reader, Refusal, Token, is_identifier, quoted};
use crate::syntax::character_named;
use std::collections::HashMap;

/// The flags and their letters inside a pattern.
const LETTERS: [(char, i64); 7] = [('i', 2), ('L', 4), ('m', 8), ('s', 16), ('x', 64), ('a', 256), ('u', 32)];
const VERBOSE: i64 = 64;
/// Flags about what a letter is, of which there can be one.
const TYPES: i64 = 4 | 32 | 256;
/// The largest count of repeats, which stands for no end.
const MOST: u64 = u32::MAX as u64;

/// Checks a pattern; gives its flags with those that it sets itself.
pub fn flags(source: &str, flags: i64) -> Checked<i64> {
    let mut pattern = Pattern {
        reader: Reader::new(source)?,
        flags,
        groups: vec![None],
        names: HashMap::new(),
        behind: None,
        referred: vec![],
        looks_back_unevenly: false,
    };
    pattern.branches(flags & VERBOSE != 0, true)?;
    if pattern.reader.next.is_some() {
        return Err(pattern.reader.refusal("unbalanced parenthesis", 0));
    }
    let unknown = pattern.referred.iter().filter(|(group, _)| *group >= pattern.groups.len()).min_by_key(|(_, place)| *place);
    if let Some((group, place)) = unknown {
        return Err(Refusal { message: format!("invalid group reference {group}"), place: Some(*place) });
    }
    if pattern.looks_back_unevenly {
        return Err(Refusal { message: "look-behind requires fixed-width pattern".into(), place: None });
    }
    Ok(pattern.flags)
}

/// How many characters a part can match.
#[derive(Clone, Copy, Default)]
struct Width {
    least: u64,
    most: u64,
}

impl Width {
    const ONE: Width = Width { least: 1, most: 1 };

    fn then(self, next: Width) -> Width {
        Width { least: (self.least + next.least).min(MOST), most: (self.most + next.most).min(MOST) }
    }

    fn or(self, other: Width) -> Width {
        Width { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    fn times(self, least: u64, most: u64) -> Width {
        Width { least: self.least.saturating_mul(least).min(MOST), most: self.most.saturating_mul(most).min(MOST) }
    }
}

/// What stands before a repeat, as far as the repeat minds.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A place, such as the start of a line.
    Place,
    /// Something repeated.
    Repeat,
    Other,
}

#[derive(Clone, Copy)]
struct Item {
    kind: Kind,
    width: Width,
}

impl Item {
    fn other(width: Width) -> Item {
        Item { kind: Kind::Other, width }
    }
}

/// A character of a set: by its code, or one of many.
#[derive(Clone, Copy)]
enum Member {
    Code(u32),
    Several,
}

struct Pattern {
    reader: Reader,
    flags: i64,
    /// The widths of the groups; none while one is open, as all of the pattern is.
    groups: Vec<Option<Width>>,
    names: HashMap<String, usize>,
    /// How many groups there were where the outermost look-behind began.
    behind: Option<usize>,
    /// Groups that conditions ask for, and where.
    referred: Vec<(usize, usize)>,
    looks_back_unevenly: bool,
}

fn is_octal(c: &char) -> bool {
    matches!(c, '0'..='7')
}

impl Pattern {
    /// Branches up to a closing parenthesis or the end.
    fn branches(&mut self, mut verbose: bool, is_outermost: bool) -> Checked<Width> {
        let mut width = self.sequence(verbose, is_outermost)?;
        while self.reader.take('|')? {
            if is_outermost {
                verbose = self.flags & VERBOSE != 0;
            }
            width = width.or(self.sequence(verbose, false)?);
        }
        Ok(width)
    }

    fn sequence(&mut self, mut verbose: bool, is_first: bool) -> Checked<Width> {
        let mut items: Vec<Item> = vec![];
        while let Some(token) = self.reader.next {
            if matches!(token, Token::Plain('|' | ')')) {
                break;
            }
            self.reader.get()?;
            let item = match token {
                Token::Plain(' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') if verbose => continue,
                Token::Plain('#') if verbose => {
                    while !matches!(self.reader.get()?, None | Some(Token::Plain('\n'))) {}
                    continue;
                }
                Token::Escaped(c) => self.escape(c)?,
                Token::Plain('[') => {
                    self.set()?;
                    Item::other(Width::ONE)
                }
                Token::Plain(c @ ('*' | '+' | '?' | '{')) => match self.repeat(c, items.last().copied())? {
                    Some(repeated) => {
                        items.pop();
                        repeated
                    }
                    None => Item::other(Width::ONE),
                },
                Token::Plain('(') => match self.group(verbose, is_first && items.is_empty())? {
                    Group::Item(item) => item,
                    Group::Comment => continue,
                    Group::Flags => {
                        verbose = self.flags & VERBOSE != 0;
                        continue;
                    }
                },
                Token::Plain('^' | '$') => Item { kind: Kind::Place, width: Width::default() },
                Token::Plain(_) => Item::other(Width::ONE),
            };
            items.push(item);
        }
        Ok(items.iter().fold(Width::default(), |width, item| width.then(item.width)))
    }

    /// What a repeat makes of the item before it; none for a brace that stands for itself.
    fn repeat(&mut self, c: char, before: Option<Item>) -> Checked<Option<Item>> {
        let here = self.reader.place();
        let Some((least, most)) = self.counts(c, here)? else { return Ok(None) };
        let back = self.reader.place() - here + 1;
        let item = match before {
            Some(Item { kind: Kind::Repeat, .. }) => return Err(self.reader.refusal("multiple repeat", back)),
            Some(item) if item.kind == Kind::Other => item,
            _ => return Err(self.reader.refusal("nothing to repeat", back)),
        };
        let _ = self.reader.take('?')? || self.reader.take('+')?;
        Ok(Some(Item { kind: Kind::Repeat, width: item.width.times(least, most) }))
    }

    fn counts(&mut self, c: char, here: usize) -> Checked<Option<(u64, u64)>> {
        match c {
            '?' => return Ok(Some((0, 1))),
            '*' => return Ok(Some((0, MOST))),
            '+' => return Ok(Some((1, MOST))),
            _ => {}
        }
        if self.reader.next == Some(Token::Plain('}')) {
            return Ok(None);
        }
        let low = self.reader.take_while(usize::MAX, char::is_ascii_digit)?;
        let high = match self.reader.take(',')? {
            true => self.reader.take_while(usize::MAX, char::is_ascii_digit)?,
            false => low.clone(),
        };
        if !self.reader.take('}')? {
            self.reader.seek(here)?;
            return Ok(None);
        }
        let count = |digits: &str, without: u64| if digits.is_empty() { without } else { digits.parse().unwrap_or(MOST) };
        let (least, most) = (count(&low, 0), count(&high, MOST));
        if most < least {
            return Err(self.reader.refusal("min repeat greater than max repeat", self.reader.place() - here));
        }
        Ok(Some((least, most)))
    }

    /// The code of an escape with digits or a name; none for another one.
    fn code(&mut self, c: char) -> Checked<Option<u32>> {
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            'N' => {
                if !self.reader.take('{')? {
                    return Err(self.reader.refusal("missing {", 0));
                }
                let name = self.reader.take_until('}', "character name")?;
                return match character_named(&name) {
                    Some(c) => Ok(Some(c as u32)),
                    None => {
                        let back = name.chars().count() + 4;
                        Err(self.reader.refusal(format!("undefined character name {}", quoted(&name)), back))
                    }
                };
            }
            _ => return Ok(None),
        };
        let taken = self.reader.take_while(digits, char::is_ascii_hexdigit)?;
        if taken.len() < digits {
            return Err(self.reader.refusal(format!("incomplete escape \\{c}{taken}"), taken.len() + 2));
        }
        match u32::from_str_radix(&taken, 16).ok().filter(|code| *code <= char::MAX as u32) {
            Some(code) => Ok(Some(code)),
            None => Err(self.reader.refusal(format!("bad escape \\{c}{taken}"), taken.len() + 2)),
        }
    }

    fn octal(&self, digits: &str) -> Checked<u32> {
        match u32::from_str_radix(digits, 8) {
            Ok(code) if code <= 0o377 => Ok(code),
            _ => {
                let message = format!("octal escape value \\{digits} outside of range 0-0o377");
                Err(self.reader.refusal(message, digits.len() + 1))
            }
        }
    }

    fn bad_escape<T>(&self, c: char) -> Checked<T> {
        Err(self.reader.refusal(format!("bad escape \\{c}"), 2))
    }

    /// An escape outside of brackets.
    fn escape(&mut self, c: char) -> Checked<Item> {
        let width = match c {
            'A' | 'b' | 'B' | 'Z' => return Ok(Item { kind: Kind::Place, width: Width::default() }),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'a' | 'f' | 'n' | 'r' | 't' | 'v' => Width::ONE,
            '0' => {
                self.reader.take_while(2, is_octal)?;
                Width::ONE
            }
            '1'..='9' => self.back_reference(c)?,
            _ if self.code(c)?.is_some() => Width::ONE,
            c if c.is_ascii_alphabetic() => return self.bad_escape(c),
            _ => Width::ONE,
        };
        Ok(Item::other(width))
    }

    /// `\1`, `\12`; three octal digits are a character.
    fn back_reference(&mut self, first: char) -> Checked<Width> {
        let mut digits = first.to_string() + &self.reader.take_while(1, char::is_ascii_digit)?;
        if digits.len() == 2 && digits.chars().all(|c| is_octal(&c)) {
            digits += &self.reader.take_while(1, is_octal)?;
            if digits.len() == 3 {
                return self.octal(&digits).map(|_| Width::ONE);
            }
        }
        let group = digits.parse().unwrap_or(usize::MAX);
        if group >= self.groups.len() {
            return Err(self.reader.refusal(format!("invalid group reference {digits}"), digits.len()));
        }
        self.referred_width(group, digits.len() + 1)
    }

    /// The width of a group that is closed, for a reference that began so many characters ago.
    fn referred_width(&self, group: usize, back: usize) -> Checked<Width> {
        let Some(width) = self.groups.get(group).copied().flatten() else {
            return Err(self.reader.refusal("cannot refer to an open group", back));
        };
        self.check_behind(group)?;
        Ok(width)
    }

    fn check_behind(&self, group: usize) -> Checked {
        let Some(before) = self.behind else { return Ok(()) };
        if self.groups.get(group).copied().flatten().is_none() {
            return Err(self.reader.refusal("cannot refer to an open group", 0));
        }
        if group >= before {
            return Err(self.reader.refusal("cannot refer to group defined in the same lookbehind subpattern", 0));
        }
        Ok(())
    }

    /// What stands between brackets.
    fn set(&mut self) -> Checked {
        let here = self.reader.place() - 1;
        self.reader.take('^')?;
        let mut is_empty = true;
        loop {
            let this = self.member_token(here)?;
            if this == Token::Plain(']') && !is_empty {
                return Ok(());
            }
            is_empty = false;
            let low = self.member(this)?;
            if !self.reader.take('-')? {
                continue;
            }
            let that = self.member_token(here)?;
            if that == Token::Plain(']') {
                return Ok(());
            }
            let high = self.member(that)?;
            if !matches!((low, high), (Member::Code(low), Member::Code(high)) if low <= high) {
                let (this, that) = (this.text(), that.text());
                let back = this.chars().count() + 1 + that.chars().count();
                return Err(self.reader.refusal(format!("bad character range {this}-{that}"), back));
            }
        }
    }

    fn member_token(&mut self, here: usize) -> Checked<Token> {
        match self.reader.get()? {
            Some(token) => Ok(token),
            None => Err(self.reader.refusal("unterminated character set", self.reader.place() - here)),
        }
    }

    fn member(&mut self, token: Token) -> Checked<Member> {
        let Token::Escaped(c) = token else {
            return Ok(token.plain().map_or(Member::Several, |c| Member::Code(c as u32)));
        };
        const CODES: [(char, u32); 7] = [('a', 7), ('b', 8), ('f', 12), ('n', 10), ('r', 13), ('t', 9), ('v', 11)];
        if let Some((_, code)) = CODES.iter().find(|(own, _)| *own == c) {
            return Ok(Member::Code(*code));
        }
        match c {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Ok(Member::Several),
            '0'..='7' => {
                let digits = c.to_string() + &self.reader.take_while(2, is_octal)?;
                self.octal(&digits).map(Member::Code)
            }
            '8' | '9' => self.bad_escape(c),
            _ => match self.code(c)? {
                Some(code) => Ok(Member::Code(code)),
                None if c.is_ascii_alphabetic() => self.bad_escape(c),
                None => Ok(Member::Code(c as u32)),
            },
        }
    }
}

/// What a parenthesis opens.
enum Group {
    Item(Item),
    Comment,
    /// Flags of the whole pattern.
    Flags,
}

impl Pattern {
    /// What follows an opening parenthesis, up to the closing one.
    fn group(&mut self, verbose: bool, is_first: bool) -> Checked<Group> {
        let start = self.reader.place() - 1;
        if !self.reader.take('?')? {
            return self.captured(None, verbose, start);
        }
        let Some(token) = self.reader.get()? else { return Err(self.reader.refusal("unexpected end of pattern", 0)) };
        match token {
            Token::Plain('P') => self.named(verbose, start),
            Token::Plain(':' | '>') => self.inner(verbose, start).map(|width| Group::Item(Item::other(width))),
            Token::Plain('#') => self.comment(start),
            Token::Plain('=' | '!') => self.inner(verbose, start).map(|_| Group::Item(Item::other(Width::default()))),
            Token::Plain('<') => self.look_behind(verbose, start),
            Token::Plain('(') => self.condition(verbose, start),
            Token::Plain(c) if c == '-' || flag(c).is_some() => match self.own_flags(c)? {
                None if is_first => Ok(Group::Flags),
                None => {
                    let back = self.reader.place() - start;
                    Err(self.reader.refusal("global flags not at the start of the expression", back))
                }
                Some((on, off)) => {
                    let verbose = (verbose || on & VERBOSE != 0) && off & VERBOSE == 0;
                    self.inner(verbose, start).map(|width| Group::Item(Item::other(width)))
                }
            },
            other => Err(self.reader.refusal(format!("unknown extension ?{}", other.text()), other.len() + 1)),
        }
    }

    /// Branches and their closing parenthesis.
    fn inner(&mut self, verbose: bool, start: usize) -> Checked<Width> {
        let width = self.branches(verbose, false)?;
        self.close(start)?;
        Ok(width)
    }

    fn close(&mut self, start: usize) -> Checked {
        match self.reader.take(')')? {
            true => Ok(()),
            false => Err(self.reader.refusal("missing ), unterminated subpattern", self.reader.place() - start)),
        }
    }

    fn captured(&mut self, name: Option<String>, verbose: bool, start: usize) -> Checked<Group> {
        let group = self.groups.len();
        if let Some(name) = name {
            if let Some(other) = self.names.get(&name) {
                let message = format!("redefinition of group name {} as group {group}; was group {other}", quoted(&name));
                return Err(self.reader.refusal(message, name.chars().count() + 1));
            }
            self.names.insert(name, group);
        }
        self.groups.push(None);
        let width = self.inner(verbose, start)?;
        self.groups[group] = Some(width);
        Ok(Group::Item(Item::other(width)))
    }

    /// `(?P<name>…)`, `(?P=name)`.
    fn named(&mut self, verbose: bool, start: usize) -> Checked<Group> {
        if self.reader.take('<')? {
            let name = self.reader.take_until('>', "group name")?;
            self.reader.check_name(&name, 1)?;
            return self.captured(Some(name), verbose, start);
        }
        if self.reader.take('=')? {
            let name = self.reader.take_until(')', "group name")?;
            self.reader.check_name(&name, 1)?;
            let group = self.group_named(&name)?;
            let width = self.referred_width(group, name.chars().count() + 1)?;
            return Ok(Group::Item(Item::other(width)));
        }
        match self.reader.get()? {
            None => Err(self.reader.refusal("unexpected end of pattern", 0)),
            Some(token) => Err(self.reader.refusal(format!("unknown extension ?P{}", token.text()), token.len() + 2)),
        }
    }

    fn group_named(&self, name: &str) -> Checked<usize> {
        match self.names.get(name) {
            Some(group) => Ok(*group),
            None => Err(self.reader.refusal(format!("unknown group name {}", quoted(name)), name.chars().count() + 1)),
        }
    }

    fn comment(&mut self, start: usize) -> Checked<Group> {
        loop {
            if self.reader.next.is_none() {
                return Err(self.reader.refusal("missing ), unterminated comment", self.reader.place() - start));
            }
            if self.reader.get()? == Some(Token::Plain(')')) {
                return Ok(Group::Comment);
            }
        }
    }

    fn look_behind(&mut self, verbose: bool, start: usize) -> Checked<Group> {
        match self.reader.get()? {
            None => return Err(self.reader.refusal("unexpected end of pattern", 0)),
            Some(Token::Plain('=' | '!')) => {}
            Some(token) => return Err(self.reader.refusal(format!("unknown extension ?<{}", token.text()), token.len() + 2)),
        }
        let outer = self.behind;
        self.behind = outer.or(Some(self.groups.len()));
        let width = self.branches(verbose, false)?;
        self.behind = outer;
        self.close(start)?;
        self.looks_back_unevenly |= width.least != width.most;
        Ok(Group::Item(Item::other(Width::default())))
    }

    /// `(?(group)yes|no)`
    fn condition(&mut self, verbose: bool, start: usize) -> Checked<Group> {
        let name = self.reader.take_until(')', "group name")?;
        let back = name.chars().count() + 1;
        let group = match name.parse::<usize>() {
            _ if is_identifier(&name) => self.group_named(&name)?,
            Ok(0) => return Err(self.reader.refusal("bad group number", back)),
            Ok(group) => {
                self.referred.push((group, self.reader.place() - back));
                group
            }
            Err(_) => return Err(self.reader.refusal(format!("bad character in group name {}", quoted(&name)), back)),
        };
        self.check_behind(group)?;
        let mut width = self.sequence(verbose, false)?;
        width = match self.reader.take('|')? {
            true => width.or(self.sequence(verbose, false)?),
            false => width.or(Width::default()),
        };
        if self.reader.next == Some(Token::Plain('|')) {
            return Err(self.reader.refusal("conditional backref with more than two branches", 0));
        }
        self.close(start)?;
        Ok(Group::Item(Item::other(width)))
    }

    /// Flags inside parentheses, on and off; none for those of the whole pattern.
    fn own_flags(&mut self, first: char) -> Checked<Option<(i64, i64)>> {
        let (mut on, mut end) = (0, first);
        while let Some(bit) = flag(end) {
            if end == 'L' {
                return Err(self.reader.refusal("bad inline flags: cannot use 'L' flag with a str pattern", 0));
            }
            on |= bit;
            if bit & TYPES != 0 && on & TYPES != bit {
                return Err(self.reader.refusal("bad inline flags: flags 'a', 'u' and 'L' are incompatible", 0));
            }
            end = self.flag_or(")-:", "missing -, : or )")?;
        }
        if end == ')' {
            self.flags |= on;
            return Ok(None);
        }
        if end == ':' {
            return Ok(Some((on, 0)));
        }
        let mut off = 0;
        let mut end = self.flag_or("", "missing flag")?;
        while let Some(bit) = flag(end) {
            if bit & TYPES != 0 {
                return Err(self.reader.refusal("bad inline flags: cannot turn off flags 'a', 'u' and 'L'", 0));
            }
            off |= bit;
            end = self.flag_or(":", "missing :")?;
        }
        if on & off != 0 {
            return Err(self.reader.refusal("bad inline flags: flag turned on and off", 1));
        }
        Ok(Some((on, off)))
    }

    /// The letter of a flag, or one of the characters that may end them.
    fn flag_or(&mut self, ends: &str, missing: &str) -> Checked<char> {
        let Some(token) = self.reader.get()? else { return Err(self.reader.refusal(missing, 0)) };
        match token {
            Token::Plain(c) if ends.contains(c) || flag(c).is_some() => Ok(c),
            Token::Plain(c) if c.is_alphabetic() => Err(self.reader.refusal("unknown flag", 1)),
            other => Err(self.reader.refusal(missing, other.len())),
        }
    }
}

/// The flag that a letter stands for.
fn flag(letter: char) -> Option<i64> {
    LETTERS.iter().find(|(own, _)| *own == letter).map(|(_, bit)| *bit)
}
