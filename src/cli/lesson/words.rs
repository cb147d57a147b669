//! What may be typed between two steps besides code.

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Show the next step, or run it when it is shown.
    Next,
    /// The step before this one, from its beginning.
    Back,
    /// The last step once more.
    Again,
    /// The next step, run without being shown.
    Skip,
    /// Where the lesson was, what was typed since undone.
    Resume,
    /// Just before this step, counted from 1.
    Go(usize),
    /// The list of steps.
    Contents,
    /// This list.
    Help,
    /// The end.
    Quit,
}

/// The words, each with what it does.
const WORDS: &[(&str, Wish, &str)] = &[
    ("Enter", Wish::Next, "shows and runs the next step"),
    ("back", Wish::Back, "goes back by a step"),
    ("again", Wish::Again, "runs the last step once more"),
    ("skip", Wish::Skip, "passes over the next step"),
    ("resume", Wish::Resume, "undoes what you typed; so does Enter"),
    ("go 3", Wish::Go(3), "goes to step 3"),
    ("toc", Wish::Contents, "lists the steps"),
    ("quit", Wish::Quit, "leaves; so does Ctrl-D"),
];

/// Reads what was typed; none when it is code.
pub(super) fn wish(text: &str) -> Option<Wish> {
    let text = text.trim();
    match text {
        "" => return Some(Wish::Next),
        "?" | "help" => return Some(Wish::Help),
        "exit" | "%quit" => return Some(Wish::Quit),
        _ => {}
    }
    if let Some(number) = text.strip_prefix("go ").and_then(|rest| rest.trim().parse().ok()) {
        return Some(Wish::Go(number));
    }
    WORDS.iter().find(|(word, wish, _)| *word == text && !matches!(wish, Wish::Go(_))).map(|(_, wish, _)| *wish)
}

/// The words as lines of help.
pub(super) fn help() -> String {
    let mut out: String = WORDS.iter().map(|(word, _, does)| format!(" {word:<7} {does}\n")).collect();
    out.push_str(" Anything else is run, in the lesson's variables: try things.\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_code() {
        assert_eq!(
            [wish("\n"), wish(" back "), wish("go 12"), wish("?")].map(Option::unwrap),
            [Wish::Next, Wish::Back, Wish::Go(12), Wish::Help]
        );
        for code in ["x", "go", "go x", "Enter now", "back = 1", "go 3 4"] {
            assert_eq!(wish(code), None, "{code}");
        }
    }
}
