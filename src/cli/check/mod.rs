//! `tsr test`: the statements of documents do what the documents say.

mod compare;
mod directives;
mod fix;
mod numbers;
mod play;
pub mod program;
pub mod read;
mod report;

use super::terminal::Wishes;
use super::{FAILED, FINE, USAGE, complain, output};
use crate::diag::{Diagnostic, ErrorClass, Source};
use crate::repl::source;
use crate::show::{Doc, Style};
use compare::{Actual, Difference, compare};
pub use directives::Unknown;
use read::{Content, Step};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// How to check.
pub(super) struct Options {
    /// Show only what failed.
    pub quiet: bool,
    /// What becomes of files that do not say what comes.
    pub mend: Mend,
    /// By which part of them floats may differ, where a file does not say.
    pub tolerance: Option<f64>,
}

/// What becomes of a file that does not say what comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mend {
    /// It is reported.
    No,
    /// It is said what would be written into it.
    Shown,
    /// It is written.
    Written,
}

/// How many steps went how.
#[derive(Clone, Copy, Default)]
struct Count {
    files: usize,
    passed: usize,
    failed: usize,
    fixed: usize,
}

/// Checks files and the files of directories; shows what failed, or what was mended, and a line with the sums.
pub(super) fn run(paths: &[PathBuf], wishes: &Wishes, options: Options) -> u8 {
    let start = Instant::now();
    let look = wishes.look(io::stdout().is_terminal());
    let mut count = Count::default();
    for path in paths {
        let files = match files(path) {
            Ok(files) => files,
            Err(diagnostic) => return complain(&diagnostic, wishes, USAGE),
        };
        for file in files {
            match one(&file, &options, &mut count) {
                Ok(docs) => docs.iter().for_each(|doc| output::write(&doc.render(look.render))),
                Err(diagnostic) => return complain(&diagnostic, wishes, USAGE),
            }
        }
    }
    if count.failed > 0 || !options.quiet {
        output::write(&summary(count, start).render(look.render));
    }
    if count.failed > 0 { FAILED } else { FINE }
}

/// Checks a file and mends it when asked to; gives what there is to say about it.
fn one(file: &Path, options: &Options, count: &mut Count) -> Result<Vec<Doc>, Box<Diagnostic>> {
    let source = source::file(file)?;
    let (passed, failures) = check(file, &source, options.tolerance)?;
    count.files += 1;
    count.passed += passed;
    if options.mend != Mend::No && !failures.is_empty() {
        let writes = options.mend == Mend::Written;
        let fixes = fix::all(file, &failures, writes)?;
        let fixed = fixes.iter().filter(|fix| fix.is_done() && writes).count();
        count.fixed += fixed;
        count.failed += fixes.len() - fixed;
        return Ok(fixes.iter().map(|fix| report::fixed(file, fix, writes)).collect());
    }
    count.failed += failures.len();
    Ok(failures.iter().map(|failure| report::failure(file, failure)).collect())
}

fn summary(count: Count, start: Instant) -> Doc {
    let mut doc = Doc::new();
    let files = if count.files == 1 { "1 file".to_string() } else { format!("{} files", count.files) };
    doc.push(Style::Plain, &format!("{files}: "));
    if count.failed > 0 {
        doc.push(Style::Error, &format!("{} failed", count.failed)).push(Style::Plain, ", ");
    }
    if count.fixed > 0 {
        doc.push(Style::Warning, &format!("{} fixed", count.fixed)).push(Style::Plain, ", ");
    }
    doc.push(Style::Good, &format!("{} passed", count.passed));
    doc.push(Style::Faint, &format!(" in {} ms", start.elapsed().as_millis())).newline();
    doc
}

/// A file itself; of a directory, its `.md` and `.tsr` files at any depth in order, hidden ones and `target` left out.
fn files(path: &Path) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let unreadable = |error: io::Error| Box::new(Diagnostic::new(ErrorClass::OSError, format!("{}: {error}", path.display())));
    let mut entries = vec![];
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    let mut found = vec![];
    for entry in entries {
        let name = entry.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let ours = entry.extension().is_some_and(|e| e == "md" || e == "tsr");
        match (name.starts_with('.') || name == "target", entry.is_dir()) {
            (false, true) => found.extend(files(&entry)?),
            (false, false) if ours => found.push(entry),
            _ => {}
        }
    }
    Ok(found)
}

/// A step that did not do what its file says.
struct Failure {
    step: Step,
    actual: Actual,
    difference: Difference,
    /// True when only digits of floats differ.
    nearly: bool,
}

/// Floats that differ by no more than this part are worth a remark.
const NEARLY: f64 = 1e-3;

/// Runs what is in a file: how many steps passed, and those that failed.
fn check(path: &Path, source: &Arc<Source>, tolerance: Option<f64>) -> Result<(usize, Vec<Failure>), Box<Diagnostic>> {
    let content = read::content(path, &source.text).map_err(|unknown| Box::new(unknown.report(source)))?;
    let checked: Vec<(Step, Actual)> = match content {
        Content::Transcript(sessions) => sessions
            .into_iter()
            .flat_map(|steps| {
                let actuals = play::transcript(path, &steps);
                steps.into_iter().zip(actuals)
            })
            .collect(),
        Content::Program => {
            let actual = play::program(path, &source.text);
            let difference = compare(&[], &actual, None);
            let step = program::whole(&source.text);
            let failure = difference.map(|difference| Failure { step, actual, difference, nearly: false });
            return Ok((usize::from(failure.is_none()), failure.into_iter().collect()));
        }
    };
    let mut passed = 0;
    let mut failures = vec![];
    for (step, actual) in checked {
        let expected = compare::with_error(&step.expected, step.raises.as_deref());
        match compare(&expected, &actual, step.tolerance.or(tolerance)) {
            None => passed += usize::from(step.is_written()),
            Some(difference) => {
                let nearly = compare(&expected, &actual, Some(NEARLY)).is_none();
                failures.push(Failure { step, actual, difference, nearly });
            }
        }
    }
    Ok((passed, failures))
}
