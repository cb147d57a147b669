//! What would exhaust memory or never end is refused before it starts.

use crate::device::{self, DeviceId};
use crate::interrupt;
use crate::value::{Outcome, Value};
use std::cell::Cell;

/// Below this many bytes nobody asks how much memory there is.
const SMALL: usize = 1 << 28;
/// Ints of more bits are not multiplied: it would take longer than a user waits, and could not be stopped.
const BITS: usize = 1 << 26;

/// Fails with a `MemoryError` when so many bytes are not there.
pub fn check_bytes(bytes: usize) -> Outcome<()> {
    if bytes > SMALL && bytes > device::get(DeviceId::Cpu)?.memory().free { refuse_memory() } else { Ok(()) }
}

/// Fails with a `MemoryError` when so many values would not fit.
pub fn check_items(count: usize) -> Outcome<()> {
    check_bytes(count.saturating_mul(size_of::<Value>()))
}

/// Adds to a text that grows. Fails with a `MemoryError` when the room for it is not there.
pub fn push(text: &mut String, more: &str) -> Outcome<()> {
    if text.capacity() - text.len() < more.len() {
        // A text that grows takes twice the room it had.
        check_bytes((text.len() + more.len()).max(2 * text.capacity()))?;
    }
    text.push_str(more);
    Ok(())
}

/// Items that are made before Ctrl-C is looked for again.
const AT_ONCE: usize = 1 << 16;

/// The first `count` items of an iterator, within memory; Ctrl-C stops it.
pub fn gathered<T>(count: usize, mut items: impl Iterator<Item = T>) -> Outcome<Vec<T>> {
    check_bytes(count.saturating_mul(size_of::<T>().max(1)))?;
    let mut made = Vec::with_capacity(count);
    for start in (0..count).step_by(AT_ONCE) {
        interrupt::check()?;
        made.extend(items.by_ref().take(AT_ONCE.min(count - start)));
    }
    Ok(made)
}

/// Fails with a `MemoryError` for an int of more bits than tsr computes with.
pub fn check_digits(bits: usize) -> Outcome<()> {
    if bits > BITS {
        fault!(MemoryError, "an int of about {} decimal digits is longer than tsr computes with", bits as u64 * 30103 / 100_000);
    }
    Ok(())
}

/// Python's `MemoryError`, which has no sentence.
pub fn refuse_memory<T>() -> Outcome<T> {
    fault!(MemoryError, "")
}

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static MAX_DIGITS: Cell<usize> = const { Cell::new(4300) };
}

/// How deep containers may be nested before showing or comparing them is refused, about CPython's limit.
const DEEPEST: usize = 980;

/// Runs `f` one level deeper. Fails with a `RecursionError` when that is too deep; `doing` ends its sentence.
pub fn deeper<T>(doing: &str, f: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    if DEPTH.get() >= DEEPEST {
        fault!(RecursionError, "maximum recursion depth exceeded{doing}");
    }
    DEPTH.set(DEPTH.get() + 1);
    let result = f();
    DEPTH.set(DEPTH.get() - 1);
    result
}

/// `sys.get_int_max_str_digits()`: longer ints are not converted from or to decimal text; 0: no limit.
pub fn max_digits() -> usize {
    MAX_DIGITS.get()
}

/// `sys.set_int_max_str_digits(n)`.
pub fn set_max_digits(digits: usize) {
    MAX_DIGITS.set(digits);
}
