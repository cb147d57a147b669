//! Threads that stay awake while a decomposition runs, and for a moment after each operation.
//!
//! A decomposition is many short steps that threads can share, with steps between them that they cannot. A thread that goes to sleep
//! in between takes longer to wake than a step takes. So some are asked once to help, and look for work until all is done. Nobody
//! waits for a helper that is not there yet: whoever is there takes the next part. An operation on a tensor is one step.

use super::shared::Shared;
use rayon::prelude::*;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, Once, PoisonError};

/// Helpers at most: steps are too short for more.
const MOST: usize = 7;

/// Bits of a ticket that count the parts of a step that are left; the others count steps.
const LEFT: u32 = 16;

/// Looks for work, or for the end of it, after which a thread lets others have the processor for a moment.
const PATIENCE: usize = 1 << 10;

/// Looks for the next work after which a helper goes to sleep: some 400 microseconds' worth.
const LINGER: usize = 1 << 13;

/// What is to be done for a part.
type Work<'a> = dyn Fn(usize) + Sync + 'a;

/// A step that is shared.
struct Step<'a> {
    work: &'a Work<'a>,
    /// How many parts there are. They are taken in order, the first by the leader as a rule: what it does next alone often begins
    /// there, and is still in its cache.
    parts: usize,
}

/// Where helpers look for work.
#[derive(Default)]
struct Board {
    ticket: AtomicU64,
    step: AtomicPtr<Step<'static>>,
    finished: AtomicUsize,
    failed: AtomicBool,
    is_over: AtomicBool,
}

thread_local! {
    static BOARD: RefCell<Option<Arc<Board>>> = const { RefCell::new(None) };
    /// True while a part is worked on: what it would share it does alone.
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// The helpers, threads of their own: one of the pool could not be asked without the leader, which is one too, taking its place.
struct Crew {
    invitation: Mutex<Invitation>,
    /// The number of invitations, for helpers that are still awake.
    count: AtomicU64,
    bell: Condvar,
}

/// What helpers are invited to.
struct Invitation {
    /// How many there were.
    number: u64,
    /// The last.
    board: Option<Arc<Board>>,
    /// Helpers that have to be woken: to ring for nobody takes longer than a short step.
    asleep: usize,
}

impl Crew {
    /// The crew, which is made when it is first asked for.
    fn get() -> &'static Crew {
        static CREW: Crew = Crew {
            invitation: Mutex::new(Invitation { number: 0, board: None, asleep: 0 }),
            count: AtomicU64::new(0),
            bell: Condvar::new(),
        };
        static MADE: Once = Once::new();
        MADE.call_once(|| {
            for _ in 0..helpers() {
                // Where there can be no thread, the work is done without it.
                let _ = std::thread::Builder::new().name("helper".to_string()).spawn(|| CREW.serve());
            }
        });
        &CREW
    }

    fn invite(&self, board: Arc<Board>) {
        let mut invitation = self.invitation.lock().unwrap_or_else(PoisonError::into_inner);
        invitation.number += 1;
        invitation.board = Some(board);
        self.count.store(invitation.number, Ordering::Release);
        if invitation.asleep > 0 {
            self.bell.notify_all();
        }
    }

    /// Takes invitations for ever. After work a helper stays awake for a moment: who computes one thing often computes the next.
    fn serve(&self) {
        let mut taken = 0;
        loop {
            let mut looks = 0;
            while taken > 0 && self.count.load(Ordering::Acquire) == taken && looks < LINGER {
                looks += 1;
                wait(looks);
            }
            let mut invitation = self.invitation.lock().unwrap_or_else(PoisonError::into_inner);
            while invitation.number == taken {
                invitation.asleep += 1;
                invitation = self.bell.wait(invitation).unwrap_or_else(PoisonError::into_inner);
                invitation.asleep -= 1;
            }
            taken = invitation.number;
            let board = invitation.board.clone();
            drop(invitation);
            board.iter().for_each(|board| board.help());
        }
    }
}

/// Helpers of a leader.
fn helpers() -> usize {
    (rayon::current_num_threads() - 1).min(MOST)
}

/// Runs something with helpers that stay awake until it ends.
pub fn together<R>(run: impl FnOnce() -> R) -> R {
    if helpers() == 0 || size() > 1 || IS_BUSY.get() {
        return run();
    }
    let board = Arc::new(Board::default());
    Crew::get().invite(board.clone());
    BOARD.set(Some(board));
    let _end = End;
    run()
}

/// Sends the helpers away.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        if let Some(board) = BOARD.take() {
            board.is_over.store(true, Ordering::Release);
        }
    }
}

/// Does the work for the parts `0..parts` in one step: with helpers, who often are still awake from the step before, or with the pool
/// where it has more threads than a team.
pub fn at_once(parts: usize, work: &Work) {
    match parts {
        0..=1 => (0..parts).for_each(work),
        _ if rayon::current_num_threads() > 1 + MOST => each(parts, true, work),
        _ => together(|| each(parts, true, work)),
    }
}

/// Threads that share the steps of this one, itself among them.
pub fn size() -> usize {
    let has_helpers = !IS_BUSY.get() && BOARD.with_borrow(Option::is_some);
    if has_helpers { 1 + helpers() } else { 1 }
}

/// Does the work for the parts `0..parts`, with the helpers where there are some; else with the threads of the pool when it is `long`.
pub fn each(parts: usize, long: bool, work: &Work) {
    let board = if parts > 1 && parts < 1 << LEFT && !IS_BUSY.get() { BOARD.with_borrow(Clone::clone) } else { None };
    match board {
        Some(board) => board.share(parts, work),
        None if long && parts > 1 && !IS_BUSY.get() => (0..parts).into_par_iter().for_each(work),
        None => (0..parts).for_each(work),
    }
}

/// As many parts of a range as threads share steps, or as the pool has threads when the work is `long`; each but the last of a
/// multiple of `unit`.
pub fn ranges(count: usize, unit: usize, long: bool, work: &(dyn Fn(std::ops::Range<usize>) + Sync)) {
    let threads = match size() {
        1 if long && !IS_BUSY.get() => rayon::current_num_threads(),
        size => size,
    };
    let len = count.div_ceil(threads).next_multiple_of(unit).max(1);
    each(count.div_ceil(len), long, &|i| work(i * len..count.min((i + 1) * len)));
}

/// Does something with each column of `len` cells, and its place; gives what that answers, in order. As [`each`].
pub fn columns<T: Send, R: Send>(
    cells: &mut [T],
    len: usize,
    long: bool,
    work: &(dyn Fn(usize, &mut [T]) -> R + Sync),
) -> Vec<R> {
    let count = cells.len() / len.max(1);
    let mut answers: Vec<Option<R>> = (0..count).map(|_| None).collect();
    let (cells, to) = (Shared(cells.as_mut_ptr()), Shared(answers.as_mut_ptr()));
    ranges(count, 1, long, &|part| {
        for j in part {
            // SAFETY: columns lie in the cells, and each is worked on once, as is the place of its answer.
            unsafe { *to.at(j) = Some(work(j, cells.part(j * len..(j + 1) * len))) }
        }
    });
    answers.into_iter().flatten().collect()
}

/// Gives what both do.
pub fn both<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    if size() == 1 {
        return if IS_BUSY.get() { (first(), second()) } else { rayon::join(first, second) };
    }
    let (mut a, mut b) = ((Some(first), None), (Some(second), None));
    let (to_a, to_b) = (Shared(&raw mut a), Shared(&raw mut b));
    each(2, true, &|i| {
        // SAFETY: each part is worked on once, and is the only one to touch its own pair.
        unsafe {
            match i {
                0 => {
                    let pair = &mut *to_a.at(0);
                    pair.1 = pair.0.take().map(|f| f());
                }
                _ => {
                    let pair = &mut *to_b.at(0);
                    pair.1 = pair.0.take().map(|f| f());
                }
            }
        }
    });
    match (a.1, b.1) {
        (Some(a), Some(b)) => (a, b),
        _ => unreachable!("every part is worked on"),
    }
}

impl Board {
    /// Works on what is shared until it is over.
    fn help(&self) {
        IS_BUSY.set(true);
        let mut looks = 0usize;
        while !self.is_over.load(Ordering::Acquire) {
            looks = if self.take_part() { 0 } else { looks + 1 };
            wait(looks);
        }
        IS_BUSY.set(false);
    }

    /// Works on the next part, if there is one.
    fn take_part(&self) -> bool {
        let ticket = self.ticket.load(Ordering::Acquire);
        let left = ticket & ((1 << LEFT) - 1);
        if left == 0 || self.ticket.compare_exchange(ticket, ticket - 1, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return false;
        }
        // SAFETY: a part of this step was taken and is not finished, so that its leader still waits, and the step is there.
        let step = unsafe { &*self.step.load(Ordering::Acquire) };
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (step.work)(step.parts - left as usize)));
        if done.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        self.finished.fetch_add(1, Ordering::Release);
        true
    }

    fn share(&self, parts: usize, work: &Work) {
        let step = Step { work, parts };
        // SAFETY: only the lifetime changes; the step outlives its parts, which are waited for.
        let shared = unsafe { std::mem::transmute::<*mut Step<'_>, *mut Step<'static>>((&raw const step).cast_mut()) };
        self.finished.store(0, Ordering::Relaxed);
        self.step.store(shared, Ordering::Release);
        let steps = self.ticket.load(Ordering::Relaxed) >> LEFT;
        self.ticket.store(steps.wrapping_add(1) << LEFT | parts as u64, Ordering::Release);
        IS_BUSY.set(true);
        while self.take_part() || self.ticket.load(Ordering::Relaxed) & ((1 << LEFT) - 1) > 0 {}
        IS_BUSY.set(false);
        let mut looks = 0;
        while self.finished.load(Ordering::Acquire) < parts {
            looks += 1;
            wait(looks);
        }
        assert!(!self.failed.load(Ordering::Relaxed), "a part of a step failed");
    }
}

fn wait(looks: usize) {
    match looks % PATIENCE {
        0 if looks > 0 => std::thread::yield_now(),
        _ => std::hint::spin_loop(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_every_step_is_worked_on_once() {
        let counts: Vec<AtomicUsize> = (0..64).map(|_| AtomicUsize::new(0)).collect();
        together(|| {
            for step in 0..crate::testing::steps(2000, 20) {
                each(1 + step % counts.len(), false, &|i| {
                    // What a part shares it does alone.
                    each(3, true, &|_| _ = counts[i].fetch_add(1, Ordering::Relaxed));
                });
            }
        });
        let steps = crate::testing::steps(2000, 20);
        for (i, count) in counts.iter().enumerate() {
            let expected = (0..steps).filter(|step| step % counts.len() >= i).count() * 3;
            assert_eq!(count.load(Ordering::Relaxed), expected);
        }
    }

    #[test]
    fn a_part_that_fails_fails_the_step_and_nothing_waits_for_ever() {
        let failed = std::panic::catch_unwind(|| together(|| each(8, true, &|i| assert!(i != 3, "expected"))));
        assert!(failed.is_err());
        assert_eq!(size(), 1);
        assert_eq!(together(|| both(|| 1, || "two")), (1, "two"));
    }
}
