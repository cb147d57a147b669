//! The vector functions against float64 ones of the system's library.

use super::*;

/// The functions that are not rounded once, and what their errors stay below.
const FINE: [(&str, f64); 21] = [
    ("lgamma", 0.51),
    ("exp2", 0.83),
    ("log2", 0.56),
    ("log10", 0.56),
    ("atan", 0.52),
    ("asin", 0.64),
    ("acos", 0.61),
    ("expm1", 1.0),
    ("log1p", 1.0),
    ("exp", 0.76),
    ("tan", 0.94),
    ("sin", 0.61),
    ("cos", 0.61),
    ("tanh", 0.71),
    ("log", 0.6),
    ("erf", 0.77),
    ("erfc", 0.78),
    ("sinh", 2.0),
    ("cosh", 2.0),
    ("asinh", 2.0),
    ("acosh", 2.0),
];

type Single = fn(f32) -> f32;
type Double = fn(f64) -> f64;

const FUNCTIONS: [(&str, Single, Double); 21] = [
    ("exp", exp::<f32>, f64::exp),
    ("exp2", exp2::<f32>, f64::exp2),
    ("expm1", expm1::<f32>, f64::exp_m1),
    ("log", log::<f32>, f64::ln),
    ("log2", log2::<f32>, f64::log2),
    ("log10", log10::<f32>, f64::log10),
    ("log1p", log1p::<f32>, f64::ln_1p),
    ("sin", sin::<f32>, f64::sin),
    ("cos", cos::<f32>, f64::cos),
    ("tan", tan::<f32>, f64::tan),
    ("tanh", tanh::<f32>, f64::tanh),
    ("atan", atan::<f32>, f64::atan),
    ("asin", asin::<f32>, f64::asin),
    ("acos", acos::<f32>, f64::acos),
    ("sinh", sinh::<f32>, f64::sinh),
    ("cosh", cosh::<f32>, f64::cosh),
    ("asinh", asinh::<f32>, libm::asinh),
    ("acosh", acosh::<f32>, |x| if x < 1.0 { f64::NAN } else { libm::acosh(x) }),
    ("erf", erf::<f32>, libm::erf),
    ("erfc", erfc::<f32>, libm::erfc),
    ("lgamma", |x| lgamma(positive(x)), |x| libm::lgamma(positive(x as f32) as f64)),
];

/// A number near the size of another one whose gamma function is a float32.
fn positive(x: f32) -> f32 {
    x.abs().clamp(f32::MIN_POSITIVE, 4e36)
}

/// How far a float32 is from what it stands for, in units of its last place.
pub(super) fn ulps(ours: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if ours.to_bits() == rounded.to_bits() || (ours.is_nan() && rounded.is_nan()) {
        return 0.5;
    }
    let size = rounded.abs();
    let unit = f32::from_bits(size.to_bits() + 1) as f64 - size as f64;
    if ours == 0.0 && rounded == 0.0 || !unit.is_finite() { f64::INFINITY } else { (ours as f64 - exact).abs() / unit }
}

fn worst(name: &str, single: Single, double: Double, step: usize) -> (f64, f32) {
    let angles = matches!(name, "sin" | "cos" | "tan");
    let arguments = (0..=u32::MAX).step_by(step).map(f32::from_bits).filter(|x| !angles || !x.is_far_angle());
    let errors = arguments.map(|x| (ulps(single(x), double(x as f64)), x));
    errors.fold((0.0, 0.0), |worst, next| if next.0 > worst.0 { next } else { worst })
}

#[test]
fn float32_results_are_off_by_no_more_than_the_docs_say() {
    for (name, single, double) in FUNCTIONS {
        let (error, at) = worst(name, single, double, 40_009);
        let most = FINE.iter().find(|(fine, _)| *fine == name).map_or(0.501, |(_, most)| *most);
        assert!(error <= most, "{name}({at:e}) is off by {error} ulp");
    }
}

/// Takes minutes; prints what the docs of the module say.
#[test]
#[ignore = "walks all float32 values"]
fn largest_errors_over_all_float32() {
    for (name, single, double) in FUNCTIONS {
        let (error, at) = worst(name, single, double, 1);
        println!("{name:6} {error:.5} ulp at {at:e}");
    }
}

/// How many float64 lie between two of them; those of either sign are far apart but for zero.
fn steps_between(a: f64, b: f64) -> u64 {
    let place = |x: f64| if x.is_sign_negative() { -((x.to_bits() << 1 >> 1) as i64) } else { x.to_bits() as i64 };
    if a.is_nan() && b.is_nan() { 0 } else { place(a).abs_diff(place(b)) }
}

const DOUBLE: [(&str, Double, Double, u64); 18] = [
    ("erf", erf::<f64>, libm::erf, 1),
    ("erfc", erfc::<f64>, libm::erfc, 3),
    ("exp", exp::<f64>, f64::exp, 1),
    ("log", log::<f64>, f64::ln, 1),
    ("sin", sin::<f64>, f64::sin, 1),
    ("cos", cos::<f64>, f64::cos, 1),
    ("tanh", tanh::<f64>, f64::tanh, 2),
    ("expm1", expm1::<f64>, f64::exp_m1, 1),
    ("sinh", sinh::<f64>, f64::sinh, 2),
    ("cosh", cosh::<f64>, f64::cosh, 2),
    ("tan", tan::<f64>, f64::tan, 1),
    ("asin", asin::<f64>, f64::asin, 1),
    ("acos", acos::<f64>, f64::acos, 1),
    ("atan", atan::<f64>, f64::atan, 1),
    ("log1p", log1p::<f64>, f64::ln_1p, 1),
    ("log2", log2::<f64>, f64::log2, 1),
    ("log10", log10::<f64>, f64::log10, 2),
    ("twice its angle", |x| atan2(x, x.abs() - 3.0), |x| f64::atan2(x, x.abs() - 3.0), 1),
];

/// Numbers of all sizes that matter, of both signs.
fn doubles() -> impl Iterator<Item = f64> {
    let near = (-70_000..70_000).map(|i| i as f64 * 0.01003);
    let small = (-30_000..30_000).map(|i| i as f64 * 0.000_041_7);
    let grown = (-3000..3000).map(|i| (i as f64 * 0.23).exp2().copysign(i as f64)).filter(|x| x.is_finite());
    near.chain(small).chain(grown)
}

#[test]
fn float64_results_are_those_of_the_library_or_near_them() {
    for (name, ours, exact, most) in DOUBLE {
        for x in doubles().filter(|x| !matches!(name, "sin" | "cos" | "tan") || !x.is_far_angle()) {
            let (ours, exact) = (ours(x), exact(x));
            assert!(steps_between(ours, exact) <= most, "{name}({x:e}): {ours:e} and not {exact:e}");
        }
    }
}

#[test]
fn float64_results_at_the_ends() {
    let largest = [f64::MAX, 710.4, 709.7, 711.0, 745.0, 1e-320, 5e-324, 1e-300, 1.0, 0.0, 0.5, f64::INFINITY, f64::NAN];
    for (name, ours, exact, most) in DOUBLE {
        let ends = largest.into_iter().flat_map(|x| [x, -x]);
        for x in ends.filter(|x| !matches!(name, "sin" | "cos" | "tan") || !x.is_far_angle() && x.is_finite()) {
            let (ours, exact) = (ours(x), exact(x));
            assert!(steps_between(ours, exact) <= most, "{name}({x:e}): {ours:e} and not {exact:e}");
        }
    }
}

#[test]
fn float64_angles_and_lengths_of_all_sizes() {
    let sizes = [
        0.0,
        5e-324,
        1e-310,
        1e-160,
        1e-20,
        0.3,
        0.4142135623730951,
        1.0,
        1.5,
        3.0,
        1e20,
        1e160,
        1.7e308,
        f64::INFINITY,
        f64::NAN,
    ];
    let all: Vec<f64> = sizes.into_iter().flat_map(|x| [x, -x]).collect();
    for (x, y) in all.iter().flat_map(|x| all.iter().map(move |y| (*x, *y))) {
        let (angle, length) = (atan2(x, y), hypot(x, y));
        assert!(steps_between(angle, x.atan2(y)) <= 1, "atan2({x:e}, {y:e}) = {angle:e} and not {:e}", x.atan2(y));
        assert!(steps_between(length, x.hypot(y)) <= 1, "hypot({x:e}, {y:e}) = {length:e} and not {:e}", x.hypot(y));
    }
}

#[test]
fn powers_of_two_and_ten_have_whole_logarithms() {
    assert!((-1000..1000).all(|n| log2(2f64.powi(n)) == n as f64));
    assert!((0..=22).all(|n| log10(10f64.powi(n)) == n as f64));
}

#[test]
fn the_ends_of_the_range() {
    let (inf, tiny) = (f64::INFINITY, 1e-320);
    let cases = [
        (exp(-inf), 0.0),
        (exp(inf), inf),
        (exp(710.0), inf),
        (exp(-745.0), 5e-324),
        (exp(0.0), 1.0),
        (log(0.0), -inf),
        (log(inf), inf),
        (log(1.0), 0.0),
        (log(tiny), tiny.ln()),
        (tanh(inf), 1.0),
        (tanh(-1e300), -1.0),
    ];
    for (i, (ours, exact)) in cases.into_iter().enumerate() {
        assert_eq!(ours, exact, "case {i}");
    }
    for nan in [exp(f32::NAN), log(f32::NAN), log(-1.0), sin(f32::NAN), cos(f32::NAN), tanh(f32::NAN)] {
        assert!(nan.is_nan());
    }
    assert!([sin(-0.0f32), tanh(-0.0f32)].iter().all(|x| x.to_bits() == (-0.0f32).to_bits()));
}

#[test]
fn float64_powers_are_within_a_unit_and_whole_ones_exact() {
    let mut odd = 0;
    for i in 1..200_000i32 {
        let (x, y) = (i as f64 * 0.0137 + (i % 7) as f64 * 1e-9, (i as f64 * 7.3) % 5.0 - 2.5);
        odd += x.is_odd_power(y) as i32;
        if !x.is_odd_power(y) {
            let (ours, exact) = (pow(x, y), x.powf(y));
            assert!((ours.to_bits() as i64).abs_diff(exact.to_bits() as i64) <= 1, "{x} ** {y}: {ours} and not {exact}");
        }
    }
    assert!(odd < 20_000, "{odd} go the long way");
    for (x, y) in [(10.0, 5.0), (2.0, 10.0), (0.5, 7.0), (3.0, 13.0), (7.0, 4.0), (1.0, 25.0), (81.0, 0.25), (1e-3, -2.0)] {
        assert!(!x.is_odd_power(y) && pow(x, y) == f64::powf(x, y), "{x} ** {y}");
    }
}

#[test]
fn float32_powers_are_rounded_once() {
    for i in 1..2000 {
        let (x, y) = (i as f32 * 0.37, (i as f32 * 7.0 % 23.0) - 11.0 + 0.3);
        let error = ulps(pow(x, y), (x as f64).powf(y as f64));
        assert!(error <= 0.501, "{x} ** {y} is off by {error} ulp");
    }
}
