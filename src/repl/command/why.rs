//! `%why`: the expression that failed last, explained with the operands it had.

use super::reader::{Kept, Reader};
use super::{Call, explain, source, usage};
use crate::diag::Diagnostic;
use crate::show::picture::{self, Named, Variable};
use crate::show::{Doc, Style};
use crate::value::{Machine, Outcome, Value};

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if !call.rest.is_empty() {
        return Err(usage("why", "%why takes no arguments"));
    }
    let Some((failed, kept)) = call.shell.failed.borrow().clone() else { fault!(ValueError, "nothing has failed yet") };
    let explained = kept.as_ref().and_then(|kept| {
        let reader = Reader { source: source("why", &kept.text), kept: Some(kept) };
        explain::explained(call, &reader).ok()
    });
    let mut doc = match explained {
        Some(doc) => doc,
        None => facts(call, &failed, kept.as_ref())?,
    };
    // Ways out that the picture has not found by itself.
    if !doc.text().contains(" way on") {
        for help in &failed.help {
            picture::sentence(&mut doc, Style::Plain, &format!("help: {help}"), call.width());
        }
    }
    call.print(&doc);
    Ok(())
}

/// The sentence and the operands.
fn facts(call: &mut Call, failed: &Diagnostic, kept: Option<&Kept>) -> Outcome<Doc> {
    let text = kept.map_or("the statement", |kept| kept.text.trim());
    let mut parts = vec![];
    for (name, value) in kept.map(Kept::parts).unwrap_or_default() {
        match value {
            Value::Tensor(tensor) => parts.push(Variable::Tensor(Named { name, tensor })),
            other => {
                let text: String = call.interp.repr(&other)?.chars().take(200).collect();
                // A literal says what it is.
                if text != name && text != format!("({name})") {
                    parts.push(Variable::Other { name, kind: other.type_name(), text });
                }
            }
        }
    }
    let mut doc = Doc::new();
    picture::failure(&mut doc, text, &failed.message, call.width());
    if !parts.is_empty() {
        doc.newline().append(&picture::operands(&parts, call.width())?);
    }
    Ok(doc)
}
