//! `%predict EXPRESSION`: asks what it will give, then compares. The expression is evaluated once, before the first question, and
//! nothing of it is shown until the last one.

mod slip;

use super::reader::Reader;
use super::step::{Wanted, shares, watched};
use super::{Call, usage};
use crate::diag::{ErrorClass, Source};
use crate::lang::operators;
use crate::show::object::tuple;
use crate::show::picture::{self, Named, Prediction};
use crate::show::{Doc, Style};
use crate::syntax::ast::CompareOp;
use crate::tensor::Tensor;
use crate::value::{CallArgs, Machine, Outcome, Value};
use slip::Case;
use std::str::FromStr;

/// Whoever is asked: gives what was typed behind a question, none when no more questions are wanted.
pub type Asker = Box<dyn FnMut(&str) -> Option<String>>;

/// Tensors with more elements are not asked for their values.
const VALUES: i64 = 6;

/// What is said of an expression that fails.
const ERROR: &str = "error";

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if call.rest.is_empty() {
        return Err(usage("predict", "%predict needs an expression"));
    }
    let reader = Reader::new("predict", call.rest);
    reader.expression()?;
    let Some(asker) = call.shell.asker.take() else {
        say(call, "nobody is asked here: predictions are for the prompt");
        let value = call.interp.evaluate(&reader.source)?;
        return call.interp.echo(&value);
    };
    let (result, steps) = watched(call.interp, Wanted::Cells, |interp| interp.evaluate(&reader.source));
    // A step's own text begins with its number.
    let operands = steps.tensors.into_iter().filter(|named| !named.name.starts_with(|c: char| c.is_ascii_digit() || c == '('));
    let mut quiz = Quiz { asker, answers: vec![], operands: operands.collect(), over: false };
    let asked = match &result {
        Ok(value) => quiz.about(call, value),
        Err(raise) => {
            quiz.about_error(raise.0.diagnostic.class);
            Ok(())
        }
    };
    let Quiz { asker, answers, operands, .. } = quiz;
    call.shell.asker.replace(Some(asker));
    asked?;
    if !answers.is_empty() {
        let doc = picture::predictions(&answers, call.width());
        call.print(&doc);
    }
    let value = result?;
    call.interp.echo(&value)?;
    if answers.iter().any(|answer| !answer.right) {
        let names = operands.iter().map(|named| named.name.as_str());
        let gives_tensor = matches!(value, Value::Tensor(_));
        let pictured: Vec<&str> = names.chain([call.rest].into_iter().filter(|_| gives_tensor)).collect();
        match (gives_tensor, pictured.join(", ")) {
            (true, pictured) => say(call, &format!("%explain {} says why, %layout {pictured} draws it", call.rest)),
            (false, pictured) if !pictured.is_empty() => say(call, &format!("%layout {pictured} draws it")),
            _ => {}
        }
    }
    Ok(())
}

fn say(call: &mut Call, text: &str) {
    let mut doc = Doc::new();
    picture::sentence(&mut doc, Style::Note, text, call.width());
    call.print(&doc);
}

/// Questions and the answers to them.
struct Quiz {
    asker: Asker,
    answers: Vec<Prediction>,
    /// The variables that the expression is about.
    operands: Vec<Named>,
    /// True when no more questions are wanted.
    over: bool,
}

impl Quiz {
    /// What was typed; none when the question was passed over.
    fn ask(&mut self, question: &str) -> Option<String> {
        if self.over {
            return None;
        }
        let typed = (self.asker)(&format!(" {question}? "));
        self.over = typed.is_none();
        typed.map(|text| text.trim().to_string()).filter(|text| !text.is_empty())
    }

    fn note(&mut self, about: &str, given: String, found: String, right: bool, slip: Option<String>) {
        self.answers.push(Prediction { about: about.to_string(), given, found, right, slip });
    }

    /// An error is asked for as a tensor is, so that the question does not tell.
    fn about_error(&mut self, class: ErrorClass) {
        if let Some(given) = self.ask("size") {
            let right = given.eq_ignore_ascii_case(ERROR) || given == class.name();
            self.note("size", given, format!("{ERROR}: {}", class.name()), right, None);
        }
    }

    fn about(&mut self, call: &mut Call, value: &Value) -> Outcome<()> {
        let Value::Tensor(tensor) = value else {
            let found = call.interp.repr(value)?;
            let numbers = value.items().and_then(|items| items.iter().map(int).collect::<Option<Vec<i64>>>());
            let case = numbers.map(|found| Case { about: slip::About::Value, found, operands: &[], result: None });
            return self.about_value(call, "result", value, found, case);
        };
        let layout = tensor.layout();
        if tensor.is_sparse() {
            return self.numbers(slip::About::Size, &tensor.sizes(), tensor);
        }
        self.numbers(slip::About::Size, &layout.sizes, tensor)?;
        self.numbers(slip::About::Stride, &layout.strides, tensor)?;
        if let Some(first) = self.operands.first() {
            let (name, shared) = (first.name.clone(), shares(&first.tensor, tensor));
            let about = format!("shares memory with {name}");
            if let Some(given) = self.ask(&format!("{about} (y/n)")) {
                let said = given.to_lowercase().starts_with(['y', 't', '1']);
                let found = if shared { "yes" } else { "no" };
                let slip = (said != shared).then(|| match shared {
                    true => format!("{about}: it is a view, no element was copied"),
                    false => format!("{about}: it has a storage of its own, with {}", picture::counted(nbytes(tensor), "byte")),
                });
                self.note(&about, if said { "yes" } else { "no" }.into(), found.into(), said == shared, slip);
            }
        }
        if (1..=VALUES).contains(&tensor.numel()) && !tensor.dtype().is_complex() {
            let list = call.interp.attr(value, "tolist")?;
            let list = call.interp.call(&list, CallArgs::default())?;
            let found = call.interp.repr(&list)?;
            return self.values(&list, found);
        }
        Ok(())
    }

    /// Asks for a size or a stride.
    fn numbers(&mut self, about: slip::About, found: &[i64], tensor: &Tensor) -> Outcome<()> {
        let word = about.word();
        let Some(text) = self.ask(word) else { return Ok(()) };
        let given = numbers(&text);
        let right = given.as_deref() == Some(found);
        let case = Case { about, found: found.to_vec(), operands: &self.operands, result: Some(tensor) };
        let slip = match &given {
            Some(given) if !right => slip::of(given, &case),
            None if text.eq_ignore_ascii_case(ERROR) => Some("it is possible: no error is raised".to_string()),
            _ => None,
        };
        self.note(word, given.map_or(text, |given| tuple(&given)), tuple(found), right, slip);
        Ok(())
    }

    /// Asks for the elements of a small tensor, however they are bracketed.
    fn values(&mut self, list: &Value, found: String) -> Outcome<()> {
        let Some(text) = self.ask("values") else { return Ok(()) };
        let elements = flat(list);
        let given = numbers::<f64>(&text.replace("tensor", "").replace("True", "1").replace("False", "0"));
        let is_near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 1e-4 * b.abs();
        let right = given.is_some_and(|given| given.len() == elements.len() && given.iter().zip(&elements).all(is_near));
        self.note("values", text, found, right, None);
        Ok(())
    }

    /// Asks for a value that an expression can be typed for.
    fn about_value(&mut self, call: &mut Call, about: &str, value: &Value, found: String, case: Option<Case>) -> Outcome<()> {
        let Some(text) = self.ask(about) else { return Ok(()) };
        let given = call.interp.evaluate(&Source::new("<prediction>", text.as_str()));
        let is_same = |call: &mut Call, given: &Value| {
            let equal = operators::compare(call.interp, CompareOp::Eq, given, value);
            equal.is_ok_and(|equal| matches!(equal, Value::Bool(true)))
        };
        // 1 3 and 1, 3 are (1, 3), too.
        let right = given.as_ref().is_ok_and(|given| is_same(call, given))
            || case.as_ref().is_some_and(|case| numbers::<i64>(&text).is_some_and(|given| given == case.found));
        let operands = &self.operands;
        let slip = case.filter(|_| !right).and_then(|case| slip::of(&numbers(&text)?, &Case { operands, ..case }));
        self.note(about, text, found, right, slip);
        Ok(())
    }
}

fn nbytes(tensor: &Tensor) -> i64 {
    tensor.numel() * tensor.dtype().size() as i64
}

fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        _ => None,
    }
}

/// The numbers in nested lists.
fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Bool(b) => vec![f64::from(u8::from(*b))],
        Value::Int(i) => vec![*i as f64],
        Value::Float(f) => vec![*f],
        other => other.items().unwrap_or_default().iter().flat_map(flat).collect(),
    }
}

/// The numbers of a size, however it is written: `(2, 3)`, `2 3`, `[2,3]`, `torch.Size([2, 3])`, `2x3`.
fn numbers<T: FromStr>(text: &str) -> Option<Vec<T>> {
    let text = text.replace("torch.Size", "");
    let parts = text.split(|c: char| " ,()[]x×".contains(c)).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn sizes_are_written_in_many_ways() {
        for text in ["(2, 3)", "2,3", "2 3", "[2, 3]", "torch.Size([2, 3])", "2x3", "2 × 3"] {
            assert_eq!(numbers(text), Some(vec![2, 3]), "{text}");
        }
        assert_eq!([numbers("()"), numbers("(4,)")], [Some(vec![]), Some(vec![4])]);
        assert_eq!([numbers::<i64>("error"), numbers("2, y"), numbers("2.5")], [None, None, None]);
    }
}
