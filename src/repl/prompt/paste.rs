//! Pasted transcripts: the prompts come off and the outputs go, so that any session found in a text can be run again.

/// The code in a pasted text. A text without prompts is code as it is.
pub(super) fn code(text: &str) -> String {
    entries(text).map_or_else(|| text.to_string(), |entries| entries.join("\n"))
}

/// What was typed behind each prompt of a pasted text; none when there is no prompt in it.
pub(super) fn entries(text: &str) -> Option<Vec<String>> {
    let mut entries: Vec<String> = vec![];
    let mut in_entry = false;
    for line in text.lines() {
        if let Some(first) = opened(line) {
            in_entry = true;
            entries.push(first.to_string());
        } else if let Some(more) = continued(line).filter(|_| in_entry)
            && let Some(entry) = entries.last_mut()
        {
            entry.push('\n');
            entry.push_str(more);
        } else {
            in_entry = false;
        }
    }
    Some(entries).filter(|entries| !entries.is_empty())
}

/// What follows `>>> ` or `In [3]: `, however far it stands to the right.
fn opened(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix(">>>") {
        return if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') };
    }
    let rest = line.strip_prefix("In [")?;
    let (number, code) = rest.split_once("]:")?;
    let numbered = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    numbered.then(|| code.strip_prefix(' ').unwrap_or(code))
}

/// What follows `... ` or IPython's `   ...: `.
fn continued(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("...")?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix([' ', '\u{a0}']) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_sessions() {
        let pasted = ">>> x = torch.zeros(2)\n>>> x\ntensor([0., 0.])\n>>> for i in x:\n...     print(i)\n...\ntensor(0.)\n>>> y";
        assert_eq!(code(pasted), "x = torch.zeros(2)\nx\nfor i in x:\n    print(i)\n\ny");
        assert_eq!(code("  >>> x\n  1\n"), "x");
    }

    #[test]
    fn sessions_fall_into_entries() {
        let pasted = "Words.\n>>> x = (1,\n...      2)\n>>> x\n(1, 2)\n\n>>> def f():\n...     pass\n...\n";
        assert_eq!(entries(pasted), Some(vec!["x = (1,\n     2)".into(), "x".into(), "def f():\n    pass\n".into()]));
        assert_eq!(entries("x = 1\ny = 2"), None);
    }

    #[test]
    fn ipython_sessions() {
        let pasted = "In [1]: def f(a):\n   ...:     return a\n   ...: \n\nIn [2]: f(1)\nOut[2]: 1\n";
        assert_eq!(code(pasted), "def f(a):\n    return a\n\nf(1)");
    }

    #[test]
    fn plain_code_stays() {
        assert_eq!(code("x = [1,\n     2]\n"), "x = [1,\n     2]\n");
        assert_eq!(code("x[..., 0]\n... more"), "x[..., 0]\n... more");
    }
}
