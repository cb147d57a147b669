//! Ctrl-C: one flag that the signal handler raises and every loop looks at.

use anyhow::Result;
use std::sync::atomic::{AtomicBool, Ordering};

static RAISED: AtomicBool = AtomicBool::new(false);

/// Asks the running computation to stop. Called from the signal handler.
pub fn raise() {
    RAISED.store(true, Ordering::Relaxed);
}

/// True when a stop was asked for and not yet taken; cheap enough for every block of a kernel.
#[inline]
pub fn is_raised() -> bool {
    RAISED.load(Ordering::Relaxed)
}

/// Takes back a request, when a new statement begins.
pub fn clear() {
    RAISED.store(false, Ordering::Relaxed);
}

/// Fails with `KeyboardInterrupt` when a stop was asked for, and takes the request.
pub fn check() -> Result<()> {
    if is_raised() {
        clear();
        fault!(KeyboardInterrupt, "");
    }
    Ok(())
}
