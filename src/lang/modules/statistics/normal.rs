//! `NormalDist`: a normal distribution, given by its mean and its deviation.

use crate::lang::operators;
use crate::lang::types::call::{Builtin, Call, Table, Takes, def, row};
use crate::lang::types::class::ObjectClass;
use crate::lang::types::{convert, iter, repr};
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::value::{Machine, Object, Outcome, Value, python_hash};
use std::any::Any;
use std::f64::consts::{SQRT_2, TAU};
use std::rc::Rc;

static CLASS: Table =
    Table { owner: "NormalDist", rows: Table::sorted(&[row("NormalDist", def(&["mu", "sigma"], 0, 2), construct)]) };

/// What the class itself has.
static OF_CLASS: Table = Table { owner: "NormalDist", rows: Table::sorted(&[row("from_samples", Takes::One, from_samples)]) };

static METHODS: Table = Table {
    owner: "NormalDist",
    rows: Table::sorted(&[
        row("cdf", def(&["x"], 1, 1), |c| {
            let this = own(c)?;
            let x = convert::to_float(c.arg(0))?;
            this.check("cdf() not defined when sigma is zero")?;
            Ok(Value::Float(this.below(x)))
        }),
        row("from_samples", Takes::One, from_samples),
        row("inv_cdf", def(&["p"], 1, 1), |c| own(c)?.inverse(convert::to_float(c.arg(0))?).map(Value::Float)),
        row("overlap", def(&["other"], 1, 1), |c| own(c)?.overlap(c.arg(0)).map(Value::Float)),
        row("pdf", def(&["x"], 1, 1), |c| {
            let this = own(c)?;
            this.check("pdf() not defined when sigma is zero")?;
            let (variance, off) = (this.sigma * this.sigma, convert::to_float(c.arg(0))? - this.mu);
            Ok(Value::Float((off * off / (-2.0 * variance)).exp() / (TAU * variance).sqrt()))
        }),
        row("quantiles", def(&["n"], 0, 1), |c| {
            let (this, n) = (own(c)?, c.get(0).map_or(Ok(4), convert::to_i64)?);
            let found = (1..n).map(|i| this.inverse(i as f64 / n as f64).map(Value::Float));
            Ok(Value::list(found.collect::<Outcome<_>>()?))
        }),
        row("samples", def(&["n", "seed"], 1, 1), |c| {
            let this = own(c)?;
            let names = [
                ("mu", Value::Float(this.mu)),
                ("sigma", Value::Float(this.sigma)),
                ("n", c.arg(0).clone()),
                ("seed", c.arg(1).clone()),
            ];
            c.machine.eval_code(SAMPLES, &names)
        }),
        row("zscore", def(&["x"], 1, 1), |c| {
            let this = own(c)?;
            this.check("zscore() not defined when sigma is zero")?;
            Ok(Value::Float((convert::to_float(c.arg(0))? - this.mu) / this.sigma))
        }),
    ]),
};

const SAMPLES: &str = "\
import random
gauss = random.gauss if seed is None else random.Random(seed).gauss
[gauss(mu, sigma) for _ in range(n)]";

/// The class as a value.
pub fn class() -> Value {
    ObjectClass::callable("statistics.NormalDist", &CLASS, &CLASS.rows[0], Some(&OF_CLASS))
}

#[derive(Clone, Copy, PartialEq)]
struct Normal {
    mu: f64,
    sigma: f64,
}

fn own(c: &Call<'_>) -> Outcome<Normal> {
    match c.this.downcast::<Normal>() {
        Some(normal) => Ok(*normal),
        None => fault!(TypeError, "Expected another NormalDist instance"),
    }
}

fn construct(c: &mut Call<'_>) -> Outcome {
    let sigma = c.get(1).cloned().unwrap_or(Value::Float(1.0));
    let is_negative = operators::compare(c.machine, CompareOp::Lt, &sigma, &Value::Float(0.0))?;
    if operators::truth(&is_negative)? {
        fault!(StatisticsError, "sigma must be non-negative");
    }
    let mu = c.get(0).map_or(Ok(0.0), convert::to_float)?;
    Ok(Value::object(Normal { mu, sigma: convert::to_float(&sigma)? }))
}

fn from_samples(c: &mut Call<'_>) -> Outcome {
    let data = c.arg(0).clone();
    let names = [("data", Value::list(iter::collect(c.machine, &data)?))];
    c.machine.eval_code("import statistics\nstatistics.NormalDist(float(statistics.mean(data)), statistics.stdev(data))", &names)
}

/// A quotient of two polynomials, whose coefficients begin with that of the highest power.
struct Quotient {
    above: [f64; 8],
    below: [f64; 8],
}

impl Quotient {
    fn at(&self, x: f64) -> (f64, f64) {
        let polynomial = |all: &[f64; 8]| all.iter().skip(1).fold(all[0], |sum, coefficient| sum * x + coefficient);
        (polynomial(&self.above), polynomial(&self.below))
    }
}

/// Wichura's approximations of the inverse: for probabilities near a half, farther out, and at the ends.
#[allow(clippy::excessive_precision)]
const MIDDLE: Quotient = Quotient {
    above: [
        2.5090809287301226727e+3,
        3.3430575583588128105e+4,
        6.7265770927008700853e+4,
        4.5921953931549871457e+4,
        1.3731693765509461125e+4,
        1.9715909503065514427e+3,
        1.3314166789178437745e+2,
        3.3871328727963666080e+0,
    ],
    below: [
        5.2264952788528545610e+3,
        2.8729085735721942674e+4,
        3.9307895800092710610e+4,
        2.1213794301586595867e+4,
        5.3941960214247511077e+3,
        6.8718700749205790830e+2,
        4.2313330701600911252e+1,
        1.0,
    ],
};
#[allow(clippy::excessive_precision)]
const OUTER: Quotient = Quotient {
    above: [
        7.74545014278341407640e-4,
        2.27238449892691845833e-2,
        2.41780725177450611770e-1,
        1.27045825245236838258e+0,
        3.64784832476320460504e+0,
        5.76949722146069140550e+0,
        4.63033784615654529590e+0,
        1.42343711074968357734e+0,
    ],
    below: [
        1.05075007164441684324e-9,
        5.47593808499534494600e-4,
        1.51986665636164571966e-2,
        1.48103976427480074590e-1,
        6.89767334985100004550e-1,
        1.67638483018380384940e+0,
        2.05319162663775882187e+0,
        1.0,
    ],
};
#[allow(clippy::excessive_precision)]
const END: Quotient = Quotient {
    above: [
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.24266094738807843860e-3,
        2.65321895265761230930e-2,
        2.96560571828504891230e-1,
        1.78482653991729133580e+0,
        5.46378491116411436990e+0,
        6.65790464350110377720e+0,
    ],
    below: [
        2.04426310338993978564e-15,
        1.42151175831644588870e-7,
        1.84631831751005468180e-5,
        7.86869131145613259100e-4,
        1.48753612908506148525e-2,
        1.36929880922735805310e-1,
        5.99832206555887937690e-1,
        1.0,
    ],
};

impl Normal {
    fn check(&self, refusal: &str) -> Outcome<()> {
        if self.sigma == 0.0 {
            fault!(StatisticsError, "{refusal}");
        }
        Ok(())
    }

    /// The probability of less than this.
    fn below(&self, x: f64) -> f64 {
        0.5 * (1.0 + libm::erf((x - self.mu) / (self.sigma * SQRT_2)))
    }

    fn inverse(&self, p: f64) -> Outcome<f64> {
        if p <= 0.0 || p >= 1.0 {
            fault!(StatisticsError, "p must be in the range 0.0 < p < 1.0");
        }
        self.check("cdf() not defined when sigma at or below zero")?;
        let q = p - 0.5;
        let x = if q.abs() <= 0.425 {
            let (above, below) = MIDDLE.at(0.180625 - q * q);
            above * q / below
        } else {
            let r = (-(if q <= 0.0 { p } else { 1.0 - p }).ln()).sqrt();
            let (above, below) = if r <= 5.0 { OUTER.at(r - 1.6) } else { END.at(r - 5.0) };
            let x = above / below;
            if q < 0.0 { -x } else { x }
        };
        Ok(self.mu + x * self.sigma)
    }

    /// How much of the two distributions is common to them.
    fn overlap(&self, other: &Value) -> Outcome<f64> {
        let Some(other) = other.downcast::<Normal>() else { fault!(TypeError, "Expected another NormalDist instance") };
        let swaps = (other.sigma, other.mu) < (self.sigma, self.mu);
        let (x, y) = if swaps { (other, self) } else { (self, other) };
        let (x_variance, y_variance) = (x.sigma * x.sigma, y.sigma * y.sigma);
        if x_variance == 0.0 || y_variance == 0.0 {
            fault!(StatisticsError, "overlap() not defined when sigma is zero");
        }
        let (variances, means) = (y_variance - x_variance, (y.mu - x.mu).abs());
        if variances == 0.0 {
            return Ok(1.0 - libm::erf(means / (2.0 * x.sigma * SQRT_2)));
        }
        let a = x.mu * y_variance - y.mu * x_variance;
        let b = x.sigma * y.sigma * (means * means + variances * (y_variance / x_variance).ln()).sqrt();
        let between = |place: f64| (y.below(place) - x.below(place)).abs();
        Ok(1.0 - (between((a + b) / variances) + between((a - b) / variances)))
    }

    /// `self op other` of two distributions.
    fn with(&self, op: BinaryOp, other: &Normal) -> Option<Normal> {
        let mu = match op {
            BinaryOp::Add => self.mu + other.mu,
            BinaryOp::Sub => self.mu - other.mu,
            _ => return None,
        };
        Some(Normal { mu, sigma: self.sigma.hypot(other.sigma) })
    }

    /// `self op number`
    fn by(&self, op: BinaryOp, number: f64) -> Option<Normal> {
        Some(match op {
            BinaryOp::Add => Normal { mu: self.mu + number, ..*self },
            BinaryOp::Sub => Normal { mu: self.mu - number, ..*self },
            BinaryOp::Mul => Normal { mu: self.mu * number, sigma: self.sigma * number.abs() },
            BinaryOp::Div => Normal { mu: self.mu / number, sigma: self.sigma / number.abs() },
            _ => return None,
        })
    }
}

impl Object for Normal {
    fn type_name(&self) -> String {
        "statistics.NormalDist".into()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn repr(&self) -> String {
        let text = |x: f64| repr::repr(&Value::Float(x)).unwrap_or_default();
        format!("NormalDist(mu={}, sigma={})", text(self.mu), text(self.sigma))
    }
    fn attr(self: Rc<Self>, name: &str) -> Outcome<Option<Value>> {
        Ok(match name {
            "mean" | "median" | "mode" => Some(Value::Float(self.mu)),
            "stdev" => Some(Value::Float(self.sigma)),
            "variance" => Some(Value::Float(self.sigma * self.sigma)),
            _ => METHODS.find(name).map(|row| Builtin::method(&METHODS, row, Value::shared(self))),
        })
    }
    fn attributes(&self) -> Vec<String> {
        METHODS.names().into_iter().chain(["mean", "median", "mode", "stdev", "variance"].map(String::from)).collect()
    }
    fn equals(&self, other: &Value) -> Option<bool> {
        Some(other.downcast::<Normal>()? == self)
    }
    fn hash(&self) -> Option<u64> {
        Some(python_hash(&Value::tuple(vec![Value::Float(self.mu), Value::Float(self.sigma)])) as u64)
    }
    fn unary(self: Rc<Self>, _: &mut dyn Machine, op: &'static str) -> Option<Outcome> {
        Some(Ok(Value::object(match op {
            "-" => Normal { mu: -self.mu, sigma: self.sigma },
            "+" => *self,
            _ => return None,
        })))
    }
    fn operate(self: Rc<Self>, _: &mut dyn Machine, op: &'static str, other: &Value, reflected: bool) -> Option<Outcome> {
        let op = BinaryOp::from_symbol(op)?;
        if let Some(other) = other.downcast::<Normal>() {
            return Some(Ok(Value::object(self.with(op, other)?)));
        }
        if reflected && op == BinaryOp::Div {
            return None;
        }
        let number = match convert::as_float(other) {
            Ok(number) => number?,
            Err(raise) => return Some(Err(raise)),
        };
        let found = self.by(op, number)?;
        let turns = reflected && op == BinaryOp::Sub;
        Some(Ok(Value::object(if turns { Normal { mu: -found.mu, ..found } } else { found })))
    }
}
