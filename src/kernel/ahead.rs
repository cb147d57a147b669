//! Hints of what memory will be needed soon, where the processor does not guess it. Any address may be given: one beyond a tensor does
//! no harm.

/// Says that a place will be written soon.
#[inline(always)]
pub fn write(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this only hints.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(place as *const i8);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
