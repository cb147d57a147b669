//! `struct`: numbers as the bytes of C's types, in the order and the gaps that a format names.

mod format;

use crate::diag::ErrorClass;
use crate::lang::library::construct::{self, Unless};
use crate::lang::library::written::{Written, method};
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::{bytes, convert};
use crate::value::{Class, Outcome, Value};
use format::{Format, Item};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "_struct",
    rows: Table::sorted(&[
        row("calcsize", Takes::One, |c| Ok(Value::from(Format::read(c.arg(0))?.size))),
        row("iter_unpack", Takes::Between(2, 2), |c| {
            let (format, data) = (Format::read(c.arg(0))?, held(c, 1)?);
            if format.size == 0 {
                fault!(StructError, "cannot iteratively unpack with a struct of length 0");
            }
            if data.len() % format.size != 0 {
                fault!(StructError, "iterative unpacking requires a buffer of a multiple of {} bytes", format.size);
            }
            let rows = Value::list(data.chunks(format.size).map(|row| unpacked(&format, row)).collect());
            c.machine.iter(&rows)
        }),
        row("pack", Takes::Any, |c| {
            let args = c.args();
            let Some((format, values)) = args.split_first() else { fault!(TypeError, "missing format argument") };
            Ok(bytes::value(packed(&Format::read(format)?, "pack", values)?))
        }),
        row("pack_into", Takes::Any, pack_into),
        row("unpack", Takes::Between(2, 2), |c| {
            let (format, data) = (Format::read(c.arg(0))?, held(c, 1)?);
            if data.len() != format.size {
                fault!(StructError, "unpack requires a buffer of {} bytes", format.size);
            }
            Ok(unpacked(&format, &data))
        }),
        row("unpack_from", def(&["format", "buffer", "offset"], 2, 3), |c| {
            let (format, data) = (Format::read(c.arg(0))?, held(c, 1)?);
            let offset = c.some(2).map_or(Ok(0), convert::to_i64)?;
            let start = placed(&format, offset, data.len(), "unpack_from", "unpacking")?;
            Ok(unpacked(&format, &data[start..start + format.size]))
        }),
    ]),
};

/// A format that is read once.
static STRUCT: Written = Written {
    name: "Struct",
    module: "_struct",
    base: None,
    settings: &[("format", Unless::Required)],
    holds: &["format", "size"],
    make: "import struct\n[format, struct.calcsize(format)]",
    members: &[
        method("iter_unpack", &[("buffer", Unless::Required)], "import struct\nstruct.iter_unpack(format, buffer)"),
        method("pack", &[("values", Unless::Rest)], "import struct\nstruct.pack(format, *values)"),
        method("pack_into", &[("values", Unless::Rest)], "import struct\nstruct.pack_into(format, *values)"),
        method("unpack", &[("buffer", Unless::Required)], "import struct\nstruct.unpack(format, buffer)"),
        method(
            "unpack_from",
            &[("buffer", Unless::Required), ("offset", Unless::Int(0))],
            "import struct\nstruct.unpack_from(format, buffer, offset)",
        ),
    ],
};

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("Struct", construct::class(&STRUCT)), ("error", Value::Class(Class::Exception(ErrorClass::StructError)))]
}

fn held(c: &Call<'_>, place: usize) -> Outcome<Vec<u8>> {
    match bytes::read(c.arg(place)) {
        Some(data) => Ok(data.to_vec()),
        None => fault!(TypeError, "a bytes-like object is required, not '{}'", c.arg(place).type_name()),
    }
}

/// Where in a buffer a format begins. Fails with a `struct.error` when it does not fit there.
fn placed(format: &Format, offset: i64, length: usize, function: &str, doing: &str) -> Outcome<usize> {
    let start = if offset < 0 { offset + length as i64 } else { offset };
    if start < 0 {
        fault!(StructError, "offset {offset} out of range for {length}-byte buffer");
    }
    let (start, size) = (start as usize, format.size);
    let needed = start.saturating_add(size);
    if needed > length {
        fault!(
            StructError,
            "{function} requires a buffer of at least {needed} bytes for {doing} {size} bytes at offset {start} (actual buffer size is {length})"
        );
    }
    Ok(start)
}

fn pack_into(c: &mut Call<'_>) -> Outcome {
    let args = c.args();
    let [format, buffer, offset, values @ ..] = &args[..] else {
        let missing = ["format argument", "buffer argument", "offset argument"][args.len().min(2)];
        match args.len() {
            0 => fault!(TypeError, "missing {missing}"),
            _ => fault!(StructError, "pack_into expected {missing}"),
        }
    };
    let format = Format::read(format)?;
    let (data, length) = (packed(&format, "pack_into", values)?, held(c, 1)?.len());
    let start = placed(&format, convert::to_i64(offset)?, length, "pack_into", "packing")?;
    let names = [("buffer", buffer.clone()), ("start", Value::from(start)), ("data", bytes::value(data))];
    c.machine.eval_code("buffer[start:start + len(data)] = data\nNone", &names)
}

/// The bytes of values.
fn packed(format: &Format, function: &str, values: &[Value]) -> Outcome<Vec<u8>> {
    let wanted = format.items.iter().filter(|(_, item)| *item != Item::Gap).count();
    if wanted != values.len() {
        fault!(StructError, "{function} expected {wanted} items for packing (got {})", values.len());
    }
    let (mut data, mut values) = (vec![0; format.size], values.iter());
    for (place, item) in &format.items {
        if let (true, Some(value)) = (*item != Item::Gap, values.next()) {
            item.write(value, format, &mut data[*place..*place + item.size()])?;
        }
    }
    Ok(data)
}

/// The values in bytes, a tuple.
fn unpacked(format: &Format, data: &[u8]) -> Value {
    let items = format.items.iter().filter(|(_, item)| *item != Item::Gap);
    Value::tuple(items.map(|(place, item)| item.read(format, &data[*place..*place + item.size()])).collect())
}
