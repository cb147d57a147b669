//! Host memory and the host's cores.

use super::shelf::{self, ALIGN};
use super::{Address, Device, Info, Kernel, Memory, proc};
use crate::dtype::DType;
use crate::interrupt;
use crate::kernel::matmul::{Part, Product, multiply};
use crate::kernel::plan::Plan;
use crate::kernel::program::Program;
use crate::kernel::scan;
use crate::kernel::{aligned, fold, indexed, inner, isa, lines, masked, registers, soft, soft_back, team, upright};
use anyhow::Result;
use smallvec::SmallVec;
use std::alloc::{Layout as Block, alloc, alloc_zeroed, dealloc};
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The host.
pub struct Cpu;

/// Columns of a large product are shared out by as many.
const COLUMNS: usize = 64;

/// Below this many elements one thread is faster than several.
const GRAIN: usize = 1 << 15;

/// Rows of at least so many elements are worth a call of their own, where they are not merely copied.
const LONG: usize = 64;

/// Pieces of work per thread, where there is much.
const SHARES: usize = 16;

/// Elements that are no less than a line of the cache.
const LINE: usize = 64;

/// What an element costs that lies alone in its line of the cache, in elements that fill theirs.
const ALONE: usize = 32;

/// Most elements of a piece of work.
const COARSEST: usize = 1 << 18;

/// What the system may map at once, where it is asked to.
const HUGE_PAGE: usize = 1 << 21;

/// Storages from so many bytes on lie in huge pages.
const WIDE: usize = 2 * HUGE_PAGE;

/// Storages that lie alike in their pages would meet in the same places of the caches and of memory when they are walked side by side:
/// each begins so many bytes later in its page than the one before, and as many as this do before it starts again.
const SHIFT: usize = 4096 + 256;
const SHIFTS: usize = 8;

/// Only allocations above this ask how much memory there is.
const LARGE: usize = 1 << 28;

impl Device for Cpu {
    fn info(&self) -> Info {
        Info { name: "cpu".to_string(), units: rayon::current_num_threads(), is_host: true, has_memory: true }
    }

    fn memory(&self) -> Memory {
        let (total, free) = proc::memory();
        Memory { free, total }
    }

    fn alloc(&self, bytes: usize, zeroed: bool) -> Result<Address> {
        if let Some(class) = shelf::class(bytes) {
            let start = shelf::take(class);
            if start.is_null() {
                return refuse(bytes);
            }
            if zeroed {
                // SAFETY: the block has at least as many bytes.
                unsafe { start.write_bytes(0, bytes) };
            }
            return Ok(start);
        }
        if bytes > LARGE && bytes > self.memory().free {
            return refuse(bytes);
        }
        if bytes == 0 {
            return Ok(std::ptr::dangling_mut());
        }
        let Some(block) = block(bytes) else { return refuse(bytes) };
        // SAFETY: the block has a size above zero.
        let start = unsafe { if zeroed { alloc_zeroed(block) } else { alloc(block) } };
        if start.is_null() {
            return refuse(bytes);
        }
        if bytes < WIDE {
            return Ok(start);
        }
        ask_for_huge_pages(start, bytes);
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Ok(start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed) % SHIFTS * SHIFT))
    }

    unsafe fn free(&self, at: Address, bytes: usize) {
        if let Some(class) = shelf::class(bytes) {
            // SAFETY: the caller promises that `at` came from `alloc` with this very size.
            unsafe { shelf::put(class, at) }
        } else if let (true, Some(block)) = (bytes > 0, block(bytes)) {
            let shift = if bytes < WIDE { 0 } else { at.addr() % HUGE_PAGE };
            // SAFETY: the caller promises that `at` came from `alloc` with this very size; a block that is shifted begins at a huge page.
            unsafe { dealloc(at.wrapping_sub(shift), block) };
        }
    }

    unsafe fn upload(&self, to: Address, from: &[u8]) -> Result<()> {
        // SAFETY: the caller promises room; a fresh host slice does not overlap a storage.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
        Ok(())
    }

    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<()> {
        // SAFETY: as in `upload`.
        unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    unsafe fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<()> {
        // SAFETY: the caller promises that both hold the bytes; they may overlap.
        unsafe { std::ptr::copy(from, to, bytes) };
        Ok(())
    }

    unsafe fn launch(&self, kernel: &Kernel) -> Result<()> {
        match kernel {
            // SAFETY: the caller's promise.
            Kernel::Map { program, plan, at } => unsafe { map(program, plan, at) },
            // SAFETY: the caller's promise.
            Kernel::Flat { program, count, at } => unsafe { flat(program, *count, at) },
            // SAFETY: the caller's promise.
            Kernel::Fold(task) => unsafe { fold::run(task, &spread) },
            Kernel::Line(line) => {
                // SAFETY: the caller's promise.
                unsafe { fold::run_line(line) };
                Ok(())
            }
            // SAFETY: the caller's promise.
            Kernel::Scan(task) => unsafe { scan::run(task, &spread) },
            // SAFETY: the caller's promise.
            Kernel::Indexed(task) => unsafe { indexed::run(task, &spread) },
            // SAFETY: the caller's promise.
            Kernel::Lines(task) => unsafe { lines::run(task, &spread) },
            // SAFETY: the caller's promise.
            Kernel::Soft(task) => unsafe { soft::run(task, &spread) },
            // SAFETY: the caller's promise.
            Kernel::SoftBack(task) => unsafe { soft_back::run(task, &spread) },
        }
    }

    unsafe fn gemm(&self, product: &Product, at: &[Address; 3]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { multiply_all(product, at) }
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn timestamp(&self) -> Result<f64> {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        Ok(START.elapsed().as_secs_f64())
    }
}

/// The memory of a storage that is not on the shelf; none where no memory can be as large. Wide storages lie in whole huge pages, with
/// room to begin a little later.
fn block(bytes: usize) -> Option<Block> {
    if bytes < WIDE {
        return Block::from_size_align(bytes, ALIGN).ok();
    }
    Block::from_size_align(bytes.checked_add(SHIFTS * SHIFT)?, HUGE_PAGE).ok()
}

/// First writes to a large block then cost one fault for 2 MiB and not for 4 KiB. Only whole huge pages are asked for, so that
/// no memory is taken beyond the block.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(start: Address, bytes: usize) {
    // SAFETY: the range lies in a fresh block; the advice changes no contents, and its failure does no harm.
    unsafe { libc::madvise(start as *mut libc::c_void, bytes / HUGE_PAGE * HUGE_PAGE, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: Address, _: usize) {}

fn refuse<T>(bytes: usize) -> Result<T> {
    fault!(
        RuntimeError,
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate {bytes} bytes. Error code 12 (Cannot allocate memory)"
    )
}

/// Addresses that worker threads may use.
struct Shared<'a>(&'a [Address]);

// SAFETY: a launch owns what its kernel reaches until it is done, and workers write disjoint elements.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    fn get(&self) -> &[Address] {
        self.0
    }
}

/// Runs `work` on pieces of `count` parts of `size` elements each: at once when there are few elements, else over threads,
/// looking for Ctrl-C before each piece. Each thread begins with a stretch of its own, so that memory is read in order, and helps
/// with those of others when it is done. The calling thread takes part, so that nothing waits for another to wake.
fn spread(count: usize, size: usize, work: &(dyn Fn(std::ops::Range<usize>) + Sync)) -> Result<()> {
    let all = count.saturating_mul(size);
    if all <= GRAIN {
        work(0..count);
        return Ok(());
    }
    let threads = rayon::current_num_threads();
    let grain = (all / (threads * SHARES)).clamp(GRAIN, COARSEST);
    // As many pieces for each thread, of which none begins within another's line of the cache.
    let pieces = count.div_ceil((grain / size.max(1)).max(1));
    let pieces = if pieces > threads { pieces.next_multiple_of(threads) } else { pieces };
    let step = count.div_ceil(pieces).next_multiple_of((LINE / size.max(1)).max(1));
    let pieces = count.div_ceil(step);
    let stretch = pieces.div_ceil(threads);
    let next: SmallVec<[AtomicUsize; 16]> = (0..threads).map(|i| AtomicUsize::new(i * stretch)).collect();
    let labour = |first: usize| {
        for own in (0..threads).map(|i| (first + i) % threads) {
            let end = ((own + 1) * stretch).min(pieces);
            while !interrupt::is_raised() {
                let piece = next[own].fetch_add(1, Ordering::Relaxed);
                if piece >= end {
                    break;
                }
                work(piece * step..((piece + 1) * step).min(count));
            }
        }
    };
    team::at_once(threads.min(pieces), &labour);
    interrupt::check()
}

/// True when a program reads and writes so many bytes that most of them would leave the last cache before they are read again, so that its
/// result is better written past the caches.
fn passes_caches(program: &Program, bytes: usize) -> bool {
    let is_plain = program.is_plain() && isa::writes_lines_well();
    bytes / 5 >= proc::cache() / if is_plain { 2 } else { 4 }
}

unsafe fn flat(program: &Program, count: usize, at: &[Address]) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    if program.minds_rows() {
        let mut pieces = program.pieces_of_line(count, at).into_iter();
        // SAFETY: the caller's promise.
        return pieces.try_for_each(|(range, program)| unsafe { stretch(&program, range, at) });
    }
    // SAFETY: the caller's promise.
    unsafe { stretch(program, 0..count, at) }
}

/// Elements of a line that are computed alike.
unsafe fn stretch(program: &Program, range: Range<usize>, at: &[Address]) -> Result<()> {
    let shared = Shared(at);
    let within = |piece: Range<usize>| range.start + piece.start..range.start + piece.end;
    let bytes = range.len() * (program.output().size() + program.inputs().map(DType::size).sum::<usize>());
    let past_caches = passes_caches(program, bytes);
    // SAFETY: the caller's promise; pieces are disjoint.
    spread(range.len(), 1, &|piece| unsafe { program.run_flat(within(piece), shared.get(), past_caches) })
}

unsafe fn map(program: &Program, plan: &Plan, at: &[Address]) -> Result<()> {
    if program.minds_rows() {
        let mut pieces = program.pieces_of_rows(plan, at).into_iter();
        // SAFETY: the caller's promise.
        return pieces.try_for_each(|(range, program)| unsafe { walk(&program, &plan.piece(range), at) });
    }
    // SAFETY: the caller's promise.
    unsafe { walk(program, plan, at) }
}

/// Elements of a plan that are computed alike.
unsafe fn walk(program: &Program, plan: &Plan, at: &[Address]) -> Result<()> {
    let shared = Shared(at);
    // Asked of the tiles: a row that every row of a tile repeats is direct only in tiles of one row.
    let (large, rows) = (plan.with_tiles_of(GRAIN), plan.with_tiles_of_rows());
    let are_long = || rows.sizes()[0] >= LONG || program.is_copy();
    let past_caches = program.may_pass_caches(plan, at) && passes_caches(program, plan.bytes());
    let large = match () {
        _ if past_caches => None,
        _ if program.is_direct(&large, at) => Some(large),
        _ if are_long() && program.is_direct(&rows, at) => Some(rows),
        _ if program.moves(&large, at) => Some(large),
        _ => None,
    };
    let cost = if plan.is_scattered(0) { ALONE } else { 1 };
    let plan = large.as_ref().unwrap_or(plan);
    // SAFETY: the caller's promise; pieces are disjoint tiles.
    spread(plan.tiles(), plan.tile_numel() * cost, &|tiles| unsafe { program.run(plan, shared.get(), tiles, past_caches) })
}

/// Multiplications after which Ctrl-C is looked at: some 50 milliseconds' worth.
fn stride(dtype: DType) -> usize {
    match dtype {
        DType::F32 | DType::F16 | DType::BF16 => 1 << 32,
        DType::F64 => 1 << 31,
        DType::C64 => 1 << 30,
        DType::C128 => 1 << 29,
        _ => 1 << 26,
    }
}

/// Matrix times vector: lines over threads, or pieces of the line when there is only one. Pieces are the same however many
/// threads there are.
unsafe fn inner_products(product: &Product, side: usize, at: &[Address; 3]) -> Result<()> {
    let shared = Shared(at);
    let out = product.matrices[0];
    let (lines, step) = if side == 1 { (product.m, out.row) } else { (product.n, out.column) };
    let pieces = product.k.div_ceil(inner::PIECE);
    let write = |place: usize| shared.get()[0].wrapping_offset(product.batch[place][0]);
    let all = |place: usize, line: usize, part: std::ops::Range<usize>, to: Address| {
        let at: [Address; 3] = std::array::from_fn(|i| shared.get()[i]);
        // SAFETY: the caller's promise; lines and pieces are disjoint.
        unsafe { inner::product(product, side, place, line, part, &at, to) }
    };
    let cell = |place: usize, line: usize| write(place).wrapping_offset(line as isize * step);
    if pieces < 2 {
        return spread(product.batch.len() * lines, product.k, &|range| {
            range.for_each(|i| all(i / lines, i % lines, 0..product.k, cell(i / lines, i % lines)));
        });
    }
    let mut parts = vec![0u64; product.batch.len() * lines * pieces];
    let room = [parts.as_mut_ptr() as Address];
    let cells = Shared(&room);
    spread(parts.len(), inner::PIECE, &|range| {
        for i in range {
            let (line, start) = (i / pieces, i % pieces * inner::PIECE);
            let part = start..(start + inner::PIECE).min(product.k);
            all(line / lines, line % lines, part, cells.get()[0].wrapping_add(i * 8));
        }
    })?;
    for (line, parts) in parts.chunks_exact(pieces).enumerate() {
        // SAFETY: the parts are written, and the result's cell is there.
        unsafe { inner::total(product.dtype, parts, cell(line / lines, line % lines)) };
    }
    Ok(())
}

/// Matrix times vector where columns lie together: runs of columns over threads.
unsafe fn column_products(product: &Product, side: usize, at: &[Address; 3]) -> Result<()> {
    let shared = Shared(at);
    let size = product.dtype.size();
    let parts = upright::Parts::new(product, side);
    let (groups, all) = (parts.groups(), parts.runs * parts.entries * size);
    let mut sums = vec![0u64; (product.batch.len() * all).div_ceil(8)];
    let room = [sums.as_mut_ptr() as Address];
    let cells = Shared(&room);
    spread(product.batch.len() * parts.runs * groups, parts.run * parts.width, &|range| {
        for i in range {
            let (place, run, first) = (i / groups / parts.runs, i / groups % parts.runs, i % groups * parts.width);
            let at: [Address; 3] = std::array::from_fn(|i| shared.get()[i]);
            let entries = first..(first + parts.width).min(parts.entries);
            let to = cells.get()[0].wrapping_add(place * all + (run * parts.entries + first) * size);
            // SAFETY: the caller's promise; runs and groups of entries have sums of their own.
            unsafe { upright::add_run(product, side, place, run, entries, &at, to) };
        }
    })?;
    for place in 0..product.batch.len() {
        // SAFETY: all sums are there.
        unsafe { upright::total(product, side, place, room[0].wrapping_add(place * all), at) };
    }
    Ok(())
}

/// The part of a product that is a piece of work of its own: rows and columns of it.
fn part_size(product: &Product) -> [usize; 2] {
    let [m, n] = [product.m, product.n].map(|size| size.max(1));
    if registers::fits(product) {
        return registers::part_size(product);
    }
    if registers::fits_large(product) {
        return registers::large_part_size(product);
    }
    let rows = (stride(product.dtype) / (n * product.k).max(1)).max(64).min(m);
    match product.dtype {
        DType::I64 => [rows.min(m.div_ceil(rayon::current_num_threads())), n],
        // Tiles share out their rows themselves; Ctrl-C is looked at between panels.
        DType::BF16 => [rows, n],
        _ if product.batch.len() > 1 => [rows, n],
        _ => [rows, n.div_ceil(rayon::current_num_threads()).next_multiple_of(COLUMNS).min(n)],
    }
}

/// Parts of products side by side.
unsafe fn multiply_all(product: &Product, at: &[Address; 3]) -> Result<()> {
    if aligned::is_ordered(product) {
        // SAFETY: the caller's promise.
        unsafe { aligned::multiply(product, at) };
        return Ok(());
    }
    if masked::is_ordered(product) {
        let shared = Shared(at);
        // SAFETY: the caller's promise; the parts are disjoint.
        let some = |part: Range<usize>| unsafe { masked::multiply(product, &part, &std::array::from_fn(|i| shared.get()[i])) };
        return spread(masked::count(product), product.k, &some);
    }
    let in_blocks = aligned::blocks(product).map(|[m, n]| Product { m, n, ..product.clone() });
    if let Some(inner) = &in_blocks {
        // SAFETY: the caller's promise.
        unsafe { aligned::multiply_beside(product, [inner.m, inner.n], at) };
    }
    let product = in_blocks.as_ref().unwrap_or(product);
    if let Some(side) = inner::side(product)
        && product.k > 0
    {
        // SAFETY: the caller's promise.
        return unsafe { inner_products(product, side, at) };
    }
    if let Some(side) = upright::side(product) {
        // SAFETY: the caller's promise.
        return unsafe { column_products(product, side, at) };
    }
    let shared = Shared(at);
    let [rows, columns] = part_size(product);
    let [down, across] = [product.m.div_ceil(rows), product.n.div_ceil(columns)];
    let one = |i: usize| {
        let at: [Address; 3] = std::array::from_fn(|i| shared.get()[i]);
        let (place, row, column) = (i / across / down, i / across % down * rows, i % across * columns);
        let part = Part { rows: row..(row + rows).min(product.m), columns: column..(column + columns).min(product.n) };
        // SAFETY: the caller's promise; parts and places are disjoint.
        unsafe { multiply(product, place, &part, &at) }
    };
    let work = (rows * columns).saturating_mul(product.k);
    spread(product.batch.len() * down * across, work, &|range| range.for_each(one))
}
