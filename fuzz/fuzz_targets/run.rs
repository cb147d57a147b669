//! Any program: running it as a transcript ends without a panic. A watch stops what would not end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::Once;
use std::time::Duration;
use tsr::diag::Source;
use tsr::interrupt::{self, Reason};
use tsr::lang::transcript;

/// How long a statement may take.
const LIMIT: Duration = Duration::from_millis(200);

static WATCH: Once = Once::new();

fuzz_target!(|text: &str| {
    // A file or a command of the system is no business of this test.
    if ["open", "import os", "!", "%"].iter().any(|word| text.contains(word)) {
        return;
    }
    WATCH.call_once(|| {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(LIMIT);
                interrupt::raise(Reason::Wish);
            }
        });
    });
    transcript(&Source::new("<fuzz>", text));
});
