//! What PyTorch gave for 2,300 random calls of views, joins, indices, gathers and scatters: `tests/goldens/operations.txt`,
//! written by `scripts/dev/record_operations.py`.

use std::fmt::Write;
use tsr::lang::run_text;

#[test]
fn views_joins_and_indices_give_what_pytorch_gives() {
    let text = include_str!("../goldens/operations.txt");
    let (helpers, records) = text.split_once("---\n").expect("a line of dashes");
    let lines: Vec<&str> = records.lines().collect();
    let cases: Vec<(&str, &str)> = lines.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    assert!(cases.len() > 2000, "{}", cases.len());
    let calls: String = cases.iter().map(|(expression, _)| format!("tell(lambda: {expression})\n")).collect();
    let answer = run_text("operations", &format!("{helpers}\n{calls}"));
    assert!(answer.error.is_none(), "{:?}", answer.error);
    let mut report = String::new();
    for ((expression, expected), got) in cases.iter().zip(answer.output.lines()) {
        if got != *expected {
            writeln!(report, "{expression}\n  PyTorch: {expected}\n  tsr:     {got}").expect("a string takes text");
        }
    }
    assert!(report.is_empty() && answer.output.lines().count() == cases.len(), "\n{report}");
}
