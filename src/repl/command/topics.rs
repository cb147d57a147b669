//! Help on what is neither an operation nor a command.

use crate::show::{Doc, Style};

/// A topic: the words it is found by, the first being its title, and what there is to say.
struct Topic {
    names: &'static [&'static str],
    text: &'static str,
}

const TOPICS: &[Topic] = &[
    Topic {
        names: &["lesson", "lessons"],
        text: "tsr lesson FILE goes through a lesson step by step.\n\
               \n\
               Enter shows the next step and runs it; a step that asks for a prediction waits, one\n\
               that asks a question takes an answer. Any other line is tried in the lesson's\n\
               variables, and the next Enter takes the lesson up where it was. back, again, skip,\n\
               go 3, toc, resume, quit and ? do what they say.\n\
               \n\
               A lesson is a program. Comments above a step are what is said, lines #> below it what\n\
               it should print:\n\
               \n\
               \x20   # Predict: what stride has x.t()?\n\
               \x20   print(x.t().stride())\n\
               \x20   #> (1, 3)\n\
               \n\
               \x20   # Check: in which cell does x[1, 0] lie?\n\
               \x20   answer = 3\n\
               \x20   assert answer == x[1].storage_offset(), 'a row has three cells'\n\
               \n\
               A Markdown text with >>> transcripts in ```tsr fences is a lesson, too. tsr test\n\
               checks both, tsr test --fix writes what they print.",
    },
    Topic {
        names: &["test", "tests", "testing"],
        text: "tsr test PATH... runs what files say and compares what they print.\n\
               \n\
               In .md files: >>> transcripts in fences marked tsr, python or pycon, one session per\n\
               file. In .tsr files: >>> transcripts, or programs that say in comments what comes: a line\n\
               #> below what prints it, or #> behind an expression for its value. Any other program\n\
               should run.\n\
               \n\
               \x20   x.t().stride()  #> (1, 3)\n\
               \n\
               Words behind the mark of a fence:\n\
               \n\
               \x20skip               leaves it out\n\
               \x20fresh              begins a new session\n\
               \x20hide               is run, and not shown in a lesson\n\
               \x20tol=1e-4           floats may differ by this part of them\n\
               \x20seed=0             seeds the random numbers before it\n\
               \x20needs=cuda         leaves it out where there is no such device\n\
               \x20raises=ValueError  its last statement raises that, whatever the sentence\n\
               \x20draw=layout(x, y)  draws a picture behind it; draw=storage all storages\n\
               \n\
               [..] stands for any characters of a line, a line ... for any lines. An error is\n\
               expected as its last line, IndexError: index 9 [..], or its class alone.\n\
               \n\
               --fix writes what came into the files and touches nothing else, --diff says what it would\n\
               write; --tol 1e-4 compares floats of all files so; --quiet shows only what failed.",
    },
    Topic {
        names: &["pictures", "picture", "svg", "drawing"],
        text: "Every picture has one source and five forms.\n\
               \n\
               Unicode, or ASCII with --ascii and where the locale has no Unicode. In sentences with\n\
               tsr --narrate, NO_GRAPHICS=1, %narrate on, or --narrate behind one command. As a file\n\
               with --svg FILE behind a command:\n\
               \n\
               \x20   %layout x, x.t() --svg layout.svg\n\
               \n\
               The file's text can be selected, it has a title and a description, and it follows the\n\
               reader's light or dark colours. --color and NO_COLOR decide about colour, which never\n\
               says anything that the text does not.",
    },
];

/// The words that topics are found by.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().flat_map(|topic| topic.names).copied()
}

/// The topic with this name.
pub(super) fn find(name: &str) -> Option<Doc> {
    let topic = TOPICS.iter().find(|topic| topic.names.contains(&name))?;
    let (first, rest) = topic.text.split_once('\n').unwrap_or((topic.text, ""));
    let mut doc = Doc::new();
    doc.push(Style::Heading, first).newline().push(Style::Plain, &paragraphs(rest)).newline();
    Some(doc)
}

/// The lines of a text with those of a paragraph made one, which breaks where the terminal ends; what is indented stays.
fn paragraphs(text: &str) -> String {
    let mut out = String::new();
    for line in text.split('\n') {
        let goes_on = !line.is_empty() && !line.starts_with(' ') && !out.is_empty() && !out.ends_with('\n');
        let last_is_code = out.rsplit('\n').next().is_some_and(|last| last.starts_with(' '));
        if goes_on && !last_is_code {
            out.push(' ');
        } else if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(line);
    }
    out
}
