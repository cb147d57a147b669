//! Ways out: for a sentence that an exception says, what to do about it, with the operands at hand.
//!
//! PyTorch's sentences say what is wrong; the table in `rows` adds what to write instead. A row is a sentence with holes and a
//! text that may use what the holes held, or a function where the way out depends on the operands' sizes. Operations need not
//! know of it, and one that gives its own help is left alone.

mod elsewhere;
mod rows;
mod sizes;

pub use elsewhere::elsewhere;

use crate::diag::{Change, Diagnostic, Span};
use crate::value::{Exception, Value};
use smallvec::SmallVec;

/// A failed expression: what the sentence's holes held, and the operands as they stand in the text.
pub(super) struct Case<'a> {
    /// The failed expression's text.
    pub text: &'a str,
    /// What the holes held, in order.
    pub found: SmallVec<[&'a str; 4]>,
    /// Text and value of each operand; the object of a method first.
    pub operands: SmallVec<[(&'a str, &'a Value); 4]>,
}

/// A way out in words, and as a change of the text where that is certain.
type Advice = (String, Option<Change>);

/// How a row finds its way out.
enum Way {
    /// A sentence in which `{0}`, `{1}` are what the holes held and `{a}`, `{b}` the operands' texts.
    Say(&'static str),
    /// The same, and a word of the expression with what to write in its place.
    Change(&'static str, [&'static str; 2]),
    /// Computed; none when there is nothing to say.
    Find(fn(&Case) -> Option<String>),
    /// The same, and a change of the text where there is no other.
    Mend(fn(&Case) -> Option<Advice>),
}

/// A sentence, `{}` for its holes, and the way out.
type Row = (&'static str, Way);

/// The message to the user, with the places the exception came through and the way out.
pub fn report(exception: &Exception) -> Diagnostic {
    let mut report = exception.report();
    let trace = exception.trace.borrow();
    let Some(source) = trace.source.as_ref().filter(|_| report.help.is_empty() && exception.diagnostic.source.is_none()) else {
        return report;
    };
    let headline = exception.diagnostic.headline();
    let text = |span: Span| source.text.get(span.range()).unwrap_or("");
    let operands = trace.operands.iter().filter(|(span, _)| *span != Span::default());
    let operands = operands.map(|(span, value)| (text(*span), value)).collect();
    if let Some((help, change)) = way_out(&headline, text(trace.span), operands) {
        report.help.push(help);
        report.change = report.change.or(change.map(Box::new));
    }
    report
}

/// The way out of an exception that says `headline`, its class and sentence, and the change that makes it, where that is certain.
fn way_out<'a>(headline: &'a str, text: &'a str, operands: SmallVec<[(&'a str, &'a Value); 4]>) -> Option<Advice> {
    let (found, way) = rows::ROWS.iter().find_map(|(pattern, way)| Some((holes(pattern, headline)?, way)))?;
    let case = Case { text, found, operands };
    match way {
        Way::Say(text) => Some((asked_for(case.fill(text)?), None)),
        Way::Change(text, [from, to]) => {
            let change = Change { from: from.to_string(), to: to.to_string() };
            Some((case.fill(text)?, Some(change)))
        }
        Way::Find(find) => Some((find(&case)?, None)),
        Way::Mend(mend) => mend(&case),
    }
}

/// Names as they are called, where a message has PyTorch's inner ones: `linalg_inv`.
fn asked_for(text: String) -> String {
    ["linalg", "fft", "special"].iter().fold(text, |text, module| text.replace(&format!("?{module}_"), &format!("?{module}.")))
}

impl Case<'_> {
    /// The sentence with its places filled; none when it names an operand whose text is long or not known.
    fn fill(&self, sentence: &str) -> Option<String> {
        let mut text = sentence.to_string();
        for (k, found) in self.found.iter().enumerate() {
            text = text.replace(&format!("{{{k}}}"), found);
        }
        for (k, name) in ["{a}", "{b}"].into_iter().enumerate() {
            if text.contains(name) {
                text = text.replace(name, self.name(k)?);
            }
        }
        Some(text)
    }

    /// An operand's text; none when it is long or a method cannot follow it as it stands.
    fn name(&self, k: usize) -> Option<&str> {
        const LONGEST: usize = 24;
        let text = self.operands.get(k)?.0;
        (takes_methods(text) && text.len() <= LONGEST).then_some(text)
    }
}

/// True for names, calls and subscripts: outside brackets there is no operator, blank or comma.
fn takes_methods(text: &str) -> bool {
    let mut depth = 0;
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| {
            depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
            depth > 0 || c.is_alphanumeric() || "_.)]}".contains(c)
        })
}

/// What the holes of a pattern hold in a message that contains it; a hole at the start begins behind the exception's class.
fn holes<'m>(pattern: &str, message: &'m str) -> Option<SmallVec<[&'m str; 4]>> {
    let mut pieces = pattern.split("{}");
    let first = pieces.next()?;
    let mut rest = message.get(message.find(first)? + first.len()..)?;
    let mut found = SmallVec::new();
    if first.is_empty() {
        rest = rest.split_once(": ").map_or(rest, |(_, sentence)| sentence);
    }
    for piece in pieces {
        let end = if piece.is_empty() { rest.len() } else { rest.find(piece)? };
        found.push(rest.get(..end)?);
        rest = rest.get(end + piece.len()..)?;
    }
    Some(found)
}

/// Sizes as Python writes them: `(2, 3)`, `(3,)`, `()`.
pub(super) fn shape(sizes: &[i64]) -> String {
    match sizes {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    }
}
