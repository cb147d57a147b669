//! Program texts: read from files and from standard input, whatever their line ends and encoding marks.

use crate::diag::{Diagnostic, ErrorClass, Source};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// The text of a file. Fails with the exception Python's `open` would raise, or a `SyntaxError` when it is not UTF-8.
pub fn file(path: &Path) -> Result<Arc<Source>, Box<Diagnostic>> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| refuse(&error, &name))?;
    text(&name, bytes)
}

/// All of standard input.
pub fn stdin() -> Result<Arc<Source>, Box<Diagnostic>> {
    let mut bytes = vec![];
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| refuse(&error, "<stdin>"))?;
    text("<stdin>", bytes)
}

/// Bytes as a program text: without a byte order mark, with `\n` at the end of each line.
pub fn text(name: &str, bytes: Vec<u8>) -> Result<Arc<Source>, Box<Diagnostic>> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = 1 + bytes.iter().take(at).filter(|b| **b == b'\n').count();
        let byte = bytes.get(at).copied().unwrap_or_default();
        let message = format!("Non-UTF-8 code starting with '\\x{byte:02x}' in file {name} on line {line}, at byte {at}");
        Box::new(Diagnostic::new(ErrorClass::SyntaxError, message).help("save the file as UTF-8"))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_string() };
    Ok(Source::new(name, text))
}

/// An operating system's refusal in Python's words: `[Errno 2] No such file or directory: 'x.tsr'`.
pub fn refuse(error: &io::Error, name: &str) -> Box<Diagnostic> {
    let class = match error.kind() {
        io::ErrorKind::NotFound => ErrorClass::FileNotFoundError,
        io::ErrorKind::PermissionDenied => ErrorClass::PermissionError,
        io::ErrorKind::IsADirectory => ErrorClass::IsADirectoryError,
        io::ErrorKind::NotADirectory => ErrorClass::NotADirectoryError,
        _ => ErrorClass::OSError,
    };
    let text = error.to_string();
    let (reason, number) = match text.split_once(" (os error ") {
        Some((reason, number)) => (reason, format!("[Errno {}] ", number.trim_end_matches(')'))),
        None => (text.as_str(), String::new()),
    };
    Box::new(Diagnostic::new(class, format!("{number}{reason}: '{name}'")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_line_ends_go() {
        let read = |bytes: &[u8]| text("t", bytes.to_vec()).unwrap().text.clone();
        assert_eq!(read(b"\xef\xbb\xbfx = 1\r\ny = 2\rz\n"), "x = 1\ny = 2\nz\n");
        assert_eq!(read("日本".as_bytes()), "日本");
    }

    #[test]
    fn bad_bytes_are_located() {
        let error = text("t.tsr", b"a\nb\xff".to_vec()).unwrap_err();
        assert_eq!(error.headline(), "SyntaxError: Non-UTF-8 code starting with '\\xff' in file t.tsr on line 2, at byte 3");
    }

    #[test]
    fn files_that_cannot_be_read() {
        let headline = |path: &str| file(Path::new(path)).unwrap_err().headline();
        assert_eq!(headline("no such"), "FileNotFoundError: [Errno 2] No such file or directory: 'no such'");
        assert_eq!(headline("src"), "IsADirectoryError: [Errno 21] Is a directory: 'src'");
    }
}
