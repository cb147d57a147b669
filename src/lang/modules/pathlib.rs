//! `pathlib`: paths, their parts, and the files they name.

use crate::lang::library::construct::{self, Settings, Unless};
use crate::lang::library::written::{Written, attribute, method};
use crate::value::Value;

const ONE: Settings = &[("other", Unless::Required)];

static PATH: Written = Written {
    name: "PosixPath",
    module: "pathlib",
    base: None,
    settings: &[("segments", Unless::Rest)],
    holds: &["parts", "_key", "_text", "_path"],
    make: "\
text = ''
for segment in segments:
    segment = str(segment)
    text = segment if segment.startswith('/') or not text else text + '/' + segment
names = [name for name in text.split('/') if name not in ('', '.')]
root = ('/',) if text.startswith('/') else ()
joined = ''.join(root) + '/'.join(names)
[root + tuple(names), joined, joined or '.', joined or '.']",
    members: &[
        attribute("__repr__", "f'PosixPath({_text!r})'"),
        method(
            "__operate__",
            &[("op", Unless::Required), ("other", Unless::Required)],
            "type(self)(_text, other) if op == '/' and isinstance(other, (str, type(self))) else None",
        ),
        method(
            "__reflected__",
            &[("op", Unless::Required), ("other", Unless::Required)],
            "type(self)(other, _text) if op == '/' and isinstance(other, str) else None",
        ),
        attribute("name", "parts[-1] if parts and parts != ('/',) else ''"),
        attribute("suffix", "name = self.name\nplace = name.rfind('.')\nname[place:] if 0 < place < len(name) - 1 else ''"),
        attribute("stem", "name = self.name\nplace = name.rfind('.')\nname[:place] if 0 < place < len(name) - 1 else name"),
        attribute("suffixes", "['.' + part for part in self.name.lstrip('.').split('.')[1:]]"),
        attribute("parent", "type(self)(*parts[:-1]) if len(parts) > 1 or parts[:1] != ('/',) else self"),
        attribute("parents", "[type(self)(*parts[:i]) for i in range(len(parts) - 1, -1 if parts[:1] != ('/',) else 0, -1)]"),
        attribute("root", "'/' if parts[:1] == ('/',) else ''"),
        method("as_posix", &[], "_text"),
        method("is_absolute", &[], "parts[:1] == ('/',)"),
        method("joinpath", &[("others", Unless::Rest)], "type(self)(_text, *others)"),
        method("with_name", &[("name", Unless::Required)], "type(self)(*parts[:-1], name)"),
        method("with_stem", &[("stem", Unless::Required)], "type(self)(*parts[:-1], stem + self.suffix)"),
        method("with_suffix", &[("suffix", Unless::Required)], "type(self)(*parts[:-1], self.stem + suffix)"),
        method(
            "relative_to",
            ONE,
            "\
other = type(self)(other)
if parts[:len(other.parts)] != other.parts:
    raise ValueError(f'{_text!r} is not in the subpath of {str(other)!r} OR one path is relative and the other is absolute.')
type(self)(*parts[len(other.parts):])",
        ),
        method("exists", &[], "import os\nos.path.exists(_text)"),
        method("is_dir", &[], "import os\nos.path.isdir(_text)"),
        method("is_file", &[], "import os\nos.path.isfile(_text)"),
        method(
            "read_text",
            &[("encoding", Unless::None)],
            "\
with open(_text) as file:
    text = file.read()
text",
        ),
        method(
            "write_text",
            &[("data", Unless::Required), ("encoding", Unless::None)],
            "\
with open(_text, 'w') as file:
    count = file.write(data)
count",
        ),
        method("open", &[("mode", Unless::Str("r"))], "open(_text, mode)"),
    ],
};

/// The classes.
pub fn values() -> Vec<(&'static str, Value)> {
    ["Path", "PosixPath", "PurePath", "PurePosixPath"].map(|name| (name, construct::class(&PATH))).to_vec()
}
