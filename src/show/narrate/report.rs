//! A diagnostic in sentences: what went wrong, where, what the operands were, what helps.

use super::ended;
use crate::diag::{Diagnostic, Source, Span};

/// The report as lines to be read aloud. The first is the exception's own, as everywhere.
pub fn text(diagnostic: &Diagnostic) -> String {
    let mut lines = vec![diagnostic.headline()];
    if let Some(source) = &diagnostic.source {
        let primary = diagnostic.labels.iter().find(|l| l.primary).or(diagnostic.labels.first());
        for label in primary.into_iter().chain(diagnostic.labels.iter().filter(|l| !l.primary)) {
            let (place, part) = (place(source, label.span), part(source, label.span));
            lines.push(match (label.primary, label.text.as_str()) {
                (true, "") => ended(format!("At {place}: {part}")),
                (true, text) => ended(format!("At {place}: {part}: {text}")),
                (false, text) => ended(format!("There, {part} is {text}")),
            });
        }
    }
    for frame in diagnostic.frames.iter().rev() {
        let line = frame.source.line_column(frame.span.start as usize).0;
        let name = frame.source.name.trim_matches(['<', '>']);
        lines.push(ended(format!("Called from line {line} of {name}: {}", part(&frame.source, frame.span))));
    }
    lines.dedup();
    lines.extend(diagnostic.notes.iter().map(|note| ended(format!("Note: {note}"))));
    lines.extend(diagnostic.help.iter().map(|help| ended(format!("Help: {help}"))));
    lines.join("\n") + "\n"
}

/// `line 2, columns 1 to 14 of model.tsr`.
fn place(source: &Source, span: Span) -> String {
    let (line, column) = source.line_column(span.start as usize);
    let width = source.text.get(span.range()).map_or(1, |part| part.lines().next().unwrap_or_default().chars().count());
    let columns = if width > 1 { format!("columns {column} to {}", column + width - 1) } else { format!("column {column}") };
    format!("line {line}, {columns} of {}", source.name.trim_matches(['<', '>']))
}

/// The first line of a part of a text.
fn part(source: &Source, span: Span) -> String {
    source.text.get(span.range()).and_then(|part| part.lines().next()).unwrap_or_default().trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{ErrorClass, Label};

    #[test]
    fn a_report_reads_aloud() {
        let source = Source::new("<stdin>", "x.t().view(-1)\n");
        let mut failed = Diagnostic::new(ErrorClass::RuntimeError, "not possible").at(&source, Span::new(0, 14), "");
        failed.labels.push(Label { span: Span::new(0, 5), text: "float32 (3, 2)".into(), primary: false });
        let expected = "RuntimeError: not possible\nAt line 1, columns 1 to 14 of stdin: x.t().view(-1).\n\
                        There, x.t() is float32 (3, 2).\nHelp: use reshape.\n";
        assert_eq!(text(&failed.help("use reshape")), expected);
    }
}
