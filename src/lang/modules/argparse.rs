//! `argparse`: the arguments of a command line, as texts of the language.

use crate::lang::library::construct::{self, Unless};
use crate::lang::library::written::{Written, attribute, method};
use crate::value::Value;

const NONE: Unless = Unless::None;

/// What an argument is: its names, where it goes, and what the program says of it.
static ACTION: Written = Written {
    name: "_StoreAction",
    module: "argparse",
    base: None,
    settings: &[("names", Unless::Required), ("told", Unless::Required)],
    holds: &["option_strings", "dest", "nargs", "const", "default", "type", "choices", "required", "help", "action", "metavar"],
    make: "\
options = [name for name in names if name.startswith('-')]
long = [name for name in options if name.startswith('--')] or options
dest = told.get('dest') or (long[0].lstrip('-').replace('-', '_') if options else names[0])
action = told.get('action', 'store')
usual = {'store_true': False, 'store_false': True, 'count': None}.get(action)
takes = action in ('store', 'append')
const = {'store_true': True, 'store_false': False}.get(action, told.get('const'))
[options, dest, told.get('nargs') if takes else 0, const, told.get('default', usual), told.get('type'), told.get('choices'), told.get('required', not options and told.get('nargs') not in ('?', '*')), told.get('help'), action, told.get('metavar')]",
    members: &[attribute(
        "__repr__",
        "\
kind = {'store_true': 'StoreTrue', 'store_false': 'StoreFalse', 'store_const': 'StoreConst', 'append': 'Append', 'count': 'Count'}.get(action, 'Store')
names = ('option_strings', 'dest', 'nargs', 'const', 'default', 'type', 'choices', 'required', 'help', 'metavar')
told = (option_strings, dest, nargs, const, default, type, choices, required, help, metavar)
f'_{kind}Action(' + ', '.join(f'{name}={value!r}' for name, value in zip(names, told)) + ')'",
    )],
};

/// Ends the program as a wrong command line does.
const FAIL: &str = "\
import sys
self.print_usage(sys.stderr)
print(f'{self.prog}: error: {message}', file=sys.stderr)
raise SystemExit(2)";

const USAGE: &str = "\
parts = ['[-h]']
for a in _actions:
    shown = a.metavar or (a.dest.upper() if a.option_strings else a.dest)
    shown = '{' + ','.join(str(c) for c in a.choices) + '}' if a.choices and not a.metavar else shown
    many = {'?': f'[{shown}]', '*': f'[{shown} ...]', '+': f'{shown} [{shown} ...]'}.get(a.nargs, ' '.join([shown] * a.nargs) if isinstance(a.nargs, int) else shown)
    takes = a.action in ('store', 'append')
    text = (a.option_strings[0] + (' ' + many if takes else '')) if a.option_strings else many
    parts.append(text if a.required or not a.option_strings else f'[{text}]')
parts = parts[:1] + [p for p, a in zip(parts[1:], _actions) if a.option_strings] + [p for p, a in zip(parts[1:], _actions) if not a.option_strings]
f'usage: {self.prog} ' + ' '.join(parts) + '\\n'";

const PARSE: &str = "\
import argparse, sys
given = list(sys.argv[1:] if args is None else args)
found = namespace if namespace is not None else argparse.Namespace()
for a in _actions:
    if not hasattr(found, a.dest):
        setattr(found, a.dest, a.default)
for name, value in _defaults.items():
    if not hasattr(found, name):
        setattr(found, name, value)
options = {name: a for a in _actions for name in a.option_strings}
def read(a, text):
    if a.type is None:
        value = text
    else:
        try:
            value = a.type(text)
        except (TypeError, ValueError):
            kind = getattr(a.type, '__name__', repr(a.type))
            self.error(f'argument {told(a)}: invalid {kind} value: {text!r}')
    if a.choices is not None and value not in a.choices:
        self.error(f'argument {told(a)}: invalid choice: {value!r} (choose from {\", \".join(repr(c) for c in a.choices)})')
    return value
def told(a):
    return '/'.join(a.option_strings) or a.dest
def is_option(text):
    negative = text[1:].replace('.', '', 1).isdigit()
    return text.startswith('-') and len(text) > 1 and not negative
seen, extras, plain, place = [], [], [], 0
while place < len(given):
    word = given[place]
    place += 1
    name, equals, attached = word.partition('=')
    if not is_option(word):
        plain.append(word)
        continue
    near = [option for option in options if option.startswith(name)] if name.startswith('--') else []
    if name not in options and len(near) == 1:
        name = near[0]
    if name in ('-h', '--help'):
        self.print_help()
        raise SystemExit(0)
    if name not in options:
        extras.append(word)
        continue
    a = options[name]
    seen.append(a)
    if a.action in ('store_true', 'store_false', 'store_const'):
        setattr(found, a.dest, {'store_true': True, 'store_false': False}.get(a.action, a.const))
        continue
    if a.action == 'count':
        setattr(found, a.dest, (getattr(found, a.dest) or 0) + 1)
        continue
    words = [attached] if equals else []
    most = 1 if a.nargs in (None, '?') else a.nargs if isinstance(a.nargs, int) else len(given)
    while not equals and len(words) < most and place < len(given) and not is_option(given[place]):
        words.append(given[place])
        place += 1
    if a.nargs is None and not words:
        self.error(f'argument {told(a)}: expected one argument')
    if a.nargs == '+' and not words:
        self.error(f'argument {told(a)}: expected at least one argument')
    if isinstance(a.nargs, int) and len(words) < a.nargs:
        self.error(f'argument {told(a)}: expected {a.nargs} argument{\"s\" if a.nargs > 1 else \"\"}')
    values = [read(a, text) for text in words]
    value = values[0] if a.nargs is None else (values[0] if values else a.const) if a.nargs == '?' else values
    if a.action == 'append':
        value = list(getattr(found, a.dest) or []) + [value]
    setattr(found, a.dest, value)
places = [a for a in _actions if not a.option_strings]
for number, a in enumerate(places):
    least = sum(1 if b.nargs in (None, '+') else b.nargs if isinstance(b.nargs, int) else 0 for b in places[number + 1:])
    room = max(len(plain) - least, 0)
    count = min(room, 1 if a.nargs in (None, '?') else a.nargs if isinstance(a.nargs, int) else room)
    words, plain = plain[:count], plain[count:]
    if words:
        seen.append(a)
        values = [read(a, text) for text in words]
        setattr(found, a.dest, values[0] if a.nargs in (None, '?') else values)
    elif a.nargs == '*' and a.default is None:
        setattr(found, a.dest, [])
extras += plain
missing = [told(a) for a in _actions if a.required and a not in seen]
if missing:
    self.error('the following arguments are required: ' + ', '.join(missing))
for a in _actions:
    if a not in seen and isinstance(a.default, str) and a.type is not None and getattr(found, a.dest) is a.default:
        setattr(found, a.dest, read(a, a.default))
(found, extras)";

static PARSER: Written = Written {
    name: "ArgumentParser",
    module: "argparse",
    base: None,
    settings: &[("prog", NONE), ("usage", NONE), ("description", NONE), ("epilog", NONE), ("more", Unless::More)],
    holds: &["prog", "usage", "description", "epilog", "_actions", "_defaults"],
    make: "import os, sys\n[prog or os.path.basename(sys.argv[0]), usage, description, epilog, [], {}]",
    members: &[
        method(
            "add_argument",
            &[("names", Unless::Rest), ("told", Unless::More)],
            "\
import argparse
a = argparse._StoreAction(names, told)
_actions.append(a)
a",
        ),
        method("add_argument_group", &[("names", Unless::Rest), ("told", Unless::More)], "self"),
        method(
            "set_defaults",
            &[("told", Unless::More)],
            "\
_defaults.update(told)
for a in _actions:
    if a.dest in told:
        a.default = told[a.dest]",
        ),
        method(
            "get_default",
            &[("dest", Unless::Required)],
            "next((a.default for a in _actions if a.dest == dest), _defaults.get(dest))",
        ),
        method("error", &[("message", Unless::Required)], FAIL),
        method("format_usage", &[], USAGE),
        method("print_usage", &[("file", NONE)], "import sys\nprint(self.format_usage(), end='', file=file or sys.stdout)"),
        method("print_help", &[("file", NONE)], "import sys\nprint(self.format_usage(), end='', file=file or sys.stdout)"),
        method("parse_known_args", &[("args", NONE), ("namespace", NONE)], PARSE),
        method(
            "parse_args",
            &[("args", NONE), ("namespace", NONE)],
            "\
found, extras = self.parse_known_args(args, namespace)
if extras:
    self.error('unrecognized arguments: ' + ' '.join(extras))
found",
        ),
    ],
};

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    let classes = [&ACTION, &PARSER].map(|row| (row.name, construct::class(row)));
    classes.into_iter().chain([("Namespace", super::namespace::arguments())]).collect()
}
