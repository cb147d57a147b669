//! Ctrl-C: the running statement stops; three presses within two seconds leave, whatever is going on.

use super::INTERRUPTED;
use crate::interrupt;
use std::time::{Duration, Instant};

/// Presses within this time count together.
const WINDOW: Duration = Duration::from_secs(2);

/// Installs the handler. Without one, which no system refuses in practice, Ctrl-C ends the process as it always does.
pub(super) fn install() {
    let mut presses: [Option<Instant>; 2] = [None, None];
    let _ = ctrlc::set_handler(move || {
        if interrupt::is_for_others() {
            return;
        }
        let now = Instant::now();
        if presses[0].is_some_and(|first| now.duration_since(first) <= WINDOW) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        presses = [presses[1], Some(now)];
        interrupt::raise(interrupt::Reason::Wish);
    });
}
