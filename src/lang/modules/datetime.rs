//! `datetime`: days, times of days and what lies between them, as texts of the language.

use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::library::written::{Written, attribute, method, of_class};
use crate::value::Value;

const NEED: Unless = Unless::Required;
const ZERO: Unless = Unless::Int(0);
const OPERATION: Settings = &[("op", NEED), ("other", NEED)];

/// What compares two of a kind by their keys, or else gives `found`.
macro_rules! compared {
    ($text:expr) => {
        concat!(
            $text,
            "
if isinstance(other, type(self)):
    mine, theirs = _key, other._key
    found = {'<': mine < theirs, '<=': mine <= theirs, '>': mine > theirs, '>=': mine >= theirs}.get(op, found)
found"
        )
    };
}

static SPAN: Written = Written {
    name: "timedelta",
    module: "datetime",
    base: None,
    settings: &[
        ("days", ZERO),
        ("seconds", ZERO),
        ("microseconds", ZERO),
        ("milliseconds", ZERO),
        ("minutes", ZERO),
        ("hours", ZERO),
        ("weeks", ZERO),
    ],
    holds: &["days", "seconds", "microseconds", "_micro", "_key", "_text"],
    make: "\
micro = round((weeks * 7 + days) * 86400000000 + (hours * 3600 + minutes * 60 + seconds) * 1000000 + milliseconds * 1000 + microseconds)
day, rest = divmod(micro, 86400000000)
second, part = divmod(rest, 1000000)
text = f'{second // 3600}:{second // 60 % 60:02}:{second % 60:02}' + (f'.{part:06}' if part else '')
text = f'{day} day{\"\" if abs(day) == 1 else \"s\"}, {text}' if day else text
[day, second, part, micro, micro, text]",
    members: &[
        attribute(
            "__repr__",
            "\
parts = [f'{name}={value}' for name, value in (('days', days), ('seconds', seconds), ('microseconds', microseconds)) if value]
f'datetime.timedelta({\", \".join(parts) or 0})'",
        ),
        method("total_seconds", &[], "_micro / 1000000"),
        method(
            "__operate__",
            OPERATION,
            compared!(
                "\
kind, found = type(self), None
if isinstance(other, kind):
    if op in ('+', '-'):
        found = kind(microseconds=_micro + other._micro if op == '+' else _micro - other._micro)
    elif op in ('/', '//', '%') and other._micro == 0:
        raise ZeroDivisionError('division by zero' if op == '/' else 'integer division or modulo by zero')
    elif op in ('/', '//'):
        found = _micro / other._micro if op == '/' else _micro // other._micro
    elif op == '%':
        found = kind(microseconds=_micro % other._micro)
elif isinstance(other, (int, float)) and op in ('*', '/'):
    found = kind(microseconds=_micro * other if op == '*' else _micro / other)
elif isinstance(other, int) and op == '//':
    found = kind(microseconds=_micro // other)"
            ),
        ),
        method(
            "__reflected__",
            OPERATION,
            "type(self)(microseconds=_micro * other) if op == '*' and isinstance(other, (int, float)) else None",
        ),
    ],
};

/// Reads the number of a day, that of 1 January of the year 1 being 1.
macro_rules! numbered {
    () => {
        "\
long = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
if not 1 <= year <= 9999:
    raise ValueError(f'year {year} is out of range')
if not 1 <= month <= 12:
    raise ValueError('month must be in 1..12')
if not 1 <= day <= (31, 29 if long else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]:
    raise ValueError('day is out of range for month')
def number(y, m, d):
    y, m = (y, m) if m > 2 else (y - 1, m + 12)
    return 365 * y + y // 4 - y // 100 + y // 400 + (153 * (m - 3) + 2) // 5 + d - 306
ordinal = number(year, month, day)
"
    };
}

/// Reads year, month and day from the `number` of a day.
macro_rules! dated {
    () => {
        "\
era, rest = divmod(number + 305, 146097)
far = (rest - rest // 1460 + rest // 36524 - rest // 146096) // 365
rest -= 365 * far + far // 4 - far // 100
part = (5 * rest + 2) // 153
day, month = rest - (153 * part + 2) // 5 + 1, part + 3 if part < 10 else part - 9
year = far + era * 400 + (month <= 2)
"
    };
}

static DATE: Written = Written {
    name: "date",
    module: "datetime",
    base: None,
    settings: &[("year", NEED), ("month", NEED), ("day", NEED)],
    holds: &["year", "month", "day", "_ordinal", "_first", "_key", "_text"],
    make: concat!(
        numbered!(),
        "[year, month, day, ordinal, number(year, 1, 1), (year, month, day), f'{year:04}-{month:02}-{day:02}']"
    ),
    members: &[
        attribute("__repr__", "f'datetime.date({year}, {month}, {day})'"),
        of_class("today", &[], "import time\ncls(*list(time.localtime())[:3])"),
        of_class("fromisoformat", &[("text", NEED)], "cls(*[int(part) for part in text.split('-')])"),
        of_class("fromordinal", &[("number", NEED)], concat!(dated!(), "cls(year, month, day)")),
        method("isoformat", &[], "_text"),
        method("toordinal", &[], "_ordinal"),
        method("weekday", &[], "(_ordinal + 6) % 7"),
        method("isoweekday", &[], "(_ordinal + 6) % 7 + 1"),
        method(
            "strftime",
            &[("format", NEED)],
            "\
import time
time.strftime(format, (year, month, day, 0, 0, 0, (_ordinal + 6) % 7, _ordinal - _first + 1, -1))",
        ),
        method(
            "replace",
            &[("y", Unless::None), ("m", Unless::None), ("d", Unless::None), ("more", Unless::More)],
            "type(self)(more.get('year', y or year), more.get('month', m or month), more.get('day', d or day))",
        ),
        method(
            "__operate__",
            OPERATION,
            compared!(
                "\
import datetime
found = None
if op == '-' and isinstance(other, type(self)):
    found = datetime.timedelta(_ordinal - other._ordinal)
elif op in ('+', '-') and isinstance(other, datetime.timedelta):
    found = type(self).fromordinal(_ordinal + other.days if op == '+' else _ordinal - other.days)"
            ),
        ),
    ],
};

static MOMENT: Written = Written {
    name: "datetime",
    module: "datetime",
    base: Some(&DATE),
    settings: &[
        ("year", NEED),
        ("month", NEED),
        ("day", NEED),
        ("hour", ZERO),
        ("minute", ZERO),
        ("second", ZERO),
        ("microsecond", ZERO),
    ],
    holds: &["year", "month", "day", "hour", "minute", "second", "microsecond", "_ordinal", "_first", "_key", "_text"],
    make: concat!(
        numbered!(),
        "\
for name, value, end in (('hour', hour, 23), ('minute', minute, 59), ('second', second, 59), ('microsecond', microsecond, 999999)):
    if not 0 <= value <= end:
        raise ValueError(f'{name} must be in 0..{end}')
text = f'{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}' + (f'.{microsecond:06}' if microsecond else '')
key = (year, month, day, hour, minute, second, microsecond)
[year, month, day, hour, minute, second, microsecond, ordinal, number(year, 1, 1), key, text]"
    ),
    members: &[
        attribute(
            "__repr__",
            "\
rest = [second, microsecond] if microsecond else [second] if second else []
f'datetime.datetime({\", \".join(str(part) for part in [year, month, day, hour, minute] + rest)})'",
        ),
        of_class("now", &[("tz", Unless::None)], "import time\nt = time.time()\ncls(*list(time.localtime(t))[:6], int(t % 1 * 1000000))"),
        of_class("today", &[], "import time\nt = time.time()\ncls(*list(time.localtime(t))[:6], int(t % 1 * 1000000))"),
        of_class("utcnow", &[], "import time\nt = time.time()\ncls(*list(time.gmtime(t))[:6], int(t % 1 * 1000000))"),
        of_class("fromtimestamp", &[("t", NEED)], "import time\ncls(*list(time.localtime(t))[:6], round(t % 1 * 1000000))"),
        of_class("fromisoformat", &[("text", NEED)], "\
front, _, back = text.replace('T', ' ').partition(' ')
whole, _, part = back.partition('.')
parts = [int(n) for n in front.split('-')] + [int(n) for n in whole.split(':') if n]
cls(*parts, microsecond=int(part.ljust(6, '0')) if part else 0)"),
        of_class("strptime", &[("date_string", NEED), ("format", NEED)], READ),
        method("isoformat", &[("sep", Unless::Str("T"))], "_text.replace(' ', sep)"),
        method("date", &[], "import datetime\ndatetime.date(year, month, day)"),
        method("timestamp", &[], "\
import time
time.mktime((year, month, day, hour, minute, second, 0, 0, -1)) + microsecond / 1000000"),
        method("strftime", &[("format", NEED)], "\
import time
format = format.replace('%f', f'{microsecond:06}')
time.strftime(format, (year, month, day, hour, minute, second, (_ordinal + 6) % 7, _ordinal - _first + 1, -1))"),
        method("replace", &[("more", Unless::More)], "\
names = ('year', 'month', 'day', 'hour', 'minute', 'second', 'microsecond')
type(self)(*[more.get(name, value) for name, value in zip(names, _key)])"),
        method(
            "__operate__",
            OPERATION,
            compared!(concat!(
                "\
import datetime
found = None
apart = lambda one: (one._ordinal * 86400 + one.hour * 3600 + one.minute * 60 + one.second) * 1000000 + one.microsecond
if op == '-' and isinstance(other, type(self)):
    found = datetime.timedelta(microseconds=apart(self) - apart(other))
elif op in ('+', '-') and isinstance(other, datetime.timedelta):
    micro = apart(self) + (other._micro if op == '+' else -other._micro)
    number, rest = divmod(micro, 86400000000)
    second, part = divmod(rest, 1000000)
    clock = (second // 3600, second // 60 % 60, second % 60, part)
    it = datetime.date.fromordinal(number)
    found = type(self)(it.year, it.month, it.day, *clock)"
            )),
        ),
    ],
};

/// Reads a date by a format: an expression for each letter, from which the fields follow.
const READ: &str = r#"
import re
months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december']
days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
forms = {'Y': r'\d\d\d\d', 'y': r'\d\d', 'm': r'1[0-2]|0[1-9]|[1-9]', 'd': r'3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9]', 'H': r'2[0-3]|[0-1]\d|\d', 'I': r'1[0-2]|0[1-9]|[1-9]', 'M': r'[0-5]\d|\d', 'S': r'6[0-1]|[0-5]\d|\d', 'f': r'\d{1,6}', 'p': 'am|pm', 'B': '|'.join(months), 'b': '|'.join(m[:3] for m in months), 'A': '|'.join(days), 'a': '|'.join(d[:3] for d in days)}
shorter = {'F': '%Y-%m-%d', 'T': '%H:%M:%S', 'D': '%m/%d/%y', 'R': '%H:%M'}
whole = re.sub('%([FTDR])', lambda m: shorter[m.group(1)], format)
letters, pattern, place = [], '', 0
while place < len(whole):
    letter = whole[place]
    if letter == '%' and whole[place + 1:place + 2] != '%':
        kind = whole[place + 1:place + 2]
        if kind not in forms:
            raise ValueError(f"'{kind}' is a bad directive in format '{format}'" if kind else f"stray % in format '{format}'")
        letters.append(kind)
        pattern += f'({forms[kind]})'
        place += 2
    else:
        pattern += r'\s+' if letter.isspace() else re.escape(letter)
        place += 2 if letter == '%' else 1
found = re.match(pattern, date_string, re.IGNORECASE)
if found is None:
    raise ValueError(f'time data {date_string!r} does not match format {format!r}')
if found.end() != len(date_string):
    raise ValueError(f'unconverted data remains: {date_string[found.end():]}')
read = dict(zip(letters, found.groups()))
year = int(read['Y']) if 'Y' in read else 1900
if 'y' in read:
    year = int(read['y']) + (1900 if int(read['y']) > 68 else 2000)
month = int(read.get('m', 1))
for letter in 'Bb':
    if letter in read:
        month = [m[:3] for m in months].index(read[letter].lower()[:3]) + 1
hour = int(read.get('H', 0))
if 'I' in read:
    hour = int(read['I']) % 12 + (12 if read.get('p', '').lower() == 'pm' else 0)
cls(year, month, int(read.get('d', 1)), hour, int(read.get('M', 0)), int(read.get('S', 0)), int(read.get('f', '0').ljust(6, '0')))
"#;

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    [("date", &DATE), ("datetime", &MOMENT), ("timedelta", &SPAN)].map(|(name, row)| (name, construct::class(row))).to_vec()
}
