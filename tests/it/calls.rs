//! What PyTorch gave for thousands of random calls, valid and invalid, over dtypes, layouts and arguments: a file per family in
//! `tests/goldens/calls`. A file is the helpers of its calls, a line of dashes, and records: lines of a call that begin with
//! `> `, then what it printed; of an error only the class.

use std::fmt::Write;
use std::path::PathBuf;
use tsr::lang::run_text;

/// Printed before each call.
const MARK: &str = "@@";

struct Record {
    call: Vec<String>,
    printed: String,
}

fn records(text: &str) -> Vec<Record> {
    let mut records: Vec<Record> = vec![];
    let mut in_call = false;
    for line in text.lines() {
        match line.strip_prefix("> ") {
            Some(first) if !in_call => records.push(Record { call: vec![first.to_string()], printed: String::new() }),
            Some(next) => records.last_mut().expect("a call began").call.push(next.to_string()),
            None => {
                let printed = &mut records.last_mut().expect("a file begins with a call").printed;
                writeln!(printed, "{line}").expect("a string takes text");
            }
        }
        in_call = line.starts_with("> ");
    }
    records
}

fn check(family: &str) {
    tsr::kernel::follow_intel();
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/goldens/calls", &format!("{family}.txt")].iter().collect();
    let text = std::fs::read_to_string(&path).expect("the recorded calls");
    let (helpers, recorded) = text.split_once("---\n").expect("a line of dashes");
    let records = records(recorded);
    let mut program = helpers.to_string();
    for record in &records {
        writeln!(
            program,
            "print('{MARK}')\ntry:\n    {}\nexcept Exception as e:\n    print('ERR', type(e).__name__)",
            record.call.join("\n    ")
        )
        .expect("a string takes text");
    }
    let answer = run_text(family, &program);
    assert!(answer.error.is_none(), "{:?}", answer.error);
    let answers: Vec<&str> = answer.output.split("@@\n").skip(1).collect();
    assert_eq!(answers.len(), records.len());
    let mut report = String::new();
    for (record, got) in records.iter().zip(answers) {
        if got != record.printed {
            writeln!(report, "{}\nPyTorch: {}tsr:     {got}", record.call.join("\n"), record.printed)
                .expect("a string takes text");
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

macro_rules! families {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            check(stringify!($name));
        }
    )* };
}

families! { activations creation elements indexing linalg reductions shapes special transforms }
