//! Plans of the transforms of lines of one length, kept for the next lines of that length: their tables of sines take longer to make
//! than a transform takes.

use super::composed::{self, Composed, RealLines};
use super::thirds;
use crate::kernel::follows_intel;
use anyhow::Result;
use num_complex::Complex;
use num_traits::{Float, FromPrimitive, Zero};
use rustfft::{FftDirection, FftNum, FftPlanner, FftPlannerScalar};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use zaft::{C2RFftExecutor, FftExecutor, R2CFftExecutor, Zaft, ZaftError};

/// A float that is transformed.
pub trait Real: FftNum + Float + FromPrimitive {
    /// Hands `f` the plans that were made on this thread.
    fn with_plans<R>(f: impl FnOnce(&mut Plans<Self>) -> R) -> R;
    /// The library's plans for long lines.
    fn long(n: usize, forward: bool) -> Result<LongPlan<Self>, ZaftError>;
    /// As `long`, from real numbers, forward.
    fn long_of_real(n: usize) -> Result<RealPlan<Self>, ZaftError>;
    /// As `long`, to real numbers, backward.
    fn long_to_real(n: usize) -> Result<HalfPlan<Self>, ZaftError>;
}

type LongPlan<T> = Arc<dyn FftExecutor<T> + Send + Sync>;
type RealPlan<T> = Arc<dyn R2CFftExecutor<T> + Send + Sync>;
type HalfPlan<T> = Arc<dyn C2RFftExecutor<T> + Send + Sync>;

/// The plans of a thread.
pub struct Plans<T: FftNum> {
    plans: HashMap<(usize, Kind), Rc<Plan<T>>>,
    /// The lengths planned so far, added up.
    numbers: usize,
}

impl<T: FftNum> Default for Plans<T> {
    fn default() -> Plans<T> {
        Plans { plans: HashMap::new(), numbers: 0 }
    }
}

/// What a plan makes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Complex numbers of complex ones: forwards as engineers write it, `exp(-2πi jk/n)`.
    Forward,
    /// The same with the other sign.
    Backward,
    /// The first `n / 2 + 1` numbers of the transform of real ones, forward; of one of several lines that PyTorch's library transforms in
    /// another way.
    OfReal { among: bool },
    /// Real numbers of the first `n / 2 + 1` numbers of a transform, backward.
    ToReal { among: bool },
}

/// How lines of one length are transformed.
pub enum Plan<T: FftNum> {
    /// A short line, in which zeros stay zeros as in PyTorch.
    Short(Arc<dyn rustfft::Fft<T>>),
    /// A longer one.
    Long(LongPlan<T>),
    /// A longer one of real numbers.
    OfReal(RealPlan<T>),
    /// A longer one that becomes real.
    ToReal(HalfPlan<T>),
    /// A line that is transformed as by PyTorch's library.
    Composed(Composed<T>),
    /// A real one.
    RealLines(RealLines<T>),
}

macro_rules! real {
    ($($t:ident: $forward:ident $inverse:ident $of_real:ident $to_real:ident),*) => { $(impl Real for $t {
        fn with_plans<R>(f: impl FnOnce(&mut Plans<$t>) -> R) -> R {
            thread_local! {
                static PLANS: RefCell<Plans<$t>> = RefCell::default();
            }
            PLANS.with_borrow_mut(f)
        }
        fn long(n: usize, forward: bool) -> Result<LongPlan<$t>, ZaftError> {
            if forward { Zaft::$forward(n) } else { Zaft::$inverse(n) }
        }
        fn long_of_real(n: usize) -> Result<RealPlan<$t>, ZaftError> {
            Zaft::$of_real(n)
        }
        fn long_to_real(n: usize) -> Result<HalfPlan<$t>, ZaftError> {
            Zaft::$to_real(n)
        }
    })* };
}

real!(
    f32: make_forward_fft_f32 make_inverse_fft_f32 make_r2c_fft_f32 make_c2r_fft_f32,
    f64: make_forward_fft_f64 make_inverse_fft_f64 make_r2c_fft_f64 make_c2r_fft_f64
);

/// Plans are forgotten when more numbers than this were planned for, so that they do not fill the memory.
const MOST: usize = 1 << 24;

/// The longest line whose transform is written out, number by number: its quarter turns are turns of the parts and not products with a
/// cosine that is nearly 0.
const FEW: usize = 32;

/// The longest short line. The other library is twice as fast in some lengths, but leaves a residue of what cancels out.
const SHORT: usize = 256;

/// The plan of a kind for lines of `n` numbers. Fails with a `RuntimeError` when memory does not hold its tables.
pub fn plan<T: Real>(n: usize, kind: Kind) -> Result<Rc<Plan<T>>> {
    T::with_plans(|plans| {
        if let Some(plan) = plans.plans.get(&(n, kind)) {
            return Ok(plan.clone());
        }
        if plans.numbers > MOST {
            *plans = Plans::default();
        }
        let plan = match make::<T>(n, kind) {
            Ok(plan) => Rc::new(plan),
            Err(reason) => fault!(RuntimeError, "a transform of {n} numbers cannot be planned: {reason}"),
        };
        plans.numbers += n;
        plans.plans.insert((n, kind), plan.clone());
        Ok(plan)
    })
}

fn make<T: Real>(n: usize, kind: Kind) -> Result<Plan<T>, ZaftError> {
    let forward = matches!(kind, Kind::Forward | Kind::OfReal { .. });
    let composed = match kind {
        _ if follows_intel() => None,
        Kind::Forward | Kind::Backward => Composed::new(n, forward).map(Plan::Composed),
        Kind::OfReal { among } | Kind::ToReal { among } => RealLines::new(n, forward, among).map(Plan::RealLines),
    };
    if let Some(plan) = composed {
        return Ok(plan);
    }
    if n <= SHORT {
        let direction = if forward { FftDirection::Forward } else { FftDirection::Inverse };
        return Ok(Plan::Short(match n <= FEW {
            true => thirds::plan(n, direction).unwrap_or_else(|| FftPlannerScalar::new().plan_fft(n, direction)),
            false => FftPlanner::new().plan_fft(n, direction),
        }));
    }
    match kind {
        Kind::Forward | Kind::Backward => T::long(n, forward).map(Plan::Long),
        Kind::OfReal { .. } => T::long_of_real(n).map(Plan::OfReal),
        Kind::ToReal { .. } => T::long_to_real(n).map(Plan::ToReal),
    }
}

/// Room for what a transform needs on its way.
pub struct Room<T>(Vec<Complex<T>>);

impl<T: Real> Room<T> {
    /// None yet.
    pub fn new() -> Room<T> {
        Room(Vec::new())
    }

    fn of(&mut self, numbers: usize) -> &mut [Complex<T>] {
        if self.0.len() < numbers {
            self.0.resize(numbers, Complex::zero());
        }
        &mut self.0[..numbers]
    }
}

impl<T: Real> Plan<T> {
    /// How many lines should be handed over together, where there are as many.
    pub fn together(&self) -> usize {
        if matches!(self, Plan::Composed(_) | Plan::RealLines(_)) { composed::TOGETHER } else { 1 }
    }

    /// Transforms each line of complex numbers, of length `n`.
    ///
    /// # Panics
    /// When the plan is for real numbers, or `lines` holds no whole lines.
    pub fn run(&self, n: usize, lines: &mut [Complex<T>], room: &mut Room<T>) {
        match self {
            Plan::Short(plan) => plan.process_with_scratch(lines, room.of(plan.get_inplace_scratch_len())),
            Plan::Long(plan) => {
                let room = room.of(plan.scratch_length());
                lines.chunks_exact_mut(n).for_each(|line| fits(plan.execute_with_scratch(line, room)));
            }
            Plan::Composed(plan) => plan.run(lines),
            Plan::OfReal(_) | Plan::ToReal(_) | Plan::RealLines(_) => unreachable!("complex lines have complex plans"),
        }
    }

    /// The first halves of the transforms of real lines of length `n`, which begin `width` numbers from each other.
    ///
    /// # Panics
    /// When the plan is not [`Kind::OfReal`], or a slice has another length.
    pub fn of_real(&self, n: usize, from: &[T], (to, width): (&mut [Complex<T>], usize), room: &mut Room<T>) {
        if let Plan::RealLines(plan) = self {
            return plan.of_real(from, (to, width));
        }
        for (from, to) in from.chunks_exact(n).zip(to.chunks_mut(width)) {
            let to = &mut to[..n / 2 + 1];
            match self {
                Plan::OfReal(plan) => fits(plan.execute_with_scratch(from, to, room.of(plan.complex_scratch_length()))),
                Plan::Short(plan) => {
                    let (line, scratch) = room.of(n + plan.get_inplace_scratch_len()).split_at_mut(n);
                    line.iter_mut().zip(from).for_each(|(place, x)| *place = Complex::new(*x, T::zero()));
                    plan.process_with_scratch(line, scratch);
                    to.copy_from_slice(&line[..to.len()]);
                }
                _ => unreachable!("a real line has a plan of its kind"),
            }
            be_real(to, n);
        }
    }

    /// The real lines of length `n` whose transforms begin with these numbers.
    ///
    /// # Panics
    /// When the plan is not [`Kind::ToReal`], or a slice has another length.
    pub fn to_real(&self, n: usize, from: &[Complex<T>], to: &mut [T], room: &mut Room<T>) {
        if let Plan::RealLines(plan) = self {
            return plan.to_real(from, to);
        }
        for (from, to) in from.chunks_exact(n / 2 + 1).zip(to.chunks_exact_mut(n)) {
            match self {
                Plan::ToReal(plan) => {
                    let (line, scratch) = room.of(from.len() + plan.complex_scratch_length()).split_at_mut(from.len());
                    line.copy_from_slice(from);
                    be_real(line, n);
                    fits(plan.execute_with_scratch(line, to, scratch));
                }
                Plan::Short(plan) => {
                    let (line, scratch) = room.of(n + plan.get_inplace_scratch_len()).split_at_mut(n);
                    line[..from.len()].copy_from_slice(from);
                    mirror(line);
                    be_real(line, n);
                    plan.process_with_scratch(line, scratch);
                    to.iter_mut().zip(line).for_each(|(place, value)| *place = value.re);
                }
                _ => unreachable!("half a transform has a plan of its kind"),
            }
        }
    }
}

/// The library fails only where slices do not fit their plan.
fn fits(done: Result<(), ZaftError>) {
    if let Err(reason) = done {
        unreachable!("lines fit their plan: {reason}");
    }
}

/// What a real line leaves no doubt about in its transform: its first number is real, and of an even number of them the middle one.
fn be_real<T: Real>(transform: &mut [Complex<T>], n: usize) {
    transform[0].im = T::zero();
    if n.is_multiple_of(2) {
        transform[n / 2].im = T::zero();
    }
}

/// Writes the second half of the transform of a real line, the mirror image of the first.
pub fn mirror<T: Real>(transform: &mut [Complex<T>]) {
    let n = transform.len();
    for k in n / 2 + 1..n {
        transform[k] = transform[n - k].conj();
    }
}
