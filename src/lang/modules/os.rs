//! `os` and `os.path`: the environment, and paths as text.

use crate::diag::{Diagnostic, ErrorClass};
use crate::lang::builtins::path_argument;
use crate::lang::types::call::{Call, Table, Takes, def, row};
use crate::lang::types::{convert, iter};
use crate::value::{Dict, Key, Outcome, Raise, Value};
use std::path::Path;
use std::{env, fs, io};

/// The functions.
pub static FUNCTIONS: Table = Table {
    owner: "os",
    rows: Table::sorted(&[
        row("cpu_count", Takes::Nothing, |_| {
            Ok(std::thread::available_parallelism().map_or(Value::None, |n| Value::from(n.get())))
        }),
        row("getcwd", Takes::Nothing, |_| Ok(Value::from(env::current_dir().unwrap_or_default().display().to_string()))),
        row("getenv", def(&["key", "default"], 1, 2), |c| {
            let key = convert::to_str(c.arg(0), "getenv", "argument 'key'")?;
            Ok(env::var(key.as_str()).map_or_else(|_| c.arg(1).clone(), Value::from))
        }),
        row("getpid", Takes::Nothing, |_| Ok(Value::from(std::process::id() as usize))),
        row("listdir", def(&["path"], 0, 1), |c| {
            let path = c.some(0).map_or(Ok(".".to_string()), path_argument)?;
            let entries = fs::read_dir(&path).map_err(|error| failed(&error, &path))?;
            Ok(Value::list(entries.flatten().map(|e| Value::from(e.file_name().to_string_lossy().into_owned())).collect()))
        }),
        row("makedirs", def(&["name", "mode", "exist_ok"], 1, 3), |c| {
            let path = path_argument(c.arg(0))?;
            let may_exist = matches!(c.arg(2), Value::Bool(true));
            if Path::new(&path).exists() && !may_exist {
                return Err(failed(&io::Error::from_raw_os_error(libc::EEXIST), &path));
            }
            fs::create_dir_all(&path).map_err(|error| failed(&error, &path))?;
            Ok(Value::None)
        }),
        row("mkdir", def(&["path", "mode"], 1, 2), |c| on_path(c, |path| fs::create_dir(path))),
        row("remove", def(&["path"], 1, 1), |c| on_path(c, |path| fs::remove_file(path))),
        row("rmdir", def(&["path"], 1, 1), |c| on_path(c, |path| fs::remove_dir(path))),
        row("unlink", def(&["path"], 1, 1), |c| on_path(c, |path| fs::remove_file(path))),
    ]),
};

/// The functions of `os.path`.
pub static PATH: Table = Table {
    owner: "posixpath",
    rows: Table::sorted(&[
        row("abspath", def(&["path"], 1, 1), |c| {
            let path = std::path::absolute(path_argument(c.arg(0))?).unwrap_or_default();
            Ok(Value::from(path.display().to_string()))
        }),
        row("basename", def(&["p"], 1, 1), |c| Ok(Value::from(split(&path_text(c.arg(0))?).1))),
        row("commonprefix", def(&["m"], 1, 1), |c| {
            let paths = c.arg(0).clone();
            let paths = iter::collect(c.machine, &paths)?.iter().map(path_argument).collect::<Outcome<Vec<String>>>()?;
            let common = paths.iter().skip(1).fold(paths.first().cloned().unwrap_or_default(), |common, path| {
                let pairs = common.chars().zip(path.chars());
                pairs.take_while(|(a, b)| a == b).map(|(c, _)| c).collect()
            });
            Ok(Value::from(common))
        }),
        row("dirname", def(&["p"], 1, 1), |c| Ok(Value::from(split(&path_text(c.arg(0))?).0))),
        row("exists", def(&["path"], 1, 1), |c| Ok(Value::Bool(Path::new(&path_argument(c.arg(0))?).exists()))),
        row("expanduser", def(&["path"], 1, 1), |c| {
            let path = path_argument(c.arg(0))?;
            let home = env::var("HOME").unwrap_or_default();
            Ok(Value::from(match path.strip_prefix('~') {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
                _ => path,
            }))
        }),
        row("getsize", def(&["filename"], 1, 1), |c| {
            let path = path_argument(c.arg(0))?;
            let about = fs::metadata(&path).map_err(|error| failed(&error, &path))?;
            Ok(Value::from(about.len() as usize))
        }),
        row("isabs", def(&["s"], 1, 1), |c| Ok(Value::Bool(path_text(c.arg(0))?.starts_with('/')))),
        row("isdir", def(&["s"], 1, 1), |c| Ok(Value::Bool(Path::new(&path_argument(c.arg(0))?).is_dir()))),
        row("isfile", def(&["path"], 1, 1), |c| Ok(Value::Bool(Path::new(&path_argument(c.arg(0))?).is_file()))),
        row("join", Takes::Any, join),
        row("normpath", def(&["path"], 1, 1), |c| Ok(Value::from(normal(&path_text(c.arg(0))?)))),
        row("relpath", def(&["path", "start"], 1, 2), relative),
        row("split", def(&["p"], 1, 1), |c| {
            let (head, tail) = split(&path_argument(c.arg(0))?);
            Ok(Value::tuple(vec![Value::from(head), Value::from(tail)]))
        }),
        row("splitext", def(&["p"], 1, 1), |c| {
            let path = path_argument(c.arg(0))?;
            let start = path.rfind('/').map_or(0, |slash| slash + 1);
            let name = path[start..].trim_start_matches('.');
            let dot = name.rfind('.').map_or(path.len(), |dot| path.len() - name.len() + dot);
            Ok(Value::tuple(vec![Value::from(&path[..dot]), Value::from(&path[dot..])]))
        }),
    ]),
};

/// The environment and the texts that paths are written with.
pub fn values() -> Vec<(&'static str, Value)> {
    let mut environment = Dict::default();
    for (name, value) in env::vars() {
        if let Ok(key) = Key::new(Value::from(name)) {
            environment.insert(key, Value::from(value));
        }
    }
    vec![
        ("environ", Value::dict(environment)),
        ("curdir", Value::from(".")),
        ("linesep", Value::from("\n")),
        ("name", Value::from("posix")),
        ("pardir", Value::from("..")),
        ("pathsep", Value::from(":")),
        ("sep", Value::from("/")),
    ]
}

pub(super) fn failed(error: &io::Error, path: &str) -> Raise {
    let class = match error.kind() {
        io::ErrorKind::NotFound => ErrorClass::FileNotFoundError,
        io::ErrorKind::AlreadyExists => ErrorClass::FileExistsError,
        io::ErrorKind::PermissionDenied => ErrorClass::PermissionError,
        _ => ErrorClass::OSError,
    };
    let code = error.raw_os_error().unwrap_or(0);
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    Diagnostic::new(class, format!("[Errno {code}] {text}: '{path}'")).into()
}

/// Does something with the file or directory that the first argument names.
pub(super) fn on_path(c: &mut Call<'_>, work: fn(&str) -> io::Result<()>) -> Outcome {
    let path = path_argument(c.arg(0))?;
    work(&path).map_err(|error| failed(&error, &path))?;
    Ok(Value::None)
}

/// A path that is looked at as a text: it is no number of a file.
fn path_text(value: &Value) -> Outcome<String> {
    match value {
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => {
            fault!(TypeError, "expected str, bytes or os.PathLike object, not {}", value.type_name())
        }
        other => path_argument(other),
    }
}

/// The path without empty parts, `.`, and parts that `..` takes back.
fn normal(path: &str) -> String {
    let root = match path.len() - path.trim_start_matches('/').len() {
        0 => "",
        2 => "//",
        _ => "/",
    };
    let mut parts: Vec<&str> = vec![];
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match (part, parts.last()) {
            ("..", None) if !root.is_empty() => {}
            ("..", Some(last)) if *last != ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = format!("{root}{}", parts.join("/"));
    if joined.is_empty() { ".".to_string() } else { joined }
}

/// `relpath(path, start='.')`
fn relative(c: &mut Call<'_>) -> Outcome {
    let path = path_argument(c.arg(0))?;
    if path.is_empty() {
        fault!(ValueError, "no path specified");
    }
    let start = c.some(1).map_or(Ok(".".to_string()), path_argument)?;
    let parts = |path: &str| {
        let whole = std::path::absolute(path).unwrap_or_default().display().to_string();
        normal(&whole).split('/').filter(|part| !part.is_empty()).map(str::to_string).collect::<Vec<String>>()
    };
    let (path, start) = (parts(&path), parts(&start));
    let common = path.iter().zip(&start).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", start.len() - common);
    let found = up.chain(path[common..].iter().map(String::as_str)).collect::<Vec<&str>>().join("/");
    Ok(Value::from(if found.is_empty() { ".".to_string() } else { found }))
}

/// What is before the last slash, and what is behind it.
fn split(path: &str) -> (String, String) {
    let start = path.rfind('/').map_or(0, |slash| slash + 1);
    let (head, tail) = path.split_at(start);
    let trimmed = head.trim_end_matches('/');
    (if trimmed.is_empty() { head } else { trimmed }.to_string(), tail.to_string())
}

/// `join(a, b, …)`: an absolute part begins anew.
fn join(c: &mut Call<'_>) -> Outcome {
    let parts = c.args().iter().map(path_argument).collect::<Outcome<Vec<String>>>()?;
    let mut joined = String::new();
    for part in parts {
        if part.starts_with('/') {
            joined.clear();
        } else if !joined.is_empty() && !joined.ends_with('/') {
            joined.push('/');
        }
        joined.push_str(&part);
    }
    Ok(Value::from(joined))
}
