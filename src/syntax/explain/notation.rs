//! The notation of MATLAB, R and others, where it is no name that could be looked up: `x(1, :)`, `x .* y`, `[1 2; 3 4]`.

use super::clue::Clue;
use crate::syntax::lex::Lexeme;
use crate::syntax::refusal::Refusal;

/// Plain "invalid syntax" with a way out.
fn advised(clue: &Clue, advice: impl Into<String>) -> Option<Box<Refusal>> {
    Some(Refusal::new(clue.place(), "invalid syntax").help(advice))
}

/// `x(1, :)`.
pub(super) fn round_index(clue: &Clue) -> Option<Box<Refusal>> {
    let opener = clue.opener(clue.at).filter(|&o| clue.word(o) == "(" && o > 0)?;
    let object = clue.lexeme(opener - 1).filter(|l| matches!(l, Lexeme::Name | Lexeme::Close));
    let closer = (clue.at..clue.tokens.len()).find(|&i| clue.word(i) == ")" && clue.opener(i) == Some(opener))?;
    if clue.word(clue.at) != ":" || object.is_none() || clue.word(0) == "def" {
        return None;
    }
    let name = clue.text.get(clue.span(opener - 1..opener).range())?;
    let index = clue.text.get(clue.span(opener + 1..closer).range())?;
    let name = if name == ")" || name == "]" { "..." } else { name };
    advised(clue, format!("square brackets take parts of a tensor, counted from 0: {name}[{index}]"))
}

/// `[1 2 3]` and `[1, 2; 3, 4]`.
pub(super) fn rows(clue: &Clue) -> Option<Box<Refusal>> {
    let inside = clue.opener(clue.at).is_some_and(|o| clue.word(o) == "[");
    (inside && clue.word(clue.at) == ";").then(|| advised(clue, ROWS))?
}

/// What is said where numbers stand side by side.
pub(super) const ROWS: &str = "numbers are divided by commas, and each row is a list: torch.tensor([[1, 2], [3, 4]])";

/// Operators behind a dot and what is written instead.
const DOTTED: [(&str, &str); 5] = [
    ("*", "* multiplies element by element; the product of matrices is @"),
    ("/", "/ divides element by element"),
    ("^", "** is the power, element by element"),
    ("**", "** is the power, element by element"),
    ("\\", "torch.linalg.solve(a, b) solves a @ x = b"),
];

/// `x .* y`.
pub(super) fn dotted_operator(clue: &Clue) -> Option<Box<Refusal>> {
    let (_, advice) = DOTTED.iter().find(|(sign, _)| clue.before(1) == "." && clue.word(clue.at) == *sign)?;
    advised(clue, *advice)
}

/// First words of a line that other languages have.
const FIRST: [(&[&str], &str); 2] = [
    (&["function", "func", "fn", "fun"], "a function begins with def: def f(x):"),
    (&["let", "var", "const", "my", "auto", "int", "float", "double"], "a name needs no word before it: x = 3"),
];

/// `function y = f(x)`, `let x = 3`, `for i = 1:10` and `// text`.
pub(super) fn first_word(clue: &Clue) -> Option<Box<Refusal>> {
    let first = clue.word(0);
    if first == "//" {
        return advised(clue, "a comment begins with #");
    }
    if first == "for" && clue.at == 2 && clue.word(2) == "=" {
        let bounds = [clue.word(3), clue.word(5)].map(|word| word.parse::<i64>().ok());
        let range = match bounds {
            [Some(from), Some(to)] if clue.word(4) == ":" => format!("range({from}, {})", to.saturating_add(1)),
            _ => "range(...)".to_string(),
        };
        return advised(clue, format!("a loop goes over something: for {} in {range}:", clue.word(1)));
    }
    let (_, advice) = FIRST.iter().find(|(words, _)| words.contains(&first))?;
    let named = clue.at == 1 && clue.lexeme(1) == Some(Lexeme::Name);
    named.then(|| advised(clue, *advice))?
}
