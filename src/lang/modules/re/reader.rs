//! A pattern or a replacement as Python reads it: character by character, a backslash together with what follows it.

use crate::lang::types::repr;
use crate::value::Value;

/// Why Python refuses a pattern, and at which character; some refusals name no place.
pub struct Refusal {
    /// The sentence without the place.
    pub message: String,
    /// The place.
    pub place: Option<usize>,
}

/// The result of reading a part.
pub type Checked<T = ()> = Result<T, Refusal>;

/// A character, or a backslash and the character behind it.
#[derive(Clone, Copy, PartialEq)]
pub enum Token {
    /// A character for itself.
    Plain(char),
    /// What stands behind a backslash.
    Escaped(char),
}

impl Token {
    /// How many characters it has.
    pub fn len(self) -> usize {
        match self {
            Token::Plain(_) => 1,
            Token::Escaped(_) => 2,
        }
    }

    /// As it is written.
    pub fn text(self) -> String {
        match self {
            Token::Plain(c) => c.to_string(),
            Token::Escaped(c) => format!("\\{c}"),
        }
    }

    /// The character, if no backslash stands before it.
    pub fn plain(self) -> Option<char> {
        match self {
            Token::Plain(c) => Some(c),
            Token::Escaped(_) => None,
        }
    }
}

/// Where the reading stands: the token that comes next is read already.
pub struct Reader {
    text: Vec<char>,
    /// Behind the next token.
    end: usize,
    /// What comes next; none at the end.
    pub next: Option<Token>,
}

impl Reader {
    /// At the start of a text.
    pub fn new(text: &str) -> Checked<Reader> {
        let mut reader = Reader { text: text.chars().collect(), end: 0, next: None };
        reader.advance()?;
        Ok(reader)
    }

    fn advance(&mut self) -> Checked {
        self.next = match self.text.get(self.end) {
            None => None,
            Some('\\') => match self.text.get(self.end + 1) {
                Some(c) => Some(Token::Escaped(*c)),
                None => {
                    let place = Some(self.text.len() - 1);
                    return Err(Refusal { message: "bad escape (end of pattern)".into(), place });
                }
            },
            Some(c) => Some(Token::Plain(*c)),
        };
        self.end += self.next.map_or(0, Token::len);
        Ok(())
    }

    /// The place of the next token.
    pub fn place(&self) -> usize {
        self.end - self.next.map_or(0, Token::len)
    }

    /// Goes back to a place.
    pub fn seek(&mut self, place: usize) -> Checked {
        self.end = place;
        self.advance()
    }

    /// Takes the next token.
    pub fn get(&mut self) -> Checked<Option<Token>> {
        let token = self.next;
        self.advance()?;
        Ok(token)
    }

    /// Takes the next token if it is this character.
    pub fn take(&mut self, c: char) -> Checked<bool> {
        let found = self.next == Some(Token::Plain(c));
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Takes up to so many characters that pass a test.
    pub fn take_while(&mut self, most: usize, test: fn(&char) -> bool) -> Checked<String> {
        let mut taken = String::new();
        for _ in 0..most {
            let Some(c) = self.next.and_then(Token::plain).filter(test) else { break };
            taken.push(c);
            self.advance()?;
        }
        Ok(taken)
    }

    /// Takes a name and the character that ends it.
    pub fn take_until(&mut self, end: char, what: &str) -> Checked<String> {
        let mut taken = String::new();
        loop {
            let Some(token) = self.get()? else {
                return Err(match taken.chars().count() {
                    0 => self.refusal(format!("missing {what}"), 0),
                    count => self.refusal(format!("missing {end}, unterminated name"), count),
                });
            };
            if token != Token::Plain(end) {
                taken.push_str(&token.text());
            } else if taken.is_empty() {
                return Err(self.refusal(format!("missing {what}"), 1));
            } else {
                return Ok(taken);
            }
        }
    }

    /// A refusal so many characters before the next token.
    pub fn refusal(&self, message: impl Into<String>, back: usize) -> Refusal {
        Refusal { message: message.into(), place: Some(self.place().saturating_sub(back)) }
    }

    /// Refuses a name of a group that is no identifier; it ends `behind` characters before the next token.
    pub fn check_name(&self, name: &str, behind: usize) -> Checked {
        if is_identifier(name) {
            return Ok(());
        }
        Err(self.refusal(format!("bad character in group name {}", quoted(name)), name.chars().count() + behind))
    }
}

/// True for what a variable may be called.
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A text between quotes.
pub fn quoted(text: &str) -> String {
    repr::repr(&Value::from(text)).unwrap_or_default()
}
