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
    for start in (0..plan.tiles()).step_by((PIECE / plan.tile_numel().max(1)).max(1)) {
        interrupt::check()?;
        let end = (start + (PIECE / plan.tile_numel().max(1)).max(1)).min(plan.tiles());
        // SAFETY: the caller's promise; one tile after the other, since places may meet.
        unsafe { shared.get().visit(start..end, row) };
    }
    Ok(())
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

    /// Hands `f` each pair of a place in the table and a value.
    #[inline(always)]
    unsafe fn each(&self, mut f: impl FnMut(*mut u8, *mut u8)) {
        let place = |i: usize, bytes: isize| {
            let i = i as isize;
            (self.table.wrapping_offset(i * self.table_step + bytes), self.values.wrapping_offset(i * self.values_step))
        };
        // SAFETY: the caller's promise is passed on: places are computed, `f` touches them.
        unsafe {
            if self.indices.iter().all(|(_, step)| *step == 0) {
                let bytes = self.moved(0);
                for i in 0..self.len {
                    let (table, value) = place(i, bytes);
                    f(table, value);
                }
            } else if let ([(at, step)], [axis]) = (self.indices.as_slice(), self.axes) {
                for i in 0..self.len {
                    let (table, value) = place(i, axis.offset(*(at.offset(i as isize * step) as *const i64)));
                    f(table, value);
                }
            } else {
                for i in 0..self.len {
                    let (table, value) = place(i, self.moved(i));
                    f(table, value);
                }
            }
        }
    }
}

impl Axis {
    /// How far an index moves.
    #[inline(always)]
    fn offset(&self, index: i64) -> isize {
        (index + (self.size & (index >> 63))) as isize * self.stride
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
    for_element!(dtype, E => match how {
        Combine::Add => combine_row::<Sum<E>>,
        Combine::Multiply => combine_row::<Product<E>>,
        Combine::Greatest => combine_row::<Greatest<E>>,
        Combine::Least => combine_row::<Least<E>>,
    })
}

versions! { fn read_versions<E: Copy>(row: &Row<'_>) = read_row }
versions! { fn write_versions<E: Copy>(row: &Row<'_>) = write_row }

#[inline(always)]
unsafe fn read_row<E: Copy>(row: &Row<'_>) {
    // SAFETY: the caller's promise.
    unsafe { row.each(|table, value| *(value as *mut E) = *(table as *const E)) }
}

#[inline(always)]
unsafe fn write_row<E: Copy>(row: &Row<'_>) {
    // SAFETY: the caller's promise.
    unsafe { row.each(|table, value| *(table as *mut E) = *(value as *const E)) }
}

unsafe fn combine_row<C: Combining>(row: &Row<'_>) {
    // SAFETY: the caller's promise; `C` was chosen by the dtype.
    unsafe { row.each(|table, value| C::combine(table, value)) }
}

/// Combines two elements that lie in memory.
trait Combining: 'static {
    /// # Safety
    /// Both point to elements of the type this was made for; the first one is writable.
    unsafe fn combine(table: *mut u8, value: *const u8);
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
            #[inline(always)]
            unsafe fn combine(table: *mut u8, value: *const u8) {
                // SAFETY: the caller's promise.
                unsafe {
                    let place = table as *mut E;
                    *place = E::narrow((*place).widen().$method((*(value as *const E)).widen()));
                }
            }
        }
    )* };
}

combining! { Sum sum, Product product, Greatest greatest, Least least }
