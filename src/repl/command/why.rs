//! `%why`: the expression that failed last, explained.

use super::{Call, explain, usage};
use crate::diag::Diagnostic;
use crate::show::{Doc, Style};
use crate::value::Outcome;

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if !call.rest.is_empty() {
        return Err(usage("why", "%why takes no arguments"));
    }
    let Some(failed) = call.shell.failed.borrow().clone() else { fault!(ValueError, "nothing has failed yet") };
    let text = expression_of(&failed);
    if explain::expression(call, &text).is_err() {
        // In a function's body the names are gone; what the report says of its operands is still there.
        let doc = facts(&failed, &text);
        call.print(&doc);
    }
    Ok(())
}

/// The text of the part that failed.
fn expression_of(failed: &Diagnostic) -> String {
    let place = failed.source.as_ref().zip(failed.labels.first());
    place.and_then(|(source, label)| source.text.get(label.span.range())).unwrap_or_default().to_string()
}

/// The expression, its operands and the ways out, a line each.
fn facts(failed: &Diagnostic, text: &str) -> Doc {
    let mut doc = Doc::new();
    doc.push(Style::Plain, " ").push(Style::Name, text).push(Style::Error, " failed").newline().newline();
    let operands = failed.labels.iter().filter(|label| !label.text.is_empty()).filter_map(|label| {
        let text = failed.source.as_ref()?.text.get(label.span.range())?;
        Some(format!(" {text} was {}", label.text))
    });
    for line in [format!(" {}", failed.message)].into_iter().chain(operands).chain(failed.help.iter().map(|h| format!(" {h}"))) {
        doc.push(Style::Plain, &line).newline();
    }
    doc
}
