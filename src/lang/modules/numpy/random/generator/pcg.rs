//! O'Neill's permuted congruential generator of 128 bits, seeded by way of a pool of mixed words.

/// The generator.
pub(super) struct Pcg {
    state: u128,
    increment: u128,
    /// The other half of a word of which half was taken.
    kept: Option<u32>,
}

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

impl Pcg {
    /// A generator from the words of a seed, the lowest first.
    pub(super) fn new(seed: &[u32]) -> Pcg {
        let words = spread(&pool(seed));
        let wide = |high: usize| (words[high] as u128) << 64 | words[high + 1] as u128;
        let mut pcg = Pcg { state: 0, increment: wide(2) << 1 | 1, kept: None };
        pcg.step();
        pcg.state = pcg.state.wrapping_add(wide(0));
        pcg.step();
        pcg
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// 64 random bits.
    pub(super) fn word(&mut self) -> u64 {
        self.step();
        ((self.state >> 64) as u64 ^ self.state as u64).rotate_right((self.state >> 122) as u32)
    }

    /// 32 random bits: the low half of a word, then its high half.
    fn half(&mut self) -> u32 {
        if let Some(kept) = self.kept.take() {
            return kept;
        }
        let word = self.word();
        self.kept = Some((word >> 32) as u32);
        word as u32
    }

    /// A float in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in 0..=most, by Lemire's multiplication.
    pub(super) fn up_to(&mut self, most: u64) -> u64 {
        match most {
            0 => 0,
            0xFFFF_FFFF => self.half().into(),
            1..0xFFFF_FFFF => {
                let count = most + 1;
                let threshold = (u32::MAX as u64 - most) % count;
                loop {
                    let product = self.half() as u64 * count;
                    if product as u32 as u64 >= threshold {
                        return product >> 32;
                    }
                }
            }
            u64::MAX => self.word(),
            _ => {
                let count = most as u128 + 1;
                let threshold = (u64::MAX - most) as u128 % count;
                loop {
                    let product = self.word() as u128 * count;
                    if product as u64 as u128 >= threshold {
                        return (product >> 64) as u64;
                    }
                }
            }
        }
    }

    /// A number in 0..=most: bits as many as `most` has, until they fit.
    fn masked(&mut self, most: u64) -> u64 {
        let mask = u64::MAX >> most.leading_zeros();
        loop {
            let drawn = if most > u32::MAX.into() { self.word() } else { self.half().into() };
            if drawn & mask <= most {
                return drawn & mask;
            }
        }
    }

    /// Changes the order of items.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.masked(i as u64) as usize);
        }
    }

    /// Changes the order of chosen places, those before `first` only by what is put there.
    fn mix(&mut self, places: &mut [i64], first: usize) {
        for i in (first..places.len()).rev() {
            places.swap(i, self.up_to(i as u64) as usize);
        }
    }

    /// So many places below `len`, no one twice, in random order if `mixed`.
    pub(super) fn sample(&mut self, len: usize, count: usize, mixed: bool) -> Vec<i64> {
        const MANY: usize = 10_000;
        let cutoff = if mixed { 50 } else { 20 };
        if len > MANY && count > len / cutoff {
            let mut all: Vec<i64> = (0..len as i64).collect();
            self.mix(&mut all, (len - count).max(1));
            return all.split_off(len - count);
        }
        // Floyd's way: a place that was there already gives way to the last possible one.
        let mut seen = std::collections::HashSet::new();
        let mut found: Vec<i64> = Vec::with_capacity(count);
        for last in (len - count) as u64..len as u64 {
            let drawn = self.up_to(last);
            let place = if seen.insert(drawn) { drawn } else { last };
            seen.insert(place);
            found.push(place as i64);
        }
        if mixed {
            self.mix(&mut found, 1);
        }
        found
    }
}

const POOL: usize = 4;

/// A pool of words in which every word of the seed changes every bit.
fn pool(seed: &[u32]) -> [u32; POOL] {
    let mut hash = 0x43b0_d7e5u32;
    let mut hashed = |value: u32| {
        let value = value ^ hash;
        hash = hash.wrapping_mul(0x931e_8875);
        let value = value.wrapping_mul(hash);
        value ^ value >> 16
    };
    let mixed = |x: u32, y: u32| {
        let z = x.wrapping_mul(0xca01_f9dd).wrapping_sub(y.wrapping_mul(0x4973_f715));
        z ^ z >> 16
    };
    let mut pool = [0; POOL];
    for (place, word) in pool.iter_mut().enumerate() {
        *word = hashed(seed.get(place).copied().unwrap_or(0));
    }
    for from in 0..POOL {
        for to in (0..POOL).filter(|to| *to != from) {
            pool[to] = mixed(pool[to], hashed(pool[from]));
        }
    }
    for word in seed.iter().skip(POOL) {
        for to in &mut pool {
            *to = mixed(*to, hashed(*word));
        }
    }
    pool
}

/// Four words of 64 bits from the pool.
fn spread(pool: &[u32; POOL]) -> [u64; 4] {
    let mut hash = 0x8b51_f9ddu32;
    let halves: Vec<u32> = (0..8)
        .map(|i| {
            let value = pool[i % POOL] ^ hash;
            hash = hash.wrapping_mul(0x58f3_8ded);
            let value = value.wrapping_mul(hash);
            value ^ value >> 16
        })
        .collect();
    std::array::from_fn(|i| halves[2 * i] as u64 | (halves[2 * i + 1] as u64) << 32)
}
