//! Elements at places that tensors of indices name: read, written, or combined with what is there.
//!
//! A plan walks the values, the table and the indices side by side. The table stands still along the dimensions that are
//! indexed; each index moves it from there.

use super::element::{Element, Lane};
use super::fold::Spread;
use super::isa::{pick, versions};
use super::plan::{Plan, Tile};
use crate::dtype::DType;
use crate::{for_element, interrupt};
use anyhow::Result;
use num_complex::Complex;
use rayon::prelude::*;
use smallvec::SmallVec;
use std::marker::PhantomData;

/// What happens at each place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The value is read from the table.
    Read,
    /// The value is written to the table; where several meet, the last stays.
    Write,
    /// The value is combined with what the table holds, one after the other.
    Combine(Combine),
}

/// How values that meet become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// Their sum.
    Add,
    /// Their product.
    Multiply,
    /// The greatest; NaN wins.
    Greatest,
    /// The least; NaN wins.
    Least,
}

/// A dimension of the table that is indexed.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// How many places it has. Indices lie in `-size..size`; negative ones count from the end.
    pub size: i64,
    /// Bytes from one place to the next.
    pub stride: isize,
}

/// Work for a device.
pub struct Task<'a> {
    /// Operands: values, table, then one int64 tensor of indices per axis. When something is written to the table, it comes
    /// first and the values second.
    pub plan: &'a Plan,
    /// The start of each operand's storage.
    pub at: &'a [*mut u8],
    /// The indexed dimensions, in the order of their indices.
    pub axes: &'a [Axis],
    /// What happens at each place.
    pub action: Action,
    /// The dtype of table and values.
    pub dtype: DType,
}

/// How many elements a piece of work has, at most, when rows are short.
const PIECE: usize = 1 << 14;

/// Runs a task.
///
/// # Safety
/// Everything the plan reaches, moved by any index along its axis, is readable, or writable where the action writes, of the
/// dtype given, and untouched by others during the call. Indices are in range. What is written overlaps nothing else.
pub unsafe fn run(task: &Task, spread: Spread) -> Result<()> {
    if task.plan.numel() == 0 {
        return Ok(());
    }
    let plan = task.plan.with_tiles_of(PIECE);
    let shared = Shared(Task { plan: &plan, ..*task });
    let row = row_function(task.action, task.dtype);
    if task.action == Action::Read {
        // SAFETY: the caller's promise; tiles are disjoint parts of the values.
        return spread(plan.tiles(), plan.tile_numel(), &|tiles| unsafe { shared.get().visit(tiles, row) });
    }
    match shared.get().apart() {
        Some(dim) => {
            let size = plan.sizes()[dim];
            let step = size.div_ceil(PARTS).max(if dim == 0 { NARROW } else { 1 });
            // SAFETY: the caller's promise; places in different parts do not meet.
            spread(size.div_ceil(step), plan.numel() / size * step, &|parts| unsafe {
                for first in parts.map(|part| part * step) {
                    let part = task.plan.narrow(dim, first, step.min(size - first)).with_tiles_of(PIECE);
                    shared.get().in_order(&part, row);
                }
            })
        }
        None => {
            // SAFETY: the caller's promise.
            unsafe { shared.get().in_order(&plan, row) };
            interrupt::check()
        }
    }
}

/// Parts of a table that are written side by side, at most.
const PARTS: usize = 16;

/// Columns that are worth a part of their own.
const NARROW: usize = 256;

/// Bytes of a table that are fetched in order before they are read out of order, at most: what stays in the nearest cache.
const NEAR: i64 = 1 << 14;

/// Asks for what lies from here on, a line of a cache at a time.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
fn fetch(from: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: nothing is read that could fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(line) as *const i8) };
    }
}

/// True when all int64, given by their bytes, lie in `low..high`.
pub fn all_between(numbers: &[[u8; 8]], low: i64, high: i64) -> bool {
    let run = pick(outside_versions());
    let is_within = |piece: &[[u8; 8]]| {
        let mut outside = false;
        // SAFETY: a slice and a place of our own.
        unsafe { run(piece, low, high, &mut outside) };
        !outside
    };
    numbers.par_chunks(1 << 16).all(is_within)
}

versions! { fn outside_versions<>(numbers: &[[u8; 8]], low: i64, high: i64, outside: &mut bool) = any_outside }

/// Without an early way out, so that the loop is vectorised.
#[inline(always)]
unsafe fn any_outside(numbers: &[[u8; 8]], low: i64, high: i64, outside: &mut bool) {
    let mut any = false;
    for n in numbers {
        let n = i64::from_ne_bytes(*n);
        any |= n < low || n >= high;
    }
    *outside = any;
}

/// A task that worker threads may look at.
struct Shared<'a>(Task<'a>);

// SAFETY: a launch owns what its kernel reaches until it is done, and workers write disjoint elements.
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    fn get(&self) -> &Task<'a> {
        &self.0
    }
}

/// One row of a tile: where its operands begin and how they move.
struct Row<'a> {
    table: *mut u8,
    values: *mut u8,
    len: usize,
    table_step: isize,
    values_step: isize,
    indices: SmallVec<[(*const u8, isize); 4]>,
    axes: &'a [Axis],
}

type RowFn = unsafe fn(row: &Row<'_>);

impl Task<'_> {
    /// The outermost dimension of the walk along which the table moves, so that what different places of it write cannot meet; none
    /// when cells of the table may be one and the same.
    fn apart(&self) -> Option<usize> {
        let steps = || self.plan.walks()[0].steps().iter().map(|s| s.unsigned_abs());
        let moving = |k: &usize| self.plan.sizes()[*k] > 1 && self.plan.walks()[0].steps()[*k] != 0;
        let walked = self.plan.sizes().iter().copied().zip(steps());
        let picked = self.axes.iter().map(|axis| (axis.size as usize, axis.stride.unsigned_abs()));
        let mut dims: SmallVec<[(usize, usize); 8]> =
            walked.filter(|(size, step)| *size > 1 && *step != 0).chain(picked.filter(|(size, _)| *size > 1)).collect();
        dims.sort_by_key(|(_, step)| *step);
        let mut reach = 0;
        let are_distinct = dims.iter().all(|(size, step)| {
            let fits = *step > reach;
            reach += (size - 1) * step;
            fits
        });
        (0..self.plan.sizes().len()).rfind(moving).filter(|_| are_distinct)
    }

    /// All tiles of a part of the walk, one after the other, since places may meet; until Ctrl-C.
    unsafe fn in_order(&self, part: &Plan, run: RowFn) {
        let task = Task { plan: part, ..*self };
        let step = (PIECE / part.tile_numel().max(1)).max(1);
        for start in (0..part.tiles()).step_by(step).take_while(|_| !interrupt::is_raised()) {
            // SAFETY: the caller's promise.
            unsafe { task.visit(start..(start + step).min(part.tiles()), run) };
        }
    }

    unsafe fn visit(&self, tiles: std::ops::Range<usize>, run: RowFn) {
        self.plan.visit(tiles, |tile| {
            for k in 0..tile.rows {
                // SAFETY: the caller's promise; the row lies in the tile.
                unsafe { run(&self.row(tile, k)) };
            }
        });
    }

    fn row(&self, tile: &Tile, k: usize) -> Row<'_> {
        let start = |operand: usize| {
            let patch = self.plan.patch(operand, tile);
            (self.at[operand].wrapping_offset(tile.starts[operand] + k as isize * patch.row_step), patch.step)
        };
        let (values, table) = if self.action == Action::Read { (0, 1) } else { (1, 0) };
        let ((values, values_step), (table, table_step)) = (start(values), start(table));
        let indices = (2..self.at.len()).map(start).map(|(at, step)| (at as *const u8, step)).collect();
        Row { table, values, len: tile.len, table_step, values_step, indices, axes: self.axes }
    }
}

impl Row<'_> {
    /// How far index number `i` of the row moves the table.
    #[inline(always)]
    unsafe fn moved(&self, i: usize) -> isize {
        let mut bytes = 0;
        for ((at, step), axis) in self.indices.iter().zip(self.axes) {
            // SAFETY: the caller's promise: the index is readable and in range.
            bytes += unsafe { axis.offset(*(at.offset(i as isize * step) as *const i64)) };
        }
        bytes
    }

    /// How far the indices that are the same along the whole row move the table.
    #[inline(always)]
    unsafe fn standing(&self) -> isize {
        let standing = self.indices.iter().zip(self.axes).filter(|((_, step), _)| *step == 0);
        // SAFETY: the caller's promise: the index is readable and in range.
        standing.map(|((at, _), axis)| axis.offset(unsafe { *(*at as *const i64) })).sum()
    }

    /// Table and values where both are read or written one element after the other.
    #[inline(always)]
    unsafe fn ready<E>(&self) -> Option<(*mut E, *mut E)> {
        let size = size_of::<E>() as isize;
        let follow = self.table_step == size && self.values_step == size && self.indices.iter().all(|(_, step)| *step == 0);
        // SAFETY: the caller's promise.
        follow.then(|| (self.table.wrapping_offset(unsafe { self.standing() }) as *mut E, self.values as *mut E))
    }

    /// Hands `f` each pair of a place in the table and a value.
    #[inline(always)]
    unsafe fn each<E>(&self, mut f: impl FnMut(*mut E, *mut E)) {
        let size = size_of::<E>() as isize;
        let place = |i: usize, bytes: isize| {
            let i = i as isize;
            (
                self.table.wrapping_offset(i * self.table_step + bytes) as *mut E,
                self.values.wrapping_offset(i * self.values_step) as *mut E,
            )
        };
        // SAFETY: the caller's promise is passed on: places are computed, `f` touches them.
        unsafe {
            if let Some((table, values)) = self.ready::<E>() {
                for i in 0..self.len {
                    f(table.add(i), values.add(i));
                }
                return;
            }
            let bytes = self.standing();
            let mut moving = self.indices.iter().zip(self.axes).filter(|((_, step), _)| *step != 0);
            match (moving.next(), moving.next()) {
                (None, _) => {
                    for i in 0..self.len {
                        let (table, value) = place(i, bytes);
                        f(table, value);
                    }
                }
                (Some(((at, step), axis)), None)
                    if (*step, axis.stride, self.table_step) == (size_of::<i64>() as isize, size, 0) =>
                {
                    let (at, table) = (*at as *const i64, self.table.wrapping_offset(bytes) as *mut E);
                    if axis.size * size as i64 <= NEAR && axis.size <= self.len as i64 * 4 {
                        fetch(table as *const u8, axis.size as usize * size_of::<E>());
                    }
                    for i in 0..self.len {
                        let index = axis.counted(*at.add(i));
                        f(table.wrapping_offset(index), self.values.wrapping_offset(i as isize * self.values_step) as *mut E);
                    }
                }
                (Some(((at, step), axis)), None) if (*step, self.values_step) == (size_of::<i64>() as isize, size) => {
                    let (at, values) = (*at as *const i64, self.values as *mut E);
                    for i in 0..self.len {
                        let moved = bytes + axis.offset(*at.add(i)) + i as isize * self.table_step;
                        f(self.table.wrapping_offset(moved) as *mut E, values.add(i));
                    }
                }
                (Some(((at, step), axis)), None) => {
                    for i in 0..self.len {
                        let (table, value) = place(i, bytes + axis.offset(*(at.offset(i as isize * step) as *const i64)));
                        f(table, value);
                    }
                }
                _ => {
                    for i in 0..self.len {
                        let (table, value) = place(i, self.moved(i));
                        f(table, value);
                    }
                }
            }
        }
    }
}

impl Axis {
    /// The index, counted from the start.
    #[inline(always)]
    fn counted(&self, index: i64) -> isize {
        (index + (self.size & (index >> 63))) as isize
    }

    /// How far an index moves.
    #[inline(always)]
    fn offset(&self, index: i64) -> isize {
        self.counted(index) * self.stride
    }
}

fn row_function(action: Action, dtype: DType) -> RowFn {
    match action {
        Action::Combine(how) => combine_function(how, dtype),
        moving => match (dtype.size(), moving == Action::Read) {
            (1, read) => move_function::<u8>(read),
            (2, read) => move_function::<u16>(read),
            (4, read) => move_function::<u32>(read),
            (8, read) => move_function::<u64>(read),
            (_, read) => move_function::<[u64; 2]>(read),
        },
    }
}

fn move_function<E: Copy>(read: bool) -> RowFn {
    if read { pick(read_versions::<E>()) } else { pick(write_versions::<E>()) }
}

fn combine_function(how: Combine, dtype: DType) -> RowFn {
    for_element!(dtype, E => pick(match how {
        Combine::Add => combine_versions::<Sum<E>>(),
        Combine::Multiply => combine_versions::<Product<E>>(),
        Combine::Greatest => combine_versions::<Greatest<E>>(),
        Combine::Least => combine_versions::<Least<E>>(),
    }))
}

versions! { fn read_versions<E: Copy>(row: &Row<'_>) = read_row }
versions! { fn write_versions<E: Copy>(row: &Row<'_>) = write_row }
versions! { fn combine_versions<C: Combining>(row: &Row<'_>) = combine_row }

#[inline(always)]
unsafe fn read_row<E: Copy>(row: &Row<'_>) {
    // SAFETY: the caller's promise.
    unsafe {
        match row.ready::<E>() {
            Some((table, values)) => std::ptr::copy_nonoverlapping(table, values, row.len),
            None => row.each::<E>(|table, value| *value = *table),
        }
    }
}

#[inline(always)]
unsafe fn write_row<E: Copy>(row: &Row<'_>) {
    // SAFETY: the caller's promise.
    unsafe {
        match row.ready::<E>() {
            Some((table, values)) => std::ptr::copy_nonoverlapping(values, table, row.len),
            None => row.each::<E>(|table, value| *table = *value),
        }
    }
}

#[inline(always)]
unsafe fn combine_row<C: Combining>(row: &Row<'_>) {
    // SAFETY: the caller's promise; `C` was chosen by the dtype.
    unsafe { row.each::<C::Element>(|table, value| *table = C::combine(*table, *value)) }
}

/// Combines two elements.
trait Combining: 'static {
    type Element: Copy;
    fn combine(table: Self::Element, value: Self::Element) -> Self::Element;
}

/// Numbers that can be combined.
trait Meeting: Lane {
    fn sum(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
    fn greatest(self, other: Self) -> Self;
    fn least(self, other: Self) -> Self;
}

macro_rules! meeting {
    ($($t:ty: |$a:ident, $b:ident| $sum:expr, $product:expr, $greatest:expr, $least:expr;)*) => { $(impl Meeting for $t {
        #[inline(always)]
        fn sum(self, other: Self) -> Self { let ($a, $b) = (self, other); $sum }
        #[inline(always)]
        fn product(self, other: Self) -> Self { let ($a, $b) = (self, other); $product }
        #[inline(always)]
        fn greatest(self, other: Self) -> Self { let ($a, $b) = (self, other); $greatest }
        #[inline(always)]
        fn least(self, other: Self) -> Self { let ($a, $b) = (self, other); $least }
    })* };
}

// Complex numbers have no order: operations refuse them before they get here.
meeting! {
    i64: |a, b| a.wrapping_add(b), a.wrapping_mul(b), a.max(b), a.min(b);
    u64: |a, b| a.wrapping_add(b), a.wrapping_mul(b), a.max(b), a.min(b);
    f32: |a, b| a + b, a * b, if b.is_nan() || a < b { b } else { a }, if b.is_nan() || b < a { b } else { a };
    f64: |a, b| a + b, a * b, if b.is_nan() || a < b { b } else { a }, if b.is_nan() || b < a { b } else { a };
    Complex<f32>: |a, b| a + b, a * b, if a.re < b.re { b } else { a }, if b.re < a.re { b } else { a };
    Complex<f64>: |a, b| a + b, a * b, if a.re < b.re { b } else { a }, if b.re < a.re { b } else { a };
}

macro_rules! combining {
    ($($name:ident $method:ident),*) => { $(
        struct $name<E>(PhantomData<E>);

        impl<E: Element<Lane: Meeting>> Combining for $name<E> {
            type Element = E;
            #[inline(always)]
            fn combine(table: E, value: E) -> E {
                E::narrow(table.widen().$method(value.widen()))
            }
        }
    )* };
}

combining! { Sum sum, Product product, Greatest greatest, Least least }
