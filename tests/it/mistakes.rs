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
