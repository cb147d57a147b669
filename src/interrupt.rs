//! What stops a running computation: one flag that Ctrl-C and the memory watch raise and every loop looks at.

use anyhow::Result;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Why a computation is asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// The user pressed Ctrl-C.
    Wish = 1,
    /// The machine has almost no memory left.
    Memory = 2,
}

/// No request.
const NONE: u8 = 0;

static RAISED: AtomicU8 = AtomicU8::new(NONE);

/// Ctrl-C came since the statement began, be it taken or not: a program may raise the same exception itself.
static PRESSED: AtomicBool = AtomicBool::new(false);

static OTHERS: AtomicBool = AtomicBool::new(false);

/// Asks the running computation to stop. Called from the signal handler and from the memory watch.
pub fn raise(reason: Reason) {
    RAISED.store(reason as u8, Ordering::Relaxed);
    if reason == Reason::Wish {
        PRESSED.store(true, Ordering::Relaxed);
    }
}

/// True when the user pressed Ctrl-C during the statement that ran last.
pub fn was_pressed() -> bool {
    PRESSED.load(Ordering::Relaxed)
}

/// Runs something that takes the terminal, and with it Ctrl-C, for itself: a pager, a command of the system.
pub fn left_to_others<T>(run: impl FnOnce() -> T) -> T {
    OTHERS.store(true, Ordering::Relaxed);
    let result = run();
    OTHERS.store(false, Ordering::Relaxed);
    result
}

/// True while Ctrl-C is meant for another program.
pub fn is_for_others() -> bool {
    OTHERS.load(Ordering::Relaxed)
}

/// True when a stop was asked for and not yet taken; cheap enough for every block of a kernel.
#[inline]
pub fn is_raised() -> bool {
    RAISED.load(Ordering::Relaxed) != NONE
}

/// Takes back a request, when a new statement begins.
pub fn clear() {
    RAISED.store(NONE, Ordering::Relaxed);
    PRESSED.store(false, Ordering::Relaxed);
}

/// Fails when a stop was asked for, and takes the request: with `KeyboardInterrupt` for Ctrl-C, with `MemoryError` when memory
/// runs out.
#[inline]
pub fn check() -> Result<()> {
    if is_raised() { stop() } else { Ok(()) }
}

#[cold]
fn stop() -> Result<()> {
    if RAISED.swap(NONE, Ordering::Relaxed) == Reason::Memory as u8 {
        fault!(MemoryError, "stopped before the machine ran out of memory");
    }
    fault!(KeyboardInterrupt, "");
}
