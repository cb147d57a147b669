//! Mistakes that people make, each with its whole report.

use std::path::Path;
use std::process::Command;

/// Reports of `tests/mistakes/mistakes.tsr`, as a transcript in ASCII.
fn transcript() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let mut tsr = Command::new(env!("CARGO_BIN_EXE_tsr"));
    let output = tsr.current_dir(folder).args(["--echo", "--ascii", "mistakes.tsr"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn reports_are_as_reviewed() {
    pretty(&transcript(), include_str!("../mistakes/mistakes.out"));
}

/// Fails at the first statement whose report differs.
fn pretty(found: &str, expected: &str) {
    for (found, expected) in found.split("\n>>> ").zip(expected.split("\n>>> ")) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn every_report_points_and_shows_a_way_out() {
    let text = transcript();
    let reports: Vec<&str> = text.split("\n>>> ").filter(|step| step.contains("Error: ")).collect();
    assert!(reports.len() >= 90, "{}", reports.len());
    for report in reports {
        assert!(report.contains('^'), "{report}");
        assert!(report.contains("= help: "), "{report}");
    }
}
