//! The generator: MT19937 with PyTorch's bookkeeping.

use crate::kernel::isa;
use anyhow::Result;

/// Words of state.
const WORDS: usize = 624;
/// Distance of the second word that a new one is made from.
const SHIFT: usize = 397;
/// Bytes of an exported state.
pub const STATE_BYTES: usize = 5056;

/// A stream of random words, and the second half of the last pair of normal numbers.
#[derive(Clone, Debug)]
pub struct Generator {
    seed: u64,
    /// One more than the words that can be drawn before the next twist.
    left: u32,
    /// The next word.
    next: u64,
    words: [u32; WORDS],
    normal: Option<f64>,
    /// Kept because an imported state may hold it; no draw looks at it.
    float_normal: Option<f32>,
}

impl Default for Generator {
    /// As `torch.Generator()` starts.
    fn default() -> Self {
        Generator::new(67_280_421_310_721)
    }
}

impl Generator {
    /// A generator with a seed. Only its low 32 bits decide the numbers.
    pub fn new(seed: u64) -> Generator {
        let mut words = [seed as u32; WORDS];
        for j in 1..WORDS {
            let before = words[j - 1];
            words[j] = 1_812_433_253u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(j as u32);
        }
        Generator { seed, left: 1, next: 0, words, normal: None, float_normal: None }
    }

    /// A generator from a key of any length, as Python's `random` seeds its own. The key is not empty.
    pub fn from_key(key: &[u32]) -> Generator {
        let mut new = Generator::new(19_650_218);
        let words = &mut new.words;
        let mixed = |before: u32, factor: u32| (before ^ (before >> 30)).wrapping_mul(factor);
        let mut i = 1;
        let advance = |words: &mut [u32; WORDS], i: usize| {
            if i + 1 < WORDS {
                return i + 1;
            }
            words[0] = words[WORDS - 1];
            1
        };
        for k in 0..WORDS.max(key.len()) {
            let j = k % key.len();
            words[i] = (words[i] ^ mixed(words[i - 1], 1_664_525)).wrapping_add(key[j]).wrapping_add(j as u32);
            i = advance(words, i);
        }
        for _ in 1..WORDS {
            words[i] = (words[i] ^ mixed(words[i - 1], 1_566_083_941)).wrapping_sub(i as u32);
            i = advance(words, i);
        }
        words[0] = 1 << 31;
        new
    }

    /// The seed it was last given.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        self.refresh();
        let word = temper(self.words[self.next as usize]);
        self.next += 1;
        self.left -= 1;
        word
    }

    /// The next two words, the first in the high half.
    pub fn double_word(&mut self) -> u64 {
        let high = self.word() as u64;
        high << 32 | self.word() as u64
    }

    /// The next words, as many as there is room for.
    pub fn fill(&mut self, mut out: &mut [u32]) {
        while !out.is_empty() {
            self.refresh();
            let count = out.len().min(self.left as usize - 1);
            let (now, later) = out.split_at_mut(count);
            let start = self.next as usize;
            // SAFETY: `pick` chooses a version this machine can run.
            unsafe { isa::pick(temper_versions())(&self.words[start..start + count], now) };
            self.next += count as u64;
            self.left -= count as u32;
            out = later;
        }
    }

    /// Passes over so many words.
    pub(super) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.word();
        }
    }

    /// A float32 in [0, 1): 24 bits of one word.
    pub fn unit_f32(&mut self) -> f32 {
        unit_f32(self.word())
    }

    /// A float64 in [0, 1): 53 bits of two words.
    pub fn unit_f64(&mut self) -> f64 {
        unit_f64(self.double_word())
    }

    /// A standard normal number in float64. They come in pairs; the second waits for the next call, whatever is drawn
    /// meanwhile.
    pub fn normal(&mut self) -> f64 {
        if let Some(second) = self.normal.take() {
            return second;
        }
        let (first, second) = (self.unit_f64(), self.unit_f64());
        let radius = (-2.0 * (-second).ln_1p()).sqrt();
        let angle = 2.0 * std::f64::consts::PI * first;
        self.normal = Some(radius * angle.sin());
        radius * angle.cos()
    }

    /// Makes the next `WORDS` words when all are used, so that `left` is at least 2.
    fn refresh(&mut self) {
        if self.left > 1 {
            return;
        }
        // SAFETY: `pick` chooses a version this machine can run.
        unsafe { isa::pick(twist_versions())(&mut self.words) };
        (self.left, self.next) = (WORDS as u32 + 1, 0);
    }

    /// The state in PyTorch's layout of 5056 bytes.
    pub fn export(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(STATE_BYTES);
        out.extend(self.seed.to_le_bytes());
        out.extend(self.left.to_le_bytes());
        out.extend(1u32.to_le_bytes());
        out.extend(self.next.to_le_bytes());
        out.extend(self.words.iter().flat_map(|w| (*w as u64).to_le_bytes()));
        out.extend(0f64.to_le_bytes());
        out.extend(self.normal.unwrap_or(0.0).to_le_bytes());
        out.extend(0f64.to_le_bytes());
        out.extend((self.normal.is_some() as u64).to_le_bytes());
        out.extend(self.float_normal.unwrap_or(0.0).to_le_bytes());
        out.extend((self.float_normal.is_some() as u32).to_le_bytes());
        out
    }

    /// The generator with an exported state. Fails with a `RuntimeError` when that cannot be one.
    pub fn import(state: &[u8]) -> Result<Generator> {
        if state.len() != STATE_BYTES {
            let found = state.len();
            fault!(
                RuntimeError,
                "Expected a CPUGeneratorImplState of size {STATE_BYTES} but found the input RNG state size to be {found}"
            );
        }
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| state[at + i]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| state[at + i]));
        let (left, seeded, next) = (word(8), word(12), long(16));
        // The words that are left must be there.
        let fits = next.checked_add(left as u64).is_some_and(|end| end <= WORDS as u64 + 1);
        if seeded == 0 || left == 0 || left > WORDS as u32 || !fits {
            fault!(RuntimeError, "Invalid mt19937 state");
        }
        Ok(Generator {
            seed: long(0),
            left,
            next,
            words: std::array::from_fn(|j| word(24 + 8 * j)),
            normal: (word(5040) != 0).then(|| f64::from_bits(long(5024))),
            float_normal: (state[5052] != 0).then(|| f32::from_bits(word(5048))),
        })
    }
}

/// 24 bits of a word as a float32 in [0, 1).
#[inline(always)]
pub(super) fn unit_f32(word: u32) -> f32 {
    (word & 0xff_ffff) as f32 * (1.0 / (1u32 << 24) as f32)
}

/// The bits of two words that make a float64 in [0, 1).
pub(super) const UNITS: u64 = (1 << 53) - 1;

/// 53 bits of two words as a float64 in [0, 1).
#[inline(always)]
pub(super) fn unit_f64(double_word: u64) -> f64 {
    (double_word & UNITS) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// How many of the numbers [`unit_f64`] gives are below `p`, which is in [0, 1].
pub(super) fn units_below(p: f64) -> u64 {
    (p * (1u64 << 53) as f64).ceil() as u64
}

#[inline(always)]
fn temper(mut y: u32) -> u32 {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c_5680;
    y ^= (y << 15) & 0xefc6_0000;
    y ^ (y >> 18)
}

/// # Safety
/// None beyond the instruction set of the version.
#[inline(always)]
unsafe fn temper_all(words: &[u32], out: &mut [u32]) {
    for (word, out) in words.iter().zip(out) {
        *out = temper(*word);
    }
}

isa::versions! { fn temper_versions<>(words: &[u32], out: &mut [u32]) = temper_all }

#[inline(always)]
fn twisted(this: u32, next: u32, far: u32) -> u32 {
    let mixed = (this & 0x8000_0000) | (next & 0x7fff_ffff);
    far ^ (mixed >> 1) ^ (if next & 1 == 1 { 0x9908_b0df } else { 0 })
}

/// Replaces all words by the next ones. Written in two runs whose reads never see a write of the same vector.
///
/// # Safety
/// None beyond the instruction set of the version.
#[inline(always)]
unsafe fn twist(words: &mut [u32; WORDS]) {
    for j in 0..WORDS - SHIFT {
        words[j] = twisted(words[j], words[j + 1], words[j + SHIFT]);
    }
    for j in WORDS - SHIFT..WORDS - 1 {
        words[j] = twisted(words[j], words[j + 1], words[j + SHIFT - WORDS]);
    }
    words[WORDS - 1] = twisted(words[WORDS - 1], words[0], words[SHIFT - 1]);
}

isa::versions! { fn twist_versions<>(words: &mut [u32; WORDS]) = twist }
