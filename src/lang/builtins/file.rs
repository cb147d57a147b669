//! `open`, and the files it gives; files that lie in memory alone, as `io` makes them.

use super::output::path_argument;
use crate::diag::{Diagnostic, ErrorClass};
use crate::lang::types::bytes::{self, Codec};
use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::lang::types::{convert, iter, limits, repr, str};
use crate::value::{Exception, Machine, Object, Outcome, Raise, Value};
use std::any::Any;
use std::cell::RefCell;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

/// A file. It is read whole when it is opened, and written when it is flushed or closed.
///
/// Reading whole keeps text and places simple; a file larger than memory is refused.
struct File {
    path: String,
    mode: Mode,
    codec: Codec,
    keep_newlines: bool,
    is_in_memory: bool,
    state: RefCell<State>,
}

/// An open file's place and what it holds.
struct State {
    /// None of a closed file.
    handle: Option<Handle>,
    reader: Vec<u8>,
    place: usize,
}

/// Where an open file lies.
enum Handle {
    Disk(fs::File),
    /// In what was read alone.
    Memory,
}

/// What `open(path, mode)` asks for.
#[derive(Clone, Copy)]
struct Mode {
    action: char,
    binary: bool,
    update: bool,
}

impl Mode {
    fn parse(text: &str) -> Outcome<Mode> {
        let invalid = || -> Outcome<Mode> { fault!(ValueError, "invalid mode: '{text}'") };
        if text.chars().any(|c| !"rwaxbt+".contains(c)) || text.chars().any(|c| text.matches(c).count() > 1) {
            return invalid();
        }
        let actions: Vec<char> = text.chars().filter(|c| "rwax".contains(*c)).collect();
        let [action] = actions[..] else { fault!(ValueError, "must have exactly one of create/read/write/append mode") };
        let binary = text.contains('b');
        if binary && text.contains('t') {
            fault!(ValueError, "can't have text and binary mode at once");
        }
        Ok(Mode { action, binary, update: text.contains('+') })
    }

    fn reads(self) -> bool {
        self.action == 'r' || self.update
    }

    fn writes(self) -> bool {
        self.action != 'r' || self.update
    }

    fn open(self, path: &str) -> io::Result<fs::File> {
        let mut options = fs::OpenOptions::new();
        options.read(self.reads()).write(self.writes() && self.action != 'a').append(self.action == 'a');
        match self.action {
            'w' => options.create(true).truncate(true),
            'a' => options.create(true),
            'x' => options.create_new(true),
            _ => &mut options,
        };
        let file = options.open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        Ok(file)
    }
}

/// `open(file, mode='r', …, encoding=None, …, newline=None)`.
pub fn open(c: &mut Call<'_>) -> Outcome {
    let path = path_argument(c.arg(0))?;
    let mode = c.get(1).map_or(Ok("r"), |mode| convert::to_str(mode, "open", "argument 'mode'").map(|s| s.as_str()))?;
    open_file(&path, mode, c.some(3), c.some(5))
}

/// Opens a file with a mode, an encoding and what newlines become.
fn open_file(path: &str, mode: &str, encoding: Option<&Value>, newline: Option<&Value>) -> Outcome {
    let mode = Mode::parse(mode)?;
    if mode.binary && encoding.is_some() {
        fault!(ValueError, "binary mode doesn't take an encoding argument");
    }
    let codec = bytes::codec(encoding)?;
    let mut handle = mode.open(path).map_err(|error| os_error(&error, path))?;
    let mut reader = vec![];
    if mode.reads() {
        limits::check_bytes(handle.metadata().map_or(0, |m| m.len()) as usize)?;
        handle.read_to_end(&mut reader).map_err(|error| os_error(&error, path))?;
    }
    let place = if mode.action == 'a' { reader.len() } else { 0 };
    let state = RefCell::new(State { handle: Some(Handle::Disk(handle)), reader, place });
    Ok(Value::object(File { path: path.to_string(), mode, codec, keep_newlines: newline.is_some(), is_in_memory: false, state }))
}

/// `io.BytesIO(initial_bytes=b'')`, `io.StringIO(initial_value='', newline='\n')`: a file in memory, to be read and written from its
/// start. Places in text are counted in bytes.
pub fn in_memory(binary: bool, initial: Option<&Value>) -> Outcome {
    let mode = Mode { action: 'w', binary, update: true };
    let state = RefCell::new(State { handle: Some(Handle::Memory), reader: vec![], place: 0 });
    let file = File { path: String::new(), mode, codec: Codec::Utf8, keep_newlines: true, is_in_memory: true, state };
    if let Some(initial) = initial {
        if !binary && !matches!(initial, Value::Str(_)) {
            fault!(TypeError, "initial_value must be str or None, not {}", initial.type_name());
        }
        file.write(initial)?;
        file.state.borrow_mut().place = 0;
    }
    Ok(Value::object(file))
}

/// Python's exception for an error of the operating system about a path.
pub fn os_error(error: &io::Error, path: &str) -> Raise {
    let class = match error.kind() {
        io::ErrorKind::NotFound => ErrorClass::FileNotFoundError,
        io::ErrorKind::AlreadyExists => ErrorClass::FileExistsError,
        io::ErrorKind::PermissionDenied => ErrorClass::PermissionError,
        io::ErrorKind::IsADirectory => ErrorClass::IsADirectoryError,
        io::ErrorKind::NotADirectory => ErrorClass::NotADirectoryError,
        _ => ErrorClass::OSError,
    };
    let number = error.raw_os_error().unwrap_or(if class == ErrorClass::IsADirectoryError { 21 } else { 5 });
    let text = io::Error::from_raw_os_error(number).to_string();
    let text = text.split(" (os error").next().unwrap_or_default().to_string();
    let shown = repr::repr(&Value::from(path)).unwrap_or_default();
    let diagnostic = Diagnostic::new(class, format!("[Errno {number}] {text}: {shown}"));
    Raise(Rc::new(Exception::new(diagnostic, vec![Value::Int(number as i64), Value::from(text)])))
}

static METHODS: Table = Table {
    owner: "TextIOWrapper",
    rows: Table::sorted(&[
        row("__enter__", Takes::Nothing, |c| {
            require_open(c)?;
            Ok(c.this.clone())
        }),
        row("__exit__", Takes::Any, |c| close(c).map(|_| Value::Bool(false))),
        row("close", Takes::Nothing, close),
        row("flush", Takes::Nothing, |c| {
            require_open(c)?;
            Ok(Value::None)
        }),
        row("getvalue", Takes::Nothing, |c| {
            require_open(c)?;
            let file = file(c)?;
            Ok(file.value(&file.state.borrow().reader))
        }),
        row("read", Takes::Between(0, 1), |c| {
            let most = size(c.some(0))?;
            file(c)?.read(most)
        }),
        row("readable", Takes::Nothing, |c| Ok(Value::Bool(file(c)?.mode.reads()))),
        row("readline", Takes::Between(0, 1), |c| {
            let most = size(c.some(0))?;
            let file = file(c)?;
            let line = file.line()?;
            Ok(file.value(&line[..line.len().min(most)]))
        }),
        row("readlines", Takes::Between(0, 1), |c| {
            let (file, mut lines) = (file(c)?, vec![]);
            loop {
                let line = file.line()?;
                if line.is_empty() {
                    return Ok(Value::list(lines));
                }
                lines.push(file.value(&line));
            }
        }),
        row("seek", Takes::Between(1, 2), seek),
        row("tell", Takes::Nothing, |c| {
            require_open(c)?;
            Ok(Value::from(file(c)?.state.borrow().place))
        }),
        row("truncate", Takes::Between(0, 1), truncate),
        row("writable", Takes::Nothing, |c| Ok(Value::Bool(file(c)?.mode.writes()))),
        row("write", Takes::One, |c| {
            let text = c.arg(0).clone();
            file(c)?.write(&text)
        }),
        row("writelines", Takes::One, |c| {
            let (this, lines) = (c.this.clone(), c.arg(0).clone());
            iter::each(c.machine, &lines, |_, line| {
                let Some(file) = this.downcast::<File>() else { return Ok(false) };
                file.write(&line)?;
                Ok(true)
            })?;
            Ok(Value::None)
        }),
    ]),
};

fn file<'c>(c: &'c Call<'_>) -> Outcome<&'c File> {
    match c.this.downcast::<File>() {
        Some(file) => Ok(file),
        None => fault!(TypeError, "a file is needed, not {}", c.this.type_name()),
    }
}

fn require_open(c: &Call<'_>) -> Outcome<()> {
    file(c)?.require_open()
}

/// How many characters or bytes to read; a negative number or `None` is all.
fn size(value: Option<&Value>) -> Outcome<usize> {
    let size = value.map_or(Ok(-1), convert::to_i64)?;
    Ok(usize::try_from(size).unwrap_or(usize::MAX))
}

fn close(c: &mut Call<'_>) -> Outcome {
    let mut state = file(c)?.state.borrow_mut();
    state.handle = None;
    state.reader = vec![];
    Ok(Value::None)
}

fn seek(c: &mut Call<'_>) -> Outcome {
    let (offset, whence) = (convert::to_i64(c.arg(0))?, c.get(1).map_or(Ok(0), convert::to_i64)?);
    let file = file(c)?;
    file.require_open()?;
    let mut state = file.state.borrow_mut();
    let base = match whence {
        0 => 0,
        1 => state.place as i64,
        2 => state.reader.len() as i64,
        _ => fault!(ValueError, "invalid whence ({whence}, should be 0, 1 or 2)"),
    };
    match usize::try_from(base.saturating_add(offset)) {
        Ok(place) => {
            state.place = place;
            if let Some(Handle::Disk(handle)) = &mut state.handle {
                handle.seek(SeekFrom::Start(place as u64)).map_err(|error| os_error(&error, &file.path))?;
            }
            Ok(Value::from(place))
        }
        Err(_) => fault!(ValueError, "negative seek position {offset}"),
    }
}

fn truncate(c: &mut Call<'_>) -> Outcome {
    let file = file(c)?;
    file.require_open()?;
    let size = c.some(0).map_or(Ok(file.state.borrow().place as i64), convert::to_i64)?;
    let mut state = file.state.borrow_mut();
    if let Some(Handle::Disk(handle)) = &state.handle {
        handle.set_len(size.max(0) as u64).map_err(|error| os_error(&error, &file.path))?;
    }
    state.reader.truncate(size.max(0) as usize);
    Ok(Value::Int(size))
}

impl File {
    fn require_open(&self) -> Outcome<()> {
        if self.state.borrow().handle.is_none() {
            let end = if self.is_in_memory && !self.mode.binary { "" } else { "." };
            fault!(ValueError, "I/O operation on closed file{end}");
        }
        Ok(())
    }

    /// Reads so many of the bytes that are left as `length` says, as what `decoded` makes of them.
    fn take(&self, length: impl Fn(&[u8]) -> usize) -> Outcome<Vec<u8>> {
        self.require_open()?;
        if !self.mode.reads() {
            fault!(UnsupportedOperation, "not readable");
        }
        let mut state = self.state.borrow_mut();
        let rest = state.reader.get(state.place..).unwrap_or_default();
        let taken = rest[..length(rest)].to_vec();
        state.place += taken.len();
        drop(state);
        self.decoded(taken)
    }

    /// Bytes as what reading gives: bytes or text.
    fn value(&self, data: &[u8]) -> Value {
        match self.mode.binary {
            true => bytes::value(data.to_vec()),
            false => Value::from(String::from_utf8_lossy(data).into_owned()),
        }
    }

    /// The text that bytes stand for, with its newlines made one kind, as UTF-8 bytes.
    fn decoded(&self, data: Vec<u8>) -> Outcome<Vec<u8>> {
        if self.mode.binary {
            return Ok(data);
        }
        let name = match self.codec {
            Codec::Utf8 => "utf-8",
            Codec::Ascii => "ascii",
            Codec::Latin1 => "latin-1",
        };
        let Value::Str(text) = bytes::decode(&data, Some(&Value::from(name)), None)? else { return Ok(vec![]) };
        Ok(if self.keep_newlines { text.as_bytes().to_vec() } else { str::universal_newlines(&text).as_bytes().to_vec() })
    }

    fn read(&self, most: usize) -> Outcome {
        let data = self.take(|rest| match most {
            usize::MAX => rest.len(),
            most if self.mode.binary => rest.len().min(most),
            most => characters(rest, most, self.codec),
        })?;
        Ok(self.value(&data))
    }

    /// The next line with its end, as UTF-8 bytes; empty at the end.
    fn line(&self) -> Outcome<Vec<u8>> {
        let only_newline = self.mode.binary || self.keep_newlines;
        self.take(|rest| match rest.iter().position(|b| *b == b'\n' || *b == b'\r' && !only_newline) {
            Some(i) if rest[i] == b'\r' && rest.get(i + 1) == Some(&b'\n') => i + 2,
            Some(i) => i + 1,
            None => rest.len(),
        })
    }

    fn write(&self, value: &Value) -> Outcome {
        self.require_open()?;
        if !self.mode.writes() {
            fault!(UnsupportedOperation, "not writable");
        }
        let (data, count) = match (value, self.mode.binary) {
            (Value::Bytes(data), true) => (data.to_vec(), data.len()),
            (other, true) => fault!(TypeError, "a bytes-like object is required, not '{}'", other.type_name()),
            (Value::Str(text), false) => (self.encoded(text)?, str::len(text)),
            (other, false) if self.is_in_memory => {
                fault!(TypeError, "string argument expected, got '{}'", other.type_name())
            }
            (other, false) => fault!(TypeError, "write() argument must be str, not {}", other.type_name()),
        };
        let mut state = self.state.borrow_mut();
        if let Some(Handle::Disk(handle)) = &mut state.handle {
            handle.write_all(&data).map_err(|error| os_error(&error, &self.path))?;
        }
        if self.mode.reads() {
            let place = if self.mode.action == 'a' { state.reader.len() } else { state.place };
            let end = place.saturating_add(data.len());
            limits::check_bytes(end)?;
            let len = state.reader.len().max(end);
            state.reader.resize(len, 0);
            state.reader[place..end].copy_from_slice(&data);
            state.place = end;
        } else {
            state.place += data.len();
        }
        Ok(Value::from(count))
    }

    fn encoded(&self, text: &str) -> Outcome<Vec<u8>> {
        let name = match self.codec {
            Codec::Utf8 => return Ok(text.as_bytes().to_vec()),
            Codec::Ascii => "ascii",
            Codec::Latin1 => "latin-1",
        };
        match str::encode(text, Some(&Value::from(name)), None)? {
            Value::Bytes(data) => Ok(data.to_vec()),
            _ => Ok(vec![]),
        }
    }
}

/// How many bytes hold so many characters; a newline of two bytes is one.
fn characters(raw: &[u8], count: usize, codec: Codec) -> usize {
    let mut at = 0;
    for _ in 0..count {
        let Some(first) = raw.get(at) else { break };
        at += match (first, codec) {
            (b'\r', _) if raw.get(at + 1) == Some(&b'\n') => 2,
            (0xc0..=0xdf, Codec::Utf8) => 2,
            (0xe0..=0xef, Codec::Utf8) => 3,
            (0xf0.., Codec::Utf8) => 4,
            _ => 1,
        };
    }
    at.min(raw.len())
}

impl Object for File {
    fn type_name(&self) -> String {
        match (self.mode.binary, self.mode.reads()) {
            (true, _) if self.is_in_memory => "_io.BytesIO",
            (false, _) if self.is_in_memory => "_io.StringIO",
            (false, _) => "_io.TextIOWrapper",
            (true, true) => "_io.BufferedReader",
            (true, false) => "_io.BufferedWriter",
        }
        .into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let name = repr::repr(&Value::from(self.path.as_str())).unwrap_or_default();
        match self.mode.binary {
            _ if self.is_in_memory => format!("<{} object at {:#x}>", self.type_name(), self as *const File as usize),
            true => format!("<{} name={name}>", self.type_name()),
            false => format!("<_io.TextIOWrapper name={name} mode='{}' encoding='UTF-8'>", self.mode_text()),
        }
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            name if self.lacks(name) => None,
            "name" => Some(Value::from(self.path.as_str())),
            "mode" => Some(Value::from(self.mode_text())),
            "closed" => Some(Value::Bool(self.state.borrow().handle.is_none())),
            "encoding" if !self.mode.binary => Some(Value::from("UTF-8")),
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::shared(self))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        let names = METHODS.names().into_iter().chain(["closed", "mode", "name"].map(String::from));
        names.filter(|name| !self.lacks(name)).collect()
    }
    fn is_iterator(&self) -> bool {
        true
    }
    fn next(&self, _machine: &mut dyn Machine) -> Outcome<Option<Value>> {
        let line = self.line()?;
        Ok((!line.is_empty()).then(|| self.value(&line)))
    }
}

impl File {
    /// True for what files in memory lack, or they alone have.
    fn lacks(&self, name: &str) -> bool {
        if self.is_in_memory { matches!(name, "name" | "mode") } else { name == "getvalue" }
    }

    fn mode_text(&self) -> String {
        let mut text = self.mode.action.to_string();
        if self.mode.binary {
            text.push('b');
        }
        if self.mode.update {
            text.push('+');
        }
        text
    }
}
