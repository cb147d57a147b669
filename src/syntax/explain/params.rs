//! Mistakes between the parentheses of a `def` and behind a `lambda`.

use super::clue::Clue;
use crate::syntax::refusal::Refusal;

/// The parameter list the grammar stopped in.
struct List {
    /// Its first token.
    start: usize,
    lambda: bool,
}

/// A mistake in a parameter list.
pub(super) fn mistake(clue: &Clue) -> Option<Box<Refusal>> {
    let list = list(clue)?;
    let at = clue.at;
    let refuse = |index: usize, message: &str| Some(Refusal::new(clue.span(index..index + 1), message));
    match clue.word(at) {
        "(" if at == list.start || clue.before(1) == "," => {
            let what = if list.lambda { "Lambda expression parameters" } else { "Function parameters" };
            return refuse(at, &format!("{what} cannot be parenthesized"));
        }
        "=" => {
            let star = clue.start_after(at, |w| w == ",").max(list.start);
            match clue.word(star) {
                "*" => return refuse(at, "var-positional argument cannot have default value"),
                "**" => return refuse(at, "var-keyword argument cannot have default value"),
                _ => {}
            }
        }
        "*" | "**" if clue.before(1) == "/" => return refuse(at, "expected comma between / and *"),
        "," | ")" if clue.before(1) == "=" => return refuse(at - 1, "expected default value expression"),
        _ => {}
    }
    None
}

/// The parameter list around the place where the grammar stopped.
fn list(clue: &Clue) -> Option<List> {
    if let Some(lambda) = clue.back_to(clue.at, |w| matches!(w, "lambda" | ":")).filter(|&i| clue.word(i) == "lambda") {
        return Some(List { start: lambda + 1, lambda: true });
    }
    let open = clue.opener(clue.at)?;
    (clue.word(0) == "def" && open == 2).then_some(List { start: 3, lambda: false })
}
