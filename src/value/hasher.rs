//! The hasher of dicts: keys bring CPython's hash, which only has to be spread over all bits.

use std::hash::{BuildHasherDefault, Hasher};

/// Makes the hasher of dicts.
pub type KeyHashing = BuildHasherDefault<KeyHasher>;

/// Spreads the one number that a key writes.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(*b as u64));
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = fold(self.0 ^ number, 0x9e37_79b9_7f4a_7c15);
    }
}

/// Both halves of the whole product: every bit of the number reaches every part of the result.
pub fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

/// A hash of bytes, eight at a time.
pub fn bytes(bytes: &[u8]) -> u64 {
    const SEED: u64 = 0x2d35_8dcc_aa6c_78a5;
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(SEED ^ bytes.len() as u64, |hash, word| {
        fold(hash ^ u64::from_le_bytes(*word), 0x8bb8_4b93_962e_acc9).rotate_left(23)
    });
    fold(fold(hash ^ word_of(rest), 0x4b33_a62e_d433_d4a3), 0x4d5a_2da5_1de1_aa47)
}

/// Up to seven bytes as a number, another one for other bytes of the same length.
fn word_of(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>(), bytes) {
        (Some(first), Some(last), _) => (u32::from_le_bytes(*first) as u64) << 32 | u32::from_le_bytes(*last) as u64,
        (_, _, [first, .., last]) => (*first as u64) << 16 | (bytes[bytes.len() / 2] as u64) << 8 | *last as u64,
        (_, _, [only]) => *only as u64,
        _ => 0,
    }
}
