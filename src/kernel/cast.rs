//! Changing the dtype of values that lie in a register block.
//!
//! A block holds lanes of a class that stand for values of a dtype. A cast to another dtype changes the class if it must,
//! then rounds or wraps to the dtype where the class is wider. The results are those of PyTorch on x86: out-of-range floats
//! give the lowest integer, of 32 bits for int8, int16, uint16 and int32, else of 64.

use super::element::{Element, Lane, Truth};
use super::half;
use super::isa::{pick, versions};
use super::scalar::BlockFn;
use crate::dtype::{Class, DType, Kind};
use crate::for_element;
use num_complex::Complex;
use smallvec::SmallVec;

/// The block functions, of one argument each, that turn values of dtype `from` into values of dtype `to`; none when the
/// lanes can stay as they are.
/// With `narrowed`, lanes need not be rounded, since they will be narrowed next.
pub fn cast(from: DType, to: DType, narrowed: bool) -> SmallVec<[(BlockFn, Class); 2]> {
    let mut steps = SmallVec::new();
    if from == to {
        return steps;
    }
    if to == DType::Bool {
        steps.push((truth(from.class()), Class::I64));
        return steps;
    }
    if from.class() != to.class() {
        steps.push((convert(from.class(), to), to.class()));
    }
    if !narrowed && (!steps.is_empty() || !holds(to, from)) {
        steps.extend(round(to).map(|f| (f, to.class())));
    }
    steps
}

/// True when every value of `narrow` is one of `wide`, both of one class.
fn holds(wide: DType, narrow: DType) -> bool {
    let signed = |d: DType| d.kind() == Kind::Signed;
    match wide.kind() {
        Kind::Float | Kind::Complex => wide.size() == wide.class().size(),
        _ if narrow == DType::Bool => true,
        _ if signed(wide) == signed(narrow) => wide.size() >= narrow.size(),
        _ => signed(wide) && wide.size() > narrow.size(),
    }
}

/// Rounds or wraps lanes to a dtype narrower than its class; none when the dtype is its class's own.
pub fn round(dtype: DType) -> Option<BlockFn> {
    if dtype.size() == dtype.class().size() {
        return None;
    }
    Some(for_element!(dtype, E => pick(round_versions::<E>())))
}

/// Elements of a dtype narrower than its class to lanes.
pub fn widen(dtype: DType) -> BlockFn {
    match dtype {
        DType::F16 => pick(half::WIDEN),
        _ => for_element!(dtype, E => pick(widen_versions::<E>())),
    }
}

/// Lanes to elements of a dtype narrower than its class, rounded or wrapped.
pub fn narrow(dtype: DType) -> BlockFn {
    match dtype {
        DType::F16 => pick(half::NARROW),
        _ => for_element!(dtype, E => pick(narrow_versions::<E>())),
    }
}

/// Elements of one dtype straight to lanes of another, where that saves the way through wider ones.
pub fn cast_elements(from: DType, to: DType) -> Option<BlockFn> {
    macro_rules! from {
        ($($dtype:ident: $t:ty),*) => {
            match (from, to) {
                $((DType::$dtype, DType::F32) => Some(pick(straight_versions::<$t, f32, Straight>())),
                (DType::$dtype, DType::F64) => Some(pick(straight_versions::<$t, f64, Straight>())),)*
                _ => None,
            }
        };
    }
    from!(U8: u8, I8: i8, I16: i16, I32: i32, U16: u16, U32: u32, Bool: Truth)
}

/// Elements of one dtype straight to elements of another, where both are numbers of up to 8 bytes that the processor converts.
pub fn cast_stored(from: DType, to: DType) -> Option<BlockFn> {
    macro_rules! to {
        ($f:ty: $($dtype:ident $t:ty),*) => {
            match to {
                DType::Bool => Some(pick(straight_versions::<$f, Truth, Straight>())),
                $(DType::$dtype => Some(pick(straight_versions::<$f, $t, Straight>())),)*
                _ => None,
            }
        };
        ($f:ty) => { to!($f: U8 u8, I8 i8, I16 i16, I32 i32, U16 u16, U32 u32) };
    }
    match from {
        DType::U8 => to!(u8),
        DType::I8 => to!(i8),
        DType::I16 => to!(i16),
        DType::I32 => to!(i32),
        DType::U16 => to!(u16),
        DType::U32 => to!(u32),
        DType::I64 => to!(i64),
        DType::F32 => to!(f32: I32 i32),
        DType::F64 => to!(f64: I32 i32),
        _ => None,
    }
}

/// A cast that one instruction or a few make of an element.
struct Straight;

macro_rules! straight_integers {
    ($($f:ty),*) => { $(
        straight_integers!(@to $f: u8, i8, i16, i32, u16, u32);
        impl Convert<$f, Truth> for Straight {
            #[inline(always)]
            fn convert(from: $f) -> Truth { Truth((from != 0) as u8) }
        }
    )* };
    (@to $f:ty: $($t:ty),*) => { $(impl Convert<$f, $t> for Straight {
        #[inline(always)]
        fn convert(from: $f) -> $t { from as $t }
    })* };
}

straight_integers!(u8, i8, i16, i32, u16, u32, i64);

macro_rules! straight_floats {
    ($($f:ident),*) => { $(
        impl Convert<$f, Truth> for Straight {
            #[inline(always)]
            fn convert(from: $f) -> Truth { Truth((from != 0.0) as u8) }
        }
        impl Convert<$f, i32> for Straight {
            #[inline(always)]
            fn convert(from: $f) -> i32 {
                const LIMIT: $f = 2_147_483_648.0;
                // SAFETY: the number is in the range of the type.
                if (-LIMIT..LIMIT).contains(&from) { unsafe { from.to_int_unchecked() } } else { i32::MIN }
            }
        }
    )* };
}

straight_floats!(f32, f64);

macro_rules! straight {
    ($($t:ty),*) => { $(
        impl Convert<$t, f32> for Straight {
            #[inline(always)]
            fn convert(from: $t) -> f32 { from as f32 }
        }
        impl Convert<$t, f64> for Straight {
            #[inline(always)]
            fn convert(from: $t) -> f64 { from as f64 }
        }
    )* };
}

straight!(u8, i8, i16, i32, u16, u32);

impl Convert<Truth, f32> for Straight {
    #[inline(always)]
    fn convert(from: Truth) -> f32 {
        (from.0 != 0) as u8 as f32
    }
}

impl Convert<Truth, f64> for Straight {
    #[inline(always)]
    fn convert(from: Truth) -> f64 {
        (from.0 != 0) as u8 as f64
    }
}

versions! { fn widen_versions<E: Element>(n: usize, out: *mut u8, args: &[*const u8; 4]) = widen_block }
versions! { fn narrow_versions<E: Element>(n: usize, out: *mut u8, args: &[*const u8; 4]) = narrow_block }
versions! { fn straight_versions<F: Element, T: Element, C: Convert<F, T>>(n: usize, out: *mut u8, args: &[*const u8; 4]) = straight_block }
versions! { fn round_versions<E: Element>(n: usize, out: *mut u8, args: &[*const u8; 4]) = round_block }
versions! { fn convert_versions<F: Lane, T: Lane, C: Convert<F, T>>(n: usize, out: *mut u8, args: &[*const u8; 4]) = convert_block }

#[inline(always)]
unsafe fn round_block<E: Element>(n: usize, out: *mut u8, args: &[*const u8; 4]) {
    // SAFETY: the caller promises blocks of n lanes.
    unsafe { each::<E::Lane, E::Lane>(n, out, args, |lane| E::narrow(lane).widen()) }
}

#[inline(always)]
unsafe fn convert_block<F: Lane, T: Lane, C: Convert<F, T>>(n: usize, out: *mut u8, args: &[*const u8; 4]) {
    // SAFETY: the caller promises blocks of n lanes.
    unsafe { each::<F, T>(n, out, args, C::convert) }
}

#[inline(always)]
unsafe fn widen_block<E: Element>(n: usize, out: *mut u8, args: &[*const u8; 4]) {
    // SAFETY: the caller promises blocks of n elements and lanes.
    unsafe { each::<E, E::Lane>(n, out, args, E::widen) }
}

#[inline(always)]
unsafe fn narrow_block<E: Element>(n: usize, out: *mut u8, args: &[*const u8; 4]) {
    // SAFETY: the caller promises blocks of n lanes and elements.
    unsafe { each::<E::Lane, E>(n, out, args, E::narrow) }
}

#[inline(always)]
unsafe fn straight_block<F: Element, T: Element, C: Convert<F, T>>(n: usize, out: *mut u8, args: &[*const u8; 4]) {
    // SAFETY: the caller promises blocks of n elements and lanes.
    unsafe { each::<F, T>(n, out, args, C::convert) }
}

#[inline(always)]
unsafe fn each<F: Copy, T: Copy>(n: usize, out: *mut u8, args: &[*const u8; 4], f: impl Fn(F) -> T) {
    // SAFETY: the caller promises blocks of n lanes of these types.
    let (out, from) =
        unsafe { (std::slice::from_raw_parts_mut(out as *mut T, n), std::slice::from_raw_parts(args[0] as *const F, n)) };
    out.iter_mut().zip(from).for_each(|(t, f_)| *t = f(*f_));
}

/// How a lane of one class becomes a lane of another, or an element of one dtype one of another.
pub trait Convert<F, T>: 'static {
    /// The lane or element that stands for it.
    fn convert(from: F) -> T;
}

/// The cast to a dtype that takes the whole range of the target class.
struct Wide;
/// The cast to an integer of at most 32 bits that goes through `int`.
struct Int;
/// "Not zero".
struct NotZero;

macro_rules! convert {
    ($($how:ident: $from:ty => $to:ty = |$x:ident| $body:expr;)*) => {
        $(impl Convert<$from, $to> for $how {
            #[inline(always)]
            fn convert($x: $from) -> $to { $body }
        })*
    };
}

convert! {
    Wide: f32 => f64 = |x| x as f64;
    Wide: f32 => i64 = |x| to_i64(x as f64);
    Wide: f32 => u64 = |x| to_u64(x as f64);
    Wide: f32 => Complex<f32> = |x| Complex::new(x, 0.0);
    Wide: f32 => Complex<f64> = |x| Complex::new(x as f64, 0.0);
    Wide: f64 => f32 = |x| x as f32;
    Wide: f64 => i64 = |x| to_i64(x);
    Wide: f64 => u64 = |x| to_u64(x);
    Wide: f64 => Complex<f32> = |x| Complex::new(x as f32, 0.0);
    Wide: f64 => Complex<f64> = |x| Complex::new(x, 0.0);
    Wide: i64 => f32 = |x| x as f32;
    Wide: i64 => f64 = |x| x as f64;
    Wide: i64 => u64 = |x| x as u64;
    Wide: i64 => Complex<f32> = |x| Complex::new(x as f32, 0.0);
    Wide: i64 => Complex<f64> = |x| Complex::new(x as f64, 0.0);
    Wide: u64 => f32 = |x| x as f32;
    Wide: u64 => f64 = |x| x as f64;
    Wide: u64 => i64 = |x| x as i64;
    Wide: u64 => Complex<f32> = |x| Complex::new(x as f32, 0.0);
    Wide: u64 => Complex<f64> = |x| Complex::new(x as f64, 0.0);
    Wide: Complex<f32> => f32 = |x| x.re;
    Wide: Complex<f32> => f64 = |x| x.re as f64;
    Wide: Complex<f32> => i64 = |x| to_i64(x.re as f64);
    Wide: Complex<f32> => u64 = |x| to_u64(x.re as f64);
    Wide: Complex<f32> => Complex<f64> = |x| Complex::new(x.re as f64, x.im as f64);
    Wide: Complex<f64> => f32 = |x| x.re as f32;
    Wide: Complex<f64> => f64 = |x| x.re;
    Wide: Complex<f64> => i64 = |x| to_i64(x.re);
    Wide: Complex<f64> => u64 = |x| to_u64(x.re);
    Wide: Complex<f64> => Complex<f32> = |x| Complex::new(x.re as f32, x.im as f32);
    Int: f32 => i64 = |x| to_i32(x as f64);
    Int: f64 => i64 = |x| to_i32(x);
    Int: Complex<f32> => i64 = |x| to_i32(x.re as f64);
    Int: Complex<f64> => i64 = |x| to_i32(x.re);
    NotZero: f32 => i64 = |x| (x != 0.0) as i64;
    NotZero: f64 => i64 = |x| (x != 0.0) as i64;
    NotZero: i64 => i64 = |x| (x != 0) as i64;
    NotZero: u64 => i64 = |x| (x != 0) as i64;
    NotZero: Complex<f32> => i64 = |x| (x.re != 0.0 || x.im != 0.0) as i64;
    NotZero: Complex<f64> => i64 = |x| (x.re != 0.0 || x.im != 0.0) as i64;
}

/// As `cvttsd2si` does it: nan and what does not fit give the lowest value.
#[inline(always)]
fn to_i64(x: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    // SAFETY: the number is in the range of the type.
    if (-LIMIT..LIMIT).contains(&x) { unsafe { x.to_int_unchecked() } } else { i64::MIN }
}

#[inline(always)]
fn to_i32(x: f64) -> i64 {
    const LIMIT: f64 = 2_147_483_648.0;
    // SAFETY: as above.
    if x > -LIMIT - 1.0 && x < LIMIT { (unsafe { x.to_int_unchecked::<i32>() }) as i64 } else { i32::MIN as i64 }
}

/// As compilers do it with the signed instruction: the upper half is shifted down first.
#[inline(always)]
fn to_u64(x: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    if x >= HALF { (to_i64(x - HALF) as u64) ^ (1 << 63) } else { to_i64(x) as u64 }
}

fn truth(from: Class) -> BlockFn {
    match from {
        Class::F32 => pick(convert_versions::<f32, i64, NotZero>()),
        Class::F64 => pick(convert_versions::<f64, i64, NotZero>()),
        Class::I64 => pick(convert_versions::<i64, i64, NotZero>()),
        Class::U64 => pick(convert_versions::<u64, i64, NotZero>()),
        Class::C64 => pick(convert_versions::<Complex<f32>, i64, NotZero>()),
        Class::C128 => pick(convert_versions::<Complex<f64>, i64, NotZero>()),
    }
}

/// The change of class on the way to a dtype of another class.
fn convert(from: Class, to: DType) -> BlockFn {
    macro_rules! from {
        ($f:ty) => {
            match to.class() {
                Class::F32 => versions_between::<$f, f32>(),
                Class::F64 => versions_between::<$f, f64>(),
                Class::I64 => versions_between::<$f, i64>(),
                Class::U64 => versions_between::<$f, u64>(),
                Class::C64 => versions_between::<$f, Complex<f32>>(),
                Class::C128 => versions_between::<$f, Complex<f64>>(),
            }
        };
    }
    let through_int = matches!(to, DType::I8 | DType::I16 | DType::U16 | DType::I32);
    match from {
        Class::F32 if through_int => pick(convert_versions::<f32, i64, Int>()),
        Class::F64 if through_int => pick(convert_versions::<f64, i64, Int>()),
        Class::C64 if through_int => pick(convert_versions::<Complex<f32>, i64, Int>()),
        Class::C128 if through_int => pick(convert_versions::<Complex<f64>, i64, Int>()),
        Class::F32 => from!(f32),
        Class::F64 => from!(f64),
        Class::I64 => from!(i64),
        Class::U64 => from!(u64),
        Class::C64 => from!(Complex<f32>),
        Class::C128 => from!(Complex<f64>),
    }
}

fn versions_between<F: Lane, T: Lane>() -> BlockFn
where
    Wide: Convert<F, T>,
{
    pick(convert_versions::<F, T, Wide>())
}

convert! {
    Wide: f32 => f32 = |x| x;
    Wide: f64 => f64 = |x| x;
    Wide: i64 => i64 = |x| x;
    Wide: u64 => u64 = |x| x;
    Wide: Complex<f32> => Complex<f32> = |x| x;
    Wide: Complex<f64> => Complex<f64> = |x| x;
}
