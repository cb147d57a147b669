//! Elements of small strided arrays, written out one after the other.

/// How an array is walked: its sizes, and from one element to the next along each dimension, in elements; 0 repeats.
pub struct Spread<'a> {
    /// How many elements along each dimension.
    pub sizes: &'a [i64],
    /// Elements from one to the next.
    pub strides: &'a [i64],
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub size: usize,
}

impl Spread<'_> {
    /// Copies the elements that are reached from `from` to `to` and behind it, in the order of their indices.
    ///
    /// # Safety
    /// All elements that are reached lie in one storage and are aligned, and `to` has room for as many, apart from them.
    pub unsafe fn write_out(&self, from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.size {
                1 => self.rows::<u8>(from.cast(), to.cast()),
                2 => self.rows::<u16>(from.cast(), to.cast()),
                4 => self.rows::<u32>(from.cast(), to.cast()),
                8 => self.rows::<u64>(from.cast(), to.cast()),
                _ => self.rows::<[u64; 2]>(from.cast(), to.cast()),
            }
        }
    }

    /// # Safety
    /// As [`Spread::write_out`].
    unsafe fn rows<T: Copy>(&self, from: *const T, to: *mut T) {
        // SAFETY: the caller's promise.
        unsafe { rows(self.sizes, self.strides, from, to) };
    }
}

/// Copies what lies below the first dimension again and again; gives where the next element goes.
///
/// # Safety
/// As [`Spread::write_out`].
unsafe fn rows<T: Copy>(sizes: &[i64], strides: &[i64], from: *const T, mut to: *mut T) -> *mut T {
    let ([size, inner @ ..], [stride, steps @ ..]) = (sizes, strides) else {
        // SAFETY: the caller's promise.
        unsafe { to.write(from.read()) };
        return to.wrapping_add(1);
    };
    for i in 0..*size {
        let from = from.wrapping_offset((i * stride) as isize);
        if inner.is_empty() {
            // SAFETY: the caller's promise.
            unsafe { to.write(from.read()) };
            to = to.wrapping_add(1);
        } else {
            // SAFETY: the caller's promise.
            to = unsafe { rows(inner, steps, from, to) };
        }
    }
    to
}
