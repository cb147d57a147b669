//! `csv`: tables as text, one row a line, as texts of the language.

use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::library::written::{Written, method};
use crate::lang::types::call::{Call, Table, Takes, row};
use crate::value::{CallArgs, Outcome, Value};

/// The functions.
pub static FUNCTIONS: Table =
    Table { owner: "_csv", rows: Table::sorted(&[row("reader", Takes::Any, |c| run(c, "reader", READER, READ))]) };

const READER: Settings = &[
    ("lines", Unless::Required),
    ("delimiter", Unless::Str(",")),
    ("quotechar", Unless::Str("\"")),
    ("doublequote", Unless::Bool(true)),
    ("skipinitialspace", Unless::Bool(false)),
    ("quoting", Unless::Int(0)),
];

/// All rows at once: what is in quotes may hold the delimiter, ends of lines, and quotes written twice. `state` is where in a field
/// the next character is; an unquoted field is a float where all that is no text is one.
const READ: &str = "\
rows, row, field, state, quoted = [], [], '', 'start', False
def add():
    row.append(float(field) if quoting == 2 and not quoted else field)
for line in lines:
    for letter in line:
        if state == 'inside':
            if letter == quotechar:
                state = 'quote'
            else:
                field += letter
            continue
        if state == 'quote':
            state = 'plain'
            if letter == quotechar and doublequote:
                field, state = field + letter, 'inside'
                continue
        if letter in '\\r\\n':
            break
        if letter == delimiter:
            add()
            field, state, quoted = '', 'start', False
        elif letter == quotechar and state == 'start' and quoting != 3:
            state, quoted = 'inside', True
        elif letter != ' ' or state != 'start' or not skipinitialspace:
            field, state = field + letter, 'plain'
    if state == 'inside':
        continue
    if row or field or state != 'start':
        add()
    rows.append(row)
    row, field, state, quoted = [], '', 'start', False
if row or field or state != 'start':
    add()
    rows.append(row)
iter(rows)";

static WRITER: Written = Written {
    name: "writer",
    module: "_csv",
    base: None,
    settings: &[
        ("file", Unless::Required),
        ("delimiter", Unless::Str(",")),
        ("quotechar", Unless::Str("\"")),
        ("lineterminator", Unless::Str("\r\n")),
        ("quoting", Unless::Int(0)),
    ],
    holds: &[],
    make: "[]",
    members: &[
        method(
            "writerow",
            &[("row", Unless::Required)],
            "\
import csv
row, parts = list(row), []
for item in row:
    text = '' if item is None else str(item)
    needed = any(letter in text for letter in (delimiter, quotechar, '\\r', '\\n')) or (text == '' and len(row) == 1)
    if quoting == csv.QUOTE_ALL or (quoting == csv.QUOTE_NONNUMERIC and not isinstance(item, (int, float))) or (needed and quoting != csv.QUOTE_NONE):
        text = quotechar + text.replace(quotechar, quotechar * 2) + quotechar
    parts.append(text)
file.write(delimiter.join(parts) + lineterminator)",
        ),
        method("writerows", &[("rows", Unless::Required)], "for row in rows:\n    self.writerow(row)\nNone"),
    ],
};

static DICT_READER: Written = Written {
    name: "DictReader",
    module: "csv",
    base: None,
    settings: &[
        ("f", Unless::Required),
        ("fieldnames", Unless::None),
        ("restkey", Unless::None),
        ("restval", Unless::None),
        ("told", Unless::More),
    ],
    holds: &["fieldnames", "_rows"],
    make: "\
import csv
rows = [row for row in csv.reader(f, **told) if row]
names = rows.pop(0) if fieldnames is None and rows else fieldnames
dicts = []
for row in rows:
    found = dict(zip(names, row))
    if len(row) > len(names):
        found[restkey] = row[len(names):]
    for name in names[len(row):]:
        found[name] = restval
    dicts.append(found)
[names, iter(dicts)]",
    members: &[method("__iter__", &[], "_rows")],
};

static DICT_WRITER: Written = Written {
    name: "DictWriter",
    module: "csv",
    base: None,
    settings: &[
        ("f", Unless::Required),
        ("fieldnames", Unless::Required),
        ("restval", Unless::Str("")),
        ("extrasaction", Unless::Str("raise")),
        ("told", Unless::More),
    ],
    holds: &["fieldnames", "writer"],
    make: "import csv\n[fieldnames, csv.writer(f, **told)]",
    members: &[
        method("writeheader", &[], "self.writerow(dict(zip(fieldnames, fieldnames)))"),
        method(
            "writerow",
            &[("rowdict", Unless::Required)],
            "\
others = [key for key in rowdict if key not in fieldnames]
if extrasaction == 'raise' and others:
    raise ValueError('dict contains fields not in fieldnames: ' + ', '.join(repr(key) for key in others))
writer.writerow([rowdict.get(key, restval) for key in fieldnames])",
        ),
        method("writerows", &[("rowdicts", Unless::Required)], "for row in rowdicts:\n    self.writerow(row)\nNone"),
    ],
};

/// The classes and constants.
pub fn values() -> Vec<(&'static str, Value)> {
    let classes = [("DictReader", &DICT_READER), ("DictWriter", &DICT_WRITER), ("writer", &WRITER)];
    let quoting = ["QUOTE_MINIMAL", "QUOTE_ALL", "QUOTE_NONNUMERIC", "QUOTE_NONE"];
    let classes = classes.map(|(name, class)| (name, construct::class(class)));
    classes.into_iter().chain(quoting.into_iter().zip((0..).map(Value::Int))).collect()
}

fn run(c: &mut Call<'_>, name: &str, takes: Settings, text: &'static str) -> Outcome {
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let names = construct::bind(&format!("{name}()"), takes, args)?;
    c.machine.eval_code(text, &names)
}
