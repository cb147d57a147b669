//! `logging`: loggers, handlers and formats, as texts of the language. The module itself holds the loggers by their names.

use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::library::written::{Written, method, shown};
use crate::lang::types::call::{Call, Table, Takes, row};
use crate::value::{CallArgs, Outcome, Value};
use std::rc::Rc;

const NEED: Unless = Unless::Required;
const MESSAGE: Settings = &[("msg", NEED), ("args", Unless::Rest), ("more", Unless::More)];
const LEVEL: Settings = &[("level", NEED)];
const NAME: Settings = &[("name", Unless::None)];

/// The levels.
const LEVELS: [(&str, i64); 8] =
    [("CRITICAL", 50), ("DEBUG", 10), ("ERROR", 40), ("FATAL", 50), ("INFO", 20), ("NOTSET", 0), ("WARN", 30), ("WARNING", 30)];

/// Reads a level by its name.
macro_rules! leveled {
    ($text:literal) => {
        concat!(
            "\
import logging
if isinstance(level, str) and not isinstance(getattr(logging, level, None), int):
    raise ValueError(f'Unknown level: {level!r}')
level = getattr(logging, level) if isinstance(level, str) else level
",
            $text
        )
    };
}

/// Logs at a level.
macro_rules! at {
    ($level:literal) => {
        concat!("self.log(", $level, ", msg, *args)")
    };
}

/// Logs at a level by the first of all loggers, which gets a handler if it has none.
macro_rules! from_root {
    ($level:literal) => {
        concat!(
            "import logging\nroot = logging.getLogger()\nif not root.handlers:\n    logging.basicConfig()\nroot.log(",
            $level,
            ", msg, *args)"
        )
    };
}

static LOGGER: Written = Written {
    name: "Logger",
    module: "logging",
    base: None,
    settings: &[("name", NEED), ("level", Unless::Int(0))],
    holds: &["name", "level", "handlers", "propagate", "disabled", "parent"],
    make: "[name, level, [], True, False, None]",
    members: &[
        shown(text_of_logger),
        method("setLevel", LEVEL, leveled!("self.level = level")),
        method(
            "getEffectiveLevel",
            &[],
            "\
one = self
while one.level == 0 and one.parent is not None:
    one = one.parent
one.level",
        ),
        method("isEnabledFor", LEVEL, "level >= self.getEffectiveLevel()"),
        method("addHandler", &[("handler", NEED)], "if handler not in handlers:\n    handlers.append(handler)"),
        method("removeHandler", &[("handler", NEED)], "if handler in handlers:\n    handlers.remove(handler)"),
        method("hasHandlers", &[], "bool(handlers) or self.parent is not None and self.parent.hasHandlers()"),
        method("debug", MESSAGE, at!("10")),
        method("info", MESSAGE, at!("20")),
        method("warning", MESSAGE, at!("30")),
        method("warn", MESSAGE, at!("30")),
        method("error", MESSAGE, at!("40")),
        method("exception", MESSAGE, at!("40")),
        method("critical", MESSAGE, at!("50")),
        method(
            "log",
            &[("level", NEED), ("msg", NEED), ("args", Unless::Rest), ("more", Unless::More)],
            "\
import logging, sys, time
if level >= self.getEffectiveLevel() and not self.disabled and level > getattr(logging, '_least', 0):
    text = str(msg)
    if args:
        text = text % (args[0] if len(args) == 1 and isinstance(args[0], dict) else args)
    record = {'name': name, 'levelno': level, 'levelname': logging.getLevelName(level), 'message': text, 'created': time.time()}
    found, one = [], self
    while one is not None:
        found += one.handlers
        one = one.parent if one.propagate else None
    for handler in found:
        if level >= handler.level:
            handler.emit(record)
    if not found and level >= 30:
        print(text, file=sys.stderr)",
        ),
    ],
};

static HANDLER: Written = Written {
    name: "StreamHandler",
    module: "logging",
    base: None,
    settings: &[("stream", Unless::None)],
    holds: &["stream", "level", "formatter"],
    make: "import sys\n[sys.stderr if stream is None else stream, 0, None]",
    members: &[
        method("setLevel", LEVEL, leveled!("self.level = level")),
        method("setFormatter", &[("fmt", NEED)], "self.formatter = fmt"),
        method("flush", &[], "None"),
        method("close", &[], "None"),
        method(
            "emit",
            &[("record", NEED)],
            "\
text = record['message'] if formatter is None else formatter.format(record)
print(text, file=stream)",
        ),
    ],
};

static NOWHERE: Written = Written {
    name: "NullHandler",
    module: "logging",
    base: Some(&HANDLER),
    settings: &[],
    holds: &["stream", "level", "formatter"],
    make: "[None, 0, None]",
    members: &[method("emit", &[("record", NEED)], "None")],
};

static FORMATTER: Written = Written {
    name: "Formatter",
    module: "logging",
    base: None,
    settings: &[("fmt", Unless::None), ("datefmt", Unless::None), ("style", Unless::Str("%"))],
    holds: &["_fmt", "datefmt", "_style"],
    make: "[fmt or {'%': '%(message)s', '{': '{message}', '$': '${message}'}[style], datefmt, style]",
    members: &[method("format", &[("record", NEED)], "\
import time, string
when = time.localtime(record['created'])
told = time.strftime(datefmt, when) if datefmt else time.strftime('%Y-%m-%d %H:%M:%S', when) + f\",{int(record['created'] % 1 * 1000):03}\"
known = {**record, 'asctime': told}
_fmt % known if _style == '%' else _fmt.format(**known) if _style == '{' else string.Template(_fmt).substitute(known)")],
};

/// A logger with the level that holds for it, which may be that of one further up.
fn text_of_logger(_: &str, held: &[(&'static str, Value)]) -> String {
    let own = |name: &str| held.iter().find(|(own, _)| *own == name).map_or(Value::None, |(_, value)| value.clone());
    let name = if let Value::Str(name) = own("name") { name.to_string() } else { String::new() };
    let (mut level, mut parent) = (own("level"), own("parent"));
    while let (Value::Int(0), Value::Object(outer)) = (&level, parent.clone()) {
        let of_outer = |name: &str| Rc::clone(&outer).attr(name).ok().flatten().unwrap_or(Value::None);
        (level, parent) = (of_outer("level"), of_outer("parent"));
    }
    let known =
        LEVELS.iter().find(|(name, known)| !matches!(*name, "FATAL" | "WARN") && matches!(level, Value::Int(n) if n == *known));
    let title = if name == "root" { "RootLogger" } else { "Logger" };
    format!("<{title} {name} ({})>", known.map_or("NOTSET", |(name, _)| name))
}

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "logging",
    rows: Table::sorted(&[
        row("basicConfig", Takes::Any, |c| run(c, "basicConfig", &[("more", Unless::More)], CONFIG)),
        row("critical", Takes::Any, |c| run(c, "critical", MESSAGE, from_root!("50"))),
        row("debug", Takes::Any, |c| run(c, "debug", MESSAGE, from_root!("10"))),
        row("disable", Takes::Any, |c| {
            run(c, "disable", &[("level", Unless::Int(50))], "import logging\nlogging._least = level")
        }),
        row("error", Takes::Any, |c| run(c, "error", MESSAGE, from_root!("40"))),
        row("exception", Takes::Any, |c| run(c, "exception", MESSAGE, from_root!("40"))),
        row("getLevelName", Takes::Any, |c| run(c, "getLevelName", LEVEL, LEVEL_NAME)),
        row("getLogger", Takes::Any, |c| run(c, "getLogger", NAME, GET_LOGGER)),
        row("info", Takes::Any, |c| run(c, "info", MESSAGE, from_root!("20"))),
        row("warning", Takes::Any, |c| run(c, "warning", MESSAGE, from_root!("30"))),
    ]),
};

const LEVEL_NAME: &str = "\
names = {50: 'CRITICAL', 40: 'ERROR', 30: 'WARNING', 20: 'INFO', 10: 'DEBUG', 0: 'NOTSET'}
names.get(level, {text: number for number, text in names.items()}.get(level, f'Level {level}'))";

const GET_LOGGER: &str = "\
import logging
if not hasattr(logging, '_loggers'):
    logging._loggers = {'root': logging.Logger('root', 30)}
loggers = logging._loggers
name = name or 'root'
if name not in loggers:
    logger = logging.Logger(name)
    parts = name.split('.')
    around = ['.'.join(parts[:count]) for count in range(len(parts) - 1, 0, -1)] + ['root']
    logger.parent = next(loggers[outer] for outer in around if outer in loggers)
    loggers[name] = logger
loggers[name]";

const CONFIG: &str = "\
import logging
root = logging.getLogger()
if more.get('force'):
    root.handlers.clear()
if not root.handlers:
    form = logging.Formatter(more.get('format', '%(levelname)s:%(name)s:%(message)s'), more.get('datefmt'), more.get('style', '%'))
    for handler in more.get('handlers') or [logging.StreamHandler(more.get('stream'))]:
        if handler.formatter is None:
            handler.setFormatter(form)
        root.addHandler(handler)
    if more.get('level') is not None:
        root.setLevel(more['level'])";

/// The classes and the levels.
pub fn values() -> Vec<(&'static str, Value)> {
    let classes = [&FORMATTER, &LOGGER, &NOWHERE, &HANDLER].map(|row| (row.name, construct::class(row)));
    classes.into_iter().chain(LEVELS.map(|(name, level)| (name, Value::Int(level)))).collect()
}

fn run(c: &mut Call<'_>, name: &str, takes: Settings, text: &'static str) -> Outcome {
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let names = construct::bind(&format!("{name}()"), takes, args)?;
    c.machine.eval_code(text, &names)
}
