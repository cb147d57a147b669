//! `textwrap`: text in lines of a width, as texts of the language.

use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::types::call::{Call, Table, Takes, row};
use crate::value::{CallArgs, Outcome};

/// A text that makes `lines` of the words of `text`; words with hyphens may be parted behind them.
macro_rules! wrap {
    ($result:literal) => {
        concat!(
            "\
if width <= 0:
    raise ValueError(f'invalid width {width!r} (must be > 0)')
words = []
for word in text.expandtabs().split():
    start = 0
    for i in range(1, len(word) - 1):
        if word[i] == '-' and word[i - 1].isalpha() and word[i + 1].isalpha() and i - start >= 2:
            words.append((word[start:i + 1], not start))
            start = i + 1
    words.append((word[start:], not start))
lines, line, indent = [], None, initial_indent
for word, apart in words:
    room = max(width - len(indent), 1)
    joined = word if line is None else line + ' ' * apart + word
    if line is not None and len(joined) > room:
        lines.append(indent + line)
        indent, joined = subsequent_indent, word
        room = max(width - len(indent), 1)
    while break_long_words and len(joined) > room:
        lines.append(indent + joined[:room])
        indent, joined = subsequent_indent, joined[room:]
        room = max(width - len(indent), 1)
    line = joined
if line is not None:
    lines.append(indent + line)
",
            $result
        )
    };
}

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "textwrap",
    rows: Table::sorted(&[
        row("dedent", Takes::Any, |c| run(c, "dedent", &[("text", Unless::Required)], DEDENT)),
        row("fill", Takes::Any, |c| run(c, "fill", WRAPPED, wrap!("'\\n'.join(lines)"))),
        row("indent", Takes::Any, |c| run(c, "indent", INDENTED, INDENT)),
        row("shorten", Takes::Any, |c| run(c, "shorten", SHORTENED, SHORTEN)),
        row("wrap", Takes::Any, |c| run(c, "wrap", WRAPPED, wrap!("lines"))),
    ]),
};

const WRAPPED: Settings = &[
    ("text", Unless::Required),
    ("width", Unless::Int(70)),
    ("initial_indent", Unless::Str("")),
    ("subsequent_indent", Unless::Str("")),
    ("break_long_words", Unless::Bool(true)),
];
const INDENTED: Settings = &[("text", Unless::Required), ("prefix", Unless::Required), ("predicate", Unless::None)];
const SHORTENED: Settings = &[("text", Unless::Required), ("width", Unless::Required), ("placeholder", Unless::Str(" [...]"))];

fn run(c: &mut Call<'_>, name: &str, takes: Settings, text: &'static str) -> Outcome {
    let args = CallArgs { positional: c.args(), keyword: std::mem::take(&mut c.keyword) };
    let names = construct::bind(&format!("{name}()"), takes, args)?;
    c.machine.eval_code(text, &names)
}

const DEDENT: &str = "\
lines = [line if line.strip() else '' for line in text.split('\\n')]
margins = [line[:len(line) - len(line.lstrip(' \\t'))] for line in lines if line]
margin = margins[0] if margins else ''
for other in margins:
    while not other.startswith(margin):
        margin = margin[:-1]
'\\n'.join(line[len(margin):] for line in lines)";

const INDENT: &str = "\
wanted = predicate if predicate is not None else lambda line: line.strip()
''.join(prefix + line if wanted(line) else line for line in text.splitlines(True))";

const SHORTEN: &str = "\
words = text.split()
found = ' '.join(words)
if words and width < len(placeholder.lstrip()):
    raise ValueError('placeholder too large for max width')
while len(found) > width and words:
    words.pop()
    found = ' '.join(words) + placeholder
found if words or not text.split() else placeholder.lstrip()";
