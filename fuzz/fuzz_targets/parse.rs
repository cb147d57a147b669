//! Any text: reading it neither panics nor points outside it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tsr::diag::Source;
use tsr::syntax::{Options, is_incomplete, parse_recovering, tokens};

const OPTIONS: Options = Options { commands: &["layout", "time"] };

fuzz_target!(|text: &str| {
    let source = Source::new("<fuzz>", text);
    for entry in parse_recovering(&source, &OPTIONS) {
        assert!(text.get(entry.span.range()).is_some());
        if let Err(refusal) = entry.block {
            assert!(refusal.labels.iter().all(|l| text.get(l.span.range()).is_some()));
        }
    }
    for (span, _) in tokens(text) {
        assert!(text.get(span.range()).is_some());
    }
    is_incomplete(text, &OPTIONS);
});
