//! Loops by hand against the functions of one number and those of the system's library.

use super::*;
use crate::kernel::isa::{has_avx512, runnable};

/// Every 10,007th float32, in a number that is no multiple of a vector's.
fn some() -> Vec<f32> {
    (0..u32::MAX).step_by(10_007).chain([0x8000_0000, 0x7f80_0000, 0xff80_0000]).map(f32::from_bits).collect()
}

/// Arguments and results of every version that this machine can run.
fn run<T: Copy + Default>(versions: Versions<BlockFn>, from: &[T]) -> Vec<(T, T)> {
    let args = [from.as_ptr() as *const u8; MAX_ARGS];
    let results = |version: &BlockFn| {
        let mut out = vec![T::default(); from.len()];
        // SAFETY: both hold as many lanes.
        unsafe { version(from.len(), out.as_mut_ptr() as *mut u8, &args) };
        from.iter().copied().zip(out).collect::<Vec<_>>()
    };
    runnable(&versions).iter().flat_map(results).collect()
}

fn check_bits(name: &str, versions: Versions<BlockFn>, one: fn(f32) -> f32) {
    for (x, y) in run(versions, &some()) {
        let alone = one(x);
        assert!(
            alone.to_bits() == y.to_bits() || alone.is_nan() && y.is_nan(),
            "{name}({x:e}): {alone:e} alone, {y:e} in a loop"
        );
    }
}

fn check(name: &str, versions: Versions<BlockFn>, one: fn(f32) -> f32, exact: fn(f64) -> f64, most: f64) {
    check_bits(name, versions, one);
    for x in some() {
        let (y, error) = (one(x), super::super::tests::ulps(one(x), exact(x as f64)));
        assert!(error <= most || y.abs() < f32::MIN_POSITIVE && error < 0.78, "{name}({x:e}) = {y:e} is off by {error} ulp");
    }
}

/// Results are no more than so many steps from those of the system's library.
fn check_double(name: &str, versions: Versions<BlockFn>, one: fn(f64) -> f64, exact: fn(f64) -> f64, most: u64) {
    let random = |i: u64| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let ends = [0.0, -0.0, f64::INFINITY, -f64::INFINITY, f64::NAN, 5e-324, 1e-310, 710.0, -708.5, -745.0, 1.0];
    let near = (0..100_003).map(|i| i as f64 * 0.000_137 - 6.0);
    let from: Vec<f64> = (0..100_000).map(random).chain(near).chain(ends).collect();
    for (x, y) in run(versions, &from) {
        let (alone, exact) = (one(x), exact(x));
        let is_same = |a: f64, b: f64, most| a.to_bits().abs_diff(b.to_bits()) <= most || a.is_nan() && b.is_nan();
        assert!(is_same(alone, y, 0), "{name}({x:e}): {alone:e} alone, {y:e} in a loop");
        assert!(is_same(exact, y, most), "{name}({x:e}): {y:e} and not {exact:e}");
    }
}

#[test]
fn loops_give_the_bits_of_single_numbers_and_err_by_no_more_than_the_docs_say() {
    check("exp", EXP_LOOP, exp::of, f64::exp, 0.54);
    check("tanh", TANH_LOOP, tanh, f64::tanh, 0.56);
    check("erf", ERF_LOOP, erf, libm::erf, 0.77);
    check("erfc", ERFC_LOOP, erfc, libm::erfc, 0.78);
    check("log", LOG_LOOP, log, f64::ln, 0.56);
    check("log2", LOG2_LOOP, log2, f64::log2, 0.56);
    check("log10", LOG10_LOOP, log10, f64::log10, 0.56);
    check("atan", ATAN_LOOP, atan, f64::atan, 0.52);
    check("asin", ASIN_LOOP, asin, f64::asin, 0.64);
    check("acos", ACOS_LOOP, acos, f64::acos, 0.61);
    check_bits("gelu", GELU_LOOP, gelu);
    check_bits("pieced gelu", PIECED_GELU_LOOP, gelu::one);
    check_bits("handbook gelu", body_versions::<HandbookGelu>(), gelu::by_handbook);
}

/// Recorded from PyTorch on a processor with AVX2 only.
#[test]
fn gelu_by_the_handbook_has_the_recorded_bits() {
    let recorded = [
        (3.0, 0x403f_bda6),
        (-1.5, 0xbdcd_3b5a),
        (0.25, 0x3e19_44d0),
        (-9.0, 0),
        (20.0, 0x41a0_0000),
        (-13.5, 0),
        (0.0, 0),
        (-0.0, 0),
    ];
    for (x, bits) in recorded {
        assert_eq!(gelu::by_handbook(x).to_bits(), bits, "{x}");
    }
}

#[test]
fn loops_over_float64_give_the_bits_of_single_numbers_and_those_of_the_library_or_their_neighbours() {
    check_double("exp", EXP_DOUBLE_LOOP, exp::one_double, f64::exp, 1);
    check_double("log", LOG_DOUBLE_LOOP, log_double, f64::ln, 1);
    check_double("log2", LOG2_DOUBLE_LOOP, log2_double, f64::log2, 1);
    check_double("log10", LOG10_DOUBLE_LOOP, log10_double, f64::log10, 2);
}

/// On Intel's processors with AVX-512, where PyTorch gives the neighbour of the nearest number, and where it does not; elsewhere the nearest.
#[test]
fn roots_are_those_of_the_library_of_pytorch() {
    let from: Vec<f64> = (0..41).map(f64::from).chain([0.5, 5e-324, 1e-310, 1e303, 2f64.powi(-1001), 2f64.powi(1001)]).collect();
    for (x, y) in run(SQRT_DOUBLE_LOOP, &from).into_iter().skip(if has_avx512() { 2 * from.len() } else { 0 }) {
        let fraction = x.to_bits() << 12;
        let below = has_avx512()
            && [2.0, 19.0]
                .iter()
                .any(|odd: &f64| fraction == odd.to_bits() << 12 && (x.log2().floor() - odd.log2().floor()) % 2.0 == 0.0);
        assert_eq!(x.sqrt().to_bits() - below as u64, y.to_bits(), "{x:e}: {y:e}");
    }
    let from = [1e-40, 1e-45, 1.0, 4.0, 0.0];
    assert!(run(SQRT_LOOP, &from).iter().all(|(x, y): &(f32, f32)| x.sqrt() == *y));
}

/// Outside the bounds of the steps too, with signs and what is no number.
#[test]
fn roots_are_the_nearest_number_or_its_neighbour() {
    let is_near = |exact: u64, bits: u64, is_nan: bool| exact.abs_diff(bits) <= 1 || is_nan;
    for (x, y) in run(SQRT_LOOP, &some()) {
        let exact = x.sqrt();
        assert!(
            is_near(exact.to_bits() as u64, y.to_bits() as u64, exact.is_nan() && y.is_nan()),
            "{x:e}: {y:e} and not {exact:e}"
        );
    }
    let spread = |i: u64| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let from: Vec<f64> = (0..100_000).map(spread).chain([0.0, -0.0, f64::INFINITY, -1.0]).collect();
    for (x, y) in run(SQRT_DOUBLE_LOOP, &from) {
        let exact = x.sqrt();
        assert!(is_near(exact.to_bits(), y.to_bits(), exact.is_nan() && y.is_nan()), "{x:e}: {y:e} and not {exact:e}");
    }
}
