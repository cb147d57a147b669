//! What functions of float32 by tables are written in: a number, or eight of them in a vector of AVX2, where a look-up in a table of
//! sixteen is two shuffles and a choice.

use std::ops::{Add, BitAnd, Div, Mul, Neg, Shl, Shr, Sub};

/// Float32 that are computed together, one in each lane. All methods are the same step in every lane and give the bits of the step of
/// one number.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Their bits.
    type Bits: Bits;
    /// A truth value in each lane.
    type Truths: Copy + BitAnd<Output = Self::Truths>;
    /// The same number in all.
    fn all(x: f32) -> Self;
    /// `self * by + plus`, rounded once.
    fn mul_add(self, by: Self, plus: Self) -> Self;
    /// The bits.
    fn bits(self) -> Self::Bits;
    /// From bits.
    fn from_bits(bits: Self::Bits) -> Self;
    /// From the whole numbers that these bits are.
    fn from_whole(bits: Self::Bits) -> Self;
    /// What lies at the places of a table; only the lowest four bits of a place count.
    fn at_16(table: &[f32; 16], places: Self::Bits) -> Self;
    /// Where these are less.
    fn is_below(self, other: f32) -> Self::Truths;
    /// Where these are more.
    fn is_above(self, other: f32) -> Self::Truths;
    /// Where these are equal.
    fn is(self, other: f32) -> Self::Truths;
    /// One or the other.
    fn choose(truths: Self::Truths, yes: Self, no: Self) -> Self;

    /// No more than a bound; NaN stays.
    #[inline(always)]
    fn at_most(self, bound: f32) -> Self {
        Self::choose(self.is_above(bound), Self::all(bound), self)
    }
    /// No less than a bound; NaN stays.
    #[inline(always)]
    fn at_least(self, bound: f32) -> Self {
        Self::choose(self.is_below(bound), Self::all(bound), self)
    }
    /// A polynomial, the highest coefficient first.
    #[inline(always)]
    fn curve(self, coefficients: &[f32]) -> Self {
        let (first, rest) = coefficients.split_first().expect("a polynomial has a coefficient");
        let mut sum = Self::all(*first);
        for c in rest {
            sum = sum.mul_add(self, Self::all(*c));
        }
        sum
    }
    /// Two to these powers, for whole numbers from -126 to 127.
    #[inline(always)]
    fn power_of_two(exponents: Self::Bits) -> Self {
        Self::from_bits((exponents + Self::Bits::all(127)) << 23)
    }
}

/// 32 bits in each lane, as whole numbers with a sign, which wrap.
pub trait Bits:
    Copy + Add<Output = Self> + Sub<Output = Self> + BitAnd<Output = Self> + Shl<i32, Output = Self> + Shr<i32, Output = Self>
{
    /// The same in all.
    fn all(bits: u32) -> Self;
}

/// The bits of one number.
#[derive(Clone, Copy)]
pub struct One(i32);

macro_rules! operators {
    ($($trait:ident $method:ident $t:ty, $other:ty: |$a:ident, $b:ident| $result:expr;)*) => { $(impl $trait<$other> for $t {
        type Output = $t;
        #[inline(always)]
        fn $method(self, other: $other) -> $t {
            let ($a, $b) = (self, other);
            $result
        }
    })* };
}

operators! {
    Add add One, One: |a, b| One(a.0.wrapping_add(b.0));
    Sub sub One, One: |a, b| One(a.0.wrapping_sub(b.0));
    BitAnd bitand One, One: |a, b| One(a.0 & b.0);
    Shl shl One, i32: |a, n| One(a.0 << n);
    Shr shr One, i32: |a, n| One(a.0 >> n);
}

impl Bits for One {
    #[inline(always)]
    fn all(bits: u32) -> One {
        One(bits as i32)
    }
}

impl Lanes for f32 {
    type Bits = One;
    type Truths = bool;
    #[inline(always)]
    fn all(x: f32) -> f32 {
        x
    }
    #[inline(always)]
    fn mul_add(self, by: f32, plus: f32) -> f32 {
        f32::mul_add(self, by, plus)
    }
    #[inline(always)]
    fn bits(self) -> One {
        One(self.to_bits() as i32)
    }
    #[inline(always)]
    fn from_bits(bits: One) -> f32 {
        f32::from_bits(bits.0 as u32)
    }
    #[inline(always)]
    fn from_whole(bits: One) -> f32 {
        bits.0 as f32
    }
    #[inline(always)]
    fn at_16(table: &[f32; 16], places: One) -> f32 {
        table[places.0 as usize & 15]
    }
    #[inline(always)]
    fn is_below(self, other: f32) -> bool {
        self < other
    }
    #[inline(always)]
    fn is_above(self, other: f32) -> bool {
        self > other
    }
    #[inline(always)]
    fn is(self, other: f32) -> bool {
        self == other
    }
    #[inline(always)]
    fn choose(truths: bool, yes: f32, no: f32) -> f32 {
        if truths { yes } else { no }
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::Eight;

/// Every `unsafe` here is for an instruction of AVX2 or FMA: values of these types exist in loops compiled for them alone.
#[cfg(target_arch = "x86_64")]
#[allow(clippy::undocumented_unsafe_blocks, reason = "said once for all, above")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    /// Eight numbers.
    #[derive(Clone, Copy)]
    pub struct Eight(__m256);

    impl Eight {
        /// Those behind a pointer.
        ///
        /// # Safety
        /// There are eight, and AVX2.
        #[inline(always)]
        pub unsafe fn load(from: *const f32) -> Eight {
            // SAFETY: the caller's promise is passed on.
            Eight(unsafe { _mm256_loadu_ps(from) })
        }

        /// Writes them behind a pointer.
        ///
        /// # Safety
        /// There is room for eight, and AVX2.
        #[inline(always)]
        pub unsafe fn store(self, to: *mut f32) {
            // SAFETY: the caller's promise is passed on.
            unsafe { _mm256_storeu_ps(to, self.0) }
        }
    }

    /// The bits of eight numbers.
    #[derive(Clone, Copy)]
    pub struct EightBits(__m256i);

    /// Eight truth values, each in all bits of a lane.
    #[derive(Clone, Copy)]
    pub struct EightTruths(__m256);

    operators! {
        // SAFETY: as the module says.
        Add add Eight, Eight: |a, b| Eight(unsafe { _mm256_add_ps(a.0, b.0) });
        Sub sub Eight, Eight: |a, b| Eight(unsafe { _mm256_sub_ps(a.0, b.0) });
        Mul mul Eight, Eight: |a, b| Eight(unsafe { _mm256_mul_ps(a.0, b.0) });
        Div div Eight, Eight: |a, b| Eight(unsafe { _mm256_div_ps(a.0, b.0) });
        Add add EightBits, EightBits: |a, b| EightBits(unsafe { _mm256_add_epi32(a.0, b.0) });
        Sub sub EightBits, EightBits: |a, b| EightBits(unsafe { _mm256_sub_epi32(a.0, b.0) });
        BitAnd bitand EightBits, EightBits: |a, b| EightBits(unsafe { _mm256_and_si256(a.0, b.0) });
        Shl shl EightBits, i32: |a, n| EightBits(unsafe { _mm256_sll_epi32(a.0, _mm_cvtsi32_si128(n)) });
        Shr shr EightBits, i32: |a, n| EightBits(unsafe { _mm256_sra_epi32(a.0, _mm_cvtsi32_si128(n)) });
        BitAnd bitand EightTruths, EightTruths: |a, b| EightTruths(unsafe { _mm256_and_ps(a.0, b.0) });
    }

    impl Neg for Eight {
        type Output = Eight;
        #[inline(always)]
        fn neg(self) -> Eight {
            // SAFETY: as the module says.
            Eight(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
        }
    }

    impl Bits for EightBits {
        #[inline(always)]
        fn all(bits: u32) -> EightBits {
            // SAFETY: as the module says.
            EightBits(unsafe { _mm256_set1_epi32(bits as i32) })
        }
    }

    /// The same of a table of eight; only the lowest three bits of a place count.
    #[inline(always)]
    fn at_8(table: &[f32; 8], places: EightBits) -> __m256 {
        // SAFETY: as the module says; the table has room for a vector.
        unsafe { _mm256_permutevar8x32_ps(_mm256_loadu_ps(table.as_ptr()), places.0) }
    }

    impl Lanes for Eight {
        type Bits = EightBits;
        type Truths = EightTruths;
        #[inline(always)]
        fn all(x: f32) -> Eight {
            // SAFETY: as the module says, and so below.
            Eight(unsafe { _mm256_set1_ps(x) })
        }
        #[inline(always)]
        fn mul_add(self, by: Eight, plus: Eight) -> Eight {
            Eight(unsafe { _mm256_fmadd_ps(self.0, by.0, plus.0) })
        }
        #[inline(always)]
        fn bits(self) -> EightBits {
            EightBits(unsafe { _mm256_castps_si256(self.0) })
        }
        #[inline(always)]
        fn from_bits(bits: EightBits) -> Eight {
            Eight(unsafe { _mm256_castsi256_ps(bits.0) })
        }
        #[inline(always)]
        fn from_whole(bits: EightBits) -> Eight {
            Eight(unsafe { _mm256_cvtepi32_ps(bits.0) })
        }
        #[inline(always)]
        fn at_16(table: &[f32; 16], places: EightBits) -> Eight {
            let (halves, _) = table.as_chunks::<8>();
            let (low, high) = (at_8(&halves[0], places), at_8(&halves[1], places));
            // By the fourth bit of a place.
            Eight(unsafe { _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32::<28>(places.0))) })
        }
        #[inline(always)]
        fn is_below(self, other: f32) -> EightTruths {
            EightTruths(unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, _mm256_set1_ps(other)) })
        }
        #[inline(always)]
        fn is_above(self, other: f32) -> EightTruths {
            EightTruths(unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, _mm256_set1_ps(other)) })
        }
        #[inline(always)]
        fn is(self, other: f32) -> EightTruths {
            EightTruths(unsafe { _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, _mm256_set1_ps(other)) })
        }
        #[inline(always)]
        fn choose(truths: EightTruths, yes: Eight, no: Eight) -> Eight {
            Eight(unsafe { _mm256_blendv_ps(no.0, yes.0, truths.0) })
        }
    }
}
