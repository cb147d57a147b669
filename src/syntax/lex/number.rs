//! How long a number literal is, and what is wrong with it.

/// What a scan of a number found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    /// Bytes of the literal; with a fault, bytes up to the fault.
    pub length: usize,
    /// Why it is no number.
    pub fault: Option<String>,
}

/// The keywords that may follow a number without a blank (`1if x else y`), by their opening letters.
const KEYWORDS_AFTER: [&[u8]; 8] = [b"and", b"else", b"for", b"if", b"in", b"is", b"or", b"not"];

/// Scans the number that `text` begins with; its first byte is a digit, or a point before a digit.
pub(crate) fn scan(text: &[u8]) -> Number {
    let mut scan = Scan { text, at: 0 };
    let outcome = match (text.first(), text.get(1).map(u8::to_ascii_lowercase)) {
        (Some(b'0'), Some(b'x')) => scan.radix(16, "hexadecimal"),
        (Some(b'0'), Some(b'o')) => scan.radix(8, "octal"),
        (Some(b'0'), Some(b'b')) => scan.radix(2, "binary"),
        _ => scan.decimal(),
    };
    Number { length: scan.at, fault: outcome.err() }
}

/// A cursor in the bytes of a number.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn digits(&mut self, radix: u32) {
        while (self.peek() as char).is_digit(radix) {
            self.at += 1;
        }
    }

    /// `0x_ff` and the like: after each underscore, at least one digit.
    fn radix(&mut self, radix: u32, kind: &str) -> Result<(), String> {
        self.at = 2;
        loop {
            if self.peek() == b'_' {
                self.at += 1;
            }
            if !(self.peek() as char).is_digit(radix) {
                return Err(self.radix_fault(kind));
            }
            self.digits(radix);
            if self.peek() != b'_' {
                break;
            }
        }
        if self.peek().is_ascii_digit() {
            return Err(self.radix_fault(kind));
        }
        self.end(kind)
    }

    fn radix_fault(&self, kind: &str) -> String {
        match self.peek() {
            digit @ b'0'..=b'9' => format!("invalid digit '{}' in {kind} literal", digit as char),
            _ => format!("invalid {kind} literal"),
        }
    }

    /// Digits with single underscores between them.
    fn decimal_digits(&mut self) -> Result<(), String> {
        loop {
            self.digits(10);
            if self.peek() != b'_' {
                return Ok(());
            }
            self.at += 1;
            if !self.peek().is_ascii_digit() {
                return Err("invalid decimal literal".into());
            }
        }
    }

    fn decimal(&mut self) -> Result<(), String> {
        self.decimal_digits()?;
        let whole = self.at;
        if self.peek() == b'.' {
            self.at += 1;
            if self.peek().is_ascii_digit() {
                self.decimal_digits()?;
            }
        }
        if self.peek().eq_ignore_ascii_case(&b'e') && !self.exponent()? {
            return Ok(());
        }
        if self.peek().eq_ignore_ascii_case(&b'j') {
            self.at += 1;
            return self.end("imaginary");
        }
        if self.at == whole {
            self.leading_zeros()?;
        }
        self.end("decimal")
    }

    /// True when there is an exponent; `1else` has none.
    fn exponent(&mut self) -> Result<bool, String> {
        let signed = matches!(self.text.get(self.at + 1), Some(b'+' | b'-'));
        let first = self.at + 1 + usize::from(signed);
        if self.text.get(first).is_some_and(u8::is_ascii_digit) {
            self.at = first;
            self.decimal_digits()?;
            return Ok(true);
        }
        if signed {
            self.at = first;
            return Err("invalid decimal literal".into());
        }
        self.end("decimal").map(|()| false)
    }

    fn leading_zeros(&mut self) -> Result<(), String> {
        let digits = self.text.get(..self.at).unwrap_or_default();
        if digits.first() == Some(&b'0') && digits.iter().any(|d| !matches!(d, b'0' | b'_')) {
            self.at = 0;
            return Err("leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers".into());
        }
        Ok(())
    }

    /// A number must not run into a name, except into a keyword that may follow a value.
    fn end(&self, kind: &str) -> Result<(), String> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if KEYWORDS_AFTER.iter().any(|k| rest.starts_with(k)) {
            return Ok(());
        }
        match rest.first() {
            Some(c) if c.is_ascii_alphanumeric() || *c == b'_' || *c >= 0x80 => Err(format!("invalid {kind} literal")),
            _ => Ok(()),
        }
    }
}
