//! Ways to run a function that takes less time than memory does.
//!
//! What such a function costs is what it reads and writes, so an argument that is the same number everywhere is not read from a block
//! of repeated numbers but held in a register of the processor, and a result that takes the place of its first argument is written
//! there at once. Each way is a loop of its own; functions that compute for longer do without.

use super::isa::Versions;
use super::scalar::{BlockFn, Body, MAX_ARGS, body_versions};
use std::marker::PhantomData;

/// How the arguments of a call lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// All arguments but the first are one element each.
    Rest,
    /// The first of two arguments is one element.
    First,
    /// The result takes the place of the first argument.
    Within,
    /// Both `Rest` and `Within`.
    WithinRest,
    /// The last of three arguments alone is one element.
    Last,
    /// Both `Last` and `Within`.
    WithinLast,
}

/// How many manners there are.
pub const MANNERS: usize = 6;

/// A loop per [`Manner`], in its order.
pub type Manners<F> = [Option<F>; MANNERS];

impl Manner {
    /// The way to run a call of `count` arguments, given which of them are one element, and whether the result takes the place of
    /// the first. There is none for the plain call, and none for what no loop can do.
    pub fn of(count: usize, is_one: impl Fn(usize) -> bool, within: bool) -> Option<Manner> {
        let ones = (1..count).filter(|k| is_one(*k)).count();
        let (first, rest) = (is_one(0), count > 1 && ones == count - 1);
        let last = count == 3 && ones == 1 && is_one(2);
        match (first, rest, within) {
            (false, true, false) => Some(Manner::Rest),
            (true, false, false) if count == 2 => Some(Manner::First),
            (false, false, true) if ones == 0 => Some(Manner::Within),
            (false, true, true) => Some(Manner::WithinRest),
            (false, false, false) if last => Some(Manner::Last),
            (false, false, true) if last => Some(Manner::WithinLast),
            _ => None,
        }
    }
}

/// A function of one lane.
pub trait Unary: 'static {
    /// Its argument and its result.
    type Lane: Copy;
    /// The function.
    fn one(a: Self::Lane) -> Self::Lane;
}

/// A function of two lanes.
pub trait Binary: 'static {
    /// Its arguments.
    type Lane: Copy;
    /// Its result.
    type Out;
    /// The function.
    fn one(a: Self::Lane, b: Self::Lane) -> Self::Out;
}

/// A function of three lanes.
pub trait Ternary: 'static {
    /// Its arguments and its result.
    type Lane: Copy;
    /// The function.
    fn one(a: Self::Lane, b: Self::Lane, c: Self::Lane) -> Self::Lane;
}

/// The loops of a function of one lane.
pub const fn unary<F: Unary>() -> Manners<Versions<BlockFn>> {
    [None, None, Some(body_versions::<Within<F, 1>>()), None, None, None]
}

/// The loops of a function of two lanes whose result is of another kind.
pub const fn binary<F: Binary>() -> Manners<Versions<BlockFn>> {
    [Some(body_versions::<Rest<F, 2>>()), Some(body_versions::<First<F>>()), None, None, None, None]
}

/// The loops of a function of two lanes that gives a lane.
pub const fn binary_within<F: Binary<Out = <F as Binary>::Lane>>() -> Manners<Versions<BlockFn>> {
    let [rest, first, ..] = binary::<F>();
    [rest, first, Some(body_versions::<Within<F, 2>>()), Some(body_versions::<WithinRest<F, 2>>()), None, None]
}

/// The loops of a function of three lanes.
pub const fn ternary<F: Ternary>() -> Manners<Versions<BlockFn>> {
    let (rest, within_rest) = (body_versions::<Rest<F, 3>>(), body_versions::<WithinRest<F, 3>>());
    let (last, within_last) = (body_versions::<Last<F>>(), body_versions::<WithinLast<F>>());
    [Some(rest), None, None, Some(within_rest), Some(last), Some(within_last)]
}

struct Rest<F, const N: usize>(PhantomData<F>);
struct First<F>(PhantomData<F>);
struct Within<F, const N: usize>(PhantomData<F>);
struct WithinRest<F, const N: usize>(PhantomData<F>);
struct Last<F>(PhantomData<F>);
struct WithinLast<F>(PhantomData<F>);

type Args = [*const u8; MAX_ARGS];

/// The `n` lanes of an argument.
#[inline(always)]
unsafe fn lanes<'a, L>(at: *const u8, n: usize) -> &'a [L] {
    // SAFETY: the caller promises as many lanes.
    unsafe { std::slice::from_raw_parts(at as *const L, n) }
}

/// Room for `n` results.
#[inline(always)]
unsafe fn room<'a, L>(at: *mut u8, n: usize) -> &'a mut [L] {
    // SAFETY: the caller promises room for as many.
    unsafe { std::slice::from_raw_parts_mut(at as *mut L, n) }
}

/// The one lane of an argument.
#[inline(always)]
unsafe fn lane<L: Copy>(at: *const u8) -> L {
    // SAFETY: the caller promises one.
    unsafe { *(at as *const L) }
}

#[inline(always)]
fn apart<L: Copy, O>(out: &mut [O], a: &[L], one: impl Fn(L) -> O) {
    let n = out.len();
    let a = &a[..n];
    for i in 0..n {
        out[i] = one(a[i]);
    }
}

#[inline(always)]
fn within<L: Copy>(out: &mut [L], one: impl Fn(L) -> L) {
    for x in out {
        *x = one(*x);
    }
}

impl<F: Binary> Body for Rest<F, 2> {
    #[inline(always)]
    unsafe fn run(n: usize, out: *mut u8, args: &Args) {
        // SAFETY: the caller's promise for this manner.
        unsafe {
            let b = lane::<F::Lane>(args[1]);
            apart(room::<F::Out>(out, n), lanes(args[0], n), |a| F::one(a, b));
        }
    }
}

impl<F: Binary> Body for First<F> {
    #[inline(always)]
    unsafe fn run(n: usize, out: *mut u8, args: &Args) {
        // SAFETY: the caller's promise for this manner.
        unsafe {
            let a = lane::<F::Lane>(args[0]);
            apart(room::<F::Out>(out, n), lanes(args[1], n), |b| F::one(a, b));
        }
    }
}

impl<F: Ternary> Body for Rest<F, 3> {
    #[inline(always)]
    unsafe fn run(n: usize, out: *mut u8, args: &Args) {
        // SAFETY: the caller's promise for this manner.
        unsafe {
            let (b, c) = (lane::<F::Lane>(args[1]), lane::<F::Lane>(args[2]));
            apart(room::<F::Lane>(out, n), lanes(args[0], n), |a| F::one(a, b, c));
        }
    }
}

#[inline(always)]
fn two<L: Copy>(out: &mut [L], a: &[L], b: &[L], one: impl Fn(L, L) -> L) {
    let n = out.len();
    let (a, b) = (&a[..n], &b[..n]);
    for i in 0..n {
        out[i] = one(a[i], b[i]);
    }
}

#[inline(always)]
fn pairs<L: Copy>(out: &mut [L], b: &[L], one: impl Fn(L, L) -> L) {
    let n = out.len();
    let b = &b[..n];
    for i in 0..n {
        out[i] = one(out[i], b[i]);
    }
}

impl<F: Ternary> Body for Last<F> {
    #[inline(always)]
    unsafe fn run(n: usize, out: *mut u8, args: &Args) {
        // SAFETY: the caller's promise for this manner.
        unsafe {
            let c = lane::<F::Lane>(args[2]);
            two(room::<F::Lane>(out, n), lanes(args[0], n), lanes(args[1], n), |a, b| F::one(a, b, c));
        }
    }
}

impl<F: Ternary> Body for WithinLast<F> {
    #[inline(always)]
    unsafe fn run(n: usize, out: *mut u8, args: &Args) {
        // SAFETY: the caller's promise for this manner.
        unsafe {
            let c = lane::<F::Lane>(args[2]);
            pairs(room::<F::Lane>(out, n), lanes(args[1], n), |a, b| F::one(a, b, c));
        }
    }
}

impl<F: Unary> Body for Within<F, 1> {
    #[inline(always)]
    unsafe fn run(n: usize, out: *mut u8, _: &Args) {
        // SAFETY: the caller's promise for this manner.
        unsafe { within(room::<F::Lane>(out, n), F::one) }
    }
}

impl<F: Binary<Out = <F as Binary>::Lane>> Body for Within<F, 2> {
    #[inline(always)]
    unsafe fn run(n: usize, out: *mut u8, args: &Args) {
        // SAFETY: the caller's promise for this manner.
        unsafe { pairs(room::<F::Lane>(out, n), lanes(args[1], n), F::one) }
    }
}

impl<F: Binary<Out = <F as Binary>::Lane>> Body for WithinRest<F, 2> {
    #[inline(always)]
    unsafe fn run(n: usize, out: *mut u8, args: &Args) {
        // SAFETY: the caller's promise for this manner.
        unsafe {
            let b = lane::<F::Lane>(args[1]);
            within(room::<F::Lane>(out, n), |a| F::one(a, b));
        }
    }
}

impl<F: Ternary> Body for WithinRest<F, 3> {
    #[inline(always)]
    unsafe fn run(n: usize, out: *mut u8, args: &Args) {
        // SAFETY: the caller's promise for this manner.
        unsafe {
            let (b, c) = (lane::<F::Lane>(args[1]), lane::<F::Lane>(args[2]));
            within(room::<F::Lane>(out, n), |a| F::one(a, b, c));
        }
    }
}
