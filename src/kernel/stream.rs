//! Writing past the caches: a large result would only push out what is still to be read, and its lines would be read before they are
//! written.

use super::plan::LINE;

/// What is read next, so that it is fetched while something is written: from where on, and how many bytes for each line that is written.
pub type Ahead = (*const u8, usize);

/// Copies bytes to memory that is not read soon. When all is copied, [`finish`] is to be called.
///
/// # Safety
/// `from` is readable and `to` writable for as many bytes; they do not overlap.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize, ahead: &[Ahead]) {
    use std::arch::x86_64::{__m128i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm_stream_si128};
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    // SAFETY: the caller's promise; head, lines and tail are the bytes, once each. Every x86-64 has these stores, which begin at a
    // multiple of their size, and fetching cannot fault.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        for line in 0..lines {
            let done = head + line * LINE;
            let (to, from) = (to.add(done).cast::<__m128i>(), from.add(done).cast::<__m128i>());
            let parts =
                [_mm_loadu_si128(from), _mm_loadu_si128(from.add(1)), _mm_loadu_si128(from.add(2)), _mm_loadu_si128(from.add(3))];
            _mm_stream_si128(to, parts[0]);
            _mm_stream_si128(to.add(1), parts[1]);
            _mm_stream_si128(to.add(2), parts[2]);
            _mm_stream_si128(to.add(3), parts[3]);
            for (next, step) in ahead {
                _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(line * step).cast());
            }
        }
        let done = head + lines * LINE;
        std::ptr::copy_nonoverlapping(from.add(done), to.add(done), bytes - done);
    }
}

/// Such copies may be seen after later writes, by which another thread learns that they are done: waits for them.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub fn finish() {
    // SAFETY: every x86-64 has this instruction, which changes nothing.
    unsafe { std::arch::x86_64::_mm_sfence() }
}

/// Copies bytes.
///
/// # Safety
/// `from` is readable and `to` writable for as many bytes; they do not overlap.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize, _: &[Ahead]) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
}

/// Nothing is left to be waited for.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub fn finish() {}
