//! What tests of several pages share.

/// How much a test does: `all`, or `few` under Miri, which runs a thousand times slower.
pub(crate) const fn steps<T: Copy>(all: T, few: T) -> T {
    if cfg!(miri) { few } else { all }
}
