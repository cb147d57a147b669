//! `%time f(x)`: how long, and how much memory.

use super::step::{Wanted, watched};
use super::{Call, source, usage};
use crate::show::picture::counted;
use crate::show::{Doc, Style};
use crate::syntax;
use crate::value::Outcome;
use std::time::{Duration, Instant};

pub(super) fn run(call: &mut Call) -> Outcome<()> {
    if call.rest.is_empty() {
        return Err(usage("time", "%time needs a statement"));
    }
    let source = source("time", call.rest);
    let block = syntax::parse(&source, &super::super::session::options())?;
    let start = Instant::now();
    let (result, steps) = watched(call.interp, Wanted::Time, |interp| interp.run_statements(&block, &source));
    let took = start.elapsed();
    let mut doc = Doc::new();
    let [new, copied] = [steps.bytes.new, steps.bytes.copied].map(|n| counted(n, "byte"));
    let memory = format!("{}, {new} new, {copied} copied", counted(steps.count, "operation"));
    doc.push(Style::Note, &format!(" {} · {memory}", duration(took))).newline();
    call.print(&doc);
    result
}

/// Three digits and a unit that fits: `1.23 ms`.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (number, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "µs"),
    };
    let decimals = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    format!("{number:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        let text = |nanos| duration(Duration::from_nanos(nanos));
        assert_eq!([text(1_234_567), text(12_345), text(2_500_000_000)], ["1.23 ms", "12.3 µs", "2.50 s"]);
    }
}
