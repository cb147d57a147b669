//! What a format says: which values, and where they lie.

use crate::lang::types::truth::truth;
use crate::lang::types::{bytes, convert, number};
use crate::value::{Outcome, Value};
use half::f16;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// A format, read.
pub(super) struct Format {
    /// What lies at which byte.
    pub items: Vec<(usize, Item)>,
    /// Its bytes.
    pub size: usize,
    big_endian: bool,
    /// True for the sizes and gaps of C's types.
    native: bool,
}

/// One value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Item {
    /// Bytes of no meaning.
    Gap,
    /// A truth.
    Truth,
    /// One byte.
    Char,
    /// So many bytes.
    Text(usize),
    /// A float of 2, 4 or 8 bytes.
    Float(usize),
    /// An int by its letter, of so many bytes.
    Int { letter: char, size: usize, signed: bool },
}

impl Format {
    /// Reads a format. Fails with a `struct.error` where it says nothing, and a `TypeError` when it is no text.
    pub fn read(value: &Value) -> Outcome<Format> {
        let text = match (value, bytes::read(value)) {
            (Value::Str(text), _) => text.as_str().to_string(),
            (_, Some(data)) => String::from_utf8_lossy(&data).into_owned(),
            (other, None) => fault!(TypeError, "Struct() argument 1 must be a str or bytes object, not {}", other.type_name()),
        };
        let (native, big_endian) = match text.chars().next() {
            Some('>' | '!') => (false, true),
            Some('<' | '=') => (false, false),
            _ => (true, false),
        };
        let mut format = Format { items: vec![], size: 0, big_endian, native };
        let mut letters = text.trim_start_matches(|c| "@=<>!".contains(c) && text.starts_with(c)).chars();
        while let Some(letter) = letters.next() {
            if letter.is_ascii_whitespace() {
                continue;
            }
            let (mut letter, mut count) = (letter, None);
            while let Some(digit) = letter.to_digit(10) {
                let so_far = count.unwrap_or(0usize).checked_mul(10).and_then(|n| n.checked_add(digit as usize));
                let Some(so_far) = so_far else { fault!(StructError, "overflow in item count") };
                count = Some(so_far);
                let Some(next) = letters.next() else { fault!(StructError, "repeat count given without format specifier") };
                letter = next;
            }
            format.add(letter, count)?;
        }
        Ok(format)
    }

    fn add(&mut self, letter: char, count: Option<usize>) -> Outcome<()> {
        let (item, times) = match letter {
            's' => (Item::Text(count.unwrap_or(1)), 1),
            _ => (self.item(letter)?, count.unwrap_or(1)),
        };
        if self.native {
            self.size = self.size.next_multiple_of(item.alignment());
        }
        let size = item.size();
        let Some(end) = size.checked_mul(times).and_then(|n| n.checked_add(self.size)).filter(|n| *n <= MOST) else {
            fault!(StructError, "total struct size too long");
        };
        if item != Item::Gap {
            self.items.extend((0..times).map(|k| (self.size + k * size, item)));
        }
        self.size = end;
        Ok(())
    }

    fn item(&self, letter: char) -> Outcome<Item> {
        let long = if self.native { 8 } else { 4 };
        let size = match letter {
            'x' => return Ok(Item::Gap),
            '?' => return Ok(Item::Truth),
            'c' => return Ok(Item::Char),
            'e' => return Ok(Item::Float(2)),
            'f' => return Ok(Item::Float(4)),
            'd' => return Ok(Item::Float(8)),
            'b' | 'B' => 1,
            'h' | 'H' => 2,
            'i' | 'I' => 4,
            'l' | 'L' => long,
            'q' | 'Q' => 8,
            'n' | 'N' if self.native => 8,
            _ => fault!(StructError, "bad char in struct format"),
        };
        Ok(Item::Int { letter, size, signed: letter.is_ascii_lowercase() })
    }
}

/// More bytes than a format may have.
const MOST: usize = 1 << 30;

impl Item {
    /// Its bytes.
    pub fn size(self) -> usize {
        match self {
            Item::Gap | Item::Truth | Item::Char => 1,
            Item::Text(size) | Item::Float(size) | Item::Int { size, .. } => size,
        }
    }

    fn alignment(self) -> usize {
        match self {
            Item::Text(_) => 1,
            other => other.size(),
        }
    }

    /// Writes a value. Fails with a `struct.error` when it is another kind of value or does not fit.
    pub fn write(self, value: &Value, format: &Format, place: &mut [u8]) -> Outcome<()> {
        match self {
            Item::Gap => {}
            Item::Truth => place[0] = u8::from(truth(value)?),
            Item::Char => match bytes::read(value).as_deref().map(Vec::as_slice) {
                Some([byte]) => place[0] = *byte,
                _ => fault!(StructError, "char format requires a bytes object of length 1"),
            },
            Item::Text(size) => {
                let Some(data) = bytes::read(value) else { fault!(StructError, "argument for 's' must be a bytes object") };
                let kept = data.len().min(size);
                place[..kept].copy_from_slice(&data[..kept]);
            }
            Item::Float(_) => {
                let Some(number) = convert::as_float(value)? else { fault!(StructError, "required argument is not a float") };
                in_order(&float_bytes(number, format.native, place.len())?, format, place);
            }
            Item::Int { letter, size, signed } => {
                let Some(int) = convert::as_int(value)? else { fault!(StructError, "required argument is not an integer") };
                let number = number::to_big(&int).unwrap_or_default();
                let number = fitting(&number, letter, size, signed)?;
                in_order(&number.to_le_bytes()[..size], format, place);
            }
        }
        Ok(())
    }

    /// The value that bytes are.
    pub fn read(self, format: &Format, data: &[u8]) -> Value {
        let mut wide = [0; 8];
        if let Item::Float(size) | Item::Int { size, .. } = self {
            in_order(data, format, &mut wide[..size]);
        }
        let bits = u64::from_le_bytes(wide);
        match self {
            Item::Gap => Value::None,
            Item::Truth => Value::Bool(data[0] != 0),
            Item::Char | Item::Text(_) => bytes::value(data.to_vec()),
            Item::Float(2) => Value::Float(f16::from_bits(bits as u16).to_f64()),
            Item::Float(4) => Value::Float(f64::from(f32::from_bits(bits as u32))),
            Item::Float(_) => Value::Float(f64::from_bits(bits)),
            Item::Int { size, signed: true, .. } => {
                let unused = 64 - 8 * size as u32;
                Value::Int((bits << unused) as i64 >> unused)
            }
            Item::Int { .. } => i64::try_from(bits).map_or_else(|_| Value::big(BigInt::from(bits)), Value::Int),
        }
    }
}

/// Copies bytes, least first, into the order of a format, or back.
fn in_order(from: &[u8], format: &Format, to: &mut [u8]) {
    to.copy_from_slice(from);
    if format.big_endian {
        to.reverse();
    }
}

/// The bytes of a float, least first; C's own conversion makes infinity of what is too large for 4 bytes.
fn float_bytes(number: f64, native: bool, size: usize) -> Outcome<Vec<u8>> {
    let (half, single) = (f16::from_f64(number), number as f32);
    let overflows = |is_infinite: bool| is_infinite && !number.is_infinite();
    match size {
        2 if overflows(half.is_infinite()) => fault!(OverflowError, "float too large to pack with e format"),
        2 => Ok(half.to_le_bytes().to_vec()),
        4 if overflows(single.is_infinite()) && !native => fault!(OverflowError, "float too large to pack with f format"),
        4 => Ok(single.to_le_bytes().to_vec()),
        _ => Ok(number.to_le_bytes().to_vec()),
    }
}

/// A number that the bytes can hold. Fails with a `struct.error` that says what they hold.
fn fitting(number: &BigInt, letter: char, size: usize, signed: bool) -> Outcome<i128> {
    let bits = 8 * size as u32;
    let (least, most) = if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    let kind = match letter {
        'b' => "byte",
        'B' => "ubyte",
        'h' => "short",
        'H' => "ushort",
        _ => "",
    };
    // Smaller ones are read as signed 64 bits, the others as unsigned ones are.
    let by_name = !kind.is_empty();
    let readable = match number.to_i128() {
        Some(n) if signed || by_name => i64::try_from(n).is_ok(),
        Some(n) => u64::try_from(n).is_ok(),
        None => false,
    };
    match number.to_i128() {
        Some(n) if (least..=most).contains(&n) => Ok(n),
        Some(_) if readable && by_name => fault!(StructError, "{kind} format requires {least} <= number <= {most}"),
        Some(_) if readable && size < 8 => fault!(StructError, "'{letter}' format requires {least} <= number <= {most}"),
        _ => fault!(StructError, "argument out of range"),
    }
}
