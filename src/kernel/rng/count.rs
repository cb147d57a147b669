//! Numbers of events: Poisson and binomial, by Hörmann's transformed rejection where many are expected.

use super::Generator;
use std::f64::consts::TAU;

/// Where rejection becomes the cheaper way.
const MANY: f64 = 10.0;

/// A Poisson number of a rate that is not negative. Stays a float: an endless rate gives what does not fit an integer.
pub fn poisson(generator: &mut Generator, rate: f64) -> f64 {
    if rate >= MANY {
        return poisson_rejection(generator, rate);
    }
    if rate == 0.0 {
        return 0.0;
    }
    let limit = (-rate).exp();
    let (mut product, mut count) = (1.0, 0.0);
    loop {
        product *= generator.unit_f64();
        if product <= limit {
            return count;
        }
        count += 1.0;
    }
}

fn poisson_rejection(generator: &mut Generator, rate: f64) -> f64 {
    let (root, ln_rate) = (rate.sqrt(), rate.ln());
    let b = 0.931 + 2.53 * root;
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let inner = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let u = generator.unit_f64() - 0.5;
        let v = generator.unit_f64();
        let us = 0.5 - u.abs();
        let k = whole(((2.0 * a / us + b) * u + rate + 0.43).floor());
        if us >= 0.07 && v <= inner {
            return k;
        }
        if k < 0.0 || (us < 0.013 && v > us) {
            continue;
        }
        let height = v.ln() + inverse_alpha.ln() - (a / (us * us) + b).ln();
        if height <= -rate + k * ln_rate - ln_factorial(k) {
            return k;
        }
    }
}

/// A count as PyTorch keeps it: a 64-bit integer, the least one when it does not fit.
fn whole(f: f64) -> f64 {
    crate::dtype::Number::Float(f).to_i64() as f64
}

/// ln(k!) of a whole number.
fn ln_factorial(k: f64) -> f64 {
    const SMALL: f64 = 16.0;
    if k < SMALL {
        return (2..=k as u64).map(|i| i as f64).product::<f64>().ln();
    }
    let (x, inverse) = (k + 1.0, 1.0 / ((k + 1.0) * (k + 1.0)));
    let series = 1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0));
    (x - 0.5) * x.ln() - x + 0.5 * TAU.ln() + series / x
}

/// A binomial number: successes in `count` trials of probability `p`; nan when `p` is.
pub fn binomial(generator: &mut Generator, count: f64, p: f64) -> f64 {
    if count <= 0.0 || p <= 0.0 {
        return 0.0;
    }
    if p >= 1.0 {
        return count;
    }
    if p.is_nan() || count.is_nan() {
        return f64::NAN;
    }
    let rarer = if p <= 0.5 { p } else { 1.0 - p };
    let hits =
        if count * rarer >= MANY { binomial_rejection(generator, count, rarer) } else { by_waiting(generator, count, rarer) };
    if p <= 0.5 { hits } else { count - hits }
}

/// Adds waiting times up to the last trial.
fn by_waiting(generator: &mut Generator, count: f64, p: f64) -> f64 {
    let scale = (-p).ln_1p();
    let (mut waited, mut hits) = (0.0, 0.0);
    loop {
        waited += (generator.unit_f64().ln() / scale).ceil();
        if waited > count {
            return hits;
        }
        hits += 1.0;
    }
}

fn binomial_rejection(generator: &mut Generator, count: f64, p: f64) -> f64 {
    let deviation = (count * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let center = count * p + 0.5;
    let inner = 0.92 - 4.2 / b;
    let odds = p / (1.0 - p);
    let alpha = (2.83 + 5.1 / b) * deviation;
    let mode = ((count + 1.0) * p).floor();
    loop {
        let u = generator.unit_f64() - 0.5;
        let v = generator.unit_f64();
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + center).floor();
        if us >= 0.07 && v <= inner {
            return k;
        }
        if k < 0.0 || k > count {
            continue;
        }
        let height = (v * alpha / (a / (us * us) + b)).ln();
        let bound = (mode + 0.5) * ((mode + 1.0) / (odds * (count - mode + 1.0))).ln()
            + (count + 1.0) * ((count - mode + 1.0) / (count - k + 1.0)).ln()
            + (k + 0.5) * (odds * (count - k + 1.0) / (k + 1.0)).ln()
            + stirling_tail(mode)
            + stirling_tail(count - mode)
            - stirling_tail(k)
            - stirling_tail(count - k);
        if height <= bound {
            return k;
        }
    }
}

/// What Stirling's formula for ln(k!) leaves.
fn stirling_tail(k: f64) -> f64 {
    const TABLE: [f64; 10] = [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.02079067210376509,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ];
    if let Some(tail) = TABLE.get(k as usize) {
        return *tail;
    }
    let square = (k + 1.0) * (k + 1.0);
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0)
}
