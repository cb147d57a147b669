//! What people bring along from other languages, from Python 2, and from the rest of Python.

use super::clue::Clue;
use crate::syntax::lex::Lexeme;
use crate::syntax::refusal::Refusal;

/// Parts of Python that tsr does not have, by the keyword that gives them away.
const ABSENT: [(&str, &str); 2] = [("async", "asynchronous code ('async')"), ("await", "asynchronous code ('await')")];

/// Python that tsr does not have.
pub(super) fn absent_feature(clue: &Clue) -> Option<Box<Refusal>> {
    let refuse = |what: &str| Some(Refusal::new(clue.place(), format!("tsr does not have {what} yet")));
    if let Some((_, what)) = ABSENT.iter().find(|(word, _)| *word == clue.word(clue.at)) {
        let named = matches!(clue.word(clue.at + 1), "=" | ")" | ",") || matches!(clue.before(1), "." | "def" | "import");
        return if named { None } else { refuse(what) };
    }
    if clue.word(0) == "except" && clue.word(clue.at) == "*" && clue.at == 1 {
        return refuse("exception groups ('except*')");
    }
    None
}

/// `print x`.
pub(super) fn print_statement(clue: &Clue) -> Option<Box<Refusal>> {
    let index = clue.back_to(clue.at, |w| matches!(w, "print" | "exec"))?;
    let word = clue.word(index);
    let starts = clue.expression_start(clue.at) == index || clue.expression_start(index) == index;
    if !starts || clue.word(index + 1) == "(" || !clue.begins_value(index + 1) {
        return None;
    }
    let call = format!("Missing parentheses in call to '{word}'. Did you mean {word}(...)?");
    let end = (index..clue.tokens.len()).find(|&i| clue.word(i) == ";").unwrap_or(clue.tokens.len());
    let refusal = Refusal::new(clue.span(index..end), call);
    let argument = clue.text.get(clue.span(index + 1..end).range()).unwrap_or("");
    Some(match clue.parse(index + 1..end) {
        Some(_) => refusal.help(format!("{word}({argument})")),
        None => refusal,
    })
}

/// Words before which a name must stand.
const NAMING: [&str; 8] = ["def", ".", "import", "as", "global", "nonlocal", "for", "*"];

/// A keyword where a name must stand.
pub(super) fn keyword_as_name(clue: &Clue) -> Option<Box<Refusal>> {
    let constants = ["None", "True", "False"];
    let keyword = |i: usize| clue.lexeme(i) == Some(Lexeme::Keyword) && !constants.contains(&clue.word(i));
    let index = if keyword(clue.at) && (NAMING.contains(&clue.before(1)) || clue.word(clue.at + 1) == "=") {
        clue.at
    } else if clue.word(clue.at) == "=" && clue.at > 0 && keyword(clue.at - 1) {
        clue.at - 1
    } else {
        return None;
    };
    let word = clue.word(index);
    let refusal = Refusal::new(clue.place(), "invalid syntax").label(format!("'{word}' is a keyword"));
    Some(refusal.help(format!("A keyword cannot be a name; add an underscore: {word}_.")))
}

/// Operators of other languages and what Python writes instead. Each is a run of tokens.
const FOREIGN: [(&[&str], &str); 10] = [
    (&["&", "&"], "Python writes 'and' for &&; two tensors are combined with &."),
    (&["|", "|"], "Python writes 'or' for ||; two tensors are combined with |."),
    (&["!"], "Python writes 'not' for !; ~ turns a tensor of truth values round."),
    (&["~", "="], "Python writes '!=' for ~=."),
    (&["==", "="], "Python writes '==' for ===."),
    (&["=", ">"], "Python writes '>=', and a small function as: lambda x: x + 1."),
    (&["->"], "Python writes a small function as: lambda x: x + 1."),
    (&["<>"], "Python writes '!=' for <>."),
    (&["?"], "Python writes a choice as: a if test else b."),
    (&["$"], "A name has no $ in it."),
];

/// `&&`, `||`, `x++` and the like.
pub(super) fn foreign_operator(clue: &Clue) -> Option<Box<Refusal>> {
    let refusal = Refusal::new(clue.place(), "invalid syntax");
    let starts: Vec<usize> = (clue.at.saturating_sub(1)..=clue.at).collect();
    for (run, advice) in FOREIGN {
        if starts.iter().any(|&s| run.iter().enumerate().all(|(i, w)| clue.word(s + i) == *w)) {
            return Some(refusal.help(advice));
        }
    }
    for sign in ["+", "-"] {
        if clue.at == clue.tokens.len() && clue.before(1) == sign && clue.before(2) == sign {
            return Some(refusal.help(format!("Python has no {sign}{sign}; write {sign}= 1.")));
        }
    }
    None
}
