//! `print`, `input`, `exit`, and the standard streams.

use crate::diag::{Diagnostic, ErrorClass};
use crate::interrupt;
use crate::lang::types::call::{Builtin, Call, Table, Takes, row};
use crate::lang::types::convert;
use crate::value::{CallArgs, Exception, Object, Outcome, Raise, Value};
use std::any::Any;
use std::cell::RefCell;
use std::io::BufRead;
use std::rc::Rc;

/// `sys.stdout`, `sys.stderr`.
pub struct Stream {
    /// True for standard error.
    pub is_error: bool,
}

static STREAM_METHODS: Table = Table {
    owner: "TextIOWrapper",
    rows: Table::sorted(&[
        row("fileno", Takes::Nothing, |c| Ok(Value::Int(if stream(c).is_some_and(|s| s.is_error) { 2 } else { 1 }))),
        row("flush", Takes::Nothing, |_| Ok(Value::None)),
        row("isatty", Takes::Nothing, |c| {
            use std::io::IsTerminal;
            let is_error = stream(c).is_some_and(|s| s.is_error);
            Ok(Value::Bool(if is_error { std::io::stderr().is_terminal() } else { std::io::stdout().is_terminal() }))
        }),
        row("write", Takes::One, |c| match c.arg(0).clone() {
            Value::Str(text) => {
                let is_error = stream(c).is_some_and(|s| s.is_error);
                if is_error {
                    c.machine.write_error(&text)
                } else {
                    c.machine.write(&text)
                }
                Ok(Value::from(crate::lang::types::str::len(&text)))
            }
            other => fault!(TypeError, "write() argument must be str, not {}", other.type_name()),
        }),
    ]),
};

fn stream<'c>(c: &'c Call<'_>) -> Option<&'c Stream> {
    c.this.downcast()
}

impl Object for Stream {
    fn type_name(&self) -> String {
        "_io.TextIOWrapper".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let name = if self.is_error { "<stderr>" } else { "<stdout>" };
        format!("<_io.TextIOWrapper name='{name}' mode='w' encoding='utf-8'>")
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::from(if self.is_error { "<stderr>" } else { "<stdout>" })),
            "encoding" => Some(Value::from("utf-8")),
            "mode" => Some(Value::from("w")),
            "closed" => Some(Value::Bool(false)),
            _ => STREAM_METHODS.find(name).map(|row| Builtin::method(&STREAM_METHODS, row, Value::shared(self))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        STREAM_METHODS.names().into_iter().chain(["name", "encoding", "mode", "closed"].map(String::from)).collect()
    }
}

thread_local! {
    /// The files that stand in for standard output, the last one now.
    static INSTEAD: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Lets a file stand in for standard output, or ends what was said last.
pub fn redirect(to: Option<Value>) {
    INSTEAD.with_borrow_mut(|files| match to {
        Some(file) => files.push(file),
        None => {
            files.pop();
        }
    });
}

/// `print(*values, sep=' ', end='\n', file=None, flush=False)`.
pub fn print(c: &mut Call<'_>) -> Outcome {
    let separator = text_option(c, "sep", " ")?;
    let end = text_option(c, "end", "\n")?;
    let file = c.take_keyword("file").filter(|f| !matches!(f, Value::None));
    let file = file.or_else(|| INSTEAD.with_borrow(|files| files.last().cloned()));
    let flush = c.take_keyword("flush");
    c.no_more_keywords("print")?;
    let mut text = String::new();
    for (i, value) in c.args().iter().enumerate() {
        if i > 0 {
            text.push_str(&separator);
        }
        match c.machine.str(value) {
            Ok(shown) => text.push_str(&shown),
            Err(raise) => {
                // What stood before it is printed.
                if file.is_none() {
                    c.machine.write(&text);
                }
                return Err(raise);
            }
        }
    }
    text.push_str(&end);
    let Some(file) = file else {
        c.machine.write(&text);
        return Ok(Value::None);
    };
    let write = c.machine.attr(&file, "write")?;
    c.machine.call(&write, CallArgs::positional(vec![Value::from(text)]))?;
    if flush.is_some_and(|f| matches!(f, Value::Bool(true))) {
        let flush = c.machine.attr(&file, "flush")?;
        c.machine.call(&flush, CallArgs::default())?;
    }
    Ok(Value::None)
}

fn text_option(c: &mut Call<'_>, name: &str, default: &str) -> Outcome<String> {
    match c.take_keyword(name) {
        None | Some(Value::None) => Ok(default.to_string()),
        Some(Value::Str(text)) => Ok(text.to_string()),
        Some(other) => fault!(TypeError, "{name} must be None or a string, not {}", other.type_name()),
    }
}

/// `input(prompt)`: a line of standard input without its end.
pub fn input(c: &mut Call<'_>) -> Outcome {
    if let Some(prompt) = c.get(0).cloned() {
        let prompt = c.machine.str(&prompt)?;
        c.machine.write(&prompt);
        c.machine.flush();
    }
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    interrupt::check()?;
    match read {
        Ok(0) => fault!(EOFError, "EOF when reading a line"),
        Ok(_) => Ok(Value::from(line.trim_end_matches('\n').trim_end_matches('\r'))),
        Err(error) => fault!(OSError, "{error}"),
    }
}

/// `exit(code)`, `quit(code)`, `sys.exit(code)`.
pub fn exit(c: &mut Call<'_>) -> Outcome {
    let args = c.args();
    let message = match args.first() {
        None | Some(Value::None) => String::new(),
        Some(code) => c.machine.str(code)?,
    };
    Err(Raise(Rc::new(Exception::new(Diagnostic::new(ErrorClass::SystemExit, message), args))))
}

/// A path argument. Fails with a `TypeError` when it is no text.
pub fn path_argument(value: &Value) -> Outcome<String> {
    match value {
        Value::Str(path) => Ok(path.to_string()),
        Value::Bytes(path) => Ok(String::from_utf8_lossy(path).into_owned()),
        Value::Object(object) if object.path().is_some() => Ok(object.path().unwrap_or_default()),
        other => match convert::as_int(other) {
            Ok(Some(_)) => fault!(NotImplementedError, "tsr opens files by name, not by number"),
            _ => fault!(TypeError, "expected str, bytes or os.PathLike object, not {}", other.type_name()),
        },
    }
}
