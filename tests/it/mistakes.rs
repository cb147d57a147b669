//! Mistakes that people make, each with its whole report.

use crate::support::{same_steps, transcript};

/// Reports of `tests/mistakes/mistakes.tsr`, as a transcript in ASCII.
fn reports() -> String {
    transcript("mistakes", &["--echo", "--ascii"], "mistakes.tsr")
}

#[test]
fn reports_are_as_reviewed() {
    same_steps(&reports(), include_str!("../mistakes/mistakes.out"));
}

#[test]
fn every_report_points_and_shows_a_way_out() {
    let text = reports();
    let reports: Vec<&str> = text.split("\n>>> ").filter(|step| step.contains("Error: ")).collect();
    assert!(reports.len() >= 90, "{}", reports.len());
    for report in reports {
        assert!(report.contains('^'), "{report}");
        assert!(report.contains("= help: "), "{report}");
    }
}

#[test]
fn lines_with_a_change_that_is_certain_run() {
    let text = reports();
    let changed = |line: &str| {
        let (number, rest) = line.split_once(" + ")?;
        number.trim().parse::<u32>().is_ok().then(|| rest.to_string())
    };
    let lines: Vec<String> = text.lines().filter_map(changed).collect();
    assert!(lines.len() >= 3, "{lines:?}");
    let names = "x = torch.arange(12).view(3, 4)\nm, w, v = torch.ones(2, 3), torch.ones(3, 5), torch.ones(2)";
    let program = format!("{names}\n{}\n", lines.join("\n"));
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_tsr")).args(["-c", &program]).output().unwrap();
    assert!(run.status.success(), "{program}{}", String::from_utf8_lossy(&run.stderr));
}
