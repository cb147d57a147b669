//! `tempfile` and `shutil`: directories for a while, and taking them away with all that is in them.

use super::os::on_path;
use crate::lang::library::construct::{self, Unless};
use crate::lang::library::written::{Written, attribute, method};
use crate::lang::types::call::{Table, Takes, def, row};
use crate::lang::types::convert;
use crate::value::{Outcome, Value};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

/// The functions of `tempfile`.
pub static FUNCTIONS: Table = Table {
    owner: "tempfile",
    rows: Table::sorted(&[
        row("gettempdir", Takes::Nothing, |_| Ok(Value::from(env::temp_dir().display().to_string()))),
        row("mkdtemp", def(&["suffix", "prefix", "dir"], 0, 3), |c| {
            let text = |place: usize, usual: &str| -> Outcome<String> {
                c.some(place).map_or(Ok(usual.to_string()), |v| Ok(convert::to_str(v, "mkdtemp", "argument")?.as_str().into()))
            };
            let (suffix, prefix) = (text(0, "")?, text(1, "tmp")?);
            let place = text(2, &env::temp_dir().display().to_string())?;
            new_directory(Path::new(&place), &prefix, &suffix)
        }),
    ]),
};

/// The functions of `shutil`.
pub static SHUTIL: Table = Table {
    owner: "shutil",
    rows: Table::sorted(&[row("rmtree", def(&["path", "ignore_errors"], 1, 2), |c| {
        let ignored = matches!(c.arg(1), Value::Bool(true));
        on_path(c, |path| fs::remove_dir_all(path)).or_else(|raise| if ignored { Ok(Value::None) } else { Err(raise) })
    })]),
};

/// A directory that is taken away when its `with` ends.
static DIRECTORY: Written = Written {
    name: "TemporaryDirectory",
    module: "tempfile",
    base: None,
    settings: &[
        ("suffix", Unless::None),
        ("prefix", Unless::None),
        ("dir", Unless::None),
        ("ignore_cleanup_errors", Unless::Bool(false)),
    ],
    holds: &["name"],
    make: "import tempfile\n[tempfile.mkdtemp(suffix, prefix, dir)]",
    members: &[
        attribute("__repr__", "f'<TemporaryDirectory {name!r}>'"),
        method("__enter__", &[], "name"),
        method("__exit__", &[("told", Unless::Rest)], "self.cleanup()"),
        method("cleanup", &[], "import shutil\nshutil.rmtree(name, True)"),
    ],
};

/// The classes of `tempfile`.
pub fn values() -> Vec<(&'static str, Value)> {
    vec![("TemporaryDirectory", construct::class(&DIRECTORY))]
}

/// Makes a directory of a name that no other one has.
fn new_directory(place: &Path, prefix: &str, suffix: &str) -> Outcome {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    loop {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = place.join(format!("{prefix}{:x}_{number:x}{suffix}", std::process::id()));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(Value::from(path.display().to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(super::os::failed(&error, &path.display().to_string())),
        }
    }
}
