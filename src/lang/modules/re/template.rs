//! What matches are replaced by: a text with references to groups.

use super::reader::{Checked, Reader, Token, is_identifier, quoted};

/// A part of a replacement.
pub enum Piece {
    /// A text.
    Text(String),
    /// What a group matched.
    Group(usize),
}

/// Why a replacement cannot be read: it is malformed, or names a group that is not there.
pub enum Trouble {
    /// Malformed.
    Refused(super::reader::Refusal),
    /// No group has this name.
    Unknown(String),
}

impl From<super::reader::Refusal> for Trouble {
    fn from(refusal: super::reader::Refusal) -> Trouble {
        Trouble::Refused(refusal)
    }
}

/// The parts of a replacement for a pattern whose groups have these names, the whole match first.
pub fn pieces(source: &str, names: &[Option<String>]) -> Result<Vec<Piece>, Trouble> {
    let mut reader = Reader::new(source)?;
    let mut pieces = vec![];
    while let Some(token) = reader.get()? {
        pieces.push(match token {
            Token::Plain(c) => Piece::Text(c.into()),
            Token::Escaped('g') => named(&mut reader, names)?,
            Token::Escaped('0') => {
                let digits = String::from("0") + &reader.take_while(2, |c| matches!(c, '0'..='7'))?;
                Piece::Text(char::from(u32::from_str_radix(&digits, 8).unwrap_or(0) as u8).into())
            }
            Token::Escaped(c) if c.is_ascii_digit() => numbered(&mut reader, c, names.len())?,
            Token::Escaped(c) => match ESCAPES.iter().find(|(own, _)| *own == c) {
                Some((_, text)) => Piece::Text((*text).into()),
                None if c.is_ascii_alphabetic() => return Err(reader.refusal(format!("bad escape \\{c}"), 2).into()),
                None => Piece::Text(token.text()),
            },
        });
    }
    Ok(pieces)
}

const ESCAPES: [(char, char); 8] =
    [('a', '\x07'), ('b', '\x08'), ('f', '\x0c'), ('n', '\n'), ('r', '\r'), ('t', '\t'), ('v', '\x0b'), ('\\', '\\')];

/// `\g<name>`, `\g<1>`
fn named(reader: &mut Reader, names: &[Option<String>]) -> Result<Piece, Trouble> {
    if !reader.take('<')? {
        return Err(reader.refusal("missing <", 0).into());
    }
    let name = reader.take_until('>', "group name")?;
    if is_identifier(&name) {
        let place = names.iter().position(|own| own.as_deref() == Some(&name));
        return place.map(Piece::Group).ok_or(Trouble::Unknown(name));
    }
    let back = name.chars().count() + 1;
    match name.parse() {
        Ok(group) => Ok(known(reader, group, names.len(), back)?),
        Err(_) => Err(reader.refusal(format!("bad character in group name {}", quoted(&name)), back).into()),
    }
}

/// `\1`, `\12`; three octal digits are a character.
fn numbered(reader: &mut Reader, first: char, groups: usize) -> Checked<Piece> {
    let mut digits = first.to_string() + &reader.take_while(1, char::is_ascii_digit)?;
    if digits.len() == 2 && digits.chars().all(|c| matches!(c, '0'..='7')) {
        digits += &reader.take_while(1, |c| matches!(c, '0'..='7'))?;
        if digits.len() == 3 {
            return match u8::from_str_radix(&digits, 8) {
                Ok(code) => Ok(Piece::Text(char::from(code).into())),
                Err(_) => {
                    let message = format!("octal escape value \\{digits} outside of range 0-0o377");
                    Err(reader.refusal(message, digits.len() + 1))
                }
            };
        }
    }
    known(reader, digits.parse().unwrap_or(usize::MAX), groups, digits.len())
}

fn known(reader: &Reader, group: usize, groups: usize, back: usize) -> Checked<Piece> {
    match group < groups {
        true => Ok(Piece::Group(group)),
        false => Err(reader.refusal(format!("invalid group reference {group}"), back)),
    }
}
