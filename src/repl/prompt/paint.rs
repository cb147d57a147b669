//! Colours for what is being typed.

use super::margin::{MARGIN, blanked};
use crate::show::{Doc, Render, Style};
use crate::syntax::{TokenKind, tokens};

/// Texts longer than this are not coloured: every key would redraw them.
const LONGEST: usize = 2000;

/// What the editor shows for a buffer; none when it shows it as it is.
pub(super) fn paint(buffer: &str) -> Option<String> {
    if buffer.len() > LONGEST {
        return None;
    }
    Some(painted(buffer).render(Render { color: true, ..Render::default() }))
}

/// Code with a style for each of its words.
pub fn painted(buffer: &str) -> Doc {
    let mut doc = Doc::new();
    let mut at = 0;
    for (span, kind) in tokens(&blanked(buffer)) {
        plain(&mut doc, buffer.get(at..span.start as usize).unwrap_or_default());
        doc.push(style(kind), buffer.get(span.range()).unwrap_or_default());
        at = span.end as usize;
    }
    plain(&mut doc, buffer.get(at..).unwrap_or_default());
    doc
}

/// What stands between tokens: blanks, and margins, which are faint.
fn plain(doc: &mut Doc, text: &str) {
    let mut parts = text.split(MARGIN);
    doc.push(Style::Plain, parts.next().unwrap_or_default());
    for part in parts {
        doc.push(Style::Faint, MARGIN).push(Style::Plain, part);
    }
}

fn style(kind: TokenKind) -> Style {
    match kind {
        TokenKind::Keyword => Style::Keyword,
        TokenKind::Number => Style::Number,
        TokenKind::String => Style::Text,
        TokenKind::Comment => Style::Faint,
        TokenKind::Command => Style::Name,
        TokenKind::Name | TokenKind::Operator | TokenKind::Bracket => Style::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::super::margin::with_margins;
    use super::*;

    #[test]
    fn colors_change_no_character() {
        for text in ["def f(x):\n    return 'é' + 1.5 # why\n", "%layout x", "'open\n'''", ""] {
            let buffer = with_margins(text);
            let painted = paint(&buffer).unwrap();
            assert_eq!(anstream::adapter::strip_str(&painted).to_string(), buffer);
        }
        assert_eq!(paint("if").as_deref(), Some("\x1b[35mif\x1b[0m"));
        assert_eq!(paint(&"x".repeat(3000)), None);
    }
}
