//! `str.format`: replacement fields in a text.

use super::repr;
use crate::value::{Machine, Outcome, Value};
use std::rc::Rc;

/// Where the values of fields come from.
enum Values<'a> {
    /// The arguments of `format`.
    Arguments(&'a [Value], &'a [(Rc<str>, Value)]),
    /// The mapping of `format_map`.
    Mapping(&'a Value),
}

/// How fields without a name are counted: not yet known, by the formatter, or by hand.
#[derive(Clone, Copy, PartialEq)]
enum Numbering {
    Unknown,
    Automatic(usize),
    Manual,
}

struct Formatter<'a> {
    machine: &'a mut dyn Machine,
    values: Values<'a>,
    numbering: Numbering,
}

/// `template.format(*args, **named)`.
pub fn format(machine: &mut dyn Machine, template: &str, args: &[Value], named: &[(Rc<str>, Value)]) -> Outcome<String> {
    Formatter { machine, values: Values::Arguments(args, named), numbering: Numbering::Unknown }.run(template, 2)
}

/// `template.format_map(mapping)`.
pub fn format_map(machine: &mut dyn Machine, template: &str, mapping: &Value) -> Outcome<String> {
    Formatter { machine, values: Values::Mapping(mapping), numbering: Numbering::Unknown }.run(template, 2)
}

/// A replacement field, taken apart.
struct Field<'t> {
    name: &'t str,
    conversion: Option<char>,
    spec: &'t str,
}

impl Formatter<'_> {
    fn run(&mut self, template: &str, depth: usize) -> Outcome<String> {
        if depth == 0 {
            fault!(ValueError, "Max string recursion exceeded");
        }
        let (mut out, mut rest) = (String::new(), template);
        while let Some(at) = rest.find(['{', '}']) {
            out.push_str(&rest[..at]);
            let brace = &rest[at..at + 1];
            let after = &rest[at + 1..];
            if let Some(doubled) = after.strip_prefix(brace) {
                out.push_str(brace);
                rest = doubled;
            } else if brace == "}" || after.is_empty() {
                fault!(ValueError, "Single '{brace}' encountered in format string");
            } else {
                let (field, after) = Field::parse(after)?;
                out.push_str(&self.field(&field, depth)?);
                rest = after;
            }
        }
        out.push_str(rest);
        Ok(out)
    }

    fn field(&mut self, field: &Field<'_>, depth: usize) -> Outcome<String> {
        let value = self.value(field.name)?;
        let value = match field.conversion {
            None => value,
            Some('r') => Value::from(self.machine.repr(&value)?),
            Some('s') => Value::from(self.machine.str(&value)?),
            Some('a') => Value::from(repr::ascii(&value)?),
            Some(other) => fault!(ValueError, "Unknown conversion specifier {other}"),
        };
        if field.spec.contains('{') {
            let spec = self.run(field.spec, depth - 1)?;
            return super::format(self.machine, &value, &spec);
        }
        super::format(self.machine, &value, field.spec)
    }

    /// The value of `name.attribute[index]…`.
    fn value(&mut self, name: &str) -> Outcome {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (first, mut path) = name.split_at(end);
        let mut value = self.first(first)?;
        while !path.is_empty() {
            if let Some(after) = path.strip_prefix('.') {
                let (attribute, rest) = after.split_at(after.find(['.', '[']).unwrap_or(after.len()));
                if attribute.is_empty() {
                    fault!(ValueError, "Empty attribute in format string");
                }
                value = self.machine.attr(&value, attribute)?;
                path = rest;
            } else if let Some(after) = path.strip_prefix('[') {
                let Some((key, rest)) = after.split_once(']') else { fault!(ValueError, "Missing ']' in format string") };
                if key.is_empty() {
                    fault!(ValueError, "Empty attribute in format string");
                }
                let key = index_number(key)?.map_or_else(|| Value::from(key), Value::from);
                value = self.machine.get_item(&value, &key)?;
                path = rest;
            } else {
                fault!(ValueError, "Only '.' or '[' may follow ']' in format field specifier");
            }
        }
        Ok(value)
    }

    fn first(&mut self, name: &str) -> Outcome {
        let number = index_number(name)?;
        let (numbering, place) = match (name.is_empty(), number, self.numbering) {
            (true, _, Numbering::Manual) => {
                fault!(ValueError, "cannot switch from manual field specification to automatic field numbering")
            }
            (true, _, Numbering::Automatic(n)) => (Numbering::Automatic(n + 1), Some(n)),
            (true, _, Numbering::Unknown) => (Numbering::Automatic(1), Some(0)),
            (false, Some(_), Numbering::Automatic(_)) => {
                fault!(ValueError, "cannot switch from automatic field numbering to manual field specification")
            }
            (false, Some(n), _) => (Numbering::Manual, Some(n)),
            (false, None, numbering) => (numbering, None),
        };
        self.numbering = numbering;
        match (&self.values, place) {
            (Values::Arguments(args, _), Some(place)) => match args.get(place) {
                Some(value) => Ok(value.clone()),
                None => fault!(IndexError, "Replacement index {place} out of range for positional args tuple"),
            },
            (Values::Mapping(_), Some(_)) => fault!(ValueError, "Format string contains positional fields"),
            (Values::Arguments(_, named), None) => match named.iter().find(|(key, _)| **key == *name) {
                Some((_, value)) => Ok(value.clone()),
                None => Err(super::dict::key_error(&Value::from(name))),
            },
            (Values::Mapping(mapping), None) => self.machine.get_item(mapping, &Value::from(name)),
        }
    }
}

/// A number made of digits alone; none for another text.
fn index_number(text: &str) -> Outcome<Option<usize>> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(None);
    }
    match text.parse::<i64>() {
        Ok(number) => Ok(Some(number as usize)),
        Err(_) => fault!(ValueError, "Too many decimal digits in format string"),
    }
}

impl<'t> Field<'t> {
    /// Takes the field apart whose `{` was just read; with what stands behind its `}`.
    fn parse(text: &'t str) -> Outcome<(Field<'t>, &'t str)> {
        let end = Field::name_end(text)?;
        let Some(end) = end else { fault!(ValueError, "expected '}}' before end of string") };
        let (name, mark, mut rest) = (&text[..end], &text[end..end + 1], &text[end + 1..]);
        if mark == "}" {
            return Ok((Field { name, conversion: None, spec: "" }, rest));
        }
        let mut conversion = None;
        if mark == "!" {
            let mut chars = rest.chars();
            conversion = chars.next();
            if conversion.is_none() {
                fault!(ValueError, "end of string while looking for conversion specifier");
            }
            match chars.next() {
                Some('}') => return Ok((Field { name, conversion, spec: "" }, chars.as_str())),
                Some(':') => rest = chars.as_str(),
                Some(_) => fault!(ValueError, "expected ':' after conversion specifier"),
                None => fault!(ValueError, "unmatched '{{' in format spec"),
            }
        }
        let mut open = 1;
        for (i, c) in rest.char_indices() {
            open += (c == '{') as i64 - (c == '}') as i64;
            if open == 0 {
                return Ok((Field { name, conversion, spec: &rest[..i] }, &rest[i + 1..]));
            }
        }
        fault!(ValueError, "unmatched '{{' in format spec")
    }

    /// Where the name ends: at `}`, `:` or `!` outside of brackets; none when it does not.
    fn name_end(text: &str) -> Outcome<Option<usize>> {
        let mut in_brackets = false;
        for (i, c) in text.char_indices() {
            match c {
                ']' => in_brackets = false,
                _ if in_brackets => {}
                '[' => in_brackets = true,
                '{' => fault!(ValueError, "unexpected '{{' in field name"),
                '}' | ':' | '!' => return Ok(Some(i)),
                _ => {}
            }
        }
        Ok(None)
    }
}
