//! Running results: every element is replaced by what the elements up to it give.
//!
//! Lines along the scanned dimension are independent; neighbouring ones are walked side by side.

use super::block::store;
use super::element::Lane;
use super::fold::{Dim, Operand, walk};
use super::isa::{Versions, pick, versions};
use super::plan::{BLOCK, Patch};
use super::program::Program;
use super::run::Registers;
use crate::dtype::{Class, DType};
use crate::interrupt;
use anyhow::Result;
use num_complex::Complex;
use smallvec::SmallVec;
use std::marker::PhantomData;

/// How the elements of a line of one class are run through.
pub trait Scanning: 'static {
    /// The class of the elements.
    type In: Lane;
    /// What is carried along.
    type Acc: Copy + Send + Sync + 'static;
    /// The class of the result.
    type Out: Lane;
    /// The class of the second result; the same as the first where there is none.
    type Second: Lane;
    /// True when there is a second result.
    const PAIR: bool = false;

    /// Before the first element.
    fn start() -> Self::Acc;
    /// Takes one more element, which is at place `at` of its line.
    fn step(acc: Self::Acc, x: Self::In, at: i64) -> Self::Acc;
    /// The result so far.
    fn give(acc: Self::Acc) -> (Self::Out, Self::Second);
}

/// A scan as data: its loops, one per class.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// As in messages.
    pub name: &'static str,
    /// A loop per [`Class`], in its order; none where PyTorch refuses the dtype.
    pub loops: [Option<ScanLoop>; 6],
}

/// The loop of one class.
#[derive(Clone, Copy, Debug)]
pub struct ScanLoop {
    /// Classes of the results.
    pub outs: [Class; 2],
    /// How many results there are.
    pub results: usize,
    start: unsafe fn(accs: *mut u8, lines: usize),
    step: Versions<StepFn>,
    lines: Versions<StepFn>,
}

/// Takes `rows` more elements of each of `lines` lines, which lie row by row or one after the other, and writes as many results.
type StepFn = unsafe fn(accs: *mut u8, block: *const u8, lines: usize, rows: usize, at: i64, outs: &[*mut u8; 2]);

impl ScanLoop {
    /// The loop of a scanning.
    pub const fn new<S: Scanning>() -> ScanLoop {
        ScanLoop {
            outs: [<S::Out as Lane>::CLASS, <S::Second as Lane>::CLASS],
            results: 1 + S::PAIR as usize,
            start: start::<S>,
            step: step_versions::<S>(),
            lines: line_versions::<S>(),
        }
    }
}

unsafe fn start<S: Scanning>(accs: *mut u8, lines: usize) {
    const { assert!(size_of::<S::Acc>() <= ACC) };
    for i in 0..lines {
        // SAFETY: the driver passes room for as many accumulators.
        unsafe { (accs as *mut S::Acc).add(i).write(S::start()) }
    }
}

versions! { fn step_versions<S: Scanning>(accs: *mut u8, block: *const u8, lines: usize, rows: usize, at: i64, outs: &[*mut u8; 2]) = step }

#[inline(always)]
unsafe fn step<S: Scanning>(accs: *mut u8, block: *const u8, lines: usize, rows: usize, at: i64, outs: &[*mut u8; 2]) {
    // SAFETY: the driver passes accumulators of `lines` lines, a block of `rows * lines` elements and room for as many
    // results.
    unsafe {
        let accs = std::slice::from_raw_parts_mut(accs as *mut S::Acc, lines);
        for row in 0..rows {
            for (line, acc) in accs.iter_mut().enumerate() {
                let i = row * lines + line;
                *acc = S::step(*acc, *(block as *const S::In).add(i), at + row as i64);
                let (first, second) = S::give(*acc);
                (outs[0] as *mut S::Out).add(i).write(first);
                if S::PAIR {
                    (outs[1] as *mut S::Second).add(i).write(second);
                }
            }
        }
    }
}

versions! { fn line_versions<S: Scanning>(accs: *mut u8, block: *const u8, lines: usize, rows: usize, at: i64, outs: &[*mut u8; 2]) = some_lines }

/// Lines in whole groups keep the machine busy where one alone waits for each of its results.
#[inline(always)]
unsafe fn some_lines<S: Scanning>(accs: *mut u8, block: *const u8, lines: usize, rows: usize, at: i64, outs: &[*mut u8; 2]) {
    // SAFETY: the driver passes accumulators of `lines` lines, a block of as many times `rows` elements and room for as many
    // results.
    unsafe {
        let (accs, block) = (accs as *mut S::Acc, block as *const S::In);
        if lines == GROUP {
            return interleaved::<S, GROUP>(&mut *(accs as *mut [S::Acc; GROUP]), block, rows, at, outs);
        }
        for line in 0..lines {
            let outs = [
                (outs[0] as *mut S::Out).add(line * rows) as *mut u8,
                (outs[1] as *mut S::Second).wrapping_add(line * rows) as *mut u8,
            ];
            interleaved::<S, 1>(&mut *(accs.add(line) as *mut [S::Acc; 1]), block.add(line * rows), rows, at, &outs);
        }
    }
}

/// `N` lines that lie one after the other.
#[inline(always)]
unsafe fn interleaved<S: Scanning, const N: usize>(
    accs: &mut [S::Acc; N],
    block: *const S::In,
    rows: usize,
    at: i64,
    outs: &[*mut u8; 2],
) {
    let mut sofar = *accs;
    for row in 0..rows {
        for (k, sofar) in sofar.iter_mut().enumerate() {
            let i = k * rows + row;
            // SAFETY: the caller passes the elements of `N` lines, and room for as many results.
            unsafe {
                *sofar = S::step(*sofar, *block.add(i), at + row as i64);
                let (first, second) = S::give(*sofar);
                (outs[0] as *mut S::Out).add(i).write(first);
                if S::PAIR {
                    (outs[1] as *mut S::Second).add(i).write(second);
                }
            }
        }
    }
    *accs = sofar;
}

/// Lines that follow each other and are walked together.
const GROUP: usize = 8;

/// Lines that are walked side by side, and bytes of the largest accumulator.
const LINES: usize = 64;
const ACC: usize = 16;

/// Which lines there are, and how they are walked.
#[derive(Clone, Debug)]
pub struct ScanPlan {
    along: Dim,
    /// The dimension of neighbouring lines.
    beside: Dim,
    /// Further dimensions, innermost first.
    rest: SmallVec<[Dim; 4]>,
    start: isize,
    outs: [isize; 2],
}

impl ScanPlan {
    /// Plans the walk of `sizes` along dimension `dim`; outputs have the same sizes.
    pub fn new(sizes: &[i64], dim: usize, input: &Operand, outputs: &[Operand]) -> ScanPlan {
        let others: SmallVec<[usize; 6]> = (0..sizes.len()).filter(|k| *k != dim).collect();
        let mut rest = walk(sizes, &others, std::slice::from_ref(input), outputs);
        let one = |dims: &[usize]| walk(sizes, dims, std::slice::from_ref(input), outputs).into_iter().next();
        let along = if dim < sizes.len() { one(&[dim]) } else { None }.unwrap_or_else(|| Dim::single(1));
        let beside = if rest.is_empty() { Dim::single(1) } else { rest.remove(0) };
        ScanPlan { along, beside, rest, start: input.start, outs: std::array::from_fn(|i| outputs.get(i).map_or(0, |o| o.start)) }
    }
}

/// A scan ready to run.
pub struct ScanTask<'a> {
    /// The loop.
    pub scan: &'a ScanLoop,
    /// Makes lanes from the input's elements.
    pub program: &'a Program,
    /// Which elements.
    pub plan: &'a ScanPlan,
    /// Start of the input's storage.
    pub input: *mut u8,
    /// Start of each output's storage, and its dtype.
    pub outputs: &'a [(*mut u8, DType)],
}

// SAFETY: the addresses belong to the launch that made the task; lines write their own results.
unsafe impl Sync for ScanTask<'_> {}

/// Runs a task, spreading groups of lines.
///
/// # Safety
/// Everything the plan reaches from the addresses is readable (input) or writable (outputs), of the dtypes that program and
/// outputs say, and untouched by others during the call.
pub unsafe fn run(task: &ScanTask, spread: super::fold::Spread) -> Result<()> {
    let plan = task.plan;
    let beside = plan.along.steps[0].abs() > plan.beside.steps[0].abs();
    let group = if beside { LINES } else { (BLOCK / plan.along.size).max(1) };
    let groups = plan.beside.size.div_ceil(group);
    let rest: usize = plan.rest.iter().map(|d| d.size).product();
    spread(groups * rest, plan.along.size * group.min(plan.beside.size), &|range| {
        Registers::with(task.program, BLOCK, |mut registers| {
            let mut room = Room::new(task);
            for i in range {
                let first = i % groups * group;
                let lines = group.min(plan.beside.size - first);
                let place = Place::new(plan, i / groups, first, lines);
                // SAFETY: the caller's promise; blocks hold `BLOCK` lanes, and no more are asked for.
                unsafe {
                    if beside && lines > 1 {
                        side_by_side(task, &place, &mut registers, &mut room);
                    } else {
                        one_by_one(task, &place, &mut registers, &mut room);
                    }
                }
            }
        });
    })?;
    interrupt::check()
}

/// Some neighbouring lines: where they begin.
struct Place {
    lines: usize,
    from: isize,
    to: [isize; 2],
}

impl Place {
    fn new(plan: &ScanPlan, rest: usize, first: usize, lines: usize) -> Place {
        let (mut from, mut to) = (plan.start + first as isize * plan.beside.steps[0], plan.outs);
        let outs = |dim: &Dim, i: isize, to: &mut [isize; 2]| to.iter_mut().zip(dim.outs).for_each(|(t, step)| *t += i * step);
        outs(&plan.beside, first as isize, &mut to);
        let mut number = rest;
        for dim in &plan.rest {
            let i = (number % dim.size) as isize;
            number /= dim.size;
            from += i * dim.steps[0];
            outs(dim, i, &mut to);
        }
        Place { lines, from, to }
    }
}

/// Accumulators and blocks of results.
struct Room {
    accs: [[u64; ACC / 8]; LINES],
    results: [Vec<[u64; 2]>; 2],
}

impl Room {
    fn new(task: &ScanTask) -> Room {
        let block = |wanted: bool| vec![[0u64; 2]; if wanted { BLOCK } else { 0 }];
        Room { accs: [[0; ACC / 8]; LINES], results: [block(true), block(task.outputs.len() > 1)] }
    }
}

/// Scans neighbouring lines row by row.
unsafe fn side_by_side(task: &ScanTask, place: &Place, registers: &mut Registers, room: &mut Room) {
    let (plan, lines) = (task.plan, place.lines);
    let patch = |rows: usize, along: isize, beside: isize| Patch { len: lines, rows, step: beside, row_step: along };
    let accs = room.accs.as_mut_ptr() as *mut u8;
    let results = room.results.each_mut().map(|r| r.as_mut_ptr() as *mut u8);
    // SAFETY: the caller's promise.
    unsafe {
        (task.scan.start)(accs, lines);
        let mut row = 0;
        while row < plan.along.size && !interrupt::is_raised() {
            let rows = (BLOCK / lines).min(plan.along.size - row);
            let at = task.input.wrapping_offset(place.from + row as isize * plan.along.steps[0]);
            let block = registers.block(rows * lines, |_| (at, patch(rows, plan.along.steps[0], plan.beside.steps[0])));
            pick(task.scan.step)(accs, block, lines, rows, row as i64, &results);
            for (i, (start, dtype)) in task.outputs.iter().enumerate() {
                let out = start.wrapping_offset(place.to[i] + row as isize * plan.along.outs[i]);
                store(*dtype)(out, results[i], &patch(rows, plan.along.outs[i], plan.beside.outs[i]));
            }
            row += rows;
        }
    }
}

/// Scans lines one after the other: several short ones that fit a block, or a long one block by block.
unsafe fn one_by_one(task: &ScanTask, place: &Place, registers: &mut Registers, room: &mut Room) {
    let (plan, lines) = (task.plan, place.lines);
    let patch = |len: usize, along: isize, beside: isize| Patch { len, rows: lines, step: along, row_step: beside };
    let accs = room.accs.as_mut_ptr() as *mut u8;
    let own = room.results.each_mut().map(|r| r.as_mut_ptr() as *mut u8);
    let mut row = 0;
    while row < plan.along.size && !interrupt::is_raised() {
        let len = BLOCK.min(plan.along.size - row);
        let at = task.input.wrapping_offset(place.from + row as isize * plan.along.steps[0]);
        let mut results = own;
        let mut stores: SmallVec<[(usize, *mut u8, Patch); 2]> = SmallVec::new();
        for (i, (start, dtype)) in task.outputs.iter().enumerate() {
            let out = start.wrapping_offset(place.to[i] + row as isize * plan.along.outs[i]);
            let patch = patch(len, plan.along.outs[i], plan.beside.outs[i]);
            if dtype.size() == dtype.class().size() && patch.is_gapless(dtype.size()) {
                results[i] = out;
            } else {
                stores.push((i, out, patch));
            }
        }
        // SAFETY: the caller's promise; results go to a block, or straight to an output of the very lanes.
        unsafe {
            let block = registers.block(len * lines, |_| (at, patch(len, plan.along.steps[0], plan.beside.steps[0])));
            for line in (0..lines).step_by(GROUP) {
                let many = GROUP.min(lines - line);
                if row == 0 {
                    (task.scan.start)(accs, many);
                }
                let first = line * len;
                let block = block.wrapping_add(first * task.program.output().class().size());
                let at: [*mut u8; 2] = std::array::from_fn(|i| results[i].wrapping_add(first * task.scan.outs[i].size()));
                pick(task.scan.lines)(accs, block, many, len, row as i64, &at);
            }
            for (i, out, patch) in stores {
                store(task.outputs[i].1)(out, results[i], &patch);
            }
        }
        row += len;
    }
}

macro_rules! scans {
    ($($(#[$doc:meta])* $name:ident $text:literal $scanning:ident: $($place:literal $class:ty),*;)*) => { $(
        $(#[$doc])*
        pub static $name: Scan = Scan {
            name: $text,
            loops: {
                let mut loops = [None; 6];
                $(loops[$place] = Some(ScanLoop::new::<$scanning<$class>>());)*
                loops
            },
        };
    )* };
}

scans! {
    /// The sum so far.
    CUMSUM "cumsum" Sum: 0 f32, 1 f64, 2 i64, 3 u64, 4 Complex<f32>, 5 Complex<f64>;
    /// The product so far.
    CUMPROD "cumprod" Product: 0 f32, 1 f64, 2 i64, 3 u64, 4 Complex<f32>, 5 Complex<f64>;
    /// The greatest so far and its last place; nan once there was one.
    CUMMAX "cummax" Max: 0 f32, 1 f64, 2 i64, 3 u64;
    /// The least so far and its last place; nan once there was one.
    CUMMIN "cummin" Min: 0 f32, 1 f64, 2 i64, 3 u64;
    /// The logarithm of the sum of exponentials so far.
    LOGCUMSUMEXP "logcumsumexp" LogSum: 0 f32, 1 f64, 4 Complex<f32>, 5 Complex<f64>;
}

/// A lane with the type that running sums and products of it are carried in.
pub trait Carried: Lane {
    /// The wider type.
    type Wide: Copy + Send + Sync + num_traits::Zero + num_traits::One + 'static;
    /// Widens.
    fn wide(self) -> Self::Wide;
    /// Rounds.
    fn narrow(wide: Self::Wide) -> Self;
    /// `a + b`, integers wrap.
    fn plus(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// `a * b`, integers wrap.
    fn times(a: Self::Wide, b: Self::Wide) -> Self::Wide;
}

macro_rules! carried {
    ($($t:ty => $wide:ty, $widen:expr, $narrow:expr, $plus:expr, $times:expr;)*) => { $(impl Carried for $t {
        type Wide = $wide;
        #[inline(always)]
        fn wide(self) -> $wide { let f: fn($t) -> $wide = $widen; f(self) }
        #[inline(always)]
        fn narrow(wide: $wide) -> $t { let f: fn($wide) -> $t = $narrow; f(wide) }
        #[inline(always)]
        fn plus(a: $wide, b: $wide) -> $wide { let f: fn($wide, $wide) -> $wide = $plus; f(a, b) }
        #[inline(always)]
        fn times(a: $wide, b: $wide) -> $wide { let f: fn($wide, $wide) -> $wide = $times; f(a, b) }
    })* };
}

carried! {
    f32 => f64, |x| x as f64, |x| x as f32, |a, b| a + b, |a, b| a * b;
    f64 => f64, |x| x, |x| x, |a, b| a + b, |a, b| a * b;
    i64 => i64, |x| x, |x| x, i64::wrapping_add, i64::wrapping_mul;
    u64 => u64, |x| x, |x| x, u64::wrapping_add, u64::wrapping_mul;
    Complex<f32> => Complex<f64>, |x| Complex::new(x.re as f64, x.im as f64), |x| Complex::new(x.re as f32, x.im as f32), |a, b| a + b, fused;
    Complex<f64> => Complex<f64>, |x| x, |x| x, |a, b| a + b, fused;
}

/// A complex product whose second products are added without rounding of the first, as PyTorch's compiler made them.
#[inline(always)]
fn fused(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    Complex::new(a.re.mul_add(b.re, -(a.im * b.im)), a.re.mul_add(b.im, a.im * b.re))
}

macro_rules! running {
    ($($name:ident $start:ident $op:ident;)*) => { $(
        struct $name<T>(PhantomData<T>);

        impl<T: Carried> Scanning for $name<T> {
            type In = T;
            type Acc = T::Wide;
            type Out = T;
            type Second = T;
            fn start() -> T::Wide {
                num_traits::$start()
            }
            #[inline(always)]
            fn step(acc: T::Wide, x: T, _: i64) -> T::Wide {
                T::$op(acc, x.wide())
            }
            #[inline(always)]
            fn give(acc: T::Wide) -> (T, T) {
                (T::narrow(acc), T::narrow(acc))
            }
        }
    )* };
}

running! {
    Sum zero plus;
    Product one times;
}

macro_rules! extremes {
    ($($name:ident $beats:tt;)*) => { $(
        struct $name<T>(PhantomData<T>);

        impl<T: Lane + PartialOrd> Scanning for $name<T> {
            type In = T;
            /// The best so far and its place; no place before the first element: -1.
            type Acc = (T, i64);
            type Out = T;
            type Second = i64;
            const PAIR: bool = true;
            fn start() -> (T, i64) {
                (T::default(), -1)
            }
            #[inline(always)]
            #[allow(clippy::eq_op)]
            fn step(acc: (T, i64), x: T, at: i64) -> (T, i64) {
                let better = acc.0 == acc.0 && x $beats acc.0;
                if acc.1 < 0 || x != x || better { (x, at) } else { acc }
            }
            #[inline(always)]
            fn give(acc: (T, i64)) -> (T, i64) {
                acc
            }
        }
    )* };
}

extremes! {
    Max >=;
    Min <=;
}

struct LogSum<T>(PhantomData<T>);

macro_rules! log_sums {
    ($($t:ty: $acc:ty, $step:path, $widen:expr, $narrow:expr;)*) => { $(
        impl Scanning for LogSum<$t> {
            type In = $t;
            type Acc = $acc;
            type Out = $t;
            type Second = $t;
            fn start() -> $acc {
                <$acc>::from(f64::NEG_INFINITY)
            }
            fn step(acc: $acc, x: $t, _: i64) -> $acc {
                let widen: fn($t) -> $acc = $widen;
                $step(acc, widen(x))
            }
            fn give(acc: $acc) -> ($t, $t) {
                let narrow: fn($acc) -> $t = $narrow;
                (narrow(acc), narrow(acc))
            }
        }
    )* };
}

log_sums! {
    f32: f64, log_sum, |x| x as f64, |x| x as f32;
    f64: f64, log_sum, |x| x, |x| x;
    Complex<f32>: Complex<f64>, complex_log_sum, Carried::wide, Carried::narrow;
    Complex<f64>: Complex<f64>, complex_log_sum, |x| x, |x| x;
}

fn log_sum(acc: f64, x: f64) -> f64 {
    let (low, high) = if acc.is_nan() || acc < x { (acc, x) } else { (x, acc) };
    if low == high && low.is_infinite() { x } else { (low - high).exp().ln_1p() + high }
}

fn complex_log_sum(acc: Complex<f64>, x: Complex<f64>) -> Complex<f64> {
    let (low, high) = if acc.re <= x.re { (acc, x) } else { (x, acc) };
    // What is added has a positive zero for its imaginary part, and that shows.
    if low.re == f64::NEG_INFINITY { high + Complex::new(0.0, 0.0) } else { ((low - high).exp() + 1.0).ln() + high }
}

impl Scan {
    /// The loop for a dtype, if there is one.
    pub fn block(&self, dtype: DType) -> Option<&ScanLoop> {
        self.loops[dtype.class() as usize].as_ref()
    }
}
