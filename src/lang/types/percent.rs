//! `"%d %s" % (1, 2)`: formats in the manner of C.

use super::format_spec::Style;
use super::{convert, dict, digits, int, limits, number, repr};
use crate::lang::classes;
use crate::value::{Machine, Outcome, Value};
use num_bigint::{BigInt, Sign};
use std::iter::Peekable;
use std::str::Chars;

/// `template % values`.
pub fn format(machine: &mut dyn Machine, template: &str, values: &Value) -> Outcome<String> {
    classes::settle(machine, values, true)?;
    let parts = values.sequence().unwrap_or_default();
    parts.iter().try_for_each(|value| classes::settle(machine, value, true))?;
    let mut source = Source::new(values);
    let mut text = Template { chars: template.chars().peekable(), place: 0 };
    let mut out = String::new();
    while let Some(c) = text.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        if text.take(|c| c == '%').is_some() {
            out.push('%');
            continue;
        }
        let field = Field::parse(machine, &mut text, &mut source)?;
        field.write(&mut out, &mut source)?;
    }
    if source.is_left_over() {
        fault!(TypeError, "not all arguments converted during string formatting");
    }
    Ok(out)
}

struct Template<'t> {
    chars: Peekable<Chars<'t>>,
    /// How many code points were read.
    place: usize,
}

impl Template<'_> {
    fn next(&mut self) -> Option<char> {
        self.place += 1;
        self.chars.next()
    }

    fn take(&mut self, test: impl Fn(char) -> bool) -> Option<char> {
        let c = self.chars.next_if(|c| test(*c))?;
        self.place += 1;
        Some(c)
    }
}

/// The values that fields take, one after the other.
struct Source<'a> {
    values: &'a Value,
    items: Vec<Value>,
    taken: usize,
    is_mapping: bool,
}

impl<'a> Source<'a> {
    fn new(values: &'a Value) -> Source<'a> {
        let is_mapping = matches!(values, Value::Dict(_) | Value::List(_) | Value::Bytes(_) | Value::Range(_) | Value::Tensor(_))
            || dict::entries_of(values).is_some();
        Source { values, items: values.sequence().unwrap_or_else(|| vec![values.clone()]), taken: 0, is_mapping }
    }

    fn next(&mut self) -> Outcome {
        self.taken += 1;
        match self.items.get(self.taken - 1) {
            Some(value) => Ok(value.clone()),
            None => fault!(TypeError, "not enough arguments for format string"),
        }
    }

    /// From now on the only value is that of a key.
    fn select(&mut self, machine: &mut dyn Machine, key: &str) -> Outcome<()> {
        if !self.is_mapping {
            fault!(TypeError, "format requires a mapping");
        }
        (self.items, self.taken) = (vec![machine.get_item(self.values, &Value::from(key))?], 0);
        Ok(())
    }

    fn is_left_over(&self) -> bool {
        self.taken < self.items.len() && !self.is_mapping
    }
}

/// One `%…` of the template.
#[derive(Default)]
struct Field {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    kind: char,
    /// Where the kind stands, in code points.
    place: usize,
}

impl Field {
    fn parse(machine: &mut dyn Machine, text: &mut Template<'_>, source: &mut Source<'_>) -> Outcome<Field> {
        let mut field = Field::default();
        if text.take(|c| c == '(').is_some() {
            let key = key(text)?;
            source.select(machine, &key)?;
        }
        while let Some(flag) = text.take(|c| matches!(c, '-' | '+' | ' ' | '#' | '0')) {
            match flag {
                '-' => field.left = true,
                '+' => field.plus = true,
                ' ' => field.blank = true,
                '#' => field.alternate = true,
                _ => field.zero = true,
            }
        }
        let width = size(text, source, "width")?.unwrap_or(0);
        field.left |= width < 0;
        field.width = width.unsigned_abs() as usize;
        if text.take(|c| c == '.').is_some() {
            let precision = size(text, source, "precision")?.unwrap_or(0);
            field.precision = Some(precision.max(0) as usize);
        }
        text.take(|c| matches!(c, 'h' | 'l' | 'L'));
        match text.next() {
            Some(kind) => field.kind = kind,
            None => fault!(ValueError, "incomplete format"),
        }
        field.place = text.place - 1;
        Ok(field)
    }

    fn write(&self, out: &mut String, source: &mut Source<'_>) -> Outcome<()> {
        let value = source.next()?;
        let (sign, body) = match self.kind {
            's' => (String::new(), self.cut(repr::str(&value)?)),
            'r' => (String::new(), self.cut(repr::repr(&value)?)),
            'a' => (String::new(), self.cut(repr::ascii(&value)?)),
            'c' => (String::new(), character(&value)?),
            'd' | 'i' | 'u' | 'o' | 'x' | 'X' => self.int(&value)?,
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' => self.float(&value)?,
            kind => fault!(
                ValueError,
                "unsupported format character '{}' ({:#x}) at index {}",
                if (' '..='~').contains(&kind) { kind } else { '?' },
                kind as u32,
                self.place
            ),
        };
        self.pad(out, &sign, &body)
    }

    fn cut(&self, text: String) -> String {
        match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text,
        }
    }

    fn sign(&self, negative: bool) -> String {
        match negative {
            true => "-".into(),
            false if self.plus => "+".into(),
            false if self.blank => " ".into(),
            false => String::new(),
        }
    }

    /// Sign with prefix, and digits.
    fn int(&self, value: &Value) -> Outcome<(String, String)> {
        let value = self.whole(value)?;
        let digits = match self.kind {
            'o' => value.magnitude().to_str_radix(8),
            'x' => value.magnitude().to_str_radix(16),
            'X' => value.magnitude().to_str_radix(16).to_uppercase(),
            _ => digits::of_big(&value)?.trim_start_matches('-').to_string(),
        };
        let prefix = match self.kind {
            'o' if self.alternate => "0o",
            'x' if self.alternate => "0x",
            'X' if self.alternate => "0X",
            _ => "",
        };
        let least = self.precision.unwrap_or(0);
        if least > i32::MAX as usize - 3 {
            fault!(ValueError, "precision too big");
        }
        limits::check_bytes(least)?;
        let zeros = "0".repeat(least.saturating_sub(digits.len()));
        Ok((self.sign(value.sign() == Sign::Minus) + prefix, zeros + &digits))
    }

    fn whole(&self, value: &Value) -> Outcome<BigInt> {
        let truncates = matches!(self.kind, 'd' | 'i' | 'u');
        let whole = match value {
            Value::Float(f) if truncates => Some(int::from_float(*f)?),
            Value::Tensor(t) if t.numel() == 1 => match number_of(value)? {
                Value::Float(f) if truncates => Some(int::from_float(f)?),
                Value::Complex(c) if truncates && c.im == 0.0 => Some(int::from_float(c.re)?),
                Value::Complex(_) if truncates => {
                    fault!(RuntimeError, "value cannot be converted to type int64_t without overflow")
                }
                other => convert::as_int(&other)?,
            },
            Value::Tensor(_) if truncates => {
                fault!(ValueError, "only one element tensors can be converted to Python scalars")
            }
            Value::Tensor(_) => None,
            other => convert::as_int(other)?,
        };
        match whole.as_ref().and_then(number::to_big) {
            Some(whole) => Ok(whole),
            None if truncates => fault!(TypeError, "%{} format: a real number is required, not {}", self.kind, value.type_name()),
            None => fault!(TypeError, "%{} format: an integer is required, not {}", self.kind, value.type_name()),
        }
    }

    fn float(&self, value: &Value) -> Outcome<(String, String)> {
        let number = convert::to_float(value)?;
        let style = Style { kind: Some(self.kind), precision: self.precision, alternate: self.alternate, point: false };
        let text = style.text(number.abs())?;
        Ok((self.sign(number.is_sign_negative() && !number.is_nan()), text))
    }

    fn pad(&self, out: &mut String, sign: &str, body: &str) -> Outcome<()> {
        let room = self.width.saturating_sub(sign.len() + super::str::len(body));
        limits::check_bytes(room)?;
        let fill = |c: char| std::iter::repeat_n(c, room);
        let is_number = !matches!(self.kind, 's' | 'r' | 'a' | 'c');
        match (self.left, self.zero && is_number) {
            (true, _) => {
                out.push_str(sign);
                out.push_str(body);
                out.extend(fill(' '));
            }
            (false, true) => {
                out.push_str(sign);
                out.extend(fill('0'));
                out.push_str(body);
            }
            (false, false) => {
                out.extend(fill(' '));
                out.push_str(sign);
                out.push_str(body);
            }
        }
        Ok(())
    }
}

/// The key of `%(key)s`; parentheses in it are balanced.
fn key(text: &mut Template<'_>) -> Outcome<String> {
    let (mut key, mut open) = (String::new(), 1);
    while let Some(c) = text.next() {
        open += (c == '(') as i32 - (c == ')') as i32;
        if open == 0 {
            return Ok(key);
        }
        key.push(c);
    }
    fault!(ValueError, "incomplete format key")
}

/// A width or precision: digits, or `*` for the next value.
fn size(text: &mut Template<'_>, source: &mut Source<'_>, what: &str) -> Outcome<Option<i64>> {
    if text.take(|c| c == '*').is_some() {
        return match source.next()? {
            Value::Int(i) if what == "width" || i.abs() < i32::MAX as i64 => Ok(Some(i)),
            Value::Bool(b) => Ok(Some(b as i64)),
            Value::Int(_) | Value::BigInt(_) => fault!(OverflowError, "Python int too large to convert to C int"),
            _ => fault!(TypeError, "* wants int"),
        };
    }
    let mut size = None;
    while let Some(digit) = text.take(|c| c.is_ascii_digit()).and_then(|c| c.to_digit(10)) {
        let next = size.unwrap_or(0i64).checked_mul(10).and_then(|n| n.checked_add(digit as i64));
        match next.filter(|n| what == "width" || *n <= i32::MAX as i64) {
            Some(next) => size = Some(next),
            None => fault!(ValueError, "{what} too big"),
        }
    }
    Ok(size)
}

fn character(value: &Value) -> Outcome<String> {
    match value {
        Value::Str(text) if text.chars().count() == 1 => Ok(text.to_string()),
        Value::Str(_) => fault!(TypeError, "%c requires int or char"),
        // Any failure to find the number behind it is told so.
        Value::Tensor(t) if t.numel() != 1 || !t.dtype().is_integral(true) => fault!(TypeError, "%c requires int or char"),
        other => match convert::as_int(other)? {
            Some(Value::Int(code)) => match u32::try_from(code).ok().filter(|c| *c < 0x110000) {
                Some(code) => super::character(code),
                None => fault!(OverflowError, "%c arg not in range(0x110000)"),
            },
            Some(_) => fault!(OverflowError, "%c arg not in range(0x110000)"),
            None => fault!(TypeError, "%c requires int or char"),
        },
    }
}

/// The number that a tensor of one element holds.
fn number_of(value: &Value) -> Outcome {
    match value {
        Value::Tensor(t) => Ok(Value::from(crate::ops::exec::item(t)?)),
        other => Ok(other.clone()),
    }
}
