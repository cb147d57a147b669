//! The format specs of f-strings, `format()` and `str.format`: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.

use super::{digits, limits, number, repr};
use crate::ops::exec;
use crate::show::number as floats;
use crate::value::{Outcome, Value};
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;
use std::fmt::Write;

/// `format(value, spec)`: what an f-string writes for `{value:spec}`.
pub fn format_value(value: &Value, spec: &str) -> Outcome<String> {
    if let Value::Tensor(t) = value
        && t.ndim() == 0
        && !t.grad().parameter
        && t.device() != crate::device::DeviceId::Meta
    {
        return format_value(&Value::from(exec::item(t)?), spec);
    }
    // A number of numpy's is shown as Python's of the same value.
    if let Value::Object(object) = value
        && let Some(array) = object.as_array().filter(|array| array.ndim() == 0)
    {
        return format_value(&Value::from(exec::item(&array)?), spec);
    }
    if let Value::Object(object) = value
        && let Some(number) = object.number().filter(|_| object.as_array().is_none())
    {
        return if spec.is_empty() { Ok(object.str()) } else { format_value(&Value::from(number), spec) };
    }
    if spec.is_empty() {
        return repr::str(value);
    }
    match value {
        Value::Str(text) => string(text, &Spec::parse(spec, value, '<')?),
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => int(value, &Spec::parse(spec, value, '>')?),
        Value::Float(f) => {
            let spec = Spec::parse(spec, value, '>')?;
            if !spec.is_float() {
                return spec.unknown("float");
            }
            float(*f, &spec)
        }
        Value::Complex(c) => {
            let spec = Spec::parse(spec, value, '>')?;
            if !spec.is_float() || spec.kind == Some('%') {
                return spec.unknown("complex");
            }
            complex(c.re, c.im, &spec)
        }
        other => fault!(TypeError, "unsupported format string passed to {}.__format__", other.type_name()),
    }
}

/// Writes a float by a spec such as `.4f` or `8.2f`; false when the spec says more or the number is not finite.
pub fn write_float(number: f64, spec: &str, out: &mut String) -> bool {
    let Some((width, places)) = spec.strip_suffix('f').and_then(|spec| spec.split_once('.')) else { return false };
    let is_simple = |digits: &str| digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit());
    if !number.is_finite() || !is_simple(width) || !is_simple(places) || places.is_empty() || width.starts_with('0') {
        return false;
    }
    let (Ok(width), Ok(places)) = (if width.is_empty() { Ok(0) } else { width.parse::<usize>() }, places.parse::<usize>()) else {
        return false;
    };
    write!(out, "{number:width$.places$}").is_ok()
}

/// Writes an int by a spec of a width alone, such as `5`, `03` or `4d`; false when the spec says more.
pub fn write_int(number: i64, spec: &str, out: &mut String) -> bool {
    let digits = spec.strip_suffix('d').unwrap_or(spec);
    let simple = digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit());
    let (true, Ok(width)) = (simple, digits.parse::<usize>()) else { return false };
    let written = match digits.starts_with('0') {
        true => write!(out, "{number:0width$}"),
        false => write!(out, "{number:width$}"),
    };
    written.is_ok()
}

/// A parsed spec.
#[derive(Clone, Debug)]
struct Spec {
    fill: char,
    align: char,
    align_given: bool,
    sign: Option<char>,
    no_negative_zero: bool,
    alternate: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

impl Spec {
    fn parse(text: &str, value: &Value, default_align: char) -> Outcome<Spec> {
        let mut rest = Reader { rest: text };
        let mut spec = Spec {
            fill: ' ',
            align: default_align,
            align_given: false,
            sign: None,
            no_negative_zero: false,
            alternate: false,
            width: 0,
            grouping: None,
            precision: None,
            kind: None,
        };
        let fill_given = spec.take_align(&mut rest);
        spec.sign = rest.take(|c| matches!(c, ' ' | '+' | '-'));
        spec.no_negative_zero = rest.take(|c| c == 'z').is_some();
        spec.alternate = rest.take(|c| c == '#').is_some();
        if !fill_given && rest.take(|c| c == '0').is_some() {
            spec.fill = '0';
            if !spec.align_given && default_align == '>' {
                spec.align = '=';
            }
        }
        spec.width = rest.number()?.unwrap_or(0);
        spec.take_grouping(&mut rest)?;
        if rest.take(|c| c == '.').is_some() {
            let Some(precision) = rest.number()? else { fault!(ValueError, "Format specifier missing precision") };
            spec.precision = Some(precision);
        }
        spec.kind = rest.take(|_| true);
        if !rest.rest.is_empty() {
            fault!(ValueError, "Invalid format specifier '{text}' for object of type '{}'", value.type_name());
        }
        spec.check_grouping(value)?;
        Ok(spec)
    }

    /// Takes `[[fill]align]`; true when a fill was given.
    fn take_align(&mut self, rest: &mut Reader<'_>) -> bool {
        let is_align = |c: Option<char>| c.filter(|c| matches!(c, '<' | '>' | '=' | '^'));
        let mut chars = rest.rest.chars();
        let (first, second) = (chars.next(), chars.next());
        let (fill, align) = match (is_align(first), is_align(second)) {
            (_, Some(align)) => (first, align),
            (Some(align), None) => (None, align),
            (None, None) => return false,
        };
        self.fill = fill.unwrap_or(' ');
        (self.align, self.align_given) = (align, true);
        rest.rest = &rest.rest[fill.map_or(0, char::len_utf8) + 1..];
        fill.is_some()
    }

    fn take_grouping(&mut self, rest: &mut Reader<'_>) -> Outcome<()> {
        self.grouping = rest.take(|c| c == ',');
        let underscore = rest.take(|c| c == '_');
        if underscore.is_some() && self.grouping.is_some() || underscore.is_some() && rest.rest.starts_with(',') {
            fault!(ValueError, "Cannot specify both ',' and '_'.");
        }
        self.grouping = self.grouping.or(underscore);
        Ok(())
    }

    fn check_grouping(&self, value: &Value) -> Outcome<()> {
        let Some(mark) = self.grouping else { return Ok(()) };
        let default = if matches!(value, Value::Str(_)) { Some('s') } else { None };
        match self.kind.or(default) {
            None | Some('d' | 'e' | 'f' | 'g' | 'E' | 'G' | '%' | 'F') => Ok(()),
            Some('b' | 'o' | 'x' | 'X') if mark == '_' => Ok(()),
            Some(kind) => fault!(ValueError, "Cannot specify '{mark}' with '{}'.", shown_code(kind)),
        }
    }

    fn is_float(&self) -> bool {
        matches!(self.kind, None | Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'n' | '%'))
    }

    fn unknown<T>(&self, type_name: &str) -> Outcome<T> {
        let code = self.kind.map(shown_code).unwrap_or_default();
        fault!(ValueError, "Unknown format code '{code}' for object of type '{type_name}'")
    }

    /// The text with blanks (or the fill) around it; `=` counts as `>`.
    fn pad(&self, text: &str) -> Outcome<String> {
        let room = self.width.saturating_sub(super::str::len(text));
        limits::check_bytes(room.saturating_mul(self.fill.len_utf8()))?;
        let left = match self.align {
            '<' => 0,
            '^' => room / 2,
            _ => room,
        };
        let fill = |n: usize| std::iter::repeat_n(self.fill, n).collect::<String>();
        Ok(fill(left) + text + &fill(room - left))
    }

    /// A number from its parts: sign, `0x`, digits, and what stands behind the digits.
    fn layout(&self, sign: &str, prefix: &str, digits: &str, rest: &str) -> Outcome<String> {
        let size = match self.kind {
            Some('b' | 'o' | 'x' | 'X') => 4,
            _ => 3,
        };
        let around = sign.len() + prefix.len() + super::str::len(rest);
        let least = if self.fill == '0' && self.align == '=' { self.width.saturating_sub(around) } else { 0 };
        limits::check_bytes(self.width)?;
        let grouped = group(digits, self.grouping, size, least);
        if self.align == '=' {
            let room = self.width.saturating_sub(around + grouped.len());
            let fill: String = std::iter::repeat_n(self.fill, room).collect();
            return Ok(format!("{sign}{prefix}{fill}{grouped}{rest}"));
        }
        self.pad(&format!("{sign}{prefix}{grouped}{rest}"))
    }

    fn sign_of(&self, negative: bool) -> &'static str {
        match (negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            (false, _) => "",
        }
    }
}

/// A format code as messages show it.
fn shown_code(code: char) -> String {
    if (' '..'\x7f').contains(&code) && code != ' ' { code.to_string() } else { format!("\\x{:x}", code as u32) }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn take(&mut self, test: impl Fn(char) -> bool) -> Option<char> {
        let c = self.rest.chars().next().filter(|c| test(*c))?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// A decimal number; none when there is no digit.
    fn number(&mut self) -> Outcome<Option<usize>> {
        let len = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(len);
        self.rest = rest;
        if digits.is_empty() {
            return Ok(None);
        }
        match digits.parse::<i64>() {
            Ok(number) => Ok(Some(number as usize)),
            Err(_) => fault!(ValueError, "Too many decimal digits in format string"),
        }
    }
}

/// Digits with zeros before them to a least length, and a mark between groups. The result never begins with a mark.
fn group(digits: &str, mark: Option<char>, size: usize, least: usize) -> String {
    let len = digits.len();
    let Some(mark) = mark.filter(|_| len > 0) else { return "0".repeat(least.saturating_sub(len)) + digits };
    let width = |n: usize| n + n.saturating_sub(1) / size;
    let mut total = len;
    while width(total) < least {
        total += 1;
    }
    let padded = "0".repeat(total - len) + digits;
    let mut out = String::with_capacity(width(total));
    for (i, c) in padded.chars().enumerate() {
        if i > 0 && (total - i).is_multiple_of(size) {
            out.push(mark);
        }
        out.push(c);
    }
    out
}

fn string(text: &str, spec: &Spec) -> Outcome<String> {
    if !matches!(spec.kind, None | Some('s')) {
        return spec.unknown("str");
    }
    let refused = match spec.sign {
        Some(' ') => Some("Space not allowed in string format specifier"),
        Some(_) => Some("Sign not allowed in string format specifier"),
        None if spec.no_negative_zero => Some("Negative zero coercion (z) not allowed in string format specifier"),
        None if spec.alternate => Some("Alternate form (#) not allowed in string format specifier"),
        None if spec.align == '=' => Some("'=' alignment not allowed in string format specifier"),
        None => None,
    };
    if let Some(refused) = refused {
        fault!(ValueError, "{refused}");
    }
    let shown: String = spec.precision.map_or_else(|| text.to_string(), |n| text.chars().take(n).collect());
    spec.pad(&shown)
}

fn int(value: &Value, spec: &Spec) -> Outcome<String> {
    let big = number::to_big(value).unwrap_or_default();
    match spec.kind {
        None | Some('b' | 'c' | 'd' | 'o' | 'x' | 'X' | 'n') => {}
        Some('%' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G') => return float(super::int::to_float(&big)?, spec),
        Some(_) => return spec.unknown(&value.type_name()),
    }
    if spec.precision.is_some() {
        fault!(ValueError, "Precision not allowed in integer format specifier");
    }
    if spec.no_negative_zero {
        fault!(ValueError, "Negative zero coercion (z) not allowed in integer format specifier");
    }
    if spec.kind == Some('c') {
        return character(&big, spec);
    }
    let (radix, prefix) = match spec.kind {
        Some('b') => (2, "0b"),
        Some('o') => (8, "0o"),
        Some('x') => (16, "0x"),
        Some('X') => (16, "0X"),
        _ => (10, ""),
    };
    let digits = match radix {
        10 => digits::of_big(&big)?.trim_start_matches('-').to_string(),
        _ => big.magnitude().to_str_radix(radix),
    };
    let digits = if spec.kind == Some('X') { digits.to_uppercase() } else { digits };
    let sign = spec.sign_of(big.sign() == Sign::Minus);
    spec.layout(sign, if spec.alternate { prefix } else { "" }, &digits, "")
}

fn character(code: &BigInt, spec: &Spec) -> Outcome<String> {
    if spec.sign.is_some() {
        fault!(ValueError, "Sign not allowed with integer format specifier 'c'");
    }
    if spec.alternate {
        fault!(ValueError, "Alternate form (#) not allowed with integer format specifier 'c'");
    }
    let Some(code) = code.to_i64() else { fault!(OverflowError, "Python int too large to convert to C long") };
    match u32::try_from(code).ok().filter(|c| *c < 0x110000) {
        Some(code) => spec.layout("", "", "", &super::character(code)?),
        None => fault!(OverflowError, "%c arg not in range(0x110000)"),
    }
}

fn float(value: f64, spec: &Spec) -> Outcome<String> {
    let (value, percent) = if spec.kind == Some('%') { (value * 100.0, "%") } else { (value, "") };
    let style = Style { kind: spec.kind, precision: spec.precision, alternate: spec.alternate, point: true };
    let text = style.text(value.abs())?;
    let all_zero = spec.no_negative_zero && !text.contains(|c| matches!(c, '1'..='9'));
    let sign = spec.sign_of(value.is_sign_negative() && !value.is_nan() && !(all_zero && value.is_finite()));
    let (digits, rest) = split_number(&text);
    spec.layout(sign, "", digits, &format!("{rest}{percent}"))
}

fn complex(re: f64, im: f64, spec: &Spec) -> Outcome<String> {
    if spec.fill == '0' {
        fault!(ValueError, "Zero padding is not allowed in complex format specifier");
    }
    if spec.align == '=' && spec.align_given {
        fault!(ValueError, "'=' alignment flag is not allowed in complex format specifier");
    }
    let style = Style { kind: spec.kind, precision: spec.precision, alternate: spec.alternate, point: false };
    let part = |value: f64, spec: &Spec| -> Outcome<String> {
        let text = style.text(value.abs())?;
        let all_zero = spec.no_negative_zero && value.is_finite() && !text.contains(|c| matches!(c, '1'..='9'));
        let (digits, rest) = split_number(&text);
        spec.layout(spec.sign_of(value.is_sign_negative() && !value.is_nan() && !all_zero), "", digits, rest)
    };
    let bare = Spec { width: 0, align: '>', ..spec.clone() };
    let only_imaginary = spec.kind.is_none() && re == 0.0 && re.is_sign_positive();
    let text = if only_imaginary {
        part(im, &bare)? + "j"
    } else {
        let both = part(re, &bare)? + &part(im, &Spec { sign: Some('+'), ..bare })? + "j";
        if spec.kind.is_none() { format!("({both})") } else { both }
    };
    spec.pad(&text)
}

/// The digits before the point, and the rest.
fn split_number(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// How the digits of a float are written.
pub struct Style {
    /// `e`, `f`, `g` and their capitals, `n`, `%`; none: as `repr`, or as `g` with a point when there is a precision.
    pub kind: Option<char>,
    /// Digits behind the point, or in all for `g`.
    pub precision: Option<usize>,
    /// `#`: keep the point and trailing zeros.
    pub alternate: bool,
    /// Without a kind: a whole number ends with `.0`.
    pub point: bool,
}

impl Style {
    /// The text of a number that is not negative. Fails with a `ValueError` when the precision is too big.
    pub fn text(&self, value: f64) -> Outcome<String> {
        let precision = self.precision.unwrap_or(6);
        if precision > i32::MAX as usize {
            fault!(ValueError, "precision too big");
        }
        limits::check_bytes(precision)?;
        let capital = self.kind.is_some_and(|k| k.is_ascii_uppercase());
        if !value.is_finite() {
            let name = if value.is_nan() { "nan" } else { "inf" };
            return Ok(if capital { name.to_uppercase() } else { name.into() });
        }
        let text = match self.kind.map(|k| k.to_ascii_lowercase()) {
            Some('e') => {
                let (digits, exponent) = digits::scientific(value, precision);
                self.exponential(&digits, exponent)
            }
            Some('f' | '%') => {
                let text = digits::fixed(value, precision);
                if self.alternate && precision == 0 { text + "." } else { text }
            }
            None if self.precision.is_none() => self.shortest(value),
            _ => self.general(value, precision.max(1)),
        };
        Ok(if capital { text.to_uppercase() } else { text })
    }

    fn shortest(&self, value: f64) -> String {
        let text = floats::float(value);
        let text = if self.point { text } else { text.strip_suffix(".0").map_or(text.clone(), str::to_string) };
        match text.contains('.') || !self.alternate {
            true => text,
            false => match text.split_once('e') {
                Some((mantissa, exponent)) => format!("{mantissa}.e{exponent}"),
                None => text + ".",
            },
        }
    }

    fn general(&self, value: f64, precision: usize) -> String {
        let (digits, exponent) = digits::scientific(value, precision - 1);
        let wants_point = self.kind.is_none() && self.point;
        let kept = if self.alternate { &digits } else { digits.trim_end_matches('0') };
        let kept = if kept.is_empty() { "0" } else { kept };
        if exponent < -4 || exponent >= precision as i32 - wants_point as i32 {
            return self.exponential(kept, exponent);
        }
        if exponent < 0 {
            return format!("0.{}{kept}", "0".repeat(-exponent as usize - 1));
        }
        let whole = exponent as usize + 1;
        if kept.len() <= whole {
            let end = if self.alternate {
                "."
            } else if wants_point {
                ".0"
            } else {
                ""
            };
            return format!("{kept}{}{end}", "0".repeat(whole - kept.len()));
        }
        format!("{}.{}", &kept[..whole], &kept[whole..])
    }

    fn exponential(&self, digits: &str, exponent: i32) -> String {
        let (first, rest) = digits.split_at(1.min(digits.len()));
        let point = if rest.is_empty() && !self.alternate { "" } else { "." };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{first}{point}{rest}e{sign}{:02}", exponent.abs())
    }
}
