//! The words behind the mark of a fence: ```` ```tsr fresh tol=1e-4 ````.

use super::compare::ANY_LINES;
use super::read::{Role, Step};
use crate::device;
use crate::diag::{Diagnostic, ErrorClass, Source, Span, did_you_mean};
use crate::ops::parse_device;
use std::sync::Arc;

/// Fences whose first word is one of these may hold a transcript. Behind the others stand the words of other tools, too.
const FENCES: [&str; 3] = ["tsr", "python", "pycon"];
const OURS: &str = "tsr";

/// What the words ask for.
#[derive(Clone, Debug, Default)]
pub struct Directives {
    /// The fence is left out.
    pub skip: bool,
    /// It begins a new session.
    pub fresh: bool,
    hide: bool,
    tolerance: Option<f64>,
    seed: Option<i64>,
    raises: Option<String>,
    draw: Option<String>,
}

/// Takes a word's value into account; none when it is no value of it.
type Set = fn(&mut Directives, &str) -> Option<()>;

/// Each word: how it is written, and what it sets.
const WORDS: &[(&str, &str, Set)] = &[
    ("skip", "skip", |d, value| bare(&mut d.skip, value)),
    ("fresh", "fresh", |d, value| bare(&mut d.fresh, value)),
    ("hide", "hide", |d, value| bare(&mut d.hide, value)),
    ("tol", "tol=1e-4", |d, value| kept(&mut d.tolerance, value.parse().ok().filter(|part: &f64| *part >= 0.0))),
    ("seed", "seed=0", |d, value| kept(&mut d.seed, value.parse().ok())),
    ("needs", "needs=cuda", |d, value| {
        d.skip |= device::get(parse_device(value).ok()?.id).is_err();
        Some(())
    }),
    ("raises", "raises or raises=ValueError", |d, value| {
        let class = if value.is_empty() { ErrorClass::Exception } else { ErrorClass::from_name(value)? };
        kept(&mut d.raises, Some(class.name().to_string()))
    }),
    ("draw", "draw=layout(x, y) or draw=storage", |d, value| {
        let (name, rest) = value.strip_suffix(')').unwrap_or(value).split_once('(').unwrap_or((value, ""));
        let command = if name == "storage" { "who --storage" } else { name };
        let is_known = crate::repl::command::find(command.split(' ').next()?).is_some();
        kept(&mut d.draw, is_known.then(|| format!("%{command} {rest}").trim_end().to_string()))
    }),
];

fn bare(word: &mut bool, value: &str) -> Option<()> {
    *word = true;
    value.is_empty().then_some(())
}

fn kept<T>(place: &mut Option<T>, value: Option<T>) -> Option<()> {
    *place = value;
    place.as_ref().map(|_| ())
}

/// A word that is not known, or that has a value it cannot have.
#[derive(Debug)]
pub struct Unknown {
    word: String,
    help: String,
    /// Where the fence begins in the text.
    fence: usize,
}

impl Unknown {
    /// The same, of the fence that begins at this place of the text.
    pub fn within(self, fence: usize) -> Unknown {
        Unknown { fence, ..self }
    }

    /// What to say of it.
    pub fn report(&self, source: &Arc<Source>) -> Diagnostic {
        let behind = source.text.get(self.fence..).unwrap_or_default();
        let start = self.fence + behind.find(&self.word).unwrap_or(0);
        let message = format!("a fence of tsr cannot be marked {}", self.word);
        let span = Span::new(start, start + self.word.len());
        Diagnostic::new(ErrorClass::ValueError, message).at(source, span, "").help(self.help.clone())
    }
}

impl Directives {
    /// Reads what stands behind the three backticks; none when the fence is not to be run.
    pub fn read(info: &str) -> Result<Option<Directives>, Unknown> {
        let mut words = words(info).into_iter();
        let mark = words.next().unwrap_or_default();
        if !FENCES.contains(&mark) {
            return Ok(None);
        }
        let mut directives = Directives::default();
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let row = WORDS.iter().find(|(known, ..)| *known == name);
            let unknown = |help: String| Unknown { word: word.to_string(), help, fence: 0 };
            match row {
                Some((_, how, set)) => set(&mut directives, value).ok_or_else(|| unknown(format!("write {how}")))?,
                None if mark != OURS => {}
                None => {
                    let near = did_you_mean(name, WORDS.iter().map(|(known, ..)| *known));
                    let all = || format!("it can be {}", WORDS.iter().map(|(known, ..)| *known).collect::<Vec<_>>().join(", "));
                    return Err(unknown(near.map_or_else(all, |near| format!("did you mean {near}?"))));
                }
            }
        }
        Ok(Some(directives))
    }

    /// Does to the steps of the fence what was asked for.
    pub fn apply(&self, steps: &mut Vec<Step>) {
        for step in steps.iter_mut() {
            step.tolerance = self.tolerance;
            step.role = if self.hide { Role::Hidden } else { Role::Plain };
        }
        let (Some(first), Some(last)) = (steps.first().map(|step| step.line), steps.last_mut()) else { return };
        last.raises.clone_from(&self.raises);
        let end = last.end() + 1;
        if let Some(seed) = self.seed {
            let step = Step::new(first, format!("torch.manual_seed({seed})"), first);
            steps.insert(0, Step { silent: true, role: Role::Before, ..step });
        }
        if let Some(command) = &self.draw {
            let step = Step::new(end, command.clone(), end);
            // Any picture will do; an error will not.
            steps.push(Step { expected: vec![ANY_LINES.to_string()], role: Role::Picture, ..step });
        }
    }
}

/// The words of a text, parted by blanks and commas that stand in no brackets.
fn words(info: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = info.split(move |c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth == 0 && [' ', ','].contains(&c)
    });
    parts.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(info: &str) -> Directives {
        Directives::read(info).ok().flatten().unwrap()
    }

    fn help(info: &str) -> String {
        Directives::read(info).unwrap_err().help
    }

    #[test]
    fn words_behind_the_mark() {
        assert_eq!(words("tsr draw=layout(x, x[0, 1]),fresh  seed=3"), ["tsr", "draw=layout(x, x[0, 1])", "fresh", "seed=3"]);
        let all = read("tsr fresh tol=1e-3 seed=7 raises=ValueError hide draw=layout(x, x.t())");
        assert!(all.fresh && all.hide && !all.skip);
        assert_eq!((all.tolerance, all.seed, all.raises.as_deref()), (Some(1e-3), Some(7), Some("ValueError")));
        assert_eq!(all.draw.as_deref(), Some("%layout x, x.t()"));
        assert_eq!(read("tsr draw=storage").draw.as_deref(), Some("%who --storage"));
        assert_eq!(read("tsr raises").raises.as_deref(), Some("Exception"));
        assert!(read("python skip title=\"a\"").skip && !read("tsr needs=cpu").skip);
        assert!(Directives::read("text fresh").unwrap().is_none() && Directives::read("").unwrap().is_none());
    }

    #[test]
    fn words_that_are_none() {
        assert_eq!(help("tsr freshh"), "did you mean fresh?");
        assert_eq!(help("tsr qqq"), "it can be skip, fresh, hide, tol, seed, needs, raises, draw");
        assert_eq!(help("tsr tol=much"), "write tol=1e-4");
        assert_eq!(help("tsr skip=1"), "write skip");
        for wrong in ["tsr seed", "tsr needs=wings", "tsr raises=Nothing", "tsr draw=nothing(x)"] {
            assert!(help(wrong).starts_with("write "), "{wrong}");
        }
    }

    #[test]
    fn what_they_do_to_steps() {
        let mut steps = vec![Step::new(3, "x".into(), 4), Step { expected: vec!["1".into()], ..Step::new(4, "y".into(), 5) }];
        read("tsr seed=1 hide raises draw=layout(x)").apply(&mut steps);
        let found: Vec<_> = steps.iter().map(|s| (s.line, s.code.as_str(), s.role, s.raises.is_some())).collect();
        let expected = [
            (3, "torch.manual_seed(1)", Role::Before, false),
            (3, "x", Role::Hidden, false),
            (4, "y", Role::Hidden, true),
            (6, "%layout x", Role::Picture, false),
        ];
        assert_eq!(found, expected);
    }
}
