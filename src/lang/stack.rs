//! The thread's own stack: programs run on a large one, and calls stop before it ends.

use std::cell::Cell;

/// Bytes of stack for a thread that runs programs. Only what is touched takes memory.
const SIZE: usize = 512 << 20;
/// Bytes that a thread of unknown making is assumed to have left.
const UNKNOWN: usize = 1 << 20;
/// Bytes to keep for built-in code below the last call.
const RESERVE: usize = 256 << 10;

thread_local! {
    static FLOOR: Cell<usize> = const { Cell::new(0) };
}

/// Runs `work` on a thread with a large stack and waits for it. A panic in it goes on here.
pub fn with_large<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("tsr".into()).stack_size(SIZE).spawn_scoped(scope, || {
            set_floor(SIZE);
            work()
        })?;
        match thread.join() {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The address below which this thread should make no further call. What this thread has left counts from the first time it
/// is asked, when nobody said how large its stack is.
pub fn floor() -> usize {
    if FLOOR.get() == 0 {
        set_floor(UNKNOWN);
    }
    FLOOR.get()
}

fn set_floor(size: usize) {
    FLOOR.set(address().saturating_sub(size - RESERVE).max(1));
}

/// True when the stack has grown below an address.
#[inline(always)]
pub fn is_below(floor: usize) -> bool {
    address() < floor
}

/// About where the stack ends now; it grows downwards.
#[inline(always)]
fn address() -> usize {
    let here = 0u8;
    std::hint::black_box(&raw const here) as usize
}
