//! Inner loops compiled several times, for the instruction sets a machine may have, and chosen at run time.
//!
//! The binary itself is baseline x86-64 and runs anywhere. No version contracts `a * b + c`, so all give the same bits.
//!
//! A version reaches as far as its calls are inlined: a closure that is called in two places, or the body of a long `for_each`, may
//! become a function of its own, which is baseline again and many times slower. Loops in versions are `for` loops, and what they
//! share is `#[inline(always)]`.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// One function compiled for baseline, AVX2 and AVX-512.
pub type Versions<F> = [F; 3];

static LEVEL: LazyLock<usize> = LazyLock::new(detect);

/// The highest level at which light loops run.
static LIGHT: LazyLock<usize> = LazyLock::new(|| if has_halved_registers() { 1 } else { 2 });

/// True for a processor of this maker, by the name that it gives itself.
#[cfg(target_arch = "x86_64")]
fn is_made_by(maker: &[u8; 12]) -> bool {
    let told = std::arch::x86_64::__cpuid(0);
    !cfg!(miri) && [told.ebx, told.edx, told.ecx].map(u32::to_le_bytes).concat() == maker
}

#[cfg(not(target_arch = "x86_64"))]
fn is_made_by(_: &[u8; 12]) -> bool {
    false
}

/// True for AMD's family 19h (Zen 3 and 4).
#[cfg(target_arch = "x86_64")]
fn has_halved_registers() -> bool {
    let family = std::arch::x86_64::__cpuid(1).eax;
    is_made_by(b"AuthenticAMD") && (family >> 8 & 0xf) + (family >> 20 & 0xff) == 0x19
}

#[cfg(not(target_arch = "x86_64"))]
fn has_halved_registers() -> bool {
    false
}

/// True for processors on which a result up to twice as large as others is better written into the caches: AMD's. Measured on Zen 5, where
/// sums of 48 MiB with a last cache of 32 MiB take 285 µs so and 335 µs past the caches.
pub fn writes_lines_well() -> bool {
    static WELL: LazyLock<bool> = LazyLock::new(|| is_made_by(b"AuthenticAMD"));
    *WELL
}

#[cfg(target_arch = "x86_64")]
fn detect() -> usize {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (avx2, avx512) {
        (true, true) => 2,
        (true, false) => 1,
        _ => 0,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> usize {
    0
}

/// True when the version for this machine is that for AVX2 or AVX-512.
pub fn has_avx2() -> bool {
    *LEVEL > 0
}

/// True when the version for this machine is that for AVX-512.
pub fn has_avx512() -> bool {
    *LEVEL == 2
}

/// True when libraries that choose by the length of vectors are to give what they give with those of AVX-512: recorded results are from
/// a processor that has them.
pub fn follows_avx512() -> bool {
    has_avx512() || is_told()
}

/// Set by [`follow_intel`].
static TOLD: AtomicBool = AtomicBool::new(cfg!(test));

/// True when last bits are to be those of PyTorch's libraries on processors of Intel; else they are those on processors of AMD. It is
/// the maker that decides, whether a processor has AVX-512 or not: the libraries' loops for Intel's do not run on others.
pub fn follows_intel() -> bool {
    static FOLLOWS: LazyLock<bool> = LazyLock::new(|| is_made_by(b"GenuineIntel"));
    is_told() || *FOLLOWS
}

/// True where recorded last bits are asked for.
fn is_told() -> bool {
    static ASKED: LazyLock<bool> = LazyLock::new(|| std::env::var_os("TSR_BITS").is_some_and(|bits| bits == "intel"));
    TOLD.load(Ordering::Relaxed) || *ASKED
}

/// Asks for the last bits of processors of Intel everywhere, as `TSR_BITS=intel` does: recorded results are from one.
pub fn follow_intel() {
    TOLD.store(true, Ordering::Relaxed);
}

/// The processor's guess of the reciprocal of a root, right to 12 bits or so, or 14 of them with AVX-512 where last bits are those on
/// Intel's processors; none where it has no instruction for that. Processors differ in it.
pub fn reciprocal_root_guess(x: f32) -> Option<f32> {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    return Some({
        use std::arch::x86_64::{_mm_cvtss_f32, _mm_rsqrt_ss, _mm_set_ss};
        // SAFETY: every processor of this architecture has these instructions, and others are asked for.
        unsafe {
            match follows_intel() && is_x86_feature_detected!("avx512f") {
                true => closer_root_guess(x),
                false => _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x))),
            }
        }
    });
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        let _ = x;
        None
    }
}

/// The guess of 14 bits.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "avx512f")]
fn closer_root_guess(x: f32) -> f32 {
    use std::arch::x86_64::{_mm_cvtss_f32, _mm_rsqrt14_ss, _mm_set_ss};
    _mm_cvtss_f32(_mm_rsqrt14_ss(_mm_set_ss(x), _mm_set_ss(x)))
}

/// The version for this machine.
pub fn pick<F: Copy>(versions: Versions<F>) -> F {
    versions[*LEVEL]
}

/// All versions that this machine can run, which give the same bits.
#[cfg(test)]
pub fn runnable<F>(versions: &Versions<F>) -> &[F] {
    &versions[..=*LEVEL]
}

/// The version for this machine of a loop that takes less time than memory does. The first processors of AMD with AVX-512 work it
/// off in halves; their memory keeps up better with loops that ask for halves.
pub fn pick_light<F: Copy>(versions: Versions<F>) -> F {
    versions[(*LEVEL).min(*LIGHT)]
}

/// Declares a function that answers the versions of an `#[inline(always)] unsafe fn`:
/// `versions! { fn name<E: Bound>(argument: Type, ...) = function }`.
macro_rules! versions {
    ($(#[$doc:meta])* $vis:vis fn $name:ident<$($g:ident: $bound:path),*>($($arg:ident: $t:ty),*) = $body:ident) => {
        $(#[$doc])*
        $vis const fn $name<$($g: $bound),*>() -> $crate::kernel::isa::Versions<unsafe fn($($t),*)> {
            unsafe fn plain<$($g: $bound),*>($($arg: $t),*) {
                // SAFETY: the caller promises what the function asks for.
                unsafe { $body::<$($g),*>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn avx2<$($g: $bound),*>($($arg: $t),*) {
                // SAFETY: as above.
                unsafe { $body::<$($g),*>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn avx512<$($g: $bound),*>($($arg: $t),*) {
                // SAFETY: as above.
                unsafe { $body::<$($g),*>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            return [plain::<$($g),*>, avx2::<$($g),*>, avx512::<$($g),*>];
            #[cfg(not(target_arch = "x86_64"))]
            return [plain::<$($g),*>, plain::<$($g),*>, plain::<$($g),*>];
        }
    };
}
pub(crate) use versions;
