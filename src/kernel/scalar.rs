//! One function of scalars as data: its name, a block loop per compute class, and the text a GPU compiles.
//!
//! `scalar!` is the only way to declare one, so that a new elementwise operation is one literal in one row.

use super::element::Lane;
use super::half;
use super::isa::{Versions, versions};
use super::manner::{MANNERS, Manners};
use super::rest::Rest;
use crate::dtype::{Class, DType};
use anyhow::Result;
use num_complex::Complex;

/// Most arguments of a scalar function.
pub const MAX_ARGS: usize = 4;

/// Computes `n` results from `n` values of each argument.
///
/// # Safety
/// `out` and as many of `args` as the function has arguments point to `n` lanes of the classes its [`Loop`] names, and `out`
/// overlaps none of them.
pub type BlockFn = unsafe fn(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]);

/// The loops of a function over lanes of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The loop for each instruction set, over arguments and results that lie apart from each other.
    pub run: Versions<BlockFn>,
    /// Those for other ways to lie.
    pub manners: Manners<Versions<BlockFn>>,
}

impl Block {
    /// With loops for arguments that lie apart, alone.
    pub const fn plain(run: Versions<BlockFn>) -> Block {
        Block { run, manners: [None; MANNERS] }
    }
}

/// The loops of one compute class.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// Class of the result lanes.
    pub out: Class,
    /// The loops.
    pub block: Block,
}

/// What an argument is cast to before the loop sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The dtype in which the function is computed; it takes part in promotion.
    Common,
    /// bool, whatever the others are.
    Truth,
}

/// In which dtype a function is computed and which dtype its result has, given the promoted dtype of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Computed in the promoted dtype, which the result keeps.
    Promote,
    /// Integers and bools become the default float dtype first.
    Float,
    /// Computed in the promoted dtype; the result is bool.
    Truth,
    /// Computed in the promoted dtype; a complex operand gives its real dtype.
    Real,
    /// As `Real`, and integers become the default float dtype first.
    RealFloat,
    /// Computed in the promoted float dtype; the result is the complex dtype of it.
    Complex,
}

impl Rule {
    /// The dtype to compute in and the dtype of the result.
    pub fn resolve(self, common: DType, default: DType) -> (DType, DType) {
        let float = || if common.is_integral(true) { default } else { common };
        match self {
            Rule::Promote => (common, common),
            Rule::Float => (float(), float()),
            Rule::Truth => (common, DType::Bool),
            Rule::Real => (common, common.to_real()),
            Rule::RealFloat => (float(), float().to_real()),
            Rule::Complex => (common, common.to_complex()),
        }
    }
}

/// What PyTorch takes the Python numbers among a function's operands for, and where it makes the result like the first operand before
/// anything is computed: with its strides, also those along dimensions of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// 0-d tensors, rounded to the dtype that is computed in.
    Operands,
    /// The same, but the second operand is not rounded to a 16-bit dtype first, be it a number or a 0-d tensor.
    Exact,
    /// No tensors: they have no say in the result's strides.
    Aside,
    /// As `Aside`, and the result is like the one tensor.
    Like,
    /// Complex numbers: the result is like the operand.
    LikeComplex,
    /// Integers and bools: the result is like the operand.
    LikeWhole,
    /// The same; else sizes are compared with the number infinity, which counts as an operand.
    LikeWholeOrCompared,
    /// Real numbers: the result is like the operand; else imaginary parts are compared with the number 0, which counts as an operand.
    LikeRealOrCompared,
}

impl Numbers {
    /// True where PyTorch makes the result like the first operand before anything is computed in this dtype.
    pub fn is_like(self, compute: DType) -> bool {
        match self {
            Numbers::Like => true,
            Numbers::LikeComplex => compute.is_complex(),
            Numbers::LikeWhole | Numbers::LikeWholeOrCompared => compute.is_integral(true),
            Numbers::LikeRealOrCompared => !compute.is_complex(),
            Numbers::Operands | Numbers::Exact | Numbers::Aside => false,
        }
    }

    /// True where it compares with a number that counts as an operand.
    pub fn is_compared(self) -> bool {
        matches!(self, Numbers::LikeWholeOrCompared | Numbers::LikeRealOrCompared)
    }
}

/// A function of up to four scalars.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    /// As in messages and listings.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: &'static [Argument],
    /// The dtype rule.
    pub rule: Rule,
    /// What Python numbers among its operands are.
    pub numbers: Numbers,
    /// A loop per [`Class`], in its order; none where PyTorch refuses the dtype.
    pub loops: [Option<Loop>; 6],
    /// Loops over elements of narrow dtypes as they lie in memory, see [`Scalar::narrow`].
    pub narrow: [Option<Block>; NARROW],
    /// The function as a CUDA C expression over `a`, `b`, … (its argument names) and the type `T`.
    pub cuda: &'static str,
    /// How the rest of a row behind whole vectors is computed, where that differs.
    pub rest: Option<&'static Rest>,
}

impl Scalar {
    /// The same function, with another way to compute the rest of a row.
    pub const fn with_rest(self, rest: &'static Rest) -> Scalar {
        Scalar { rest: Some(rest), ..self }
    }

    /// What differs behind the last whole vector of a row of this dtype, if anything does.
    pub fn rest(&self, dtype: DType) -> Option<&'static Rest> {
        self.rest.filter(|rest| rest.scalar.block(dtype).is_some())
    }

    /// The loop that computes in this dtype, if there is one.
    pub fn block(&self, dtype: DType) -> Option<&Loop> {
        self.loops[dtype.class() as usize].as_ref()
    }

    /// The loop over elements of a dtype that is narrower than its class, if there is one: lanes are elements, truth values are
    /// bytes.
    pub fn narrow(&self, dtype: DType) -> Option<Block> {
        let place = narrow_place(dtype).filter(|_| !half::is_small(dtype) || half::has_loops())?;
        self.narrow[place]
    }

    /// The same; fails with a `NotImplementedError` when there is none.
    pub fn require(&self, dtype: DType) -> Result<&Loop> {
        match self.block(dtype) {
            Some(block) => Ok(block),
            None => fault!(NotImplementedError, "\"{}\" not implemented for '{}'", self.name, dtype.title()),
        }
    }
}

/// Dtypes that a function may have a loop over elements for.
pub const NARROW: usize = 9;

/// The place of a dtype among the narrow ones.
pub const fn narrow_place(dtype: DType) -> Option<usize> {
    Some(match dtype {
        DType::U8 => 0,
        DType::I8 => 1,
        DType::I16 => 2,
        DType::I32 => 3,
        DType::U16 => 4,
        DType::U32 => 5,
        DType::Bool => 6,
        DType::F16 => 7,
        DType::BF16 => 8,
        _ => return None,
    })
}

/// The loop body of a scalar function in one class.
pub trait Body: 'static {
    /// As [`BlockFn`].
    ///
    /// # Safety
    /// As [`BlockFn`].
    unsafe fn run(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]);
}

#[inline(always)]
unsafe fn run_body<B: Body>(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) {
    // SAFETY: the caller's promise is passed on.
    unsafe { B::run(n, out, args) }
}

versions! {
    /// A body for every instruction set.
    pub fn body_versions<B: Body>(n: usize, out: *mut u8, args: &[*const u8; MAX_ARGS]) = run_body
}

/// What a body may answer: a lane, or a truth value.
pub trait Answer<L> {
    /// As a lane.
    fn lane(self) -> L;
}

impl<L: Lane> Answer<L> for L {
    #[inline(always)]
    fn lane(self) -> L {
        self
    }
}

impl Answer<u8> for bool {
    #[inline(always)]
    fn lane(self) -> u8 {
        self as u8
    }
}

macro_rules! narrow_answers {
    ($($t:ty),*) => { $(impl Answer<$t> for $t {
        #[inline(always)]
        fn lane(self) -> $t { self }
    })* };
}

narrow_answers!(u8, i8, i16, i32, u16, u32);

impl Answer<i64> for bool {
    #[inline(always)]
    fn lane(self) -> i64 {
        self as i64
    }
}

/// The real and the complex lane of a class.
pub trait Parts: Lane {
    /// The lane of its parts.
    type Real: Lane;
    /// The lane that has such parts.
    type Complex: Lane;
}

macro_rules! parts {
    ($($t:ty: $real:ty, $complex:ty;)*) => { $(impl Parts for $t { type Real = $real; type Complex = $complex; })* };
}

parts! {
    f32: f32, Complex<f32>;
    f64: f64, Complex<f64>;
    i64: i64, Complex<f32>;
    u64: u64, Complex<f32>;
    Complex<f32>: f32, Complex<f32>;
    Complex<f64>: f64, Complex<f64>;
}

/// Declares a [`Scalar`]:
///
/// ```text
/// scalar! { sqrt(a), Float, "sqrt(a)"; float: a.sqrt(); complex: a.sqrt() }
/// scalar! { eq(a, b), Truth, "a == b"; any => bool: a == b }
/// scalar! { where(c: bool, a, b), Promote, "c ? a : b"; any: if c { a } else { b } }
/// scalar! { abs(a), Real, "abs(a)"; i64: a.wrapping_abs(); u64: a; float: a.abs(); complex => real: a.norm() }
/// ```
///
/// `light` in front of the name is for functions that take less time than memory does: they get the loops of
/// [`manner`](crate::kernel::manner), and those of [`half`] over elements of 16 bits.
///
/// Behind the rule may stand what numbers are, as in `mul(a, b), Promote Exact, …` (see [`Numbers`]).
///
/// A group is `any`, `float`, `integer`, `real`, `complex` or a single lane (`f32 f64 i64 u64 c64 c128`). Beyond the classes there
/// are `narrow`, integers of up to 32 bits in lanes of their own (`signed` and `unsigned` for those with and without a sign), `truth`, bools as the
/// bytes 0 and 1, `whole` for `integer` and `narrow`, and `bits` for `whole` and `truth`; they must give what the class gives
/// after wrapping. `single` and `double` take a loop from [`wide`](crate::kernel::vector::wide) for float32 and float64 instead of an
/// expression; behind `float`, that is the loop over arguments that lie apart. In the expression
/// `T` is the lane type. An expression may leave some values to another one, `expression, unless condition => expression`: so a
/// loop stays free of branches, and only a block that has such values walks them again. The result is a `T`, or after `=>` a `bool`, the `real` or the `complex` type of `T`.
#[macro_export]
macro_rules! scalar {
    (@class any $($rest:tt)*) => { $crate::scalar!(@class real $($rest)*); $crate::scalar!(@class complex $($rest)*); };
    (@class real $($rest:tt)*) => { $crate::scalar!(@class integer $($rest)*); $crate::scalar!(@class float $($rest)*); };
    (@class bits $($rest:tt)*) => { $crate::scalar!(@class whole $($rest)*); $crate::scalar!(@class truth $($rest)*); };
    (@class whole $($rest:tt)*) => { $crate::scalar!(@class integer $($rest)*); $crate::scalar!(@class narrow $($rest)*); };
    (@class narrow $($rest:tt)*) => {
        $crate::scalar!(@class unsigned $($rest)*);
        $crate::scalar!(@class signed $($rest)*);
    };
    (@class signed $($rest:tt)*) => {
        $crate::scalar!(@narrow I8 (i8) $($rest)*);
        $crate::scalar!(@narrow I16 (i16) $($rest)*);
        $crate::scalar!(@narrow I32 (i32) $($rest)*);
    };
    (@class unsigned $($rest:tt)*) => {
        $crate::scalar!(@narrow U8 (u8) $($rest)*);
        $crate::scalar!(@narrow U16 (u16) $($rest)*);
        $crate::scalar!(@narrow U32 (u32) $($rest)*);
    };
    (@class truth $($rest:tt)*) => { $crate::scalar!(@narrow Bool (u8) $($rest)*); };
    (@class single $loops:ident $narrow:ident [$weight:ident] $args:tt $loop:expr) => {
        $crate::scalar!(@by_hand F32 $loops $loop);
    };
    (@class double $loops:ident $narrow:ident [$weight:ident] $args:tt $loop:expr) => {
        $crate::scalar!(@by_hand F64 $loops $loop);
    };
    (@class integer $($rest:tt)*) => { $crate::scalar!(@class i64 $($rest)*); $crate::scalar!(@class u64 $($rest)*); };
    (@class float $($rest:tt)*) => { $crate::scalar!(@class f32 $($rest)*); $crate::scalar!(@class f64 $($rest)*); };
    (@class complex $($rest:tt)*) => { $crate::scalar!(@class c64 $($rest)*); $crate::scalar!(@class c128 $($rest)*); };
    (@class c64 $($rest:tt)*) => { $crate::scalar!(@loop (::num_complex::Complex<f32>) $($rest)*); };
    (@class c128 $($rest:tt)*) => { $crate::scalar!(@loop (::num_complex::Complex<f64>) $($rest)*); };
    (@class f32 $loops:ident $narrow:ident [light $($out:ident)?] $args:tt $body:expr) => {
        $crate::scalar!(@loop (f32) $loops $narrow [light $($out)?] $args $body);
        $crate::scalar!(@sixteen $narrow [$($out)?] $args $body);
    };
    (@class $lane:ident $($rest:tt)*) => { $crate::scalar!(@loop ($lane) $($rest)*); };

    (@by_hand $class:ident $loops:ident $loop:expr) => {
        let out = $crate::dtype::Class::$class;
        let block = match $loops[out as usize] {
            Some($crate::kernel::scalar::Loop { block, .. }) => $crate::kernel::scalar::Block { run: $loop, ..block },
            None => $crate::kernel::scalar::Block::plain($loop),
        };
        $loops[out as usize] = Some($crate::kernel::scalar::Loop { out, block });
    };

    (@sixteen $narrow:ident [$out:ident] ($a:ident) $body:expr) => {};
    (@sixteen $narrow:ident [$($out:ident)?] $args:tt $body:expr) => {{
        type T = f32;
        type Out = $crate::scalar!(@narrow_out $($out)?);
        struct This;
        $crate::scalar!(@one This [$($out)?] $args $body);
        let [half, brain] = $crate::scalar!(@pair This $args);
        if let (Some(f16), Some(bf16)) = (
            $crate::kernel::scalar::narrow_place($crate::dtype::DType::F16),
            $crate::kernel::scalar::narrow_place($crate::dtype::DType::BF16),
        ) {
            ($narrow[f16], $narrow[bf16]) = (half, brain);
        }
    }};
    (@pair $this:ident ($a:ident)) => { $crate::kernel::half::unary::<$this>() };
    (@pair $this:ident ($a:ident, $b:ident)) => { $crate::kernel::half::binary::<$this>() };
    (@pair $this:ident ($a:ident, $b:ident, $c:ident)) => { $crate::kernel::half::ternary::<$this>() };

    (@out) => { T };
    (@out bool) => { i64 };
    (@out real) => { <T as $crate::kernel::scalar::Parts>::Real };
    (@out complex) => { <T as $crate::kernel::scalar::Parts>::Complex };

    (@argument) => { $crate::kernel::scalar::Argument::Common };
    (@argument bool) => { $crate::kernel::scalar::Argument::Truth };
    (@narrow_out) => { T };
    (@narrow_out bool) => { u8 };
    (@lane $truth:ident) => { T };
    (@lane $truth:ident bool) => { $truth };
    (@value $x:expr) => { $x };
    (@value $x:expr, bool) => { $x != 0 };

    (@loop ($lane:ty) $loops:ident $narrow:ident [$weight:ident $($out:ident)?] $args:tt $body:expr $(, unless $test:expr => $slow:expr)?) => {{
        type T = $lane;
        type Out = $crate::scalar!(@out $($out)?);
        struct This;
        $crate::scalar!(@body This i64 $args $body $(, unless $test => $slow)?);
        $loops[<T as $crate::kernel::element::Lane>::CLASS as usize] = Some($crate::kernel::scalar::Loop {
            out: <Out as $crate::kernel::element::Lane>::CLASS,
            block: $crate::scalar!(@block $weight This [$($out)?] $args $body),
        });
    }};

    (@narrow $dtype:ident ($lane:ty) $loops:ident $narrow:ident [$weight:ident $($out:ident)?] $args:tt $body:expr) => {{
        type T = $lane;
        type Out = $crate::scalar!(@narrow_out $($out)?);
        struct This;
        $crate::scalar!(@body This u8 $args $body);
        if let Some(place) = $crate::kernel::scalar::narrow_place($crate::dtype::DType::$dtype) {
            $narrow[place] = Some($crate::scalar!(@block $weight This [$($out)?] $args $body));
        }
    }};

    (@block heavy $this:ident $out:tt $args:tt $body:expr) => {
        $crate::kernel::scalar::Block::plain($crate::kernel::scalar::body_versions::<$this>())
    };
    (@block light $this:ident [$out:ident] ($a:ident) $body:expr) => { $crate::scalar!(@block heavy $this [$out] ($a) $body) };
    (@block light $this:ident $out:tt $args:tt $body:expr) => {{
        $crate::scalar!(@one $this $out $args $body);
        $crate::kernel::scalar::Block {
            run: $crate::kernel::scalar::body_versions::<$this>(),
            manners: $crate::scalar!(@manners $this $out $args),
        }
    }};

    (@one $this:ident [] ($a:ident) $body:expr) => { $crate::scalar!(@function $this Unary [] ($a) $body); };
    (@one $this:ident [$($out:ident)?] ($a:ident, $b:ident) $body:expr) => {
        $crate::scalar!(@function $this Binary [type Out = Out;] ($a, $b) $body);
    };
    (@one $this:ident [] ($a:ident, $b:ident, $c:ident) $body:expr) => { $crate::scalar!(@function $this Ternary [] ($a, $b, $c) $body); };
    (@function $this:ident $of:ident [$($result:tt)*] ($($arg:ident),*) $body:expr) => {
        impl $crate::kernel::manner::$of for $this {
            type Lane = T;
            $($result)*
            #[allow(unused_variables)]
            #[inline(always)]
            fn one($($arg: T),*) -> Out {
                $crate::kernel::scalar::Answer::<Out>::lane($body)
            }
        }
    };

    (@manners $this:ident [] ($a:ident)) => { $crate::kernel::manner::unary::<$this>() };
    (@manners $this:ident [] ($a:ident, $b:ident)) => { $crate::kernel::manner::binary_within::<$this>() };
    (@manners $this:ident [$out:ident] ($a:ident, $b:ident)) => { $crate::kernel::manner::binary::<$this>() };
    (@manners $this:ident [] ($a:ident, $b:ident, $c:ident)) => { $crate::kernel::manner::ternary::<$this>() };

    (@body $this:ident $truth:ident ($($arg:ident $(: $kind:ident)?),*) $body:expr $(, unless $test:expr => $slow:expr)?) => {
        // A function may leave an argument aside: no integer is infinite.
        #[allow(unused_variables)]
        #[inline(always)]
        fn apply(out: &mut [Out], $($arg: &[$crate::scalar!(@lane $truth $($kind)?)]),*) {
            let n = out.len();
            $(let $arg = &$arg[..n];)*
            for i in 0..n {
                $(let $arg = $crate::scalar!(@value $arg[i] $(, $kind)?);)*
                out[i] = $crate::kernel::scalar::Answer::<Out>::lane($body);
            }
            $crate::scalar!(@again out n ($($arg $(: $kind)?),*) $(, unless $test => $slow)?);
        }
        impl $crate::kernel::scalar::Body for $this {
            #[inline(always)]
            unsafe fn run(n: usize, out: *mut u8, args: &[*const u8; $crate::kernel::scalar::MAX_ARGS]) {
                let [$($arg,)* ..] = *args;
                // SAFETY: the caller of a block function promises n lanes of these types behind each pointer and an `out`
                // that overlaps no argument.
                unsafe {
                    apply(
                        ::std::slice::from_raw_parts_mut(out as *mut Out, n),
                        $(::std::slice::from_raw_parts($arg as *const $crate::scalar!(@lane $truth $($kind)?), n)),*
                    )
                }
            }
        }
    };

    (@again $out:ident $n:ident $args:tt) => {};
    (@again $out:ident $n:ident ($($arg:ident $(: $kind:ident)?),*), unless $test:expr => $slow:expr) => {
        let mut any = false;
        for i in 0..$n {
            $(let $arg = $crate::scalar!(@value $arg[i] $(, $kind)?);)*
            any |= $test;
        }
        if any {
            for i in 0..$n {
                $(let $arg = $crate::scalar!(@value $arg[i] $(, $kind)?);)*
                if $test {
                    $out[i] = $crate::kernel::scalar::Answer::<Out>::lane($slow);
                }
            }
        }
    };

    (@arguments ($($arg:ident $(: $kind:ident)?),*)) => { &[$($crate::scalar!(@argument $($kind)?)),*] };

    (@numbers) => { $crate::kernel::scalar::Numbers::Operands };
    (@numbers $numbers:ident) => { $crate::kernel::scalar::Numbers::$numbers };

    (light $name:ident $($rest:tt)*) => { $crate::scalar!(@scalar light $name $($rest)*) };
    ($name:ident $($rest:tt)*) => { $crate::scalar!(@scalar heavy $name $($rest)*) };
    (@scalar $weight:ident $name:ident $args:tt, $rule:ident $($numbers:ident)?, $cuda:literal; $($group:ident $(=> $out:ident)?: $body:expr $(, unless $test:expr => $slow:expr)?);+ $(;)?) => {{
        #[allow(unused_mut)]
        let (mut loops, mut narrow): ([Option<$crate::kernel::scalar::Loop>; 6], _) = ([None; 6], [None; $crate::kernel::scalar::NARROW]);
        $($crate::scalar!(@class $group loops narrow [$weight $($out)?] $args $body $(, unless $test => $slow)?);)+
        $crate::kernel::scalar::Scalar {
            name: stringify!($name),
            arguments: $crate::scalar!(@arguments $args),
            rule: $crate::kernel::scalar::Rule::$rule,
            numbers: $crate::scalar!(@numbers $($numbers)?),
            loops,
            narrow,
            cuda: $cuda,
            rest: None,
        }
    }};
}
