//! Memory for worker threads.

/// Memory that several threads write, each its own part.
pub(super) struct Shared<T>(pub *mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

// SAFETY: users promise to touch disjoint parts.
unsafe impl<T> Sync for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Shared<T> {}

impl<T> Shared<T> {
    /// The address of entry `i`.
    pub fn at(&self, i: usize) -> *mut T {
        self.0.wrapping_add(i)
    }

    /// Some entries.
    ///
    /// # Safety
    /// The part lies in the memory and is nobody else's.
    pub unsafe fn part<'a>(&self, range: std::ops::Range<usize>) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.at(range.start), range.len()) }
    }
}
