//! Tests made from the table of operations: what every row promises.

use tsr::diag::Source;
use tsr::lang;
use tsr::ops::{self, Form};

/// The statements of an example and what its comment says they print.
fn split(example: &str) -> (String, Option<String>) {
    // The comment stands behind the last line, or on lines of its own.
    match example.split_once("  # ").or_else(|| example.split_once("\n# ")) {
        Some((code, expected)) => {
            let lines: Vec<&str> = expected.lines().map(|l| l.strip_prefix("# ").or(l.strip_prefix('#')).unwrap_or(l)).collect();
            (code.to_string(), Some(lines.join("\n")))
        }
        None => (example.to_string(), None),
    }
}

#[test]
fn every_example_prints_what_it_says() {
    let mut wrong = vec![];
    for op in ops::rows().filter(|op| !op.example.is_empty()) {
        let (code, expected) = split(op.example);
        let steps = lang::transcript(&Source::new(op.name(), code.clone()));
        let output: String = steps.iter().map(|s| s.output.as_str()).collect();
        let error = steps.iter().find_map(|s| s.error.as_ref().map(|e| e.headline()));
        let printed = output.trim_end();
        if error.is_some() || expected.as_deref().is_some_and(|e| e.trim_end() != printed) {
            wrong.push(format!("{}: {code}\n  expected {expected:?}\n  printed  {printed:?} {error:?}", op.name()));
        }
    }
    assert!(wrong.is_empty(), "{} examples are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_schema_prints_back() {
    for op in ops::rows() {
        let schema = op.schema().unwrap_or_else(|e| panic!("{e}"));
        let [shown, again] = [op.schema.replace("SymInt", "int"), schema.to_string()]
            .map(|text| ops::schema::Schema::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}")));
        assert_eq!(shown, again, "{}", op.schema);
    }
}

#[test]
fn every_name_has_a_paragraph_and_an_example() {
    let mut silent = vec![];
    for op in ops::rows() {
        let others = || ops::rows().filter(|o| o.name() == op.name());
        if !others().any(|o| o.doc.ends_with('.') || o.doc.ends_with(|c: char| !c.is_alphanumeric()) && !o.doc.is_empty()) {
            silent.push(op.name());
        }
    }
    assert!(silent.is_empty(), "no paragraph: {silent:?}");
}

/// Rows that compute one result from tensors alone, by how many they take.
fn elementwise(count: usize) -> impl Iterator<Item = &'static str> {
    ops::rows()
        .filter(move |op| {
            matches!(op.form, Form::Map(_))
                && op.is_method()
                && !op.name().contains('.')
                && op
                    .schema()
                    .is_ok_and(|s| s.params.iter().filter(|p| p.default.is_none()).count() == count && s.params.len() == count)
        })
        .map(|op| op.name())
}

const DTYPES: &str = "[torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, \
                      torch.uint8, torch.bool, torch.complex64, torch.complex128]";

/// Runs a program that compares both sides of a law for every row and dtype, and must end without an error.
fn law(names: Vec<&str>, operands: &str, body: &str) {
    let text = format!(
        "import torch\ncases = 0\nfor name in {names:?}:\n    f = getattr(torch, name)\n    for dtype in {DTYPES}:\n{operands}\n{NO_ZEROS}\n        try:\n            want = f(*args)\n        \
         except (NotImplementedError, RuntimeError, TypeError):\n            continue\n        cases += 1\n{body}\nassert cases > 100, cases\n"
    );
    let answer = lang::run_text("<law>", &text);
    if let Some(error) = answer.error {
        panic!("{}\n{}\n{:?}", error.headline(), answer.output, error.labels.first());
    }
}

/// The sign of a zero depends on where in a row of complex numbers it stands, as in PyTorch.
const NO_ZEROS: &str = "        args = [a + (0.05 + 0.2j) if dtype.is_complex else a for a in args]";

const ONE: &str = "        args = [((torch.arange(12.) - 5) / 3).to(dtype).view(3, 4)]";
const TWO: &str =
    "        args = [((torch.arange(12.) - 5) / 3).to(dtype).view(3, 4), (torch.arange(12.) / 4 + 1).to(dtype).view(3, 4)]";

const STRIDED: &str = "        views = [a.t().contiguous().t() for a in args]
        assert str(f(*views)) == str(want), (name, dtype, 'transposed')
        wide = [torch.stack([a, a], 2)[:, :, 1] for a in args]
        assert str(f(*wide)) == str(want), (name, dtype, 'strided')
        assert str(f(*[a[1:, 1:] for a in args])) == str(want[1:, 1:]), (name, dtype, 'offset')
        assert str(f(*[a[:1].expand(3, 4) for a in args])) == str(want[:1].expand(3, 4)), (name, dtype, 'expanded')
        assert f(*[a[:0] for a in args]).shape == (0, 4), (name, dtype, 'empty')
        assert str(f(*[a[1, 2] for a in args])) == str(want[1, 2]), (name, dtype, '0-d')";

const FORMS: &str = "        assert str(getattr(args[0], name)(*args[1:])) == str(want), (name, dtype, 'method')
        out = torch.empty(0, dtype=want.dtype)
        f(*args, out=out)
        assert str(out) == str(want), (name, dtype, 'out')
        try:
            inplace = getattr(torch.Tensor, name + '_')
        except AttributeError:
            continue
        x = args[0].clone()
        before = x.data_ptr()
        try:
            y = getattr(x, name + '_')(*args[1:])
        except RuntimeError:
            continue
        assert y is x and x.data_ptr() == before and str(x) == str(want.to(dtype)), (name, dtype, 'in place')";

#[test]
fn any_strides_give_what_contiguous_copies_give() {
    law(elementwise(1).collect(), ONE, STRIDED);
    law(elementwise(2).collect(), TWO, STRIDED);
}

#[test]
fn functions_methods_out_and_in_place_forms_agree() {
    let takes_out = |name: &&str| ops::function(name).is_some_and(|set| set.rows.iter().all(|op| op.takes_out()));
    law(elementwise(1).filter(takes_out).collect(), ONE, FORMS);
    law(elementwise(2).filter(takes_out).collect(), TWO, FORMS);
}

/// The names of `tests/vocabulary.txt`: `[where]`, then what must be there.
#[test]
fn every_name_of_the_vocabulary_resolves() {
    let mut place = "";
    let mut missing = vec![];
    for word in include_str!("../vocabulary.txt").lines().flat_map(|line| match line.starts_with('[') {
        true => vec![line],
        false => line.split_whitespace().collect(),
    }) {
        if let Some(next) = word.strip_prefix('[') {
            place = next.trim_end_matches(']').split(" (").next().unwrap_or_default();
            continue;
        }
        let holder = if matches!(place, "torch.Tensor" | "in place") { "torch.zeros(2, 2)" } else { place };
        // Asking a real tensor for some of its attributes is an error, of a class that says so.
        let text = format!("import torch\ntry:\n    {holder}.{word}\nexcept (RuntimeError, ValueError):\n    pass");
        if lang::run_text("<name>", &text).error.is_some() {
            missing.push(format!("{place}.{word}"));
        }
    }
    assert!(missing.is_empty(), "{} names are missing: {missing:?}", missing.len());
}
