//! Numbers and strings.
//!
//! Inside an f-string a literal may hold no backslash and none of the quotes around it, so the quotes are chosen by trial.

use super::Printer;
use super::expr::Level;
use crate::syntax::ast::FPart;
use num_bigint::BigInt;
use std::fmt::Write;

/// Quotes in order of preference.
const QUOTES: [&str; 4] = ["'", "\"", "'''", "\"\"\""];

/// Bits of the largest integer that is written in decimal; longer ones would be refused when read back.
const MAX_DECIMAL_BITS: u64 = 14_000;

impl Printer {
    pub(super) fn big_int(&mut self, value: &BigInt) {
        let text = if value.bits() > MAX_DECIMAL_BITS { format!("{value:#x}") } else { value.to_string() };
        self.text(&text);
    }

    pub(super) fn float(&mut self, value: f64) {
        let text = if value.is_infinite() { "1e999".to_string() } else { format!("{value:?}") };
        self.text(&text);
    }

    pub(super) fn str(&mut self, value: &str) {
        if self.quotes.is_empty() {
            let quote = if value.contains('\'') && !value.contains('"') { "\"" } else { "'" };
            let body = escaped(value, quote, Braces::Plain);
            self.text(&format!("{quote}{body}{quote}"));
            return;
        }
        let plain = QUOTES.iter().find(|q| self.fits(value, q));
        match plain {
            Some(quote) => self.text(&format!("{quote}{value}{quote}")),
            None => {
                self.failed = true;
                self.text(&format!("'{}'", escaped(value, "'", Braces::Plain)));
            }
        }
    }

    /// True when a value can stand between these quotes as it is, inside the f-strings around.
    fn fits(&self, value: &str, quote: &str) -> bool {
        let clean = !value.contains(['\\', '\r']) && !value.contains(quote) && !value.ends_with(&quote[..1]);
        let lines = quote.len() == 3 || !value.contains('\n');
        let literal = format!("{quote}{value}{quote}");
        clean && lines && !self.quotes.iter().any(|q| literal.contains(q))
    }

    pub(super) fn bytes(&mut self, value: &[u8]) {
        let mut body = String::new();
        for byte in value {
            match byte {
                b'\\' | b'\'' => {
                    body.push('\\');
                    body.push(*byte as char);
                }
                b' '..=b'~' => body.push(*byte as char),
                _ => drop(write!(body, "\\x{byte:02x}")),
            }
        }
        self.failed |= !self.quotes.is_empty() && (body.contains('\\') || self.quotes.contains(&"'"));
        let quote = if self.quotes.contains(&"'") { "\"" } else { "'" };
        self.text(&format!("b{quote}{body}{quote}"));
    }

    /// An f-string in the first quotes that let all its values be written.
    pub(super) fn fstring(&mut self, parts: &[FPart]) {
        let mut fallback = None;
        for quote in QUOTES.iter().filter(|q| !self.quotes.iter().any(|outer| q.contains(outer))) {
            let mut inner = Printer { quotes: self.quotes.clone(), ..Printer::default() };
            inner.quotes.push(quote);
            inner.fparts(parts, quote, Braces::Doubled);
            let text = format!("f{quote}{}{quote}", inner.out);
            let clashes = !self.quotes.is_empty() && (text.contains('\\') || self.quotes.iter().any(|q| text.contains(q)));
            if !inner.failed && !clashes {
                self.text(&text);
                return;
            }
            fallback = fallback.or(Some(text));
        }
        self.failed = true;
        self.text(&fallback.unwrap_or_else(|| "f''".into()));
    }

    fn fparts(&mut self, parts: &[FPart], quote: &'static str, braces: Braces) {
        for part in parts {
            match part {
                FPart::Text(text) => self.text(&escaped(text, quote, braces)),
                FPart::Value { value, debug, conversion, spec } => {
                    let mut inner = Printer { quotes: self.quotes.clone(), ..Printer::default() };
                    match debug {
                        Some(debug) => inner.text(debug),
                        None => inner.expr(value, Level::Or),
                    }
                    let unfit = inner.out.contains('\\') || inner.out.contains(quote);
                    self.failed |= inner.failed || unfit || (quote.len() == 1 && inner.out.contains('\n'));
                    let gap = if inner.out.starts_with('{') { " " } else { "" };
                    self.text(&format!("{{{gap}{}", inner.out));
                    if let Some(conversion) = conversion {
                        self.text(&format!("!{conversion}"));
                    }
                    if let Some(spec) = spec {
                        self.text(":");
                        self.fparts(spec, quote, Braces::Coded);
                    }
                    self.text("}");
                }
            }
        }
    }
}

/// How braces in a text are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    /// As they are: a plain string.
    Plain,
    /// Twice: the text of an f-string.
    Doubled,
    /// By number: a format spec.
    Coded,
}

/// A text with what cannot stand between the quotes written as escapes.
fn escaped(text: &str, quote: &str, braces: Braces) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '{' | '}' if braces == Braces::Doubled => out.extend([c, c]),
            '{' | '}' if braces == Braces::Coded => drop(write!(out, "\\x{:02x}", c as u32)),
            _ if quote.starts_with(c) => out.extend(['\\', c]),
            _ if c.is_control() => drop(write!(out, "\\x{:02x}", c as u32)),
            _ => out.push(c),
        }
    }
    out
}
